//! Answers that end because they may not be longer, or before their JSON does. Such a one is asked
//! for once more, longer; what of the last one is whole counts, and what is not is told.

use annals_types::JudgeError;

use super::Analyst;
use crate::provider::{ProviderError, Reply, Request, Stop};
use crate::reply::{excerpt, spoken};
use crate::window::end_of_sentences;
use crate::{Warning, json};
use annals_language::one_line;

/// The answer of a model.
#[derive(Debug)]
pub(super) struct ModelAnswer {
    text: String,
    /// That it was cut off, and where.
    cut: Option<Warning>,
}

impl ModelAnswer {
    /// All that came.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// The lines that came whole: the last one of an answer that was cut off may say the contrary
    /// of what it was to say.
    pub(super) fn lines(&self) -> &str {
        match (&self.cut, self.text.rfind('\n')) {
            (None, _) => &self.text,
            (Some(_), Some(end)) => self.text.get(..end).unwrap_or_default(),
            (Some(_), None) => "",
        }
    }

    /// The answer without thoughts as one line, to the end of its last whole sentence.
    pub(super) fn sentences(&self) -> String {
        let said = spoken(&self.text);
        let whole = if self.is_cut() {
            said.get(..end_of_sentences(&said)).unwrap_or_default()
        } else {
            &said
        };
        one_line(whole)
    }

    /// That the rest is missing, if it is.
    pub(super) fn warning(&self) -> Option<Warning> {
        self.cut.clone()
    }

    /// The excerpt for errors about an answer that cannot be understood.
    pub(super) fn excerpt(&self) -> String {
        let cut = self
            .warning()
            .map_or_else(String::new, |cut| format!(" ({cut})"));
        format!("{}{cut}", excerpt(&self.text))
    }
}

impl Analyst {
    /// Asks for a text. One that was cut off is asked for again.
    pub(super) fn say(&self, request: Request) -> Result<ModelAnswer, JudgeError> {
        self.ask(request, |reply| reply.stop == Stop::Length)
    }

    /// Asks for JSON. Prose behind a value that is whole belongs to no answer and may be cut off.
    /// JSON that does not come to its end is cut off whatever the server says: not all of them
    /// know.
    pub(super) fn say_json(&self, request: Request) -> Result<ModelAnswer, JudgeError> {
        self.ask(request, |reply| match reply.stop {
            Stop::Length => !json::is_whole(&reply.text),
            _ => json::is_cut(&reply.text),
        })
    }

    fn ask(
        &self,
        mut request: Request,
        cut: fn(&Reply) -> bool,
    ) -> Result<ModelAnswer, JudgeError> {
        let most = self.provider.answer_tokens();
        request.max_tokens = most.first;
        self.redact(&mut request);
        let unheard = |error: ProviderError| self.redacted(error.into());
        let mut reply = self
            .provider
            .chat(&request, &self.cancel)
            .map_err(unheard)?;
        let mut tokens = most.first;
        if cut(&reply) && most.again > most.first {
            request.max_tokens = most.again;
            match self.provider.chat(&request, &self.cancel) {
                Ok(longer) => (reply, tokens) = (longer, most.again),
                // A refusal of a longer answer leaves the first one as all that there is.
                Err(ProviderError::Refused { .. } | ProviderError::NotRecorded { .. }) => {}
                Err(error) => return Err(unheard(error)),
            }
        }
        let cut = cut(&reply).then_some(match reply.stop {
            Stop::Length => Warning::CutOff(tokens),
            _ => Warning::Unfinished,
        });
        Ok(ModelAnswer {
            text: reply.text,
            cut,
        })
    }
}

#[cfg(test)]
mod tests;
