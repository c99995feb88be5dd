mod decisions;

use std::collections::BTreeMap;

use annals::profile::ReviewKind;
use annals::{MemoryId, PendingReview, Timestamp, Verdict};
use serde_json::json;

use crate::app::App;
use crate::card;
use crate::failure::{Exit, Failure};
use crate::limit::Limit;
use crate::table::Table;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals review`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals review list
  annals review keep 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals review delete 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals review proposals
  annals review contradictions
  annals review contradicts 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e \\
    0197f5c2-6b00-7c3e-9f00-3f2a1b4c5d6e
  annals review accept 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals review decisions

Memories wait here when their profile wants a verdict before they go, or before
they are kept for good. Proposals are what was found in conversations under a
profile that stores nothing by itself (extract.auto = false), and deletions of what
a person told or what is kept for good; `annals review undo` takes a rejection
back. Contradictions are pairs of memories that are much alike and say something else;
the job that looks for them settles by itself what it is sure of.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists memories that wait for a verdict
    List(Limit),
    /// Lists memories that matter much and are not sure
    Doubtful(Limit),
    /// Lists memories found in conversations that wait to be accepted
    Proposals(Limit),
    /// Lists pairs of memories that may contradict each other, the most similar first
    Contradictions(Limit),
    /// Says that a memory contradicts an older one: the profile says what becomes of them
    Contradicts(Pair),
    /// Says that both of a pair may be true
    Compatible(Pair),
    /// Does what a proposal says
    Accept {
        /// The proposal
        id: MemoryId,
    },
    /// Drops a proposal
    Reject {
        /// The proposal
        id: MemoryId,
    },
    /// Lets a memory stay
    Keep {
        /// The memory
        id: MemoryId,
    },
    /// Deletes a memory for good
    Delete {
        /// The memory
        id: MemoryId,
    },
    /// Keeps a memory for good, whatever its review asks; its profile needs a kind that is kept for
    /// good
    Promote {
        /// The memory
        id: MemoryId,
    },
    /// Shows what was decided about memories and why
    Decisions(decisions::Args),
    /// Takes a decision back: what it changed is as it was before
    Undo(decisions::UndoArgs),
}

/// Two memories that may contradict each other.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Pair {
    /// The memory that is true from later on, the upper one of the pair
    newer: MemoryId,
    /// The other one
    older: MemoryId,
}

impl Args {
    /// Whether the action only reads.
    pub(crate) const fn only_reads(&self) -> bool {
        matches!(self.action, Action::Decisions(_))
    }
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::List(limit) => list(*limit, app),
        Action::Doubtful(limit) => doubtful(*limit, app),
        Action::Proposals(limit) => proposals(*limit, app),
        Action::Contradictions(limit) => contradictions(*limit, app),
        Action::Contradicts(pair) => settle(*pair, true, app),
        Action::Compatible(pair) => settle(*pair, false, app),
        Action::Accept { id } => accept(*id, app),
        Action::Reject { id } => reject(*id, app),
        Action::Keep { id } => decide(*id, Verdict::Keep, app),
        Action::Delete { id } => decide(*id, Verdict::Delete, app),
        Action::Promote { id } => decide(*id, Verdict::Promote, app),
        Action::Decisions(args) => decisions::run(args, app),
        Action::Undo(args) => decisions::undo(args, app),
    }
}

fn question(kind: ReviewKind) -> String {
    match kind {
        ReviewKind::Decay => text!("review-decay"),
        ReviewKind::Promote => text!("review-promote"),
    }
}

fn list(limit: Limit, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let reviews = namespace.reviews().pending(limit.most())?;
    let proposals = namespace.reviews().proposal_count()?;
    let pairs =
        u64::try_from(namespace.reviews().suspicions(usize::MAX)?.len()).unwrap_or(u64::MAX);
    drop(namespace);
    if app.json {
        return app.answer_json(
            &json!({ "reviews": reviews, "proposals": proposals, "contradictions": pairs }),
        );
    }
    if proposals > 0 {
        let count = text!("common-proposals-wait", count = proposals);
        app.note(&text!("review-see-proposals", count))?;
    }
    if pairs > 0 {
        let count = text!("common-pairs", count = pairs);
        app.note(&text!("review-see-pairs", count))?;
    }
    if reviews.is_empty() {
        return app.say(&text!("review-none"));
    }
    let mut table = Table::new(&["id", "question", ">score", "~text"]);
    for review in &reviews {
        table.row(vec![
            review.id.to_string(),
            question(review.kind),
            format!("{:.3}", review.score),
            visible::line(&review.text).into_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)?;
    unanswered(&reviews, app)
}

/// Why a judge gave no verdict, each reason once, and when it is asked again.
fn unanswered(reviews: &[PendingReview], app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mut reasons: BTreeMap<&str, (usize, Option<Timestamp>)> = BTreeMap::new();
    for review in reviews
        .iter()
        .filter(|review| !review.last_error.is_empty())
    {
        let (count, next) = reasons.entry(&review.last_error).or_default();
        *count += 1;
        *next = next.iter().copied().chain(review.retry_at).min();
    }
    for (reason, (count, next)) in reasons {
        let memories = text!("common-memories", count = count);
        let next = next
            .map(|at| text!("review-next-attempt", at = card::minute(at)))
            .unwrap_or_default();
        app.note(&text!(
            "review-no-verdict",
            memories,
            reason = visible::line(reason),
            next
        ))?;
    }
    Ok(())
}

fn contradictions(limit: Limit, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let pairs = app.plain_namespace()?.reviews().suspicions(limit.most())?;
    if app.json {
        return app.answer_json(&json!({ "contradictions": pairs }));
    }
    if pairs.is_empty() {
        return app.say(&text!("review-no-pairs"));
    }
    for pair in &pairs {
        app.say(&format!(
            "{:.3}  {}  {}",
            pair.similarity,
            pair.newer,
            visible::line(&pair.newer_text)
        ))?;
        app.say(&format!(
            "       {}  {}",
            pair.older,
            visible::line(&pair.older_text)
        ))?;
    }
    app.note(&text!("review-settle"))
}

fn settle(
    Pair { newer, older }: Pair,
    contradicts: bool,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    // A memory that gets another text is embedded.
    app.namespace_of(&[newer])?
        .reviews()
        .settle(newer, older, contradicts)?;
    if app.json {
        return app
            .answer_json(&json!({ "newer": newer, "older": older, "contradicts": contradicts }));
    }
    app.say(&match contradicts {
        true => text!("review-contradicts", newer, older),
        false => text!("review-compatible", newer, older),
    })
}

fn proposals(limit: Limit, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let proposals = app.plain_namespace()?.reviews().proposals(limit.most())?;
    if app.json {
        return app.answer_json(&json!({ "proposals": proposals }));
    }
    if proposals.is_empty() {
        return app.say(&text!("review-no-proposals"));
    }
    let mut table = Table::new(&["id", "does", "kind", "~text"]);
    for proposal in &proposals {
        table.row(vec![
            proposal.id.to_string(),
            proposal.action.as_str().to_owned(),
            visible::line(proposal.kind.as_deref().unwrap_or_default()).into_owned(),
            visible::line(&proposal.text).into_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

fn accept(id: MemoryId, app: &mut App<'_, '_>) -> Result<(), Failure> {
    // With the embedder: what is accepted is stored.
    let memory = app.namespace_of(&[id])?.reviews().accept(id)?;
    if app.json {
        return app.answer_json(&json!({ "id": id, "memory": memory }));
    }
    app.say(&memory.map_or_else(
        || text!("review-accepted", id),
        |memory| text!("review-remembered", memory),
    ))
}

fn reject(id: MemoryId, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.plain_namespace_of(&[id])?.reviews().reject(id)?;
    if app.json {
        return app.answer_json(&json!({ "id": id }));
    }
    app.say(&text!("review-rejected", id))
}

fn doubtful(limit: Limit, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let memories = app.plain_namespace()?.reviews().doubtful(limit.most())?;
    if app.json {
        return app.answer_json(&json!({ "doubtful": memories }));
    }
    if memories.is_empty() {
        return app.say(&text!("review-no-doubt"));
    }
    let mut table = Table::new(&["id", ">importance", ">confidence", "~text"]);
    for memory in &memories {
        table.row(vec![
            memory.id.to_string(),
            format!("{:.2}", memory.body.importance.get()),
            format!("{:.2}", memory.body.confidence.get()),
            visible::line(&memory.body.text).into_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

/// A memory that waits for both verdicts gets the one about its going first, unless it is to be
/// promoted.
fn decide(id: MemoryId, verdict: Verdict, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(&[id])?;
    let kinds: Vec<ReviewKind> = namespace
        .reviews()
        .pending(usize::MAX)?
        .iter()
        .filter(|review| review.id == id)
        .map(|review| review.kind)
        .collect();
    let wanted = if verdict == Verdict::Promote {
        ReviewKind::Promote
    } else {
        ReviewKind::Decay
    };
    let Some(kind) = kinds.iter().find(|kind| **kind == wanted).or(kinds.first()) else {
        return Err(Failure::new(Exit::NotFound, text!("review-no-wait", id))
            .advice(text!("review-no-wait-advice")));
    };
    let done = match namespace.reviews().decide(id, *kind, verdict)? {
        Verdict::Promote => "promoted",
        Verdict::Keep => "kept",
        Verdict::Delete => "deleted",
    };
    if app.json {
        return app.answer_json(&json!({ "id": id, "kind": kind, "done": done }));
    }
    app.say(&match done {
        "promoted" => text!("review-promoted", id),
        "kept" => text!("review-kept", id),
        _ => text!("review-deleted", id),
    })
}
