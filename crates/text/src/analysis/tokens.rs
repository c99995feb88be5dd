//! Text to tokens, in one pass and without an allocation per token.

use unicode_segmentation::UnicodeSegmentation;

use super::accented;
use super::class::{Class, class, is_break, is_strong, is_weak};
use super::fold::{Folded, fold};
use super::word::Words;
use crate::term::Term;

/// The kind of a token: its part in the text's length and its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word, number or n-gram: counts towards the length.
    Plain,
    /// A word of the stop list: neither indexed nor looked up.
    Stop,
    /// A path, version, address or identifier as a whole, beside its parts: adds nothing to the
    /// length.
    Whole,
    /// The stem of a word in another language than English, beside the word: adds nothing to the
    /// length.
    Stem,
}

/// Receives tokens in the order of the text.
pub(crate) trait Sink {
    /// Whether it takes the stems of other languages than English.
    const STEMS: bool = true;

    /// `surface` is the folded token before stemming.
    fn token(&mut self, term: Term, kind: Kind, surface: &[u8]);
}

/// Longer addresses and identifiers are found by their parts only.
const LONGEST_WHOLE: usize = 128;

/// A piece with more changes between letters and digits is an opaque code: it is not taken apart.
const MOST_CHANGES: usize = 3;

const COMBINING_BREVE: char = '\u{306}';

/// The buffers of a tokeniser, kept between texts.
pub(crate) struct Tokenizer {
    words: Words,
    letters: String,
    grams: Vec<char>,
    folded: Vec<u8>,
}

impl Tokenizer {
    pub(crate) fn new() -> Self {
        Self {
            words: Words::new(),
            letters: String::new(),
            grams: Vec::new(),
            folded: Vec::new(),
        }
    }

    /// Sends every token of `text` to `sink`.
    pub(crate) fn run<S: Sink>(&mut self, text: &str, sink: &mut S) {
        for chunk in text.as_bytes().split(|b| is_break(*b)) {
            if chunk.is_ascii() {
                self.chunk(chunk, sink);
            } else if let Ok(wide) = std::str::from_utf8(chunk) {
                self.wide(wide, sink);
            }
        }
        if !S::STEMS {
            return;
        }
        accented::stems(text, |surface, stem| {
            let (word, term) = (
                self.words.word(surface.as_bytes()),
                Term::word(stem.as_bytes()),
            );
            if word.term != term && !word.stop {
                sink.token(term, Kind::Stem, surface.as_bytes());
            }
        });
    }

    /// A chunk with characters outside ASCII: folds it and parts it into letters and runs of n-gram
    /// characters.
    fn wide(&mut self, chunk: &str, sink: &mut impl Sink) {
        let mut letters = std::mem::take(&mut self.letters);
        let mut grams = std::mem::take(&mut self.grams);
        for c in chunk.chars() {
            // A letter of its own, also where it came in two parts.
            if c == COMBINING_BREVE && letters.ends_with('и') {
                letters.pop();
                letters.push('й');
                continue;
            }
            fold(c, &mut |folded| match folded {
                Folded::Letter(c) => {
                    flush_grams(&mut grams, sink);
                    letters.push(c);
                }
                Folded::Gram(c) => {
                    self.flush_letters(&mut letters, sink);
                    grams.push(c);
                }
                Folded::Emoji(c) => {
                    flush_grams(&mut grams, sink);
                    self.flush_letters(&mut letters, sink);
                    gram(c, None, sink);
                }
                Folded::Break => {
                    flush_grams(&mut grams, sink);
                    self.flush_letters(&mut letters, sink);
                }
            });
        }
        flush_grams(&mut grams, sink);
        self.flush_letters(&mut letters, sink);
        self.letters = letters;
        self.grams = grams;
    }

    fn flush_letters(&mut self, letters: &mut String, sink: &mut impl Sink) {
        if letters.is_ascii() {
            self.chunk(letters.as_bytes(), sink);
        } else {
            for word in letters.unicode_words() {
                self.chunk(word.as_bytes(), sink);
            }
        }
        letters.clear();
    }

    /// A chunk of ASCII, or a folded word of another alphabet.
    fn chunk(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let core = trim(chunk);
        if core.is_empty() {
            return;
        }
        if is_word(core) {
            self.word(core, Kind::Plain, sink);
            if core.len() <= 2 && core.len() < chunk.len() {
                self.language(chunk, sink);
            }
            return;
        }
        if core.contains(&b',') {
            return self.list(core, sink);
        }
        self.segments(core, sink);
    }

