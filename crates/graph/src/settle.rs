//! Consequences of changed triples: their index rows, the counts of their ends, and entities that
//! no triple names any more.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_language::names;
use annals_types::NamespaceId;

use crate::ledger::{Ledger, Place, Roots, place};
use crate::record::{Arc, EntityRecord, Flags, TripleRecord};
use crate::tables::{ABSORBED, ARCS, EDGES, ENTITIES, Edge, HEADS, MERGES, NAMES, Side, VECTORS};
use crate::{EntityId, GraphError, TripleId};

/// The share of a triple in the counts of an entity.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    own: i64,
    edges: i64,
    visible: i64,
}

/// The index rows of a triple, and what it adds to its ends.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) rows: BTreeMap<Place, Vec<u8>>,
    shares: Vec<(EntityId, Share)>,
}

impl Index {
    /// The rows of a triple whose ends became `subject` and `object` by merges.
    pub(crate) fn of(
        ns: NamespaceId,
        id: TripleId,
        record: &TripleRecord,
        (subject, object): (EntityId, EntityId),
    ) -> Result<Self, GraphError> {
        let mut index = Self::default();
        let visible = Flags::default().with(Flags::VISIBLE, record.supported > 0);
        let merged = (record.subject, record.object) != (subject, object);
        // A merge makes no loops: what it would turn into one is only found by its own ends.
        let hidden = merged && subject == object && record.subject != record.object;
        let own = Share {
            own: 1,
            ..Share::default()
        };
        let met = Share {
            own: 0,
            edges: 1,
            visible: i64::from(record.supported > 0),
        };
        let both = Share { own: 1, ..met };
        let born = (record.subject, record.object);
        if merged {
            index.edges(
                ns,
                id,
                record,
                (born, visible.with(Flags::SHADOW, true), own),
            )?;
            if !hidden {
                index.edges(
                    ns,
                    id,
                    record,
                    ((subject, object), visible.with(Flags::MERGED, true), met),
                )?;
            }
        } else {
            index.edges(ns, id, record, (born, visible, both))?;
        }
        let flags = visible
            .with(Flags::MERGED, merged)
            .with(Flags::SHADOW, hidden);
        let arc = Arc {
            flags,
            subject,
            object,
            qualifier: record.qualifier,
        };
        index
            .rows
            .insert(place(&ARCS, (ns, record.predicate, id)), ARCS.encode(&arc)?);
        Ok(index)
    }

    fn edges(
        &mut self,
        ns: NamespaceId,
        triple: TripleId,
        record: &TripleRecord,
        ((subject, object), flags, share): ((EntityId, EntityId), Flags, Share),
    ) -> Result<(), GraphError> {
        for (entity, side, other) in [(subject, Side::Out, object), (object, Side::In, subject)] {
            let edge = Edge {
                entity,
                side,
                predicate: record.predicate,
                other,
                qualifier: record.qualifier,
                triple,
            };
            self.rows
                .insert(place(&EDGES, edge.key(ns)), EDGES.encode(&flags)?);
            self.shares.push((entity, share));
        }
        Ok(())
    }
}

fn counted(count: u32, change: i64) -> Option<u32> {
    u32::try_from(i64::from(count) + change).ok()
}

