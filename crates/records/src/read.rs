//! Memories as callers see them, put together from rows, lives and labels.

use std::collections::{BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use annals_storage::Reads;
use annals_storage::table::{MultiGet, Range as KeyRange};
use annals_types::{
    Body, Importance, Kind, Label, Memory, MemoryId, NamespaceId, Revision, Row, Timestamp, Turn,
    UnitScore,
};

use crate::ids::IdEntry;
use crate::record::{self, RowRecord};
use crate::tables::{IDS, LABEL_TEXTS, LABELS, ROWS, STATES, TURNS};
use crate::wire::Broken;
use crate::{Columns, History, LabelClass, LabelId, RecordError};

/// A stored row with its life.
#[derive(Debug, Clone)]
pub(crate) struct StoredRow {
    pub(crate) row: Row,
    pub(crate) record: RowRecord<'static>,
    pub(crate) history: Option<History>,
}

impl StoredRow {
    /// The row's life, from birth on.
    pub(crate) fn life(&self) -> History {
        let born = || History::born(self.record.born, self.record.stored_at, self.record.status);
        self.history.clone().unwrap_or_else(born)
    }

    pub(crate) fn status(&self) -> annals_types::Status {
        self.history
            .as_ref()
            .map_or(self.record.status, History::status)
    }
}

/// Rows with their lives, in one round of reads.
pub(crate) fn rows(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Option<StoredRow>>, RecordError> {
    let mut round = MultiGet::default();
    let asked: Vec<_> = rows
        .iter()
        .map(|row| (round.add(&ROWS, (ns, *row)), round.add(&STATES, (ns, *row))))
        .collect();
    let found = round.read(reads)?;
    let mut opened = Vec::with_capacity(rows.len());
    for (row, (record, life)) in rows.iter().zip(&asked) {
        let history = found.get(life)?;
        opened.push(found.get(record)?.map(|record| StoredRow {
            row: *row,
            record: record.into_owned(),
            history,
        }));
    }
    Ok(opened)
}

/// The texts of label numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(HashMap<(LabelClass, LabelId), Arc<str>>);

impl Names {
    /// Takes labels from the columns where they know them and reads the others in one round.
    pub(crate) fn resolve<'a>(
        reads: &dyn Reads,
        ns: NamespaceId,
        columns: Option<&Columns>,
        records: impl Iterator<Item = &'a RowRecord<'a>>,
    ) -> Result<Self, RecordError> {
        let mut known = HashMap::new();
        let mut unknown = BTreeSet::new();
        for (class, number) in records.flat_map(label_numbers) {
            if known.contains_key(&(class, number)) || unknown.contains(&(class, number)) {
                continue;
            }
            match columns.and_then(|columns| columns.shared_label(class, number)) {
                Some(text) => {
                    known.insert((class, number), text);
                }
                None => {
                    unknown.insert((class, number));
                }
            }
        }
        let mut round = MultiGet::default();
        let place = |(class, number): (LabelClass, LabelId)| (ns, class, number);
        let asked: Vec<_> = unknown
            .into_iter()
            .map(|label| (label, round.add(&LABEL_TEXTS, place(label))))
            .collect();
        let found = round.read(reads)?;
        for (label, text) in asked {
            let text = found
                .get(&text)?
                .ok_or_else(|| LABEL_TEXTS.damaged(place(label), "a label is missing"))?;
            known.insert(label, Arc::from(text));
        }
        Ok(Self(known))
    }

    /// Takes note of a label.
    pub(crate) fn learn(&mut self, label: (LabelClass, LabelId), text: &str) {
        self.0.entry(label).or_insert_with(|| Arc::from(text));
    }

    /// The labels of some records, those that are lost by their numbers.
    pub(crate) fn with_stand_ins<'a>(
        &self,
        records: impl Iterator<Item = &'a RowRecord<'a>>,
    ) -> Self {
        let stand_in = |number: LabelId| Arc::from(format!("lost-{}", number.0));
        let labels = records.flat_map(label_numbers);
        let labels = labels.map(|(class, number)| {
            (
                (class, number),
                self.0
                    .get(&(class, number))
                    .cloned()
                    .unwrap_or_else(|| stand_in(number)),
            )
        });
        Self(labels.collect())
    }

    fn text(&self, class: LabelClass, number: LabelId) -> Result<&str, Broken> {
        self.0
            .get(&(class, number))
            .map(AsRef::as_ref)
            .ok_or(Broken("a label is missing"))
    }

    fn label(&self, class: LabelClass, number: LabelId) -> Result<Label, Broken> {
        Label::new("label", self.text(class, number)?).map_err(|_| Broken("a label is not allowed"))
    }
}

