//! The normalisation and the word pieces of the BERT family of tokenizers, as the built-in table's model uses them:
//! controls dropped, accents stripped, lower case, ideographs and punctuation alone, then greedy longest match.

use annals_static_table::{PieceHash, TABLE};
use unicode_normalization::char::decompose_canonical;

/// The piece that stands for a word which the vocabulary cannot spell.
pub(super) const UNKNOWN: u16 = 100;

/// A word of more characters than this is not spelled but unknown, as in the model's tokenizer.
const LONGEST_WORD: usize = 100;
/// Room for the longest spelled word: a character takes up to four bytes.
const WORD_BYTES: usize = LONGEST_WORD * 4;
/// No piece of the vocabulary has more bytes than this; a test compares.
const LONGEST_PIECE: usize = 18;

/// The receiver of the words of a text, in the text's order.
pub(super) trait Sink {
    /// An ideograph, which always is a word of its own; `piece` is [`UNKNOWN`] where the vocabulary has none.
    fn ideograph(&mut self, character: char, piece: u16);

    /// Any other word, normalised, with its pieces; the only piece [`UNKNOWN`] when it cannot be spelled.
    fn word(&mut self, word: &[u8], pieces: &[u16]);

    /// A punctuation character, with its piece.
    fn punctuation(&mut self, piece: u16);

    /// White space or the like: what follows is not adjacent to what was told before.
    fn gap(&mut self);
}

/// Splits a text and tells its words to `sink`. Cost grows with the length of the text; nothing is allocated.
pub(super) fn split(text: &str, sink: &mut impl Sink) {
    let mut word = Word::new();
    for character in text.chars() {
        if character.is_ascii() {
            ascii(character, &mut word, sink);
        } else if is_ideograph(character) {
            word.finish(sink);
            ideograph(character, sink);
        } else if character.is_whitespace() && !TABLE.dropped().contains(character) {
            word.finish(sink);
            sink.gap();
        } else if TABLE.dropped().contains(character) {
            // The tokenizer removes it and joins what stood on both sides.
        } else {
            other(character, &mut word, sink);
        }
    }
    word.finish(sink);
}

#[inline]
fn ascii(character: char, word: &mut Word, sink: &mut impl Sink) {
    match character {
        'a'..='z' | '0'..='9' => word.push_byte(u8::try_from(character).unwrap_or_default()),
        'A'..='Z' => word.push_byte(u8::try_from(character.to_ascii_lowercase()).unwrap_or_default()),
        ' ' | '\t' | '\n' | '\r' => {
            word.finish(sink);
            sink.gap();
        }
        _ if character.is_ascii_punctuation() => {
            word.finish(sink);
            sink.punctuation(single(character));
        }
        _ => {}
    }
}

/// A character that has an accent, a case or neither; its parts are taken one by one.
fn other(character: char, word: &mut Word, sink: &mut impl Sink) {
    decompose_canonical(character, |part| {
        if part.is_ascii() {
            ascii(part, word, sink);
        } else if TABLE.punctuation().contains(part) {
            word.finish(sink);
            sink.punctuation(single(part));
        } else if !TABLE.dropped().contains(part) {
            part.to_lowercase().for_each(|lower| word.push(lower));
        }
    });
}

fn ideograph(character: char, sink: &mut impl Sink) {
    if character < '\u{f900}' {
        sink.ideograph(character, single(character));
    } else {
        // Compatibility ideographs are the unified ones to which they decompose; others decompose to themselves.
        decompose_canonical(character, |unified| sink.ideograph(unified, single(unified)));
    }
}

/// The piece of a one-character word.
fn single(character: char) -> u16 {
    let mut bytes = [0; 4];
    let text = character.encode_utf8(&mut bytes).as_bytes();
    let hash = text.iter().fold(PieceHash::WORD, |hash, &byte| hash.byte(byte));
    TABLE.find(hash, text).unwrap_or(UNKNOWN)
}

/// The blocks that the model's tokenizer sets apart, gaps between its extensions included.
fn is_ideograph(character: char) -> bool {
    matches!(
        u32::from(character),
        0x3400..=0x4dbf
            | 0x4e00..=0x9fff
            | 0xf900..=0xfaff
            | 0x2_0000..=0x2_a6df
            | 0x2_a700..=0x2_b81f
            | 0x2_b920..=0x2_ceaf
            | 0x2_f800..=0x2_fa1f
    )
}

/// The word being read.
struct Word {
    bytes: [u8; WORD_BYTES],
    len: usize,
    characters: usize,
}

impl Word {
    fn new() -> Self {
        Self { bytes: [0; WORD_BYTES], len: 0, characters: 0 }
    }

    #[inline]
    fn push_byte(&mut self, byte: u8) {
        self.characters += 1;
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    fn push(&mut self, character: char) {
        let mut bytes = [0; 4];
        let text = character.encode_utf8(&mut bytes).as_bytes();
        self.characters += 1;
        if let Some(place) = self.bytes.get_mut(self.len..self.len + text.len()) {
            place.copy_from_slice(text);
            self.len += text.len();
        }
    }

    #[inline]
    fn finish(&mut self, sink: &mut impl Sink) {
        if self.characters == 0 {
            return;
        }
        let word = self.bytes.get(..self.len).unwrap_or_default();
        let mut pieces = [UNKNOWN; LONGEST_WORD];
        let count = if self.characters > LONGEST_WORD { 0 } else { spell(word, &mut pieces).unwrap_or(0) };
        // A word that cannot be spelled is one unknown piece, whatever was found of it on the way.
        match pieces.get(..count) {
            Some(found) if count > 0 => sink.word(word, found),
            _ => sink.word(word, &[UNKNOWN]),
        }
        self.len = 0;
        self.characters = 0;
    }
}

/// Spells a word with the longest pieces from the left; how many, or `None` when a rest has no piece.
#[inline]
fn spell(word: &[u8], pieces: &mut [u16; LONGEST_WORD]) -> Option<usize> {
    let mut rest = word;
    let mut start = PieceHash::WORD;
    let mut count = 0;
    while !rest.is_empty() {
        let (piece, length) = longest(rest, start)?;
        *pieces.get_mut(count)? = piece;
        count += 1;
        rest = rest.get(length..)?;
        start = PieceHash::INSIDE;
    }
    Some(count)
}

/// The longest piece at the beginning of `rest`, and its length in bytes.
#[inline]
fn longest(rest: &[u8], start: PieceHash) -> Option<(u16, usize)> {
    let mut hashes = [start; LONGEST_PIECE];
    let mut hash = start;
    for (place, &byte) in hashes.iter_mut().zip(rest) {
        hash = hash.byte(byte);
        *place = hash;
    }
    let reach = rest.len().min(LONGEST_PIECE);
    hashes.iter().take(reach).enumerate().rev().find_map(|(at, &hash)| {
        let piece = TABLE.find(hash, rest.get(..=at)?)?;
        Some((piece, at + 1))
    })
}

#[cfg(test)]
mod tests;
