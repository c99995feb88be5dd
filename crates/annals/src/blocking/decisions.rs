//! What was decided about memories.

use annals_types::MemoryId;
use tracing::instrument;

use super::Namespace;
use crate::engine::decisions;
use crate::{Decision, Error, Missing};

impl Namespace {
    /// At most `limit` decisions of judges and persons, about one memory or about all, the newest first. The newest `review.decisions` of the
    /// profile are kept; one goes with the memories that it names.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn decisions(&self, memory: Option<MemoryId>, limit: usize) -> Result<Vec<Decision>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let found = decisions::list_such(&self.engine.snapshot()?, namespace, memory, limit, |one| !one.is_change())?;
        Ok(found.into_iter().map(|(number, decided)| decided.shown(number)).collect())
    }

    /// Takes a decision back: a memory gets its class, score and status back and waits for a verdict again, what a contradiction ended is
    /// true again, a link goes, what was taken for a known memory is stored as one of its own, and so is, under a new id, what another memory took the
    /// place of. Answers the decision as it stands then.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when it is not there any more; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid)
    /// when it changed nothing, or deleted for good; [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when it was taken back before, or a
    /// memory says something else since.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn undo_decision(&self, number: u64) -> Result<Decision, Error> {
        let missing = || Error::not_found(Missing::Decision, format!("there is no decision {number}"));
        let namespace = self.id()?.ok_or_else(missing)?;
        self.engine.undo_decision(namespace, number)
    }
}
