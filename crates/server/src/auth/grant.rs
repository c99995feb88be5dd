//! What a token lets its holder do.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use annals::NamespaceName;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ServeError;

/// A kind of call.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Right {
    /// See memories.
    Read,
    /// Add, edit, hide and bring back memories.
    Write,
    /// Delete for good.
    Delete,
    /// Namespaces, profiles, jobs and tokens.
    Admin,
}

impl Right {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Delete, Self::Admin];

    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Right {
    type Err = ServeError;

    fn from_str(word: &str) -> Result<Self, ServeError> {
        let found = Self::ALL.into_iter().find(|right| right.as_str() == word);
        found.ok_or_else(|| {
            ServeError::BadToken(format!(
                "{word:?} is no right; there are read, write, delete, admin"
            ))
        })
    }
}

/// The namespaces that a token reaches: one by its name, or with `*` at the end all whose names
/// begin so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scope {
    name: String,
    /// Whether it is the beginning of names.
    open: bool,
}

impl Scope {
    /// Every namespace.
    #[must_use]
    pub const fn all() -> Self {
        Self {
            name: String::new(),
            open: true,
        }
    }

    /// Whether a namespace is among them.
    #[must_use]
    pub fn covers(&self, namespace: &str) -> bool {
        if self.open {
            namespace.starts_with(&self.name)
        } else {
            namespace == self.name
        }
    }
}

impl FromStr for Scope {
    type Err = ServeError;

    fn from_str(text: &str) -> Result<Self, ServeError> {
        let (name, open) = match text.strip_suffix('*') {
            Some(beginning) => (beginning, true),
            None => (text, false),
        };
        if !open || !name.is_empty() {
            let checked = NamespaceName::new(name);
            checked.map_err(|error| ServeError::BadToken(error.to_string()))?;
        }
        Ok(Self {
            name: name.to_owned(),
            open,
        })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, if self.open { "*" } else { "" })
    }
}

impl TryFrom<String> for Scope {
    type Error = ServeError;

    fn try_from(text: String) -> Result<Self, ServeError> {
        text.parse()
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> Self {
        scope.to_string()
    }
}

/// What the holder of a token may do, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The namespaces.
    pub namespaces: BTreeSet<Scope>,
    /// The kinds of calls.
    pub rights: BTreeSet<Right>,
}

impl Grant {
    /// Everything.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            namespaces: BTreeSet::from([Scope::all()]),
            rights: Right::ALL.into(),
        }
    }

    pub(crate) fn allows(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }

    pub(crate) fn reaches(&self, namespace: &str) -> bool {
        self.namespaces.iter().any(|scope| scope.covers(namespace))
    }

    /// The namespace that it reaches, where it is one.
    pub(crate) fn only_namespace(&self) -> Option<String> {
        let mut all = self.namespaces.iter();
        match (all.next(), all.next()) {
            (Some(Scope { name, open: false }), None) => Some(name.clone()),
            _ => None,
        }
    }

    /// Whether it reaches every namespace.
    pub(crate) fn is_whole(&self) -> bool {
        self.namespaces.contains(&Scope::all())
    }
}

#[cfg(test)]
mod tests {
    use super::{Grant, Right, Scope};

    #[test]
    fn a_scope_covers_one_name_or_all_that_begin_so() {
        let scope = |text: &str| text.parse::<Scope>().unwrap();
        assert!(scope("user:1").covers("user:1") && !scope("user:1").covers("user:12"));
        assert!(scope("user:*").covers("user:12") && !scope("user:*").covers("users"));
        assert!(scope("*").covers("anything") && scope("*") == Scope::all());
        assert!("".parse::<Scope>().is_err() && " a".parse::<Scope>().is_err());
        assert_eq!(scope("user:*").to_string(), "user:*");
    }

    #[test]
    fn a_grant_lists_its_rights() {
        let grant = Grant {
            namespaces: ["user:1".parse().unwrap()].into(),
            rights: ["read".parse().unwrap()].into(),
        };
        assert!(grant.allows(Right::Read) && !grant.allows(Right::Write) && !grant.is_whole());
        assert!("root".parse::<Right>().is_err());
    }
}
