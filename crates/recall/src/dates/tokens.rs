/// A piece of a question as the phrase tables see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Decimal digits: their value and how many there were.
    Number(i64, usize),
    /// Letters of an alphabet, lower-case.
    Word(String),
    /// One Han character.
    Han(char),
    /// Anything else but white space.
    Mark(char),
}

impl Token {
    pub(super) fn word(&self) -> Option<&str> {
        if let Self::Word(word) = self { Some(word) } else { None }
    }

    pub(super) fn is_word(&self, wanted: &str) -> bool {
        self.word() == Some(wanted)
    }

    pub(super) fn is_han(&self, wanted: char) -> bool {
        *self == Self::Han(wanted)
    }
}

/// Digits beyond this many are no date.
const MAX_DIGITS: usize = 9;

pub(super) fn split(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut digits = String::new();
    let mut word = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            flush_digits(&mut digits, &mut tokens);
        }
        if !c.is_alphabetic() || is_han(c) {
            flush_word(&mut word, &mut tokens);
        }
        if c.is_ascii_digit() {
            digits.push(c);
        } else if is_han(c) {
            tokens.push(Token::Han(c));
        } else if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        } else if !c.is_whitespace() {
            tokens.push(Token::Mark(c));
        }
    }
    flush_digits(&mut digits, &mut tokens);
    flush_word(&mut word, &mut tokens);
    tokens
}

fn flush_digits(digits: &mut String, tokens: &mut Vec<Token>) {
    if digits.is_empty() {
        return;
    }
    let value = if digits.len() <= MAX_DIGITS { digits.parse().ok() } else { None };
    tokens.push(value.map_or(Token::Mark('#'), |v| Token::Number(v, digits.len())));
    digits.clear();
}

fn flush_word(word: &mut String, tokens: &mut Vec<Token>) {
    if !word.is_empty() {
        tokens.push(Token::Word(std::mem::take(word)));
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '〇')
}
