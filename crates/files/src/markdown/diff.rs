use std::collections::{HashMap, HashSet};

use super::header::rounded;
use super::{Entry, File, Read};

/// The change of a person to an entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// Wrote a new entry.
    Added(Entry),
    /// Changed text, category, group, score or expiry; this is the entry as it is in the file now.
    Updated(Entry),
    /// Left the text and raised the score, the hits or the date: it is still true.
    Confirmed(Entry),
    /// Took the entry out.
    Retracted(Entry),
}

/// The edits of a person between `before`, the entries as they were last written, and `file`, the
/// file as it is now; in the order of the file, then the entries that were taken out.
///
/// An entry whose id stands in a block that cannot be read is damaged, not taken out.
#[must_use]
pub fn changes(before: &[Entry], file: &File) -> Vec<Change> {
    let known: HashMap<&str, &Entry> = before
        .iter()
        .map(|entry| (entry.id.as_str(), entry))
        .collect();
    let mut found: Vec<Change> = file
        .entries
        .iter()
        .filter_map(|read| change(&known, read))
        .collect();
    let mut there: HashSet<&str> = file
        .entries
        .iter()
        .map(|read| read.entry.id.as_str())
        .collect();
    there.extend(file.rejected.iter().flat_map(|block| words(&block.text)));
    let gone = before
        .iter()
        .filter(|entry| !there.contains(entry.id.as_str()));
    found.extend(gone.cloned().map(Change::Retracted));
    found
}

fn change(known: &HashMap<&str, &Entry>, read: &Read) -> Option<Change> {
    let entry = &read.entry;
    let Some(old) = known.get(entry.id.as_str()).filter(|_| !read.fresh) else {
        return Some(Change::Added(entry.clone()));
    };
    let rescored = rounded(old.score) != rounded(entry.score);
    let filed = (&old.category, &old.group, old.expires_at)
        != (&entry.category, &entry.group, entry.expires_at);
    let worded = old.content != entry.content || filed;
    if worded || (rescored && entry.score < old.score) {
        return Some(Change::Updated(entry.clone()));
    }
    let confirmed = rescored
        || entry.activation_count > old.activation_count
        || entry.last_activated > old.last_activated;
    confirmed.then(|| Change::Confirmed(entry.clone()))
}

/// The words of a text that may be ids.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
}
