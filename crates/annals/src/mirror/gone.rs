//! The files of a namespace that is deleted.

use std::path::{Path, PathBuf};

use annals_storage::Reads;
use annals_types::profile::MirrorFormat;
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
            let of = |file: &&annals_types::profile::MirrorFile| path.ends_with(place(Path::new(""), file, name));
            let Some(file) = rulebook.profile.mirrors.files.iter().find(of) else { continue };
            match file.format {
                MirrorFormat::Turns => files.extend(noted.iter().map(|it| session_file(&path, &it.short))),
                MirrorFormat::Daily => {
                    let of_day = |date: &str| PathBuf::from(path.to_string_lossy().replace("{date}", date));
                    files.extend(noted.iter().map(|it| of_day(&it.short)));
                }
                MirrorFormat::Entries | MirrorFormat::Lines => files.extend([disk::beside(&path, ".bak"), path]),
            }
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
