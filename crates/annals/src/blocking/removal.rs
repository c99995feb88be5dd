//! Changing and removing what is stored.

use std::collections::HashSet;

use annals_graph::Yield;
use annals_lifecycle::Reinforced;
use annals_records::Moment;
use annals_types::profile::Signal;
use annals_types::{Filter, MemoryId, NewMemory, Row, Status};
use tracing::instrument;

use super::Namespace;
use super::graph::words;
use crate::engine::deletion;
use crate::{Error, Mode, Receipt};

impl Namespace {
    /// Replaces the text of a memory. The old text stays as history; the id stays too, unless the profile says otherwise.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when it has been superseded
    /// already; otherwise as [`remember`](Self::remember).
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, %id))]
    pub fn update<M>(&self, id: MemoryId, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let namespace = self.id_for(id)?;
        let memory = memory.try_into()?;
        Ok(self.engine.update(namespace, id, None, (memory, Yield::Same))?.id)
    }

    /// Replaces a memory by another one with an id of its own; each names the other.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, id = %old))]
    pub fn supersede<M>(&self, old: MemoryId, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let namespace = self.id_for(old)?;
        let memory = memory.try_into()?;
        let new_id = self.engine.ids.next(self.engine.now());
        Ok(self.engine.update(namespace, old, Some(new_id), (memory, Yield::Same))?.id)
    }

    /// Hides a memory until it is restored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub fn forget(&self, id: MemoryId) -> Result<(), Error> {
        self.forget_many(&[id])
    }

    /// Hides memories in one transaction: all of them or none.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming the first id that does not exist; [`ErrorKind::Conflict`](crate::ErrorKind::Conflict)
    /// for one that has been superseded. Nothing is changed then.
    pub fn forget_many(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.set_status(ids, Status::Forgotten)
    }

    /// Puts a memory aside: it is found only when archived memories are asked for.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub fn archive(&self, id: MemoryId) -> Result<(), Error> {
        self.archive_many(&[id])
    }

    /// Puts memories aside in one transaction: all of them or none.
    ///
    /// # Errors
    /// As [`forget_many`](Self::forget_many).
    pub fn archive_many(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.set_status(ids, Status::Archived)
    }

    /// Brings a forgotten or archived memory back.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub fn restore(&self, id: MemoryId) -> Result<(), Error> {
        self.restore_many(&[id])
    }

    /// Brings forgotten or archived memories back in one transaction: all of them or none.
    ///
    /// # Errors
    /// As [`forget_many`](Self::forget_many).
    pub fn restore_many(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.set_status(ids, Status::Active)
    }

    /// Reports that memories were of use, for instance in an answer: one batched call by whoever used them. Recall by itself counts
    /// nothing. Answers for each whether it counted, and its score before and after.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming the first id that does not exist; then none is counted.
    pub fn touch(&self, ids: &[MemoryId]) -> Result<Vec<Reinforced>, Error> {
        self.signal(ids, Signal::Used)
    }

    /// Reports another signal about memories, such as that they were returned by a tool or injected into a prompt. The profile says
    /// which signal strengthens a memory; being used is always counted.
    ///
    /// # Errors
    /// As [`touch`](Self::touch).
    pub fn signal(&self, ids: &[MemoryId], signal: Signal) -> Result<Vec<Reinforced>, Error> {
        let Some(first) = ids.first() else { return Ok(Vec::new()) };
        self.engine.touch(self.id_for(*first)?, ids, signal)
    }

    #[instrument(level = "debug", skip(self, ids), fields(namespace = %self.name, count = ids.len()))]
    fn set_status(&self, ids: &[MemoryId], status: Status) -> Result<(), Error> {
        let Some(first) = ids.first() else { return Ok(()) };
        self.engine.set_status(self.id_for(*first)?, ids, status)?;
        Ok(())
    }

    /// Hides all memories that pass a filter, or tells which they are.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn forget_where(&self, filter: &Filter, mode: Mode) -> Result<Receipt, Error> {
        let space = self.for_call();
        let ids = space.select(filter)?;
        let Some(ns) = space.id()?.filter(|_| !ids.is_empty()) else { return Ok(Receipt::nothing(mode)) };
        let receipt = Receipt::about(&deletion::leaving(&self.engine.snapshot()?, ns, &ids)?, mode);
        if mode == Mode::Commit {
            self.engine.set_status(ns, &ids, Status::Forgotten)?;
        }
        Ok(receipt)
    }

    /// Deletes a memory for good, with its history and every trace in the indexes, or tells what would go.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub fn delete(&self, id: MemoryId, mode: Mode) -> Result<Receipt, Error> {
        self.delete_many(&[id], mode)
    }

    /// Deletes memories for good in one transaction, all of them or none, or tells what would go. One receipt covers them all.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming an id that does not exist; then none is deleted.
    pub fn delete_many(&self, ids: &[MemoryId], mode: Mode) -> Result<Receipt, Error> {
        let space = self.for_call();
        if let Some(first) = ids.first() {
            space.id_for(*first)?;
        }
        let mut seen = HashSet::new();
        let ids: Vec<MemoryId> = ids.iter().copied().filter(|id| seen.insert(*id)).collect();
        space.remove(&ids, mode)
    }

    /// Deletes all memories that pass a filter in one transaction, or tells which they are: those of any status where it names none, and those
    /// that have expired or were replaced by another memory among them.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn delete_where(&self, filter: &Filter, mode: Mode) -> Result<Receipt, Error> {
        let space = self.for_call();
        let Some(namespace) = space.id()? else { return Ok(Receipt::nothing(mode)) };
        let meant = self.engine.meant(namespace, filter, None)?;
        let ids: Vec<MemoryId> = meant.into_iter().map(|(_, id)| id).collect();
        space.remove(&ids, mode)
    }

    /// Has all memories deleted for good that pass a filter now, as [`delete_where`](Self::delete_where) does; answers the number of the work
    /// in [`queue`](Self::queue) at once. A thread of the memory deletes them in batches, one transaction each, and goes on with the
    /// next opening where it was cut off; so does [`maintain`](super::Memory::maintain). [`drop_task`](Self::drop_task) stops it: what is
    /// not deleted by then stays. Memories that are stored or changed after this call stay.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such namespace; otherwise when the file cannot be read or
    /// written.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn delete_in_background(&self, filter: &Filter) -> Result<u64, Error> {
        self.engine.order_deletion(self.existing()?, filter)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, count = ids.len()))]
    fn remove(&self, ids: &[MemoryId], mode: Mode) -> Result<Receipt, Error> {
        let Some(namespace) = self.id()?.filter(|_| !ids.is_empty()) else { return Ok(Receipt::nothing(mode)) };
        if mode == Mode::Commit {
            return Ok(Receipt::of(self.engine.erase(namespace, ids)?, mode));
        }
        let snapshot = self.engine.snapshot()?;
        let planned = deletion::plan(&snapshot, namespace, ids)?;
        let words = words::leaving(&snapshot, namespace, &planned.erasure.effects)?;
        Ok(Receipt { words: Some(words), ..Receipt::of(planned, mode) })
    }

    /// The current memories that pass a filter; without statuses in it, those of any status.
    fn select(&self, filter: &Filter) -> Result<Vec<MemoryId>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let view = self.engine.view(namespace)?;
        let mut filter = filter.clone();
        if filter.statuses.is_empty() {
            filter.statuses = Status::ALL.to_vec();
        }
        let matcher = view.columns.matcher(&filter, Moment::now(self.engine.now()));
        let rows: Vec<Row> = matcher.rows().collect();
        let memories = annals_records::memories(&self.engine.snapshot()?, namespace, &rows, Some(&view.columns))?;
        Ok(memories.into_iter().flatten().map(|memory| memory.id).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_records::Head;
    use annals_types::ManualClock;

    use super::*;
    use crate::blocking::Memory;

    #[test]
    fn an_order_means_what_passed_when_it_was_given_and_does_so_still() {
        let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
        let memory = Memory::options().clock(Arc::new(clock.clone())).in_memory().unwrap();
        let space = memory.namespace("u").unwrap();
        let [early, back, late] = ["one", "two", "three"].map(|text| space.remember(text).unwrap());
        space.forget_many(&[early, back]).unwrap();
        clock.advance_millis(1000);
        let ns = space.id().unwrap().unwrap();
        let below = Row(Head::read(&space.engine.snapshot().unwrap(), ns).unwrap().next_row);
        let at = space.engine.now();
        clock.advance_millis(1000);
        space.forget(late).unwrap();
        space.restore(back).unwrap();
        let after = space.remember("four").unwrap();
        space.forget(after).unwrap();
        let filter = Filter { statuses: vec![Status::Forgotten], ..Filter::default() };
        let meant = |ordered| -> Vec<MemoryId> {
            space.engine.meant(ns, &filter, ordered).unwrap().into_iter().map(|(_, id)| id).collect()
        };
        assert_eq!(meant(Some((at, below))), [early]);
        assert_eq!(meant(None), [early, late, after]);
    }
}
