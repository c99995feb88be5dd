//! Saving what is left of a damaged file, and putting a backup in its place.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use annals_storage::table::Scope;
use annals_storage::{Lost, Salvage, beside, hex};
use annals_transfer::{LostPart, Rebuilt, Transfers};
use annals_types::{MemoryId, NamespaceId, NamespaceName};
use serde::{Deserialize, Serialize};

use crate::handles::Memory;
use crate::{Error, Options};

/// The ending of the name of a file that is not whole yet, behind the name that it will take.
const UNFINISHED: &str = ".repairing";

/// Bytes at the start of a key that name a namespace, and of an id.
const NAMESPACE: usize = 4;

/// What [`Options::repair`] saved, and what it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RepairReport {
    /// Values that were read, each with a checksum that is right.
    pub values: u64,
    /// Places in which one flipped bit was put right.
    pub mended: u64,
    /// The memories of the new file.
    pub memories: u64,
    /// What could not be saved; at most some thousand parts are listed.
    pub lost: Vec<LostPart>,
    /// How many parts could not be saved.
    pub lost_count: u64,
    /// Namespaces that did not fit together any more and were put together anew from their
    /// memories.
    pub rebuilt: Vec<String>,
    /// What still is wrong with the new file; empty as a rule.
    pub problems: Vec<String>,
}

/// What [`Options::restore`] did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RestoreReport {
    /// How many values the file has.
    pub values: u64,
    /// Where the file is kept that was replaced.
    pub kept: Option<PathBuf>,
}

impl Options {
    /// Saves what can be read of a damaged file into a new one, and tells what cannot: which
    /// namespace, which kind and which id. `source` is only read.
    ///
    /// Values come over as they were, or not at all. A namespace in which something is missing that
    /// others need is put together anew from its memories; what it lost counts as lost, never as
    /// deleted. `target` appears once it is whole.
    ///
    /// # Errors
    /// When `source` is in use or no database, when `target` exists, or cannot be written.
    pub fn repair(
        self,
        source: impl AsRef<Path>,
        target: impl AsRef<Path>,
    ) -> Result<RepairReport, Error> {
        let (source, target) = (source.as_ref(), target.as_ref());
        if target
            .try_exists()
            .map_err(|e| Error::io(format!("looking at {}", target.display()), e))?
        {
            let reason = format!(
                "{} exists already; name a file that does not",
                target.display()
            );
            return Err(Error::bad_input(reason));
        }
        let unfinished = beside(target, UNFINISHED);
        remove(&unfinished)?;
        let repaired = self.repair_into(source, &unfinished).and_then(|report| {
            annals_storage::publish(&unfinished, target)?;
            Ok(report)
        });
        if repaired.is_err() {
            remove(&unfinished)?;
        }
        repaired
    }

    fn repair_into(self, source: &Path, target: &Path) -> Result<RepairReport, Error> {
        let storage = self.storage();
        let salvage = annals_storage::salvage(source, target, &storage)?;
        let memory = self.for_repair().open_alone(target)?;
        let report = memory.put_together(&salvage, target);
        memory.engine.stop();
        report
    }

    /// Writes a backup, or any other database, into the place `target`. A file that stands there is
    /// kept under another name, and only where it may be replaced. The backup is checked first, and
    /// stays.
    ///
    /// # Errors
    /// When the backup is damaged or in use; when there is a file that is in use or may not be
    /// replaced. Then nothing is changed.
    pub fn restore(
        self,
        backup: impl AsRef<Path>,
        target: impl AsRef<Path>,
        replace: bool,
    ) -> Result<RestoreReport, Error> {
        let restored =
            annals_storage::restore(backup.as_ref(), target.as_ref(), &self.storage(), replace)?;
        Ok(RestoreReport {
            values: restored.values,
            kept: restored.kept,
        })
    }
}

fn remove(path: &Path) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(
            format!("removing the unfinished {}", path.display()),
            error,
        )),
        _ => Ok(()),
    }
}

impl Memory {
    /// Makes a whole of what was saved.
    fn put_together(&self, salvage: &Salvage, target: &Path) -> Result<RepairReport, Error> {
        let engine = &self.engine;
        let nameless = engine.mend_directory()?;
        let mut names = BTreeMap::new();
        let mut rebuilt = Vec::new();
        for found in annals_records::namespace::list(&engine.snapshot()?)? {
            names.insert(found.0.id, found.0.name);
        }
        let mut lost: Vec<LostPart> = salvage
            .lost
            .iter()
            .map(|lost| self.part(lost, &names))
            .collect();
        let mut lost_count = salvage.lost_count;
        let nothing = "the record of the namespace is lost: name, profile and language";
        lost.extend(
            nameless
                .iter()
                .map(|name| LostPart::new(Some(name.as_str()), "namespace", None, nothing)),
        );
        lost_count += count(nameless.len());
        for (id, name) in names {
            if salvage.lost_count > 0 {
                engine.drop_derived(id)?;
            }
            if engine
                .validate_namespace(id)
                .is_ok_and(|problems| problems.is_empty())
            {
                continue;
            }
            let Rebuilt {
                namespace,
                lost: more,
                ..
            } = self.rebuild(&name, target)?;
            lost_count += count(more.len());
            lost.extend(more);
            rebuilt.push(namespace);
        }
        engine.worker.wait_idle()?;
        let problems = engine.validate()?.problems;
        let memories = self.stats()?.memories;
        let Salvage { values, mended, .. } = *salvage;
        Ok(RepairReport {
            values,
            mended,
            memories,
            lost,
            lost_count,
            rebuilt,
            problems,
        })
    }

    fn rebuild(&self, name: &NamespaceName, target: &Path) -> Result<Rebuilt, Error> {
        let io = |error| Error::io("making a file for what was saved", error);
        let lines = beside(target, "-lines");
        let mut scratch = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&lines)
            .map_err(io)?;
        let rebuilt = Transfers::new(&self.engine, name).rebuild(&mut scratch);
        drop(scratch);
        remove(&lines)?;
        rebuilt
    }

    /// Names something that was lost.
    fn part(&self, lost: &Lost, names: &BTreeMap<NamespaceId, NamespaceName>) -> LostPart {
        let scope = self
            .engine
            .tables()
            .into_iter()
            .find(|table| table.keyspace().name() == lost.keyspace);
        let belongs = scope.is_some_and(|table| table.scope() == Scope::Namespace);
        let number = |key: &[u8]| {
            key.first_chunk::<NAMESPACE>()
                .map(|bytes| NamespaceId(u32::from_be_bytes(*bytes)))
        };
        let (first, last) = (number(&lost.after), lost.up_to.as_deref().and_then(number));
        let namespace = first
            .filter(|first| belongs && last == Some(*first))
            .and_then(|id| names.get(&id));
        let id = lost.key().map(|key| {
            match key.get(NAMESPACE..).and_then(|rest| rest.try_into().ok()) {
                Some(id) if lost.keyspace == "records.ids" => MemoryId::from_bytes(id).to_string(),
                _ => hex(key),
            }
        });
        let kind = if lost.keyspace.is_empty() {
            "pages"
        } else {
            lost.keyspace.as_str()
        };
        let reason = if lost.key().is_some() {
            lost.reason.clone()
        } else {
            lost.to_string()
        };
        LostPart::new(namespace.map(NamespaceName::as_str), kind, id, reason)
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
