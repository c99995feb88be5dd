use super::tokens::{Kind, Token};

/// A place in a list of tokens. Each step gives a new place, so that trying costs nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(tokens: &'a [Token], at: usize) -> Self {
        Self { tokens, at }
    }

    pub(super) const fn at(self) -> usize {
        self.at
    }

    /// Another place of the same tokens.
    pub(super) const fn to(self, at: usize) -> Self {
        Self {
            tokens: self.tokens,
            at,
        }
    }

    pub(super) const fn step(self) -> Self {
        self.to(self.at + 1)
    }

    pub(super) fn kind(self) -> Option<&'a Kind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    /// The token before this place, where no white space is between.
    fn beside(self) -> Option<&'a Kind> {
        let (before, here) = (
            self.tokens.get(self.at.checked_sub(1)?)?,
            self.tokens.get(self.at)?,
        );
        (before.range.end == here.range.start).then_some(&before.kind)
    }

    /// Whether the token here stands right behind the one before it.
    pub(super) fn glued(self) -> bool {
        self.beside().is_some()
    }

    /// Whether a mark ties the token here to the one before: `4.2`, `555-2010`.
    pub(super) fn is_tied(self) -> bool {
        matches!(
            self.beside(),
            Some(Kind::Mark('-' | '~' | '/' | '.' | ':' | '+' | '$' | '#'))
        )
    }
}
