//! When conversations are looked through for what is worth keeping, and how.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::finite_from;
use super::language::Wording;

/// When conversations are looked through for what is worth keeping, and how. By default never.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractSettings {
    /// The form of answer that a model is asked for.
    pub answer: AnswerForm,
    /// Events that begin an extraction by themselves; asking for one is always possible.
    pub triggers: Vec<ExtractTrigger>,
    /// `round`: after every so many rounds of a session (1).
    pub every_rounds: u32,
    /// The most messages of a window, the newest; 0 is all since the last extraction.
    pub window_messages: u32,
    /// The most tokens of a window; 0 is no limit.
    pub max_tokens: u32,
    /// Treatment of a window that has more.
    pub over_limit: OverLimit,
    /// Tokens of a conversation that are summarized at once, where `max_tokens` does not say
    /// (8000).
    pub summary_tokens: u32,
    /// The most turns that the night looks through at once, where `window_messages` has a limit
    /// (10).
    pub night_turns: u32,
    /// Characters below which a message of the user begins no extraction; 0 is none.
    pub min_chars: u32,
    /// `idle`: after so many minutes without a turn (30).
    pub idle_minutes: f64,
    /// Extractions that begin by themselves in one session; 0 is no limit.
    pub max_per_session: u32,
    /// The most memories that are shown with the window.
    pub shown: u32,
    /// Which of them.
    pub shown_by: ShownBy,
    /// The least worth of a memory that is shown.
    pub shown_min: f64,
    /// Characters of each of them that are shown, the first ones (400); 0 is no limit.
    pub shown_chars: u32,
    /// Tokens of all of them together (3000), above which the last ones are left out; 0 is no
    /// limit.
    pub shown_tokens: u32,
    /// `recall`: characters of the window, from its beginning, by which they are looked for (4096);
    /// 0 is no limit.
    pub asked_chars: u32,
    /// Whether what is found is stored at once; otherwise a person confirms it first (true).
    pub auto: bool,
    /// For how many days a memory that an answer lets go is only forgotten, and the decision can be
    /// taken back, before it is deleted (7): a model mistakes what was meant, and what it was shown
    /// may tell it to. 0 deletes at once.
    pub delete_after_days: f64,
    /// The source of triples for memories that were found.
    pub triples: TripleSource,
    /// The name of the source that memories which were found carry.
    pub source: String,
    /// How sure they are when the answer does not say, 0 to 1 (0.8).
    pub confidence: f64,
    /// The field of a candidate's kind in answers: `type` (default) or `category`.
    pub kind_field: String,
    /// The name of the user in prompts.
    pub user_label: Wording,
    /// The name of the assistant in prompts.
    pub assistant_label: Wording,
}

/// The form of answer that a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// Nothing: no model is asked.
    #[default]
    None,
    /// Commands: `[ADD]`, `[UPDATE:id]`, `[BOOST:id]`, `[DELETE:id]`, `[SKIP]`.
    Commands,
    /// A list of candidates as JSON.
    Json,
    /// Calls of tools while the conversation runs.
    Tools,
}

/// The source of triples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TripleSource {
    /// None: the caller that stores a memory adds them.
    #[default]
    None,
    /// The answer in which a memory was found, in its `subject`, `predicate` and `object`.
    Answer,
    /// A model that is asked about each memory by itself, once it is stored. A memory that comes
    /// with triples is not asked about.
    Model,
}

/// Events that begin an extraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractTrigger {
    /// A round of the conversation is over: a question and its answer.
    Round,
    /// The user said something.
    Message,
    /// The session is closed or another one begun.
    SessionEnd,
    /// The session was idle for long.
    Idle,
    /// The conversation is being shortened.
    Compress,
    /// A heartbeat has run.
    Heartbeat,
    /// The job that works off the queue finds turns that were never looked through.
    Night,
}

/// Treatment of a window with too many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverLimit {
    /// The oldest messages are left out; a single one that is too long loses its middle.
    #[default]
    Truncate,
    /// A summary is looked through instead.
    Summarize,
}

/// Which memories are shown with a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownBy {
    /// Memories that recall finds for the window.
    #[default]
    Recall,
    /// Memories worth most.
    Worth,
}

impl Default for ExtractSettings {
    fn default() -> Self {
        Self {
            answer: AnswerForm::None,
            triggers: Vec::new(),
            every_rounds: 1,
            window_messages: 0,
            max_tokens: 0,
            over_limit: OverLimit::Truncate,
            summary_tokens: 8000,
            night_turns: 10,
            min_chars: 0,
            idle_minutes: 30.0,
            max_per_session: 0,
            shown: 10,
            shown_by: ShownBy::Recall,
            shown_min: 0.0,
            shown_chars: 400,
            shown_tokens: 3000,
            asked_chars: 4096,
            auto: true,
            delete_after_days: 7.0,
            triples: TripleSource::None,
            source: "extraction".to_owned(),
            confidence: 0.8,
            kind_field: "type".to_owned(),
            user_label: Wording::message("user"),
            assistant_label: Wording::message("assistant"),
        }
    }
}

impl ExtractSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        if self.every_rounds == 0 {
            return Err(BadProfile::new(
                "extract.every_rounds",
                "0 rounds never pass; leave the trigger out".to_owned(),
            ));
        }
        for (key, number) in [
            ("extract.summary_tokens", self.summary_tokens),
            ("extract.night_turns", self.night_turns),
        ] {
            if number == 0 {
                return Err(BadProfile::new(
                    key,
                    "0 at once never come to an end".to_owned(),
                ));
            }
        }
        finite_from("extract.shown_min", self.shown_min)?;
        finite_from("extract.idle_minutes", self.idle_minutes)?;
        finite_from("extract.delete_after_days", self.delete_after_days)?;
        super::check::share("extract.confidence", self.confidence)?;
        for (key, label) in [
            ("extract.user_label", &self.user_label),
            ("extract.assistant_label", &self.assistant_label),
        ] {
            if let Wording::Text(label) = label
                && (label.trim().is_empty() || label.chars().any(char::is_control))
            {
                return Err(BadProfile::new(
                    key,
                    format!("{label:?} is no name on one line"),
                ));
            }
        }
        Ok(())
    }

    /// Whether a trigger begins extractions.
    #[must_use]
    pub fn begins_at(&self, trigger: ExtractTrigger) -> bool {
        matches!(self.answer, AnswerForm::Commands | AnswerForm::Json)
            && self.triggers.contains(&trigger)
    }
}
