//! One row of the columns.

use annals_types::{Interval, Layer, Role, Row, Script, Status, Timestamp};

use crate::LabelId;
use crate::record::RowRecord;

/// The row exists. A slot without it is all zero.
pub(crate) const PRESENT: u8 = 1;
/// A newer row has replaced it.
pub(crate) const REPLACED: u8 = 1 << 1;
pub(crate) const VERIFIED: u8 = 1 << 2;
pub(crate) const HAS_REPLY: u8 = 1 << 3;
pub(crate) const QUESTION: u8 = 1 << 4;
/// The chunk holds a [`Validity`] for it.
pub(crate) const TIMED: u8 = 1 << 5;
/// The chunk holds a history for it.
pub(crate) const LIVED: u8 = 1 << 6;
/// The chunk holds times for it that its text names.
pub(crate) const NAMES: u8 = 1 << 7;
/// The flags that are known at birth and never change.
pub(crate) const INBORN: u8 = PRESENT | VERIFIED | HAS_REPLY | QUESTION | TIMED | NAMES;

/// Marks "no row" in `prev`, `next`, `first` and `last`.
pub(crate) const NO_ROW: u32 = u32::MAX;
/// Marks "no event time".
pub(crate) const NO_TIME: i64 = i64::MIN;
/// Marks "no role", among the bits of a role.
const NO_ROLE: u8 = 0x0f;
/// The script stands above the bits of the role.
const SCRIPT_SHIFT: u8 = 4;

/// 56 bytes a row. Label numbers are 0 where there is no label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slot {
    pub(crate) event_time: i64,
    pub(crate) stored_at: i64,
    pub(crate) session: u32,
    pub(crate) position: u32,
    pub(crate) speaker: u32,
    pub(crate) kind: u32,
    pub(crate) tag_set: u32,
    pub(crate) prev: u32,
    pub(crate) next: u32,
    pub(crate) importance: f32,
    pub(crate) confidence: f32,
    pub(crate) layer: u8,
    pub(crate) status: u8,
    /// The role in the lower four bits, the script of the text in the upper ones.
    pub(crate) role_and_script: u8,
    pub(crate) flags: u8,
}

impl Slot {
    pub(crate) const ABSENT: Self = Self {
        event_time: 0,
        stored_at: 0,
        session: 0,
        position: 0,
        speaker: 0,
        kind: 0,
        tag_set: 0,
        prev: NO_ROW,
        next: NO_ROW,
        importance: 0.0,
        confidence: 0.0,
        layer: 0,
        status: 0,
        role_and_script: 0,
        flags: 0,
    };

    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether it stands in the order of a session.
    pub(crate) const fn linked(&self) -> bool {
        self.session != 0 && self.flags & (PRESENT | REPLACED) == PRESENT
    }

    /// Event time, or storing time where there is none.
    pub(crate) const fn time(&self) -> i64 {
        if self.event_time == NO_TIME {
            self.stored_at
        } else {
            self.event_time
        }
    }
}

/// When a row is true and shown; ends are open where they are at the extremes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Validity {
    pub(crate) from: i64,
    pub(crate) until: i64,
    pub(crate) expires: i64,
}

impl Validity {
    /// Bytes in a stored block.
    pub(crate) const BYTES: usize = 24;

    pub(crate) fn of(record: &RowRecord<'_>) -> Option<Self> {
        let millis =
            |moment: Option<Timestamp>, open: i64| moment.map_or(open, Timestamp::as_millis);
        let timed = record.valid_from.is_some()
            || record.valid_until.is_some()
            || record.expires_at.is_some();
        timed.then(|| Self {
            from: millis(record.valid_from, i64::MIN),
            until: millis(record.valid_until, i64::MAX),
            expires: millis(record.expires_at, i64::MAX),
        })
    }
}

/// All that the columns keep of a row as it was born.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Facts {
    pub(crate) slot: Slot,
    pub(crate) tags: Vec<LabelId>,
    pub(crate) validity: Option<Validity>,
    pub(crate) named_times: Vec<Interval>,
}

