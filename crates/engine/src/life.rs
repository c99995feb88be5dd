//! The effects of writes on the life of memories and on the graph.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{Family, Provenance, StateChange};
use annals_lifecycle::{Birth, Placed, Regime, Reinforced, State};
use annals_records::{Appended, RecordError, StatusSet};
use annals_storage::{Reads, Transaction};
use annals_types::profile::Signal;
use annals_types::{
    Body, Importance, Kind, Label, Memory, MemoryId, NamespaceId, NewMemory, Row, Status,
    Timestamp, UnitScore,
};

use crate::compiled::{CompiledProfile, support};
use crate::{Adjustment, Error};
use crate::{WriteCx, ends, revise};

/// A memory as its profile places it, when that profile governs it.
pub(crate) fn place(
    profile: &CompiledProfile,
    memory: &NewMemory,
    now: Timestamp,
) -> Result<Option<Placed>, Error> {
    let body = memory.body();
    if !profile.governs(body.layer) {
        return Ok(None);
    }
    let text = |key: &str| match body.metadata.get(key) {
        Some(annals_types::Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let birth = Birth {
        kind: memory
            .said_kind()
            .map(|kind| kind.as_str().to_owned())
            .unwrap_or_default(),
        score: memory.said_importance().map(Importance::exact),
        level: text("level"),
        class: text("class"),
        duration: text("duration"),
        expires_at: body.expires_at,
        pinned: body.metadata.get("pinned") == Some(&annals_types::Value::Bool(true)),
        by_hand: memory.is_by_hand(),
    };
    Ok(Some(profile.policy.place(&birth, now)?))
}

/// The memory with what its profile made of it.
pub(crate) fn placed(
    profile: &CompiledProfile,
    memory: &NewMemory,
    placed: &Placed,
) -> Result<NewMemory, Error> {
    let memory = sourced(profile, memory.clone())?;
    Ok(memory.placed(
        Kind::new(placed.kind.clone())?,
        as_importance(placed.score)?,
        placed.expires_at,
    ))
}

/// A score as the importance that is stored with the text.
pub fn as_importance(score: f64) -> Result<Importance, Error> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an importance is a single-precision number"
    )]
    let score = score as f32;
    Ok(Importance::new("importance", score)?)
}

/// The memory with what its profile makes of its source.
fn sourced(profile: &CompiledProfile, memory: NewMemory) -> Result<NewMemory, Error> {
    let of_hand = profile
        .settings
        .taxonomy
        .hand_source
        .as_deref()
        .filter(|_| memory.is_by_hand());
    let given = memory.body().source.as_ref().map(Label::as_str).or(of_hand);
    let Some(source) = profile.policy.source(given)? else {
        return Ok(memory);
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a confidence is a single-precision number"
    )]
    let confidence = UnitScore::new("confidence", source.confidence as f32)?;
    Ok(memory.sourced(
        Label::new("source", source.id.clone())?,
        confidence,
        source.verified,
    ))
}

/// A memory that takes another one's place. Kind and importance stay as they were where it does
/// not state them.
pub fn edited(
    profile: &CompiledProfile,
    memory: &NewMemory,
    old: &Memory,
) -> Result<NewMemory, Error> {
    let (said, governed) = (memory.said(), profile.governs(memory.body().layer));
    let kind = match said.kind {
        true if governed => Kind::new(profile.policy.kind(memory.body().kind.as_str())?)?,
        true => memory.body().kind.clone(),
        false => old.body.kind.clone(),
    };
    let importance = if said.importance {
        memory.body().importance
    } else {
        old.body.importance
    };
    let memory = if governed {
        sourced(profile, memory.clone())?
    } else {
        memory.clone()
    };
    let expires_at = memory.body().expires_at;
    Ok(memory.placed(kind, importance, expires_at))
}

/// Begins the life of memories, and ties those that were derived to their sources.
pub(crate) fn born(
    cx: &mut WriteCx<'_, '_>,
    regime: &Regime<'_>,
    births: &[(&Appended, &NewMemory, Option<Placed>)],
) -> Result<(), Error> {
    let stored = births.iter().filter(|(appended, ..)| !appended.already);
    let states: Vec<(Row, State)> = stored
        .clone()
        .filter_map(|(appended, memory, placed)| {
            Some((
                appended.row,
                placed.as_ref()?.state(appended.stored_at, memory.status()),
            ))
        })
        .collect();
    for (appended, memory, _) in stored {
        derive(cx, (appended.row, memory.status()), memory.body())?;
    }
    if !states.is_empty() {
        let lived = annals_lifecycle::register(cx.txn, cx.ns, regime, cx.now, states)?;
        cx.add_life([lived]);
    }
    Ok(())
}

