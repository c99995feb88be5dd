//! The findings of a conversation about known memories are carried out and kept as decisions.

use std::collections::{BTreeMap, BTreeSet};

use annals_language::same_words;
use annals_lifecycle::conflict::Settlement;
use annals_records::RecordError;
use annals_storage::Reads;
use annals_types::profile::{AnswerForm, ConflictStrategy, Signal};
use annals_types::{Extracted, Layer, Memory, MemoryId, NamespaceId, Row, Statement, Timestamp};

use crate::Curator;
use crate::ProposalAction;
use crate::proposals::{self, Proposed};
use crate::tasks::timely::moment;
use annals_engine::compiled::CompiledProfile;
use annals_engine::decisions::{self, Decided};
use annals_engine::effect::Effect;
use annals_engine::embed::Prepared;
use annals_engine::interpretation::assertions;
use annals_engine::resolve::{Settling, claim};
use annals_engine::write::Arrival;
use annals_engine::{DecisionQuestion, Error};
use annals_engine::{WriteCx, life};

/// The changes that an answer asks for, ready to be carried out.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) added: Vec<Arrival>,
    /// The triples of each added memory.
    pub(crate) said: Vec<Vec<Statement>>,
    pub(crate) updated: Vec<NewText>,
    pub(crate) used: Vec<MemoryId>,
    pub(crate) deleted: Vec<MemoryId>,
    /// Each with the turn that contradicts it, where one does.
    pub(crate) contradicted: Vec<(MemoryId, Option<MemoryId>)>,
    /// The parts of an answer that are not carried out, and why.
    pub(crate) left_out: Vec<String>,
    /// The changes that wait for a person instead.
    pub(crate) proposed: Vec<(MemoryId, Proposed)>,
    /// A person has agreed to these changes.
    pub(crate) agreed: bool,
    /// The decider that the decisions name, and the turns of the findings.
    pub(crate) by: String,
    pub(crate) turns: Vec<MemoryId>,
}

/// A memory says something else.
pub(crate) struct NewText {
    pub(crate) id: MemoryId,
    /// The id of the next text where that is another one.
    pub(crate) new_id: MemoryId,
    pub(crate) prepared: Prepared,
    /// The triples that it says, where they came with it.
    pub(crate) said: Vec<Statement>,
}

