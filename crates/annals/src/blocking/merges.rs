//! The end of sessions as one call, and what belongs into prompts then.

use annals_extraction::context::{Context, Material, Part, compose};
use annals_types::profile::{InjectSettings, PartSettings, PartSource, SESSION_END};
use annals_types::{Label, NewMemory, NewTurn};
use tracing::instrument;

use super::Namespace;
use crate::engine::cursors;
use crate::{ContextRequest, Error, Merged};

impl Namespace {
    /// Merges a session in: stores the messages that the session does not have yet, takes over what a person wrote into the mirrored files, lets
    /// the messages be looked through now, and runs the profile's jobs for the end of sessions, which let memories fade and write the files.
    ///
    /// `messages` may be the whole history, its last part, or only what is new: the messages with which the session's turns end are recognised by
    /// role, text and answer as the privacy filter leaves them, whatever was changed or deleted of them since; where most of a part was deleted, it
    /// counts as new. What was looked through is not looked through again. When the model fails, memories fade and files are written all the
    /// same, and the next end of the session tries again. Only the jobs of several ends take turns.
    ///
    /// # Errors
    /// When a message or the name of the session is not allowed, or the file or a mirrored file cannot be read or written. A mirrored file that
    /// cannot be read costs no message: everything else is done before the error is told.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn process_session_end(&self, messages: Vec<NewTurn>, session: &str) -> Result<Merged, Error> {
        let session = Label::new("session", session)?;
        let space = self.for_call();
        space.store_new(messages, &session)?;
        let edits = space.bring_edits();
        let Some(namespace) = space.id()? else { return Ok(Merged::default()) };
        let profile = space.compiled_profile()?;
        let (looked, put_off) = self.engine.look_through(&profile, namespace, &session)?;
        let jobs = self.engine.run_event(namespace, SESSION_END)?;
        edits?;
        let count = |word: &str| jobs.iter().flat_map(|job| &job.steps).filter_map(|step| step.counts.get(word)).sum();
        Ok(Merged {
            new: looked.new,
            updated: looked.updated,
            archived: count("archived"),
            deleted: count("deleted"),
            put_off,
        })
    }

    /// Takes over what people wrote into mirrored files, where jobs keep any.
    fn bring_edits(&self) -> Result<(), Error> {
        let folder = self.engine.mirror_folder(&self.name)?;
        if let (Some(folder), Some(namespace)) = (folder, self.id()?) {
            return self.engine.sync(&self.name, namespace, &folder)?.whole();
        }
        Ok(())
    }

    /// Stores the messages that a session does not have yet; answers how many these were.
    fn store_new(&self, messages: Vec<NewTurn>, session: &Label) -> Result<usize, Error> {
        let placed = |turn: NewTurn| {
            let mut body = NewMemory::from(turn).into_body();
            if let Some(turn) = body.turn.as_mut() {
                turn.session = session.clone();
            }
            NewMemory::from_body(body)
        };
        let new = messages.into_iter().map(placed).collect::<Result<Vec<_>, _>>()?;
        self.engine.append_new(self.entry()?, session, new)
    }

    /// A conversation was shortened: the turns that went are stored unless the session has them, and what was not looked through is queued, one
    /// piece for the session. Answers how many turns were new. It waits for no model.
    ///
    /// # Errors
    /// As [`remember`](Self::remember), or when the name of the session is not allowed.
    pub fn on_context_compressed(&self, session: &str, turns: Vec<NewTurn>) -> Result<usize, Error> {
        let session = Label::new("session", session)?;
        let space = self.for_call();
        let stored = space.store_new(turns, &session)?;
        let Some(namespace) = space.id()? else { return Ok(0) };
        self.engine.write(namespace, |cx| {
            cursors::queue_session(cx, &session, None)?;
            Ok(())
        })?;
        Ok(stored)
    }

    /// The parts that the profile puts before a model whatever the message, in their order.
    ///
    /// # Errors
    /// As [`context`](Self::context).
    pub fn build_prompt_parts(&self) -> Result<Vec<Part>, Error> {
        Ok(self.context(ContextRequest::default())?.parts)
    }

    /// What a prompt gets of the memories, the highest scores first: a `- ` line each, without a heading. Which memories these are says the first
    /// part of the profile's `inject` that shows memories by their score; without one, all are shown. Nothing does while the profile has memory
    /// switched off (`surface.enabled`).
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn prompt_memories(&self, top_k: u32) -> Result<String, Error> {
        let profile = self.compiled_profile()?;
        let shown = profile.settings.inject.parts.iter().find(|part| part.source == PartSource::Memories);
        let all = PartSettings { source: PartSource::Memories, ..PartSettings::default() };
        let part = PartSettings { limit: top_k, heading: String::new(), off: false, ..shown.unwrap_or(&all).clone() };
        if !profile.settings.surface.enabled {
            return Ok(String::new());
        }
        let screen = profile.screen();
        let items = match top_k {
            0 => Vec::new(),
            _ => self.lasting(&part, self.engine.now(), screen.as_ref())?.0,
        };
        let settings = InjectSettings { parts: vec![part], max_tokens: 0, ..InjectSettings::default() };
        let context: Context = compose(&settings, &Material { items: vec![items], ..Material::default() });
        Ok(context.text)
    }
}
