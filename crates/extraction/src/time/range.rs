//! Two phrases that are the ends of one: `from May 2023 to July 2024`, `周一到周三`.

use std::ops::Range;

use super::cursor::Cursor;
use super::span::{Grain, Span};
use super::tokens::Token;
use super::{Bound, Found, Interval, Phrase};
use crate::Zone;

/// What was found, and in which tokens.
pub(super) struct Placed {
    pub(super) tokens: Range<usize>,
    pub(super) found: Found,
}

/// Adds a phrase, or makes it the end of the one before.
pub(super) fn push(list: &mut Vec<Placed>, new: Placed, tokens: &[Token]) {
    if let Some(last) = list.last_mut()
        && joined(last, &new, tokens)
        && let Some(span) =
            Span::new(last.found.span.start, new.found.span.end, last.found.span.grain.max(new.found.span.grain))
        && last.found.span.end <= new.found.span.start
    {
        let absolute = last.found.absolute || new.found.absolute;
        last.found = Found { span, part: None, bound: Bound::Within, absolute, clock: false };
        last.tokens.end = new.tokens.end;
    } else {
        list.push(new);
    }
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
        let Found { span, part, bound, absolute, clock } = self.found;
        let (start, end) = (zone.moment(span.start)?, zone.moment(span.end)?);
        let day = if clock { Span::days(span.start.date(), 1, Grain::Day) } else { None };
        let day = day.and_then(|day| Some(Interval { start: zone.moment(day.start)?, end: zone.moment(day.end)? }));
        (start < end).then_some(Phrase {
            range: first.range.start..last.range.end,
            interval: Interval { start, end },
            grain: span.grain,
            bound,
            absolute,
            part,
            day,
        })
    }
}
