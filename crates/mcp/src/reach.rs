use annals::{InvalidValue, NamespaceName};

/// What may be done in the namespaces that are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Memories are read; nothing is stored, changed or counted as used. Tools that do are not
    /// offered.
    Read,
    /// Everything that tools do.
    Write,
}

/// The namespaces that a server reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Each with the scope by which a model names it; the first takes what is stored without one.
    places: Vec<(&'static str, String)>,
}

/// The scope of a project.
const PROJECT: &str = "project";
/// The scope of the user.
const USER: &str = "user";

impl Reach {
    /// One namespace.
    ///
    /// # Errors
    /// [`InvalidValue`] for a name that no namespace may have.
    pub fn one(namespace: &str) -> Result<Self, InvalidValue> {
        NamespaceName::new(namespace)?;
        Ok(Self {
            places: vec![("", namespace.to_owned())],
        })
    }

    /// A project and its user: both are recalled together, and what is stored goes to the project
    /// unless it is said to be about the user.
    ///
    /// # Errors
    /// [`InvalidValue`] for a name that no namespace may have.
    pub fn project(project: &str, user: &str) -> Result<Self, InvalidValue> {
        let places = [(PROJECT, project), (USER, user)];
        for (_, name) in places {
            NamespaceName::new(name)?;
        }
        Ok(Self {
            places: places.map(|(scope, name)| (scope, name.to_owned())).into(),
        })
    }

    /// The names, the one that takes new memories first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|(_, name)| name.as_str())
    }

    /// The first of the names.
    #[must_use]
    pub fn first(&self) -> &str {
        self.names().next().unwrap_or_default()
    }

    /// The scopes that a model may name; none for one namespace.
    pub(crate) fn scopes(&self) -> Vec<&'static str> {
        self.places
            .iter()
            .map(|(scope, _)| *scope)
            .filter(|scope| !scope.is_empty())
            .collect()
    }

    /// The namespace of a scope.
    pub(crate) fn of_scope(&self, scope: &str) -> Option<&str> {
        self.places
            .iter()
            .find(|(known, _)| *known == scope && !scope.is_empty())
            .map(|(_, name)| name.as_str())
    }

    /// The scope of a namespace, where a model tells them apart.
    pub(crate) fn scope_of(&self, namespace: &str) -> Option<&'static str> {
        let found = self.places.iter().find(|(_, name)| name == namespace)?;
        Some(found.0).filter(|scope| !scope.is_empty())
    }
}
