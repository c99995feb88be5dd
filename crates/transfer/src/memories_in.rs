//! Memories of other programs: each is stored once, one that was changed there is changed here, and
//! one that was deleted here stays away.

use std::collections::HashSet;

use annals_engine::interpretation::assertions;
use annals_engine::{Arrival, Error, evidence};
use annals_graph::{NewEntity, Yield};
use annals_storage::Transaction;
use annals_types::{Label, MemoryId, NamespaceId, NewMemory, Statement};

use crate::formats::{ImportedEntity, ImportedMemory};
use crate::import_log::ImportLog;
use crate::import_runs::RunNote;
use crate::print::hash;
use crate::{BadLine, ImportOptions, ImportReport, OnBad, Transfers};

/// By what a memory is known when it comes again.
#[derive(Debug, Clone, Copy)]
struct Known {
    log: ImportLog,
    name: u64,
    words: u64,
}

/// What is to be done with a memory.
enum Fate {
    New,
    There,
    Gone,
    /// The memory of its id says something else by now.
    Changed(MemoryId),
}

/// A memory on its way.
struct Coming {
    memory: NewMemory,
    said: Vec<Statement>,
    known: Known,
}

impl Transfers<'_> {
    /// Stores memories of another program that are not there yet. One is known by its format and
    /// its id there, or else by its words; where a known id says something else, the memory is
    /// changed. Those that were deleted stay away, unless
    /// [`bring_back`](ImportOptions::bring_back) is set. Each batch is stored whole or not at all.
    ///
    /// # Errors
    /// As `remember`; a memory that is not allowed is reported with
    /// [`OnBad::Collect`].
    pub fn import_memories(
        &self,
        memories: &[ImportedMemory],
        options: &ImportOptions,
    ) -> Result<ImportReport, Error> {
        let mut report = ImportReport::default();
        for batch in memories.chunks(options.batch.max(1)) {
            match self.import_batch(batch, options, &mut report) {
                Err(error) if error.is_invalid() && options.on_bad == OnBad::Collect => {
                    self.import_one_by_one(batch, options, &mut report)?;
                }
                done => done?,
            }
        }
        report.lines_done = u64::try_from(memories.len()).unwrap_or(u64::MAX);
        Ok(report)
    }

    fn import_one_by_one(
        &self,
        batch: &[ImportedMemory],
        options: &ImportOptions,
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        for one in batch {
            match self.import_batch(std::slice::from_ref(one), options, report) {
                Err(error) if error.is_invalid() => {
                    let (reason, wording) = (error.to_string(), error.wording());
                    let bytes = one.memory.text().as_bytes().to_vec();
                    report.bad.push(BadLine {
                        line: 0,
                        reason,
                        wording,
                        bytes,
                    });
                }
                done => done?,
            }
        }
        Ok(())
    }

    /// Makes entities of another program that are not there yet.
    ///
    /// # Errors
    /// For a name that is not allowed, or as `remember`.
    pub fn import_entities(&self, entities: &[ImportedEntity]) -> Result<ImportReport, Error> {
        let mut made = Vec::new();
        for ImportedEntity { name, kind } in entities {
            let mut new = NewEntity::new(name.as_str());
            if let Some(kind) = kind {
                new = new.kind(kind.as_str());
            }
            made.push(
                self.engine()
                    .passed_by(self.entry()?, new, NewEntity::rewrite)?,
            );
        }
        let before = self.count_entities()?;
        self.engine().write_or_make(self.entry()?, |cx| {
            made.iter()
                .try_for_each(|new| annals_graph::add_entity(cx.txn, cx.scope(), new).map(drop))?;
            Ok(())
        })?;
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let (stored, all) = (
            self.count_entities()?.saturating_sub(before),
            count(entities.len()),
        );
        Ok(ImportReport {
            graph_stored: stored,
            graph_already_there: all.saturating_sub(stored),
            ..ImportReport::default()
        })
    }

    fn count_entities(&self) -> Result<u64, Error> {
        let Some(ns) = self.id()? else { return Ok(0) };
        Ok(u64::from(
            annals_graph::stats(&self.engine().snapshot()?, ns)?.entities,
        ))
    }

    fn import_batch(
        &self,
        batch: &[ImportedMemory],
        options: &ImportOptions,
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        let (engine, entry) = (self.engine(), self.entry()?);
        let ns = engine.made(entry)?;
        let lock = engine.import_locks.of(ns);
        let _locked = lock.lock();
        let screened =
            engine.screened(entry, batch.iter().map(|one| one.memory.clone()).collect())?;
        let (mut new, mut changed, mut within) = (Vec::new(), Vec::new(), HashSet::new());
        let snapshot = engine.snapshot()?;
        for (memory, one) in screened.into_iter().zip(batch) {
            let known = Known::of(ns, one, &memory)?;
            let coming = Coming {
                memory,
                said: one.said.clone(),
                known,
            };
            // The file itself may tell a memory twice.
            if !within.insert((known.name, known.words)) {
                report.already_there += 1;
                continue;
            }
            match known.fate(&snapshot, ns)? {
                Fate::There => report.already_there += 1,
                Fate::Gone if !options.bring_back => report.deleted += 1,
                Fate::New | Fate::Gone => new.push(coming),
                Fate::Changed(id) => changed.push((id, coming)),
            }
        }
        report.stored += self.store_new(new, options)?;
        for (id, coming) in changed {
            self.change(id, coming)?;
            report.differing += 1;
        }
        Ok(())
    }

    /// Stores memories with what they say; answers how many were not known in these words.
    fn store_new(&self, new: Vec<Coming>, options: &ImportOptions) -> Result<u64, Error> {
        if new.is_empty() {
            return Ok(0);
        }
        let (engine, entry) = (self.engine(), self.entry()?);
        let now = engine.now();
        let (mut memories, mut rest) = (Vec::new(), Vec::new());
        for Coming {
            memory,
            said,
            known,
        } in new
        {
            memories.push(memory);
            rest.push((engine.screened_saying(entry, &assertions(&said))?, known));
        }
        let arrivals: Vec<Arrival> = engine
            .prepare(memories)?
            .into_iter()
            .zip(&rest)
            .map(|(prepared, (said, _))| Arrival {
                says: !said.is_empty(),
                ..Arrival::new(engine.ids.next(now), prepared)
            })
            .collect();
        engine.admit_then(entry, &arrivals, |cx, admitted| {
            let mut stored = 0_u64;
            for ((arrival, admitted), (said, known)) in arrivals.iter().zip(admitted).zip(&rest) {
                if !said.is_empty() {
                    evidence::assert_arrived(cx, (arrival.id, admitted.id), said)?;
                }
                known.note(cx.txn, admitted.id)?;
                if admitted.id == arrival.id {
                    stored += 1;
                    RunNote::of(options).put(cx.txn, cx.ns, admitted.id)?;
                }
            }
            Ok(stored)
        })
    }

    /// Gives a memory the words that it has by now where it came from.
    fn change(&self, id: MemoryId, coming: Coming) -> Result<(), Error> {
        let (engine, ns) = (self.engine(), self.existing()?);
        let Coming {
            memory,
            said,
            known,
        } = coming;
        let said = engine.screened_saying(self.entry()?, &assertions(&said))?;
        let yields = if said.is_empty() {
            Yield::Same
        } else {
            Yield::These(&said)
        };
        let updated = engine.update(ns, id, None, (memory, yields))?;
        engine.write(ns, |cx| known.note(cx.txn, updated.id))
    }
}

