//! An agent: its scratchpad, its turns, its memories.

use annals_extraction::context::Part;
use annals_language::goes_on;
use annals_types::profile::ScratchpadSettings;
use annals_types::{
    Label, Memory, MemoryId, NamespaceId, NewTurn, Purpose, Scratchpad, Value, rewrite_text,
};
use tracing::instrument;

use crate::handle::Handle;
use crate::handles::AgentDesign;
use crate::{AgentMemory, ContextRequest, Error, Standing, TurnBefore};
use annals_curation::cursors;

impl AgentDesign {
    pub(crate) fn scratchpad(&self) -> Result<Scratchpad, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Scratchpad::default());
        };
        Ok(annals_records::scratchpad(
            &self.space.engine.snapshot()?,
            namespace,
        )?)
    }

    pub(crate) fn scratchpad_markdown(&self) -> Result<String, Error> {
        let pad = self.scratchpad()?;
        let profile = self.space.compiled_profile()?;
        let tasks = pad.recent_completed.iter().map(|done| done.task.as_str());
        let said = std::iter::once(pad.current_focus.as_str()).chain(tasks);
        let titles = self.space.messages(said)?.scratchpad_titles();
        Ok(pad.to_markdown(&titles, &|at| profile.policy.zone().minute(at)))
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn focus(&self, task: &str) -> Result<Scratchpad, Error> {
        // What names no task leaves the one that is being worked on.
        if task.trim().is_empty() || goes_on(task) {
            return self.scratchpad();
        }
        let space = self.space.for_call();
        let task = &self
            .space
            .engine
            .passed_by(space.entry()?, task.to_owned(), rewrite_text)?;
        let settings = space.compiled_profile()?.settings.scratchpad.clone();
        let keep = usize::try_from(settings.keep).unwrap_or(usize::MAX);
        loop {
            let before = space.designs().agent().scratchpad()?.current_focus;
            let same = self.space.engine.is_same_task(&settings, &before, task);
            let changed = self.space.engine.write_or_make(space.entry()?, |cx| {
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

    pub(crate) fn set_projects(&self, projects: &[String]) -> Result<Scratchpad, Error> {
        let entry = self.space.entry()?;
        let projects =
            self.space
                .engine
                .passed_by(entry, projects.to_vec(), |projects, rewrite| {
                    projects
                        .iter_mut()
                        .for_each(|project| rewrite_text(project, rewrite));
                })?;
        let mut seen = std::collections::BTreeSet::new();
        let named = projects
            .iter()
            .map(|project| project.trim())
            .filter(|name| !name.is_empty() && seen.insert(*name));
        let projects: Vec<String> = named.map(str::to_owned).collect();
        self.space.engine.write_or_make(entry, |cx| {
            let (ns, now) = (cx.ns, cx.now);
            let mut pad = annals_records::scratchpad(&*cx.txn, ns)?;
            (pad.active_projects, pad.updated_at) = (projects.clone(), Some(now));
            annals_records::set_scratchpad(cx.txn, ns, &pad)?;
            Ok(pad)
        })
    }

    pub(crate) fn on_turn_start(&self, session: &str, task: &str) -> Result<Scratchpad, Error> {
        let space = self.space.for_call();
        let described =
            self.space
                .engine
                .passed_by(space.entry()?, task.trim().to_owned(), rewrite_text)?;
        if !described.is_empty() && !goes_on(&described) {
            space
                .session(session)
                .change_session(|state| described.clone_into(&mut state.current_task))?;
        }
        space.designs().agent().focus(&described)
    }

    pub(crate) fn on_turn_cancelled(
        &self,
        session: &str,
        before: &TurnBefore,
    ) -> Result<(), Error> {
        let space = self.space.for_call();
        space
            .session(session)
            .change_session(|state| before.task.clone_into(&mut state.current_task))?;
        self.space.engine.write_or_make(space.entry()?, |cx| {
            let ns = cx.ns;
            Ok(annals_records::set_scratchpad(
                cx.txn,
                ns,
                &before.scratchpad,
            )?)
        })
    }

    pub(crate) fn turn_before(&self, session: &str) -> Result<TurnBefore, Error> {
        Ok(TurnBefore {
            scratchpad: self.scratchpad()?,
            task: self.space.session(session).state()?.current_task,
        })
    }

    pub(crate) fn on_turn_end(&self, turn: NewTurn) -> Result<MemoryId, Error> {
        let ids = self.space.sessions().append(vec![turn])?;
        ids.first()
            .copied()
            .ok_or_else(|| Error::internal("a turn was stored without an id"))
    }

    pub(crate) fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Option<AgentMemory>>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(vec![None; ids.len()]);
        };
        let standings = self.space.lifecycle().standings(ids)?;
        let each = ids
            .iter()
            .zip(standings)
            .map(|(id, standing)| self.agent_memory(namespace, *id, standing));
        each.collect()
    }

    fn agent_memory(
        &self,
        namespace: NamespaceId,
        id: MemoryId,
        standing: Option<Standing>,
    ) -> Result<Option<AgentMemory>, Error> {
        let snapshot = self.space.engine.snapshot()?;
        let Some((_, memory)) = annals_records::get(&snapshot, namespace, id, None)? else {
            return Ok(None);
        };
        let history = annals_records::history(&snapshot, namespace, id)?;
        let created = history
            .iter()
            .map(|revision| revision.memory.stored_at)
            .min();
        let Memory {
            ref body,
            stored_at,
            ..
        } = memory;
        let text = |key: &str| match body.metadata.get(key) {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        };
        // The number that was meant by one in single precision.
        let (score, class, expires) = match standing {
            Some(standing) => (standing.score, standing.class, standing.expires_at),
            None => (body.importance.exact(), text("class"), body.expires_at),
        };
        Ok(Some(AgentMemory {
            id: id.to_string(),
            kind: body.kind.as_str().to_owned(),
            priority: class,
            content: body.text.clone(),
            subject: text("subject"),
            predicate: text("predicate"),
            importance_score: score,
            confidence: body.confidence.exact(),
            expires_at: expires,
            created_at: created.unwrap_or(stored_at),
            updated_at: stored_at,
        }))
    }

    pub(crate) fn on_context_compressed(
        &self,
        session: &str,
        turns: Vec<NewTurn>,
    ) -> Result<usize, Error> {
        let session = Label::new("session", session)?;
        let space = self.space.for_call();
        let stored = space.store_new(turns, &session)?;
        let Some(namespace) = space.id()? else {
            return Ok(0);
        };
        self.space.engine.write(namespace, |cx| {
            cursors::queue_session(cx, &session, None)?;
            Ok(())
        })?;
        Ok(stored)
    }

    pub(crate) fn build_prompt_parts(&self) -> Result<Vec<Part>, Error> {
        Ok(self.space.context(ContextRequest::default())?.parts)
    }
}

impl Handle {
    /// Whether two descriptions mean one task: enough words in common, or much the same meaning.
    /// Without an embedder the words decide.
    fn is_same_task(&self, settings: &ScratchpadSettings, before: &str, task: &str) -> bool {
        if before.is_empty()
            || before.trim() == task.trim()
            || common_words(before, task) >= settings.same_words
        {
            return true;
        }
        let Ok(vectors) = self.embedder.embed(&[before, task], Purpose::Passage) else {
            return false;
        };
        let [first, second] = vectors.as_slice() else {
            return false;
        };
        cosine(first, second) >= settings.same_cosine
    }
}

/// The share of the terms of two texts that are in both.
fn common_words(first: &str, second: &str) -> f64 {
    let analyzer = annals_text::Analyzer::new();
    let terms = |text: &str| -> std::collections::BTreeSet<annals_text::Term> {
        analyzer
            .forward(text, None)
            .entries()
            .iter()
            .map(|(term, _)| *term)
            .collect()
    };
    let (first, second) = (terms(first), terms(second));
    let all = first.union(&second).count();
    if all == 0 {
        0.0
    } else {
        count(first.intersection(&second).count()) / count(all)
    }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn cosine(first: &[f32], second: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| {
        a.iter()
            .zip(b)
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum::<f64>()
    };
    let norm = (dot(first, first) * dot(second, second)).sqrt();
    if norm > 0.0 {
        dot(first, second) / norm
    } else {
        0.0
    }
}
