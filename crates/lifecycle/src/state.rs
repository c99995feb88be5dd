use annals_storage::table::Value;
use annals_types::{NamespaceId, Row, Status, Timestamp};

use crate::wire::{Broken, Put, Take};
use crate::{Anchor, Lane, Policy};

/// The stored state of the life of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The name of its class.
    pub class: String,
    /// The status as rules see it; the facade tells when it changes otherwise.
    pub status: Status,
    /// Since when it has that status.
    pub status_since: Timestamp,
    /// The score when it was last changed by something else than time.
    pub value: f64,
    /// When that was.
    pub at: Timestamp,
    /// What rules that look at retention have left of the score, from 0 to 1: retention is that of
    /// the whole score, or a rule that lowers what has faded would make it fade.
    pub lowered: f32,
    /// When the memory was stored.
    pub created: Timestamp,
    /// The last access that counted; the storing before the first.
    pub accessed: Timestamp,
    /// When it expires, if it does.
    pub expires_at: Option<Timestamp>,
    /// How often it was said to be of use.
    pub used: u32,
    /// How often it was injected or returned, where the profile counts that.
    pub returned: u32,
    /// How often something contradicted it.
    pub contradicted: u32,
    /// Whether a person said that it is to stay as it is.
    pub pinned: bool,
    /// Whether it goes with its session.
    pub session_bound: bool,
    /// The limits of its reinforcement.
    pub limits: Limits,
    /// The marks of rules.
    pub(crate) marks: Vec<Mark>,
    /// Where it stands in the due index.
    pub(crate) due: Option<(Lane, Timestamp)>,
}

/// The limits of reinforcement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// When a use was last counted.
    pub counted_at: Option<Timestamp>,
    /// The day, as a number of the profile's zone, of the last gain, and what was gained on it.
    pub day: Option<(i64, f64)>,
    /// The number of the session of the last use, and how often it was counted in it.
    pub session: Option<(u32, u32)>,
}

/// A place of the due index.
pub(crate) type Due = (Lane, Timestamp, NamespaceId, Row);

/// The mark of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mark {
    pub(crate) rule: u32,
    pub(crate) kind: MarkKind,
    pub(crate) at: Timestamp,
    /// The score at that moment.
    pub(crate) value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// It fired.
    Fired,
    /// It has held since then.
    Since,
}

impl State {
    /// A memory that was stored at `created` and has not been used.
    #[must_use]
    pub fn new(class: &str, value: f64, created: Timestamp) -> Self {
        Self {
            class: class.to_owned(),
            status: Status::Active,
            status_since: created,
            value,
            lowered: 1.0,
            at: created,
            created,
            accessed: created,
            expires_at: None,
            used: 0,
            returned: 0,
            contradicted: 0,
            pinned: false,
            session_bound: false,
            limits: Limits::default(),
            marks: Vec::new(),
            due: None,
        }
    }

    /// Gives it another score. A higher one makes up for what rules have lowered, up to the whole.
    pub fn set_value(&mut self, to: f64) {
        if to > self.value {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a share needs no more digits"
            )]
            let share = (f64::from(self.lowered) * to / self.value) as f32;
            self.lowered = share.min(1.0);
        }
        self.value = to;
    }

    /// Gives it the score that somebody says that it has, at a moment.
    pub fn say_value(&mut self, score: f64, at: Timestamp) {
        (self.value, self.at, self.lowered) = (score, at, 1.0);
    }

    /// The inputs of retention.
    #[must_use]
    pub fn anchor(&self, policy: &Policy) -> Anchor {
        Anchor {
            value: self.value,
            lowered: f64::from(self.lowered),
            at: self.at,
            created: self.created,
            accessed: self.accessed,
            accesses: policy.accesses(self.used, self.returned),
            class: policy.class_id(&self.class),
            pinned: self.pinned,
        }
    }

    /// Whether its own date has passed.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires| expires < now)
    }

    /// When something may have to happen to it.
    #[must_use]
    pub fn due_at(&self) -> Option<Timestamp> {
        self.due.map(|(_, at)| at)
    }

    pub(crate) fn mark(&self, rule: u32, kind: MarkKind) -> Option<&Mark> {
        self.marks
            .iter()
            .find(|mark| mark.rule == rule && mark.kind == kind)
    }

    pub(crate) fn set_mark(&mut self, mark: Mark) {
        self.clear_mark(mark.rule, mark.kind);
        self.marks.push(mark);
    }

    pub(crate) fn clear_mark(&mut self, rule: u32, kind: MarkKind) {
        self.marks
            .retain(|mark| mark.rule != rule || mark.kind != kind);
    }

    /// Its place in the due index.
    pub(crate) fn due_entry(&self, ns: NamespaceId, row: Row) -> Option<Due> {
        self.due.map(|(lane, at)| (lane, at, ns, row))
    }
}

