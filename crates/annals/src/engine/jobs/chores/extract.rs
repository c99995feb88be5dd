//! Conversations are looked through for what is worth keeping.

use std::collections::BTreeSet;

use annals_lifecycle::conflict::Settlement;
use annals_lifecycle::review;
use annals_lifecycle::task::Task;
use annals_recall::Query;
use annals_records::RecordError;
use annals_storage::{Reads, Transaction};
use annals_types::profile::{AnswerForm, ConflictStrategy, ReviewKind, ShownBy, Signal};
use annals_types::{
    ExtractWindow, Extracted, Filter, Layer, Memory, MemoryId, NamespaceId, NamespaceName, NewMemory, Row, Shown,
    Statement,
};

use super::super::Run;
use super::ended;
use crate::engine::embed::Prepared;
use crate::engine::proposals::Proposed;
use crate::engine::resolve::Settling;
use crate::engine::revise::Place;
use crate::engine::rulebooks::Rulebook;
use crate::engine::write::{Arrival, Done};
use crate::engine::{Change, Engine, View, life, proposals, remarks, talks};
use crate::{Error, Hit};

/// What an answer asks for, ready to be carried out.
#[derive(Default)]
struct Findings {
    added: Vec<Arrival>,
    /// What each of these says in three parts.
    said: Vec<Vec<Statement>>,
    /// A memory, the id of its next text where that is another one, and the text.
    updated: Vec<(MemoryId, MemoryId, Prepared)>,
    used: Vec<MemoryId>,
    deleted: Vec<MemoryId>,
    contradicted: Vec<MemoryId>,
    /// What of an answer is not done, and why.
    left_out: Vec<String>,
    /// What waits for a person instead.
    proposed: Vec<(MemoryId, Proposed)>,
    /// A person has agreed to it.
    agreed: bool,
}

/// What came of looking through turns.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// The word for it; empty while nothing was looked through.
    pub(crate) word: &'static str,
    /// Memories that are new.
    pub(crate) new: usize,
    /// Memories that were there and were said again, changed or contradicted.
    pub(crate) updated: usize,
}

impl Looked {
    fn nothing(word: &'static str) -> Self {
        Self { word, ..Self::default() }
    }

    /// Counts what was found; `ids` is what the additions became.
    fn found(findings: &Findings, ids: &[MemoryId]) -> Self {
        let fresh = |(arrival, id): &(&Arrival, &MemoryId)| arrival.id == **id;
        let (new, again): (Vec<_>, Vec<_>) = findings.added.iter().zip(ids).partition(fresh);
        let updated = findings.updated.iter().map(|(id, ..)| *id);
        let others = findings.used.iter().chain(&findings.contradicted).copied();
        let touched: BTreeSet<MemoryId> = again.into_iter().map(|(_, id)| *id).chain(updated).chain(others).collect();
        Self { word: "extracted", new: new.len(), updated: touched.len() }
    }
}

impl Engine {
    /// Looks through the turns of a session up to one. The model is asked outside of any transaction;
    /// what it found, the note that the turns were looked through and the end of the task are one.
    pub(super) fn extract_from(
        &self,
        run: &Run<'_>,
        name: &NamespaceName,
        turn: MemoryId,
        task: &Task,
    ) -> Result<Looked, Error> {
        let ns = task.namespace;
        let Some(extractor) = self.extractor_of(run.rulebook, run.cancel) else {
            self.give_back(task, self.now())?;
            return Ok(Looked::nothing("waiting"));
        };
        let turns = talks::window(&self.snapshot()?, ns, &run.rulebook.profile.extract, (turn, task))?;
        let (mut findings, mut shown) = (Findings::default(), Vec::new());
        if !turns.is_empty() {
            let known = self.known_for(run.rulebook, name, ns, &turns)?;
            shown = turns.iter().map(|turn| turn.id).chain(known.iter().map(|known| known.id)).collect();
            let found = extractor.extract(&ExtractWindow { turns: &turns, known: &known });
            let found = found.map_err(|error| Error::judge(&error))?;
            findings = match run.rulebook.profile.extract.auto {
                true => self.findings(name, found)?,
                false => self.proposed(name, found)?,
            };
        }
        let rows: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
        let ids = self.admit_with(name, ns, (&findings.added, &findings.said), |txn, at| {
            let mut changes = self.carry_out_findings(txn, at, &findings)?;
            proposals::add(txn, ns, &findings.proposed)?;
            if let Some(last) = there(&*txn, ns, &rows)?.last() {
                // What may repeat words that went meanwhile is not kept.
                let left_out = if there(&*txn, ns, &shown)?.len() == shown.len() { &*findings.left_out } else { &[] };
                remarks::note(txn, ns, (*last, &shown), (at.now, left_out))?;
            }
            talks::looked(txn, ns, &rows)?;
            let (_, change) = ended(txn, task, Change::default())?;
            changes.push(change);
            Ok(changes)
        })?;
        Ok(if turns.is_empty() { Looked::nothing("nothing new") } else { Looked::found(&findings, &ids) })
    }

