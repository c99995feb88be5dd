//! When a job is due: pure functions of its settings, its record and the moment.

use annals_types::Timestamp;
use annals_types::profile::{JobSettings, time_of_day};

use crate::Zone;
use crate::job::JobRecord;
use crate::policy::millis;
use crate::zone::{DAY, HOUR};

/// Why a job is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A run was cut off or failed, and is gone on with.
    Resume,
    /// The engine has just been started.
    Start,
    /// It has never run, and has no hour to wait for.
    First,
    /// Its interval has gone by.
    Interval,
    /// Its hour has come, or was missed.
    Hour,
}

/// Whether and why a job is due at `now`; `start` says that the engine has just been started.
#[must_use]
pub fn due(
    job: &JobSettings,
    zone: &Zone,
    record: &JobRecord,
    now: Timestamp,
    start: bool,
) -> Option<Why> {
    if record.stopped {
        return None;
    }
    if let Some(retry_at) = record.retry_at {
        // The engine that was started anew does not wait.
        return (start || retry_at <= now).then_some(Why::Resume);
    }
    if record.running.is_some() && start {
        return Some(Why::Resume);
    }
    if job.at_start && start {
        return Some(Why::Start);
    }
    if interval(job, record).is_some_and(|at| at <= now || is_ahead(job, record, now)) {
        return Some(if record.last.is_none() {
            Why::First
        } else {
            Why::Interval
        });
    }
    let missed = |hour: Timestamp| hour > base(record) || is_ahead(job, record, now);
    hour_before(job, zone, now)
        .is_some_and(missed)
        .then_some(Why::Hour)
}

/// When a job that is not due at `now` will be; `None` when only a start or an event makes it so.
#[must_use]
pub fn next(
    job: &JobSettings,
    zone: &Zone,
    record: &JobRecord,
    now: Timestamp,
) -> Option<Timestamp> {
    if record.stopped {
        return None;
    }
    if record.retry_at.is_some() {
        return record.retry_at;
    }
    let hour = hour_before(job, zone, now).and_then(|_| {
        let (hours, minutes) = time_of_day(job.daily_at.as_deref()?)?;
        let today = zone.day(now);
        (today..=today + 1)
            .map(|day| zone.at(day, hours, minutes))
            .find(|hour| *hour > now)
    });
    interval(job, record).into_iter().chain(hour).min()
}

/// When a run that failed so often is tried again.
#[must_use]
pub fn retry(job: &JobSettings, failures: u32, now: Timestamp) -> Option<Timestamp> {
    let at = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    let seconds = job.retry_seconds.get(at).or(job.retry_seconds.last())?;
    Some(
        now.plus_millis(
            i64::try_from(*seconds)
                .unwrap_or(i64::MAX)
                .saturating_mul(1000),
        ),
    )
}

/// The start of an interval.
fn base(record: &JobRecord) -> Timestamp {
    record.last.as_ref().map_or(record.since, |last| last.at)
}

/// Whether the last run is so far ahead that the clock must have been wrong then: the job does not
/// wait for that time to come.
fn is_ahead(job: &JobSettings, record: &JobRecord, now: Timestamp) -> bool {
    let gap = job
        .interval_hours
        .map_or(DAY, |hours| millis(hours, HOUR))
        .max(DAY);
    base(record).millis_since(now) > gap
}

/// The moment at which the interval of a job is over.
fn interval(job: &JobSettings, record: &JobRecord) -> Option<Timestamp> {
    let gap = millis(job.interval_hours?, HOUR).max(1);
    if record.last.is_none() {
        // A job that has never run has no interval to wait for.
        return Some(record.since);
    }
    Some(base(record).plus_millis(gap + i64::from(job.more_than)))
}

/// The last time up to `now` at which the clocks showed the job's hour.
fn hour_before(job: &JobSettings, zone: &Zone, now: Timestamp) -> Option<Timestamp> {
    let (hours, minutes) = time_of_day(job.daily_at.as_deref()?)?;
    let today = zone.day(now);
    let hours_of = (today - 1..=today)
        .rev()
        .map(|day| zone.at(day, hours, minutes));
    hours_of.into_iter().find(|hour| *hour <= now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobRun;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn ran(last: &str) -> JobRecord {
        let run = JobRun {
            at: at(last),
            ended_at: at(last),
            steps: Vec::new(),
            error: String::new(),
        };
        JobRecord {
            since: at("2026-01-01"),
            stopped: false,
            failures: 0,
            retry_at: None,
            running: None,
            last: Some(run),
        }
    }

    #[test]
    fn an_hour_of_the_zone_is_made_up_for_once() {
        let job = JobSettings {
            daily_at: Some("03:00".to_owned()),
            ..JobSettings::default()
        };
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let record = ran("2026-01-10T02:00:00Z");
        let due = |record: &JobRecord, now: &str| due(&job, &berlin, record, at(now), false);
        assert_eq!(due(&record, "2026-01-11T01:59:59Z"), None);
        assert_eq!(
            next(&job, &berlin, &record, at("2026-01-10T23:30:00Z")),
            Some(at("2026-01-11T02:00:00Z"))
        );
        assert_eq!(due(&record, "2026-01-11T02:00:00Z"), Some(Why::Hour));
        assert_eq!(due(&record, "2026-01-20T12:00:00Z"), Some(Why::Hour));
        assert_eq!(
            due(&ran("2026-01-20T12:00:00Z"), "2026-01-20T12:00:01Z"),
            None
        );
        assert_eq!(
            next(&job, &berlin, &record, at("2026-01-20T12:00:00Z")),
            Some(at("2026-01-21T02:00:00Z"))
        );
    }

    #[test]
    fn the_night_in_which_the_hour_is_left_out_has_its_run_too() {
        let job = JobSettings {
            daily_at: Some("02:30".to_owned()),
            ..JobSettings::default()
        };
        let berlin = Zone::named("Europe/Berlin").unwrap();
        assert_eq!(
            due(
                &job,
                &berlin,
                &ran("2026-03-28T02:00:00Z"),
                at("2026-03-29T01:30:00Z"),
                false
            ),
            Some(Why::Hour)
        );
    }

    #[test]
    fn a_clock_that_goes_back_a_little_makes_nothing_due_and_one_that_was_far_ahead_stops_nothing()
    {
        let every = JobSettings {
            interval_hours: Some(6.0),
            ..JobSettings::default()
        };
        let daily = JobSettings {
            daily_at: Some("03:00".to_owned()),
            ..JobSettings::default()
        };
        let record = ran("2026-01-10T03:00:00Z");
        for job in [&every, &daily] {
            assert_eq!(
                due(
                    job,
                    &Zone::utc(),
                    &record,
                    at("2026-01-09T12:00:00Z"),
                    false
                ),
                None
            );
            assert!(due(job, &Zone::utc(), &record, at("2020-01-01"), false).is_some());
        }
        let later = next(&every, &Zone::utc(), &record, at("2026-01-09T12:00:00Z"));
        assert_eq!(later, Some(at("2026-01-10T09:00:00Z")));
    }
}