impl Curator<'_> {
    /// Everything but additions, in the order: uses, contradictions, new texts, deletions. Changes
    /// of memories are kept as decisions.
    pub(crate) fn carry_out_findings(
        &self,
        cx: &mut WriteCx<'_, '_>,
        findings: &Findings,
    ) -> Result<(), Error> {
        let used = there(&*cx.txn, cx.ns, &findings.used)?;
        if !used.is_empty() {
            life::used(cx, Signal::Used, &used)?;
        }
        // The first turn that says so counts.
        let mut contradicted_by: BTreeMap<MemoryId, Option<MemoryId>> = BTreeMap::new();
        for (id, by) in &findings.contradicted {
            contradicted_by.entry(*id).or_insert(*by);
        }
        for (id, by) in contradicted_by {
            let Some((row, memory)) = annals_records::get(&*cx.txn, cx.ns, id, None)? else {
                continue;
            };
            let since = claim(&*cx.txn, cx.ns, row, &memory)?.valid_from;
            let turns = by
                .as_ref()
                .map_or(findings.turns.as_slice(), std::slice::from_ref);
            let until = said_at(&*cx.txn, cx.ns, turns)?
                .filter(|said| *said > since)
                .unwrap_or(cx.now)
                .min(cx.now);
            let Some(settlement) = contradicted(cx.profile, row, until) else {
                continue;
            };
            let mut settling = Settling::default();
            self.settle(cx, &mut settling, &settlement)?;
            let effects = settling
                .effects
                .into_iter()
                .map(|(_, effect)| effect)
                .collect();
            note(cx, findings, (id, ProposalAction::Contradict), effects)?;
        }
        for text in &findings.updated {
            self.say_anew(cx, findings, text)?;
        }
        for id in there(&*cx.txn, cx.ns, &findings.deleted)? {
            self.take_away(cx, findings, id)?;
        }
        Ok(())
    }

    /// A memory says something else now; nothing when it is not there any more.
    fn say_anew(
        &self,
        cx: &mut WriteCx<'_, '_>,
        findings: &Findings,
        NewText {
            id,
            new_id,
            prepared,
            said,
        }: &NewText,
    ) -> Result<(), Error> {
        let (id, new_id) = (*id, *new_id);
        let Some((_, before)) = annals_records::get(&*cx.txn, cx.ns, id, None)? else {
            return Ok(());
        };
        // Whether the old text may go waited for a person: with the new one that is settled.
        proposals::settle(cx.txn, cx.ns, id)?;
        let new_id = renews(cx.profile).then_some(new_id);
        let memory = life::edited(cx.profile, &prepared.memory, &before)?;
        let prepared = Prepared {
            memory,
            ..prepared.clone()
        };
        let said = assertions(said);
        let yields = annals_graph::Yield::These(&said);
        let now = cx.now;
        let accessed =
            |state: &mut annals_lifecycle::State| state.accessed = state.accessed.max(now);
        let updated = self.update_in(cx, (id, new_id), &prepared, yields, accessed)?;
        let body = prepared.memory.body();
        life::derive(cx, (updated.row, prepared.memory.status()), body)?;
        let effect = match new_id {
            Some(by) => Effect::Replaced { id, by },
            None => Effect::Revised {
                id,
                from: before.revision,
                to: updated.revision,
            },
        };
        note(
            cx,
            findings,
            (updated.id, ProposalAction::Update),
            vec![effect],
        )
    }

    /// Whether a memory is kept for good, or a person told, confirmed or edited it: only something
    /// in its place lets it go.
    fn lasts(&self, cx: &WriteCx<'_, '_>, (row, memory): (Row, &Memory)) -> Result<bool, Error> {
        let state = annals_lifecycle::states(cx.txn, cx.ns, &[row])?
            .pop()
            .flatten();
        let class = state
            .as_ref()
            .map_or(memory.body.kind.as_str(), |state| state.class.as_str());
        let undeletable = |class: &str| {
            cx.profile
                .settings
                .taxonomy
                .classes
                .iter()
                .any(|known| known.id == class && known.undeletable)
        };
        Ok(undeletable(class) || self.is_told(cx, memory.id)?)
    }

    /// Removes a memory that is said to be wrong. A memory that the application itself keeps
    /// stays. One that is kept for good or that a person told goes only when another takes its
    /// place, and otherwise waits for a person. Unless a person agreed, it is forgotten first and
    /// can be brought back.
    fn take_away(
        &self,
        cx: &mut WriteCx<'_, '_>,
        findings: &Findings,
        id: MemoryId,
    ) -> Result<(), Error> {
        let (row, memory) =
            annals_records::get(&*cx.txn, cx.ns, id, None)?.ok_or(RecordError::NotFound { id })?;
        if is_kept(&memory) {
            tracing::warn!(memory = %id, "a model wanted to delete what the application keeps");
            return Ok(());
        }
        let said = findings.added.iter().map(|arrival| &arrival.prepared);
        let mut said = said.chain(findings.updated.iter().map(|text| &text.prepared));
        let gone = memory.body.text.as_str();
        let replaced = findings.agreed || said.any(|said| takes_place(said.memory.text(), gone));
        if !replaced && self.lasts(cx, (row, &memory))? {
            let waits = Proposed::of(Extracted::Delete(id), cx.now)
                .map(|proposed| (self.ids.next(cx.now), proposed));
            proposals::add(cx.txn, cx.ns, &waits.into_iter().collect::<Vec<_>>())?;
            return Ok(());
        }
        let settings = &cx.profile.settings;
        let found = if findings.agreed {
            0.0
        } else {
            settings.extract.delete_after_days
        };
        let effects = self.let_go_in(cx, id, found.max(settings.review.delete_after_days))?;
        // Whether it may go is settled.
        proposals::settle(cx.txn, cx.ns, id)?;
        note(cx, findings, (id, ProposalAction::Delete), effects)
    }
}

