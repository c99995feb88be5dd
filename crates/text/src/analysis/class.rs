//! The class of a byte or a character to the tokeniser.

/// The class of one byte of a chunk. Bytes of folded non-ASCII letters count as lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Lower,
    Upper,
    Digit,
    /// Ties the parts of a path, address or identifier together.
    Joiner,
    /// Ends a chunk.
    Break,
}

pub(crate) const fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | 0x80.. => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b'-' | b'_' | b'.' | b'+' | b'#' | b'&' | b'~' | b'%' | b'$' | b'\'' => Class::Joiner,
        b'/' | b'\\' | b':' | b'@' | b'=' | b',' => Class::Joiner,
        _ => Class::Break,
    }
}

pub(crate) const fn is_break(byte: u8) -> bool {
    matches!(class(byte), Class::Break)
}

/// Separates the segments of a path, address or assignment.
pub(crate) const fn is_strong(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b':' | b'@' | b'=')
}

/// Separates the pieces of a segment. The apostrophe is part of a word.
pub(crate) const fn is_weak(byte: u8) -> bool {
    matches!(
        byte,
        b'-' | b'_' | b'.' | b'+' | b'#' | b'&' | b'~' | b'%' | b'$'
    )
}

/// Whether the script of `c` is written without spaces between words, or in syllable blocks: such
/// text becomes character n-grams.
pub(crate) const fn is_gram(c: char) -> bool {
    matches!(c as u32,
        0x0E01..=0x0E3A | 0x0E40..=0x0E4E                          // Thai
        | 0x0E81..=0x0ECE                                          // Lao
        | 0x1000..=0x103F | 0x1050..=0x108F                        // Myanmar
        | 0x1100..=0x11FF                                          // Hangul jamo
        | 0x1780..=0x17D3                                          // Khmer
        | 0x2E80..=0x2FDF                                          // radicals
        | 0x3005..=0x3007 | 0x3021..=0x3029                        // iteration mark, closing mark, zero, numerals
        | 0x3041..=0x3096 | 0x309D..=0x309F                        // Hiragana
        | 0x30A1..=0x30FA | 0x30FC..=0x30FF                        // Katakana and its length mark
        | 0x3105..=0x312F | 0x3131..=0x318E | 0x31A0..=0x31BF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF                        // Han
        | 0xAC00..=0xD7A3                                          // Hangul syllables
        | 0x20000..=0x3FFFD) // Han, supplementary
}

/// Whether `c` is a pictograph that someone may search for.
pub(crate) const fn is_emoji(c: char) -> bool {
    matches!(c as u32, 0x2600..=0x27BF | 0x2B50 | 0x2B55 | 0x1F300..=0x1F3FA | 0x1F400..=0x1FAFF)
}

/// Whether `c` is invisible and parts nothing: joiners, direction marks, soft hyphen, byte order
/// mark.
pub(crate) const fn is_ignorable(c: char) -> bool {
    matches!(c as u32, 0x00AD | 0x061C | 0x200C..=0x200F | 0x202A..=0x202E | 0x2060..=0x2069 | 0xFE00..=0xFE0F | 0xFEFF)
}

/// The ASCII digit of a decimal digit of another script in everyday use.
pub(crate) fn ascii_digit(c: char) -> Option<char> {
    const ZEROS: [u32; 8] = [
        0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50, 0x0ED0, 0x1040, 0x17E0,
    ];
    let code = u32::from(c);
    ZEROS
        .iter()
        .find_map(|zero| code.checked_sub(*zero).filter(|d| *d < 10))
        .and_then(|d| char::from_digit(d, 10))
}
