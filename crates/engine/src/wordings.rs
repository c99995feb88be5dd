//! The memories that were told in the same words.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_language::words_hash;
use annals_storage::table::Mark;
use annals_storage::{Reads, Table, Transaction};
use annals_types::profile::Unify;
use annals_types::{Body, Kind, Layer, Memory, MemoryId, NamespaceId, NewMemory, Row, Status};

use crate::compiled::CompiledProfile;
use crate::write::Arrival;
use crate::{Error, WriteCx, noted, resolve};

/// The current rows by the hash of their words; turns and episodes are not told twice.
pub(crate) const WORDINGS: Table<(NamespaceId, u64, Row), Mark> = Table::new("annals.wordings");

/// The key of a memory that may be told again.
fn key_of(body: &Body) -> Option<u64> {
    let told = !matches!(body.layer, Layer::Turn | Layer::Episodic);
    told.then(|| words_hash(&body.text))
}

/// Enters a current row.
pub(crate) fn put(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    body: &Body,
) -> Result<(), Error> {
    if let Some(key) = key_of(body) {
        WORDINGS.put(txn, (ns, key, row), &())?;
    }
    Ok(())
}

/// Removes a row that is history or about to be erased.
pub(crate) fn remove(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    body: &Body,
) -> Result<(), Error> {
    if let Some(key) = key_of(body) {
        WORDINGS.delete(txn, (ns, key, row))?;
    }
    Ok(())
}

/// The memory that a new one repeats: the same words of the same time, kind and group, and still
/// true. One that was archived counts where a person tells it again, which brings it back.
pub(crate) fn repeated(cx: &WriteCx<'_, '_>, arrival: &Arrival) -> Result<Option<MemoryId>, Error> {
    let new = &arrival.prepared.memory;
    let Some(key) = compared_key(cx.profile, arrival) else {
        return Ok(None);
    };
    let mut rows = Vec::new();
    WORDINGS.scan(&*cx.txn, WORDINGS.within((cx.ns, key)), |(.., row), ()| {
        rows.push(row);
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    if rows.is_empty() {
        return Ok(None);
    }
    let found = annals_records::memories(&*cx.txn, cx.ns, &rows, None)?;
    let kind = kind_of(cx.profile, new)?;
    let back = |known: &Memory| {
        new.is_by_hand() && known.status == Status::Archived && known.superseded_by.is_none()
    };
    let same = |known: &&Memory| {
        let over = resolve::is_over(&known.body, new.body(), cx.now);
        let kind = kind.as_ref().is_none_or(|kind| *kind == known.body.kind);
        (resolve::in_use(known) || back(known)) && !over && kind && repeats(&known.body, new.body())
    };
    Ok(found.iter().flatten().find(same).map(|known| known.id))
}

/// The kind that was said of a memory, as its profile names it.
fn kind_of(profile: &CompiledProfile, new: &NewMemory) -> Result<Option<Kind>, Error> {
    let Some(kind) = new.said_kind() else {
        return Ok(None);
    };
    match profile.governs(new.body().layer) {
        true => Ok(Some(Kind::new(profile.policy.kind(kind.as_str())?)?)),
        false => Ok(Some(kind.clone())),
    }
}

/// Whether a new memory says what a known one says, in its words, of its time and group.
fn repeats(known: &Body, new: &Body) -> bool {
    resolve::says_the_same(known, new) && known.layer == new.layer && known.group() == new.group()
}

/// The key by which a memory that arrives is compared; none where the profile says otherwise, nor
/// where its statements are nodes of their own that are compared in the background.
fn compared_key(profile: &CompiledProfile, arrival: &Arrival) -> Option<u64> {
    let settings = &profile.settings;
    let later = arrival.says && settings.graph.unify == Unify::Consolidation;
    if settings.dedup.exact_text && !later {
        key_of(arrival.prepared.memory.body())
    } else {
        None
    }
}

/// For each of some memories that arrive together the place of the first of them that it repeats.
pub(crate) fn repeated_within(
    profile: &CompiledProfile,
    arrivals: &[Arrival],
) -> Vec<Option<usize>> {
    let mut first: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut places = Vec::with_capacity(arrivals.len());
    for (at, arrival) in arrivals.iter().enumerate() {
        let memory = &arrival.prepared.memory;
        let Some(key) = compared_key(profile, arrival) else {
            places.push(None);
            continue;
        };
        let same = first.entry(key).or_default();
        let known = |at: &&usize| {
            let known = arrivals.get(**at).map(|known| &known.prepared.memory);
            known.is_some_and(|known| {
                repeats(known.body(), memory.body())
                    && memory
                        .said_kind()
                        .is_none_or(|kind| Some(kind) == known.said_kind())
            })
        };
        let place = same.iter().find(known).copied();
        if place.is_none() {
            same.push(at);
        }
        places.push(place);
    }
    places
}

/// Names rows that do not fit the memories.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut noted: Vec<(Row, u64)> = Vec::new();
    WORDINGS.scan(reads, WORDINGS.within(ns), |(_, key, row), ()| {
        noted.push((row, key));
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    let strays = noted::strays(reads, ns, &noted, |memory, key| {
        key_of(&memory.body) == Some(*key)
    })?;
    Ok(strays
        .iter()
        .map(|row| {
            format!(
                "wordings: row {} does not have the words that are noted",
                row.0
            )
        })
        .collect())
}