impl Known {
    fn of(ns: NamespaceId, one: &ImportedMemory, memory: &NewMemory) -> Result<Self, Error> {
        // A session of turns is called so by nobody.
        let log = ImportLog::of(
            ns,
            &Label::new("origin", format!("memories of {}", one.origin))?,
        );
        let text = memory.text().as_bytes();
        let name = match &one.id {
            Some(id) => hash(&[b"memory", id.as_bytes()]),
            None => hash(&[b"words", text]),
        };
        Ok(Self {
            log,
            name,
            words: hash(&[b"memory", text]),
        })
    }

    fn fate(&self, reads: &dyn annals_storage::Reads, ns: NamespaceId) -> Result<Fate, Error> {
        let found = self.log.named(reads, self.name)?;
        let Some((_, last)) = found.last() else {
            return Ok(Fate::New);
        };
        let Some(id) = last.id else {
            return Ok(Fate::Gone);
        };
        let lives = annals_records::find_rows(reads, ns, &[id])?
            .iter()
            .any(Option::is_some);
        Ok(match (lives, last.words.contains(&self.words)) {
            (false, _) => Fate::Gone,
            (true, true) => Fate::There,
            (true, false) => Fate::Changed(id),
        })
    }

    /// Takes note of a memory, by the words that it had here and has now.
    fn note(&self, txn: &mut Transaction<'_>, id: MemoryId) -> Result<(), Error> {
        self.log.note_memory(txn, (self.name, self.words), id)
    }
}
