use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use annals_types::Cancel;

use super::{Exchange, Provider, ProviderError, Reply, Request, Usage};

/// A provider that plays a transcript: the answers of each purpose in their order. For tests, one's
/// own included.
///
/// ```
/// use annals_extraction::provider::{Message, Provider, Replay, Request};
/// use annals_types::Cancel;
///
/// let model = Replay::read(r#"{"purpose":"extract","reply":{"text":"[]"}}"#)?;
/// let reply = model.chat(&Request::new("extract", vec![Message::user("hello")]), &Cancel::new())?;
/// assert_eq!(reply.text, "[]");
/// assert_eq!(model.asked()[0].messages[0].text, "hello");
/// # Ok::<(), annals_extraction::provider::ProviderError>(())
/// ```
#[derive(Debug, Default)]
pub struct Replay {
    waiting: Mutex<BTreeMap<String, VecDeque<Exchange>>>,
    asked: Mutex<Vec<Request>>,
    strict: bool,
    name: Option<String>,
}

impl Replay {
    /// Plays exchanges.
    #[must_use]
    pub fn new(exchanges: impl IntoIterator<Item = Exchange>) -> Self {
        let mut waiting: BTreeMap<String, VecDeque<Exchange>> = BTreeMap::new();
        for exchange in exchanges {
            waiting
                .entry(exchange.purpose.clone())
                .or_default()
                .push_back(exchange);
        }
        Self {
            waiting: Mutex::new(waiting),
            asked: Mutex::default(),
            strict: false,
            name: None,
        }
    }

    /// Plays the lines of a transcript.
    ///
    /// # Errors
    /// [`ProviderError::BadTranscript`].
    pub fn read(text: &str) -> Result<Self, ProviderError> {
        Exchange::read(text).map(Self::new)
    }

    /// Answers only what was asked word for word when it was recorded, in any order.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Takes the name of a model: for messages, accounts and what is recorded of it.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds an answer for a purpose, after those that are there.
    #[must_use]
    pub fn reply(self, purpose: &str, text: impl Into<String>) -> Self {
        self.push(purpose, Ok(Reply::text(text)));
        self
    }

    /// Adds a failure for a purpose, after what is there.
    #[must_use]
    pub fn failure(self, purpose: &str, reason: &str) -> Self {
        self.push(purpose, Err(reason.to_owned()));
        self
    }

    /// Adds an answer or a failure while it plays.
    pub fn push(&self, purpose: &str, answer: Result<Reply, String>) {
        let (reply, failure) = match answer {
            Ok(reply) => (Some(reply), None),
            Err(reason) => (None, Some(reason)),
        };
        let exchange = Exchange {
            purpose: purpose.to_owned(),
            model: None,
            request: None,
            reply,
            failure,
        };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting
            .entry(purpose.to_owned())
            .or_default()
            .push_back(exchange);
    }

    /// The requests so far, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// How many answers have not been asked for.
    #[must_use]
    pub fn left(&self) -> usize {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .map(VecDeque::len)
            .sum()
    }

    fn take(&self, request: &Request) -> Option<Exchange> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = waiting.get_mut(&request.purpose)?;
        if !self.strict {
            return queue.pop_front();
        }
        let at = queue
            .iter()
            .position(|exchange| exchange.request.as_ref() == Some(request))?;
        queue.remove(at)
    }
}

impl Provider for Replay {
    fn name(&self) -> String {
        self.name
            .clone()
            .unwrap_or_else(|| "a transcript".to_owned())
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        if cancel.is_cancelled() {
            return Err(ProviderError::Cancelled { what: self.name() });
        }
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        let Some(exchange) = self.take(request) else {
            return Err(ProviderError::NotRecorded {
                purpose: request.purpose.clone(),
            });
        };
        let Some(mut reply) = exchange.reply else {
            let reason = exchange
                .failure
                .unwrap_or_else(|| "nothing was recorded".to_owned());
            return Err(ProviderError::Unavailable {
                what: self.name(),
                reason,
                advice: "it was recorded so".to_owned(),
                wait: None,
            });
        };
        if reply.usage == Usage::default() {
            let output = u64::try_from(crate::window::estimate(&reply.text)).unwrap_or(u64::MAX);
            reply.usage = Usage {
                input: request.estimated_tokens(),
                output,
                estimated: true,
            };
        }
        Ok(reply.without_thoughts())
    }
}
