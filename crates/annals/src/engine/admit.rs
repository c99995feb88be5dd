//! Memories that arrive: what is known already is not stored twice, and what they contradict is settled, as the profile says.

use std::collections::BTreeSet;

use annals_graph::Yield;
use annals_lifecycle::State;
use annals_lifecycle::conflict::{self, Claim, Rival, Settlement};
use annals_storage::Transaction;
use annals_types::profile::{ConflictStrategy, DedupMoment, Signal};
use annals_types::{Body, Importance, Memory, MemoryId, NamespaceId, NewMemory, Row, Statement, Status, same_words};

use super::chores::assertions;
use super::decisions::{self, Decided};
use super::effect::{Effect, Worth};
use super::embed::Prepared;
use super::heard::{self, Heard};
use super::names::Entry;
use super::outlook::Outlook;
use super::resolve::{self, Settling};
use super::retold;
use super::revise::{self, Place};
use super::rulebooks::Rulebook;
use super::write::{Arrival, Done, set_status_in};
use super::{Change, Engine, changed, claims, evidence, life};
use crate::{DecisionQuestion, Error, ProposalAction};

impl Rulebook {
    /// Whether what new memories contradict is settled when they are stored.
    pub(super) fn settles_arrivals(&self) -> bool {
        matches!(self.profile.conflict.strategy, ConflictStrategy::CloseInterval | ConflictStrategy::UpdateInPlace)
    }
}

impl Engine {
    /// Stores memories in one transaction, as the profile wants new ones treated; answers the ids under which they are found.
    pub(crate) fn admit(&self, entry: Entry<'_>, arrivals: &[Arrival]) -> Result<Vec<MemoryId>, Error> {
        self.admit_then(entry, arrivals, |_, _, ids| Ok(ids.to_vec()))
    }

    /// The same, and in the same transaction what goes with them; `then` is told the ids under which they are found.
    pub(crate) fn admit_then<T: Send>(
        &self,
        entry: Entry<'_>,
        arrivals: &[Arrival],
        mut then: impl FnMut(&mut Transaction<'_>, Place<'_>, &[MemoryId]) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let rulebook = self.rulebook_of(entry.id)?;
        let alive = |arrival: &Arrival| rulebook.governs(arrival.prepared.memory.body().layer);
        let plain = !rulebook.compares_arrivals() && !rulebook.settles_arrivals();
        if plain || !arrivals.iter().any(alive) {
            let ids: Vec<MemoryId> = arrivals.iter().map(|arrival| arrival.id).collect();
            return self.write_or_make(entry, |txn, at| {
                let (_, change) = self.append_in(txn, at, arrivals)?;
                Ok((then(txn, at, &ids)?, change))
            });
        }
        let ns = self.made(entry)?;
        // One at a time, so that two that say the same do not miss each other.
        let door = self.doors.of(ns);
        let _alone = door.lock();
        let outlooks = self.outlooks(ns, &rulebook, arrivals, false)?;
        let admitted = self.write(ns, |txn, at| {
            let (ids, change) = self.admit_in(txn, at, arrivals, &outlooks)?;
            Ok((then(txn, at, &ids)?, change))
        })?;
        self.counts.settled(&rulebook, arrivals);
        Ok(admitted)
    }

    /// Stores memories with what they say in the transaction in which `then` changes others first, as the profile wants new ones treated.
    pub(crate) fn admit_with(
        &self,
        ns: NamespaceId,
        (arrivals, said): (&[Arrival], &[Vec<Statement>]),
        mut then: impl FnMut(&mut Transaction<'_>, Place<'_>) -> Result<Vec<Change>, Error> + Send,
    ) -> Result<Vec<MemoryId>, Error> {
        let rulebook = self.rulebooks.of(&self.snapshot()?, ns)?;
        let door = self.doors.of(ns);
        let _alone = door.lock();
        let outlooks = self.outlooks(ns, &rulebook, arrivals, true)?;
        let admitted = self.write(ns, |txn, at| {
            let mut changes = then(txn, at)?;
            let (ids, change) = self.admit_in(txn, at, arrivals, &outlooks)?;
            changes.push(change);
            for ((arrival, id), said) in arrivals.iter().zip(&ids).zip(said).filter(|(_, said)| !said.is_empty()) {
                evidence::assert_arrived(txn, at, (arrival.id, *id), &assertions(said))?;
            }
            Ok((ids, Change::all(changes)))
        })?;
        self.counts.settled(&rulebook, arrivals);
        Ok(admitted)
    }