/// Ties a memory to those that it was derived from, as far as they are there.
pub fn derive(
    cx: &mut WriteCx<'_, '_>,
    (row, status): (Row, Status),
    body: &Body,
) -> Result<(), Error> {
    if body.provenance.is_empty() {
        return Ok(());
    }
    let ns = cx.ns;
    let found = annals_records::find_rows(&*cx.txn, ns, &body.provenance)?;
    let sources: Vec<(MemoryId, Row)> = body
        .provenance
        .iter()
        .zip(found)
        .filter_map(|(id, row)| Some((*id, row?)))
        .filter(|(_, r)| *r != row)
        .collect();
    introduce(cx.txn, ns, row, &[(cx.now, status)])?;
    for (id, source) in &sources {
        let states = annals_records::status_history(&*cx.txn, ns, *id)?;
        introduce(cx.txn, ns, *source, &states)?;
    }
    let mut rows: Vec<Row> = sources.iter().map(|(_, row)| *row).collect();
    rows.sort_unstable();
    rows.dedup();
    if !rows.is_empty() {
        annals_graph::derive(cx.txn, ns, row, &rows)?;
    }
    Ok(())
}

/// Makes a memory known to the graph, unless it is.
pub(crate) fn introduce(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    states: &[(Timestamp, Status)],
) -> Result<(), Error> {
    let states: Vec<StateChange> = states
        .iter()
        .map(|(time, status)| StateChange {
            time: *time,
            state: support(*status),
        })
        .collect();
    annals_graph::introduce(txn, ns, row, &states)?;
    Ok(())
}

/// Memories got another status by somebody's hand.
pub(crate) fn status_set(cx: &mut WriteCx<'_, '_>, changed: &[StatusSet]) -> Result<(), Error> {
    let rows = slept_or_woke(cx, changed)?;
    let Some(first) = changed.first().filter(|_| !rows.is_empty()) else {
        return Ok(());
    };
    let (ns, now, terms) = (cx.ns, cx.now, cx.terms()?);
    let known = annals_lifecycle::states(&*cx.txn, ns, &rows)?;
    let governed: Vec<Row> = rows
        .iter()
        .zip(known)
        .filter(|(_, state)| state.is_some())
        .map(|(row, _)| *row)
        .collect();
    if governed.is_empty() {
        return Ok(());
    }
    let woken = first.to == Status::Active;
    let delta = if woken {
        let memories = annals_records::memories(&*cx.txn, ns, &governed, None)?;
        let profile = cx.profile;
        let floor = |memory: Option<&Memory>| {
            memory.map_or(0.0, |memory| profile.restored(memory.body.kind.as_str()))
        };
        let least: Vec<(Row, f64)> = governed
            .iter()
            .zip(&memories)
            .map(|(row, memory)| (*row, floor(memory.as_ref())))
            .collect();
        annals_lifecycle::restore(cx.txn, ns, &terms.regime(), now, &least)?
    } else {
        annals_lifecycle::set_status(cx.txn, ns, &terms.regime(), now, &governed, first.to)?
    };
    cx.add_life([delta]);
    Ok(())
}

/// Adapts the support of memories in the graph to their new status, which is the same for all;
/// answers the rows that had another.
pub(crate) fn slept_or_woke(
    cx: &mut WriteCx<'_, '_>,
    changed: &[StatusSet],
) -> Result<Vec<Row>, Error> {
    let rows: Vec<Row> = changed
        .iter()
        .filter(|set| set.from != set.to)
        .map(|set| set.row)
        .collect();
    if let Some(first) = changed.first().filter(|_| !rows.is_empty()) {
        annals_graph::status_changed(cx.txn, cx.ns, cx.now, &rows, support(first.to))?;
        ends::settle(cx.txn, cx.ns, cx.now, &rows)?;
    }
    Ok(rows)
}

/// A row took another one's place; `with` changes how its life goes on.
pub(crate) fn replaced(
    cx: &mut WriteCx<'_, '_>,
    (old, new): (Row, Row),
    with: impl FnOnce(&mut State),
) -> Result<(), Error> {
    let known = annals_lifecycle::states(&*cx.txn, cx.ns, &[old])?
        .pop()
        .flatten();
    if known.is_none() {
        return Ok(());
    }
    let terms = cx.terms()?;
    let carried =
        annals_lifecycle::carry(cx.txn, cx.ns, &terms.regime(), cx.now, (old, new), with)?;
    super::reviews::move_reviews(cx.txn, cx.ns, &terms.regime(), cx.now, (old, new))?;
    cx.add_life([carried]);
    Ok(())
}

