//! Times as values of arguments.

use annals::language::Zone;
use annals::language::time::{Grain, Said, phrases};
use annals::{InvalidValue, Timestamp};

/// A date or time in the international form, or as people write dates: 2026/11/1, 2026年11月1日.
pub(crate) fn time(text: &str) -> Result<Timestamp, InvalidValue> {
    text.parse().or_else(|error| dated(text).ok_or(error))
}

/// The beginning of the one time that a text is. What counts from today, or leaves out its year, is
/// none: the day of the reader is not known here, and it would be another time on another day.
fn dated(text: &str) -> Option<Timestamp> {
    const YEARS_LATER: i64 = 20 * 366 * 86_400_000;
    let start = |at: Timestamp| match phrases(text.trim(), &Said::at(at, Zone::utc())).as_slice() {
        [phrase] => {
            let is_all = phrase.range == (0..text.trim().len());
            let is_sure = phrase.absolute && phrase.grain != Grain::Vague;
            (is_all && is_sure).then_some(phrase.interval.start)
        }
        _ => None,
    };
    let (read, later) = (Timestamp::default(), Timestamp::from_millis(YEARS_LATER));
    start(read).filter(|found| start(later) == Some(*found))
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn dates_are_read_as_people_write_them() {
        for text in [
            "2026-11-01",
            "2026/11/01",
            "2026年11月1日",
            " 2026-11-01T00:00:00Z",
        ] {
            let read = time(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.to_string(), "2026-11-01T00:00:00Z", "{text}");
        }
        for text in [
            "yesterday",
            "昨天",
            "recently",
            "March",
            "11月1日",
            "去年3月",
            "soon",
            "",
            "2026-11-01 or so",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
