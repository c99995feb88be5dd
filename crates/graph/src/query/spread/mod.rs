//! From some memories and entities to the memories around them, in few rounds of reads.
//!
//! Reads that are known to be needed go together, whatever they are for: links and triples of
//! memories, ends of triples, edges of entities, evidence. So the rounds grow with the steps and
//! not with the memories, and a limit of rounds is a limit of time on a remote engine.

mod read;

use std::collections::BTreeMap;

use annals_storage::Reads;
use annals_types::{NamespaceId, Row, Timestamp};

use crate::query::{Budget, Cut, Meter};
use crate::{EntityId, GraphError, LabelId, TripleId};

/// Where a spread begins, and what it follows.
#[derive(Clone, Copy)]
#[must_use]
pub struct Spread<'a> {
    /// Memories that it begins with: at distance 0.
    pub rows: &'a [Row],
    /// Entities that it begins with: memories that speak of them are at distance 0. Numbers not in
    /// use are passed over.
    pub entities: &'a [EntityId],
    /// Greatest distance of a memory.
    pub depth: u32,
    /// Relations of the links that are followed from memories, both ways; all when `None`.
    pub relations: Option<&'a [LabelId]>,
    /// Whether memories that speak of the same entity as one of `rows` are beside it.
    pub shared: bool,
    /// Kinds whose entities are not followed.
    pub common: &'a [LabelId],
    /// Edges above which an entity is not followed.
    pub max_degree: u32,
    /// The storing time at which it asks; now when `None`.
    pub as_of: Option<Timestamp>,
    /// Which memories are in use at that time: others are neither reached nor followed.
    pub awake: &'a dyn Fn(Row) -> bool,
    /// The most rounds of reads; what they do not reach is left out.
    pub rounds: u32,
    /// How many memories it may reach, and at how many edges, links and rows of evidence it may
    /// look.
    pub budget: Budget<'a>,
}

/// By what a memory was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Tie {
    /// It speaks of an entity.
    Entity(EntityId),
    /// A link between it and a memory reached before.
    Link {
        /// The other memory.
        from: Row,
        /// The number of its relation.
        relation: LabelId,
        /// Whether the link leads to the memory reached.
        outgoing: bool,
    },
}

/// How near a memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Contact {
    /// Steps from the nearest beginning.
    pub distance: u32,
    /// By what it was reached.
    pub by: Tie,
}

/// The memories around.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// The memories reached, those at the beginning only where another beginning leads to them: an
    /// entity of [`Spread::entities`], or a link from another one of [`Spread::rows`].
    pub rows: BTreeMap<Row, Contact>,
    /// The names of entities that were followed.
    pub names: BTreeMap<EntityId, String>,
    /// The names of those of [`Spread::entities`] that have too many edges to be followed.
    pub passed: Vec<String>,
    /// The limit that ended it early.
    pub cut: Option<Cut>,
}

/// From which kind of beginning something was reached. Memories at the beginning are not reached
/// from themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Named,
    Seeds,
}

/// Something to be read, and the distance of the memories that it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// A memory at this distance: its links and triples lead one step on.
    Row(Row),
    /// A triple that a memory supports: its ends.
    Triple(TripleId),
    /// An entity: what speaks of it.
    Entity(EntityId),
    /// A triple that speaks of the first entity: who says so. The second one is its other end.
    Evidence(TripleId, EntityId, EntityId),
}

/// An item that is still to be read, with its origin and its distance from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PendingRead {
    origin: Origin,
    item: Item,
    distance: u32,
}

struct Spreading<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    spread: Spread<'a>,
    meter: Meter<'a>,
    /// The least distance at which each thing was queued.
    queued: BTreeMap<(Origin, Item), u32>,
    next: Vec<PendingRead>,
    reached: Surroundings,
}

/// Finds the memories around some memories and entities. At most [`Spread::rounds`] rounds of
/// reads.
///
/// # Errors
/// When the storage fails.
pub fn spread(
    reads: &dyn Reads,
    ns: NamespaceId,
    spread: Spread<'_>,
) -> Result<Surroundings, GraphError> {
    let mut spreading = Spreading {
        reads,
        ns,
        meter: Meter::start(&spread.budget),
        spread,
        queued: BTreeMap::new(),
        next: Vec::new(),
        reached: Surroundings::default(),
    };
    for entity in spread.entities {
        spreading.queue(Origin::Named, Item::Entity(*entity), 0);
    }
    if spread.depth > 0 {
        for row in spread.rows {
            spreading.queue(Origin::Seeds, Item::Row(*row), 0);
        }
    }
    for _ in 0..spread.rounds {
        let batch = std::mem::take(&mut spreading.next);
        if batch.is_empty() || spreading.meter.late() {
            break;
        }
        spreading.round(batch)?;
    }
    spreading.reached.cut = spreading.meter.cut;
    Ok(spreading.reached)
}

impl Spreading<'_> {
    /// Remembers to read something, unless it was read for as near a place.
    fn queue(&mut self, origin: Origin, item: Item, distance: u32) {
        let best = self.queued.entry((origin, item)).or_insert(u32::MAX);
        if distance < *best {
            *best = distance;
            self.next.push(PendingRead {
                origin,
                item,
                distance,
            });
        }
    }

    /// A memory at a distance; answers whether it is in use.
    fn reach(&mut self, origin: Origin, row: Row, contact: Contact) -> bool {
        if !(self.spread.awake)(row) {
            return false;
        }
        let begins = origin == Origin::Seeds && self.spread.rows.contains(&row);
        let from_another =
            matches!(contact.by, Tie::Link { from, .. } if from != row) && contact.distance == 1;
        if !begins || from_another {
            match self.reached.rows.get_mut(&row) {
                Some(known) => *known = contact.min(*known),
                None if self.meter.node() => drop(self.reached.rows.insert(row, contact)),
                None => return false,
            }
        }
        if contact.distance < self.spread.depth && !begins {
            self.queue(origin, Item::Row(row), contact.distance);
        }
        true
    }
}
