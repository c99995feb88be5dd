use std::time::Duration;

use super::{HubError, HubSettings};
use annals_net::{Address, Answer, ApiKey, Client as Net, Limits, Pause, Waits};

/// Asks one hub.
pub(super) struct Client {
    net: Net,
    address: Address,
    token: Option<ApiKey>,
    settings: HubSettings,
    pause: Pause,
}

/// A request that got no usable answer, and whether to try again.
pub(super) struct Trouble {
    pub(super) error: HubError,
    again: Option<Option<Duration>>,
}

impl Trouble {
    /// Something that another attempt may not meet.
    pub(super) fn passing(error: HubError) -> Self {
        Self {
            error,
            again: Some(None),
        }
    }

    pub(super) fn lasting(error: HubError) -> Self {
        Self { error, again: None }
    }
}

impl From<HubError> for Trouble {
    fn from(error: HubError) -> Self {
        Self::lasting(error)
    }
}

impl Client {
    pub(super) fn new(settings: &HubSettings, pause: Pause) -> Result<Self, HubError> {
        let address = Address::parse(&settings.endpoint)?;
        let token = settings.token.read()?;
        let limits = Limits {
            connect: settings.silence,
            whole: None,
            silence: settings.silence,
            redirects: 8,
        };
        let net = Net::new(&address, limits, settings.certificates.as_deref())?;
        Ok(Self {
            net,
            address,
            token,
            settings: settings.clone(),
            pause,
        })
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address.as_str())
    }

    /// Gets a URL of the hub, from byte `from` on.
    ///
    /// Gives the answer with status 200, 206 or 416.
    pub(super) fn get(&self, url: &str, from: u64) -> Result<Answer, Trouble> {
        let (bearer, range) = (
            self.token.as_ref().map(ApiKey::bearer),
            format!("bytes={from}-"),
        );
        let mut headers = Vec::new();
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        if from > 0 {
            headers.push(("range", range.as_str()));
        }
        let response = self.net.get(url, &headers).map_err(|failed| {
            let error = HubError::Unreachable {
                url: url.to_owned(),
                reason: failed.reason,
            };
            if failed.again {
                Trouble::passing(error)
            } else {
                Trouble::lasting(error)
            }
        })?;
        let status = response.status();
        let url = url.to_owned();
        match status {
            200 | 206 | 416 => Ok(response),
            401 | 403 | 404 => Err(Trouble::lasting(HubError::Denied { url, status })),
            408 | 429 | 500 | 502..=504 => {
                let again = Some(response.retry_after());
                Err(Trouble {
                    error: HubError::Refused { url, status },
                    again,
                })
            }
            _ => Err(Trouble::lasting(HubError::Refused { url, status })),
        }
    }

    /// Does something until it succeeds, fails for good, or has failed too often.
    pub(super) fn patiently<T>(
        &self,
        mut attempt: impl FnMut() -> Result<T, Trouble>,
    ) -> Result<T, HubError> {
        let HubSettings {
            first_wait,
            longest_wait,
            retries,
            ..
        } = self.settings;
        let mut waits = Waits::new(first_wait, longest_wait, None);
        let mut left = retries;
        loop {
            let trouble = match attempt() {
                Ok(done) => return Ok(done),
                Err(trouble) => trouble,
            };
            let wait = trouble
                .again
                .filter(|_| left > 0)
                .and_then(|asked| waits.next(asked));
            let Some(wait) = wait else {
                return Err(trouble.error);
            };
            left -= 1;
            (self.pause)(wait);
        }
    }
}

/// A path with everything escaped that has a meaning in a URL.
pub(super) fn escape(path: &str, keep_slash: bool) -> String {
    path.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (keep_slash && byte == b'/') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}
