//! The record of a mirrored file: its owner, the text that annals wrote into it, and the memories
//! in it as they were last written, so that a person's later edits can be told.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::markdown::File;
use annals_storage::table::{Bytes, Value, scan_rows};
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, Table, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};

use crate::ledger::WrittenFile;
use crate::noted::{self, NotedMemory, flag, hash};
use annals_engine::Error;

/// The records of files, by their real paths. They hold no text, only hashes.
pub(crate) const FILES: Table<(NamespaceId, Bytes), Record> = Table::new("annals.mirror_files");
/// The only namespace that has a record of a file, by its real path.
pub(crate) const OWNERS: Table<Bytes, Owner> = Table::new("annals.mirror_owners");
/// The longest key. Longer paths are cut to their end, and [`all`] does not list them.
const MAX_PATH: usize = 4096;

/// The record of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record {
    /// As annals wrote it, or is about to; nothing for a file that it only read, which is never
    /// removed.
    pub(super) written: Option<WrittenFile>,
    /// The memories in it, as it was last written, or last read.
    pub(super) noted: Vec<NotedMemory>,
    /// The memories as a run that was cut off was to write them: the file may have these, or those
    /// before.
    pub(super) pending: Option<Vec<NotedMemory>>,
    /// The memories that its backup was written with, where annals made one.
    pub(super) backup: Option<Vec<NotedMemory>>,
    /// When the backup was made.
    pub(super) backed_up: Timestamp,
}

impl From<WrittenFile> for Record {
    fn from(written: WrittenFile) -> Self {
        Self {
            written: Some(written),
            ..Self::default()
        }
    }
}

impl Record {
    /// Whether annals keeps one section of a file that a person began.
    pub(super) fn is_section(&self) -> bool {
        self.written
            .as_ref()
            .is_some_and(|written| written.section.is_some())
    }

    /// Notes what the file says.
    pub(super) fn note(&mut self, all: Vec<NotedMemory>) {
        (self.noted, self.pending) = (all, None);
    }

    /// All that the file may say: what it said, and what was about to be written.
    pub(super) fn all(&self) -> impl Iterator<Item = &NotedMemory> + Clone {
        self.pending.iter().flatten().chain(&self.noted)
    }

    /// Whether the file says this, and nothing else is to be written.
    pub(super) fn is(&self, all: &[NotedMemory]) -> bool {
        self.pending.is_none()
            && self.noted.len() == all.len()
            && noted::sorted(&self.noted) == noted::sorted(all)
    }

    /// The memories of the file before a person edited it. After a run that was cut off that is
    /// the one of both lists that the file is more like, without entries that only that run knew
    /// of and the file lacks: they were perhaps never written, so that their absence is no edit.
    /// `stands` tells whether the file has an entry, and if so, whether as it is noted.
    pub(super) fn baseline(
        self,
        stands: impl Fn(&NotedMemory) -> Option<bool>,
    ) -> Vec<NotedMemory> {
        let Some(pending) = self.pending else {
            return self.noted;
        };
        let like = |all: &[NotedMemory]| {
            let same = all
                .iter()
                .filter(|noted| stands(noted) == Some(true))
                .count();
            (same, Reverse(all.len() - same))
        };
        if like(&pending) < like(&self.noted) {
            return self.noted;
        }
        let known: HashSet<MemoryId> = self.noted.iter().map(|old| old.id).collect();
        pending
            .into_iter()
            .filter(|noted| known.contains(&noted.id) || stands(noted).is_some())
            .collect()
    }

