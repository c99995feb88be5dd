use std::fmt;
use std::path::PathBuf;

use crate::NetError;

/// A secret that a server asks for. It is never written anywhere: its `Debug` shows stars.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(***)")
    }
}

impl ApiKey {
    /// Takes a key; white space around it is dropped.
    ///
    /// # Errors
    /// [`NetError::NoKey`] when it is empty or has characters that no key has.
    pub fn new(key: &str) -> Result<Self, NetError> {
        Self::from(key, "the setting".to_owned())
    }

    fn from(key: &str, origin: String) -> Result<Self, NetError> {
        let key = key.trim();
        if key.is_empty() {
            return Err(NetError::NoKey {
                origin,
                reason: "it is empty".to_owned(),
            });
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(NetError::NoKey {
                origin,
                reason: "it has spaces or characters outside ASCII".to_owned(),
            });
        }
        Ok(Self(key.to_owned()))
    }

    /// The value of an `authorization` header with it.
    #[must_use]
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// The key itself, for a header of its own.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with each occurrence of the key replaced by stars: servers repeat keys in their
    /// complaints.
    #[must_use]
    pub fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

/// Where a key comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySource {
    /// The server asks for none.
    #[default]
    None,
    /// The environment variable of this name.
    Variable(String),
    /// The content of this file.
    File(PathBuf),
    /// This key.
    Given(ApiKey),
}

impl KeySource {
    /// Reads the key.
    ///
    /// # Errors
    /// [`NetError::NoKey`] when it is not there or is none.
    pub fn read(&self) -> Result<Option<ApiKey>, NetError> {
        match self {
            Self::None => Ok(None),
            Self::Given(key) => Ok(Some(key.clone())),
            Self::Variable(name) => {
                let origin = format!("the variable {name}");
                let value = std::env::var(name).map_err(|error| NetError::NoKey {
                    origin: origin.clone(),
                    reason: error.to_string(),
                })?;
                ApiKey::from(&value, origin).map(Some)
            }
            Self::File(path) => {
                let origin = path.display().to_string();
                let text = std::fs::read_to_string(path).map_err(|error| NetError::NoKey {
                    origin: origin.clone(),
                    reason: error.to_string(),
                })?;
                ApiKey::from(&text, origin).map(Some)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, KeySource};

    #[test]
    fn a_key_is_never_shown() {
        let key = ApiKey::new(" sk-abc\n").unwrap();
        let shown = format!("{key:?} {:?}", KeySource::Given(key.clone()));
        assert!(!shown.contains("abc"), "{shown}");
        assert_eq!(key.hide_in("no key sk-abc here"), "no key *** here");
        assert_eq!(key.bearer(), "Bearer sk-abc");
    }

    #[test]
    fn what_is_no_key_is_named_by_its_origin() {
        assert!(ApiKey::new(" ").unwrap_err().to_string().contains("empty"));
        let error = ApiKey::new("a\nb").unwrap_err().to_string();
        assert!(error.contains("spaces") && !error.contains('\n'), "{error}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        assert!(
            KeySource::File(path.clone())
                .read()
                .unwrap_err()
                .to_string()
                .contains("key")
        );
        std::fs::write(&path, "k-1\n").unwrap();
        assert_eq!(
            KeySource::File(path).read().unwrap(),
            Some(ApiKey::new("k-1").unwrap())
        );
        let unset = KeySource::Variable("ANNALS_TEST_NO_SUCH_VARIABLE".to_owned())
            .read()
            .unwrap_err()
            .to_string();
        assert!(unset.contains("ANNALS_TEST_NO_SUCH_VARIABLE"), "{unset}");
        assert_eq!(KeySource::None.read().unwrap(), None);
    }
}
