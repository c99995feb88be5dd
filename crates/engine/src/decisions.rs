//! Decisions of judges, persons and extractors about memories: kept with their reasons, so that
//! they can be read and taken back.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::table::{Mark, Value, scan_rows};
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, Table, Transaction};
use annals_types::{MemoryId, NamespaceId, Rewrite, Timestamp};
use serde::{Deserialize, Serialize};

use crate::effect::Effect;
use crate::extension::Extensions;
use crate::json::Json;
use crate::{Decision, DecisionQuestion, Error};
use crate::{Kept, WriteCx};

/// Decisions, by their numbers.
pub(crate) const DECISIONS: Table<(NamespaceId, u64), Json<Decided, 3>> =
    Table::new("annals.decisions");
/// The next free number of a namespace, beside the decisions.
pub(crate) const NEXT_DECISION: Table<NamespaceId, Number> = Table::new("annals.decisions");
/// The decisions that are about a memory, or hold a text that was derived from it.
pub(crate) const DECIDED: Table<(NamespaceId, MemoryId, u64), Mark<2>> =
    Table::new("annals.decided");
/// Numbers of another file from here on are not kept: behind the last one none could be given.
const FAR: u64 = 1 << 62;
/// The answers to a question that has two.
pub(crate) const YES: &str = "yes";
pub const NO: &str = "no";
/// How a person is named.
pub const PERSON: &str = "a person";
/// How the rules of a profile are named, where nobody was asked.
pub(crate) const PROFILE: &str = "the profile";
/// How whoever calls a method that changes memories is named.
pub(crate) const CALLER: &str = "the caller";

/// A decision as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    pub at: Timestamp,
    pub question: DecisionQuestion,
    pub memories: Vec<MemoryId>,
    pub answer: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    pub by: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_at: Option<Timestamp>,
    /// The number of the first event of the namespace after it; 0 where it was made in another
    /// file.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub before: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_unknown(event: &u64) -> bool {
    *event == 0
}

impl Decided {
    /// All memories that it names, each once.
    pub(crate) fn named(&self) -> Vec<MemoryId> {
        let mut named = self.memories.clone();
        named.extend(self.effects.iter().flat_map(Effect::memories));
        named.sort_unstable();
        named.dedup();
        named
    }

    /// All memories with which it, or a text in it, goes.
    fn indexed(&self) -> Vec<MemoryId> {
        let mut ids = self.named();
        ids.extend(self.effects.iter().flat_map(Effect::sources));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Goes through all texts that it holds.
    pub fn rewrite(&mut self, extensions: &Extensions, rewrite: Rewrite<'_>) {
        if let Some(reason) = rewrite(&self.reason) {
            self.reason = reason;
        }
        for effect in &mut self.effects {
            match effect {
                Effect::Absorbed { body, .. } => body.rewrite(rewrite),
                Effect::Extension { name, payload, .. } => {
                    extensions.rewrite(name, payload, rewrite)
                }
                _ => {}
            }
        }
    }

    /// As it is shown.
    pub fn shown(self, number: u64) -> Decision {
        // The stored score is from the day of its last change; a review knows what it had come to.
        let worth = self.effects.iter().find_map(Effect::worth);
        Decision {
            number,
            changes: self
                .effects
                .iter()
                .filter_map(|effect| effect.words(worth))
                .collect(),
            can_be_undone: self.undone_at.is_none() && self.can_be_undone(),
            at: self.at,
            question: self.question,
            memories: self.memories,
            answer: self.answer,
            reason: self.reason,
            by: self.by,
            undone_at: self.undone_at,
        }
    }

    /// Whether it tells of what a caller changed, where nothing was asked.
    pub fn is_change(&self) -> bool {
        self.question == DecisionQuestion::Changed
    }

    /// Whether a caller or a person changed something by it that was not taken back.
    pub(crate) fn stands_for_callers(&self) -> bool {
        self.undone_at.is_none()
            && (self.is_change() || (self.by == PERSON && !self.effects.is_empty()))
    }

    /// Whether what a caller told was judged to be known, or to take the place of what was known:
    /// that telling is the caller's own change.
    pub(crate) fn is_of_telling(&self) -> bool {
        let told = |effect: &Effect| matches!(effect, Effect::Absorbed { body, .. } if body.provenance.is_empty());
        self.undone_at.is_none() && self.by != PERSON && self.effects.iter().any(told)
    }

    /// Whether it gave a memory a new revision, and stands.
    pub(crate) fn gave_revision(&self, of: MemoryId) -> bool {
        let gave = |effect: &Effect| match effect {
            Effect::Revised { id, .. } => *id == of,
            Effect::Replaced { by, .. } => *by == of,
            _ => false,
        };
        self.undone_at.is_none() && self.effects.iter().any(gave)
    }

    /// Whether it changed anything, and all of that can be changed back.
    pub(crate) fn can_be_undone(&self) -> bool {
        !self.effects.is_empty() && self.effects.iter().all(Effect::can_be_undone)
    }

    pub(crate) fn put(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        number: u64,
    ) -> Result<(), Error> {
        Ok(DECISIONS.put(txn, (ns, number), self)?)
    }
}

/// The stored form of a number: eight bytes, big-endian.
pub(crate) enum Number {}

impl Value for Number {
    type View<'a> = u64;

