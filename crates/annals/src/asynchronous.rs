//! The same calls as futures: each runs the blocking call on a pool of threads, inside any runtime or none.

use std::path::Path;

use annals_recall::Query;
use annals_types::profile::{ReviewKind, Signal};
use annals_types::{Episode, Filter, Memory as StoredMemory, MemoryId, NewMemory, NewTurn, Revision, Scratchpad};

use crate::{
    Adjustment, Answer, BulkReceipt, CompactReport, Context, ContextRequest, Decision, Error, Event, FileStats, Hit,
    JobInfo, JobReport, ListQuery, Mode, NamespaceReceipt, NamespaceStats, Options, Page, PendingReview, ProfileInfo,
    Prompt, Proposal, QueuedTask, Receipt, SessionEnd, SessionInfo, Spoken, Standing, Usage, ValidateReport, Verdict,
    blocking,
};

/// A file of memories. Clones share one handle.
///
/// Every call that touches the file runs on a pool of threads of its own, so it works inside any runtime and without one. A
/// future that is dropped early may still take effect: what has begun is finished.
#[derive(Debug, Clone)]
pub struct Memory(blocking::Memory);

/// A namespace of a [`Memory`]. The calls are those of [`blocking::Namespace`], as futures.
#[derive(Debug, Clone)]
pub struct Namespace(blocking::Namespace);

/// A namespace as it was at one moment. The calls are those of [`blocking::Snapshot`], as futures.
#[derive(Debug, Clone)]
pub struct Snapshot(blocking::Snapshot);

/// The messages of a conversation that is going on. The calls are those of [`blocking::WorkingMemory`], as futures.
#[derive(Debug, Clone)]
pub struct WorkingMemory(blocking::WorkingMemory);

/// Defines calls that run the blocking call of the same name on the pool.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $owned:ty),*) -> $out:ty;)+) => {
        $(
            $(#[$doc])*
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn $name(&self, $($arg: $owned),*) -> Result<$out, Error> {
                let handle = self.0.clone();
                ::blocking::unblock(move || handle.$name($($arg),*)).await
            }
        )+
    };
}

mod extraction;
mod graph;

