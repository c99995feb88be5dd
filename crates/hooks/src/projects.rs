//! The projects that were enabled. The list stands beside the database and not in the projects: a
//! repository that comes from elsewhere must not enable itself.

use std::path::{Path, PathBuf};

use annals::Timestamp;
use annals_clients::HeldFile;
use serde::{Deserialize, Serialize};

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
    /// [`HookError::File`] when the list cannot be read, [`HookError::Damaged`] when it is no list.
    pub fn projects(&self) -> Result<Vec<EnabledProject>, HookError> {
        let path = self.list();
        // Whoever can put files there could enable a project, and say what a session was shown.
        match annals_private::check_own_folder(&self.folder)
            .and_then(|()| annals_private::read(&path))
        {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => listed(&path, Some(&read.map_err(HookError::file("read", &path))?)),
        }
    }

    /// The enabled project of a folder whose project begins at `root`; where no project begins
    /// above the folder, the enabled one that the folder lies in.
    ///
    /// # Errors
    /// As [`projects`](Self::projects).
    pub fn project(
        &self,
        folder: &Path,
        root: Option<&Path>,
    ) -> Result<Option<EnabledProject>, HookError> {
        let all = self.projects()?;
        let of = |path: &Path| all.iter().find(|project| project.root == path).cloned();
        Ok(match root {
            Some(root) => of(root),
            None => folder.ancestors().find_map(of),
        })
    }

    /// Enables hooks in a project, or moves those that it has to another namespace; answers whether
    /// they were not enabled before.
    ///
    /// # Errors
    /// As [`projects`](Self::projects); [`HookError::Settings`] when it cannot be written;
    /// [`HookError::Input`] for a folder whose path is no text, which the list cannot hold.
    pub fn enable(&self, root: &Path, namespace: &str, now: Timestamp) -> Result<bool, HookError> {
        if root.to_str().is_none() {
            return Err(HookError::Input(format!(
                "the path of {} is not UTF-8: rename the folder, then enable hooks",
                root.display()
            )));
        }
        self.change(
            |all| match all.iter_mut().find(|project| project.root == root) {
                Some(known) => {
                    let moved = known.namespace != namespace;
                    namespace.clone_into(&mut known.namespace);
                    (moved, false)
                }
                None => {
                    all.push(EnabledProject {
                        root: root.to_owned(),
                        namespace: namespace.to_owned(),
                        since: now,
                    });
                    (true, true)
                }
            },
        )
    }

    /// Disables hooks in a project; answers whether they were enabled. What was kept stays.
    ///
    /// # Errors
    /// As [`enable`](Self::enable).
    pub fn disable(&self, root: &Path) -> Result<bool, HookError> {
        if !self.list().exists() {
            return Ok(false);
        }
        self.change(|all| {
            let before = all.len();
            all.retain(|project| project.root != root);
            let changed = all.len() != before;
            (changed, changed)
        })
    }

    /// Changes the list, which nobody else changes meanwhile; `edit` answers whether it changed
    /// anything, and what is to be answered.
    fn change(
        &self,
        edit: impl FnOnce(&mut Vec<EnabledProject>) -> (bool, bool),
    ) -> Result<bool, HookError> {
        annals_private::make_own_folder(&self.folder)
            .map_err(HookError::file("make", &self.folder))?;
        let path = self.list();
        if let Some(refusal) = annals_private::foreign(&path) {
            return Err(HookError::file("read", &path)(refusal.into()));
        }
        let mut held = HeldFile::hold(&path)?.private();
        let mut all = listed(&path, held.bytes())?;
        let (changed, answer) = edit(&mut all);
        if changed {
            let text =
                serde_json::to_vec(&all).map_err(|error| HookError::Input(error.to_string()))?;
            held.replace(&text)?;
        }
        Ok(answer)
    }

    fn list(&self) -> PathBuf {
        self.folder.join("projects.json")
    }
}

