//! Jobs and when they run.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::{finite_from, known, unique};

/// The zone in which days begin and hours are meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeSettings {
    /// A name of the time zone database, such as `Europe/Berlin`, or [`LOCAL`](Self::LOCAL): that
    /// of the process that opens the file.
    pub zone: String,
    /// How exactly "today" is written where a time in words becomes a date.
    pub today_precision: DayPrecision,
}

/// How exactly "today" is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayPrecision {
    /// As a date.
    #[default]
    Day,
    /// As the date and the minute at which it was said.
    Minute,
}

impl Default for TimeSettings {
    fn default() -> Self {
        Self {
            zone: Self::LOCAL.to_owned(),
            today_precision: DayPrecision::Day,
        }
    }
}

impl TimeSettings {
    /// The zone of the process that opens the file; UTC where it is not known.
    pub const LOCAL: &str = "local";

    pub(super) fn check(&self) -> Result<(), BadProfile> {
        if !["UTC", Self::LOCAL].contains(&self.zone.as_str())
            && jiff::tz::TimeZone::get(&self.zone).is_err()
        {
            let reason = format!(
                "{:?} is no time zone of this system; write it like Europe/Berlin, or local for that of \
                 whoever opens the file",
                self.zone
            );
            return Err(BadProfile::new("time.zone", reason));
        }
        Ok(())
    }
}

/// A job: steps in a fixed order, and when they are due.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JobSettings {
    /// Its name; its last run is remembered under it.
    pub name: String,
    /// Hours from one run to the next.
    pub interval_hours: Option<f64>,
    /// Whether exactly that many hours are still too few.
    pub more_than: bool,
    /// The hour of the day at which it runs, as `03:00`; a missed run is made up for once.
    pub daily_at: Option<String>,
    /// Whether it runs when the engine starts, whenever it ran last.
    pub at_start: bool,
    /// Events after which it runs, such as `session_end`.
    pub on_events: Vec<String>,
    /// Seconds until the next attempt after the first, second, ... failure; the last number goes
    /// on. Without any it waits its turn.
    pub retry_seconds: Vec<u64>,
    /// Memories that one transaction of it treats; 1000 when 0.
    pub batch: u32,
    /// Batches of a run; all there are when 0.
    pub max_batches: u32,
    /// Whether the steps after one that failed are made all the same.
    pub go_on: bool,
    /// Its steps, in order.
    pub steps: Vec<JobStep>,
}

/// The event that a conversation has ended, of [`JobSettings::on_events`].
pub const SESSION_END: &str = "session_end";

impl JobSettings {
    /// Whether it runs by itself at all.
    pub(super) fn starts(&self) -> bool {
        self.interval_hours.is_some()
            || self.daily_at.is_some()
            || self.at_start
            || !self.on_events.is_empty()
    }
}

/// A step of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JobStep {
    /// Work of the queue that is due.
    Queue,
    /// A pass of decay.
    Decay,
    /// Rules and expiry of the memories for which something is due.
    Rules,
    /// Reviews that wait for a judge.
    Reviews,
    /// Memories that say the same become one.
    Dedup,
    /// Relations between memories are looked for.
    Relations,
    /// Contradictions are looked for.
    Conflicts,
    /// Staged memories become active.
    Consolidate,
    /// Expired memories go.
    Expire,
    /// Attachments that have expired go.
    Attachments,
    /// Files that mirror memories are written: all that no other step of the job writes.
    Mirrors,
    /// A report on the quality of memories is made.
    Report,
    /// Files of lines that people may edit are written, such as an agent's `MEMORY.md`.
    CoreFiles,
    /// Files of lines that are written only, such as an agent's `USER.md`.
    UserFiles,
    /// Memories that an earlier store left in a file are taken over, once.
    TakeOver,
}

impl JobStep {
    /// All steps, each at its [number](Self::number).
    const ALL: &'static [Self] = &[
        Self::Queue,
        Self::Decay,
        Self::Rules,
        Self::Reviews,
        Self::Dedup,
        Self::Relations,
        Self::Conflicts,
        Self::Consolidate,
        Self::Expire,
        Self::Attachments,
        Self::Mirrors,
        Self::Report,
        Self::CoreFiles,
        Self::UserFiles,
        Self::TakeOver,
    ];

    /// The number by which stored jobs name it. A new step goes to the end, here and in `ALL`.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Queue => 0,
            Self::Decay => 1,
            Self::Rules => 2,
            Self::Reviews => 3,
            Self::Dedup => 4,
            Self::Relations => 5,
            Self::Conflicts => 6,
            Self::Consolidate => 7,
            Self::Expire => 8,
            Self::Attachments => 9,
            Self::Mirrors => 10,
            Self::Report => 11,
            Self::CoreFiles => 12,
            Self::UserFiles => 13,
            Self::TakeOver => 14,
        }
    }

    /// The step of a number.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The word of a profile for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Decay => "decay",
            Self::Rules => "rules",
            Self::Reviews => "reviews",
            Self::Dedup => "dedup",
            Self::Relations => "relations",
            Self::Conflicts => "conflicts",
            Self::Consolidate => "consolidate",
            Self::Expire => "expire",
            Self::Attachments => "attachments",
            Self::Mirrors => "mirrors",
            Self::Report => "report",
            Self::CoreFiles => "core_files",
            Self::UserFiles => "user_files",
            Self::TakeOver => "take_over",
        }
    }
}

/// Hours and minutes of a time of day as `03:00`.
#[must_use]
pub fn time_of_day(text: &str) -> Option<(i8, i8)> {
    let (hours, minutes) = text.split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (hours.parse::<i8>().ok()?, minutes.parse::<i8>().ok()?);
    ((0..24).contains(&hours) && (0..60).contains(&minutes)).then_some((hours, minutes))
}

pub(super) fn check(jobs: &[JobSettings]) -> Result<(), BadProfile> {
    unique("jobs", "name", jobs.iter().map(|job| job.name.as_str()))?;
    for job in jobs {
        let key = |what: &str| format!("jobs.{}.{what}", job.name);
        if let Some(hours) = job.interval_hours {
            finite_from(&key("interval_hours"), hours)?;
            // A minute: what is due at every look would be run without end.
            if hours < 1.0 / 60.0 {
                let reason = format!(
                    "{hours} hours are less than a minute; the job would never come to rest"
                );
                return Err(BadProfile::new(key("interval_hours"), reason));
            }
        }
        if let Some(text) = &job.daily_at
            && time_of_day(text).is_none()
        {
            return Err(BadProfile::new(
                key("daily_at"),
                format!("{text:?} is no time of day like \"03:00\""),
            ));
        }
        job.on_events
            .iter()
            .try_for_each(|event| known(&key("on_events"), event, &[SESSION_END]))?;
        if job.steps.is_empty() {
            return Err(BadProfile::new(
                key("steps"),
                "a job without steps does nothing".to_owned(),
            ));
        }
    }
    Ok(())
}
