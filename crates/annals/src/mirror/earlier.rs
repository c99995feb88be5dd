//! What an earlier store of an agent left in a JSON file: taken over once, never written.

use std::path::Path;

use annals_types::{MemoryId, NamespaceId, NamespaceName, NewMemory, Row, Timestamp};
use serde_json::Value;

use super::disk;
use super::noted::{self, Noted};
use super::report::SyncedFile;
use crate::engine::{Arrival, Change, Engine};
use crate::{AgentMemory, Error};

/// A memory of the file, and the name under which it is known there.
struct Left {
    name: String,
    memory: AgentMemory,
}

impl Engine {
    /// Takes over the memories that the file of the profile's `mirrors.earlier` holds and that were not taken over before; `None` where there
    /// is no such file.
    pub(super) fn take_over_from(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        folder: &Path,
    ) -> Result<Option<SyncedFile>, Error> {
        let rulebook = self.rulebooks.of(&self.snapshot()?, ns)?;
        let Some(path) = rulebook.profile.mirrors.earlier.as_deref().map(|path| folder.join(path)) else {
            return Ok(None);
        };
        let Some(text) = disk::read(&path)? else { return Ok(None) };
        let mut report = SyncedFile { path, ..SyncedFile::default() };
        let noted_as = report.path.to_string_lossy().into_owned();
        let mut known = noted::Record::get(&self.snapshot()?, ns, &noted_as)?.into_written();
        let left = read(&text, &mut report.warnings);
        report.entries = left.len();
        let now = self.now();
        for one in left {
            if known.iter().any(|noted| noted.short == one.name) {
                continue;
            }
            match self.take(name, &one, now) {
                Ok(id) => {
                    report.added += 1;
                    known.push(note(&one, id, now));
                }
                Err(error) if error.is_invalid() => report.warnings.push(format!("{:?}: {error}", one.name)),
                Err(error) => return Err(error),
            }
        }
        if report.added > 0 {
            self.write(name, true, |txn, ns| {
                noted::put(txn, ns, &noted_as, &known)?;
                Ok(((), Change::default()))
            })?;
        }
        Ok(Some(report))
    }

    /// Stores a memory under the time that it had, with the score that it has now.
    fn take(&self, name: &NamespaceName, left: &Left, now: Timestamp) -> Result<MemoryId, Error> {
        let memory = NewMemory::try_from(left.memory.clone())?;
        let created = match left.memory.created_at {
            at if at.as_millis() == 0 => now,
            at => at.min(now),
        };
        let id = self.ids.next(created);
        let prepared = self.prepare(self.screened(name, vec![memory])?)?;
        let arrivals = prepared.into_iter().map(|it| Arrival { stored_at: Some(created), ..Arrival::new(id, it) });
        self.append(name, &arrivals.collect::<Vec<_>>())?;
        self.write(name, false, |txn, ns| {
            let rulebook = self.rulebooks.of(&*txn, ns)?;
            let rows: Vec<Row> = annals_records::find_rows(&*txn, ns, &[id])?.into_iter().flatten().collect();
            let terms = rulebook.terms(txn)?;
            let regime = terms.regime();
            let done = annals_lifecycle::change(txn, ns, &regime, now, &rows, |_, state| {
                // The file says what it was worth at last, not at first.
                rulebook.policy.set_score(state, regime.passes, left.memory.importance_score, now);
                state.accessed = state.accessed.max(left.memory.updated_at.min(now));
            })?;
            Ok(((), Change { life: vec![done.delta], ..Change::default() }))
        })?;
        Ok(id)
    }
}

fn note(left: &Left, id: MemoryId, now: Timestamp) -> Noted {
    Noted {
        short: left.name.clone(),
        id,
        hash: noted::hash(&left.memory.content),
        kind: left.memory.kind.clone(),
        score: left.memory.importance_score,
        hits: 0,
        activated: now,
        expires: left.memory.expires_at,
    }
}

/// The memories of a file: a list, or a list under `memories`. What cannot be read is told and left out.
fn read(text: &str, warnings: &mut Vec<String>) -> Vec<Left> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let all = match serde_json::from_str(text) {
        Ok(Value::Array(all)) => all,
        Ok(Value::Object(mut fields)) => match fields.remove("memories") {
            Some(Value::Array(all)) => all,
            _ => {
                warnings.push("there is no list of memories in it".to_owned());
                return Vec::new();
            }
        },
        Ok(_) => {
            warnings.push("it is no list of memories".to_owned());
            return Vec::new();
        }
        Err(error) => {
            warnings.push(format!("it is no JSON: {error}"));
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for (at, value) in all.into_iter().enumerate() {
        match serde_json::from_value::<AgentMemory>(value) {
            Ok(mut memory) => {
                memory.kind = memory.kind.trim().to_uppercase();
                memory.priority = memory.priority.trim().to_uppercase();
                // One without an id is known by what it says.
                let name = match memory.id.is_empty() {
                    true => format!("{:016x}", noted::hash(&memory.content)),
                    false => memory.id.clone(),
                };
                found.push(Left { name, memory });
            }
            Err(error) => warnings.push(format!("memory {}: {error}", at.saturating_add(1))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_is_read() {
        let mut warnings = Vec::new();
        let text = "\u{FEFF}{\"memories\": [{\"id\": \"m1\", \"type\": \"fact\", \"content\": \"x\", \"old\": 1}, {\"type\": \"RULE\"}, 3, {\"type\":\"RULE\",\"content\":\"y\"}]}";
        let found = read(text, &mut warnings);
        assert_eq!(found.iter().map(|left| left.memory.kind.as_str()).collect::<Vec<_>>(), ["FACT", "RULE"]);
        assert_eq!((found[0].name.as_str(), found[1].name.len(), warnings.len()), ("m1", 16, 2));
        for broken in ["", "{}", "7", "[", "{\"memories\": 1}"] {
            let mut warnings = Vec::new();
            assert!(read(broken, &mut warnings).is_empty());
            assert_eq!(warnings.len(), 1, "{broken}");
        }
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_is_survived(text in ".*|\\[(\\{\"(type|content|id)\":(1|\"x\")\\},?){0,3}\\]") {
            let mut warnings = Vec::new();
            let found = read(&text, &mut warnings);
            proptest::prop_assert!(found.iter().all(|left| !left.name.is_empty()));
        }
    }
}