    fn admit_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        arrivals: &[Arrival],
        outlooks: &[Outlook],
    ) -> Done<Vec<MemoryId>> {
        let mut ids: Vec<MemoryId> = Vec::with_capacity(arrivals.len());
        let mut settling = Settling::default();
        for (arrival, outlook) in arrivals.iter().zip(outlooks) {
            let twin = match (outlook.arriving(), outlook.same) {
                (Some(place), _) => ids.get(place).copied(),
                (None, Some(row)) => current_id(txn, at.ns, settling.now(row))?,
                (None, None) => self.told_already(txn, at, &arrival.prepared.memory)?,
            };
            let id = match twin {
                Some(id) => self.meet(txn, at, &mut settling, id, arrival, &outlook.heard)?,
                None => {
                    let id = self.settle_in(txn, at, &mut settling, arrival, outlook)?;
                    outlook.open.queue(txn, at, id)?;
                    id
                }
            };
            ids.push(id);
        }
        Ok((ids, Change::all(settling.changes)))
    }

    /// A memory that is there was told again.
    fn meet(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        settling: &mut Settling,
        id: MemoryId,
        arrival: &Arrival,
        heard: &[Heard],
    ) -> Result<MemoryId, Error> {
        let Some((row, known)) = annals_records::get(&*txn, at.ns, id, None)? else { return Ok(id) };
        let prepared = &arrival.prepared;
        if known.status == Status::Archived && prepared.memory.is_by_hand() {
            settling.changes.push(set_status_in(txn, at, &[id], Status::Active)?.1);
        }
        let body = Box::new(prepared.memory.body().clone());
        let absorbed = Effect::Absorbed { id: arrival.id, body, into: id, status: prepared.memory.status() };
        let terms = at.rulebook.terms(txn)?;
        let before = Worth::now(&*txn, at.ns, row)?;
        let merge = at.rulebook.profile.dedup.when == DedupMoment::Merge;
        if merge {
            let (_, life) = life::used(txn, at.ns, (at.rulebook, &terms.regime()), at.now, Signal::Used, &[id])?;
            settling.changes.push(Change { life, ..Change::default() });
        }
        let placed = life::place(at.rulebook, &prepared.memory, at.now)?;
        let placed = placed.map(|placed| life::placed(at.rulebook, &prepared.memory, &placed)).transpose()?;
        let said = placed.as_ref().unwrap_or(&prepared.memory).body();
        // Where telling again is a hit, the hit alone lifts it.
        let score = prepared.memory.said_importance().filter(|_| !merge);
        let importance = score.map_or(known.body.importance, |_| said.importance);
        let told = Body { importance, ..said.clone() };
        let since = resolve::claim(&*txn, at.ns, row, &known)?.valid_from;
        let joined = retold::joined((id, since), &known.body, &told);
        let brought = evidence::taken_over((id, &BTreeSet::new()), (arrival.id, []));
        // A verdict keeps what came of it. What nobody judged is the caller's, and goes as it came.
        let by_caller = said.provenance.is_empty() && !heard.iter().any(Heard::finds_same);
        if joined == known.body {
            note_met(txn, at, heard, (id, &[absorbed]))?;
            if by_caller {
                let lived = Worth::changed((&*txn, at.ns), (id, row), before)?;
                changed::note(txn, at, changed::TELL, (vec![id], lived.into_iter().chain([brought]).collect()))?;
            }
            return Ok(id);
        }
        let regime = terms.regime();
        let lifted = score.filter(|_| joined.importance != known.body.importance).map(Importance::exact);
        let with = |state: &mut State| {
            state.expires_at = state.expires_at.zip(said.expires_at).map(|(one, other)| one.max(other));
            let now = regime.policy.importance(&state.anchor(regime.policy), regime.passes, at.now);
            if let Some(score) = lifted.filter(|score| *score > now) {
                regime.policy.set_score(state, regime.passes, score, at.now);
            }
        };
        let worth = Worth::now(&*txn, at.ns, row)?;
        let (updated, change) = self.revise_in(txn, at, row, |body| *body = joined, with)?;
        life::derive(txn, at.ns, at.now, (updated.row, known.status), said)?;
        settling.changes.push(change);
        let mut effects = vec![Effect::Revised { id, from: known.revision, to: known.revision.saturating_add(1) }];
        if by_caller {
            effects.extend(Worth::changed((&*txn, at.ns), (id, updated.row), before)?);
            effects.push(brought);
            changed::note(txn, at, changed::TELL, (vec![id], effects))?;
            return Ok(id);
        }
        effects.extend(Worth::changed((&*txn, at.ns), (id, updated.row), worth)?);
        effects.extend([brought, absorbed]);
        note_met(txn, at, heard, (id, &effects))?;
        Ok(id)
    }

    /// The memory that says the same of the same subject and relation, where a profile keeps one for each.
    fn told_already(
        &self,
        txn: &Transaction<'_>,
        at: Place<'_>,
        memory: &NewMemory,
    ) -> Result<Option<MemoryId>, Error> {
        let single = at.rulebook.profile.conflict.strategy == ConflictStrategy::UpdateInPlace;
        let Some(key) = claims::key_of(memory.body()).filter(|_| single) else { return Ok(None) };
        let rows = claims::rows(txn, at.ns, &key)?;
        let found = annals_records::memories(txn, at.ns, &rows, None)?;
        let same = |known: &&Memory| {
            let over = resolve::is_over(&known.body, memory.body(), at.now);
            resolve::in_use(known) && !over && same_words(&known.body.text, &memory.body().text)
        };
        Ok(found.iter().flatten().find(same).map(|known| known.id))
    }

    /// Stores a memory that is new, and settles what it contradicts.
    fn settle_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        settling: &mut Settling,
        arrival: &Arrival,
        outlook: &Outlook,
    ) -> Result<MemoryId, Error> {
        let own = Row(u32::MAX);
        let mut prepared = arrival.prepared.clone();
        let heard: Vec<(Row, &Heard)> = outlook.heard.iter().map(|heard| (settling.now(heard.other), heard)).collect();
        settling.effects.clear();
        let settlements = self.contradictions(txn, at, settling, &mut prepared.memory, (own, outlook))?;
        let replaced = settlements.iter().filter_map(|settlement| match settlement {
            Settlement::Replace { row, .. } => Some(*row),
            _ => None,
        });
        for row in replaced {
            let Some(known) = annals_records::memories(&*txn, at.ns, &[row], None)?.pop().flatten() else { continue };
            if current_id(txn, at.ns, row)?.is_none() || resolve::stays(&*txn, at.ns, &known, prepared.memory.body())? {
                continue;
            }
            let id = self.replace_by(txn, at, settling, (known.id, arrival.id), &prepared)?;
            let effects = std::mem::take(&mut settling.effects);
            if heard.iter().any(|(other, heard)| *other == row && heard.says_so()) {
                let effects = effects.into_iter().map(|(_, effect)| (row, effect)).collect();
                heard::note_all(txn, at, &heard, (own, effects), Some(id))?;
            } else {
                heard::note_all(txn, at, &heard, (own, Vec::new()), Some(id))?;
                let effects = effects.into_iter().map(|(_, effect)| effect).collect();
                note_replaced(txn, at, (&known, id), (prepared.memory.body(), arrival.says), effects)?;
            }
            return Ok(id);
        }
        let until = prepared.memory.body().valid_until;
        let before = arrival.prepared.memory.body().valid_until;
        let stored = Arrival { prepared, ..arrival.clone() };
        let (appended, change) = self.append_in(txn, at, &[stored])?;
        settling.changes.push(change);
        let row = appended.first().map_or(own, |appended| appended.row);
        for settlement in &settlements {
            self.settle(txn, at, settling, &with_row(settlement, own, row))?;
        }
        if let Some(to) = until.filter(|_| until != before) {
            settling.effects.push((row, Effect::Until { id: arrival.id, from: before, to }));
        }
        heard::note_all(txn, at, &heard, (row, std::mem::take(&mut settling.effects)), None)?;
        Ok(arrival.id)
    }

    /// What is to be done about a new memory and those that it contradicts. One that is known to have ended is stored as ended.
    fn contradictions(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        settling: &Settling,
        memory: &mut NewMemory,
        (own, outlook): (Row, &Outlook),
    ) -> Result<Vec<Settlement>, Error> {
        let Some(placed) = life::place(at.rulebook, memory, at.now)?.filter(|_| at.rulebook.settles_arrivals()) else {
            return Ok(Vec::new());
        };
        let placed = life::placed(at.rulebook, memory, &placed)?;
        let mut rivals = resolve::rivals(&*txn, at.ns, None, placed.body())?;
        let told = outlook.judged.iter().map(|rival| settling.now(rival.claim.row)).zip(&outlook.judged);
        let told: Vec<Rival> = told
            .filter(|(row, _)| rivals.iter().all(|rival| rival.claim.row != *row))
            .map(|(row, rival)| Rival { claim: Claim { row, ..rival.claim }, ..*rival })
            .collect();
        rivals.extend(told);
        let since = resolve::since(placed.body(), at.now);
        let new = Claim { row: own, valid_from: since, valid_until: placed.body().valid_until };
        let settlements = conflict::resolve(&at.rulebook.profile.conflict, &new, &rivals);
        let ended = settlements.iter().find_map(|settlement| match settlement {
            Settlement::Close { row, until } if *row == own => Some(*until),
            _ => None,
        });
        let closes = settlements.iter().any(|settlement| matches!(settlement, Settlement::Close { .. }));
        if closes {
            let status = memory.status();
            let mut body = placed.into_body();
            body.valid_from = Some(since);
            body.valid_until = ended.or(body.valid_until);
            *memory = NewMemory::from_body(body)?.with_status(status);
        }
        let others = |settlement: &Settlement| !matches!(settlement, Settlement::Close { row, .. } if *row == own);
        Ok(settlements.into_iter().filter(others).collect())
    }

    /// A memory becomes what a new one says.
    fn replace_by(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        settling: &mut Settling,
        (id, new_id): (MemoryId, MemoryId),
        prepared: &Prepared,
    ) -> Result<MemoryId, Error> {
        let placed = life::place(at.rulebook, &prepared.memory, at.now)?;
        let mut prepared = prepared.clone();
        if let Some(placed) = &placed {
            prepared.memory = life::placed(at.rulebook, &prepared.memory, placed)?;
        }
        let arrived = new_id;
        let new_id = (!at.rulebook.profile.records.update_keeps_id).then_some(new_id);
        let with = |state: &mut State| {
            if let Some(placed) = placed {
                (state.value, state.class) = (placed.score, placed.class);
                (state.expires_at, state.session_bound) = (placed.expires_at, placed.session_bound);
                (state.at, state.accessed) = (at.now, state.accessed.max(at.now));
            }
        };
        let known = annals_records::get(&*txn, at.ns, id, None)?;
        let worth = known.as_ref().map(|(row, _)| Worth::now(&*txn, at.ns, *row)).transpose()?.flatten();
        let (updated, change) = self.update_in(txn, at, (id, new_id), &prepared, Yield::These(&[]), with)?;
        if let Some((row, known)) = known {
            let effects = match new_id {
                Some(by) => vec![Effect::Replaced { id, by }],
                None => {
                    let body = Box::new(prepared.memory.body().clone());
                    let to = known.revision.saturating_add(1);
                    let mut effects = vec![Effect::Revised { id, from: known.revision, to }];
                    effects.extend(Worth::changed((&*txn, at.ns), (id, updated.row), worth)?);
                    effects.push(evidence::taken_over((id, &BTreeSet::new()), (arrived, [])));
                    effects.push(Effect::Absorbed { id: arrived, body, into: id, status: prepared.memory.status() });
                    effects
                }
            };
            settling.effects.extend(effects.into_iter().map(|effect| (row, effect)));
        }
        life::derive(txn, at.ns, at.now, (updated.row, prepared.memory.status()), prepared.memory.body())?;
        if !prepared.memory.body().provenance.is_empty() {
            revise::note_made(txn, at.ns, updated.row)?;
        }
        settling.changes.push(change);
        Ok(updated.id)
    }
}

