//! Decisions are taken back: their changes are changed back, as far as nothing else has changed
//! the memories since.

use annals_lifecycle::{State, review};
use annals_records::StatusSet;
use annals_storage::Reads;
use annals_types::profile::ReviewKind;
use annals_types::{Body, Memory, MemoryId, NamespaceId, NewMemory, Row, Status, Timestamp};

use crate::decisions::{self, Decided};
use crate::effect::{Effect, Worth};
use crate::embed::Prepared;
use crate::jobs::tasks::TaskKind;
use crate::revise::RevisionFacts;
use crate::suspicions::{self, Suspected};
use crate::write::Arrival;
use crate::{Decision, DecisionQuestion, Error, Refusal};
use crate::{Engine, WriteCx, changed, evidence, graph, life};

/// A revision that comes back: its row, its body, and whether the memory says the same now.
struct Return {
    row: Row,
    same_text: bool,
    prepared: Prepared,
}

/// The data of an effect that cannot be made inside of a transaction.
enum Ready {
    Nothing,
    Arrival(Box<Prepared>),
    Return(Box<Return>),
}

impl Engine {
    /// Takes a decision back; answers it as it stands then. A change by a caller is none, though it
    /// has a number of the same row.
    pub fn undo_decision(&self, ns: NamespaceId, number: u64) -> Result<Decision, Error> {
        let decided = decisions::get(&self.snapshot()?, ns, number)?;
        if decided.is_none_or(|decided| decided.is_change()) {
            return Err(Refusal::NoDecision { number }.into());
        }
        self.undo_kept(ns, number, false)
    }

    /// The same, or takes back a telling itself: what was told then is no memory of its own.
    pub(crate) fn undo_kept(
        &self,
        ns: NamespaceId,
        number: u64,
        telling: bool,
    ) -> Result<Decision, Error> {
        let snapshot = self.snapshot()?;
        let missing = || Refusal::NoDecision { number };
        let decided = decisions::get(&snapshot, ns, number)?.ok_or_else(missing)?;
        may_be_undone(number, &decided)?;
        let mut ready = Vec::with_capacity(decided.effects.len());
        for effect in &decided.effects {
            ready.push(self.ready(&snapshot, ns, effect)?);
        }
        self.write(ns, |cx| {
            if decisions::get(&*cx.txn, ns, number)?.ok_or_else(missing)? != decided {
                return Err(Refusal::DecisionTakenBack { number }.into());
            }
            let mut changed = false;
            let wanted = |effect: &Effect| !(telling && matches!(effect, Effect::Absorbed { .. }));
            for (effect, ready) in decided
                .effects
                .iter()
                .zip(&ready)
                .rev()
                .filter(|(effect, _)| wanted(effect))
            {
                changed |= self.take_back(cx, (number, &decided), (effect, ready))?;
            }
            if !changed && decided.is_change() && decided.effects.iter().any(Effect::is_status) {
                let id = decided
                    .memories
                    .first()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                return Err(Refusal::StatusChangedSince { id }.into());
            }
            let undone = Decided {
                undone_at: Some(cx.now),
                ..decided.clone()
            };
            // With a memory that an edit made, what is kept of that edit went as well.
            if decisions::get(&*cx.txn, ns, number)?.is_some() {
                undone.put(cx.txn, ns, number)?;
            }
            Ok(undone.shown(number))
        })
    }

