//! Memories that arrive: one that is known already is not stored twice, and contradictions are
//! settled, as the profile says.

use std::collections::BTreeSet;

use annals_graph::Yield;
use annals_language::same_words;
use annals_lifecycle::State;
use annals_lifecycle::conflict::{self, Claim, Rival, Settlement};
use annals_storage::Transaction;
use annals_types::profile::{ConflictStrategy, DedupMoment, Signal};
use annals_types::{
    Body, Importance, Memory, MemoryId, NamespaceId, NewMemory, Row, Statement, Status,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::compiled::CompiledProfile;
use crate::decisions::{self, Decided};
use crate::effect::{Effect, Worth};
use crate::embed::Prepared;
use crate::interpretation::assertions;
use crate::names::Entry;
use crate::pair_answer::{self, PairAnswer};
use crate::precheck::Precheck;
use crate::resolve::{self, Settling};
use crate::write::{Arrival, set_status_in};
use crate::{DecisionQuestion, Error};
use crate::{Engine, WriteCx, changed, claims, evidence, life, retold, revise, wordings};

/// How a memory that arrived was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// The memory is stored.
    New,
    /// The memory was known already: the known one stays, and took over what the new one says
    /// besides.
    Known,
    /// A known memory says this now.
    Replaced,
}

/// The memory under which one that arrived is found, and how it was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Admitted {
    /// The id of the memory that holds it now.
    pub id: MemoryId,
    /// How it was received.
    pub admission: Admission,
}

impl Admitted {
    const fn new(id: MemoryId) -> Self {
        Self {
            id,
            admission: Admission::New,
        }
    }

    const fn known(id: MemoryId) -> Self {
        Self {
            id,
            admission: Admission::Known,
        }
    }

    const fn replaced(id: MemoryId) -> Self {
        Self {
            id,
            admission: Admission::Replaced,
        }
    }
}

impl CompiledProfile {
    /// Whether what new memories contradict is settled when they are stored.
    pub fn settles_arrivals(&self) -> bool {
        matches!(
            self.settings.conflict.strategy,
            ConflictStrategy::CloseInterval | ConflictStrategy::UpdateInPlace
        )
    }
}

impl Engine {
    /// Stores memories in one transaction, as the profile wants new ones treated; under every
    /// profile one that repeats a known one in its words is not stored again.
    pub fn admit(&self, entry: Entry<'_>, arrivals: &[Arrival]) -> Result<Vec<Admitted>, Error> {
        self.admit_then(entry, arrivals, |_, admitted| Ok(admitted.to_vec()))
    }

    /// The same; `then` runs in the same transaction.
    pub fn admit_then<T: Send + Serialize + DeserializeOwned>(
        &self,
        entry: Entry<'_>,
        arrivals: &[Arrival],
        mut then: impl FnMut(&mut WriteCx<'_, '_>, &[Admitted]) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let profile = self.profile_of(entry.id)?;
        let alive = |arrival: &Arrival| profile.governs(arrival.prepared.memory.body().layer);
        let plain = !profile.compares_arrivals() && !profile.settles_arrivals();
        if plain || !arrivals.iter().any(alive) {
            return self.write_kept_or_make(entry, |cx| {
                let admitted = self.append_new_in(cx, arrivals)?;
                then(cx, &admitted)
            });
        }
        let ns = self.made(entry)?;
        // One at a time, so that two that say the same do not miss each other.
        let lock = self.admission_locks.of(ns);
        let _locked = lock.lock();
        let prechecks = self.prechecks(ns, &profile, arrivals, false)?;
        let admitted = self.write_kept(ns, |cx| {
            let admitted = self.admit_in(cx, arrivals, &prechecks)?;
            then(cx, &admitted)
        })?;
        self.counts.settled(&profile, arrivals);
        Ok(admitted)
    }

    /// Stores memories with their statements, as the profile wants new ones treated. `then` runs
    /// first in the same transaction and changes others.
    pub fn admit_with(
        &self,
        ns: NamespaceId,
        (arrivals, said): (&[Arrival], &[Vec<Statement>]),
        mut then: impl FnMut(&mut WriteCx<'_, '_>) -> Result<(), Error> + Send,
    ) -> Result<Vec<MemoryId>, Error> {
        let profile = self.profiles.of(&self.snapshot()?, ns)?;
        let lock = self.admission_locks.of(ns);
        let _locked = lock.lock();
        let prechecks = self.prechecks(ns, &profile, arrivals, true)?;
        let admitted = self.write(ns, |cx| {
            then(cx)?;
            let ids: Vec<MemoryId> = self
                .admit_in(cx, arrivals, &prechecks)?
                .into_iter()
                .map(|admitted| admitted.id)
                .collect();
            for ((arrival, id), said) in arrivals
                .iter()
                .zip(&ids)
                .zip(said)
                .filter(|(_, said)| !said.is_empty())
            {
                evidence::assert_arrived(cx, (arrival.id, *id), &assertions(said))?;
            }
            Ok(ids)
        })?;
        self.counts.settled(&profile, arrivals);
        Ok(admitted)
    }

