//! Entities, and which of them are one.

use annals_graph as graph;
use annals_types::{NamespaceId, rewrite_text};

use crate::Error;
use crate::graph::{
    Effects, Entity, EntityEdit, EntityId, GraphStats, Merge, MergeCandidate, MergeId, NewEntity,
    Undone, UndoneMerge,
};
use crate::handles::graph::Reader;
use crate::handles::{Graph, Merges, Namespace};
use annals_engine::{lessons, parted};

impl Graph {
    pub(crate) fn add_entity(&self, new: &NewEntity) -> Result<EntityId, Error> {
        let entry = self.space.entry()?;
        let new = self
            .space
            .engine
            .passed_by(entry, new.clone(), NewEntity::rewrite)?;
        self.space.engine.write_or_make(entry, |cx| {
            let id = graph::add_entity(cx.txn, cx.scope(), &new)?;
            Ok(id)
        })
    }

    pub(crate) fn edit_entity(&self, id: EntityId, edit: &EntityEdit) -> Result<Effects, Error> {
        let namespace = self.space.of_entity(id)?;
        let edit = self.space.engine.passed_by(
            self.space.entry_of(namespace),
            edit.clone(),
            EntityEdit::rewrite,
        )?;
        self.space
            .engine
            .change_graph_kept(namespace, |txn, scope| {
                Ok(graph::edit_entity(txn, scope, id, &edit)?)
            })
    }

    pub(crate) fn delete_entity(&self, id: EntityId) -> Result<Effects, Error> {
        self.space
            .engine
            .change_graph_kept(self.space.of_entity(id)?, |txn, scope| {
                let effects = graph::delete_entity(txn, scope.ns, id)?;
                Ok(effects)
            })
    }
}

impl Merges {
    pub(crate) fn merge(
        &self,
        source: EntityId,
        target: EntityId,
        reason: &str,
    ) -> Result<Merge, Error> {
        let namespace = self.space.of_entity(source)?;
        let reason = &self.space.engine.passed_by(
            self.space.entry_of(namespace),
            reason.to_owned(),
            rewrite_text,
        )?;
        self.space.engine.change_graph(namespace, |txn, scope| {
            Ok(graph::merge(txn, scope, source, target, None, reason)?)
        })
    }

    pub(crate) fn accept(&self, found: &MergeCandidate) -> Result<Merge, Error> {
        let namespace = self.space.of_entity(found.source.id)?;
        let (source, target, likeness) = (found.source.id, found.target.id, Some(found.similarity));
        let reason = found.tier.reason();
        self.space.engine.change_graph(namespace, |txn, scope| {
            Ok(graph::merge(txn, scope, source, target, likeness, reason)?)
        })
    }

    pub(crate) fn undone(&self) -> Result<Vec<UndoneMerge>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let found = parted::list(&self.space.engine.snapshot()?, namespace)?;
        Ok(found
            .into_iter()
            .map(|(merge, undone_at)| UndoneMerge { merge, undone_at })
            .collect())
    }

    pub(crate) fn undo(&self, id: MergeId) -> Result<Undone, Error> {
        let namespace = self
            .space
            .id()?
            .ok_or(graph::GraphError::NoMerge { merge: id })?;
        self.space.engine.change_graph(namespace, |txn, scope| {
            let undone = graph::undo_merge(txn, scope.ns, id)?;
            lessons::note(txn, scope.ns, &undone.merge, scope.now)?;
            parted::note(txn, scope.ns, &undone.merge, scope.now)?;
            Ok(undone)
        })
    }
}

impl Namespace {
    /// The number of the namespace, for a call about an entity that must exist.
    fn of_entity(&self, entity: EntityId) -> Result<NamespaceId, Error> {
        self.id()?
            .ok_or_else(|| graph::GraphError::NoEntity { entity }.into())
    }
}

impl Reader<'_> {
    pub(super) fn entities(&self, name: &str) -> Result<Vec<Entity>, Error> {
        Ok(graph::find_entities(self.reads, self.ns, name)?)
    }

    pub(super) fn list_entities(
        &self,
        after: Option<EntityId>,
        limit: usize,
    ) -> Result<Vec<Entity>, Error> {
        Ok(graph::list_entities(self.reads, self.ns, after, limit)?)
    }

    pub(super) fn graph_stats(&self) -> Result<GraphStats, Error> {
        Ok(graph::stats(self.reads, self.ns)?)
    }
}
