//! Mirrored files follow the memories and the namespace.

use annals_storage::{AnyTable, Reads, Transaction};
use annals_types::NamespaceId;
use annals_types::profile::{JobSettings, JobStep, MirrorDirection, MirrorFile, MirrorFormat};
use parking_lot::ReentrantMutex;

use crate::{record, retracted};
use annals_engine::Error;
use annals_engine::deletion::Deletion;
use annals_engine::extension::{Extension, Service};
use annals_engine::jobs::{Run, StepResult};
use annals_engine::{Engine, WriteCx};

/// Mirrored files with their owners, and the memories that were taken out of them.
#[derive(Default)]
pub struct Files {
    /// The folder of the files that mirror a namespace; jobs write none without it.
    pub(crate) folder: Option<String>,
    /// Held by whoever brings files into step.
    pub mirroring: ReentrantMutex<()>,
}

impl Files {
    /// Files in a folder, which may have `{name}` in it for the namespace.
    pub fn new(folder: Option<String>) -> Self {
        Self {
            folder,
            ..Self::default()
        }
    }
}

impl Service for Files {
    fn extension(&self) -> Option<&dyn Extension> {
        Some(self)
    }

    fn step(
        &self,
        engine: &Engine,
        run: &Run<'_>,
        step: JobStep,
    ) -> Result<Option<StepResult>, Error> {
        if self.folder.is_none() {
            return Ok(None);
        }
        let mirrors = self.of(engine);
        Ok(match step {
            JobStep::Mirrors | JobStep::CoreFiles | JobStep::UserFiles => Some(StepResult::Done(
                mirrors.write_mirrors(run.spaces, &|file| written_by(run.job, step, file))?,
            )),
            JobStep::TakeOver => Some(StepResult::Done(mirrors.take_over_earlier(run.spaces)?)),
            _ => None,
        })
    }

    fn namespace_gone(&self, engine: &Engine, ns: NamespaceId) -> Result<(), Error> {
        let mirrors = self.of(engine);
        mirrors.remove_mirrors(&mirrors.mirrors_of(&engine.snapshot()?, ns)?)
    }
}

/// Whether a step of a job writes a file.
fn written_by(job: &JobSettings, step: JobStep, file: &MirrorFile) -> bool {
    let own = match (file.format, file.direction) {
        (MirrorFormat::Lines, MirrorDirection::Both) => JobStep::CoreFiles,
        (MirrorFormat::Lines, MirrorDirection::Out) => JobStep::UserFiles,
        _ => JobStep::Mirrors,
    };
    step == own || (step == JobStep::Mirrors && !job.steps.contains(&own))
}

impl Extension for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[&record::FILES, &record::OWNERS, &retracted::RETRACTED]
    }

    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        retracted::forget(cx.txn, cx.ns, &deletion.ids())
    }

    fn purge(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        _limit: usize,
    ) -> Result<bool, Error> {
        record::release(txn, ns)?;
        Ok(true)
    }

    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let mut found = record::validate(reads, ns)?;
        found.extend(retracted::validate(reads, ns)?);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use annals_storage::conformance::Samples;
    use annals_types::{MemoryId, Timestamp};

    use super::*;
    use crate::record::Record;

    const NS: NamespaceId = NamespaceId(1);
    const ONE: MemoryId = MemoryId::from_bytes([1; 16]);
    const ID: &str = "01010101010101010101010101010101";

    #[test]
    fn every_table_has_a_frozen_row() {
        let files = Files::default();
        let mut samples = Samples::of(Extension::tables(&files));
        let (path, place) = (b"/a".as_slice(), "000000012f61");
        samples.row(
            &record::FILES,
            (NS, path),
            &Record::default(),
            (place, "0000000000"),
        );
        let key = format!("00000001{ID}7ffffffffffffffb");
        samples.row(
            &retracted::RETRACTED,
            (NS, ONE, Timestamp::from_millis(-5)),
            &"a.md".to_owned(),
            (&key, "612e6d64"),
        );
        samples.row(
            &record::OWNERS,
            path,
            &NamespaceId(258),
            ("2f61", "00000102"),
        );
        samples.end();
    }
}
