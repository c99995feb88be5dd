//! What files said when they were last written, so that what a person edited since can be told.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use annals_extraction::markdown::File;
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};

use crate::Error;

/// Namespace, path of the file -> the memories in it, as they were last written. No text, only its hash.
pub(crate) const MIRRORS: Keyspace = Keyspace::new("annals.mirrors");
/// The same for a file that is about to be written, in the same form; gone when it is.
pub(crate) const PENDING: Keyspace = Keyspace::new("annals.mirrors_pending");
const VERSION: u8 = 1;
/// The longest key: longer paths are cut, which costs nothing but a comparison with nothing.
const MAX_PATH: usize = 4096;

/// A memory of a file, as it was last written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noted {
    /// Its name in the file.
    pub(super) short: String,
    pub(super) id: MemoryId,
    pub(super) hash: u64,
    /// As [`kind`] makes it.
    pub(super) kind: String,
    pub(super) score: f64,
    pub(super) hits: u32,
    pub(super) activated: Timestamp,
    pub(super) expires: Option<Timestamp>,
}

/// What stands between a category and a group: neither has it.
const BETWEEN: char = '\u{1f}';

/// A category as it is noted, with the group behind it where there is one.
pub(super) fn kind(category: &str, group: &str) -> String {
    if group.is_empty() { category.to_owned() } else { format!("{category}{BETWEEN}{group}") }
}

/// A score as files show it: what fades between two looks changes no file.
pub(super) fn shown(score: f64) -> String {
    format!("{score:.2}")
}

fn sorted(all: &[Noted]) -> Vec<Compared<'_>> {
    let mut all: Vec<_> = all.iter().map(Noted::compared).collect();
    all.sort_unstable();
    all
}

/// What a file can tell of a memory: name, id, text, kind, score, hits, last use and expiry.
type Compared<'a> = (&'a str, MemoryId, u64, &'a str, String, u32, Timestamp, Option<Timestamp>);

impl Noted {
    fn compared(&self) -> Compared<'_> {
        let Self { short, id, hash, kind, score, hits, activated, expires } = self;
        (short, *id, *hash, kind, shown(*score), *hits, *activated, *expires)
    }

    /// The category and the group.
    pub(super) fn category(&self) -> (&str, &str) {
        self.kind.split_once(BETWEEN).unwrap_or((&self.kind, ""))
    }
}

/// FNV-1a of a text: to notice edits, not to withstand anyone.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A path as a key, without a namespace: as much of it as fits.
pub(super) fn place(path: &Path) -> Vec<u8> {
    let path = path.to_string_lossy();
    let path = path.as_bytes();
    path.get(path.len().saturating_sub(MAX_PATH)..).unwrap_or_default().to_vec()
}

/// A path as a key.
pub(super) fn key(ns: NamespaceId, path: &Path) -> Vec<u8> {
    [&ns.prefix()[..], &place(path)].concat()
}

/// The path of a key; `None` for one that was cut, which names no file.
pub(super) fn path_of(ns: NamespaceId, key: &[u8]) -> Option<PathBuf> {
    let path = key.get(ns.prefix().len()..).filter(|path| path.len() < MAX_PATH)?;
    Some(PathBuf::from(std::str::from_utf8(path).ok()?))
}

fn encode(all: &[Noted]) -> Vec<u8> {
    let mut put = Put::with_capacity(64 * all.len());
    put.length(all.len());
    for noted in all {
        put.text(&noted.short);
        put.raw(noted.id.as_bytes());
        put.raw(&noted.hash.to_le_bytes());
        put.text(&noted.kind);
        put.raw(&noted.score.to_le_bytes());
        put.varint(u64::from(noted.hits));
        put.zigzag(noted.activated.as_millis());
        put.byte(u8::from(noted.expires.is_some()));
        if let Some(expires) = noted.expires {
            put.zigzag(expires.as_millis());
        }
    }
    put.finish()
}

