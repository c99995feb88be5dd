//! The initial state of a new memory: class, value, expiry.

use annals_types::Timestamp;
use annals_types::profile::{InitialScore, SourceSettings, UnknownKind};

use crate::curve::reaches;
use crate::policy::millis;
use crate::zone::DAY;
use crate::{LifecycleError, Policy};

/// The facts about a memory when it is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Birth {
    /// Its kind; the profile's default when empty.
    pub kind: String,
    /// The score that came with it.
    pub score: Option<f64>,
    /// The level that came with it, such as `high`.
    pub level: Option<String>,
    /// The class that came with it.
    pub class: Option<String>,
    /// The word for how long it is to be kept, such as `7d`.
    pub duration: Option<String>,
    /// When it is to expire, if that was said outright.
    pub expires_at: Option<Timestamp>,
    /// Whether a person said that it is to stay.
    pub pinned: bool,
    /// Whether a person stores it by hand.
    pub by_hand: bool,
}

/// The initial state of a new memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Its kind.
    pub kind: String,
    /// Its class.
    pub class: String,
    /// Its score.
    pub score: f64,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Whether it goes with its session.
    pub session_bound: bool,
    /// Whether it stays as it is because a person said so; not set where the profile has a class
    /// for that.
    pub pinned: bool,
    /// Whether the duration was none of the profile's words, so that the one of its kind was taken.
    pub unknown_duration: bool,
}

impl Policy {
    /// The kind of a new memory.
    ///
    /// # Errors
    /// [`LifecycleError::UnknownKind`] where the profile refuses kinds that it does not list;
    /// [`LifecycleError::NoKind`] where it has none by default.
    pub fn kind<'a>(&'a self, kind: &'a str) -> Result<&'a str, LifecycleError> {
        let taxonomy = &self.taxonomy;
        let default = taxonomy.default_kind.as_deref();
        if kind.is_empty() {
            return default.ok_or_else(|| LifecycleError::NoKind {
                allowed: self.kinds(),
            });
        }
        let known =
            taxonomy.kinds.is_empty() || taxonomy.kinds.iter().any(|known| known.id == kind);
        match taxonomy.unknown_kind {
            _ if known => Ok(kind),
            UnknownKind::Keep => Ok(kind),
            UnknownKind::Default => Ok(default.unwrap_or(kind)),
            UnknownKind::Reject => Err(self.unknown_kind(kind)),
        }
    }

    fn unknown_kind(&self, kind: &str) -> LifecycleError {
        LifecycleError::UnknownKind {
            kind: kind.to_owned(),
            allowed: self.kinds(),
        }
    }

    /// The kinds that it lists, in words.
    #[must_use]
    pub fn kinds(&self) -> String {
        let names: Vec<&str> = self
            .taxonomy
            .kinds
            .iter()
            .map(|kind| kind.id.as_str())
            .collect();
        names.join(", ")
    }

    /// Class, score and expiry of a memory stored at `now`.
    ///
    /// # Errors
    /// [`LifecycleError::UnknownKind`], [`LifecycleError::NoKind`] and
    /// [`LifecycleError::UnknownClass`].
    pub fn place(&self, birth: &Birth, now: Timestamp) -> Result<Placed, LifecycleError> {
        let kind = self.kind(&birth.kind)?;
        let score = self.initial(kind, birth.score, birth.level.as_deref());
        let of_kind = self.taxonomy.kinds.iter().find(|known| known.id == kind);
        let find = |word: &str| {
            self.taxonomy
                .durations
                .iter()
                .find(|known| known.id == word)
        };
        let given = birth.duration.as_deref().and_then(find);
        let duration = given.or_else(|| {
            let open = birth.class.is_none() || birth.duration.is_some();
            let by_hand = birth.by_hand && birth.expires_at.is_none();
            let of_kind = of_kind.and_then(|kind| kind.duration.as_deref());
            let of_hand = self.taxonomy.hand_duration.as_deref().filter(|_| by_hand);
            of_kind.or(of_hand).filter(|_| open).and_then(find)
        });
        let class = if let Some(class) = &birth.class {
            class.as_str()
        } else {
            let pinned = self
                .taxonomy
                .pinned_class
                .as_deref()
                .filter(|_| birth.pinned);
            let high = self
                .taxonomy
                .score_class
                .as_ref()
                .filter(|class| reaches(score, class.at_least));
            pinned
                .or(high.map(|class| class.class.as_str()))
                .or(duration.map(|duration| duration.class.as_str()))
                .or(of_kind.and_then(|kind| kind.class.as_deref()))
                .or(self.taxonomy.default_class.as_deref())
                .unwrap_or(kind)
        };
        let known = self.class(self.class_id(class));
        if birth.class.is_some() && known.name.is_empty() {
            return Err(self.unknown_class(class));
        }
        let lives = match duration {
            Some(duration) => duration.days.map(|days| millis(days, DAY)),
            None => known.ttl,
        };
        Ok(Placed {
            kind: kind.to_owned(),
            class: class.to_owned(),
            score,
            expires_at: birth
                .expires_at
                .or(lives.map(|millis| now.plus_millis(millis))),
            pinned: birth.pinned && self.taxonomy.pinned_class.is_none(),
            session_bound: duration.map_or(known.session_bound, |duration| duration.session_bound),
            unknown_duration: birth.duration.is_some() && given.is_none(),
        })
    }

    /// The settings of the source of a new memory; `None` where the profile makes nothing of
    /// sources.
    ///
    /// # Errors
    /// [`LifecycleError::UnknownSource`] for one that the profile does not list.
    pub fn source(&self, given: Option<&str>) -> Result<Option<&SourceSettings>, LifecycleError> {
        let taxonomy = &self.taxonomy;
        let Some(name) = given.or(taxonomy.default_source.as_deref()) else {
            return Ok(None);
        };
        let known = taxonomy.sources.iter().find(|source| source.id == name);
        if known.is_none() && !taxonomy.sources.is_empty() {
            let names: Vec<&str> = taxonomy
                .sources
                .iter()
                .map(|source| source.id.as_str())
                .collect();
            return Err(LifecycleError::UnknownSource {
                source_name: name.to_owned(),
                allowed: names.join(", "),
            });
        }
        Ok(known)
    }

    pub(crate) fn unknown_class(&self, class: &str) -> LifecycleError {
        LifecycleError::UnknownClass {
            class: class.to_owned(),
            allowed: self.taxonomy.class_names().join(", "),
        }
    }

    /// The first score of a memory.
    #[must_use]
    pub fn initial(&self, kind: &str, given: Option<f64>, level: Option<&str>) -> f64 {
        let set = &self.score;
        let first = match set.initial {
            InitialScore::Given => given.filter(|score| !score.is_nan()),
            InitialScore::Kind => None,
            InitialScore::Level => level
                .map(|level| set.by_level.get(level).copied().unwrap_or(set.fallback))
                .or(given),
        };
        self.bounded(
            first
                .or_else(|| set.by_kind.get(kind).copied())
                .unwrap_or(set.fallback),
        )
    }
}
