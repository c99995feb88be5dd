//! What waits for a person before it is remembered.

use annals_types::MemoryId;
use tracing::instrument;

use crate::handles::Reviews;
use crate::{Error, Proposal};
use annals_curation::proposals;

impl Reviews {
    pub(crate) fn proposals(&self, limit: usize) -> Result<Vec<Proposal>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let snapshot = self.space.engine.snapshot()?;
        let told = |(id, proposed): (MemoryId, proposals::Proposed)| -> Result<Proposal, Error> {
            let kind = proposed.kind();
            let (text, sources) = match (proposed.body, proposed.about) {
                (Some(body), _) => (body.text, body.provenance),
                (None, Some(about)) => {
                    let known = annals_records::get(&snapshot, namespace, about, None)?;
                    (
                        known
                            .map(|(_, memory)| memory.body.text)
                            .unwrap_or_default(),
                        Vec::new(),
                    )
                }
                (None, None) => (String::new(), Vec::new()),
            };
            let (action, about, found_at) = (proposed.action, proposed.about, proposed.found_at);
            Ok(Proposal {
                id,
                action,
                about,
                text,
                kind,
                sources,
                found_at,
            })
        };
        proposals::list(&snapshot, namespace, limit)?
            .into_iter()
            .map(told)
            .collect()
    }

    pub(crate) fn proposal_count(&self) -> Result<u64, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(0);
        };
        proposals::count(&self.space.engine.snapshot()?, namespace)
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn accept(&self, id: MemoryId) -> Result<Option<MemoryId>, Error> {
        let namespace = self.space.id_for(id)?;
        self.space.engine.curator().accept(namespace, id)
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn reject(&self, id: MemoryId) -> Result<(), Error> {
        let namespace = self.space.id_for(id)?;
        self.space
            .engine
            .write(namespace, |cx| proposals::reject(cx, id))
    }
}
