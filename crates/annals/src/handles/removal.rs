//! Changing and removing what is stored.

use annals_graph::Yield;
use annals_lifecycle::Reinforced;
use annals_records::Moment;
use annals_types::profile::Signal;
use annals_types::{Filter, MemoryId, NewMemory, Row, Status};
use tracing::instrument;

use crate::handles::Namespace;
use crate::handles::graph::words;
use crate::{Error, Mode, Receipt};
use annals_engine::deletion;

impl Namespace {
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, %id))]
    pub(crate) fn update<M>(&self, id: MemoryId, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let namespace = self.id_for(id)?;
        let memory = memory.try_into()?;
        Ok(self.engine.update(namespace, id, None, (memory, Yield::Same))?.id)
    }

    pub(crate) fn forget(&self, id: MemoryId) -> Result<(), Error> {
        self.bulk().forget(&[id])
    }

    pub(crate) fn archive(&self, id: MemoryId) -> Result<(), Error> {
        self.bulk().archive(&[id])
    }

    pub(crate) fn restore(&self, id: MemoryId) -> Result<(), Error> {
        self.bulk().restore(&[id])
    }

    pub(crate) fn touch(&self, ids: &[MemoryId]) -> Result<Vec<Reinforced>, Error> {
        self.lifecycle().signal(ids, Signal::Used)
    }

    #[instrument(level = "debug", skip(self, ids), fields(namespace = %self.name, count = ids.len()))]
    pub(super) fn set_status(&self, ids: &[MemoryId], status: Status) -> Result<(), Error> {
        let Some(first) = ids.first() else { return Ok(()) };
        self.engine.set_status(self.id_for(*first)?, ids, status)?;
        Ok(())
    }

    pub(crate) fn delete(&self, id: MemoryId, mode: Mode) -> Result<Receipt, Error> {
        self.bulk().delete(&[id], mode)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, count = ids.len()))]
    pub(super) fn remove(&self, ids: &[MemoryId], mode: Mode) -> Result<Receipt, Error> {
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
    pub(super) fn select(&self, filter: &Filter) -> Result<Vec<MemoryId>, Error> {
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
    use crate::handles::Target;

    #[test]
    fn an_order_means_what_passed_when_it_was_given_and_does_so_still() {
        let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
        let memory = Memory::options().clock(Arc::new(clock.clone())).in_memory().unwrap();
        let space = memory.namespace("u").unwrap();
        let [early, back, late] = ["one", "two", "three"].map(|text| space.remember(text).unwrap());
        space.bulk().forget(&[early, back]).unwrap();
        clock.advance_millis(1000);
        let Target::Here(here) = &space.0 else { panic!("the memory is in this process") };
        let ns = here.id().unwrap().unwrap();
        let below = Row(Head::read(&here.engine.snapshot().unwrap(), ns).unwrap().next_row);
        let at = here.engine.now();
        clock.advance_millis(1000);
        space.forget(late).unwrap();
        space.restore(back).unwrap();
        let after = space.remember("four").unwrap();
        space.forget(after).unwrap();
        let filter = Filter { statuses: vec![Status::Forgotten], ..Filter::default() };
        let meant = |ordered| -> Vec<MemoryId> {
            here.engine.meant(ns, &filter, ordered).unwrap().into_iter().map(|(_, id)| id).collect()
        };
        assert_eq!(meant(Some((at, below))), [early]);
        assert_eq!(meant(None), [early, late, after]);
    }
}
