//! What people say outright about their memory.

use std::collections::BTreeSet;

use annals_language::{Wish, coverage, wish};
use annals_recall::{Feature, Query};
use annals_records::LabelClass;
use annals_types::profile::InitialScore;
use annals_types::{
    Filter, Label, Layer, Memory, MemoryId, NewMemory, Role, Row, Script, Status, UnitScore, Value,
};
use tracing::instrument;

use crate::handles::{Namespace, Reviews, Session};
use crate::{Error, HandledCommand, Hit, ListQuery};
use annals_engine::calibration;
use annals_engine::resolve::in_use;

/// How many of the latest turns are looked at for what "this" and "that" mean.
const BEFORE: usize = 8;
/// Turns of one round. A memory derived from more was found in a longer piece, most of which says
/// something else.
const ROUND: usize = 2;
/// Memories that are compared with what is to be forgotten.
const COMPARED: u32 = 20;
/// How like what is said the memory must be that is meant, by words or by meaning. Less than where
/// tools act unasked (`graph.resolve.min_score`), because a person says yes first.
const LEAST: f64 = 0.4;

/// The meaning of "this" and "that".
enum Meant {
    /// Something that was said, and the turn of the user in which that was.
    Said(String, Option<MemoryId>),
    /// A memory that was kept on request.
    Kept(MemoryId, String),
}

impl Session {
    pub(crate) fn handle_command(&self, message: &str) -> Result<HandledCommand, Error> {
        self.space.handle_command(&self.name, message)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the table of calls hands it over"
    )]
    pub(crate) fn reply(&self, handled: HandledCommand) -> Result<Option<String>, Error> {
        let localizer = &self.space.compiled_profile()?.localizer;
        Ok(handled
            .text()
            .and_then(|text| handled.reply(&localizer.of([text]))))
    }
}

impl Reviews {
    pub(crate) fn confirm(&self, handled: HandledCommand) -> Result<HandledCommand, Error> {
        self.space.confirm(handled)
    }
}

impl Namespace {
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    fn handle_command(&self, session: &str, message: &str) -> Result<HandledCommand, Error> {
        let session = Label::new("session", session)?;
        let enabled = self.compiled_profile()?.settings.surface.enabled;
        let enabled = enabled && !self.session(session.as_str()).is_temporary()?;
        let (text, remembers) = match wish(message).filter(|_| enabled) {
            Some(Wish::Remember(text)) => (text, true),
            Some(Wish::Forget(text)) => (text, false),
            Some(Wish::ForgetAll) => {
                return Ok(HandledCommand::Everything {
                    message: message.trim().to_owned(),
                });
            }
            _ => return Ok(HandledCommand::Nothing),
        };
        let meant = if text.is_empty() {
            self.meant(&session, message)?
        } else {
            Some(Meant::Said(text, None))
        };
        match meant {
            None => Ok(HandledCommand::Unclear {
                message: message.trim().to_owned(),
            }),
            Some(Meant::Said(text, _)) if remembers => self.keep(session.as_str(), &text),
            Some(Meant::Kept(id, text)) if remembers => Ok(HandledCommand::Remembered { id, text }),
            Some(Meant::Said(text, turn)) => match self.look_for(&text)? {
                Some((id, text)) => Ok(HandledCommand::ToForget { id, text }),
                None => self.look_for_turn(&session, text, turn),
            },
            Some(Meant::Kept(id, text)) => Ok(HandledCommand::ToForget { id, text }),
        }
    }

    fn confirm(&self, handled: HandledCommand) -> Result<HandledCommand, Error> {
        match handled {
            HandledCommand::ToForget { id, text } => {
                let turns = self
                    .get(id)?
                    .map_or(Ok(Vec::new()), |memory| self.turns_that_say(&memory))?;
                let ids: BTreeSet<MemoryId> = turns.into_iter().chain([id]).collect();
                self.bulk().forget(&ids.into_iter().collect::<Vec<_>>())?;
                Ok(HandledCommand::Forgotten { id, text })
            }
            other => Ok(other),
        }
    }

    /// The meaning of a message that does not say it itself: the words before it, or a memory that
    /// was kept on request since.
    fn meant(&self, session: &Label, message: &str) -> Result<Option<Meant>, Error> {
        let (said, since) = self.said_before(session, message)?;
        let kept = self
            .kept_since(session, since)?
            .map(|(id, text)| Meant::Kept(id, text));
        Ok(kept.or(said.map(|said| Meant::Said(said, since))))
    }

