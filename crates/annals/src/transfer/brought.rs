//! What sessions have had that imports brought something into: numbers by which their turns are known when they come again, without a word of
//! them. They stay when the turns are deleted, so that these do not come back with the next import, and go with the namespace.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{Body, Label, MemoryId, NamespaceId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::print::{Print, hash, words};
use crate::Error;
use crate::engine::Kept;
use crate::engine::histories::said_since;

/// Namespace, hash of the name of a session, byte 0 -> how far it goes; byte 1, place -> a turn without a name; byte 2, name, place -> a turn of
/// this name.
pub(crate) const BROUGHT: Keyspace = Keyspace::new("annals.brought").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;
const HEAD: u8 = 0;
const LINE: u8 = 1;
const NAMES: u8 = 2;
/// What was deleted before an export stands behind this place: in another file nobody knows between which turns it was.
pub(super) const ASIDE: u32 = 1 << 31;

/// What is kept of a session, under the places at which its turns came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brought {
    ns: NamespaceId,
    session: u64,
}

/// A turn that the session has had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// The memory that it became; none where that was deleted before anything of it was kept: it may have said anything.
    pub(super) id: Option<MemoryId>,
    /// What tells it from others that say the same: its id where it came from, or, without any name, what the turn before it said; 0 where there
    /// is none.
    pub(super) mark: u64,
    /// Each text that it had.
    pub(super) words: Vec<u64>,
}

/// How a turn that is stored is known later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) print: Print,
    /// What the turn without a name before it says, 0 where there is none.
    pub(super) before: u64,
    /// The place of the turn that was deleted and comes back.
    pub(super) again_at: Option<u32>,
}

impl Known {
    fn encode(&self) -> Vec<u8> {
        let Some(id) = self.id else { return Vec::new() };
        let numbers = std::iter::once(&self.mark).chain(&self.words).flat_map(|number| number.to_be_bytes());
        id.as_bytes().iter().copied().chain(numbers).collect()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let Some((id, numbers)) = bytes.split_first_chunk::<16>() else {
            return if bytes.is_empty() { Ok(Self::default()) } else { Err(damaged()) };
        };
        let (numbers, rest) = numbers.as_chunks::<8>();
        let mut numbers = numbers.iter().map(|number| u64::from_be_bytes(*number));
        match (numbers.next(), rest) {
            (Some(mark), []) => Ok(Self { id: Some(MemoryId::from_bytes(*id)), mark, words: numbers.collect() }),
            _ => Err(damaged()),
        }
    }
}

fn damaged() -> Error {
    Error::damaged(BROUGHT, "what imports have brought into a session cannot be read")
}

impl Brought {
    pub(super) fn of(ns: NamespaceId, session: &Label) -> Self {
        Self { ns, session: hash(&[session.as_str().as_bytes()]) }
    }

    fn key(self, part: u8, rest: &[u8]) -> Vec<u8> {
        [&self.ns.prefix()[..], &self.session.to_be_bytes(), &[part], rest].concat()
    }

    /// How many places of the session were looked at; `None` for a session that no import came to.
    pub(super) fn places(self, reads: &dyn Reads) -> Result<Option<u32>, Error> {
        let Some(stored) = reads.get(BROUGHT, &self.key(HEAD, &[]))? else { return Ok(None) };
        Ok(Some(u32::from_be_bytes(stored.body.as_slice().try_into().map_err(|_| damaged())?)))
    }

    /// The turns without names from a place on.
    pub(super) fn line(self, reads: &dyn Reads, from: u32) -> Result<Vec<(u32, Known)>, Error> {
        let (from, end) = (self.key(LINE, &from.to_be_bytes()), self.key(LINE, &[u8::MAX; 5]));
        known(reads, &KeyRange::between(BROUGHT, &from, &end))
    }

