//! Rules that act when a value reaches a threshold.

use serde::{Deserialize, Serialize};

use super::check::{finite_above, finite_from, known, unique};
use super::{BadProfile, ReviewSettings, ScoreSettings};
use crate::Status;

/// One rule: when `metric` `op` `value` holds for a memory of one of `classes`, `action` is taken
/// by the next job.
///
/// Rules are tried in their order, each seeing what those before it did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSettings {
    /// Its name; what it fired on is remembered under it.
    pub name: String,
    /// The metric.
    pub metric: Metric,
    /// How it is compared. Values within 1e-9 of each other are equal.
    pub op: Comparison,
    /// The threshold, in the unit of the metric; not used with `expires`.
    pub value: f64,
    /// The classes that it is for; all when none is named.
    pub classes: Vec<String>,
    /// The statuses that it is for; those that the action makes sense for when none is named.
    pub statuses: Vec<Status>,
    /// Whether it fires once or at every job.
    pub edge: Edge,
    /// Days for which it must have held without a break.
    pub for_days: f64,
    /// It is only for memories whose score, not decayed, is below this.
    pub score_below: Option<f64>,
    /// It is only for memories that were of use, or whose score was set, since they got their
    /// status.
    pub changed_since: bool,
    /// Hours between two firings of a level rule.
    pub every_hours: f64,
    /// The action.
    pub action: RuleAction,
    /// `lower`: what the score is multiplied by; 1 without.
    pub factor: Option<f64>,
    /// `lower`: the lowest score that it makes.
    pub floor: f64,
    /// `lower`: the highest score that it leaves.
    pub cap: Option<f64>,
    /// `set_class`: the class.
    pub class: Option<String>,
    /// `set_class`: days until the memory expires, unless it does so earlier.
    pub ttl_days: Option<f64>,
    /// `review`: what for.
    pub review: ReviewKind,
    /// `mark`: the word shown.
    pub mark: Option<String>,
}

/// The metric of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The decayed score, with the access bonus.
    #[default]
    Retention,
    /// The decayed score, without it.
    Score,
    /// Days since storing.
    AgeDays,
    /// Days since the last access that counted.
    IdleDays,
    /// Days since the memory got its status.
    StatusDays,
    /// Whether its own date has passed.
    Expires,
}

/// How a measure is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// Less.
    #[default]
    Below,
    /// Not less.
    AtLeast,
    /// More.
    Above,
}

/// Whether a rule fires once or again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// Once when the measure falls (or time passes) so far that the rule holds; again after it has
    /// not held.
    #[default]
    Falling,
    /// Once when the measure rises so far.
    Rising,
    /// At every job while it holds.
    Level,
}

/// The action of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Status `archived`.
    #[default]
    Archive,
    /// Status `active` again.
    Activate,
    /// Status `forgotten`.
    Forget,
    /// The score is lowered.
    Lower,
    /// Another class.
    SetClass,
    /// A review decides.
    Review,
    /// Gone for good.
    Delete,
    /// Shown as something while it holds; changes nothing.
    Mark,
}

/// The question of a review.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ReviewKind {
    /// Whether a memory may go.
    #[default]
    Decay,
    /// Whether it is to be kept for good.
    Promote,
}

impl RuleSettings {
    fn check(&self, classes: &[&str], score: &ScoreSettings) -> Result<(), BadProfile> {
        let key = |what: &str| format!("rules.{}.{what}", self.name);
        for class in self.classes.iter().chain(&self.class) {
            known(&key("classes"), class, classes)?;
        }
        for (what, value) in [
            ("value", self.value),
            ("for_days", self.for_days),
            ("every_hours", self.every_hours),
        ] {
            finite_from(&key(what), value)?;
        }
        finite_above(&key("ttl_days"), self.ttl_days.unwrap_or(1.0))?;
        let falls = matches!(self.metric, Metric::Retention | Metric::Score);
        if falls && self.edge == Edge::Falling && self.op != Comparison::Below
            || self.edge == Edge::Rising && self.op == Comparison::Below
        {
            return Err(BadProfile::new(
                key("op"),
                "it contradicts the edge: falling is below, rising is not".to_owned(),
            ));
        }
        match self.action {
            RuleAction::Lower => {
                let limit = self.cap.unwrap_or(score.max);
                let factor = self.factor.unwrap_or(1.0);
                if !((0.0..=1.0).contains(&factor)
                    && score.min <= self.floor
                    && self.floor <= limit)
                {
                    let reason =
                        "factor is from 0 to 1, floor at least score.min, cap at least floor"
                            .to_owned();
                    return Err(BadProfile::new(key("factor"), reason));
                }
                Ok(())
            }
            RuleAction::SetClass if self.class.is_none() => Err(BadProfile::new(
                key("class"),
                "set_class needs a class".to_owned(),
            )),
            RuleAction::Mark if self.mark.is_none() => {
                Err(BadProfile::new(key("mark"), "mark needs a word".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn check(
    rules: &[RuleSettings],
    classes: &[&str],
    score: &ScoreSettings,
    review: &ReviewSettings,
) -> Result<(), BadProfile> {
    unique("rules", "name", rules.iter().map(|rule| rule.name.as_str()))?;
    rules
        .iter()
        .try_for_each(|rule| rule.check(classes, score))?;
    ordered(rules)?;
    for rule in rules.iter().filter(|rule| rule.reviews_decay()) {
        if let Some(reset) = review.keep_reset
            && reset < rule.value
        {
            let reason = format!(
                "{reset} is below {}, at which rule {:?} reviews again",
                rule.value, rule.name
            );
            return Err(BadProfile::new("review.keep_reset", reason));
        }
    }
    Ok(())
}

/// Of the falling rules of one measure, the harsher the action the lower its threshold must be.
fn ordered(rules: &[RuleSettings]) -> Result<(), BadProfile> {
    let harsh = |rule: &RuleSettings| match rule.action {
        RuleAction::Lower | RuleAction::SetClass | RuleAction::Review => Some(0),
        RuleAction::Archive => Some(1),
        RuleAction::Forget => Some(2),
        RuleAction::Delete => Some(3),
        RuleAction::Activate | RuleAction::Mark => None,
    };
    let falls = |rule: &&RuleSettings| rule.op == Comparison::Below && rule.score_below.is_none();
    for mild in rules.iter().filter(falls) {
        for hard in rules.iter().filter(falls) {
            let common = mild.classes.is_empty()
                || hard.classes.is_empty()
                || mild
                    .classes
                    .iter()
                    .any(|class| hard.classes.contains(class));
            let harder = harsh(mild)
                .zip(harsh(hard))
                .is_some_and(|(mild, hard)| mild < hard);
            if mild.metric == hard.metric && common && harder && hard.value > mild.value {
                let reason = format!(
                    "{} is above {} of rule {:?}, which would never be reached",
                    hard.value, mild.value, mild.name
                );
                return Err(BadProfile::new(
                    format!("rules.{}.value", hard.name),
                    reason,
                ));
            }
        }
    }
    Ok(())
}

impl RuleSettings {
    pub(super) fn reviews(&self) -> bool {
        self.action == RuleAction::Review
    }

    pub(super) fn reviews_decay(&self) -> bool {
        self.reviews() && self.review == ReviewKind::Decay
    }
}