    /// The latest memory that was kept because somebody asked for it in a session, if nothing was
    /// said since.
    fn kept_since(
        &self,
        session: &Label,
        since: Option<MemoryId>,
    ) -> Result<Option<(MemoryId, String)>, Error> {
        let layers = Layer::ALL
            .iter()
            .copied()
            .filter(|layer| *layer != Layer::Turn)
            .collect();
        let filter = Filter {
            layers,
            statuses: vec![Status::Staged, Status::Active],
            ..Filter::default()
        };
        let page = self.list(&ListQuery {
            filter,
            limit: BEFORE,
            newest_first: true,
            ..ListQuery::default()
        })?;
        let asked_for = |memory: &Memory| {
            let of_it = matches!(memory.body.metadata.get("session"), Some(Value::Text(name)) if name == session.as_str());
            of_it
                && memory.body.verified
                && memory.body.provenance.is_empty()
                && since.is_none_or(|since| memory.id > since)
        };
        Ok(page
            .memories
            .into_iter()
            .find(asked_for)
            .map(|memory| (memory.id, memory.body.text)))
    }

    /// The words before a message that does not say itself what it means, and the turn of the user
    /// that they stand in.
    fn said_before(
        &self,
        session: &Label,
        message: &str,
    ) -> Result<(Option<String>, Option<MemoryId>), Error> {
        let mut answer = None;
        for turn in self.latest_turns(session)? {
            let Some(context) = &turn.body.turn else {
                continue;
            };
            let said = &turn.body.text;
            match context.role {
                Role::Assistant if answer.is_none() => answer = Some(said.clone()),
                Role::User if said.trim() != message.trim() && wish(said).is_none() => {
                    let answer = answer
                        .or_else(|| context.reply.clone())
                        .filter(|_| asks(said));
                    return Ok((Some(answer.unwrap_or_else(|| said.clone())), Some(turn.id)));
                }
                // The answer to a wish is nothing that was said.
                Role::User => answer = None,
                _ => {}
            }
        }
        Ok((answer, None))
    }

    /// The latest turns of a session, the last one first.
    fn latest_turns(&self, session: &Label) -> Result<Vec<Memory>, Error> {
        let Some(namespace) = self.id()? else {
            return Ok(Vec::new());
        };
        let view = self.engine.view(namespace)?;
        let columns = &view.columns;
        let number = columns.label_id(LabelClass::Session, session.as_str());
        let last = number.and_then(|number| columns.session_end(number));
        let rows: Vec<Row> = std::iter::successors(last, |row| columns.neighbours(*row).0)
            .take(BEFORE)
            .collect();
        let snapshot = self.engine.snapshot()?;
        let turns = annals_records::memories(&snapshot, namespace, &rows, Some(columns))?;
        Ok(turns.into_iter().flatten().filter(in_use).collect())
    }

    fn keep(&self, session: &str, text: &str) -> Result<HandledCommand, Error> {
        let profile = self.compiled_profile()?;
        let (score, taxonomy) = (&profile.settings.score, &profile.settings.taxonomy);
        let mut memory = NewMemory::builder(text)
            .layer(Layer::Semantic)
            .verified(true)
            .metadata("session", session);
        let highest = score.by_level.iter().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((level, _)) = highest.filter(|_| score.initial == InitialScore::Level) {
            memory = memory.metadata("level", level.as_str());
        }
        if taxonomy.default_kind.is_none() {
            // Without a kind such a profile takes nothing; what people say is a fact, where it
            // knows facts.
            let fact = taxonomy
                .kinds
                .iter()
                .find(|kind| kind.id.eq_ignore_ascii_case("fact") || kind.id == "事实");
            if let Some(kind) = fact.or(taxonomy.kinds.first()) {
                memory = memory.kind(kind.id.as_str());
            }
        }
        let id = self.remember::<NewMemory>(memory.build()?.by_hand())?;
        // The profile may mask parts of the text.
        let kept = self
            .get(id)?
            .map_or_else(|| text.to_owned(), |memory| memory.body.text);
        Ok(HandledCommand::Remembered { id, text: kept })
    }

