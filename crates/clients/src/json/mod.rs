//! Changes of JSON with comments that leave everything else as it is written.

mod hooks;
mod reading;
mod servers;

use jsonc_parser::cst::{CstObject, CstRootNode};

use crate::Problem;
use crate::edit::{Found, Presence, Wanted};
use crate::hook::Hooks;
use crate::target::Target;
use crate::value::Value;

pub(crate) use reading::parse;

/// The entries of annals in a text.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read.
pub(crate) fn find(text: &str, target: &Target) -> Result<Found, Problem> {
    let root = parse(text)?;
    let Some(object) = reading::root_object(&root)? else {
        return Ok(Found::default());
    };
    Ok(Found {
        server: target
            .servers
            .map(|servers| servers::find(&object, servers))
            .transpose()?
            .unwrap_or_default(),
        hooks: target
            .hooks
            .map(|hooks| hooks::find(&object, hooks))
            .transpose()?
            .unwrap_or_default(),
    })
}

/// The text with what is wanted in it.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read or a key holds something else.
pub(crate) fn install(text: &str, target: &Target, wanted: &Wanted) -> Result<String, Problem> {
    write(text, target, wanted.server.as_ref(), |object, hooks| {
        hooks::set(object, hooks, wanted)
    })
}

fn write(
    text: &str,
    target: &Target,
    server: Option<&Value>,
    set_hooks: impl FnOnce(&CstObject, &Hooks) -> Result<(), Problem>,
) -> Result<String, Problem> {
    let root = parse(text)?;
    let made = reading::root_object(&root)?.is_none();
    let object = object_to_fill(&root)?;
    if let (Some(servers), Some(entry)) = (target.servers, server) {
        servers::set(&object, servers, entry)?;
    }
    if let Some(hooks) = target.hooks {
        set_hooks(&object, hooks)?;
    }
    let mut text = root.to_string();
    if made && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The text with what was found in another.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read or a key holds something else.
pub(crate) fn put(text: &str, target: &Target, found: &Found) -> Result<String, Problem> {
    let server = match &found.server {
        Presence::Own(entry) => Some(entry.clone()),
        Presence::Absent | Presence::Foreign => None,
    };
    let elements = &found.hooks;
    write(text, target, server.as_ref(), |object, hooks| {
        hooks::put(object, hooks, elements)
    })
}

/// The text without what is of annals, and without containers that were empty but for that, unless
/// they stand in `before`. Nothing is left where everything was of annals.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read.
pub(crate) fn remove(
    text: &str,
    target: &Target,
    before: Option<&Value>,
) -> Result<Option<String>, Problem> {
    let root = parse(text)?;
    let Some(object) = reading::root_object(&root)? else {
        return Ok(Some(text.to_owned()));
    };
    if let Some(servers) = target.servers {
        servers::remove(&object, servers, before)?;
    }
    if let Some(hooks) = target.hooks {
        hooks::remove(&object, hooks, before)?;
    }
    let left = object
        .children()
        .iter()
        .any(|node| !node.is_token() && !node.is_whitespace() && !node.is_newline());
    let outside = root
        .children()
        .iter()
        .any(jsonc_parser::cst::CstNode::is_comment);
    Ok((left || outside || before.is_some()).then(|| root.to_string()))
}

/// The whole text as a value; nothing where the text is empty.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read.
pub(crate) fn value(text: &str) -> Result<Option<Value>, Problem> {
    Ok(parse(text)?.value().as_ref().and_then(reading::value))
}

fn object_to_fill(root: &CstRootNode) -> Result<CstObject, Problem> {
    root.object_value_or_create().ok_or_else(|| Problem::Shape {
        key: String::new(),
        expected: "an object",
    })
}
