use std::collections::BTreeSet;

use annals_types::{Role, Timestamp};
use serde::{Deserialize, Serialize};

/// Conversations with what should be found in them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labelled {
    /// Its name in reports.
    pub name: String,
    /// In the order in which they were held.
    pub talks: Vec<Talk>,
    /// Pairs of facts that are much alike and must stay two.
    #[serde(default)]
    pub apart: Vec<[String; 2]>,
    /// Questions asked once all talks are over.
    #[serde(default)]
    pub questions: Vec<Question>,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Talk {
    /// Its name, its session's too.
    pub id: String,
    /// The turns, in order.
    pub turns: Vec<Said>,
    /// Facts said for the first time.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// Facts said in an earlier talk already.
    #[serde(default)]
    pub again: Vec<Again>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// By whom; the user where nothing is said.
    #[serde(default = "user")]
    pub role: Role,
    /// The words.
    pub text: String,
    /// When; the time of the measurement where nothing is said.
    #[serde(default)]
    pub time: Option<Timestamp>,
}

const fn user() -> Role {
    Role::User
}

/// Something worth keeping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Its name within the set.
    pub id: String,
    /// As a person would note it.
    pub text: String,
    /// The kinds that are right for it; any when there are none.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Groups of words: a text says this when it holds one of each.
    #[serde(default)]
    pub says: Vec<Vec<String>>,
    /// Words that make it say something else.
    #[serde(default)]
    pub not: Vec<String>,
    /// Details that must survive word for word.
    #[serde(default)]
    pub details: Vec<String>,
}

/// A fact that is said again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// The fact.
    pub id: String,
    /// As a person would note what was said this time.
    pub text: String,
}

/// Something that is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Question {
    /// The words.
    pub q: String,
    /// The facts that answer it.
    pub facts: Vec<String>,
}

/// Why a document is no labelled set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadSet {
    /// It has another form.
    #[error("it does not have the form of a labelled set: {0}")]
    Form(#[source] serde_json::Error),
    /// Something names a fact that is not there, or not yet.
    #[error("{place} names the fact {id:?}, which is not there")]
    UnknownFact {
        /// Where.
        place: String,
        /// The name.
        id: String,
    },
    /// Two facts or talks have one name.
    #[error("{id:?} is there twice")]
    Twice {
        /// The name.
        id: String,
    },
    /// There is no way to see whether a text says a fact.
    #[error("the fact {id:?} has neither `says` nor `details`, so nothing can be found to say it")]
    Mute {
        /// Its name.
        id: String,
    },
}

impl Labelled {
    /// Reads a document and checks it.
    ///
    /// # Errors
    /// [`BadSet`].
    pub fn parse(bytes: &[u8]) -> Result<Self, BadSet> {
        let set: Self = serde_json::from_slice(bytes).map_err(BadSet::Form)?;
        set.check()?;
        Ok(set)
    }

    fn check(&self) -> Result<(), BadSet> {
        let (mut talks, mut facts) = (BTreeSet::new(), BTreeSet::new());
        let unknown = |place: String, id: &str| BadSet::UnknownFact {
            place,
            id: id.to_owned(),
        };
        for talk in &self.talks {
            if !talks.insert(talk.id.as_str()) {
                return Err(BadSet::Twice {
                    id: talk.id.clone(),
                });
            }
            if let Some(again) = talk
                .again
                .iter()
                .find(|again| !facts.contains(again.id.as_str()))
            {
                return Err(unknown(format!("the talk {:?}", talk.id), &again.id));
            }
            for fact in &talk.facts {
                if fact.says.iter().all(Vec::is_empty) && fact.details.is_empty() {
                    return Err(BadSet::Mute {
                        id: fact.id.clone(),
                    });
                }
                if !facts.insert(fact.id.as_str()) {
                    return Err(BadSet::Twice {
                        id: fact.id.clone(),
                    });
                }
            }
        }
        for question in &self.questions {
            if let Some(id) = question
                .facts
                .iter()
                .find(|id| !facts.contains(id.as_str()))
            {
                return Err(unknown(format!("the question {:?}", question.q), id));
            }
        }
        match self
            .apart
            .iter()
            .flatten()
            .find(|id| !facts.contains(id.as_str()))
        {
            Some(id) => Err(unknown("`apart`".to_owned(), id)),
            None => Ok(()),
        }
    }

    /// All facts, in the order in which they are said.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.talks.iter().flat_map(|talk| &talk.facts)
    }

    /// A fact by its name.
    #[must_use]
    pub fn fact(&self, id: &str) -> Option<&Fact> {
        self.facts().find(|fact| fact.id == id)
    }
}

impl Fact {
    /// Whether a text holds a word or the beginning of one, a number only whole; case and white
    /// space aside.
    pub(super) fn is_held(detail: &str, text: &str) -> bool {
        Plain::of(text).holds(&Plain::of(detail))
    }

    /// Whether a text says it.
    #[must_use]
    pub fn is_said_by(&self, text: &str) -> bool {
        let text = Plain::of(text);
        let holds = |word: &String| text.holds(&Plain::of(word));
        if self.not.iter().any(holds) {
            return false;
        }
        if self.says.is_empty() {
            return self.details.iter().all(holds);
        }
        self.says
            .iter()
            .all(|group| group.is_empty() || group.iter().any(holds))
    }
}

/// A text without white space, in lower case; with each character whether a word begins there.
struct Plain(Vec<(char, bool)>);

impl Plain {
    fn of(text: &str) -> Self {
        let mut inside = false;
        let mut plain = Vec::with_capacity(text.len());
        for c in text.chars() {
            let begins = !(inside && c.is_ascii_alphanumeric());
            inside = c.is_ascii_alphanumeric();
            if !c.is_whitespace() {
                plain.extend(c.to_lowercase().map(|lower| (lower, begins)));
            }
        }
        Self(plain)
    }

    /// Whether it holds a word or the beginning of one; a number only whole: neither 13 km nor Vim
    /// 91 hold 3 km and Vim 9.
    fn holds(&self, word: &Self) -> bool {
        let ends_in_digit = word.0.last().is_some_and(|(c, _)| c.is_ascii_digit());
        let places = self.0.windows(word.0.len().max(1)).enumerate();
        places.into_iter().any(|(at, window)| {
            let same = window
                .iter()
                .map(|(c, _)| c)
                .eq(word.0.iter().map(|(c, _)| c));
            let begins = window.first().is_some_and(|(_, begins)| *begins);
            let next = self.0.get(at + window.len());
            let goes_on =
                ends_in_digit && next.is_some_and(|(c, begins)| c.is_ascii_digit() && !begins);
            same && begins && !goes_on
        })
    }
}
