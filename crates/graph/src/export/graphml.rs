//! GraphML (<http://graphml.graphdrawing.org>).

use std::fmt::Write;

use super::drawing::Drawing;

/// A text between tags. Characters that XML 1.0 cannot hold become U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(character),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// The fields of nodes and edges: name, what it belongs to, type.
const KEYS: &[(&str, &str, &str)] = &[
    ("sort", "all", "string"),
    ("name", "node", "string"),
    ("kind", "node", "string"),
    ("state", "node", "string"),
    ("relation", "edge", "string"),
    ("negated", "edge", "boolean"),
    ("condition", "edge", "string"),
    ("degree", "edge", "string"),
    ("visible", "all", "boolean"),
    ("weight", "edge", "double"),
    ("sources", "edge", "string"),
];

fn data(fields: &[(&str, Option<String>)]) -> String {
    let there = fields
        .iter()
        .filter_map(|(key, value)| Some((key, value.as_ref()?)));
    there.fold(String::new(), |mut out, (key, value)| {
        // Writing to a String cannot fail.
        let _ = write!(out, "<data key=\"{key}\">{}</data>", escaped(value));
        out
    })
}

pub(super) fn write(drawing: &Drawing) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">".to_owned());
    for (name, whose, kind) in KEYS {
        line(format!(
            "<key id=\"{name}\" for=\"{whose}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        ));
    }
    line("<graph id=\"memory\" edgedefault=\"directed\">".to_owned());
    let some = |text: &str| Some(text.to_owned());
    for entity in &drawing.entities {
        let fields = [
            ("sort", some("entity")),
            ("name", some(&entity.name)),
            ("kind", entity.kind.clone()),
        ];
        line(format!(
            "<node id=\"e{}\">{}</node>",
            entity.id.0,
            data(&fields)
        ));
    }
    for memory in &drawing.memories {
        let fields = [
            ("sort", some("memory")),
            ("name", some(&memory.name)),
            ("state", some(memory.state.as_str())),
            ("visible", Some(memory.state.supports().to_string())),
        ];
        line(format!(
            "<node id=\"m{}\">{}</node>",
            memory.row.0,
            data(&fields)
        ));
    }
    for arrow in &drawing.arrows {
        let (triple, words) = (&arrow.triple, &arrow.words);
        let sources: Vec<String> = arrow
            .said_by
            .iter()
            .map(|row| format!("m{}", row.0))
            .collect();
        let fields = [
            ("sort", some("triple")),
            ("relation", some(&words.predicate)),
            ("negated", Some(triple.negated.to_string())),
            ("condition", words.condition.clone()),
            ("degree", words.degree.clone()),
            ("visible", Some(triple.visible.to_string())),
            ("sources", Some(sources.join(" "))),
        ];
        let (id, from, to) = (triple.id.0, triple.subject.0, triple.object.0);
        line(format!(
            "<edge id=\"t{id}\" source=\"e{from}\" target=\"e{to}\">{}</edge>",
            data(&fields)
        ));
    }
    for view in &drawing.links {
        let fields = [
            ("sort", some("link")),
            ("relation", some(&view.relation)),
            ("visible", Some(view.visible.to_string())),
            ("weight", Some(view.weight.to_string())),
        ];
        let (from, to) = (view.link.from.0, view.link.to.0);
        line(format!(
            "<edge source=\"m{from}\" target=\"m{to}\">{}</edge>",
            data(&fields)
        ));
    }
    line("</graph>\n</graphml>".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_no_tags() {
        assert_eq!(
            escaped("</data>&\"\u{1}"),
            "&lt;/data&gt;&amp;&quot;\u{fffd}"
        );
    }
}
