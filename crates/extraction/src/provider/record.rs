use std::io::Write;
use std::sync::{Mutex, PoisonError};

use annals_types::Cancel;

use super::{AnswerTokens, Exchange, Price, Provider, ProviderError, Reply, Request};

/// A provider whose exchanges are written down, one line of JSON each, for a
/// [`Replay`](super::Replay) to play. The lines hold the prompts, so memories too, but never keys.
pub struct Recorder<P> {
    inner: P,
    out: Mutex<Box<dyn Write + Send>>,
}

impl<P> std::fmt::Debug for Recorder<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl<P: Provider> Recorder<P> {
    /// Writes the exchanges of `inner` to `out`.
    pub fn new(inner: P, out: Box<dyn Write + Send>) -> Self {
        Self {
            inner,
            out: Mutex::new(out),
        }
    }
}

impl<P: Provider> Provider for Recorder<P> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn price(&self) -> Price {
        self.inner.price()
    }

    fn answer_tokens(&self) -> AnswerTokens {
        self.inner.answer_tokens()
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        let answer = self.inner.chat(request, cancel);
        let line = Exchange::of(self.inner.name(), request, &answer).line();
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(out, "{line}").and_then(|()| out.flush());
        written.map_err(|error| ProviderError::BadTranscript {
            line: 0,
            reason: error.to_string(),
        })?;
        answer
    }
}
