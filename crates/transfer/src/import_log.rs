//! The turns that sessions have had which imports brought something into. They are kept as numbers
//! by which the turns are known when they come again, without a word of them. They stay when the
//! turns are deleted, so that these do not come back with the next import, and go with the
//! namespace.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::table::{Value, scan_rows};
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, Table, Transaction};
use annals_types::{Body, Label, MemoryId, NamespaceId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::print::{Print, hash, words};
use annals_engine::Error;
use annals_engine::Kept;
use annals_engine::histories::said_since;
use annals_engine::tables::Tag;

/// How many places of a session were looked at, by the hash of its name.
pub(crate) const PLACES: Table<(NamespaceId, u64, Tag<0>), Places> = Table::new("annals.brought");
/// The turns of a session without names, by their places.
pub(crate) const UNNAMED: Table<(NamespaceId, u64, Tag<1>, u32), KnownTurn> = Table::new("annals.brought");
/// The turns of a session with names, by name and place.
pub(crate) const NAMED: Table<(NamespaceId, u64, Tag<2>, u64, u32), KnownTurn> = Table::new("annals.brought");
/// Turns that were deleted before an export stand behind this place: in another file their
/// neighbours are unknown.
pub(super) const ASIDE: u32 = 1 << 31;

/// The log of a session, under the places at which its turns came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImportLog {
    ns: NamespaceId,
    session: u64,
}

/// A turn that the session has had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KnownTurn {
    /// The memory that it became; none where that was deleted before its words were kept: it may
    /// have said anything.
    pub(crate) id: Option<MemoryId>,
    /// The mark that tells it from others of the same words: its id where it came from, or,
    /// without any name, the words of the turn before it; 0 where there is none.
    pub(crate) mark: u64,
    /// Each text that it had.
    pub(crate) words: Vec<u64>,
}

/// How a turn that is stored is known later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) print: Print,
    /// The words of the turn without a name before it, 0 where there is none.
    pub(super) before: u64,
    /// The place of the turn that was deleted and comes back.
    pub(super) again_at: Option<u32>,
}

impl Value for KnownTurn {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        let Some(id) = view.id else { return };
        put.raw(id.as_bytes());
        for number in std::iter::once(&view.mark).chain(&view.words) {
            put.raw(&number.to_be_bytes());
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        let mut take = Take::new(body);
        let id = Some(MemoryId::from_bytes(take.array()?));
        let mark = u64::from_be_bytes(take.array()?);
        let (words, left) = take.rest().as_chunks::<8>();
        if !left.is_empty() {
            return Err(Broken("the log of an import ends within a number"));
        }
        Ok(Self { id, mark, words: words.iter().map(|word| u64::from_be_bytes(*word)).collect() })
    }
}

/// The stored form of a number of places: four bytes, big-endian.
pub(crate) enum Places {}

impl Value for Places {
    type View<'a> = u32;

    fn encode(places: &u32, put: &mut Put) {
        put.raw(&places.to_be_bytes());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<u32, Broken> {
        let mut take = Take::new(body);
        let places = u32::from_be_bytes(take.array()?);
        take.end()?;
        Ok(places)
    }
}

impl ImportLog {
    pub(super) fn of(ns: NamespaceId, session: &Label) -> Self {
        Self { ns, session: hash(&[session.as_str().as_bytes()]) }
    }

    /// How many places of the session were looked at; `None` for a session that no import came to.
    pub(super) fn places(self, reads: &dyn Reads) -> Result<Option<u32>, Error> {
        Ok(PLACES.get(reads, (self.ns, self.session, ()))?)
    }

    /// The turns without names from a place on.
    pub(super) fn line(self, reads: &dyn Reads, from: u32) -> Result<Vec<(u32, KnownTurn)>, Error> {
        let range = UNNAMED.within((self.ns, self.session, ())).from((self.ns, self.session, (), from));
        let found = UNNAMED.rows(reads, range, usize::MAX)?;
        Ok(found.into_iter().map(|((.., place), turn)| (place, turn)).collect())
    }

    /// The words of the last turn without a name.
    fn last_words(self, reads: &dyn Reads) -> Result<u64, Error> {
        let own = UNNAMED.within((self.ns, self.session, ())).until((self.ns, self.session, (), ASIDE));
        let last = UNNAMED.rows(reads, own.reversed(), 1)?.pop();
        Ok(last.and_then(|(_, turn)| turn.words.first().copied()).unwrap_or_default())
    }

    /// The turns of a name.
    pub(super) fn named(self, reads: &dyn Reads, name: u64) -> Result<Vec<(u32, KnownTurn)>, Error> {
        let found = NAMED.rows(reads, NAMED.within((self.ns, self.session, (), name)), usize::MAX)?;
        Ok(found.into_iter().map(|((.., place), turn)| (place, turn)).collect())
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
                    UNNAMED.put(txn, (self.ns, self.session, (), place), &KnownTurn::default())?;
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
            &KnownTurn { id: Some(id), mark: 0, words: texts.iter().map(words).collect() },
        )?;
        Ok(if print.is_named() { before } else { print.words })
    }