/// Memories were reported to be used, returned or injected. One without a life of its own gets one,
/// for its count.
pub fn used(
    cx: &mut WriteCx<'_, '_>,
    signal: Signal,
    ids: &[MemoryId],
) -> Result<Vec<Reinforced>, Error> {
    let found = annals_records::find_rows(&*cx.txn, cx.ns, ids)?;
    let mut rows = Vec::with_capacity(ids.len());
    for (id, row) in ids.iter().zip(found) {
        rows.push(row.ok_or(RecordError::NotFound { id: *id })?);
    }
    let terms = cx.terms()?;
    begin_life(cx, &terms.regime(), &rows)?;
    let uses: Vec<(Row, Option<u32>)> = rows.iter().map(|row| (*row, None)).collect();
    let used = annals_lifecycle::reinforce(cx.txn, cx.ns, &terms.regime(), cx.now, signal, &uses)?;
    cx.add_life([used.delta]);
    Ok(used.outcome)
}

/// Begins the life of those of some rows that have none of their own.
fn begin_life(cx: &mut WriteCx<'_, '_>, regime: &Regime<'_>, rows: &[Row]) -> Result<(), Error> {
    let mut without: Vec<Row> = rows.to_vec();
    without.sort_unstable();
    without.dedup();
    let states = annals_lifecycle::states(&*cx.txn, cx.ns, &without)?;
    let without: Vec<Row> = without
        .iter()
        .zip(states)
        .filter(|(_, s)| s.is_none())
        .map(|(row, _)| *row)
        .collect();
    let memories = annals_records::memories(&*cx.txn, cx.ns, &without, None)?;
    let profile = cx.profile;
    let born = |(row, memory): (&Row, Option<Memory>)| {
        let memory = memory?;
        let value = memory.body.importance.exact();
        let mut state = State::new("", value, memory.stored_at);
        state.status = memory.status;
        // Uses are counted, but no rule takes the memory away.
        state.pinned = !profile.ages(memory.body.layer);
        Some((*row, state))
    };
    let births: Vec<(Row, State)> = without.iter().zip(memories).filter_map(born).collect();
    let begun = annals_lifecycle::register(cx.txn, cx.ns, regime, cx.now, births)?;
    cx.add_life([begun]);
    Ok(())
}

/// Changes by hand how much memories matter; answers the score of each before and after.
pub(crate) fn adjusted(
    cx: &mut WriteCx<'_, '_>,
    id: MemoryId,
    by: &Adjustment,
) -> Result<(f64, f64), Error> {
    let (ns, now, terms) = (cx.ns, cx.now, cx.terms()?);
    let regime = terms.regime();
    let row = annals_records::find_rows(&*cx.txn, ns, &[id])?
        .pop()
        .flatten()
        .ok_or(RecordError::NotFound { id })?;
    begin_life(cx, &regime, &[row])?;
    let pinned_class = cx.profile.settings.taxonomy.pinned_class.as_deref();
    let done = annals_lifecycle::change(cx.txn, ns, &regime, now, &[row], |_, state| {
        let policy = regime.policy;
        let before = policy.importance(&state.anchor(policy), regime.passes, now);
        if by.importance.is_some() || by.add != 0.0 {
            policy.set_score(
                state,
                regime.passes,
                by.importance.unwrap_or(before) + by.add,
                now,
            );
        }
        match (by.pinned, pinned_class) {
            (Some(true), Some(class)) => policy.set_class(state, regime.passes, class, now),
            (Some(pinned), _) => policy.set_pinned(state, regime.passes, pinned, now),
            (None, _) => {}
        }
        (
            before,
            policy.importance(&state.anchor(policy), regime.passes, now),
        )
    })?;
    let scores = done.outcome.into_iter().next().unwrap_or_default();
    cx.add_life([done.delta]);
    Ok(scores)
}

/// The answers to the graph's questions about memories that were derived from others.
pub(crate) struct Origins {
    pub(crate) namespace: NamespaceId,
}

impl Origins {
    fn failed(error: RecordError) -> annals_graph::GraphError {
        annals_graph::GraphError::Caller {
            source: Box::new(error),
        }
    }
}

