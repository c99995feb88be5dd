//! Text to terms.
//!
//! Words are folded (case, accents, width), stemmed by their script (Snowball; English for Latin
//! letters) and hashed. A text that is in another language of Latin letters has the stems of that
//! language beside its words. Scripts without spaces become character n-grams. Paths, versions,
//! addresses and identifiers are kept whole beside their parts.

mod accented;
mod class;
mod fold;
mod hebrew;
mod query;
mod stems;
mod stop;
#[cfg(test)]
mod tests;
mod tokens;
mod word;

use std::cell::RefCell;

use annals_language::time::mentions_time;

pub use query::{Query, QueryTerm};

use crate::forward::{Counts, Forward, Lengths};
use crate::term::Term;
use tokens::{Kind, Sink, Tokenizer};

/// The version of everything that decides which terms a text has: this module, and whether
/// `annals-language` finds that it mentions a time. Lists written by another version are rebuilt.
pub const ANALYZER_VERSION: u8 = 2;

thread_local! {
    static TOKENIZER: RefCell<Tokenizer> = RefCell::new(Tokenizer::new());
}

fn tokenize(text: &str, sink: &mut impl Sink) {
    TOKENIZER.with(|slot| match slot.try_borrow_mut() {
        Ok(mut tokenizer) => tokenizer.run(text, sink),
        Err(_) => Tokenizer::new().run(text, sink),
    });
}

/// Turns texts into forward lists and questions into queries. Buffers and the memory of stems are
/// kept per thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Analyzer;

impl Analyzer {
    /// The analyser of version [`ANALYZER_VERSION`].
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// The forward list of a memory: its `text`, and what the assistant answered, if that belongs
    /// to it. A memory that speaks of time has the mark [`Term::TIME`] besides, which counts for
    /// nothing in its length.
    #[must_use]
    pub fn forward(&self, text: &str, reply: Option<&str>) -> Forward {
        let mut sink = Occurrences {
            field: 0,
            found: Vec::with_capacity(text.len() / 6),
            lengths: [0, 0],
        };
        tokenize(text, &mut sink);
        if let Some(reply) = reply {
            sink.field = 1;
            tokenize(reply, &mut sink);
        }
        if mentions_time(text) || reply.is_some_and(mentions_time) {
            sink.found.push(Term::TIME.number() << 1);
        }
        sink.into_forward()
    }

    /// The words of a text in its order, folded but not stemmed, stop words included; to compare
    /// names with questions.
    #[must_use]
    pub fn words(&self, text: &str) -> Vec<String> {
        let mut words = Words(Vec::new());
        tokenize(text, &mut words);
        words.0
    }

    /// The terms of a question, each once, in order of first appearance.
    #[must_use]
    pub fn query(&self, text: &str) -> Query {
        let mut collector = query::Collector::default();
        tokenize(text, &mut collector);
        collector.finish()
    }
}

/// Collects folded words.
struct Words(Vec<String>);

impl Sink for Words {
    const STEMS: bool = false;

    fn token(&mut self, _term: Term, kind: Kind, surface: &[u8]) {
        if matches!(kind, Kind::Plain | Kind::Stop) {
            self.0.push(String::from_utf8_lossy(surface).into_owned());
        }
    }
}

/// Collects what a forward list counts.
struct Occurrences {
    field: u64,
    /// The term shifted left by one, and the field in the lowest bit.
    found: Vec<u64>,
    lengths: [usize; 2],
}

impl Sink for Occurrences {
    fn token(&mut self, term: Term, kind: Kind, _surface: &[u8]) {
        if kind == Kind::Stop {
            return;
        }
        self.found.push((term.number() << 1) | self.field);
        if kind == Kind::Plain {
            let [text, reply] = &mut self.lengths;
            *(if self.field == 0 { text } else { reply }) += 1;
        }
    }
}

impl Occurrences {
    fn into_forward(mut self) -> Forward {
        self.found.sort_unstable();
        let mut entries: Vec<(Term, Counts)> = Vec::with_capacity(self.found.len());
        for packed in self.found {
            let term = Term::from_number(packed >> 1);
            let counts = match entries.last_mut() {
                Some((last, counts)) if *last == term => counts,
                _ => {
                    entries.push((term, Counts::default()));
                    match entries.last_mut() {
                        Some((_, counts)) => counts,
                        None => continue,
                    }
                }
            };
            counts.add_one(packed & 1 == 1);
        }
        let [text, reply] = self.lengths;
        Forward::new(entries, Lengths::saturating(text, reply))
    }
}
