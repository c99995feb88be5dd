//! Turns of conversations that come from a file.

use annals_storage::Transaction;
use annals_types::{Body, NamespaceId, NewMemory};
use tracing::instrument;

use super::conversation::Conversation;
use super::lines::{self, Item};
use super::repeats::Repeats;
use super::{ImportFormat, ImportReport};
use crate::Error;
use crate::blocking::Namespace;
use crate::engine::Arrival;

/// Turns of a document that are stored in one transaction.
const BATCH: usize = 500;

/// The turns of one file, as far as they have come.
pub(super) struct TurnsIn<'a> {
    space: &'a Namespace,
    repeats: Repeats,
    /// Turns that were passed over and not compared yet.
    passed: Vec<NewMemory>,
}

impl<'a> TurnsIn<'a> {
    pub(super) fn new(space: &'a Namespace) -> Self {
        Self { space, repeats: Repeats::default(), passed: Vec::new() }
    }

    /// Which of the next turns are there already, as the privacy filter lets them be stored; one that it refuses is not. `passed` says that they
    /// are not to be stored.
    pub(super) fn known(&mut self, turns: &[&NewMemory], passed: bool) -> Result<Vec<bool>, Error> {
        let engine = self.space.engine();
        let Some(ns) = self.space.id()? else { return Ok(vec![false; turns.len()]) };
        let screened = |turn: &&NewMemory| engine.screened(self.space.checked_name(), vec![NewMemory::clone(turn)]);
        let turns: Vec<Option<NewMemory>> =
            turns.iter().map(|turn| screened(turn).ok().and_then(|mut turns| turns.pop())).collect();
        let bodies: Vec<Option<&Body>> = turns.iter().map(|turn| turn.as_ref().map(NewMemory::body)).collect();
        self.repeats.known((&engine.snapshot()?, ns), &bodies, passed)
    }

    /// A line that is passed over, the last one maybe: those that follow are known by their place after it.
    pub(super) fn pass(&mut self, line: &[u8], (last, batch): (bool, usize)) -> Result<(), Error> {
        if let Ok(Item::Turn(turn)) = lines::read(line, ImportFormat::Turns) {
            self.passed.push(*turn);
        }
        if last || self.passed.len() >= batch.max(1) {
            let passed = std::mem::take(&mut self.passed);
            self.known(&passed.iter().collect::<Vec<_>>(), true)?;
        }
        Ok(())
    }
}

impl Namespace {
    /// Stores turns in one transaction, and what `then` writes; answers how many.
    pub(super) fn store_turns(
        &self,
        turns: Vec<NewMemory>,
        then: impl Fn(&mut Transaction<'_>, NamespaceId) -> Result<(), Error> + Send + Sync,
    ) -> Result<u64, Error> {
        let (engine, name) = (self.engine(), self.checked_name());
        let at = engine.now();
        let turns = engine.screened(name, turns)?;
        let arrivals: Vec<Arrival> =
            engine.prepare(turns)?.into_iter().map(|turn| Arrival::new(engine.ids.next(at), turn)).collect();
        engine.write(name, true, |txn, ns| {
            let done = engine.append_in(txn, ns, at, &arrivals)?;
            then(txn, ns)?;
            Ok(done)
        })?;
        Ok(u64::try_from(arrivals.len()).unwrap_or(u64::MAX))
    }

    /// Stores the turns of a conversation that are not there yet, 500 in each transaction. They are recognised as those of
    /// [`import`](Self::import), so that the same document can come twice. `progress` is called after each batch; the lines that it counts are
    /// turns.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a turn that is not allowed, before anything is stored; or as
    /// [`remember`](Self::remember), and what came before is stored.
    #[instrument(level = "debug", skip_all, fields(conversation = conversation.id))]
    pub fn import_conversation(
        &self,
        conversation: &Conversation,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let turns = conversation.memories()?;
        let mut report = ImportReport::default();
        let mut arrivals = TurnsIn::new(self);
        for batch in turns.chunks(BATCH) {
            let door = self.engine().imports.of(self.engine().made(self.checked_name())?);
            let _alone = door.lock();
            let known = arrivals.known(&batch.iter().collect::<Vec<_>>(), false)?;
            let new = batch.iter().zip(&known).filter(|(_, known)| !**known).map(|(turn, _)| turn.clone());
            let new: Vec<NewMemory> = new.collect();
            let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
            report.already_there += count(batch.len() - new.len());
            if !new.is_empty() {
                report.stored += self.store_turns(new, |_, _| Ok(()))?;
            }
            report.lines_done += count(batch.len());
            progress(&report);
        }
        Ok(report)
    }
}
