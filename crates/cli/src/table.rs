use unicode_width::UnicodeWidthStr;

use crate::paint::Paint;
use crate::texts::filled;
use crate::wrap;

/// A table of texts with one column that gives way when the terminal is narrow. Nothing is cut
/// without a terminal.
pub(crate) struct Table {
    head: Vec<String>,
    right: Vec<bool>,
    flexible: Option<usize>,
    rows: Vec<Vec<String>>,
}

const GAP: usize = 2;
const NARROWEST: usize = 16;

impl Table {
    /// Columns by their English names, each of which is a text; a name that starts with `>` is
    /// aligned to the right, one that starts with `~` gives way.
    pub(crate) fn new(columns: &[&'static str]) -> Self {
        Self {
            head: columns
                .iter()
                .map(|name| heading(name.trim_start_matches(['>', '~'])))
                .collect(),
            right: columns.iter().map(|name| name.starts_with('>')).collect(),
            flexible: columns.iter().position(|name| name.starts_with('~')),
            rows: Vec::new(),
        }
    }

    /// Adds a row of texts that are already fit to be shown.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn render(&self, paint: Paint, width: Option<usize>) -> String {
        let widths = self.widths(width);
        let mut out = String::new();
        push_row(&mut out, &self.head, &widths, &self.right, |text| {
            paint.dim(text)
        });
        for row in &self.rows {
            push_row(&mut out, row, &widths, &self.right, str::to_owned);
        }
        out
    }

    fn widths(&self, limit: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.head.iter().map(|name| name.as_str().width()).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(cell.width());
            }
        }
        let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        if let (Some(limit), Some(flexible)) = (limit, self.flexible)
            && let Some(column) = widths.get_mut(flexible)
            && total > limit
        {
            *column = column.saturating_sub(total - limit).max(NARROWEST);
        }
        widths
    }
}

/// A name of a column in the language of the run.
fn heading(name: &str) -> String {
    match name {
        "" => String::new(),
        _ => filled(
            &format!("table-{}", name.replace(' ', "-").replace(':', "")),
            &[],
        ),
    }
}

fn push_row(
    out: &mut String,
    cells: &[String],
    widths: &[usize],
    right: &[bool],
    paint: impl Fn(&str) -> String,
) {
    let mut line = String::new();
    for ((cell, width), right) in cells.iter().zip(widths).zip(right) {
        let cell = wrap::cut(cell, *width);
        let pad = " ".repeat(width.saturating_sub(cell.width()));
        if !line.is_empty() {
            line.push_str(&" ".repeat(GAP));
        }
        if *right {
            line.push_str(&pad);
            line.push_str(&cell);
        } else {
            line.push_str(&cell);
            line.push_str(&pad);
        }
    }
    out.push_str(&paint(line.trim_end()));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns_wide_characters_and_cuts_only_the_flexible_column() {
        let mut table = Table::new(&["name", ">n", "~text"]);
        table.row(vec![
            "小满".to_owned(),
            "7".to_owned(),
            "a text that is longer than there is room".to_owned(),
        ]);
        table.row(vec!["x".to_owned(), "123".to_owned(), "short".to_owned()]);
        assert_eq!(
            table.render(Paint::PLAIN, Some(30)),
            "name    n  text\n小满    7  a text that is lon…\nx     123  short\n"
        );
        assert!(table.render(Paint::PLAIN, None).contains("there is room\n"));
    }
}
