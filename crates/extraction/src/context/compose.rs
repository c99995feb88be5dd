use annals_types::MemoryId;
use annals_types::profile::{InjectSettings, PartSettings, PartSource};

use super::budget::{self, Draft, Line};
use super::quote::quote;
use super::{Context, Item, Material, Part, weekday};
use crate::markdown::CoreFormat;
use crate::window::estimate;

/// Makes a context out of what there is, with tokens [estimated](estimate).
#[must_use]
pub fn compose(settings: &InjectSettings, material: &Material) -> Context {
    compose_counting(settings, material, &estimate)
}

/// The same with tokens counted by `count`, which is called once for each memory that is left out, with the whole text.
#[must_use]
pub fn compose_counting(settings: &InjectSettings, material: &Material, count: &dyn Fn(&str) -> usize) -> Context {
    let none = Vec::new();
    let of_part = |at: usize| material.items.get(at).unwrap_or(&none);
    let shown = settings.parts.iter().enumerate().filter(|(_, part)| !part.off);
    let of_file = |at: usize| material.files.get(at).and_then(Option::as_deref);
    let mut drafts: Vec<Draft<'_>> = shown
        .map(|(at, part)| match of_file(at) {
            Some(text) => Draft { part, lines: file(text), left_out: 0, headed: false },
            None => draft(part, of_part(at), material),
        })
        .collect();
    let mut left_out = drafts.iter().map(|draft| draft.left_out).sum();
    left_out += budget::fit(&mut drafts, settings.max_tokens, count);
    let parts: Vec<Part> = drafts.iter().filter_map(Draft::part).collect();
    let text = budget::text(&drafts);
    let mut ids: Vec<MemoryId> = Vec::new();
    for id in parts.iter().flat_map(|part| &part.ids) {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    Context { tokens: count(&text), text, parts, memory_refs: ids.clone(), ids, left_out }
}

fn draft<'a>(part: &'a PartSettings, items: &[Item], material: &Material) -> Draft<'a> {
    let plain = |text: &str| -> Vec<Line> {
        if text.trim().is_empty() { Vec::new() } else { vec![Line::fixed(text.trim_end().to_owned())] }
    };
    let lines = match part.source {
        PartSource::Recalled | PartSource::Memories => items.iter().filter_map(bullet).collect(),
        PartSource::Core => core(items),
        PartSource::Time => {
            material.now.map(|now| Line::fixed(weekday::told(now, &material.zone))).into_iter().collect()
        }
        PartSource::Scratchpad => plain(&material.scratchpad),
        // It was made of what tools brought: no line of it may begin a part.
        PartSource::Prepared => plain(&quote(&material.prepared)),
        PartSource::Text => plain(&part.text),
        _ => Vec::new(),
    };
    let mut draft = Draft { part, lines, left_out: 0, headed: true };
    draft.limit_memories();
    draft.limit_chars();
    draft
}

fn bullet(item: &Item) -> Option<Line> {
    let text = quote(&item.text);
    (!text.is_empty()).then(|| Line { text: format!("- {text}"), item: Some((item.id, item.score)), heads: false })
}

/// What a core file says, line by line; nothing when it has no memory in it.
fn file(text: &str) -> Vec<Line> {
    let told = text.lines().any(|line| line.starts_with("- "));
    let lines = text.trim_end().lines().filter(|_| told);
    lines.map(|line| Line::fixed(quote(line))).collect()
}

/// Memories under a heading for each kind, in the order of the core file.
fn core(items: &[Item]) -> Vec<Line> {
    let mut lines = Vec::new();
    for section in CoreFormat::memory().sections {
        let of_kind: Vec<Line> = items.iter().filter(|item| item.kind == section.kind).filter_map(bullet).collect();
        if !of_kind.is_empty() {
            lines.push(Line { text: format!("\n## {}", section.heading), item: None, heads: true });
            lines.extend(of_kind);
        }
    }
    lines
}
