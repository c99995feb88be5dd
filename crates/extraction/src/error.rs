use annals_types::InvalidValue;

/// Why something of the language side could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractionError {
    /// A value that no memory can hold.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
}
