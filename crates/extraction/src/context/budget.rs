use std::collections::{BTreeMap, BTreeSet};

use annals_types::MemoryId;
use annals_types::profile::{PartSettings, PartSource};

use super::Part;

/// A line of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    /// The memory in it and its score.
    pub(super) item: Option<(MemoryId, f64)>,
    /// Whether it is a heading of the lines that follow, and goes when they go.
    pub(super) heads: bool,
}

impl Line {
    pub(super) const fn fixed(text: String) -> Self {
        Self {
            text,
            item: None,
            heads: false,
        }
    }
}

/// A part while it is made.
pub(super) struct Draft<'a> {
    pub(super) part: &'a PartSettings,
    /// The heading in the language of the context; empty without one, and where a file has its own.
    pub(super) heading: String,
    pub(super) lines: Vec<Line>,
    pub(super) left_out: usize,
}

impl Draft<'_> {
    pub(super) fn limit_memories(&mut self) {
        let limit = usize::try_from(self.part.limit).unwrap_or(usize::MAX);
        if limit > 0 {
            let over = self.memories().saturating_sub(limit);
            self.lines = self.cut(over);
            self.left_out += over;
        }
    }

    pub(super) fn limit_chars(&mut self) {
        let limit = usize::try_from(self.part.max_chars).unwrap_or(usize::MAX);
        if limit > 0 {
            self.left_out += self.shrink(limit.saturating_add(1));
        }
    }

    /// Leaves out the memories with the lowest scores until the lines with their ends have no more
    /// characters than that; in one pass, however many there are. Answers how many went.
    fn shrink(&mut self, limit: usize) -> usize {
        let sizes: Vec<usize> = self
            .lines
            .iter()
            .map(|line| line.text.chars().count() + 1)
            .collect();
        let mut left: usize = sizes.iter().sum();
        let mut sections = Sections::of(&self.lines);
        let mut dropped = 0;
        for at in self.order() {
            if left <= limit {
                break;
            }
            dropped += 1;
            for line in std::iter::once(at).chain(sections.without(at)) {
                left = left.saturating_sub(sizes.get(line).copied().unwrap_or_default());
            }
        }
        self.lines = self.cut(dropped);
        dropped
    }

    fn memories(&self) -> usize {
        self.lines.iter().filter(|line| line.item.is_some()).count()
    }

    /// The places of the memories in the order in which they are left out: the lowest scores
    /// first, of equal ones the last.
    fn order(&self) -> Vec<usize> {
        let scored = self
            .lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| Some((at, line.item?.1)));
        let mut order: Vec<(usize, f64)> = scored.collect();
        order.sort_by(|(a, low), (b, high)| low.total_cmp(high).then(b.cmp(a)));
        order.into_iter().map(|(at, _)| at).collect()
    }

    /// How many steps there are until nothing is left: each takes a memory, with the headings that
    /// then head nothing, and when none is left the last line of a text.
    fn steps(&self) -> usize {
        let texts = self.lines.iter().filter(|line| line.item.is_none());
        self.memories()
            + texts
                .map(|line| line.text.lines().count().max(1))
                .sum::<usize>()
    }

    /// The lines left after so many steps.
    fn cut(&self, steps: usize) -> Vec<Line> {
        let order = self.order();
        let mut sections = Sections::of(&self.lines);
        let mut gone = BTreeSet::new();
        for at in order.iter().copied().take(steps) {
            gone.insert(at);
            gone.extend(sections.without(at));
        }
        let kept = self
            .lines
            .iter()
            .enumerate()
            .filter(|(at, _)| !gone.contains(at));
        let mut lines: Vec<Line> = kept.map(|(_, line)| line.clone()).collect();
        for _ in order.len()..steps {
            let Some(last) = lines.last_mut() else { break };
            match last.text.rfind('\n') {
                Some(end) => {
                    last.text.truncate(end);
                    last.text.truncate(last.text.trim_end().len());
                }
                None => {
                    lines.pop();
                }
            }
        }
        lines
    }

    fn text(&self) -> Option<String> {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        if lines.is_empty() {
            return None;
        }
        let body = lines.join("\n");
        Some(if self.heading.is_empty() {
            body
        } else {
            format!("{}\n{body}", self.heading)
        })
    }

    pub(super) fn part(&self) -> Option<Part> {
        let ids = self
            .lines
            .iter()
            .filter_map(|line| Some(line.item?.0))
            .collect();
        Some(Part {
            name: self.part.name.clone(),
            text: self.text()?,
            ids,
        })
    }
}

/// The headings of some lines with how many lines each has below it.
struct Sections {
    /// The heading of each line.
    heads: Vec<Option<usize>>,
    below: BTreeMap<usize, usize>,
}

impl Sections {
    fn of(lines: &[Line]) -> Self {
        let (mut heads, mut below, mut head) =
            (Vec::with_capacity(lines.len()), BTreeMap::new(), None);
        for (at, line) in lines.iter().enumerate() {
            if line.heads {
                below.insert(at, 0);
                head = Some(at);
                heads.push(None);
            } else {
                head.and_then(|head| below.get_mut(&head))
                    .into_iter()
                    .for_each(|count: &mut usize| *count += 1);
                heads.push(head);
            }
        }
        Self { heads, below }
    }

    /// The headings that head nothing once a line has gone.
    fn without(&mut self, line: usize) -> Vec<usize> {
        if let Some(count) = self
            .heads
            .get(line)
            .copied()
            .flatten()
            .and_then(|head| self.below.get_mut(&head))
        {
            *count = count.saturating_sub(1);
        }
        let empty: Vec<usize> = self
            .below
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(head, _)| *head)
            .collect();
        self.below.retain(|_, count| *count > 0);
        empty
    }
}

