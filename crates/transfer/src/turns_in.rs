//! Turns of conversations that come from a file.

use std::collections::BTreeMap;

use annals_storage::Transaction;
use annals_types::{Body, Label, MemoryId, NamespaceId, NewMemory};
use tracing::instrument;

use crate::Transfers;
use crate::conversation::Conversation;
use crate::import_log::{ImportLog, Note};
use crate::import_runs::RunNote;
use crate::lines::{self, Item};
use crate::repeats::{Fate, Kind, Repeats};
use crate::{ImportFormat, ImportOptions, ImportReport};
use annals_engine::Arrival;
use annals_engine::Error;

/// The turns of one file, as far as they have come.
pub(super) struct TurnsIn<'a> {
    space: &'a Transfers<'a>,
    repeats: Repeats,
    /// Whether a session of the file has had turns before: then the turns that the file brings
    /// again may depend on all of the file.
    goes_on: bool,
    run: RunNote,
}

impl<'a> TurnsIn<'a> {
    pub(super) fn new(space: &'a Transfers<'a>, options: &ImportOptions) -> Self {
        Self {
            space,
            repeats: Repeats::default(),
            goes_on: false,
            run: RunNote::of(options),
        }
    }

    /// Reads a turn, as the privacy filter lets it be stored. `passed` says that it is not to be.
    pub(super) fn hear(&mut self, turn: &NewMemory, passed: bool) -> Result<(), Error> {
        let engine = self.space.engine();
        let ns = engine.made(self.space.entry()?)?;
        let turn = match engine.screened(self.space.entry()?, vec![turn.clone()]) {
            Ok(mut turns) => turns.pop(),
            // A turn that the filter refuses is never stored, and counts as a turn without words.
            Err(error) if error.is_invalid() => None,
            Err(error) => return Err(error),
        };
        let fresh = self
            .repeats
            .hear(turn.as_ref().map(NewMemory::body), ns, passed);
        if let Some((session, log)) = fresh.filter(|_| !self.goes_on) {
            let snapshot = engine.snapshot()?;
            self.goes_on = log.places(&snapshot)?.is_some() || log.lacks(&snapshot, &session)?;
        }
        Ok(())
    }

    /// Whether what is to be done with a turn may depend on those behind it.
    pub(super) fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// A line that is passed over: those that follow may be known by their place after it.
    pub(super) fn pass(&mut self, line: &[u8]) -> Result<(), Error> {
        match lines::read(line, ImportFormat::Turns) {
            // A namespace that does not exist knows no turn.
            Ok(Item::Turn(turn)) if self.space.id()?.is_some() => self.hear(&turn, true),
            _ => Ok(()),
        }
    }

    /// The fates of the next turns that were read.
    pub(super) fn sort(&mut self, count: usize) -> Result<Vec<Fate>, Error> {
        let engine = self.space.engine();
        let ns = engine.made(self.space.entry()?)?;
        let snapshot = engine.snapshot()?;
        let mut late = Vec::new();
        for (session, log) in self.repeats.next(count) {
            if log.lacks(&snapshot, &session)? {
                late.push((session, log));
            }
        }
        if !late.is_empty() {
            engine.write(ns, |cx| {
                late.iter()
                    .try_for_each(|(session, log)| log.catch_up(cx.txn, session).map(drop))?;
                Ok(())
            })?;
        }
        self.repeats.known(&engine.snapshot()?, ns, count)
    }

