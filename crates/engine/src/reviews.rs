//! Reviews: memories that wait until a judge or a person says what becomes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_lifecycle::review::{self, Decider, Hearing, Review, Verdict};
use annals_lifecycle::{Action, LifecycleError, task};
use annals_recall::Query;
use annals_records::RecordError;
use annals_storage::Transaction;
use annals_types::profile::ReviewKind;
use annals_types::{
    Judge, Kind, Memory, MemoryId, NamespaceId, NamespaceName, Row, Shown, Status, Timestamp,
};

use crate::compiled::CompiledProfile;
use crate::decisions::{self, Decided};
use crate::effect::{Effect, Worth};
use crate::jobs::tasks::TaskKind;
use crate::jobs::{LEFT, PutOff, StepResult, WAITING, number};
use crate::revise;
use crate::write::set_status_in;
use crate::{DecisionQuestion, Error, Hit, Refusal};
use crate::{Engine, WriteCx};

/// Bytes of a memory's text by which related ones are looked for.
const ASKED: usize = 4096;

/// A verdict, and who gave it why.
struct GivenVerdict {
    verdict: Verdict,
    reason: String,
    decider: Decider,
    /// The name that is noted; what the verdict may do does not hang on it.
    by: String,
}

const fn question(kind: ReviewKind) -> DecisionQuestion {
    match kind {
        ReviewKind::Decay => DecisionQuestion::MayGo,
        ReviewKind::Promote => DecisionQuestion::KeepForGood,
    }
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Promote => "promote",
        Verdict::Keep => "keep",
        Verdict::Delete => "delete",
    }
}

/// When a memory that was let go is deleted.
fn goes_at(days: f64, now: Timestamp) -> Timestamp {
    const DAY_MILLIS: f64 = 86_400_000.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "from floats `as` saturates: a span beyond all time"
    )]
    let wait = (days * DAY_MILLIS) as i64;
    now.plus_millis(wait)
}

/// Refuses to promote under a profile that does not say what that is.
fn refuse_promotion(profile: &CompiledProfile, verdict: Verdict) -> Result<(), Error> {
    if verdict != Verdict::Promote || profile.settings.review.promoted_class.is_some() {
        return Ok(());
    }
    Err(Refusal::NoPromotion {}.into())
}

impl Engine {
    /// Carries out what a person said about a memory; answers what was done.
    pub fn decide(
        &self,
        ns: NamespaceId,
        id: MemoryId,
        kind: ReviewKind,
        verdict: Verdict,
    ) -> Result<Verdict, Error> {
        let by = decisions::PERSON.to_owned();
        let said = GivenVerdict {
            verdict,
            reason: String::new(),
            decider: Decider::Person,
            by,
        };
        self.write_kept(ns, |cx| {
            let row = annals_records::find_rows(&*cx.txn, ns, &[id])?
                .pop()
                .flatten();
            let row = row.ok_or(RecordError::NotFound { id })?;
            refuse_promotion(cx.profile, verdict)?;
            match self.decide_in(cx, (row, id), kind, &said) {
                Err(error) if error.is_no_review() => Err(Refusal::NoSuchReview { id }.into()),
                done => done,
            }
        })
    }

