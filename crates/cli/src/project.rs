//! The project of a working directory, and the namespace of its memories.

use std::io;
use std::path::{Path, PathBuf};

use crate::clones::{Clones, Place};
use crate::failure::Failure;

/// Where a working directory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    /// The folder itself, without links.
    pub(crate) folder: PathBuf,
    /// The nearest folder above it, or itself, that holds a `.git`.
    pub(crate) root: Option<PathBuf>,
}

impl Project {
    /// The project of a folder.
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        let root = annals_mcp::git_root(&folder);
        Ok(Self { folder, root })
    }

    /// The folder in which the project begins; the folder itself where nothing tells.
    pub(crate) fn base(&self) -> &Path {
        self.root.as_deref().unwrap_or(&self.folder)
    }

    /// The memory of the project in a database.
    pub(crate) fn place(&self, clones: &Clones) -> Result<Place, Failure> {
        clones.place(&self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_begins_at_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("a/relay"), folder.path().join("b/relay"));
        for root in [&one, &two] {
            std::fs::create_dir_all(root.join("src/deep")).unwrap();
            std::fs::create_dir(root.join(".git")).unwrap();
        }
        let deep = Project::of(&one.join("src/deep")).unwrap();
        assert_eq!(deep.root.as_deref(), Some(&*one.canonicalize().unwrap()));
        let clones = Clones::of(&folder.path().join("agent.annals"));
        let name = |folder: &Path| Project::of(folder).unwrap().place(&clones).unwrap().name;
        assert_eq!(deep.place(&clones).unwrap().name, name(&one));
        let names = [&one, &two].map(|root| name(root));
        assert!(
            names
                .iter()
                .all(|name| name.starts_with("project:relay-") && name.len() == 38),
            "{names:?}"
        );
        assert_ne!(names[0], names[1]);
        assert!(annals::NamespaceName::new(name(Path::new("/"))).is_ok());
    }
}
