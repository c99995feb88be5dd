//! Kinds, classes, and how long what lives.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::{finite_above, known, share, unique};
use super::language::Wording;

/// The kinds of memories and the classes that decay and rules use.
///
/// A class is, in this order: the one given with the memory; [`pinned_class`](Self::pinned_class)
/// of a pinned memory; [`score_class`](Self::score_class) of a high one; that of its duration;
/// that of its kind; [`default_class`](Self::default_class); the name of its kind.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaxonomySettings {
    /// The kinds there are; none listed means that any is accepted.
    pub kinds: Vec<KindSettings>,
    /// The kind of a memory that comes without one.
    pub default_kind: Option<String>,
    /// Treatment of a kind that is not listed.
    pub unknown_kind: UnknownKind,
    /// The classes with other than plain properties.
    pub classes: Vec<ClassSettings>,
    /// The class of what nothing else says it of.
    pub default_class: Option<String>,
    /// The class of a pinned memory.
    pub pinned_class: Option<String>,
    /// A class that a high score gives.
    pub score_class: Option<ScoreClass>,
    /// The meanings of the words for durations.
    pub durations: Vec<DurationSettings>,
    /// The duration of what a person stores by hand, a word of [`durations`](Self::durations),
    /// where neither the person nor its kind says one.
    pub hand_duration: Option<String>,
    /// The sources that may store memories. Without any, every source may, and nothing follows
    /// from its name.
    pub sources: Vec<SourceSettings>,
    /// The source of a memory that comes without one.
    pub default_source: Option<String>,
    /// The source of a memory that a person stores by hand and that comes without one, where it is
    /// another.
    pub hand_source: Option<String>,
}

/// A source of memories, and what is made of those that do not say it themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceSettings {
    /// Its name.
    pub id: String,
    /// How sure its memories are, 0 to 1.
    pub confidence: f64,
    /// Whether a person confirmed them.
    pub verified: bool,
}

impl Default for SourceSettings {
    fn default() -> Self {
        Self {
            id: String::new(),
            confidence: 1.0,
            verified: false,
        }
    }
}

/// A kind of memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KindSettings {
    /// Its name.
    pub id: String,
    /// The name shown to people instead, if any.
    pub label: Option<Wording>,
    /// A sign beside the label.
    pub icon: Option<String>,
    /// Its class, unless the profile says it in another way.
    pub class: Option<String>,
    /// Its duration when none is given, a word of [`durations`](TaxonomySettings::durations).
    pub duration: Option<String>,
}

/// Treatment of a memory of a kind that is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownKind {
    /// It is stored as it is when no kinds are listed, refused otherwise.
    #[default]
    Reject,
    /// It gets the default kind.
    Default,
    /// It is stored as it is.
    Keep,
}

/// A class: what decay and rules go by.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassSettings {
    /// Its name.
    pub id: String,
    /// Days after which a memory of it expires, counted from its storing; never without.
    pub ttl_days: Option<f64>,
    /// Whether it keeps its value whatever the decay settings say, and no rule touches it.
    pub exempt: bool,
    /// Whether no rule and no review deletes or forgets it.
    pub undeletable: bool,
    /// Whether it goes with the session that it came from.
    pub session_bound: bool,
    /// Whether deleting a list of memories passes it over.
    pub kept_in_bulk: bool,
}

/// A class that memories of a high score get.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScoreClass {
    /// The class.
    pub class: String,
    /// The score from which on it is given.
    pub at_least: f64,
}

/// A word for how long a memory is to be kept.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DurationSettings {
    /// The word, such as `7d`.
    pub id: String,
    /// The class that comes with it.
    pub class: String,
    /// Days until it expires; never without.
    pub days: Option<f64>,
    /// Whether it goes with its session.
    pub session_bound: bool,
}

impl TaxonomySettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.id.as_str()).collect();
        unique("taxonomy.kinds", "id", kinds.iter().copied())?;
        unique(
            "taxonomy.classes",
            "id",
            self.classes.iter().map(|class| class.id.as_str()),
        )?;
        let durations: Vec<&str> = self
            .durations
            .iter()
            .map(|duration| duration.id.as_str())
            .collect();
        unique("taxonomy.durations", "id", durations.iter().copied())?;
        let sources: Vec<&str> = self
            .sources
            .iter()
            .map(|source| source.id.as_str())
            .collect();
        unique("taxonomy.sources", "id", sources.iter().copied())?;
        for source in &self.sources {
            share(
                &format!("taxonomy.sources.{}.confidence", source.id),
                source.confidence,
            )?;
        }
        for (key, source) in [
            ("taxonomy.default_source", &self.default_source),
            ("taxonomy.hand_source", &self.hand_source),
        ] {
            if let Some(source) = source {
                known(key, source, &sources)?;
            }
        }
        if let Some(kind) = &self.default_kind
            && !kinds.is_empty()
        {
            known("taxonomy.default_kind", kind, &kinds)?;
        }
        if self.unknown_kind == UnknownKind::Default && self.default_kind.is_none() {
            let reason = "\"default\" needs a default_kind".to_owned();
            return Err(BadProfile::new("taxonomy.unknown_kind", reason));
        }
        for kind in &self.kinds {
            if let Some(duration) = &kind.duration {
                known(
                    &format!("taxonomy.kinds.{}.duration", kind.id),
                    duration,
                    &durations,
                )?;
            }
        }
        for class in &self.classes {
            finite_above(
                &format!("taxonomy.classes.{}.ttl_days", class.id),
                class.ttl_days.unwrap_or(1.0),
            )?;
        }
        if let Some(duration) = &self.hand_duration {
            known("taxonomy.hand_duration", duration, &durations)?;
        }
        for duration in &self.durations {
            finite_above(
                &format!("taxonomy.durations.{}.days", duration.id),
                duration.days.unwrap_or(1.0),
            )?;
        }
        Ok(())
    }

    /// Every class that the profile names.
    #[must_use]
    pub fn class_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.classes.iter().map(|class| class.id.as_str()).collect();
        names.extend(
            self.kinds
                .iter()
                .map(|kind| kind.class.as_deref().unwrap_or(&kind.id)),
        );
        names.extend(
            self.durations
                .iter()
                .map(|duration| duration.class.as_str()),
        );
        names.extend(self.default_class.as_deref());
        names.extend(self.pinned_class.as_deref());
        names.extend(self.score_class.as_ref().map(|class| class.class.as_str()));
        names.sort_unstable();
        names.dedup();
        names
    }
}
