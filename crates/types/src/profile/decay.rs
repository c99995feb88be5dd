//! How the value of a memory falls with time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::{finite_from, known};

/// The numbers of `retention = s · r^k · (1 + b · ln(1 + n))`: score s, rate r of the class, steps
/// k, access bonus b, accesses n.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecaySettings {
    /// The rate of each class; a class without one does not decay.
    pub classes: BTreeMap<String, ClassDecay>,
    /// The unit of a step.
    pub unit: DecayUnit,
    /// The meaning of a day.
    pub days: DayKind,
    /// The effect of the days of grace.
    pub grace: GraceMode,
    /// From when on time is counted.
    pub clock: DecayClock,
    /// Whether what decayed stays so when the clock starts anew.
    pub persist: DecayPersist,
    /// b: how much accesses lift retention; 0 not at all.
    pub access_bonus: f64,
    /// Hours that must lie between two passes.
    pub min_pass_interval_hours: f64,
    /// Whether a pass makes up for the days on which none took place.
    pub catch_up: bool,
    /// The score from which on a memory does not decay and no rule deletes it.
    pub protect_score: Option<f64>,
}

/// How fast a class decays. Exactly one of the two numbers is given.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassDecay {
    /// r: what a step multiplies by, above 0 up to 1.
    pub factor: Option<f64>,
    /// λ with r = e^−λ, from 0 on.
    pub lambda: Option<f64>,
    /// Days without decay.
    pub grace_days: f64,
}

/// The unit of a step of decay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayUnit {
    /// A day, parts of it counted.
    #[default]
    Fraction,
    /// A whole day.
    Day,
    /// A pass of the job that decays.
    Pass,
}

/// The meaning of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayKind {
    /// 24 hours.
    #[default]
    Hours24,
    /// A date of the profile's zone.
    Calendar,
}

/// The effect of the days of grace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraceMode {
    /// Nothing before the last of them is over, every step from then on.
    #[default]
    Gate,
    /// They are taken off the number of days.
    Subtract,
}

/// From when on time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayClock {
    /// The last access that counted, or the storing.
    #[default]
    LastAccess,
    /// The storing.
    Created,
}

/// Whether what decayed stays so when the clock starts anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayPersist {
    /// No: the score is as given, retention is derived from it.
    #[default]
    Derived,
    /// Yes: the score falls with time, and what falls is not charged twice.
    InPlace,
}

impl DecaySettings {
    pub(super) fn check(&self, classes: &[&str]) -> Result<(), BadProfile> {
        for (name, class) in &self.classes {
            let key = |what: &str| format!("decay.classes.{name}.{what}");
            if !classes.is_empty() {
                known(&format!("decay.classes.{name}"), name, classes)?;
            }
            match (class.factor, class.lambda) {
                (Some(factor), None) if factor > 0.0 && factor <= 1.0 => {}
                (Some(factor), None) => {
                    return Err(BadProfile::new(
                        key("factor"),
                        format!("{factor} is not above 0 and at most 1"),
                    ));
                }
                (None, Some(lambda)) => finite_from(&key("lambda"), lambda)?,
                _ => {
                    return Err(BadProfile::new(
                        key("factor"),
                        "give either factor or lambda".to_owned(),
                    ));
                }
            }
            finite_from(&key("grace_days"), class.grace_days)?;
        }
        finite_from("decay.access_bonus", self.access_bonus)?;
        finite_from(
            "decay.min_pass_interval_hours",
            self.min_pass_interval_hours,
        )?;
        finite_from(
            "decay.protect_score",
            self.protect_score.unwrap_or_default(),
        )?;
        if self.unit == DecayUnit::Pass && self.persist == DecayPersist::Derived {
            let reason =
                "a score that decays by passes decays in place: set \"in_place\"".to_owned();
            return Err(BadProfile::new("decay.persist", reason));
        }
        if self.catch_up && self.unit != DecayUnit::Pass {
            return Err(BadProfile::new(
                "decay.catch_up",
                "only passes can be made up for".to_owned(),
            ));
        }
        Ok(())
    }
}

impl ClassDecay {
    /// ln r, from 0 down.
    #[must_use]
    pub fn ln_rate(&self) -> f64 {
        self.factor
            .map_or_else(|| -self.lambda.unwrap_or(0.0), f64::ln)
    }
}