/// Keeps that a memory became what a new one says, where nobody judged so: to a caller that is an edit, and what was
/// found in a conversation is told as what that conversation changed.
fn note_replaced(
    txn: &mut Transaction<'_>,
    at: Place<'_>,
    (known, id): (&Memory, MemoryId),
    (body, says): (&Body, bool),
    effects: Vec<Effect>,
) -> Result<(), Error> {
    if body.provenance.is_empty() {
        let Some((_, updated)) = annals_records::get(&*txn, at.ns, id, None)? else { return Ok(()) };
        let edited = Effect::Edited { id: known.id, from: known.revision, by: id, to: updated.revision, said: says };
        let lived = effects.into_iter().filter(|effect| matches!(effect, Effect::Life { .. }));
        let effects = [edited].into_iter().chain(lived).collect();
        return changed::note(txn, at, changed::EDIT, (vec![id], effects));
    }
    let here = annals_records::find_rows(&*txn, at.ns, &body.provenance)?;
    let sources = body.provenance.iter().zip(here).filter(|(_, row)| row.is_some()).map(|(source, _)| *source);
    let decided = Decided {
        at: at.now,
        question: DecisionQuestion::StillTrue,
        memories: [id].into_iter().chain(sources.filter(|source| *source != id)).collect(),
        answer: ProposalAction::Update.as_str().to_owned(),
        reason: String::new(),
        by: decisions::PROFILE.to_owned(),
        effects,
        undone_at: None,
        before: 0,
    };
    decisions::note(txn, at, decided)
}

