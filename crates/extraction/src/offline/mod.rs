//! Facts without a language model: a few rules for what people say of themselves plainly, in English and Chinese.
//!
//! Precision goes before coverage: a clause must begin with a phrase that says what it is ("I live in", 我住在), and go on with
//! something that fits. Questions, conditions, wishes and quotations are left alone. What is found is marked as unverified, has the turn as
//! its source, and holds the words of the turn; a Chinese clause that leaves its subject out is given it again.
//!
//! ```
//! use annals_extraction::Zone;
//! use annals_extraction::offline::claims;
//! use annals_extraction::time::Said;
//!
//! let said = Said::at("2026-03-18T10:00:00Z".parse()?, Zone::utc());
//! let found = claims("Hi! I live in Berlin now. Do you like it there?", &said);
//! assert_eq!(found.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["I live in Berlin now"]);
//! # Ok::<(), annals_types::InvalidValue>(())
//! ```

mod chinese;
mod clause;
mod ended;
mod english;
mod technical;

use std::borrow::Cow;
use std::collections::BTreeMap;

use annals_types::profile::{ConflictStrategy, PrivacySettings, Profile};
use annals_types::{
    ExtractWindow, Extracted, Extractor, InvalidValue, JudgeError, Memory, MemoryId, NewMemory, Role, Shown, Timestamp,
};

use crate::Zone;
use crate::privacy::{Filter, Screened};
use crate::time::Said;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// What somebody is called.
    Name,
    /// When somebody was born.
    Birthday,
    /// Where somebody lives or comes from.
    Place,
    /// What somebody does for a living.
    Work,
    /// What somebody likes or does not.
    Preference,
    /// Family and animals.
    Family,
    /// What must not be eaten or done.
    Health,
    /// What somebody is going to do at a time that is named.
    Plan,
    /// What somebody builds, and with what.
    Project,
    /// What something cannot do or asks for, and what went wrong.
    Lesson,
    /// What somebody does again and again.
    Habit,
}

impl Topic {
    /// All of them, in the order of [`TOPICS`](annals_types::profile::TOPICS).
    pub const ALL: [Self; 11] = [
        Self::Name,
        Self::Birthday,
        Self::Place,
        Self::Work,
        Self::Preference,
        Self::Family,
        Self::Health,
        Self::Plan,
        Self::Project,
        Self::Lesson,
        Self::Habit,
    ];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Birthday => "birthday",
            Self::Place => "place",
            Self::Work => "work",
            Self::Preference => "preference",
            Self::Family => "family",
            Self::Health => "health",
            Self::Plan => "plan",
            Self::Project => "project",
            Self::Lesson => "lesson",
            Self::Habit => "habit",
        }
    }

    /// Whether somebody has one of it at a time, so that a new one takes the place of the old.
    const fn is_single(self) -> bool {
        matches!(self, Self::Name | Self::Birthday | Self::Place | Self::Work)
    }
}

/// Something that a text says of who said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub topic: Topic,
    /// The clause, in its own words.
    pub text: String,
    /// Whether it puts right what was said before: "actually", 不对.
    pub correction: bool,
}

/// What a text says of who said it.
#[must_use]
pub fn claims(text: &str, said: &Said) -> Vec<Claim> {
    let mut found: Vec<Claim> = Vec::new();
    let mut before: Option<Claim> = None;
    for clause in clause::clauses(text, said) {
        let claim = claim(&clause, said).or_else(|| continued(before.as_ref()?, &clause, said));
        found.extend(claim.clone().filter(|claim| !found.contains(claim)));
        before = claim;
    }
    found
}

/// A clause without a subject, which goes on with that of the claim before it: 我喜欢茶，不喜欢咖啡.
fn continued(before: &Claim, clause: &clause::Clause, said: &Said) -> Option<Claim> {
    if !clause.goes_on || !chinese::goes_on(before, &clause.text) {
        return None;
    }
    let whole = clause::Clause { text: format!("{}{}", chinese::ME, clause.text), ..clause.clone() };
    claim(&whole, said).filter(|claim| before.topic != Topic::Preference || claim.topic == Topic::Preference)
}

fn claim(clause: &clause::Clause, said: &Said) -> Option<Claim> {
    english::claim(clause, said).or_else(|| chinese::claim(clause, said)).or_else(|| {
        let topic = technical::topic(clause)?;
        Some(Claim { topic, text: clause.text.clone(), correction: clause.correction })
    })
}

