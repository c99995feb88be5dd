//! Changes by callers, kept beside the decisions of judges so that they can be taken back.

use std::collections::BTreeSet;

use annals_records::{StatusSet, Updated};
use annals_types::{Label, Memory, MemoryId, Row, Status};

use crate::WriteCx;
use crate::decisions::{self, CALLER, Decided};
use crate::effect::{Effect, Worth};
use crate::{DecisionQuestion, Error, Refusal};

/// The most memories whose statuses one change can give back.
const MANY: usize = 1000;

/// The words for what a caller did.
pub(crate) const EDIT: &str = "edit";
pub(crate) const FORGET: &str = "forget";
pub(crate) const ARCHIVE: &str = "archive";
pub(crate) const RESTORE: &str = "restore";
pub(crate) const ADJUST: &str = "adjust";
pub(crate) const LINK: &str = "link";
pub const UNLINK: &str = "unlink";
pub(crate) const DELETE: &str = "delete";
pub(crate) const TELL: &str = "tell";
pub(crate) const SYNC: &str = "sync";

/// Keeps a caller's change, with all that is needed to change it back. Without effects it keeps
/// that something was changed for good.
pub fn note(
    cx: &mut WriteCx<'_, '_>,
    answer: &str,
    (memories, effects): (Vec<MemoryId>, Vec<Effect>),
) -> Result<(), Error> {
    let (question, by) = (DecisionQuestion::Changed, CALLER.to_owned());
    let (memories, effects) = if effects.len() > MANY {
        (Vec::new(), Vec::new())
    } else {
        (memories, effects)
    };
    let (answer, reason) = (answer.to_owned(), String::new());
    let decided = Decided {
        at: cx.now,
        question,
        memories,
        answer,
        reason,
        by,
        effects,
        undone_at: None,
        before: 0,
    };
    decisions::note(cx, decided)
}

/// Why a change without effects is not taken back.
pub(crate) fn why_for_good(answer: &str) -> Refusal {
    match answer {
        DELETE => Refusal::DeletedForGood {},
        UNLINK => Refusal::LinkTakenAway {},
        other => Refusal::ChangedTooMany {
            change: other.to_owned(),
            limit: MANY,
        },
    }
}

/// The word for a new status.
const fn word(status: Status) -> &'static str {
    match status {
        Status::Forgotten => FORGET,
        Status::Archived => ARCHIVE,
        _ => RESTORE,
    }
}

/// The worth of memories before they got another status.
pub(crate) type Before = Vec<(MemoryId, Option<Worth>)>;

/// The worth of memories.
pub fn worth(cx: &WriteCx<'_, '_>, ids: &[MemoryId]) -> Result<Before, Error> {
    // More of them are not kept.
    let ids: BTreeSet<MemoryId> = ids.iter().take(MANY).copied().collect();
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let rows = annals_records::find_rows(cx.txn, cx.ns, &ids)?;
    let of = |(id, row): (&MemoryId, Option<Row>)| -> Result<_, Error> {
        Ok((
            *id,
            row.map(|row| Worth::now(cx.txn, cx.ns, row))
                .transpose()?
                .flatten(),
        ))
    };
    ids.iter().zip(rows).map(of).collect()
}

/// Keeps that memories got another status, and what that did to their worth.
pub(crate) fn note_status(
    cx: &mut WriteCx<'_, '_>,
    (set, before): (&[StatusSet], Before),
) -> Result<(), Error> {
    let Some(first) = set.iter().find(|set| set.from != set.to) else {
        return Ok(());
    };
    let mut effects = status_effects(set);
    effects.extend(lived(cx, before)?);
    let memories: BTreeSet<MemoryId> = effects.iter().flat_map(Effect::memories).collect();
    note(
        cx,
        word(first.to),
        (memories.into_iter().collect(), effects),
    )
}

/// Keeps that memories are worth something else.
pub(crate) fn note_worth(cx: &mut WriteCx<'_, '_>, before: Before) -> Result<(), Error> {
    let ids = before.iter().map(|(id, _)| *id).collect();
    let effects = lived(cx, before)?;
    if effects.is_empty() {
        Ok(())
    } else {
        note(cx, ADJUST, (ids, effects))
    }
}

/// Keeps what a person changed in a file.
pub fn note_sync(
    cx: &mut WriteCx<'_, '_>,
    (before, mut effects): (Before, Vec<Effect>),
) -> Result<(), Error> {
    effects.extend(lived(cx, before)?);
    let memories: BTreeSet<MemoryId> = effects.iter().flat_map(Effect::memories).collect();
    if effects.is_empty() {
        Ok(())
    } else {
        note(cx, SYNC, (memories.into_iter().collect(), effects))
    }
}

/// The changes of the worth of memories.
fn lived(cx: &WriteCx<'_, '_>, before: Before) -> Result<Vec<Effect>, Error> {
    let ids: Vec<MemoryId> = before.iter().map(|(id, _)| *id).collect();
    let rows = annals_records::find_rows(cx.txn, cx.ns, &ids)?;
    let mut effects = Vec::new();
    for ((id, worth), row) in before.into_iter().zip(rows) {
        if let Some(row) = row {
            effects.extend(Worth::changed(cx.txn, cx.ns, (id, row), worth)?);
        }
    }
    Ok(effects)
}

/// Keeps that memories were deleted for good, which cannot be taken back; not which.
pub(crate) fn note_deletion(cx: &mut WriteCx<'_, '_>) -> Result<(), Error> {
    note(cx, DELETE, (Vec::new(), Vec::new()))
}

/// Keeps that memories were linked.
pub fn note_links(
    cx: &mut WriteCx<'_, '_>,
    made: &[(MemoryId, &str, MemoryId)],
) -> Result<(), Error> {
    if made.is_empty() {
        return Ok(());
    }
    let effect = |(from, relation, to): &(MemoryId, &str, MemoryId)| -> Result<Effect, Error> {
        Ok(Effect::Linked {
            from: *from,
            relation: Label::new("relation", *relation)?,
            to: *to,
        })
    };
    let effects = made.iter().map(effect).collect::<Result<_, _>>()?;
    let memories = made.iter().flat_map(|(from, _, to)| [*from, *to]).collect();
    note(cx, LINK, (memories, effects))
}

/// Statuses that memories got, to be taken back.
pub fn status_effects(set: &[StatusSet]) -> Vec<Effect> {
    let changed = set.iter().filter(|set| set.from != set.to);
    changed
        .map(|set| Effect::Status {
            id: set.id,
            from: set.from,
            to: set.to,
        })
        .collect()
}

/// The effects of an edit.
pub fn edited(
    cx: &WriteCx<'_, '_>,
    (before, worth): (&Memory, Option<Worth>),
    (updated, said): (&Updated, bool),
) -> Result<Vec<Effect>, Error> {
    let (id, by) = (before.id, updated.id);
    let edited = Effect::Edited {
        id,
        from: before.revision,
        by,
        to: updated.revision,
        said,
    };
    let lived = Worth::changed(cx.txn, cx.ns, (by, updated.row), worth)?;
    Ok([edited].into_iter().chain(lived).collect())
}
