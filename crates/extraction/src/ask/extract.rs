use std::collections::BTreeSet;

use annals_language::time::Said;
use annals_types::profile::{AnswerForm, OverLimit, ShownBy, TripleSource};
use annals_types::{
    EXTRACTED_FIELDS, ExtractWindow, Extracted, Extractor, InvalidValue, JudgeError, Memory,
    NewMemory, Role, Shown, Timestamp,
};

use super::Analyst;
use crate::candidates::Form;
use crate::prompt::{Line, Voice, lines, listed, render};
use crate::provider::{Message, Request};
use crate::window::{exceeds, recent};
use crate::{Aliases, Draft, Heard, Hold, Operation, candidates, monitor};

impl Analyst {
    /// The operations that a model finds in a window, before any is carried out, with those that a
    /// person has to confirm, and warnings.
    ///
    /// # Errors
    /// [`JudgeError`], also when the answer does not have the form that was asked for: it is asked
    /// for again later.
    pub fn hear(&self, window: &ExtractWindow<'_>) -> Result<Heard, JudgeError> {
        let voice = self.voice_of(window.turns);
        let all = lines(window.turns, &voice);
        if !all.iter().any(|line| line.role == Role::User) {
            return Ok(Heard {
                understood: true,
                ..Heard::default()
            });
        }
        let (known, texts): (Vec<&Shown>, Vec<String>) =
            self.fitting(self.shown(window.known)).into_iter().unzip();
        let aliases = self.aliases(&known);
        let told = known.iter().zip(&texts);
        let memories = listed(
            &voice,
            told.filter_map(|(shown, text)| Some((aliases.name(shown.id)?, text.as_str()))),
        );
        let conversation = self.conversation(&voice, &all)?;
        let form = Form {
            known: !known.is_empty(),
            ..self.form.clone()
        };
        let date = window
            .turns
            .last()
            .map(|turn| self.zone.date(time(turn)))
            .unwrap_or_default();
        let values = [
            ("date", date.as_str()),
            ("conversation", &conversation),
            ("memories", &memories),
        ];
        let request = self.request(&voice, &form, &values);
        let (said, mut heard) = match self.settings.answer {
            AnswerForm::Commands => {
                let said = self.say(request)?;
                let heard = monitor::parse(said.lines(), &aliases);
                (said, heard)
            }
            _ => {
                let said = self.say_json(request)?;
                let told = window
                    .turns
                    .last()
                    .map(|turn| Said::at(time(turn), self.zone.clone()).looking_ahead());
                let heard = match told {
                    Some(told) => candidates::parse_said(said.text(), &form, &aliases, &told),
                    None => candidates::parse(said.text(), &form, &aliases),
                };
                (said, heard)
            }
        };
        // An answer that was cut off before anything in it was whole did not say that there is
        // nothing.
        if !heard.understood
            || said.is_cut() && heard.operations.is_empty() && heard.pending.is_empty()
        {
            return Err(self.misunderstood(&said));
        }
        heard.warnings.splice(..0, said.warning());
        Ok(heard)
    }

