use ureq::http::Uri;

use crate::NetError;

/// The address of a server: scheme, host, port and path, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: String,
    https: bool,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// [`NetError::BadAddress`], also for one that holds a password: what stands in an address is
    /// logged and shown.
    pub fn parse(text: &str) -> Result<Self, NetError> {
        let text = text.trim().trim_end_matches('/');
        let bad = |reason| {
            Err(NetError::BadAddress {
                address: without_password(text),
                reason,
            })
        };
        let Ok(uri) = text.parse::<Uri>() else {
            return bad("it cannot be read; write http://host:port/path");
        };
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return bad("it begins neither with http:// nor with https://"),
        };
        let Some(host) = uri.host().filter(|host| !host.is_empty()) else {
            return bad("it has no host");
        };
        // Addresses are logged and shown.
        if uri
            .authority()
            .is_some_and(|authority| authority.as_str().contains('@'))
        {
            return bad("it has a user or password in it; give the key separately");
        }
        if text.contains(['?', '#']) {
            return bad("it has a query or fragment; give the address up to /v1");
        }
        Ok(Self {
            host: host.to_owned(),
            https,
            text: text.to_owned(),
        })
    }

    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is encrypted.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// Whether the host is this machine, which no proxy can reach.
    #[must_use]
    pub fn is_this_machine(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        host == "localhost"
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|ip| ip.is_loopback())
    }
}

fn without_password(text: &str) -> String {
    let start = text.find("//").map_or(0, |at| at + 2);
    let (scheme, rest) = text.split_at_checked(start).unwrap_or(("", text));
    let end = rest.find('/').unwrap_or(rest.len());
    match rest.get(..end).and_then(|authority| authority.rfind('@')) {
        Some(at) => format!("{scheme}***{}", rest.get(at..).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_lose_the_last_slash() {
        let address = Address::parse(" https://api.example.com:8443/v1/ ").unwrap();
        assert_eq!(address.as_str(), "https://api.example.com:8443/v1");
        assert!(address.is_https() && !address.is_this_machine());
        for here in [
            "http://localhost:8080",
            "http://127.0.0.1:1/v1",
            "http://[::1]:9",
        ] {
            assert!(Address::parse(here).unwrap().is_this_machine(), "{here}");
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        for (text, word) in [
            ("", "cannot be read"),
            ("localhost:8080", "neither"),
            ("ftp://host", "neither"),
            ("http://host/v1?key=1", "query"),
            ("http://", "neither"),
        ] {
            assert!(
                Address::parse(text).unwrap_err().to_string().contains(word),
                "{text}"
            );
        }
    }

    #[test]
    fn a_password_is_refused_and_not_shown() {
        let error = Address::parse("https://me:secret@host/v1")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("password") && !error.contains("secret"),
            "{error}"
        );
        assert!(error.contains("https://***@host/v1"), "{error}");
    }
}
