//! The messages of the protocol, as JSON.

use std::collections::BTreeMap;

use annals_storage::RequestId;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The protocol that this version speaks.
pub const PROTOCOL: u32 = 1;

/// Settings that change answers, by name: both sides must have the same.
pub type Settings = BTreeMap<String, String>;

/// The program and the protocol of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The protocol.
    pub protocol: u32,
    /// The version of annals, such as `0.1.0`.
    pub annals: String,
}

impl Version {
    /// The version of this program.
    #[must_use]
    pub fn own() -> Self {
        Self {
            protocol: PROTOCOL,
            annals: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Whether this is later than another version.
    #[must_use]
    pub fn is_newer_than(&self, other: &Self) -> bool {
        (self.protocol, self.numbers()) > (other.protocol, other.numbers())
    }

    fn numbers(&self) -> Vec<u64> {
        self.annals
            .split(['.', '-', '+'])
            .map_while(|part| part.parse().ok())
            .collect()
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "annals {} (protocol {})", self.annals, self.protocol)
    }
}

/// The first message of a client.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) version: Version,
}

/// An owner, as it introduces itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Welcome {
    /// Its version.
    pub version: Version,
    /// The features of this owner beyond the protocol; none so far.
    #[serde(default)]
    pub features: Vec<String>,
    /// The name of its machine, where it is known.
    #[serde(default)]
    pub host: String,
    /// The number of its process.
    pub pid: u32,
    /// The settings that change answers.
    pub settings: Settings,
    /// The parts of its process that no other one has, such as `clock`: it keeps the file while it
    /// runs.
    pub own: Vec<String>,
    /// Facts that an owner tells its clients once.
    pub facts: serde_json::Value,
}

/// Why an owner does not serve.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub(crate) enum Refusal {
    /// It gives the file up at this moment.
    Draining,
    /// It keeps the file: it has parts of its own.
    Keeps { own: Vec<String> },
    /// The client speaks another protocol.
    Protocol { version: Version, pid: u32 },
    /// The file that it has open is no longer at its path.
    Moved { pid: u32 },
    /// The client belongs to another user.
    Stranger,
    /// This process can serve nobody else at this moment, for this reason.
    Unable { pid: u32, why: String },
}

/// A step from a handle to the next one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Step {
    /// The name of the handle.
    pub name: String,
    /// Its arguments.
    pub args: Box<RawValue>,
}

/// A call of a handle.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// The request, as 32 hexadecimal digits.
    pub(crate) request: String,
    /// The way from the memory to the handle.
    pub path: Vec<Step>,
    /// The name of the call.
    pub name: String,
    /// Its arguments, as an array.
    pub args: Box<RawValue>,
}

impl Call {
    /// A call under a name of its own, or under that of the request which this thread carries out.
    #[must_use]
    pub fn new(path: Vec<Step>, name: &str, args: Box<RawValue>) -> Self {
        let request = annals_storage::next_call().unwrap_or_else(RequestId::random);
        let request = annals_storage::hex(&request.to_bytes());
        Self {
            request,
            path,
            name: name.to_owned(),
            args,
        }
    }

    /// The name of the request, if it is one.
    pub(crate) fn request(&self) -> Option<RequestId> {
        let number = u128::from_str_radix(&self.request, 16).ok()?;
        (self.request.len() == 32).then(|| RequestId::from_bytes(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Call, Version};

    #[test]
    fn versions_have_an_order() {
        let version = |protocol, annals: &str| Version {
            protocol,
            annals: annals.to_owned(),
        };
        assert!(version(1, "0.10.0").is_newer_than(&version(1, "0.9.7")));
        assert!(version(2, "0.1.0").is_newer_than(&version(1, "9.0.0")));
        assert!(!version(1, "0.1.0").is_newer_than(&version(1, "0.1.0")));
    }

    #[test]
    fn a_request_has_a_name_of_its_own() {
        let call = || {
            Call::new(
                Vec::new(),
                "stats",
                serde_json::value::RawValue::from_string("null".into()).unwrap(),
            )
        };
        let (one, two) = (call(), call());
        assert!(one.request().is_some() && one.request() != two.request());
        assert_eq!(
            Call {
                request: "7".to_owned(),
                ..one
            }
            .request(),
            None
        );
    }
}
