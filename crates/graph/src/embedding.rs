use std::ops::ControlFlow;

use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put};
use annals_storage::{Reads, Transaction};
use annals_types::{InvalidValue, NamespaceId};
use serde::{Deserialize, Serialize};

use crate::ledger::Ledger;
use crate::tables::{ENTITIES, VECTORS};
use crate::{EntityId, GraphError};

/// The most numbers that an embedding may have.
pub const MAX_DIMS: usize = 4096;

/// Numbers that stand for what an entity means. The graph stores them and compares them only when
/// asked to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Embedding {
    /// As single-precision numbers.
    F32(Vec<f32>),
    /// As codes; their scale is not kept.
    I8(Vec<i8>),
}

impl Embedding {
    /// How many numbers it has.
    #[must_use]
    pub fn dims(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::I8(codes) => codes.len(),
        }
    }

    /// The cosine of two embeddings, -1 to 1; `None` when they differ in length or one is all
    /// zeros.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> Option<f64> {
        if self.dims() != other.dims() {
            return None;
        }
        let (mut dot, mut a, mut b) = (0.0, 0.0, 0.0);
        for (x, y) in self.numbers().zip(other.numbers()) {
            dot += x * y;
            a += x * x;
            b += y * y;
        }
        let norm = f64::sqrt(a * b);
        (norm > 0.0).then(|| (dot / norm).clamp(-1.0, 1.0))
    }

    fn numbers(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::F32(numbers) => Box::new(numbers.iter().map(|number| f64::from(*number))),
            Self::I8(codes) => Box::new(codes.iter().map(|code| f64::from(*code))),
        }
    }

    pub(crate) fn check(&self) -> Result<(), GraphError> {
        let field = "embedding";
        if self.dims() == 0 {
            return Err(InvalidValue::Empty { field }.into());
        }
        if self.dims() > MAX_DIMS {
            return Err(InvalidValue::TooMany {
                field,
                count: self.dims(),
                limit: MAX_DIMS,
            }
            .into());
        }
        if let Some(value) = self.numbers().find(|number| !number.is_finite()) {
            let (min, max) = (f64::from(f32::MIN), f64::from(f32::MAX));
            return Err(InvalidValue::OutOfRange {
                field,
                value,
                min,
                max,
            }
            .into());
        }
        Ok(())
    }
}

/// A byte for the form (0 f32, 1 i8), then the numbers, little-endian.
impl Value for Embedding {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.reserve(1 + 4 * view.dims());
        match view {
            Self::F32(numbers) => {
                put.byte(0);
                numbers
                    .iter()
                    .for_each(|number| put.raw(&number.to_le_bytes()));
            }
            Self::I8(codes) => {
                put.byte(1);
                codes.iter().for_each(|code| put.byte(code.cast_unsigned()));
            }
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        match body.split_first() {
            Some((0, rest)) => {
                let (chunks, left) = rest.as_chunks::<4>();
                if !left.is_empty() {
                    return Err(Broken("an embedding ends within a number"));
                }
                Ok(Self::F32(
                    chunks
                        .iter()
                        .map(|bytes| f32::from_le_bytes(*bytes))
                        .collect(),
                ))
            }
            Some((1, rest)) => Ok(Self::I8(
                rest.iter().map(|byte| byte.cast_signed()).collect(),
            )),
            _ => Err(Broken("an embedding has an unknown form")),
        }
    }
}

/// The embeddings of some entities, as stored with these very numbers, in the order asked. One
/// round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn embeddings(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[EntityId],
) -> Result<Vec<Option<Embedding>>, GraphError> {
    Ok(VECTORS.get_many(reads, ids.iter().map(|id| (ns, *id)))?)
}

/// Visits all embeddings of a namespace, in the order of the numbers of their entities; entities
/// that were merged into others have theirs still. One round of reads.
///
/// # Errors
/// When they cannot be read, or whatever `visit` answers.
pub fn each_embedding(
    reads: &dyn Reads,
    ns: NamespaceId,
    visit: &mut dyn FnMut(EntityId, Embedding) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    VECTORS.scan(reads, VECTORS.within(ns), |(_, id), embedding| {
        visit(id, embedding)?;
        Ok(ControlFlow::Continue(()))
    })
}

/// Whether a transaction set or removed an embedding.
#[must_use]
pub fn embeddings_changed(txn: &Transaction<'_>) -> bool {
    txn.changed(VECTORS.keyspace())
}

/// Whether a transaction set an embedding that it did not remove again.
#[must_use]
pub fn embeddings_added(txn: &Transaction<'_>) -> bool {
    txn.added(VECTORS.keyspace())
}

/// The entities of a namespace that a transaction removed.
#[must_use]
pub fn entities_removed(txn: &Transaction<'_>, ns: NamespaceId) -> Vec<EntityId> {
    let keys = txn.removed(ENTITIES.keyspace());
    let own = keys
        .into_iter()
        .filter_map(|key| ENTITIES.parse(key))
        .filter(|(of, _)| *of == ns);
    own.map(|(_, id)| id).collect()
}

/// Gives an entity an embedding, or takes it away.
///
/// # Errors
/// [`GraphError::NoEntity`]; [`GraphError::Invalid`] for an embedding that is empty, too long or
/// not finite.
pub fn set_embedding(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    id: EntityId,
    embedding: Option<&Embedding>,
) -> Result<(), GraphError> {
    if let Some(embedding) = embedding {
        embedding.check()?;
    }
    let mut ledger = Ledger::open(txn, ns)?;
    ledger.load_entities([id])?;
    ledger
        .entity(id)
        .map_err(|_| GraphError::NoEntity { entity: id })?;
    match embedding {
        Some(embedding) => ledger.put(&VECTORS, (ns, id), embedding)?,
        None => ledger.delete(&VECTORS, (ns, id)),
    }
    ledger.finish()?.write(txn)
}
