//! The fields at the beginning of a note, between two lines of `---`: texts and lists, as YAML
//! writes them. What is neither is passed over.

use std::collections::BTreeMap;

/// Lines in which front matter ends.
pub(super) const MOST_LINES: usize = 500;
/// The field of notes that an export of annals wrote.
pub(crate) const EXPORTED: &str = "annals";

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter(BTreeMap<String, Vec<String>>);

impl FrontMatter {
    pub(super) fn parse(lines: &[String]) -> Self {
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut open: Option<String> = None;
        for line in lines {
            let plain = line.trim();
            if plain.is_empty() || plain.starts_with('#') {
                continue;
            }
            let entry = plain
                .strip_prefix("- ")
                .or_else(|| (plain == "-").then_some(""));
            if let (Some(entry), Some(name)) = (entry, &open) {
                fields.entry(name.clone()).or_default().push(scalar(entry));
                continue;
            }
            // What stands deeper belongs to a field that is no list.
            if line.starts_with([' ', '\t']) {
                continue;
            }
            let Some((name, value)) = plain.split_once(':') else {
                continue;
            };
            let (name, value) = (scalar(name).to_lowercase(), value.trim());
            let inner = value
                .strip_prefix('[')
                .and_then(|inner| inner.strip_suffix(']'));
            let values = match inner {
                Some(inner) => entries(inner),
                None if value.is_empty() || matches!(value, "null" | "~" | "|" | ">") => Vec::new(),
                None => vec![scalar(value)],
            };
            open = Some(name.clone());
            fields.insert(name, values);
        }
        Self(fields)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an export of annals wrote it.
    pub(super) fn is_export(&self) -> bool {
        self.text(EXPORTED).is_some()
    }

    /// The value of a field.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let [value] = self.0.get(name)?.as_slice() else {
            return None;
        };
        (!value.trim().is_empty()).then_some(value)
    }

    /// The values of a field, which may stand in one text with commas.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let values = self.0.get(name).into_iter().flatten();
        values
            .flat_map(|value| value.split(','))
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
            .collect()
    }
}

/// The entries of a list in one line; commas within quotes part nothing.
fn entries(inner: &str) -> Vec<String> {
    let (mut found, mut entry, mut quote) = (Vec::new(), String::new(), None);
    for c in inner.chars() {
        match (c, quote) {
            (',', None) => found.push(std::mem::take(&mut entry)),
            ('"' | '\'', None) => {
                quote = Some(c);
                entry.push(c);
            }
            (c, quoted) => {
                if quoted == Some(c) {
                    quote = None;
                }
                entry.push(c);
            }
        }
    }
    found.push(entry);
    found
        .iter()
        .map(|entry| scalar(entry))
        .filter(|entry| !entry.is_empty())
        .collect()
}

/// A text without its quotes, or without a comment behind it.
fn scalar(value: &str) -> String {
    let value = value.trim();
    if value.starts_with('"')
        && let Ok(text) = serde_json::from_str::<String>(value)
    {
        return text;
    }
    if let Some(inner) = value
        .strip_prefix('\'')
        .and_then(|inner| inner.strip_suffix('\''))
    {
        return inner.replace("''", "'");
    }
    value
        .split_once(" #")
        .map_or(value, |(value, _)| value)
        .trim()
        .trim_matches('"')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_texts_and_lists() {
        let lines = "title: 'It''s warm'\ntags: [house, \"roof, top\"] \naliases:\n  - One\n  - Two\n# a comment\n\
                     nested:\n  inner: 1\ndate: 2026-01-31 # a day\nbroken line\nempty:";
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        let matter = FrontMatter::parse(&lines);
        assert_eq!(matter.text("title"), Some("It's warm"));
        assert_eq!(matter.list("aliases"), ["One", "Two"]);
        assert_eq!(matter.text("date"), Some("2026-01-31"));
        assert_eq!((matter.text("nested"), matter.text("empty")), (None, None));
        assert_eq!(matter.list("tags"), ["house", "roof", "top"]);
    }
}
