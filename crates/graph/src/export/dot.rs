//! GraphViz.

use std::fmt::Write;

use super::drawing::Drawing;

/// A text between quotation marks.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            other if other.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

pub(super) fn write(drawing: &Drawing) -> String {
    let mut out = String::from("digraph memory {\n");
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a String cannot fail.
        let _ = out.write_fmt(format_args!("  {text};\n"));
    };
    for entity in &drawing.entities {
        let label = match &entity.kind {
            Some(kind) => format!("{}\n{kind}", entity.name),
            None => entity.name.clone(),
        };
        line(format_args!("e{} [label={}]", entity.id.0, quoted(&label)));
    }
    for memory in &drawing.memories {
        let (label, style) = match memory.state.supports() {
            true => (quoted(&memory.name), ""),
            false => (
                quoted(&format!("{}\n{}", memory.name, memory.state)),
                ", style=dotted",
            ),
        };
        line(format_args!(
            "m{} [shape=box, label={label}{style}]",
            memory.row.0
        ));
    }
    for arrow in &drawing.arrows {
        let (triple, label) = (&arrow.triple, quoted(&arrow.words.wording().label()));
        let style = if triple.visible { "" } else { ", style=dotted" };
        line(format_args!(
            "e{} -> e{} [label={label}{style}]",
            triple.subject.0, triple.object.0
        ));
    }
    for view in &drawing.links {
        let (from, to, label) = (view.link.from.0, view.link.to.0, quoted(&view.relation));
        let style = if view.visible { "bold" } else { "dotted" };
        line(format_args!(
            "m{from} -> m{to} [label={label}, style={style}]"
        ));
    }
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_between_their_quotation_marks() {
        assert_eq!(quoted("a\"]; x -> y [b=\"\\"), r#""a\"]; x -> y [b=\"\\""#);
        assert_eq!(quoted("a\nb\u{7}"), r#""a\nb ""#);
    }
}
