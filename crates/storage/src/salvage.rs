//! What is left of a damaged file.

use crate::hex::shown_key;

/// Something of a damaged file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// The keyspace; empty where not even that is known.
    pub keyspace: String,
    /// Keys that may be gone lie behind this one.
    pub after: Vec<u8>,
    /// The last key that may be gone; `None` where the keyspace goes on to its end. The same as
    /// `after` where it is one key.
    pub up_to: Option<Vec<u8>>,
    /// What was found there.
    pub reason: String,
}

impl Lost {
    /// The key, where it is one alone.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        self.up_to.as_deref().filter(|up_to| *up_to == self.after)
    }
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            keyspace, reason, ..
        } = self;
        match (keyspace.as_str(), self.key(), &self.up_to) {
            ("", ..) => f.write_str(reason),
            (_, Some(key), _) => write!(f, "{keyspace} key {}: {reason}", shown_key(key)),
            (_, None, _) if self.after.is_empty() && self.up_to.is_none() => {
                write!(f, "{keyspace}: {reason}")
            }
            (_, None, None) => write!(
                f,
                "{keyspace} keys behind {}: {reason}",
                shown_key(&self.after)
            ),
            (_, None, Some(up_to)) => {
                write!(
                    f,
                    "{keyspace} keys behind {} up to {}: {reason}",
                    shown_key(&self.after),
                    shown_key(up_to)
                )
            }
        }
    }
}

/// What was saved of a damaged file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Salvage {
    /// Values that were saved, each with a checksum that is right.
    pub values: u64,
    /// Pages and entries of the log in which one bit was put right.
    pub mended: u64,
    /// What was lost; at most 10,000 places are listed.
    pub lost: Vec<Lost>,
    /// How many places there are.
    pub lost_count: u64,
}

impl Salvage {
    pub(crate) fn lose(&mut self, lost: Lost) {
        self.lost_count += 1;
        if self.lost.len() < 10_000 {
            self.lost.push(lost);
        }
    }
}