const PINNED: u64 = 1;
const SESSION_BOUND: u64 = 1 << 1;
const ACCESSED: u64 = 1 << 2;
const EXPIRES: u64 = 1 << 3;
const COUNTS: u64 = 1 << 4;
const COUNTED: u64 = 1 << 5;
const DAY: u64 = 1 << 6;
const SESSION: u64 = 1 << 7;
const MARKS: u64 = 1 << 8;
const DUE: u64 = 1 << 9;
const STATUS_SINCE: u64 = 1 << 10;
const LOWERED: u64 = 1 << 11;
const KNOWN: u64 = (1 << 12) - 1;

impl Value for State {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.varint(view.flags());
        put.byte(view.status.to_byte());
        put.text(&view.class);
        put.raw(&view.value.to_le_bytes());
        put.zigzag(view.created.as_millis());
        // Other moments are near the storing: their distance is short.
        let mut near =
            |moment: Timestamp| put.zigzag(moment.as_millis() - view.created.as_millis());
        near(view.at);
        if view.accessed != view.created {
            near(view.accessed);
        }
        if view.status_since != view.created {
            near(view.status_since);
        }
        if let Some(expires) = view.expires_at {
            near(expires);
        }
        if let Some(counted) = view.limits.counted_at {
            near(counted);
        }
        if let Some((lane, at)) = view.due {
            near(at);
            put.varint(u64::from(lane.0));
        }
        if (view.used, view.returned, view.contradicted) != (0, 0, 0) {
            [view.used, view.returned, view.contradicted]
                .iter()
                .for_each(|count| put.varint(u64::from(*count)));
        }
        if let Some((day, gained)) = view.limits.day {
            put.zigzag(day);
            put.raw(&gained.to_le_bytes());
        }
        if let Some((session, count)) = view.limits.session {
            put.varint(u64::from(session));
            put.varint(u64::from(count));
        }
        if view.lowered < 1.0 {
            put.raw(&view.lowered.to_le_bytes());
        }
        if !view.marks.is_empty() {
            put.length(view.marks.len());
            for mark in &view.marks {
                put.raw(&mark.rule.to_le_bytes());
                put.byte(u8::from(mark.kind == MarkKind::Since));
                put.zigzag(mark.at.as_millis() - view.created.as_millis());
                put.raw(&mark.value.to_le_bytes());
            }
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let flags = take.varint()?;
        if flags & !KNOWN != 0 {
            return Err(Broken("a flag is unknown"));
        }
        let has = |flag: u64| flags & flag != 0;
        let status = Status::from_byte(take.byte()?).ok_or(Broken("a status is unknown"))?;
        let class = take.text()?.to_owned();
        let value = number(&mut take)?;
        let created = Timestamp::from_millis(take.zigzag()?);
        let mut state = Self {
            status,
            pinned: has(PINNED),
            session_bound: has(SESSION_BOUND),
            ..Self::new(&class, value, created)
        };
        let near =
            |take: &mut Take<'_>| take.zigzag().map(|distance| created.plus_millis(distance));
        state.at = near(&mut take)?;
        if has(ACCESSED) {
            state.accessed = near(&mut take)?;
        }
        if has(STATUS_SINCE) {
            state.status_since = near(&mut take)?;
        }
        if has(EXPIRES) {
            state.expires_at = Some(near(&mut take)?);
        }
        if has(COUNTED) {
            state.limits.counted_at = Some(near(&mut take)?);
        }
        if has(DUE) {
            let at = near(&mut take)?;
            state.due = Some((Lane(take.varint32()?), at));
        }
        if has(COUNTS) {
            (state.used, state.returned, state.contradicted) =
                (take.varint32()?, take.varint32()?, take.varint32()?);
        }
        if has(DAY) {
            state.limits.day = Some((take.zigzag()?, number(&mut take)?));
        }
        if has(SESSION) {
            state.limits.session = Some((take.varint32()?, take.varint32()?));
        }
        if has(LOWERED) {
            state.lowered = f32::from_le_bytes(take.array()?);
            if !(state.lowered > 0.0 && state.lowered < 1.0) {
                return Err(Broken("a share is not between 0 and 1"));
            }
        }
        if has(MARKS) {
            for _ in 0..take.count(14)? {
                let rule = u32::from_le_bytes(take.array()?);
                let kind = match take.byte()? {
                    0 => MarkKind::Fired,
                    1 => MarkKind::Since,
                    _ => return Err(Broken("a mark has an unknown form")),
                };
                let at = near(&mut take)?;
                state.marks.push(Mark {
                    rule,
                    kind,
                    at,
                    value: number(&mut take)?,
                });
            }
        }
        take.end()?;
        Ok(state)
    }
}

