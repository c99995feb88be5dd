//! The meanings of the names of entities.

use annals_graph::{Embedding, EntityId, GraphError, Similarity, each_embedding};
use annals_storage::Reads;
use annals_types::profile::VectorSettings;
use annals_types::{NamespaceId, Row};
use annals_vector::{Index, Query, Shape};

use crate::RecallError;

/// The embeddings of the entities of one namespace, compared one by one: 10,000 of 256 numbers
/// take 2.5 MiB and about 0.2 ms a search.
#[derive(Debug, Clone)]
pub struct Nodes(Index);

impl Nodes {
    /// None yet, of vectors of one shape.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self(Index::new(shape, VectorSettings::default()))
    }

    /// All embeddings of that shape that the graph holds.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn load(reads: &dyn Reads, ns: NamespaceId, shape: Shape) -> Result<Self, RecallError> {
        let mut nodes = Self::new(shape);
        let mut failed = Ok(());
        each_embedding(reads, ns, &mut |id, embedding| {
            if embedding.dims() == shape.dims() && failed.is_ok() {
                failed = nodes.add(id, &embedding);
            }
            Ok(())
        })?;
        failed.map(|()| nodes)
    }

    /// Adds the embedding of an entity.
    ///
    /// # Errors
    /// When it is of another shape, or the entity has one already.
    pub fn add(&mut self, id: EntityId, embedding: &Embedding) -> Result<(), RecallError> {
        let shape = self.0.shape();
        let code = match embedding {
            Embedding::I8(codes) => {
                let bytes: Vec<u8> = codes.iter().map(|code| code.cast_unsigned()).collect();
                shape.decode(&bytes)?
            }
            Embedding::F32(numbers) => shape.encode(numbers)?,
            _ => return Ok(()),
        };
        Ok(self.0.append(Row(id.0), &code)?)
    }

    /// The entities nearest to a question with their cosines, the nearest first.
    pub(crate) fn nearest_to(&self, query: &Query, k: usize) -> Vec<(EntityId, f32)> {
        let hits = self.0.search_exact(query, k, |_| true);
        hits.into_iter()
            .map(|hit| (EntityId(hit.row.0), hit.cosine))
            .collect()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl Similarity for Nodes {
    fn nearest(&self, entity: EntityId, k: usize) -> Result<Vec<(EntityId, f64)>, GraphError> {
        let own = Row(entity.0);
        let Some(query) = self.0.query_of(own) else {
            return Ok(Vec::new());
        };
        let hits = self.0.search_exact(&query, k, |row| row != own);
        Ok(hits
            .into_iter()
            .map(|hit| (EntityId(hit.row.0), f64::from(hit.cosine.max(0.0))))
            .collect())
    }

    fn between(&self, one: EntityId, other: EntityId) -> Result<Option<f64>, GraphError> {
        Ok(self
            .0
            .between(Row(one.0), Row(other.0))
            .map(|cosine| f64::from(cosine.max(0.0))))
    }
}
