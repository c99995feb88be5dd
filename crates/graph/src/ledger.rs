//! What one write changes: records before and after, and everything that follows from the difference.
//!
//! A ledger reads through [`Reads`] and collects changes without applying them, so that a dry run and the real thing are the same
//! computation.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::{Keyspace, Reads, Transaction};
use annals_types::NamespaceId;

use crate::keyspaces::{HEADS, NODES, TRIPLES};
use crate::record::{EntityRecord, Head, TripleRecord};
use crate::value::{self, Value};
use crate::{EntityId, GraphError, TripleId, key};

/// A record as it was found and as it is going to be; absent where it is not there.
#[derive(Debug, Clone)]
pub(crate) struct Slot<T> {
    pub(crate) before: Option<T>,
    pub(crate) after: Option<T>,
}

/// A key of a keyspace.
pub(crate) type Place = (Keyspace, Vec<u8>);

/// Changes to stored values: a version and a body, or nothing where the key goes.
#[derive(Debug, Default)]
pub(crate) struct Changes(BTreeMap<Place, Option<(u8, Vec<u8>)>>);

impl Changes {
    /// Makes them in a transaction.
    pub(crate) fn write(self, txn: &mut Transaction<'_>) -> Result<(), GraphError> {
        for ((keyspace, key), change) in self.0 {
            match change {
                Some((version, body)) => txn.put(keyspace, &key, version, &body)?,
                None => {
                    txn.delete(keyspace, &key)?;
                }
            }
        }
        Ok(())
    }
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
        let head: Option<Head> = value::get(reads, HEADS, &ns.prefix())?;
        Ok(Self { head: head.unwrap_or_default(), head_before: head, ..Self::reader(reads, ns) })
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
        GraphError::Full { namespace: self.ns, what }
    }

    pub(crate) fn put<V: Value>(&mut self, keyspace: Keyspace, key: Vec<u8>, value: &V) -> Result<(), GraphError> {
        self.changes.0.insert((keyspace, key), Some((V::VERSION, value.encode()?)));
        Ok(())
    }

    /// Sets a key to a version and a body, or removes it.
    pub(crate) fn change(&mut self, place: Place, row: Option<(u8, Vec<u8>)>) {
        self.changes.0.insert(place, row);
    }

    pub(crate) fn delete(&mut self, keyspace: Keyspace, key: Vec<u8>) {
        self.changes.0.insert((keyspace, key), None);
    }

    /// Whether this write removes a key.
    pub(crate) fn removes(&self, keyspace: Keyspace, key: &[u8]) -> bool {
        matches!(self.changes.0.get(&(keyspace, key.to_vec())), Some(None))
    }

    /// The first key of a prefix that this write sets.
    pub(crate) fn first_put(&self, keyspace: Keyspace, prefix: &[u8]) -> Option<&[u8]> {
        let behind = self.changes.0.range((keyspace, prefix.to_vec())..);
        let mut inside = behind.take_while(|((space, key), _)| *space == keyspace && key.starts_with(prefix));
        inside.find(|(_, change)| change.is_some()).map(|((_, key), _)| key.as_slice())
    }

    /// Reads entities that are not at hand yet, with all that they were merged into: one round for each step of merges.
    pub(crate) fn load_entities(&mut self, ids: impl IntoIterator<Item = EntityId>) -> Result<(), GraphError> {
        let mut wanted: BTreeSet<EntityId> = ids.into_iter().collect();
        loop {
            wanted.retain(|id| !self.entities.contains_key(id));
            if wanted.is_empty() {
                return Ok(());
            }
            let keys: Vec<Vec<u8>> = wanted.iter().map(|id| key::entity(self.ns, *id).bytes()).collect();
            let found: Vec<Option<EntityRecord>> = value::all(self.reads, NODES, &keys)?;
            let mut next = BTreeSet::new();
            for (id, record) in wanted.into_iter().zip(found) {
                next.extend(record.as_ref().and_then(|record| record.redirect).map(|redirect| redirect.into));
                self.entities.insert(id, Slot { before: record.clone(), after: record });
            }
            wanted = next;
        }
    }

    /// Reads triples that are not at hand yet; one round.
    pub(crate) fn load_triples(&mut self, ids: impl IntoIterator<Item = TripleId>) -> Result<(), GraphError> {
        let wanted: BTreeSet<TripleId> = ids.into_iter().filter(|id| !self.triples.contains_key(id)).collect();
        let keys: Vec<Vec<u8>> = wanted.iter().map(|id| key::triple(self.ns, *id).bytes()).collect();
        let found: Vec<Option<TripleRecord>> = value::all(self.reads, TRIPLES, &keys)?;
        for (id, record) in wanted.into_iter().zip(found) {
            self.triples.insert(id, Slot { before: record, after: record });
        }
        Ok(())
    }

    /// A triple at hand that must be there.
    pub(crate) fn triple(&mut self, id: TripleId) -> Result<&mut TripleRecord, GraphError> {
        let missing = GraphError::damaged(TRIPLES, &key::triple(self.ns, id).bytes(), "the triple is missing");
        self.triples.get_mut(&id).and_then(|slot| slot.after.as_mut()).ok_or(missing)
    }

    /// An entity at hand that must be there.
    pub(crate) fn entity(&mut self, id: EntityId) -> Result<&mut EntityRecord, GraphError> {
        let missing = self.no_entity(id);
        self.entities.get_mut(&id).and_then(|slot| slot.after.as_mut()).ok_or(missing)
    }

    /// The error for an entity that something refers to.
    pub(crate) fn no_entity(&self, id: EntityId) -> GraphError {
        GraphError::damaged(NODES, &key::entity(self.ns, id).bytes(), "the entity is missing")
    }

    /// What an entity at hand became by merges, after this write or before it.
    pub(crate) fn root(&self, id: EntityId, after: bool) -> Result<EntityId, GraphError> {
        let mut at = id;
        // Each step leads to another entity at hand: more steps than these are a circle.
        for _ in 0..=self.entities.len() {
            let slot = self.entities.get(&at);
            let record = slot.and_then(|slot| if after { slot.after.as_ref() } else { slot.before.as_ref() });
            match record.ok_or_else(|| self.no_entity(at))?.redirect {
                Some(redirect) => at = redirect.into,
                None => return Ok(at),
            }
        }
        Err(GraphError::damaged(NODES, &key::entity(self.ns, id).bytes(), "merges lead in a circle"))
    }

    /// Gives up reading and hands over what is to be written.
    pub(crate) fn finish(mut self) -> Result<Changes, GraphError> {
        for (id, slot) in std::mem::take(&mut self.triples) {
            self.keep(TRIPLES, key::triple(self.ns, id).bytes(), &slot)?;
        }
        for (id, slot) in std::mem::take(&mut self.entities) {
            self.keep(NODES, key::entity(self.ns, id).bytes(), &slot)?;
        }
        let head = Slot { before: self.head_before, after: Some(self.head) };
        if head.before.is_some() || self.head != Head::default() {
            self.keep(HEADS, self.ns.prefix().to_vec(), &head)?;
        }
        Ok(self.changes)
    }

    /// Stores or removes a record, where it changed.
    pub(crate) fn keep<V: Value + PartialEq>(
        &mut self,
        keyspace: Keyspace,
        key: Vec<u8>,
        slot: &Slot<V>,
    ) -> Result<(), GraphError> {
        match &slot.after {
            after if *after == slot.before => {}
            Some(record) => self.put(keyspace, key, record)?,
            None => self.delete(keyspace, key),
        }
        Ok(())
    }
}
