use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

use crate::Problem;
use crate::value::Value;

/// JSON with comments and trailing commas, as clients read it; nothing looser.
pub(crate) fn parse(text: &str) -> Result<CstRootNode, Problem> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| Problem::Syntax {
        line: error.line_display(),
        column: error.column_display(),
        reason: error.kind().to_string(),
    })
}

/// The object that the file is; none where it is empty.
pub(crate) fn root_object(root: &CstRootNode) -> Result<Option<CstObject>, Problem> {
    match root.value() {
        None => Ok(None),
        Some(value) => match value.as_object() {
            Some(object) => Ok(Some(object)),
            None => Err(Problem::Shape {
                key: String::new(),
                expected: "an object",
            }),
        },
    }
}

/// The one member of a name.
pub(crate) fn member(
    object: &CstObject,
    name: &str,
    above: &str,
) -> Result<Option<CstObjectProp>, Problem> {
    let mut members = object
        .properties()
        .into_iter()
        .filter(|member| member.decoded_name().is_some_and(|own| own == name));
    let first = members.next();
    match members.next() {
        Some(_) => Err(Problem::Twice {
            key: below(above, name),
        }),
        None => Ok(first),
    }
}

/// The object of a name.
pub(crate) fn object_member(
    object: &CstObject,
    name: &str,
    above: &str,
) -> Result<Option<CstObject>, Problem> {
    let shape = || Problem::Shape {
        key: below(above, name),
        expected: "an object",
    };
    member(object, name, above)?
        .map(|member| member.object_value().ok_or_else(shape))
        .transpose()
}

/// The list of a name.
pub(crate) fn array_member(
    object: &CstObject,
    name: &str,
    above: &str,
) -> Result<Option<CstArray>, Problem> {
    let shape = || Problem::Shape {
        key: below(above, name),
        expected: "a list",
    };
    member(object, name, above)?
        .map(|member| member.array_value().ok_or_else(shape))
        .transpose()
}

pub(crate) fn below(above: &str, name: &str) -> String {
    if above.is_empty() {
        name.to_owned()
    } else {
        format!("{above}.{name}")
    }
}

/// Removes a member that is an empty list or object, unless it stood there before.
pub(crate) fn prune(object: &CstObject, name: &str, before: Option<&Value>) {
    let Some(member) = object.get(name) else {
        return;
    };
    let empty = match member.value() {
        Some(value) => {
            value
                .as_object()
                .is_some_and(|object| is_bare(&object.children()))
                || value
                    .as_array()
                    .is_some_and(|array| is_bare(&array.children()))
        }
        None => false,
    };
    if empty && before.and_then(|before| before.get(name)).is_none() {
        member.remove();
    }
}

/// Whether a container holds nothing, not even a comment.
fn is_bare(children: &[CstNode]) -> bool {
    children
        .iter()
        .all(|node| node.is_token() || node.is_whitespace() || node.is_newline())
}

/// The value of a node; none for what is no JSON.
pub(crate) fn value(node: &CstNode) -> Option<Value> {
    if let Some(object) = node.as_object() {
        let members = object.properties().into_iter().map(|member| {
            let value = member.value().as_ref().and_then(value)?;
            Some((name(&member)?, value))
        });
        return members.collect::<Option<_>>().map(Value::Object);
    }
    if let Some(array) = node.as_array() {
        return array
            .elements()
            .iter()
            .map(value)
            .collect::<Option<_>>()
            .map(Value::List);
    }
    if let Some(text) = node.as_string_lit() {
        // A text with half a surrogate is compared as it is written.
        return Some(Value::Text(
            text.decoded_value().unwrap_or_else(|_| text.raw_value()),
        ));
    }
    if let Some(word) = node.as_boolean_lit() {
        return Some(Value::Bool(word.value()));
    }
    if node.as_null_keyword().is_some() {
        return Some(Value::Null);
    }
    node.as_number_lit()
        .map(|number| Value::Number(number.to_string()))
}

fn name(member: &CstObjectProp) -> Option<String> {
    member
        .decoded_name()
        .or_else(|| Some(member.name()?.as_string_lit()?.raw_value()))
}

/// The form in which a value is written.
pub(crate) fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(word) => CstInputValue::Bool(*word),
        Value::Number(number) => CstInputValue::Number(number.clone()),
        Value::Text(text) => CstInputValue::String(text.clone()),
        Value::List(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
    }
}
