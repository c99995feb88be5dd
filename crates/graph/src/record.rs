//! The stored structures.

use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put, Take};
use annals_types::{Commit, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::Qualifier;
use crate::{EntityId, LabelId, MergeId, Support, TripleId};

/// Counters of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) next_entity: u32,
    pub(crate) next_triple: u32,
    pub(crate) next_merge: u32,
    /// The last number given to a label of each class; 0 is none.
    pub(crate) labels: [u32; 4],
    pub(crate) entities: u32,
    pub(crate) merges: u32,
    pub(crate) triples: u32,
    pub(crate) visible: u32,
    pub(crate) evidence: u64,
    pub(crate) links: u64,
}

/// Where a merged entity went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Redirect {
    pub(crate) into: EntityId,
    pub(crate) merge: MergeId,
}

/// An entity, with counts of its edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EntityRecord {
    pub(crate) name: String,
    /// 0 for none.
    pub(crate) kind: u32,
    pub(crate) aliases: Vec<String>,
    pub(crate) metadata: Option<String>,
    pub(crate) born: Timestamp,
    /// It was made by itself, not by a triple, and does not go with its last triple.
    pub(crate) kept: bool,
    /// Its own triples are gone; it is here for those merged into it, and has the name of the first
    /// of them.
    pub(crate) hollow: bool,
    pub(crate) redirect: Option<Redirect>,
    /// Ends of triples that named this entity, whatever became of it.
    pub(crate) own: u32,
    /// Ends of triples that meet here after all merges.
    pub(crate) edges: u32,
    /// Those of them that are visible.
    pub(crate) visible: u32,
    /// Entities merged directly into it.
    pub(crate) absorbed: u32,
}

/// A triple: what it says, and how many memories say so. The ends are those it was born with;
/// merges do not change them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TripleRecord {
    pub(crate) subject: EntityId,
    pub(crate) predicate: LabelId,
    pub(crate) object: EntityId,
    pub(crate) qualifier: Qualifier,
    pub(crate) born: Timestamp,
    /// Rows that say so.
    pub(crate) evidence: u32,
    /// Those of them that support it now.
    pub(crate) supported: u32,
}

/// One memory's evidence for a triple.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EvidenceRecord {
    pub(crate) born: Timestamp,
    pub(crate) importance: f32,
    pub(crate) confidence: f32,
    pub(crate) degree: Option<String>,
    pub(crate) valid_from: Option<Timestamp>,
    pub(crate) valid_until: Option<Timestamp>,
    pub(crate) role: u8,
    pub(crate) metadata: Option<String>,
}

/// A state of a memory, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateChange {
    /// The moment.
    pub time: Timestamp,
    /// The state from then on.
    pub state: Support,
}

/// A memory as the graph knows it: every state it had. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowRecord {
    pub(crate) states: Vec<StateChange>,
}

impl RowRecord {
    pub(crate) fn state(&self) -> Support {
        self.states
            .last()
            .map_or(Support::Active, |change| change.state)
    }

    pub(crate) fn supports(&self) -> bool {
        self.state().supports()
    }

    /// Its state at `moment`; none before it was known.
    pub(crate) fn state_at(&self, moment: Timestamp) -> Option<Support> {
        self.states
            .iter()
            .rev()
            .find(|change| change.time <= moment)
            .map(|change| change.state)
    }

    /// Whether it supported what it says at `moment`; not before it was known.
    pub(crate) fn supported_at(&self, moment: Timestamp) -> bool {
        self.state_at(moment).is_some_and(Support::supports)
    }
}

/// The triples that a row supports, in the order they were said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Supports(pub(crate) Vec<TripleId>);

/// A link between memories; the same at both ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkRecord {
    pub(crate) weight: f32,
    pub(crate) born: Timestamp,
    pub(crate) metadata: Option<String>,
}

/// Two entities found to be one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MergeRecord {
    pub(crate) source: EntityId,
    pub(crate) target: EntityId,
    pub(crate) commit: Commit,
    pub(crate) time: Timestamp,
    pub(crate) similarity: Option<f64>,
    pub(crate) reason: String,
    /// The first triple that did not exist yet.
    pub(crate) next_triple: u32,
}

/// The flags of an edge, beside its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Flags(pub(crate) u8);

impl Flags {
    /// Some memory supports the triple now.
    pub(crate) const VISIBLE: u8 = 1;
    /// The entity was merged into another one, where the triple is found.
    pub(crate) const SHADOW: u8 = 2;
    /// The triple was born with another entity at an end, which was merged.
    pub(crate) const MERGED: u8 = 4;

    pub(crate) fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    pub(crate) fn with(self, flag: u8, on: bool) -> Self {
        if on { Self(self.0 | flag) } else { self }
    }
}

impl Value for Flags {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.byte(view.0);
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        match body {
            [flags @ 0..8] => Ok(Self(*flags)),
            _ => Err(Broken("these are no flags of an edge")),
        }
    }
}

/// A triple by its predicate: the ends after all merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arc {
    pub(crate) flags: Flags,
    pub(crate) subject: EntityId,
    pub(crate) object: EntityId,
    pub(crate) qualifier: Qualifier,
}

impl Value for Arc {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.byte(view.flags.0);
        for number in [view.subject.0, view.object.0, view.qualifier.0] {
            put.raw(&number.to_le_bytes());
        }
    }

    fn decode(version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let flags = Flags::decode(version, take.slice(1)?)?;
        let mut number = || take.array().map(u32::from_le_bytes);
        let (subject, object, qualifier) = (
            EntityId(number()?),
            EntityId(number()?),
            Qualifier(number()?),
        );
        take.end()?;
        Ok(Self {
            flags,
            subject,
            object,
            qualifier,
        })
    }
}
