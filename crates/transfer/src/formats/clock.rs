//! Times that are written without a zone.

use annals_engine::Error;
use annals_types::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The zone of the clocks by which a file was written.
#[derive(Debug, Clone)]
pub(super) struct FileZone(TimeZone);

impl FileZone {
    /// The zone of a name such as `Europe/Berlin`, `UTC` or `+02:00`; that of this system without one.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) where there is no such zone.
    pub(super) fn named(name: Option<&str>) -> Result<Self, Error> {
        let Some(name) = name else { return Ok(Self(TimeZone::try_system().unwrap_or(TimeZone::UTC))) };
        if name == "local" {
            return Self::named(None);
        }
        if name.eq_ignore_ascii_case("utc") || name == "Z" {
            return Ok(Self(TimeZone::UTC));
        }
        if let Some(offset) = offset(name) {
            return Ok(Self(TimeZone::fixed(offset)));
        }
        let unknown =
            |_| Error::bad_input(format!("there is no time zone {name:?} on this system; write it like Europe/Berlin"));
        TimeZone::get(name).map(Self).map_err(unknown)
    }

    /// The moment at which its clocks show a time; the later one where they show it twice.
    pub(super) fn moment(&self, local: DateTime) -> Option<Timestamp> {
        let instant = self.0.to_timestamp(local).ok()?;
        Some(Timestamp::from_millis(instant.as_millisecond()))
    }

    /// A time in one of the forms that JSON and tables have; one without a zone is of these clocks.
    pub(super) fn read(&self, text: &str) -> Option<Timestamp> {
        let text = text.trim();
        let local = text.parse::<DateTime>().ok().filter(|_| !has_zone(text));
        let spaced = || text.replacen(' ', "T", 1).parse::<DateTime>().ok().filter(|_| !has_zone(text));
        match local.or_else(spaced) {
            Some(local) => self.moment(local),
            None => crate::written::moment(&serde_json::Value::from(text)),
        }
    }
}

/// Whether a time behind a date ends with a zone.
fn has_zone(text: &str) -> bool {
    let time = text.get(10..).unwrap_or_default();
    text.ends_with(['Z', 'z', ']']) || time.contains('+') || time.contains('-') || text.ends_with("UTC")
}

fn offset(name: &str) -> Option<jiff::tz::Offset> {
    let sign = match name.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let (hours, minutes) = match name.get(1..)?.split_once(':') {
        Some((hours, minutes)) => (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?),
        None => (name.get(1..)?.parse::<i32>().ok()?, 0),
    };
    jiff::tz::Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_are_those_of_a_zone() {
        let berlin = FileZone::named(Some("Europe/Berlin")).unwrap();
        for (zone, text, told) in [
            (&berlin, "2026-01-13 18:05:09", "2026-01-13T17:05:09Z"),
            (&berlin, "2026-07-13T18:05", "2026-07-13T16:05:00Z"),
            (&berlin, "2026-07-13T18:05:00Z", "2026-07-13T18:05:00Z"),
            (&berlin, "2026-07-13 18:05:00 -05:00", "2026-07-13T23:05:00Z"),
            (&berlin, "2026-07-13", "2026-07-12T22:00:00Z"),
            (&FileZone::named(Some("+05:30")).unwrap(), "2026-01-01 00:00", "2025-12-31T18:30:00Z"),
        ] {
            assert_eq!(zone.read(text).unwrap().to_string(), told, "{text}");
        }
        assert!(FileZone::named(Some("Europe/Atlantis")).unwrap_err().is_invalid());
        assert_eq!(berlin.read("noon"), None);
    }
}
