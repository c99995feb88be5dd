//! The turns that sessions have had which imports brought something into. They are kept as numbers
//! by which the turns are known when they come again, without a word of them. They stay when the
//! turns are deleted, so that these do not come back with the next import, and go with the
//! namespace.

use std::collections::{BTreeMap, BTreeSet};
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
pub(crate) const UNNAMED: Table<(NamespaceId, u64, Tag<1>, u32), KnownTurn> =
    Table::new("annals.brought");
/// The turns of a session with names, by name and place.
pub(crate) const NAMED: Table<(NamespaceId, u64, Tag<2>, u64, u32), KnownTurn> =
    Table::new("annals.brought");
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
    /// How many more places behind it stand for the same, where it has no id: an export may name
    /// places as far apart as it likes, and what lies between them takes one row.
    pub(crate) more: u32,
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

    const VERSION: u8 = 2;

    fn encode(view: &Self, put: &mut Put) {
        let Some(id) = view.id else {
            if view.more > 0 {
                put.raw(&view.more.to_be_bytes());
            }
            return;
        };
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
        if body.len() == size_of::<u32>() {
            return Ok(Self {
                more: u32::from_be_bytes(take.array()?),
                ..Self::default()
            });
        }
        let id = Some(MemoryId::from_bytes(take.array()?));
        let mark = u64::from_be_bytes(take.array()?);
        let (words, left) = take.rest().as_chunks::<8>();
        if !left.is_empty() {
            return Err(Broken("the log of an import ends within a number"));
        }
        Ok(Self {
            id,
            mark,
            words: words.iter().map(|word| u64::from_be_bytes(*word)).collect(),
            more: 0,
        })
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
        Self {
            ns,
            session: hash(&[session.as_str().as_bytes()]),
        }
    }

    /// How many places of the session were looked at; `None` for a session that no import came to.
    pub(super) fn places(self, reads: &dyn Reads) -> Result<Option<u32>, Error> {
        Ok(PLACES.get(reads, (self.ns, self.session, ()))?)
    }

    /// The turns without names from a place on, to be compared with so many turns of a file.
    pub(super) fn line(
        self,
        reads: &dyn Reads,
        from: u32,
        turns: usize,
    ) -> Result<Vec<(u32, KnownTurn)>, Error> {
        let own = UNNAMED.within((self.ns, self.session, ()));
        let found = UNNAMED.rows(
            reads,
            own.from((self.ns, self.session, (), from)),
            usize::MAX,
        )?;
        let mut line: Vec<(u32, KnownTurn)> = Vec::with_capacity(found.len() + 1);
        if let Some((place, turn)) = self
            .gap_around(reads, from)?
            .filter(|(place, _)| *place < from)
        {
            line.push((
                from,
                KnownTurn {
                    more: turn.more - (from - place),
                    ..turn
                },
            ));
        }
        line.extend(found.into_iter().map(|((.., place), turn)| (place, turn)));
        Ok(spread(line, turns))
    }

    /// The row of deleted turns that holds a place, with the first of its places.
    fn gap_around(self, reads: &dyn Reads, place: u32) -> Result<Option<(u32, KnownTurn)>, Error> {
        let up_to = (self.ns, self.session, (), place.saturating_add(1));
        let before = UNNAMED
            .within((self.ns, self.session, ()))
            .until(up_to)
            .reversed();
        let last = UNNAMED
            .rows(reads, before, 1)?
            .pop()
            .map(|((.., first), turn)| (first, turn));
        Ok(last.filter(|(first, turn)| turn.id.is_none() && place - first <= turn.more))
    }

    /// Takes a place out of the deleted turns among which it stands, for the turn that comes back
    /// there.
    fn part(self, txn: &mut Transaction<'_>, place: u32) -> Result<(), Error> {
        let Some((first, turn)) = self.gap_around(&*txn, place)? else {
            return Ok(());
        };
        let before = place - first;
        self.leave_out(txn, first, before)?;
        self.leave_out(txn, place.saturating_add(1), turn.more - before)
    }

    /// Notes that nobody knows what was said at so many places.
    fn leave_out(self, txn: &mut Transaction<'_>, first: u32, count: u32) -> Result<(), Error> {
        let Some(more) = count.checked_sub(1) else {
            return Ok(());
        };
        let gone = KnownTurn {
            more,
            ..KnownTurn::default()
        };
        Ok(UNNAMED.put(txn, (self.ns, self.session, (), first), &gone)?)
    }

    /// The words of the last turn without a name.
    fn last_words(self, reads: &dyn Reads) -> Result<u64, Error> {
        let own =
            UNNAMED
                .within((self.ns, self.session, ()))
                .until((self.ns, self.session, (), ASIDE));
        let last = UNNAMED.rows(reads, own.reversed(), 1)?.pop();
        Ok(last
            .and_then(|(_, turn)| turn.words.first().copied())
            .unwrap_or_default())
    }

    /// The turns of a name.
    pub(super) fn named(
        self,
        reads: &dyn Reads,
        name: u64,
    ) -> Result<Vec<(u32, KnownTurn)>, Error> {
        let found = NAMED.rows(
            reads,
            NAMED.within((self.ns, self.session, (), name)),
            usize::MAX,
        )?;
        Ok(found
            .into_iter()
            .map(|((.., place), turn)| (place, turn))
            .collect())
    }

    /// Whether the session has turns that were not looked at, for an import or because one came to
    /// it before.
    pub(super) fn lacks(self, reads: &dyn Reads, session: &Label) -> Result<bool, Error> {
        let places = annals_records::session_places(reads, self.ns, session.as_str())?;
        Ok(places > self.places(reads)?.unwrap_or_default())
    }

    /// Takes note of what the session has had since the last time; answers how many places that
    /// are.
    pub(super) fn catch_up(self, txn: &mut Transaction<'_>, session: &Label) -> Result<u32, Error> {
        let done = self.places(&*txn)?.unwrap_or_default();
        let places = annals_records::session_places(&*txn, self.ns, session.as_str())?;
        if places <= done {
            return Ok(done);
        }
        let mut before = self.last_words(&*txn)?;
        let mut next = done;
        for (place, (id, texts)) in said_since(&*txn, self.ns, session, done)? {
            if place > next {
                self.leave_out(txn, next, place - next)?;
                before = 0;
            }
            before = self.take_up(txn, (place, id), &texts, before)?;
            next = place.saturating_add(1);
        }
        self.leave_out(txn, next, places.saturating_sub(next))?;
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
        let Some(print) = texts.first().map(Print::of) else {
            return Ok(before);
        };
        self.put(
            txn,
            place,
            (print, before),
            &KnownTurn {
                id: Some(id),
                words: texts.iter().map(words).collect(),
                ..KnownTurn::default()
            },
        )?;
        Ok(if print.is_named() {
            before
        } else {
            print.words
        })
    }

    /// Takes note of turns that were just stored, in their order, behind so many places.
    pub(super) fn note(
        self,
        txn: &mut Transaction<'_>,
        places: u32,
        notes: &[(Note, MemoryId)],
    ) -> Result<u32, Error> {
        let mut end = places;
        for (note, id) in notes {
            let turn = KnownTurn {
                id: Some(*id),
                words: vec![note.print.words],
                ..KnownTurn::default()
            };
            if let Some(place) = note.again_at {
                self.part(txn, place)?;
            }
            self.put(
                txn,
                note.again_at.unwrap_or(end),
                (note.print, note.before),
                &turn,
            )?;
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
            let turn = KnownTurn {
                mark: before,
                ..turn.clone()
            };
            return Ok(UNNAMED.put(txn, (self.ns, self.session, (), place), &turn)?);
        }
        let turn = KnownTurn {
            mark: print.id.unwrap_or_default(),
            ..turn.clone()
        };
        for name in print.names() {
            NAMED.put(txn, (self.ns, self.session, (), name, place), &turn)?;
        }
        Ok(())
    }

    /// Takes note of a memory that is no turn, by its name: its words, besides those that it had.
    pub(super) fn note_memory(
        self,
        txn: &mut Transaction<'_>,
        (name, words): (u64, u64),
        id: MemoryId,
    ) -> Result<(), Error> {
        let ns = self.ns;
        if let Some((place, mut known)) = self.named(&*txn, name)?.pop() {
            known.id = Some(id);
            known.words.retain(|before| *before != words);
            known.words.push(words);
            return Ok(NAMED.put(txn, (ns, self.session, (), name, place), &known)?);
        }
        let place = self.places(&*txn)?.unwrap_or_default();
        let known = KnownTurn {
            id: Some(id),
            mark: name,
            words: vec![words],
            more: 0,
        };
        NAMED.put(txn, (ns, self.session, (), name, place), &known)?;
        self.put_places(txn, place.saturating_add(1))
    }

    fn put_places(self, txn: &mut Transaction<'_>, places: u32) -> Result<(), Error> {
        Ok(PLACES.put(txn, (self.ns, self.session, ()), &places)?)
    }
}

