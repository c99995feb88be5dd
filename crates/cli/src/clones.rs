//! Which folders are clones of which project.
//!
//! A project is named by the address in `.git/config`. A clone has that from git, but whoever packs an
//! archive writes there what he likes, and would have the memory of another project read to him. So the
//! folders in which a project was worked on stand beside the database; a new one has a memory of its own until
//! a person says that it belongs there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_clients::HeldFile;
use annals_mcp::ProjectNames;
use serde::{Deserialize, Serialize};

use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::visible;

/// The list of a database.
#[derive(Debug, Clone)]
pub(crate) struct Clones {
    list: PathBuf,
}

/// A folder in which a project was worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Clone {
    folder: PathBuf,
    /// What the file system calls its `.git`: a folder that was moved is known by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<(u64, u64)>,
}

type Projects = BTreeMap<String, Vec<Clone>>;

/// The memory of a folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The namespace.
    pub(crate) name: String,
    /// The project that the folder says it is, and a folder that is one, where it has a memory of its own.
    pub(crate) apart: Option<(String, PathBuf)>,
}

impl Clones {
    pub(crate) fn of(database: &Path) -> Self {
        Self { list: annals::storage::beside(database, ".projects") }
    }

    /// The memory of a folder.
    pub(crate) fn place(&self, folder: &Path) -> Result<Place, Failure> {
        let names = ProjectNames::of(folder);
        Ok(place(&names, &self.read()?))
    }

    /// Keeps that a project was worked on in a folder, if it has the memory of that project.
    pub(crate) fn note(&self, folder: &Path) -> Result<Place, Failure> {
        let names = ProjectNames::of(folder);
        let projects = self.read()?;
        let place = place(&names, &projects);
        let is_there = names
            .by_address
            .as_ref()
            .and_then(|name| projects.get(name))
            .is_some_and(|known| known.contains(&Clone::of(&names.folder)));
        if place.apart.is_none() && !is_there {
            self.add(&names)?;
        }
        Ok(place)
    }

    /// Gives a folder the memory of the project that it says it is; answers its namespace.
    pub(crate) fn adopt(&self, folder: &Path) -> Result<Option<String>, Failure> {
        let names = ProjectNames::of(folder);
        if names.by_address.is_some() {
            self.add(&names)?;
        }
        Ok(names.by_address)
    }

    fn add(&self, names: &ProjectNames) -> Result<(), Failure> {
        let Some(name) = &names.by_address else { return Ok(()) };
        if let Some(refusal) = annals_private::foreign(&self.list) {
            return Err(self.failed(&refusal.into()));
        }
        let mut held = HeldFile::hold(&self.list).map_err(|error| Failure::new(Exit::Unwritable, error))?.private();
        let mut projects = self.listed(held.bytes())?;
        let (new, known) = (Clone::of(&names.folder), projects.entry(name.clone()).or_default());
        known.retain(|clone| clone.folder != new.folder && !clone.has_id_of(&new));
        known.push(new);
        let text = serde_json::to_vec(&projects).map_err(|error| Failure::new(Exit::Failed, error))?;
        held.replace(&text).map_err(|error| Failure::new(Exit::Unwritable, error))
    }

    fn read(&self) -> Result<Projects, Failure> {
        match annals_private::read(&self.list) {
            Ok(bytes) => self.listed(Some(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Projects::new()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn listed(&self, bytes: Option<&[u8]>) -> Result<Projects, Failure> {
        let Some(bytes) = bytes else { return Ok(Projects::new()) };
        serde_json::from_slice(bytes).map_err(|error| {
            let path = visible::line(&self.list.to_string_lossy()).into_owned();
            let damaged = Failure::new(Exit::Damaged, text!("namespace-projects-damaged", path, error));
            damaged.advice(text!("namespace-projects-remove")).at(&self.list, None)
        })
    }

    fn failed(&self, cause: &std::io::Error) -> Failure {
        Failure::file(&text!("common-read"), &self.list, cause)
    }
}

impl Clone {
    fn of(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), id: id_of(&folder.join(".git")) }
    }

    fn has_id_of(&self, other: &Self) -> bool {
        self.id.is_some() && self.id == other.id
    }
}

fn place(names: &ProjectNames, projects: &Projects) -> Place {
    let Some(name) = &names.by_address else { return Place { name: names.by_folder.clone(), apart: None } };
    let here = Clone::of(&names.folder);
    let known = projects.get(name).map_or(&[][..], Vec::as_slice);
    match known.first() {
        Some(other) if known.iter().all(|clone| clone.folder != here.folder && !clone.has_id_of(&here)) => {
            Place { name: names.by_folder.clone(), apart: Some((name.clone(), other.folder.clone())) }
        }
        _ => Place { name: name.clone(), apart: None },
    }
}

#[cfg(unix)]
fn id_of(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn id_of(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(folder: &Path) {
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        std::fs::write(folder.join(".git/config"), "[remote \"origin\"]\n\turl = https://host/ada/engine.git\n")
            .unwrap();
    }

    #[test]
    fn a_folder_that_says_it_is_a_known_project_has_a_memory_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (mine, forged) = (folder.path().join("engine"), folder.path().join("download"));
        repository(&mine);
        repository(&forged);
        let clones = Clones::of(&folder.path().join("agent.annals"));
        let project = annals_mcp::project_namespace(&mine);
        assert_eq!(project, annals_mcp::project_namespace(&forged));
        assert_eq!(clones.place(&forged).unwrap().name, project, "nobody has worked on it yet");

        assert_eq!(clones.note(&mine).unwrap(), Place { name: project.clone(), apart: None });
        let apart = clones.note(&forged).unwrap();
        assert!(apart.name != project && apart.name.starts_with("project:download-"), "{apart:?}");
        assert_eq!(apart.apart, Some((project.clone(), mine.canonicalize().unwrap())));
        assert_eq!(clones.place(&mine).unwrap().name, project);

        let moved = folder.path().join("moved");
        std::fs::rename(&mine, &moved).unwrap();
        assert_eq!(clones.note(&moved).unwrap().name, project, "it is known by its .git");
        assert_eq!(clones.adopt(&forged).unwrap(), Some(project.clone()));
        assert_eq!([&moved, &forged].map(|folder| clones.place(folder).unwrap().name), [project.clone(), project]);
    }

    #[test]
    fn a_damaged_list_is_no_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path());
        let clones = Clones::of(&folder.path().join("agent.annals"));
        clones.note(folder.path()).unwrap();
        let list = folder.path().join("agent.annals.projects");
        std::fs::write(&list, "{").unwrap();
        assert_eq!(clones.place(folder.path()).unwrap_err().exit, Exit::Damaged);
        assert_eq!(clones.note(folder.path()).unwrap_err().exit, Exit::Damaged);
        assert_eq!(std::fs::read(&list).unwrap(), b"{");
    }
}