/// Keeps what a judge said about a memory that was taken for a known one.
fn note_met(
    txn: &mut Transaction<'_>,
    at: Place<'_>,
    heard: &[Heard],
    (into, effects): (MemoryId, &[Effect]),
) -> Result<(), Error> {
    heard.iter().try_for_each(|heard| {
        let effects = if heard.finds_same() { effects.to_vec() } else { Vec::new() };
        heard.note(txn, at, effects, Some(into))
    })
}

/// The id of a row, while it is its memory's current one.
fn current_id(txn: &Transaction<'_>, ns: NamespaceId, row: Row) -> Result<Option<MemoryId>, Error> {
    let Some(id) = annals_records::ids_of(txn, ns, &[row])?.pop().flatten() else { return Ok(None) };
    let current = annals_records::find_rows(txn, ns, &[id])?.pop().flatten();
    Ok((current == Some(row)).then_some(id))
}

/// The same settlement with the row that the new memory got.
fn with_row(settlement: &Settlement, own: Row, row: Row) -> Settlement {
    let real = |named: Row| if named == own { row } else { named };
    match *settlement {
        Settlement::Close { row, until } => Settlement::Close { row: real(row), until },
        Settlement::Supersede { newer, older } => Settlement::Supersede { newer: real(newer), older: real(older) },
        Settlement::Replace { row, by } => Settlement::Replace { row: real(row), by: real(by) },
        Settlement::Penalize { row, factor } => Settlement::Penalize { row: real(row), factor },
        Settlement::Link { newer, older } => Settlement::Link { newer: real(newer), older: real(older) },
        other => other,
    }
}
