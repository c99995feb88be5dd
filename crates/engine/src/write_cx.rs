//! One write inside a namespace.

use std::sync::Arc;

use annals_graph::Scope;
use annals_lifecycle::Delta;
use annals_records::Namespace;
use annals_storage::Transaction;
use annals_types::{NamespaceId, Timestamp};

use crate::Error;
use crate::compiled::{CompiledProfile, Terms};
use crate::extension::Extensions;
use crate::parted;
use crate::{Change, Changes};

/// A write inside a namespace: its transaction, its moment, the profile that stands in the
/// transaction, and the change that the view in memory takes over once the transaction is durable.
pub struct WriteCx<'a, 't> {
    /// The transaction; it reads its own writes.
    pub txn: &'a mut Transaction<'t>,
    /// The namespace by its number.
    pub ns: NamespaceId,
    /// The moment of the write.
    pub now: Timestamp,
    /// The profile of the namespace in the transaction.
    pub profile: &'a CompiledProfile,
    pub extensions: &'a Extensions,
    changes: Vec<Change>,
    /// The profile that the namespace has from this write on, with its record.
    given: Option<(Namespace, Arc<CompiledProfile>)>,
}

impl<'a, 't> WriteCx<'a, 't> {
    pub(crate) const fn new(
        txn: &'a mut Transaction<'t>,
        ns: NamespaceId,
        now: Timestamp,
        profile: &'a CompiledProfile,
        extensions: &'a Extensions,
    ) -> Self {
        Self {
            txn,
            ns,
            now,
            profile,
            extensions,
            changes: Vec::new(),
            given: None,
        }
    }

    /// The settings of the graph layer.
    pub const fn scope(&self) -> Scope<'a> {
        Scope {
            ns: self.ns,
            now: self.now,
            settings: &self.profile.settings.graph,
        }
    }

    /// The lane and the passes of the profile.
    pub fn terms(&self) -> Result<Terms<'a>, Error> {
        self.profile.terms(self.txn)
    }

    /// Adds what the transaction changed; changes are taken over in the order in which they are
    /// added.
    pub(crate) fn add(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Adds what the transaction changed in the life of memories.
    pub fn add_life(&mut self, life: impl IntoIterator<Item = Delta>) {
        self.add(Change {
            life: life.into_iter().collect(),
            ..Change::default()
        });
    }

    /// Adds what the transaction changed in the rows of memories.
    pub fn add_records(&mut self, records: annals_records::Delta) {
        self.add(Change {
            records: Some(records),
            ..Change::default()
        });
    }

    /// Gives the namespace another profile, from this write on.
    pub(crate) fn give_profile(&mut self, record: Namespace, profile: Arc<CompiledProfile>) {
        self.given = Some((record, profile));
    }

    /// All that the transaction changed, as one change, and the profile that the namespace was
    /// given. Entities that went are told to whoever keeps something about them.
    #[expect(clippy::type_complexity, reason = "both are taken apart at once")]
    pub(crate) fn finish(
        mut self,
    ) -> Result<(Changes, Option<(Namespace, Arc<CompiledProfile>)>), Error> {
        let gone = annals_graph::entities_removed(self.txn, self.ns);
        if !gone.is_empty() {
            parted::sweep(self.txn, self.ns)?;
            let extensions = self.extensions;
            extensions.entities_gone(&mut self, &gone)?;
        }
        Ok((Changes::of(self.changes), self.given))
    }
}
