//! Two phrases that are the ends of one: `from May 2023 to July 2024`, `周一到周三`.

use std::ops::Range;

use super::cursor::Cursor;
use super::span::{Grain, Span};
use super::tokens::Token;
use super::{Bound, Found, Interval, Phrase, bound};
use crate::Zone;

/// What was found, and in which tokens.
pub(super) struct Placed {
    pub(super) tokens: Range<usize>,
    pub(super) found: Found,
}

/// Adds a phrase, or makes it the end of the one before.
pub(super) fn push(list: &mut Vec<Placed>, new: Placed, tokens: &[Token]) {
    if let Some(last) = list.last_mut()
        && let Some(found) = stretch(last, &new, tokens).or_else(|| between_bounds(last, &new, tokens))
    {
        last.found = found;
        last.tokens.end = new.tokens.end;
    } else {
        list.push(new);
    }
}

/// The time from one phrase to the other.
fn stretch(last: &Placed, new: &Placed, tokens: &[Token]) -> Option<Found> {
    let (first, second) = (last.found.span, new.found.span);
    if !joined(last, new, tokens) || first.end > second.start {
        return None;
    }
    let span = Span::new(first.start, second.end, first.grain.max(second.grain))?;
    Some(Found { absolute: last.found.absolute || new.found.absolute, ..Found::default_of(span) })
}

/// `after 2019 and before 2024`, 2019年以后2024年以前: the time between two bounds of which one opens and the other closes.
fn between_bounds(last: &Placed, new: &Placed, tokens: &[Token]) -> Option<Found> {
    let opens = |found: &Found| match found.bound {
        Bound::Since => Some(found.span.start),
        Bound::After => Some(found.span.end),
        _ => None,
    };
    let closes = |found: &Found| match found.bound {
        Bound::Before => Some(found.span.start),
        Bound::Until => Some(found.span.end),
        _ => None,
    };
    let (first, second) = (&last.found, &new.found);
    let (start, end) = opens(first).zip(closes(second)).or_else(|| opens(second).zip(closes(first)))?;
    // Clocks of one day only: "after three on Monday and before five" may mean any five.
    let clocks = first.clock || second.clock;
    let apart = clocks && !(first.absolute && second.absolute) && first.span.start.date() != second.span.start.date();
    if apart || !bound::only_bounds(Cursor::new(tokens, last.tokens.end), new.tokens.start) {
        return None;
    }
    let span = Span::new(start, end, first.span.grain.max(second.span.grain))?;
    let exact = [first.bound, second.bound].iter().any(|bound| matches!(bound, Bound::After | Bound::Before));
    Some(Found { absolute: first.absolute || second.absolute, exact, ..Found::default_of(span) })
}

/// Whether one token stands between them that makes them a stretch.
fn joined(last: &Placed, new: &Placed, tokens: &[Token]) -> bool {
    let between = Cursor::new(tokens, last.tokens.end);
    let opens = Cursor::new(tokens, last.tokens.start).follows(&["between"]);
    let joins = between
        .any(&["到", "至", "to", "until", "till", "through", "直到"])
        .or_else(|| ['-', '~'].into_iter().find_map(|mark| between.mark(mark)))
        .or_else(|| if opens { between.any(&["and"]) } else { None });
    // 到上周为止 is taken with its 到, and the grammar may have taken the connector as the lead of the second phrase.
    joins.is_some_and(|end| {
        end.maybe("the").at() == new.tokens.start || [end.at(), between.at()].contains(&new.tokens.start)
    })
}

impl Placed {
    pub(super) fn phrase(self, tokens: &[Token], zone: &Zone) -> Option<Phrase> {
        let first = tokens.get(self.tokens.start)?;
        let last = tokens.get(self.tokens.end.checked_sub(1)?)?;
        let Found { span, part, bound, absolute, clock, exact } = self.found;
        let (start, end) = (zone.moment(span.start)?, zone.moment(span.end)?);
        // The clock of a date is a moment of all time: "before 2025-03-01 12:00".
        let day = if clock && !absolute { Span::days(span.start.date(), 1, Grain::Day) } else { None };
        let day = day.and_then(|day| Some(Interval { start: zone.moment(day.start)?, end: zone.moment(day.end)? }));
        (start < end).then_some(Phrase {
            range: first.range.start..last.range.end,
            interval: Interval { start, end },
            grain: span.grain,
            bound,
            absolute,
            part,
            day,
            exact,
        })
    }
}
