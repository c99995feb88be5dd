//! Secrets and personal data in texts: found, and masked or refused before anything is stored or sent.
//!
//! Every kind has its own rule: known beginnings of keys, check digits of cards, accounts and identity numbers, words that announce a
//! password, in English and Chinese. What has no check and no announcement is not found: a filter that cries at every number
//! is switched off.
//!
//! ```
//! use annals_extraction::privacy::{Filter, Screened};
//! use annals_types::profile::{PrivacyAction, PrivacySettings};
//!
//! let filter = Filter::new(PrivacySettings { password: PrivacyAction::Mask, ..Default::default() });
//! let Screened::Masked { text, .. } = filter.screen("wifi 密码是 abc123，别忘了") else { unreachable!() };
//! assert_eq!(text, "wifi 密码是 [password]，别忘了");
//! ```

mod announced;
mod checks;
mod digits;
mod key;
mod lead;
mod mail;
mod phrase;
mod scan;

use std::borrow::Cow;
use std::ops::Range;

use annals_types::profile::{PrivacyAction, PrivacySettings};

use scan::Scan;

/// A kind of secret or personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
}

impl Sensitive {
    /// Its name, as in the settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
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
        }
    }

    const fn action(self, settings: &PrivacySettings) -> PrivacyAction {
        match self {
            Self::ApiKey => settings.api_key,
            Self::Token => settings.token,
            Self::PrivateKey => settings.private_key,
            Self::Password => settings.password,
            Self::Card => settings.card,
            Self::Iban => settings.iban,
            Self::NationalId => settings.national_id,
            Self::Phone => settings.phone,
            Self::Email => settings.email,
        }
    }
}

/// Something sensitive in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: Sensitive,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

impl Finding {
    /// What takes its place, such as `[password]`.
    #[must_use]
    pub fn mark(&self) -> String {
        format!("[{}]", self.kind.as_str())
    }
}

/// What is sensitive in a text, in its order; findings do not overlap.
#[must_use]
pub fn find(text: &str) -> Vec<Finding> {
    merged(all(text))
}

fn all(text: &str) -> Vec<Finding> {
    let scan = Scan::new(text);
    let mut found = Vec::new();
    key::find(&scan, &mut found);
    announced::find(&scan, &mut found);
    digits::find(&scan, &mut found);
    mail::find(&scan, &mut found);
    found
}

/// Overlapping findings become one, of the kind of the longest.
fn merged(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by_key(|finding| (finding.range.start, std::cmp::Reverse(finding.range.end)));
    let mut merged: Vec<Finding> = Vec::new();
    for finding in found {
        match merged.last_mut().filter(|last| finding.range.start < last.range.end) {
            Some(last) => {
                if finding.range.len() > last.range.len() {
                    last.kind = finding.kind;
                }
                last.range.end = last.range.end.max(finding.range.end);
            }
            None => merged.push(finding),
        }
    }
    merged
}

/// What a filter made of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Screened {
    /// Nothing in it is to be kept back.
    Clean,
    /// Marks such as `[password]` took the place of what is to be masked.
    Masked {
        /// The text with its marks.
        text: String,
        /// What was masked, where it stood in the text before.
        findings: Vec<Finding>,
    },
    /// The text must not be used at all.
    Rejected {
        /// The first thing in it that is refused.
        kind: Sensitive,
    },
}

/// Keeps back what settings say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    settings: PrivacySettings,
}

impl Filter {
    /// Masks whatever opens something: keys, tokens and passwords. For words of others that are shown where no profile speaks.
    pub const SECRETS: Self = Self {
        settings: PrivacySettings {
            api_key: PrivacyAction::Mask,
            token: PrivacyAction::Mask,
            private_key: PrivacyAction::Mask,
            password: PrivacyAction::Mask,
            card: PrivacyAction::Allow,
            iban: PrivacyAction::Allow,
            national_id: PrivacyAction::Allow,
            phone: PrivacyAction::Allow,
            email: PrivacyAction::Allow,
        },
    };

    /// A filter for these settings.
    #[must_use]
    pub const fn new(settings: PrivacySettings) -> Self {
        Self { settings }
    }

    /// Whether it lets everything pass.
    #[must_use]
    pub fn allows_all(&self) -> bool {
        self.settings.allows_all()
    }

    /// Looks at a text.
    #[must_use]
    pub fn screen(&self, text: &str) -> Screened {
        if self.allows_all() {
            return Screened::Clean;
        }
        let mut found = all(text);
        found.retain(|finding| finding.kind.action(&self.settings) != PrivacyAction::Allow);
        let rejected = found.iter().filter(|f| f.kind.action(&self.settings) == PrivacyAction::Reject);
        if let Some(finding) = rejected.min_by_key(|finding| finding.range.start) {
            return Screened::Rejected { kind: finding.kind };
        }
        let findings = merged(found);
        if findings.is_empty() {
            return Screened::Clean;
        }
        Screened::Masked { text: masked(text, &findings), findings }
    }

    /// A text as others may see it, a language model above all: marks take the place of what is to be masked and of what is refused alike.
    #[must_use]
    pub fn veil<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.allows_all() {
            return Cow::Borrowed(text);
        }
        let mut found = all(text);
        found.retain(|finding| finding.kind.action(&self.settings) != PrivacyAction::Allow);
        if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(masked(text, &merged(found))) }
    }
}

/// A text with marks in the place of what was found.
fn masked(text: &str, findings: &[Finding]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for finding in findings {
        masked.push_str(text.get(at..finding.range.start).unwrap_or_default());
        masked.push_str(&finding.mark());
        at = finding.range.end;
    }
    masked.push_str(text.get(at..).unwrap_or_default());
    masked
}
