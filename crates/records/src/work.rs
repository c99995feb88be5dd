//! The shared part of all writes: the namespace check, counters, label numbers, positions, the
//! event, the delta.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::table::MultiGet;
use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{Body, Commit, Label, MemoryId, NamespaceId, Row, Status, Timestamp};

use crate::delta::Change;
use crate::ids::IdEntry;
use crate::record::RowRecord;
use crate::tables::{EVENTS, HEADS, IDS, LABEL_TEXTS, LABELS, ROWS, SPACES, STATES, TURNS};
use crate::{
    Delta, Event, Head, History, LabelClass, LabelId, Operation, RecordError, Written, columns,
};

/// A write in progress.
pub(crate) struct Work<'t, 'e> {
    pub(crate) txn: &'t mut Transaction<'e>,
    pub(crate) ns: NamespaceId,
    pub(crate) now: Timestamp,
    pub(crate) commit: Commit,
    pub(crate) head: Head,
    before: Head,
    /// Label numbers by class.
    numbers: [HashMap<String, LabelId>; 5],
    /// The next free position of each session at hand.
    next: HashMap<LabelId, u32>,
    /// Places of sessions that are known to be taken.
    taken: HashSet<(LabelId, u32)>,
    delta: Delta,
}

/// Every label that a body uses.
pub(crate) fn labels_of(body: &Body) -> impl Iterator<Item = (LabelClass, &str)> {
    let turn = body.turn.as_ref();
    let speaker = turn.and_then(|turn| turn.speaker.as_ref());
    let single = [
        (LabelClass::Session, turn.map(|turn| turn.session.as_str())),
        (LabelClass::Speaker, speaker.map(Label::as_str)),
        (LabelClass::Kind, Some(body.kind.as_str())),
        (LabelClass::Source, body.source.as_ref().map(Label::as_str)),
    ];
    let tags = body.tags.iter().map(|tag| (LabelClass::Tag, tag.as_str()));
    single
        .into_iter()
        .filter_map(|(class, text)| text.map(|text| (class, text)))
        .chain(tags)
}

