use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use annals_types::Fingerprint;

use super::import::{hidden, remove_all, valid_name};
use super::{ModelError, ModelFolder};

/// A folder below the models folder.
#[derive(Debug)]
#[non_exhaustive]
pub struct Installed {
    /// The name of the folder, by which the model is chosen.
    pub name: String,
    /// The folder.
    pub path: PathBuf,
    /// The facts about the model, or the fault of the folder.
    pub facts: Result<Facts, ModelError>,
}

/// The facts that a listing tells about a sound model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// The length of its vectors, where the settings files say it.
    pub dims: Option<usize>,
    /// Its vector space.
    pub fingerprint: Fingerprint,
    /// The bytes of its files.
    pub bytes: u64,
}

/// The models below `dest_root` by name; none when the folder does not exist.
///
/// # Errors
/// [`ModelError::Io`] when `dest_root` cannot be listed.
pub fn installed(dest_root: impl AsRef<Path>) -> Result<Vec<Installed>, ModelError> {
    let root = dest_root.as_ref();
    let entries = match fs::read_dir(root) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|error| ModelError::io("list", root, error))?,
    };
    let mut models = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| ModelError::io("list", root, error))?
            .path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') {
            let facts = facts(&path);
            models.push(Installed { name, path, facts });
        }
    }
    models.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(models)
}

fn facts(path: &Path) -> Result<Facts, ModelError> {
    let folder = ModelFolder::open(path)?;
    Ok(Facts {
        dims: folder.dims(),
        fingerprint: folder.fingerprint()?,
        bytes: folder.bytes()?,
    })
}

/// Deletes the model of that name below `dest_root`.
///
/// # Errors
/// [`ModelError::Missing`] when there is none, [`ModelError::Io`] when the system refuses.
pub fn remove(dest_root: impl AsRef<Path>, name: &str) -> Result<(), ModelError> {
    valid_name(name)?;
    let path = dest_root.as_ref().join(name);
    if !path.is_dir() {
        return Err(ModelError::Missing {
            path,
            advice: "`annals model list` shows the names".to_owned(),
        });
    }
    // Renamed first, so that a half-deleted model is never listed.
    let old = hidden(&path, "old");
    remove_all(&old)?;
    fs::rename(&path, &old).map_err(|error| ModelError::io("remove", &path, error))?;
    remove_all(&old)
}
