//! Keys: fixed-width, big-endian, the namespace number first.

use annals_storage::{KeyRange, Keyspace, prefix_end};
use annals_types::{NamespaceId, Row};

use crate::id::Qualifier;
use crate::{EntityId, LabelId, MergeId, TripleId};

/// Behind an entity: an edge that leaves it.
pub(crate) const OUT: u8 = 2;
/// Behind an entity: an edge that reaches it.
pub(crate) const IN: u8 = 3;
/// Behind an entity: an entity that was merged into it.
pub(crate) const ABSORBED: u8 = 1;

/// Behind a row: the triples that it supports.
pub(crate) const SUPPORTS: u8 = 1;
/// Behind a row: a link that leaves it.
pub(crate) const LINK_OUT: u8 = 2;
/// Behind a row: a link that reaches it.
pub(crate) const LINK_IN: u8 = 3;
/// Behind a row: a row that it was derived from.
pub(crate) const SOURCE: u8 = 4;
/// Behind a row: a row that was derived from it.
pub(crate) const DERIVED: u8 = 5;

/// A key being put together.
#[derive(Debug, Clone)]
pub(crate) struct Key(Vec<u8>);

impl Key {
    pub(crate) fn new(ns: NamespaceId) -> Self {
        let mut bytes = Vec::with_capacity(28);
        bytes.extend(ns.prefix());
        Self(bytes)
    }

    pub(crate) fn number(mut self, number: u32) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    pub(crate) fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.extend(text.as_bytes());
        self
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn range(self, keyspace: Keyspace) -> KeyRange {
        KeyRange::prefix(keyspace, &self.0)
    }

    /// All keys behind this one, itself not among them.
    pub(crate) fn behind(mut self, keyspace: Keyspace) -> KeyRange {
        let end = prefix_end(&self.0);
        self.0.push(0);
        KeyRange { keyspace, start: self.0, end, reverse: false }
    }
}

pub(crate) fn entity(ns: NamespaceId, entity: EntityId) -> Key {
    Key::new(ns).number(entity.0)
}

pub(crate) fn triple(ns: NamespaceId, triple: TripleId) -> Key {
    Key::new(ns).number(triple.0)
}

pub(crate) fn evidence(ns: NamespaceId, of: TripleId, row: Row) -> Key {
    triple(ns, of).number(row.0)
}

pub(crate) fn row(ns: NamespaceId, row: Row) -> Key {
    Key::new(ns).number(row.0)
}

pub(crate) fn merge(ns: NamespaceId, merge: MergeId) -> Key {
    Key::new(ns).number(merge.0)
}

pub(crate) fn predicate(ns: NamespaceId, predicate: LabelId) -> Key {
    Key::new(ns).number(predicate.0)
}

/// The edges of an entity in one direction; what follows is predicate, other end, qualifier, triple.
pub(crate) fn edges(ns: NamespaceId, of: EntityId, tag: u8) -> Key {
    entity(ns, of).byte(tag)
}

/// One end of a triple, as a key of [`NODES`](crate::keyspaces::NODES).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) entity: EntityId,
    pub(crate) tag: u8,
    pub(crate) predicate: LabelId,
    pub(crate) other: EntityId,
    pub(crate) qualifier: Qualifier,
    pub(crate) triple: TripleId,
}

impl Edge {
    pub(crate) fn key(&self, ns: NamespaceId) -> Vec<u8> {
        self.group(ns).number(self.triple.0).bytes()
    }

    /// The key of all triples that say the same.
    pub(crate) fn group(&self, ns: NamespaceId) -> Key {
        edges(ns, self.entity, self.tag).number(self.predicate.0).number(self.other.0).number(self.qualifier.0)
    }

    pub(crate) fn parse(key: &[u8]) -> Option<Self> {
        let mut take = Parts::behind_namespace(key);
        let entity = EntityId(take.number()?);
        let tag = take.byte()?;
        let edge = Self {
            entity,
            tag,
            predicate: LabelId(take.number()?),
            other: EntityId(take.number()?),
            qualifier: Qualifier(take.number()?),
            triple: TripleId(take.number()?),
        };
        (matches!(tag, OUT | IN) && take.ended()).then_some(edge)
    }
}

/// A key being taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    pub(crate) fn behind_namespace(key: &'a [u8]) -> Self {
        Self(key.get(4..).unwrap_or_default())
    }

    pub(crate) fn number(&mut self) -> Option<u32> {
        let (head, tail) = self.0.split_first_chunk::<4>()?;
        self.0 = tail;
        Some(u32::from_be_bytes(*head))
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (head, tail) = self.0.split_first()?;
        self.0 = tail;
        Some(*head)
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn ended(self) -> bool {
        self.0.is_empty()
    }
}
