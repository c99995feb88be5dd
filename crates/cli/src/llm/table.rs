use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use annals::SystemClock;
use annals::embed::http::KeySource;
use annals::llm::provider::http::{HttpProvider, HttpSettings, Protocol};
use annals::llm::provider::{AnswerTokens, Pace, Paced, Price, Provider};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::{KEY, unusable};
use crate::embedder::key_from;
use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::world::World;

/// Where Anthropic's models are asked.
const ANTHROPIC: &str = "https://api.anthropic.com/v1";

/// How long a server may take to say which models it offers.
const PROBE: Duration = Duration::from_secs(10);

/// A language model behind an address: the table `[llm]` of a config file, or a word such as
/// `URL#MODEL`.
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Table {
    /// Where it is asked; Anthropic's own address where the protocol is Anthropic's and nothing is
    /// said.
    pub(crate) base_url: String,
    pub(crate) model: String,
    pub(crate) protocol: Spoken,
    /// The environment variable that holds the key; ANNALS_LLM_KEY where it is set and nothing else
    /// is said.
    pub(crate) key_env: Option<String>,
    /// The file that holds the key and nothing else.
    pub(crate) key_file: Option<PathBuf>,
    /// How long one attempt may take.
    pub(crate) timeout_seconds: Option<f64>,
    /// Attempts after which it counts as not available.
    pub(crate) attempts: Option<u32>,
    /// Calls that are made in a minute at most; further ones wait.
    pub(crate) calls_per_minute: Option<u32>,
    /// Tokens of prompts that are sent in a minute at most.
    pub(crate) tokens_per_minute: Option<u64>,
    /// The most tokens of an answer.
    pub(crate) answer_tokens: Option<u32>,
    /// The most tokens of one that is asked for again because it was cut off; twice as many where
    /// nothing is said.
    pub(crate) answer_tokens_again: Option<u32>,
    /// The price of a million tokens of prompts, in any currency.
    pub(crate) price_input: f64,
    /// The price of a million tokens of answers.
    pub(crate) price_output: f64,
}

/// The protocol of a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Spoken {
    #[default]
    OpenAi,
    Anthropic,
}

impl Spoken {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyFrom {
    Nowhere,
    Variable(String),
    File(PathBuf),
}

impl Table {
    /// `<base URL>#<model>`, `anthropic#<model>` or `anthropic:<base URL>#<model>`.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        let (base, model) = word
            .split_once('#')
            .filter(|(_, model)| !model.is_empty())?;
        let (protocol, base_url) = match base.strip_prefix("anthropic") {
            Some("") => (Spoken::Anthropic, ANTHROPIC),
            Some(rest) if rest.starts_with(':') => {
                (Spoken::Anthropic, rest.trim_start_matches(':'))
            }
            _ if base.contains("anthropic.com") => (Spoken::Anthropic, base),
            _ => (Spoken::OpenAi, base),
        };
        Some(Self {
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            protocol,
            ..Self::default()
        })
    }

