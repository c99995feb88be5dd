//! What must not be stored as it is: looked for before anything is embedded or written.

use std::sync::Arc;

use annals_extraction::privacy::{Filter, Screened, Sensitive};
use annals_types::{NamespaceName, NewMemory};

use super::Engine;
use super::rulebooks::Rulebook;
use crate::Error;

impl Engine {
    /// The rulebook of a namespace; the default for one that does not exist yet.
    pub(crate) fn rulebook_of(&self, name: &NamespaceName) -> Result<Arc<Rulebook>, Error> {
        let Some(id) = self.find(name)? else { return Ok(Arc::clone(self.rulebooks.default())) };
        match self.rulebooks.cached(id) {
            Some(known) => Ok(known),
            None => self.rulebooks.of(&self.snapshot()?, id),
        }
    }

    /// The memories as the profile of their namespace lets them be stored.
    pub(crate) fn screened(&self, name: &NamespaceName, memories: Vec<NewMemory>) -> Result<Vec<NewMemory>, Error> {
        let rulebook = self.rulebook_of(name)?;
        if rulebook.profile.privacy.allows_all() {
            return Ok(memories);
        }
        memories.into_iter().map(|memory| screened(memory, &rulebook)).collect()
    }
}

fn screened(memory: NewMemory, rulebook: &Rulebook) -> Result<NewMemory, Error> {
    let filter = Filter::new(rulebook.profile.privacy.clone());
    let mut refused: Option<Sensitive> = None;
    let memory = memory.rewritten(&mut |text| match filter.screen(text) {
        Screened::Masked { text, .. } => Some(text),
        Screened::Rejected { kind } => {
            refused.get_or_insert(kind);
            None
        }
        Screened::Clean => None,
    })?;
    match refused {
        // The error must not repeat what must not be kept.
        Some(kind) => Err(Error::bad_input(format!(
            "the text holds something of the kind {:?}, which profile {:?} refuses; leave it out, or set privacy.{} to \"mask\"",
            kind.as_str(),
            rulebook.name.as_str(),
            kind.as_str(),
        ))),
        None => Ok(memory),
    }
}
