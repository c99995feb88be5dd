//! Looks through conversations: the extension that keeps what is known of them, and the background
//! work about them.

use std::sync::Arc;

use annals_lifecycle::task::{self, Task};
use annals_storage::Reads;
use annals_types::profile::{EpisodeTrigger, ExtractTrigger, JobSettings, JobStep};
use annals_types::{Label, MemoryId, NamespaceId};

use crate::Curator;
use crate::conversations::Conversations;
use crate::cursors;
use crate::models::Models;
use crate::tasks::extract::ExtractionResult;
use annals_engine::Engine;
use annals_engine::Error;
use annals_engine::advisers::Advisers;
use annals_engine::compiled::CompiledProfile;
use annals_engine::extension::{Extension, Service};
pub(crate) use annals_engine::jobs::tasks::{TaskKind, subject};
use annals_engine::jobs::{Counts, Run, StepResult};

/// Extraction, episodes, comparison and interpretation, by the models that are configured.
pub struct Curation {
    models: Arc<Models>,
}

impl Curation {
    pub const fn new(models: Arc<Models>) -> Self {
        Self { models }
    }
}

impl Service for Curation {
    fn extension(&self) -> Option<&dyn Extension> {
        Some(&Conversations)
    }

    fn can(&self, kind: TaskKind) -> Option<bool> {
        let models = &self.models;
        Some(match kind {
            TaskKind::Derive => models.has_summarizer() || models.has_extractor(),
            TaskKind::Extract => models.has_extractor(),
            TaskKind::Compare => models.has_judge(),
            TaskKind::Interpret => models.has_interpreter(),
            TaskKind::Idle => true,
            TaskKind::Delete => return None,
        })
    }

    fn work(
        &self,
        engine: &Engine,
        run: &Run<'_>,
        (kind, task): (TaskKind, &Task),
    ) -> Result<Option<&'static str>, Error> {
        let (curator, about) = (Curator(engine), subject(task));
        Ok(Some(match (kind, about) {
            (TaskKind::Derive, Some(id)) => curator.derive_again(run, id, task)?,
            (TaskKind::Extract, Some(id)) => curator.extract_from(run, id, task)?.word,
            (TaskKind::Compare, Some(id)) => curator.compare(run, id, task)?,
            (TaskKind::Interpret, Some(id)) => curator.interpret(run, id, task)?,
            (TaskKind::Idle, _) => curator.look_whether_idle(run, task)?,
            _ => return Ok(None),
        }))
    }

    fn step(
        &self,
        engine: &Engine,
        run: &Run<'_>,
        step: JobStep,
    ) -> Result<Option<StepResult>, Error> {
        let curator = Curator(engine);
        Ok(Some(match step {
            JobStep::Queue if curator.looks_back(run) => {
                // The queue of the day comes first, so that the night only finds what is left.
                let queued = engine.work_off(run)?;
                if matches!(queued, StepResult::Interrupted) {
                    return Ok(Some(queued));
                }
                curator.queue_night(run)?;
                queued.then(curator.catch_up(run)?)
            }
            JobStep::Queue => curator.catch_up(run)?,
            JobStep::Dedup => curator.remove_duplicates(run)?,
            JobStep::Relations => curator.discover_relations(run)?,
            JobStep::Conflicts => curator.settle_conflicts(run)?,
            JobStep::Report => curator.report(run)?,
            _ => return Ok(None),
        }))
    }

    fn flush(&self, engine: &Engine) {
        if let Err(error) = self.models.write_accounts(engine) {
            tracing::warn!(%error, "the account of the language models is not written down yet");
        }
    }
}

