//! What files bring: turns of conversations, memories, entities.

use std::collections::{BTreeMap, HashSet};

use annals_types::{NewMemory, Statement, Timestamp};
use serde::{Deserialize, Serialize};

use crate::BadLine;
use crate::turn::ConversationTurn;

/// A part of what a file brings, in the order of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ImportRecord {
    /// Turns, of one session or several.
    Turns(Vec<ConversationTurn>),
    /// Memories that are no turns.
    Memories(Vec<ImportedMemory>),
    /// Entities of which nothing may be said.
    Entities(Vec<ImportedEntity>),
}

/// A memory of another program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImportedMemory {
    /// The name of the format that it comes from, such as `mem0`: memories of one format know each
    /// other when they come again.
    pub origin: String,
    /// Its id there. Without one it is known by its words.
    pub id: Option<String>,
    /// The memory.
    pub memory: NewMemory,
    /// What it says, as triples.
    pub said: Vec<Statement>,
}

/// An entity of another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImportedEntity {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Option<String>,
}

/// The order of a date that is written in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DateOrder {
    /// Day, month, year.
    DayMonthYear,
    /// Month, day, year.
    MonthDayYear,
    /// Year, month, day.
    YearMonthDay,
}

/// How a file is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// What a conversation is called that has no name; by default its file.
    pub session: Option<String>,
    /// The zone of times that are written without one, such as `Europe/Berlin` or `+02:00`; by
    /// default that of this system.
    pub zone: Option<String>,
    /// The order of dates in numbers; by default it is decided over the whole file.
    pub date_order: Option<DateOrder>,
    /// Which columns of a table, or fields of JSON objects, hold `text`, `time`, `speaker`,
    /// `role`, `session`, `tags` and `id`; by default those that are called so.
    pub columns: BTreeMap<String, String>,
    /// Whether records that cannot be read are passed over and reported; else the first one ends
    /// the reading.
    pub skip_bad: bool,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ReadSummary {
    /// Turns of conversations.
    pub turns: u64,
    /// Memories that are no turns.
    pub memories: u64,
    /// Entities that came by themselves.
    pub entities: u64,
    /// The speakers of turns with how many each said; at most a hundred of them.
    pub speakers: BTreeMap<String, u64>,
    /// The first and the last moment that was told.
    pub span: Option<(Timestamp, Timestamp)>,
    /// What became nothing: each sort by its name, with how many there were.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Records that could not be read, where they are passed over.
    pub bad: Vec<BadLine>,
    pub(super) sessions: HashSet<u64>,
}

/// Speakers that are counted apart.
const SPEAKERS: usize = 100;

impl ReadSummary {
    /// How many sessions the turns belong to.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        u64::try_from(self.sessions.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn count_turn(&mut self, turn: &ConversationTurn) {
        self.turns += 1;
        self.sessions
            .insert(crate::print::hash(&[turn.session.as_bytes()]));
        self.count_time(turn.time);
        let speaker = turn
            .speaker
            .as_deref()
            .or_else(|| turn.role.map(annals_types::Role::as_str));
        if let Some(speaker) = speaker
            && (self.speakers.len() < SPEAKERS || self.speakers.contains_key(speaker))
        {
            *self.speakers.entry(speaker.to_owned()).or_default() += 1;
        }
    }

    pub(super) fn count_time(&mut self, time: Option<Timestamp>) {
        if let Some(time) = time {
            let (first, last) = self.span.unwrap_or((time, time));
            self.span = Some((first.min(time), last.max(time)));
        }
    }

    /// Adds that of another file.
    pub fn add(&mut self, other: Self) {
        self.turns += other.turns;
        self.memories += other.memories;
        self.entities += other.entities;
        for (speaker, count) in other.speakers {
            if self.speakers.len() < SPEAKERS || self.speakers.contains_key(&speaker) {
                *self.speakers.entry(speaker).or_default() += count;
            }
        }
        for time in other
            .span
            .into_iter()
            .flat_map(|(first, last)| [first, last])
        {
            self.count_time(Some(time));
        }
        for (what, count) in other.left_out {
            *self.left_out.entry(what).or_default() += count;
        }
        self.bad.extend(other.bad);
        self.sessions.extend(other.sessions);
    }
}
