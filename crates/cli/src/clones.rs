//! Which folders are clones of which project.
//!
//! A project is named by the address in `.git/config`. A clone has that from git, but whoever packs
//! an archive writes there what he likes, and would have the memory of another project read to him.
//! So the folders in which a project was worked on stand beside the database; a new one has a
//! memory of its own until a person says that it belongs there.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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
struct KnownFolder {
    folder: PathBuf,
    /// The device and the inode of its `.git`: a folder that was moved is known by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<(u64, u64)>,
    /// When its `.git` was made, since 1970, where the file system says so: an inode that became
    /// free is given to another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born: Option<Duration>,
}

type Projects = BTreeMap<String, Vec<KnownFolder>>;

/// The folders of all projects of a database.
#[derive(Debug)]
pub(crate) struct Folders(Projects);

/// The memory of a folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The namespace.
    pub(crate) name: String,
    /// The project that the folder says it is, and a folder that is one, where it has a memory of
    /// its own.
    pub(crate) apart: Option<(String, PathBuf)>,
}

impl Place {
    /// The memory of a folder where the list cannot be read: nobody is another project then.
    pub(crate) fn of_folder(folder: &Path) -> Self {
        Self {
            name: ProjectNames::of(folder).by_folder,
            apart: None,
        }
    }
}

impl Clones {
    pub(crate) fn of(database: &Path) -> Self {
        Self {
            list: annals::storage::beside(database, ".projects"),
        }
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
        // Most runs have nothing to add, and need not wait for others.
        let place = place(&names, &projects);
        let Some(name) = address(&names) else {
            return Ok(place);
        };
        let known = projects.get(name).map_or(&[][..], Vec::as_slice);
        if place.apart.is_some() || known.contains(&KnownFolder::of(&names.folder)) {
            return Ok(place);
        }
        self.add(&names, name, false)
    }

    /// Gives a folder the memory of the project that it says it is; answers its namespace.
    pub(crate) fn adopt(&self, folder: &Path) -> Result<Option<String>, Failure> {
        let names = ProjectNames::of(folder);
        match address(&names) {
            Some(name) => Ok(Some(self.add(&names, name, true)?.name)),
            None => Ok(None),
        }
    }

