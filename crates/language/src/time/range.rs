//! Two phrases that are the ends of one: `from May 2023 to July 2024`, `周一到周三`.

use std::ops::Range;

use jiff::civil::Date;
use serde::Deserialize;

use super::cursor::Cursor;
use super::grammar::{List, grammar};
use super::slots::Slot;
use super::span::{Grain, Span, plus_minutes};
use super::tokens::Token;
use super::{Bound, Interval, Phrase, RowMatch, bound};
use crate::Zone;

/// The match of a row, and its tokens.
pub(super) struct Placed {
    pub(super) tokens: Range<usize>,
    pub(super) found: RowMatch,
}

impl Placed {
    /// Makes it one of a year, where its words name none; or of the one next to it, where it would
    /// lie on the wrong side of what it is joined to.
    fn take(&mut self, year: i16, turn: i16, fits: impl Fn(&Span) -> bool) {
        let in_year = |turn: i16| self.found.span.in_year(year.checked_add(turn)?);
        if let Some(span) = [0, turn]
            .into_iter()
            .filter_map(in_year)
            .find(fits)
            .filter(|_| self.found.span.is_yearless())
        {
            (self.found.span, self.found.year) = (span, Some((span.start.year(), false)));
        }
    }
}

/// The words between two phrases.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Joint {
    /// Nothing that says anything.
    None,
    Comma,
    /// `and`, 或.
    List,
    /// `to`, 到.
    Stretch,
}

impl Joint {
    pub(super) const ALL: [Self; 4] = [Self::None, Self::Comma, Self::List, Self::Stretch];

    fn between(last: &Placed, new: &Placed, tokens: &[Token]) -> Option<Self> {
        let (mut at, mut joint) = (Cursor::new(tokens, last.tokens.end), Self::None);
        while at.at() < new.tokens.start {
            let (end, slots) = at.longest(grammar().list(List::Joints))?;
            let here = slots
                .one(Slot::Joint, &Self::ALL)
                .filter(|here| *here != Self::None);
            (at, joint) = (end, here.unwrap_or(joint));
        }
        Some(joint)
    }
}

/// Adds a phrase, or makes it the end of the one before.
pub(super) fn push(list: &mut Vec<Placed>, mut new: Placed, tokens: &[Token]) {
    share_year(list, &mut new, tokens);
    if let Some(last) = list.last_mut()
        && let Some(found) = within_year(last, &new, tokens)
            .or_else(|| stretch(last, &new, tokens))
            .or_else(|| between_bounds(last, &new, tokens))
    {
        last.found = RowMatch {
            year: new.found.year.or(last.found.year),
            ..found
        };
        last.tokens.end = new.tokens.end;
    } else {
        list.push(new);
    }
}

/// Of phrases in a row those without a year have that of the one before them, or of the one that
/// ends with it: 去年三月、四月和五月, `March and April 2025`.
fn share_year(list: &mut [Placed], new: &mut Placed, tokens: &[Token]) {
    let behind = |joint: Joint| joint != Joint::None;
    let finer = |placed: &Placed| {
        placed
            .found
            .year
            .filter(|_| placed.found.span.grain < Grain::Year)
    };
    if let Some(last) = list.last_mut()
        && let Some(joint) = Joint::between(last, new, tokens).filter(|joint| behind(*joint))
        && let Some((year, _)) = finer(last).filter(|_| new.found.span.is_yearless())
    {
        let start = last.found.span.start;
        new.take(year, 1, |span| {
            joint != Joint::Stretch || start <= span.start
        });
        (last.found.absolute, new.found.absolute) = (true, true);
    }
    let Some((year, true)) = finer(new) else {
        return;
    };
    let mut next = new;
    for before in list
        .iter_mut()
        .rev()
        .take_while(|before| before.found.span.is_yearless())
    {
        let Some(joint) = Joint::between(before, next, tokens).filter(|joint| behind(*joint))
        else {
            return;
        };
        let start = next.found.span.start;
        before.take(year, -1, |span| {
            joint != Joint::Stretch || span.start <= start
        });
        (before.found.absolute, next.found.absolute) = (true, true);
        next = before;
    }
}

/// `last year in March`, 2024年，三月: a part of the year that stands before it.
fn within_year(last: &Placed, new: &Placed, tokens: &[Token]) -> Option<RowMatch> {
    let whole = last.found.span.grain == Grain::Year && last.found.bound == Bound::Within;
    let beside = matches!(
        Joint::between(last, new, tokens)?,
        Joint::None | Joint::Comma
    );
    (whole && beside && new.found.span.is_yearless()).then_some(())?;
    Some(RowMatch {
        span: new.found.span.in_year(last.found.year?.0)?,
        ..new.found
    })
}

/// The time from one phrase to the other.
fn stretch(last: &Placed, new: &Placed, tokens: &[Token]) -> Option<RowMatch> {
    joined(last, new, tokens).then_some(())?;
    let (first, second) = clocks(&last.found, &new.found)
        .map_or_else(|| ends(last.found.span, new.found.span), Some)?;
    // Days in a row are no day.
    let grain = if first.grain == Grain::Day {
        Grain::Week
    } else {
        first.grain
    };
    let span = Span::new(first.start, second.end, grain.max(second.grain))?;
    let span = Span {
        cycle: first.cycle.filter(|cycle| Some(*cycle) == second.cycle),
        ..span
    };
    let absolute = last.found.absolute || new.found.absolute;
    let undated = last.found.undated && new.found.undated;
    Some(RowMatch {
        absolute,
        undated,
        joined: true,
        ..RowMatch::of(span)
    })
}

