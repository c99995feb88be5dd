use std::path::Path;

use serde::Serialize;

use crate::failure::{Exit, Failure};
use crate::target::{InUse, Target};
use crate::texts::text;

/// A file of JSON lines that may not be wanted.
pub(crate) struct Lines(Option<Target>);

impl Lines {
    pub(crate) fn begin(path: Option<&Path>, force: bool, in_use: &InUse) -> Result<Self, Failure> {
        path.map(|path| Target::begin(path, force, in_use.clone()))
            .transpose()
            .map(Self)
    }

    pub(crate) const fn wanted(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn push(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let Some(target) = &mut self.0 else {
            return Ok(());
        };
        let failed = |reason: &dyn std::fmt::Display| {
            Failure::new(Exit::Failed, text!("eval-cannot-line", reason))
        };
        serde_json::to_writer(target.writer(), line).map_err(|error| failed(&error))?;
        target
            .writer()
            .write_all(b"\n")
            .map_err(|error| failed(&error))
    }

    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.0.map_or(Ok(()), Target::finish)
    }
}
