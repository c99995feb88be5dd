//! Which triples were supported at a time, by their evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::{NamespaceId, Row};

use crate::query::View;
use crate::record::{EvidenceRecord, RowRecord};
use crate::tables::EVIDENCE;
use crate::{GraphError, TripleId, roster};

/// The range of a triple's evidence.
pub(crate) fn behind(ns: NamespaceId, triple: TripleId) -> KeyRange {
    EVIDENCE
        .within((ns, triple))
        .from((ns, triple, Row(0)))
        .into()
}

/// The evidence of some triples; one round of reads.
pub(crate) fn evidence(
    reads: &dyn Reads,
    ns: NamespaceId,
    triples: &[TripleId],
) -> Result<Vec<Vec<(Row, EvidenceRecord)>>, GraphError> {
    let ranges: Vec<_> = triples.iter().map(|id| behind(ns, *id)).collect();
    let mut found = vec![Vec::new(); triples.len()];
    EVIDENCE.scan_many(reads, &ranges, |range, (_, _, row), record| {
        if let Some(found) = found.get_mut(range) {
            found.push((row, record));
        }
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Some evidence with the memories that it comes from.
pub(crate) struct Witnesses {
    pub(crate) evidence: Vec<Vec<(Row, EvidenceRecord)>>,
    pub(crate) rows: BTreeMap<Row, RowRecord>,
}

impl Witnesses {
    /// Two rounds of reads.
    pub(crate) fn load(
        reads: &dyn Reads,
        ns: NamespaceId,
        triples: &[TripleId],
    ) -> Result<Self, GraphError> {
        let evidence = evidence(reads, ns, triples)?;
        let rows: BTreeSet<Row> = evidence.iter().flatten().map(|(row, _)| *row).collect();
        let rows: Vec<Row> = rows.into_iter().collect();
        let records = roster::records(reads, ns, &rows)?;
        let rows = rows
            .into_iter()
            .zip(records)
            .filter_map(|(row, record)| Some((row, record?)))
            .collect();
        Ok(Self { evidence, rows })
    }

    /// Whether a memory's evidence counts in a view.
    pub(crate) fn counts(&self, view: &View, row: Row, record: &EvidenceRecord) -> bool {
        let Some(state) = self.rows.get(&row) else {
            return false;
        };
        let supports = match view.as_of {
            Some(moment) => record.born <= moment && state.supported_at(moment),
            None => state.supports(),
        };
        supports && view.valid_at.is_none_or(|at| record.holds_at(at))
    }
}

impl EvidenceRecord {
    /// Whether what it says holds at a time: from its beginning, and before its end.
    fn holds_at(&self, moment: annals_types::Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= moment)
            && self.valid_until.is_none_or(|until| moment < until)
    }
}

/// Which of some triples a view sees supported.
pub(crate) fn held(
    reads: &dyn Reads,
    ns: NamespaceId,
    triples: &[TripleId],
    view: &View,
) -> Result<BTreeSet<TripleId>, GraphError> {
    let witnesses = Witnesses::load(reads, ns, triples)?;
    let held = |list: &Vec<(Row, EvidenceRecord)>| {
        list.iter()
            .any(|(row, record)| witnesses.counts(view, *row, record))
    };
    Ok(triples
        .iter()
        .zip(&witnesses.evidence)
        .filter(|(_, list)| held(list))
        .map(|(id, _)| *id)
        .collect())
}
