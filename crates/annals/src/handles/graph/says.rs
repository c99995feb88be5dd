//! Memories stored together with what they say.

use annals_graph as graph;
use annals_types::{MemoryId, NewMemory};
use tracing::instrument;

use crate::Error;
use crate::graph::{Asserted, Assertion, NewSubgraph};
use crate::handles::Graph;
use annals_engine::privacy::screened;
use annals_engine::{Arrival, Engine, WriteCx, evidence};

/// When the vector of a memory is made.
#[derive(Debug, Clone, Copy)]
enum Embed {
    /// Before it is stored.
    First,
    /// After it is stored.
    Later,
}

impl Graph {
    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name, count = said.len()))]
    pub(crate) fn remember<M>(
        &self,
        memory: M,
        said: &[Assertion],
    ) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        self.store_saying(memory.try_into()?, Embed::First, |_| said.to_vec())
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn remember_subgraph<M>(
        &self,
        memory: M,
        subgraph: &NewSubgraph,
    ) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        self.store_saying(memory.try_into()?, Embed::First, |scope| {
            subgraph.assertions(scope.settings)
        })
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn stage_subgraph<M>(
        &self,
        memory: M,
        subgraph: &NewSubgraph,
    ) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        self.store_saying(memory.try_into()?, Embed::Later, |scope| {
            subgraph.assertions(scope.settings)
        })
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name, %id))]
    pub(crate) fn update<M>(
        &self,
        id: MemoryId,
        memory: M,
        said: &[Assertion],
    ) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let namespace = self.space.id_for(id)?;
        let said = self
            .space
            .engine
            .screened_saying(self.space.entry_of(namespace), said)?;
        Ok(self
            .space
            .engine
            .update(
                namespace,
                id,
                None,
                (memory.try_into()?, graph::Yield::These(&said)),
            )?
            .id)
    }

    fn store_saying(
        &self,
        memory: NewMemory,
        embed: Embed,
        said: impl Fn(graph::Scope<'_>) -> Vec<Assertion> + Send + Sync,
    ) -> Result<(MemoryId, Asserted), Error> {
        let engine = &self.space.engine;
        let id = engine.ids.next(engine.now());
        let entry = self.space.entry()?;
        let screen = engine.screen(entry)?;
        let screened = screened(screen.as_ref(), vec![memory])?;
        let prepared = match embed {
            Embed::First => engine.prepare(screened)?,
            Embed::Later => Engine::prepare_late(screened),
        };
        let arrivals: Vec<Arrival> = prepared
            .into_iter()
            .map(|prepared| Arrival {
                says: true,
                ..Arrival::new(id, prepared)
            })
            .collect();
        let assert =
            |cx: &mut WriteCx<'_, '_>, found: MemoryId| -> Result<(MemoryId, Asserted), Error> {
                let mut said = said(cx.scope());
                if let Some(screen) = &screen {
                    screen.assertions(&mut said)?;
                }
                Ok((found, evidence::assert_arrived(cx, (id, found), &said)?))
            };
        match embed {
            Embed::First => engine.admit_then(entry, &arrivals, |cx, admitted| {
                assert(cx, admitted.first().map_or(id, |admitted| admitted.id))
            }),
            // What has no vector yet cannot be compared.
            Embed::Later => engine.write_or_make(entry, |cx| {
                let admitted = engine.append_new_in(cx, &arrivals)?;
                assert(cx, admitted.first().map_or(id, |admitted| admitted.id))
            }),
        }
    }
}
