//! Entities, and which of them are one.

use annals_graph as graph;
use annals_types::{NamespaceId, rewrite_text};

use super::super::Namespace;
use super::Reader;
use crate::Error;
use crate::engine::{lessons, parted};
use crate::graph::{
    Effects, Entity, EntityEdit, EntityId, GraphStats, Merge, MergeCandidate, MergeId, NewEntity, Undone, UndoneMerge,
};

impl Namespace {
    /// Makes an entity that stays without any triple, or keeps the one that has its name and kind where the profile unifies. A namespace
    /// that does not exist is made.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name, kind or field that is not allowed.
    pub fn add_entity(&self, new: &NewEntity) -> Result<EntityId, Error> {
        let entry = self.entry()?;
        let new = self.engine.passed_by(entry, new.clone(), NewEntity::rewrite)?;
        self.engine.write_or_make(entry, |cx| {
            let id = graph::add_entity(cx.txn, cx.scope(), &new)?;
            Ok(id)
        })
    }

    /// Changes an entity; triples and evidence stay as they are.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name, kind or field that is
    /// not allowed.
    pub fn edit_entity(&self, id: EntityId, edit: &EntityEdit) -> Result<Effects, Error> {
        let namespace = self.of_entity(id)?;
        let edit = self.engine.passed_by(self.entry_of(namespace), edit.clone(), EntityEdit::rewrite)?;
        self.engine.change_graph(namespace, |txn, scope| Ok(graph::edit_entity(txn, scope, id, &edit)?))
    }

    /// Deletes an entity with all triples that speak of it, in one transaction; the memories stay.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub fn delete_entity(&self, id: EntityId) -> Result<Effects, Error> {
        self.engine.change_graph(self.of_entity(id)?, |txn, scope| {
            let effects = graph::delete_entity(txn, scope.ns, id)?;
            parted::sweep(txn, scope.ns)?;
            Ok(effects)
        })
    }

    /// Makes one entity another: from now on its triples meet where the other one is. [`undo_merge`](Self::undo_merge) takes it back.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when both are one already, or the
    /// reason has more than 256 bytes.
    pub fn merge_entities(&self, source: EntityId, target: EntityId, reason: &str) -> Result<Merge, Error> {
        let namespace = self.of_entity(source)?;
        let reason = &self.engine.passed_by(self.entry_of(namespace), reason.to_owned(), rewrite_text)?;
        self.engine.change_graph(namespace, |txn, scope| Ok(graph::merge(txn, scope, source, target, None, reason)?))
    }

    /// Makes what [`merge_candidates`](Self::merge_candidates) found one, with the reason and the likeness for which it was found.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when both are one already.
    pub fn merge_found(&self, found: &MergeCandidate) -> Result<Merge, Error> {
        let namespace = self.of_entity(found.source.id)?;
        let (source, target, likeness) = (found.source.id, found.target.id, Some(found.similarity));
        let reason = found.tier.reason();
        self.engine
            .change_graph(namespace, |txn, scope| Ok(graph::merge(txn, scope, source, target, likeness, reason)?))
    }

    /// The merges that were taken back, the oldest first. What was taken apart stays so: no job makes entities of these names one again until
    /// somebody merges them by hand.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn undone_merges(&self) -> Result<Vec<UndoneMerge>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let found = parted::list(&self.engine.snapshot()?, namespace)?;
        Ok(found.into_iter().map(|(merge, undone_at)| UndoneMerge { merge, undone_at }).collect())
    }

    /// Takes a merge back: the entity is itself again, with all triples that it had. No job merges the two again.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for one that does not exist or was undone.
    pub fn undo_merge(&self, id: MergeId) -> Result<Undone, Error> {
        let namespace = self.id()?.ok_or(graph::GraphError::NoMerge { merge: id })?;
        self.engine.change_graph(namespace, |txn, scope| {
            let undone = graph::undo_merge(txn, scope.ns, id)?;
            lessons::note(txn, scope.ns, &undone.merge, scope.now)?;
            parted::note(txn, scope.ns, &undone.merge, scope.now)?;
            Ok(undone)
        })
    }

    /// The number of the namespace, for a call about an entity that must exist.
    fn of_entity(&self, entity: EntityId) -> Result<NamespaceId, Error> {
        self.id()?.ok_or_else(|| graph::GraphError::NoEntity { entity }.into())
    }
}

impl Reader<'_> {
    pub(super) fn entities(&self, name: &str) -> Result<Vec<Entity>, Error> {
        Ok(graph::find_entities(self.reads, self.ns, name)?)
    }

    pub(super) fn list_entities(&self, after: Option<EntityId>, limit: usize) -> Result<Vec<Entity>, Error> {
        Ok(graph::list_entities(self.reads, self.ns, after, limit)?)
    }

    pub(super) fn graph_stats(&self) -> Result<GraphStats, Error> {
        Ok(graph::stats(self.reads, self.ns)?)
    }
}
