use annals_types::Timestamp;
use annals_types::profile::{
    Comparison, ConflictSettings, DecayPersist, DecaySettings, Edge, Metric, Profile,
    QueueSettings, ReinforceSettings, ReviewKind, ReviewSettings, RuleAction, RuleSettings,
    ScoreSettings, Signal, TaxonomySettings,
};
use annals_types::{Status, Timestamp as Moment};

use crate::zone::{DAY, HOUR};
use crate::{LifecycleError, Zone};

/// The number of a class within a [`Policy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub(crate) u8);

/// The settings of a profile, checked and made ready for use.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub(crate) zone: Zone,
    pub(crate) taxonomy: TaxonomySettings,
    pub(crate) score: ScoreSettings,
    pub(crate) decay: DecaySettings,
    pub(crate) reinforce: ReinforceSettings,
    pub(crate) review: ReviewSettings,
    pub(crate) queue: QueueSettings,
    pub(crate) conflict: ConflictSettings,
    pub(crate) rules: Vec<Rule>,
    /// The last one is for classes that the profile does not know.
    classes: Vec<Class>,
}

/// A class with everything that the profile says of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) ln_rate: f64,
    pub(crate) grace: f64,
    pub(crate) ttl: Option<i64>,
    pub(crate) exempt: bool,
    pub(crate) undeletable: bool,
    pub(crate) session_bound: bool,
}

/// A rule with its classes as a set of bits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    /// FNV-1a of the name; what it fired on is stored under it.
    pub(crate) id: u32,
    pub(crate) set: RuleSettings,
    pub(crate) classes: [u64; 4],
    pub(crate) statuses: u8,
}

/// The most classes a profile can have.
const CLASSES: usize = 255;

impl Policy {
    /// Checks a profile and takes what concerns the lifecycle from it.
    ///
    /// # Errors
    /// [`LifecycleError::BadProfile`] naming the key that is wrong;
    /// [`LifecycleError::UnknownZone`].
    pub fn new(profile: &Profile) -> Result<Self, LifecycleError> {
        profile.check()?;
        let classes = classes(profile)?;
        let rules = profile
            .rules
            .iter()
            .map(|rule| Rule::new(rule, &classes))
            .collect();
        Ok(Self {
            zone: Zone::named(&profile.time.zone)?,
            taxonomy: profile.taxonomy.clone(),
            score: profile.score.clone(),
            decay: profile.decay.clone(),
            reinforce: profile.reinforce.clone(),
            review: profile.review.clone(),
            queue: profile.queue.clone(),
            conflict: profile.conflict.clone(),
            rules,
            classes,
        })
    }

    /// The zone of its days.
    #[must_use]
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The signal that it reinforces by.
    #[must_use]
    pub fn signal(&self) -> Signal {
        self.reinforce.signal
    }

    /// The factor by which a contradiction multiplies the score, where the profile penalises it.
    #[must_use]
    pub fn penalty(&self) -> f64 {
        self.conflict.penalty
    }

    /// Whether nothing decays and no rule acts, so that memories need no state until they are used.
    #[must_use]
    pub fn is_neutral(&self) -> bool {
        let still = |class: &Class| class.ln_rate == 0.0 && class.ttl.is_none();
        self.rules.is_empty()
            && self.classes.iter().all(still)
            && self.taxonomy.durations.is_empty()
    }

    /// The number of a class; that of plain memories for a name that the profile does not know.
    #[must_use]
    pub fn class_id(&self, name: &str) -> ClassId {
        let plain = self.classes.len().saturating_sub(1);
        let at = self
            .classes
            .iter()
            .take(plain)
            .position(|class| class.name == name)
            .unwrap_or(plain);
        ClassId(u8::try_from(at).unwrap_or(u8::MAX))
    }

    /// The classes that the profile names.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.classes
            .iter()
            .map(|class| class.name.as_str())
            .filter(|name| !name.is_empty())
    }

    pub(crate) fn class(&self, id: ClassId) -> &Class {
        static PLAIN: Class = Class::plain();
        self.classes.get(usize::from(id.0)).unwrap_or(&PLAIN)
    }

    /// Hours that must lie between two passes, in milliseconds.
    pub(crate) fn pass_gap(&self) -> i64 {
        millis(self.decay.min_pass_interval_hours, HOUR)
    }

    pub(crate) fn in_place(&self) -> bool {
        self.decay.persist == DecayPersist::InPlace
    }

    /// A score kept inside the bounds of the profile.
    #[must_use]
    pub fn bounded(&self, score: f64) -> f64 {
        if score.is_nan() {
            self.score.min
        } else {
            score.clamp(self.score.min, self.score.max)
        }
    }

    /// Whether a pass may take place: none within the least interval after the last.
    #[must_use]
    pub fn pass_allowed(&self, last: Option<Timestamp>, now: Moment) -> bool {
        last.is_none_or(|last| now > last && now.millis_since(last) >= self.pass_gap())
    }
}