    /// The memories that are shown: those worth enough, the best first, as many as the profile
    /// says.
    fn shown<'a>(&self, known: &'a [Shown]) -> Vec<&'a Shown> {
        let enough = |shown: &&Shown| shown.retention >= self.settings.shown_min - 1e-9;
        let mut shown: Vec<&Shown> = known.iter().filter(enough).collect();
        if self.settings.shown_by == ShownBy::Worth {
            shown.sort_by(|a, b| b.retention.total_cmp(&a.retention));
        }
        shown.truncate(usize::try_from(self.settings.shown).unwrap_or(usize::MAX));
        shown
    }

    /// Those of some memories that fit into a prompt, each with its text as it is shown.
    fn fitting<'a>(&self, known: Vec<&'a Shown>) -> Vec<(&'a Shown, String)> {
        let limit = |number: u32| {
            if number == 0 {
                usize::MAX
            } else {
                usize::try_from(number).unwrap_or(usize::MAX)
            }
        };
        let (chars, mut left) = (
            limit(self.settings.shown_chars),
            limit(self.settings.shown_tokens),
        );
        let fits = |shown: &'a Shown| {
            let text: String = shown.text.chars().take(chars).collect();
            // The name of a line takes some as well.
            left = left.checked_sub((self.count)(&text).saturating_add(8))?;
            Some((shown, text))
        };
        known.into_iter().map_while(fits).collect()
    }

    /// The names of memories: numbers for commands, short names of their ids for lists.
    fn aliases(&self, known: &[&Shown]) -> Aliases {
        if self.settings.answer == AnswerForm::Commands {
            return Aliases::numbered("mem_", known.iter().map(|shown| shown.id));
        }
        let mut aliases = Aliases::none();
        let mut taken = BTreeSet::new();
        for shown in known {
            // The name under which a file shows it.
            let name = shown.id.short_name(|name| taken.contains(name));
            taken.insert(name.clone());
            aliases.add(name, shown.id, Hold::None);
        }
        aliases
    }

    /// The messages as they are shown, within the limits of the profile.
    fn conversation(&self, voice: &Voice, all: &[Line]) -> Result<String, JudgeError> {
        let limit = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let (messages, tokens) = (
            limit(self.settings.window_messages),
            limit(self.settings.max_tokens),
        );
        let tokens = match self.settings.over_limit {
            OverLimit::Summarize if exceeds(all, tokens, &*self.count) => {
                return self.shorten(voice, all);
            }
            // A conversation that is summarized when it is too long is not cut before.
            OverLimit::Summarize => 0,
            OverLimit::Truncate => tokens,
        };
        Ok(render(&recent(all, messages, tokens, &*self.count)))
    }

    fn request(&self, voice: &Voice, form: &Form, values: &[(&str, &str)]) -> Request {
        if self.settings.answer == AnswerForm::Commands {
            let mut told = voice.say("monitor", &[]);
            if self.settings.triples != TripleSource::None {
                told = format!("{told}\n\n{}", voice.say("monitor-triples", &[]));
            }
            let messages = vec![
                Message::system(told),
                Message::user(voice.say("monitor-input", values)),
            ];
            return Request::new("extract", messages);
        }
        let told = voice.say("extract", &[("fields", &form.described(voice))]);
        let messages = vec![
            Message::system(told),
            Message::user(voice.say("extract-input", values)),
        ];
        Request {
            schema: Some(candidates::schema(form)),
            ..Request::new("extract", messages)
        }
    }

    /// A memory of a draft, derived from the turns of the window.
    fn memory(&self, draft: &Draft, turns: &[Memory]) -> Result<NewMemory, InvalidValue> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "importance and confidence are single-precision numbers"
        )]
        let single = |number: f64| number as f32;
        let mut memory = NewMemory::builder(draft.text.as_str())
            .source(self.settings.source.as_str())
            .confidence(single(draft.confidence.unwrap_or(self.settings.confidence)));
        if let Some(kind) = &draft.kind {
            memory = memory.kind(kind.as_str());
        }
        if let Some(importance) = draft.importance {
            memory = memory.importance(single(importance));
        }
        let words = [
            &draft.level,
            &draft.duration,
            &draft.subject,
            &draft.predicate,
        ];
        for (name, word) in EXTRACTED_FIELDS.into_iter().zip(words) {
            if let Some(word) = word {
                memory = memory.metadata(name, word.as_str());
            }
        }
        if let Some(moment) = draft.expires_at {
            memory = memory.expires_at(moment);
        }
        if let Some(turn) = turns.last() {
            memory = memory.event_time(time(turn));
        }
        if let Some(turn) = turns.last().and_then(|memory| memory.body.turn.as_ref()) {
            memory = memory.metadata("session", turn.session.as_str());
        }
        turns
            .iter()
            .fold(memory, |memory, turn| memory.derived_from(turn.id))
            .build()
    }

    /// The changes of memories that operations mean. Operations that fit into no memory are left
    /// out.
    fn extracted(&self, heard: &Heard, turns: &[Memory]) -> Vec<Extracted> {
        // Contradictions without an addition come first: behind an addition, they would count as
        // contradicted by it.
        let lone = heard
            .operations
            .iter()
            .filter_map(|operation| match operation {
                Operation::Contradict(id) => Some(Extracted::Contradicted { id: *id, by: None }),
                _ => None,
            });
        let mut out: Vec<Extracted> = lone.collect();
        for operation in &heard.operations {
            match operation {
                Operation::Add(draft) => {
                    let Ok(memory) = self.memory(draft, turns) else {
                        continue;
                    };
                    out.push(match draft.triples.is_empty() {
                        true => Extracted::Add(memory),
                        false => Extracted::AddSaying(memory, draft.triples.clone()),
                    });
                    out.extend(
                        draft
                            .contradicts
                            .iter()
                            .map(|id| Extracted::Contradicted { id: *id, by: None }),
                    );
                }
                Operation::Update { id, draft } => {
                    let Ok(memory) = self.memory(draft, turns) else {
                        continue;
                    };
                    out.push(match draft.triples.is_empty() {
                        true => Extracted::Update(*id, memory),
                        false => Extracted::UpdateSaying(*id, memory, draft.triples.clone()),
                    });
                }
                Operation::Boost(id) | Operation::Reinforce(id) => out.push(Extracted::Used(*id)),
                Operation::Delete(id) => out.push(Extracted::Delete(*id)),
                Operation::Contradict(_) | Operation::Skip => {}
            }
        }
        out
    }
}

impl Extractor for Analyst {
    fn name(&self) -> String {
        self.provider.name()
    }

    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let heard = self.hear(window)?;
        let mut found = self.extracted(&heard, window.turns);
        for (number, warning) in (1_u64..).zip(&heard.warnings) {
            // The text of the warning came from the conversation: it goes with the turn and
            // belongs in no log.
            tracing::warn!(
                number,
                kind = warning.kind(),
                "a part of an answer is left out"
            );
            found.push(Extracted::LeftOut(
                self.filter.redact_all(&warning.to_string()).into_owned(),
            ));
        }
        Ok(found)
    }
}

fn time(turn: &Memory) -> Timestamp {
    turn.body.event_time.unwrap_or(turn.stored_at)
}
