//! The tables of this layer. Rows that are read together share a keyspace.

use annals_storage::table::{ClosedText, Coded, Key, KeyBytes, KeyReader, Mark, Text};
use annals_storage::{AnyTable, StorageError, Table};
use annals_types::{NamespaceId, Row};

use crate::id::Qualifier;
use crate::record::{
    Arc, EntityRecord, EvidenceRecord, Flags, Head, LinkRecord, MergeRecord, RowRecord, Supports,
    TripleRecord,
};
use crate::{Embedding, EntityId, LabelClass, LabelId, MergeId, TripleId};

/// Counters.
pub(crate) const HEADS: Table<NamespaceId, Coded<Head>> = Table::new("graph.heads");
/// The number of a label.
pub(crate) const LABELS: Table<(NamespaceId, LabelClass, Text), LabelId> =
    Table::new("graph.labels");
/// The label of a number, beside the labels.
pub(crate) const LABEL_TEXTS: Table<(NamespaceId, ByNumber, LabelId), String> =
    Table::new("graph.labels");
/// Entities.
pub(crate) const ENTITIES: Table<(NamespaceId, EntityId), Coded<EntityRecord>> =
    Table::new("graph.nodes");
/// The entities merged into an entity, behind it.
pub(crate) const ABSORBED: Table<(NamespaceId, EntityId, Absorbing, EntityId), Mark> =
    Table::new("graph.nodes");
/// The edges of an entity, behind it.
pub(crate) const EDGES: Table<EdgeKey, Flags> = Table::new("graph.nodes");
/// The entities of a normalised name.
pub(crate) const NAMES: Table<(NamespaceId, ClosedText, EntityId), Mark> =
    Table::new("graph.names");
/// The embeddings of entities.
pub(crate) const VECTORS: Table<(NamespaceId, EntityId), Embedding> = Table::new("graph.vectors");
/// Triples.
pub(crate) const TRIPLES: Table<(NamespaceId, TripleId), Coded<TripleRecord>> =
    Table::new("graph.triples");
/// The evidence of memories, by triple.
pub(crate) const EVIDENCE: Table<(NamespaceId, TripleId, Row), Coded<EvidenceRecord>> =
    Table::new("graph.triples");
/// The ends and the visibility of triples, by their predicate.
pub(crate) const ARCS: Table<(NamespaceId, LabelId, TripleId), Arc> =
    Table::new("graph.predicates");
/// The states of memories.
pub(crate) const ROWS: Table<(NamespaceId, Row), Coded<RowRecord>> = Table::new("graph.rows");
/// The triples that a memory supports, behind it.
pub(crate) const SUPPORTS: Table<(NamespaceId, Row, Supporting), Coded<Supports>> =
    Table::new("graph.rows");
/// The links of a memory, behind it: those that leave it, then those that reach it.
pub(crate) const LINKS: Table<(NamespaceId, Row, Side, LabelId, Row), Coded<LinkRecord>> =
    Table::new("graph.rows");
/// The memories that a memory was derived from, behind it.
pub(crate) const SOURCES: Table<(NamespaceId, Row, DerivedFrom, Row), Mark> =
    Table::new("graph.rows");
/// The memories that were derived from a memory, behind it.
pub(crate) const DERIVED: Table<(NamespaceId, Row, SourceOf, Row), Mark> = Table::new("graph.rows");
/// Merges of two entities.
pub(crate) const MERGES: Table<(NamespaceId, MergeId), Coded<MergeRecord>> =
    Table::new("graph.merges");

/// All tables.
pub const TABLES: &[&dyn AnyTable] = &[
    &HEADS,
    &LABELS,
    &LABEL_TEXTS,
    &ENTITIES,
    &ABSORBED,
    &EDGES,
    &NAMES,
    &VECTORS,
    &TRIPLES,
    &EVIDENCE,
    &ARCS,
    &ROWS,
    &SUPPORTS,
    &LINKS,
    &SOURCES,
    &DERIVED,
    &MERGES,
];

/// An edge of an entity: namespace, entity, side, predicate, other end, qualifier, triple.
pub(crate) type EdgeKey = (
    NamespaceId,
    EntityId,
    Side,
    LabelId,
    EntityId,
    Qualifier,
    TripleId,
);