impl Memory {
    /// Opens a file with the default [`Options`]; creates it where there is none. Blocks for a few milliseconds.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        blocking::Memory::open(path).map(Self)
    }

    /// Options to open a file with; [`Memory::from`] makes this handle of the blocking one.
    pub fn options() -> Options {
        Options::new()
    }

    /// A namespace by its name. It comes into being with its first write.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the name is not allowed.
    pub fn namespace(&self, name: impl AsRef<str>) -> Result<Namespace, Error> {
        self.0.namespace(name).map(Namespace)
    }

    /// The blocking handle.
    #[must_use]
    pub const fn blocking(&self) -> &blocking::Memory {
        &self.0
    }

    /// Gives a namespace another name.
    ///
    /// # Errors
    /// As [`blocking::Memory::rename_namespace`].
    pub async fn rename_namespace(&self, from: impl Into<String>, to: impl Into<String>) -> Result<(), Error> {
        let (handle, from, to) = (self.0.clone(), from.into(), to.into());
        ::blocking::unblock(move || handle.rename_namespace(&from, &to)).await
    }

    /// Deletes a namespace with all its bytes.
    ///
    /// # Errors
    /// As [`blocking::Memory::delete_namespace`].
    pub async fn delete_namespace(&self, name: impl Into<String>, mode: Mode) -> Result<NamespaceReceipt, Error> {
        let (handle, name) = (self.0.clone(), name.into());
        ::blocking::unblock(move || handle.delete_namespace(&name, mode)).await
    }

    /// Asks several namespaces at once.
    ///
    /// # Errors
    /// As [`blocking::Memory::recall_across`].
    pub async fn recall_across(&self, names: &[&str], query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (handle, query) = (self.0.clone(), query.into());
        ::blocking::unblock(move || {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            handle.recall_across(&names, query)
        })
        .await
    }

    /// The same with what else there is to say of the search.
    ///
    /// # Errors
    /// As [`blocking::Memory::answer_across`].
    pub async fn answer_across(&self, names: &[&str], query: impl Into<Query>) -> Result<Answer, Error> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (handle, query) = (self.0.clone(), query.into());
        ::blocking::unblock(move || {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            handle.answer_across(&names, query)
        })
        .await
    }

    /// The text of a profile.
    ///
    /// # Errors
    /// As [`blocking::Memory::profile_text`].
    pub async fn profile_text(&self, name: impl Into<String>) -> Result<String, Error> {
        let (handle, name) = (self.0.clone(), name.into());
        ::blocking::unblock(move || handle.profile_text(&name)).await
    }

    /// Stores a profile of one's own in the file; answers what is odd about it.
    ///
    /// # Errors
    /// As [`blocking::Memory::store_profile`].
    pub async fn store_profile(&self, name: impl Into<String>, text: impl Into<String>) -> Result<Vec<String>, Error> {
        let (handle, name, text) = (self.0.clone(), name.into(), text.into());
        ::blocking::unblock(move || handle.store_profile(&name, &text)).await
    }

    /// Makes a namespace with a profile.
    ///
    /// # Errors
    /// As [`blocking::Memory::create_namespace`].
    pub async fn create_namespace(
        &self,
        name: impl Into<String>,
        profile: impl Into<String>,
    ) -> Result<Namespace, Error> {
        let (handle, name, profile) = (self.0.clone(), name.into(), profile.into());
        ::blocking::unblock(move || handle.create_namespace(&name, &profile).map(Namespace)).await
    }

    /// Lets a job of a profile rest until [`resume_job`](Self::resume_job).
    ///
    /// # Errors
    /// As [`blocking::Memory::stop_job`].
    pub async fn stop_job(&self, profile: impl Into<String>, job: impl Into<String>) -> Result<(), Error> {
        let (handle, profile, job) = (self.0.clone(), profile.into(), job.into());
        ::blocking::unblock(move || handle.stop_job(&profile, &job)).await
    }

    /// Lets a job that was stopped go on.
    ///
    /// # Errors
    /// As [`blocking::Memory::resume_job`].
    pub async fn resume_job(&self, profile: impl Into<String>, job: impl Into<String>) -> Result<(), Error> {
        let (handle, profile, job) = (self.0.clone(), profile.into(), job.into());
        ::blocking::unblock(move || handle.resume_job(&profile, &job)).await
    }

    calls! {
        /// All namespaces, by name.
        namespaces() -> Vec<NamespaceStats>;
        /// The profiles that namespaces of this file can have.
        profiles() -> Vec<ProfileInfo>;
        /// What was done since this file was opened.
        usage() -> Usage;
        /// Runs the jobs of all profiles that are due, or all when `force` says so.
        maintain(force: bool, mode: Mode) -> Vec<JobReport>;
        /// The jobs of the profiles that namespaces have.
        jobs() -> Vec<JobInfo>;
        /// Sizes and counts of the whole file.
        stats() -> FileStats;
        /// Gives unused space of the file back to the disk.
        compact() -> CompactReport;
        /// Checks the whole file.
        validate() -> ValidateReport;
        /// Waits until background work is done.
        wait_idle() -> ();
    }
}

impl WorkingMemory {
    /// The blocking handle.
    #[must_use]
    pub const fn blocking(&self) -> &blocking::WorkingMemory {
        &self.0
    }

    calls! {
        /// Takes a message, and makes a summary of the oldest if one is due.
        say(turn: NewTurn) -> Spoken;
        /// The turn is over: what tools brought in it is condensed for the next one.
        end_turn() -> ();
        /// Ends the conversation.
        close() -> Spoken;
    }

    /// The prompt in which a model answers a message that has not been said yet.
    ///
    /// # Errors
    /// As [`blocking::WorkingMemory::prompt`].
    pub async fn prompt(&self, instruction: impl Into<String>, message: impl Into<String>) -> Result<Prompt, Error> {
        let (handle, instruction, message) = (self.0.clone(), instruction.into(), message.into());
        ::blocking::unblock(move || handle.prompt(&instruction, &message)).await
    }
}

impl From<blocking::Memory> for Memory {
    fn from(memory: blocking::Memory) -> Self {
        Self(memory)
    }
}

