use std::io::Read;
use std::time::Duration;

use annals_types::EmbedError;

use super::HttpSettings;
use super::answer::excerpt;
use crate::embed::net::{Address, ApiKey, Pause, Waits, retry_after};

/// An answer that is longer is none: 64 texts with 4096 numbers of 20 characters are 5 MB.
const MAX_ANSWER_BYTES: u64 = 128 << 20;

/// Requests to one server, repeated where that may help.
pub(super) struct Exchange {
    agent: ureq::Agent,
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
        agent: ureq::Agent,
        address: &Address,
        key: Option<ApiKey>,
        settings: &HttpSettings,
        pause: Pause,
    ) -> Self {
        Self {
            agent,
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
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.hide_in(text))
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
            let wait = failure.again.filter(|_| left > 0).and_then(|asked| waits.next(asked));
            let Some(wait) = wait else { return Err(self.error(failure, texts)) };
            left -= 1;
            (self.pause)(wait);
        }
    }

    fn error(&self, failure: Failure, texts: usize) -> EmbedError {
        let reason = self.hide(&failure.reason);
        let what = self.server.clone();
        if failure.refused {
            return EmbedError::Failed { what, texts, source: format!("{reason}; {}", failure.advice).into() };
        }
        EmbedError::Unavailable { what, reason, advice: failure.advice.to_owned() }
    }

    fn once(&self, body: &str) -> Result<Vec<u8>, Failure> {
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", key.header());
        }
        let mut response = request.send(body).map_err(unreachable)?;
        let (status, asked) = (response.status().as_u16(), retry_after(response.headers()));
        let location = response.headers().get("location").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let mut bytes = Vec::new();
        let reader = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).reader();
        let read = reader.take(if status == 200 { MAX_ANSWER_BYTES } else { 1 << 16 }).read_to_end(&mut bytes);
        if !(200..300).contains(&status) {
            return Err(refused(status, &bytes, asked, location.as_deref()));
        }
        match read {
            Ok(_) => Ok(bytes),
            Err(error) => Err(Failure {
                reason: format!("the answer broke off ({error})"),
                advice: "try again; if it stays so, look at the server's log",
                refused: false,
                again: Some(None),
            }),
        }
    }
}

fn unreachable(error: ureq::Error) -> Failure {
    let again = matches!(
        error,
        ureq::Error::Io(_) | ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_)
    );
    Failure {
        reason: format!("no answer ({error})"),
        advice: "start the server, or correct its address in the settings",
        refused: false,
        again: again.then_some(None),
    }
}

fn refused(status: u16, body: &[u8], asked: Option<Duration>, location: Option<&str>) -> Failure {
    let mut reason = format!("it answered {status}: {}", excerpt(body, "nothing more"));
    if let Some(location) = location {
        reason.push_str(&format!(" (it points to {location})"));
    }
    let (advice, input) = match status {
        401 | 403 => ("check the key and where it is read from", false),
        404 | 405 => ("check the address (it usually ends in /v1) and the name of the model", false),
        400 | 413 | 422 => ("check the name of the model, and lower max_bytes or batch if texts are too long", true),
        408 | 429 => ("wait, or lower the rate of requests", false),
        300..400 => ("put the address that it points to into the settings", false),
        _ => ("look at the server's log", false),
    };
    let again = matches!(status, 408 | 429 | 500 | 502..=504 | 506..=599);
    Failure { reason, advice, refused: input, again: again.then_some(asked) }
}
