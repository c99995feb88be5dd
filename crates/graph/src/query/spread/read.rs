//! One round: what was asked for is read in one walk over ranges, and leads to what is read next.

use std::ops::ControlFlow;

use annals_storage::KeyRange;
use annals_storage::table::{RawRow, scan_rows};
use annals_types::Row;

use super::{Contact, Item, Origin, PendingRead, Spreading, Tie};
use crate::query::held::behind;
use crate::record::Flags;
use crate::roster::LinkEnd;
use crate::tables::{EDGES, ENTITIES, EVIDENCE, Edge, LINKS, ROWS, SUPPORTS, TRIPLES};
use crate::{EntityId, GraphError, LabelId};

type Flow = Result<ControlFlow<()>, GraphError>;

const ON: Flow = Ok(ControlFlow::Continue(()));
const ENOUGH: Flow = Ok(ControlFlow::Break(()));

impl Spreading<'_> {
    pub(super) fn round(&mut self, mut batch: Vec<PendingRead>) -> Result<(), GraphError> {
        // Nearer things first; what was queued twice is read for its least distance alone.
        batch.sort_unstable_by_key(|pending| (pending.distance, *pending));
        batch.retain(|e| self.queued.get(&(e.origin, e.item)) == Some(&e.distance));
        let ranges: Vec<KeyRange> = batch
            .iter()
            .map(|pending| self.range(pending.item))
            .collect();
        let reads = self.reads;
        scan_rows(reads, &ranges, |range, row| {
            let Some(pending) = batch.get(range) else {
                return ENOUGH;
            };
            if self.meter.cut.is_some() {
                return ENOUGH;
            }
            match pending.item {
                Item::Row(memory) => self.row(*pending, memory, &row),
                Item::Triple(_) => self.ends(*pending, &row),
                Item::Entity(entity) => self.entity(*pending, entity, &row),
                Item::Evidence(_, about, other) => self.evidence(*pending, (about, other), &row),
            }
        })
    }

    fn range(&self, item: Item) -> KeyRange {
        match item {
            Item::Row(row) => ROWS.within((self.ns, row)).into(),
            // The triple comes before its evidence.
            Item::Triple(triple) => TRIPLES.within((self.ns, triple)).into(),
            Item::Entity(entity) => ENTITIES.within((self.ns, entity)).into(),
            Item::Evidence(triple, ..) => behind(self.ns, triple),
        }
    }

    /// The neighbours of a memory: its triples, and its links.
    fn row(&mut self, pending: PendingRead, memory: Row, row: &RawRow<'_>) -> Flow {
        let distance = pending.distance + 1;
        if let Some((key, record)) = LINKS.read(row)? {
            let end = LinkEnd::of(key);
            if self.follows(end.relation)
                && self.spread.as_of.is_none_or(|moment| record.born <= moment)
            {
                if !self.meter.edge() {
                    return ENOUGH;
                }
                let by = Tie::Link {
                    from: memory,
                    relation: end.relation,
                    outgoing: end.leaves,
                };
                self.reach(pending.origin, end.other, Contact { distance, by });
            }
        } else if self.spread.shared
            && self.spread.relations.is_none()
            && let Some((_, supports)) = SUPPORTS.read(row)?
        {
            for triple in supports.0 {
                if !self.meter.edge() {
                    return ENOUGH;
                }
                self.queue(pending.origin, Item::Triple(triple), distance);
            }
        }
        ON
    }

    fn follows(&self, relation: LabelId) -> bool {
        self.spread
            .relations
            .is_none_or(|wanted| wanted.contains(&relation))
    }

    /// The ends of a triple.
    fn ends(&mut self, pending: PendingRead, row: &RawRow<'_>) -> Flow {
        let (_, record) = TRIPLES.read(row)?.ok_or_else(|| row.unknown())?;
        for end in [record.subject, record.object] {
            self.queue(pending.origin, Item::Entity(end), pending.distance);
        }
        ENOUGH
    }

    /// An entity, and behind it its edges.
    fn entity(&mut self, pending: PendingRead, entity: EntityId, row: &RawRow<'_>) -> Flow {
        if let Some((_, record)) = ENTITIES.read(row)? {
            if let Some(redirect) = record.redirect {
                self.queue(
                    pending.origin,
                    Item::Entity(redirect.into),
                    pending.distance,
                );
                return ENOUGH;
            }
            let kind = LabelId(record.kind);
            let hub = record.edges > self.spread.max_degree;
            if hub && pending.origin == Origin::Named && pending.distance == 0 {
                self.reached.passed.push(record.name);
                return ENOUGH;
            }
            if hub || self.spread.common.contains(&kind) {
                return ENOUGH;
            }
            self.reached.names.insert(entity, record.name);
            return ON;
        }
        let Some((key, flags)) = EDGES.read(row)? else {
            return ON;
        };
        let edge = Edge::of(key);
        let seen = flags.has(Flags::VISIBLE) || self.spread.as_of.is_some();
        if flags.has(Flags::SHADOW) || !seen {
            return ON;
        }
        if !self.meter.edge() {
            return ENOUGH;
        }
        let evidence = Item::Evidence(edge.triple, entity, edge.other);
        self.queue(pending.origin, evidence, pending.distance);
        // Supported now: the other end is one step on, and can be read together with the evidence.
        if self.spread.as_of.is_none() {
            self.go_on(pending, edge.other);
        }
        ON
    }

    /// The evidence of the other end of a triple is one step further away.
    fn go_on(&mut self, pending: PendingRead, other: EntityId) {
        let shared = pending.origin == Origin::Named
            || (self.spread.shared && self.spread.relations.is_none());
        if shared && pending.distance < self.spread.depth {
            self.queue(pending.origin, Item::Entity(other), pending.distance + 1);
        }
    }

    /// A memory that says a triple.
    fn evidence(
        &mut self,
        pending: PendingRead,
        (about, other): (EntityId, EntityId),
        row: &RawRow<'_>,
    ) -> Flow {
        let ((_, _, row), record) = EVIDENCE.read(row)?.ok_or_else(|| row.unknown())?;
        if self.spread.as_of.is_some_and(|moment| record.born > moment) {
            return ON;
        }
        if !self.meter.edge() {
            return ENOUGH;
        }
        let contact = Contact {
            distance: pending.distance,
            by: Tie::Entity(about),
        };
        if self.reach(pending.origin, row, contact) && self.spread.as_of.is_some() {
            self.go_on(pending, other);
        }
        ON
    }
}