macro_rules! numbers {
    ($($name:ident)+) => {
        $(impl Key for $name {
            type Of<'a> = Self;

            #[inline]
            fn put(of: Self, key: &mut KeyBytes) {
                u32::put(of.0, key);
            }

            #[inline]
            fn take(key: &mut KeyReader<'_>) -> Option<Self> {
                u32::take(key).map(Self)
            }
        })+
    };
}

numbers!(EntityId TripleId LabelId MergeId Qualifier);

/// Which way an edge or a link goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// It leaves.
    Out,
    /// It reaches.
    In,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Out, Self::In];
}

impl Key for Side {
    type Of<'a> = Self;

    #[inline]
    fn put(of: Self, key: &mut KeyBytes) {
        u8::put(if of == Self::Out { 2 } else { 3 }, key);
    }

    #[inline]
    fn take(key: &mut KeyReader<'_>) -> Option<Self> {
        match u8::take(key)? {
            2 => Some(Self::Out),
            3 => Some(Self::In),
            _ => None,
        }
    }
}

/// The byte of [`Absorbing`], which no edge has.
pub(crate) const ABSORBING: u8 = 1;

/// Bytes that tell apart what stands behind an entity or a memory. Values are `()`.
macro_rules! tags {
    ($($(#[$doc:meta])* $name:ident $byte:expr;)+) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(crate) enum $name {}

        impl Key for $name {
            type Of<'a> = ();

            #[inline]
            fn put((): (), key: &mut KeyBytes) {
                u8::put($byte, key);
            }

            #[inline]
            fn take(key: &mut KeyReader<'_>) -> Option<()> {
                u8::take(key).filter(|byte| *byte == $byte).map(drop)
            }
        })+
    };
}

tags! {
    /// Behind an entity: an entity that was merged into it.
    Absorbing ABSORBING;
    /// Behind a memory: the triples that it supports.
    Supporting 1;
    /// Behind a memory: a memory that it was derived from.
    DerivedFrom 4;
    /// Behind a memory: a memory that was derived from it.
    SourceOf 5;
}

impl Key for LabelClass {
    type Of<'a> = Self;

    fn put(of: Self, key: &mut KeyBytes) {
        u8::put(of.to_byte(), key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<Self> {
        u8::take(key).and_then(Self::from_byte)
    }
}

/// The class of a label that is found by its number: the byte of the class with the top bit. Values
/// are [`LabelClass`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum ByNumber {}

/// Set in the byte of [`ByNumber`].
const TOP: u8 = 0x80;

impl Key for ByNumber {
    type Of<'a> = LabelClass;

    fn put(of: LabelClass, key: &mut KeyBytes) {
        u8::put(of.to_byte() | TOP, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<LabelClass> {
        u8::take(key)
            .filter(|byte| byte & TOP != 0)
            .and_then(|byte| LabelClass::from_byte(byte & !TOP))
    }
}

/// One end of a triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) entity: EntityId,
    pub(crate) side: Side,
    pub(crate) predicate: LabelId,
    pub(crate) other: EntityId,
    pub(crate) qualifier: Qualifier,
    pub(crate) triple: TripleId,
}

impl Edge {
    /// Of a key of [`EDGES`].
    pub(crate) const fn of(key: <EdgeKey as Key>::Of<'_>) -> Self {
        let (_, entity, side, predicate, other, qualifier, triple) = key;
        Self {
            entity,
            side,
            predicate,
            other,
            qualifier,
            triple,
        }
    }

    pub(crate) const fn key(&self, ns: NamespaceId) -> <EdgeKey as Key>::Of<'static> {
        (
            ns,
            self.entity,
            self.side,
            self.predicate,
            self.other,
            self.qualifier,
            self.triple,
        )
    }

    /// The common key prefix of all triples that say the same.
    pub(crate) const fn group(
        &self,
        ns: NamespaceId,
    ) -> (NamespaceId, EntityId, Side, LabelId, EntityId, Qualifier) {
        (
            ns,
            self.entity,
            self.side,
            self.predicate,
            self.other,
            self.qualifier,
        )
    }
}

/// The error of a row that the graph knows and no memory has.
#[must_use]
pub fn unowned(ns: NamespaceId, row: Row) -> StorageError {
    ROWS.damaged((ns, row), "no memory has this row")
}
