//! What memories are worth as time passes.

use annals_graph::Yield;
use annals_lifecycle::Reinforced;
use annals_types::profile::Signal;
use annals_types::{Injection, MemoryId, NewMemory, Row, Status, Timestamp};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{Adjustment, Error, Standing};
use annals_curation::injections;
use annals_engine::{View, stale};

handles! {
    /// What memories are worth as time passes, and what changes it.
    pub struct Lifecycle;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.create_namespace("user:42", "agent")?;
        /// let id = user.remember("My cat is called Momo.")?;
        /// let standing = &user.lifecycle().standings(&[id])?[0];
        /// assert!(standing.as_ref().is_some_and(|standing| standing.score > 0.0));
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.create_namespace("user:42", "agent").await?;
        /// let id = user.remember("My cat is called Momo.").await?;
        /// let standing = &user.lifecycle().standings([id]).await?[0];
        /// assert!(standing.as_ref().is_some_and(|standing| standing.score > 0.0));
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Lifecycle {
    pub(super) space: Namespace,
}

calls! {
    for Lifecycle;

    calls {
        /// Since when a memory lacks one of its sources, which was deleted, without having been
        /// derived again from the others; `None` for any other memory, and for one that a person
        /// verified or edited since: it stands on its own.
        ///
        /// # Errors
        /// When it cannot be read.
        fn stale_since(id: own(MemoryId)) -> Option<Timestamp>;

        /// Replaces a memory by another one with an id of its own; each names the other.
        ///
        /// # Errors
        /// As [`update`](crate::Namespace::update).
        fn supersede(old: own(MemoryId), memory: memory) -> MemoryId;

        /// Reports another signal about memories, such as that they were returned by a tool or
        /// injected into a prompt. The profile says which signal strengthens a memory; being used
        /// is always counted.
        ///
        /// # Errors
        /// As [`touch`](crate::Namespace::touch).
        fn signal(ids: slice(MemoryId), signal: own(Signal)) -> Vec<Reinforced>;

        /// What was put into the latest prompts, the last one first, at most so many; with a memory
        /// named, those in which it stood. Ids, parts, scores and reasons are kept of the last 200
        /// prompts, and no text; a memory that is deleted leaves them.
        ///
        /// # Errors
        /// When they cannot be read.
        fn injections(memory: own(Option<MemoryId>), limit: own(usize)) -> Vec<Injection>;
        example {
            /// ```
            /// use annals::ContextRequest;
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// let id = user.remember("My cat is called Momo.")?;
            /// user.context(ContextRequest::new("What is my cat called?").agent("my-app"))?;
            /// let last = &user.lifecycle().injections(Some(id), 1)?[0];
            /// assert_eq!(last.agent.as_deref(), Some("my-app"));
            /// assert!(last.memories[0].score > 0.3);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// Notes what was put into a prompt that [`context`](crate::Namespace::context) did not
        /// make, or only [peeked](crate::ContextRequest::peek) at. Memories that are not there are
        /// left out. Nothing is noted where the file is only read.
        ///
        /// # Errors
        /// When it cannot be written.
        fn note_injection(injection: own(Injection)) -> ();

        /// What memories are worth now, in the order asked; `None` for one that does not exist or
        /// has no life of its own: under the default profile until it is used, and turns of
        /// conversations.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn standings(ids: slice(MemoryId)) -> Vec<Option<Standing>>;

        /// Changes by hand how much a memory matters: an administrative change that no cooldown or
        /// cap limits. Answers its score before and after; rules look at it when the next job runs.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound);
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for what is no number.
        fn adjust(id: own(MemoryId), by: own(Adjustment)) -> (f64, f64);
    }
}

impl Lifecycle {
    pub(crate) fn stale_since(&self, id: MemoryId) -> Result<Option<Timestamp>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(None);
        };
        stale::since(&self.space.engine.snapshot()?, namespace, id)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name, id = %old))]
    pub(crate) fn supersede<M>(&self, old: MemoryId, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let namespace = self.space.id_for(old)?;
        let memory = memory.try_into()?;
        let new_id = self.space.engine.ids.next(self.space.engine.now());
        Ok(self
            .space
            .engine
            .update(namespace, old, Some(new_id), (memory, Yield::Same))?
            .id)
    }

    pub(crate) fn signal(
        &self,
        ids: &[MemoryId],
        signal: Signal,
    ) -> Result<Vec<Reinforced>, Error> {
        let Some(first) = ids.first() else {
            return Ok(Vec::new());
        };
        self.space
            .engine
            .touch(self.space.id_for(*first)?, ids, signal)
    }

    pub(crate) fn injections(
        &self,
        memory: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Injection>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        injections::latest(&self.space.engine.snapshot()?, namespace, memory, limit)
    }

    pub(crate) fn note_injection(&self, injection: Injection) -> Result<(), Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(());
        };
        if injection.memories.is_empty() || self.space.engine.store.is_read_only() {
            return Ok(());
        }
        self.space
            .engine
            .write_kept(namespace, |cx| injections::note(cx, injection.clone()))
    }

    pub(crate) fn standings(&self, ids: &[MemoryId]) -> Result<Vec<Option<Standing>>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(vec![None; ids.len()]);
        };
        let view = self.space.engine.view(namespace)?;
        let snapshot = self.space.engine.snapshot()?;
        let rows = annals_records::find_rows(&snapshot, namespace, ids)?;
        let now = self.space.engine.now();
        let standing = |(id, row): (&MemoryId, Option<Row>)| -> Result<Option<Standing>, Error> {
            let Some(mut standing) = row.and_then(|row| stands(&view, row, now)) else {
                return Ok(None);
            };
            let life = row
                .map(|row| annals_lifecycle::states(&snapshot, namespace, &[row]))
                .transpose()?;
            standing.due_at = life
                .into_iter()
                .flatten()
                .flatten()
                .next()
                .and_then(|state| state.due_at());
            let statuses = annals_records::status_history(&snapshot, namespace, *id)?;
            let staged = statuses
                .first()
                .is_some_and(|(_, status)| *status == Status::Staged);
            let left = statuses
                .iter()
                .find(|(_, status)| *status != Status::Staged);
            standing.consolidated_at = left.filter(|_| staged).map(|(time, _)| *time);
            Ok(Some(standing))
        };
        ids.iter().zip(rows).map(standing).collect()
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn adjust(&self, id: MemoryId, by: Adjustment) -> Result<(f64, f64), Error> {
        self.space.engine.adjust(self.space.id_for(id)?, id, by)
    }
}

fn stands(view: &View, row: Row, now: Timestamp) -> Option<Standing> {
    Some(Standing {
        importance: view.worth.importance(row, now)?,
        score: view.worth.score(row, now)?,
        retention: view.worth.retention(row, now)?,
        class: view.worth.class(row)?.to_owned(),
        last_access: view.worth.anchor(row)?.accessed,
        used: view.worth.uses(row).0,
        returned: view.worth.uses(row).1,
        expires_at: view.worth.expires_at(row),
        due_at: None,
        consolidated_at: None,
    })
}
