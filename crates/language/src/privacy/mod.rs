//! Secrets and personal data in texts: found, and masked or refused before anything is stored or
//! sent.
//!
//! One table (`rules.toml`) holds what is found: keys and tokens by how they begin, numbers by
//! their check digits, and values behind a label such as `password:`, in English and Chinese. A
//! secret without a check, a known beginning or a label is not found: a filter that cries at every
//! number is switched off. A profile adds rules of its own, and a [`Redactor`] of one's own takes
//! the place of the table.
//!
//! ```
//! use annals_language::privacy::{Filter, Redacted};
//! use annals_types::profile::{PrivacyAction, PrivacySettings};
//!
//! let filter = Filter::new(PrivacySettings { password: PrivacyAction::Mask, ..Default::default() })?;
//! let Redacted::Masked { text, .. } = filter.redact("wifi 密码是 abc123，别忘了") else { unreachable!() };
//! assert_eq!(text, "wifi 密码是 [password]，别忘了");
//! # Ok::<(), annals_types::InvalidValue>(())
//! ```

mod checks;
mod rules;

use std::borrow::Cow;
use std::sync::Arc;

use annals_types::profile::{PrivacyAction, PrivacySettings};
use annals_types::{InvalidValue, Redactor};

pub use annals_types::{Finding, Sensitive};
pub use rules::BuiltInRedactor;

use rules::OwnRules;

/// The secrets and personal data of a text by the built-in table, in its order. Findings do not
/// overlap.
#[must_use]
pub fn find(text: &str) -> Vec<Finding> {
    merged(BuiltInRedactor.find(text))
}

/// Overlapping findings become one, of the kind of the longest.
fn merged(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by_key(|finding| (finding.range.start, std::cmp::Reverse(finding.range.end)));
    let mut merged: Vec<Finding> = Vec::new();
    for finding in found {
        match merged
            .last_mut()
            .filter(|last| finding.range.start < last.range.end)
        {
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

/// A text as settings let it be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redacted {
    /// Nothing in it is to be kept back.
    Clean,
    /// Marks such as `[password]` took the place of what is to be masked.
    Masked {
        /// The text with its marks.
        text: String,
        /// The masked parts, with their bytes in the text before.
        findings: Vec<Finding>,
    },
    /// The text must not be used at all.
    Rejected {
        /// The first kind in it that is refused.
        kind: Sensitive,
    },
}

/// Keeps back what settings say.
#[derive(Clone, Default)]
pub struct Filter {
    settings: PrivacySettings,
    rules: Arc<OwnRules>,
    /// It takes the place of the built-in table.
    redactor: Option<Arc<dyn Redactor>>,
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filter")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Filter {
    /// A filter for these settings.
    ///
    /// # Errors
    /// [`InvalidValue::Unknown`] for a pattern of `settings.rules` that is no regular
    /// expression, or a too large one.
    pub fn new(settings: PrivacySettings) -> Result<Self, InvalidValue> {
        Ok(Self {
            rules: Arc::new(OwnRules::new(&settings.rules)?),
            settings,
            redactor: None,
        })
    }

    /// Masks keys, tokens and passwords: for words of others that are shown where no profile
    /// speaks.
    #[must_use]
    pub fn secrets() -> Self {
        let settings = PrivacySettings {
            card: PrivacyAction::Allow,
            ..PrivacySettings::default()
        };
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Asks this redactor in place of the built-in table. The rules of the settings count beside
    /// it.
    #[must_use]
    pub fn with_redactor(mut self, redactor: Option<Arc<dyn Redactor>>) -> Self {
        self.redactor = redactor;
        self
    }

    /// Whether it lets everything pass.
    #[must_use]
    pub fn allows_all(&self) -> bool {
        self.settings.allows_all()
    }

    /// The parts of a text that are not allowed.
    fn found(&self, text: &str) -> Vec<Finding> {
        if self.allows_all() {
            return Vec::new();
        }
        let mut found = match &self.redactor {
            Some(redactor) => redactor.find(text),
            None => BuiltInRedactor.find(text),
        };
        found.extend(self.rules.find(text));
        found.retain(|finding| {
            let is_part = text
                .get(finding.range.clone())
                .is_some_and(|part| !part.is_empty());
            is_part && self.settings.action(&finding.kind) != PrivacyAction::Allow
        });
        found
    }

    /// A text as it may be stored.
    #[must_use]
    pub fn redact(&self, text: &str) -> Redacted {
        let found = self.found(text);
        let rejected = found
            .iter()
            .filter(|one| self.settings.action(&one.kind) == PrivacyAction::Reject);
        if let Some(finding) = rejected.min_by_key(|finding| finding.range.start) {
            return Redacted::Rejected {
                kind: finding.kind.clone(),
            };
        }
        let findings = merged(found);
        if findings.is_empty() {
            return Redacted::Clean;
        }
        Redacted::Masked {
            text: masked(text, &findings),
            findings,
        }
    }

    /// A text as others may see it, a language model above all: what is masked and what is refused
    /// alike get marks.
    #[must_use]
    pub fn redact_all<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let found = self.found(text);
        if found.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(masked(text, &merged(found)))
        }
    }
}

/// A text with marks in the place of findings.
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
