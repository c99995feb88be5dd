//! What sessions have had that imports brought something into: numbers by which their turns are known when they come again, without a word of
//! them. They stay when the turns are deleted, so that these do not come back with the next import, and go with the namespace.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{Label, MemoryId, NamespaceId};

use super::print::{Print, beside, hash, words};
use crate::Error;
use crate::engine::histories::said_since;

/// Namespace, hash of the name of a session, byte 0 -> how far it goes; byte 1, number -> a turn of the line; byte 2, name, id -> nothing.
pub(crate) const BROUGHT: Keyspace = Keyspace::new("annals.brought");
/// The version of its values.
const VERSION: u8 = 1;
const HEAD: u8 = 0;
const LINE: u8 = 1;
const NAMES: u8 = 2;

/// What is kept of a session. Turns without an id and a time stand in a line, in the order in which they came; the others have names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brought {
    ns: NamespaceId,
    session: u64,
}

/// How far it goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// Places of the session that were looked at.
    places: u32,
    /// Turns of the line.
    pub(super) len: u32,
}

/// A turn of the line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// The memory that it became; none where that was deleted before anything of it was kept.
    pub(super) id: Option<MemoryId>,
    /// What it has said; nothing where nobody knows.
    pub(super) words: Vec<u64>,
}

/// How a turn that is stored is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By its names.
    Named,
    /// By its place in the line: this one, or the next.
    Line(Option<u32>),
    /// By what stands before it in its file: the line has something else there.
    Beside(Option<u64>),
}

/// What is to be kept of a turn with the transaction that stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) print: Print,
    pub(super) how: How,
    /// The memory that was deleted and comes back.
    pub(super) instead_of: Option<MemoryId>,
}

impl Head {
    fn encode(self) -> [u8; 8] {
        (u64::from(self.places) << 32 | u64::from(self.len)).to_be_bytes()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (places, len) = bytes.split_first_chunk::<4>()?;
        Some(Self { places: u32::from_be_bytes(*places), len: u32::from_be_bytes(len.try_into().ok()?) })
    }
}

impl Entry {
    fn encode(&self) -> Vec<u8> {
        let Some(id) = self.id else { return Vec::new() };
        id.as_bytes().iter().copied().chain(self.words.iter().flat_map(|words| words.to_be_bytes())).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let Some((id, words)) = bytes.split_first_chunk::<16>() else {
            return bytes.is_empty().then(Self::default);
        };
        let (words, rest) = words.as_chunks::<8>();
        let words = words.iter().map(|words| u64::from_be_bytes(*words)).collect();
        rest.is_empty().then_some(Self { id: Some(MemoryId::from_bytes(*id)), words })
    }
}

fn damaged() -> Error {
    Error::internal("what imports have brought into a session is damaged")
}

impl Brought {
    pub(super) fn of(ns: NamespaceId, session: &Label) -> Self {
        Self { ns, session: hash(&[session.as_str().as_bytes()]) }
    }

    fn key(self, part: u8, rest: &[u8]) -> Vec<u8> {
        [&self.ns.prefix()[..], &self.session.to_be_bytes(), &[part], rest].concat()
    }

    /// How far it goes; `None` for a session that no import came to.
    pub(super) fn head(self, reads: &dyn Reads) -> Result<Option<Head>, Error> {
        let Some(stored) = reads.get(BROUGHT, &self.key(HEAD, &[]))? else { return Ok(None) };
        Head::decode(&stored.body).map(Some).ok_or_else(damaged)
    }

    /// Some turns of the line.
    pub(super) fn line(self, reads: &dyn Reads, range: Range<u32>) -> Result<Vec<Entry>, Error> {
        let end = |number: u32| self.key(LINE, &number.to_be_bytes());
        let (mut found, mut broken) = (Vec::new(), false);
        let range = KeyRange::between(BROUGHT, &end(range.start), &end(range.end));
        reads.scan(&[range], &mut |_, _, _, body| {
            let entry = Entry::decode(body);
            broken |= entry.is_none();
            found.extend(entry);
            Ok(ControlFlow::Continue(()))
        })?;
        if broken { Err(damaged()) } else { Ok(found) }
    }