    /// What the last turn without a name said.
    fn last_words(self, reads: &dyn Reads) -> Result<u64, Error> {
        let mut last = Ok(Known::default());
        let (first, end) = (self.key(LINE, &[]), self.key(LINE, &ASIDE.to_be_bytes()));
        reads.scan(&[KeyRange::between(BROUGHT, &first, &end).reversed()], &mut |_, _, _, body| {
            last = Known::decode(body);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(last?.words.first().copied().unwrap_or_default())
    }

    /// The turns of a name.
    pub(super) fn named(self, reads: &dyn Reads, name: u64) -> Result<Vec<(u32, Known)>, Error> {
        known(reads, &KeyRange::prefix(BROUGHT, &self.key(NAMES, &name.to_be_bytes())))
    }

    /// Whether the session has turns that were not looked at, for an import or because one came to it before.
    pub(super) fn lacks(self, reads: &dyn Reads, session: &Label) -> Result<bool, Error> {
        let places = annals_records::session_places(reads, self.ns, session.as_str())?;
        Ok(places > self.places(reads)?.unwrap_or_default())
    }

    /// Takes note of what the session has had since the last time; answers how many places that are.
    pub(super) fn catch_up(self, txn: &mut Transaction<'_>, session: &Label) -> Result<u32, Error> {
        let done = self.places(&*txn)?.unwrap_or_default();
        let places = annals_records::session_places(&*txn, self.ns, session.as_str())?;
        if places <= done {
            return Ok(done);
        }
        let mut said = said_since(&*txn, self.ns, session, done)?;
        let mut before = self.last_words(&*txn)?;
        for place in done..places {
            match said.remove(&place) {
                Some((id, texts)) => before = self.take_up(txn, (place, id), &texts, before)?,
                None => {
                    txn.put(BROUGHT, &self.key(LINE, &place.to_be_bytes()), VERSION, &Known::default().encode())?;
                    before = 0;
                }
            }
        }
        self.put_places(txn, places)?;
        Ok(places)
    }

    /// Takes note of a turn; answers behind what the next one stands.
    fn take_up(
        self,
        txn: &mut Transaction<'_>,
        (place, id): (u32, MemoryId),
        texts: &[Body],
        before: u64,
    ) -> Result<u64, Error> {
        let Some(print) = texts.first().map(Print::of) else { return Ok(before) };
        self.put(
            txn,
            place,
            (print, before),
            &Known { id: Some(id), mark: 0, words: texts.iter().map(words).collect() },
        )?;
        Ok(if print.is_named() { before } else { print.words })
    }

    /// Takes note of turns that were just stored, in their order, behind so many places.
    pub(super) fn note(self, txn: &mut Transaction<'_>, places: u32, notes: &[(Note, MemoryId)]) -> Result<u32, Error> {
        let mut end = places;
        for (note, id) in notes {
            let turn = Known { id: Some(*id), mark: 0, words: vec![note.print.words] };
            self.put(txn, note.again_at.unwrap_or(end), (note.print, note.before), &turn)?;
            end = end.saturating_add(1);
        }
        self.put_places(txn, end)?;
        Ok(end)
    }

    fn put(
        self,
        txn: &mut Transaction<'_>,
        place: u32,
        (print, before): (Print, u64),
        turn: &Known,
    ) -> Result<(), Error> {
        let mut put = |part, rest: &[u8], mark| {
            let turn = Known { mark, ..turn.clone() };
            txn.put(BROUGHT, &self.key(part, rest), VERSION, &turn.encode())
        };
        if !print.is_named() {
            return Ok(put(LINE, &place.to_be_bytes(), before)?);
        }
        for name in print.names() {
            put(NAMES, &name_and(name, place), print.id.unwrap_or_default())?;
        }
        Ok(())
    }

    fn put_places(self, txn: &mut Transaction<'_>, places: u32) -> Result<(), Error> {
        Ok(txn.put(BROUGHT, &self.key(HEAD, &[]), VERSION, &places.to_be_bytes())?)
    }
}

fn name_and(name: u64, place: u32) -> [u8; 12] {
    let mut key = [0; 12];
    let (first, last) = key.split_at_mut(8);
    first.copy_from_slice(&name.to_be_bytes());
    last.copy_from_slice(&place.to_be_bytes());
    key
}

/// The turns of a range, whose keys end with their places.
fn known(reads: &dyn Reads, range: &KeyRange) -> Result<Vec<(u32, Known)>, Error> {
    let (mut found, mut broken) = (Vec::new(), None);
    reads.scan(std::slice::from_ref(range), &mut |_, key, _, body| {
        match (key.last_chunk(), Known::decode(body)) {
            (Some(place), Ok(turn)) => found.push((u32::from_be_bytes(*place), turn)),
            _ => broken = Some(damaged()),
        }
        Ok(ControlFlow::Continue(()))
    })?;
    broken.map_or(Ok(found), Err)
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
        if brought.places(&*txn)?.is_some() {
            brought.catch_up(txn, &session)?;
        }
    }
    Ok(())
}

/// A turn that was deleted, as an export carries it: by this it stays away from another file as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Carried {
    session: Number,
    place: u32,
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Number>,
    id: MemoryId,
    mark: Number,
    words: Vec<Number>,
}

