use std::ops::Range;

use crate::Label;

/// A kind of secret or personal data.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Sensitive {
    /// A key of a service.
    ApiKey,
    /// A token of a session or service.
    Token,
    /// A private key in PEM form.
    PrivateKey,
    /// A password.
    Password,
    /// The number of a bank or credit card.
    Card,
    /// An account number (IBAN).
    Iban,
    /// The number of a person.
    NationalId,
    /// A telephone number.
    Phone,
    /// An e-mail address.
    Email,
    /// A kind of a rule of the profile, or of a redactor of one's own.
    Custom(Label),
}

impl Sensitive {
    /// The kinds that the settings have a field for.
    pub const ALL: [Self; 9] = [
        Self::ApiKey,
        Self::Token,
        Self::PrivateKey,
        Self::Password,
        Self::Card,
        Self::Iban,
        Self::NationalId,
        Self::Phone,
        Self::Email,
    ];

    /// Its name, as in the settings.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::ApiKey => "api_key",
            Self::Token => "token",
            Self::PrivateKey => "private_key",
            Self::Password => "password",
            Self::Card => "card",
            Self::Iban => "iban",
            Self::NationalId => "national_id",
            Self::Phone => "phone",
            Self::Email => "email",
            Self::Custom(name) => name.as_str(),
        }
    }
}

/// Something sensitive in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: Sensitive,
    /// Its bytes in the text. Both ends are boundaries of characters.
    pub range: Range<usize>,
}

impl Finding {
    /// The mark that takes its place, such as `[password]`.
    #[must_use]
    pub fn mark(&self) -> String {
        format!("[{}]", self.kind.as_str())
    }
}

/// Finds secrets and personal data in texts.
///
/// The settings of a profile say what becomes of each kind; a [custom](Sensitive::Custom) kind
/// that no rule of the profile names is masked. A finding whose range is no part of the text is
/// ignored.
pub trait Redactor: Send + Sync {
    /// All that is sensitive in a text, in any order. Findings may overlap.
    fn find(&self, text: &str) -> Vec<Finding>;
}
