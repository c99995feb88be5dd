use annals_messages::{Arg, Catalogue, FALLBACK, Messages};
use annals_types::MemoryId;
use annals_types::profile::{InjectSettings, PartSettings, PartSource};

use super::budget::{self, Draft, Line};
use super::file_line::FileLine;
use super::quote::{quote, unmarked};
use super::{Context, Item, Material, Part};
use crate::window::estimate;

/// Makes a context out of what there is, with tokens [estimated](estimate).
#[must_use]
pub fn compose(settings: &InjectSettings, material: &Material) -> Context {
    compose_counting(settings, material, &estimate)
}

/// The same with tokens counted by `count`, which is called with whole texts: some times for each
/// part of which something is left out, and not once for each memory.
#[must_use]
pub fn compose_counting(
    settings: &InjectSettings,
    material: &Material,
    count: &dyn Fn(&str) -> usize,
) -> Context {
    let english = Catalogue::shared().messages("", FALLBACK);
    let messages = material.messages.as_ref().unwrap_or(&english);
    let none = Vec::new();
    let of_part = |at: usize| material.items.get(at).unwrap_or(&none);
    let shown = settings
        .parts
        .iter()
        .enumerate()
        .filter(|(_, part)| !part.off);
    let of_file = |at: usize| material.files.get(at).and_then(Option::as_deref);
    let mut drafts: Vec<Draft<'_>> = shown
        .map(|(at, part)| match of_file(at) {
            Some(text) => file(part, text),
            None => draft(part, of_part(at), material, messages),
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
    let tokens = count(&text);
    Context {
        text,
        parts,
        memory_refs: ids.clone(),
        ids,
        tokens,
        left_out,
        ..Context::default()
    }
}

fn draft<'a>(
    part: &'a PartSettings,
    items: &[Item],
    material: &Material,
    messages: &Messages,
) -> Draft<'a> {
    let plain = |text: &str| -> Vec<Line> {
        if text.trim().is_empty() {
            Vec::new()
        } else {
            vec![Line::fixed(text.trim_end().to_owned())]
        }
    };
    let lines = match part.source {
        PartSource::Recalled | PartSource::Memories => items
            .iter()
            .filter_map(|item| bullet(item, material, messages))
            .collect(),
        PartSource::Core => core(items, material, messages),
        PartSource::Time => {
            let told = |now| {
                let day = Arg::Number(i64::from(material.zone.weekday(now)));
                format!(
                    "{} {}",
                    material.zone.minutes(now),
                    messages.text("weekday", &[("day", day)])
                )
            };
            material
                .now
                .map(|now| Line::fixed(told(now)))
                .into_iter()
                .collect()
        }
        PartSource::Scratchpad => plain(&unmarked(&material.scratchpad)),
        // It was made of what tools brought: no line of it may begin a part.
        PartSource::Prepared => plain(&quote(&material.prepared)),
        PartSource::Text => plain(&messages.wording(&part.text, &[])),
        _ => Vec::new(),
    };
    let heading = messages.wording(&part.heading, &[]);
    let mut draft = Draft {
        part,
        heading,
        lines,
        left_out: 0,
    };
    draft.limit_memories();
    draft.limit_chars();
    draft
}

/// A memory in its line, with the day on which it ceased to be true, where that is over.
fn bullet(item: &Item, material: &Material, messages: &Messages) -> Option<Line> {
    let text = quote(&item.text);
    let over = item
        .until
        .filter(|until| material.now.is_some_and(|now| *until <= now));
    let over = over.map(|until| {
        messages.text(
            "until-day",
            &[("date", (&material.zone.date(until)).into())],
        )
    });
    let over = over.map(|over| format!(" {over}")).unwrap_or_default();
    (!text.is_empty()).then(|| Line {
        text: format!("- {text}{over}"),
        item: Some((item.id, item.score)),
        heads: false,
    })
}

/// The text of a core file, line by line, as far as the part has room for it; nothing when only
/// headings stand in it.
fn file<'a>(part: &'a PartSettings, text: &str) -> Draft<'a> {
    let all: Vec<(&str, FileLine)> = text
        .trim_end()
        .lines()
        .map(|line| (line, FileLine::of(line)))
        .collect();
    let told = |says: FileLine| usize::from(says == FileLine::Memory);
    let room = |number: u32| {
        if number == 0 {
            usize::MAX
        } else {
            usize::try_from(number).unwrap_or(usize::MAX)
        }
    };
    let (memories, chars) = (room(part.limit), room(part.max_chars).saturating_add(1));
    let mut lines: Vec<(String, FileLine)> = Vec::new();
    let (mut shown, mut used) = (0, 0);
    for (line, says) in &all {
        let quoted = quote(line);
        used += quoted.chars().count() + 1;
        // The first lines of a file matter most.
        if used > chars || shown + told(*says) > memories {
            break;
        }
        shown += told(*says);
        lines.push((quoted, *says));
    }
    let left_out = all.iter().map(|(_, says)| told(*says)).sum::<usize>() - shown;
    // A heading of what was cut off heads nothing.
    while lines.len() < all.len()
        && lines
            .last()
            .is_some_and(|(_, says)| *says == FileLine::Empty)
    {
        lines.pop();
    }
    if lines.iter().all(|(_, says)| *says == FileLine::Empty) {
        lines.clear();
    }
    let lines = lines
        .into_iter()
        .map(|(line, _)| Line::fixed(line))
        .collect();
    Draft {
        part,
        heading: String::new(),
        lines,
        left_out,
    }
}

/// Memories under a heading for each kind, in the order of the core file.
fn core(items: &[Item], material: &Material, messages: &Messages) -> Vec<Line> {
    let mut lines = Vec::new();
    for (kind, heading) in &material.sections {
        let of_kind: Vec<Line> = items
            .iter()
            .filter(|item| item.kind == *kind)
            .filter_map(|item| bullet(item, material, messages))
            .collect();
        if !of_kind.is_empty() {
            lines.push(Line {
                text: format!("\n## {heading}"),
                item: None,
                heads: true,
            });
            lines.extend(of_kind);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, limit: u32) -> (String, usize) {
        let part = PartSettings {
            name: "user".to_owned(),
            source: PartSource::File,
            limit,
            ..PartSettings::default()
        };
        let draft = file(&part, text);
        (
            draft
                .lines
                .iter()
                .map(|line| line.text.as_str())
                .collect::<Vec<_>>()
                .join("\n"),
            draft.left_out,
        )
    }

    #[test]
    fn a_file_is_shown_however_a_person_writes_it() {
        for text in [
            "# User\n* likes tea",
            "# User\n1. likes tea",
            "likes tea",
            "# User\n\n- likes tea\n* and milk",
        ] {
            assert_eq!(shown(text, 0), (text.to_owned(), 0), "{text}");
        }
        for empty in ["", "# User", "# User\n\n## Facts\n", "# User\n-\n* \n"] {
            assert_eq!(shown(empty, 0), (String::new(), 0), "{empty}");
        }
        let mixed = "# User\n- a\n* b\nby hand\n## Facts\n* c\n- d";
        assert_eq!(shown(mixed, 2), ("# User\n- a\n* b\nby hand".to_owned(), 2));
        assert_eq!(
            shown(mixed, 3),
            ("# User\n- a\n* b\nby hand\n## Facts\n* c".to_owned(), 1)
        );
    }
}