/// A number of 64 bits, in hexadecimal digits: as a number of JSON some programs would round it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Number(u64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        u64::from_str_radix(&digits, 16).map(Self).map_err(serde::de::Error::custom)
    }
}

impl Carried {
    /// The turns of a namespace that were deleted.
    pub(super) fn all(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<Self>, Error> {
        let mut found = Vec::new();
        reads.scan(&[KeyRange::prefix(BROUGHT, &ns.prefix())], &mut |_, key, _, body| {
            found.extend(Self::read(key.get(4..).unwrap_or_default(), body));
            Ok(ControlFlow::Continue(()))
        })?;
        let ids: Vec<MemoryId> = found.iter().map(|turn| turn.id).collect();
        let rows = annals_records::find_rows(reads, ns, &ids)?;
        Ok(found.into_iter().zip(rows).filter(|(_, row)| row.is_none()).map(|(turn, _)| turn).collect())
    }

    fn read(key: &[u8], body: &[u8]) -> Option<Self> {
        let (session, [part, rest @ ..]) = key.split_first_chunk::<8>()? else { return None };
        let (name, place) = rest.split_last_chunk::<4>()?;
        let name = match *part {
            LINE => None,
            NAMES => Some(Number(u64::from_be_bytes(name.try_into().ok()?))),
            _ => return None,
        };
        let Known { id, mark, words } = Known::decode(body).ok()?;
        let session = Number(u64::from_be_bytes(*session));
        let place = u32::from_be_bytes(*place);
        Some(Self { session, place, name, id: id?, mark: Number(mark), words: words.into_iter().map(Number).collect() })
    }

    pub(super) fn restore(&self, txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<Kept, Error> {
        let brought = Brought { ns, session: self.session.0 };
        let place = self.place | ASIDE;
        let key = match self.name {
            None => brought.key(LINE, &place.to_be_bytes()),
            Some(name) => brought.key(NAMES, &name_and(name.0, place)),
        };
        if txn.get(BROUGHT, &key)?.is_some() {
            return Ok(Kept::There);
        }
        let words = self.words.iter().map(|words| words.0).collect();
        txn.put(BROUGHT, &key, VERSION, &Known { id: Some(self.id), mark: self.mark.0, words }.encode())?;
        Ok(Kept::New(()))
    }
}

/// What of it does not fit together.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    let (mut session, mut places) = (None, None);
    reads.scan(&[KeyRange::prefix(BROUGHT, &ns.prefix())], &mut |_, key, _, body| {
        let parts = key.get(4..).and_then(|key| key.split_first_chunk::<8>());
        let Some((of, [part, rest @ ..])) = parts.map(|(session, rest)| (u64::from_be_bytes(*session), rest)) else {
            problems.push("a key of what imports brought is short".to_owned());
            return Ok(ControlFlow::Continue(()));
        };
        if session != Some(of) {
            (session, places) = (Some(of), None);
        }
        let place = rest.last_chunk().map(|place| u32::from_be_bytes(*place));
        let within = place.is_some_and(|place| place >= ASIDE || places.is_none_or(|places| place < places));
        let sound = match (*part, rest.len()) {
            (HEAD, 0) => {
                places = body.try_into().ok().map(u32::from_be_bytes);
                places.is_some()
            }
            (LINE, 4) => within && Known::decode(body).is_ok(),
            (NAMES, 12) => within && Known::decode(body).is_ok_and(|turn| turn.id.is_some()),
            _ => false,
        };
        if !sound {
            problems.push(format!("what imports brought into session {of:016x} is damaged in part {part}"));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let brought = Brought { ns: NamespaceId(1), session: 2 };
        assert_eq!(brought.key(LINE, &[9]), [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 9]);
        assert_eq!(name_and(3, 258), [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 1, 2]);
        let turn = Known { id: Some(MemoryId::from_bytes([7; 16])), mark: 1, words: vec![2, 3] };
        let bytes = [&[7; 16][..], &1_u64.to_be_bytes(), &2_u64.to_be_bytes(), &3_u64.to_be_bytes()].concat();
        assert_eq!((turn.encode(), Known::decode(&bytes).unwrap()), (bytes, turn));
        assert_eq!((Known::default().encode(), Known::decode(&[]).unwrap()), (Vec::new(), Known::default()));
        assert!(Known::decode(b"short").is_err() && Known::decode(&[7; 20]).is_err());
        assert_eq!(Brought::of(NamespaceId(1), &Label::new("session", "s").unwrap()).session, SESSION);
    }

    const SESSION: u64 = 0xe601_6b3a_248d_ccd3;
}
