//! Conversations that are looked through, files that mirror memories, and the rest of what goes with a session.

use std::collections::BTreeMap;
use std::path::PathBuf;

use annals_extraction::provider::Cancel;
use annals_types::profile::ExtractTrigger;
use annals_types::{Memory as StoredMemory, MemoryId, Scratchpad, SessionState, Value};

use super::Namespace;
use crate::{Error, SyncReport, UserMemory, Watch};

/// Cancels what is going on when nobody waits for it any more.
struct Abandoned(Cancel);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Namespace {
    /// Does the background work of its profile that may be begun now. When the future is dropped, what a model is being asked is given up: that
    /// work is put back as if it had not been begun.
    ///
    /// # Errors
    /// As [`blocking::Namespace::work_off`](crate::blocking::Namespace::work_off).
    pub async fn work_off(&self) -> Result<BTreeMap<String, u64>, Error> {
        let cancel = Cancel::new();
        let _abandoned = Abandoned(cancel.clone());
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.work_off_until(&cancel)).await
    }

    /// Queues the turns of a session that have not been looked through.
    ///
    /// # Errors
    /// As [`blocking::Namespace::extract`](crate::blocking::Namespace::extract).
    pub async fn extract(&self, session: impl Into<String>) -> Result<bool, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.extract(&session)).await
    }

    /// The same at an event, if the profile wants it then.
    ///
    /// # Errors
    /// As [`blocking::Namespace::extract_at`](crate::blocking::Namespace::extract_at).
    pub async fn extract_at(&self, session: impl Into<String>, event: ExtractTrigger) -> Result<bool, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.extract_at(&session, event)).await
    }

    /// Brings the files of its profile into step with its memories.
    ///
    /// # Errors
    /// As [`blocking::Namespace::sync`](crate::blocking::Namespace::sync).
    pub async fn sync(&self, folder: impl Into<PathBuf>) -> Result<SyncReport, Error> {
        let (handle, folder) = (self.0.clone(), folder.into());
        ::blocking::unblock(move || handle.sync(folder)).await
    }

    /// What tells when to [`sync`](Self::sync) again.
    ///
    /// # Errors
    /// As [`blocking::Namespace::watch`](crate::blocking::Namespace::watch).
    pub async fn watch(&self, folder: impl Into<PathBuf>) -> Result<Watch, Error> {
        let (handle, folder) = (self.0.clone(), folder.into());
        ::blocking::unblock(move || handle.watch(folder)).await
    }

    /// Queues each turn of a session before a position that has not been looked through; answers how many were not queued before.
    ///
    /// # Errors
    /// As [`blocking::Namespace::extract_before`](crate::blocking::Namespace::extract_before).
    pub async fn extract_before(&self, session: impl Into<String>, position: u32) -> Result<u64, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.extract_before(&session, position)).await
    }

    /// Takes note of what is being done.
    ///
    /// # Errors
    /// As [`blocking::Namespace::focus`](crate::blocking::Namespace::focus).
    pub async fn focus(&self, task: impl Into<String>) -> Result<Scratchpad, Error> {
        let (handle, task) = (self.0.clone(), task.into());
        ::blocking::unblock(move || handle.focus(&task)).await
    }

    /// Takes note of the projects that go on.
    ///
    /// # Errors
    /// As [`blocking::Namespace::set_projects`](crate::blocking::Namespace::set_projects).
    pub async fn set_projects(&self, projects: Vec<String>) -> Result<Scratchpad, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.set_projects(&projects)).await
    }

    /// How a session stands.
    ///
    /// # Errors
    /// As [`blocking::Namespace::session_state`](crate::blocking::Namespace::session_state).
    pub async fn session_state(&self, session: impl Into<String>) -> Result<SessionState, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.session_state(&session)).await
    }

    /// Sets a variable of a session, or takes it away.
    ///
    /// # Errors
    /// As [`blocking::Namespace::set_variable`](crate::blocking::Namespace::set_variable).
    pub async fn set_variable(
        &self,
        session: impl Into<String>,
        name: impl Into<String>,
        value: Option<Value>,
    ) -> Result<(), Error> {
        let (handle, session, name) = (self.0.clone(), session.into(), name.into());
        ::blocking::unblock(move || handle.set_variable(&session, &name, value)).await
    }

    /// Memories as a user sees them.
    ///
    /// # Errors
    /// As [`blocking::Namespace::user_memories`](crate::blocking::Namespace::user_memories).
    pub async fn user_memories(&self, ids: Vec<MemoryId>) -> Result<Vec<Option<UserMemory>>, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.user_memories(&ids)).await
    }

    calls! {
        /// Queues every turn that has not been looked through; answers how many pieces of work that is.
        extract_all() -> u64;
        /// The folder in which its profile keeps its files.
        mirror_home() -> Option<PathBuf>;
        /// The scratchpad as a text.
        scratchpad_markdown() -> String;
        /// At most `limit` memories of which nobody is sure.
        doubtful(limit: usize) -> Vec<StoredMemory>;
        /// What does not fit together in it.
        validate() -> Vec<String>;
    }
}
