//! The pieces of a text: the normal form of the table's vocabulary, and the most probable split of
//! it into pieces (Kudo, "Subword Regularization", 2018), a shortest path found by Viterbi's
//! algorithm.

use annals_static_table::{Node, Symbol, TABLE, UNKNOWN_PIECE};

/// Splits texts into pieces; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub(crate) struct Unigram {
    symbols: Vec<Symbol>,
    /// The best way to each place behind the last place that every split passes.
    steps: Vec<Step>,
    /// The score of the best way from the beginning of the text to there. Sums are taken over the
    /// whole text, as the reference takes them: rounding decides between splits of equal score.
    score: f64,
    /// Pieces of one stretch, last first.
    found: Vec<u16>,
}

/// The best way to a place: its score, and the piece that ends there with its length.
#[derive(Debug, Clone, Copy)]
struct Step {
    score: f64,
    piece: u16,
    length: u16,
}

const UNREACHED: Step = Step {
    score: f64::NEG_INFINITY,
    piece: UNKNOWN_PIECE,
    length: 1,
};

impl Unigram {
    /// Tells `piece` the pieces of a text in order, and `unknown` each of its characters that no
    /// piece holds, or `None` where such a character does not follow the last one.
    pub(crate) fn split(
        &mut self,
        text: &str,
        unknown: impl FnMut(Option<char>),
        mut piece: impl FnMut(u16),
    ) {
        self.normalize(text, unknown);
        self.score = 0.0;
        let mut at = 0;
        let mut after_unknown = false;
        while at < self.symbols.len() {
            if let Some((word, length)) = self.whole_word(at) {
                self.score += TABLE.score(word).unwrap_or_default();
                piece(word);
                after_unknown = false;
                at += length;
                continue;
            }
            at += self.split_stretch(at);
            while let Some(found) = self.found.pop() {
                // Neighbours that no piece holds are one unknown piece.
                if !(found == UNKNOWN_PIECE && after_unknown) {
                    piece(found);
                }
                after_unknown = found == UNKNOWN_PIECE;
            }
        }
    }

    fn normalize(&mut self, text: &str, mut unknown: impl FnMut(Option<char>)) {
        self.symbols.clear();
        self.symbols.reserve(text.len() + text.len() / 4 + 1);
        let mut in_word = false;
        let mut follows = false;
        for character in text.chars() {
            let mut known = None;
            match TABLE.symbol(character) {
                Some(symbol) => self.push(symbol, &mut in_word, &mut known),
                None => TABLE
                    .symbols(character)
                    .for_each(|symbol| self.push(symbol, &mut in_word, &mut known)),
            }
            match known {
                Some(false) => unknown(Some(character)),
                Some(true) if follows => unknown(None),
                _ => {}
            }
            // A combining mark leaves all as it was.
            follows = known.map_or(follows, |known| !known);
        }
    }

    #[inline]
    fn push(&mut self, symbol: Symbol, in_word: &mut bool, known: &mut Option<bool>) {
        match symbol {
            Symbol::DROPPED => return,
            Symbol::SPACE => *in_word = false,
            _ => {
                if symbol.is_alphanumeric() && !*in_word {
                    self.symbols.push(Symbol::WORD_START);
                }
                *in_word = symbol.is_alphanumeric();
                self.symbols.push(symbol);
            }
        }
        *known = Some(symbol != Symbol::UNKNOWN);
    }

    /// The piece that a word is as a whole, and its length, where no other split can be better.
    fn whole_word(&self, at: usize) -> Option<(u16, usize)> {
        let rest = self.symbols.get(at..)?;
        let (Symbol::WORD_START, word) = rest.split_first().map(|(first, rest)| (*first, rest))?
        else {
            return None;
        };
        let mut node = TABLE.child(Node::ROOT, Symbol::WORD_START)?;
        let mut length = 1;
        for symbol in word {
            match TABLE.child(node, *symbol) {
                Some(child) => node = child,
                None if symbol.is_alphanumeric() => return None,
                None => break,
            }
            length += 1;
        }
        node.is_whole()
            .then_some(node.piece()?)
            .map(|piece| (piece, length))
    }

    /// Splits from a place that every split passes to the next one; answers how many symbols that
    /// is.
    fn split_stretch(&mut self, start: usize) -> usize {
        let Self {
            symbols,
            steps,
            score,
            ..
        } = self;
        let rest = symbols.get(start..).unwrap_or_default();
        steps.clear();
        steps.push(Step {
            score: *score,
            ..UNREACHED
        });
        let mut at = 0;
        while at == 0 || at + 1 < steps.len() {
            let reached = steps.get(at).map_or(f64::NEG_INFINITY, |step| step.score);
            let mut step = |piece, length| {
                offer(
                    steps,
                    at,
                    Step {
                        score: reached + TABLE.score(piece).unwrap_or_default(),
                        piece,
                        length,
                    },
                )
            };
            let mut node = Node::ROOT;
            let mut holds_one = false;
            for (length, symbol) in (1_u16..).zip(rest.get(at..).unwrap_or_default()) {
                let Some(child) = TABLE.child(node, *symbol) else {
                    break;
                };
                node = child;
                if let Some(piece) = node.piece() {
                    holds_one |= length == 1;
                    step(piece, length);
                }
            }
            if !holds_one {
                step(UNKNOWN_PIECE, 1);
            }
            at += 1;
        }
        *score = steps.get(at).map_or(*score, |step| step.score);
        self.trace_back(at)
    }

    fn trace_back(&mut self, end: usize) -> usize {
        let mut at = end;
        while at > 0 {
            let Some(step) = self.steps.get(at) else {
                break;
            };
            self.found.push(step.piece);
            at = at.saturating_sub(usize::from(step.length.max(1)));
        }
        end
    }
}

/// Takes a step from a place if it is the best one to where it leads; of equals the first stays.
fn offer(steps: &mut Vec<Step>, from: usize, step: Step) {
    let to = from + usize::from(step.length);
    if to >= steps.len() {
        steps.resize(to + 1, UNREACHED);
    }
    if let Some(best) = steps.get_mut(to)
        && step.score > best.score
    {
        *best = step;
    }
}

#[cfg(test)]
mod tests;