/// All parts, with an empty line between them.
pub(super) fn text(drafts: &[Draft<'_>]) -> String {
    drafts
        .iter()
        .filter_map(Draft::text)
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Leaves out what does not fit: first what was recalled, then other memories, then what was made
/// ready, the scratchpad, and at last texts. Answers how many memories went.
pub(super) fn fit(
    drafts: &mut [Draft<'_>],
    max_tokens: u32,
    count: &dyn Fn(&str) -> usize,
) -> usize {
    let limit = usize::try_from(max_tokens).unwrap_or(usize::MAX);
    if limit == 0 {
        return 0;
    }
    let order = [
        PartSource::Recalled,
        PartSource::Memories,
        PartSource::File,
        PartSource::Core,
        PartSource::Prepared,
        PartSource::Scratchpad,
        PartSource::Time,
        PartSource::Text,
    ];
    let mut dropped = 0;
    for source in order {
        for at in (0..drafts.len()).rev() {
            if drafts
                .get(at)
                .is_none_or(|draft| draft.part.source != source || draft.lines.is_empty())
            {
                continue;
            }
            if count(&text(drafts)) <= limit {
                return dropped;
            }
            dropped += shorten(drafts, at, &|text| count(text) <= limit);
        }
    }
    dropped
}

/// Cuts one part until all of them fit, or nothing of it is left; answers how many memories went.
/// The rest gets shorter with each step, so that the number of steps is found by halving.
fn shorten(drafts: &mut [Draft<'_>], at: usize, fits: &dyn Fn(&str) -> bool) -> usize {
    let Some(draft) = drafts.get_mut(at) else {
        return 0;
    };
    let (mut low, mut high, memories) = (1, draft.steps().max(1), draft.memories());
    let whole = Draft {
        part: draft.part,
        lines: std::mem::take(&mut draft.lines),
        left_out: 0,
        heading: draft.heading.clone(),
    };
    while low < high {
        let middle = low.midpoint(high);
        if let Some(draft) = drafts.get_mut(at) {
            draft.lines = whole.cut(middle);
        }
        if fits(&text(drafts)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if let Some(draft) = drafts.get_mut(at) {
        draft.lines = whole.cut(low);
    }
    low.min(memories)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    /// The same result as `fit`, one line after the other.
    fn slowly(drafts: &mut [Draft<'_>], limit: usize, count: &dyn Fn(&str) -> usize) -> usize {
        let mut dropped = 0;
        for source in [PartSource::Recalled, PartSource::File, PartSource::Text] {
            while count(&text(drafts)) > limit {
                let Some(draft) = drafts
                    .iter_mut()
                    .rev()
                    .find(|d| d.part.source == source && !d.lines.is_empty())
                else {
                    break;
                };
                dropped += usize::from(draft.memories() > 0);
                draft.lines = draft.cut(1);
            }
        }
        dropped
    }

    fn part(source: PartSource) -> PartSettings {
        PartSettings {
            source,
            ..PartSettings::default()
        }
    }

    fn memory(text: &str, score: f64) -> Line {
        Line {
            text: text.to_owned(),
            item: Some((MemoryId::from_bytes([1; 16]), score)),
            heads: false,
        }
    }

    #[test]
    fn a_long_file_is_cut_in_few_steps() {
        let part = part(PartSource::File);
        let lines = (0..50_000)
            .map(|n| Line::fixed(format!("- line {n}")))
            .collect();
        let mut drafts = [Draft {
            part: &part,
            lines,
            left_out: 0,
            heading: String::new(),
        }];
        let (limit, counted) = (2_000, Cell::new(0));
        let count = |text: &str| {
            counted.set(counted.get() + 1);
            text.len()
        };
        fit(&mut drafts, limit, &count);
        assert!(text(&drafts).len() <= 2_000 && text(&drafts).len() > 1_980);
        assert!(counted.get() < 30, "{}", counted.get());
    }

    proptest! {
        #[test]
        fn what_is_left_out_is_what_would_go_one_by_one(
            scores in prop::collection::vec((0_u8..5, any::<bool>()), 0..12),
            lines in prop::collection::vec("[a-c]{0,6}(\n[a-c]{1,4}){0,3}", 0..6),
            limit in 1_u32..120,
        ) {
            let sources = [PartSource::Recalled, PartSource::File, PartSource::Recalled, PartSource::Text];
            let parts = sources.map(part);
            let made = || {
                let memories = scores.iter().map(|(score, heads)| if *heads {
                    Line { text: "## heading".to_owned(), item: None, heads: true }
                } else {
                    memory("- memory", f64::from(*score))
                });
                let memories: Vec<Line> = memories.collect();
                let texts: Vec<Line> = lines.iter().map(|text| Line::fixed(text.clone())).collect();
                let of = [memories.clone(), texts.clone(), memories, texts];
                let drafts = parts.iter().zip(of);
                let draft = |(part, lines)| Draft { part, heading: String::new(), lines, left_out: 0 };
                drafts.map(draft).collect::<Vec<_>>()
            };
            let (mut quick, mut slow) = (made(), made());
            let count = |text: &str| text.len();
            let dropped = (fit(&mut quick, limit, &count), slowly(&mut slow, limit as usize, &count));
            prop_assert_eq!(text(&quick), text(&slow));
            prop_assert_eq!(dropped.0, dropped.1);
        }
    }
}