    fn admit_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        arrivals: &[Arrival],
        prechecks: &[Precheck],
    ) -> Result<Vec<Admitted>, Error> {
        let mut all: Vec<Admitted> = Vec::with_capacity(arrivals.len());
        let mut settling = Settling::default();
        for (arrival, precheck) in arrivals.iter().zip(prechecks) {
            let twin = match (precheck.arriving(), precheck.same) {
                (Some(place), _) => all.get(place).map(|admitted| admitted.id),
                (None, Some(row)) => current_id(cx.txn, cx.ns, settling.now(row))?,
                (None, None) => match self.told_already(cx, &arrival.prepared.memory)? {
                    Some(told) => Some(told),
                    None => wordings::repeated(cx, arrival)?,
                },
            };
            let admitted = match twin {
                Some(id) => Admitted::known(self.meet(cx, id, arrival, &precheck.heard)?),
                None => {
                    let admitted = self.settle_in(cx, &mut settling, arrival, precheck)?;
                    precheck.open.queue(cx, admitted.id)?;
                    admitted
                }
            };
            all.push(admitted);
        }
        Ok(all)
    }

    /// Stores memories under a profile that does not compare them, but those that repeat a known
    /// one, or one before them, in its words.
    pub fn append_new_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        arrivals: &[Arrival],
    ) -> Result<Vec<Admitted>, Error> {
        let mut all: Vec<Admitted> = Vec::with_capacity(arrivals.len());
        for (arrival, place) in arrivals
            .iter()
            .zip(wordings::repeated_within(cx.profile, arrivals))
        {
            let twin = match place.and_then(|place| all.get(place)) {
                Some(before) => Some(before.id),
                None => wordings::repeated(cx, arrival)?,
            };
            all.push(twin.map_or(Admitted::new(arrival.id), Admitted::known));
        }
        if all
            .iter()
            .all(|admitted| admitted.admission == Admission::New)
        {
            self.append_in(cx, arrivals)?;
            return Ok(all);
        }
        let received = || arrivals.iter().zip(&all);
        let new = received().filter(|(_, admitted)| admitted.admission == Admission::New);
        let new: Vec<Arrival> = new.map(|(arrival, _)| arrival.clone()).collect();
        self.append_in(cx, &new)?;
        for (arrival, admitted) in
            received().filter(|(_, admitted)| admitted.admission == Admission::Known)
        {
            self.meet(cx, admitted.id, arrival, &[])?;
        }
        Ok(all)
    }

    /// A memory that is there was told again.
    fn meet(
        &self,
        cx: &mut WriteCx<'_, '_>,
        id: MemoryId,
        arrival: &Arrival,
        heard: &[PairAnswer],
    ) -> Result<MemoryId, Error> {
        let Some((row, known)) = annals_records::get(&*cx.txn, cx.ns, id, None)? else {
            return Ok(id);
        };
        let prepared = &arrival.prepared;
        if known.status == Status::Archived && prepared.memory.is_by_hand() {
            set_status_in(cx, &[id], Status::Active)?;
        }
        let body = Box::new(prepared.memory.body().clone());
        let absorbed = Effect::Absorbed {
            id: arrival.id,
            body,
            into: id,
            status: prepared.memory.status(),
        };
        let terms = cx.terms()?;
        let before = Worth::now(&*cx.txn, cx.ns, row)?;
        let merge = cx.profile.settings.dedup.when == DedupMoment::Merge;
        if merge {
            life::used(cx, Signal::Used, &[id])?;
        }
        let placed = life::place(cx.profile, &prepared.memory, cx.now)?;
        let placed = placed
            .map(|placed| life::placed(cx.profile, &prepared.memory, &placed))
            .transpose()?;
        let said = placed.as_ref().unwrap_or(&prepared.memory).body();
        // Where telling again is a hit, the hit alone lifts it.
        let score = prepared.memory.said_importance().filter(|_| !merge);
        let importance = score.map_or(known.body.importance, |_| said.importance);
        let told = Body {
            importance,
            ..said.clone()
        };
        let since = resolve::claim(&*cx.txn, cx.ns, row, &known)?.valid_from;
        let joined = retold::joined(id, since, &known.body, &told);
        let brought = evidence::taken_over((id, &BTreeSet::new()), (arrival.id, []));
        // A verdict keeps its consequences. A memory that no judge saw is the caller's, and goes
        // as it came.
        let by_caller = said.provenance.is_empty() && !heard.iter().any(PairAnswer::finds_same);
        if joined == known.body {
            note_met(cx, heard, (id, &[absorbed]))?;
            if by_caller {
                let lived = Worth::changed(&*cx.txn, cx.ns, (id, row), before)?;
                changed::note(
                    cx,
                    changed::TELL,
                    (vec![id], lived.into_iter().chain([brought]).collect()),
                )?;
            }
            return Ok(id);
        }
        let (regime, at) = (terms.regime(), cx.now);
        let lifted = score
            .filter(|_| joined.importance != known.body.importance)
            .map(Importance::exact);
        let with = |state: &mut State| {
            state.expires_at = state
                .expires_at
                .zip(said.expires_at)
                .map(|(one, other)| one.max(other));
            let now = regime
                .policy
                .importance(&state.anchor(regime.policy), regime.passes, at);
            if let Some(score) = lifted.filter(|score| *score > now) {
                regime.policy.set_score(state, regime.passes, score, at);
            }
        };
        let worth = Worth::now(&*cx.txn, cx.ns, row)?;
        let updated = self.revise_in(cx, row, |body| *body = joined, with)?;
        life::derive(cx, (updated.row, known.status), said)?;
        let mut effects = vec![Effect::Revised {
            id,
            from: known.revision,
            to: known.revision.saturating_add(1),
        }];
        if by_caller {
            effects.extend(Worth::changed(&*cx.txn, cx.ns, (id, updated.row), before)?);
            effects.push(brought);
            changed::note(cx, changed::TELL, (vec![id], effects))?;
            return Ok(id);
        }
        effects.extend(Worth::changed(&*cx.txn, cx.ns, (id, updated.row), worth)?);
        effects.extend([brought, absorbed]);
        note_met(cx, heard, (id, &effects))?;
        Ok(id)
    }

    /// The memory that says the same of the same subject and relation, where a profile keeps one
    /// for each.
    fn told_already(
        &self,
        cx: &WriteCx<'_, '_>,
        memory: &NewMemory,
    ) -> Result<Option<MemoryId>, Error> {
        let single = cx.profile.settings.conflict.strategy == ConflictStrategy::UpdateInPlace;
        let Some(key) = claims::key_of(memory.body()).filter(|_| single) else {
            return Ok(None);
        };
        let rows = claims::rows(cx.txn, cx.ns, &key)?;
        let found = annals_records::memories(cx.txn, cx.ns, &rows, None)?;
        let same = |known: &&Memory| {
            let over = resolve::is_over(&known.body, memory.body(), cx.now);
            resolve::in_use(known) && !over && same_words(&known.body.text, &memory.body().text)
        };
        Ok(found.iter().flatten().find(same).map(|known| known.id))
    }

    /// Stores a memory that is new, and settles what it contradicts.
    fn settle_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        settling: &mut Settling,
        arrival: &Arrival,
        precheck: &Precheck,
    ) -> Result<Admitted, Error> {
        let own = Row(u32::MAX);
        let mut prepared = arrival.prepared.clone();
        let heard: Vec<(Row, &PairAnswer)> = precheck
            .heard
            .iter()
            .map(|heard| (settling.now(heard.other), heard))
            .collect();
        settling.effects.clear();
        let settlements =
            self.contradictions(cx, settling, &mut prepared.memory, (own, precheck))?;
        let replaced = settlements
            .iter()
            .filter_map(|settlement| match settlement {
                Settlement::Replace { row, .. } => Some(*row),
                _ => None,
            });
        for row in replaced {
            let Some(known) = annals_records::memories(&*cx.txn, cx.ns, &[row], None)?
                .pop()
                .flatten()
            else {
                continue;
            };
            if current_id(cx.txn, cx.ns, row)?.is_none()
                || resolve::stays(&*cx.txn, cx.ns, &known, prepared.memory.body())?
            {
                continue;
            }
            let id = self.replace_by(cx, settling, (known.id, arrival.id), &prepared)?;
            let effects = std::mem::take(&mut settling.effects);
            if heard
                .iter()
                .any(|(other, heard)| *other == row && heard.says_so())
            {
                let effects = effects
                    .into_iter()
                    .map(|(_, effect)| (row, effect))
                    .collect();
                pair_answer::note_all(cx, &heard, (own, effects), Some(id))?;
            } else {
                pair_answer::note_all(cx, &heard, (own, Vec::new()), Some(id))?;
                let effects = effects.into_iter().map(|(_, effect)| effect).collect();
                note_replaced(
                    cx,
                    (&known, id),
                    (prepared.memory.body(), arrival.says),
                    effects,
                )?;
            }
            return Ok(Admitted::replaced(id));
        }
        let until = prepared.memory.body().valid_until;
        let before = arrival.prepared.memory.body().valid_until;
        let stored = Arrival {
            prepared,
            ..arrival.clone()
        };
        let appended = self.append_in(cx, &[stored])?;
        let row = appended.first().map_or(own, |appended| appended.row);
        for settlement in &settlements {
            self.settle(cx, settling, &with_row(settlement, own, row))?;
        }
        if let Some(to) = until.filter(|_| until != before) {
            settling.effects.push((
                row,
                Effect::Until {
                    id: arrival.id,
                    from: before,
                    to,
                },
            ));
        }
        pair_answer::note_all(
            cx,
            &heard,
            (row, std::mem::take(&mut settling.effects)),
            None,
        )?;
        Ok(Admitted::new(arrival.id))
    }

    /// The settlements between a new memory and those that it contradicts. A memory that is known
    /// to have ended is stored as ended.
    fn contradictions(
        &self,
        cx: &mut WriteCx<'_, '_>,
        settling: &Settling,
        memory: &mut NewMemory,
        (own, precheck): (Row, &Precheck),
    ) -> Result<Vec<Settlement>, Error> {
        let Some(placed) =
            life::place(cx.profile, memory, cx.now)?.filter(|_| cx.profile.settles_arrivals())
        else {
            return Ok(Vec::new());
        };
        let placed = life::placed(cx.profile, memory, &placed)?;
        let mut rivals = resolve::rivals(&*cx.txn, cx.ns, None, placed.body())?;
        let told = precheck
            .judged
            .iter()
            .map(|rival| settling.now(rival.claim.row))
            .zip(&precheck.judged);
        let told: Vec<Rival> = told
            .filter(|(row, _)| rivals.iter().all(|rival| rival.claim.row != *row))
            .map(|(row, rival)| Rival {
                claim: Claim { row, ..rival.claim },
                ..*rival
            })
            .collect();
        rivals.extend(told);
        let since = resolve::since(placed.body(), cx.now);
        let new = Claim {
            row: own,
            valid_from: since,
            valid_until: placed.body().valid_until,
        };
        let settlements = conflict::resolve(&cx.profile.settings.conflict, &new, &rivals);
        let ended = settlements.iter().find_map(|settlement| match settlement {
            Settlement::Close { row, until } if *row == own => Some(*until),
            _ => None,
        });
        let closes = settlements
            .iter()
            .any(|settlement| matches!(settlement, Settlement::Close { .. }));
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
        cx: &mut WriteCx<'_, '_>,
        settling: &mut Settling,
        (id, new_id): (MemoryId, MemoryId),
        prepared: &Prepared,
    ) -> Result<MemoryId, Error> {
        let placed = life::place(cx.profile, &prepared.memory, cx.now)?;
        let mut prepared = prepared.clone();
        if let Some(placed) = &placed {
            prepared.memory = life::placed(cx.profile, &prepared.memory, placed)?;
        }
        let (arrived, now) = (new_id, cx.now);
        let new_id = (!cx.profile.settings.records.update_keeps_id).then_some(new_id);
        let with = |state: &mut State| {
            if let Some(placed) = placed {
                state.say_value(placed.score, now);
                state.class = placed.class;
                (state.expires_at, state.session_bound) = (placed.expires_at, placed.session_bound);
                state.accessed = state.accessed.max(now);
            }
        };
        let known = annals_records::get(&*cx.txn, cx.ns, id, None)?;
        let worth = known
            .as_ref()
            .map(|(row, _)| Worth::now(&*cx.txn, cx.ns, *row))
            .transpose()?
            .flatten();
        let updated = self.update_in(cx, (id, new_id), &prepared, Yield::These(&[]), with)?;
        if let Some((row, known)) = known {
            let effects = match new_id {
                Some(by) => vec![Effect::Replaced { id, by }],
                None => {
                    let body = Box::new(prepared.memory.body().clone());
                    let to = known.revision.saturating_add(1);
                    let mut effects = vec![Effect::Revised {
                        id,
                        from: known.revision,
                        to,
                    }];
                    effects.extend(Worth::changed(&*cx.txn, cx.ns, (id, updated.row), worth)?);
                    effects.push(evidence::taken_over((id, &BTreeSet::new()), (arrived, [])));
                    effects.push(Effect::Absorbed {
                        id: arrived,
                        body,
                        into: id,
                        status: prepared.memory.status(),
                    });
                    effects
                }
            };
            settling
                .effects
                .extend(effects.into_iter().map(|effect| (row, effect)));
        }
        life::derive(
            cx,
            (updated.row, prepared.memory.status()),
            prepared.memory.body(),
        )?;
        if !prepared.memory.body().provenance.is_empty() {
            revise::note_made(cx.txn, cx.ns, updated.row)?;
        }
        Ok(updated.id)
    }
}