    /// The memories that turns of a name became.
    pub(super) fn named(self, reads: &dyn Reads, name: u64) -> Result<Vec<MemoryId>, Error> {
        let mut found = Vec::new();
        reads.scan(&[KeyRange::prefix(BROUGHT, &self.key(NAMES, &name.to_be_bytes()))], &mut |_, key, _, _| {
            found.extend(key.last_chunk::<16>().map(|bytes| MemoryId::from_bytes(*bytes)));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Whether the session has turns that were not looked at, for an import or because one came to it before.
    pub(super) fn lacks(self, reads: &dyn Reads, session: &Label) -> Result<bool, Error> {
        let places = annals_records::session_places(reads, self.ns, session.as_str())?;
        Ok(places > self.head(reads)?.unwrap_or_default().places)
    }

    /// Takes note of what the session has had since the last time.
    pub(super) fn catch_up(self, txn: &mut Transaction<'_>, session: &Label) -> Result<Head, Error> {
        let mut head = self.head(&*txn)?.unwrap_or_default();
        let places = annals_records::session_places(&*txn, self.ns, session.as_str())?;
        if places <= head.places {
            return Ok(head);
        }
        let mut said = said_since(&*txn, self.ns, session, head.places)?;
        for place in head.places..places {
            match said.remove(&place) {
                Some((id, texts)) => self.take_up(txn, (&mut head, id), &texts)?,
                None => self.push(txn, &mut head, &Entry::default())?,
            }
        }
        head.places = places;
        self.put_head(txn, head)?;
        Ok(head)
    }

    fn take_up(
        self,
        txn: &mut Transaction<'_>,
        (head, id): (&mut Head, MemoryId),
        texts: &[annals_types::Body],
    ) -> Result<(), Error> {
        let Some(print) = texts.first().map(Print::of) else { return Ok(()) };
        if print.name().is_none() {
            return self.push(txn, head, &Entry { id: Some(id), words: texts.iter().map(words).collect() });
        }
        print.names().try_for_each(|name| self.put_name(txn, name, id))
    }

    /// Takes note of turns that were just stored, in their order, with what they became; answers how far it goes now.
    pub(super) fn note(
        self,
        txn: &mut Transaction<'_>,
        session: &Label,
        notes: &[(Note, MemoryId)],
    ) -> Result<Head, Error> {
        let mut head = self.head(&*txn)?.unwrap_or_default();
        for (note, id) in notes {
            let entry = || Entry { id: Some(*id), words: vec![note.print.words] };
            let names: Vec<u64> = match note.how {
                How::Line(None) => {
                    self.push(txn, &mut head, &entry())?;
                    continue;
                }
                How::Line(Some(place)) => {
                    self.put_entry(txn, place, &entry())?;
                    continue;
                }
                How::Named => note.print.names().collect(),
                How::Beside(before) => vec![beside(before, note.print.words)],
            };
            for name in names {
                if let Some(old) = note.instead_of {
                    txn.delete(BROUGHT, &self.name_key(name, old))?;
                }
                self.put_name(txn, name, *id)?;
            }
        }
        head.places = annals_records::session_places(&*txn, self.ns, session.as_str())?;
        self.put_head(txn, head)?;
        Ok(head)
    }

    fn put_head(self, txn: &mut Transaction<'_>, head: Head) -> Result<(), Error> {
        Ok(txn.put(BROUGHT, &self.key(HEAD, &[]), VERSION, &head.encode())?)
    }

    fn push(self, txn: &mut Transaction<'_>, head: &mut Head, entry: &Entry) -> Result<(), Error> {
        self.put_entry(txn, head.len, entry)?;
        head.len = head.len.saturating_add(1);
        Ok(())
    }

    fn put_entry(self, txn: &mut Transaction<'_>, place: u32, entry: &Entry) -> Result<(), Error> {
        Ok(txn.put(BROUGHT, &self.key(LINE, &place.to_be_bytes()), VERSION, &entry.encode())?)
    }

    fn name_key(self, name: u64, id: MemoryId) -> Vec<u8> {
        self.key(NAMES, &[&name.to_be_bytes()[..], id.as_bytes()].concat())
    }

    fn put_name(self, txn: &mut Transaction<'_>, name: u64, id: MemoryId) -> Result<(), Error> {
        Ok(txn.put(BROUGHT, &self.name_key(name, id), VERSION, &[])?)
    }
}

/// Memories are about to go: what imports came to keeps numbers of those that came another way since, too.
pub(crate) fn going(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    let mut any = false;
    txn.scan(&[KeyRange::prefix(BROUGHT, &ns.prefix())], &mut |_, _, _, _| {
        any = true;
        Ok(ControlFlow::Break(()))
    })?;
    if !any {
        return Ok(());
    }
    let rows: Vec<_> = annals_records::find_rows(&*txn, ns, ids)?.into_iter().flatten().collect();
    let memories = annals_records::memories(&*txn, ns, &rows, None)?;
    let turns = memories.into_iter().flatten().filter_map(|memory| memory.body.turn);
    let sessions: BTreeMap<u64, (Brought, Label)> = turns
        .map(|turn| (Brought::of(ns, &turn.session), turn.session))
        .map(|(brought, session)| (brought.session, (brought, session)))
        .collect();
    for (brought, session) in sessions.into_values() {
        if brought.head(&*txn)?.is_some() {
            brought.catch_up(txn, &session)?;
        }
    }
    Ok(())
}

/// What of it does not fit together.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    let (mut heads, mut lines) = (BTreeMap::new(), BTreeMap::<u64, u32>::new());
    reads.scan(&[KeyRange::prefix(BROUGHT, &ns.prefix())], &mut |_, key, _, body| {
        let parts = key.get(4..).and_then(|key| key.split_first_chunk::<8>());
        let Some((session, [part, rest @ ..])) = parts.map(|(session, rest)| (u64::from_be_bytes(*session), rest))
        else {
            problems.push("a key of what imports brought is short".to_owned());
            return Ok(ControlFlow::Continue(()));
        };
        let sound = match *part {
            HEAD => Head::decode(body).map(|head| heads.insert(session, head.len)).is_some(),
            LINE => {
                let next = lines.entry(session).or_default();
                let follows = rest == next.to_be_bytes();
                *next = next.saturating_add(1);
                follows && Entry::decode(body).is_some()
            }
            NAMES => rest.len() == 24 && body.is_empty(),
            _ => false,
        };
        if !sound {
            problems.push(format!("what imports brought into session {session:016x} is damaged in part {part}"));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let sessions: BTreeSet<&u64> = heads.keys().chain(lines.keys()).collect();
    for session in sessions {
        let (told, found) = (heads.get(session), lines.get(session).copied().unwrap_or_default());
        if told != Some(&found) {
            problems.push(format!(
                "of session {session:016x} imports brought {told:?} turns in line, and {found} are there"
            ));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let brought = Brought { ns: NamespaceId(1), session: 2 };
        assert_eq!(brought.key(LINE, &[9]), [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 9]);
        let id = MemoryId::from_bytes([7; 16]);
        assert_eq!(brought.name_key(3, id)[12..], [&[2, 0, 0, 0, 0, 0, 0, 0, 3][..], &[7; 16]].concat());
        let head = Head { places: 258, len: 3 };
        assert_eq!((head.encode(), Head::decode(&head.encode())), ([0, 0, 1, 2, 0, 0, 0, 3], Some(head)));
        let entry = Entry { id: Some(id), words: vec![1, 2] };
        let bytes = [&[7; 16][..], &1_u64.to_be_bytes(), &2_u64.to_be_bytes()].concat();
        assert_eq!((entry.encode(), Entry::decode(&bytes)), (bytes, Some(entry)));
        assert_eq!((Entry::default().encode(), Entry::decode(&[])), (Vec::new(), Some(Entry::default())));
        assert_eq!((Head::decode(b"short"), Entry::decode(b"short")), (None, None));
        assert_eq!(Brought::of(NamespaceId(1), &Label::new("session", "s").unwrap()).session, SESSION);
    }

    const SESSION: u64 = 0xe601_6b3a_248d_ccd3;
}
