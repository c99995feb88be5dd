use crate::time::cursor::Cursor;

/// Numerals of the longest number that is read: 九千九百九十九万 and some more.
const LONGEST: usize = 12;

/// A number in digits or in Chinese numerals, and how many digits it was written with (0 for numerals that count in tens).
pub(super) fn number(cursor: Cursor<'_>) -> Option<(Cursor<'_>, i64, usize)> {
    if let Some(found) = cursor.digits() {
        return Some(found);
    }
    let (mut at, mut run) = (cursor, Vec::new());
    while let Some((next, c)) = at.han().filter(|(_, c)| digit(*c).is_some() || unit(*c).is_some()) {
        // A longer one says no time, and reading all of it at every place of a text would take the square of its length.
        if run.len() == LONGEST {
            return None;
        }
        run.push(c);
        at = next;
    }
    if run.iter().any(|c| unit(*c).is_some()) {
        return Some((at, composed(&run)?, 0));
    }
    match run.as_slice() {
        [one] => Some((at, digit(*one)?, 1)),
        // 三四天 is about three or four; only years are spelled digit by digit.
        [_, _, _, _] => Some((at, run.iter().try_fold(0, |sum, c| Some(sum * 10 + digit(*c)?))?, 4)),
        _ => None,
    }
}

/// Numerals with tens, hundreds and thousands: 二十三, 一百零五.
fn composed(run: &[char]) -> Option<i64> {
    let (mut sum, mut pending) = (0_i64, None);
    for c in run {
        if let Some(unit) = unit(*c) {
            sum += pending.take().unwrap_or(1) * unit;
        } else {
            let digit = digit(*c)?;
            match pending {
                Some(_) => return None,
                None if digit == 0 => {}
                None => pending = Some(digit),
            }
        }
    }
    Some(sum + pending.unwrap_or(0))
}

pub(super) fn digit(c: char) -> Option<i64> {
    const DIGITS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    match c {
        '两' => Some(2),
        '〇' => Some(0),
        _ => (0..).zip(DIGITS).find(|(_, d)| *d == c).map(|(value, _)| value),
    }
}

const fn unit(c: char) -> Option<i64> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1000),
        _ => None,
    }
}
