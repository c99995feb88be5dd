//! New entries of a file that say the same as a memory or another entry.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::markdown::Entry;
use annals_types::{MemoryId, Timestamp};

use crate::edits::Edit;
use crate::entries::category;
use crate::held::FileMemory;

/// All that is said once the edits of a person are done: by each memory, and by each entry that is
/// new.
pub(super) struct Claims {
    all: Vec<Claim>,
    /// The first claim of a text and some of its fields; made when it is first asked for.
    first: Option<HashMap<ClaimKey, usize>>,
}

/// A text, and the fields that tell it from others of the same words: category, group, expiry.
type ClaimKey = (String, Option<String>, Option<String>, Option<Timestamp>);

struct Claim {
    /// The memory that says it; none for one that comes to be.
    memory: Option<MemoryId>,
    /// Whether an entry of the file stands for it.
    named: bool,
    content: String,
    category: String,
    group: String,
    expires: Option<Timestamp>,
}

/// The one that says the same as a new entry.
pub(super) enum Twin {
    /// A memory that no entry of the file stands for.
    Memory(MemoryId),
    /// Another entry of the file.
    Entry,
}

impl Claims {
    /// The words of the memories behind `edits`; those of `stand` have an entry in the file.
    pub(super) fn new(held: &[FileMemory], edits: &[Edit], stand: &BTreeSet<MemoryId>) -> Self {
        let mut all: Vec<Claim> = held
            .iter()
            .map(|held| Claim::of(held, stand.contains(&held.memory.id)))
            .collect();
        let places: BTreeMap<MemoryId, usize> =
            held.iter().map(|held| held.memory.id).zip(0..).collect();
        for edit in edits {
            let Edit::Change {
                id,
                entry,
                text,
                filed,
                ..
            } = edit
            else {
                continue;
            };
            if let Some(claim) = places.get(id).and_then(|at| all.get_mut(*at)) {
                claim.change(entry, text.as_deref(), *filed);
            }
        }
        Self { all, first: None }
    }

    /// Finds the memory or entry that says the same as a new entry; where there is none, the entry
    /// itself counts from now on. Only fields that the entry states tell it from others: a
    /// category only where it is `categorised`.
    pub(super) fn meet(&mut self, entry: &Entry, categorised: bool) -> Option<Twin> {
        let all = &self.all;
        let first = self.first.get_or_insert_with(|| {
            let mut first = HashMap::new();
            all.iter()
                .zip(0..)
                .for_each(|(claim, at)| claim.note(at, &mut first));
            first
        });
        let asked = (
            entry.content.clone(),
            categorised.then(|| entry.category.clone()),
            Some(entry.group.clone()).filter(|group| !group.is_empty()),
            entry.expires_at,
        );
        if let Some(claim) = first.get(&asked).and_then(|at| self.all.get_mut(*at)) {
            let free = claim.memory.filter(|_| !claim.named);
            claim.named = true;
            return Some(free.map_or(Twin::Entry, Twin::Memory));
        }
        let claim = Claim::new(entry);
        claim.note(self.all.len(), first);
        self.all.push(claim);
        None
    }
}

impl Claim {
    fn of(held: &FileMemory, named: bool) -> Self {
        Self {
            memory: Some(held.memory.id),
            named,
            content: annals_language::one_line(&held.memory.body.text),
            category: category(held).to_owned(),
            group: held.memory.body.group().unwrap_or_default().to_owned(),
            expires: held.expires,
        }
    }

    fn new(entry: &Entry) -> Self {
        Self {
            memory: None,
            named: true,
            content: entry.content.clone(),
            category: entry.category.clone(),
            group: entry.group.clone(),
            expires: entry.expires_at,
        }
    }

    fn change(&mut self, entry: &Entry, text: Option<&str>, filed: bool) {
        if let Some(text) = text {
            text.clone_into(&mut self.content);
        }
        if filed {
            self.category.clone_from(&entry.category);
            self.group.clone_from(&entry.group);
            self.expires = entry.expires_at;
        }
    }

    /// Notes the claim under its text with any of the fields that it has.
    fn note(&self, at: usize, first: &mut HashMap<ClaimKey, usize>) {
        let group = Some(&self.group).filter(|group| !group.is_empty());
        for category in [None, Some(&self.category)] {
            for group in std::iter::once(None).chain(group.map(Some)) {
                for expires in std::iter::once(None).chain(self.expires.map(Some)) {
                    let key = (
                        self.content.clone(),
                        category.cloned(),
                        group.cloned(),
                        expires,
                    );
                    first.entry(key).or_insert(at);
                }
            }
        }
    }
}
