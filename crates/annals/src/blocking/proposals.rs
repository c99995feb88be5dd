//! What waits for a person before it is remembered.

use annals_types::MemoryId;
use tracing::instrument;

use super::Namespace;
use crate::engine::proposals;
use crate::{Error, Proposal};

impl Namespace {
    /// At most `limit` things that were found in conversations and wait for a person, the oldest first: all that was found where the profile
    /// says `extract.auto = false`, else deletions of what a person told, or what is kept for good.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn proposals(&self, limit: usize) -> Result<Vec<Proposal>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let told = |(id, proposed): (MemoryId, proposals::Proposed)| -> Result<Proposal, Error> {
            let kind = proposed.kind();
            let (text, sources) = match (proposed.body, proposed.about) {
                (Some(body), _) => (body.text, body.provenance),
                (None, Some(about)) => {
                    let known = annals_records::get(&snapshot, namespace, about, None)?;
                    (known.map(|(_, memory)| memory.body.text).unwrap_or_default(), Vec::new())
                }
                (None, None) => (String::new(), Vec::new()),
            };
            let (action, about, found_at) = (proposed.action, proposed.about, proposed.found_at);
            Ok(Proposal { id, action, about, text, kind, sources, found_at })
        };
        proposals::list(&snapshot, namespace, limit)?.into_iter().map(told).collect()
    }

    /// How many such things wait.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn proposal_count(&self) -> Result<u64, Error> {
        let Some(namespace) = self.id()? else { return Ok(0) };
        proposals::count(&self.engine.snapshot()?, namespace)
    }

    /// Does what a proposal says, as confirmed by a person. Answers the memory that says it now, if one does: the proposal's own id, or that
    /// of a memory that said the same before.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when no such proposal waits; otherwise as [`remember`](Self::remember).
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn accept_proposal(&self, id: MemoryId) -> Result<Option<MemoryId>, Error> {
        let namespace = self.id_for(id)?;
        self.engine.accept(namespace, id)
    }

    /// Drops a proposal. Kept as a decision, so that it can be [taken back](Self::undo_decision).
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when no such proposal waits.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn reject_proposal(&self, id: MemoryId) -> Result<(), Error> {
        let namespace = self.id_for(id)?;
        self.engine.write(namespace, |cx| proposals::reject(cx, id))
    }
}
