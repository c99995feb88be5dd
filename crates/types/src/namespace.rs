use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::label::{check_label, checked_text};

/// The name of a namespace, such as `user:42`: 1 to 256 bytes, no control characters, no white
/// space at its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NamespaceName(String);

impl NamespaceName {
    /// The longest name in bytes.
    pub const MAX_BYTES: usize = 256;

    /// Checks `name`.
    ///
    /// # Errors
    /// [`InvalidValue::Empty`], [`InvalidValue::TooLong`] or [`InvalidValue::BadLabel`].
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidValue> {
        let name = name.into();
        check_label("namespace", &name, Self::MAX_BYTES)?;
        Ok(Self(name))
    }
}

checked_text!(NamespaceName);

impl FromStr for NamespaceName {
    type Err = InvalidValue;

    fn from_str(name: &str) -> Result<Self, InvalidValue> {
        Self::new(name)
    }
}

/// The interned number of a namespace; every key of its data begins with these four bytes,
/// big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NamespaceId(pub u32);

impl NamespaceId {
    /// The key prefix of everything the namespace owns.
    #[must_use]
    pub const fn prefix(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }
}
