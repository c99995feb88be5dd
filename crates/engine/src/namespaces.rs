//! Namespaces get another name, or go.

use std::sync::Arc;

use annals_records::{RecordError, namespace as directory};
use annals_storage::Transaction;
use annals_types::{NamespaceId, NamespaceName};
use serde::Serialize;

use crate::{Engine, Error};

impl Engine {
    /// Gives a namespace another name; answers its number, which stays.
    pub fn rename_namespace(
        &self,
        from: &NamespaceName,
        to: &NamespaceName,
    ) -> Result<NamespaceId, Error> {
        let rename = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let id = directory::rename(txn, from, to)?.id;
            let (names, from, to) = (Arc::clone(&self.names), from.clone(), to.clone());
            let then = move |_| {
                names.unlearn(&from);
                names.learn(to, id);
            };
            Ok((id, then))
        };
        Ok(self.store.write_then(rename)?.0)
    }

    /// Lets nothing reach a namespace any more; its bytes go with [`purge`](Self::purge). What is
    /// kept with the mark of a request stays in the file for a day, so it may hold no word of the
    /// namespace.
    ///
    /// # Errors
    /// When the name leads to another namespace by now.
    pub fn delete_namespace(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        kept: &impl Serialize,
    ) -> Result<(), Error> {
        let kept = serde_json::to_vec(kept).map_err(|error| Error::internal(error.to_string()))?;
        let delete = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let named = directory::find(&*txn, name)?.filter(|named| named.id == ns);
            let id = named
                .ok_or(RecordError::NamespaceGone { namespace: ns })?
                .id;
            directory::delete(txn, id)?;
            txn.answer(kept.clone());
            let (names, spaces, name) = (
                Arc::clone(&self.names),
                Arc::clone(&self.spaces),
                name.clone(),
            );
            let then = move |_| {
                names.unlearn(&name);
                spaces.close(id);
            };
            Ok(((), then))
        };
        self.store.write_then(delete)?;
        Ok(())
    }
}
