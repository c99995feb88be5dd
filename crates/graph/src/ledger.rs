//! The changes of one write: records before and after, and everything that follows from the
//! difference.
//!
//! A ledger reads through [`Reads`] and collects changes without applying them, so that a dry run
//! and the real thing are the same computation.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::table::{Key, Value};
use annals_storage::{Keyspace, Reads, Table, Transaction};
use annals_types::NamespaceId;

use crate::record::{EntityRecord, Head, TripleRecord};
use crate::tables::{ABSORBED, ENTITIES, HEADS, TRIPLES};
use crate::{EntityId, GraphError, TripleId};

/// A record as it was found and as it is going to be; absent where it is not there.
#[derive(Debug, Clone)]
pub(crate) struct Slot<T> {
    pub(crate) before: Option<T>,
    pub(crate) after: Option<T>,
}

/// Entities with their survivors, after a write or before it.
pub(crate) struct Roots {
    after: bool,
    of: BTreeMap<EntityId, Option<EntityId>>,
}

/// A key of a keyspace.
pub(crate) type Place = (Keyspace, Vec<u8>);

/// Changes to stored values: a version with its body, or nothing where the key goes.
#[derive(Debug, Default)]
pub(crate) struct Changes(BTreeMap<Place, Option<Vec<u8>>>);

impl Changes {
    /// Makes them in a transaction.
    pub(crate) fn write(self, txn: &mut Transaction<'_>) -> Result<(), GraphError> {
        for ((keyspace, key), change) in self.0 {
            match change {
                Some(versioned) => txn.put_versioned(keyspace, &key, versioned)?,
                None => {
                    txn.delete(keyspace, &key)?;
                }
            }
        }
        Ok(())
    }
}

/// The place of a key.
pub(crate) fn place<K: Key, V: Value>(table: &Table<K, V>, of: K::Of<'_>) -> Place {
    (table.keyspace(), table.key(of).to_vec())
}

pub(crate) struct Ledger<'r> {
    pub(crate) reads: &'r dyn Reads,
    pub(crate) ns: NamespaceId,
    pub(crate) head: Head,
    head_before: Option<Head>,
    pub(crate) triples: BTreeMap<TripleId, Slot<TripleRecord>>,
    pub(crate) entities: BTreeMap<EntityId, Slot<EntityRecord>>,
    changes: Changes,
}

impl<'r> Ledger<'r> {
    /// One round of reads.
    pub(crate) fn open(reads: &'r dyn Reads, ns: NamespaceId) -> Result<Self, GraphError> {
        let head = HEADS.get(reads, ns)?;
        Ok(Self {
            head: head.unwrap_or_default(),
            head_before: head,
            ..Self::reader(reads, ns)
        })
    }

    /// For reading alone: knows no counters.
    pub(crate) fn reader(reads: &'r dyn Reads, ns: NamespaceId) -> Self {
        Self {
            reads,
            ns,
            head: Head::default(),
            head_before: None,
            triples: BTreeMap::new(),
            entities: BTreeMap::new(),
            changes: Changes::default(),
        }
    }

    pub(crate) fn full(&self, what: &'static str) -> GraphError {
        GraphError::Full {
            namespace: self.ns,
            what,
        }
    }

    pub(crate) fn put<K: Key, V: Value>(
        &mut self,
        table: &Table<K, V>,
        of: K::Of<'_>,
        view: &V::View<'_>,
    ) -> Result<(), GraphError> {
        self.change(place(table, of), Some(table.encode(view)?));
        Ok(())
    }

    /// Sets a key to a version with its body, or removes it.
    pub(crate) fn change(&mut self, place: Place, versioned: Option<Vec<u8>>) {
        self.changes.0.insert(place, versioned);
    }

    pub(crate) fn delete<K: Key, V: Value>(&mut self, table: &Table<K, V>, of: K::Of<'_>) {
        self.change(place(table, of), None);
    }

