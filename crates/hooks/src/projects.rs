//! The projects that were enabled. The list stands beside the database and not in the projects: a
//! repository that comes from elsewhere must not enable itself.

use std::path::{Path, PathBuf};

use annals::Timestamp;
use serde::{Deserialize, Serialize};

use crate::session::{read_json, write_json};
use crate::{HookError, Hooks};

/// A project in which hooks act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnabledProject {
    /// Its folder, without links.
    pub root: PathBuf,
    /// The namespace of its memories.
    pub namespace: String,
    /// Since when: what was said before is not kept.
    pub since: Timestamp,
}

impl Hooks {
    /// The enabled projects, in the order in which they were enabled.
    ///
    /// # Errors
    /// [`HookError::File`] when the list cannot be read.
    pub fn projects(&self) -> Result<Vec<EnabledProject>, HookError> {
        Ok(read_json(&self.list())?.unwrap_or_default())
    }

    /// The enabled project of a folder whose project begins at `root`; where no project begins
    /// above the folder, the enabled one that the folder lies in.
    ///
    /// # Errors
    /// As [`projects`](Self::projects).
    pub fn project(&self, folder: &Path, root: Option<&Path>) -> Result<Option<EnabledProject>, HookError> {
        let all = self.projects()?;
        let of = |path: &Path| all.iter().find(|project| project.root == path).cloned();
        Ok(match root {
            Some(root) => of(root),
            None => folder.ancestors().find_map(of),
        })
    }

    /// Enables hooks in a project; answers whether they were not before.
    ///
    /// # Errors
    /// [`HookError::File`] when the list cannot be read or written.
    pub fn enable(&self, root: &Path, namespace: &str, now: Timestamp) -> Result<bool, HookError> {
        let mut all = self.projects()?;
        if all.iter().any(|project| project.root == root) {
            return Ok(false);
        }
        all.push(EnabledProject { root: root.to_owned(), namespace: namespace.to_owned(), since: now });
        write_json(&self.list(), &all)?;
        Ok(true)
    }

    /// Disables hooks in a project; answers whether they were enabled. What was kept stays.
    ///
    /// # Errors
    /// As [`enable`](Self::enable).
    pub fn disable(&self, root: &Path) -> Result<bool, HookError> {
        let mut all = self.projects()?;
        let before = all.len();
        all.retain(|project| project.root != root);
        if all.len() == before {
            return Ok(false);
        }
        write_json(&self.list(), &all)?;
        Ok(true)
    }

    fn list(&self) -> PathBuf {
        self.folder.join("projects.json")
    }
}
