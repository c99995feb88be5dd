//! Figures that are written in English words.

/// Numbers by their value.
const NUMBERS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
/// From 20 on.
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];
/// From 1 on.
const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];
/// The English names of the months, in small letters, from January on.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// The English names of the days of the week, in small letters, from Monday on.
pub(crate) const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// Days, times of day, and large numbers.
const OTHERS: [(&str, &[&str]); 15] = [
    ("hundred", &["100"]),
    ("thousand", &["1000"]),
    ("million", &["1000000"]),
    ("today", &["today"]),
    ("tomorrow", &["tomorrow"]),
    ("yesterday", &["yesterday"]),
    ("am", &["am"]),
    ("pm", &["pm"]),
    ("morning", &["am"]),
    ("afternoon", &["pm"]),
    ("evening", &["evening"]),
    ("tonight", &["today", "evening"]),
    ("night", &["night"]),
    ("noon", &["noon"]),
    ("midnight", &["midnight"]),
];
/// More letters than any number below ten has.
const LONGEST: usize = 6;
/// How many letters the short name of a month has.
const SHORT: usize = 3;

/// The figures of a word of Latin letters, and how long it is; `counted` when a number stands
/// before it.
pub(super) fn at(rest: &[char], counted: bool) -> (usize, Vec<String>) {
    if let ([half, '.', 'm' | 'M', ..], true) = (rest, counted)
        && matches!(half, 'a' | 'A' | 'p' | 'P')
    {
        return (3, vec![format!("{}m", half.to_ascii_lowercase())]);
    }
    let written: String = rest
        .iter()
        .take_while(|c| c.is_ascii_alphabetic())
        .collect();
    let (lower, length) = (written.to_lowercase(), written.len());
    let behind = rest.get(length..).unwrap_or_default();
    if let Some(tens) = place(&TENS, &lower) {
        let tens = 20 + 10 * tens;
        return match unit(behind) {
            Some((taken, unit)) => (length + taken, vec![(tens + unit).to_string()]),
            None => (length, vec![tens.to_string()]),
        };
    }
    let beside = || {
        counted
            || behind
                .iter()
                .find(|c| !matches!(c, ' ' | '.'))
                .is_some_and(char::is_ascii_digit)
    };
    (length, alone(&written, &lower, counted, beside))
}

/// The figures of a word that is no multiple of ten.
fn alone(written: &str, lower: &str, counted: bool, beside: impl Fn() -> bool) -> Vec<String> {
    if let Some(number) = place(&NUMBERS, lower).filter(|number| *number != 1) {
        return vec![number.to_string()];
    }
    if let Some(order) = place(&ORDINALS, lower) {
        return vec![format!("#{}", order + 1)];
    }
    // "May" and "March" are months where they are written so, "mar" only beside a number.
    let verb = matches!(lower, "may" | "march");
    if let Some(month) =
        place(&MONTHS, lower).filter(|_| !verb || written.starts_with(char::is_uppercase))
    {
        return vec![(month + 1).to_string()];
    }
    if let Some(month) = short_month(lower).filter(|_| lower != "may" && beside()) {
        return vec![(month + 1).to_string()];
    }
    let day = lower.strip_suffix('s').unwrap_or(lower);
    if let Some(weekday) = place(&WEEKDAYS, day) {
        // "On Mondays" is a habit.
        return vec![format!(
            "w{}{}",
            weekday + 1,
            lower.get(day.len()..).unwrap_or_default()
        )];
    }
    // "am" is a verb unless it stands behind a number.
    let clock = matches!(lower, "am" | "pm");
    let other = OTHERS
        .iter()
        .find(|(word, _)| *word == lower)
        .filter(|_| !clock || counted);
    other
        .map(|(_, figures)| figures.iter().map(|figure| (*figure).to_owned()).collect())
        .unwrap_or_default()
}

/// The unit behind a multiple of ten, and how long it is with what joins it: twenty-five,
/// thirty one.
fn unit(behind: &[char]) -> Option<(usize, usize)> {
    let ['-' | ' ', tail @ ..] = behind else {
        return None;
    };
    let word: String = tail
        .iter()
        .take_while(|c| c.is_ascii_alphabetic())
        .take(LONGEST)
        .collect();
    let unit = place(&NUMBERS, &word.to_lowercase()).filter(|unit| (1..10).contains(unit))?;
    Some((1 + word.len(), unit))
}

/// Whether a word is the name of a month, in full or in short.
pub(super) fn is_month(word: &str) -> bool {
    let lower = word.to_lowercase();
    place(&MONTHS, &lower)
        .or_else(|| short_month(&lower))
        .is_some()
}

fn short_month(lower: &str) -> Option<usize> {
    let short = if lower == "sept" { "sep" } else { lower };
    MONTHS
        .iter()
        .position(|month| short.len() == SHORT && month.starts_with(short))
}

fn place(words: &[&str], lower: &str) -> Option<usize> {
    words.iter().position(|word| *word == lower)
}