    /// Gives entries that a person wrote without a name the one under which they are noted: a run
    /// took them over and was cut off before it wrote their names into the file.
    pub(super) fn recognise(&self, file: &mut File) {
        let named: BTreeSet<String> = file
            .entries
            .iter()
            .map(|read| read.entry.id.clone())
            .collect();
        let absent = |noted: &&NotedMemory| !named.contains(&noted.short);
        let mut nameless: HashMap<u64, VecDeque<&NotedMemory>> = HashMap::new();
        for noted in self.noted.iter().filter(absent) {
            nameless.entry(noted.hash).or_default().push_back(noted);
        }
        for read in file.entries.iter_mut().filter(|read| read.fresh) {
            let written = nameless.get_mut(&hash(&read.entry.content));
            let Some(noted) = written.and_then(VecDeque::pop_front) else {
                continue;
            };
            read.fresh = false;
            noted.short.clone_into(&mut read.entry.id);
            (read.entry.last_activated, read.entry.activation_count) =
                (noted.activated, noted.hits);
        }
    }

    /// The texts that the file said, or was about to say.
    pub(super) fn texts(&self) -> KnownTexts<'_> {
        KnownTexts(
            self.all()
                .map(|noted| (noted.hash, noted.kind.as_str()))
                .collect(),
        )
    }
}

/// The hashes of texts that a file said, each with its category as [`noted::kind`] makes it.
pub(super) struct KnownTexts<'a>(BTreeSet<(u64, &'a str)>);

impl KnownTexts<'_> {
    /// Whether the file said this, in whatever category.
    pub(super) fn has(&self, text: &str) -> bool {
        let hash = hash(text);
        self.0
            .range((hash, "")..)
            .next()
            .is_some_and(|(known, _)| *known == hash)
    }

    /// Whether the file said this in this category.
    pub(super) fn has_in(&self, content: &str, kind: &str) -> bool {
        self.0.contains(&(hash(content), kind))
    }
}

impl Value for Record {
    type View<'a> = Self;

    const VERSION: u8 = 2;

    fn encode(view: &Self, put: &mut Put) {
        put.byte(u8::from(view.written.is_some()));
        view.written.iter().for_each(|written| written.encode(put));
        noted::encode(put, &view.noted);
        for list in [&view.pending, &view.backup] {
            put.byte(u8::from(list.is_some()));
            list.iter().for_each(|list| noted::encode(put, list));
        }
        put.zigzag(view.backed_up.as_millis());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let written = flag(&mut take)?
            .then(|| WrittenFile::decode(&mut take))
            .transpose()?;
        let noted = noted::decode(&mut take)?;
        let mut list = || {
            flag(&mut take)?
                .then(|| noted::decode(&mut take))
                .transpose()
        };
        let (pending, backup) = (list()?, list()?);
        let backed_up = Timestamp::from_millis(take.zigzag()?);
        take.end()?;
        Ok(Self {
            written,
            noted,
            pending,
            backup,
            backed_up,
        })
    }
}

/// The stored form of the number of a namespace that has a file: four bytes, big-endian.
pub(crate) enum Owner {}

impl Value for Owner {
    type View<'a> = NamespaceId;

    const VERSION: u8 = 2;

