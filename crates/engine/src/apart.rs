//! Pairs of memories that somebody said are not one, so that nobody is asked again.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::Reads;
use annals_types::{Memory, MemoryId, NamespaceId, Row, Timestamp, Value};

use crate::decisions;
use crate::{DecisionQuestion, Error};

/// Memories that a question about them and one is settled for.
pub struct Apart {
    /// Those that one was taken to be the same as until somebody brought it back, or took the
    /// decision back.
    parted: BTreeSet<MemoryId>,
    /// Memories about which a no was given, or a yes taken back, and when: no judge is asked again
    /// until one of both changes.
    others: BTreeMap<MemoryId, Timestamp>,
    own: Timestamp,
}

impl Apart {
    pub fn of(
        reads: &dyn Reads,
        ns: NamespaceId,
        (row, own): (Row, &Memory),
        question: DecisionQuestion,
    ) -> Result<Self, Error> {
        let mut apart = Self {
            parted: BTreeSet::new(),
            others: BTreeMap::new(),
            own: own.stored_at,
        };
        if question == DecisionQuestion::Same {
            apart.parted = united_before(reads, ns, row)?;
        }
        // The newest first: an earlier answer is of no account.
        for (_, decided) in decisions::list(reads, ns, Some(own.id), usize::MAX)? {
            if decided.question != question {
                continue;
            }
            let others = decided
                .memories
                .iter()
                .copied()
                .filter(|other| *other != own.id);
            match decided.undone_at {
                Some(_)
                    if question == DecisionQuestion::Same && decided.answer == decisions::YES =>
                {
                    apart.parted.extend(others);
                }
                Some(at) if decided.answer == decisions::YES => {
                    others.for_each(|other| apart.settle(other, at))
                }
                None if decided.answer == decisions::NO => {
                    others.for_each(|other| apart.settle(other, decided.at))
                }
                _ => {}
            }
        }
        Ok(apart)
    }

    fn settle(&mut self, other: MemoryId, at: Timestamp) {
        self.others.entry(other).or_insert(at);
    }

    /// Whether it is settled for another memory, as both are now.
    pub fn holds(&self, other: &Memory) -> bool {
        let told = self
            .others
            .get(&other.id)
            .is_some_and(|at| self.own <= *at && other.stored_at <= *at);
        told || self.parted.contains(&other.id)
    }
}

/// Whether a link says that the memories at its ends were made one.
pub(crate) fn is_union(link: &annals_graph::LinkView) -> bool {
    link.metadata.get("duplicate") == Some(&Value::Bool(true))
}

/// The memories that one was united with by a night; that one is there again says that they are
/// two.
fn united_before(
    reads: &dyn Reads,
    ns: NamespaceId,
    row: Row,
) -> Result<BTreeSet<MemoryId>, Error> {
    let links = annals_graph::links(reads, ns, row)?;
    let ends = links
        .iter()
        .filter(|link| is_union(link))
        .flat_map(|link| [link.link.from, link.link.to]);
    let rows: Vec<Row> = ends.filter(|end| *end != row).collect();
    Ok(annals_records::ids_of(reads, ns, &rows)?
        .into_iter()
        .flatten()
        .collect())
}
