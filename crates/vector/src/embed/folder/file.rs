use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path};

use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::Xxh3;

use super::error::ModelError;

/// No settings file of a model is larger; a larger one is something else.
const MAX_SETTINGS_BYTES: u64 = 16 << 20;

/// The text of a file, or none when it is not there.
pub(super) fn read_optional(path: &Path) -> Result<Option<String>, ModelError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ModelError::io("read", path, error)),
        Ok(meta) if meta.len() > MAX_SETTINGS_BYTES => {
            return Err(ModelError::broken(
                path,
                "it is larger than 16 MB",
                "put the model's own file there",
            ));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(|error| ModelError::io("read", path, error))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        ModelError::unreadable(path, "it is not UTF-8 text", "copy the file again", error)
    })
}

/// The content of a JSON file, or none when it is not there.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ModelError> {
    let Some(text) = read_optional(path)? else {
        return Ok(None);
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        ModelError::unreadable(
            path,
            format!("{error}"),
            "copy the file from the model again",
            error,
        )
    })
}

/// Whether a relative path stays below the folder it is joined to, on every operating system.
pub(crate) fn is_inside(relative: &str) -> bool {
    !relative.is_empty()
        && !relative.contains(['\\', ':', '\0'])
        && !relative.contains(char::is_control)
        && relative.split('/').all(|part| !part.is_empty())
        && Path::new(relative)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// Feeds a file into a hash, length first, so that two files cannot be told from one only by where
/// they split.
pub(super) fn hash_file(hash: &mut Xxh3, path: &Path) -> Result<u64, ModelError> {
    let failed = |error| ModelError::io("read", path, error);
    let mut file = fs::File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    hash.update(&length.to_be_bytes());
    let mut buffer = vec![0; 1 << 18];
    loop {
        let got = file.read(&mut buffer).map_err(failed)?;
        if got == 0 {
            return Ok(length);
        }
        hash.update(buffer.get(..got).unwrap_or_default());
    }
}

/// Feeds a piece of text into a hash, length first.
pub(super) fn hash_text(hash: &mut Xxh3, text: &str) {
    hash.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn paths_that_leave_the_folder_are_known() {
        for good in [
            "model.onnx",
            "onnx/model.onnx",
            "1_Pooling/config.json",
            "..a",
        ] {
            assert!(is_inside(good), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a//b",
            "./a",
            "a\\b",
            "C:x",
            "a/",
            "a\nb",
            ".",
        ] {
            assert!(!is_inside(bad), "{bad:?}");
        }
    }
}
