//! What is left of a damaged namespace: its memories, as far as rows of them are there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, NamespaceName, Row, Timestamp};

use crate::chronicle::{self, Chronicle};
use crate::read::{self, Names, StoredRow};
use crate::tables::{HEADS, IDS, LABEL_TEXTS, LABELS, LAST_SPACE, NAMES, ROWS, SPACES};
use crate::{Namespace, RecordError};

/// The memories of a namespace of which something is left.
#[derive(Debug, Clone, Default)]
pub struct Remains {
    /// Their rows, by memory, in the order of their first ones.
    memories: Vec<(MemoryId, Vec<Row>)>,
    known: BTreeSet<MemoryId>,
    /// Memories of which no row is left.
    pub lost: Vec<MemoryId>,
    names: Names,
}

/// A memory that was put together again, or its id and why it could not be.
pub type Saved = Result<Remnant, (MemoryId, RecordError)>;

/// A memory of which something is left.
#[derive(Debug, Clone)]
pub struct Remnant {
    /// It, as an import takes it.
    pub chronicle: Chronicle,
    /// The last row of the memory.
    pub row: Row,
    /// Whether its last text is lost, and an earlier one stands for it.
    pub is_earlier: bool,
}

impl Remains {
    /// Looks through all rows of a namespace.
    ///
    /// # Errors
    /// When the file cannot be read. That something is missing is no error.
    pub fn read(reads: &dyn Reads, ns: NamespaceId) -> Result<Self, RecordError> {
        let mut rows: BTreeMap<MemoryId, Vec<Row>> = BTreeMap::new();
        let mut order = Vec::new();
        ROWS.scan(reads, ROWS.within(ns), |(_, row), record| {
            let known = rows.entry(record.id).or_default();
            if known.is_empty() {
                order.push(record.id);
            }
            known.push(row);
            Ok::<_, RecordError>(ControlFlow::Continue(()))
        })?;
        let mut lost = Vec::new();
        IDS.scan(reads, IDS.within(ns), |(_, id), _| {
            if !rows.contains_key(&id) {
                lost.push(id);
            }
            Ok::<_, RecordError>(ControlFlow::Continue(()))
        })?;
        let known = rows.keys().copied().collect();
        let memories = order
            .into_iter()
            .filter_map(|id| rows.remove_entry(&id))
            .collect();
        Ok(Self {
            memories,
            known,
            lost,
            names: names(reads, ns)?,
        })
    }

    /// The memories with their rows, in the order of their first ones.
    #[must_use]
    pub fn memories(&self) -> &[(MemoryId, Vec<Row>)] {
        &self.memories
    }

    /// Some of the memories, from one on; a memory that cannot be put together again is its id and
    /// the reason.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn part(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        from: usize,
        limit: usize,
    ) -> Result<Vec<Saved>, RecordError> {
        let part = self.memories.iter().skip(from).take(limit);
        part.map(|(id, rows)| {
            let found: Vec<StoredRow> =
                read::rows(reads, ns, rows)?.into_iter().flatten().collect();
            Ok(self.remnant(ns, &found).map_err(|error| (*id, error)))
        })
        .collect()
    }

    fn remnant(&self, ns: NamespaceId, found: &[StoredRow]) -> Result<Remnant, RecordError> {
        let names = self
            .names
            .with_stand_ins(found.iter().map(|found| &found.record));
        let Some((last, chronicle)) = found.last().zip(chronicle::chronicle(ns, found, &names)?)
        else {
            return Err(RecordError::NamespaceGone { namespace: ns });
        };
        let mut remnant = Remnant {
            chronicle,
            row: last.row,
            is_earlier: false,
        };
        let next: Vec<Timestamp> = remnant
            .chronicle
            .revisions
            .iter()
            .skip(1)
            .map(|next| next.stored_at)
            .collect();
        for (version, next) in remnant.chronicle.revisions.iter_mut().zip(next) {
            version.replaced_at.get_or_insert(next);
        }
        // What replaced it may be the row, or the memory, that is lost: then nothing has replaced
        // it.
        let death = last.history.as_ref().and_then(|life| life.death);
        let replaced = death.is_some_and(|death| match death.successor_id {
            Some(id) => self.known.contains(&id),
            None => false,
        });
        if let Some(version) = remnant.chronicle.revisions.last_mut()
            && death.is_some_and(|death| death.successor.is_some() || death.successor_id.is_some())
            && !replaced
        {
            version.replaced_at = None;
            remnant.is_earlier = true;
        }
        Ok(remnant)
    }
}

