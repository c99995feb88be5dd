use annals_types::Timestamp;
use annals_types::profile::TimeSettings;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan};

use crate::LifecycleError;

/// Milliseconds of 24 hours.
pub(crate) const DAY: i64 = 86_400_000;
/// Milliseconds of an hour.
pub(crate) const HOUR: i64 = 3_600_000;

/// Where days begin: a zone of the time zone database.
#[derive(Debug, Clone)]
pub struct Zone {
    name: String,
    /// `None` is UTC, where a day is a division.
    zone: Option<TimeZone>,
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Zone {
    /// Universal time.
    #[must_use]
    pub fn utc() -> Self {
        Self {
            name: "UTC".to_owned(),
            zone: None,
        }
    }

    /// The zone of a name such as `Europe/Berlin`; UTC for [`TimeSettings::LOCAL`], as the local
    /// zone is not known here.
    ///
    /// # Errors
    /// [`LifecycleError::UnknownZone`] when this system has no such zone.
    pub fn named(name: &str) -> Result<Self, LifecycleError> {
        if ["UTC", TimeSettings::LOCAL].contains(&name) {
            return Ok(Self::utc());
        }
        let zone = TimeZone::get(name).map_err(|_| LifecycleError::UnknownZone {
            name: name.to_owned(),
        })?;
        Ok(Self {
            name: name.to_owned(),
            zone: Some(zone),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the date at a moment, counted from 1970-01-01.
    #[must_use]
    pub fn day(&self, moment: Timestamp) -> i64 {
        let Some(zone) = &self.zone else {
            return moment.as_millis().div_euclid(DAY);
        };
        let Ok(instant) = jiff::Timestamp::from_millisecond(moment.as_millis()) else {
            return 0;
        };
        zone.to_datetime(instant)
            .date()
            .duration_since(Date::constant(1970, 1, 1))
            .as_hours()
            / 24
    }

    /// The minute that the clocks of the zone show at a moment: `2026-01-03 18:00`.
    #[must_use]
    pub fn minute(&self, moment: Timestamp) -> String {
        let zone = self.zone.clone().unwrap_or(TimeZone::UTC);
        let instant = jiff::Timestamp::from_millisecond(moment.as_millis()).unwrap_or_default();
        let local = zone.to_datetime(instant);
        let (date, time) = (local.date(), local.time());
        format!("{date} {:02}:{:02}", time.hour(), time.minute())
    }

    /// The moment at which the clocks of the zone show a time of day on a date; the later one of a
    /// moment that was left out.
    #[must_use]
    pub fn at(&self, day: i64, hours: i8, minutes: i8) -> Timestamp {
        let offset = i64::from(hours) * HOUR + i64::from(minutes) * 60_000;
        let plain = Timestamp::from_millis(day.saturating_mul(DAY)).plus_millis(offset);
        let Some(zone) = &self.zone else { return plain };
        let date = Date::constant(1970, 1, 1)
            .checked_add(SignedDuration::from_hours(day.saturating_mul(24)));
        let local = date.map(|date| date.at(0, 0, 0, 0)).and_then(|midnight| {
            midnight.checked_add(i64::from(hours).hours().minutes(i64::from(minutes)))
        });
        let moment = local.and_then(|local| zone.to_timestamp(local));
        moment.map_or(plain, |moment| {
            Timestamp::from_millis(moment.as_millisecond())
        })
    }

    /// The first moment of a date.
    #[must_use]
    pub fn start(&self, day: i64) -> Timestamp {
        self.at(day, 0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn days_begin_where_the_zone_says() {
        let (utc, berlin) = (Zone::utc(), Zone::named("Europe/Berlin").unwrap());
        let late = at("2026-01-03T23:30:00Z");
        assert_eq!(berlin.day(late), utc.day(late) + 1);
        assert_eq!(berlin.start(berlin.day(late)), at("2026-01-03T23:00:00Z"));
        assert_eq!(
            (utc.minute(late), berlin.minute(late)),
            ("2026-01-03 23:30".into(), "2026-01-04 00:30".into())
        );
        assert_eq!(utc.at(utc.day(late), 3, 0), at("2026-01-03T03:00:00Z"));
        assert!(Zone::named("Mars/Olympus").is_err());
        assert_eq!(utc.day(at("1969-12-31T23:59:59.999Z")), -1);
        assert_eq!(
            berlin.day(Timestamp::MIN.plus_millis(DAY)),
            utc.day(Timestamp::MIN.plus_millis(DAY))
        );
    }

    #[test]
    fn an_hour_that_is_left_out_comes_an_hour_later() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let day = berlin.day(at("2026-03-29T12:00:00Z"));
        assert_eq!(berlin.at(day, 2, 30), at("2026-03-29T01:30:00Z"));
        assert_eq!(
            berlin.start(day + 1).as_millis() - berlin.start(day).as_millis(),
            23 * HOUR
        );
    }
}
