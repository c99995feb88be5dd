use annals_types::{EpisodeDraft, JudgeError, Memory, Summarizer};
use serde_json::Value;

use super::Analyst;
use crate::json::{field, find, text};
use crate::prompt::{Line, Voice, lines, render};
use crate::provider::{Message, Request};
use crate::reply::says;
use crate::window::pieces;
use annals_language::one_line;

/// The most entities of an episode.
const MAX_ENTITIES: usize = 64;

impl Analyst {
    fn piece(&self) -> usize {
        let tokens = match self.settings.max_tokens {
            0 => self.settings.summary_tokens,
            tokens => tokens,
        };
        usize::try_from(tokens).unwrap_or(usize::MAX)
    }

    /// A summary of messages; of very many, one of each piece.
    pub(super) fn shorten(&self, voice: &Voice, lines: &[Line]) -> Result<String, JudgeError> {
        let mut parts = Vec::new();
        for piece in pieces(lines, self.piece(), &*self.count) {
            let messages = vec![
                Message::system(voice.say("summarize", &[])),
                Message::user(render(&piece)),
            ];
            let said = self.say(Request::new("summarize", messages))?;
            let summary = said.sentences();
            if !says(&summary) {
                return Err(self.misunderstood(&said));
            }
            parts.push(summary);
        }
        Ok(parts.join("\n"))
    }
}

impl Summarizer for Analyst {
    fn summarize(&self, turns: &[Memory]) -> Result<String, JudgeError> {
        let voice = self.voice_of(turns);
        self.shorten(&voice, &lines(turns, &voice))
    }

    /// Goal, outcome and entities as well, when the model gives them; otherwise the summary alone.
    fn episode(&self, turns: &[Memory]) -> Result<EpisodeDraft, JudgeError> {
        let voice = self.voice_of(turns);
        let all = lines(turns, &voice);
        let told = if pieces(&all, self.piece(), &*self.count).len() > 1 {
            self.shorten(&voice, &all)?
        } else {
            render(&all)
        };
        let messages = vec![
            Message::system(voice.say("episode", &[])),
            Message::user(told),
        ];
        let said = self.say_json(Request::new("episode", messages))?;
        let Some(object) = find(said.text()).filter(Value::is_object) else {
            let summary = said.sentences();
            return if !says(&summary) || summary.starts_with(['{', '[']) {
                Err(self.misunderstood(&said))
            } else {
                Ok(EpisodeDraft {
                    summary,
                    ..EpisodeDraft::default()
                })
            };
        };
        let part = |name: &str| text(&object, &[name]).map(one_line).unwrap_or_default();
        let summary = part("summary");
        if !says(&summary) {
            return Err(self.misunderstood(&said));
        }
        let named = field(&object, &["entities"]).and_then(Value::as_array);
        let entities = named
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(one_line);
        let entities = entities
            .filter(|name| !name.is_empty())
            .take(MAX_ENTITIES)
            .collect();
        Ok(EpisodeDraft {
            summary,
            goal: part("goal"),
            outcome: part("outcome"),
            entities,
        })
    }
}
