use std::collections::BTreeSet;

use annals::NewMemory;
use annals::graph::Assertion;

/// The most names of one turn.
const NAMES: usize = 16;
/// Words that are written with a capital letter wherever they stand, and name nothing.
const NO_NAMES: [&str; 12] = [
    "I", "I'm", "I'll", "I've", "I'd", "OK", "Ok", "Mr", "Mrs", "Ms", "Dr", "TV",
];

/// The triples of a turn by simple means: its speaker mentions each name in it. Names are runs of
/// words with a capital letter that do not begin a sentence, and what stands in quotation marks of
/// titles.
pub(crate) fn mentions(memory: &NewMemory) -> Vec<Assertion> {
    let body = memory.clone().into_body();
    let Some(speaker) = body.turn.as_ref().and_then(|turn| turn.speaker.as_ref()) else {
        return Vec::new();
    };
    let reply = body
        .turn
        .as_ref()
        .and_then(|turn| turn.reply.as_deref())
        .unwrap_or_default();
    let names: BTreeSet<String> = names(&body.text).chain(names(reply)).collect();
    let others = names
        .into_iter()
        .filter(|name| name != speaker.as_str())
        .take(NAMES);
    others
        .map(|name| Assertion::new(speaker.as_str(), "mentions", name))
        .collect()
}

fn names(text: &str) -> impl Iterator<Item = String> {
    let mut names = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut begins = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare
            .strip_suffix("'s")
            .or_else(|| bare.strip_suffix("’s"))
            .unwrap_or(bare);
        let capital =
            bare.chars().next().is_some_and(char::is_uppercase) && !NO_NAMES.contains(&bare);
        if capital && (!begins || !open.is_empty()) {
            open.push(bare);
        } else {
            names.extend(closed(&mut open));
        }
        if word.ends_with(|c: char| c.is_ascii_punctuation() && c != '\'') {
            names.extend(closed(&mut open));
        }
        begins = word.ends_with(['.', '!', '?', ':', '"']);
    }
    names.extend(closed(&mut open));
    for (left, right) in [('《', '》'), ('“', '”'), ('「', '」')] {
        let inside = text
            .split(left)
            .skip(1)
            .filter_map(|rest| rest.split_once(right));
        names.extend(
            inside
                .map(|(title, _)| title.trim().to_owned())
                .filter(|title| (1..=60).contains(&title.len())),
        );
    }
    names.into_iter()
}

fn closed(open: &mut Vec<&str>) -> Option<String> {
    let name = open.join(" ");
    open.clear();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_capitalised_words_inside_sentences_and_titles() {
        let found = |text: &str| names(text).collect::<Vec<_>>();
        assert_eq!(
            found("Yesterday I met Anna in New York, Paris. Then home."),
            ["Anna", "New York", "Paris"]
        );
        assert_eq!(found("We saw Anna's dog Rex!"), ["Anna", "Rex"]);
        assert_eq!(found("我最近在读《三体》，很好看"), ["三体"]);
        assert_eq!(found("no names, I'm sure"), [""; 0]);
    }
}
