//! Memories in and out of a file as text.

mod alignment;
mod conversation;
mod export;
mod follow;
mod import;
pub(crate) mod import_log;
mod judged;
mod last_chat;
mod lines;
mod messages;
mod position;
mod print;
mod repeats;
mod rows;
mod turn;
mod turns_in;
mod written;

use serde::Serialize;

pub use conversation::{Conversation, Conversations, Question};
pub(crate) use follow::Imports;
pub(crate) use lines::ExportedMemory;
pub use position::ImportPosition;
#[cfg(test)]
pub(crate) use position::{IMPORTS, Reached};
pub(crate) use rows::Names;
pub use turn::{ConversationTurn, TURN_ID};

/// What some programs begin files of text with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What an import reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ImportFormat {
    /// A line is a memory or a part of the graph as [`export`](crate::blocking::Namespace::export) writes it: with history, statuses, ids
    /// and times.
    #[default]
    Export,
    /// A line is a turn: `{"id"?, "session", "text", "speaker"?, "role"?, "time"?, "reply"?, "tool_calls"?, "tags"?, "metadata"?}`.
    Turns,
}

/// What happens at a line that cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBad {
    /// Stop there; what came before is stored.
    #[default]
    Stop,
    /// Go on, and report the line.
    Collect,
}

/// How an import goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// What the lines are.
    pub format: ImportFormat,
    /// Lines per transaction; 500 by default. Each batch is stored whole or not at all.
    pub batch: usize,
    /// Lines that are passed over, because an earlier import has stored them; 0 by default.
    pub skip_lines: u64,
    /// What the input is called, such as the path of a file. With a name the lines done are stored with each batch, in its own
    /// transaction, until the import ends:
    /// [`unfinished_imports`](crate::blocking::Namespace::unfinished_imports) tells them after a stop, whatever stopped it.
    pub source: Option<String>,
    /// What happens at a line that cannot be stored.
    pub on_bad: OnBad,
    /// Whether turns are stored again that an earlier import or somebody else brought into their session, and that were deleted since. Not by
    /// default: what was deleted stays away.
    pub bring_back: bool,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            format: ImportFormat::Export,
            batch: 500,
            skip_lines: 0,
            source: None,
            on_bad: OnBad::Stop,
            bring_back: false,
        }
    }
}

/// A line that was not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BadLine {
    /// Its number, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
    /// The line, without its end. Not text, maybe: it may have been refused for that.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// How far an import has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportReport {
    /// All lines up to this number are stored or were refused; go on after it.
    pub lines_done: u64,
    /// Memories stored.
    pub stored: u64,
    /// Memories that were there before, unchanged.
    pub already_there: u64,
    /// Turns that were there before and were deleted since: they stay away.
    pub deleted: u64,
    /// Of the turns stored those in whose place the session has others, such as an answer that was given anew: they come after these.
    pub differing: u64,
    /// Parts of the graph stored: entities, merges, memories with what they say, links and derivations.
    pub graph_stored: u64,
    /// Other lines that brought nothing new: parts of the graph and decisions that were there before, and the profile.
    pub graph_already_there: u64,
    /// Decisions, suspicions of contradictions, entities that were parted, and what waits, stored.
    pub judged_stored: u64,
    /// Such that were left out: what they name is not here, or the profile keeps no decisions.
    pub left_out: u64,
    /// Lines that were refused.
    pub bad: Vec<BadLine>,
}

/// What an export wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ExportReport {
    /// Memories, each a line.
    pub memories: u64,
    /// Parts of the graph, each a line.
    pub graph_lines: u64,
    /// Decisions, suspicions of contradictions, entities that were parted, and what waits, each a line.
    pub judged_lines: u64,
    /// Bytes.
    pub bytes: u64,
}

/// How far embedding again has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ReembedProgress {
    /// Rows that have a vector of the new embedder.
    pub done: u64,
    /// All rows, earlier texts included.
    pub total: u64,
}

/// What embedding again did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReembedReport {
    /// Rows that were embedded.
    pub embedded: u64,
    /// Rows that had a vector of the new embedder before.
    pub already: u64,
    /// Embedders whose vectors were cleared.
    pub cleared_spaces: u64,
}