/// A number of days or hours in milliseconds, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    reason = "from floats `as` saturates, which is meant: a span beyond all time"
)]
pub(crate) fn millis(count: f64, each: i64) -> i64 {
    // The widest range of time is 3.2e14 ms, so that a float holds every millisecond of it.
    (count * each as f64).floor() as i64
}

/// Milliseconds as days.
pub(crate) fn days(millis: i64) -> f64 {
    millis as f64 / DAY as f64
}

impl Class {
    const fn plain() -> Self {
        Self {
            name: String::new(),
            ln_rate: 0.0,
            grace: 0.0,
            ttl: None,
            exempt: false,
            undeletable: false,
            session_bound: false,
        }
    }
}

fn classes(profile: &Profile) -> Result<Vec<Class>, LifecycleError> {
    let taxonomy = &profile.taxonomy;
    let mut names: Vec<String> = taxonomy
        .class_names()
        .into_iter()
        .map(ToOwned::to_owned)
        .collect();
    names.extend(
        profile
            .decay
            .classes
            .keys()
            .filter(|name| !taxonomy.class_names().contains(&name.as_str()))
            .cloned(),
    );
    if names.len() >= CLASSES {
        return Err(LifecycleError::TooManyClasses {
            count: names.len(),
            limit: CLASSES - 1,
        });
    }
    let made = names.into_iter().map(|name| {
        let set = taxonomy.classes.iter().find(|class| class.id == name);
        let decay = profile.decay.classes.get(&name);
        Class {
            ln_rate: decay.map_or(0.0, annals_types::profile::ClassDecay::ln_rate),
            grace: decay.map_or(0.0, |decay| decay.grace_days),
            ttl: set.and_then(|set| set.ttl_days).map(|ttl| millis(ttl, DAY)),
            exempt: set.is_some_and(|set| set.exempt),
            undeletable: set.is_some_and(|set| set.undeletable),
            session_bound: set.is_some_and(|set| set.session_bound),
            name,
        }
    });
    Ok(made.chain([Class::plain()]).collect())
}

impl Policy {
    /// Whether what has expired is lowered and put away under this policy, instead of being over:
    /// in the archive it can be found then.
    pub(crate) fn archives_expired(&self, class: ClassId) -> bool {
        let lowers = |rule: &Rule| {
            rule.set.metric == Metric::Expires && rule.set.action == RuleAction::Lower
        };
        self.rules
            .iter()
            .any(|rule| lowers(rule) && rule.is_for(class, Status::Active))
    }
}

impl Rule {
    fn new(set: &RuleSettings, classes: &[Class]) -> Self {
        let mut bits = [0_u64; 4];
        for (at, class) in classes.iter().enumerate() {
            if (set.classes.is_empty() || set.classes.contains(&class.name))
                && let Some(word) = bits.get_mut(at / 64)
            {
                *word |= 1 << (at % 64);
            }
        }
        let chosen = if set.statuses.is_empty() {
            sensible(set.action)
        } else {
            &set.statuses
        };
        let statuses = chosen.iter().map(|status| 1 << status.to_byte()).sum();
        Self {
            id: name_hash(&set.name),
            set: set.clone(),
            classes: bits,
            statuses,
        }
    }

    pub(crate) fn is_for(&self, class: ClassId, status: Status) -> bool {
        let word = self
            .classes
            .get(usize::from(class.0) / 64)
            .copied()
            .unwrap_or(0);
        word & (1 << (class.0 % 64)) != 0 && self.statuses & (1 << status.to_byte()) != 0
    }

    /// Whether only a change of the memory, never time alone, can make it hold.
    pub(crate) fn waits_for_change(&self) -> bool {
        matches!(self.set.metric, Metric::Retention | Metric::Score)
            && self.set.op != Comparison::Below
    }

    /// Whether it fires only once until it has not held.
    pub(crate) fn once(&self) -> bool {
        self.set.edge != Edge::Level
    }

    pub(crate) fn promotes(&self) -> bool {
        self.set.action == RuleAction::Review && self.set.review == ReviewKind::Promote
    }
}

/// The statuses in which an action makes sense.
fn sensible(action: RuleAction) -> &'static [Status] {
    match action {
        RuleAction::Archive | RuleAction::Lower | RuleAction::Review => {
            &[Status::Staged, Status::Active]
        }
        RuleAction::Activate => &[Status::Archived],
        RuleAction::Forget => &[Status::Staged, Status::Active, Status::Archived],
        RuleAction::SetClass | RuleAction::Delete | RuleAction::Mark => Status::ALL,
    }
}

/// FNV-1a, 32 bits (Fowler, Noll, Vo).
fn name_hash(name: &str) -> u32 {
    name.bytes().fold(0x811C_9DC5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