/// Keeps that a memory became what a new one says, where nobody judged so: to a caller that is an
/// edit, and what was found in a conversation is told as what that conversation changed.
fn note_replaced(
    cx: &mut WriteCx<'_, '_>,
    (known, id): (&Memory, MemoryId),
    (body, says): (&Body, bool),
    effects: Vec<Effect>,
) -> Result<(), Error> {
    if body.provenance.is_empty() {
        let Some((_, updated)) = annals_records::get(&*cx.txn, cx.ns, id, None)? else {
            return Ok(());
        };
        let edited = Effect::Edited {
            id: known.id,
            from: known.revision,
            by: id,
            to: updated.revision,
            said: says,
        };
        let lived = effects
            .into_iter()
            .filter(|effect| matches!(effect, Effect::Life { .. }));
        let effects = [edited].into_iter().chain(lived).collect();
        return changed::note(cx, changed::EDIT, (vec![id], effects));
    }
    let here = annals_records::find_rows(&*cx.txn, cx.ns, &body.provenance)?;
    let sources = body
        .provenance
        .iter()
        .zip(here)
        .filter(|(_, row)| row.is_some())
        .map(|(source, _)| *source);
    let decided = Decided {
        at: cx.now,
        question: DecisionQuestion::StillTrue,
        memories: [id]
            .into_iter()
            .chain(sources.filter(|source| *source != id))
            .collect(),
        answer: "update".to_owned(),
        reason: String::new(),
        by: decisions::PROFILE.to_owned(),
        effects,
        undone_at: None,
        before: 0,
    };
    decisions::note(cx, decided)
}