    /// The memories that are shown with a window.
    fn known_for(
        &self,
        rulebook: &Rulebook,
        name: &NamespaceName,
        ns: NamespaceId,
        turns: &[Memory],
    ) -> Result<Vec<Shown>, Error> {
        let settings = &rulebook.profile.extract;
        let limit = usize::try_from(settings.shown).unwrap_or(usize::MAX);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let view = self.view(ns)?;
        let memories = match settings.shown_by {
            ShownBy::Worth => self.worthiest(&view, ns, settings.shown_min, limit)?,
            ShownBy::Recall => {
                let said: Vec<&str> = turns.iter().map(|turn| turn.body.text.as_str()).collect();
                let said = said.join("\n");
                let words: String = match settings.asked_chars {
                    0 => said,
                    most => said.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect(),
                };
                let layers = Layer::ALL.iter().copied().filter(|layer| *layer != Layer::Turn).collect();
                let filter = Filter { layers, ..Filter::default() };
                let top_k = settings.shown.min(annals_recall::MAX_TOP_K);
                let query = Query::new(words).top_k(top_k).filter(filter);
                let hits: Vec<Hit> = self.answer(ns, name.as_str(), &query, &mut None)?.hits;
                hits.into_iter().map(|hit| hit.memory).collect()
            }
        };
        self.shown(&view, ns, memories)
    }

    fn worthiest(&self, view: &View, ns: NamespaceId, least: f64, limit: usize) -> Result<Vec<Memory>, Error> {
        let now = self.now();
        let current = |row: &Row| view.columns.current_status(*row) == Some(annals_types::Status::Active);
        let worth = |row: Row| Some((view.worth.retention(row, now).filter(|worth| *worth >= least - 1e-9)?, row));
        let mut rows: Vec<(f64, Row)> = view.worth.rows().filter(current).filter_map(worth).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        rows.truncate(limit);
        let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
        let found = annals_records::memories(&self.snapshot()?, ns, &rows, Some(&view.columns))?;
        Ok(found.into_iter().flatten().collect())
    }

    fn shown(&self, view: &View, ns: NamespaceId, memories: Vec<Memory>) -> Result<Vec<Shown>, Error> {
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let rows = annals_records::find_rows(&self.snapshot()?, ns, &ids)?;
        let now = self.now();
        let shown = |(memory, row): (Memory, Option<Row>)| Shown {
            id: memory.id,
            retention: row
                .and_then(|row| view.worth.retention(row, now))
                .unwrap_or_else(|| f64::from(memory.body.importance.get())),
            time: memory.body.event_time.unwrap_or(memory.stored_at),
            text: memory.body.text,
        };
        Ok(memories.into_iter().zip(rows).map(shown).collect())
    }

    /// What was found, as it waits for a person. That a memory was of use is no matter of consent.
    fn proposed(&self, name: &NamespaceName, found: Vec<Extracted>) -> Result<Findings, Error> {
        let mut findings = Findings::default();
        let now = self.now();
        for one in found {
            let one = match one {
                Extracted::Used(id) => {
                    findings.used.push(id);
                    continue;
                }
                Extracted::LeftOut(why) => {
                    findings.left_out.push(why);
                    continue;
                }
                Extracted::Add(memory) => self.passed(name, memory)?.map(Extracted::Add),
                Extracted::AddSaying(memory, said) => {
                    let said = self.passed_saying(name, said)?;
                    self.passed(name, memory)?.map(|memory| Extracted::AddSaying(memory, said))
                }
                Extracted::Update(id, memory) => self.passed(name, memory)?.map(|memory| Extracted::Update(id, memory)),
                other => Some(other),
            };
            let proposed = one.and_then(|one| Proposed::of(one, now));
            findings.proposed.extend(proposed.map(|proposed| (self.ids.next(now), proposed)));
        }
        Ok(findings)
    }

    /// Does what a proposal says; answers the memory that says it now.
    pub(crate) fn accept(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        id: MemoryId,
    ) -> Result<Option<MemoryId>, Error> {
        let waits = proposals::get(&self.snapshot()?, ns, id)?;
        let waits = waits.ok_or_else(|| Error::not_found(format!("no proposal {id} waits")))?;
        let agreed = waits.agreed()?;
        self.possible(name, ns, agreed.as_ref())?;
        let mut findings = self.findings(name, agreed.into_iter().collect())?;
        findings.agreed = true;
        findings.added.iter_mut().for_each(|arrival| arrival.id = id);
        let renews = renews(&*self.rulebook_of(name)?);
        let updated = findings.updated.first().map(|(old, new, _)| if renews { *new } else { *old });
        let added = self.admit_with(name, ns, (&findings.added, &findings.said), |txn, at| {
            proposals::take(txn, ns, id)?;
            self.carry_out_findings(txn, at, &findings)
        })?;
        let there = annals_records::find_rows(&self.snapshot()?, ns, &updated.into_iter().collect::<Vec<_>>())?;
        let updated = updated.filter(|_| there.iter().any(Option::is_some));
        Ok(added.first().copied().or(updated))
    }

