//! What memories are worth, and memories that wait for a verdict.

use annals_lifecycle::review::{self, Verdict};
use annals_types::profile::ReviewKind;
use annals_types::{MemoryId, Row};
use tracing::instrument;

use super::Namespace;
use crate::{Adjustment, Error, PendingReview, Standing};

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
        let standing = |row: Option<Row>| {
            let row = row?;
            Some(Standing {
                importance: view.worth.importance(row, now)?,
                score: view.worth.score(row, now)?,
                retention: view.worth.retention(row, now)?,
                class: view.worth.class(row)?.to_owned(),
                last_access: view.worth.anchor(row)?.accessed,
                used: view.worth.uses(row).0,
                returned: view.worth.uses(row).1,
                expires_at: view.worth.expires_at(row),
            })
        };
        Ok(rows.into_iter().map(standing).collect())
    }

    /// Changes by hand how much a memory matters: an administrative change that no cooldown or cap limits. Answers its score before and
    /// after; rules look at it when the next job runs.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for what is no number.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn adjust(&self, id: MemoryId, by: Adjustment) -> Result<(f64, f64), Error> {
        self.id_for(id)?;
        self.engine.adjust(&self.name, id, by)
    }

    /// At most `limit` memories that wait for a verdict, in the order of their storing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn reviews(&self, limit: usize) -> Result<Vec<PendingReview>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let rulebook = self.engine.rulebooks.of(&snapshot, namespace)?;
        let lane = rulebook.terms(&snapshot)?.lane;
        let found = review::reviews(&snapshot, (namespace, lane), None, limit)?;
        let rows: Vec<Row> = found.iter().map(|review| review.row).collect();
        let memories = annals_records::memories(&snapshot, namespace, &rows, None)?;
        let waiting = found.into_iter().zip(memories).filter_map(|(review, memory)| {
            let memory = memory?;
            Some(PendingReview {
                id: memory.id,
                kind: review.kind,
                score: review.score,
                status: memory.status,
                text: memory.body.text,
                attempts: review.task.attempts,
                last_error: review.task.error,
            })
        });
        Ok(waiting.collect())
    }

    /// Says what becomes of a memory that waits for a verdict. Answers what was done: a promotion is taken for a "keep" where it was asked
    /// whether the memory may go, and what its profile protects is kept.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such memory, or it does not wait for this verdict.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn decide(&self, id: MemoryId, kind: ReviewKind, verdict: Verdict) -> Result<Verdict, Error> {
        self.id_for(id)?;
        self.engine.decide(&self.name, id, kind, verdict)
    }
}
