//! What looks like a contradiction and waits for a person.

use annals_types::MemoryId;
use tracing::instrument;

use super::Namespace;
use crate::{Error, Suspicion};

impl Namespace {
    /// At most `limit` pairs of memories that are so much alike that one may contradict the other, and about which neither a judge nor a person has
    /// decided; the most similar first. The job's step `conflicts` notices them, from `conflict.min_similarity` on.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        self.engine.suspicions(namespace, limit)
    }

    /// Says whether the newer of two memories of [`suspicions`](Self::suspicions) contradicts the older. Where it does, the profile says what becomes
    /// of them (`conflict.strategy`); the answer is kept among the [`decisions`](Self::decisions) and can be taken back there.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a pair that nobody suspects, and for memories that are not in use.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn settle_suspicion(&self, newer: MemoryId, older: MemoryId, contradicts: bool) -> Result<(), Error> {
        let namespace = self.id_for(newer)?;
        self.engine.settle_suspicion(namespace, (newer, older), contradicts)
    }
}
