use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};

use parking_lot::Mutex;

use crate::StorageError;

/// One ordered map from byte keys to byte values inside a file. Each layer declares its own, named
/// `layer.what`. Two of one name are the same.
#[derive(Debug, Clone, Copy)]
pub struct Keyspace {
    name: &'static str,
    newest: u8,
}

impl PartialEq for Keyspace {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Keyspace {}

impl PartialOrd for Keyspace {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Keyspace {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Keyspace {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Keyspace {
    /// Declares a keyspace. The name is part of the file format. A reader looks at the version of
    /// each value.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            newest: u8::MAX,
        }
    }

    /// The same, where the program knows values up to a version: reading a newer one is
    /// [`StorageError::TooNew`].
    #[must_use]
    pub const fn up_to(self, newest: u8) -> Self {
        Self { newest, ..self }
    }

    /// Fails for a version that the program does not know.
    pub(crate) fn check(self, version: u8) -> Result<(), StorageError> {
        if version <= self.newest {
            return Ok(());
        }
        let (found, supported) = (u32::from(version), u32::from(self.newest));
        Err(StorageError::TooNew {
            what: format!("a value of {self}"),
            found,
            supported,
        })
    }

    /// The keyspace of a name read from a file. Each distinct name stays in memory; a file has a
    /// few dozen.
    pub(crate) fn interned(name: &str) -> Self {
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut names = NAMES.lock();
        let known = names.get(name).copied();
        Self::new(known.unwrap_or_else(|| {
            let name: &'static str = String::from(name).leak();
            names.insert(name);
            name
        }))
    }

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl fmt::Display for Keyspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The smallest key above every key that begins with `prefix`; `None` when there is none (all bytes
/// 0xFF).
#[must_use]
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyspace_is_its_name() {
        let (plain, bound) = (Keyspace::new("a.b"), Keyspace::new("a.b").up_to(3));
        assert_eq!((plain, plain.cmp(&bound)), (bound, Ordering::Equal));
        assert!(plain.check(u8::MAX).is_ok() && bound.check(3).is_ok());
        assert!(matches!(
            bound.check(4),
            Err(StorageError::TooNew {
                found: 4,
                supported: 3,
                ..
            })
        ));
    }

    #[test]
    fn the_end_of_a_prefix_is_just_above_it() {
        assert_eq!(prefix_end(&[1, 2]), Some(vec![1, 3]));
        assert_eq!(prefix_end(&[1, 0xFF]), Some(vec![2]));
        assert_eq!(prefix_end(&[0xFF, 0xFF]), None);
    }
}