    fn decide_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (row, id): (Row, MemoryId),
        kind: ReviewKind,
        said: &GivenVerdict,
    ) -> Result<Verdict, Error> {
        let (ns, now) = (cx.ns, cx.now);
        let terms = cx.terms()?;
        let before = Worth::now(&*cx.txn, ns, row)?;
        let decided = review::decide(
            cx.txn,
            ns,
            &terms.regime(),
            (row, kind),
            (said.verdict, said.decider),
            now,
        )?;
        let mut effects: Vec<Effect> = Worth::changed(&*cx.txn, cx.ns, (id, row), before)?
            .into_iter()
            .collect();
        let mut note = Decided {
            at: now,
            question: question(kind),
            memories: vec![id],
            answer: word(said.verdict).to_owned(),
            reason: said.reason.clone(),
            by: said.by.clone(),
            effects: Vec::new(),
            undone_at: None,
            before: 0,
        };
        cx.add_life([decided.delta]);
        match &decided.action {
            Some(Action::Delete) => {
                // What a model says of a person's own words can be taken back.
                let told = said.decider != Decider::Person && Self::is_confirmed(cx, id)?;
                let settings = &cx.profile.settings;
                let days = settings.review.delete_after_days.max(if told {
                    settings.extract.delete_after_days
                } else {
                    0.0
                });
                effects.extend(self.let_go_in(cx, id, days)?);
            }
            Some(Action::SetClass { to, .. }) => {
                effects.extend(self.name_kind(cx, (row, id), to)?)
            }
            _ => {}
        }
        if effects.contains(&Effect::Deleted { id }) {
            // A reason may repeat what the memory said: it goes with it.
            note.reason.clear();
            effects = vec![Effect::Deleted { id }];
        } else {
            effects.push(Effect::Review {
                id,
                kind,
                score: decided.score,
            });
        }
        note.effects = effects;
        decisions::note(cx, note)?;
        let done = match decided.action {
            Some(Action::Delete) => Verdict::Delete,
            Some(_) => Verdict::Promote,
            None => Verdict::Keep,
        };
        Ok(done)
    }

    /// A memory that was moved to another class is of the kind of that name, where the profile has
    /// one: the kinds of such a profile say how long memories are kept.
    fn name_kind(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (row, id): (Row, MemoryId),
        to: &str,
    ) -> Result<Option<Effect>, Error> {
        let (kinds, classes) = (
            &cx.profile.settings.taxonomy.kinds,
            &cx.profile.settings.taxonomy.classes,
        );
        if !kinds.iter().any(|kind| kind.id == to) || !classes.iter().any(|class| class.id == to) {
            return Ok(None);
        }
        let found = annals_records::get(&*cx.txn, cx.ns, id, None)?;
        let Some((_, memory)) = found.filter(|(_, memory)| memory.body.kind.as_str() != to) else {
            return Ok(None);
        };
        let kind = Kind::new(to)?;
        self.revise_in(cx, row, |body| body.kind = kind, |_| {})?;
        Ok(Some(Effect::Revised {
            id,
            from: memory.revision,
            to: memory.revision.saturating_add(1),
        }))
    }

    /// Whether a memory was told, by whatever way in, and not found: what was found in a
    /// conversation or made of other memories names these.
    pub fn is_told(&self, cx: &WriteCx<'_, '_>, id: MemoryId) -> Result<bool, Error> {
        let memory = annals_records::get(&*cx.txn, cx.ns, id, None)?;
        let alone = memory.is_some_and(|(_, memory)| memory.body.provenance.is_empty());
        Ok(alone || Self::is_confirmed(cx, id)?)
    }

    /// Whether a person confirmed a memory, or edited it.
    fn is_confirmed(cx: &WriteCx<'_, '_>, id: MemoryId) -> Result<bool, Error> {
        let memory = annals_records::get(&*cx.txn, cx.ns, id, None)?;
        if memory.is_some_and(|(_, memory)| memory.body.verified) {
            return Ok(true);
        }
        let rows = annals_records::rows_of(&*cx.txn, cx.ns, &[id])?;
        Ok(revise::edited(&*cx.txn, cx.ns, &rows)?.contains(&true))
    }

    /// Lets a memory go: at once, or forgotten first for so many days; answers the changes.
    pub fn let_go_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        id: MemoryId,
        days: f64,
    ) -> Result<Vec<Effect>, Error> {
        if days <= 0.0 {
            self.erase_in(cx, &[id])?;
            return Ok(vec![Effect::Deleted { id }]);
        }
        let set = set_status_in(cx, &[id], Status::Forgotten)?;
        TaskKind::Delete.queue_at(cx, id, goes_at(days, cx.now))?;
        Ok(set
            .iter()
            .map(|set| Effect::Status {
                id,
                from: set.from,
                to: set.to,
            })
            .collect())
    }

    /// Puts the reviews of a profile before the judge, each once. Without a judge they wait for a
    /// person; where the judge cannot be reached for one, the rest is not tried.
    pub(crate) fn hear_reviews(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
    ) -> Result<StepResult, Error> {
        self.reclaim(profile.terms(&self.snapshot()?)?.lane)?;
        let snapshot = self.snapshot()?;
        let lane = profile.terms(&snapshot)?.lane;
        let mut waiting = 0_u64;
        for (ns, _) in spaces {
            waiting += number(review::reviews(&snapshot, *ns, lane, None, usize::MAX)?.len());
        }
        let mut counts = BTreeMap::new();
        if !self.advisers.has_judge() {
            counts.extend((waiting > 0).then(|| (WAITING.to_owned(), waiting)));
            return Ok(StepResult::Done(counts));
        }
        let mut put_off: Option<PutOff> = None;
        for left in (0..waiting).rev() {
            let claim = |txn: &mut Transaction<'_>| -> Result<_, Error> {
                if !self.profiles.is_current(&*txn, profile)? {
                    return Ok(None);
                }
                let terms = profile.terms(txn)?;
                Ok(review::claim_reviews(txn, &terms.regime(), self.now(), 1)?.pop())
            };
            let Some(review) = self.store.write(claim)?.0 else {
                break;
            };
            let ReviewResult { word, failed, away } = self.hear_review(profile, &review)?;
            *counts.entry(word.to_owned()).or_insert(0) += 1;
            put_off = put_off.or(failed);
            if away {
                counts.extend((left > 0).then(|| (WAITING.to_owned(), left)));
                break;
            }
        }
        Ok(StepResult::of(counts, put_off))
    }

    /// Puts one review before the judge.
    fn hear_review(
        &self,
        profile: &Arc<CompiledProfile>,
        review: &Review,
    ) -> Result<ReviewResult, Error> {
        let (ns, snapshot) = (review.namespace, self.snapshot()?);
        let profile = match self.spoken_in(&snapshot, ns, profile) {
            Err(error) if error.has_left() => return self.leave_review(review, &error),
            own => own?,
        };
        let name = annals_records::namespace::there(&snapshot, ns)?.name;
        let Some(judge) = self.advisers.judge(&profile, &self.closing) else {
            self.give_back(&review.task, self.now())?;
            return Ok(ReviewResult {
                word: WAITING,
                failed: None,
                away: true,
            });
        };
        let (profile, judge) = (&*profile, &*judge);
        let found = annals_records::memories(&snapshot, ns, &[review.row], None)?;
        let Some(memory) = found.into_iter().flatten().next() else {
            self.drop_work(&review.task)?;
            return Ok(ReviewResult::of("gone"));
        };
        let heard = self.hear(profile, judge, (review, &name), &memory);
        let failed = heard.as_ref().err().map(Error::logged);
        let away = heard.as_ref().is_err_and(Error::is_away);
        let (why, word, undecided) = match heard {
            Ok(Hearing {
                verdict: Some(verdict),
                reason,
                ..
            }) => {
                let said = GivenVerdict {
                    verdict,
                    reason,
                    decider: Decider::Judge,
                    by: judge.name(),
                };
                let decide = |cx: &mut WriteCx<'_, '_>| {
                    self.decide_in(cx, (review.row, memory.id), review.kind, &said)
                };
                return match self.write_under(ns, profile, self.now(), decide) {
                    Ok(Verdict::Promote) => Ok(ReviewResult::of("promoted")),
                    Ok(Verdict::Keep) => Ok(ReviewResult::of("kept")),
                    Ok(Verdict::Delete) => Ok(ReviewResult::of("deleted")),
                    // A person was faster.
                    Err(error) if error.is_no_review() => Ok(ReviewResult::of("decided elsewhere")),
                    Err(error) if error.has_left() => self.leave_review(review, &error),
                    Err(error) => Err(error),
                };
            }
            Ok(Hearing { rounds, reason, .. }) => {
                let rounds = if rounds == 1 {
                    "1 round".to_owned()
                } else {
                    format!("{rounds} rounds")
                };
                (format!("no verdict in {rounds}"), "undecided", Some(reason))
            }
            Err(error) => (profile.redacted(error.to_string()), "failed", None),
        };
        tracing::warn!(memory = %memory.id, failed, "a review is put off");
        let postpone = |txn: &mut Transaction<'_>| -> Result<Option<Timestamp>, Error> {
            match self.spoken_in(txn, review.namespace, profile) {
                Err(error) if error.has_left() => return Ok(None),
                own => drop(own?),
            }
            let terms = profile.terms(txn)?;
            let now = self.now();
            let again = match review::postpone(txn, &terms.regime(), review, now, &why) {
                Err(LifecycleError::ClaimLost { .. }) => return Ok(None),
                done => done?,
            };
            let Some(reason) = undecided.clone() else {
                return Ok(again);
            };
            let note = Decided {
                at: now,
                question: question(review.kind),
                memories: vec![memory.id],
                answer: "undecided".to_owned(),
                reason,
                by: judge.name(),
                effects: Vec::new(),
                undone_at: None,
                before: 0,
            };
            decisions::note_undecided(
                &mut WriteCx::new(txn, review.namespace, now, profile, &self.extensions),
                note,
            )?;
            Ok(again)
        };
        let (again, _) = self.store.write(postpone)?;
        let failed = failed.map(|_| PutOff { why, again });
        Ok(ReviewResult { word, failed, away })
    }

    /// Leaves a review whose namespace was deleted, with which it went, or was given another
    /// profile, under which it waits.
    fn leave_review(&self, review: &Review, error: &Error) -> Result<ReviewResult, Error> {
        if error.is_gone() {
            return Ok(ReviewResult::of("gone"));
        }
        self.give_back(&review.task, self.now())?;
        Ok(ReviewResult::of(LEFT))
    }

    /// Asks the judge, showing related memories and making the searches that it wants. Outside of
    /// any transaction.
    fn hear(
        &self,
        profile: &CompiledProfile,
        judge: &dyn Judge,
        (review, name): (&Review, &NamespaceName),
        memory: &Memory,
    ) -> Result<Hearing, Error> {
        let settings = &profile.settings.review;
        let view = self.view(review.namespace)?;
        let now = self.now();
        let retention = |row: Option<Row>| row.and_then(|row| view.worth.retention(row, now));
        let shown = |memory: &Memory, row: Option<Row>| Shown {
            id: memory.id,
            text: memory.body.text.clone(),
            time: memory.body.event_time.unwrap_or(memory.stored_at),
            retention: retention(row).unwrap_or_else(|| f64::from(memory.body.importance.get())),
        };
        let find = |words: &str, top_k: u32| -> Result<Vec<Shown>, Error> {
            let query = Query::new(words).top_k(top_k.clamp(1, annals_recall::MAX_TOP_K));
            let hits: Vec<Hit> = self
                .answer(review.namespace, name.as_str(), &query, &mut None)?
                .hits;
            let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.id).collect();
            let rows = annals_records::find_rows(&self.snapshot()?, review.namespace, &ids)?;
            Ok(hits
                .iter()
                .zip(rows)
                .map(|(hit, row)| shown(&hit.memory, row))
                .collect())
        };
        let text = &memory.body.text;
        let start = text.get(..text.floor_char_boundary(ASKED)).unwrap_or(text);
        // One more, because the memory finds itself.
        let related = find(start, settings.related.saturating_add(1))?;
        let mut failed = None;
        let mut search = |words: &str| {
            if words.trim().is_empty() {
                return Vec::new();
            }
            find(words, profile.settings.recall.top_k).unwrap_or_else(|error| {
                failed = Some(error);
                Vec::new()
            })
        };
        let limits = (settings.related, settings.max_rounds);
        let shown = shown(memory, Some(review.row));
        let hearing = review::hear(judge, (review.kind, &shown), related, limits, &mut search);
        match (failed, hearing) {
            (Some(error), _) => Err(error),
            (None, hearing) => hearing.map_err(|error| Error::judge(&error)),
        }
    }
}

