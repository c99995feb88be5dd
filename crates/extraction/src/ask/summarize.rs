use annals_types::{JudgeError, Memory, Summarizer};

use super::Analyst;
use crate::candidates::one_line;
use crate::prompt::{self, Line, lines, render};
use crate::provider::{Message, Request};
use crate::reply::spoken;
use crate::window::pieces;

/// Tokens of a conversation that are summarized at once, where the profile does not say.
const PIECE: usize = 8000;

impl Analyst {
    fn piece(&self) -> usize {
        usize::try_from(self.settings.max_tokens).ok().filter(|tokens| *tokens > 0).unwrap_or(PIECE)
    }

    /// A summary of messages; of very many, one of each piece.
    pub(super) fn shorten(&self, lines: &[Line]) -> Result<String, JudgeError> {
        let mut parts = Vec::new();
        for piece in pieces(lines, self.piece(), &*self.count) {
            let messages = vec![Message::system(prompt::summarize().render(&[])), Message::user(render(&piece))];
            let said = self.say(&Request::new("summarize", messages))?;
            let summary = one_line(&spoken(&said));
            if summary.is_empty() {
                return Err(self.misunderstood(&said));
            }
            parts.push(summary);
        }
        Ok(parts.join("\n"))
    }
}

impl Summarizer for Analyst {
    fn summarize(&self, turns: &[Memory]) -> Result<String, JudgeError> {
        self.shorten(&lines(turns, &self.settings))
    }
}