    /// Takes note of turns that were just stored, in their order, behind so many places.
    pub(super) fn note(self, txn: &mut Transaction<'_>, places: u32, notes: &[(Note, MemoryId)]) -> Result<u32, Error> {
        let mut end = places;
        for (note, id) in notes {
            let turn = KnownTurn { id: Some(*id), mark: 0, words: vec![note.print.words] };
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
        turn: &KnownTurn,
    ) -> Result<(), Error> {
        if !print.is_named() {
            let turn = KnownTurn { mark: before, ..turn.clone() };
            return Ok(UNNAMED.put(txn, (self.ns, self.session, (), place), &turn)?);
        }
        let turn = KnownTurn { mark: print.id.unwrap_or_default(), ..turn.clone() };
        for name in print.names() {
            NAMED.put(txn, (self.ns, self.session, (), name, place), &turn)?;
        }
        Ok(())
    }

    fn put_places(self, txn: &mut Transaction<'_>, places: u32) -> Result<(), Error> {
        Ok(PLACES.put(txn, (self.ns, self.session, ()), &places)?)
    }
}

/// Memories are about to go: what imports came to keeps numbers of those that came another way since, too.
pub(crate) fn going(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    let mut any = false;
    scan_rows(txn, &[PLACES.within(ns).into()], |_, _| {
        any = true;
        Ok::<_, Error>(ControlFlow::Break(()))
    })?;
    if !any {
        return Ok(());
    }
    let rows: Vec<_> = annals_records::find_rows(&*txn, ns, ids)?.into_iter().flatten().collect();
    let memories = annals_records::memories(&*txn, ns, &rows, None)?;
    let turns = memories.into_iter().flatten().filter_map(|memory| memory.body.turn);
    let sessions: BTreeMap<u64, (ImportLog, Label)> = turns
        .map(|turn| (ImportLog::of(ns, &turn.session), turn.session))
        .map(|(log, session)| (log.session, (log, session)))
        .collect();
    for (log, session) in sessions.into_values() {
        if log.places(&*txn)?.is_some() {
            log.catch_up(txn, &session)?;
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
        scan_rows(reads, &[UNNAMED.within(ns).into()], |_, row| {
            if let Some(((_, session, (), place), turn)) = UNNAMED.read(&row)? {
                found.extend(Self::of((session, None, place), turn));
            } else if let Some(((_, session, (), name, place), turn)) = NAMED.read(&row)? {
                found.extend(Self::of((session, Some(name), place), turn));
            }
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
        let ids: Vec<MemoryId> = found.iter().map(|turn| turn.id).collect();
        let rows = annals_records::find_rows(reads, ns, &ids)?;
        Ok(found.into_iter().zip(rows).filter(|(_, row)| row.is_none()).map(|(turn, _)| turn).collect())
    }

    /// The memory that it was.
    pub(super) const fn memory(&self) -> MemoryId {
        self.id
    }

    fn of((session, name, place): (u64, Option<u64>, u32), KnownTurn { id, mark, words }: KnownTurn) -> Option<Self> {
        let (session, name) = (Number(session), name.map(Number));
        Some(Self { session, place, name, id: id?, mark: Number(mark), words: words.into_iter().map(Number).collect() })
    }

    pub(super) fn restore(&self, txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<Kept, Error> {
        let (session, place) = (self.session.0, self.place | ASIDE);
        let words = self.words.iter().map(|words| words.0).collect();
        let turn = KnownTurn { id: Some(self.id), mark: self.mark.0, words };
        match self.name {
            None if UNNAMED.contains(txn, (ns, session, (), place))? => return Ok(Kept::There),
            None => UNNAMED.put(txn, (ns, session, (), place), &turn)?,
            Some(name) if NAMED.contains(txn, (ns, session, (), name.0, place))? => return Ok(Kept::There),
            Some(name) => NAMED.put(txn, (ns, session, (), name.0, place), &turn)?,
        }
        Ok(Kept::New(()))
    }
}

/// Names rows that contradict each other.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    let (mut session, mut places) = (0, None);
    scan_rows(reads, &[PLACES.within(ns).into()], |_, row| {
        let within = |places: Option<u32>, place| place >= ASIDE || places.is_none_or(|places| place < places);
        let (of, sound) = if let Some(((_, of, ()), count)) = PLACES.read(&row)? {
            (session, places) = (of, Some(count));
            (of, true)
        } else if let Some(((_, of, (), place), _)) = UNNAMED.read(&row)? {
            (of, within(places.filter(|_| session == of), place))
        } else if let Some(((_, of, (), _, place), turn)) = NAMED.read(&row)? {
            (of, turn.id.is_some() && within(places.filter(|_| session == of), place))
        } else {
            return Err(row.unknown().into());
        };
        if !sound {
            problems.push(format!("the log of imports into session {of:016x} has a turn that does not fit"));
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_known_by_a_frozen_number() {
        let session = ImportLog::of(NamespaceId(1), &Label::new("session", "s").unwrap()).session;
        assert_eq!(session, 0xe601_6b3a_248d_ccd3);
    }
}