    fn ready(&self, reads: &dyn Reads, ns: NamespaceId, effect: &Effect) -> Result<Ready, Error> {
        let prepare = |body: Body, status: Status| -> Result<Option<Prepared>, Error> {
            Ok(self
                .prepare(vec![NewMemory::from_body(body)?.with_status(status)])?
                .pop())
        };
        Ok(match effect {
            Effect::Absorbed { body, status, .. } => {
                let mut body = Body::clone(body);
                let here = annals_records::find_rows(reads, ns, &body.provenance)?;
                let mut here = here.iter().map(Option::is_some);
                body.provenance.retain(|_| here.next().unwrap_or(false));
                prepare(body, *status)?.map_or(Ready::Nothing, |prepared| {
                    Ready::Arrival(Box::new(prepared))
                })
            }
            Effect::Revised { id, from, to } => {
                let (current, earlier) = revised(reads, ns, *id, (*from, *to))?;
                let same_text = current.body.text == earlier.body.text;
                let row = row_of(reads, ns, &[*id], |memory| {
                    memory.revision == *from && memory.id == *id
                })?;
                let missing =
                    || Error::internal(format!("revision {from} of memory {id} has no row"));
                let row = row.ok_or_else(missing)?.0;
                prepare(earlier.body, current.status)?.map_or(Ready::Nothing, |prepared| {
                    Ready::Return(Box::new(Return {
                        row,
                        same_text,
                        prepared,
                    }))
                })
            }
            Effect::Edited {
                id, from, by, to, ..
            } => {
                let (current, (row, earlier)) = edited(reads, ns, (*id, *from), (*by, *to))?;
                let same_text = current.body.text == earlier.body.text;
                let mut body = earlier.body;
                let here = annals_records::find_rows(reads, ns, &body.provenance)?;
                let mut here = here.iter().map(Option::is_some);
                body.provenance.retain(|_| here.next().unwrap_or(false));
                prepare(body, current.status)?.map_or(Ready::Nothing, |prepared| {
                    Ready::Return(Box::new(Return {
                        row,
                        same_text,
                        prepared,
                    }))
                })
            }
            Effect::Replaced { id, by } => {
                let gone = || Refusal::EarlierTextGone { id: *id };
                let (row, last) =
                    row_of(reads, ns, &[*by, *id], |memory| memory.id == *id)?.ok_or_else(gone)?;
                let status = if last.status == Status::Staged {
                    Status::Staged
                } else {
                    Status::Active
                };
                prepare(last.body, status)?.map_or(Ready::Nothing, |prepared| {
                    Ready::Return(Box::new(Return {
                        row,
                        same_text: true,
                        prepared,
                    }))
                })
            }
            _ => Ready::Nothing,
        })
    }

    fn take_back(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (number, decided): (u64, &Decided),
        (effect, ready): (&Effect, &Ready),
    ) -> Result<bool, Error> {
        match (effect, ready) {
            (Effect::Review { id, kind, score }, _) => {
                ask_again(cx, *id, (*kind, *score)).map(|()| false)
            }
            (Effect::Life { id, from, to }, _) => live_again(cx, *id, (from, to)),
            (Effect::Status { id, from, to }, _) => {
                // Changes by a caller go back in the order in which they came: decisions taken
                // back since do not count.
                let since = (!decided.is_change()).then_some(decided.at);
                let Some(woken) = wake(cx, *id, since, (*from, *to))? else {
                    return Ok(false);
                };
                self.interpret_restored(cx, &woken)?;
                Ok(true)
            }
            (Effect::Until { id, from, to }, _) => {
                let Some((row, memory)) = annals_records::get(&*cx.txn, cx.ns, *id, None)? else {
                    return Ok(false);
                };
                if memory.body.valid_until != Some(*to) {
                    return Ok(false);
                }
                self.revise_in(cx, row, |body| body.valid_until = *from, |_| {})
                    .map(|_| true)
            }
            (
                Effect::Suspected {
                    newer,
                    older,
                    suspected,
                },
                _,
            ) => {
                // The judge would say the same again; now it is for a person to say.
                let unclear = suspected.unclear || decided.by != decisions::PERSON;
                let suspected = Suspected {
                    unclear,
                    ..*suspected
                };
                suspicions::restore(cx.txn, cx.ns, (*newer, *older), suspected).map(|_| false)
            }
            (Effect::Extension { name, payload, .. }, _) => {
                cx.extensions.take_back(cx, name, payload)?;
                Ok(false)
            }
            (Effect::Linked { from, relation, to }, _) => {
                let ends = annals_records::find_rows(&*cx.txn, cx.ns, &[*from, *to])?;
                if let [Some(from), Some(to)] = ends.as_slice() {
                    graph::unlink(cx.txn, cx.scope(), *from, relation.as_str(), *to)?;
                }
                Ok(false)
            }
            (Effect::Absorbed { id, .. }, Ready::Arrival(prepared)) => {
                if annals_records::find_rows(&*cx.txn, cx.ns, &[*id])?
                    .pop()
                    .flatten()
                    .is_some()
                {
                    return Ok(false);
                }
                let says = decided.effects.iter().any(|effect| effect.gives_back(*id));
                let arrival = Arrival {
                    says,
                    ..Arrival::new(*id, Prepared::clone(prepared))
                };
                self.append_in(cx, &[arrival]).map(|_| true)
            }
            (
                Effect::Said {
                    id,
                    of,
                    brought,
                    shared,
                },
                _,
            ) => {
                evidence::give_back(cx, number, (*id, *of), (brought, shared))?;
                Ok(false)
            }
            (Effect::Replaced { by, .. }, Ready::Return(back)) => {
                // The id of the old memory leads to the new one from now on.
                let id = self.ids.next(cx.now);
                let said: Vec<_> = evidence::said_by(&*cx.txn, cx.ns, back.row)?
                    .into_iter()
                    .collect();
                let arrival = Arrival {
                    says: !said.is_empty(),
                    ..Arrival::new(id, back.prepared.clone())
                };
                self.append_in(cx, &[arrival])?;
                for heir in graph::known(cx.txn, cx.ns, cx.now, &[id])? {
                    annals_graph::lend(cx.txn, cx.scope(), (back.row, heir), &said)?;
                }
                // The memory that was said to be its next text goes; one that was told by itself
                // stays beside it.
                let next = decided.question == DecisionQuestion::StillTrue;
                if next {
                    sleep(cx, *by, decided.at)?;
                }
                Ok(true)
            }
            (Effect::Revised { id, from, to }, Ready::Return(back)) => {
                revised(&*cx.txn, cx.ns, *id, (*from, *to))?;
                let noted = decided
                    .effects
                    .iter()
                    .any(|effect| matches!(effect, Effect::Said { id: by, .. } if by == id));
                let told = RevisionFacts {
                    same_text: back.same_text,
                    noted,
                };
                self.return_in(cx, (*id, told), (back.row, &back.prepared))
                    .map(|_| true)
            }
            (
                Effect::Edited {
                    id,
                    from,
                    by,
                    to,
                    said,
                },
                Ready::Return(back),
            ) => {
                let (current, _) = edited(&*cx.txn, cx.ns, (*id, *from), (*by, *to))?;
                if id != by && current.id == *by {
                    return self.unmake_in(cx, &[*by]).map(|_| true);
                }
                // An edit that came without what it says brought nothing to it.
                let told = RevisionFacts {
                    same_text: back.same_text,
                    noted: !said,
                };
                self.return_in(cx, (current.id, told), (back.row, &back.prepared))
                    .map(|_| true)
            }
            _ => Ok(false),
        }
    }
}

