//! Models behind HTTP: servers that speak OpenAI's `/chat/completions` (Ollama, vLLM, LM Studio,
//! DeepSeek and many more), and Anthropic's.

mod anthropic;
mod exchange;
mod form;
#[cfg(test)]
mod fuzz;
mod openai;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use annals_net::{Address, Client, Limits};
pub use annals_net::{ApiKey, KeySource, NetError};
use annals_types::Cancel;

use super::{AnswerTokens, Price, Provider, ProviderError, Reply, Request};
use exchange::Exchange;

/// The protocol of a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    /// OpenAI's `/chat/completions`.
    #[default]
    OpenAi,
    /// Anthropic's `/messages`.
    Anthropic,
}

/// How a server is asked. `base` and `model` have to be set, the rest has defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpSettings {
    /// The protocol of the server (OpenAI's).
    pub protocol: Protocol,
    /// The address up to, without `/chat/completions` or `/messages`, e.g.
    /// `http://localhost:11434/v1` or `https://api.anthropic.com/v1`.
    pub base: String,
    /// The name of the model.
    pub model: String,
    /// The key (none by default).
    pub key: KeySource,
    /// How long one attempt may take (120 s).
    pub timeout: Duration,
    /// Further attempts after a timeout, a broken connection, 408, 429 or 5xx (4).
    pub retries: u32,
    /// About the wait before the second attempt; it doubles each time (1 s).
    pub first_wait: Duration,
    /// The longest wait, and the longest `Retry-After` that is obeyed (60 s).
    pub longest_wait: Duration,
    /// Fixes the jitter of the waits.
    pub seed: Option<u64>,
    /// Asks for the form of answers by a JSON schema; a server that refuses is asked without
    /// (true).
    pub structured: bool,
    /// A PEM file of certificates to trust instead of Mozilla's; `SSL_CERT_FILE` does the same.
    pub certificates: Option<PathBuf>,
    /// The price of a million tokens, for accounts (0).
    pub price: Price,
    /// How long answers may be (1,024 tokens, and 2,048 where one was cut off).
    pub answer_tokens: AnswerTokens,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            protocol: Protocol::OpenAi,
            base: String::new(),
            model: String::new(),
            key: KeySource::None,
            timeout: Duration::from_secs(120),
            retries: 4,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
            seed: None,
            structured: true,
            certificates: None,
            price: Price::default(),
            answer_tokens: AnswerTokens::default(),
        }
    }
}

/// Why an [`HttpProvider`] cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address, the key or the certificates are wrong.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A setting has no sensible value.
    #[error("the setting {setting} of the language model {reason}")]
    BadSetting {
        /// The setting.
        setting: &'static str,
        /// The fault.
        reason: &'static str,
    },
}

/// By these words servers complain about the form of an answer that they are asked for; some make a
/// grammar of it.
const FORM: [&str; 9] = [
    "response_format",
    "json_schema",
    "tool_choice",
    "structured",
    "schema",
    "grammar",
    "maxitems",
    "minitems",
    "maxlength",
];

/// The parts of a question that a server is spared because it refused them before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct OmittedParts(u8);

impl OmittedParts {
    const SCHEMA: u8 = 1;
    const TEMPERATURE: u8 = 2;
    const MAX_TOKENS: u8 = 4;
    const BOUNDS: u8 = 8;

    const fn has(self, what: u8) -> bool {
        self.0 & what != 0
    }
}

/// A model behind HTTP.
pub struct HttpProvider {
    settings: HttpSettings,
    exchange: Exchange,
    spared: AtomicU8,
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpProvider")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl HttpProvider {
    /// Checks the settings and reads the key; asks nothing yet.
    ///
    /// # Errors
    /// [`HttpError`].
    pub fn open(settings: HttpSettings) -> Result<Self, HttpError> {
        Self::with_pause(settings, |cancel, time| cancel.wait(time))
    }

