//! A light stemmer for Hebrew, for which Snowball has none: particles grow onto the front of a
//! word, plurals and possessives onto its end.

/// And, the, in, as, to, from, that.
const PARTICLES: [char; 7] = ['ו', 'ה', 'ב', 'כ', 'ל', 'מ', 'ש'];
/// Plurals of both genders, then the feminine and the possessives of one letter.
const ENDINGS: [&str; 5] = ["ים", "ות", "ה", "י", "ו"];
/// Nearly every root has three consonants: no fewer are left.
const ROOT: usize = 3;

/// The stem of a word without vowel points. A noun that begins with the letter of a particle loses
/// it as well, in each of its forms alike.
pub(super) fn stem(word: &str) -> String {
    let letters = word.chars().count();
    let ending = ENDINGS
        .iter()
        .filter(|ending| letters >= ROOT + ending.chars().count());
    let mut stem = ending
        .filter_map(|ending| word.strip_suffix(ending))
        .next()
        .unwrap_or(word);
    while stem.chars().count() > ROOT
        && let Some(rest) = stem.strip_prefix(PARTICLES)
    {
        stem = rest;
    }
    stem.chars().map(inner).collect()
}

/// The form that a letter has within a word: it has another one at the end.
const fn inner(letter: char) -> char {
    match letter {
        'ך' => 'כ',
        'ם' => 'מ',
        'ן' => 'נ',
        'ף' => 'פ',
        'ץ' => 'צ',
        other => other,
    }
}
