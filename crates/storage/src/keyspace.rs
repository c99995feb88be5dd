use std::collections::BTreeSet;
use std::fmt;

use parking_lot::Mutex;

/// One ordered map from byte keys to byte values inside a file. Each layer declares its own, named `layer.what`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Keyspace(&'static str);

impl Keyspace {
    /// Declares a keyspace. The name is part of the file format.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The keyspace of a name read from a file. Each distinct name stays in memory; a file has a few dozen.
    pub(crate) fn interned(name: &str) -> Self {
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut names = NAMES.lock();
        let known = names.get(name).copied();
        Self(known.unwrap_or_else(|| {
            let name: &'static str = String::from(name).leak();
            names.insert(name);
            name
        }))
    }

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Keyspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The smallest key above every key that begins with `prefix`; `None` when there is none (all bytes 0xFF).
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
    fn the_end_of_a_prefix_is_just_above_it() {
        assert_eq!(prefix_end(&[1, 2]), Some(vec![1, 3]));
        assert_eq!(prefix_end(&[1, 0xFF]), Some(vec![2]));
        assert_eq!(prefix_end(&[0xFF, 0xFF]), None);
    }
}