    /// The first key without sense, and why.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        if self.model.trim().is_empty() {
            return Err(("model", text!("common-llm-model-missing")));
        }
        if self.base_url.is_empty() && self.protocol == Spoken::OpenAi {
            return Err(("base_url", text!("common-llm-url-missing")));
        }
        if self.key_env.is_some() && self.key_file.is_some() {
            return Err(("key_file", text!("common-llm-two-keys")));
        }
        // A day: longer ones do not fit into a duration either.
        if self
            .timeout_seconds
            .is_some_and(|seconds| !(0.001..=86_400.0).contains(&seconds))
        {
            return Err(("timeout_seconds", text!("common-llm-timeout")));
        }
        for (key, none) in [
            ("attempts", self.attempts == Some(0)),
            ("calls_per_minute", self.calls_per_minute == Some(0)),
            ("tokens_per_minute", self.tokens_per_minute == Some(0)),
            ("answer_tokens", self.answer_tokens == Some(0)),
        ] {
            if none {
                return Err((key, text!("common-llm-at-least-1")));
            }
        }
        for (key, price) in [
            ("price_input", self.price_input),
            ("price_output", self.price_output),
        ] {
            if !price.is_finite() || price < 0.0 {
                return Err((key, text!("common-llm-at-least-0")));
            }
        }
        Ok(())
    }

    /// Relative paths count from the folder of the config file.
    pub(crate) fn in_folder(&mut self, folder: &Path) {
        if let Some(file) = &mut self.key_file {
            *file = folder.join(&file);
        }
    }

    pub(crate) fn address(&self) -> &str {
        if self.base_url.is_empty() {
            ANTHROPIC
        } else {
            &self.base_url
        }
    }

    pub(crate) fn key_from(&self, world: &World<'_>) -> KeyFrom {
        match (&self.key_env, &self.key_file) {
            (Some(variable), _) => KeyFrom::Variable(variable.clone()),
            (None, Some(file)) => KeyFrom::File(file.clone()),
            (None, None) if world.var(KEY).is_some() => KeyFrom::Variable(KEY.to_owned()),
            (None, None) => KeyFrom::Nowhere,
        }
    }

    fn answer_tokens(&self) -> AnswerTokens {
        let first = self.answer_tokens.unwrap_or(AnswerTokens::default().first);
        AnswerTokens {
            first,
            again: self
                .answer_tokens_again
                .unwrap_or_else(|| first.saturating_mul(2)),
        }
    }

    /// How it is asked, with what is not said filled in.
    pub(crate) fn settings(&self, world: &World<'_>) -> Result<HttpSettings, Failure> {
        let known = HttpSettings::default();
        let key = match self.key_from(world) {
            KeyFrom::Variable(variable) => key_from(&variable, world)?,
            KeyFrom::File(file) => KeySource::File(file),
            KeyFrom::Nowhere => KeySource::None,
        };
        Ok(HttpSettings {
            protocol: match self.protocol {
                Spoken::OpenAi => Protocol::OpenAi,
                Spoken::Anthropic => Protocol::Anthropic,
            },
            base: self.address().to_owned(),
            model: self.model.clone(),
            key,
            timeout: self
                .timeout_seconds
                .map_or(known.timeout, Duration::from_secs_f64),
            retries: self
                .attempts
                .map_or(known.retries, |attempts| attempts.saturating_sub(1)),
            price: Price {
                input: self.price_input,
                output: self.price_output,
            },
            answer_tokens: self.answer_tokens(),
            ..known
        })
    }

    /// The names of the models that the server offers; `None` where it does not say. Asked once and
    /// for a few seconds, whatever the settings say.
    pub(crate) fn models(&self, world: &World<'_>) -> Result<Option<Vec<String>>, Failure> {
        let settings = self.settings(world)?;
        let settings = HttpSettings {
            timeout: settings.timeout.min(PROBE),
            retries: 0,
            ..settings
        };
        let provider =
            HttpProvider::open(settings).map_err(|error| unusable(&error.to_string()))?;
        provider
            .models()
            .map_err(|error| Failure::new(Exit::Embedder, error))
    }

    /// Checks the settings and reads the key; asks nothing yet.
    pub(crate) fn open(&self, world: &World<'_>) -> Result<Arc<dyn Provider>, Failure> {
        let provider = HttpProvider::open(self.settings(world)?)
            .map_err(|error| unusable(&error.to_string()))?;
        let pace = Pace {
            calls: self.calls_per_minute,
            tokens: self.tokens_per_minute,
        };
        Ok(match pace == Pace::default() {
            true => Arc::new(provider),
            // Waits take real time: the clock of the memories may stand still.
            false => Arc::new(Paced::new(provider, pace, Arc::new(SystemClock))),
        })
    }
}

/// `llm = "URL#MODEL"`, or a table `[llm]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LlmConfig {
    Word(String),
    Table(Table),
}

impl<'de> Deserialize<'de> for LlmConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = LlmConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&text!("common-llm-forms"))
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<LlmConfig, E> {
                Ok(LlmConfig::Word(word.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LlmConfig, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map)).map(LlmConfig::Table)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