impl Provenance for Origins {
    /// A memory that a person verified or edited stands on its own. The row may be that of an
    /// earlier text: the memory's latest one counts.
    fn stand_alone(
        &self,
        reads: &dyn Reads,
        rows: &[Row],
    ) -> Result<Vec<bool>, annals_graph::GraphError> {
        let ids = annals_records::ids_of(reads, self.namespace, rows).map_err(Self::failed)?;
        let known: Vec<MemoryId> = ids.iter().flatten().copied().collect();
        let current =
            annals_records::find_rows(reads, self.namespace, &known).map_err(Self::failed)?;
        let current: Vec<Row> = current.into_iter().flatten().collect();
        let memories = annals_records::memories(reads, self.namespace, &current, None)
            .map_err(Self::failed)?;
        let verified = memories
            .into_iter()
            .flatten()
            .filter(|memory| memory.body.verified)
            .map(|memory| memory.id);
        let mut alone: BTreeSet<MemoryId> = verified.collect();
        let all = annals_records::rows_of(reads, self.namespace, &known).map_err(Self::failed)?;
        let wrong = |error| annals_graph::GraphError::Caller {
            source: Box::new(error),
        };
        let edited = revise::edited(reads, self.namespace, &all).map_err(wrong)?;
        alone.extend(
            known
                .iter()
                .zip(edited)
                .filter(|(_, edited)| *edited)
                .map(|(id, _)| *id),
        );
        Ok(ids
            .into_iter()
            .map(|id| id.is_some_and(|id| alone.contains(&id)))
            .collect())
    }

    fn families(
        &self,
        reads: &dyn Reads,
        rows: &[Row],
    ) -> Result<Vec<Family>, annals_graph::GraphError> {
        let ids = annals_records::ids_of(reads, self.namespace, rows).map_err(Self::failed)?;
        let known: Vec<MemoryId> = ids
            .iter()
            .flatten()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let own = annals_records::rows_of(reads, self.namespace, &known).map_err(Self::failed)?;
        let all: Vec<Row> = own.iter().flatten().copied().collect();
        let texts =
            annals_records::memories(reads, self.namespace, &all, None).map_err(Self::failed)?;
        let sources: BTreeSet<MemoryId> = texts
            .iter()
            .flatten()
            .flat_map(|memory| memory.body.provenance.iter().copied())
            .collect();
        let sources: Vec<MemoryId> = sources.into_iter().collect();
        let rows_of =
            annals_records::rows_of(reads, self.namespace, &sources).map_err(Self::failed)?;
        let rows_of: BTreeMap<MemoryId, Vec<Row>> = sources.into_iter().zip(rows_of).collect();
        let mut texts = texts.into_iter();
        let mut families = BTreeMap::new();
        for (id, rows) in known.into_iter().zip(own) {
            let texts: Vec<Option<Memory>> = texts.by_ref().take(rows.len()).collect();
            let named = rows.iter().zip(&texts).filter_map(|(row, memory)| {
                let named = memory
                    .as_ref()?
                    .body
                    .provenance
                    .iter()
                    .filter_map(|id| rows_of.get(id));
                Some((*row, named.flatten().copied().collect()))
            });
            let named = named.collect();
            families.insert(
                id,
                Family {
                    saying: saying(&rows, &texts),
                    rows,
                    named,
                },
            );
        }
        let family = |(row, id): (&Row, Option<MemoryId>)| {
            let alone = || Family {
                rows: vec![*row],
                saying: vec![*row],
                named: Vec::new(),
            };
            id.and_then(|id| families.get(&id).cloned())
                .unwrap_or_else(alone)
        };
        Ok(rows.iter().zip(ids).map(family).collect())
    }
}

/// The rows of a memory, given from the oldest to the current one, whose text is the current one:
/// it was told or found again, or only traits beside its text changed.
pub fn saying_now(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Row>, RecordError> {
    Ok(saying(
        rows,
        &annals_records::memories(reads, ns, rows, None)?,
    ))
}

/// The same of rows with their texts.
fn saying(rows: &[Row], texts: &[Option<Memory>]) -> Vec<Row> {
    let Some(Some(current)) = texts.last() else {
        return Vec::new();
    };
    let same = |memory: &Option<Memory>| {
        memory
            .as_ref()
            .is_some_and(|one| one.body.text == current.body.text)
    };
    rows.iter()
        .zip(texts)
        .filter(|(_, memory)| same(memory))
        .map(|(row, _)| *row)
        .collect()
}
