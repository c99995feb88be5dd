//! Decisions of judges and people, and taking them back.

use annals::{Decision, MemoryId};
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::range::within;
use crate::texts::{found, text};
use crate::{card, visible};

/// Arguments of `annals review decisions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals review decisions
  annals review decisions --memory 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e

What a language model, another judge or a person decided about memories: whether
one may go or is kept for good, whether two say the same or contradict each
other, whether one is the cause of the other, and whether one is still true after
what was said in a conversation, whose turns are named then. The newest are kept, as many as
the profile says (review.decisions); one goes with the memories that it names.
What was deleted for good cannot be taken back; with review.delete_after_days a
profile only forgets such a memory for so many days first.")]
pub(crate) struct Args {
    /// Only those about this memory
    #[arg(long, value_name = "ID")]
    memory: Option<MemoryId>,
    /// At most so many, the newest
    #[arg(long, default_value_t = 20, value_parser = within::<u32>(1..=i64::MAX))]
    limit: u32,
}

/// Arguments of `annals review undo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals review undo 12

`annals review decisions` shows the numbers.")]
pub(crate) struct UndoArgs {
    /// Its number
    number: u64,
}

/// Prints the newest decisions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let decisions = app
        .plain_namespace()?
        .decisions()
        .list(args.memory, limit)?;
    if app.json {
        return app.answer_json(&json!({ "decisions": decisions }));
    }
    if decisions.is_empty() {
        return app.say(&text!("review-nothing-decided"));
    }
    let text: Vec<String> = decisions.iter().map(shown).collect();
    app.print(&text.join("\n"))
}

/// One decision over several lines: the reason is prose.
fn shown(decision: &Decision) -> String {
    let question = decision.question.as_str();
    let question = found(&format!("review-question-{question}"), &[])
        .unwrap_or_else(|| question.replace('_', " "));
    let undone = decision.undone_at.map_or_else(String::new, |at| {
        text!("review-taken-back", at = card::minute(at))
    });
    let by = visible::line(&decision.by);
    let mut text = text!(
        "review-decision",
        number = decision.number,
        at = card::minute(decision.at),
        question,
        answer = decision.answer,
        by,
        undone
    ) + "\n";
    for id in &decision.memories {
        text.push_str(&(text!("review-decision-memory", id) + "\n"));
    }
    if !decision.reason.is_empty() {
        text.push_str(
            &(text!(
                "review-decision-reason",
                reason = visible::line(&decision.reason)
            ) + "\n"),
        );
    }
    for change in &decision.changes {
        text.push_str(&(text!("review-decision-did", change = visible::line(change)) + "\n"));
    }
    text
}

/// Takes a decision back.
pub(crate) fn undo(args: &UndoArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let number = args.number;
    // With the embedder: what comes back may have to be stored.
    let decision = app.namespace(Access::Existing)?.decisions().undo(number)?;
    if app.json {
        return app.answer_json(&json!({ "decision": decision }));
    }
    app.say(&text!("review-undone", number))
}