/// The places of deleted turns one by one, as far as turns of a file could stand there: no more at
/// a time than the file has turns, and altogether a multiple of what is there.
fn spread(line: Vec<(u32, KnownTurn)>, turns: usize) -> Vec<(u32, KnownTurn)> {
    const SHARE: usize = 16;
    let gaps = line.iter().filter(|(_, turn)| turn.more > 0).count();
    let each = SHARE
        .saturating_mul(line.len().saturating_add(turns))
        .checked_div(gaps)
        .unwrap_or(0);
    let each = u32::try_from(each.min(turns)).unwrap_or(u32::MAX);
    let mut all = Vec::with_capacity(line.len());
    for (place, turn) in line {
        let more = turn.more.min(each.saturating_sub(1));
        let turn = KnownTurn { more: 0, ..turn };
        all.extend((place..=place.saturating_add(more)).map(|place| (place, turn.clone())));
    }
    all
}

/// Memories are about to go: what imports came to keeps numbers of those that came another way
/// since, too.
pub(crate) fn going(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<(), Error> {
    let mut any = false;
    scan_rows(txn, &[PLACES.within(ns).into()], |_, _| {
        any = true;
        Ok::<_, Error>(ControlFlow::Break(()))
    })?;
    if !any {
        return Ok(());
    }
    let rows: Vec<_> = annals_records::find_rows(&*txn, ns, ids)?
        .into_iter()
        .flatten()
        .collect();
    let memories = annals_records::memories(&*txn, ns, &rows, None)?;
    let turns = memories
        .into_iter()
        .flatten()
        .filter_map(|memory| memory.body.turn);
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

/// Forgets memories that imports brought: the next one brings them again.
pub(crate) fn forget(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    ids: &BTreeSet<MemoryId>,
) -> Result<(), Error> {
    let (mut unnamed, mut named) = (Vec::new(), Vec::new());
    scan_rows(&*txn, &[UNNAMED.within(ns).into()], |_, row| {
        let is_meant = |turn: &KnownTurn| turn.id.is_some_and(|id| ids.contains(&id));
        if let Some((key, turn)) = UNNAMED.read(&row)? {
            unnamed.extend(is_meant(&turn).then_some(key));
        } else if let Some((key, turn)) = NAMED.read(&row)? {
            named.extend(is_meant(&turn).then_some(key));
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    for key in unnamed {
        UNNAMED.delete(txn, key)?;
    }
    for key in named {
        NAMED.delete(txn, key)?;
    }
    Ok(())
}

/// A turn that was deleted, as an export carries it: by this it stays away from another file as
/// well.
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
        u64::from_str_radix(&digits, 16)
            .map(Self)
            .map_err(serde::de::Error::custom)
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
        Ok(found
            .into_iter()
            .zip(rows)
            .filter(|(_, row)| row.is_none())
            .map(|(turn, _)| turn)
            .collect())
    }

    /// The memory that it was.
    pub(super) const fn memory(&self) -> MemoryId {
        self.id
    }

    fn of((session, name, place): (u64, Option<u64>, u32), turn: KnownTurn) -> Option<Self> {
        let KnownTurn {
            id,
            mark,
            words,
            more: _,
        } = turn;
        let (session, name) = (Number(session), name.map(Number));
        Some(Self {
            session,
            place,
            name,
            id: id?,
            mark: Number(mark),
            words: words.into_iter().map(Number).collect(),
        })
    }

    pub(super) fn restore(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
    ) -> Result<Kept, Error> {
        let (session, place) = (self.session.0, self.place | ASIDE);
        let words = self.words.iter().map(|words| words.0).collect();
        let turn = KnownTurn {
            id: Some(self.id),
            mark: self.mark.0,
            words,
            more: 0,
        };
        match self.name {
            None if UNNAMED.contains(txn, (ns, session, (), place))? => return Ok(Kept::There),
            None => UNNAMED.put(txn, (ns, session, (), place), &turn)?,
            Some(name) if NAMED.contains(txn, (ns, session, (), name.0, place))? => {
                return Ok(Kept::There);
            }
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
        let within = |places: Option<u32>, place| {
            place >= ASIDE || places.is_none_or(|places| place < places)
        };
        let (of, sound) = if let Some(((_, of, ()), count)) = PLACES.read(&row)? {
            (session, places) = (of, Some(count));
            (of, true)
        } else if let Some(((_, of, (), place), turn)) = UNNAMED.read(&row)? {
            let last = place.checked_add(turn.more);
            (
                of,
                last.is_some_and(|last| within(places.filter(|_| session == of), last)),
            )
        } else if let Some(((_, of, (), _, place), turn)) = NAMED.read(&row)? {
            (
                of,
                turn.id.is_some() && within(places.filter(|_| session == of), place),
            )
        } else {
            return Err(row.unknown().into());
        };
        if !sound {
            problems.push(format!(
                "the log of imports into session {of:016x} has a turn that does not fit"
            ));
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