    /// The memory that is most like what is to be forgotten.
    fn look_for(&self, text: &str) -> Result<Option<(MemoryId, String)>, Error> {
        let layers = Layer::ALL
            .iter()
            .copied()
            .filter(|layer| *layer != Layer::Turn)
            .collect();
        let statuses = vec![Status::Staged, Status::Active, Status::Archived];
        let filter = Filter {
            layers,
            statuses,
            ..Filter::default()
        };
        let query = Query {
            min_score: Some(UnitScore::new("min_score", 0.0)?),
            ..Query::new(text).top_k(COMPARED).filter(filter)
        };
        let calibration = calibration(&*self.engine.embedder);
        let asked = Script::of_text(text);
        let like = |hit: &Hit| {
            let dense = hit
                .explanation
                .parts
                .iter()
                .find(|part| part.feature == Feature::Dense);
            let range = calibration.range(asked, Script::of_text(&hit.text));
            let sameness = |cosine| f64::from(range.sameness(cosine));
            let meaning = dense.and_then(|part| part.value).map_or(0.0, sameness);
            coverage(text, &hit.text).max(meaning)
        };
        let mut best: Option<(f64, MemoryId, String)> = None;
        for hit in self.recall(query)? {
            let like = like(&hit);
            if like >= LEAST && best.as_ref().is_none_or(|(most, ..)| like > *most) {
                best = Some((like, hit.id, hit.memory.body.text));
            }
        }
        Ok(best.map(|(_, id, text)| (id, text)))
    }

    /// The turn of the user that is to be forgotten: the one that is meant, or the one of the
    /// latest whose words are most like it.
    fn look_for_turn(
        &self,
        session: &Label,
        asked: String,
        meant: Option<MemoryId>,
    ) -> Result<HandledCommand, Error> {
        let mut best: Option<(f64, Memory)> = None;
        for turn in self
            .latest_turns(session)?
            .into_iter()
            .filter(|turn| is_said(turn) && wish(&turn.body.text).is_none())
        {
            let like = if meant == Some(turn.id) {
                1.0
            } else {
                coverage(&asked, &turn.body.text)
            };
            if like >= LEAST && best.as_ref().is_none_or(|(most, _)| like > *most) {
                best = Some((like, turn));
            }
        }
        Ok(match best {
            Some((_, turn)) => HandledCommand::ToForget {
                id: turn.id,
                text: turn.body.text,
            },
            None => HandledCommand::NotFound { asked },
        })
    }

    /// The turns that say what a memory says, with what was answered: those that it was derived
    /// from, or of many of them those that are like it, and the ones in its own words.
    fn turns_that_say(&self, memory: &Memory) -> Result<Vec<MemoryId>, Error> {
        if memory.body.turn.is_some() {
            return self.answers_to(memory);
        }
        let Some(namespace) = self.id()? else {
            return Ok(Vec::new());
        };
        let snapshot = self.engine.snapshot()?;
        let rows = annals_records::find_rows(&snapshot, namespace, &memory.body.provenance)?;
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        let sources = annals_records::memories(&snapshot, namespace, &rows, None)?
            .into_iter()
            .flatten();
        let sources: Vec<Memory> = sources
            .filter(|source| source.body.turn.is_some() && in_use(source))
            .collect();
        if !sources.is_empty() && sources.len() <= ROUND {
            return Ok(sources.iter().map(|turn| turn.id).collect());
        }
        let own = match memory.body.metadata.get("session") {
            Some(Value::Text(session)) => {
                self.latest_turns(&Label::new("session", session.as_str())?)?
            }
            _ => Vec::new(),
        };
        let text = memory.body.text.trim();
        let like = sources
            .iter()
            .filter(|turn| coverage(text, &turn.body.text) >= LEAST);
        let mut turns = Vec::new();
        for turn in like
            .chain(own.iter().filter(|turn| says(turn, text)))
            .filter(|turn| is_said(turn))
        {
            turns.push(turn.id);
            turns.extend(self.answers_to(turn)?);
        }
        Ok(turns)
    }

    /// The answers to a turn, up to the next turn of the user.
    fn answers_to(&self, said: &Memory) -> Result<Vec<MemoryId>, Error> {
        let Some(context) = &said.body.turn else {
            return Ok(Vec::new());
        };
        let after = self
            .session(context.session.as_str())
            .memories(context.position.saturating_add(1), BEFORE)?;
        Ok(after
            .into_iter()
            .take_while(|turn| !is_said(turn))
            .filter(in_use)
            .map(|turn| turn.id)
            .collect())
    }
}

/// Whether a turn is one of the user.
fn is_said(turn: &Memory) -> bool {
    turn.body
        .turn
        .as_ref()
        .is_some_and(|turn| turn.role == Role::User)
}

/// Whether a turn says a text, or asks that it is remembered.
fn says(turn: &Memory, text: &str) -> bool {
    turn.body.text.trim() == text
        || wish(&turn.body.text).is_some_and(|wish| wish == Wish::Remember(text.to_owned()))
}

/// Whether something is asked, so that what matters is the answer.
fn asks(said: &str) -> bool {
    let said = said.trim_end_matches([' ', '\n', '。', '.', '!', '！']);
    ["?", "？", "吗", "呢"]
        .iter()
        .any(|end| said.ends_with(end))
}
