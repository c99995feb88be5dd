//! Memories that were derived from others.

use annals_storage::{Reads, Transaction};
use annals_types::{NamespaceId, Row};

use crate::ledger::Ledger;
use crate::tables::{DERIVED, SOURCES};
use crate::{GraphError, link, roster};

/// Says which memories one was derived from. It goes with the last of them, see
/// [`erase`](crate::erase). Circles are allowed: each of their members counts as a source until it
/// is deleted itself.
///
/// # Errors
/// [`GraphError::NoRow`] for a memory that the graph does not know; [`GraphError::SelfTie`].
pub fn derive(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    derived: Row,
    sources: &[Row],
) -> Result<(), GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let all: Vec<Row> = std::iter::once(derived)
        .chain(sources.iter().copied())
        .collect();
    link::known(&ledger, &all)?;
    if sources.contains(&derived) {
        return Err(GraphError::SelfTie { row: derived });
    }
    for source in sources {
        ledger.put(&SOURCES, (ns, derived, (), *source), &())?;
        ledger.put(&DERIVED, (ns, *source, (), derived), &())?;
    }
    ledger.finish()?.write(txn)
}

/// The memories that some were derived from, and those derived from them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Derivation {
    /// Its sources.
    pub sources: Vec<Row>,
    /// The memories derived from it.
    pub derived: Vec<Row>,
}

/// The derivations of some memories, in the order asked. One round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn derivations(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Derivation>, GraphError> {
    let members = roster::members(reads, ns, rows)?;
    Ok(members
        .into_iter()
        .map(|m| Derivation {
            sources: m.sources,
            derived: m.derived,
        })
        .collect())
}
