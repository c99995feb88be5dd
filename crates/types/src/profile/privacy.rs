//! Masking and refusal of secrets and personal data.

use serde::{Deserialize, Serialize};

use crate::{Label, Sensitive};

/// Treatment of secrets and personal data in a text before it is stored or shown to a model. By
/// default secrets of a known form are masked: keys, tokens, passwords and the numbers of cards.
/// Everything else passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrivacySettings {
    /// Keys of services, such as `sk-...`.
    pub api_key: PrivacyAction,
    /// Tokens of sessions and services.
    pub token: PrivacyAction,
    /// Private keys in PEM form.
    pub private_key: PrivacyAction,
    /// Passwords that are called so, and those in addresses.
    pub password: PrivacyAction,
    /// Numbers of bank and credit cards.
    pub card: PrivacyAction,
    /// Account numbers (IBAN).
    pub iban: PrivacyAction,
    /// Numbers of persons: Chinese identity cards, American social security.
    pub national_id: PrivacyAction,
    /// Telephone numbers.
    pub phone: PrivacyAction,
    /// E-mail addresses.
    pub email: PrivacyAction,
    /// Rules of one's own: `[[privacy.rules]]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PrivacyRule>,
}

/// A kind of secret that a pattern finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivacyRule {
    /// The name of the kind, which its mark shows: `[employee]`.
    pub name: Label,
    /// A regular expression of the `regex` crate. The group `v` is what is sensitive, where the
    /// pattern has one.
    pub pattern: String,
    /// Its treatment; it is masked unless the rule says otherwise.
    #[serde(default = "PrivacyRule::mask")]
    pub action: PrivacyAction,
}

impl PrivacyRule {
    const fn mask() -> PrivacyAction {
        PrivacyAction::Mask
    }
}

/// Treatment of a piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrivacyAction {
    /// It stays.
    #[default]
    Allow,
    /// A mark takes its place.
    Mask,
    /// The text is refused.
    Reject,
}

impl Default for PrivacySettings {
    fn default() -> Self {
        let secret = PrivacyAction::Mask;
        Self {
            api_key: secret,
            token: secret,
            private_key: secret,
            password: secret,
            card: secret,
            ..Self::OPEN
        }
    }
}

impl PrivacySettings {
    /// Settings that let everything pass.
    pub const OPEN: Self = Self {
        api_key: PrivacyAction::Allow,
        token: PrivacyAction::Allow,
        private_key: PrivacyAction::Allow,
        password: PrivacyAction::Allow,
        card: PrivacyAction::Allow,
        iban: PrivacyAction::Allow,
        national_id: PrivacyAction::Allow,
        phone: PrivacyAction::Allow,
        email: PrivacyAction::Allow,
        rules: Vec::new(),
    };

    /// The treatment of a kind.
    #[must_use]
    pub fn action(&self, kind: &Sensitive) -> PrivacyAction {
        match kind {
            Sensitive::ApiKey => self.api_key,
            Sensitive::Token => self.token,
            Sensitive::PrivateKey => self.private_key,
            Sensitive::Password => self.password,
            Sensitive::Card => self.card,
            Sensitive::Iban => self.iban,
            Sensitive::NationalId => self.national_id,
            Sensitive::Phone => self.phone,
            Sensitive::Email => self.email,
            Sensitive::Custom(name) => self
                .rules
                .iter()
                .find(|rule| rule.name == *name)
                .map_or(PrivacyAction::Mask, |rule| rule.action),
        }
    }

    /// Whether everything passes that has a field here, and no rule is given.
    #[must_use]
    pub fn allows_all(&self) -> bool {
        *self == Self::OPEN
    }
}
