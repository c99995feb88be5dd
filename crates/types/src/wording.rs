use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Deserialize, Serialize};

/// What an error says, apart from its words: a program says it in its own language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wording {
    /// The name of what is said, such as `value-empty`.
    pub name: String,
    /// What stands in its places, by their names.
    pub places: BTreeMap<String, String>,
}

impl Wording {
    /// What is said, with its places filled.
    #[must_use]
    pub fn new(name: &str, places: &[(&str, &dyn Display)]) -> Self {
        let places = places
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.to_string()))
            .collect();
        Self {
            name: name.to_owned(),
            places,
        }
    }
}