fn decode(body: &[u8]) -> Result<Vec<Noted>, Broken> {
    let mut take = Take::new(body);
    let count = take.count(36)?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        all.push(Noted {
            short: take.text()?.to_owned(),
            id: MemoryId::from_bytes(take.array()?),
            hash: u64::from_le_bytes(take.array()?),
            kind: take.text()?.to_owned(),
            score: f64::from_le_bytes(take.array()?),
            hits: take.varint32()?,
            activated: Timestamp::from_millis(take.zigzag()?),
            expires: match take.byte()? {
                0 => None,
                1 => Some(Timestamp::from_millis(take.zigzag()?)),
                _ => return Err(Broken("an expiry has an unknown form")),
            },
        });
    }
    take.end()?;
    Ok(all)
}

/// What is known of what a file says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Record {
    /// As it was last written, or last read; empty when it never was, or when what is stored is of a version not known.
    written: Vec<Noted>,
    /// As it was to be written by a run that did not come to its end: the file may say this, or what it said before.
    pending: Option<Vec<Noted>>,
}

impl Record {
    pub(super) fn get(reads: &dyn Reads, ns: NamespaceId, path: &Path) -> Result<Self, Error> {
        let one = |keyspace| match reads.get(keyspace, &key(ns, path))? {
            Some(stored) if stored.version == VERSION => {
                let all = decode(&stored.body);
                all.map(Some).map_err(|broken| Error::internal(format!("{}: {}", keyspace.name(), broken.0)))
            }
            _ => Ok(None),
        };
        Ok(Self { written: one(MIRRORS)?.unwrap_or_default(), pending: one(PENDING)? })
    }

    /// All that the file may say: what it said, and what was about to be written.
    pub(super) fn into_all(self) -> Vec<Noted> {
        self.written.into_iter().chain(self.pending.into_iter().flatten()).collect()
    }

    /// Whether the file says this, and nothing else is to be written.
    pub(super) fn is(&self, all: &[Noted]) -> bool {
        self.pending.is_none() && self.written.len() == all.len() && sorted(&self.written) == sorted(all)
    }

    /// What the file said before anybody edited it. After a run that was cut off that is the one of both that the file is more like, without what
    /// only that run knew of and the file does not have: nobody can have taken out what was perhaps never written. `stands` tells whether the
    /// file has it, and if so, whether as it is noted.
    pub(super) fn baseline(self, stands: impl Fn(&Noted) -> Option<bool>) -> Vec<Noted> {
        let Some(pending) = self.pending else { return self.written };
        let like = |all: &[Noted]| {
            let same = all.iter().filter(|noted| stands(noted) == Some(true)).count();
            (same, Reverse(all.len() - same))
        };
        if like(&pending) < like(&self.written) {
            return self.written;
        }
        let known = |noted: &Noted| self.written.iter().any(|old| old.id == noted.id);
        pending.into_iter().filter(|noted| known(noted) || stands(noted).is_some()).collect()
    }

    /// Gives entries that a person wrote without a name the one under which they are noted: a run took them over and was cut off before it
    /// wrote their names into the file.
    pub(super) fn recognise(&self, file: &mut File) {
        let named: BTreeSet<String> = file.entries.iter().map(|read| read.entry.id.clone()).collect();
        let absent = |noted: &&Noted| !named.contains(&noted.short);
        let mut nameless: Vec<&Noted> = self.written.iter().filter(absent).collect();
        for read in file.entries.iter_mut().filter(|read| read.fresh) {
            let written = hash(&read.entry.content);
            let Some(at) = nameless.iter().position(|noted| noted.hash == written) else { continue };
            let noted = nameless.swap_remove(at);
            read.fresh = false;
            noted.short.clone_into(&mut read.entry.id);
            (read.entry.last_activated, read.entry.activation_count) = (noted.activated, noted.hits);
        }
    }

    /// Whether the file said this of a memory, or was about to.
    pub(super) fn knows(&self, text: &str) -> bool {
        let hash = hash(text);
        self.pending.iter().flatten().chain(&self.written).any(|noted| noted.hash == hash)
    }