pub(crate) fn label_numbers<'a>(
    record: &'a RowRecord<'_>,
) -> impl Iterator<Item = (LabelClass, LabelId)> + 'a {
    let turn = record.turn.as_ref();
    let single = [
        (LabelClass::Kind, Some(record.kind)),
        (LabelClass::Source, record.source),
        (LabelClass::Session, turn.map(|turn| turn.session)),
        (LabelClass::Speaker, turn.and_then(|turn| turn.speaker)),
    ];
    let tags = record.tags.iter().map(|tag| (LabelClass::Tag, *tag));
    single
        .into_iter()
        .filter_map(|(class, number)| number.map(|number| (class, number)))
        .chain(tags)
}

fn body(record: &RowRecord<'_>, names: &Names) -> Result<Body, Broken> {
    let turn = record.turn.as_ref().map(|turn| {
        Ok(Turn {
            session: names.label(LabelClass::Session, turn.session)?,
            position: turn.position,
            speaker: turn
                .speaker
                .map(|speaker| names.label(LabelClass::Speaker, speaker))
                .transpose()?,
            role: turn.role,
            reply: turn.reply.as_deref().map(str::to_owned),
            tool_calls: turn.tool_calls.to_vec(),
            attachments: turn.attachments.to_vec(),
        })
    });
    Ok(Body {
        layer: record.layer,
        kind: Kind::new(names.text(LabelClass::Kind, record.kind)?)
            .map_err(|_| Broken("a kind is not allowed"))?,
        text: record.text.to_string(),
        importance: Importance::new("importance", record.importance)
            .map_err(|_| Broken("an importance is out of range"))?,
        confidence: UnitScore::new("confidence", record.confidence)
            .map_err(|_| Broken("a confidence is out of range"))?,
        verified: record.verified,
        source: record
            .source
            .map(|source| names.label(LabelClass::Source, source))
            .transpose()?,
        provenance: record.provenance.to_vec(),
        tags: record
            .tags
            .iter()
            .map(|tag| names.label(LabelClass::Tag, *tag))
            .collect::<Result<_, _>>()?,
        metadata: record::metadata_from(record.metadata.as_deref())?,
        event_time: record.event_time,
        valid_from: record.valid_from,
        valid_until: record.valid_until,
        expires_at: record.expires_at,
        turn: turn.transpose()?,
    })
}

pub(crate) fn memory(
    ns: NamespaceId,
    found: &StoredRow,
    names: &Names,
) -> Result<Memory, RecordError> {
    let body =
        body(&found.record, names).map_err(|broken| ROWS.damaged((ns, found.row), broken.0))?;
    Ok(Memory {
        id: found.record.id,
        body,
        status: found.status(),
        stored_at: found.record.stored_at,
        named_times: found.record.named_times.clone(),
        supersedes: found.record.supersedes,
        superseded_by: found
            .history
            .as_ref()
            .and_then(|life| life.death)
            .and_then(|death| death.successor_id),
        revision: found.record.revision,
    })
}

/// The memories in some rows, in the order asked; `None` for rows that were erased or never
/// existed.
///
/// One round of reads when `columns` are given and know the labels, otherwise two.
///
/// # Errors
/// When they cannot be read.
pub fn memories(
    reads: &dyn Reads,
    ns: NamespaceId,
    wanted: &[Row],
    columns: Option<&Columns>,
) -> Result<Vec<Option<Memory>>, RecordError> {
    let found = rows(reads, ns, wanted)?;
    let names = Names::resolve(
        reads,
        ns,
        columns,
        found.iter().flatten().map(|found| &found.record),
    )?;
    found
        .iter()
        .map(|found| {
            found
                .as_ref()
                .map(|found| memory(ns, found, &names))
                .transpose()
        })
        .collect()
}

