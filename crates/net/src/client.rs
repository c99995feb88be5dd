use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::config::RedirectAuthHeaders;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::{Address, NetError};

/// How long parts of an exchange may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until there is a connection.
    pub connect: Duration,
    /// The whole exchange; downloads have none.
    pub whole: Option<Duration>,
    /// Each time bytes are awaited.
    pub silence: Duration,
    /// How often the server may point elsewhere.
    pub redirects: u32,
}

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The failure.
    pub reason: String,
    /// Whether another attempt may help.
    pub again: bool,
    /// Whether there was a connection, and then no answer in the time that it had.
    pub late: bool,
}

impl Unanswered {
    fn of(error: &ureq::Error) -> Self {
        use ureq::Error::{ConnectionFailed, HostNotFound, Io, Protocol, Timeout};
        let again = matches!(
            error,
            Io(_) | Timeout(_) | ConnectionFailed | Protocol(_) | HostNotFound
        );
        let late = matches!(error, Timeout(limit) if !matches!(limit, ureq::Timeout::Resolve | ureq::Timeout::Connect));
        Self {
            reason: error.to_string(),
            again,
            late,
        }
    }
}

/// The longest wait that is handled: a server that names a year is wrong about it.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date_seconds(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut words = text.split_whitespace().skip(1);
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = i64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()?;
    let year: i64 = words
        .next()?
        .parse()
        .ok()
        .filter(|year| (1970..10_000).contains(year))?;
    let mut clock = words
        .next()?
        .split(':')
        .map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days since 1970 in years that begin with March (Howard Hinnant, days_from_civil).
    let from_march = (month + 10) % 12;
    let years = if month < 2 { year - 1 } else { year };
    let days =
        years * 365 + years / 4 - years / 100 + years / 400 + (from_march * 153 + 2) / 5 + day
            - 1
            - 719_468;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// The wait of `Retry-After`, with the date of the answer.
fn wait_asked(asked: &str, date: Option<&str>) -> Option<Duration> {
    let seconds = match asked.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => u64::try_from(date_seconds(asked)?.checked_sub(date_seconds(date?.trim())?)?)
            .unwrap_or(0),
    };
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

/// An answer of a server, whatever its status. Its body is read on demand.
#[derive(Debug)]
pub struct Answer(ureq::http::Response<ureq::Body>);

impl Answer {
    /// The status, such as 200.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// A header, if it is there and readable.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.headers().get(name)?.to_str().ok()
    }

    /// How long the server asks to wait, at most a day: `Retry-After` in seconds, or as a date, by
    /// the clock of the server (`Date`).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        wait_asked(self.header("retry-after")?.trim(), self.header("date"))
    }

    /// The body as it arrives, up to `limit` bytes.
    pub fn into_reader(self, limit: u64) -> impl Read {
        self.0.into_body().into_with_config().limit(limit).reader()
    }

    /// The whole body.
    ///
    /// # Errors
    /// When it breaks off; of the kind [`TimedOut`](std::io::ErrorKind::TimedOut) when it takes
    /// too long, [`FileTooLarge`](std::io::ErrorKind::FileTooLarge) when it has more than `limit`
    /// bytes.
    pub fn bytes(self, limit: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self
            .into_reader(u64::MAX)
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(timed)?;
        if u64::try_from(read).unwrap_or(u64::MAX) > limit {
            let told = format!("the answer is larger than {} MiB", limit >> 20);
            return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, told));
        }
        Ok(bytes)
    }

    /// The first `limit` bytes of the body, or as many as there are: for complaints.
    #[must_use]
    pub fn beginning(self, limit: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        // The bytes before a break of the connection are all there is to show.
        let _ = self
            .into_reader(u64::MAX)
            .take(limit)
            .read_to_end(&mut bytes);
        bytes
    }
}

/// A read that took too long under the name that the standard library has for it.
fn timed(error: std::io::Error) -> std::io::Error {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<ureq::Error>());
    match inner {
        Some(ureq::Error::Timeout(_)) => std::io::Error::new(std::io::ErrorKind::TimedOut, error),
        _ => error,
    }
}