    fn with_pause(settings: HttpSettings, pause: exchange::Pause) -> Result<Self, HttpError> {
        let bad = |setting, reason| Err(HttpError::BadSetting { setting, reason });
        if settings.model.trim().is_empty() {
            return bad("model", "is empty; name the model that the server offers");
        }
        if settings.timeout.is_zero() {
            return bad("timeout", "is 0");
        }
        if [settings.price.input, settings.price.output]
            .iter()
            .any(|price| !price.is_finite() || *price < 0.0)
        {
            return bad("price", "is no sum of money: it must be 0 or more");
        }
        if settings.answer_tokens.first == 0 {
            return bad("answer_tokens", "is 0: nothing can be said in no tokens");
        }
        let address = Address::parse(&settings.base)?;
        let key = settings.key.read()?;
        let limits = Limits {
            connect: settings.timeout.min(Duration::from_secs(10)),
            whole: Some(settings.timeout),
            silence: settings.timeout,
            // A POST is not repeated elsewhere; the answer names the other address.
            redirects: 0,
        };
        let client = Client::new(&address, limits, settings.certificates.as_deref())?;
        let exchange = Exchange::new(client, &address, key, &settings, pause);
        let spared = AtomicU8::new(if settings.structured {
            0
        } else {
            OmittedParts::SCHEMA
        });
        Ok(Self {
            settings,
            exchange,
            spared,
        })
    }

    /// The names of the models that the server offers, asked for once; `None` where it does not
    /// say. No model is asked anything.
    ///
    /// # Errors
    /// [`ProviderError`], such as for a server that cannot be reached or that refuses the key.
    pub fn models(&self) -> Result<Option<Vec<String>>, ProviderError> {
        Ok(self
            .exchange
            .get("models")?
            .and_then(|bytes| openai::models(&bytes)))
    }

    fn body(&self, request: &Request, spared: OmittedParts) -> String {
        match self.settings.protocol {
            Protocol::OpenAi => openai::body(&self.settings.model, request, spared),
            Protocol::Anthropic => anthropic::body(&self.settings.model, request, spared),
        }
    }

    fn read(&self, request: &Request, bytes: &[u8]) -> Option<Reply> {
        let mut reply = match self.settings.protocol {
            Protocol::OpenAi => openai::read(bytes),
            Protocol::Anthropic => anthropic::read(bytes, request),
        }?;
        if reply.usage.input == 0 && reply.usage.output == 0 {
            let said: usize = reply
                .calls
                .iter()
                .map(|call| crate::window::estimate(&call.arguments))
                .sum();
            let output = u64::try_from(crate::window::estimate(&reply.text).saturating_add(said))
                .unwrap_or(u64::MAX);
            reply.usage = super::Usage {
                input: request.estimated_tokens(),
                output,
                estimated: true,
            };
        }
        Some(reply)
    }

    /// The part that the server's complaint says it does not know, if that part can be left out.
    fn spare(complaint: &str, spared: OmittedParts, request: &Request) -> Option<u8> {
        let complaint = complaint.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
        let form = request.schema.as_ref().filter(|_| says(&FORM));
        [
            // A form without bounds is better than none.
            (OmittedParts::BOUNDS, form.is_some_and(form::is_bounded)),
            (OmittedParts::SCHEMA, form.is_some()),
            (
                OmittedParts::MAX_TOKENS,
                says(&["max_completion_tokens", "max_tokens"]),
            ),
            (OmittedParts::TEMPERATURE, says(&["temperature"])),
        ]
        .into_iter()
        .find(|(what, said)| *said && !spared.has(*what))
        .map(|(what, _)| what)
    }
}

impl Provider for HttpProvider {
    fn name(&self) -> String {
        format!("{} at {}", self.settings.model, self.exchange.address())
    }

    fn price(&self) -> Price {
        self.settings.price
    }

    fn answer_tokens(&self) -> AnswerTokens {
        self.settings.answer_tokens
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        loop {
            let spared = OmittedParts(self.spared.load(Ordering::Relaxed));
            let bytes = match self.exchange.post(self.body(request, spared), cancel) {
                Ok(bytes) => bytes,
                Err(failed) => {
                    let Some(what) = failed
                        .bad_request
                        .as_deref()
                        .and_then(|said| Self::spare(said, spared, request))
                    else {
                        return Err(failed.error);
                    };
                    self.spared.fetch_or(what, Ordering::Relaxed);
                    continue;
                }
            };
            let answer = String::from_utf8_lossy(&bytes);
            let reply = self.read(request, &bytes).map(Reply::without_thoughts);
            return reply.ok_or_else(|| ProviderError::BadAnswer {
                what: self.name(),
                answer: self.exchange.shown(&answer),
            });
        }
    }
}
