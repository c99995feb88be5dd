use crate::Wording;

/// A value that cannot be built, with what was wrong and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidValue {
    /// A text that must say something is empty or only white space.
    #[error("{field} is empty; give at least one visible character")]
    Empty {
        /// The name of the field.
        field: &'static str,
    },
    /// A text is longer than allowed.
    #[error("{field} has {bytes} bytes; at most {limit} are allowed")]
    TooLong {
        /// The name of the field.
        field: &'static str,
        /// Length of the given text, in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Too many items in a list.
    #[error("{field} has {count} entries; at most {limit} are allowed")]
    TooMany {
        /// The name of the field.
        field: &'static str,
        /// The given number.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A label holds a control character or leading or trailing white space.
    #[error(
        "{field} {value:?} holds a control character or starts or ends with white space; remove it"
    )]
    BadLabel {
        /// The name of the field.
        field: &'static str,
        /// The given text, shortened.
        value: String,
    },
    /// A word that is none of the listed ones.
    #[error("{field} {value:?} is unknown; it must be one of {allowed}")]
    Unknown {
        /// The name of the field.
        field: &'static str,
        /// The given word, shortened.
        value: String,
        /// The allowed words.
        allowed: &'static str,
    },
    /// A number outside its range, or not a number.
    #[error("{field} is {value}; it must be a number from {min} to {max}")]
    OutOfRange {
        /// The name of the field.
        field: &'static str,
        /// The given number.
        value: f64,
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// A date that cannot be read.
    #[error(
        "{value:?} is no date and time; write it like 2026-01-03, 2026-01-03T18:00:00 or 2026-01-03T18:00:00+01:00"
    )]
    BadTime {
        /// The given text, shortened.
        value: String,
    },
    /// An id that cannot be read.
    #[error("{value:?} is no memory id; ids look like 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e")]
    BadId {
        /// The given text, shortened.
        value: String,
    },
    /// An interval that ends before it begins.
    #[error("{field} ends ({end}) before it begins ({start})")]
    Backwards {
        /// The name of the interval.
        field: &'static str,
        /// Its start.
        start: crate::Timestamp,
        /// Its end.
        end: crate::Timestamp,
    },
    /// Metadata nested deeper than allowed.
    #[error("metadata {key:?} is nested more than {limit} levels deep")]
    TooDeep {
        /// The top-level key.
        key: String,
        /// The limit.
        limit: usize,
    },
}

impl InvalidValue {
    /// What it says, apart from its words.
    #[must_use]
    pub fn wording(&self) -> Wording {
        let quoted = |value: &String| format!("{value:?}");
        match self {
            Self::Empty { field } => Wording::new("value-empty", &[("field", field)]),
            Self::TooLong {
                field,
                bytes,
                limit,
            } => Wording::new(
                "value-too-long",
                &[("field", field), ("bytes", bytes), ("limit", limit)],
            ),
            Self::TooMany {
                field,
                count,
                limit,
            } => Wording::new(
                "value-too-many",
                &[("field", field), ("count", count), ("limit", limit)],
            ),
            Self::BadLabel { field, value } => Wording::new(
                "value-bad-label",
                &[("field", field), ("value", &quoted(value))],
            ),
            Self::Unknown {
                field,
                value,
                allowed,
            } => Wording::new(
                "value-unknown",
                &[
                    ("field", field),
                    ("value", &quoted(value)),
                    ("allowed", allowed),
                ],
            ),
            Self::OutOfRange {
                field,
                value,
                min,
                max,
            } => Wording::new(
                "value-out-of-range",
                &[
                    ("field", field),
                    ("value", value),
                    ("min", min),
                    ("max", max),
                ],
            ),
            Self::BadTime { value } => Wording::new("value-bad-time", &[("value", &quoted(value))]),
            Self::BadId { value } => Wording::new("value-bad-id", &[("value", &quoted(value))]),
            Self::Backwards { field, start, end } => Wording::new(
                "value-backwards",
                &[("field", field), ("start", start), ("end", end)],
            ),
            Self::TooDeep { key, limit } => {
                Wording::new("value-too-deep", &[("key", &quoted(key)), ("limit", limit)])
            }
        }
    }
}

/// The first characters of an untrusted text, for an error message.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut out: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}