    /// Whether the file said this in this category, or was about to.
    pub(super) fn says(&self, content: &str, kind: &str) -> bool {
        let hash = hash(content);
        self.written.iter().chain(self.pending.iter().flatten()).any(|noted| noted.hash == hash && noted.kind == kind)
    }

    /// The names of memories in the file, and in the one that was to be written.
    pub(super) fn names(&self) -> impl Iterator<Item = (MemoryId, &str)> {
        let all = self.pending.iter().flatten().chain(&self.written);
        all.map(|noted| (noted.id, noted.short.as_str()))
    }
}

/// What is noted of a file; `None` when nothing is.
pub(super) fn of(reads: &dyn Reads, ns: NamespaceId, path: &Path) -> Result<Option<Vec<Noted>>, Error> {
    let stored = reads.get(MIRRORS, &key(ns, path))?.filter(|stored| stored.version == VERSION);
    Ok(stored.and_then(|stored| decode(&stored.body).ok()))
}

/// Forgets what was noted of a file.
pub(super) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path) -> Result<(), Error> {
    txn.delete(PENDING, &key(ns, path))?;
    txn.delete(MIRRORS, &key(ns, path))?;
    Ok(())
}

/// Notes what the file is about to say.
pub(super) fn begin(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path, all: &[Noted]) -> Result<(), Error> {
    Ok(txn.put(PENDING, &key(ns, path), VERSION, &encode(all))?)
}

/// Notes what the file says.
pub(super) fn put(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path, all: &[Noted]) -> Result<(), Error> {
    txn.delete(PENDING, &key(ns, path))?;
    Ok(txn.put(MIRRORS, &key(ns, path), VERSION, &encode(all))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_these() {
        let noted = Noted {
            short: "a".to_owned(),
            id: MemoryId::from_bytes([7; 16]),
            hash: hash("x"),
            kind: "fact".to_owned(),
            score: 0.5,
            hits: 300,
            activated: Timestamp::from_millis(1000),
            expires: Some(Timestamp::from_millis(1)),
        };
        let bytes: String = encode(std::slice::from_ref(&noted)).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            bytes,
            "01016107070707070707070707070707070707071702864cf563af0466616374000000000000e03fac02d00f0102"
        );
        assert_eq!(decode(&encode(std::slice::from_ref(&noted))).unwrap(), [noted]);
        assert!(decode(&[200, 1]).is_err());
    }

    #[test]
    fn a_file_that_was_to_be_written_is_known_by_what_it_says() {
        let noted = |short: &str, number: u8| Noted {
            short: short.to_owned(),
            id: MemoryId::from_bytes([number; 16]),
            hash: 0,
            kind: String::new(),
            score: 0.5,
            hits: 0,
            activated: Timestamp::default(),
            expires: None,
        };
        let record = || Record {
            written: vec![noted("a", 1), noted("b", 2)],
            pending: Some(vec![noted("a", 1), noted("c", 3)]),
        };
        let names = |file: &[&str]| -> Vec<String> {
            let found = record().baseline(|noted| file.contains(&noted.short.as_str()).then_some(true));
            found.into_iter().map(|noted| noted.short).collect()
        };
        assert_eq!(names(&["a", "b"]), ["a", "b"], "it was not written");
        assert_eq!(names(&["a", "c"]), ["a", "c"], "it was");
        assert_eq!(names(&["b"]), ["a", "b"], "it was not, and a was taken out");
        assert_eq!(names(&["a"]), ["a"], "nobody can tell, and nothing is lost");
        assert!(!record().is(&[noted("a", 1), noted("b", 2)]));
        let done = Record { pending: None, ..record() };
        let faded = Noted { score: 0.503, ..noted("a", 1) };
        assert!(done.is(&[noted("b", 2), faded.clone()]), "neither the order nor what is not shown counts");
        assert!(!done.is(&[noted("b", 2), Noted { score: 0.51, ..faded }]) && !done.is(&[noted("a", 1)]));
    }
}
