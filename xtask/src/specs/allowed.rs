//! Ids that a test may prove otherwise than under the design's own profile with the shipped
//! embedder, as docs/specs-allowed.toml lists them.

use std::collections::BTreeMap;
use std::fs;

use super::list::{List, Requirement};
use crate::shell;

/// Another way to prove a requirement than the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The requirement fixes a likeness, a score of recall or what the embedder does; the test
    /// scripts it.
    Cosine,
    /// The requirement speaks of a changed profile.
    Changed,
    /// The requirement speaks of a part or of a text that is tested by itself.
    Layer,
}

impl Way {
    const ALL: [(&'static str, Self); 3] = [
        ("cosine", Self::Cosine),
        ("changed", Self::Changed),
        ("layer", Self::Layer),
    ];
}

/// The ways that the words of requirements allow, each with those words, by id.
pub type Allowed = BTreeMap<(String, Way), String>;

/// Reads the file.
pub fn read() -> Result<Allowed, String> {
    let file = shell::root().join("docs").join("specs-allowed.toml");
    let text =
        fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    parse(&text)
}

/// A table for each way; an id with the words that allow it on each line.
fn parse(text: &str) -> Result<Allowed, String> {
    let table: toml::Table = text
        .parse()
        .map_err(|e| format!("docs/specs-allowed.toml: {e}"))?;
    let mut allowed = Allowed::new();
    for (name, listed) in &table {
        let way = Way::ALL
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, way)| *way);
        let way =
            way.ok_or_else(|| format!("docs/specs-allowed.toml: there is no way `{name}`"))?;
        for (id, words) in listed.as_table().into_iter().flatten() {
            let words = words.as_str().unwrap_or_default();
            allowed.insert((id.clone(), way), words.to_owned());
        }
    }
    Ok(allowed)
}

/// What is wrong with the list. The words of an id are looked for in its requirement where the
/// specifications are there.
pub fn problems(allowed: &Allowed, list: &List) -> Vec<String> {
    let problem = |((id, way), words): (&(String, Way), &String)| {
        let reason = match list
            .requirements()
            .find(|requirement| requirement.id == *id)
        {
            None => "there is no such requirement",
            Some(requirement) => wrong(requirement, *way, words)?,
        };
        Some(format!("docs/specs-allowed.toml: {id}: {reason}"))
    };
    allowed.iter().filter_map(problem).collect()
}

fn wrong(requirement: &Requirement, way: Way, words: &str) -> Option<&'static str> {
    let read = !requirement.text.is_empty();
    if words.is_empty() {
        Some("the words that allow it are missing")
    } else if way == Way::Cosine && !words.contains(|c: char| c.is_ascii_digit()) {
        Some("the words fix no number")
    } else if read && !requirement.text.contains(words) && !requirement.accept.contains(words) {
        Some("the requirement does not say these words")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> List {
        let text = "[[section]]\nprofile = \"graph\"\ntitle = \"a\"\nids = [\"G-01\"]\n";
        let mut list = List::parse(text).expect("a list");
        "cosine 0.86 or more".clone_into(&mut list.sections[0].requirements[0].text);
        list
    }

    fn told(text: &str) -> Vec<String> {
        problems(&parse(text).expect("ways"), &list())
    }

    #[test]
    fn words_of_the_requirement_allow_a_way() {
        let allowed =
            parse("[cosine]\nG-01 = \"cosine 0.86\"\n[layer]\nG-01 = \"or more\"\n").expect("ways");
        assert_eq!(allowed[&("G-01".to_owned(), Way::Cosine)], "cosine 0.86");
        assert_eq!(problems(&allowed, &list()), [""; 0]);
    }

    #[test]
    fn other_words_allow_none() {
        for (text, reason) in [
            (
                "[cosine]\nG-02 = \"0.86\"\n",
                "G-02: there is no such requirement",
            ),
            (
                "[cosine]\nG-01 = \"\"\n",
                "G-01: the words that allow it are missing",
            ),
            (
                "[cosine]\nG-01 = \"or more\"\n",
                "G-01: the words fix no number",
            ),
            (
                "[layer]\nG-01 = \"by itself\"\n",
                "G-01: the requirement does not say these words",
            ),
        ] {
            assert_eq!(told(text), [format!("docs/specs-allowed.toml: {reason}")]);
        }
        assert!(parse("[luck]\nG-01 = \"0.86\"\n").is_err());
    }
}
