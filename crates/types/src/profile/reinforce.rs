//! The effect of use on the value of a memory.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::finite_from;

/// Which signal counts as use, what it does, and its limits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReinforceSettings {
    /// The signal that reinforces and is counted in the access bonus.
    pub signal: Signal,
    /// Its effect on the score.
    pub form: ReinforceForm,
    /// `add` and `diminishing`: what is added. `toward_one`: which share of what is missing to the
    /// highest score.
    pub amount: f64,
    /// `diminishing`: accesses at which half of the amount is added.
    pub half_count: f64,
    /// Seconds after a counted use in which others do not count.
    pub cooldown_seconds: u64,
    /// The most that a memory can gain on one day of the profile's zone.
    pub cap_per_day: Option<f64>,
    /// Uses that count in one session.
    pub cap_per_session: Option<u32>,
    /// Whether a counted use starts the clock of decay anew.
    pub touch_clock: bool,
    /// Whether a use counts before the decay since the last job is charged, which it then calls
    /// off (true), or after it.
    pub before_decay: bool,
}

/// How use is reported.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Someone said that the memory was of use.
    #[default]
    Used,
    /// It was put before the model.
    Injected,
    /// A search returned it.
    Returned,
}

/// The effect of a counted use on the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReinforceForm {
    /// Nothing; it is only counted.
    #[default]
    CountOnly,
    /// Adds an amount.
    Add,
    /// Adds a share of what is missing to the highest score.
    TowardOne,
    /// Adds less the more often it was used: amount / (1 + n / half count).
    Diminishing,
}

impl ReinforceSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        finite_from("reinforce.amount", self.amount)?;
        finite_from("reinforce.half_count", self.half_count)?;
        finite_from(
            "reinforce.cap_per_day",
            self.cap_per_day.unwrap_or_default(),
        )?;
        if self.form == ReinforceForm::TowardOne && self.amount > 1.0 {
            return Err(BadProfile::new(
                "reinforce.amount",
                format!("a share of {} is above 1", self.amount),
            ));
        }
        if self.form == ReinforceForm::Diminishing && self.half_count <= 0.0 {
            return Err(BadProfile::new(
                "reinforce.half_count",
                "diminishing needs a number above 0".to_owned(),
            ));
        }
        Ok(())
    }
}
