//! A language model as judge, extractor and summarizer.

mod answer;
mod condense;
mod extract;
#[cfg(test)]
mod fuzz;
mod interpret;
mod judge;
mod judgement;
mod length;
mod plan;
mod summarize;
#[cfg(test)]
mod tests;
mod verdict;

use std::sync::Arc;

use annals_language::Zone;
use annals_language::privacy::Filter;
use annals_messages::{Catalogue, Localizer};
use annals_types::profile::{CondenseSettings, ExtractSettings, Profile};
use annals_types::{Cancel, Count, JudgeError, Memory};

use crate::candidates::Form;
use crate::prompt::Voice;
use crate::provider::{Provider, Request, Speaker};
use crate::window::estimate;
use length::ModelAnswer;

/// A language model that does what memories need: it judges, finds and summarizes. Implements
/// [`Judge`](annals_types::Judge), [`Extractor`](annals_types::Extractor),
/// [`Interpreter`](annals_types::Interpreter) and [`Summarizer`](annals_types::Summarizer) by the
/// words and numbers of one profile, and sends nothing that the profile's privacy settings keep
/// back.
#[derive(Clone)]
pub struct Analyst {
    provider: Arc<dyn Provider>,
    settings: ExtractSettings,
    localizer: Localizer,
    form: Form,
    ask_direction: bool,
    promotes: bool,
    zone: Zone,
    condense: CondenseSettings,
    plan_chars: u32,
    filter: Filter,
    cancel: Cancel,
    count: Count,
}

impl std::fmt::Debug for Analyst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyst")
            .field("provider", &self.provider.name())
            .finish_non_exhaustive()
    }
}

impl Analyst {
    /// One that asks `provider` by the settings of `profile`. Tokens are [estimated](estimate).
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>, profile: &Profile) -> Self {
        Self {
            provider,
            settings: profile.extract.clone(),
            localizer: Localizer::new(Catalogue::shared(), profile.language.clone()),
            form: Form::of(profile),
            ask_direction: profile.graph.discovery.ask_direction,
            promotes: profile.review.promoted_class.is_some(),
            // A profile that is in use names a zone that there is.
            zone: Zone::named(&profile.time.zone).unwrap_or_else(|_| Zone::utc()),
            condense: profile.condense.clone(),
            plan_chars: profile.recall.plan_chars,
            // A profile that is in use has patterns that compile.
            filter: Filter::new(profile.privacy.clone()).unwrap_or_default(),
            cancel: Cancel::new(),
            count: Arc::new(estimate),
        }
    }

    /// Counts tokens so instead.
    #[must_use]
    pub fn count_tokens(mut self, count: Count) -> Self {
        self.count = count;
        self
    }

    /// Speaks in these messages instead of those that come along.
    #[must_use]
    pub fn localized(mut self, localizer: Localizer) -> Self {
        self.localizer = localizer;
        self
    }

    /// Sends only what this filter lets pass, in place of one for the settings of the profile.
    #[must_use]
    pub fn filtered_by(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Shows all turns of a window, however many messages the profile wants of a conversation: the
    /// caller that chose them has counted them.
    #[must_use]
    pub fn whole_windows(mut self) -> Self {
        self.settings.window_messages = 0;
        self
    }

    /// Gives up what is being asked once `cancel` is used.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The voice for a question about some texts: in the language of the profile, or in theirs.
    fn voice<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Voice {
        Voice::new(self.localizer.of(texts), &self.settings)
    }

    /// The voice for a question about a conversation.
    fn voice_of(&self, turns: &[Memory]) -> Voice {
        self.voice(turns.iter().map(|turn| turn.body.text.as_str()))
    }

    /// Redacts a question by the profile's privacy settings. Memories and conversations stand in
    /// the messages behind that of the application.
    fn redact(&self, request: &mut Request) {
        if !self.filter.allows_all() {
            for message in request
                .messages
                .iter_mut()
                .filter(|message| message.speaker != Speaker::System)
            {
                message.text = self.filter.redact_all(&message.text).into_owned();
            }
        }
    }

    /// An error without what is kept back: servers repeat what they were sent.
    fn redacted(&self, error: JudgeError) -> JudgeError {
        let redact = |text: String| self.filter.redact_all(&text).into_owned();
        let redact_source = |source: Box<dyn std::error::Error + Send + Sync>| {
            let told = source.to_string();
            if redact(told.clone()) == told {
                source
            } else {
                redact(told).into()
            }
        };
        match error {
            JudgeError::Unavailable { what, reason, wait } => JudgeError::Unavailable {
                what,
                reason: redact(reason),
                wait,
            },
            JudgeError::BadAnswer { what, answer } => JudgeError::BadAnswer {
                what,
                answer: redact(answer),
            },
            JudgeError::Refused { what, source } => JudgeError::Refused {
                what,
                source: redact_source(source),
            },
            JudgeError::Failed { what, source } => JudgeError::Failed {
                what,
                source: redact_source(source),
            },
            other => other,
        }
    }

    fn misunderstood(&self, answer: &ModelAnswer) -> JudgeError {
        JudgeError::BadAnswer {
            what: self.provider.name(),
            answer: answer.excerpt(),
        }
    }
}
