//! Conversations are looked through for what is worth keeping.

use std::collections::{BTreeMap, BTreeSet};

use annals_lifecycle::task::Task;
use annals_recall::Query;
use annals_records::RecordError;
use annals_types::profile::{ExtractSettings, ShownBy};
use annals_types::{
    ExtractWindow, Extracted, Filter, Layer, Memory, MemoryId, NamespaceId, NewMemory, Row, Shown,
    Statement,
};

use crate::Curator;
use crate::proposals::{self, Proposed};
use crate::tasks::ended;
use crate::tasks::findings::{Findings, NewText, is_kept, renews, there};
use crate::{cursors, remarks};
use annals_engine::View;
use annals_engine::compiled::CompiledProfile;
use annals_engine::decisions::PERSON;
use annals_engine::embed::Prepared;
use annals_engine::jobs::Run;
use annals_engine::privacy::{Screen, screened};
use annals_engine::resolve::told_at;
use annals_engine::write::Arrival;
use annals_engine::{Error, Hit, Refusal};

/// The result of looking through turns.
#[derive(Debug, Default)]
pub struct ExtractionResult {
    /// The word for it; empty while nothing was looked through.
    pub(crate) word: &'static str,
    /// Memories that are new.
    pub new: usize,
    /// Memories that were there and were said again, changed or contradicted.
    pub updated: usize,
}

impl ExtractionResult {
    fn nothing(word: &'static str) -> Self {
        Self {
            word,
            ..Self::default()
        }
    }

    /// Counts what was found; `ids` is what the additions became.
    fn found(findings: &Findings, ids: &[MemoryId]) -> Self {
        let fresh = |(arrival, id): &(&Arrival, &MemoryId)| arrival.id == **id;
        let (new, again): (Vec<_>, Vec<_>) = findings.added.iter().zip(ids).partition(fresh);
        let updated = findings.updated.iter().map(|text| text.id);
        let others = findings
            .used
            .iter()
            .chain(findings.contradicted.iter().map(|(id, _)| id))
            .copied();
        let touched: BTreeSet<MemoryId> = again
            .into_iter()
            .map(|(_, id)| *id)
            .chain(updated)
            .chain(others)
            .collect();
        Self {
            word: "extracted",
            new: new.len(),
            updated: touched.len(),
        }
    }
}