impl Ledger<'_> {
    /// Brings index rows, counts and entities in line with the triples at hand. Called once, when
    /// all triples are as they shall be.
    pub(crate) fn settle(&mut self) -> Result<(), GraphError> {
        let idle = self.reckon()?;
        self.retire(idle)
    }

    /// The same without removing entities that nothing speaks of: answers which entities to look at
    /// for that.
    pub(crate) fn reckon(&mut self) -> Result<BTreeSet<EntityId>, GraphError> {
        let ends: BTreeSet<EntityId> = self
            .triples
            .values()
            .flat_map(|slot| slot.before.iter().chain(&slot.after))
            .flat_map(|record| [record.subject, record.object])
            .collect();
        self.load_entities(ends)?;
        let mut shares: BTreeMap<EntityId, Share> = BTreeMap::new();
        let ids: Vec<TripleId> = self.triples.keys().copied().collect();
        let (before, after) = (self.roots(false), self.roots(true));
        for id in ids {
            self.settle_triple(id, (&before, &after), &mut shares)?;
        }
        let mut idle = BTreeSet::new();
        for (id, share) in shares {
            let wrong = ENTITIES.damaged((self.ns, id), "the counts of edges are wrong");
            let record = self.entity(id)?;
            let (Some(own), Some(edges), Some(visible)) = (
                counted(record.own, share.own),
                counted(record.edges, share.edges),
                counted(record.visible, share.visible),
            ) else {
                return Err(wrong.into());
            };
            (record.own, record.edges, record.visible) = (own, edges, visible);
            if own > 0 {
                self.revive(id)?;
            }
            idle.insert(id);
        }
        Ok(idle)
    }

    /// Lets an entity that was hollow stand for itself again, under the name that it has by now.
    pub(crate) fn revive(&mut self, id: EntityId) -> Result<(), GraphError> {
        let record = self.entity(id)?;
        if record.hollow {
            record.hollow = false;
            let normal = names::normalise(&record.name);
            self.put(&NAMES, (self.ns, &normal, id), &())?;
        }
        Ok(())
    }

    fn settle_triple(
        &mut self,
        id: TripleId,
        (roots_before, roots_after): (&Roots, &Roots),
        shares: &mut BTreeMap<EntityId, Share>,
    ) -> Result<(), GraphError> {
        let Some(slot) = self.triples.get(&id) else {
            return Ok(());
        };
        let (before, after) = (slot.before, slot.after);
        let index = |record: Option<TripleRecord>, roots: &Roots| match record {
            None => Ok(Index::default()),
            Some(record) => {
                let ends = (
                    self.root_in(roots, record.subject)?,
                    self.root_in(roots, record.object)?,
                );
                Index::of(self.ns, id, &record, ends)
            }
        };
        let (old, new) = (index(before, roots_before)?, index(after, roots_after)?);
        for place in old
            .rows
            .keys()
            .filter(|place| !new.rows.contains_key(*place))
        {
            self.change(place.clone(), None);
        }
        for (place, row) in new.rows {
            if old.rows.get(&place) != Some(&row) {
                self.change(place, Some(row));
            }
        }
        for (sign, list) in [(-1, &old.shares), (1, &new.shares)] {
            for (entity, share) in list {
                let sum = shares.entry(*entity).or_default();
                sum.own += sign * share.own;
                sum.edges += sign * share.edges;
                sum.visible += sign * share.visible;
            }
        }
        let count = |record: Option<TripleRecord>| {
            record.map_or((0, 0), |r| (1, i64::from(r.supported > 0)))
        };
        let ((was, was_visible), (is, is_visible)) = (count(before), count(after));
        let wrong = || HEADS.damaged(self.ns, "the counts of triples are wrong");
        let triples = counted(self.head.triples, is - was).ok_or_else(wrong)?;
        let visible = counted(self.head.visible, is_visible - was_visible).ok_or_else(wrong)?;
        (self.head.triples, self.head.visible) = (triples, visible);
        Ok(())
    }

    /// Removes entities of which nothing speaks any more; those that hold merged ones become
    /// hollow. What was merged is looked at before what it became: so each is looked at once.
    pub(crate) fn retire(&mut self, idle: BTreeSet<EntityId>) -> Result<(), GraphError> {
        self.load_entities(idle.iter().copied())?;
        let mut idle = self.depths(&idle);
        while let Some((depth, id)) = idle.pop_last() {
            let Some(record) = self.entities.get(&id).and_then(|slot| slot.after.clone()) else {
                continue;
            };
            if record.own > 0 || record.kept {
                continue;
            }
            let above = record
                .redirect
                .map(|redirect| (depth.saturating_sub(1), redirect.into));
            if record.absorbed > 0 {
                self.hollow(id, &record)?;
                // Entities that took their name from this one take it from elsewhere now.
                idle.extend(above);
                continue;
            }
            self.remove_entity(id, &record);
            let Some(redirect) = record.redirect else {
                continue;
            };
            self.delete(&MERGES, (self.ns, redirect.merge));
            self.head.merges = self.head.merges.saturating_sub(1);
            self.delete(&ABSORBED, (self.ns, redirect.into, (), id));
            self.load_entities([redirect.into])?;
            let parent = self.entity(redirect.into)?;
            parent.absorbed = parent.absorbed.saturating_sub(1);
            idle.extend(above);
        }
        Ok(())
    }

    fn remove_entity(&mut self, id: EntityId, record: &EntityRecord) {
        self.unname(id, record);
        self.head.entities = self.head.entities.saturating_sub(1);
        if let Some(slot) = self.entities.get_mut(&id) {
            slot.after = None;
        }
    }

    /// Takes away the names and the embedding by which an entity is found.
    fn unname(&mut self, id: EntityId, record: &EntityRecord) {
        if !record.hollow {
            for name in record.normal_names() {
                self.delete(&NAMES, (self.ns, &name, id));
            }
        }
        self.delete(&VECTORS, (self.ns, id));
    }

    /// Lets an entity whose own triples are gone stand for those merged into it, under the name of
    /// the first of them.
    fn hollow(&mut self, id: EntityId, record: &EntityRecord) -> Result<(), GraphError> {
        let mut first = None;
        ABSORBED.scan(self.reads, ABSORBED.within((self.ns, id, ())), |key, ()| {
            if self.removes(&ABSORBED, key) {
                return Ok(ControlFlow::Continue(()));
            }
            first = Some(key.3);
            Ok::<_, GraphError>(ControlFlow::Break(()))
        })?;
        let fresh = self.first_absorbed(id);
        let first = first.into_iter().chain(fresh).min();
        let Some(child) = first else { return Ok(()) };
        self.unname(id, record);
        self.load_entities([child])?;
        let name = self.entity(child)?.name.clone();
        let record = self.entity(id)?;
        *record = EntityRecord {
            name,
            hollow: true,
            aliases: Vec::new(),
            metadata: None,
            ..record.clone()
        };
        Ok(())
    }
}

impl EntityRecord {
    /// The names under which it is found, as they are compared.
    pub(crate) fn normal_names(&self) -> BTreeSet<String> {
        std::iter::once(&self.name)
            .chain(&self.aliases)
            .map(|text| names::normalise(text))
            .collect()
    }
}
