//! Taking back what was just changed.

use annals_types::MemoryId;
use tracing::instrument;

use super::Namespace;
use crate::{Error, Undone};

impl Namespace {
    /// Takes back the last change that a caller made of a memory: an edit gives it the former text back, as a revision of its own; a status, a
    /// weight or a link is as it was; where nothing was changed since it was stored, less than `surface.undo_minutes` of the profile ago, it
    /// is deleted for good, as if it had never been, and what ended because of it is true again. A change that was about more memories is
    /// taken back for all of them. Asked again, it goes on with the change before. What jobs and judges did is no caller's:
    /// [`undo_decision`](Self::undo_decision) takes that back.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when it was stored too long ago,
    /// or when the change cannot be taken back; [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when something else changed it since.
    /// Nothing is changed then.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn undo(&self, id: MemoryId) -> Result<Undone, Error> {
        let namespace = self.id_for(id)?;
        self.engine.undo(namespace, Some(id))
    }

    /// Takes back the last change that a caller made in the namespace, as [`undo`](Self::undo) does for one memory. What a job made of other
    /// memories is left out.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such namespace; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid)
    /// when no change is left, or when the last one deleted memories for good, stored turns or was an import; otherwise as [`undo`](Self::undo). Nothing is changed then.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn undo_last(&self) -> Result<Undone, Error> {
        let namespace = self.existing()?;
        self.engine.undo(namespace, None)
    }
}
