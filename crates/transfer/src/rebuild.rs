//! Puts a damaged namespace together anew from what is left of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};

use annals_records::{Remains, Remnant};
use annals_storage::Snapshot;
use annals_types::{MemoryId, NamespaceId, Row};
use serde::{Deserialize, Serialize};

use crate::export::{Lines, failed};
use crate::judged::JudgedLine;
use crate::lines::MemoryLine;
use crate::{ExportReport, ImportOptions, OnBad, Transfers, judged};
use annals_engine::Error;

/// Memories put together at a time.
const BATCH: usize = 500;

/// Something of a namespace that could not be saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LostPart {
    /// The namespace; `None` for what belongs to the file, or to one that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What it was: `memory`, `text`, `graph`, or the keyspace that held it.
    pub kind: String,
    /// The memory, or the key in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What was found.
    pub reason: String,
}

impl LostPart {
    /// Something of the file, or of one of its namespaces.
    #[must_use]
    pub fn new(
        namespace: Option<&str>,
        kind: &str,
        id: Option<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            namespace: namespace.map(str::to_owned),
            kind: kind.to_owned(),
            id,
            reason: reason.into(),
        }
    }
}

/// What a namespace holds that was put together anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The namespace.
    pub namespace: String,
    /// Memories that were saved.
    pub memories: u64,
    /// What is lost of it.
    pub lost: Vec<LostPart>,
}

