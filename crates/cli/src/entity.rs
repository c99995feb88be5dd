//! Entities as a person names them: by name, or by number.

use annals::Missing;
use annals::blocking::Namespace;
use annals::graph::{Entity, EntityId, EntityRef};

use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// `#7` is a number, everything else a name.
pub(crate) fn entity(text: &str) -> EntityRef {
    let number = text
        .strip_prefix('#')
        .and_then(|number| number.parse().ok());
    number.map_or_else(
        || EntityRef::from(text),
        |number| EntityRef::Id(EntityId(number)),
    )
}

/// The same where a name without an entity is a mistake.
pub(crate) fn known(namespace: &Namespace, which: &str) -> Result<EntityRef, Failure> {
    let meant = entity(which);
    match &meant {
        EntityRef::Name(name) if namespace.graph().entities(name)?.is_empty() => Err(nobody(name)),
        _ => Ok(meant),
    }
}

/// A name that an entity is to have: one by which it is found again.
pub(crate) fn name(text: &str) -> Result<&str, Failure> {
    match entity(text) {
        EntityRef::Name(_) => Ok(text),
        EntityRef::Id(_) => Err(Failure::invalid(text!(
            "graph-number-no-name",
            text = format!("{text:?}")
        ))
        .advice(text!("graph-number-no-name-advice"))),
    }
}

/// The one entity that is meant.
pub(crate) fn one(namespace: &Namespace, which: &str) -> Result<Entity, Failure> {
    let name = match entity(which) {
        EntityRef::Id(id) => return numbered(namespace, id),
        EntityRef::Name(name) => name,
    };
    only(namespace, &name)?.ok_or_else(|| nobody(&name))
}

/// The only entity of a name, if there is one; a name of several is a mistake.
pub(crate) fn only(namespace: &Namespace, name: &str) -> Result<Option<Entity>, Failure> {
    let mut found = namespace.graph().entities(name)?;
    let numbers: Vec<String> = found
        .iter()
        .map(|entity| format!("#{}", entity.id.0))
        .collect();
    match (found.pop(), found.is_empty()) {
        (last, true) => Ok(last),
        _ => Err(Failure::invalid(text!(
            "graph-several-called",
            count = numbers.len(),
            name = format!("{:?}", visible::line(name))
        ))
        .advice(text!("graph-name-one-of", numbers = numbers.join(", ")))),
    }
}

/// The entity of a number.
fn numbered(namespace: &Namespace, id: EntityId) -> Result<Entity, Failure> {
    let found = namespace
        .graph()
        .list_entities(id.0.checked_sub(1).map(EntityId), 1)?;
    let found = found.into_iter().find(|entity| entity.id == id);
    found.ok_or_else(|| Failure::missing(Missing::Entity, text!("graph-no-number", id)))
}

pub(crate) fn nobody(name: &str) -> Failure {
    Failure::missing(
        Missing::Entity,
        text!("graph-nobody", name = format!("{:?}", visible::line(name))),
    )
}

/// Number and name of an entity.
pub(crate) fn called(entity: &Entity) -> String {
    format!("#{} {}", entity.id.0, visible::line(&entity.name))
}
