//! Times as pages write them for people: `Jul 25, 2026, 11:07:57 PM PDT`, `18 Sept 2025, 12:02:52
//! CET`, `2026年6月19日 12:23:08 CST`, `25.07.2026, 23:07:57 MESZ`.

use annals_types::Timestamp;
use jiff::civil::{Date, DateTime, Time};

use super::clock::FileZone;
use super::dates::{Numbers, is_space, time_of_day};
use super::record::DateOrder;

/// The longest such time.
const LONGEST: usize = 80;

/// How months begin, in English and the languages of Western Europe.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "gen"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "maa", "mrt"],
    &["apr", "avr", "abr"],
    &["may", "mai", "maj", "mei", "mag"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aoû", "ago"],
    &["sep", "set"],
    &["oct", "okt", "out", "ott"],
    &["nov"],
    &["dec", "dez", "déc", "dic", "des"],
];

/// A moment as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SpokenTime {
    date: SpokenDate,
    time: Time,
    /// The name of the zone, where there is one.
    zone: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum SpokenDate {
    Day(Date),
    /// In numbers, whose order the file decides.
    Numbers(Numbers),
}

impl SpokenTime {
    /// Reads a whole text; nothing where it says anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches(|c: char| c.is_whitespace());
        if text.len() > LONGEST {
            return None;
        }
        // The time of day begins at the number before the first colon, or at the mark before that.
        let colon = text.find(':')?;
        let before = text
            .get(..colon)?
            .trim_end_matches(|c: char| c.is_ascii_digit());
        let date = before.trim_end_matches(is_space);
        let cut = date.rfind(|c: char| is_space(c) || c == ',');
        let marked = cut.and_then(|cut| {
            Some((
                date.get(..cut)?,
                text.get(cut..)?.trim_start_matches([',', ' ']),
            ))
        });
        let plain = (date, text.get(before.len()..)?);
        [Some(plain), marked]
            .into_iter()
            .flatten()
            .find_map(|(date, rest)| {
                let (time, zone) = time_of_day(rest)?;
                let zone = zone.trim_matches(is_space);
                let is_zone = zone
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | ':' | '−'));
                let date = date_of(date.trim_end_matches([',', ' ']))?;
                is_zone.then(|| Self {
                    date,
                    time,
                    zone: zone.replace('−', "-"),
                })
            })
    }

    /// The numbers of its date, where their order is open.
    pub(super) fn numbers(&self) -> Option<Numbers> {
        if let SpokenDate::Numbers(numbers) = self.date {
            Some(numbers)
        } else {
            None
        }
    }

    /// The moment, with its date in an order.
    pub(super) fn moment(&self, order: DateOrder, zone: &FileZone) -> Option<Timestamp> {
        let date = match self.date {
            SpokenDate::Day(date) => date,
            SpokenDate::Numbers(numbers) => numbers.date(order)?,
        };
        let local: DateTime = date.to_datetime(self.time);
        zone.moment_in(local, &self.zone)
    }
}

fn date_of(text: &str) -> Option<SpokenDate> {
    if let Some((numbers, "")) = Numbers::parse(text) {
        return Some(SpokenDate::Numbers(numbers));
    }
    let mut numbers = Vec::new();
    let mut month = None;
    let words = text
        .split(|c: char| is_space(c) || matches!(c, ',' | '年' | '月' | '日' | '년' | '월' | '일'));
    for word in words
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty())
    {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers.push(word.parse::<i16>().ok()?);
        } else if let Some(named) = month_of(word) {
            month = month.or(Some(named));
        } else if !["de", "del", "of"].contains(&word) {
            return None;
        }
    }
    let (year, month, day) = match (numbers.as_slice(), month) {
        ([year @ 1000..=9999, month, day], None) => (*year, *month, *day),
        ([year @ 1000..=9999, day] | [day, year @ 1000..=9999], Some(month)) => {
            (*year, month, *day)
        }
        _ => return None,
    };
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
        .ok()
        .map(SpokenDate::Day)
}

/// The month of a name, from 1.
fn month_of(word: &str) -> Option<i16> {
    let word = word.to_lowercase();
    let at = MONTHS
        .iter()
        .position(|starts| starts.iter().any(|start| word.starts_with(start)))?;
    i16::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_for_people_are_read() {
        let zone = FileZone::named(Some("Europe/Berlin")).unwrap();
        for (text, told) in [
            (
                "Jul 25, 2026, 11:07:57\u{202f}PM PDT",
                "2026-07-26T06:07:57Z",
            ),
            (
                "May 19, 2026, 7:07:02\u{202f}PM GMT-03:00",
                "2026-05-19T22:07:02Z",
            ),
            ("18 Sept 2025, 12:02:52 UTC", "2025-09-18T12:02:52Z"),
            ("10 de mai. de 2026, 03:46:09 GMT+1", "2026-05-10T02:46:09Z"),
            ("4 juli 2026 09:15:00 CEST", "2026-07-04T07:15:00Z"),
            ("4 juil. 2026, 09:15:00 CEST", "2026-07-04T07:15:00Z"),
            ("25.01.2026, 23:07:57 MEZ", "2026-01-25T22:07:57Z"),
            ("2026年6月19日 12:23:08 JST", "2026-06-19T03:23:08Z"),
            ("2026年6月19日 下午2:23:08", "2026-06-19T12:23:08Z"),
            ("2026/06/19 12:23:08 JST", "2026-06-19T03:23:08Z"),
        ] {
            let read = SpokenTime::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                read.moment(DateOrder::DayMonthYear, &zone)
                    .unwrap()
                    .to_string(),
                told,
                "{text}"
            );
        }
        for no in [
            "",
            "noon",
            "At 10:00",
            "We met on 3 May 2026, 10:00:00 at home",
            "1:2",
            "31 Feb 2026, 10:00:00",
        ] {
            assert_eq!(SpokenTime::parse(no), None, "{no}");
        }
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_is_a_time_or_none(text in "[0-9:,. apmPM年月日juneMay+\\-\u{202f}]{0,40}") {
            if let Some(read) = SpokenTime::parse(&text) {
                let _moment = read.moment(DateOrder::DayMonthYear, &FileZone::named(Some("UTC")).unwrap());
            }
        }
    }
}
