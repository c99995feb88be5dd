use std::time::Duration;

use annals_types::EmbedError;

use super::HttpSettings;
use super::answer::excerpt;
use annals_net::{Address, ApiKey, Client, Pause, Unanswered, Waits};

/// An answer that is longer is none: 64 texts with 4096 numbers of 20 characters are 5 MB.
const MAX_ANSWER_BYTES: u64 = 128 << 20;

/// Requests to one server, repeated where that may help.
pub(super) struct Exchange {
    client: Client,
    url: String,
    server: String,
    key: Option<ApiKey>,
    retries: u32,
    first_wait: Duration,
    longest_wait: Duration,
    seed: Option<u64>,
    pause: Pause,
}

/// An exchange that failed.
struct Failure {
    reason: String,
    advice: &'static str,
    /// The input is at fault and not the server.
    refused: bool,
    /// Whether to try again, and after what time if the server said.
    again: Option<Option<Duration>>,
}

impl Exchange {
    pub(super) fn new(
        client: Client,
        address: &Address,
        key: Option<ApiKey>,
        settings: &HttpSettings,
        pause: Pause,
    ) -> Self {
        Self {
            client,
            url: format!("{}/embeddings", address.as_str()),
            server: format!("the embedding server {}", address.as_str()),
            key,
            retries: settings.retries,
            first_wait: settings.first_wait,
            longest_wait: settings.longest_wait,
            seed: settings.seed,
            pause,
        }
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// The text without the key.
    pub(super) fn hide(&self, text: &str) -> String {
        self.key
            .as_ref()
            .map_or_else(|| text.to_owned(), |key| key.hide_in(text))
    }

    /// Posts a request for so many texts until it is answered with success.
    pub(super) fn post(&self, body: &str, texts: usize) -> Result<Vec<u8>, EmbedError> {
        let mut waits = Waits::new(self.first_wait, self.longest_wait, self.seed);
        let mut left = self.retries;
        loop {
            let failure = match self.once(body) {
                Ok(bytes) => return Ok(bytes),
                Err(failure) => failure,
            };
            let wait = failure
                .again
                .filter(|_| left > 0)
                .and_then(|asked| waits.next(asked));
            let Some(wait) = wait else {
                return Err(self.error(failure, texts));
            };
            left -= 1;
            (self.pause)(wait);
        }
    }

    fn error(&self, failure: Failure, texts: usize) -> EmbedError {
        let reason = self.hide(&failure.reason);
        let what = self.server.clone();
        if failure.refused {
            return EmbedError::Failed {
                what,
                texts,
                source: format!("{reason}; {}", failure.advice).into(),
            };
        }
        EmbedError::Unavailable {
            what,
            reason,
            advice: failure.advice.to_owned(),
        }
    }

    fn once(&self, body: &str) -> Result<Vec<u8>, Failure> {
        let bearer = self.key.as_ref().map(ApiKey::bearer);
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        let answer = self
            .client
            .post(&self.url, &headers, body)
            .map_err(unreachable)?;
        let (status, asked) = (answer.status(), answer.retry_after());
        if !(200..300).contains(&status) {
            let location = answer.header("location").map(str::to_owned);
            return Err(refused(
                status,
                &answer.beginning(1 << 16),
                asked,
                location.as_deref(),
            ));
        }
        answer.bytes(MAX_ANSWER_BYTES).map_err(|error| Failure {
            reason: format!("the answer broke off ({error})"),
            advice: "try again; if it stays so, look at the server's log",
            refused: false,
            again: Some(None),
        })
    }
}

fn unreachable(failed: Unanswered) -> Failure {
    Failure {
        reason: format!("no answer ({})", failed.reason),
        advice: "start the server, or correct its address in the settings",
        refused: false,
        again: failed.again.then_some(None),
    }
}

fn refused(status: u16, body: &[u8], asked: Option<Duration>, location: Option<&str>) -> Failure {
    let mut reason = format!("it answered {status}: {}", excerpt(body, "nothing more"));
    if let Some(location) = location {
        reason.push_str(&format!(" (it points to {location})"));
    }
    let (advice, input) = match status {
        401 | 403 => ("check the key and where it is read from", false),
        404 | 405 => (
            "check the address (it usually ends in /v1) and the name of the model",
            false,
        ),
        400 | 413 | 422 => (
            "check the name of the model, and lower max_bytes or batch if texts are too long",
            true,
        ),
        408 | 429 => ("wait, or lower the rate of requests", false),
        300..400 => ("put the address that it points to into the settings", false),
        _ => ("look at the server's log", false),
    };
    let again = matches!(status, 408 | 429 | 500 | 502..=504 | 506..=599);
    Failure {
        reason,
        advice,
        refused: input,
        again: again.then_some(asked),
    }
}