impl Facts {
    pub(crate) fn of(record: &RowRecord<'_>) -> Self {
        let turn = record.turn.as_ref();
        let validity = Validity::of(record);
        let flags = [
            (PRESENT, true),
            (VERIFIED, record.verified),
            (HAS_REPLY, turn.is_some_and(|turn| turn.reply.is_some())),
            (QUESTION, asks(&record.text)),
            (TIMED, validity.is_some()),
            (NAMES, !record.named_times.is_empty()),
        ];
        let slot = Slot {
            event_time: record.event_time.map_or(NO_TIME, Timestamp::as_millis),
            stored_at: record.stored_at.as_millis(),
            session: turn.map_or(0, |turn| turn.session.0),
            position: turn.map_or(0, |turn| turn.position),
            speaker: turn
                .and_then(|turn| turn.speaker)
                .map_or(0, |speaker| speaker.0),
            kind: record.kind.0,
            tag_set: 0,
            prev: NO_ROW,
            next: NO_ROW,
            importance: record.importance,
            confidence: record.confidence,
            layer: record.layer.to_byte(),
            status: record.status.to_byte(),
            role_and_script: turn.map_or(NO_ROLE, |turn| turn.role.to_byte())
                | (Script::of_text(&record.text).to_byte() << SCRIPT_SHIFT),
            flags: flags
                .iter()
                .filter(|(_, set)| *set)
                .map(|(bit, _)| bit)
                .sum(),
        };
        Self {
            slot,
            tags: record.tags.clone(),
            validity,
            named_times: record.named_times.clone(),
        }
    }
}

/// Whether a text ends by asking, in the scripts whose question marks are known.
fn asks(text: &str) -> bool {
    let end = text.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '”' | '’' | '」' | ')' | '）')
    });
    end.ends_with(['?', '？', '؟'])
}

/// The facts about a row that are known without reading it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Feature {
    /// The row.
    pub row: Row,
    /// Its role in storage.
    pub layer: Layer,
    /// Its status now.
    pub status: Status,
    /// Its kind.
    pub kind: LabelId,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// When what it tells happened, if that is known.
    pub event_time: Option<Timestamp>,
    /// Its conversation.
    pub session: Option<LabelId>,
    /// Its place in the conversation; 0 without one.
    pub position: u32,
    /// The speaker.
    pub speaker: Option<LabelId>,
    /// In what role, for a turn.
    pub role: Option<Role>,
    /// The script of its text.
    pub script: Script,
    /// How much it matters, 0 to 1000.
    pub importance: f32,
    /// How sure it is, 0 to 1.
    pub confidence: f32,
    /// Whether a person confirmed it.
    pub verified: bool,
    /// Whether a newer row has replaced it.
    pub replaced: bool,
    /// Whether question and answer are kept as one turn.
    pub has_reply: bool,
    /// Whether its text ends with a question mark.
    pub question: bool,
    /// Whether its text names times, which [`Columns::named_times`](crate::Columns::named_times)
    /// has.
    pub names_times: bool,
    /// From when on it is true; always was without it.
    pub valid_from: Option<Timestamp>,
    /// Until when it is true; still is without it.
    pub valid_until: Option<Timestamp>,
    /// When it stops being shown.
    pub expires_at: Option<Timestamp>,
}

impl Feature {
    pub(crate) fn of(row: Row, slot: &Slot, validity: Option<Validity>) -> Self {
        let bound = |millis: i64| match millis {
            i64::MIN | i64::MAX => None,
            millis => Some(Timestamp::from_millis(millis)),
        };
        Self {
            row,
            layer: Layer::from_byte(slot.layer).unwrap_or(Layer::System),
            status: Status::from_byte(slot.status).unwrap_or(Status::Forgotten),
            kind: LabelId(slot.kind),
            stored_at: Timestamp::from_millis(slot.stored_at),
            event_time: bound(slot.event_time),
            session: LabelId::some(slot.session),
            position: slot.position,
            speaker: LabelId::some(slot.speaker),
            role: Role::from_byte(slot.role_and_script & NO_ROLE),
            script: Script::from_byte(slot.role_and_script >> SCRIPT_SHIFT)
                .unwrap_or(Script::Latin),
            importance: slot.importance,
            confidence: slot.confidence,
            verified: slot.has(VERIFIED),
            replaced: slot.has(REPLACED),
            has_reply: slot.has(HAS_REPLY),
            question: slot.has(QUESTION),
            names_times: slot.has(NAMES),
            valid_from: validity.and_then(|validity| bound(validity.from)),
            valid_until: validity.and_then(|validity| bound(validity.until)),
            expires_at: validity.and_then(|validity| bound(validity.expires)),
        }
    }

    /// Event time, or storing time where there is none.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.event_time.unwrap_or(self.stored_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_56_bytes() {
        assert_eq!(size_of::<Slot>(), 56);
    }

    #[test]
    fn questions_are_noticed_in_several_scripts() {
        for text in ["Where?", "你住在哪里？", "He asked \"why?\"", "أين؟ "] {
            assert!(asks(text), "{text}");
        }
        assert!(!asks("? is a sign."));
        assert!(!asks("Yes."));
    }
}
