//! Names that lead to the server, and pages that may call it. A page of the web can make a name of
//! its own lead to this machine (DNS rebinding): it is told by the name.

use std::net::{IpAddr, SocketAddr};

/// The host names to which the server answers, and the origins of other pages that may read it.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    names: Vec<String>,
    pub(crate) origins: Vec<String>,
}

impl Hosts {
    pub(crate) fn new(address: SocketAddr, named: &[String], origins: &[String]) -> Self {
        let mut names: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
            .map(str::to_owned)
            .into();
        if !address.ip().is_unspecified() {
            names.push(match address.ip() {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        names.extend(named.iter().map(|name| name.to_ascii_lowercase()));
        Self {
            names,
            origins: origins
                .iter()
                .map(|origin| origin.to_ascii_lowercase())
                .collect(),
        }
    }

    /// Whether a `Host` header names this server. The port may differ: it may be forwarded.
    pub(crate) fn allows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = match host.rfind(':') {
            Some(colon) if host.get(colon + 1..).is_some_and(is_port) => {
                host.get(..colon).unwrap_or_default()
            }
            _ => &host,
        };
        self.names.iter().any(|known| known == name)
    }

    /// Whether a page may read answers: one of this server, or one that was named.
    pub(crate) fn allows_origin(&self, origin: &str, host: &str) -> bool {
        is_same(origin, host)
            || self
                .origins
                .iter()
                .any(|known| known.eq_ignore_ascii_case(origin))
    }
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a page is of the server that the `Host` header names, port and all.
pub(crate) fn is_same(origin: &str, host: &str) -> bool {
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_name_is_not_answered_whatever_address_it_leads_to() {
        let hosts = Hosts::new(
            ([127, 0, 0, 1], 19876).into(),
            &["memory.example.org".to_owned()],
            &[],
        );
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:19876",
            "[::1]:19876",
            "memory.example.org:443",
        ] {
            assert!(hosts.allows(host), "{host}");
        }
        let foreign = [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:19876",
            "",
            ":19876",
            "0.0.0.0",
        ];
        for host in foreign {
            assert!(!hosts.allows(host), "{host}");
        }
    }

    #[test]
    fn a_page_is_of_this_server_by_name_and_port() {
        let hosts = Hosts::new(
            ([127, 0, 0, 1], 19876).into(),
            &[],
            &["https://app.example.org".to_owned()],
        );
        let host = "127.0.0.1:19876";
        assert!(hosts.allows_origin("http://127.0.0.1:19876", host));
        assert!(hosts.allows_origin("https://app.example.org", host));
        for origin in [
            "http://127.0.0.1:9999",
            "http://localhost:19876",
            "null",
            "https://evil.example",
            "",
        ] {
            assert!(!hosts.allows_origin(origin, host), "{origin}");
        }
    }
}