    /// Writes the list for a copy of the database, over that of an earlier copy, which would be of
    /// another database.
    pub(crate) fn copy_to(&self, copy: &Self) -> Result<(), Failure> {
        let bytes = match annals_private::read(&self.list) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return match std::fs::remove_file(&copy.list) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        Err(Failure::new(Exit::Unwritable, error))
                    }
                    _ => Ok(()),
                };
            }
            Err(error) => return Err(self.failed(&error)),
        };
        let mut held = copy.hold()?;
        held.replace(&bytes)
            .map_err(|error| Failure::new(Exit::Unwritable, error))
    }

    /// The folders of all projects, to be [taken over](Self::take_over) for another database; a
    /// failure where another user could have written the list.
    pub(crate) fn all(&self) -> Result<Folders, Failure> {
        match annals_private::foreign(&self.list) {
            Some(refusal) => Err(self.failed(&refusal.into())),
            None => self.read().map(Folders),
        }
    }

    /// Takes over the folders of the projects of which none is known here.
    pub(crate) fn take_over(&self, folders: Folders) -> Result<(), Failure> {
        if folders.0.is_empty() {
            return Ok(());
        }
        let mut held = self.hold()?;
        let mut projects = self.listed(held.bytes())?;
        for (name, folders) in folders.0 {
            projects.entry(name).or_insert(folders);
        }
        write(&mut held, &projects)
    }

    /// The file of the list.
    pub(crate) fn list(&self) -> &Path {
        &self.list
    }

    fn hold(&self) -> Result<HeldFile, Failure> {
        if let Some(refusal) = annals_private::foreign(&self.list) {
            return Err(self.failed(&refusal.into()));
        }
        let held = HeldFile::hold(&self.list);
        Ok(held
            .map_err(|error| Failure::new(Exit::Unwritable, error))?
            .private())
    }

    /// Adds a folder to those of a project, unless it has a memory of its own and is not adopted.
    fn add(&self, names: &ProjectNames, name: &str, adopts: bool) -> Result<Place, Failure> {
        let mut held = self.hold()?;
        let mut projects = self.listed(held.bytes())?;
        // Another folder may have become the project while nobody held the list.
        let place = place(names, &projects);
        if place.apart.is_some() && !adopts {
            return Ok(place);
        }
        let new = KnownFolder::of(&names.folder);
        let known = projects.entry(name.to_owned()).or_default();
        known.retain(|known| known.folder != new.folder && !new.was_moved_from(known));
        known.push(new);
        write(&mut held, &projects)?;
        Ok(Place {
            name: name.to_owned(),
            apart: None,
        })
    }

    fn read(&self) -> Result<Projects, Failure> {
        match annals_private::read(&self.list) {
            Ok(bytes) => self.listed(Some(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Projects::new()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn listed(&self, bytes: Option<&[u8]>) -> Result<Projects, Failure> {
        let Some(bytes) = bytes else {
            return Ok(Projects::new());
        };
        serde_json::from_slice(bytes).map_err(|error| {
            let path = visible::line(&self.list.to_string_lossy()).into_owned();
            let damaged = Failure::new(
                Exit::Damaged,
                text!("namespace-projects-damaged", path, error),
            );
            damaged
                .advice(text!("namespace-projects-remove"))
                .at(&self.list, None)
        })
    }

    fn failed(&self, cause: &std::io::Error) -> Failure {
        Failure::file(&text!("common-read"), &self.list, cause)
    }
}

fn write(held: &mut HeldFile, projects: &Projects) -> Result<(), Failure> {
    let text = serde_json::to_vec(projects);
    let text = text.map_err(|error| Failure::new(Exit::Failed, error))?;
    held.replace(&text)
        .map_err(|error| Failure::new(Exit::Unwritable, error))
}

impl KnownFolder {
    fn of(folder: &Path) -> Self {
        let git = std::fs::symlink_metadata(folder.join(".git")).ok();
        Self {
            folder: folder.to_owned(),
            id: git.as_ref().and_then(id_of),
            born: git.and_then(|git| since_1970(git.created().ok()?)),
        }
    }

    /// Whether this is the other folder under a new path: its `.git` is the same one, and the old
    /// path has none any more.
    fn was_moved_from(&self, other: &Self) -> bool {
        self.id.is_some()
            && (self.id, self.born) == (other.id, other.born)
            && other
                .folder
                .join(".git")
                .try_exists()
                .is_ok_and(|there| !there)
    }
}

/// The namespace by the address of a project. A folder whose path is no text cannot be listed, and
/// has a memory of its own.
fn address(names: &ProjectNames) -> Option<&String> {
    let listed = names.by_address.as_ref();
    listed.filter(|_| names.folder.to_str().is_some())
}

fn place(names: &ProjectNames, projects: &Projects) -> Place {
    let own = |apart| Place {
        name: names.by_folder.clone(),
        apart,
    };
    let Some(name) = address(names) else {
        return own(None);
    };
    let here = KnownFolder::of(&names.folder);
    let known = projects.get(name).map_or(&[][..], Vec::as_slice);
    let is_known = |known: &KnownFolder| known.folder == here.folder || here.was_moved_from(known);
    match known.first() {
        Some(other) if !known.iter().any(is_known) => {
            own(Some((name.clone(), other.folder.clone())))
        }
        _ => Place {
            name: name.clone(),
            apart: None,
        },
    }
}

fn since_1970(time: SystemTime) -> Option<Duration> {
    time.duration_since(SystemTime::UNIX_EPOCH).ok()
}

#[cfg(unix)]
fn id_of(found: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn id_of(_: &Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(folder: &Path) {
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        std::fs::write(
            folder.join(".git/config"),
            "[remote \"origin\"]\n\turl = https://host/ada/engine.git\n",
        )
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
        assert_eq!(
            clones.place(&forged).unwrap().name,
            project,
            "nobody has worked on it yet"
        );

        assert_eq!(
            clones.note(&mine).unwrap(),
            Place {
                name: project.clone(),
                apart: None
            }
        );
        let apart = clones.note(&forged).unwrap();
        assert!(
            apart.name != project && apart.name.starts_with("project:download-"),
            "{apart:?}"
        );
        assert_eq!(
            apart.apart,
            Some((project.clone(), mine.canonicalize().unwrap()))
        );
        assert_eq!(clones.place(&mine).unwrap().name, project);

        let moved = folder.path().join("moved");
        std::fs::rename(&mine, &moved).unwrap();
        assert_eq!(
            clones.note(&moved).unwrap().name,
            project,
            "it is known by its .git"
        );
        assert_eq!(clones.adopt(&forged).unwrap(), Some(project.clone()));
        assert_eq!(
            [&moved, &forged].map(|folder| clones.place(folder).unwrap().name),
            [project.clone(), project]
        );
    }

    /// The list with a change of the first folder of its only project.
    fn change_first(list: &Path, change: impl FnOnce(&mut serde_json::Value)) {
        let mut projects: serde_json::Value =
            serde_json::from_slice(&std::fs::read(list).unwrap()).unwrap();
        let folders = projects
            .as_object_mut()
            .unwrap()
            .values_mut()
            .next()
            .unwrap();
        change(&mut folders[0]);
        std::fs::write(list, projects.to_string()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn an_inode_makes_no_folder_another_one_that_is_still_there_or_was_made_at_another_time() {
        let folder = tempfile::tempdir().unwrap();
        let (mine, other) = (folder.path().join("engine"), folder.path().join("download"));
        repository(&mine);
        repository(&other);
        let clones = Clones::of(&folder.path().join("agent.annals"));
        let project = clones.note(&mine).unwrap().name;
        let git = std::fs::symlink_metadata(other.join(".git")).unwrap();
        let KnownFolder { id, born, .. } = KnownFolder::of(&other);
        change_first(&clones.list, |first| {
            first["id"] = serde_json::to_value(id).unwrap();
            first["born"] = serde_json::to_value(born).unwrap();
        });
        assert!(
            clones.place(&other).unwrap().apart.is_some(),
            "mine has its .git still"
        );
        std::fs::remove_dir_all(mine.join(".git")).unwrap();
        assert_eq!(clones.place(&other).unwrap().name, project);
        assert_eq!(born.is_some(), git.created().is_ok());
        change_first(&clones.list, |first| {
            first["born"] = serde_json::to_value(Duration::from_secs(1)).unwrap();
        });
        assert!(
            clones.place(&other).unwrap().apart.is_some(),
            "another file had the inode"
        );
    }

    #[test]
    fn of_folders_that_are_noted_at_once_one_is_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let folders: Vec<_> = (0..24)
            .map(|n| folder.path().join(format!("clone{n}")))
            .collect();
        folders.iter().for_each(|folder| repository(folder));
        let clones = Clones::of(&folder.path().join("agent.annals"));
        let together = std::sync::Barrier::new(folders.len());
        let places: Vec<Place> = std::thread::scope(|scope| {
            let noted: Vec<_> = folders
                .iter()
                .map(|folder| {
                    let (clones, together) = (&clones, &together);
                    scope.spawn(move || {
                        together.wait();
                        clones.note(folder).unwrap()
                    })
                })
                .collect();
            noted
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert_eq!(
            places.iter().filter(|place| place.apart.is_none()).count(),
            1,
            "{places:?}"
        );
    }

    #[test]
    fn a_copy_of_a_database_knows_the_folders_of_its_projects() {
        let folder = tempfile::tempdir().unwrap();
        let (mine, forged) = (folder.path().join("engine"), folder.path().join("download"));
        repository(&mine);
        repository(&forged);
        let [here, copy, restored] = ["a.annals", "backup/b.annals", "c.annals"]
            .map(|name| Clones::of(&folder.path().join(name)));
        here.copy_to(&copy).unwrap();
        assert!(!copy.list().exists(), "there was no list");
        let project = here.note(&mine).unwrap().name;
        here.copy_to(&copy).unwrap();
        restored.take_over(copy.all().unwrap()).unwrap();
        assert_eq!(restored.place(&mine).unwrap().name, project);
        assert!(restored.place(&forged).unwrap().apart.is_some());

        let [other, before] =
            ["d.annals", "e.annals"].map(|name| Clones::of(&folder.path().join(name)));
        other.note(&forged).unwrap();
        other.take_over(copy.all().unwrap()).unwrap();
        assert!(
            other.place(&mine).unwrap().apart.is_some(),
            "what is known here counts"
        );
        before.take_over(before.all().unwrap()).unwrap();
        assert!(!before.list().exists());
        before.copy_to(&copy).unwrap();
        assert!(
            !copy.list().exists(),
            "the list of another database stays nowhere"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_whose_path_is_no_text_has_a_memory_of_its_own() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let odd = [&b"engine-\xfe"[..], b"engine-\xff"]
            .map(|name| folder.path().join(std::ffi::OsStr::from_bytes(name)));
        odd.iter().for_each(|folder| repository(folder));
        let clones = Clones::of(&folder.path().join("agent.annals"));
        let names = odd.map(|folder| clones.note(&folder).unwrap().name);
        assert!(names.iter().all(|name| name.starts_with("project:engine-")));
        assert_ne!(names[0], names[1]);
        assert!(!clones.list().exists());
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