impl From<blocking::Namespace> for Namespace {
    fn from(namespace: blocking::Namespace) -> Self {
        Self(namespace)
    }
}

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

    /// Does what a model wants with a call of one of the tools of this namespace's profile.
    ///
    /// # Errors
    /// As [`blocking::Namespace::call_tool`].
    pub async fn call_tool(&self, tool: &str, arguments: &str) -> Result<crate::ToolReply, Error> {
        let (handle, tool, arguments) = (self.0.clone(), tool.to_owned(), arguments.to_owned());
        ::blocking::unblock(move || handle.call_tool(&tool, &arguments)).await
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
    pub async fn touch(&self, ids: Vec<MemoryId>) -> Result<(), Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.touch(&ids)).await
    }

    /// Reports another signal about memories.
    ///
    /// # Errors
    /// As [`blocking::Namespace::signal`].
    pub async fn signal(&self, ids: Vec<MemoryId>, signal: Signal) -> Result<(), Error> {
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

    /// Gives it another profile.
    ///
    /// # Errors
    /// As [`blocking::Namespace::set_profile`].
    pub async fn set_profile(&self, profile: impl Into<String>) -> Result<(), Error> {
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

    /// Everything as it is now, for several reads of one state.
    ///
    /// # Errors
    /// As [`blocking::Namespace::snapshot`].
    pub async fn snapshot(&self) -> Result<Snapshot, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.snapshot().map(Snapshot)).await
    }

    calls! {
        /// Stores memories in one transaction.
        remember_many(memories: Vec<NewMemory>) -> Vec<MemoryId>;
        /// Appends turns to their sessions in one transaction.
        append_turns(turns: Vec<NewTurn>) -> Vec<MemoryId>;
        /// A memory by its id.
        get(id: MemoryId) -> Option<StoredMemory>;
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
        /// Lets a piece of background work be begun now.
        retry_task(number: u64) -> ();
        /// Takes a piece of background work out of the queue.
        drop_task(number: u64) -> ();
        /// At most `limit` things that were found and wait for a person.
        proposals(limit: usize) -> Vec<Proposal>;
        /// Does what a proposal says, as confirmed by a person.
        accept_proposal(id: MemoryId) -> Option<MemoryId>;
        /// Drops a proposal.
        reject_proposal(id: MemoryId) -> ();
        /// Takes a memory back that was just stored.
        undo(id: MemoryId) -> Vec<MemoryId>;
        /// At most `limit` memories that wait for a verdict.
        reviews(limit: usize) -> Vec<PendingReview>;
        /// Says what becomes of a memory that waits for a verdict; answers what was done.
        decide(id: MemoryId, kind: ReviewKind, verdict: Verdict) -> Verdict;
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

impl Snapshot {
    /// The memories that answer a question best.
    ///
    /// # Errors
    /// As [`blocking::Snapshot::recall`].
    pub async fn recall(&self, query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        let (handle, query) = (self.0.clone(), query.into());
        ::blocking::unblock(move || handle.recall(query)).await
    }

    /// Memories in the order of their storing, page by page.
    ///
    /// # Errors
    /// As [`blocking::Snapshot::list`].
    pub async fn list(&self, query: ListQuery) -> Result<Page, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.list(&query)).await
    }

    calls! {
        /// A memory by its id.
        get(id: MemoryId) -> Option<StoredMemory>;
    }
}

impl Namespace {
    calls! {
        /// What is being worked on, and what was before.
        scratchpad() -> Scratchpad;
        /// A turn is over: it is stored as it was.
        on_turn_end(turn: NewTurn) -> MemoryId;
        /// The episodes that conversations have left, the latest first.
        episodes(limit: usize) -> Vec<Episode>;
    }

    /// A turn begins: takes the description of what is being done.
    ///
    /// # Errors
    /// As [`blocking::Namespace::on_turn_start`].
    pub async fn on_turn_start(
        &self,
        session: impl Into<String>,
        task: impl Into<String>,
    ) -> Result<Scratchpad, Error> {
        let (handle, session, task) = (self.0.clone(), session.into(), task.into());
        ::blocking::unblock(move || handle.on_turn_start(&session, &task)).await
    }

    /// A conversation is over.
    ///
    /// # Errors
    /// As [`blocking::Namespace::end_session`].
    pub async fn end_session(&self, session: impl Into<String>) -> Result<SessionEnd, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.end_session(&session)).await
    }
}
