#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

mod append;
mod chronicle;
mod columns;
mod delta;
mod desk;
mod erase;
mod error;
mod event;
#[cfg(test)]
mod golden;
mod head;
mod history;
mod ids;
mod label;
mod list;
mod matcher;
pub mod namespace;
mod prune;
mod read;
mod record;
mod remains;
mod status;
mod tables;
mod update;
mod validate;
mod work;

use annals_storage::wire;

pub use append::{Appended, Incoming, append, append_many};
pub use chronicle::{Chronicle, Imported, Since, Version, chronicles, export, import};
pub use columns::{Columns, Feature, Folded, drop_columns, fold_columns};
pub use delta::{Delta, Written};
pub use desk::{scratchpad, session_state, session_states, set_scratchpad, set_session_state};
pub use erase::{Erased, erase, erase_history};
pub use error::RecordError;
pub use event::{BY_RULE, Event, Operation, events, last_events, next_event};
pub use head::Head;
pub use history::{Death, History, StatusChange};
pub use label::{LabelClass, LabelId};
pub use list::{BadCursor, Cursor, Order, Page, list, list_where};
pub use matcher::{Matcher, Mismatch, Moment};
pub use namespace::Namespace;
pub use prune::prune_labels;
pub use read::{
    find_rows, get, history, ids_of, memories, rows_of, session_places, session_turns,
    session_turns_before, status_history, walk,
};
pub use record::{NamedTimes, RowRecord, TurnRecord};
pub use remains::{Remains, Remnant, Saved, mend_directory};
pub use status::{StatusSet, adjusted, set_status, set_status_by_rule};
pub use tables::TABLES;
pub use update::{Updated, update};
pub use validate::{Difference, Validation, validate};
