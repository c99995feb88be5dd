//! One round: what was asked for is read in one walk over ranges, and leads to what is read next.

use std::ops::ControlFlow;

use annals_storage::KeyRange;
use annals_types::Row;

use super::{Contact, Errand, Item, Origin, Spreading, Tie};
use crate::key::{self, Edge, LINK_IN, LINK_OUT, Parts, SUPPORTS};
use crate::keyspaces::{NODES, ROWS, TRIPLES};
use crate::record::{EntityRecord, EvidenceRecord, Flags, LinkRecord, Supports, TripleRecord};
use crate::roster::LinkEnd;
use crate::{EntityId, GraphError, LabelId, value};

type Flow = Result<ControlFlow<()>, GraphError>;

const ON: Flow = Ok(ControlFlow::Continue(()));
const ENOUGH: Flow = Ok(ControlFlow::Break(()));

impl Spreading<'_> {
    pub(super) fn round(&mut self, mut errands: Vec<Errand>) -> Result<(), GraphError> {
        // Nearer things first; what was queued twice is read for its least distance alone.
        errands.sort_unstable_by_key(|errand| (errand.distance, *errand));
        errands.retain(|e| self.queued.get(&(e.origin, e.item)) == Some(&e.distance));
        let ranges: Vec<KeyRange> = errands.iter().map(|errand| self.range(errand.item)).collect();
        let reads = self.reads;
        value::scan(reads, &ranges, &mut |range, key, version, body| {
            let Some(errand) = errands.get(range) else { return ENOUGH };
            if self.meter.cut.is_some() {
                return ENOUGH;
            }
            match errand.item {
                Item::Row(row) => self.row(*errand, row, key, version, body),
                Item::Triple(_) => self.ends(*errand, key, version, body),
                Item::Entity(entity) => self.entity(*errand, entity, key, version, body),
                Item::Evidence(_, about, other) => self.evidence(*errand, (about, other), key, version, body),
            }
        })
    }

    fn range(&self, item: Item) -> KeyRange {
        match item {
            Item::Row(row) => key::row(self.ns, row).range(ROWS),
            // The triple comes before its evidence.
            Item::Triple(triple) => key::triple(self.ns, triple).range(TRIPLES),
            Item::Entity(entity) => key::entity(self.ns, entity).range(NODES),
            Item::Evidence(triple, ..) => key::triple(self.ns, triple).behind(TRIPLES),
        }
    }

    /// What hangs on a memory: its triples, and its links.
    fn row(&mut self, errand: Errand, row: Row, key: &[u8], version: u8, body: &[u8]) -> Flow {
        let mut parts = Parts::behind_namespace(key);
        let tag = parts.number().and_then(|_| parts.byte());
        let distance = errand.distance + 1;
        match tag {
            Some(SUPPORTS) if self.spread.shared && self.spread.relations.is_none() => {
                let supports: Supports = value::decode(ROWS, key, version, body)?;
                for triple in supports.0 {
                    if !self.meter.edge() {
                        return ENOUGH;
                    }
                    self.queue(errand.origin, Item::Triple(triple), distance);
                }
            }
            Some(LINK_OUT | LINK_IN) => {
                let end = LinkEnd::parse(key).ok_or_else(|| GraphError::damaged(ROWS, key, "this is no link"))?;
                let record: LinkRecord = value::decode(ROWS, key, version, body)?;
                if self.follows(end.relation) && self.spread.as_of.is_none_or(|moment| record.born <= moment) {
                    if !self.meter.edge() {
                        return ENOUGH;
                    }
                    let by = Tie::Link { from: row, relation: end.relation, outgoing: end.leaves };
                    self.reach(errand.origin, end.other, Contact { distance, by });
                }
            }
            _ => {}
        }
        ON
    }

    fn follows(&self, relation: LabelId) -> bool {
        self.spread.relations.is_none_or(|wanted| wanted.contains(&relation))
    }

    /// The ends of a triple.
    fn ends(&mut self, errand: Errand, key: &[u8], version: u8, body: &[u8]) -> Flow {
        let record: TripleRecord = value::decode(TRIPLES, key, version, body)?;
        for end in [record.subject, record.object] {
            self.queue(errand.origin, Item::Entity(end), errand.distance);
        }
        ENOUGH
    }

    /// An entity, and behind it its edges.
    fn entity(&mut self, errand: Errand, entity: EntityId, key: &[u8], version: u8, body: &[u8]) -> Flow {
        if key.len() == key::entity(self.ns, entity).bytes().len() {
            let record: EntityRecord = value::decode(NODES, key, version, body)?;
            if let Some(redirect) = record.redirect {
                self.queue(errand.origin, Item::Entity(redirect.into), errand.distance);
                return ENOUGH;
            }
            let kind = LabelId(record.kind);
            let hub = record.edges > self.spread.max_degree;
            if hub && errand.origin == Origin::Named && errand.distance == 0 {
                self.reached.passed.push(record.name);
                return ENOUGH;
            }
            if hub || self.spread.common.contains(&kind) {
                return ENOUGH;
            }
            self.reached.names.insert(entity, record.name);
            return ON;
        }
        let Some(edge) = Edge::parse(key) else { return ON };
        let flags: Flags = value::decode(NODES, key, version, body)?;
        let seen = flags.has(Flags::VISIBLE) || self.spread.as_of.is_some();
        if flags.has(Flags::SHADOW) || !seen {
            return ON;
        }
        if !self.meter.edge() {
            return ENOUGH;
        }
        let evidence = Item::Evidence(edge.triple, entity, edge.other);
        self.queue(errand.origin, evidence, errand.distance);
        // Somebody in use says so now: the other end is one step on, and can be read together with who says so.
        if self.spread.as_of.is_none() {
            self.go_on(errand, edge.other);
        }
        ON
    }

    /// What speaks of the other end of a triple is one step further away.
    fn go_on(&mut self, errand: Errand, other: EntityId) {
        let shared = errand.origin == Origin::Named || (self.spread.shared && self.spread.relations.is_none());
        if shared && errand.distance < self.spread.depth {
            self.queue(errand.origin, Item::Entity(other), errand.distance + 1);
        }
    }

    /// A memory that says a triple.
    fn evidence(
        &mut self,
        errand: Errand,
        (about, other): (EntityId, EntityId),
        key: &[u8],
        version: u8,
        body: &[u8],
    ) -> Flow {
        let mut parts = Parts::behind_namespace(key);
        let row = parts.number().and(parts.number()).map(Row);
        let row = row.ok_or_else(|| GraphError::damaged(TRIPLES, key, "the key is short"))?;
        let record: EvidenceRecord = value::decode(TRIPLES, key, version, body)?;
        if self.spread.as_of.is_some_and(|moment| record.born > moment) {
            return ON;
        }
        if !self.meter.edge() {
            return ENOUGH;
        }
        let contact = Contact { distance: errand.distance, by: Tie::Entity(about) };
        if self.reach(errand.origin, row, contact) && self.spread.as_of.is_some() {
            self.go_on(errand, other);
        }
        ON
    }
}
