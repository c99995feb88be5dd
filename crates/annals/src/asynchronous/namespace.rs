//! Memories of a namespace: stored, found, changed, removed.

use annals_lifecycle::Reinforced;
use annals_recall::Query;
use annals_types::profile::{Profile, ReviewKind, Signal};
use annals_types::{Filter, Memory as StoredMemory, MemoryId, NewMemory, NewTurn, Revision, Timestamp};

use super::{Namespace, Snapshot, WorkingMemory};
use crate::{
    Adjustment, Answer, BulkReceipt, Context, ContextRequest, Decision, Error, Event, Hit, ListQuery, Mode,
    NamespaceStats, Page, PendingReview, Proposal, QueuedTask, Receipt, ReembedProgress, ReembedReport, Remark,
    SessionInfo, Standing, Suspicion, SyncReport, Undone, Verdict, blocking,
};

impl Namespace {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The blocking handle.
    #[must_use]
    pub const fn blocking(&self) -> &blocking::Namespace {
        &self.0
    }

    /// Stores a memory: a text, or a [`NewMemory`] with more to say. When this returns it is on disk.
    ///
    /// # Errors
    /// As [`blocking::Namespace::remember`].
    pub async fn remember<M>(&self, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let (handle, memory) = (self.0.clone(), memory.try_into()?);
        ::blocking::unblock(move || handle.remember::<NewMemory>(memory)).await
    }

    /// Begins a conversation whose messages are kept in memory only. Blocks for less than a millisecond.
    ///
    /// # Errors
    /// As [`blocking::Namespace::working`].
    pub fn working(&self, session: &str) -> Result<WorkingMemory, Error> {
        self.0.working(session).map(WorkingMemory)
    }

    /// What of the memory belongs into a prompt.
    ///
    /// # Errors
    /// As [`blocking::Namespace::context`].
    pub async fn context(&self, request: impl Into<ContextRequest>) -> Result<Context, Error> {
        let (handle, request) = (self.0.clone(), request.into());
        ::blocking::unblock(move || handle.context(request)).await
    }

    /// Begins a conversation of which nothing stays.
    #[must_use]
    pub fn incognito(&self) -> blocking::Incognito {
        self.0.incognito()
    }

    /// The memories that answer a question best.
    ///
    /// # Errors
    /// As [`blocking::Namespace::recall`].
    pub async fn recall(&self, query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        Ok(self.answer(query).await?.hits)
    }

    /// The same, with what else is known of the answer.
    ///
    /// # Errors
    /// As [`blocking::Namespace::recall`].
    pub async fn answer(&self, query: impl Into<Query>) -> Result<Answer, Error> {
        let (handle, query) = (self.0.clone(), query.into());
        ::blocking::unblock(move || handle.answer(query)).await
    }

    /// Replaces the text of a memory; the old text stays as history.
    ///
    /// # Errors
    /// As [`blocking::Namespace::update`].
    pub async fn update<M>(&self, id: MemoryId, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let (handle, memory) = (self.0.clone(), memory.try_into()?);
        ::blocking::unblock(move || handle.update::<NewMemory>(id, memory)).await
    }

    /// Replaces a memory by another one with an id of its own.
    ///
    /// # Errors
    /// As [`blocking::Namespace::supersede`].
    pub async fn supersede<M>(&self, old: MemoryId, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let (handle, memory) = (self.0.clone(), memory.try_into()?);
        ::blocking::unblock(move || handle.supersede::<NewMemory>(old, memory)).await
    }

