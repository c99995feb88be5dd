use crate::{MemoryId, Timestamp, UnitScore};

/// One of the two searches by which recall finds memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchPart {
    /// By the words of the question.
    Words,
    /// By its meaning.
    Meaning,
}

/// A question to a [`SearchBackend`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SearchQuestion<'a> {
    /// The name of the namespace; what is found elsewhere is passed over.
    pub namespace: &'a str,
    /// The question.
    pub text: &'a str,
    /// The question as a vector of the namespace's embedder, not normalised; `None` where it could
    /// not be had.
    pub vector: Option<&'a [f32]>,
    /// The moment by which a memory must have been stored; now when `None`.
    pub as_of: Option<Timestamp>,
    /// How many memories are wanted. More do no harm; what the filter of the question excludes is
    /// left out afterwards.
    pub limit: usize,
}

impl<'a> SearchQuestion<'a> {
    /// A question for so many memories.
    #[must_use]
    pub const fn new(namespace: &'a str, text: &'a str, limit: usize) -> Self {
        Self {
            namespace,
            text,
            vector: None,
            as_of: None,
            limit,
        }
    }
}

/// A memory that a [`SearchBackend`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchHit {
    /// Its id.
    pub id: MemoryId,
    /// How well it answers: the value of the feature `text` or `dense` of recall.
    pub score: UnitScore,
}

/// A search engine of one's own, in place of the built-in index of words or of vectors.
///
/// It says which memories are candidates and how well each answers. Everything else stays as it
/// is: filters, structure, the other features, the fusion by the profile's weights, and the
/// memories themselves, which are read from the file.
pub trait SearchBackend: Send + Sync {
    /// The search that it stands in for.
    fn part(&self) -> SearchPart;

    /// The best memories for a question, in any order; one that is named twice counts with its
    /// better score.
    ///
    /// # Errors
    /// When it cannot answer. The question is then answered by the built-in search, and the answer
    /// says why.
    fn search(&self, question: &SearchQuestion<'_>) -> Result<Vec<SearchHit>, BackendError>;
}

/// Why a [`SearchBackend`] has no answer.
#[derive(Debug, thiserror::Error)]
#[error("the search backend {what} failed")]
pub struct BackendError {
    /// The backend.
    pub what: String,
    /// The cause.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}
