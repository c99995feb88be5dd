//! The files of a namespace that is deleted.

use std::path::{Path, PathBuf};

use annals_storage::Reads;
use annals_types::{NamespaceId, NamespaceName};

use super::{disk, noted, owners, place, session_file};
use crate::Error;
use crate::engine::Engine;

impl Engine {
    /// The files that mirror a namespace and are there, with their backups: what was written of its memories. What a person wrote and annals
    /// set aside is not among them, nor what another program left.
    pub(crate) fn mirror_files(
        &self,
        reads: &dyn Reads,
        (ns, name): (NamespaceId, &NamespaceName),
    ) -> Result<Vec<PathBuf>, Error> {
        let rulebook = self.rulebooks.of(reads, ns)?;
        let mut files = Vec::new();
        for (path, noted) in noted::all(reads, ns)? {
            let path = PathBuf::from(path);
            if owners::is_others(reads, ns, &path)? {
                continue;
            }
            let of = |file: &annals_types::profile::MirrorFile| path.ends_with(place(Path::new(""), file, name));
            // What another program left is noted, too; a file that was written stays known when the profile changes.
            if !rulebook.profile.mirrors.files.iter().any(of) && !owners::is_own(reads, ns, &path)? {
                continue;
            }
            let each = |mark: &str, of: &dyn Fn(&str) -> PathBuf| -> Option<Vec<PathBuf>> {
                path.to_string_lossy().contains(mark).then(|| noted.iter().map(|it| of(&it.short)).collect())
            };
            let of_day = |date: &str| PathBuf::from(path.to_string_lossy().replace("{date}", date));
            let many = each("{session}", &|session| session_file(&path, session)).or_else(|| each("{date}", &of_day));
            files.extend(many.unwrap_or_else(|| vec![disk::beside(&path, ".bak"), path.clone()]));
        }
        files.retain(|path| path.exists());
        Ok(files)
    }

    /// Removes some files.
    pub(crate) fn remove_mirrors(&self, files: &[PathBuf]) -> Result<(), Error> {
        // Nobody may be writing them meanwhile.
        let _alone = self.mirroring.lock();
        files.iter().try_for_each(|path| disk::remove(path).map(drop))
    }
}
