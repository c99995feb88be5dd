use annals_types::Timestamp;

use super::id::is_id;
use super::{Entry, Format, WarningKind};

/// The fields of a heading `### [id] category | score | date | hits`. A field that a person left
/// out is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Header {
    pub(super) id: Option<String>,
    pub(super) category: Option<String>,
    /// As it is written, with two decimals.
    pub(super) score: Option<f64>,
    /// As it is written: `YYYY-MM-DD`.
    pub(super) date: Option<String>,
    pub(super) hits: Option<u32>,
}

/// Reads a heading; the warnings are about it.
pub(super) fn read(
    line: &str,
    format: &Format,
    warnings: &mut Vec<WarningKind>,
) -> Result<Header, &'static str> {
    let rest = line.trim_start_matches('#').trim();
    let (id, rest) = match rest.strip_prefix('[') {
        Some(inside) => {
            let (id, rest) = inside
                .split_once(']')
                .ok_or("the bracket of the id is not closed")?;
            let id = id.trim();
            if !is_id(id) {
                return Err("the id is not 1 to 36 letters, digits, - and _");
            }
            (Some(id.to_owned()), rest)
        }
        None => (None, rest),
    };
    let mut fields = rest.split(['|', '｜']).map(str::trim);
    let category = fields.next().filter(|c| !c.is_empty());
    let known = |name: &str| format.categories.iter().any(|c| c == name);
    if let Some(name) = category {
        if annals_types::Kind::new(name).is_err() || (id.is_none() && !known(name)) {
            return Err("there is neither an id nor a known category");
        }
        if !known(name) {
            warnings.push(WarningKind::UnknownCategory(name.to_owned()));
        }
    } else if id.is_none() {
        return Err("the heading is empty");
    }
    let mut field = || fields.next().filter(|f| !f.is_empty());
    let score = field().map(|text| score(text, warnings)).transpose()?;
    let date = field().map(date).transpose()?;
    let hits = field()
        .map(|text| {
            text.parse::<u32>()
                .map_err(|_| "the number of hits cannot be read")
        })
        .transpose()?;
    if fields.next().is_some() {
        warnings.push(WarningKind::ExtraFields);
    }
    let header = Header {
        id,
        category: category.map(str::to_owned),
        score,
        date,
        hits,
    };
    let complete = header.id.is_some()
        && header.category.is_some()
        && score.is_some()
        && header.date.is_some();
    if !complete || hits.is_none() {
        warnings.push(WarningKind::Incomplete);
    }
    Ok(header)
}

fn score(text: &str, warnings: &mut Vec<WarningKind>) -> Result<f64, &'static str> {
    let score = text
        .parse::<f64>()
        .ok()
        .filter(|s| !s.is_nan())
        .ok_or("the score cannot be read")?;
    if !(0.0..=1.0).contains(&score) {
        warnings.push(WarningKind::ScoreOutOfRange);
    }
    // Adding zero makes -0 a plain 0.
    Ok(score.clamp(0.0, 1.0) + 0.0)
}

/// A date; a time behind it is left out.
fn date(text: &str) -> Result<String, &'static str> {
    let day = text.get(..10).unwrap_or(text);
    let day = day
        .parse::<jiff::civil::Date>()
        .map_err(|_| "the date cannot be read")?;
    if day.year() < 1 {
        Err("the date cannot be read")
    } else {
        Ok(day.to_string())
    }
}

/// The moment at which a date of the file begins.
pub(super) fn midnight(date: &str, format: &Format) -> Option<Timestamp> {
    format.zone.midnight(date)
}

/// The score as it is written.
pub(super) fn rounded(score: f64) -> String {
    format!("{:.2}", score.clamp(0.0, 1.0) + 0.0)
}

pub(super) fn render(entry: &Entry, format: &Format) -> String {
    let date = format.zone.date(entry.last_activated);
    let Entry {
        id,
        category,
        activation_count,
        ..
    } = entry;
    format!(
        "### [{id}] {category} | {} | {date} | {activation_count}",
        rounded(entry.score)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_of_the_design() {
        // part: M-17, M-19, M-35
        let mut warnings = Vec::new();
        let plain = "### [a1b2c3] preference | 0.92 | 2026-02-20 | 12";
        for line in [
            plain,
            "###[a1b2c3]preference|0.92|2026-02-20|12",
            "###   [ a1b2c3 ]  preference  |0.92 |  2026-02-20|12 ",
        ] {
            let header = read(line, &Format::default(), &mut warnings).unwrap();
            assert_eq!(header.id.as_deref(), Some("a1b2c3"));
            assert_eq!(header.category.as_deref(), Some("preference"));
            assert_eq!(header.score, Some(0.92));
            assert_eq!(header.date.as_deref(), Some("2026-02-20"));
            assert_eq!(header.hits, Some(12));
        }
        assert_eq!(warnings, []);
    }

    #[test]
    fn scores_outside_the_range_are_moved_into_it() {
        // part: M-11
        for (text, score) in [("1.7", 1.0), ("-0.1", 0.0), ("inf", 1.0)] {
            let mut warnings = Vec::new();
            let line = format!("### [a] fact | {text} | 2026-02-20 | 0");
            assert_eq!(
                read(&line, &Format::default(), &mut warnings)
                    .unwrap()
                    .score,
                Some(score)
            );
            assert_eq!(warnings, [WarningKind::ScoreOutOfRange]);
        }
    }

    #[test]
    fn broken_headings_are_refused_with_a_reason() {
        for line in [
            "### [bad fact | x",
            "### [] fact | 0.5 | 2026-02-20 | 1",
            "### ",
            "### A heading of mine",
            "### [a] fact | high | 2026-02-20 | 1",
            "### [a] fact | NaN | 2026-02-20 | 1",
            "### [a] fact | 0.5 | yesterday | 1",
            "### [a] fact | 0.5 | 2026-02-30 | 1",
            "### [a] fact | 0.5 | 2026-02-20 | often",
        ] {
            assert!(
                read(line, &Format::default(), &mut Vec::new()).is_err(),
                "{line}"
            );
        }
    }
}
