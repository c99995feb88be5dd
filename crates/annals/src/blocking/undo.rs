//! Taking back what was just stored.

use annals_types::MemoryId;
use tracing::instrument;

use super::Namespace;
use crate::Error;

impl Namespace {
    /// Takes a memory back that was stored less than `surface.undo_minutes` of the profile ago, as if it had never been: it is deleted for
    /// good, and what ended because of it is true again. Answers which memories these are.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when it is too late, or when it
    /// is the new text of a memory whose old one is gone.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn undo(&self, id: MemoryId) -> Result<Vec<MemoryId>, Error> {
        self.id_for(id)?;
        self.engine.undo(&self.name, id)
    }
}
