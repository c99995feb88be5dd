//! Rust source as words, marks and comments, without what stands in literals.

use std::iter::Peekable;
use std::str::Chars;

/// A piece of source.
#[derive(Debug, PartialEq, Eq)]
pub enum Token {
    /// An identifier, a keyword, a lifetime's name or a number.
    Word(String),
    /// Any other character of code.
    Mark(char),
    /// The text of a comment without its opening marks.
    Comment(String),
}

/// The tokens of a source, each with the line it begins in, counted from one.
pub struct Tokens<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(source: &'a str) -> Self {
        Self {
            rest: source.chars().peekable(),
            line: 1,
        }
    }

    fn take(&mut self) -> Option<char> {
        let taken = self.rest.next();
        self.line += usize::from(taken == Some('\n'));
        taken
    }

    fn eat(&mut self, wanted: char) -> bool {
        let fits = self.rest.peek() == Some(&wanted);
        if fits {
            self.take();
        }
        fits
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while self.rest.peek().is_some_and(|c| fits(*c)) {
            taken.extend(self.take());
        }
        taken
    }

    /// What follows a first slash.
    fn slash(&mut self) -> Token {
        if self.eat('/') {
            return comment(&self.take_while(|c| c != '\n'));
        }
        if !self.eat('*') {
            return Token::Mark('/');
        }
        let (mut text, mut depth) = (String::new(), 1);
        while let Some(c) = self.take() {
            if c == '/' && self.eat('*') {
                depth += 1;
            } else if c == '*' && self.eat('/') {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            } else {
                text.push(c);
            }
        }
        comment(&text)
    }

    /// The rest of a literal with escapes, behind its first quote.
    fn quoted(&mut self, quote: char) {
        while let Some(c) = self.take() {
            match c {
                '\\' => drop(self.take()),
                c if c == quote => return,
                _ => {}
            }
        }
    }

    /// The rest of a raw string, behind its first quote.
    fn raw(&mut self, hashes: usize) {
        while let Some(c) = self.take() {
            if c == '"' && (0..hashes).all(|_| self.eat('#')) {
                return;
            }
        }
    }

    /// A character literal, or the mark of a lifetime or label.
    fn tick(&mut self) -> Option<Token> {
        let mut ahead = self.rest.clone();
        let (first, second) = (ahead.next(), ahead.next());
        if first == Some('\\') || second == Some('\'') {
            self.quoted('\'');
            return None;
        }
        Some(Token::Mark('\''))
    }

    /// A word, or the literal that it is the prefix of.
    fn word(&mut self, first: char) -> Option<Token> {
        let mut word = String::from(first);
        word += &self.take_while(is_word);
        let prefix = matches!(word.as_str(), "r" | "b" | "br" | "c" | "cr");
        match self.rest.peek() {
            Some('#') if prefix && word.ends_with('r') => {
                let hashes = self.take_while(|c| c == '#').len();
                if self.eat('"') {
                    self.raw(hashes);
                    return None;
                }
                // A raw identifier.
                Some(Token::Word(word + "#" + &self.take_while(is_word)))
            }
            Some('"') if prefix => {
                self.take();
                if word.ends_with('r') {
                    self.raw(0)
                } else {
                    self.quoted('"')
                }
                None
            }
            _ => Some(Token::Word(word)),
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = (usize, Token);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.line;
            let token = match self.take()? {
                '/' => Some(self.slash()),
                '"' => {
                    self.quoted('"');
                    None
                }
                '\'' => self.tick(),
                c if is_word(c) => self.word(c),
                c if c.is_whitespace() => None,
                c => Some(Token::Mark(c)),
            };
            if let Some(token) = token {
                return Some((line, token));
            }
        }
    }
}

fn comment(text: &str) -> Token {
    Token::Comment(text.trim_start_matches(['/', '!', '*']).trim().to_owned())
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: &str) -> String {
        let told = Tokens::new(source).map(|(line, token)| match token {
            Token::Word(word) => format!("{line}{word}"),
            Token::Mark(mark) => format!("{line}{mark}"),
            Token::Comment(text) => format!("{line}<{text}>"),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn strings_hide_what_they_hold() {
        assert_eq!(told(r#"a("}\"// no", b"{")"#), "1a 1( 1, 1)");
        assert_eq!(
            told("r#\"a \" } // no\"# r\"\\\" br##\"\"#\"## c\"{\" x"),
            "1x"
        );
        assert_eq!(told("\"one\ntwo\" x"), "2x");
    }

    #[test]
    fn characters_are_no_lifetimes() {
        assert_eq!(told(r"'{' '\'' '\u{7d}' b'}' '「' x"), "1b 1x");
        assert_eq!(
            told("<'a> 'outer: loop {}"),
            "1< 1' 1a 1> 1' 1outer 1: 1loop 1{ 1}"
        );
    }

    #[test]
    fn comments_nest_and_keep_their_lines() {
        assert_eq!(
            told("a // b {\n/* c /* d */ } */ e"),
            "1a 1<b {> 2<c  d  }> 2e"
        );
        assert_eq!(
            told("/// doc\n//! inner\n// // out"),
            "1<doc> 2<inner> 3<// out>"
        );
        assert_eq!(told("a / b"), "1a 1/ 1b");
    }

    #[test]
    fn raw_identifiers_are_words() {
        assert_eq!(told("r#fn r br_ 1e-5"), "1r#fn 1r 1br_ 11e 1- 15");
    }
}
