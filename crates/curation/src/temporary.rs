//! Sessions that are temporary for a time: what is said in it is not looked through.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::table::{Text, Value};
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, Table};
use annals_types::{Body, Label, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use annals_engine::Error;
use annals_engine::WriteCx;

/// When sessions were temporary.
pub(crate) const TEMPORARY: Table<(NamespaceId, Text), TemporarySpans> =
    Table::new("annals.temporary");
/// At most so many spans of a session; beyond that the first two become one.
const MOST: usize = 256;

/// A time in which a session was temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Span {
    from: Timestamp,
    /// `None` while it is.
    until: Option<Timestamp>,
}

/// The times in which a session was temporary, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemporarySpans(Vec<Span>);

impl TemporarySpans {
    /// Whether the session is temporary now.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.last().is_some_and(|last| last.until.is_none())
    }

    /// Whether it was at a moment, its ends included.
    #[must_use]
    pub fn covers(&self, at: Timestamp) -> bool {
        self.0
            .iter()
            .any(|span| span.from <= at && span.until.is_none_or(|until| at <= until))
    }

    /// Whether a turn of the session was said in one of them, or is being said in one.
    #[must_use]
    pub fn keep_out(&self, body: &Body) -> bool {
        self.is_on() || body.event_time.is_some_and(|at| self.covers(at))
    }

    fn switch(&mut self, on: bool, now: Timestamp) {
        match self.0.last_mut() {
            Some(last) if !on && last.until.is_none() => last.until = Some(now),
            Some(last) if on && last.until.is_none() => {}
            _ if on => self.0.push(Span {
                from: now,
                until: None,
            }),
            _ => {}
        }
        if self.0.len() > MOST {
            let first = self.0.remove(0);
            if let Some(second) = self.0.first_mut() {
                second.from = first.from;
            }
        }
    }
}

/// A varint count; of each span its beginning as zigzag milliseconds, then 0, or 1 and its end.
impl Value for TemporarySpans {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.length(view.0.len());
        for span in &view.0 {
            put.zigzag(span.from.as_millis());
            put.byte(u8::from(span.until.is_some()));
            if let Some(until) = span.until {
                put.zigzag(until.as_millis());
            }
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let mut spans = Vec::new();
        for _ in 0..take.count(2)? {
            let from = Timestamp::from_millis(take.zigzag()?);
            let until = match take.byte()? {
                0 => None,
                1 => Some(Timestamp::from_millis(take.zigzag()?)),
                _ => return Err(Broken("the end of a temporary time has an unknown form")),
            };
            spans.push(Span { from, until });
        }
        take.end()?;
        Ok(Self(spans))
    }
}

/// The times in which a session was temporary.
///
/// # Errors
/// When they cannot be read.
pub fn spans(reads: &dyn Reads, ns: NamespaceId, session: &Label) -> Result<TemporarySpans, Error> {
    Ok(TEMPORARY
        .get(reads, (ns, session.as_str()))?
        .unwrap_or_default())
}

