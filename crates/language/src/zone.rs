use annals_types::profile::TimeSettings;
use annals_types::{InvalidValue, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A zone of the time zone database: it says where a day begins and what a clock shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone(TimeZone);

impl Zone {
    /// Universal time.
    #[must_use]
    pub const fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// The zone of a name such as `Asia/Shanghai`; UTC for [`TimeSettings::LOCAL`], which only the
    /// options of a file resolve.
    ///
    /// # Errors
    /// [`InvalidValue::Unknown`] when this system has no such zone.
    pub fn named(name: &str) -> Result<Self, InvalidValue> {
        if ["UTC", TimeSettings::LOCAL].contains(&name) {
            return Ok(Self::utc());
        }
        let unknown = |_| InvalidValue::Unknown {
            field: "time zone",
            value: name.chars().take(60).collect(),
            allowed: "the names of the time zone database, such as Europe/Berlin",
        };
        TimeZone::get(name).map(Self).map_err(unknown)
    }

    /// The name of the zone that this machine is set to, by `TZ` or by the operating system; `None`
    /// for one that has no name.
    #[must_use]
    pub fn system() -> Option<String> {
        TimeZone::system().iana_name().map(str::to_owned)
    }

    /// Calendar and clock at a moment.
    pub(crate) fn civil(&self, moment: Timestamp) -> DateTime {
        // The range of Timestamp lies inside that of jiff, so the fallback is never taken.
        let instant = jiff::Timestamp::from_millisecond(moment.as_millis())
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        self.0.to_datetime(instant)
    }

    /// The moment at which calendar and clock show this; the later one of a time that was left out.
    pub(crate) fn moment(&self, civil: DateTime) -> Option<Timestamp> {
        let instant = self.0.to_timestamp(civil).ok()?;
        Some(Timestamp::from_millis(instant.as_millisecond()))
    }

    /// The moment at which a date begins that is written as `YYYY-MM-DD`; `None` for what
    /// is no date.
    #[must_use]
    pub fn midnight(&self, date: &str) -> Option<Timestamp> {
        self.moment(date.parse::<jiff::civil::Date>().ok()?.at(0, 0, 0, 0))
    }

    /// The day of the week at a moment, from 1 for Monday to 7 for Sunday.
    #[must_use]
    pub fn weekday(&self, moment: Timestamp) -> u8 {
        u8::try_from(self.civil(moment).date().weekday().to_monday_one_offset()).unwrap_or_default()
    }

    /// The date at a moment as `YYYY-MM-DD`.
    #[must_use]
    pub fn date(&self, moment: Timestamp) -> String {
        self.civil(moment).date().to_string()
    }

    /// Date and time at a moment, to the second, as `2026-02-20T10:30:00`.
    #[must_use]
    pub fn seconds(&self, moment: Timestamp) -> String {
        let t = self.civil(moment);
        format!(
            "{}T{:02}:{:02}:{:02}",
            t.date(),
            t.hour(),
            t.minute(),
            t.second()
        )
    }

    /// Date and time at a moment, to the minute, as `2026-02-20 10:30`.
    #[must_use]
    pub fn minutes(&self, moment: Timestamp) -> String {
        let t = self.civil(moment);
        format!("{} {:02}:{:02}", t.date(), t.hour(), t.minute())
    }

    /// A moment with its offset from universal time, exact to the millisecond.
    #[must_use]
    pub fn exact(&self, moment: Timestamp) -> String {
        let t = self.civil(moment);
        let millis = if t.millisecond() == 0 {
            String::new()
        } else {
            format!(".{:03}", t.millisecond())
        };
        let instant = jiff::Timestamp::from_millisecond(moment.as_millis())
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let offset = self.0.to_offset(instant).seconds();
        // Offsets before standard time had seconds, which no reader of RFC 3339 takes:
        // such a moment is written in UTC.
        if offset % 60 != 0 {
            return moment.to_string();
        }
        let sign = if offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.abs() / 3600, offset.abs() / 60 % 60);
        format!(
            "{}{millis}{sign}{hours:02}:{minutes:02}",
            self.seconds(moment)
        )
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::utc()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_as_the_zone_has_them() {
        let moment: Timestamp = "2026-02-20T02:30:00.250Z".parse().unwrap();
        let shanghai = Zone::named("Asia/Shanghai").unwrap();
        assert_eq!(shanghai.seconds(moment), "2026-02-20T10:30:00");
        assert_eq!(shanghai.minutes(moment), "2026-02-20 10:30");
        assert_eq!(shanghai.exact(moment), "2026-02-20T10:30:00.250+08:00");
        assert_eq!(shanghai.exact(moment).parse::<Timestamp>().unwrap(), moment);
        assert!(Zone::named("Mars/Olympus").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_moment_is_written_exactly(millis in proptest::num::i64::ANY) {
            let moment = Timestamp::from_millis(millis);
            for zone in [Zone::utc(), Zone::named("Asia/Shanghai").unwrap(), Zone::named("America/St_Johns").unwrap()] {
                if (0..=9999).contains(&zone.civil(moment).year()) {
                    proptest::prop_assert_eq!(zone.exact(moment).parse::<Timestamp>(), Ok(moment));
                }
            }
        }
    }
}