/// An [`Extractor`] that needs no model.
#[derive(Debug, Clone, Default)]
pub struct Offline {
    zone: Zone,
    /// Kinds of memories by topic; the profile's default kind for topics that are not listed.
    kinds: BTreeMap<String, String>,
    filter: Filter,
    /// Another name for what it found.
    source: Option<String>,
    /// Whether what puts a known memory right takes its place, because the profile has no other way for what is contradicted.
    replaces: bool,
}

impl Offline {
    /// The name under which it stores what it found, where it is given no other.
    pub const SOURCE: &str = "offline";
    /// How sure its findings are.
    pub const CONFIDENCE: f32 = 0.7;

    /// An extractor that reads times in a zone.
    #[must_use]
    pub fn new(zone: Zone) -> Self {
        Self { zone, ..Self::default() }
    }

    /// One by the settings of a profile: its zone, its kinds by topic (`extract.topics`), the source of what is found, and what must be kept
    /// back.
    ///
    /// # Errors
    /// When this system has no such time zone.
    pub fn of(profile: &Profile) -> Result<Self, InvalidValue> {
        let offline = Self::new(Zone::named(&profile.time.zone)?);
        let sources = &profile.taxonomy.sources;
        let known = sources.is_empty() || sources.iter().any(|source| source.id == Self::SOURCE);
        let source = if known { Self::SOURCE } else { profile.extract.source.as_str() };
        Ok(Self {
            replaces: matches!(profile.conflict.strategy, ConflictStrategy::Commands | ConflictStrategy::UpdateInPlace),
            kinds: profile.extract.topics.iter().map(|(topic, kind)| (topic.clone(), kind.clone())).collect(),
            ..offline.source(source).privacy(profile.privacy.clone())
        })
    }

    /// The kind of memories of a topic.
    #[must_use]
    pub fn kind(mut self, topic: Topic, kind: impl Into<String>) -> Self {
        self.kinds.insert(topic.as_str().to_owned(), kind.into());
        self
    }

    /// Stores what it found under another name: one of the sources of the profile, where that has a list of them.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>) -> Self {
        self.source = Some(name.into());
        self
    }

    /// What it must keep back.
    #[must_use]
    pub fn privacy(mut self, settings: PrivacySettings) -> Self {
        self.filter = Filter::new(settings);
        self
    }

    fn heard_in(&self, turn: &Memory) -> Vec<Claim> {
        let said = self.said(turn).looking_ahead();
        let text = self.told_in(turn);
        let masked = text != turn.body.text;
        claims(&text, &said).into_iter().filter(|claim| !masked || !claim.text.contains('[')).collect()
    }

    /// When and where a turn was said.
    fn said(&self, turn: &Memory) -> Said {
        Said::at(said_at(turn), self.zone.clone())
    }

    /// What the user says in a turn, without what is kept back.
    fn told_in<'a>(&self, turn: &'a Memory) -> Cow<'a, str> {
        if turn.body.turn.as_ref().is_some_and(|turn| turn.role != Role::User) {
            return Cow::Borrowed("");
        }
        match self.filter.screen(&turn.body.text) {
            Screened::Clean => Cow::Borrowed(&turn.body.text),
            Screened::Masked { text, .. } => Cow::Owned(text),
            Screened::Rejected { .. } => Cow::Borrowed(""),
        }
    }

    fn memory(&self, turn: &Memory, claim: &Claim) -> Result<NewMemory, InvalidValue> {
        let speaker = turn.body.turn.as_ref().and_then(|t| t.speaker.as_ref());
        let text = match speaker {
            Some(name) => format!("{name}: {}", claim.text),
            None => claim.text.clone(),
        };
        let mut builder = NewMemory::builder(text)
            .confidence(Self::CONFIDENCE)
            .verified(false)
            .source(self.source.as_deref().unwrap_or(Self::SOURCE))
            .derived_from(turn.id)
            .event_time(said_at(turn))
            .metadata("topic", claim.topic.as_str());
        if let Some(kind) = self.kinds.get(claim.topic.as_str()) {
            builder = builder.kind(kind.clone());
        }
        builder.build()
    }
}

impl Offline {
    /// The memories among which one says what a correction puts right: those that are known, that it may say otherwise now, and among these
    /// the first that says it in the same form.
    fn wrong(&self, turn: &Memory, claim: &Claim, known: &[&Shown]) -> (Vec<MemoryId>, Option<MemoryId>) {
        let said = self.said(turn);
        let speaks_of = |text: &str| claims(bare(text), &said).iter().any(|old| old.topic == claim.topic);
        let wrong: Vec<&&Shown> = known.iter().filter(|shown| speaks_of(&shown.text)).collect();
        let replaced = wrong.iter().find(|shown| self.replaces && same_form(bare(&shown.text), &claim.text));
        let replaced = replaced.map(|shown| shown.id);
        (wrong.iter().map(|shown| shown.id).filter(|id| Some(*id) != replaced).collect(), replaced)
    }

