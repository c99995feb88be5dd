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
        Self { text, item: None, heads: false }
    }
}

/// A part while it is made.
pub(super) struct Draft<'a> {
    pub(super) part: &'a PartSettings,
    pub(super) lines: Vec<Line>,
    pub(super) left_out: usize,
    /// Whether the heading of the settings stands above it; what comes from a file has its own.
    pub(super) headed: bool,
}

impl Draft<'_> {
    pub(super) fn limit_memories(&mut self) {
        let limit = usize::try_from(self.part.limit).unwrap_or(usize::MAX);
        if limit > 0 {
            self.left_out += self.drop_while(|draft| draft.memories() > limit);
        }
    }

    pub(super) fn limit_chars(&mut self) {
        let limit = usize::try_from(self.part.max_chars).unwrap_or(usize::MAX);
        if limit > 0 {
            self.left_out += self.shrink(limit.saturating_add(1));
        }
    }

    /// Leaves out the memories with the lowest scores, as [`drop_lowest`](Self::drop_lowest) does one by one, until the lines with their ends
    /// have no more characters than that; in one pass, however many there are. Answers how many went.
    fn shrink(&mut self, limit: usize) -> usize {
        let sizes: Vec<usize> = self.lines.iter().map(|line| line.text.chars().count() + 1).collect();
        let mut left: usize = sizes.iter().sum();
        if left <= limit {
            return 0;
        }
        let scored = self.lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.item?.1)));
        let mut order: Vec<(usize, f64)> = scored.collect();
        order.sort_by(|(a, low), (b, high)| low.total_cmp(high).then(b.cmp(a)));
        let mut sections = Sections::of(&self.lines);
        let mut gone = BTreeSet::new();
        let mut dropped = 0;
        for (at, _) in order {
            if left <= limit {
                break;
            }
            dropped += 1;
            for line in std::iter::once(at).chain(sections.without(at)) {
                gone.insert(line);
                left = left.saturating_sub(sizes.get(line).copied().unwrap_or_default());
            }
        }
        let mut place = 0..;
        self.lines.retain(|_| place.next().is_none_or(|at| !gone.contains(&at)));
        dropped
    }

    fn memories(&self) -> usize {
        self.lines.iter().filter(|line| line.item.is_some()).count()
    }

    /// Leaves out the lowest memories while there is reason to; answers how many.
    fn drop_while(&mut self, reason: impl Fn(&Self) -> bool) -> usize {
        let mut dropped = 0;
        while reason(self) && self.drop_lowest().is_some() {
            dropped += 1;
        }
        dropped
    }

    /// Leaves out the memory with the lowest score, of equal ones the last, and the headings that then head nothing; answers what these lines
    /// said.
    fn drop_lowest(&mut self) -> Option<String> {
        let scored = self.lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.item?.1)));
        let lowest = scored.reduce(|low, next| if next.1.total_cmp(&low.1).is_le() { next } else { low });
        let mut gone = self.lines.remove(lowest?.0).text;
        let headless = |at: usize| self.lines.get(at).is_none_or(|line| line.heads);
        let empty: Vec<usize> = (0..self.lines.len())
            .filter(|at| self.lines.get(*at).is_some_and(|l| l.heads) && headless(at + 1))
            .collect();
        for at in empty.into_iter().rev() {
            gone.push('\n');
            gone.push_str(&self.lines.remove(at).text);
        }
        Some(gone)
    }

    /// Leaves out the lowest memories, or the last lines of a text, until they had so many tokens together; answers how many memories went.
    fn give_up(&mut self, tokens: usize, count: &dyn Fn(&str) -> usize) -> usize {
        let (mut gone, mut dropped) = (0, 0);
        while gone < tokens {
            let line = match self.drop_lowest() {
                Some(line) => {
                    dropped += 1;
                    line
                }
                None => match self.shorten() {
                    Some(line) => line,
                    None => break,
                },
            };
            // With the end of the line before it, which goes, too: rather too little is left out at first than too much.
            gone = gone.saturating_add(count(&format!("\n{line}")).max(1));
        }
        dropped
    }

    /// Takes the last line of a text away; answers what it said.
    fn shorten(&mut self) -> Option<String> {
        let last = self.lines.last_mut()?;
        match last.text.rsplit_once('\n') {
            Some((rest, line)) => {
                let (rest, line) = (rest.trim_end().to_owned(), line.to_owned());
                last.text = rest;
                Some(line)
            }
            None => self.lines.pop().map(|line| line.text),
        }
    }

    fn text(&self) -> Option<String> {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        if lines.is_empty() {
            return None;
        }
        let body = lines.join("\n");
        Some(if self.part.heading.is_empty() || !self.headed { body } else { format!("{}\n{body}", self.part.heading) })
    }

    pub(super) fn part(&self) -> Option<Part> {
        let ids = self.lines.iter().filter_map(|line| Some(line.item?.0)).collect();
        Some(Part { name: self.part.name.clone(), text: self.text()?, ids })
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
        let (mut heads, mut below, mut head) = (Vec::with_capacity(lines.len()), BTreeMap::new(), None);
        for (at, line) in lines.iter().enumerate() {
            if line.heads {
                below.insert(at, 0);
                head = Some(at);
                heads.push(None);
            } else {
                head.and_then(|head| below.get_mut(&head)).into_iter().for_each(|count: &mut usize| *count += 1);
                heads.push(head);
            }
        }
        Self { heads, below }
    }

    /// The headings that head nothing once a line has gone.
    fn without(&mut self, line: usize) -> Vec<usize> {
        if let Some(count) = self.heads.get(line).copied().flatten().and_then(|head| self.below.get_mut(&head)) {
            *count = count.saturating_sub(1);
        }
        let empty: Vec<usize> = self.below.iter().filter(|(_, count)| **count == 0).map(|(head, _)| *head).collect();
        self.below.retain(|_, count| *count > 0);
        empty
    }
}

/// All parts, with an empty line between them.
pub(super) fn text(drafts: &[Draft<'_>]) -> String {
    drafts.iter().filter_map(Draft::text).collect::<Vec<_>>().join("\n\n")
}

/// Leaves out what does not fit: first what was recalled, then other memories, then what was made ready, the scratchpad, and
/// at last texts. Answers how many memories went.
pub(super) fn fit(drafts: &mut [Draft<'_>], max_tokens: u32, count: &dyn Fn(&str) -> usize) -> usize {
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
        while let Some(excess) = count(&text(drafts)).checked_sub(limit).filter(|excess| *excess > 0) {
            let Some(draft) = drafts.iter_mut().rev().find(|d| d.part.source == source && !d.lines.is_empty()) else {
                break;
            };
            dropped += draft.give_up(excess, count);
        }
    }
    dropped
}
