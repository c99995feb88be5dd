//! What was decided about memories.

use annals_types::{MemoryId, Timestamp};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{Decision, Error, Undone};
use annals_engine::Refusal;
use annals_engine::decisions;

handles! {
    /// What was decided about memories, and how to take it back.
    pub struct Decisions;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let id = user.remember("My cat is called Momo.")?;
        /// assert!(user.decisions().list(Some(id), 10)?.is_empty());
        /// user.decisions().undo_last()?;
        /// assert!(user.get(id)?.is_none());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let id = user.remember("My cat is called Momo.").await?;
        /// user.decisions().undo_last().await?;
        /// assert!(user.get(id).await?.is_none());
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Decisions {
    pub(super) space: Namespace,
}

calls! {
    for Decisions;

    calls {
        /// At most `limit` decisions of judges and persons, about one memory or about all, the
        /// newest first. The newest `review.decisions` of the profile are kept; one goes with the
        /// memories that it names.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn list(memory: own(Option<MemoryId>), limit: own(usize)) -> Vec<Decision>;

        /// Takes a decision of [the list](crate::Decisions::list) back: a memory gets its class,
        /// score and status back and waits for a verdict again, what a contradiction ended is true
        /// again, a link goes, what was taken for a known memory is stored as one of its own, and
        /// so is, under a new id, what another memory took the place of. Answers the decision as it
        /// stands then.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when it is not there any more;
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when it changed nothing, or deleted
        /// for good; [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when it was taken back
        /// before, or a memory says something else since.
        fn undo(number: own(u64)) -> Decision;

        /// Takes back the last change that a caller made in the namespace, as
        /// [`undo`](crate::Namespace::undo) does for one memory. What a job made of other memories
        /// is left out.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such namespace;
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when no change is left, or when the
        /// last one deleted memories for good, stored turns or was an import; otherwise as
        /// [`undo`](crate::Namespace::undo). Nothing is changed then.
        fn undo_last() -> Undone;

        /// The moment of the change that [`undo_last`](crate::Decisions::undo_last) would take back
        /// or refuse; `None` where there is none.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn last_change() -> Option<Timestamp>;
    }
}

impl Decisions {
    pub(crate) fn list(
        &self,
        memory: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Decision>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let found = decisions::list_such(
            &self.space.engine.snapshot()?,
            namespace,
            memory,
            limit,
            |one| !one.is_change(),
        )?;
        Ok(found
            .into_iter()
            .map(|(number, decided)| decided.shown(number))
            .collect())
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn undo(&self, number: u64) -> Result<Decision, Error> {
        let missing = || Refusal::NoDecision { number };
        let namespace = self.space.id()?.ok_or_else(missing)?;
        self.space.engine.undo_decision(namespace, number)
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn undo_last(&self) -> Result<Undone, Error> {
        let namespace = self.space.existing()?;
        self.space.engine.undo(namespace, None)
    }

    pub(crate) fn last_change(&self) -> Result<Option<Timestamp>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(None);
        };
        self.space.engine.last_change(namespace)
    }
}
