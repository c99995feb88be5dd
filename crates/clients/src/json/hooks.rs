use jsonc_parser::cst::{CstArray, CstNode, CstObject};

use super::reading::{array_member, below, input, object_member, prune, value};
use super::servers::update;
use crate::Problem;
use crate::edit::Wanted;
use crate::hook::{Hooks, Layout, RUNS};
use crate::value::Value;

const KEY: &str = "hooks";
const VERSION: &str = "version";

/// A handler of annals in a file.
struct Own {
    handler: CstObject,
    /// The group that it stands in, where the client has groups.
    group: Option<(CstObject, CstArray)>,
}

/// The handlers of annals by event, each as the element that stands in the list of its event.
pub(crate) fn find(root: &CstObject, hooks: &Hooks) -> Result<Vec<(String, Value)>, Problem> {
    let mut found = Vec::new();
    let Some(events) = object_member(root, KEY, "")? else {
        return Ok(found);
    };
    for event in hooks.events {
        let Some(list) = array_member(&events, event.name, KEY)? else {
            continue;
        };
        for own in handlers(&list, hooks, event.name)? {
            // A group that the user filled with more is not put in again as a whole.
            let handler = value(&CstNode::from(jsonc_parser::cst::CstContainerNode::Object(
                own.handler,
            )));
            if let Some(handler) = handler {
                found.push((event.name.to_owned(), element(hooks, handler)));
            }
        }
    }
    Ok(found)
}

/// Brings the handlers that stand there up to date, and adds the others where they are wanted.
pub(crate) fn set(root: &CstObject, hooks: &Hooks, wanted: &Wanted) -> Result<(), Problem> {
    for (event, handler) in &wanted.hooks {
        let events = object_member(root, KEY, "")?;
        let list = events
            .as_ref()
            .map(|events| array_member(events, event, KEY))
            .transpose()?
            .flatten();
        let own = list
            .as_ref()
            .map(|list| handlers(list, hooks, event))
            .transpose()?
            .unwrap_or_default();
        for own in &own {
            update(&own.handler, handler, &RUNS);
        }
        if own.is_empty() && wanted.adds_hooks {
            append(root, hooks, event, &element(hooks, handler.clone()))?;
        }
    }
    Ok(())
}

/// Adds an element to the list of its event.
fn append(root: &CstObject, hooks: &Hooks, event: &str, element: &Value) -> Result<(), Problem> {
    if hooks.versioned && root.get(VERSION).is_none() {
        root.insert(0, VERSION, input(&Value::Number("1".to_owned())));
    }
    let events = root
        .object_value_or_create(KEY)
        .ok_or_else(|| Problem::Shape {
            key: KEY.to_owned(),
            expected: "an object",
        })?;
    let list = events
        .array_value_or_create(event)
        .ok_or_else(|| Problem::Shape {
            key: below(KEY, event),
            expected: "a list",
        })?;
    list.append(input(element));
    list.ensure_multiline();
    Ok(())
}

/// Puts elements in that stood in another text.
pub(crate) fn put(
    root: &CstObject,
    hooks: &Hooks,
    elements: &[(String, Value)],
) -> Result<(), Problem> {
    elements
        .iter()
        .try_for_each(|(event, element)| append(root, hooks, event, element))
}

/// Takes the handlers of annals out.
pub(crate) fn remove(
    root: &CstObject,
    hooks: &Hooks,
    before: Option<&Value>,
) -> Result<(), Problem> {
    let Some(events) = object_member(root, KEY, "")? else {
        return Ok(());
    };
    let mut removed = false;
    let stood = before.and_then(|before| before.get(KEY));
    for event in hooks.events {
        let Some(list) = array_member(&events, event.name, KEY)? else {
            continue;
        };
        for own in handlers(&list, hooks, event.name)? {
            removed = true;
            match own.group {
                Some((group, handlers)) if handlers.elements().len() == 1 => group.remove(),
                _ => own.handler.remove(),
            }
        }
        if removed {
            prune(&events, event.name, stood);
        }
    }
    if removed {
        prune(root, KEY, before);
        let alone = root
            .properties()
            .iter()
            .all(|member| member.decoded_name().as_deref() == Some(VERSION));
        if hooks.versioned && alone && before.and_then(|before| before.get(VERSION)).is_none() {
            root.properties()
                .into_iter()
                .for_each(|member| member.remove());
        }
    }
    Ok(())
}

/// The handlers of annals in the list of an event.
fn handlers(list: &CstArray, hooks: &Hooks, event: &str) -> Result<Vec<Own>, Problem> {
    let mut own = Vec::new();
    for element in list.elements() {
        let Some(object) = element.as_object() else {
            continue;
        };
        match hooks.layout {
            Layout::Flat => own.extend(owned(&element, hooks, event).map(|handler| Own {
                handler,
                group: None,
            })),
            Layout::Groups => {
                let Some(inner) = array_member(&object, KEY, &below(KEY, event))? else {
                    continue;
                };
                let handlers = inner.elements();
                own.extend(
                    handlers
                        .iter()
                        .filter_map(|handler| owned(handler, hooks, event))
                        .map(|handler| Own {
                            handler,
                            group: Some((object.clone(), inner.clone())),
                        }),
                );
            }
        }
    }
    Ok(own)
}

fn owned(node: &CstNode, hooks: &Hooks, event: &str) -> Option<CstObject> {
    let object = node.as_object()?;
    value(node)
        .is_some_and(|handler| hooks.owns(event, &handler))
        .then_some(object)
}

/// A handler as it stands in the list of its event.
fn element(hooks: &Hooks, handler: Value) -> Value {
    match hooks.layout {
        Layout::Flat => handler,
        Layout::Groups => Value::Object(vec![(KEY.to_owned(), Value::List(vec![handler]))]),
    }
}
