//! Memories that a conversation brought.

use annals::blocking::Namespace;
use annals::{Decision, DecisionQuestion, Filter, Layer, ListQuery, StoredMemory, Timestamp};

use crate::app::App;
use crate::failure::Failure;
use crate::texts::text;
use crate::{card, visible};

/// The outcome of an extraction.
pub(crate) struct Learnt {
    /// Memories that are new or say something new.
    pub(crate) found: Vec<StoredMemory>,
    /// Memories that are true no longer.
    pub(crate) ended: Vec<StoredMemory>,
    /// How many memories that were known went, and how many were changed otherwise.
    pub(crate) deleted: u64,
    pub(crate) changed: u64,
}

impl Learnt {
    /// The changes since a moment.
    pub(crate) fn since(namespace: &Namespace, since: Timestamp) -> Result<Self, Failure> {
        let decisions = namespace.decisions().list(None, DECISIONS)?;
        let of_it = decisions.iter().take_while(|decision| decision.at >= since);
        let said = of_it.filter(|decision| {
            decision.question == DecisionQuestion::StillTrue && decision.by != PERSON
        });
        let (deleted, others): (Vec<_>, Vec<_>) =
            said.partition(|decision| decision.answer == "delete");
        let contradicted = |memory: &StoredMemory| {
            let said = |decision: &&Decision| decision.memories.first() == Some(&memory.id);
            memory.body.valid_until.is_some()
                && others
                    .iter()
                    .any(|decision| decision.answer == "contradict" && said(decision))
        };
        let (ended, found): (Vec<_>, Vec<_>) = found_since(namespace, since)?
            .into_iter()
            .partition(contradicted);
        let ends = |decision: &&&Decision| {
            ended
                .iter()
                .any(|memory| decision.memories.first() == Some(&memory.id))
        };
        let changed = card::number(others.iter().filter(|decision| !ends(decision)).count());
        Ok(Self {
            found,
            ended,
            deleted: card::number(deleted.len()),
            changed,
        })
    }

    /// A line for each memory that was found, and for each that ended.
    pub(crate) fn tell(&self, app: &mut App<'_, '_>) -> Result<(), Failure> {
        for memory in &self.found {
            tell(memory, app)?;
        }
        if !self.ended.is_empty() {
            app.say(&text!(
                "chat-ended",
                ended = text!("common-memories", count = self.ended.len())
            ))?;
        }
        self.ended.iter().try_for_each(|memory| tell(memory, app))
    }
}

/// So many decisions are looked at for what was done.
const DECISIONS: usize = 10_000;
/// How a person is named in decisions.
const PERSON: &str = "a person";

/// Reports changes of known memories, omissions from a model's answers since a moment, and
/// proposals that wait for a person.
pub(crate) fn told_besides(
    namespace: &Namespace,
    learnt: &Learnt,
    since: Timestamp,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let (deleted, changed, ended) = (
        learnt.deleted,
        learnt.changed,
        card::number(learnt.ended.len()),
    );
    if deleted + changed + ended > 0 {
        let undo = &text!("chat-learnt-undo");
        app.note(&text!("chat-learnt", deleted, changed, ended, undo))?;
    }
    for remark in namespace
        .queue()
        .remarks(REMARKS)?
        .iter()
        .filter(|remark| remark.at >= since)
    {
        for why in &remark.left_out {
            app.note(&text!("chat-left-out", why = visible::line(why)))?;
        }
    }
    let waiting = namespace.reviews().proposal_count()?;
    if waiting > 0 {
        let count = text!("common-proposals-wait", count = waiting);
        app.note(&text!("chat-for-you", count))?;
    }
    Ok(())
}

/// So many answers are looked at for what was left out of them.
const REMARKS: usize = 100;

/// Memories since a moment that are no turns, oldest first.
fn found_since(namespace: &Namespace, since: Timestamp) -> Result<Vec<StoredMemory>, Failure> {
    let layers = Layer::ALL
        .iter()
        .copied()
        .filter(|layer| *layer != Layer::Turn)
        .collect();
    let mut query = ListQuery {
        filter: Filter {
            layers,
            ..Filter::default()
        },
        limit: 200,
        ..ListQuery::default()
    };
    let mut found: Vec<StoredMemory> = Vec::new();
    loop {
        let page = namespace.list(&query)?;
        let before = found.len();
        found.extend(
            page.memories
                .into_iter()
                .filter(|memory| memory.stored_at >= since),
        );
        // The newest come first: behind a page without any there are none.
        query.after = page.next.filter(|_| found.len() > before);
        if query.after.is_none() {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

/// One line for a memory.
fn tell(memory: &StoredMemory, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = visible::line(&memory.body.text).into_owned();
    app.say(&format!(
        "  {}: {text}",
        visible::line(memory.body.kind.as_str())
    ))
}
