//! What memories are worth, and memories that wait for a verdict.

use annals_lifecycle::review::{self, Verdict};
use annals_types::profile::ReviewKind;
use annals_types::{Memory, MemoryId, Row, Status, Timestamp};
use tracing::instrument;

use super::Namespace;
use crate::engine::View;
use crate::{Adjustment, Error, PendingReview, Standing};

/// Numbers closer than this are equal: they are stored in single precision.
const EPSILON: f32 = 1e-6;

impl Namespace {
    /// What memories are worth now, in the order asked; `None` for one that does not exist or has no life of its own: under the default
    /// profile until it is used, and turns of conversations.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn standings(&self, ids: &[MemoryId]) -> Result<Vec<Option<Standing>>, Error> {
        let Some(namespace) = self.id()? else { return Ok(vec![None; ids.len()]) };
        let view = self.engine.view(namespace)?;
        let snapshot = self.engine.snapshot()?;
        let rows = annals_records::find_rows(&snapshot, namespace, ids)?;
        let now = self.engine.now();
        let standing = |(id, row): (&MemoryId, Option<Row>)| -> Result<Option<Standing>, Error> {
            let Some(mut standing) = row.and_then(|row| stands(&view, row, now)) else { return Ok(None) };
            let life = row.map(|row| annals_lifecycle::states(&snapshot, namespace, &[row])).transpose()?;
            standing.due_at = life.into_iter().flatten().flatten().next().and_then(|state| state.due_at());
            let statuses = annals_records::status_history(&snapshot, namespace, *id)?;
            let staged = statuses.first().is_some_and(|(_, status)| *status == Status::Staged);
            let left = statuses.iter().find(|(_, status)| *status != Status::Staged);
            standing.consolidated_at = left.filter(|_| staged).map(|(time, _)| *time);
            Ok(Some(standing))
        };
        ids.iter().zip(rows).map(standing).collect()
    }

    /// Changes by hand how much a memory matters: an administrative change that no cooldown or cap limits. Answers its score before and
    /// after; rules look at it when the next job runs.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for what is no number.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn adjust(&self, id: MemoryId, by: Adjustment) -> Result<(f64, f64), Error> {
        self.engine.adjust(self.id_for(id)?, id, by)
    }

    /// At most `limit` memories that wait for a verdict, in the order of their storing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn reviews(&self, limit: usize) -> Result<Vec<PendingReview>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let (view, now) = (self.engine.view(namespace)?, self.engine.now());
        let snapshot = self.engine.snapshot()?;
        let profile = self.engine.profiles.of(&snapshot, namespace)?;
        let lane = profile.terms(&snapshot)?.lane;
        let found = review::reviews(&snapshot, (namespace, lane), None, limit)?;
        let rows: Vec<Row> = found.iter().map(|review| review.row).collect();
        let memories = annals_records::memories(&snapshot, namespace, &rows, None)?;
        let waiting = found.into_iter().zip(memories).filter_map(|(review, memory)| {
            let memory = memory?;
            Some(PendingReview {
                id: memory.id,
                kind: review.kind,
                score: view.worth.score(review.row, now).unwrap_or(review.score),
                status: memory.status,
                text: memory.body.text,
                attempts: review.task.attempts,
                retry_at: review.task.state.waits_until().filter(|_| !review.task.error.is_empty()),
                last_error: review.task.error,
            })
        });
        Ok(waiting.collect())
    }

    /// At most `limit` memories that matter much and are not sure, by the profile's numbers, the most important first: a person should look at
    /// them. None where the profile does not say so. Confirming one, or correcting it, takes it off.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn doubtful(&self, limit: usize) -> Result<Vec<Memory>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let view = self.engine.view(namespace)?;
        let settings = &view.profile.settings.review;
        let Some((weighty, sure)) = settings.doubt_importance.zip(settings.doubt_confidence) else {
            return Ok(Vec::new());
        };
        let doubtful = |row: Row| {
            let facts = view.columns.get(row).filter(|facts| !facts.replaced && !facts.verified)?;
            let shown = matches!(facts.status, Status::Active | Status::Staged);
            let wanted = shown && facts.importance >= weighty - EPSILON && facts.confidence < sure - EPSILON;
            wanted.then_some((facts.importance, row))
        };
        let mut found: Vec<(f32, Row)> = view.columns.rows().filter_map(doubtful).collect();
        found.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        let rows: Vec<Row> = found.into_iter().take(limit).map(|(_, row)| row).collect();
        let memories = annals_records::memories(&self.engine.snapshot()?, namespace, &rows, Some(&view.columns))?;
        Ok(memories.into_iter().flatten().collect())
    }

    /// Says what becomes of a memory that waits for a verdict. Answers what was done: a memory that its profile protects is kept instead of
    /// deleted. What is promoted gets the class of the profile for that, whichever of the two questions was asked.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such memory, or it does not wait for this verdict;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a promotion where the profile names no class for it.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn decide(&self, id: MemoryId, kind: ReviewKind, verdict: Verdict) -> Result<Verdict, Error> {
        self.engine.decide(self.id_for(id)?, id, kind, verdict)
    }
}

fn stands(view: &View, row: Row, now: Timestamp) -> Option<Standing> {
    Some(Standing {
        importance: view.worth.importance(row, now)?,
        score: view.worth.score(row, now)?,
        retention: view.worth.retention(row, now)?,
        class: view.worth.class(row)?.to_owned(),
        last_access: view.worth.anchor(row)?.accessed,
        used: view.worth.uses(row).0,
        returned: view.worth.uses(row).1,
        expires_at: view.worth.expires_at(row),
        due_at: None,
        consolidated_at: None,
    })
}
