//! Times that are written without a zone.

use std::cell::RefCell;
use std::collections::HashMap;

use annals_engine::Error;
use annals_types::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The zone of the clocks by which a file was written.
#[derive(Debug, Clone)]
pub(super) struct FileZone {
    zone: TimeZone,
    /// The offsets of short names of zones that were asked for.
    named: RefCell<HashMap<String, Option<jiff::tz::Offset>>>,
}

impl FileZone {
    fn of(zone: TimeZone) -> Self {
        Self {
            zone,
            named: RefCell::default(),
        }
    }

    /// The zone of a name such as `Europe/Berlin`, `UTC` or `+02:00`; that of this system without
    /// one.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) where there is no such zone.
    pub(super) fn named(name: Option<&str>) -> Result<Self, Error> {
        let Some(name) = name else {
            return Ok(Self::of(TimeZone::try_system().unwrap_or(TimeZone::UTC)));
        };
        if name == "local" {
            return Self::named(None);
        }
        if name.eq_ignore_ascii_case("utc") || name == "Z" {
            return Ok(Self::of(TimeZone::UTC));
        }
        if let Some(offset) = offset(name) {
            return Ok(Self::of(TimeZone::fixed(offset)));
        }
        let unknown = |_| {
            Error::bad_input(format!(
                "there is no time zone {name:?} on this system; write it like Europe/Berlin"
            ))
        };
        TimeZone::get(name).map(Self::of).map_err(unknown)
    }

    /// The moment at which its clocks show a time; the later one where they show it twice.
    pub(super) fn moment(&self, local: DateTime) -> Option<Timestamp> {
        let instant = self.zone.to_timestamp(local).ok()?;
        Some(Timestamp::from_millis(instant.as_millisecond()))
    }

    /// The moment at which the clocks of a zone of this short name show a time. Where several zones
    /// of different hours are called so, or none, it is taken for the zone of the file.
    pub(super) fn moment_in(&self, local: DateTime, name: &str) -> Option<Timestamp> {
        if name.is_empty() {
            return self.moment(local);
        }
        let rest = ["UTC", "GMT"]
            .iter()
            .find_map(|zone| name.strip_prefix(zone))
            .unwrap_or(name);
        let exact = if rest.is_empty() {
            Some(jiff::tz::Offset::UTC)
        } else {
            offset(rest)
        };
        let offset = exact.or_else(|| {
            if is_called(&self.zone, local, name).is_some() {
                return None;
            }
            let mut known = self.named.borrow_mut();
            *known
                .entry(name.to_owned())
                .or_insert_with(|| only_offset(local, name))
        });
        match offset {
            Some(offset) => Self::of(TimeZone::fixed(offset)).moment(local),
            None => self.moment(local),
        }
    }

    /// A time in one of the forms that JSON and tables have; one without a zone is of these clocks.
    pub(super) fn read(&self, text: &str) -> Option<Timestamp> {
        let text = text.trim();
        let spaced = || text.replacen(' ', "T", 1).parse::<DateTime>().ok();
        let local = if has_zone(text) {
            None
        } else {
            text.parse::<DateTime>().ok().or_else(spaced)
        };
        match local {
            Some(local) => self.moment(local),
            None => crate::written::moment(&serde_json::Value::from(text)),
        }
    }
}

/// Whether a time behind a date ends with a zone.
fn has_zone(text: &str) -> bool {
    let time = text.get(10..).unwrap_or_default();
    text.ends_with(['Z', 'z', ']'])
        || time.contains('+')
        || time.contains('-')
        || text.ends_with("UTC")
}

/// The offset of a zone, where its clocks that show a time have this short name.
fn is_called(zone: &TimeZone, local: DateTime, name: &str) -> Option<jiff::tz::Offset> {
    let at = zone.to_timestamp(local).ok()?;
    let shown = zone.to_offset_info(at);
    (shown.abbreviation() == name).then(|| shown.offset())
}

/// The offset that all zones have whose clocks have this short name; none where they differ.
fn only_offset(local: DateTime, name: &str) -> Option<jiff::tz::Offset> {
    let zones = jiff::tz::db()
        .available()
        .filter_map(|zone| TimeZone::get(zone.as_str()).ok());
    let mut offsets = zones.filter_map(|zone| is_called(&zone, local, name));
    let first = offsets.next()?;
    offsets.all(|other| other == first).then_some(first)
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
            (
                &berlin,
                "2026-07-13 18:05:00 -05:00",
                "2026-07-13T23:05:00Z",
            ),
            (&berlin, "2026-07-13", "2026-07-12T22:00:00Z"),
            (
                &FileZone::named(Some("+05:30")).unwrap(),
                "2026-01-01 00:00",
                "2025-12-31T18:30:00Z",
            ),
        ] {
            assert_eq!(zone.read(text).unwrap().to_string(), told, "{text}");
        }
        assert!(
            FileZone::named(Some("Europe/Atlantis"))
                .unwrap_err()
                .is_invalid()
        );
        assert_eq!(berlin.read("noon"), None);
    }
}
