use super::{Change, Entry, File, changes};

/// The entries of an engine with what a person edited meanwhile laid over them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// The entries to be written.
    pub entries: Vec<Entry>,
    /// Where both sides changed the same.
    pub conflicts: Vec<Conflict>,
}

/// Two versions of an entry. The person's is the one that is written; the other is here so that it can be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The entry as the engine has it; `None` when the engine dropped it.
    pub engine: Option<Entry>,
    /// The entry as the person has it; `None` when the person took it out.
    pub person: Option<Entry>,
}

/// A merge of three versions by id: `before`, as the file was last written; `engine`, as the engine has it now; `file`, as the file is now.
///
/// What a person changed wins; use that the engine counted meanwhile is kept.
#[must_use]
pub fn merge(before: &[Entry], engine: &[Entry], file: &File) -> Merged {
    let mut merged = Merged { entries: engine.to_vec(), conflicts: Vec::new() };
    let old = |id: &str| before.iter().find(|entry| entry.id == id);
    for change in changes(before, file) {
        match change {
            Change::Added(entry) => merged.entries.push(entry),
            Change::Retracted(entry) => merged.retract(&entry),
            Change::Updated(entry) | Change::Confirmed(entry) => merged.update(old(&entry.id), entry),
        }
    }
    merged
}

impl Merged {
    fn retract(&mut self, old: &Entry) {
        let Some(at) = self.entries.iter().position(|entry| entry.id == old.id) else { return };
        let ours = self.entries.remove(at);
        if ours.content != old.content {
            self.conflicts.push(Conflict { engine: Some(ours), person: None });
        }
    }

    fn update(&mut self, old: Option<&Entry>, theirs: Entry) {
        let Some(ours) = self.entries.iter_mut().find(|entry| entry.id == theirs.id) else {
            self.conflicts.push(Conflict { engine: None, person: Some(theirs.clone()) });
            self.entries.push(theirs);
            return;
        };
        let both = old.is_some_and(|old| old.content != ours.content && old.content != theirs.content);
        if both && ours.content != theirs.content {
            self.conflicts.push(Conflict { engine: Some(ours.clone()), person: Some(theirs.clone()) });
        }
        let edited = |old_value: Option<bool>| old_value != Some(true);
        if edited(old.map(|old| old.content == theirs.content)) {
            ours.content = theirs.content;
        }
        if edited(old.map(|old| old.category == theirs.category)) {
            ours.category = theirs.category;
        }
        if edited(old.map(|old| (old.score - theirs.score).abs() < f64::EPSILON)) {
            ours.score = theirs.score;
        }
        if edited(old.map(|old| old.expires_at == theirs.expires_at)) {
            ours.expires_at = theirs.expires_at;
        }
        ours.activation_count = ours.activation_count.max(theirs.activation_count);
        ours.last_activated = ours.last_activated.max(theirs.last_activated);
    }
}
