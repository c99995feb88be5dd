//! Changing and removing what is stored.

use annals_graph::Yield;
use annals_lifecycle::Reinforced;
use annals_records::Moment;
use annals_types::profile::Signal;
use annals_types::{Filter, MemoryId, NewMemory, Row, Status};
use serde::de::DeserializeOwned;
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
        Ok(self
            .engine
            .update(namespace, id, None, (memory, Yield::Same))?
            .id)
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
        let Some(first) = ids.first() else {
            return Ok(());
        };
        self.engine.set_status(self.id_for(*first)?, ids, status)?;
        Ok(())
    }

    pub(crate) fn delete(&self, id: MemoryId, mode: Mode) -> Result<Receipt, Error> {
        self.bulk().delete(&[id], mode)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, count = ids.len()))]
    pub(super) fn remove(&self, ids: &[MemoryId], mode: Mode) -> Result<Receipt, Error> {
        let Some(namespace) = self.id()?.filter(|_| !ids.is_empty()) else {
            return Ok(Receipt::nothing(mode));
        };
        if mode == Mode::Commit {
            return self
                .engine
                .erase(namespace, ids, |deletion| Receipt::of(deletion, mode));
        }
        let snapshot = self.engine.snapshot()?;
        let planned = deletion::plan(&snapshot, namespace, ids)?;
        let words = words::leaving(&snapshot, namespace, &planned.erasure.effects)?;
        Ok(Receipt {
            words: Some(words),
            ..Receipt::of(planned, mode)
        })
    }

    /// The receipt of a call that this request made before its owner ended: what it chose is not
    /// found any more.
    pub(super) fn carried_out<T: DeserializeOwned>(&self, mode: Mode) -> Result<Option<T>, Error> {
        if mode == Mode::DryRun {
            Ok(None)
        } else {
            self.engine.answered()
        }
    }

    /// The current memories that pass a filter; without statuses in it, those of any status.
    pub(super) fn select(&self, filter: &Filter) -> Result<Vec<MemoryId>, Error> {
        let Some(namespace) = self.id()? else {
            return Ok(Vec::new());
        };
        let view = self.engine.view(namespace)?;
        let mut filter = filter.clone();
        if filter.statuses.is_empty() {
            filter.statuses = Status::ALL.to_vec();
        }
        let matcher = view
            .columns
            .matcher(&filter, Moment::now(self.engine.now()));
        let rows: Vec<Row> = matcher.rows().collect();
        let memories = annals_records::memories(
            &self.engine.snapshot()?,
            namespace,
            &rows,
            Some(&view.columns),
        )?;
        Ok(memories
            .into_iter()
            .flatten()
            .map(|memory| memory.id)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_records::Head;
    use annals_storage::{RequestId, carry_out};
    use annals_types::ManualClock;

    use super::*;
    use crate::blocking::Memory;
    use crate::handles::Target;

    /// Does something as a request that is sent again because its owner ended before it answered.
    #[track_caller]
    fn twice<T: PartialEq + std::fmt::Debug>(call: impl Fn() -> Result<T, Error>) -> T {
        let request = RequestId::random();
        let first = carry_out(request, &call).unwrap();
        let again = carry_out(request, &call).unwrap();
        assert_eq!(again, first);
        first
    }

    #[test]
    fn a_deletion_that_is_asked_for_again_after_a_failover_is_answered_as_it_was() {
        let memory = Memory::options().in_memory().unwrap();
        let space = memory.namespace("u").unwrap();
        let filled = || {
            let texts = [
                "Mira keeps an accordion",
                "Ben plays chess",
                "Ada likes tea",
            ];
            texts.map(|text| space.remember(text).unwrap())
        };
        let [one, two, three] = filled();
        assert_eq!(twice(|| space.delete(one, Mode::Commit)).memories.len(), 1);
        assert_eq!(
            twice(|| space.bulk().delete(&[two, three], Mode::Commit)).asked,
            2
        );
        filled();
        assert_eq!(
            twice(|| space.bulk().forget_where(&Filter::default(), Mode::Commit))
                .memories
                .len(),
            3
        );
        assert_eq!(
            twice(|| space.bulk().delete_where(&Filter::default(), Mode::Commit))
                .memories
                .len(),
            3
        );
        let [one, two, _] = filled();
        let list = format!("{one}, {two}, nonsense, {three}");
        let listed = twice(|| space.bulk().delete_listed(&list, Mode::Commit));
        assert_eq!(
            (listed.receipt.asked, listed.unknown),
            (2, vec!["nonsense".to_owned(), three.to_string()])
        );
        let counts = |receipt: crate::NamespaceReceipt| (receipt.memories, receipt.text_bytes);
        assert_eq!(
            twice(|| memory.delete_namespace("u", Mode::Commit).map(counts)).0,
            1
        );
        assert!(memory.validate().unwrap().problems.is_empty());
    }

    #[test]
    fn what_a_graph_lost_is_told_again_after_a_failover() {
        use crate::graph::Assertion;
        let memory = Memory::options().in_memory().unwrap();
        let space = memory.namespace("u").unwrap();
        let [one, two] = ["Mira keeps an accordion", "Ben plays chess"]
            .map(|text| space.remember(text).unwrap());
        let said = space
            .graph()
            .add_triples(one, &[Assertion::new("Mira", "keeps", "accordion")])
            .unwrap();
        let triples: Vec<_> = said.triples.clone();
        assert_eq!(
            twice(|| space.graph().delete_triples(&triples)).gone,
            triples
        );
        space.graph().link(one, "related", two).unwrap();
        assert!(twice(|| space.graph().unlink(one, "related", two)));
    }

    #[test]
    fn an_undo_that_is_asked_for_again_after_a_failover_takes_nothing_else_back() {
        let memory = Memory::options().in_memory().unwrap();
        let space = memory.namespace("u").unwrap();
        let id = space.remember("Ada likes tea").unwrap();
        space.update(id, "Ada likes coffee").unwrap();
        space.forget(id).unwrap();
        let request = RequestId::random();
        let undo = || carry_out(request, || space.undo(id));
        undo().unwrap();
        let again = undo().unwrap_err();
        assert!(again.to_string().contains("was carried out"), "{again}");
        assert_eq!(
            space.get(id).unwrap().unwrap().body.text,
            "Ada likes coffee"
        );
    }

    #[test]
    fn an_order_means_what_passed_when_it_was_given_and_does_so_still() {
        let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
        let memory = Memory::options()
            .clock(Arc::new(clock.clone()))
            .in_memory()
            .unwrap();
        let space = memory.namespace("u").unwrap();
        let [early, back, late] = ["one", "two", "three"].map(|text| space.remember(text).unwrap());
        space.bulk().forget(&[early, back]).unwrap();
        clock.advance_millis(1000);
        let Target::Here(here) = &space.0 else {
            panic!("the memory is in this process")
        };
        let ns = here.id().unwrap().unwrap();
        let below = Row(Head::read(&here.engine.snapshot().unwrap(), ns)
            .unwrap()
            .next_row);
        let at = here.engine.now();
        clock.advance_millis(1000);
        space.forget(late).unwrap();
        space.restore(back).unwrap();
        let after = space.remember("four").unwrap();
        space.forget(after).unwrap();
        let filter = Filter {
            statuses: vec![Status::Forgotten],
            ..Filter::default()
        };
        let meant = |ordered| -> Vec<MemoryId> {
            here.engine
                .meant(ns, &filter, ordered)
                .unwrap()
                .into_iter()
                .map(|(_, id)| id)
                .collect()
        };
        assert_eq!(meant(Some((at, below))), [early]);
        assert_eq!(meant(None), [early, late, after]);
    }
}
