//! Embeddings from a server that speaks OpenAI's `/embeddings`.

mod answer;
mod exchange;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use annals_types::{Calibration, EmbedError, Embedder, Fingerprint, Purpose};
use serde_json::{Value, json};

use annals_net::{Address, Client, Limits, Pause};
use exchange::Exchange;

pub use annals_net::{ApiKey, KeySource, NetError};

/// How a server is asked. `base` and `model` have to be set, the rest has defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpSettings {
    /// The address up to, without `/embeddings`, e.g. `https://api.openai.com/v1` or
    /// `http://localhost:11434/v1`.
    pub base: String,
    /// The name of the model.
    pub model: String,
    /// The key that is sent as a bearer token (none by default).
    pub key: KeySource,
    /// The length of the vectors; without it the server is asked when the embedder is opened.
    pub dims: Option<usize>,
    /// Also ask the server for vectors of `dims` numbers (`dimensions`), which not every model can
    /// (false).
    pub ask_dims: bool,
    /// Texts in one request (64).
    pub batch: usize,
    /// Longer texts are cut to so many bytes, because servers refuse what exceeds the model
    /// (16,000).
    pub max_bytes: usize,
    /// How long one request may take (30 s).
    pub timeout: Duration,
    /// Further attempts after a timeout, a broken connection, 408, 429 or 5xx (4).
    pub retries: u32,
    /// About the wait before the second attempt; it doubles each time (500 ms).
    pub first_wait: Duration,
    /// The longest wait, and the longest `Retry-After` that is obeyed (60 s).
    pub longest_wait: Duration,
    /// Fixes the jitter of the waits.
    pub seed: Option<u64>,
    /// Written before each query (nothing).
    pub query_prefix: String,
    /// Written before each passage (nothing).
    pub passage_prefix: String,
    /// How cosines become scores; measured where it is not given.
    pub calibration: Option<Calibration>,
    /// A PEM file of certificates to trust instead of Mozilla's; `SSL_CERT_FILE` does the same.
    pub certificates: Option<PathBuf>,
    /// Names the vector space instead of the address, so that a server may move without new vectors
    /// for everything.
    pub space: Option<String>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            base: String::new(),
            model: String::new(),
            key: KeySource::None,
            dims: None,
            ask_dims: false,
            batch: 64,
            max_bytes: 16_000,
            timeout: Duration::from_secs(30),
            retries: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            seed: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            calibration: None,
            certificates: None,
            space: None,
        }
    }
}

/// Why an [`HttpEmbedder`] cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address, the key or the certificates are wrong.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A setting has no sensible value.
    #[error("the setting {setting} of the embedding server {reason}")]
    BadSetting {
        /// The setting.
        setting: &'static str,
        /// The fault.
        reason: &'static str,
    },
    /// The server was asked for the length of its vectors and gave none.
    #[error(transparent)]
    FirstCall(#[from] EmbedError),
}

/// An embedder that asks a server.
pub struct HttpEmbedder {
    settings: HttpSettings,
    exchange: Exchange,
    dims: usize,
}

impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEmbedder")
            .field("settings", &self.settings)
            .field("dims", &self.dims)
            .finish_non_exhaustive()
    }
}

impl HttpEmbedder {
    /// Checks the settings; asks the server for one vector unless `dims` is set.
    ///
    /// # Errors
    /// [`HttpError`].
    pub fn open(settings: HttpSettings) -> Result<Self, HttpError> {
        Self::with_pause(settings, Box::new(std::thread::sleep))
    }

    fn with_pause(settings: HttpSettings, pause: Pause) -> Result<Self, HttpError> {
        let bad = |setting, reason| Err(HttpError::BadSetting { setting, reason });
        match &settings {
            s if s.model.trim().is_empty() => {
                return bad("model", "is empty; name the model that the server offers");
            }
            s if s.batch == 0 => {
                return bad("batch", "is 0; it is the number of texts in a request");
            }
            s if s.max_bytes == 0 => return bad("max_bytes", "is 0"),
            s if s.dims == Some(0) => return bad("dims", "is 0; leave it out to ask the server"),
            s if s.ask_dims && s.dims.is_none() => return bad("ask_dims", "needs dims as well"),
            s if s.timeout.is_zero() => return bad("timeout", "is 0"),
            _ => {}
        }
        let address = Address::parse(&settings.base)?;
        let key: Option<ApiKey> = settings.key.read()?;
        let limits = Limits {
            connect: settings.timeout,
            whole: Some(settings.timeout),
            silence: settings.timeout,
            // A POST is not repeated elsewhere; the answer names the other address.
            redirects: 0,
        };
        let client = Client::new(&address, limits, settings.certificates.as_deref())?;
        let exchange = Exchange::new(client, &address, key, &settings, pause);
        let mut embedder = Self {
            dims: settings.dims.unwrap_or(0),
            settings,
            exchange,
        };
        if embedder.dims == 0 {
            let answer = embedder.ask(&["annals".to_owned()], None)?;
            embedder.dims = answer.first().map_or(0, Vec::len);
        }
        Ok(embedder)
    }

    fn ask(&self, texts: &[String], dims: Option<usize>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut body = json!({ "model": self.settings.model, "input": texts });
        if let (true, Some(dims), Value::Object(fields)) =
            (self.settings.ask_dims, self.settings.dims, &mut body)
        {
            fields.insert("dimensions".to_owned(), dims.into());
        }
        let bytes = self.exchange.post(&body.to_string(), texts.len())?;
        answer::vectors(&bytes, texts.len(), dims).map_err(|got| EmbedError::BadAnswer {
            what: self.exchange.server().to_owned(),
            expected: match dims {
                Some(dims) => format!(
                    "one vector of {dims} numbers for each of {} texts",
                    texts.len()
                ),
                None => "one vector".to_owned(),
            },
            got: self.exchange.hide(&got),
        })
    }

    /// The text as it is sent. Servers refuse empty texts, so an empty one becomes a space.
    fn input(&self, prefix: &str, text: &str) -> String {
        let whole = format!("{prefix}{text}");
        let cut = whole
            .get(..whole.floor_char_boundary(self.settings.max_bytes))
            .unwrap_or_default();
        if cut.is_empty() {
            " ".to_owned()
        } else {
            cut.to_owned()
        }
    }
}

impl Embedder for HttpEmbedder {
    /// Model, dimensions, prefixes, and the address or `space`: a model's name alone means nothing,
    /// many local servers call theirs `default`.
    fn fingerprint(&self) -> Fingerprint {
        let HttpSettings {
            base,
            model,
            query_prefix,
            passage_prefix,
            space,
            ..
        } = &self.settings;
        let space = space
            .as_deref()
            .unwrap_or_else(|| base.trim().trim_end_matches('/'));
        let mut text = format!("http:{space}:{model}:{}", self.dims);
        if !query_prefix.is_empty() || !passage_prefix.is_empty() {
            text.push_str(&format!(":{query_prefix:?}:{passage_prefix:?}"));
        }
        Fingerprint(text)
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn calibration(&self) -> Option<Calibration> {
        self.settings.calibration
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = match purpose {
            Purpose::Query => &self.settings.query_prefix,
            Purpose::Passage => &self.settings.passage_prefix,
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.settings.batch) {
            let inputs: Vec<String> = batch.iter().map(|text| self.input(prefix, text)).collect();
            vectors.extend(self.ask(&inputs, Some(self.dims))?);
        }
        Ok(vectors)
    }
}
