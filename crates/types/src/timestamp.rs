use std::fmt;
use std::str::FromStr;

use jiff::civil;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::error::shorten;

/// A moment: whole milliseconds since 1970-01-01T00:00:00 UTC, from year 1 to the end of year 9999
/// (less two days, as in jiff).
///
/// Reads RFC 3339 (`2026-01-03T18:00:00+01:00`); a date or a time without zone is taken as UTC.
/// Serialises as an RFC 3339 text in human-readable formats and as the integer elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

const MIN_MILLIS: i64 = -62_135_596_800_000;
const MAX_MILLIS: i64 = 253_402_127_999_999;

impl Timestamp {
    /// The first representable moment, 0001-01-01T00:00:00Z.
    pub const MIN: Self = Self(MIN_MILLIS);
    /// The last representable moment, 9999-12-29T23:59:59.999Z.
    pub const MAX: Self = Self(MAX_MILLIS);

    /// From milliseconds since the Unix epoch; values beyond the range are moved to its nearest
    /// end.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        if millis < MIN_MILLIS {
            Self::MIN
        } else if millis > MAX_MILLIS {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The moment `millis` later (earlier when negative), kept inside the range.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to `self`; zero when `earlier` is later (a clock that goes back
    /// counts zero).
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        let gap = self.0.saturating_sub(earlier.0);
        if gap < 0 { 0 } else { gap }
    }

    /// The date as `YYYY-MM-DD` in UTC.
    #[must_use]
    pub fn date(self) -> String {
        self.civil().date().to_string()
    }

    fn civil(self) -> civil::DateTime {
        // The range of Timestamp lies inside that of jiff, so the fallback is never taken.
        jiff::Timestamp::from_millisecond(self.0)
            .map(|t| TimeZone::UTC.to_datetime(t))
            .unwrap_or(civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.civil();
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            t.year(),
            t.month(),
            t.day(),
            t.hour(),
            t.minute(),
            t.second()
        )?;
        if t.millisecond() != 0 {
            write!(f, ".{:03}", t.millisecond())?;
        }
        f.write_str("Z")
    }
}

impl FromStr for Timestamp {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let bad = || InvalidValue::BadTime {
            value: shorten(text),
        };
        let trimmed = text.trim();
        let millis = if let Ok(instant) = trimmed.parse::<jiff::Timestamp>() {
            instant.as_millisecond()
        } else {
            let local = trimmed.parse::<civil::DateTime>().map_err(|_| bad())?;
            TimeZone::UTC
                .to_timestamp(local)
                .map_err(|_| bad())?
                .as_millisecond()
        };
        if (MIN_MILLIS..=MAX_MILLIS).contains(&millis) {
            Ok(Self(millis))
        } else {
            Err(bad())
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?
                .parse()
                .map_err(serde::de::Error::custom)
        } else {
            i64::deserialize(deserializer).map(Self::from_millis)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_zones_dates_and_local_times_as_utc() {
        let read = |s: &str| s.parse::<Timestamp>().map(|t| t.to_string());
        assert_eq!(
            read("2026-01-03T18:00:00+01:00").unwrap(),
            "2026-01-03T17:00:00Z"
        );
        assert_eq!(
            read("2026-01-03T18:00:00.250").unwrap(),
            "2026-01-03T18:00:00.250Z"
        );
        assert_eq!(read("2026-01-03").unwrap(), "2026-01-03T00:00:00Z");
        assert!(read("yesterday").is_err());
        assert!(read("2026-13-03").is_err());
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_is_a_time_or_refused(text in proptest::prop_oneof![
            ".*", "[0-9TZ:+. -]{0,32}",
            "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]\
             (:[0-6][0-9]([.,][0-9]{1,12})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?",
        ]) {
            if let Ok(time) = text.parse::<Timestamp>() {
                proptest::prop_assert_eq!(time.to_string().parse::<Timestamp>(), Ok(time));
            }
        }
    }

    #[test]
    fn stays_inside_its_range_and_counts_a_backward_clock_as_zero() {
        assert_eq!(Timestamp::from_millis(i64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.to_string(), "0001-01-01T00:00:00Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-29T23:59:59.999Z");
        let earlier = Timestamp::from_millis(5);
        assert_eq!(earlier.millis_since(Timestamp::from_millis(9)), 0);
        assert_eq!(Timestamp::from_millis(9).millis_since(earlier), 4);
    }
}
