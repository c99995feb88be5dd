use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use annals_language::privacy::Filter;
use annals_net::{Address, Answer, ApiKey, Client, Unanswered, Waits};
use annals_types::Cancel;

use super::{HttpSettings, Protocol};
use crate::provider::ProviderError;
use crate::reply::excerpt;

/// An answer that is longer is none.
const MAX_ANSWER_BYTES: u64 = 8 << 20;
/// So much of a complaint is read.
const MAX_COMPLAINT_BYTES: u64 = 1 << 14;

/// Waits, unless cancelled; answers whether it was.
pub(super) type Pause = fn(&Cancel, Duration) -> bool;

/// Requests to one server, repeated where that may help.
pub(super) struct Exchange {
    client: Client,
    url: String,
    address: String,
    headers: Vec<(&'static str, String)>,
    key: Option<ApiKey>,
    timeout: Duration,
    retries: u32,
    waits: (Duration, Duration, Option<u64>),
    pause: Pause,
}

/// A question that got no answer.
pub(super) struct Failed {
    pub(super) error: ProviderError,
    /// The server's complaint when it said that the question is wrong.
    pub(super) bad_request: Option<String>,
}

/// One attempt that failed, and whether to try again.
struct Trouble {
    failed: Box<Failed>,
    again: Option<Option<Duration>>,
}

impl Trouble {
    /// One that another attempt would not mend.
    fn lasting(error: ProviderError) -> Self {
        Self {
            failed: Box::new(Failed {
                error,
                bad_request: None,
            }),
            again: None,
        }
    }
}

impl Exchange {
    pub(super) fn new(
        client: Client,
        address: &Address,
        key: Option<ApiKey>,
        settings: &HttpSettings,
        pause: Pause,
    ) -> Self {
        let mut headers = vec![("content-type", "application/json".to_owned())];
        let path = match settings.protocol {
            Protocol::OpenAi => {
                headers.extend(key.as_ref().map(|key| ("authorization", key.bearer())));
                "chat/completions"
            }
            Protocol::Anthropic => {
                headers.push(("anthropic-version", "2023-06-01".to_owned()));
                headers.extend(
                    key.as_ref()
                        .map(|key| ("x-api-key", key.reveal().to_owned())),
                );
                "messages"
            }
        };
        Self {
            client,
            url: format!("{}/{path}", address.as_str()),
            address: address.as_str().to_owned(),
            headers,
            key,
            timeout: settings.timeout,
            retries: settings.retries,
            waits: (settings.first_wait, settings.longest_wait, settings.seed),
            pause,
        }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The text of a server, shortened for a reader. Secrets are hidden before it is cut: a cut
    /// could leave a piece of a secret that is not recognized as one.
    pub(super) fn shown(&self, text: &str) -> String {
        excerpt(&self.hide(text))
    }

    /// The text without the key and any other secret.
    fn hide(&self, text: &str) -> String {
        let hidden = self
            .key
            .as_ref()
            .map_or_else(|| text.to_owned(), |key| key.hide_in(text));
        Filter::secrets().redact_all(&hidden).into_owned()
    }

    /// Posts a body until it is answered with success.
    pub(super) fn post(&self, body: String, cancel: &Cancel) -> Result<Vec<u8>, Failed> {
        let (first, most, seed) = self.waits;
        let mut waits = Waits::new(first, most, seed);
        let mut left = self.retries;
        let body: Arc<str> = body.into();
        loop {
            let trouble = match self.attempt(&body, cancel) {
                Ok(bytes) => return Ok(bytes),
                Err(trouble) => trouble,
            };
            let wait = trouble
                .again
                .filter(|_| left > 0)
                .and_then(|asked| waits.next(asked));
            let Some(wait) = wait else {
                return Err(*trouble.failed);
            };
            left -= 1;
            if (self.pause)(cancel, wait) {
                return Err(*self.cancelled().failed);
            }
        }
    }

    /// One attempt. It runs in a thread of its own, so that a cancelled call returns at once; what
    /// the server then still says is dropped.
    fn attempt(&self, body: &Arc<str>, cancel: &Cancel) -> Result<Vec<u8>, Trouble> {
        if cancel.is_cancelled() {
            return Err(self.cancelled());
        }
        let slot: Arc<Mutex<Option<AttemptResult>>> = Arc::default();
        let (client, url, headers) = (self.client.clone(), self.url.clone(), self.headers.clone());
        let (filled, rung, sent) = (Arc::clone(&slot), cancel.clone(), Arc::clone(body));
        let ask = move || {
            let headers: Vec<(&str, &str)> = headers
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let result = attempt_result(client.post(&url, &headers, &sent));
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            rung.ring();
        };
        if let Err(error) = std::thread::Builder::new()
            .name("annals-llm".to_owned())
            .spawn(ask)
        {
            return Err(self.unreachable(&format!("no thread for the call ({error})"), false));
        }
        // The client keeps the time; the margin is for a client that does not.
        let until = Instant::now() + self.timeout + Duration::from_secs(5);
        match cancel.wait_for(until, || {
            slot.lock().unwrap_or_else(PoisonError::into_inner).take()
        }) {
            Some(result) => self.outcome(result),
            None if cancel.is_cancelled() => Err(self.cancelled()),
            None => Err(self.late()),
        }
    }

    fn outcome(&self, result: AttemptResult) -> Result<Vec<u8>, Trouble> {
        match result {
            AttemptResult::Bytes(bytes) => Ok(bytes),
            AttemptResult::Nothing { reason, again } => Err(self.unreachable(&reason, again)),
            AttemptResult::TooLong { answer } => Err(Trouble::lasting(ProviderError::BadAnswer {
                what: self.what(),
                answer,
            })),
            AttemptResult::Late => Err(self.late()),
            AttemptResult::Status {
                status,
                text,
                asked,
            } => Err(self.refused(status, &text, asked)),
        }
    }

    /// Gets what stands below the address, once; `None` where there is no such thing.
    pub(super) fn get(&self, path: &str) -> Result<Option<Vec<u8>>, ProviderError> {
        let headers: Vec<(&str, &str)> = self
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        match attempt_result(
            self.client
                .get(&format!("{}/{path}", self.address), &headers),
        ) {
            AttemptResult::Status {
                status: 404 | 405 | 501,
                ..
            } => Ok(None),
            result => self
                .outcome(result)
                .map(Some)
                .map_err(|trouble| trouble.failed.error),
        }
    }

    fn what(&self) -> String {
        format!("the language model at {}", self.address)
    }

    fn cancelled(&self) -> Trouble {
        Trouble::lasting(ProviderError::Cancelled { what: self.what() })
    }

    fn unreachable(&self, reason: &str, again: bool) -> Trouble {
        self.unavailable(
            self.hide(reason),
            "start the server, or correct its address in the settings",
            again,
        )
    }

    /// Nothing came in the time that an attempt has.
    fn late(&self) -> Trouble {
        let reason = format!(
            "no answer within {} s (timeout_seconds)",
            self.timeout.as_secs_f64()
        );
        self.unavailable(
            reason,
            "give it more time with timeout_seconds, or name a faster model",
            true,
        )
    }

    fn unavailable(&self, reason: String, advice: &str, again: bool) -> Trouble {
        let (what, advice) = (self.what(), advice.to_owned());
        let error = ProviderError::Unavailable {
            what,
            reason,
            advice,
            wait: None,
        };
        Trouble {
            failed: Box::new(Failed {
                error,
                bad_request: None,
            }),
            again: again.then_some(None),
        }
    }

    fn refused(&self, status: u16, text: &str, asked: Option<Duration>) -> Trouble {
        let what = self.what();
        let reason = format!("it answered {status}: {}", self.shown(text));
        let again = matches!(status, 408 | 409 | 425 | 429 | 500..=599);
        let advice = match status {
            401 | 403 => "check the key and where it is read from",
            404 | 405 => "check the address (it usually ends in /v1) and the name of the model",
            400 | 422 => "check the name of the model",
            413 => "the prompt is too long for the model; lower the limits of the window",
            300..400 => "put the address that it points to into the settings",
            429 => "wait, or lower the rate of calls",
            _ => "look at the server's log",
        };
        let advice = advice.to_owned();
        let error = if again {
            ProviderError::Unavailable {
                what,
                reason,
                advice,
                wait: asked,
            }
        } else {
            ProviderError::Refused {
                what,
                reason,
                advice,
            }
        };
        let bad_request = matches!(status, 400 | 422).then(|| text.to_owned());
        Trouble {
            failed: Box::new(Failed { error, bad_request }),
            again: again.then_some(asked),
        }
    }
}

/// The result of one attempt.
enum AttemptResult {
    Bytes(Vec<u8>),
    Status {
        status: u16,
        text: String,
        asked: Option<Duration>,
    },
    Nothing {
        reason: String,
        again: bool,
    },
    TooLong {
        answer: String,
    },
    Late,
}

fn attempt_result(answered: Result<Answer, Unanswered>) -> AttemptResult {
    let answer = match answered {
        Ok(answer) => answer,
        Err(failed) if failed.late => return AttemptResult::Late,
        Err(failed) => {
            return AttemptResult::Nothing {
                reason: failed.reason,
                again: failed.again,
            };
        }
    };
    let (status, asked) = (answer.status(), answer.retry_after());
    if !(200..300).contains(&status) {
        let text = String::from_utf8_lossy(&answer.beginning(MAX_COMPLAINT_BYTES)).into_owned();
        return AttemptResult::Status {
            status,
            text,
            asked,
        };
    }
    match answer.bytes(MAX_ANSWER_BYTES) {
        Ok(bytes) => AttemptResult::Bytes(bytes),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => AttemptResult::TooLong {
            answer: error.to_string(),
        },
        Err(error) if error.kind() == ErrorKind::TimedOut => AttemptResult::Late,
        Err(error) => AttemptResult::Nothing {
            reason: format!("the answer broke off ({error})"),
            again: true,
        },
    }
}
