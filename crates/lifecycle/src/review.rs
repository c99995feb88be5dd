//! Reviews: memories that wait for a judge or a person to say what becomes of them.

use annals_storage::{Reads, Transaction};
use annals_types::profile::{QueueSettings, ReviewKind};
use annals_types::{
    Judge, JudgeError, Judgement, MemoryId, NamespaceId, ReviewCase, Row, Shown, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::change::change;
use crate::delta::Delta;
use crate::task::{self, Task};
use crate::wire::{Broken, Put, Take};
use crate::{Action, Lane, LifecycleError, Regime, State};

/// A memory that waits for a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Its namespace.
    pub namespace: NamespaceId,
    /// Its row.
    pub row: Row,
    /// The question of the review.
    pub kind: ReviewKind,
    /// Its score when the review was asked for.
    pub score: f64,
    /// The task that carries it: claimed, failed, attempts so far, what the last one said.
    pub task: Task,
}

/// The verdict on a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It is kept for good.
    Promote,
    /// It stays.
    Keep,
    /// It goes.
    Delete,
}

/// The source of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    /// A judge. When it was asked whether a memory may go, it was not asked whether it is kept for
    /// good: a promotion is taken for a "keep" then.
    Judge,
    /// A person, who means what is said, whatever was asked: a promotion is one.
    Person,
}

impl Decider {
    /// The meaning of a verdict on a review of a kind.
    const fn meaning(self, verdict: Verdict, kind: ReviewKind) -> Verdict {
        match (self, verdict, kind) {
            (Self::Judge, Verdict::Promote, ReviewKind::Decay) => Verdict::Keep,
            _ => verdict,
        }
    }
}

/// The effect of a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// An action that the caller has to take or to know.
    pub action: Option<Action>,
    /// Its score when it was decided.
    pub score: f64,
    /// The changes in memory.
    pub delta: Delta,
}

fn unique(row: Row, kind: ReviewKind) -> [u8; 5] {
    let [a, b, c, d] = row.0.to_be_bytes();
    [a, b, c, d, u8::from(kind == ReviewKind::Promote)]
}

impl Review {
    fn of(task: Task) -> Result<Self, LifecycleError> {
        let broken = |what| task.damaged(what);
        let (row, kind) = task
            .key
            .split_first_chunk::<4>()
            .ok_or_else(|| broken("the key is short"))?;
        let kind = match kind {
            [0] => ReviewKind::Decay,
            [1] => ReviewKind::Promote,
            _ => return Err(broken("a review has an unknown kind")),
        };
        let row = Row(u32::from_be_bytes(*row));
        let mut take = Take::new(&task.payload);
        let score = f64::from_le_bytes(take.array().map_err(|Broken(what)| broken(what))?);
        take.end().map_err(|Broken(what)| broken(what))?;
        Ok(Self {
            namespace: task.namespace,
            row,
            kind,
            score,
            task,
        })
    }
}

/// Asks for a review; does nothing when it was asked for already.
///
/// # Errors
/// When it cannot be written.
pub fn request(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    (row, kind): (Row, ReviewKind),
    score: f64,
    now: Timestamp,
) -> Result<(), LifecycleError> {
    enqueue(txn, ns, regime, (row, kind), score, now, now)
}

/// The same after a verdict was taken back: a judge is asked again when the retry time has passed,
/// a person may decide before.
///
/// # Errors
/// When it cannot be written.
pub fn request_again(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    (row, kind): (Row, ReviewKind),
    score: f64,
    now: Timestamp,
) -> Result<(), LifecycleError> {
    let later = now.plus_millis(crate::policy::millis(
        regime.policy.review.retry_hours,
        HOUR,
    ));
    enqueue(txn, ns, regime, (row, kind), score, now, later)
}

/// Milliseconds in an hour.
const HOUR: i64 = 3_600_000;