impl State {
    fn flags(&self) -> u64 {
        let set = [
            (PINNED, self.pinned),
            (SESSION_BOUND, self.session_bound),
            (ACCESSED, self.accessed != self.created),
            (EXPIRES, self.expires_at.is_some()),
            (
                COUNTS,
                (self.used, self.returned, self.contradicted) != (0, 0, 0),
            ),
            (COUNTED, self.limits.counted_at.is_some()),
            (DAY, self.limits.day.is_some()),
            (SESSION, self.limits.session.is_some()),
            (MARKS, !self.marks.is_empty()),
            (DUE, self.due.is_some()),
            (STATUS_SINCE, self.status_since != self.created),
            (LOWERED, self.lowered < 1.0),
        ];
        set.iter()
            .filter(|(_, set)| *set)
            .map(|(flag, _)| flag)
            .sum()
    }
}

fn number(take: &mut Take<'_>) -> Result<f64, Broken> {
    let number = f64::from_le_bytes(take.array()?);
    if number.is_finite() {
        Ok(number)
    } else {
        Err(Broken("a number is not finite"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn bytes_of(state: &State) -> Vec<u8> {
        let mut put = Put::default();
        State::encode(state, &mut put);
        put.finish()
    }

    fn full() -> State {
        State {
            status: Status::Archived,
            status_since: at(1005),
            at: at(1001),
            accessed: at(1002),
            expires_at: Some(at(1003)),
            used: 1,
            returned: 300,
            contradicted: 2,
            pinned: true,
            session_bound: true,
            limits: Limits {
                counted_at: Some(at(999)),
                day: Some((-1, 0.5)),
                session: Some((4, 1)),
            },
            lowered: 0.5,
            marks: vec![Mark {
                rule: 0x0102_0304,
                kind: MarkKind::Since,
                at: at(1000),
                value: 1.0,
            }],
            due: Some((Lane(7), at(1004))),
            ..State::new("fact", 0.5, at(1000))
        }
    }

    #[test]
    fn a_higher_score_makes_up_for_what_rules_lowered() {
        let after = |to: f64| {
            let mut state = State {
                lowered: 0.25,
                ..State::new("fact", 0.125, at(0))
            };
            state.set_value(to);
            (state.value, state.lowered)
        };
        assert_eq!(
            [after(0.25), after(0.5), after(1.0)],
            [(0.25, 0.5), (0.5, 1.0), (1.0, 1.0)]
        );
        assert_eq!(after(0.0625), (0.0625, 0.25));
        let mut none = State {
            lowered: 0.25,
            ..State::new("fact", 0.0, at(0))
        };
        none.set_value(0.5);
        assert_eq!((none.value, none.lowered), (0.5, 1.0));
        none.say_value(0.125, at(9));
        assert_eq!((none.value, none.lowered, none.at), (0.125, 1.0, at(9)));
    }

    #[test]
    fn the_stored_forms_are_frozen() {
        let bare = State::new("核", 1.0, at(1000));
        let bytes = [
            0, 1, 3, 0xE6, 0xA0, 0xB8, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0xD0, 15, 0,
        ];
        assert_eq!(bytes_of(&bare), bytes);
        assert_eq!(State::decode(1, &bytes).ok(), Some(bare));
        #[rustfmt::skip]
        let bytes = [
            0xFF, 31, 2, 4, b'f', b'a', b'c', b't', 0, 0, 0, 0, 0, 0, 0xE0, 0x3F, 0xD0, 15,
            2, 4, 10, 6, 1, 8, 7, 1, 0xAC, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F, 4, 1,
            0, 0, 0, 0x3F, 1, 4, 3, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F,
        ];
        assert_eq!(bytes_of(&full()), bytes);
        assert_eq!(State::decode(1, &bytes).ok(), Some(full()));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(7),
            ..ProptestConfig::default()
        })]

        #[test]
        fn hostile_bytes_are_an_error_or_a_state_never_a_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..80),
            cut in 0_usize..58,
        ) {
            if let Ok(state) = State::decode(1, &bytes) {
                prop_assert_eq!(State::decode(1, &bytes_of(&state)).ok(), Some(state));
            }
            let mut own = bytes_of(&full());
            own.truncate(cut);
            prop_assert!(State::decode(1, &own).is_err());
        }
    }
}