/// The client for one server.
#[derive(Debug, Clone)]
pub struct Client(ureq::Agent);

impl Client {
    /// Trusts Mozilla's certificates, or those in `certificates` or in the file that
    /// `SSL_CERT_FILE` names, which is how companies add their own. Uses the proxy of the
    /// environment, except for this machine itself.
    ///
    /// # Errors
    /// [`NetError::BadCertificates`].
    pub fn new(
        address: &Address,
        limits: Limits,
        certificates: Option<&Path>,
    ) -> Result<Self, NetError> {
        let named = std::env::var_os("SSL_CERT_FILE")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from);
        let file = certificates
            .map(Path::to_path_buf)
            .or(named)
            .filter(|_| address.is_https());
        let roots = match file {
            Some(path) => RootCerts::from(read_certificates(&path)?.into_iter()),
            None => RootCerts::WebPki,
        };
        let mut config = ureq::Agent::config_builder()
            .user_agent(concat!("annals/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .max_redirects(limits.redirects)
            .max_redirects_will_error(limits.redirects > 0)
            // Storage that a hub points to has no business with the key of the hub.
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .timeout_connect(Some(limits.connect))
            .timeout_recv_response(Some(limits.silence))
            .timeout_per_read(Some(limits.silence))
            .timeout_global(limits.whole)
            .tls_config(TlsConfig::builder().root_certs(roots).build());
        if address.is_this_machine() {
            config = config.proxy(None);
        }
        Ok(Self(config.build().new_agent()))
    }

    /// Gets a URL. Headers are names and values.
    ///
    /// # Errors
    /// [`Unanswered`]; a status that means failure is an answer.
    pub fn get(&self, url: &str, headers: &[(&str, &str)]) -> Result<Answer, Unanswered> {
        let mut request = self.0.get(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request
            .call()
            .map(Answer)
            .map_err(|error| Unanswered::of(&error))
    }

    /// Posts a body to a URL. Headers are names and values.
    ///
    /// # Errors
    /// [`Unanswered`]; a status that means failure is an answer.
    pub fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Answer, Unanswered> {
        let mut request = self.0.post(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request
            .send(body)
            .map(Answer)
            .map_err(|error| Unanswered::of(&error))
    }
}

fn read_certificates(path: &Path) -> Result<Vec<Certificate<'static>>, NetError> {
    let bad = |reason: String| NetError::BadCertificates {
        path: path.to_path_buf(),
        reason,
    };
    let pem = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| bad(error.to_string()))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        Err(bad("there is no certificate in it".to_owned()))
    } else {
        Ok(certificates)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};
    use std::time::Duration;

    use super::{date_seconds, timed, wait_asked};

    #[test]
    fn a_body_that_takes_too_long_is_told_from_one_that_breaks_off() {
        assert_eq!(
            timed(ureq::Error::Timeout(ureq::Timeout::Global).into_io()).kind(),
            ErrorKind::TimedOut
        );
        assert_eq!(
            timed(Error::from(ErrorKind::UnexpectedEof)).kind(),
            ErrorKind::UnexpectedEof
        );
    }

    #[test]
    fn dates_of_headers_are_read() {
        assert_eq!(
            date_seconds("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(date_seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            date_seconds("Thu, 29 Feb 2024 23:59:59 GMT"),
            Some(1_709_251_199)
        );
        for bad in [
            "",
            "soon",
            "Sun, 06 Nov",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49",
        ] {
            assert_eq!(date_seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_wait_is_a_day_at_most() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        for (asked, seconds) in [
            ("120", Some(120)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("Wed, 21 Oct 2037 07:28:00 GMT", Some(86_400)),
            ("18446744073709551615", Some(86_400)),
            ("soon", None),
        ] {
            assert_eq!(
                wait_asked(asked, date),
                seconds.map(Duration::from_secs),
                "{asked}"
            );
        }
    }
}
