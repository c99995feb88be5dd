//! Keys as columns. An entry of a btree index of PostgreSQL holds at most about 2,700 bytes, and a
//! key of annals up to 64 KiB: the head is indexed, the tail beside it is told apart by its hash.

use sha2::{Digest as _, Sha256};

/// The bytes of a key that are indexed.
const HEAD_BYTES: usize = 1024;

/// A key as it stands in its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) head: Vec<u8>,
    /// What follows the head; mostly empty.
    pub(crate) tail: Vec<u8>,
}

impl Key {
    pub(crate) fn new(key: &[u8]) -> Self {
        let (head, tail) = key.split_at(key.len().min(HEAD_BYTES));
        Self {
            head: head.to_vec(),
            tail: tail.to_vec(),
        }
    }

    /// A key behind all that can be stored.
    pub(crate) fn behind_all() -> Self {
        Self {
            head: vec![0xff; HEAD_BYTES + 1],
            tail: Vec::new(),
        }
    }

    /// What tells apart keys of one head: nothing without a tail.
    pub(crate) fn hash(&self) -> Vec<u8> {
        if self.tail.is_empty() {
            Vec::new()
        } else {
            Sha256::digest(&self.tail).to_vec()
        }
    }

    /// The key that two columns hold.
    pub(crate) fn joined(head: &[u8], tail: &[u8]) -> Vec<u8> {
        [head, tail].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_keep_their_order_and_their_bytes() {
        let keys = [
            vec![],
            vec![1],
            vec![7; 1024],
            vec![7; 1025],
            [vec![7; 1024], vec![8]].concat(),
            vec![0xff; 5000],
        ];
        let parts = |key: &Vec<u8>| (Key::new(key).head, Key::new(key).tail);
        assert!(keys.is_sorted() && keys.iter().map(parts).is_sorted());
        for key in &keys {
            let parts = Key::new(key);
            assert_eq!(&Key::joined(&parts.head, &parts.tail), key);
            assert_eq!(parts.hash().is_empty(), key.len() <= 1024);
            assert!(parts.head < Key::behind_all().head);
        }
        assert_ne!(Key::new(&keys[3]).hash(), Key::new(&keys[4]).hash());
    }
}