/// A memory by an id that an edit gave it, and its revision before that edit with its row; an
/// error where something else changed it since.
fn edited(
    reads: &dyn Reads,
    ns: NamespaceId,
    (id, from): (MemoryId, u32),
    (by, to): (MemoryId, u32),
) -> Result<(Memory, (Row, Memory)), Error> {
    let is = |id: MemoryId, number: u32| {
        move |memory: &Memory| memory.id == id && memory.revision == number
    };
    let earlier = row_of(reads, ns, &[id], is(id, from))?;
    let later = row_of(reads, ns, &[by], is(by, to))?;
    let mut current = annals_records::get(reads, ns, by, None)?.map(|(_, memory)| memory);
    while let Some(next) = current.as_ref().and_then(|memory| memory.superseded_by) {
        current = annals_records::get(reads, ns, next, None)?.map(|(_, memory)| memory);
    }
    // Sources may have been deleted since.
    let said = |body: &Body| Body {
        provenance: Vec::new(),
        ..body.clone()
    };
    match (current, earlier, later) {
        (Some(current), Some(earlier), Some((_, later)))
            if said(&current.body) == said(&later.body) =>
        {
            Ok((current, earlier))
        }
        _ => Err(Refusal::ChangedSince { id: by }.into()),
    }
}

fn may_be_undone(number: u64, decided: &Decided) -> Result<(), Error> {
    if decided.undone_at.is_some() {
        return Err(Refusal::DecisionTakenBack { number }.into());
    }
    if decided.is_change() && decided.effects.is_empty() {
        return Err(changed::why_for_good(&decided.answer).into());
    }
    if decided.effects.is_empty() {
        return Err(Refusal::DecisionWithoutEffect { number }.into());
    }
    if !decided.can_be_undone() {
        return Err(Refusal::DecisionDeleted { number }.into());
    }
    Ok(())
}

/// A memory and its revision before a decision gave it a new one; an error where something else
/// changed it since.
fn revised(
    reads: &dyn Reads,
    ns: NamespaceId,
    id: MemoryId,
    (from, to): (u32, u32),
) -> Result<(Memory, Memory), Error> {
    let history = annals_records::history(reads, ns, id)?;
    let find = |number: u32| {
        history
            .iter()
            .map(|revision| &revision.memory)
            .find(|memory| memory.id == id && memory.revision == number)
    };
    let current = history.last().map(|revision| &revision.memory);
    match (current, find(from), find(to)) {
        (Some(current), Some(earlier), Some(later)) if current.body == later.body => {
            Ok((current.clone(), earlier.clone()))
        }
        _ => Err(Refusal::ChangedSince { id }.into()),
    }
}

