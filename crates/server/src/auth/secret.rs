//! Secrets of 256 random bits, and the hashes by which they are known.

use std::fmt;

use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use subtle::ConstantTimeEq as _;

use crate::ServeError;

const BYTES: usize = 32;

/// A secret as its owner holds it: 64 hexadecimal digits.
#[derive(Clone)]
pub(crate) struct Secret(String);

/// A secret is no word for logs.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// A secret that nobody guesses.
    pub(crate) fn random() -> Result<Self, ServeError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| ServeError::Random(error.to_string()))?;
        Ok(Self(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

/// The SHA-256 of a secret. With 256 random bits behind it, it needs neither salt nor many rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest([u8; SHA256_OUTPUT_LEN]);

impl Digest {
    pub(crate) fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let mut own = [0; SHA256_OUTPUT_LEN];
        own.copy_from_slice(digest(&SHA256, bytes).as_ref());
        Self(own)
    }

    /// Compares in a time that tells nothing of where they differ.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; SHA256_OUTPUT_LEN] {
        &self.0
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bad = || serde::de::Error::custom("a hash has 64 hexadecimal digits");
        if text.len() != 2 * SHA256_OUTPUT_LEN || !text.is_ascii() {
            return Err(bad());
        }
        let mut own = [0; SHA256_OUTPUT_LEN];
        for (place, byte) in own.iter_mut().enumerate() {
            let digits = text.get(2 * place..2 * place + 2).ok_or_else(bad)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(own))
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, Secret};

    #[test]
    fn a_secret_has_256_bits_and_is_known_by_its_hash_alone() {
        let (one, two) = (Secret::random().unwrap(), Secret::random().unwrap());
        assert_eq!(one.reveal().len(), 64);
        assert!(
            one.digest().matches(&Digest::of(one.reveal())) && !one.digest().matches(&two.digest())
        );
        let stored = serde_json::to_string(&one.digest()).unwrap();
        assert!(!stored.contains(one.reveal()) && !format!("{one:?}").contains(one.reveal()));
        assert_eq!(
            serde_json::from_str::<Digest>(&stored).unwrap(),
            one.digest()
        );
        assert!(serde_json::from_str::<Digest>("\"00\"").is_err());
    }
}
