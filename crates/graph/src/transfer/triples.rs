//! Triples by themselves, one JSON object each.

use annals_storage::Transaction;
use serde::{Deserialize, Serialize};

use crate::{Asserted, Assertion, ClaimEdit, GraphError, Scope, Supporter, assert_evidence};

/// A triple with the memories that say it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TripleLine {
    /// Its number, as text; not used when it is read.
    pub id: String,
    /// The name of its subject.
    pub subject: String,
    /// Its predicate.
    pub predicate: String,
    /// The name of its object.
    pub object: String,
    /// The memories that say it; at least one.
    pub source_memory_ids: Vec<String>,
    /// Its metadata.
    #[serde(default)]
    pub metadata: TripleMetadata,
    /// Whether a memory supports it; a field only where none does. Not used when it is read: the
    /// memories decide.
    #[serde(default = "visible", skip_serializing_if = "Clone::clone")]
    pub visible: bool,
}

const fn visible() -> bool {
    true
}

/// The parts of a triple beyond its positions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TripleMetadata {
    /// Whether it says that it is not so.
    pub negation: bool,
    /// How much, or how often.
    pub frequency: Option<String>,
    /// When it is so.
    pub condition: Option<String>,
}

/// Stores a triple with its evidence, for memories that `supporter` finds.
///
/// # Errors
/// [`GraphError::NoSupporter`] for a triple that no memory says; [`GraphError::NoMemory`] for a
/// memory that is not found; otherwise as [`assert_evidence`].
pub fn import_triple(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    line: &TripleLine,
    supporter: &dyn Fn(&str) -> Option<Supporter>,
) -> Result<Asserted, GraphError> {
    let find = |name: &String| supporter(name).ok_or_else(|| GraphError::no_memory(name));
    let supporters: Vec<Supporter> = line
        .source_memory_ids
        .iter()
        .map(find)
        .collect::<Result<_, _>>()?;
    let (subject, predicate, object) = (
        line.subject.as_str(),
        line.predicate.as_str(),
        line.object.as_str(),
    );
    let edit = ClaimEdit {
        degree: line.metadata.frequency.clone(),
        ..ClaimEdit::default()
    };
    let mut said = Assertion::new(subject, predicate, object).edit(edit);
    if line.metadata.negation {
        said = said.negated();
    }
    if let Some(condition) = &line.metadata.condition {
        said = said.condition(condition);
    }
    assert_evidence(txn, scope, &supporters, &[said])
}
