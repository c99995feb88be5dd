//! Profiles, and what they want done as time passes.

use annals_types::NamespaceName;
use tracing::instrument;

use crate::handles::Memory;
use crate::{Error, JobReport, Mode};

impl Memory {
    pub(crate) fn make_namespace(&self, name: &str, profile: &str) -> Result<(), Error> {
        self.engine
            .create_namespace(&NamespaceName::new(name)?, profile)?;
        Ok(())
    }

    #[instrument(level = "debug", skip(self))]
    pub(crate) fn maintain(&self, force: bool, mode: Mode) -> Result<Vec<JobReport>, Error> {
        self.engine.upkeep((force, false), mode)
    }
}