    /// What a turn says is no longer so, of what is known: its place is taken where the profile has no other way for what is contradicted.
    fn over(&self, turn: &Memory, known: &[&Shown]) -> Result<Vec<Extracted>, InvalidValue> {
        let said = self.said(turn);
        let mut found = Vec::new();
        for (text, before) in self.ended_in(turn) {
            for shown in known.iter().filter(|shown| ended::says(bare(&shown.text), &before)) {
                let topic = claims(bare(&shown.text), &said).first().map(|claim| claim.topic);
                found.push(match topic.filter(|_| self.replaces) {
                    Some(topic) => {
                        let claim = Claim { topic, text: text.clone(), correction: true };
                        Extracted::Update(shown.id, self.memory(turn, &claim)?)
                    }
                    None => Extracted::Contradicted { id: shown.id, by: Some(turn.id) },
                });
            }
        }
        Ok(found)
    }

    /// The clauses of a turn that say that something is no longer so, with what was so.
    fn ended_in(&self, turn: &Memory) -> Vec<(String, String)> {
        let said = self.said(turn);
        let clauses = clause::clauses(&self.told_in(turn), &said).into_iter();
        clauses.filter_map(|clause| ended::ended(&clause.text).map(|before| (clause.text, before))).collect()
    }
}

/// When a turn was said, as far as is known.
fn said_at(turn: &Memory) -> Timestamp {
    turn.body.event_time.unwrap_or(turn.stored_at)
}

/// A text without the name of who said it.
fn bare(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, rest)| rest)
}

/// Whether two claims begin alike, so that only what they say differs: "I live in Berlin", "I live in Munich"; not "I grew up in Sweden".
fn same_form(one: &str, other: &str) -> bool {
    let begin = |text: &str| -> String {
        match text.starts_with(|c: char| c.is_ascii()) {
            true => text.split_whitespace().take(2).collect::<Vec<_>>().join(" ").to_lowercase(),
            false => text.chars().take(2).collect(),
        }
    };
    begin(one) == begin(other)
}

impl Extractor for Offline {
    fn name(&self) -> String {
        Self::SOURCE.to_owned()
    }

    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        // Each with the claim of which it was made, which a later clause may put right.
        let mut answers: Vec<(Option<Claim>, Extracted)> = Vec::new();
        let bad =
            |error: InvalidValue| JudgeError::BadAnswer { what: Self::SOURCE.to_owned(), answer: error.to_string() };
        for turn in window.turns {
            // What was told later is not put right by what was said before.
            let known: Vec<&Shown> = window.known.iter().filter(|shown| shown.time <= said_at(turn)).collect();
            for (_, before) in self.ended_in(turn) {
                // What is over already is not stored at all.
                answers.retain(|(old, _)| !old.as_ref().is_some_and(|old| ended::says(&old.text, &before)));
            }
            answers.extend(self.over(turn, &known).map_err(bad)?.into_iter().map(|found| (None, found)));
            for claim in self.heard_in(turn) {
                let memory = self.memory(turn, &claim).map_err(bad)?;
                // It took the place of what it ends.
                if answers
                    .iter()
                    .any(|(_, known)| matches!(known, Extracted::Update(_, by) if by.text() == memory.text()))
                {
                    continue;
                }
                let corrects = claim.correction && claim.topic.is_single();
                if corrects {
                    // What was said wrongly a moment ago is not stored at all.
                    let wrong = |old: &Claim| old.topic == claim.topic && same_form(&old.text, &claim.text);
                    answers.retain(|(old, _)| !old.as_ref().is_some_and(wrong));
                }
                // What is known already is of use again; what it says otherwise contradicts it, where there can be one only.
                if let Some(shown) = window.known.iter().find(|shown| shown.text == memory.text()) {
                    answers.push((None, Extracted::Used(shown.id)));
                    continue;
                }
                let (contradicted, replaced) = match corrects {
                    true => self.wrong(turn, &claim, &known),
                    false => (Vec::new(), None),
                };
                let by = Some(turn.id);
                answers.extend(contradicted.into_iter().map(|id| (None, Extracted::Contradicted { id, by })));
                let found = replaced.map_or(Extracted::Add(memory.clone()), |id| Extracted::Update(id, memory));
                answers.push((Some(claim), found));
            }
        }
        Ok(answers.into_iter().map(|(_, found)| found).collect())
    }
}
