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

/// The same with tokens counted by `count`, which is called with each line that is left out and a few times with the whole text.
#[must_use]
pub fn compose_counting(settings: &InjectSettings, material: &Material, count: &dyn Fn(&str) -> usize) -> Context {
    let none = Vec::new();
    let of_part = |at: usize| material.items.get(at).unwrap_or(&none);
    let shown = settings.parts.iter().enumerate().filter(|(_, part)| !part.off);
    let of_file = |at: usize| material.files.get(at).and_then(Option::as_deref);
    let mut drafts: Vec<Draft<'_>> = shown
        .map(|(at, part)| match of_file(at) {
            Some(text) => file(part, text),
            None => draft(part, of_part(at), material),
        })
        .collect();
    let mut left_out = material.unread + drafts.iter().map(|draft| draft.left_out).sum::<usize>();
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

/// What a core file says, line by line, as far as the part has room for; nothing when it has no memory in it.
fn file<'a>(part: &'a PartSettings, text: &str) -> Draft<'a> {
    let told = |line: &str| line.starts_with("- ");
    let all: Vec<&str> = text.trim_end().lines().collect();
    let room = |number: u32| if number == 0 { usize::MAX } else { usize::try_from(number).unwrap_or(usize::MAX) };
    let (memories, chars) = (room(part.limit), room(part.max_chars).saturating_add(1));
    let mut lines: Vec<String> = Vec::new();
    let (mut shown, mut used) = (0, 0);
    for line in &all {
        let quoted = quote(line);
        used += quoted.chars().count() + 1;
        shown += usize::from(told(line));
        // What a file says first matters most.
        if used > chars || shown > memories {
            shown -= usize::from(told(line));
            break;
        }
        lines.push(quoted);
    }
    let left_out = all.iter().filter(|line| told(line)).count() - shown;
    // A heading of what was cut off heads nothing.
    while left_out > 0 && lines.last().is_some_and(|line| !told(line)) {
        lines.pop();
    }
    if shown == 0 {
        lines.clear();
    }
    Draft { part, lines: lines.into_iter().map(Line::fixed).collect(), left_out, headed: false }
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
