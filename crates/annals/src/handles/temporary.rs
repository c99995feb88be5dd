//! Conversations that are temporary for a time.

use annals_curation::temporary::{self, TemporarySpans};
use annals_types::{NewMemory, Timestamp};
use tracing::instrument;

use crate::Error;
use crate::handles::{Namespace, Session, Sessions};

impl Session {
    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn set_temporary(&self, on: bool) -> Result<(), Error> {
        let session = self.label()?;
        self.space.engine.write_or_make(self.space.entry()?, |cx| {
            temporary::switch(cx, &session, on)
        })
    }

    pub(crate) fn is_temporary(&self) -> Result<bool, Error> {
        Ok(self.temporary_spans()?.is_on())
    }

    pub(crate) fn was_temporary(&self, at: Timestamp) -> Result<bool, Error> {
        Ok(self.temporary_spans()?.covers(at))
    }

    fn temporary_spans(&self) -> Result<TemporarySpans, Error> {
        let session = self.label()?;
        let Some(namespace) = self.space.id()? else {
            return Ok(TemporarySpans::default());
        };
        temporary::spans(&self.space.engine.snapshot()?, namespace, &session)
    }
}

impl Sessions {
    pub(crate) fn temporary(&self) -> Result<Vec<String>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        temporary::sessions(&self.space.engine.snapshot()?, namespace)
    }
}

impl Namespace {
    /// Memories without the turns that temporary sessions keep out.
    pub(crate) fn lasting_turns(
        &self,
        mut memories: Vec<NewMemory>,
    ) -> Result<Vec<NewMemory>, Error> {
        let Some(namespace) = self.id()? else {
            return Ok(memories);
        };
        let bodies = memories.iter().map(NewMemory::body);
        let spans = temporary::spans_of(&self.engine.snapshot()?, namespace, bodies)?;
        memories.retain(|memory| !temporary::is_kept_out(&spans, memory.body()));
        Ok(memories)
    }
}