fn enqueue(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    (row, kind): (Row, ReviewKind),
    score: f64,
    now: Timestamp,
    at: Timestamp,
) -> Result<(), LifecycleError> {
    let mut put = Put::with_capacity(8);
    put.raw(&score.to_le_bytes());
    task::enqueue(
        txn,
        ns,
        regime.lane,
        &unique(row, kind),
        &put.finish(),
        now,
        at,
    )
    .map(drop)
}

/// Takes a review back because the question is settled; does nothing when none was asked for.
///
/// # Errors
/// When it cannot be written.
pub fn settle(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lane: Lane,
    (row, kind): (Row, ReviewKind),
) -> Result<(), LifecycleError> {
    match task::find(&*txn, ns, lane, &unique(row, kind))? {
        Some(task) => task::discard(txn, ns, task.number),
        None => Ok(()),
    }
}

/// Takes back the reviews of rows.
pub(crate) fn withdraw(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lane: Lane,
    rows: &[Row],
) -> Result<(), LifecycleError> {
    let kinds = [ReviewKind::Decay, ReviewKind::Promote];
    let keys: Vec<[u8; 5]> = rows
        .iter()
        .flat_map(|row| kinds.map(|kind| unique(*row, kind)))
        .collect();
    for task in task::find_many(&*txn, ns, lane, &keys)? {
        task::discard(txn, ns, task.number)?;
    }
    Ok(())
}

/// The reviews of a namespace, in the order of rows, after that of row and kind `after`; at most
/// `limit`.
///
/// # Errors
/// When they cannot be read.
pub fn reviews(
    reads: &dyn Reads,
    ns: NamespaceId,
    lane: Lane,
    after: Option<(Row, ReviewKind)>,
    limit: usize,
) -> Result<Vec<Review>, LifecycleError> {
    let after = after.map(|(row, kind)| unique(row, kind));
    let found = task::by_key(
        reads,
        ns,
        lane,
        after.as_ref().map(<[u8; 5]>::as_slice),
        limit,
    )?;
    found.into_iter().map(Review::of).collect()
}

/// The review settings as those of a queue: tried again after the retry time, without end.
fn queue(regime: &Regime<'_>) -> QueueSettings {
    let minutes = regime.policy.review.retry_hours * 60.0;
    QueueSettings {
        attempts: 0,
        backoff_minutes: vec![minutes],
        ..regime.policy.queue.clone()
    }
}

/// Claims up to `limit` reviews of a lane for a judge. Without a judge they are not claimed, and
/// wait for a person.
///
/// # Errors
/// When it cannot be read or written.
pub fn claim_reviews(
    txn: &mut Transaction<'_>,
    regime: &Regime<'_>,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Review>, LifecycleError> {
    let claimed = task::claim(txn, regime.lane, &queue(regime), now, limit)?;
    claimed.into_iter().map(Review::of).collect()
}

/// Puts a claimed review off because there was no verdict; the memory stays as it is. Answers when
/// a judge is asked again.
///
/// # Errors
/// [`LifecycleError::ClaimLost`] when someone else has it or decided it.
pub fn postpone(
    txn: &mut Transaction<'_>,
    regime: &Regime<'_>,
    review: &Review,
    now: Timestamp,
    why: &str,
) -> Result<Option<Timestamp>, LifecycleError> {
    Ok(task::fail(txn, &review.task, &queue(regime), now, now, why)?.waits_until())
}