    /// Refuses a proposal that cannot be done: it goes on waiting.
    fn possible(&self, name: &NamespaceName, ns: NamespaceId, agreed: Option<&Extracted>) -> Result<(), Error> {
        let about = match agreed {
            Some(Extracted::Update(id, _) | Extracted::Delete(id) | Extracted::Contradicted(id)) => Some(*id),
            _ => None,
        };
        if let Some(id) = about {
            let (_, memory) =
                annals_records::get(&self.snapshot()?, ns, id, None)?.ok_or(RecordError::NotFound { id })?;
            if matches!(agreed, Some(Extracted::Delete(_))) && is_kept(&memory) {
                return Err(Error::bad_input(format!(
                    "memory {id} is kept by the application and is not deleted at a proposal; reject it"
                )));
            }
        }
        match agreed {
            Some(Extracted::Add(memory) | Extracted::AddSaying(memory, _) | Extracted::Update(_, memory)) => {
                self.screened(name, vec![memory.clone()]).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// What was found, embedded and with ids.
    fn findings(&self, name: &NamespaceName, found: Vec<Extracted>) -> Result<Findings, Error> {
        let mut findings = Findings::default();
        let now = self.now();
        for one in found {
            let (one, said) = match one {
                Extracted::AddSaying(memory, said) => (Extracted::Add(memory), self.passed_saying(name, said)?),
                other => (other, Vec::new()),
            };
            match one {
                Extracted::Add(memory) => {
                    if let Some(prepared) = self.kept(name, memory)? {
                        let says = !said.is_empty();
                        findings.added.push(Arrival { says, ..Arrival::new(self.ids.next(now), prepared) });
                        findings.said.push(said);
                    }
                }
                Extracted::Update(id, memory) => {
                    if let Some(prepared) = self.kept(name, memory)? {
                        findings.updated.push((id, self.ids.next(now), prepared));
                    }
                }
                Extracted::Used(id) => findings.used.push(id),
                Extracted::Delete(id) => findings.deleted.push(id),
                Extracted::Contradicted(id) => findings.contradicted.push(id),
                Extracted::LeftOut(why) => findings.left_out.push(why),
                _ => {}
            }
        }
        Ok(findings)
    }

    /// A memory that was found, as the profile lets it be stored; nothing when it refuses.
    fn kept(&self, name: &NamespaceName, memory: NewMemory) -> Result<Option<Prepared>, Error> {
        let memories = self.passed(name, memory)?.into_iter().collect();
        Ok(self.prepare(memories)?.pop())
    }

    /// The same, not yet embedded.
    fn passed(&self, name: &NamespaceName, memory: NewMemory) -> Result<Option<NewMemory>, Error> {
        match self.screened(name, vec![memory]) {
            Err(error) if error.is_invalid() => {
                tracing::warn!("something that was extracted must not be kept");
                Ok(None)
            }
            screened => Ok(screened?.pop()),
        }
    }

    /// What a memory that was found says, without what the profile refuses.
    pub(super) fn passed_saying(&self, name: &NamespaceName, said: Vec<Statement>) -> Result<Vec<Statement>, Error> {
        Ok(match self.screen(name)? {
            Some(screen) => said.into_iter().filter_map(|one| screen.statement(one)).collect(),
            None => said,
        })
    }

    /// Everything but additions, in the order: uses, contradictions, new texts, deletions.
    fn carry_out_findings(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        findings: &Findings,
    ) -> Result<Vec<Change>, Error> {
        let mut changes = Vec::new();
        let used = there(&*txn, at.ns, &findings.used)?;
        if !used.is_empty() {
            let terms = at.rulebook.terms(txn)?;
            let life = life::used(txn, at.ns, (at.rulebook, &terms.regime()), at.now, Signal::Used, &used)?;
            changes.push(Change { life, ..Change::default() });
        }
        let mut settling = Settling::default();
        for id in there(&*txn, at.ns, &findings.contradicted)? {
            let row = annals_records::find_rows(&*txn, at.ns, &[id])?.pop().flatten();
            if let Some(settlement) = row.and_then(|row| contradicted(at, row)) {
                self.settle(txn, at, &mut settling, &settlement)?;
            }
        }
        changes.extend(settling.changes);
        for (id, new_id, prepared) in &findings.updated {
            changes.extend(self.say_anew(txn, at, (*id, *new_id), prepared)?);
        }
        let replaced = findings.agreed || !findings.added.is_empty() || !findings.updated.is_empty();
        for id in there(&*txn, at.ns, &findings.deleted)? {
            changes.push(self.take_away(txn, at, id, replaced)?.1);
        }
        Ok(changes)
    }

    /// A memory says something else now; nothing when it is not there any more.
    fn say_anew(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        (id, new_id): (MemoryId, MemoryId),
        prepared: &Prepared,
    ) -> Result<Option<Change>, Error> {
        let Some((row, before)) = annals_records::get(&*txn, at.ns, id, None)? else { return Ok(None) };
        if Self::lasts(&*txn, at, row, before.body.kind.as_str())? {
            // Whether the old text may go waits for a person: with the new one that is settled.
            review::settle(txn, at.ns, at.rulebook.terms(txn)?.lane, (row, ReviewKind::Decay))?;
        }
        let new_id = renews(at.rulebook).then_some(new_id);
        let memory = life::edited(at.rulebook, &prepared.memory, &before)?;
        let prepared = Prepared { memory, ..prepared.clone() };
        let yields = annals_graph::Yield::These(&[]);
        let now = |state: &mut annals_lifecycle::State| state.accessed = state.accessed.max(at.now);
        let (updated, change) = self.update_in(txn, at, (id, new_id), &prepared, yields, now)?;
        let body = prepared.memory.body();
        life::derive(txn, at.ns, at.now, (updated.row, prepared.memory.status()), body)?;
        Ok(Some(change))
    }

    /// Whether a memory is kept for good: only something in its place lets it go.
    fn lasts(reads: &dyn Reads, at: Place<'_>, row: Row, kind: &str) -> Result<bool, Error> {
        let state = annals_lifecycle::states(reads, at.ns, &[row])?.pop().flatten();
        let class = state.as_ref().map_or(kind, |state| state.class.as_str());
        Ok(at.rulebook.profile.taxonomy.classes.iter().any(|known| known.id == class && known.undeletable))
    }

    /// A memory is said to be wrong. What the application itself put there stays; what is kept for good goes only when something takes
    /// its place, and otherwise waits for a person.
    fn take_away(&self, txn: &mut Transaction<'_>, at: Place<'_>, id: MemoryId, replaced: bool) -> Done<()> {
        let (row, memory) = annals_records::get(&*txn, at.ns, id, None)?.ok_or(RecordError::NotFound { id })?;
        let kind = memory.body.kind.as_str();
        if is_kept(&memory) {
            tracing::warn!(memory = %id, "a model wanted to delete what the application keeps");
            return Ok(((), Change::default()));
        }
        if !replaced && Self::lasts(&*txn, at, row, kind)? {
            let state = annals_lifecycle::states(&*txn, at.ns, &[row])?.pop().flatten();
            let terms = at.rulebook.terms(txn)?;
            let score = state.as_ref().map_or(0.0, |state| state.value);
            review::request(txn, at.ns, &terms.regime(), (row, ReviewKind::Decay), score, at.now)?;
            return Ok(((), Change::default()));
        }
        let (_, change) = self.erase_in(txn, at.ns, at.rulebook, at.now, &[id])?;
        Ok(((), change))
    }
}

/// Whether the application itself put a memory there.
fn is_kept(memory: &Memory) -> bool {
    memory.body.layer == Layer::System || memory.body.kind.as_str() == "system"
}

/// Whether the next text of a memory that an answer gives it is a new one, which names the old one as what it took the place of. A command
/// to update means that; a person's own edit keeps the id where the profile says so.
fn renews(rulebook: &Rulebook) -> bool {
    let profile = &rulebook.profile;
    profile.extract.answer == AnswerForm::Commands || !profile.records.update_keeps_id
}

/// What becomes of a memory that a model says is contradicted.
fn contradicted(at: Place<'_>, row: Row) -> Option<Settlement> {
    let settings = &at.rulebook.profile.conflict;
    match settings.strategy {
        ConflictStrategy::Penalty => Some(Settlement::Penalize { row, factor: settings.penalty }),
        ConflictStrategy::CloseInterval => Some(Settlement::Close { row, until: at.now }),
        _ => None,
    }
}

/// Those of some memories that are there, each once.
fn there(reads: &dyn Reads, ns: NamespaceId, ids: &[MemoryId]) -> Result<Vec<MemoryId>, Error> {
    let rows = annals_records::find_rows(reads, ns, ids)?;
    let mut there: Vec<MemoryId> = ids.iter().zip(rows).filter(|(_, row)| row.is_some()).map(|(id, _)| *id).collect();
    there.sort_unstable();
    there.dedup();
    Ok(there)
}