    /// `C++`, `C#`, `F#`: the signs after a letter or two belong to a name.
    fn language(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let start = chunk
            .iter()
            .position(|b| class(*b) != Class::Joiner)
            .unwrap_or(0);
        let name = chunk.get(start..).unwrap_or_default();
        let name = name
            .strip_suffix(b".")
            .or_else(|| name.strip_suffix(b","))
            .unwrap_or(name);
        if name.ends_with(b"++") || name.ends_with(b"#") {
            self.whole(name, sink);
        }
    }

    /// A chunk with commas: one number with thousands separators, or several chunks.
    fn list(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut groups = chunk.split(|b| *b == b',');
        let digits = |group: &[u8]| group.iter().all(u8::is_ascii_digit);
        let first = groups
            .next()
            .is_some_and(|g| matches!(g.len(), 1..=3) && digits(g));
        if first && groups.all(|g| g.len() == 3 && digits(g)) {
            let number: Vec<u8> = chunk.iter().copied().filter(|b| *b != b',').collect();
            return self.number(&number, sink);
        }
        for part in chunk.split(|b| *b == b',') {
            self.chunk(part, sink);
        }
    }

    /// Parts a path or address at its strong separators.
    fn segments(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut count = 0_usize;
        for segment in chunk
            .split(|b| is_strong(*b))
            .map(trim)
            .filter(|s| !s.is_empty())
        {
            count += 1;
            self.pieces(segment, sink);
        }
        if count > 1 {
            self.whole(chunk, sink);
        }
    }

    /// Parts a segment at hyphens, dots, underscores.
    fn pieces(&mut self, segment: &[u8], sink: &mut impl Sink) {
        let (mut count, mut gaps) = (0_usize, 0_usize);
        for piece in segment.split(|b| is_weak(*b)) {
            if piece.is_empty() {
                gaps += 1;
            } else {
                count += 1;
                self.piece(piece, sink);
            }
        }
        // Two separators in a row (an ellipsis, a dash typed as two hyphens) part what they stand
        // between.
        if count > 1 && gaps == 0 {
            self.whole(segment, sink);
        }
    }

    /// Letters, digits and apostrophes: parts it where case or kind changes.
    fn piece(&mut self, piece: &[u8], sink: &mut impl Sink) {
        if piece.contains(&b'\'') {
            return self.contraction(piece, sink);
        }
        let changes = boundaries(piece).count();
        if changes == 0 {
            return self.atom(piece, Kind::Plain, sink);
        }
        if kind_changes(piece) > MOST_CHANGES || piece.len() > LONGEST_WHOLE {
            return self.raw(piece, Kind::Plain, sink);
        }
        let mut start = 0;
        for end in boundaries(piece).chain([piece.len()]) {
            self.atom(piece.get(start..end).unwrap_or_default(), Kind::Plain, sink);
            start = end;
        }
        self.atom(piece, Kind::Whole, sink);
    }

    /// Drops what follows the apostrophe in `Anna's`, `we're`, `I'll`; closes the gap in `don't`.
    fn contraction(&mut self, piece: &[u8], sink: &mut impl Sink) {
        let piece = trim(piece);
        let cut = match piece.iter().rposition(|b| *b == b'\'') {
            Some(at) => match piece.get(at + 1..).unwrap_or_default() {
                [b's' | b'S' | b'd' | b'D' | b'm' | b'M']
                | b"ll"
                | b"re"
                | b"ve"
                | b"LL"
                | b"RE"
                | b"VE" => at,
                _ => piece.len(),
            },
            None => piece.len(),
        };
        let joined: Vec<u8> = piece
            .iter()
            .take(cut)
            .copied()
            .filter(|b| *b != b'\'')
            .collect();
        if !joined.is_empty() {
            self.piece(&joined, sink);
        }
    }

    fn atom(&mut self, atom: &[u8], kind: Kind, sink: &mut impl Sink) {
        if atom.iter().all(u8::is_ascii_digit) {
            self.number(atom, sink);
        } else if atom.iter().any(u8::is_ascii_digit) {
            self.raw(atom, kind, sink);
        } else {
            self.word(atom, kind, sink);
        }
    }

