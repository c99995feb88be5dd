//! Case, accent and width folding of the characters outside ASCII.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::class::{Class, ascii_digit, class, is_emoji, is_gram, is_ignorable};

/// The folded form of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folded {
    /// Belongs to a word, identifier or number: a lower-case letter without accent, an ASCII byte,
    /// a kept vowel sign.
    Letter(char),
    /// Belongs to a run of characters that is cut into n-grams.
    Gram(char),
    /// Stands for itself.
    Emoji(char),
    /// Parts what is left of it from what is right of it.
    Break,
}

/// Marks after letters below this code point (Latin, Greek, Cyrillic, Hebrew, Arabic) are accents
/// and are dropped; in the scripts above it (Devanagari and its relatives) they are vowels and
/// stay.
const VOWEL_SIGNS_FROM: u32 = 0x0900;

/// Folds one character; one character may become several.
pub(crate) fn fold(c: char, emit: &mut impl FnMut(Folded)) {
    if is_gram(c) {
        emit(Folded::Gram(c));
    } else if is_ignorable(c) {
        // Invisible: says nothing and parts nothing.
    } else if is_emoji(c) {
        emit(Folded::Emoji(c));
    } else if let Some(replacement) = special(c) {
        replacement.chars().for_each(|c| emit(ascii(c)));
    } else if let Some(digit) = ascii_digit(c) {
        emit(Folded::Letter(digit));
    } else if matches!(c, 'й' | 'Й') {
        // No accented letter, though Unicode takes it apart: endings of Russian have it.
        emit(Folded::Letter('й'));
    } else {
        decompose_compatible(c, |part| decomposed(part, emit));
    }
}

fn decomposed(c: char, emit: &mut impl FnMut(Folded)) {
    if c.is_ascii() {
        emit(ascii(c));
    } else if is_combining_mark(c) {
        if u32::from(c) >= VOWEL_SIGNS_FROM && !is_late_accent(c) {
            emit(Folded::Letter(c));
        }
    } else if is_gram(c) {
        emit(Folded::Gram(c));
    } else if c.is_alphanumeric() {
        for lower in c.to_lowercase() {
            match special(lower) {
                Some(replacement) => replacement.chars().for_each(|c| emit(ascii(c))),
                None => emit(Folded::Letter(lower)),
            }
        }
    } else {
        emit(Folded::Break);
    }
}

/// Accents whose code points lie above the first vowel signs.
const fn is_late_accent(c: char) -> bool {
    matches!(c as u32, 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x3099..=0x309A | 0xFE20..=0xFE2F)
}

fn ascii(c: char) -> Folded {
    match u8::try_from(c) {
        Ok(byte) if class(byte) != Class::Break => Folded::Letter(c),
        _ => Folded::Break,
    }
}

/// Letters that Unicode does not decompose, quotation marks used as apostrophes, dashes used as
/// hyphens.
const fn special(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ł' | 'Ł' => "l",
        'ħ' | 'Ħ' => "h",
        'þ' | 'Þ' => "th",
        'ı' => "i",
        '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{FF07}' => "'",
        '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}' | '\u{2212}' => "-",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            fold(c, &mut |f| match f {
                Folded::Letter(c) => out.push(c),
                Folded::Gram(c) => out.extend(['[', c, ']']),
                Folded::Emoji(c) => out.extend(['<', c, '>']),
                Folded::Break => out.push(' '),
            });
        }
        out
    }

    #[test]
    fn accents_width_and_case_fold_away() {
        assert_eq!(folded("Éñüİ"), "EnuI");
        assert_eq!(folded("Straße Łódź Ærø"), "Strasse lodz aero");
        assert_eq!(folded("ＡＢＣ１２３"), "ABC123");
        assert_eq!(folded("ΟΔΟΣ МОСКВА"), "οδοσ москва");
        assert_eq!(folded("don’t"), "don't");
        assert_eq!(folded("हिन्दी"), "हिन्दी");
        assert_eq!(folded("٣"), "3");
    }

    #[test]
    fn scripts_without_spaces_become_grams() {
        assert_eq!(folded("北京 ｶﾞ"), "[北][京] [カ]");
        assert_eq!(folded("ไทย"), "[ไ][ท][ย]");
    }

    #[test]
    fn invisible_characters_part_nothing() {
        assert_eq!(folded("a\u{200F}b\u{00AD}c\u{FEFF}"), "abc");
        assert_eq!(folded("a…b—c"), "a...b c");
        assert_eq!(folded("🎉️"), "<🎉>");
    }
}