/// Carries a verdict out: changes the state and takes the review away. Actions on the memory
/// itself are for the caller.
///
/// # Errors
/// [`LifecycleError::NoReview`] when the memory is not up for review,
/// [`LifecycleError::NotRegistered`] when it has no state.
pub fn decide(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    (row, kind): (Row, ReviewKind),
    (verdict, decider): (Verdict, Decider),
    now: Timestamp,
) -> Result<Decided, LifecycleError> {
    let verdict = decider.meaning(verdict, kind);
    let found = task::find(&*txn, ns, regime.lane, &unique(row, kind))?;
    let task = found.ok_or(LifecycleError::NoReview { row })?;
    task::discard(txn, ns, task.number)?;
    let mut score = Review::of(task)?.score;
    let review = &regime.policy.review;
    let mut action = None;
    let done = change(txn, ns, regime, now, &[row], |_, state| {
        score = regime
            .policy
            .score(&state.anchor(regime.policy), regime.passes, now);
        if verdict == Verdict::Delete && may_go(regime, state) {
            action = Some(Action::Delete);
            return;
        }
        // A memory that stays begins anew. A new score is the state's own business; the caller has
        // nothing to do about it.
        if let (ReviewKind::Decay, Some(reset)) = (kind, review.keep_reset) {
            regime.policy.set_score(state, regime.passes, reset, now);
        }
        let class = review
            .promoted_class
            .as_ref()
            .filter(|_| verdict == Verdict::Promote);
        action = class.map(|class| promote(regime, state, class, now));
    })?;
    Ok(Decided {
        action,
        score,
        delta: done.delta,
    })
}

fn may_go(regime: &Regime<'_>, state: &State) -> bool {
    let anchor = state.anchor(regime.policy);
    !regime.policy.is_protected(&anchor) && !regime.policy.class(anchor.class).undeletable
}

fn promote(regime: &Regime<'_>, state: &mut State, class: &str, now: Timestamp) -> Action {
    let from = state.class.clone();
    regime.policy.set_class(state, regime.passes, class, now);
    Action::SetClass {
        from,
        to: class.to_owned(),
        expires_at: state.expires_at,
    }
}

/// The outcome of asking a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hearing {
    /// The verdict; `None` when there was none within the rounds.
    pub verdict: Option<Verdict>,
    /// Rounds that it took.
    pub rounds: u32,
    /// The searches that the judge made.
    pub searches: Vec<String>,
    /// Why, as the judge said in its last round; empty when it gave no reason.
    pub reason: String,
}

/// Asks a judge, up to `max_rounds` times, making the searches that it wants: the pure part of a
/// review, outside any transaction. At most `related_limit` related memories are shown at first; a
/// memory is never shown as related to itself.
///
/// # Errors
/// The error of the judge; the review is then to be put off.
pub fn hear(
    judge: &dyn Judge,
    (kind, memory): (ReviewKind, &Shown),
    related: Vec<Shown>,
    (related_limit, max_rounds): (u32, u32),
    search: &mut dyn FnMut(&str) -> Vec<Shown>,
) -> Result<Hearing, JudgeError> {
    let other = |shown: &Shown| shown.id != memory.id;
    let limit = usize::try_from(related_limit).unwrap_or(usize::MAX);
    let mut shown: Vec<Shown> = related.into_iter().filter(other).take(limit).collect();
    let mut hearing = Hearing {
        verdict: None,
        rounds: 0,
        searches: Vec::new(),
        reason: String::new(),
    };
    while hearing.rounds < max_rounds {
        hearing.rounds += 1;
        let last = hearing.rounds == max_rounds;
        let case = ReviewCase {
            kind,
            memory,
            related: &shown,
            round: hearing.rounds,
            last,
        };
        let said = judge.review(&case)?;
        hearing.reason = said.reason;
        hearing.verdict = match said.answer {
            Judgement::Promote => Some(Verdict::Promote),
            Judgement::Keep => Some(Verdict::Keep),
            Judgement::Delete => Some(Verdict::Delete),
            Judgement::Undecided => break,
            Judgement::Search(words) => {
                if !last {
                    let known: Vec<MemoryId> = shown.iter().map(|shown| shown.id).collect();
                    shown.extend(
                        search(&words)
                            .into_iter()
                            .filter(other)
                            .filter(|hit| !known.contains(&hit.id)),
                    );
                }
                hearing.searches.push(words);
                None
            }
        };
        if hearing.verdict.is_some() {
            break;
        }
    }
    Ok(hearing)
}
