//! Check digits.

/// Luhn's sum over decimal digits (ISO/IEC 7812-1, annex B).
pub(super) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let value = u32::from(*digit);
            if at % 2 == 0 { value } else { value * 2 / 10 + value * 2 % 10 }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The check of a Chinese identity number of 18 places (GB 11643-1999): digits, the last one 0 to 9 or X.
pub(super) fn chinese_id(number: &[u8]) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8; 11] = b"10X98765432";
    let Some((last, digits)) = number.split_last() else { return false };
    if digits.len() != WEIGHTS.len() {
        return false;
    }
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit.wrapping_sub(b'0')) * weight).sum();
    let check = usize::try_from(sum % 11).ok().and_then(|at| CHECKS.get(at));
    check.is_some_and(|check| check.eq_ignore_ascii_case(last))
}

/// The check of an IBAN without its spaces (ISO 13616): the number modulo 97 is 1.
pub(super) fn iban(number: &[u8]) -> bool {
    let Some((head, tail)) = number.split_at_checked(4) else { return false };
    let mut rest: u32 = 0;
    for byte in tail.iter().chain(head) {
        rest = match byte {
            b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
            b'A'..=b'Z' => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
            _ => return false,
        };
    }
    rest == 1
}

/// Whether digits are a date `YYYYMMDD` on which somebody in the registers may have been born.
pub(super) fn birth_date(digits: &[u8]) -> bool {
    let number = |range: std::ops::Range<usize>| -> i32 {
        let part = digits.get(range).unwrap_or_default();
        part.iter().fold(0, |sum, digit| sum * 10 + i32::from(digit.wrapping_sub(b'0')))
    };
    let (year, month, day) = (number(0..4), number(4..6), number(6..8));
    let civil = |year: i32, month: i32, day: i32| {
        let (year, month, day) = (i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        jiff::civil::Date::new(year, month, day).ok()
    };
    (1800..2100).contains(&year) && civil(year, month, day).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        let digits = |text: &str| -> Vec<u8> { text.bytes().map(|b| b - b'0').collect() };
        assert!(luhn(&digits("79927398713")) && !luhn(&digits("79927398710")));
        assert!(chinese_id(b"11010519491231002X") && !chinese_id(b"110105194912310021"));
        assert!(iban(b"GB82WEST12345698765432") && !iban(b"GB82WEST12345698765433"));
        assert!(birth_date(b"20000229") && !birth_date(b"20010229") && !birth_date(b"17991231"));
    }
}
