use std::fs;
use std::path::{Path, PathBuf};

use super::{ModelError, ModelFolder};

/// Checks the model in `dir` and copies the files it needs to a folder of the same name below
/// `dest_root`.
///
/// Either the whole model is there afterwards or nothing; importing the same model again changes
/// nothing.
///
/// # Errors
/// [`ModelError`]: what is wrong with the folder, [`ModelError::BadName`] when its name cannot be
/// kept, [`ModelError::Exists`] when another model has that name.
pub fn import(
    dir: impl AsRef<Path>,
    dest_root: impl AsRef<Path>,
) -> Result<ModelFolder, ModelError> {
    let dir = dir.as_ref();
    // A path such as `.` has a name only once it is resolved.
    let whole = dir.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ModelError::Missing {
            path: dir.to_path_buf(),
            advice: "give the folder of a model with model.onnx and tokenizer.json in it"
                .to_owned(),
        },
        _ => ModelError::io("open", dir, error),
    })?;
    let name = whole
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    import_as(dir, dest_root, &name)
}

/// As [`import`], under a name of your choice.
///
/// # Errors
/// As [`import`].
pub fn import_as(
    dir: impl AsRef<Path>,
    dest_root: impl AsRef<Path>,
    name: &str,
) -> Result<ModelFolder, ModelError> {
    let (source, root) = (ModelFolder::open(dir)?, dest_root.as_ref());
    valid_name(name)?;
    let dest = root.join(name);
    if dest.exists() {
        return match ModelFolder::open(&dest) {
            Ok(there) if there.fingerprint()? == source.fingerprint()? => Ok(there),
            _ => Err(ModelError::Exists { path: dest }),
        };
    }
    let stage = Stage::create(root, name)?;
    for file in source.files() {
        copy(&source.dir().join(&file), &stage.0.join(&file))?;
    }
    ModelFolder::open(&stage.0)?;
    publish(&stage.0, &dest)?;
    ModelFolder::open(dest)
}

/// Puts a finished folder in its place, instead of an older one if there is one.
pub(crate) fn publish(stage: &Path, dest: &Path) -> Result<(), ModelError> {
    let old = hidden(dest, "old");
    if dest.exists() {
        remove_all(&old)?;
        fs::rename(dest, &old).map_err(|error| ModelError::io("replace", dest, error))?;
    }
    if let Err(error) = fs::rename(stage, dest) {
        if old.exists() && !dest.exists() {
            fs::rename(&old, dest).map_err(|error| ModelError::io("put back", dest, error))?;
        }
        return Err(ModelError::io("create", dest, error));
    }
    remove_all(&old)
}

/// A sibling of `path` that listings pass over.
pub(super) fn hidden(path: &Path, purpose: &str) -> PathBuf {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    path.with_file_name(format!(".{purpose}-{name}"))
}

pub(super) fn remove_all(path: &Path) -> Result<(), ModelError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ModelError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// Whether a name can be a folder below the models folder on every operating system.
pub(crate) fn valid_name(name: &str) -> Result<(), ModelError> {
    const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let bad = |reason| {
        Err(ModelError::BadName {
            name: name.to_owned(),
            reason,
        })
    };
    if name.is_empty() || name.len() > 200 {
        return bad("it has between 1 and 200 characters");
    }
    if !name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    {
        return bad("only ASCII letters, digits, dot, hyphen and underscore are allowed");
    }
    if name.starts_with('.') || name.ends_with('.') {
        return bad("it neither begins nor ends with a dot");
    }
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if RESERVED.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit())) {
        return bad("Windows keeps this name for itself");
    }
    Ok(())
}

/// A folder under construction; it goes when the work on it fails.
struct Stage(PathBuf);

impl Stage {
    fn create(root: &Path, name: &str) -> Result<Self, ModelError> {
        let path = root.join(format!(".import-{name}-{}", std::process::id()));
        remove_all(&path)?;
        fs::create_dir_all(&path).map_err(|error| ModelError::io("create", &path, error))?;
        Ok(Self(path))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // After a success it has been renamed and is not there; after a failure that failure is
        // what counts.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), ModelError> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(|error| ModelError::io("create", parent, error))?;
    }
    let mut source = fs::File::open(from).map_err(|error| ModelError::io("read", from, error))?;
    let mut dest = fs::File::create(to).map_err(|error| ModelError::io("create", to, error))?;
    std::io::copy(&mut source, &mut dest).map_err(|error| ModelError::io("write", to, error))?;
    dest.sync_all()
        .map_err(|error| ModelError::io("write", to, error))
}
