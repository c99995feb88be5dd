use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use annals_types::{Cancel, Clock, Timestamp};

use super::{AnswerTokens, Price, Provider, ProviderError, Reply, Request};

/// How much may be asked in a minute; `None` is without limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Calls.
    pub calls: Option<u32>,
    /// Tokens of prompts.
    pub tokens: Option<u64>,
}

const MINUTE: i64 = 60_000;

/// Counts what was asked within the last minute.
#[derive(Debug, Clone, Default)]
pub struct Pacer {
    pace: Pace,
    asked: std::collections::VecDeque<(Timestamp, u64)>,
}

impl Pacer {
    /// One that has counted nothing.
    #[must_use]
    pub fn new(pace: Pace) -> Self {
        Self {
            pace,
            asked: std::collections::VecDeque::new(),
        }
    }

    /// Whether a call of so many tokens may be made at `now`: then it is counted. Otherwise how
    /// long to wait first. A call that alone exceeds the limit of tokens is made when nothing else
    /// was asked within the minute.
    ///
    /// # Errors
    /// The time to wait.
    pub fn ask(&mut self, now: Timestamp, tokens: u64) -> Result<(), Duration> {
        while self
            .asked
            .front()
            .is_some_and(|(at, _)| now.millis_since(*at) >= MINUTE || *at > now)
        {
            self.asked.pop_front();
        }
        let calls = u32::try_from(self.asked.len()).unwrap_or(u32::MAX);
        let spent: u64 = self
            .asked
            .iter()
            .map(|(_, tokens)| *tokens)
            .fold(0, u64::saturating_add);
        let many = self.pace.calls.is_some_and(|limit| calls >= limit.max(1));
        let much = self
            .pace
            .tokens
            .is_some_and(|limit| spent > 0 && spent.saturating_add(tokens) > limit);
        match self.asked.front() {
            Some((first, _)) if many || much => {
                let left = MINUTE.saturating_sub(now.millis_since(*first)).max(1);
                Err(Duration::from_millis(u64::try_from(left).unwrap_or(1)))
            }
            _ => {
                self.asked.push_back((now, tokens));
                Ok(())
            }
        }
    }
}

type Pause = Box<dyn Fn(&Cancel, Duration) -> bool + Send + Sync>;

/// A provider that is asked no more often than its limits allow: further calls wait their turn.
pub struct Paced<P> {
    inner: P,
    pacer: Mutex<Pacer>,
    clock: Arc<dyn Clock>,
    pause: Pause,
}

impl<P> std::fmt::Debug for Paced<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paced")
            .field("pacer", &self.pacer)
            .finish_non_exhaustive()
    }
}

impl<P: Provider> Paced<P> {
    /// Limits `inner`, by the time of `clock`.
    pub fn new(inner: P, pace: Pace, clock: Arc<dyn Clock>) -> Self {
        Self::with_pause(
            inner,
            pace,
            clock,
            Box::new(|cancel: &Cancel, time| cancel.wait(time)),
        )
    }

    pub(crate) fn with_pause(inner: P, pace: Pace, clock: Arc<dyn Clock>, pause: Pause) -> Self {
        Self {
            inner,
            pacer: Mutex::new(Pacer::new(pace)),
            clock,
            pause,
        }
    }
}

impl<P: Provider> Provider for Paced<P> {
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
        let tokens = request.estimated_tokens();
        loop {
            let turn = self
                .pacer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .ask(self.clock.now(), tokens);
            let Err(time) = turn else {
                return self.inner.chat(request, cancel);
            };
            if (self.pause)(cancel, time) {
                return Err(ProviderError::Cancelled { what: self.name() });
            }
        }
    }
}
