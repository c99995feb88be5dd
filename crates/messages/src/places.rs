//! The places of messages.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

use crate::BadMessages;

/// The places of each message, and of each part of one under `message.part`.
pub(crate) type Places = BTreeMap<String, BTreeSet<String>>;

/// The places that the messages of a file name.
pub(crate) fn of(name: &str, text: &str) -> Result<Places, BadMessages> {
    let file = FluentResource::try_new(text.to_owned()).map_err(|(_, errors)| {
        let first = errors.first();
        let at = first.map_or(0, |error| error.pos.start);
        let line = text
            .bytes()
            .take(at)
            .filter(|byte| *byte == b'\n')
            .count()
            .saturating_add(1);
        let reason = first.map_or_else(String::new, |error| error.kind.to_string());
        BadMessages::Syntax {
            name: name.to_owned(),
            line,
            reason,
        }
    })?;
    let mut places = Places::new();
    let mut parts: Vec<(String, BTreeSet<String>)> = Vec::new();
    for entry in file.entries() {
        let Entry::Message(message) = entry else {
            continue;
        };
        let mut own = BTreeSet::new();
        if let Some(value) = &message.value {
            in_pattern(value, &mut own);
        }
        for attribute in &message.attributes {
            let mut of_part = BTreeSet::new();
            in_pattern(&attribute.value, &mut of_part);
            own.extend(of_part.iter().cloned());
            parts.push((
                format!("{}.{}", message.id.name, attribute.id.name),
                of_part,
            ));
        }
        places.insert(message.id.name.to_owned(), own);
    }
    places.extend(parts);
    Ok(places)
}

fn in_pattern(pattern: &Pattern<&str>, out: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            in_expression(expression, out);
        }
    }
}

fn in_expression(expression: &Expression<&str>, out: &mut BTreeSet<String>) {
    match expression {
        Expression::Inline(inline) => in_inline(inline, out),
        Expression::Select { selector, variants } => {
            in_inline(selector, out);
            for variant in variants {
                in_pattern(&variant.value, out);
            }
        }
    }
}

fn in_inline(inline: &InlineExpression<&str>, out: &mut BTreeSet<String>) {
    match inline {
        InlineExpression::VariableReference { id } => {
            out.insert(id.name.to_owned());
        }
        InlineExpression::Placeable { expression } => in_expression(expression, out),
        InlineExpression::FunctionReference { arguments, .. } => {
            arguments
                .positional
                .iter()
                .for_each(|argument| in_inline(argument, out));
        }
        _ => {}
    }
}
