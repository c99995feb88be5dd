//! Memories and namespaces that a command names.

use annals::blocking::{Memory, Namespace};
use annals::{MemoryId, Missing, Status};

use crate::app::{Access, App, Record};
use crate::failure::Failure;
use crate::texts::text;

/// The memory, or the error that names it.
pub(crate) fn memory(namespace: &Namespace, id: MemoryId) -> Result<Record, Failure> {
    namespace.get(id)?.ok_or_else(|| {
        Failure::missing(
            Missing::Memory,
            text!(
                "common-no-memory",
                id,
                name = format!("{:?}", namespace.name())
            ),
        )
    })
}

/// The first of some memories that is forgotten: what is said by it or about it sleeps.
pub(crate) fn forgotten(
    namespace: &Namespace,
    ids: &[MemoryId],
) -> Result<Option<MemoryId>, Failure> {
    for id in ids {
        if namespace
            .get(*id)?
            .is_some_and(|memory| memory.status == Status::Forgotten)
        {
            return Ok(Some(*id));
        }
    }
    Ok(None)
}

/// The namespace, made under a profile when it is not there. One that is there must have the
/// profile that was asked for.
pub(crate) fn prepared(
    asked: Option<&str>,
    default: &str,
    app: &mut App<'_, '_>,
) -> Result<(Memory, Namespace), Failure> {
    let name = app.namespace_name()?.to_owned();
    let memory = app.open(Access::Create)?;
    let known = memory.namespaces()?.iter().any(|known| known.name == name);
    if !known {
        memory.create_namespace(name.as_str(), asked.unwrap_or(default))?;
    }
    let namespace = memory.namespace(name.as_str())?;
    let profile = namespace.admin().profile()?;
    match asked.filter(|asked| *asked != profile) {
        Some(asked) => Err(Failure::invalid(text!(
            "common-profile-differs",
            name = format!("{name:?}"),
            profile = format!("{profile:?}"),
            asked = format!("{asked:?}")
        ))
        .advice(text!("common-profile-differs-advice", name, asked))),
        None => Ok((memory, namespace)),
    }
}