impl Curator<'_> {
    /// Makes the episodes that are owed, and works off the queue.
    fn catch_up(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        let owed = match run.profile.settings.episodes.trigger {
            EpisodeTrigger::SessionEnd => self.owed_episodes(run.spaces)?,
            _ => Counts::new(),
        };
        Ok(StepResult::Done(owed).then(self.work_off(run)?))
    }

    /// Whether the profile wants the night to look through sessions that no trigger of the day
    /// began, and an extractor is available.
    fn looks_back(&self, run: &Run<'_>) -> bool {
        run.profile
            .settings
            .extract
            .begins_at(ExtractTrigger::Night)
            && self.can(TaskKind::Extract, run.profile)
    }

    /// Queues the sessions that no trigger of the day began.
    fn queue_night(&self, run: &Run<'_>) -> Result<(), Error> {
        for (ns, _) in run.spaces {
            let queued = self.write_under(*ns, run.profile, self.now(), cursors::queue_all);
            match queued {
                Err(error) if error.has_left() => {}
                queued => drop(queued?),
            }
        }
        Ok(())
    }

    /// Looks through the open turns of a session now, whenever their next attempt would be, if the
    /// profile wants that at its end; answers the result, or why it is put off.
    pub fn look_through(
        &self,
        profile: &Arc<CompiledProfile>,
        ns: NamespaceId,
        session: &Label,
    ) -> Result<(ExtractionResult, Option<String>), Error> {
        let now = self.now();
        let able = self.can(TaskKind::Extract, profile);
        // A task that is begun here must not be taken for one of a process that has died.
        let first = match TaskKind::Extract.lane(&self.snapshot()?, profile)? {
            Some(lane) => {
                self.reclaim(lane)?;
                None
            }
            None => Some(self.reclaimed.lock()),
        };
        // Queued and begun in one: nobody else takes the work, and its result, away.
        let begun = self.write(ns, |cx| {
            let profile = cx.profile;
            let end = Some(ExtractTrigger::SessionEnd);
            let queued = cursors::queue_session(cx, session, end)?;
            let mut tasks = Vec::new();
            for (number, id) in Self::queued_of(&*cx.txn, profile, ns, session)?
                .into_iter()
                .filter(|_| able)
            {
                let task = task::claim_now(cx.txn, ns, number, &profile.settings.queue, now)?;
                tasks.extend(task.map(|task| (id, task)));
            }
            Ok((queued, tasks))
        })?;
        let (queued, tasks) = begun;
        if let Some(mut reclaimed) = first {
            reclaimed.extend(tasks.iter().map(|(_, task)| task.lane));
        }
        let (mut all, mut put_off) = (ExtractionResult::default(), None);
        if queued && !able {
            put_off = Some("there is no model; set one in the options".to_owned());
        }
        let job = JobSettings::default();
        let run = Run {
            profile,
            spaces: &[],
            job: &job,
            at: now,
            cancel: &self.closing,
        };
        let mut away = false;
        for (id, task) in tasks {
            if away {
                self.give_back(&task, now)?;
                continue;
            }
            match self.extract_from(&run, id, &task) {
                Ok(looked) => {
                    (all.new, all.updated) = (all.new + looked.new, all.updated + looked.updated);
                    all.word = looked.word;
                }
                Err(error) => {
                    away = error.is_away();
                    put_off = Some(self.put_off(&run, &task, error)?.why);
                }
            }
        }
        Ok((all, put_off))
    }

    /// The extractions that are queued of a session: their numbers and turns.
    fn queued_of(
        reads: &dyn Reads,
        profile: &CompiledProfile,
        ns: NamespaceId,
        session: &Label,
    ) -> Result<Vec<(u64, MemoryId)>, Error> {
        let lane = TaskKind::Extract.lane(reads, profile)?;
        let mut found = Vec::new();
        for task in task::tasks(reads, ns, 0, usize::MAX)?
            .iter()
            .filter(|task| Some(task.lane) == lane)
        {
            let Some(id) = subject(task) else { continue };
            let turn =
                annals_records::get(reads, ns, id, None)?.and_then(|(_, memory)| memory.body.turn);
            if turn.is_some_and(|turn| turn.session == *session) {
                found.push((task.number, id));
            }
        }
        Ok(found)
    }
}