impl Curator<'_> {
    /// Looks through the turns of a session up to one. The model is asked outside of any
    /// transaction; what it found, the note that the turns were looked through and the end of the
    /// task are one.
    pub(crate) fn extract_from(
        &self,
        run: &Run<'_>,
        turn: MemoryId,
        task: &Task,
    ) -> Result<ExtractionResult, Error> {
        let ns = task.namespace;
        let Some(extractor) = self.advisers.extractor(run.profile, run.cancel) else {
            self.give_back(task, self.now())?;
            return Ok(ExtractionResult::nothing("waiting"));
        };
        let turns = cursors::window(
            &self.snapshot()?,
            ns,
            &run.profile.settings.extract,
            (turn, task),
        )?;
        let (mut findings, mut shown) = (Findings::default(), Vec::new());
        if !turns.is_empty() {
            let known = self.known_for(run.profile, ns, &turns)?;
            shown = turns
                .iter()
                .map(|turn| turn.id)
                .chain(known.iter().map(|known| known.id))
                .collect();
            let found = extractor.extract(&ExtractWindow {
                turns: &turns,
                known: &known,
            });
            let found = self.timely(
                ns,
                run.profile,
                &turns,
                found.map_err(|error| Error::judge(&error))?,
            )?;
            let screen = self.screen_in(run.profile, ns)?;
            findings = match run.profile.settings.extract.auto {
                true => self.findings(screen.as_ref(), found)?,
                false => self.proposed(screen.as_ref(), found)?,
            };
        }
        let rows: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
        (findings.by, findings.turns) = (extractor.name(), rows.clone());
        let ids = self.admit_with(ns, (&findings.added, &findings.said), |cx| {
            if !run.profile.is(cx.profile) {
                return Err(Error::left(ns));
            }
            self.carry_out_findings(cx, &findings)?;
            proposals::add(cx.txn, ns, &findings.proposed)?;
            if let Some(last) = there(&*cx.txn, ns, &rows)?.last() {
                let here = there(&*cx.txn, ns, &shown)?;
                // Remarks that may repeat words deleted meanwhile, by this answer or before it,
                // are not kept.
                let left_out = match findings.left_out.len() {
                    0 => Vec::new(),
                    count if here.len() < shown.len() => {
                        vec![format!("{count} (what they were went with a memory)")]
                    }
                    _ => findings.left_out.clone(),
                };
                remarks::note(cx, (*last, &here), &left_out)?;
            }
            cursors::looked(cx.txn, ns, &rows)?;
            ended(cx, task)?;
            Ok(())
        })?;
        Ok(if turns.is_empty() {
            ExtractionResult::nothing("nothing new")
        } else {
            ExtractionResult::found(&findings, &ids)
        })
    }

    /// The memories that are shown with a window.
    fn known_for(
        &self,
        profile: &CompiledProfile,
        ns: NamespaceId,
        turns: &[Memory],
    ) -> Result<Vec<Shown>, Error> {
        let settings = &profile.settings.extract;
        let limit = usize::try_from(settings.shown).unwrap_or(usize::MAX);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let view = self.view(ns)?;
        let memories = match settings.shown_by {
            ShownBy::Worth => self.worthiest(&view, ns, settings.shown_min, limit)?,
            ShownBy::Recall => {
                let mut hits = self.hits_of_each(settings, ns, turns)?;
                hits.truncate(limit);
                hits.into_iter().map(|hit| hit.memory).collect()
            }
        };
        self.shown(&view, ns, memories)
    }

    /// The memories recalled by each turn of a window, best first. Each turn is a question of its
    /// own, as several turns about different things together are like nothing that is known.
    fn hits_of_each(
        &self,
        settings: &ExtractSettings,
        ns: NamespaceId,
        turns: &[Memory],
    ) -> Result<Vec<Hit>, Error> {
        let layers = Layer::ALL
            .iter()
            .copied()
            .filter(|layer| *layer != Layer::Turn)
            .collect();
        let filter = Filter {
            layers,
            ..Filter::default()
        };
        let top_k = settings.shown.min(annals_recall::MAX_TOP_K);
        let name = annals_records::namespace::there(&self.snapshot()?, ns)?.name;
        let mut left = match settings.asked_chars {
            0 => usize::MAX,
            most => usize::try_from(most).unwrap_or(usize::MAX),
        };
        let mut found: BTreeMap<MemoryId, Hit> = BTreeMap::new();
        for turn in turns {
            let words: String = turn.body.text.chars().take(left).collect();
            left = left.saturating_sub(words.chars().count());
            if words.trim().is_empty() {
                continue;
            }
            let query = Query::new(words).top_k(top_k).filter(filter.clone());
            for hit in self.answer(ns, name.as_str(), &query, &mut None)?.hits {
                match found.get(&hit.id) {
                    Some(better) if better.score >= hit.score => {}
                    _ => drop(found.insert(hit.id, hit)),
                }
            }
        }
        let mut hits: Vec<Hit> = found.into_values().collect();
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        Ok(hits)
    }

    fn worthiest(
        &self,
        view: &View,
        ns: NamespaceId,
        least: f64,
        limit: usize,
    ) -> Result<Vec<Memory>, Error> {
        let now = self.now();
        let current =
            |row: &Row| view.columns.current_status(*row) == Some(annals_types::Status::Active);
        let worth = |row: Row| {
            Some((
                view.worth
                    .retention(row, now)
                    .filter(|worth| *worth >= least - 1e-9)?,
                row,
            ))
        };
        let mut rows: Vec<(f64, Row)> = view
            .worth
            .rows()
            .filter(current)
            .filter_map(worth)
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        rows.truncate(limit);
        let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
        let found = annals_records::memories(&self.snapshot()?, ns, &rows, Some(&view.columns))?;
        Ok(found.into_iter().flatten().collect())
    }

    fn shown(
        &self,
        view: &View,
        ns: NamespaceId,
        memories: Vec<Memory>,
    ) -> Result<Vec<Shown>, Error> {
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let snapshot = self.snapshot()?;
        let rows = annals_records::find_rows(&snapshot, ns, &ids)?;
        let now = self.now();
        let mut shown = Vec::with_capacity(memories.len());
        for (memory, row) in memories.into_iter().zip(rows) {
            let told = told_at(&snapshot, ns, &memory)?;
            shown.push(Shown {
                id: memory.id,
                retention: row
                    .and_then(|row| view.worth.retention(row, now))
                    .unwrap_or_else(|| f64::from(memory.body.importance.get())),
                time: memory.body.event_time.unwrap_or(told),
                text: memory.body.text,
            });
        }
        Ok(shown)
    }

    /// Findings as proposals that wait for a person. The use of a memory needs no consent.
    fn proposed(&self, screen: Option<&Screen>, found: Vec<Extracted>) -> Result<Findings, Error> {
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
                Extracted::Add(memory) => passed(screen, memory)?.map(Extracted::Add),
                Extracted::AddSaying(memory, said) => {
                    let said = passed_saying(screen, said);
                    passed(screen, memory)?.map(|memory| Extracted::AddSaying(memory, said))
                }
                Extracted::Update(id, memory) => {
                    passed(screen, memory)?.map(|memory| Extracted::Update(id, memory))
                }
                Extracted::UpdateSaying(id, memory, said) => {
                    let said = passed_saying(screen, said);
                    passed(screen, memory)?.map(|memory| Extracted::UpdateSaying(id, memory, said))
                }
                other => Some(other),
            };
            let proposed = one.and_then(|one| Proposed::of(one, now));
            findings
                .proposed
                .extend(proposed.map(|proposed| (self.ids.next(now), proposed)));
        }
        Ok(findings)
    }

    /// Does what a proposal says; answers the memory that says it now.
    pub fn accept(&self, ns: NamespaceId, id: MemoryId) -> Result<Option<MemoryId>, Error> {
        let waits = proposals::get(&self.snapshot()?, ns, id)?;
        let waits = waits.ok_or(Refusal::NoProposal { id })?;
        let turns = waits
            .body
            .as_ref()
            .map(|body| body.provenance.clone())
            .unwrap_or_default();
        let agreed = waits.agreed()?;
        let profile = self.profile_of(ns)?;
        let screen = self.screen_in(&profile, ns)?;
        self.possible(screen.as_ref(), ns, agreed.as_ref())?;
        let mut findings = self.findings(screen.as_ref(), agreed.into_iter().collect())?;
        (findings.agreed, findings.by, findings.turns) = (true, PERSON.to_owned(), turns);
        findings
            .added
            .iter_mut()
            .for_each(|arrival| arrival.id = id);
        let renews = renews(&profile);
        let updated = findings
            .updated
            .first()
            .map(|text| if renews { text.new_id } else { text.id });
        let added = self.admit_with(ns, (&findings.added, &findings.said), |cx| {
            proposals::take(cx.txn, ns, id)?;
            self.carry_out_findings(cx, &findings)
        })?;
        let there = annals_records::find_rows(
            &self.snapshot()?,
            ns,
            &updated.into_iter().collect::<Vec<_>>(),
        )?;
        let updated = updated.filter(|_| there.iter().any(Option::is_some));
        Ok(added.first().copied().or(updated))
    }

    /// Refuses a proposal that cannot be done: it goes on waiting.
    fn possible(
        &self,
        screen: Option<&Screen>,
        ns: NamespaceId,
        agreed: Option<&Extracted>,
    ) -> Result<(), Error> {
        let about = match agreed {
            Some(
                Extracted::Update(id, _)
                | Extracted::UpdateSaying(id, ..)
                | Extracted::Delete(id)
                | Extracted::Contradicted { id, .. },
            ) => Some(*id),
            _ => None,
        };
        if let Some(id) = about {
            let (_, memory) = annals_records::get(&self.snapshot()?, ns, id, None)?
                .ok_or(RecordError::NotFound { id })?;
            if matches!(agreed, Some(Extracted::Delete(_))) && is_kept(&memory) {
                return Err(Refusal::KeptByApplication { id }.into());
            }
        }
        match agreed {
            Some(
                Extracted::Add(memory)
                | Extracted::AddSaying(memory, _)
                | Extracted::Update(_, memory)
                | Extracted::UpdateSaying(_, memory, _),
            ) => screened(screen, vec![memory.clone()]).map(drop),
            _ => Ok(()),
        }
    }

    /// The findings of an answer, embedded and with ids.
    fn findings(&self, screen: Option<&Screen>, found: Vec<Extracted>) -> Result<Findings, Error> {
        let mut findings = Findings::default();
        let now = self.now();
        for one in found {
            let (one, said) = match one {
                Extracted::AddSaying(memory, said) => {
                    (Extracted::Add(memory), passed_saying(screen, said))
                }
                Extracted::UpdateSaying(id, memory, said) => {
                    (Extracted::Update(id, memory), passed_saying(screen, said))
                }
                other => (other, Vec::new()),
            };
            match one {
                Extracted::Add(memory) => {
                    if let Some(prepared) = self.kept(screen, memory)? {
                        let says = !said.is_empty();
                        findings.added.push(Arrival {
                            says,
                            ..Arrival::new(self.ids.next(now), prepared)
                        });
                        findings.said.push(said);
                    }
                }
                Extracted::Update(id, memory) => {
                    if let Some(prepared) = self.kept(screen, memory)? {
                        findings.updated.push(NewText {
                            id,
                            new_id: self.ids.next(now),
                            prepared,
                            said,
                        });
                    }
                }
                Extracted::Used(id) => findings.used.push(id),
                Extracted::Delete(id) => findings.deleted.push(id),
                Extracted::Contradicted { id, by } => findings.contradicted.push((id, by)),
                Extracted::LeftOut(why) => findings.left_out.push(why),
                _ => {}
            }
        }
        Ok(findings)
    }

    /// A memory that was found, as the profile lets it be stored; nothing when it refuses.
    fn kept(&self, screen: Option<&Screen>, memory: NewMemory) -> Result<Option<Prepared>, Error> {
        let memories = passed(screen, memory)?.into_iter().collect();
        Ok(self.prepare(memories)?.pop())
    }
}

/// A memory that was found, not yet embedded, as the profile lets it be stored; nothing when it
/// refuses.
fn passed(screen: Option<&Screen>, memory: NewMemory) -> Result<Option<NewMemory>, Error> {
    match screened(screen, vec![memory]) {
        Err(error) if error.is_invalid() => {
            tracing::warn!("something that was extracted must not be kept");
            Ok(None)
        }
        screened => Ok(screened?.pop()),
    }
}

/// The statements of a memory that was found, without those that the profile refuses.
pub(crate) fn passed_saying(screen: Option<&Screen>, said: Vec<Statement>) -> Vec<Statement> {
    match screen {
        Some(screen) => said
            .into_iter()
            .filter_map(|one| screen.statement(one))
            .collect(),
        None => said,
    }
}
