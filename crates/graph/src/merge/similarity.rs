use annals_storage::Reads;
use annals_types::NamespaceId;

use crate::{Embedding, Entity, EntityId, GraphError, embeddings};

/// How similar entities are, as the caller sees it.
pub trait Similarity {
    /// The `k` entities most similar to one, the best first, with their similarity from 0 to 1.
    /// May hold the entity itself.
    ///
    /// # Errors
    /// When it cannot be found out; [`GraphError::Caller`] carries errors of other layers.
    fn nearest(&self, entity: EntityId, k: usize) -> Result<Vec<(EntityId, f64)>, GraphError>;

    /// The similarity of two entities, 0 to 1; `None` when nothing is known of one of them.
    ///
    /// # Errors
    /// As above.
    fn between(&self, one: EntityId, other: EntityId) -> Result<Option<f64>, GraphError>;

    /// Entities that may be merged and whose names have such a
    /// [form](annals_language::names::Forms::of); none where there is no index of forms.
    fn of_form(&self, _form: &str) -> Vec<EntityId> {
        Vec::new()
    }

    /// Whether a merge of such entities was taken back: they stay two, whatever speaks for one.
    fn parted(&self, _one: &Entity, _other: &Entity) -> bool {
        false
    }
}

/// Cosines of stored embeddings, each compared with each: for some thousand entities.
#[derive(Debug, Clone, Default)]
pub struct Embedded(std::collections::BTreeMap<EntityId, Embedding>);

impl Embedded {
    /// Some embeddings; of two for one entity the later one counts.
    pub fn new(embeddings: impl IntoIterator<Item = (EntityId, Embedding)>) -> Self {
        Self(embeddings.into_iter().collect())
    }

    /// The embeddings of some entities; those without one are left out. One round of reads.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn load(reads: &dyn Reads, ns: NamespaceId, ids: &[EntityId]) -> Result<Self, GraphError> {
        let found = embeddings(reads, ns, ids)?;
        Ok(Self::new(
            ids.iter()
                .zip(found)
                .filter_map(|(id, embedding)| Some((*id, embedding?))),
        ))
    }
}

impl Similarity for Embedded {
    fn nearest(&self, entity: EntityId, k: usize) -> Result<Vec<(EntityId, f64)>, GraphError> {
        let Some(wanted) = self.0.get(&entity) else {
            return Ok(Vec::new());
        };
        let near = |(id, embedding): (&EntityId, &Embedding)| {
            Some((*id, wanted.cosine(embedding)?.max(0.0)))
        };
        let mut near: Vec<(EntityId, f64)> = self
            .0
            .iter()
            .filter(|(id, _)| **id != entity)
            .filter_map(near)
            .collect();
        near.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        near.truncate(k);
        Ok(near)
    }

    fn between(&self, one: EntityId, other: EntityId) -> Result<Option<f64>, GraphError> {
        let both = self.0.get(&one).zip(self.0.get(&other));
        Ok(both
            .and_then(|(one, other)| one.cosine(other))
            .map(|cosine| cosine.max(0.0)))
    }
}