    /// Stores turns in one transaction, how they are known later, and what `then` writes; answers
    /// how many.
    pub(super) fn store(
        &mut self,
        turns: Vec<(NewMemory, Option<Note>)>,
        then: impl Fn(&mut Transaction<'_>, NamespaceId) -> Result<(), Error> + Send + Sync,
    ) -> Result<u64, Error> {
        let (engine, entry) = (self.space.engine(), self.space.entry()?);
        let now = engine.now();
        let (turns, notes): (Vec<NewMemory>, Vec<Option<Note>>) = turns.into_iter().unzip();
        let turns = engine.screened(entry, turns)?;
        let labels: Vec<Option<Label>> = turns.iter().map(|turn| session_of(turn.body())).collect();
        let arrivals: Vec<Arrival> = engine
            .prepare(turns)?
            .into_iter()
            .map(|turn| Arrival::new(engine.ids.next(now), turn))
            .collect();
        let mut sessions: BTreeMap<&Label, Vec<(Note, MemoryId)>> = BTreeMap::new();
        for ((label, note), arrival) in labels.iter().zip(notes).zip(&arrivals) {
            if let (Some(label), Some(note)) = (label, note) {
                sessions.entry(label).or_default().push((note, arrival.id));
            }
        }
        let places = engine.write_or_make(entry, |cx| {
            let ns = cx.ns;
            let caught_up = |session: &&Label| ImportLog::of(ns, session).catch_up(cx.txn, session);
            let places: Vec<u32> = sessions.keys().map(caught_up).collect::<Result<_, _>>()?;
            engine.append_in(cx, &arrivals)?;
            arrivals
                .iter()
                .try_for_each(|arrival| self.run.put(cx.txn, ns, arrival.id))?;
            for ((session, notes), places) in sessions.iter().zip(&places) {
                ImportLog::of(ns, session).note(cx.txn, *places, notes)?;
            }
            then(cx.txn, ns)?;
            Ok(places)
        })?;
        for ((session, notes), places) in sessions.iter().zip(places) {
            self.repeats.stored(session, places, notes);
        }
        Ok(count(arrivals.len()))
    }
}

fn session_of(body: &Body) -> Option<Label> {
    body.turn.as_ref().map(|turn| turn.session.clone())
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl Transfers<'_> {
    /// Stores the turns of a conversation that are not there yet. They are recognised as those of
    /// [`import`](Self::import), so that the same document can come twice, and stay away where
    /// they were deleted. Of the options, [`batch`](ImportOptions::batch) and
    /// [`bring_back`](ImportOptions::bring_back) count. `progress` is called after each batch; the
    /// lines that it counts are turns.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) for a turn that is not allowed,
    /// before anything is stored; or as `remember`, and what came before is stored.
    #[instrument(level = "debug", skip_all, fields(conversation = conversation.id))]
    pub fn import_conversation(
        &self,
        conversation: &Conversation,
        options: &ImportOptions,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let turns = conversation.memories()?;
        let mut report = ImportReport::default();
        let mut arrivals = TurnsIn::new(self, options);
        turns
            .iter()
            .try_for_each(|turn| arrivals.hear(turn, false))?;
        for batch in turns.chunks(options.batch.max(1)) {
            let lock = self
                .engine()
                .import_locks
                .of(self.engine().made(self.entry()?)?);
            let _locked = lock.lock();
            let fates = arrivals.sort(batch.len())?;
            report.sorted(&fates, options.bring_back);
            let new = batch
                .iter()
                .zip(fates)
                .filter(|(_, fate)| fate.is_to_store(options.bring_back));
            let new: Vec<(NewMemory, Option<Note>)> =
                new.map(|(turn, fate)| (turn.clone(), fate.note)).collect();
            if !new.is_empty() {
                report.stored += arrivals.store(new, |_, _| Ok(()))?;
            }
            report.lines_done += count(batch.len());
            progress(&report);
        }
        Ok(report)
    }
}

impl ImportReport {
    /// Counts the turns that are not stored, and why, and those that differ.
    pub(super) fn sorted(&mut self, fates: &[Fate], bring_back: bool) {
        let of = |kind| count(fates.iter().filter(|fate| fate.kind == kind).count());
        self.already_there += of(Kind::There);
        self.deleted += if bring_back { 0 } else { of(Kind::Gone) };
        self.differing += of(Kind::Differs);
    }
}