    /// Memories in the order of their storing, page by page.
    ///
    /// # Errors
    /// As [`blocking::Namespace::list`].
    pub async fn list(&self, query: ListQuery) -> Result<Page, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.list(&query)).await
    }

    /// At most `limit` turns of a session from a position on, in order.
    ///
    /// # Errors
    /// As [`blocking::Namespace::session`].
    pub async fn session(
        &self,
        session: impl Into<String>,
        from_position: u32,
        limit: usize,
    ) -> Result<Vec<StoredMemory>, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.session(&session, from_position, limit)).await
    }

    /// Deletes what a list of ids names, or tells what would go.
    ///
    /// # Errors
    /// As [`blocking::Namespace::delete_listed`].
    pub async fn delete_listed(&self, list: impl Into<String>, mode: Mode) -> Result<BulkReceipt, Error> {
        let (handle, list) = (self.0.clone(), list.into());
        ::blocking::unblock(move || handle.delete_listed(&list, mode)).await
    }

    /// Reports that memories were of use.
    ///
    /// # Errors
    /// As [`blocking::Namespace::touch`].
    pub async fn touch(&self, ids: Vec<MemoryId>) -> Result<Vec<Reinforced>, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.touch(&ids)).await
    }

    /// Reports another signal about memories.
    ///
    /// # Errors
    /// As [`blocking::Namespace::signal`].
    pub async fn signal(&self, ids: Vec<MemoryId>, signal: Signal) -> Result<Vec<Reinforced>, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.signal(&ids, signal)).await
    }

    /// What memories are worth now.
    ///
    /// # Errors
    /// As [`blocking::Namespace::standings`].
    pub async fn standings(&self, ids: Vec<MemoryId>) -> Result<Vec<Option<Standing>>, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.standings(&ids)).await
    }

    /// The settings of its profile.
    ///
    /// # Errors
    /// As [`blocking::Namespace::settings`].
    pub async fn settings(&self) -> Result<Profile, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.settings()).await
    }

    /// Gives it another profile; answers which mirrored files went.
    ///
    /// # Errors
    /// As [`blocking::Namespace::set_profile`].
    pub async fn set_profile(&self, profile: impl Into<String>) -> Result<SyncReport, Error> {
        let (handle, profile) = (self.0.clone(), profile.into());
        ::blocking::unblock(move || handle.set_profile(&profile)).await
    }

    /// Hides all memories that pass a filter, or tells which they are.
    ///
    /// # Errors
    /// As [`blocking::Namespace::forget_where`].
    pub async fn forget_where(&self, filter: Filter, mode: Mode) -> Result<Receipt, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.forget_where(&filter, mode)).await
    }

    /// Has all memories that pass a filter deleted in the background; answers the number of the work.
    ///
    /// # Errors
    /// As [`blocking::Namespace::delete_in_background`].
    pub async fn delete_in_background(&self, filter: Filter) -> Result<u64, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.delete_in_background(&filter)).await
    }

    /// Deletes all memories that pass a filter, or tells which they are.
    ///
    /// # Errors
    /// As [`blocking::Namespace::delete_where`].
    pub async fn delete_where(&self, filter: Filter, mode: Mode) -> Result<Receipt, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.delete_where(&filter, mode)).await
    }

    /// Gives every memory a vector of the embedder that this file was opened with, and says how far it is. Dropping the future does not end it.
    ///
    /// # Errors
    /// As [`blocking::Namespace::reembed`].
    pub async fn reembed(
        &self,
        mut progress: impl FnMut(ReembedProgress) + Send + 'static,
    ) -> Result<ReembedReport, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.reembed(&mut progress)).await
    }

    /// Everything as it is now, for several reads of one state.
    ///
    /// # Errors
    /// As [`blocking::Namespace::snapshot`].
    pub async fn snapshot(&self) -> Result<Snapshot, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.snapshot().map(Snapshot)).await
    }

    /// The kinds of secrets that were masked in what came to be stored since this was asked last.
    #[must_use]
    pub fn take_masked(&self) -> Vec<String> {
        self.0.take_masked()
    }

    calls! {
        /// The least score with which recall brings a memory into a prompt.
        floor() -> f32;
        /// Whether it is there: it comes into being with its first memory.
        exists() -> bool;
        /// Stores memories in one transaction.
        remember_many(memories: Vec<NewMemory>) -> Vec<MemoryId>;
        /// Appends turns to their sessions in one transaction.
        append_turns(turns: Vec<NewTurn>) -> Vec<MemoryId>;
        /// A memory by its id.
        get(id: MemoryId) -> Option<StoredMemory>;
        /// Since when a memory lacks one of its sources without having been derived again.
        stale_since(id: MemoryId) -> Option<Timestamp>;
        /// Every text that a memory had, the oldest first.
        history(id: MemoryId) -> Vec<Revision>;
        /// The conversations.
        sessions() -> Vec<SessionInfo>;
        /// At most `limit` entries of the event log from number `from` on.
        events(from: u64, limit: usize) -> Vec<Event>;
        /// Sizes and counts.
        stats() -> NamespaceStats;
        /// The name of its profile.
        profile() -> String;
        /// Background work of this namespace.
        queue(limit: usize) -> Vec<QueuedTask>;
        /// What models answered about conversations that was not done, the latest answer first.
        remarks(limit: usize) -> Vec<Remark>;
        /// Lets a piece of background work be begun now.
        retry_task(number: u64) -> ();
        /// The same for all that failed and waits for its next attempt.
        retry_waiting() -> u64;
        /// The same with what was given up.
        retry_all() -> u64;
        /// Takes a piece of background work out of the queue.
        drop_task(number: u64) -> ();
        /// How many things were found and wait for a person.
        proposal_count() -> u64;
        /// At most `limit` things that were found and wait for a person.
        proposals(limit: usize) -> Vec<Proposal>;
        /// Does what a proposal says, as confirmed by a person.
        accept_proposal(id: MemoryId) -> Option<MemoryId>;
        /// Drops a proposal.
        reject_proposal(id: MemoryId) -> ();
        /// Takes back the last change that a caller made of a memory.
        undo(id: MemoryId) -> Undone;
        /// Takes back the last change that a caller made in the namespace.
        undo_last() -> Undone;
        /// At most `limit` memories that wait for a verdict.
        reviews(limit: usize) -> Vec<PendingReview>;
        /// Says what becomes of a memory that waits for a verdict; answers what was done.
        decide(id: MemoryId, kind: ReviewKind, verdict: Verdict) -> Verdict;
        /// At most `limit` pairs of memories that may contradict each other and about which nobody has decided.
        suspicions(limit: usize) -> Vec<Suspicion>;
        /// Says whether the newer of such a pair contradicts the older.
        settle_suspicion(newer: MemoryId, older: MemoryId, contradicts: bool) -> ();
        /// At most `limit` decisions about one memory or about all, the newest first.
        decisions(memory: Option<MemoryId>, limit: usize) -> Vec<Decision>;
        /// Takes a decision back.
        undo_decision(number: u64) -> Decision;
        /// Changes by hand how much a memory matters.
        adjust(id: MemoryId, by: Adjustment) -> (f64, f64);
        /// Hides a memory until it is restored.
        forget(id: MemoryId) -> ();
        /// Puts a memory aside.
        archive(id: MemoryId) -> ();
        /// Brings a forgotten or archived memory back.
        restore(id: MemoryId) -> ();
        /// Deletes a memory for good, or tells what would go.
        delete(id: MemoryId, mode: Mode) -> Receipt;
    }

    /// Hides memories in one transaction: all of them or none.
    ///
    /// # Errors
    /// As [`blocking::Namespace::forget_many`].
    pub async fn forget_many(&self, ids: Vec<MemoryId>) -> Result<(), Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.forget_many(&ids)).await
    }

    /// Puts memories aside in one transaction: all of them or none.
    ///
    /// # Errors
    /// As [`blocking::Namespace::archive_many`].
    pub async fn archive_many(&self, ids: Vec<MemoryId>) -> Result<(), Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.archive_many(&ids)).await
    }

    /// Brings memories back in one transaction: all of them or none.
    ///
    /// # Errors
    /// As [`blocking::Namespace::restore_many`].
    pub async fn restore_many(&self, ids: Vec<MemoryId>) -> Result<(), Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.restore_many(&ids)).await
    }

    /// Deletes memories for good in one transaction, or tells what would go.
    ///
    /// # Errors
    /// As [`blocking::Namespace::delete_many`].
    pub async fn delete_many(&self, ids: Vec<MemoryId>, mode: Mode) -> Result<Receipt, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.delete_many(&ids, mode)).await
    }
}