/// The labels of a namespace, from both of their indexes.
fn names(reads: &dyn Reads, ns: NamespaceId) -> Result<Names, RecordError> {
    let mut known = Names::default();
    annals_storage::table::scan_rows(reads, &[LABELS.within(ns).into()], |_, row| {
        if let Some(((_, class, text), number)) = LABELS.read(&row)? {
            known.learn((class, number), text);
        } else if let Some(((_, class, number), text)) = LABEL_TEXTS.read(&row)? {
            known.learn((class, number), text);
        }
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    Ok(known)
}

/// Makes the directory of namespaces whole again: each namespace of which there are memories is
/// found by a name, and no number is given twice. Answers those whose names were lost.
///
/// # Errors
/// When the file cannot be read or written.
pub fn mend_directory(
    txn: &mut Transaction<'_>,
    profile: &str,
    now: Timestamp,
) -> Result<Vec<NamespaceName>, RecordError> {
    let mut named: BTreeMap<NamespaceId, NamespaceName> = BTreeMap::new();
    NAMES.scan(&*txn, NAMES.all(), |name, id| {
        named.extend(NamespaceName::new(name).ok().map(|name| (id, name)));
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    let spaces = SPACES
        .all()
        .from(NamespaceId(1))
        .until(NamespaceId(u32::MAX));
    let known: BTreeMap<NamespaceId, Namespace> = SPACES
        .rows(&*txn, spaces, usize::MAX)?
        .into_iter()
        .collect();
    let heads = HEADS
        .rows(&*txn, HEADS.all(), usize::MAX)?
        .into_iter()
        .map(|(id, _)| id);
    let mut numbers: BTreeSet<NamespaceId> = heads.chain(known.keys().copied()).collect();
    let mut from = NamespaceId(1);
    while let Some((found, _)) = ROWS.first(&*txn, ROWS.all().from((from, Row(0))))? {
        numbers.insert(found);
        from = NamespaceId(found.0.saturating_add(1));
    }
    let mut restored = Vec::new();
    for id in numbers
        .iter()
        .copied()
        .filter(|id| (1..u32::MAX).contains(&id.0))
    {
        match known.get(&id) {
            Some(record) if record.doomed || named.get(&id) == Some(&record.name) => {}
            Some(record) => NAMES.put(txn, record.name.as_str(), &id)?,
            None => {
                let name = named
                    .get(&id)
                    .cloned()
                    .map_or_else(|| free_name(txn, id), Ok)?;
                let (profile, language) = (profile.to_owned(), None);
                let name_again = name.clone();
                let record = Namespace {
                    id,
                    name,
                    created_at: now,
                    profile,
                    profile_version: 0,
                    language,
                    doomed: false,
                };
                SPACES.put(txn, id, &record)?;
                NAMES.put(txn, record.name.as_str(), &id)?;
                restored.push(name_again);
            }
        }
    }
    let last = LAST_SPACE.get(&*txn, ())?.unwrap_or(NamespaceId(0));
    if let Some(greatest) = numbers.last().filter(|greatest| **greatest > last) {
        LAST_SPACE.put(txn, (), greatest)?;
    }
    Ok(restored)
}

/// A name for a namespace that lost its own.
fn free_name(txn: &Transaction<'_>, id: NamespaceId) -> Result<NamespaceName, RecordError> {
    let mut name = format!("recovered-{}", id.0);
    while NAMES.contains(txn, name.as_str())? {
        name.push('+');
    }
    NamespaceName::new(name.as_str())
        .map_err(|_| NAMES.damaged(name.as_str(), "a name is not allowed").into())
}
