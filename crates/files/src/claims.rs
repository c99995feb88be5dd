//! New entries of a file that say the same as a memory or another entry.

use std::collections::BTreeSet;

use crate::markdown::Entry;
use annals_types::{MemoryId, Timestamp};

use crate::edits::Edit;
use crate::entries::category;
use crate::held::FileMemory;

/// All that is said once the edits of a person are done: by each memory, and by each entry that is new.
pub(super) struct Claims(Vec<Claim>);

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
        let mut all: Vec<Claim> = held.iter().map(|held| Claim::of(held, stand.contains(&held.memory.id))).collect();
        for edit in edits {
            let Edit::Change { id, entry, text, filed, .. } = edit else { continue };
            for claim in all.iter_mut().filter(|claim| claim.memory == Some(*id)) {
                claim.change(entry, text.as_deref(), *filed);
            }
        }
        Self(all)
    }

    /// Finds the memory or entry that says the same as a new entry; where there is none, the entry
    /// itself counts from now on. Only fields that the entry states tell it from others: a
    /// category only where it is `categorised`.
    pub(super) fn meet(&mut self, entry: &Entry, categorised: bool) -> Option<Twin> {
        match self.0.iter_mut().find(|claim| claim.is(entry, categorised)) {
            Some(claim) => {
                let free = claim.memory.filter(|_| !claim.named);
                claim.named = true;
                Some(free.map_or(Twin::Entry, Twin::Memory))
            }
            None => {
                self.0.push(Claim::new(entry));
                None
            }
        }
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

    fn is(&self, entry: &Entry, categorised: bool) -> bool {
        self.content == entry.content
            && (!categorised || self.category == entry.category)
            && (entry.group.is_empty() || self.group == entry.group)
            && (entry.expires_at.is_none() || self.expires == entry.expires_at)
    }
}
