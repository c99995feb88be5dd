//! What memories are worth, and memories that wait for a verdict.

use annals_lifecycle::review::{self, Verdict};
use annals_types::profile::ReviewKind;
use annals_types::{Memory, MemoryId, Row, Status};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{Error, HandledCommand, PendingReview, Proposal, Suspicion};

handles! {
    /// Decisions that wait for a person: verdicts, doubts, suspected contradictions, proposals.
    pub struct Reviews;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.")?;
        /// assert!(user.reviews().pending(10)?.is_empty());
        /// assert_eq!(user.reviews().proposal_count()?, 0);
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.").await?;
        /// assert!(user.reviews().pending(10).await?.is_empty());
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Reviews {
    pub(super) space: Namespace,
}

calls! {
    for Reviews;

    calls {
        /// At most `limit` things that were found in conversations and wait for a person, the
        /// oldest first: all that was found where the profile says `extract.auto = false`, else
        /// deletions of what a person told, or what is kept for good.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn proposals(limit: own(usize)) -> Vec<Proposal>;

        /// How many such things wait.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn proposal_count() -> u64;

        /// Does what a proposal says, as confirmed by a person. Answers the memory that says it
        /// now, if one does: the proposal's own id, or that of a memory that said the same before.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when no such proposal waits;
        /// otherwise as [`remember`](crate::Namespace::remember).
        fn accept(id: own(MemoryId)) -> Option<MemoryId>;

        /// Drops a proposal. Kept as a decision, so that it can be [taken
        /// back](crate::Decisions::undo).
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when no such proposal waits.
        fn reject(id: own(MemoryId)) -> ();

        /// At most `limit` memories that wait for a verdict, in the order of their storing.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn pending(limit: own(usize)) -> Vec<PendingReview>;

        /// At most `limit` memories that matter much and are not sure, by the profile's numbers,
        /// the most important first: a person should look at them. None where the profile does not
        /// say so. Confirming one, or correcting it, takes it off.
        ///
        /// # Errors
        /// When they cannot be read.
        fn doubtful(limit: own(usize)) -> Vec<Memory>;

        /// Says what becomes of a memory that waits for a verdict. Answers what was done: a memory
        /// that its profile protects is kept instead of deleted. What is promoted gets the class of
        /// the profile for that, whichever of the two questions was asked.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such memory, or it
        /// does not wait for this verdict; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a
        /// promotion where the profile names no class for it.
        fn decide(id: own(MemoryId), kind: own(ReviewKind), verdict: own(Verdict)) -> Verdict;

        /// At most `limit` pairs of memories that are so much alike that one may contradict the
        /// other, and about which neither a judge nor a person has decided; the most similar first.
        /// The job's step `conflicts` notices them, from `conflict.min_similarity` on.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn suspicions(limit: own(usize)) -> Vec<Suspicion>;

        /// Says whether the newer of two memories of [`suspicions`](Self::suspicions) contradicts
        /// the older. Where it does, the profile says what becomes of them (`conflict.strategy`);
        /// the answer is kept among the [`list`](crate::Decisions::list) and can be taken back
        /// there.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a pair that nobody suspects, and
        /// for memories that are not in use.
        fn settle(newer: own(MemoryId), older: own(MemoryId), contradicts: own(bool)) -> ();

        /// Carries out what waits for a person's yes: a memory [to be
        /// forgotten](HandledCommand::ToForget) is forgotten with the turns that say it and the
        /// answers to them. All of it can be restored. Anything else is returned as it is.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the memory is gone, or when the
        /// file cannot be written.
        fn confirm(handled: own(HandledCommand)) -> HandledCommand;
    }
}

/// Numbers closer than this are equal: they are stored in single precision.
const EPSILON: f32 = 1e-6;

impl Reviews {
    pub(crate) fn pending(&self, limit: usize) -> Result<Vec<PendingReview>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let (view, now) = (self.space.engine.view(namespace)?, self.space.engine.now());
        let snapshot = self.space.engine.snapshot()?;
        let profile = self.space.engine.profiles.of(&snapshot, namespace)?;
        let lane = profile.terms(&snapshot)?.lane;
        let found = review::reviews(&snapshot, namespace, lane, None, limit)?;
        let rows: Vec<Row> = found.iter().map(|review| review.row).collect();
        let memories = annals_records::memories(&snapshot, namespace, &rows, None)?;
        let waiting = found
            .into_iter()
            .zip(memories)
            .filter_map(|(review, memory)| {
                let memory = memory?;
                Some(PendingReview {
                    id: memory.id,
                    kind: review.kind,
                    score: view.worth.score(review.row, now).unwrap_or(review.score),
                    status: memory.status,
                    text: memory.body.text,
                    attempts: review.task.attempts,
                    retry_at: review
                        .task
                        .state
                        .waits_until()
                        .filter(|_| !review.task.error.is_empty()),
                    last_error: review.task.error,
                })
            });
        Ok(waiting.collect())
    }

    pub(crate) fn doubtful(&self, limit: usize) -> Result<Vec<Memory>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let view = self.space.engine.view(namespace)?;
        let settings = &view.profile.settings.review;
        let Some((weighty, sure)) = settings.doubt_importance.zip(settings.doubt_confidence) else {
            return Ok(Vec::new());
        };
        let doubtful = |row: Row| {
            let facts = view
                .columns
                .get(row)
                .filter(|facts| !facts.replaced && !facts.verified)?;
            let shown = matches!(facts.status, Status::Active | Status::Staged);
            let wanted =
                shown && facts.importance >= weighty - EPSILON && facts.confidence < sure - EPSILON;
            wanted.then_some((facts.importance, row))
        };
        let mut found: Vec<(f32, Row)> = view.columns.rows().filter_map(doubtful).collect();
        found.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        let rows: Vec<Row> = found.into_iter().take(limit).map(|(_, row)| row).collect();
        let memories = annals_records::memories(
            &self.space.engine.snapshot()?,
            namespace,
            &rows,
            Some(&view.columns),
        )?;
        Ok(memories.into_iter().flatten().collect())
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn decide(
        &self,
        id: MemoryId,
        kind: ReviewKind,
        verdict: Verdict,
    ) -> Result<Verdict, Error> {
        self.space
            .engine
            .decide(self.space.id_for(id)?, id, kind, verdict)
    }
}