/// The current rows of some ids, in the order asked; one round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn find_rows(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<Vec<Option<Row>>, RecordError> {
    Ok(entries(reads, ns, ids)?
        .into_iter()
        .map(|entry| entry.map(|entry| entry.current))
        .collect())
}

/// The rows of memories, each with its whole history under its id, the oldest first; empty for ids
/// that do not exist.
///
/// # Errors
/// When they cannot be read.
pub fn rows_of(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<Vec<Vec<Row>>, RecordError> {
    let chains = chains(reads, ns, &entries(reads, ns, ids)?)?;
    Ok(chains
        .into_iter()
        .map(|chain| chain.into_iter().map(|found| found.row).collect())
        .collect())
}

/// The memories that rows belong to, in the order asked; `None` for rows that do not exist. One
/// round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn ids_of(
    reads: &dyn Reads,
    ns: NamespaceId,
    wanted: &[Row],
) -> Result<Vec<Option<MemoryId>>, RecordError> {
    Ok(rows(reads, ns, wanted)?
        .into_iter()
        .map(|found| found.map(|found| found.record.id))
        .collect())
}

pub(crate) fn entries(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<Vec<Option<IdEntry>>, RecordError> {
    Ok(IDS.get_many(reads, ids.iter().map(|id| (ns, *id)))?)
}

/// The current revision of a memory and its row; `None` when the namespace has no such id.
///
/// # Errors
/// When it cannot be read.
pub fn get(
    reads: &dyn Reads,
    ns: NamespaceId,
    id: MemoryId,
    columns: Option<&Columns>,
) -> Result<Option<(Row, Memory)>, RecordError> {
    let Some(row) = find_rows(reads, ns, &[id])?.pop().flatten() else {
        return Ok(None);
    };
    let memory = memories(reads, ns, &[row], columns)?.pop().flatten();
    Ok(memory.map(|memory| (row, memory)))
}

/// The rows that led to the current one, the newest first. `same_id` ends at the first row of
/// another id.
pub(crate) fn chain(
    reads: &dyn Reads,
    ns: NamespaceId,
    current: Row,
    same_id: bool,
) -> Result<Vec<StoredRow>, RecordError> {
    let mut chain: Vec<StoredRow> = Vec::new();
    let mut next = Some(current);
    while let Some(row) = next {
        let Some(found) = rows(reads, ns, &[row])?.pop().flatten() else {
            break;
        };
        if same_id
            && chain
                .last()
                .is_some_and(|last| last.record.id != found.record.id)
        {
            break;
        }
        // Rows fall along the chain, so that it ends even if the file says otherwise.
        next = found.record.replaces.filter(|before| *before < row);
        chain.push(found);
    }
    Ok(chain)
}

/// All rows of some ids, the oldest first; none where there is no entry. One round of reads for ids
/// with one revision.
pub(crate) fn chains(
    reads: &dyn Reads,
    ns: NamespaceId,
    entries: &[Option<IdEntry>],
) -> Result<Vec<Vec<StoredRow>>, RecordError> {
    let current: Vec<Row> = entries
        .iter()
        .flatten()
        .map(|entry| entry.current)
        .collect();
    let mut newest = rows(reads, ns, &current)?.into_iter();
    let mut chains = Vec::with_capacity(entries.len());
    for entry in entries {
        let found = if entry.is_some() {
            newest.next().flatten()
        } else {
            None
        };
        let before = found
            .as_ref()
            .and_then(|found| found.record.replaces.filter(|_| found.record.revision > 1));
        let mut all: Vec<StoredRow> = found.into_iter().collect();
        if let Some(row) = before {
            all.extend(chain(reads, ns, row, true)?);
        }
        all.reverse();
        chains.push(all);
    }
    Ok(chains)
}

/// Every revision of a memory and of those it superseded, the oldest first; empty when there is no
/// such id.
///
/// # Errors
/// When they cannot be read.
pub fn history(
    reads: &dyn Reads,
    ns: NamespaceId,
    id: MemoryId,
) -> Result<Vec<Revision>, RecordError> {
    let Some(row) = find_rows(reads, ns, &[id])?.pop().flatten() else {
        return Ok(Vec::new());
    };
    let mut chain = chain(reads, ns, row, false)?;
    chain.reverse();
    let names = Names::resolve(reads, ns, None, chain.iter().map(|found| &found.record))?;
    chain
        .iter()
        .map(|found| {
            let death = found.history.as_ref().and_then(|life| life.death);
            Ok(Revision {
                memory: memory(ns, found, &names)?,
                replaced_at: death.map(|death| death.time),
            })
        })
        .collect()
}

/// The answer of [`status_history`]: every status a memory had with its moment, the one it was
/// born with first.
///
/// # Errors
/// When it cannot be read.
pub fn status_history(
    reads: &dyn Reads,
    ns: NamespaceId,
    id: MemoryId,
) -> Result<Vec<(Timestamp, annals_types::Status)>, RecordError> {
    let Some(row) = find_rows(reads, ns, &[id])?.pop().flatten() else {
        return Ok(Vec::new());
    };
    let found = rows(reads, ns, &[row])?.pop().flatten();
    Ok(found
        .map(|found| {
            found
                .life()
                .changes
                .iter()
                .map(|change| (change.time, change.status))
                .collect()
        })
        .unwrap_or_default())
}

/// The turns of a session from a position on, at most `limit`, in order, with their positions.
///
/// # Errors
/// When they cannot be read.
pub fn session_turns(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &str,
    from: u32,
    limit: usize,
) -> Result<Vec<(u32, Row)>, RecordError> {
    let Some(number) = session_number(reads, ns, session)? else {
        return Ok(Vec::new());
    };
    turns(
        reads,
        TURNS.within((ns, number)).from((ns, number, from)),
        limit,
    )
}

/// The last turns of a session before a position, at most `limit`, the latest first, with their
/// positions.
///
/// # Errors
/// When they cannot be read.
pub fn session_turns_before(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &str,
    before: u32,
    limit: usize,
) -> Result<Vec<(u32, Row)>, RecordError> {
    let Some(number) = session_number(reads, ns, session)? else {
        return Ok(Vec::new());
    };
    turns(
        reads,
        TURNS
            .within((ns, number))
            .until((ns, number, before))
            .reversed(),
        limit,
    )
}

fn session_number(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &str,
) -> Result<Option<LabelId>, RecordError> {
    Ok(LABELS.get(reads, (ns, LabelClass::Session, session))?)
}

fn turns(
    reads: &dyn Reads,
    range: KeyRange<(NamespaceId, LabelId, u32)>,
    limit: usize,
) -> Result<Vec<(u32, Row)>, RecordError> {
    let mut found = Vec::new();
    TURNS.scan(reads, range, |(_, _, position), row| {
        if found.len() >= limit {
            return Ok(ControlFlow::Break(()));
        }
        found.extend(row.map(|row| (position, row)));
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// How many places a session has given to turns, those of deleted ones included.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn session_places(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &str,
) -> Result<u32, RecordError> {
    let Some(number) = session_number(reads, ns, session)? else {
        return Ok(0);
    };
    let last = TURNS.first(reads, TURNS.within((ns, number)).reversed())?;
    Ok(last.map_or(0, |(_, _, position)| position.saturating_add(1)))
}

/// Walks rows in rising order as they are stored, for rebuilding an index.
///
/// # Errors
/// When they cannot be read.
pub fn walk(
    reads: &dyn Reads,
    ns: NamespaceId,
    range: Range<u32>,
    visit: &mut dyn FnMut(Row, RowRecord<'_>) -> ControlFlow<()>,
) -> Result<(), RecordError> {
    let rows = ROWS
        .within(ns)
        .from((ns, Row(range.start)))
        .until((ns, Row(range.end)));
    ROWS.scan(reads, rows, |(_, row), record| Ok(visit(row, record)))
}
