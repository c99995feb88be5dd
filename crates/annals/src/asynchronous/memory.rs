//! The file as a whole.

use std::path::Path;
use std::sync::Arc;

use annals_extraction::provider::Provider;
use annals_recall::Query;
use annals_types::Fingerprint;

use super::{Memory, Namespace};
use crate::{
    Answer, CompactReport, Error, FileStats, Hit, JobInfo, JobReport, Mode, NamespaceReceipt, NamespaceStats, Options,
    ProfileInfo, Spent, SyncReport, Usage, ValidateReport, blocking,
};

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

    /// The language model of [`Options::model`], whose calls count in [`spent`](Self::spent).
    #[must_use]
    pub fn model(&self) -> Option<Arc<dyn Provider>> {
        self.0.model()
    }

    /// The vector space that new memories are written to.
    #[must_use]
    pub fn embedder(&self) -> Fingerprint {
        self.0.embedder()
    }

    /// Gives a namespace another name; answers which mirrored files went.
    ///
    /// # Errors
    /// As [`blocking::Memory::rename_namespace`].
    pub async fn rename_namespace(&self, from: impl Into<String>, to: impl Into<String>) -> Result<SyncReport, Error> {
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
        /// What the language models of this file were asked and what it cost, the oldest day first.
        spent() -> Vec<Spent>;
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
