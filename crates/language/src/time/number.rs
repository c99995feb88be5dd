use super::cursor::Cursor;
use super::grammar::{Numeral, grammar};
use super::tokens::Kind;

/// Numerals of the longest number that is read: 九千九百九十九万 and some more.
const LONGEST: usize = 12;

/// A number in digits or numerals, and how many digits it was written with (0 for numerals that
/// are added up).
pub(super) fn read(at: Cursor<'_>) -> Option<(Cursor<'_>, i64, usize)> {
    match at.kind()? {
        Kind::Number(value, length) => Some((at.step(), *value, *length)),
        Kind::Word(_) => words(at),
        Kind::Han(_) => run(at),
        Kind::Mark(_) => None,
    }
}

fn numeral(at: Cursor<'_>) -> Option<Numeral> {
    grammar().numerals.get(at.kind()?).copied()
}

/// `three`, `twenty-three`.
fn words(at: Cursor<'_>) -> Option<(Cursor<'_>, i64, usize)> {
    let Numeral::Value(tens) = numeral(at)? else {
        return None;
    };
    let end = at.step();
    let ones = if end.kind() == Some(&Kind::Mark('-')) {
        end.step()
    } else {
        end
    };
    match numeral(ones) {
        Some(Numeral::Value(more @ 1..10)) if tens >= 20 => Some((ones.step(), tens + more, 0)),
        _ => Some((end, tens, 0)),
    }
}

/// Numerals without white space: 二十三, 一百零五, 二〇二三.
fn run(start: Cursor<'_>) -> Option<(Cursor<'_>, i64, usize)> {
    let (mut at, mut run) = (start, Vec::new());
    while let Some(numeral) = numeral(at) {
        // A longer one says no time, and reading all of it at every place of a text would take the
        // square of its length.
        if run.len() == LONGEST {
            return None;
        }
        run.push(numeral);
        at = at.step();
    }
    if run
        .iter()
        .any(|numeral| matches!(numeral, Numeral::Times(_)))
    {
        return Some((at, composed(&run)?, 0));
    }
    // 三四天 is about three or four; only years are spelled digit by digit.
    let digits = run.iter().try_fold(0, |sum, numeral| match numeral {
        Numeral::Value(digit) => Some(sum * 10 + digit),
        Numeral::Times(_) => None,
    });
    matches!(run.len(), 1 | 4).then_some((at, digits?, run.len()))
}

/// Numerals with tens, hundreds and thousands.
fn composed(run: &[Numeral]) -> Option<i64> {
    let (mut sum, mut pending) = (0_i64, None);
    for numeral in run {
        match (*numeral, pending) {
            (Numeral::Times(times), _) => sum += pending.take().unwrap_or(1) * times,
            (Numeral::Value(_), Some(_)) => return None,
            (Numeral::Value(0), None) => {}
            (Numeral::Value(digit), None) => pending = Some(digit),
        }
    }
    Some(sum + pending.unwrap_or(0))
}
