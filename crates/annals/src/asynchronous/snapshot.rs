//! A namespace as it was at one moment.

use annals_recall::Query;
use annals_types::{Memory as StoredMemory, MemoryId};

use super::Snapshot;
use crate::{Answer, Error, Hit, ListQuery, Page};

impl Snapshot {
    /// The memories that answer a question best.
    ///
    /// # Errors
    /// As [`blocking::Snapshot::recall`](crate::blocking::Snapshot::recall).
    pub async fn recall(&self, query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        let (handle, query) = (self.0.clone(), query.into());
        ::blocking::unblock(move || handle.recall(query)).await
    }

    /// The same, with what else is known of the answer.
    ///
    /// # Errors
    /// As [`blocking::Snapshot::answer`](crate::blocking::Snapshot::answer).
    pub async fn answer(&self, query: impl Into<Query>) -> Result<Answer, Error> {
        let (handle, query) = (self.0.clone(), query.into());
        ::blocking::unblock(move || handle.answer(query)).await
    }

    /// Memories in the order of their storing, page by page.
    ///
    /// # Errors
    /// As [`blocking::Snapshot::list`](crate::blocking::Snapshot::list).
    pub async fn list(&self, query: ListQuery) -> Result<Page, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.list(&query)).await
    }

    calls! {
        /// A memory by its id.
        get(id: MemoryId) -> Option<StoredMemory>;
    }
}
