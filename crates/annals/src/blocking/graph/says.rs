//! Memories stored together with what they say.

use annals_graph as graph;
use annals_types::{MemoryId, NewMemory};
use tracing::instrument;

use super::super::Namespace;
use crate::Error;
use crate::engine::WriteCx;
use crate::engine::privacy::screened;
use crate::engine::{Arrival, Engine, evidence};
use crate::graph::{Asserted, Assertion, NewSubgraph};

/// When the vector of a memory is made.
#[derive(Debug, Clone, Copy)]
enum Embed {
    /// Before it is stored.
    First,
    /// After it is stored.
    Later,
}

impl Namespace {
    /// Stores a memory and what it says, in one transaction. Where the profile compares new memories with known ones, a known one may be the
    /// one that says it from then on: its id is answered.
    ///
    /// # Errors
    /// As [`remember`](Self::remember) and [`add_triples`](Self::add_triples). Nothing is stored then.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, count = said.len()))]
    pub fn remember_saying<M>(&self, memory: M, said: &[Assertion]) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        self.store_saying(memory.try_into()?, Embed::First, |_| said.to_vec())
    }

    /// Stores a memory with its nodes and edges, in one transaction. The predicate between topic and object, where none is named, is the
    /// profile's.
    ///
    /// # Errors
    /// As [`remember_saying`](Self::remember_saying).
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn remember_subgraph<M>(&self, memory: M, subgraph: &NewSubgraph) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        self.store_saying(memory.try_into()?, Embed::First, |scope| subgraph.assertions(scope.settings))
    }

    /// The same, but the embedder is asked once the memory is stored, by the worker: until then it is found by its words.
    ///
    /// # Errors
    /// As [`remember_saying`](Self::remember_saying); the embedder is none.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn stage_subgraph<M>(&self, memory: M, subgraph: &NewSubgraph) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        self.store_saying(memory.try_into()?, Embed::Later, |scope| subgraph.assertions(scope.settings))
    }

    /// Replaces the text of a memory and what it says, in one transaction: what the new text does not say any more is only seen as of
    /// earlier times, or gone where the profile keeps no history of updates.
    ///
    /// # Errors
    /// As [`update`](Self::update) and [`add_triples`](Self::add_triples). Nothing is changed then.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, %id))]
    pub fn update_saying<M>(&self, id: MemoryId, memory: M, said: &[Assertion]) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let namespace = self.id_for(id)?;
        let said = self.engine.screened_saying(self.entry_of(namespace), said)?;
        Ok(self.engine.update(namespace, id, None, (memory.try_into()?, graph::Yield::These(&said)))?.id)
    }

    fn store_saying(
        &self,
        memory: NewMemory,
        embed: Embed,
        said: impl Fn(graph::Scope<'_>) -> Vec<Assertion> + Send + Sync,
    ) -> Result<(MemoryId, Asserted), Error> {
        let engine = &self.engine;
        let id = engine.ids.next(engine.now());
        let entry = self.entry()?;
        let screen = engine.screen(entry)?;
        let screened = screened(screen.as_ref(), vec![memory])?;
        let prepared = match embed {
            Embed::First => engine.prepare(screened)?,
            Embed::Later => Engine::prepare_late(screened),
        };
        let arrivals: Vec<Arrival> =
            prepared.into_iter().map(|prepared| Arrival { says: true, ..Arrival::new(id, prepared) }).collect();
        let assert = |cx: &mut WriteCx<'_, '_>, found: MemoryId| -> Result<(MemoryId, Asserted), Error> {
            let mut said = said(cx.scope());
            if let Some(screen) = &screen {
                screen.assertions(&mut said)?;
            }
            Ok((found, evidence::assert_arrived(cx, (id, found), &said)?))
        };
        match embed {
            Embed::First => {
                engine.admit_then(entry, &arrivals, |cx, ids| assert(cx, ids.first().copied().unwrap_or(id)))
            }
            // What has no vector yet cannot be compared.
            Embed::Later => engine.write_or_make(entry, |cx| {
                engine.append_in(cx, &arrivals)?;
                assert(cx, id)
            }),
        }
    }
}
