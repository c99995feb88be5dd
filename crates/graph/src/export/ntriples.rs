//! N-Triples (<https://www.w3.org/TR/n-triples/>).

use std::fmt::Write;

use super::drawing::{Arrow, Drawing};
use crate::EntityId;

const LABEL: &str = "<http://www.w3.org/2000/01/rdf-schema#label>";
const TYPE: &str = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const BOOLEAN: &str = "http://www.w3.org/2001/XMLSchema#boolean";

/// A text as a literal.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other if other.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(other));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A name of ours; what is not plain in it is percent-encoded (RFC 3986).
fn iri(sort: &str, text: &str) -> String {
    let mut out = format!("<urn:annals:{sort}:");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out.push('>');
    out
}

pub(super) fn write(drawing: &Drawing) -> String {
    let mut out = String::new();
    let mut tell = |subject: &str, predicate: &str, object: &str| {
        let _ = writeln!(out, "{subject} {predicate} {object} .");
    };
    for entity in &drawing.entities {
        let subject = iri("entity", &entity.id.0.to_string());
        tell(&subject, LABEL, &literal(&entity.name));
        if let Some(kind) = &entity.kind {
            tell(&subject, TYPE, &iri("kind", kind));
        }
    }
    for memory in &drawing.memories {
        let subject = iri("memory", &memory.row.0.to_string());
        tell(&subject, LABEL, &literal(&memory.name));
        if !memory.state.supports() {
            tell(
                &subject,
                &iri("field", "state"),
                &literal(memory.state.as_str()),
            );
        }
    }
    for arrow in &drawing.arrows {
        arrow.write(&mut tell);
    }
    for view in &drawing.links {
        let (from, to) = (view.link.from.0.to_string(), view.link.to.0.to_string());
        let said = [
            iri("memory", &from),
            iri("relation", &view.relation),
            iri("memory", &to),
        ];
        if view.visible {
            let [subject, predicate, object] = &said;
            tell(subject, predicate, object);
        } else {
            let link = iri("link", &format!("{from} {} {to}", view.relation));
            statement(&mut tell, &link, &said);
            tell(&link, &iri("field", "visible"), &boolean(false));
        }
    }
    out
}

fn boolean(value: bool) -> String {
    format!("\"{value}\"^^<{BOOLEAN}>")
}

/// The reification of a statement, which does not assert it.
fn statement(tell: &mut dyn FnMut(&str, &str, &str), name: &str, said: &[String; 3]) {
    tell(name, TYPE, &format!("<{RDF}Statement>"));
    for (part, value) in ["subject", "predicate", "object"].iter().zip(said) {
        tell(name, &format!("<{RDF}{part}>"), value);
    }
}

impl Arrow {
    fn write(&self, tell: &mut dyn FnMut(&str, &str, &str)) {
        let (triple, words) = (&self.triple, &self.words);
        let end = |id: EntityId| iri("entity", &id.0.to_string());
        let said = [
            end(triple.subject),
            iri("predicate", &words.predicate),
            end(triple.object),
        ];
        let [subject, predicate, object] = &said;
        if triple.visible && !words.wording().is_qualified() {
            tell(subject, predicate, object);
            if words.degree.is_none() {
                return;
            }
        }
        let name = iri("triple", &triple.id.0.to_string());
        statement(tell, &name, &said);
        for (field, value) in [("negated", triple.negated), ("visible", triple.visible)] {
            tell(&name, &iri("field", field), &boolean(value));
        }
        for (field, value) in [("condition", &words.condition), ("degree", &words.degree)] {
            if let Some(value) = value {
                tell(&name, &iri("field", field), &literal(value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_no_statements() {
        assert_eq!(literal("a\" .\n<x>\u{1}\\"), r#""a\" .\n<x>\u0001\\""#);
        assert_eq!(iri("predicate", "a> b"), "<urn:annals:predicate:a%3E%20b>");
        assert_eq!(iri("predicate", "喜"), "<urn:annals:predicate:%E5%96%9C>");
    }
}
