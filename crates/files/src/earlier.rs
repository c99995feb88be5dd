//! Memories that an earlier store of an agent left in a JSON file: taken over once, never written.

use std::collections::BTreeSet;
use std::path::Path;

use annals_types::{MemoryId, NamespaceId, NewMemory, Row, Timestamp};
use serde_json::Value;

use crate::AgentMemory;
use crate::Mirrors;
use crate::noted::{self, NotedMemory};
use crate::report::SyncedFile;
use crate::{disk, record};
use annals_engine::Error;
use annals_engine::privacy::{Screen, screened};
use annals_engine::{Arrival, Prepared, WriteCx};

/// A memory of the file, and the name under which it is known there.
struct EarlierMemory {
    name: String,
    memory: AgentMemory,
}

/// A memory of the file as the profile lets it be stored.
fn let_in(screen: Option<&Screen>, left: &EarlierMemory) -> Result<NewMemory, Error> {
    let memory = screened(screen, vec![NewMemory::try_from(left.memory.clone())?])?.pop();
    memory.ok_or_else(|| Error::internal("nothing was made of a memory"))
}

impl Mirrors<'_> {
    /// Takes over the memories that the file of the profile's `mirrors.earlier`, really at `path`,
    /// holds and that were not taken over before.
    pub(super) fn take_over_from(
        &self,
        ns: NamespaceId,
        path: &Path,
        report: &mut SyncedFile,
    ) -> Result<(), Error> {
        let Some(bytes) = disk::bytes(path)? else {
            return Ok(());
        };
        let Some(text) = disk::text(&bytes) else {
            report
                .warnings
                .push("it is not in UTF-8; nothing is taken over from it".to_owned());
            return Ok(());
        };
        let profile = self.profiles.of(&self.snapshot()?, ns)?;
        let found = record::get(&self.snapshot()?, ns, path)?;
        let is_new = found.is_none();
        let mut record = found.unwrap_or_default();
        let mut names: BTreeSet<String> = record
            .noted
            .iter()
            .map(|noted| noted.short.clone())
            .collect();
        let left = read(text, &mut report.warnings);
        report.entries = left.len();
        let (now, screen) = (self.now(), self.screen_in(&profile, ns)?);
        let mut new = Vec::new();
        let mut memories = Vec::new();
        for one in left {
            if !names.insert(one.name.clone()) {
                continue;
            }
            match let_in(screen.as_ref(), &one) {
                Ok(memory) => {
                    memories.push(memory);
                    new.push(one);
                }
                Err(error) if error.is_invalid() => {
                    report
                        .warnings
                        .push(profile.redacted(format!("{:?}: {error}", one.name)));
                }
                Err(error) => return Err(error),
            }
        }
        let prepared = self.prepare(memories)?;
        let arrivals: Vec<Arrival> = new
            .iter()
            .zip(prepared)
            .map(|(one, it)| self.arriving(one, it, now))
            .collect();
        record.noted.extend(
            new.iter()
                .zip(&arrivals)
                .map(|(one, arrival)| note(one, arrival.id, now)),
        );
        report.added = arrivals.len();
        // The record names the owner of the file, also where none of its memories was let in.
        if is_new || !arrivals.is_empty() {
            self.write_under(ns, &profile, now, |cx| {
                self.take_in(cx, &new, &arrivals)?;
                record::put(cx.txn, ns, path, &record)?;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// A memory under the time that it had.
    fn arriving(&self, left: &EarlierMemory, prepared: Prepared, now: Timestamp) -> Arrival {
        let created = match left.memory.created_at {
            at if at.as_millis() == 0 => now,
            at => at.min(now),
        };
        Arrival {
            stored_at: Some(created),
            ..Arrival::new(self.ids.next(created), prepared)
        }
    }

    /// Stores memories with the scores that they have now.
    fn take_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        left: &[EarlierMemory],
        arrivals: &[Arrival],
    ) -> Result<(), Error> {
        let stored = self.append_in(cx, arrivals)?;
        let (ns, now) = (cx.ns, cx.now);
        let terms = cx.terms()?;
        let regime = terms.regime();
        let rows: Vec<Row> = stored.iter().map(|appended| appended.row).collect();
        let done = annals_lifecycle::change(cx.txn, ns, &regime, now, &rows, |at, state| {
            let Some(left) = left.get(at) else { return };
            // The file says what it was worth at last, not at first.
            regime
                .policy
                .set_score(state, regime.passes, left.memory.importance_score, now);
            state.accessed = state.accessed.max(left.memory.updated_at.min(now));
        })?;
        cx.add_life([done.delta]);
        Ok(())
    }
}

fn note(left: &EarlierMemory, id: MemoryId, now: Timestamp) -> NotedMemory {
    NotedMemory {
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

/// The memories of a file: a list, or a list under `memories`. Unreadable ones are reported and
/// left out.
fn read(text: &str, warnings: &mut Vec<String>) -> Vec<EarlierMemory> {
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
                found.push(EarlierMemory { name, memory });
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
        let text = concat!(
            "\u{FEFF}",
            r#"{"memories": [{"id": "m1", "type": "fact", "content": "x", "old": 1}, "#,
            r#"{"type": "RULE"}, 3, {"type":"RULE","content":"y"}]}"#
        );
        let found = read(text, &mut warnings);
        assert_eq!(
            found
                .iter()
                .map(|left| left.memory.kind.as_str())
                .collect::<Vec<_>>(),
            ["FACT", "RULE"]
        );
        assert_eq!(
            (found[0].name.as_str(), found[1].name.len(), warnings.len()),
            ("m1", 16, 2)
        );
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