impl Transfers<'_> {
    /// Puts the namespace together anew from those of its memories that are left, with what can be
    /// read of its graph, its decisions and of what waits. Nothing that is lost is taken for
    /// deleted. Goes through `scratch`, an empty file.
    ///
    /// # Errors
    /// When the file cannot be written. What is lost is in the answer.
    pub fn rebuild(&self, scratch: &mut File) -> Result<Rebuilt, Error> {
        let (engine, name) = (self.engine(), self.entry()?.name);
        let id = self.existing()?;
        let mut rebuilt = Rebuilt {
            namespace: name.as_str().to_owned(),
            memories: 0,
            lost: Vec::new(),
        };
        let snapshot = engine.snapshot()?;
        let counted = annals_records::Head::read(&snapshot, id).map_or(0, |head| head.total());
        let record = annals_records::namespace::by_number(&snapshot, id)?;
        self.save(&snapshot, id, scratch, &mut rebuilt)?;
        let pad = annals_records::scratchpad(&snapshot, id);
        let states = annals_records::session_states(&snapshot, id);
        drop(snapshot);
        engine.delete_namespace(name, id, &())?;
        engine.purge(id)?;
        scratch
            .rewind()
            .map_err(|e| Error::io("reading what was saved", e))?;
        let options = ImportOptions {
            on_bad: OnBad::Collect,
            ..ImportOptions::default()
        };
        let again = Transfers::new(engine, name);
        let report = again.import(&mut BufReader::new(scratch), &options, &mut |_| {})?;
        for bad in report.bad {
            let line: Option<serde_json::Value> = serde_json::from_slice(&bad.bytes).ok();
            let id = line
                .as_ref()
                .and_then(|line| line.get("id")?.as_str())
                .map(str::to_owned);
            let kind = if id.is_some() { "memory" } else { "graph" };
            rebuilt.lose(kind, id, bad.reason);
        }
        rebuilt.memories = report.stored;
        let id = engine.made(again.entry()?)?;
        if let Some(language) = record.and_then(|record| record.language) {
            engine.speak(again.entry()?, Some(&language))?;
        }
        let states = states.unwrap_or_default();
        engine.write(id, |cx| {
            if let Ok(pad) = &pad {
                annals_records::set_scratchpad(cx.txn, cx.ns, pad)?;
            }
            states.iter().try_for_each(|(session, state)| {
                Ok(annals_records::set_session_state(
                    cx.txn, cx.ns, session, state,
                )?)
            })
        })?;
        let found = annals_records::Head::read(&engine.snapshot()?, id)?.total();
        let told = u32::try_from(
            rebuilt
                .lost
                .iter()
                .filter(|lost| lost.kind == "memory")
                .count(),
        )
        .unwrap_or(u32::MAX);
        let more = counted.saturating_sub(found).saturating_sub(told);
        if more > 0 {
            rebuilt.lose(
                "memory",
                None,
                format!("{more} more memories were counted, and nothing is left of them"),
            );
        }
        Ok(rebuilt)
    }

    /// Writes what is left as lines of an export.
    fn save(
        &self,
        snapshot: &Snapshot,
        ns: NamespaceId,
        scratch: &mut File,
        rebuilt: &mut Rebuilt,
    ) -> Result<(), Error> {
        let mut out = BufWriter::new(scratch);
        let mut lines = Lines {
            out: &mut out,
            report: ExportReport::default(),
        };
        match self.head(snapshot, ns) {
            Ok(head) => head
                .map_or(Ok(()), |head| lines.put(&head))
                .map_err(failed)?,
            Err(error) => rebuilt.lose(
                "profile",
                None,
                format!("{error}; it goes on under the default profile"),
            ),
        }
        let remains = Remains::read(snapshot, ns)?;
        for id in &remains.lost {
            rebuilt.lose("memory", Some(id.to_string()), "nothing is left of it");
        }
        let revisions = self.save_memories(snapshot, ns, (&remains, &mut lines), rebuilt)?;
        let name = |row: Row| match revisions.get(&row) {
            Some((id, revision, _)) => format!("{id}/{revision}"),
            None => format!("row {}", row.0),
        };
        let order = |row: Row| {
            revisions
                .get(&row)
                .map_or((row.0, 1), |(_, revision, first)| (first.0, *revision))
        };
        let naming = annals_graph::Naming {
            name: &name,
            order: &order,
        };
        let dumped = annals_graph::dump(snapshot, ns, naming, &mut |line| {
            lines
                .put(&line)
                .map_err(|source| annals_graph::GraphError::Export { source })
        });
        if let Err(error) = dumped {
            rebuilt.lose("graph", None, format!("it cannot be read on: {error}"));
        }
        let there: BTreeSet<MemoryId> = remains.memories().iter().map(|(id, _)| *id).collect();
        if let Ok(profile) = self.engine().profiles.of(snapshot, ns) {
            let extensions = &self.engine().extensions;
            let told = judged::each(snapshot, ns, &profile, extensions, &mut |line| match line {
                // Its memory is there, and only the index of memories is not.
                JudgedLine::ImportLog(turn) if there.contains(&turn.memory()) => Ok(()),
                line => lines.put(line).map_err(failed),
            });
            if let Err(error) = told {
                rebuilt.lose(
                    "decisions",
                    None,
                    format!("they cannot be read on: {error}"),
                );
            }
        }
        lines.out.flush().map_err(failed)
    }

    /// Writes the memories; answers what each of their rows is called.
    fn save_memories(
        &self,
        snapshot: &Snapshot,
        ns: NamespaceId,
        (remains, lines): (&Remains, &mut Lines<'_>),
        rebuilt: &mut Rebuilt,
    ) -> Result<BTreeMap<Row, (MemoryId, u32, Row)>, Error> {
        let engine = self.engine();
        let profile = engine.profiles.of(snapshot, ns).ok();
        let terms = profile
            .as_ref()
            .and_then(|profile| profile.terms(snapshot).ok());
        let all = remains.memories();
        let mut revisions = BTreeMap::new();
        for (id, rows) in all {
            let first = rows.first().copied().unwrap_or_default();
            revisions.extend(
                (1..)
                    .zip(rows)
                    .map(|(revision, row)| (*row, (*id, revision, first))),
            );
        }
        for from in (0..all.len()).step_by(BATCH) {
            let part = remains.part(snapshot, ns, from, BATCH)?;
            let rows: Vec<Row> = part.iter().flatten().map(|remnant| remnant.row).collect();
            let lives = annals_lifecycle::states(snapshot, ns, &rows);
            let mut lives = lives.unwrap_or_else(|_| vec![None; rows.len()]).into_iter();
            for remnant in part {
                let Remnant {
                    chronicle,
                    is_earlier,
                    ..
                } = match remnant {
                    Ok(remnant) => remnant,
                    Err((id, error)) => {
                        rebuilt.lose("memory", Some(id.to_string()), error.to_string());
                        continue;
                    }
                };
                if is_earlier {
                    let reason = "its last text is lost; the one before it stands again";
                    rebuilt.lose("text", Some(chronicle.id.to_string()), reason);
                }
                let life = lives
                    .next()
                    .flatten()
                    .zip(profile.as_ref())
                    .zip(terms.as_ref());
                let life = life
                    .map(|((state, profile), terms)| state.save(&profile.policy, &terms.passes));
                lines
                    .put(&MemoryLine::new(chronicle, life))
                    .map_err(failed)?;
            }
        }
        Ok(revisions)
    }
}

impl Rebuilt {
    fn lose(&mut self, kind: &str, id: Option<String>, reason: impl Into<String>) {
        self.lost
            .push(LostPart::new(Some(&self.namespace), kind, id, reason));
    }
}