/// Keeps what a judge said about a memory that was taken for a known one.
fn note_met(
    cx: &mut WriteCx<'_, '_>,
    heard: &[PairAnswer],
    (into, effects): (MemoryId, &[Effect]),
) -> Result<(), Error> {
    heard.iter().try_for_each(|heard| {
        let effects = if heard.finds_same() {
            effects.to_vec()
        } else {
            Vec::new()
        };
        heard.note(cx, effects, Some(into))
    })
}

/// The id of a row, while it is its memory's current one.
fn current_id(txn: &Transaction<'_>, ns: NamespaceId, row: Row) -> Result<Option<MemoryId>, Error> {
    let Some(id) = annals_records::ids_of(txn, ns, &[row])?.pop().flatten() else {
        return Ok(None);
    };
    let current = annals_records::find_rows(txn, ns, &[id])?.pop().flatten();
    Ok((current == Some(row)).then_some(id))
}

/// The same settlement with the row that the new memory got.
fn with_row(settlement: &Settlement, own: Row, row: Row) -> Settlement {
    let real = |named: Row| if named == own { row } else { named };
    match *settlement {
        Settlement::Close { row, until } => Settlement::Close {
            row: real(row),
            until,
        },
        Settlement::Supersede { newer, older } => Settlement::Supersede {
            newer: real(newer),
            older: real(older),
        },
        Settlement::Replace { row, by } => Settlement::Replace {
            row: real(row),
            by: real(by),
        },
        Settlement::Penalize { row, factor } => Settlement::Penalize {
            row: real(row),
            factor,
        },
        Settlement::Link { newer, older } => Settlement::Link {
            newer: real(newer),
            older: real(older),
        },
        other => other,
    }
}
