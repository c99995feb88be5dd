//! One write inside a namespace.

use std::sync::Arc;

use annals_graph::Scope;
use annals_lifecycle::Delta;
use annals_records::Namespace;
use annals_storage::Transaction;
use annals_types::{NamespaceId, Timestamp};

use super::compiled::{CompiledProfile, Terms};
use super::{Change, Changes};
use crate::Error;

/// A write inside a namespace: its transaction, its moment, the profile that stands in the transaction, and the change that
/// the view in memory takes over once the transaction is durable.
pub(crate) struct WriteCx<'a, 't> {
    pub(crate) txn: &'a mut Transaction<'t>,
    pub(crate) ns: NamespaceId,
    pub(crate) now: Timestamp,
    pub(crate) profile: &'a CompiledProfile,
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
    ) -> Self {
        Self { txn, ns, now, profile, changes: Vec::new(), given: None }
    }

    /// The settings of the graph layer.
    pub(crate) const fn scope(&self) -> Scope<'a> {
        Scope { ns: self.ns, now: self.now, settings: &self.profile.settings.graph }
    }

    /// The lane and the passes of the profile.
    pub(crate) fn terms(&self) -> Result<Terms<'a>, Error> {
        self.profile.terms(self.txn)
    }

    /// Adds what the transaction changed; changes are taken over in the order in which they are added.
    pub(crate) fn add(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Adds what the transaction changed in the life of memories.
    pub(crate) fn add_life(&mut self, life: impl IntoIterator<Item = Delta>) {
        self.add(Change { life: life.into_iter().collect(), ..Change::default() });
    }

    /// Adds what the transaction changed in the rows of memories.
    pub(crate) fn add_records(&mut self, records: annals_records::Delta) {
        self.add(Change { records: Some(records), ..Change::default() });
    }

    /// Gives the namespace another profile, from this write on.
    pub(crate) fn give_profile(&mut self, record: Namespace, profile: Arc<CompiledProfile>) {
        self.given = Some((record, profile));
    }

    /// All that the transaction changed, as one change, and the profile that the namespace was given.
    pub(crate) fn finish(self) -> (Changes, Option<(Namespace, Arc<CompiledProfile>)>) {
        (Changes::of(self.changes), self.given)
    }
}