impl<'t, 'e> Work<'t, 'e> {
    /// One round of reads: the namespace, its head, the labels, and where some ids lead.
    pub(crate) fn begin<'b>(
        txn: &'t mut Transaction<'e>,
        ns: NamespaceId,
        now: Timestamp,
        bodies: impl Iterator<Item = &'b Body>,
        ids: &[MemoryId],
    ) -> Result<(Self, Vec<Option<IdEntry>>), RecordError> {
        let asked: HashSet<(LabelClass, &str)> = bodies.flat_map(labels_of).collect();
        let mut round = MultiGet::default();
        let (space, head) = (round.add(&SPACES, ns), round.add(&HEADS, ns));
        let labels: Vec<_> = asked
            .into_iter()
            .map(|(class, text)| (class, text, round.add(&LABELS, (ns, class, text))))
            .collect();
        let entries: Vec<_> = ids.iter().map(|id| round.add(&IDS, (ns, *id))).collect();
        let found = round.read(txn)?;
        if found.get(&space)?.is_none_or(|record| record.doomed) {
            return Err(RecordError::NamespaceGone { namespace: ns });
        }
        let head = found.get(&head)?.unwrap_or_default();
        let mut numbers: [HashMap<String, LabelId>; 5] = Default::default();
        for (class, text, label) in labels {
            if let (Some(number), Some(numbers)) =
                (found.get(&label)?, numbers.get_mut(class.index()))
            {
                numbers.insert(text.to_owned(), number);
            }
        }
        let entries = entries
            .iter()
            .map(|entry| found.get(entry))
            .collect::<Result<_, _>>()?;
        let commit = txn.commit();
        let delta = Delta::new(ns, commit);
        let before = head.clone();
        let work = Self {
            txn,
            ns,
            now,
            commit,
            head,
            before,
            numbers,
            next: HashMap::new(),
            taken: HashSet::new(),
            delta,
        };
        Ok((work, entries))
    }

    pub(crate) fn full(&self, what: &'static str) -> RecordError {
        RecordError::Full {
            namespace: self.ns,
            what,
        }
    }

    /// The number of a label, given now if it has none. A session that is new starts at position 0.
    pub(crate) fn number(&mut self, class: LabelClass, text: &str) -> Result<LabelId, RecordError> {
        if let Some(number) = self.known(class, text) {
            return Ok(number);
        }
        let number = self
            .head
            .next_label(class)
            .ok_or_else(|| self.full("label numbers"))?;
        LABELS.put(self.txn, (self.ns, class, text), &number)?;
        LABEL_TEXTS.put(self.txn, (self.ns, class, number), &text)?;
        if let Some(numbers) = self.numbers.get_mut(class.index()) {
            numbers.insert(text.to_owned(), number);
        }
        self.delta.changes.push(Change::Label {
            class,
            number,
            text: Arc::from(text),
        });
        if class == LabelClass::Session {
            self.next.insert(number, 0);
        }
        Ok(number)
    }

    /// The number of a label that has one already.
    pub(crate) fn known(&self, class: LabelClass, text: &str) -> Option<LabelId> {
        self.numbers.get(class.index())?.get(text).copied()
    }

    /// One round of reads: the next free position of sessions whose end is not known yet.
    pub(crate) fn find_ends(
        &mut self,
        sessions: impl Iterator<Item = LabelId>,
    ) -> Result<(), RecordError> {
        let mut unknown: Vec<LabelId> = sessions
            .filter(|session| !self.next.contains_key(session))
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        if unknown.is_empty() {
            return Ok(());
        }
        let ranges: Vec<KeyRange> = unknown
            .iter()
            .map(|session| TURNS.within((self.ns, *session)).reversed().into())
            .collect();
        self.next
            .extend(unknown.iter().map(|session| (*session, 0)));
        let next = &mut self.next;
        TURNS.scan_many(self.txn, &ranges, |_, (_, session, position), _| {
            next.insert(session, position.saturating_add(1));
            Ok(ControlFlow::Break(()))
        })
    }

    /// The position that a new turn of a session gets.
    pub(crate) fn next_position(&mut self, session: LabelId) -> Result<u32, RecordError> {
        let full = self.full("positions in a session");
        let next = self.next.entry(session).or_default();
        let position = *next;
        *next = next.checked_add(1).ok_or(full)?;
        Ok(position)
    }

    /// One round of reads: which of some places are taken.
    pub(crate) fn find_taken(&mut self, places: &[(LabelId, u32)]) -> Result<(), RecordError> {
        let found = TURNS.get_many(
            self.txn,
            places.iter().map(|(session, at)| (self.ns, *session, *at)),
        )?;
        for (place, turn) in places.iter().zip(found) {
            if turn.flatten().is_some() {
                self.taken.insert(*place);
            }
        }
        Ok(())
    }

    /// Whether a place that [`find_taken`](Self::find_taken) has looked at is free.
    pub(crate) fn is_free(&self, session: LabelId, position: u32) -> bool {
        !self.taken.contains(&(session, position))
    }

    pub(crate) fn next_row(&mut self) -> Result<Row, RecordError> {
        let row = Row(self.head.next_row);
        // The last number marks "no row" in columns.
        if row.0 == u32::MAX {
            return Err(self.full("rows"));
        }
        self.head.next_row += 1;
        Ok(row)
    }

    /// Writes a new row with its id and turn entries, and counts it.
    pub(crate) fn bear(
        &mut self,
        row: Row,
        record: &RowRecord<'_>,
        birth: Birth,
    ) -> Result<(), RecordError> {
        ROWS.put(self.txn, (self.ns, row), record)?;
        let entry = IdEntry {
            current: row,
            first: birth.first,
        };
        IDS.put(self.txn, (self.ns, record.id), &entry)?;
        if let Some(turn) = record.turn.as_ref().filter(|_| birth.current) {
            TURNS.put(self.txn, (self.ns, turn.session, turn.position), &Some(row))?;
            self.taken.insert((turn.session, turn.position));
            let next = self.next.entry(turn.session).or_default();
            *next = (*next).max(turn.position.saturating_add(1));
        }
        self.head.text_bytes += record.text_bytes();
        self.count(record.status, 1);
        let change = Change::Born {
            row,
            facts: columns::Facts::of(record),
            instead_of: birth.instead_of,
        };
        self.delta.changes.push(change);
        Ok(())
    }

    /// Writes what a row has lived through.
    pub(crate) fn lived(&mut self, row: Row, history: History) -> Result<(), RecordError> {
        STATES.put(self.txn, (self.ns, row), &history)?;
        self.delta.changes.push(Change::Lived {
            row,
            history: Arc::new(history),
        });
        Ok(())
    }

    pub(crate) fn erased(&mut self, row: Row) {
        self.delta.changes.push(Change::Erased { row });
    }

    pub(crate) fn unlabel(&mut self, class: LabelClass, number: LabelId) {
        self.delta
            .changes
            .push(Change::Unlabelled { class, number });
    }

    /// Counts a current memory in or out.
    pub(crate) fn count(&mut self, status: Status, by: i8) {
        if let Some(count) = self.head.count_mut(status) {
            *count = if by < 0 {
                count.saturating_sub(1)
            } else {
                count.saturating_add(1)
            };
        }
    }

    /// Writes an event.
    pub(crate) fn note(&mut self, happened: EventDraft) -> Result<(), RecordError> {
        let seq = self.head.next_event;
        let (commit, time) = (self.commit, self.now);
        let EventDraft {
            operation,
            row,
            rows,
            id,
            number,
        } = happened;
        let event = Event {
            seq,
            commit,
            time,
            operation,
            row,
            rows,
            id,
            number,
        };
        EVENTS.put(self.txn, (self.ns, seq), &event)?;
        self.head.next_event += 1;
        Ok(())
    }

    /// Writes the last event and, when anything happened, the head.
    pub(crate) fn finish<T>(
        mut self,
        outcome: T,
        last: Option<EventDraft>,
    ) -> Result<Written<T>, RecordError> {
        if let Some(happened) = last {
            self.note(happened)?;
        }
        if self.head != self.before {
            HEADS.put(self.txn, self.ns, &self.head)?;
        }
        Ok(Written {
            outcome,
            delta: self.delta,
        })
    }
}

/// How a new row comes into the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Birth {
    /// The first row of its id.
    pub(crate) first: Row,
    /// The row whose place in the session it takes.
    pub(crate) instead_of: Option<Row>,
    /// Whether it has a place in its session; history that comes from elsewhere has not.
    pub(crate) current: bool,
}

/// A change that [`Work::finish`] turns into an [`Event`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventDraft {
    pub(crate) operation: Operation,
    pub(crate) row: Row,
    pub(crate) rows: u32,
    pub(crate) id: Option<annals_types::MemoryId>,
    pub(crate) number: u32,
}
