//! Whole numbers of a range, as values of arguments.

use std::num::IntErrorKind;
use std::ops::RangeInclusive;

use crate::texts::text;

/// A parser of the whole numbers of a range; it complains in the language of the run.
pub(crate) fn within<T: TryFrom<i64>>(
    range: RangeInclusive<i64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |word: &str| {
        let (least, most) = (*range.start(), *range.end());
        // An end that is that of the type says nothing.
        let is_open = most >= i64::from(u32::MAX);
        let outside = || {
            if is_open {
                text!("usage-from", least)
            } else {
                text!("usage-between", least, most)
            }
        };
        let number: i64 =
            word.parse()
                .map_err(|error: std::num::ParseIntError| match error.kind() {
                    IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => outside(),
                    _ => text!("usage-whole-number"),
                })?;
        let fits = Some(number).filter(|number| range.contains(number));
        fits.and_then(|number| T::try_from(number).ok())
            .ok_or_else(outside)
    }
}

#[cfg(test)]
mod tests {
    use super::within;
    use crate::texts::{Language, speaking};

    #[test]
    fn a_number_outside_of_its_range_is_told_the_range() {
        let parse = within::<u16>(1..=10_000);
        assert_eq!(parse("10000"), Ok(10_000));
        for word in ["0", "-1", "10001", "99999999999999999999"] {
            assert_eq!(
                parse(word).unwrap_err(),
                "it must be from 1 to 10000",
                "{word}"
            );
            let chinese = speaking(Language::Chinese, || parse(word).unwrap_err());
            assert_eq!(chinese, "必须在 1 到 10000 之间", "{word}");
        }
        assert_eq!(parse("two").unwrap_err(), "it must be a whole number");
        assert_eq!(
            within::<u32>(1..=i64::MAX)("0").unwrap_err(),
            "it must be 1 or more"
        );
    }
}
