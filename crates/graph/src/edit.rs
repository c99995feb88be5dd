//! Entities that a person changes.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::Transaction;
use annals_types::{Metadata, NamespaceId};

use crate::delete::delete_all;
use crate::label::{LabelClass, Labels};
use crate::ledger::Ledger;
use crate::record::Flags;
use crate::tables::{EDGES, Edge, NAMES, Side};
use crate::{Effects, EntityId, GraphError, NewEntity, Scope, metadata, name};

/// Changes to an entity; a field that is `None` stays.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EntityEdit {
    /// Its name.
    pub name: Option<String>,
    /// Its kind; `Some(None)` for none.
    pub kind: Option<Option<String>>,
    /// Its other names.
    pub aliases: Option<Vec<String>>,
    /// Its free fields.
    pub metadata: Option<Metadata>,
    /// Whether it stays without any triple.
    pub kept: Option<bool>,
}

/// Changes an entity. Triples and evidence stay as they are. One that is not kept any more, and of
/// which nothing speaks, goes.
///
/// # Errors
/// [`GraphError::NoEntity`]; [`GraphError::Invalid`] for a name, kind or field that is not allowed.
pub fn edit_entity(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    id: EntityId,
    edit: &EntityEdit,
) -> Result<Effects, GraphError> {
    let mut ledger = Ledger::open(txn, scope.ns)?;
    ledger.load_entities([id])?;
    let mut record = ledger
        .entity(id)
        .map_err(|_| GraphError::NoEntity { entity: id })?
        .clone();
    let before = if record.hollow {
        BTreeSet::new()
    } else {
        record.normal_names()
    };
    let mut asked = NewEntity::new(edit.name.as_deref().unwrap_or(&record.name));
    for alias in edit.aliases.as_ref().unwrap_or(&record.aliases) {
        asked = asked.alias(alias);
    }
    asked.check()?;
    let kind = edit.kind.clone().flatten();
    if let Some(kind) = &kind {
        LabelClass::Kind.check(kind)?;
    }
    let labels = Labels::resolve(
        &mut ledger,
        kind.iter().map(|kind| (LabelClass::Kind, kind.as_str())),
    )?;
    if edit.kind.is_some() {
        record.kind = kind.map_or(0, |kind| labels.number(LabelClass::Kind, &kind).0);
    }
    if let Some(name) = &edit.name {
        record.name.clone_from(name);
    }
    if let Some(aliases) = &edit.aliases {
        record.aliases.clone_from(aliases);
    }
    if edit.name.is_some() || edit.aliases.is_some() {
        record.aliases = name::others(&record.name, &record.aliases);
    }
    if let Some(fields) = &edit.metadata {
        record.metadata = metadata::to_json(fields)?;
    }
    record.kept = edit.kept.unwrap_or(record.kept);
    // A name given by hand is one of its own.
    record.hollow = record.hollow && edit.name.is_none() && !record.kept;
    let after = if record.hollow {
        BTreeSet::new()
    } else {
        record.normal_names()
    };
    *ledger.entity(id)? = record;
    for gone in before.difference(&after) {
        ledger.delete(&NAMES, (scope.ns, gone, id));
    }
    for new in after.difference(&before) {
        ledger.put(&NAMES, (scope.ns, new, id), &())?;
    }
    ledger.retire(BTreeSet::from([id]))?;
    let effects = Effects::of(&ledger);
    ledger.finish()?.write(txn)?;
    Ok(effects)
}

/// Deletes an entity with every triple that speaks of it, of what was merged into it too; the
/// memories stay.
///
/// # Errors
/// [`GraphError::NoEntity`].
pub fn delete_entity(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    id: EntityId,
) -> Result<Effects, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    ledger.load_entities([id])?;
    ledger
        .entity(id)
        .map_err(|_| GraphError::NoEntity { entity: id })?;
    let tree = ledger.tree(id)?;
    let ranges: Vec<_> = tree
        .iter()
        .flat_map(|id| Side::BOTH.map(|side| EDGES.within((ns, *id, side)).into()))
        .collect();
    let mut triples = BTreeSet::new();
    EDGES.scan_many(ledger.reads, &ranges, |_, key, flags| {
        // Those that were born with other entities, and are here by a merge into this one's
        // survivor, are not spoken of here.
        if !flags.has(Flags::MERGED) {
            triples.insert(Edge::of(key).triple);
        }
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    for member in &tree {
        ledger.entity(*member)?.kept = false;
    }
    delete_all(&mut ledger, &triples.into_iter().collect::<Vec<_>>())?;
    ledger.retire(tree)?;
    let effects = Effects::of(&ledger);
    ledger.finish()?.write(txn)?;
    Ok(effects)
}