    /// Digits: without leading zeros, and as written when there are any.
    fn number(&mut self, digits: &[u8], sink: &mut impl Sink) {
        let zeros = digits
            .iter()
            .take_while(|b| **b == b'0')
            .count()
            .min(digits.len().saturating_sub(1));
        let value = digits.get(zeros..).unwrap_or(digits);
        self.raw(value, Kind::Plain, sink);
        if zeros > 0 {
            self.raw(digits, Kind::Whole, sink);
        }
    }

    fn word(&mut self, letters: &[u8], kind: Kind, sink: &mut impl Sink) {
        let mut buffer = [0_u8; 64];
        let Some(folded) = buffer.get_mut(..letters.len()) else {
            return self.raw(letters, kind, sink);
        };
        folded.copy_from_slice(letters);
        folded.make_ascii_lowercase();
        let word = self.words.word(folded);
        let kind = if word.stop && kind == Kind::Plain {
            Kind::Stop
        } else {
            kind
        };
        sink.token(word.term, kind, folded);
    }

    /// A path, address or version as one token. Backslashes count as slashes, the `v` of `v1.2.3`
    /// is dropped.
    fn whole(&mut self, text: &[u8], sink: &mut impl Sink) {
        if text.len() > LONGEST_WHOLE {
            return;
        }
        let version = match text {
            [b'v' | b'V', rest @ ..] if rest.iter().all(|b| b.is_ascii_digit() || *b == b'.') => {
                rest
            }
            _ => text,
        };
        self.raw(version, Kind::Whole, sink);
    }

    fn raw(&mut self, text: &[u8], kind: Kind, sink: &mut impl Sink) {
        self.folded.clear();
        self.folded.extend(text.iter().map(|b| {
            if *b == b'\\' {
                b'/'
            } else {
                b.to_ascii_lowercase()
            }
        }));
        sink.token(Term::word(&self.folded), kind, &self.folded);
    }
}

/// Sends every character of a run and every pair of neighbours.
fn flush_grams(run: &mut Vec<char>, sink: &mut impl Sink) {
    for c in run.iter() {
        gram(*c, None, sink);
    }
    for (a, b) in run.iter().zip(run.iter().skip(1)) {
        gram(*a, Some(*b), sink);
    }
    run.clear();
}

fn gram(first: char, second: Option<char>, sink: &mut impl Sink) {
    let mut bytes = [0_u8; 8];
    let mut length = first.encode_utf8(&mut bytes).len();
    if let (Some(second), Some(rest)) = (second, bytes.get_mut(length..)) {
        length += second.encode_utf8(rest).len();
    }
    sink.token(
        Term::gram(first, second),
        Kind::Plain,
        bytes.get(..length).unwrap_or_default(),
    );
}

fn trim(mut chunk: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = chunk
        && class(*first) == Class::Joiner
    {
        chunk = rest;
    }
    while let [rest @ .., last] = chunk
        && class(*last) == Class::Joiner
    {
        chunk = rest;
    }
    chunk
}

/// Letters only, and no change of case after the first: the bulk of any text.
fn is_word(core: &[u8]) -> bool {
    let [first, rest @ ..] = core else {
        return false;
    };
    matches!(class(*first), Class::Lower | Class::Upper)
        && (rest.iter().all(|b| class(*b) == Class::Lower)
            || (class(*first) == Class::Upper && rest.iter().all(|b| class(*b) == Class::Upper)))
}

/// Where a piece changes from one atom to the next: `camel|Case`, `HTTP|Server`, `gpt|4`.
fn boundaries(piece: &[u8]) -> impl Iterator<Item = usize> {
    let next = piece
        .iter()
        .skip(2)
        .map(Some)
        .chain(std::iter::repeat(None));
    piece
        .iter()
        .zip(piece.iter().skip(1))
        .zip(next)
        .enumerate()
        .filter_map(|(i, ((a, b), after))| {
            let starts_word = after.is_some_and(|c| class(*c) == Class::Lower);
            let cut = match (class(*a), class(*b)) {
                (Class::Lower, Class::Upper) => true,
                (Class::Upper, Class::Upper) => starts_word,
                (a, b) => (a == Class::Digit) != (b == Class::Digit),
            };
            cut.then_some(i + 1)
        })
}

fn kind_changes(piece: &[u8]) -> usize {
    piece
        .iter()
        .zip(piece.iter().skip(1))
        .filter(|(a, b)| a.is_ascii_digit() != b.is_ascii_digit())
        .count()
}