/// Both ends where one of them is a time of day without a date: it is of the day of the other, or
/// of the next one to it where they would not be in order there. `from 3 pm to 5 pm tomorrow`,
/// 昨晚10点到凌晨2点.
fn clocks(first: &RowMatch, second: &RowMatch) -> Option<(Span, Span)> {
    const DAY: i64 = 24 * 60;
    let on = |span: Span, day: Date, later: i64| {
        let start = plus_minutes(day.to_datetime(span.start.time()), later)?;
        Span::new(start, plus_minutes(start, 1)?, span.grain)
    };
    [first, second]
        .iter()
        .all(|found| found.clock && found.span.grain == Grain::Minute)
        .then_some(())?;
    match (first.undated, second.undated) {
        (true, false) => {
            let (day, end) = (second.span.start.date(), second.span);
            let mut turned = [0, -DAY]
                .into_iter()
                .filter_map(|later| on(first.span, day, later));
            Some((turned.find(|start| start.start < end.start)?, end))
        }
        (false, true) => {
            let (day, start) = (first.span.start.date(), first.span);
            // Ten is ten in the evening, where that is what the first is of.
            let late = (first.part.is_some() && second.part.is_none()).then_some(DAY / 2);
            let turned = [Some(0), late, Some(DAY)].into_iter().flatten();
            let mut turned = turned.filter_map(|later| on(second.span, day, later));
            Some((start, turned.find(|end| end.start > start.start)?))
        }
        _ => None,
    }
}

/// Both ends of a stretch, the first before the second. Where words leave open which week, month
/// or year an end is of, it is of the one next to the other end: 上周一到周三. Where they do so
/// for both, the second follows the first.
fn ends(first: Span, second: Span) -> Option<(Span, Span)> {
    let in_order = first.end <= second.start;
    // A year says nothing of where in another year an end lies: from 2019 to March.
    let coarse =
        |end: Span, other: Span| other.cycle.is_some_and(|cycle| end.grain >= cycle.grain());
    let (first, second) = match (first.cycle, second.cycle) {
        (None, None) => (first, second),
        (None, Some(_)) if in_order && coarse(first, second) => (first, second),
        (Some(_), None) if in_order && coarse(second, first) => (first, second),
        (Some(_), None) => (first.until(second.start)?, second),
        (_, Some(_)) => (first, second.from(first.end)?),
    };
    (first.end <= second.start).then_some((first, second))
}

/// `after 2019 and before 2024`, 2019年以后2024年以前: the time between two bounds of which one
/// opens and the other closes.
fn between_bounds(last: &Placed, new: &Placed, tokens: &[Token]) -> Option<RowMatch> {
    let opens = |found: &RowMatch| match found.bound {
        Bound::Since => Some(found.span.start),
        Bound::After => Some(found.span.end),
        _ => None,
    };
    let closes = |found: &RowMatch| match found.bound {
        Bound::Before => Some(found.span.start),
        Bound::Until => Some(found.span.end),
        _ => None,
    };
    let (first, second) = (&last.found, &new.found);
    let (start, end) = opens(first)
        .zip(closes(second))
        .or_else(|| opens(second).zip(closes(first)))?;
    // Clocks of one day only: "after three on Monday and before five" may mean any five.
    let clocks = first.clock || second.clock;
    let apart = clocks
        && !(first.absolute && second.absolute)
        && first.span.start.date() != second.span.start.date();
    if apart || !bound::only_bounds(Cursor::new(tokens, last.tokens.end), new.tokens.start) {
        return None;
    }
    let span = Span::new(start, end, first.span.grain.max(second.span.grain))?;
    let exact = [first.bound, second.bound]
        .iter()
        .any(|bound| matches!(bound, Bound::After | Bound::Before));
    let (absolute, undated) = (
        first.absolute || second.absolute,
        first.undated && second.undated,
    );
    Some(RowMatch {
        absolute,
        exact,
        undated,
        joined: true,
        ..RowMatch::of(span)
    })
}

/// Whether words stand between them that make them a stretch.
fn joined(last: &Placed, new: &Placed, tokens: &[Token]) -> bool {
    let list = |list| grammar().list(list);
    let here = Cursor::new(tokens, new.tokens.start);
    let ends = |patterns| {
        let between = Cursor::new(tokens, last.tokens.end);
        between
            .longest(patterns)
            .is_some_and(|(end, _)| end.at() == here.at())
    };
    let paired = || {
        Cursor::new(tokens, last.tokens.start)
            .behind(list(List::Between))
            .is_some()
            || here.to(new.tokens.end).matches(list(List::BetweenBehind))
    };
    ends(list(List::Stretches)) || paired() && ends(list(List::Pairs))
}

impl Placed {
    pub(super) fn phrase(self, tokens: &[Token], zone: &Zone) -> Option<Phrase> {
        let first = tokens.get(self.tokens.start)?;
        let last = tokens.get(self.tokens.end.checked_sub(1)?)?;
        let RowMatch {
            span,
            part,
            bound,
            absolute,
            clock,
            exact,
            undated,
            joined,
            deadline,
            ..
        } = self.found;
        let (start, end) = (zone.moment(span.start)?, zone.moment(span.end)?);
        // The clock of a date is a moment of all time: "before 2025-03-01 12:00".
        let day = if clock && !absolute {
            Span::days(span.start.date(), 1, Grain::Day)
        } else {
            None
        };
        let day = day.and_then(|day| {
            Some(Interval {
                start: zone.moment(day.start)?,
                end: zone.moment(day.end)?,
            })
        });
        (start < end).then_some(Phrase {
            range: first.range.start..last.range.end,
            interval: Interval { start, end },
            grain: span.grain,
            bound,
            absolute,
            part,
            day,
            cycle: span.cycle,
            exact,
            undated,
            joined,
            deadline,
        })
    }
}