/// Keeps what was done to a memory because of what was said, with the turns that said it.
fn note(
    cx: &mut WriteCx<'_, '_>,
    findings: &Findings,
    (id, action): (MemoryId, ProposalAction),
    effects: Vec<Effect>,
) -> Result<(), Error> {
    if effects.is_empty() {
        return Ok(());
    }
    let mut memories = vec![id];
    memories.extend(
        there(&*cx.txn, cx.ns, &findings.turns)?
            .into_iter()
            .filter(|turn| *turn != id),
    );
    let decided = Decided {
        at: cx.now,
        question: DecisionQuestion::StillTrue,
        memories,
        answer: action.as_str().to_owned(),
        // Answers of this form give none: the turns are the reason.
        reason: String::new(),
        by: findings.by.clone(),
        effects,
        undone_at: None,
        before: 0,
    };
    decisions::note(cx, decided)
}

/// Whether a text says anew what another one says: they share more than half of their terms, and
/// are not the same.
fn takes_place(text: &str, gone: &str) -> bool {
    let analyzer = annals_text::Analyzer::new();
    let terms = |text: &str| -> BTreeSet<annals_text::Term> {
        analyzer
            .forward(text, None)
            .entries()
            .iter()
            .map(|(term, _)| *term)
            .collect()
    };
    let (one, other) = (terms(text), terms(gone));
    let shared = one.intersection(&other).count();
    shared.saturating_mul(2) > one.len().max(other.len()) && !same_words(text, gone)
}

/// Whether the application itself put a memory there.
pub(crate) fn is_kept(memory: &Memory) -> bool {
    memory.body.layer == Layer::System || memory.body.kind.as_str() == "system"
}

/// Whether an answer's new text for a memory becomes a memory of its own, which names the old one
/// as the one that it replaced. A command to update means that; a person's own edit keeps the id
/// where the profile says so.
pub(crate) fn renews(profile: &CompiledProfile) -> bool {
    let profile = &profile.settings;
    profile.extract.answer == AnswerForm::Commands || !profile.records.update_keeps_id
}

/// When the last of some turns was said.
fn said_at(
    reads: &dyn Reads,
    ns: NamespaceId,
    turns: &[MemoryId],
) -> Result<Option<Timestamp>, Error> {
    let rows: Vec<Row> = annals_records::find_rows(reads, ns, turns)?
        .into_iter()
        .flatten()
        .collect();
    let turns = annals_records::memories(reads, ns, &rows, None)?
        .into_iter()
        .flatten();
    Ok(turns.map(|turn| moment(&turn)).max())
}

/// The settlement of a memory that was contradicted at a moment.
fn contradicted(profile: &CompiledProfile, row: Row, until: Timestamp) -> Option<Settlement> {
    let settings = &profile.settings.conflict;
    match settings.strategy {
        ConflictStrategy::Penalty => Some(Settlement::Penalize {
            row,
            factor: settings.penalty,
        }),
        ConflictStrategy::CloseInterval => Some(Settlement::Close { row, until }),
        _ => None,
    }
}

/// Those of some memories that are there, each once.
pub(crate) fn there(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<Vec<MemoryId>, Error> {
    let rows = annals_records::find_rows(reads, ns, ids)?;
    let mut there: Vec<MemoryId> = ids
        .iter()
        .zip(rows)
        .filter(|(_, row)| row.is_some())
        .map(|(id, _)| *id)
        .collect();
    there.sort_unstable();
    there.dedup();
    Ok(there)
}