/// The last row of some memories that is such a one.
fn row_of(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
    wanted: impl Fn(&Memory) -> bool,
) -> Result<Option<(Row, Memory)>, Error> {
    let rows = annals_records::rows_of(reads, ns, ids)?
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    let memories = annals_records::memories(reads, ns, &rows, None)?;
    let found = rows
        .into_iter()
        .zip(memories)
        .filter_map(|(row, memory)| Some((row, memory?)));
    Ok(found.filter(|(_, memory)| wanted(memory)).last())
}

/// Lets a memory wait for a verdict again. A judge is not asked at once, so that a person can
/// decide before.
fn ask_again(
    cx: &mut WriteCx<'_, '_>,
    id: MemoryId,
    (kind, score): (ReviewKind, f64),
) -> Result<(), Error> {
    let Some(row) = annals_records::find_rows(&*cx.txn, cx.ns, &[id])?
        .pop()
        .flatten()
    else {
        return Ok(());
    };
    if Worth::now(&*cx.txn, cx.ns, row)?.is_some() {
        let terms = cx.terms()?;
        review::request_again(cx.txn, cx.ns, &terms.regime(), (row, kind), score, cx.now)?;
    }
    Ok(())
}

/// Gives a memory its former worth back. Gains and losses since stay.
fn live_again(
    cx: &mut WriteCx<'_, '_>,
    id: MemoryId,
    (from, to): (&Worth, &Worth),
) -> Result<bool, Error> {
    let Some(row) = annals_records::find_rows(&*cx.txn, cx.ns, &[id])?
        .pop()
        .flatten()
    else {
        return Ok(false);
    };
    if Worth::now(&*cx.txn, cx.ns, row)?.is_none() {
        return Ok(false);
    }
    let terms = cx.terms()?;
    let regime = terms.regime();
    let done = annals_lifecycle::change(
        cx.txn,
        cx.ns,
        &regime,
        cx.now,
        &[row],
        |_, state: &mut State| {
            if state.class == to.class {
                state.class.clone_from(&from.class);
            }
            if state.expires_at == to.expires_at {
                state.expires_at = from.expires_at;
            }
            if (state.value, state.at) == (to.value, to.at) {
                (state.value, state.at, state.lowered) = (from.value, from.at, from.lowered);
            } else {
                state.set_value(regime.policy.bounded(state.value + from.value - to.value));
            }
        },
    )?;
    cx.add_life([done.delta]);
    Ok(true)
}

/// Forgets what a decision put in the place of a memory, unless it says something else since or its
/// status was changed.
fn sleep(cx: &mut WriteCx<'_, '_>, id: MemoryId, decided: Timestamp) -> Result<(), Error> {
    let here =
        annals_records::get(&*cx.txn, cx.ns, id, None)?.filter(|(_, memory)| memory.id == id);
    if let Some((_, memory)) = here {
        wake(cx, id, Some(decided), (Status::Forgotten, memory.status))?;
    }
    Ok(())
}

/// Gives a memory back its status, unless it has another one, or got one after a moment; its worth
/// stays as it is.
fn wake(
    cx: &mut WriteCx<'_, '_>,
    id: MemoryId,
    since: Option<Timestamp>,
    (from, to): (Status, Status),
) -> Result<Option<Vec<StatusSet>>, Error> {
    let Some((row, memory)) = annals_records::get(&*cx.txn, cx.ns, id, None)? else {
        return Ok(None);
    };
    TaskKind::Delete.withdraw(cx, &[id])?;
    // The first one is what it was born with.
    let history = annals_records::status_history(&*cx.txn, cx.ns, id)?;
    let changed = since.is_some_and(|since| history.iter().skip(1).any(|(time, _)| *time > since));
    if memory.status != to || changed {
        return Ok(None);
    }
    let written = annals_records::set_status(cx.txn, cx.ns, cx.now, &[id], from)?;
    life::slept_or_woke(cx, &written.outcome)?;
    cx.extensions.status_changed(cx, &written.outcome)?;
    cx.add_records(written.delta);
    if Worth::now(&*cx.txn, cx.ns, row)?.is_some() {
        let terms = cx.terms()?;
        let lived =
            annals_lifecycle::set_status(cx.txn, cx.ns, &terms.regime(), cx.now, &[row], from)?;
        cx.add_life([lived]);
    }
    Ok(Some(written.outcome))
}
