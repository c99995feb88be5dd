use std::collections::BTreeMap;

use annals_types::MemoryId;

/// Protection of a memory from being taken away by an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hold {
    /// Nothing.
    #[default]
    None,
    /// It goes only when the same answer puts something in its place; otherwise a person is asked.
    NeedsReplacement,
    /// It never goes because of an answer.
    Never,
}

/// The short names under which memories were shown in one prompt. An answer can name these and no
/// others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    shown: Vec<(String, MemoryId, Hold)>,
    by_name: BTreeMap<String, usize>,
}

impl Aliases {
    /// Nothing was shown.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Names memories by a prefix and their number from 1 on: `mem_1`, `mem_2` ...
    #[must_use]
    pub fn numbered(prefix: &str, ids: impl IntoIterator<Item = MemoryId>) -> Self {
        let mut aliases = Self::default();
        for (at, id) in ids.into_iter().enumerate() {
            aliases.add(format!("{prefix}{}", at.saturating_add(1)), id, Hold::None);
        }
        aliases
    }

    /// Adds a memory under a name of the caller's choice. A name that is taken keeps its first
    /// memory.
    pub fn add(&mut self, name: impl Into<String>, id: MemoryId, hold: Hold) {
        let name = name.into();
        let at = self.shown.len();
        self.by_name.entry(fold(&name)).or_insert(at);
        self.shown.push((name, id, hold));
    }

    /// The memory of a name, as an answer writes it: white space around it and case do not count.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<MemoryId> {
        let at = *self.by_name.get(&fold(name))?;
        self.shown.get(at).map(|(_, id, _)| *id)
    }

    /// The name of a memory.
    #[must_use]
    pub fn name(&self, id: MemoryId) -> Option<&str> {
        self.shown
            .iter()
            .find(|(_, known, _)| *known == id)
            .map(|(name, ..)| name.as_str())
    }

    /// The hold on a memory; none for one that was not shown.
    #[must_use]
    pub fn hold(&self, id: MemoryId) -> Hold {
        self.shown
            .iter()
            .find(|(_, known, _)| *known == id)
            .map_or(Hold::None, |(.., hold)| *hold)
    }

    /// Names and memories in the order in which they were shown.
    pub fn iter(&self) -> impl Iterator<Item = (&str, MemoryId)> {
        self.shown.iter().map(|(name, id, _)| (name.as_str(), *id))
    }
}

fn fold(name: &str) -> String {
    name.trim().to_lowercase()
}