    /// Whether this write removes a key.
    pub(crate) fn removes<K: Key, V: Value>(&self, table: &Table<K, V>, of: K::Of<'_>) -> bool {
        matches!(self.changes.0.get(&place(table, of)), Some(None))
    }

    /// The first entity that this write merges into another one.
    pub(crate) fn first_absorbed(&self, into: EntityId) -> Option<EntityId> {
        let behind = self
            .changes
            .0
            .range(place(&ABSORBED, (self.ns, into, (), EntityId(0)))..);
        let parts = behind.map(|((keyspace, key), change)| {
            let key = ABSORBED
                .parse(key)
                .filter(|key| *keyspace == ABSORBED.keyspace() && key.1 == into);
            key.map(|(.., child)| change.is_some().then_some(child))
        });
        parts.map_while(|child| child).flatten().next()
    }

    /// Reads entities that are not at hand yet, with all that they were merged into: one round for
    /// each step of merges.
    pub(crate) fn load_entities(
        &mut self,
        ids: impl IntoIterator<Item = EntityId>,
    ) -> Result<(), GraphError> {
        let mut wanted: BTreeSet<EntityId> = ids.into_iter().collect();
        loop {
            wanted.retain(|id| !self.entities.contains_key(id));
            if wanted.is_empty() {
                return Ok(());
            }
            let found = ENTITIES.get_many(self.reads, wanted.iter().map(|id| (self.ns, *id)))?;
            let mut next = BTreeSet::new();
            for (id, record) in wanted.into_iter().zip(found) {
                next.extend(
                    record
                        .as_ref()
                        .and_then(|record| record.redirect)
                        .map(|redirect| redirect.into),
                );
                self.entities.insert(
                    id,
                    Slot {
                        before: record.clone(),
                        after: record,
                    },
                );
            }
            wanted = next;
        }
    }

    /// Reads triples that are not at hand yet; one round.
    pub(crate) fn load_triples(
        &mut self,
        ids: impl IntoIterator<Item = TripleId>,
    ) -> Result<(), GraphError> {
        let wanted: BTreeSet<TripleId> = ids
            .into_iter()
            .filter(|id| !self.triples.contains_key(id))
            .collect();
        let found = TRIPLES.get_many(self.reads, wanted.iter().map(|id| (self.ns, *id)))?;
        for (id, record) in wanted.into_iter().zip(found) {
            self.triples.insert(
                id,
                Slot {
                    before: record,
                    after: record,
                },
            );
        }
        Ok(())
    }

    /// A triple at hand that must be there.
    pub(crate) fn triple(&mut self, id: TripleId) -> Result<&mut TripleRecord, GraphError> {
        let missing = TRIPLES.damaged((self.ns, id), "the triple is missing");
        Ok(self
            .triples
            .get_mut(&id)
            .and_then(|slot| slot.after.as_mut())
            .ok_or(missing)?)
    }

    /// An entity at hand that must be there.
    pub(crate) fn entity(&mut self, id: EntityId) -> Result<&mut EntityRecord, GraphError> {
        let missing = self.no_entity(id);
        self.entities
            .get_mut(&id)
            .and_then(|slot| slot.after.as_mut())
            .ok_or(missing)
    }

    /// The error for an entity that something refers to.
    pub(crate) fn no_entity(&self, id: EntityId) -> GraphError {
        ENTITIES
            .damaged((self.ns, id), "the entity is missing")
            .into()
    }

    /// The survivor of merges for an entity at hand, after this write or before it.
    pub(crate) fn root(&self, id: EntityId, after: bool) -> Result<EntityId, GraphError> {
        let mut at = id;
        // Each step leads to another entity at hand: more steps than these are a circle.
        for _ in 0..=self.entities.len() {
            let slot = self.entities.get(&at);
            let record = slot.and_then(|slot| {
                if after {
                    slot.after.as_ref()
                } else {
                    slot.before.as_ref()
                }
            });
            match record.ok_or_else(|| self.no_entity(at))?.redirect {
                Some(redirect) => at = redirect.into,
                None => return Ok(at),
            }
        }
        Err(ENTITIES
            .damaged((self.ns, id), "merges lead in a circle")
            .into())
    }

