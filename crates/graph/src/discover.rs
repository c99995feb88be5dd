//! Memories that may have to do with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::profile::GraphSettings;
use annals_types::{NamespaceId, Row, Timestamp};

use crate::label::{LabelClass, label_numbers};
use crate::ledger::Ledger;
use crate::roster::members;
use crate::tables::{LINKS, Side};
use crate::{EntityId, GraphError, LabelId};

/// An entity of which several memories speak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The entity.
    pub entity: EntityId,
    /// The memories, at least two, rising.
    pub rows: Vec<Row>,
}

/// The entities of which at least two of some memories speak, by their numbers. Those of the
/// settings' common kinds, and those with more edges than the settings let a bridge have, are left
/// out.
///
/// # Errors
/// When the storage fails.
pub fn shared_entities(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &GraphSettings,
    rows: &[Row],
) -> Result<Vec<Shared>, GraphError> {
    let kinds: Vec<&str> = settings.common_kinds.iter().map(String::as_str).collect();
    let common = label_numbers(reads, ns, LabelClass::Kind, &kinds)?;
    let common: BTreeSet<LabelId> = common.into_iter().flatten().collect();
    let members = members(reads, ns, rows)?;
    let mut ledger = Ledger::reader(reads, ns);
    ledger.load_triples(
        members
            .iter()
            .flat_map(|member| member.supports.iter().copied()),
    )?;
    let ends = |ledger: &Ledger<'_>| -> Vec<EntityId> {
        let records = ledger.triples.values().filter_map(|slot| slot.after);
        records
            .flat_map(|record| [record.subject, record.object])
            .collect()
    };
    ledger.load_entities(ends(&ledger))?;
    let mut speakers: BTreeMap<EntityId, BTreeSet<Row>> = BTreeMap::new();
    for (row, member) in rows.iter().zip(&members) {
        for triple in &member.supports {
            let record = *ledger.triple(*triple)?;
            for end in [record.subject, record.object] {
                speakers
                    .entry(ledger.root(end, true)?)
                    .or_default()
                    .insert(*row);
            }
        }
    }
    let mut shared = Vec::new();
    for (entity, rows) in speakers {
        let record = ledger.entity(entity)?;
        let bridge =
            record.edges <= settings.expand.max_degree && !common.contains(&LabelId(record.kind));
        if bridge && rows.len() > 1 {
            shared.push(Shared {
                entity,
                rows: rows.into_iter().collect(),
            });
        }
    }
    Ok(shared)
}

/// Pairs of memories to be linked because they share an entity: those that speak of it are
/// chained, each with the next one. A pair that is linked in any way is left out, and no pair is
/// told twice.
///
/// # Errors
/// When the storage fails.
pub fn related_pairs(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &GraphSettings,
    rows: &[Row],
) -> Result<Vec<(Row, Row)>, GraphError> {
    let mut pairs = BTreeSet::new();
    for shared in shared_entities(reads, ns, settings, rows)? {
        pairs.extend(
            shared
                .rows
                .windows(2)
                .filter_map(|pair| Some((*pair.first()?, *pair.last()?))),
        );
    }
    unlinked(reads, ns, &pairs.into_iter().collect::<Vec<_>>())
}

/// Those of some pairs of memories that no link connects, either way, in their order. One round of
/// reads.
///
/// # Errors
/// When the storage fails.
pub fn unlinked(
    reads: &dyn Reads,
    ns: NamespaceId,
    pairs: &[(Row, Row)],
) -> Result<Vec<(Row, Row)>, GraphError> {
    let firsts: BTreeSet<Row> = pairs.iter().map(|(one, _)| *one).collect();
    let ranges: Vec<KeyRange> = firsts
        .iter()
        .flat_map(|row| Side::BOTH.map(|side| LINKS.within((ns, *row, side)).into()))
        .collect();
    let mut linked = BTreeSet::new();
    LINKS.scan_many(reads, &ranges, |_, (_, row, _, _, other), _| {
        linked.insert((row, other));
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    Ok(pairs
        .iter()
        .copied()
        .filter(|pair| !linked.contains(pair))
        .collect())
}

/// Pairs of memories that follow each other and are at most so many seconds apart, in the order of
/// time.
#[must_use]
pub fn near_in_time(moments: &[(Row, Timestamp)], within_seconds: u32) -> Vec<(Row, Row)> {
    let mut moments = moments.to_vec();
    moments.sort_unstable_by_key(|(row, time)| (*time, *row));
    let near = |pair: &[(Row, Timestamp)]| {
        let [(one, earlier), (other, later)] = pair else {
            return None;
        };
        (later.millis_since(*earlier) <= i64::from(within_seconds) * 1000).then_some((*one, *other))
    };
    moments.windows(2).filter_map(near).collect()
}
