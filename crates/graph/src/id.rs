//! Numbers of what a namespace holds. Given once, never reused.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, " {}"), self.0)
            }
        }
    };
}

number! {
    /// The dense number of an entity within its namespace.
    EntityId, "entity"
}
number! {
    /// The dense number of a triple within its namespace.
    TripleId, "triple"
}
number! {
    /// The number of a word that many things share: a predicate, a condition, a kind, a relation.
    LabelId, "label"
}
number! {
    /// The number of a merge of two entities within its namespace.
    MergeId, "merge"
}

/// The qualifier of a triple among those with the same ends and predicate: negation and condition.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub(crate) struct Qualifier(pub(crate) u32);

impl Qualifier {
    /// `None` when the number of the condition does not fit beside the negation.
    pub(crate) fn new(negated: bool, condition: Option<LabelId>) -> Option<Self> {
        let condition = condition.map_or(0, |label| label.0);
        condition
            .checked_mul(2)
            .map(|shifted| Self(shifted | u32::from(negated)))
    }

    pub(crate) fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn condition(self) -> Option<LabelId> {
        (self.0 > 1).then_some(LabelId(self.0 >> 1))
    }
}