/// The list that a file holds. One that cannot be read is no empty list: it would be lost with the
/// next change.
fn listed(path: &Path, bytes: Option<&[u8]>) -> Result<Vec<EnabledProject>, HookError> {
    let Some(bytes) = bytes else {
        return Ok(Vec::new());
    };
    serde_json::from_slice(bytes).map_err(|error| HookError::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks(folder: &tempfile::TempDir) -> Hooks {
        Hooks::beside(&folder.path().join("a.annals"))
    }

    #[test]
    fn projects_that_are_enabled_at_once_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let many: Vec<PathBuf> = (0..48)
            .map(|n| PathBuf::from(format!("/projects/{n}")))
            .collect();
        let together = std::sync::Barrier::new(many.len());
        std::thread::scope(|scope| {
            for root in &many {
                scope.spawn(|| {
                    together.wait();
                    assert!(
                        hooks(&folder)
                            .enable(root, "p", Timestamp::from_millis(1))
                            .unwrap()
                    );
                });
            }
        });
        let mut enabled: Vec<PathBuf> = hooks(&folder)
            .projects()
            .unwrap()
            .into_iter()
            .map(|one| one.root)
            .collect();
        enabled.sort();
        let mut wanted = many.clone();
        wanted.sort();
        assert_eq!(enabled, wanted);
        std::thread::scope(|scope| {
            for root in many.iter().skip(1) {
                scope.spawn(|| assert!(hooks(&folder).disable(root).unwrap()));
            }
        });
        assert_eq!(hooks(&folder).projects().unwrap().len(), 1);
        let left: Vec<_> = std::fs::read_dir(hooks(&folder).folder).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_whose_path_is_no_text_is_refused_with_the_reason() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(std::ffi::OsStr::from_bytes(b"/projects/\xff"));
        let refused = hooks(&folder).enable(root, "p", Timestamp::from_millis(1));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("not UTF-8"), "{refused}");
        assert!(hooks(&folder).projects().unwrap().is_empty());
    }

    #[test]
    fn a_damaged_list_is_an_error_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = hooks(&folder);
        assert!(
            hooks
                .enable(Path::new("/a"), "p", Timestamp::from_millis(1))
                .unwrap()
        );
        let whole = std::fs::read(hooks.list()).unwrap();
        for damaged in [&whole[..whole.len() / 2], b"", b"{}", b"\xff"] {
            std::fs::write(hooks.list(), damaged).unwrap();
            let now = Timestamp::from_millis(2);
            for error in [
                hooks.projects().map(drop).unwrap_err(),
                hooks
                    .enable(Path::new("/b"), "p", now)
                    .map(drop)
                    .unwrap_err(),
                hooks.disable(Path::new("/a")).map(drop).unwrap_err(),
            ] {
                assert!(matches!(error, HookError::Damaged { .. }), "{error}");
                assert!(error.to_string().contains("projects.json"), "{error}");
            }
            assert_eq!(std::fs::read(hooks.list()).unwrap(), damaged);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_list_that_another_user_could_have_made_enables_nothing() {
        use std::os::unix::fs::{PermissionsExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let hooks = hooks(&folder);
        hooks
            .enable(Path::new("/a"), "p", Timestamp::from_millis(1))
            .unwrap();
        let refused = |word: &str| {
            for error in [
                hooks.projects().map(drop).unwrap_err(),
                hooks
                    .enable(Path::new("/b"), "p", Timestamp::from_millis(1))
                    .map(drop)
                    .unwrap_err(),
            ] {
                assert!(error.to_string().contains(word), "{error}");
            }
        };
        std::fs::set_permissions(&hooks.folder, PermissionsExt::from_mode(0o777)).unwrap();
        refused("other users");
        std::fs::set_permissions(&hooks.folder, PermissionsExt::from_mode(0o700)).unwrap();
        if annals_private::own_user() != 0 {
            eprintln!("skipped: only the administrator can give a file to another user");
            return;
        }
        chown(&hooks.folder, Some(65_534), None).unwrap();
        refused("belongs to");
        chown(&hooks.folder, Some(0), None).unwrap();
        chown(hooks.list(), Some(65_534), None).unwrap();
        refused("belongs to");
        chown(hooks.list(), Some(0), None).unwrap();
        assert_eq!(hooks.projects().unwrap().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_the_list_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = hooks(&folder);
        annals_private::make_own_folder(&hooks.folder).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(hooks.list())
            .status()
            .unwrap();
        assert!(made.success());
        assert!(hooks.projects().unwrap_err().to_string().contains("a pipe"));
        assert!(
            hooks
                .enable(Path::new("/b"), "p", Timestamp::from_millis(1))
                .is_err()
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_list_keeps_its_rights() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let hooks = hooks(&folder);
        let mode = || {
            std::fs::metadata(hooks.list())
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        hooks
            .enable(Path::new("/a"), "p", Timestamp::from_millis(1))
            .unwrap();
        assert_eq!(mode(), 0o600);
        std::fs::set_permissions(hooks.list(), PermissionsExt::from_mode(0o640)).unwrap();
        hooks
            .enable(Path::new("/b"), "p", Timestamp::from_millis(1))
            .unwrap();
        assert_eq!(mode(), 0o640);
    }
}
