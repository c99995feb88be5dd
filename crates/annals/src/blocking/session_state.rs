//! What is at hand beside memories: the scratchpad, and what conversations keep until they end.

use annals_types::profile::{SESSION_END, ScratchpadSettings};
use annals_types::{
    Episode, Filter, Label, Layer, MemoryId, Metadata, NewTurn, Purpose, Scratchpad, SessionState, Value,
    rewrite_fields, rewrite_text,
};
use tracing::instrument;

use super::Namespace;
use crate::engine::{Engine, Left};
use crate::{Error, ListQuery, SessionEnd, TurnBefore};

impl Namespace {
    /// What is being worked on, and what was before.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn scratchpad(&self) -> Result<Scratchpad, Error> {
        let Some(namespace) = self.id()? else { return Ok(Scratchpad::default()) };
        Ok(annals_records::scratchpad(&self.engine.snapshot()?, namespace)?)
    }

    /// The scratchpad as Markdown, with minutes in the profile's zone; empty when there is nothing on it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn scratchpad_markdown(&self) -> Result<String, Error> {
        let pad = self.scratchpad()?;
        let profile = self.compiled_profile()?;
        Ok(pad.to_markdown(&|at| profile.policy.zone().minute(at)))
    }

    /// Takes a description of what is being done now. When it means another task than the current one, as the profile's `scratchpad`
    /// settings tell them apart, that one becomes the latest of the completed ones. An empty description changes nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a description that the profile's privacy settings refuse; when the file cannot
    /// be read or written.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn focus(&self, task: &str) -> Result<Scratchpad, Error> {
        if task.trim().is_empty() {
            return self.scratchpad();
        }
        let space = self.for_call();
        let task = &self.engine.passed_by(space.entry()?, task.to_owned(), rewrite_text)?;
        let settings = space.compiled_profile()?.settings.scratchpad.clone();
        let keep = usize::try_from(settings.keep).unwrap_or(usize::MAX);
        loop {
            let before = space.scratchpad()?.current_focus;
            let same = self.engine.is_same_task(&settings, &before, task);
            let changed = self.engine.write_or_make(space.entry()?, |cx| {
                let (ns, now) = (cx.ns, cx.now);
                let mut pad = annals_records::scratchpad(&*cx.txn, ns)?;
                if pad.current_focus != before {
                    return Ok(None);
                }
                pad.focus(task, same, keep, now);
                annals_records::set_scratchpad(cx.txn, ns, &pad)?;
                Ok(Some(pad))
            })?;
            // Otherwise someone else has changed the task meanwhile: the two are compared anew.
            if let Some(pad) = changed {
                return Ok(pad);
            }
        }
    }

    /// Says which projects go on beside the current task, each once; blank names count as none.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name that the profile's privacy settings refuse; when the file cannot be
    /// written.
    pub fn set_projects(&self, projects: &[String]) -> Result<Scratchpad, Error> {
        let entry = self.entry()?;
        let projects = self.engine.passed_by(entry, projects.to_vec(), |projects, rewrite| {
            projects.iter_mut().for_each(|project| rewrite_text(project, rewrite));
        })?;
        let mut seen = std::collections::BTreeSet::new();
        let named = projects.iter().map(|project| project.trim()).filter(|name| !name.is_empty() && seen.insert(*name));
        let projects: Vec<String> = named.map(str::to_owned).collect();
        self.engine.write_or_make(entry, |cx| {
            let (ns, now) = (cx.ns, cx.now);
            let mut pad = annals_records::scratchpad(&*cx.txn, ns)?;
            (pad.active_projects, pad.updated_at) = (projects.clone(), Some(now));
            annals_records::set_scratchpad(cx.txn, ns, &pad)?;
            Ok(pad)
        })
    }

    /// What a conversation keeps beside its turns: current task and variables.
    ///
    /// # Errors
    /// When it cannot be read, or the name of the session is not allowed.
    pub fn session_state(&self, session: &str) -> Result<SessionState, Error> {
        let session = Label::new("session", session)?;
        let Some(namespace) = self.id()? else { return Ok(SessionState::default()) };
        Ok(annals_records::session_state(&self.engine.snapshot()?, namespace, &session)?)
    }

    /// Sets a variable of a conversation; `None` removes it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for what the profile's privacy settings refuse; when the file cannot be written, or
    /// the name of the session is not allowed.
    pub fn set_variable(&self, session: &str, name: &str, value: Option<Value>) -> Result<(), Error> {
        let space = self.for_call();
        let Some(value) = value else {
            // Under its own name where it was stored while nothing was kept back, else under the one that it was given.
            let masked = self.engine.passed_by(space.entry()?, name.to_owned(), rewrite_text).unwrap_or_default();
            return space.change_session(session, |state| {
                state.variables.retain(|known, _| known != name && *known != masked);
            });
        };
        let variable = Metadata::from([(name.to_owned(), value)]);
        let variable = self.engine.passed_by(space.entry()?, variable, rewrite_fields)?;
        space.change_session(session, |state| state.variables.extend(variable.clone()))
    }

    fn change_session(&self, session: &str, change: impl Fn(&mut SessionState) + Send + Sync) -> Result<(), Error> {
        let session = Label::new("session", session)?;
        self.engine.write_or_make(self.entry()?, |cx| {
            let ns = cx.ns;
            let mut state = annals_records::session_state(&*cx.txn, ns, &session)?;
            change(&mut state);
            annals_records::set_session_state(cx.txn, ns, &session, &state)?;
            Ok(())
        })
    }

    /// A turn begins: takes the description of what is being done, for the session and for the scratchpad, before a prompt is made.
    ///
    /// # Errors
    /// As [`focus`](Self::focus).
    pub fn on_turn_start(&self, session: &str, task: &str) -> Result<Scratchpad, Error> {
        let space = self.for_call();
        let described = self.engine.passed_by(space.entry()?, task.trim().to_owned(), rewrite_text)?;
        if !described.is_empty() {
            space.change_session(session, |state| described.clone_into(&mut state.current_task))?;
        }
        space.focus(&described)
    }

    /// A turn came to nothing, because the model failed or the person took the question back: the task of the conversation and the scratchpad
    /// are again what they were before [`on_turn_start`](Self::on_turn_start).
    ///
    /// # Errors
    /// When the file cannot be written, or the name of the session is not allowed.
    pub fn on_turn_cancelled(&self, session: &str, before: &TurnBefore) -> Result<(), Error> {
        let space = self.for_call();
        space.change_session(session, |state| before.task.clone_into(&mut state.current_task))?;
        self.engine.write_or_make(space.entry()?, |cx| {
            let ns = cx.ns;
            Ok(annals_records::set_scratchpad(cx.txn, ns, &before.scratchpad)?)
        })
    }

    /// What a conversation works on, to be put back if its next turn comes to nothing.
    ///
    /// # Errors
    /// When it cannot be read, or the name of the session is not allowed.
    pub fn turn_before(&self, session: &str) -> Result<TurnBefore, Error> {
        Ok(TurnBefore { scratchpad: self.scratchpad()?, task: self.session_state(session)?.current_task })
    }

    /// A turn is over: it is stored as it was, with tool calls and what they returned.
    ///
    /// # Errors
    /// As [`remember`](Self::remember).
    pub fn on_turn_end(&self, turn: NewTurn) -> Result<MemoryId, Error> {
        let ids = self.append_turns(vec![turn])?;
        ids.first().copied().ok_or_else(|| Error::internal("a turn was stored without an id"))
    }

    /// A conversation is over: in one transaction its variables and task go, and memories that live no longer than it; then an episode is
    /// made of its turns, if the profile wants one and there is a summarizer, and the profile's jobs for this event run. Calling it
    /// again does nothing more, unless there are new turns. What could not be summarized is tried again by the job with the step `queue`.
    ///
    /// # Errors
    /// When the file cannot be read or written, or the name of the session is not allowed.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn end_session(&self, session: &str) -> Result<SessionEnd, Error> {
        let session = Label::new("session", session)?;
        let Some(namespace) = self.id()? else {
            return Ok(SessionEnd { session: session.into(), ..SessionEnd::default() });
        };
        let deleted = self.engine.close_session(namespace, &session)?;
        let mut end = SessionEnd { session: session.as_str().to_owned(), deleted, ..SessionEnd::default() };
        match self.engine.make_episode(namespace, &session)? {
            Left::Nothing => {}
            Left::Episode(id) => end.episode = Some(id),
            Left::PutOff(why) => {
                let why = self.engine.profile_of(namespace)?.redacted(why);
                tracing::warn!(%session, "an episode is put off");
                end.put_off = Some(why);
            }
        }
        end.jobs = self.engine.run_event(namespace, SESSION_END)?;
        Ok(end)
    }

    /// The episodes that conversations have left, the latest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn episodes(&self, limit: usize) -> Result<Vec<Episode>, Error> {
        let filter = Filter { layers: vec![Layer::Episodic], ..Filter::default() };
        let page = self.list(&ListQuery { filter, limit, newest_first: true, ..ListQuery::default() })?;
        Ok(page.memories.iter().filter_map(Episode::of).collect())
    }
}

impl Engine {
    /// Whether two descriptions mean one task: enough words in common, or much the same meaning. Without an embedder the words decide.
    fn is_same_task(&self, settings: &ScratchpadSettings, before: &str, task: &str) -> bool {
        if before.is_empty() || before.trim() == task.trim() || common_words(before, task) >= settings.same_words {
            return true;
        }
        let Ok(vectors) = self.embedder.embed(&[before, task], Purpose::Passage) else { return false };
        let [first, second] = vectors.as_slice() else { return false };
        cosine(first, second) >= settings.same_cosine
    }
}

/// The share of the terms of two texts that are in both.
fn common_words(first: &str, second: &str) -> f64 {
    let analyzer = annals_text::Analyzer::new();
    let terms = |text: &str| -> std::collections::BTreeSet<annals_text::Term> {
        analyzer.forward(text, None).entries().iter().map(|(term, _)| *term).collect()
    };
    let (first, second) = (terms(first), terms(second));
    let all = first.union(&second).count();
    if all == 0 { 0.0 } else { count(first.intersection(&second).count()) / count(all) }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn cosine(first: &[f32], second: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let norm = (dot(first, first) * dot(second, second)).sqrt();
    if norm > 0.0 { dot(first, second) / norm } else { 0.0 }
}
