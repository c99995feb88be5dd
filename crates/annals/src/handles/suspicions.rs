//! What looks like a contradiction and waits for a person.

use annals_types::MemoryId;
use tracing::instrument;

use crate::handles::Reviews;
use crate::{Error, Suspicion};

impl Reviews {
    pub(crate) fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        self.space.engine.curator().suspicions(namespace, limit)
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn settle(
        &self,
        newer: MemoryId,
        older: MemoryId,
        contradicts: bool,
    ) -> Result<(), Error> {
        let namespace = self.space.id_for(newer)?;
        self.space
            .engine
            .curator()
            .settle_suspicion(namespace, (newer, older), contradicts)
    }
}