    fn encode(owner: &NamespaceId, put: &mut Put) {
        put.raw(&owner.prefix());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<NamespaceId, Broken> {
        let mut take = Take::new(body);
        let number = u32::from_be_bytes(take.array()?);
        take.end()?;
        Ok(NamespaceId(number))
    }
}

/// A path as a key, without a namespace: as much of it as fits.
fn place(path: &Path) -> Vec<u8> {
    let path = path.to_string_lossy();
    let path = path.as_bytes();
    path.get(path.len().saturating_sub(MAX_PATH)..)
        .unwrap_or_default()
        .to_vec()
}

/// The namespace that has the record of a file.
pub(super) fn owner(reads: &dyn Reads, path: &Path) -> Result<Option<NamespaceId>, Error> {
    Ok(OWNERS.get(reads, &place(path))?)
}

/// The record that a namespace has of a file; `None` for a file that it never wrote nor took
/// anything from.
pub(super) fn get(
    reads: &dyn Reads,
    ns: NamespaceId,
    path: &Path,
) -> Result<Option<Record>, Error> {
    Ok(FILES.get(reads, (ns, &place(path)))?)
}

/// The places of a namespace's files.
fn places(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<Vec<u8>>, Error> {
    let mut places = Vec::new();
    // Keys alone: a record that cannot be read must not keep its namespace from being deleted.
    scan_rows(reads, &[FILES.within(ns).into()], |_, row| {
        places.extend(FILES.parse(row.key).map(|(_, place)| place.to_vec()));
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(places)
}

/// Names records that the index of owners lacks.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    for place in places(reads, ns)? {
        if OWNERS.get(reads, &place)? != Some(ns) {
            problems.push(format!(
                "{FILES} has {:?}, which {OWNERS} does not",
                String::from_utf8_lossy(&place)
            ));
        }
    }
    Ok(problems)
}

/// Every file of a namespace that annals wrote or was about to write, but for those whose path is
/// too long to be known.
pub(super) fn all(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<(PathBuf, Record)>, Error> {
    let mut found = Vec::new();
    scan_rows(reads, &[FILES.within(ns).into()], |_, row| {
        let read = match FILES.read(&row) {
            // A record that cannot be read counts as absent; `validate` tells of it.
            Err(error) if error.is_corruption() => None,
            read => read?,
        };
        if let Some(((_, place), record)) = read
            && let Some(path) = std::str::from_utf8(place)
                .ok()
                .filter(|path| path.len() < MAX_PATH)
        {
            found.push((PathBuf::from(path), record));
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Stores the record of a file, which belongs to the namespace from now on. The record of a
/// namespace that had it before is removed.
pub(super) fn put(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    path: &Path,
    record: &Record,
) -> Result<(), Error> {
    let (place, before) = (place(path), owner(&*txn, path)?);
    if before != Some(ns) {
        if let Some(before) = before {
            FILES.delete(txn, (before, &place))?;
        }
        OWNERS.put(txn, &place, &ns)?;
    }
    Ok(FILES.put(txn, (ns, &place), record)?)
}

/// Forgets a file of a namespace.
pub(super) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path) -> Result<(), Error> {
    let place = place(path);
    if owner(&*txn, path)? == Some(ns) {
        OWNERS.delete(txn, &place)?;
    }
    FILES.delete(txn, (ns, &place))?;
    Ok(())
}

/// Lets go of all files of a namespace that is deleted.
pub(crate) fn release(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
    for place in places(&*txn, ns)? {
        OWNERS.delete(txn, &place)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use annals_types::profile::MirrorFormat;

    use super::*;
    use crate::ledger::Line;

    fn noted(short: &str, number: u8) -> NotedMemory {
        let (short, id, kind) = (
            short.to_owned(),
            MemoryId::from_bytes([number; 16]),
            String::new(),
        );
        NotedMemory {
            short,
            id,
            hash: 0,
            kind,
            score: 0.5,
            hits: 0,
            activated: Timestamp::default(),
            expires: None,
        }
    }

    #[test]
    fn the_bytes_are_these() {
        let line = Line {
            hash: hash("x"),
            of: None,
        };
        let of = Line {
            of: Some(MemoryId::from_bytes([7; 16])),
            ..line
        };
        let [made_by, name, part, profile, zone] =
            ["{date}.md", "a", "d", "p", "z"].map(str::to_owned);
        let (format, lines) = (MirrorFormat::Daily, vec![line, of]);
        let section = Some(2);
        let written = WrittenFile {
            made_by,
            format,
            name,
            part,
            deleted: 300,
            lines,
            profile,
            zone,
            both: true,
            section,
        };
        let (activated, expires) = (
            Timestamp::from_millis(1000),
            Some(Timestamp::from_millis(1)),
        );
        let one = NotedMemory {
            hash: hash("x"),
            kind: "fact".to_owned(),
            hits: 300,
            activated,
            expires,
            ..noted("a", 7)
        };
        let (noted_now, backup) = (vec![one], Some(vec![noted("b", 8)]));
        let record = Record {
            written: Some(written),
            noted: noted_now,
            pending: None,
            backup,
            backed_up: activated,
        };
        let mut put = Put::default();
        Record::encode(&record, &mut put);
        let bytes = put.finish();
        let (hash, [id, other]) = ("071702864cf563af", ["07", "08"].map(|id| id.repeat(16)));
        let written =
            format!("03097b646174657d2e6d6401610164ac0202{hash}00{hash}01{id}0170017a010102");
        let noted = format!("010161{id}{hash}0466616374000000000000e03fac02d00f0102");
        let backup = format!("010162{other}{}00000000000000e03f000000", "00".repeat(8));
        assert_eq!(
            annals_storage::hex(&bytes),
            format!("01{written}{noted}0001{backup}d00f")
        );
        assert_eq!(Record::decode(2, &bytes).unwrap(), record);
        for broken in [
            &[][..],
            &[2],
            &[1, 4],
            &[0, 200, 1],
            &[0, 0, 0, 0, 0, 0],
            &[1, 3, 0, 0, 0, 0, 200],
        ] {
            assert!(Record::decode(2, broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_file_has_one_record() {
        let store = annals_storage::Store::in_memory();
        let ([one, other], path) = ([1, 2].map(NamespaceId), Path::new("/m/a.md"));
        let write = |job: &mut dyn FnMut(&mut Transaction<'_>) -> Result<(), Error>| {
            store.write(job).unwrap()
        };
        let known =
            || [one, other].map(|ns| get(&store.snapshot().unwrap(), ns, path).unwrap().is_some());
        write(&mut |txn| put(txn, one, path, &Record::default()));
        assert_eq!(
            (known(), owner(&store.snapshot().unwrap(), path).unwrap()),
            ([true, false], Some(one))
        );
        write(&mut |txn| put(txn, other, path, &Record::default()));
        write(&mut |txn| forget(txn, one, path));
        assert_eq!(
            (known(), owner(&store.snapshot().unwrap(), path).unwrap()),
            ([false, true], Some(other))
        );
        write(&mut |txn| release(txn, one));
        assert_eq!(
            owner(&store.snapshot().unwrap(), path).unwrap(),
            Some(other)
        );
        write(&mut |txn| release(txn, other));
        assert_eq!(owner(&store.snapshot().unwrap(), path).unwrap(), None);
    }

    #[test]
    fn a_file_that_was_to_be_written_is_known_by_what_it_says() {
        let record = || Record {
            noted: vec![noted("a", 1), noted("b", 2)],
            pending: Some(vec![noted("a", 1), noted("c", 3)]),
            ..Record::default()
        };
        let names = |file: &[&str]| -> Vec<String> {
            let found =
                record().baseline(|noted| file.contains(&noted.short.as_str()).then_some(true));
            found.into_iter().map(|noted| noted.short).collect()
        };
        assert_eq!(names(&["a", "b"]), ["a", "b"], "it was not written");
        assert_eq!(names(&["a", "c"]), ["a", "c"], "it was");
        assert_eq!(names(&["b"]), ["a", "b"], "it was not, and a was taken out");
        assert_eq!(names(&["a"]), ["a"], "nobody can tell, and nothing is lost");
        assert!(!record().is(&[noted("a", 1), noted("b", 2)]));
        let done = Record {
            pending: None,
            ..record()
        };
        let faded = NotedMemory {
            score: 0.503,
            ..noted("a", 1)
        };
        assert!(
            done.is(&[noted("b", 2), faded.clone()]),
            "neither the order nor what is not shown counts"
        );
        assert!(
            !done.is(&[
                noted("b", 2),
                NotedMemory {
                    score: 0.51,
                    ..faded
                }
            ]) && !done.is(&[noted("a", 1)])
        );
    }
}
