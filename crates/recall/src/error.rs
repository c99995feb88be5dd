use annals_graph::GraphError;
use annals_records::RecordError;
use annals_text::TextError;
use annals_types::InvalidValue;
use annals_vector::VectorError;

/// Why a question could not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The question is not allowed.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// The text index could not be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The vector of the question does not fit.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The graph could not be read, or a relation is unknown.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Records could not be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl RecallError {
    /// Whether index and storage snapshot were taken at different moments; take both again.
    #[must_use]
    pub const fn is_outdated(&self) -> bool {
        matches!(self, Self::Text(TextError::Outdated))
    }
}
