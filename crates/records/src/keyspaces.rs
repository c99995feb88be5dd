//! The keyspaces of this layer. Every key begins with the namespace number, except those of [`NAMES`].

use annals_storage::Keyspace;
use annals_types::{NamespaceId, Row, Scratchpad, SessionState};

use crate::columns::block::Block;
use crate::ids::IdEntry;
use crate::value::Value;
use crate::{Event, Head, History, LabelId, Namespace, record};

/// Name of a namespace -> its number. The only keyspace whose keys carry no namespace number.
pub const NAMES: Keyspace = Keyspace::new("records.names");
/// Namespace -> [`Namespace`] record; number 0 holds the next free number.
pub const SPACES: Keyspace = Keyspace::new("records.spaces");
/// Namespace -> [`Head`]: counters and totals.
pub const HEADS: Keyspace = Keyspace::new("records.heads");
/// Namespace, row -> the immutable row.
pub const ROWS: Keyspace = Keyspace::new("records.rows");
/// Namespace, public id -> current and first row.
pub const IDS: Keyspace = Keyspace::new("records.ids");
/// Namespace, session number, position -> row; an empty value marks a position that is used up.
pub const TURNS: Keyspace = Keyspace::new("records.turns");
/// Namespace, label class, label -> number; and namespace, class with the top bit, number -> label.
pub const LABELS: Keyspace = Keyspace::new("records.labels");
/// Namespace, row -> [`History`], for rows that are more than "born and still so".
pub const STATES: Keyspace = Keyspace::new("records.states");
/// Namespace, sequence number -> [`Event`].
pub const EVENTS: Keyspace = Keyspace::new("records.events");
/// Namespace, first row -> block of feature columns. Derived.
pub const COLUMNS: Keyspace = Keyspace::new("records.columns");

/// Namespace -> its [`Scratchpad`].
pub const SCRATCHPADS: Keyspace = Keyspace::new("records.scratchpads");
/// Namespace, name of a session -> what it keeps until it ends, a [`SessionState`].
pub const DIALOGUES: Keyspace = Keyspace::new("records.dialogues");

/// All keyspaces whose keys begin with the namespace number and hold its data; what a purge empties.
pub const NAMESPACE_KEYSPACES: &[Keyspace] =
    &[HEADS, ROWS, IDS, TURNS, LABELS, STATES, EVENTS, COLUMNS, SCRATCHPADS, DIALOGUES];

/// All keyspaces, each with the newest version of its values that this layer reads.
pub const KNOWN: &[Keyspace] = &[
    NAMES.up_to(<NamespaceId as Value>::VERSION),
    SPACES.up_to(<Namespace as Value>::VERSION),
    HEADS.up_to(<Head as Value>::VERSION),
    ROWS.up_to(record::VERSION),
    IDS.up_to(<IdEntry as Value>::VERSION),
    TURNS.up_to(<Option<Row> as Value>::VERSION),
    LABELS.up_to(<LabelId as Value>::VERSION),
    STATES.up_to(<History as Value>::VERSION),
    EVENTS.up_to(<Event as Value>::VERSION),
    COLUMNS.up_to(<Block as Value>::VERSION),
    SCRATCHPADS.up_to(<Scratchpad as Value>::VERSION),
    DIALOGUES.up_to(<SessionState as Value>::VERSION),
];