/// The sessions that are temporary now, by their names.
///
/// # Errors
/// When they cannot be read.
pub fn sessions(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    TEMPORARY.scan(reads, TEMPORARY.within(ns), |(_, session), spans| {
        if spans.is_on() {
            found.push(session.to_owned());
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Those of the sessions of some turns; sessions that never were temporary are not among them.
///
/// # Errors
/// As [`spans`].
pub fn spans_of<'b>(
    reads: &dyn Reads,
    ns: NamespaceId,
    bodies: impl IntoIterator<Item = &'b Body>,
) -> Result<BTreeMap<Label, TemporarySpans>, Error> {
    let sessions = bodies
        .into_iter()
        .filter_map(|body| Some(body.turn.as_ref()?.session.clone()));
    let sessions: BTreeSet<Label> = sessions.collect();
    let found = TEMPORARY.get_many(reads, sessions.iter().map(|session| (ns, session.as_str())))?;
    Ok(sessions
        .iter()
        .cloned()
        .zip(found)
        .filter_map(|(session, spans)| Some((session, spans?)))
        .collect())
}

/// Whether a turn is kept out, by the times of its session.
#[must_use]
pub fn is_kept_out(spans: &BTreeMap<Label, TemporarySpans>, body: &Body) -> bool {
    body.turn
        .as_ref()
        .and_then(|turn| spans.get(&turn.session))
        .is_some_and(|spans| spans.keep_out(body))
}

/// Makes a session temporary, or no longer.
///
/// # Errors
/// When it cannot be written.
pub fn switch(cx: &mut WriteCx<'_, '_>, session: &Label, on: bool) -> Result<(), Error> {
    let before = spans(&*cx.txn, cx.ns, session)?;
    let mut after = before.clone();
    after.switch(on, cx.now);
    if after != before {
        TEMPORARY.put(cx.txn, (cx.ns, session.as_str()), &after)?;
    }
    Ok(())
}

/// Forgets when sessions were temporary that have no turn left. One that still is stays so: whoever
/// leads the conversation wants nothing of it kept.
pub(crate) fn forget(cx: &mut WriteCx<'_, '_>, sessions: &BTreeSet<Label>) -> Result<(), Error> {
    for session in sessions {
        if !spans(&*cx.txn, cx.ns, session)?.is_on()
            && annals_records::session_turns(&*cx.txn, cx.ns, session.as_str(), 0, 1)?.is_empty()
        {
            TEMPORARY.delete(cx.txn, (cx.ns, session.as_str()))?;
        }
    }
    Ok(())
}

/// A row of an export.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exported {
    session: Label,
    temporary: TemporarySpans,
}

/// Writes all rows of a namespace as JSON.
pub(crate) fn export(
    reads: &dyn Reads,
    ns: NamespaceId,
    sink: &mut dyn FnMut(serde_json::Value) -> Result<(), Error>,
) -> Result<(), Error> {
    TEMPORARY.scan(reads, TEMPORARY.within(ns), |key, temporary| {
        let session = Label::new("session", key.1)
            .map_err(|_| TEMPORARY.damaged(key, "the name of a session is not allowed"))?;
        let row = serde_json::to_value(Exported { session, temporary });
        sink(row.map_err(|error| {
            Error::bad_input(format!("a temporary session cannot be exported: {error}"))
        })?)?;
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(())
}

/// Takes a row over from an export, unless this file knows the session better.
pub(crate) fn import(cx: &mut WriteCx<'_, '_>, row: &serde_json::Value) -> Result<bool, Error> {
    let Ok(Exported { session, temporary }) = serde_json::from_value(row.clone()) else {
        return Err(Error::bad_input(
            "a row about a temporary session has an unknown form",
        ));
    };
    if TEMPORARY.get(cx.txn, (cx.ns, session.as_str()))?.is_some() {
        return Ok(false);
    }
    TEMPORARY.put(cx.txn, (cx.ns, session.as_str()), &temporary)?;
    Ok(true)
}

/// Reads every row.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    TEMPORARY.scan(reads, TEMPORARY.within(ns), |key, TemporarySpans(spans)| {
        let ended = spans.iter().rev().skip(1).all(|span| span.until.is_some());
        let forward = spans
            .iter()
            .all(|span| span.until.is_none_or(|until| span.from <= until));
        if !ended || !forward {
            problems.push(format!(
                "{TEMPORARY} has times of session {:?} that are out of order",
                key.1
            ));
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(problems)
}

#[cfg(test)]
impl TemporarySpans {
    /// Spans of given times, for a frozen row.
    pub(crate) fn of(spans: &[(i64, Option<i64>)]) -> Self {
        let at = Timestamp::from_millis;
        Self(
            spans
                .iter()
                .map(|(from, until)| Span {
                    from: at(*from),
                    until: until.map(at),
                })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn switching_makes_spans() {
        let mut spans = TemporarySpans::default();
        for (on, millis) in [
            (false, 1),
            (true, 10),
            (true, 20),
            (false, 30),
            (false, 40),
            (true, 50),
        ] {
            spans.switch(on, at(millis));
        }
        assert_eq!(spans, TemporarySpans::of(&[(10, Some(30)), (50, None)]));
        assert!(spans.is_on());
        for (moment, covered) in [
            (9, false),
            (10, true),
            (30, true),
            (31, false),
            (50, true),
            (9_000, true),
        ] {
            assert_eq!(spans.covers(at(moment)), covered, "{moment}");
        }
    }

    #[test]
    fn many_spans_become_fewer_and_cover_no_less() {
        let mut spans = TemporarySpans::default();
        for n in 0..1_000 {
            spans.switch(n % 2 == 0, at(n * 10));
        }
        assert_eq!(spans.0.len(), MOST);
        assert!((0..500).all(|n| spans.covers(at(n * 20 + 5))));
        assert!(!spans.is_on());
    }
}