    /// The survivors of all entities at hand, after this write or before it. Those that are
    /// missing, and those of which merges lead in a circle, have none.
    pub(crate) fn roots(&self, after: bool) -> Roots {
        let mut roots = BTreeMap::new();
        for id in self.entities.keys() {
            let (mut at, mut way) = (*id, Vec::new());
            let root = loop {
                if let Some(known) = roots.get(&at) {
                    break *known;
                }
                // Noted at once, so that a circle ends here.
                roots.insert(at, None);
                way.push(at);
                let slot = self.entities.get(&at);
                let record = slot.and_then(|slot| {
                    if after {
                        slot.after.as_ref()
                    } else {
                        slot.before.as_ref()
                    }
                });
                match record.map(|record| record.redirect) {
                    Some(Some(redirect)) => at = redirect.into,
                    Some(None) => break Some(at),
                    None => break None,
                }
            };
            roots.extend(way.into_iter().map(|id| (id, root)));
        }
        Roots { after, of: roots }
    }

    /// The survivor of an entity among [`roots`](Self::roots).
    pub(crate) fn root_in(&self, roots: &Roots, id: EntityId) -> Result<EntityId, GraphError> {
        match roots.of.get(&id) {
            Some(Some(root)) => Ok(*root),
            // Tells what is wrong.
            _ => self.root(id, roots.after),
        }
    }

    /// Some entities at hand, each with the number of merges between it and its survivor.
    pub(crate) fn depths(&self, ids: &BTreeSet<EntityId>) -> BTreeSet<(u32, EntityId)> {
        let mut depths: BTreeMap<EntityId, u32> = BTreeMap::new();
        for id in ids {
            let (mut at, mut way) = (*id, Vec::new());
            let mut depth = loop {
                if let Some(known) = depths.get(&at) {
                    break known.saturating_add(1);
                }
                // Noted at once, so that a circle ends here.
                depths.insert(at, 0);
                way.push(at);
                let record = self.entities.get(&at).and_then(|slot| slot.after.as_ref());
                match record.and_then(|record| record.redirect) {
                    Some(redirect) => at = redirect.into,
                    None => break 0,
                }
            };
            for id in way.into_iter().rev() {
                depths.insert(id, depth);
                depth = depth.saturating_add(1);
            }
        }
        ids.iter()
            .map(|id| (depths.get(id).copied().unwrap_or_default(), *id))
            .collect()
    }

    /// Gives up reading and hands over what is to be written.
    pub(crate) fn finish(mut self) -> Result<Changes, GraphError> {
        for (id, slot) in std::mem::take(&mut self.triples) {
            self.keep(&TRIPLES, (self.ns, id), &slot)?;
        }
        for (id, slot) in std::mem::take(&mut self.entities) {
            self.keep(&ENTITIES, (self.ns, id), &slot)?;
        }
        let head = Slot {
            before: self.head_before,
            after: Some(self.head),
        };
        if head.before.is_some() || self.head != Head::default() {
            self.keep(&HEADS, self.ns, &head)?;
        }
        Ok(self.changes)
    }

    /// Stores or removes a record, where it changed.
    pub(crate) fn keep<K: Key, V, T: PartialEq>(
        &mut self,
        table: &Table<K, V>,
        of: K::Of<'_>,
        slot: &Slot<T>,
    ) -> Result<(), GraphError>
    where
        V: for<'a> Value<View<'a> = T>,
    {
        match &slot.after {
            after if *after == slot.before => {}
            Some(record) => self.put(table, of, record)?,
            None => self.delete(table, of),
        }
        Ok(())
    }
}
