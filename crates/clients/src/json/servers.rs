use jsonc_parser::cst::{CstObject, CstObjectProp};

use super::reading::{below, input, member, object_member, prune, value};
use crate::Problem;
use crate::command::{NAME, starts_annals};
use crate::edit::Presence;
use crate::target::Servers;
use crate::value::Value;

pub(crate) fn find(root: &CstObject, servers: Servers) -> Result<Presence, Problem> {
    let Some(entries) = object_member(root, servers.key, "")? else {
        return Ok(Presence::Absent);
    };
    let Some(entry) = member(&entries, NAME, servers.key)? else {
        return Ok(Presence::Absent);
    };
    Ok(match entry.value().as_ref().and_then(value) {
        Some(entry) if starts_annals(&entry) => Presence::Own(entry),
        _ => Presence::Foreign,
    })
}

/// Writes the entry, or brings the one that stands there up to date.
pub(crate) fn set(root: &CstObject, servers: Servers, wanted: &Value) -> Result<(), Problem> {
    match find(root, servers)? {
        Presence::Foreign => {
            return Err(Problem::Taken {
                key: below(servers.key, NAME),
            });
        }
        Presence::Own(entry) if entry == *wanted => return Ok(()),
        Presence::Own(_) | Presence::Absent => {}
    }
    let shape = || Problem::Shape {
        key: servers.key.to_owned(),
        expected: "an object",
    };
    let entries = root.object_value_or_create(servers.key).ok_or_else(shape)?;
    match entries.get(NAME).and_then(|entry| entry.object_value()) {
        Some(entry) => update(&entry, wanted, &["command", "args"]),
        None => {
            entries.append(NAME, input(wanted));
        }
    }
    Ok(())
}

/// Sets those members of `keys` that differ, and takes out those that are not wanted. What else
/// stands in the object is the user's.
pub(crate) fn update(object: &CstObject, wanted: &Value, keys: &[&str]) {
    for key in keys {
        let standing = object.get(key);
        let same = |member: &CstObjectProp| {
            member.value().as_ref().and_then(value).as_ref() == wanted.get(key)
        };
        match (standing, wanted.get(key)) {
            (Some(member), Some(wanted)) if !same(&member) => member.set_value(input(wanted)),
            (Some(member), None) => member.remove(),
            (None, Some(wanted)) => {
                object.append(key, input(wanted));
            }
            _ => {}
        }
    }
}

pub(crate) fn remove(
    root: &CstObject,
    servers: Servers,
    before: Option<&Value>,
) -> Result<(), Problem> {
    if !matches!(find(root, servers)?, Presence::Own(_)) {
        return Ok(());
    }
    if let Some(entries) = object_member(root, servers.key, "")?
        && let Some(entry) = member(&entries, NAME, servers.key)?
    {
        entry.remove();
    }
    prune(root, servers.key, before);
    Ok(())
}
