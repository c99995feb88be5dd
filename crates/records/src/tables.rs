//! The tables of this layer.

use annals_storage::table::{Key, KeyBytes, KeyReader, Mark, PrefixOf, Text};
use annals_storage::{AnyTable, Table};
use annals_types::{MemoryId, NamespaceId, Row};

use crate::columns::block::Block;
use crate::desk::{StoredScratchpad, StoredSessionState};
use crate::ids::{IdEntry, Place};
use crate::{Event, Head, History, LabelClass, LabelId, Namespace, RowRecord};

/// The number of a namespace, by its name.
pub(crate) const NAMES: Table<Text, NamespaceId> = Table::new("records.names");
/// The namespaces.
pub(crate) const SPACES: Table<SpaceNumber, Namespace> = Table::new("records.spaces");
/// The number that the last namespace got, beside the namespaces.
pub(crate) const LAST_SPACE: Table<NoSpace, NamespaceId> = Table::new("records.spaces");
/// Marks of deleted namespaces, beside the namespaces, so that a start need not walk all of them.
pub(crate) const DOOMED: Table<(BeyondSpaces, SpaceNumber), Mark<2>> = Table::new("records.spaces");
/// Counters and totals.
pub(crate) const HEADS: Table<NamespaceId, Head> = Table::new("records.heads");
/// The immutable rows.
pub(crate) const ROWS: Table<(NamespaceId, Row), RowRecord<'static>> = Table::new("records.rows");
/// The current and the first row of a public id.
pub(crate) const IDS: Table<(NamespaceId, MemoryId), IdEntry> = Table::new("records.ids");
/// The row at a position of a session.
pub(crate) const TURNS: Table<(NamespaceId, LabelId, u32), Place> = Table::new("records.turns");
/// The number of a label.
pub(crate) const LABELS: Table<(NamespaceId, LabelClass, Text), LabelId> =
    Table::new("records.labels");
/// The label of a number, beside the labels.
pub(crate) const LABEL_TEXTS: Table<(NamespaceId, ByNumber, LabelId), Text> =
    Table::new("records.labels");
/// The lives of rows that are more than "born and still so".
pub(crate) const STATES: Table<(NamespaceId, Row), History> = Table::new("records.states");
/// The event log, by sequence number.
pub(crate) const EVENTS: Table<(NamespaceId, u64), Event> = Table::new("records.events");
/// Blocks of feature columns, by their first row. Derived.
pub(crate) const COLUMNS: Table<(NamespaceId, Row), Block> = Table::new("records.columns");
/// The scratchpad of a namespace.
pub(crate) const SCRATCHPADS: Table<NamespaceId, StoredScratchpad> =
    Table::new("records.scratchpads");
/// The state of each session until it ends, by its name.
pub(crate) const DIALOGUES: Table<(NamespaceId, Text), StoredSessionState> =
    Table::new("records.dialogues");

/// All tables.
pub const TABLES: &[&dyn AnyTable] = &[
    &NAMES,
    &SPACES,
    &LAST_SPACE,
    &DOOMED,
    &HEADS,
    &ROWS,
    &IDS,
    &TURNS,
    &LABELS,
    &LABEL_TEXTS,
    &STATES,
    &EVENTS,
    &COLUMNS,
    &SCRATCHPADS,
    &DIALOGUES,
];

/// The number of a namespace in the directory, which is the file's: a purge of the namespace
/// leaves its entry. Values are [`NamespaceId`] between the two numbers that no namespace has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SpaceNumber {}

/// The number 0.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NoSpace {}

/// The largest number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BeyondSpaces {}

impl Key for SpaceNumber {
    type Of<'a> = NamespaceId;

    fn put(of: NamespaceId, key: &mut KeyBytes) {
        u32::put(of.0, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<NamespaceId> {
        u32::take(key)
            .filter(|number| (1..u32::MAX).contains(number))
            .map(NamespaceId)
    }
}

impl PrefixOf<SpaceNumber> for NamespaceId {
    fn put(self, key: &mut KeyBytes) {
        SpaceNumber::put(self, key);
    }
}

impl Key for NoSpace {
    type Of<'a> = ();

    fn put((): (), key: &mut KeyBytes) {
        u32::put(0, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<()> {
        u32::take(key).filter(|number| *number == 0).map(drop)
    }
}

impl Key for BeyondSpaces {
    type Of<'a> = ();

    fn put((): (), key: &mut KeyBytes) {
        u32::put(u32::MAX, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<()> {
        u32::take(key)
            .filter(|number| *number == u32::MAX)
            .map(drop)
    }
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

impl Key for LabelId {
    type Of<'a> = Self;

    fn put(of: Self, key: &mut KeyBytes) {
        u32::put(of.0, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<Self> {
        u32::take(key).map(Self)
    }
}