/// The result of a review that was put before a judge.
struct ReviewResult {
    /// The word for it.
    word: &'static str,
    /// The judge gave no answer that counts.
    failed: Option<PutOff>,
    /// It could not be reached, whatever the question.
    away: bool,
}

impl ReviewResult {
    const fn of(word: &'static str) -> Self {
        Self {
            word,
            failed: None,
            away: false,
        }
    }
}

/// Takes back what a namespace waits for in a lane.
pub(crate) fn withdraw_all(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lane: annals_lifecycle::Lane,
) -> Result<(), Error> {
    for review in review::reviews(&*txn, ns, lane, None, usize::MAX)? {
        task::discard(txn, ns, review.task.number)?;
    }
    Ok(())
}

/// Lets the row that takes another one's place wait in its stead.
pub(crate) fn move_reviews(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &annals_lifecycle::Regime<'_>,
    now: Timestamp,
    (old, new): (Row, Row),
) -> Result<(), Error> {
    let before = old
        .0
        .checked_sub(1)
        .map(|row| (Row(row), ReviewKind::Promote));
    for review in review::reviews(&*txn, ns, regime.lane, before, 2)?
        .iter()
        .filter(|review| review.row == old)
    {
        task::discard(txn, ns, review.task.number)?;
        review::request(txn, ns, regime, (new, review.kind), review.score, now)?;
    }
    Ok(())
}