    const VERSION: u8 = 2;

    fn encode(number: &u64, put: &mut Put) {
        put.raw(&number.to_be_bytes());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<u64, Broken> {
        let mut take = Take::new(body);
        let number = u64::from_be_bytes(take.array()?);
        take.end()?;
        Ok(number)
    }
}

/// Keeps a decision as its profile says, and lets the oldest go that are too many.
pub fn note(cx: &mut WriteCx<'_, '_>, decided: Decided) -> Result<(), Error> {
    match fitting(cx, decided)? {
        Some(decided) => {
            let before = annals_records::next_event(&*cx.txn, cx.ns)?;
            keep(cx, None, &Decided { before, ..decided })
        }
        None => Ok(()),
    }
}

/// Keeps a decision that another file knew under its number, if that is free here and no other
/// decision has to go for it: the oldest go by their numbers.
pub fn restore(cx: &mut WriteCx<'_, '_>, number: u64, decided: Decided) -> Result<Kept, Error> {
    let Some(decided) = fitting(cx, decided)? else {
        return Ok(Kept::LeftOut);
    };
    let decided = Decided {
        before: 0,
        ..decided
    };
    let same = |known: Decided| {
        Decided {
            undone_at: decided.undone_at,
            before: 0,
            ..known
        } == decided
    };
    let first = decided.memories.first().copied();
    if list(&*cx.txn, cx.ns, first, usize::MAX)?
        .into_iter()
        .any(|(_, known)| same(known))
    {
        return Ok(Kept::There);
    }
    // A decision that cannot be read keeps its number, too.
    let is_taken = cx
        .txn
        .get(DECISIONS.keyspace(), &DECISIONS.key((cx.ns, number)))?
        .is_some();
    let mut oldest = None;
    scan_rows(cx.txn, &[DECISIONS.within(cx.ns).into()], |_, row| {
        oldest = DECISIONS.parse(row.key).map(|(_, number)| number);
        Ok::<_, Error>(if oldest.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    let room = oldest
        .is_none_or(|oldest| number < oldest.saturating_add(cx.profile.settings.review.decisions));
    let free = number > 0 && number < FAR && room && !is_taken;
    keep(cx, Some(number).filter(|_| free), &decided)?;
    Ok(Kept::New(()))
}

/// A decision in the form in which a profile keeps it; `None` where it keeps none, or not all is
/// there that it names.
fn fitting(cx: &WriteCx<'_, '_>, mut decided: Decided) -> Result<Option<Decided>, Error> {
    let settings = &cx.profile.settings.review;
    if settings.decisions == 0 {
        return Ok(None);
    }
    let absent: Vec<MemoryId> = decided.effects.iter().filter_map(Effect::absent).collect();
    let named: Vec<MemoryId> = decided
        .named()
        .into_iter()
        .filter(|id| !absent.contains(id))
        .collect();
    if annals_records::find_rows(cx.txn, cx.ns, &named)?.contains(&None) {
        // It was deleted while somebody thought about it, and takes what was said of it along.
        return Ok(None);
    }
    decided.reason = cx.profile.redacted(decided.reason);
    let chars = usize::try_from(settings.reason_chars).unwrap_or(usize::MAX);
    decided.reason = decided.reason.trim().chars().take(chars).collect();
    Ok(Some(decided))
}

/// Stores a decision under a number, or the next one, and lets the oldest go that are too many.
fn keep(cx: &mut WriteCx<'_, '_>, number: Option<u64>, decided: &Decided) -> Result<(), Error> {
    let next = NEXT_DECISION.get(cx.txn, cx.ns)?.unwrap_or(1);
    let number = number.unwrap_or(next);
    let next = next.max(number.saturating_add(1));
    NEXT_DECISION.put(cx.txn, cx.ns, &next)?;
    write(cx.txn, cx.ns, number, decided)?;
    let oldest = next.saturating_sub(cx.profile.settings.review.decisions);
    for number in numbers(&*cx.txn, cx.ns, Some(oldest))? {
        remove(cx.txn, cx.ns, number)?;
    }
    Ok(())
}

/// Stores a decision with its index.
fn write(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
    decided: &Decided,
) -> Result<(), Error> {
    decided.put(txn, ns, number)?;
    for id in decided.indexed() {
        DECIDED.put(txn, (ns, id, number), &())?;
    }
    Ok(())
}

/// Keeps that nothing was decided about a memory, in the place of an earlier such note: however
/// often the question is asked, no decision that can be taken back has to go for it.
pub(crate) fn note_undecided(cx: &mut WriteCx<'_, '_>, decided: Decided) -> Result<(), Error> {
    for id in &decided.memories {
        for (number, before) in list(&*cx.txn, cx.ns, Some(*id), usize::MAX)? {
            let same = (&before.question, &before.answer) == (&decided.question, &decided.answer);
            if same && before.effects.is_empty() {
                remove(cx.txn, cx.ns, number)?;
            }
        }
    }
    note(cx, decided)
}

/// The numbers of all decisions of a namespace, rising, or of those below one.
fn numbers(reads: &dyn Reads, ns: NamespaceId, below: Option<u64>) -> Result<Vec<u64>, Error> {
    let mut found = Vec::new();
    // Values are not read here: a decision that cannot be read must not hide the others.
    scan_rows(reads, &[DECISIONS.within(ns).into()], |_, row| {
        let Some((_, number)) = DECISIONS.parse(row.key) else {
            return Ok(ControlFlow::Continue(()));
        };
        if below.is_some_and(|below| number >= below) {
            return Ok(ControlFlow::Break(()));
        }
        found.push(number);
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The numbers of the decisions about a memory, rising.
fn about(reads: &dyn Reads, ns: NamespaceId, id: MemoryId) -> Result<Vec<u64>, Error> {
    let found = DECIDED.rows(reads, DECIDED.within((ns, id)), usize::MAX)?;
    Ok(found.into_iter().map(|((.., number), ())| number).collect())
}

/// One decision.
pub(crate) fn get(
    reads: &dyn Reads,
    ns: NamespaceId,
    number: u64,
) -> Result<Option<Decided>, Error> {
    Ok(DECISIONS.get(reads, (ns, number))?)
}

/// At most so many decisions, of one memory or of all, the newest first.
pub fn list(
    reads: &dyn Reads,
    ns: NamespaceId,
    memory: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<(u64, Decided)>, Error> {
    list_such(reads, ns, memory, limit, |_| true)
}

/// At most so many decisions that are such, the newest first.
pub fn list_such(
    reads: &dyn Reads,
    ns: NamespaceId,
    memory: Option<MemoryId>,
    limit: usize,
    wanted: impl Fn(&Decided) -> bool,
) -> Result<Vec<(u64, Decided)>, Error> {
    let numbers = match memory {
        Some(id) => about(reads, ns, id)?,
        None => numbers(reads, ns, None)?,
    };
    let mut found = Vec::new();
    for number in numbers.into_iter().rev() {
        if found.len() >= limit {
            break;
        }
        match get(reads, ns, number) {
            Ok(decided) => found.extend(decided.filter(&wanted).map(|decided| (number, decided))),
            // One that cannot be read keeps no other from being told; `validate` tells of it.
            Err(error) if error.is_unreadable() => {
                tracing::warn!(number, %error, "a decision cannot be read")
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The newest decision, about one memory or about any, that is such a one. One that cannot be read
/// is none.
pub(crate) fn newest(
    reads: &dyn Reads,
    ns: NamespaceId,
    memory: Option<MemoryId>,
    wanted: impl Fn(&Decided) -> bool,
) -> Result<Option<(u64, Decided)>, Error> {
    let numbers = match memory {
        Some(id) => about(reads, ns, id)?,
        None => numbers(reads, ns, None)?,
    };
    let read = |number: u64| Some((number, get(reads, ns, number).ok().flatten()?));
    Ok(numbers
        .into_iter()
        .rev()
        .filter_map(read)
        .find(|(_, decided)| wanted(decided)))
}

fn remove(txn: &mut Transaction<'_>, ns: NamespaceId, number: u64) -> Result<(), Error> {
    let named = match get(&*txn, ns, number) {
        Ok(found) => found.map(|decided| decided.indexed()).unwrap_or_default(),
        // One that cannot be read must not keep memories from being deleted.
        Err(error) if error.is_unreadable() => {
            tracing::warn!(number, %error, "a decision that cannot be read goes");
            Vec::new()
        }
        Err(error) => return Err(error),
    };
    for id in named {
        DECIDED.delete(txn, (ns, id, number))?;
    }
    DECISIONS.delete(txn, (ns, number))?;
    Ok(())
}

/// Memories are about to go: every decision that names one goes with them. Of a decision that only
/// holds a text derived from them, that text goes; of a caller's change of several memories, only
/// their part.
pub(crate) fn forget(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    gone: &[MemoryId],
) -> Result<(), Error> {
    for id in gone {
        for number in about(&*txn, ns, *id)? {
            let decided = match get(&*txn, ns, number) {
                Err(error) if error.is_unreadable() => None,
                read => read?,
            };
            remove(txn, ns, number)?;
            match decided {
                // Changes by a caller to other memories can still be taken back.
                Some(decided) if decided.is_change() => without(txn, ns, number, (decided, gone))?,
                Some(decided) if !decided.named().contains(id) => {
                    strip(txn, ns, number, decided, gone)?
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Keeps what a caller changed but for what is about some memories.
fn without(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
    (mut decided, gone): (Decided, &[MemoryId]),
) -> Result<(), Error> {
    decided
        .effects
        .retain(|effect| effect.memories().iter().all(|id| !gone.contains(id)));
    decided.memories.retain(|id| !gone.contains(id));
    if decided.effects.is_empty() {
        Ok(())
    } else {
        write(txn, ns, number, &decided)
    }
}

/// Keeps of a decision that it was made, without any text; nothing of it can be taken back.
fn strip(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
    mut decided: Decided,
    gone: &[MemoryId],
) -> Result<(), Error> {
    let rows = annals_records::find_rows(&*txn, ns, &decided.memories)?;
    let here = decided
        .memories
        .iter()
        .zip(rows)
        .filter(|(id, row)| row.is_some() && !gone.contains(id));
    decided.memories = here.map(|(id, _)| *id).collect();
    decided.effects.clear();
    decided.reason.clear();
    if decided.memories.is_empty() {
        Ok(())
    } else {
        write(txn, ns, number, &decided)
    }
}

/// Names rows that contradict each other.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    let index = DECIDED.rows(reads, DECIDED.within(ns), usize::MAX)?;
    let indexed: BTreeSet<(MemoryId, u64)> = index
        .into_iter()
        .map(|((_, id, number), ())| (id, number))
        .collect();
    let (mut named, mut allowed) = (BTreeSet::new(), BTreeSet::new());
    for number in numbers(reads, ns, None)? {
        let decided = match get(reads, ns, number) {
            Ok(Some(decided)) => decided,
            Ok(None) => continue,
            Err(error) => {
                problems.push(format!("decision {number}: {error}"));
                continue;
            }
        };
        let absent: Vec<MemoryId> = decided.effects.iter().filter_map(Effect::absent).collect();
        let ids = decided.named();
        for (id, row) in ids.iter().zip(annals_records::find_rows(reads, ns, &ids)?) {
            if row.is_none() && !absent.contains(id) {
                problems.push(format!(
                    "decision {number} is about memory {id}, which is not there"
                ));
            }
        }
        named.extend(ids.into_iter().map(|id| (id, number)));
        allowed.extend(decided.indexed().into_iter().map(|id| (id, number)));
    }
    if problems.is_empty() && !(named.is_subset(&indexed) && indexed.is_subset(&allowed)) {
        problems.push(format!(
            "decisions name {} memories, their index {}",
            named.len(),
            indexed.len()
        ));
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use annals_types::profile::ReviewKind;

    use super::*;
    use crate::effect::Worth;

    fn id(byte: u8) -> MemoryId {
        MemoryId::from_bytes([byte; 16])
    }

    #[test]
    fn the_stored_form_is_frozen() {
        let at = Timestamp::from_millis(1_000);
        let worth = |value: f64, class: &str| Worth {
            value,
            at,
            class: class.to_owned(),
            expires_at: None,
            lowered: 1.0,
        };
        let decided = Decided {
            at,
            question: DecisionQuestion::MayGo,
            memories: vec![id(7)],
            answer: "keep".to_owned(),
            reason: "a birthday".to_owned(),
            by: "a model".to_owned(),
            effects: vec![
                Effect::Life {
                    id: id(7),
                    from: worth(0.19, "fact"),
                    to: worth(0.5, "fact"),
                },
                Effect::Review {
                    id: id(7),
                    kind: ReviewKind::Decay,
                    score: 0.19,
                },
            ],
            undone_at: None,
            before: 0,
        };
        let bytes = serde_json::to_string(&decided).unwrap();
        assert_eq!(
            bytes,
            concat!(
                r#"{"at":"1970-01-01T00:00:01Z","question":"may_go","#,
                r#""memories":["07070707-0707-0707-0707-070707070707"],"#,
                r#""answer":"keep","reason":"a birthday","by":"a model","#,
                r#""effects":[{"life":{"id":"07070707-0707-0707-0707-070707070707","#,
                r#""from":{"value":0.19,"at":"1970-01-01T00:00:01Z","class":"fact"},"#,
                r#""to":{"value":0.5,"at":"1970-01-01T00:00:01Z","class":"fact"}}},"#,
                r#"{"review":{"id":"07070707-0707-0707-0707-070707070707","kind":"decay","score":0.19}}]}"#
            )
        );
        assert_eq!(
            Json::<Decided>::decode(3, bytes.as_bytes()).unwrap(),
            decided
        );
        assert!(Json::<Decided>::decode(3, b"{}").is_err());
    }

    #[test]
    fn what_a_later_version_wrote_keeps_no_other_decision_from_being_told() {
        let store = annals_storage::Store::in_memory();
        let ns = NamespaceId(1);
        let decided = Decided {
            at: Timestamp::from_millis(1_000),
            question: DecisionQuestion::Same,
            memories: vec![id(7), id(8)],
            answer: NO.to_owned(),
            reason: String::new(),
            by: PERSON.to_owned(),
            effects: Vec::new(),
            undone_at: None,
            before: 0,
        };
        let wrote = store.write(|txn| -> Result<(), Error> {
            write(txn, ns, 1, &decided)?;
            txn.put(DECISIONS.keyspace(), &DECISIONS.key((ns, 2)), 4, b"{}")?;
            txn.put(DECISIONS.keyspace(), &DECISIONS.key((ns, 3)), 3, b"{}")?;
            for number in [2, 3] {
                DECIDED.put(txn, (ns, id(7), number), &())?;
            }
            Ok(())
        });
        wrote.unwrap();
        let snapshot = store.snapshot().unwrap();
        assert_eq!(
            get(&snapshot, ns, 2).unwrap_err().kind(),
            crate::ErrorKind::TooNew
        );
        assert!(get(&snapshot, ns, 3).is_err());
        assert_eq!(
            list(&snapshot, ns, Some(id(7)), 10).unwrap(),
            [(1, decided)]
        );
        let problems = validate(&snapshot, ns).unwrap();
        assert!(
            problems.iter().any(|told| told.starts_with("decision 2: ")),
            "{problems:?}"
        );
        store.write(|txn| forget(txn, ns, &[id(7)])).unwrap();
        assert_eq!(
            numbers(&store.snapshot().unwrap(), ns, None).unwrap(),
            [0_u64; 0]
        );
    }
}
