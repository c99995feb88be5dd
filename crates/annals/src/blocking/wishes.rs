//! What people say outright about their memory.

use annals_extraction::session::{Wish, wish};
use annals_recall::Query;
use annals_types::profile::InitialScore;
use annals_types::{Filter, Layer, Memory, NewMemory, Status, UnitScore};
use tracing::instrument;

use super::Namespace;
use crate::{Error, Heeded};

/// How many of the latest turns are looked at for what "this" and "that" mean.
const BEFORE: usize = 8;

impl Namespace {
    /// Heeds a message of a session that begins with a wish: "记住：…", "记住这个", "remember that …" is remembered at once, as what matters most
    /// where the profile goes by levels; for "忘掉那个", "forget that …" the memory is looked for that is most likely meant, and
    /// [`confirm`](Self::confirm) forgets it. "This" and "that" are what was said before.
    ///
    /// # Errors
    /// As [`remember`](Self::remember) and [`recall`](Self::recall), or when the name of the session is not allowed.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn heed(&self, session: &str, message: &str) -> Result<Heeded, Error> {
        match wish(message) {
            None => Ok(Heeded::Nothing),
            Some(Wish::Remember(text)) => match self.meant(session, message, text)? {
                Some(text) => self.keep(session, text),
                None => Ok(Heeded::NotFound { asked: String::new() }),
            },
            Some(Wish::Forget(text)) => match self.meant(session, message, text)? {
                Some(text) => self.look_for(text),
                None => Ok(Heeded::NotFound { asked: String::new() }),
            },
        }
    }

    /// Does what waits for a person's yes: what was [to be forgotten](Heeded::ToForget) is forgotten, and can be restored. Anything else
    /// is answered as it is.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the memory is gone, or when the file cannot be written.
    pub fn confirm(&self, heeded: Heeded) -> Result<Heeded, Error> {
        match heeded {
            Heeded::ToForget { id, text } => {
                self.forget(id)?;
                Ok(Heeded::Forgotten { id, text })
            }
            other => Ok(other),
        }
    }

    /// What a wish is about: what it says, or what was said before it.
    fn meant(&self, session: &str, message: &str, text: String) -> Result<Option<String>, Error> {
        if !text.is_empty() {
            return Ok(Some(text));
        }
        let turns = self.session(session, 0, usize::MAX)?;
        let earlier = turns.into_iter().rev().take(BEFORE).map(|turn| turn.body.text);
        Ok(earlier.into_iter().find(|said| said.trim() != message.trim() && wish(said).is_none()))
    }

    fn keep(&self, session: &str, text: String) -> Result<Heeded, Error> {
        let score = &self.rulebook()?.profile.score;
        let mut memory =
            NewMemory::builder(text.as_str()).layer(Layer::Semantic).verified(true).metadata("session", session);
        let highest = score.by_level.iter().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((level, _)) = highest.filter(|_| score.initial == InitialScore::Level) {
            memory = memory.metadata("level", level.as_str());
        }
        let id = self.remember::<NewMemory>(memory.build()?)?;
        Ok(Heeded::Remembered { id, text })
    }

    fn look_for(&self, text: String) -> Result<Heeded, Error> {
        let layers = Layer::ALL.iter().copied().filter(|layer| *layer != Layer::Turn).collect();
        let statuses = vec![Status::Staged, Status::Active, Status::Archived];
        let filter = Filter { layers, statuses, ..Filter::default() };
        let query = Query {
            min_score: Some(UnitScore::new("min_score", 0.0)?),
            ..Query::new(text.as_str()).top_k(1).filter(filter)
        };
        let found: Option<Memory> = self.recall(query)?.into_iter().next().map(|hit| hit.memory);
        Ok(match found {
            Some(memory) => Heeded::ToForget { id: memory.id, text: memory.body.text },
            None => Heeded::NotFound { asked: text },
        })
    }
}
