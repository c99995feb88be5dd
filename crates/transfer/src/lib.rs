#![doc = include_str!("../README.md")]
#![allow(
    missing_docs,
    reason = "annals is the interface that programs depend on; this one serves the crates between"
)]
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

mod alignment;
mod conversation;
mod dialects;
mod export;
mod export_forms;
mod export_notes;
mod follow;
mod formats;
mod import;
pub mod import_log;
mod import_runs;
mod json;
mod judged;
mod last_chat;
mod line_bytes;
mod lines;
mod memories_in;
mod messages;
mod parts;
mod position;
mod print;
mod rebuild;
mod repeats;
mod rows;
mod surrogates;
mod transcripts;
mod turn;
mod turns_in;
mod written;

use std::collections::BTreeMap;

use annals_engine::{Door, Engine};
use annals_types::{NamespaceName, Timestamp, Wording};
use serde::{Deserialize, Serialize};

pub use conversation::{Conversation, Conversations, Question};
pub use export_forms::ExportForm;
pub use follow::Imports;
pub use formats::{
    AgentTranscript, DateOrder, FileFormat, FileKind, ImportFile, ImportRecord, ImportedEntity,
    ImportedMemory, ReadOptions, ReadSummary, without_attachments,
};
pub use import_runs::ImportRun;
pub use position::ImportPosition;
pub use rebuild::{LostPart, Rebuilt};
pub use rows::Names;
pub use surrogates::mended;
pub use transcripts::{Transcript, TranscriptFormat, TranscriptPosition, own_words};
pub use turn::{ConversationTurn, TURN_ID};

/// Imports and exports of a namespace.
pub struct Transfers<'a>(Door<'a>);

impl<'a> Transfers<'a> {
    /// Those of a namespace, which an import makes where there is none.
    pub fn new(engine: &'a Engine, name: &'a NamespaceName) -> Self {
        Self(Door::new(engine, name))
    }
}

impl<'a> std::ops::Deref for Transfers<'a> {
    type Target = Door<'a>;

    fn deref(&self) -> &Door<'a> {
        &self.0
    }
}

/// The mark that some programs begin files of text with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The format of the lines that an import reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ImportFormat {
    /// A line is a memory or a part of the graph as `export` writes it: with history, statuses, ids
    /// and times.
    #[default]
    Export,
    /// A line is a turn, as [`ConversationTurn`] describes its fields.
    Turns,
}

/// How an import treats a line that cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum OnBad {
    /// Stop there; what came before is stored.
    #[default]
    Stop,
    /// Go on, and report the line.
    Collect,
}

/// How an import goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// The format of the lines.
    pub format: ImportFormat,
    /// Lines per transaction; 500 by default. Each batch is stored whole or not at all.
    pub batch: usize,
    /// Lines that are passed over, because an earlier import has stored them; 0 by default.
    pub skip_lines: u64,
    /// The name of the input, such as the path of a file. With a name the number of lines done is
    /// stored with each batch, in the transaction of that batch, until the import ends:
    /// `unfinished` tells it after a stop, whatever stopped it.
    pub source: Option<String>,
    /// How a line is treated that cannot be stored.
    pub on_bad: OnBad,
    /// Whether turns are stored again that an earlier import or another caller brought into their
    /// session, and that were deleted since. By default they stay away.
    pub bring_back: bool,
    /// The moment at which the whole import began, of which this is a part: by it all that it
    /// brings can be taken back.
    #[serde(default)]
    pub run: Option<Timestamp>,
    /// Whether of an export only memories and the graph are taken. Its other lines do more than
    /// bring something: work that waits deletes, a decision can be taken back, a profile rules.
    /// They are left out then, and [`ImportReport::withheld`] counts them.
    #[serde(default)]
    pub only_memories: bool,
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
            run: None,
            only_memories: false,
        }
    }
}

/// A line that was not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BadLine {
    /// Its number, counted from 1.
    pub line: u64,
    /// The reason of the refusal.
    pub reason: String,
    /// The same, apart from its words.
    #[serde(default)]
    pub wording: Option<Wording>,
    /// The line, without its end. It may not be UTF-8: that may be the reason.
    #[serde(with = "line_bytes")]
    pub bytes: Vec<u8>,
}

/// How far an import has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImportReport {
    /// All lines up to this number are stored or were refused; go on after it.
    pub lines_done: u64,
    /// Memories stored.
    pub stored: u64,
    /// Memories that were there before, unchanged.
    pub already_there: u64,
    /// Turns that were there before and were deleted since: they stay away.
    pub deleted: u64,
    /// Of the turns stored, those in whose place the session has others, such as an answer that
    /// was given anew: they come after these.
    pub differing: u64,
    /// Parts of the graph stored: entities, merges, memories with what they say, links and
    /// derivations.
    pub graph_stored: u64,
    /// Other lines that brought nothing new: parts of the graph and decisions that were there
    /// before, and the profile.
    pub graph_already_there: u64,
    /// Decisions, suspicions of contradictions, entities that were parted, and waiting tasks,
    /// stored.
    pub judged_stored: u64,
    /// Such that were left out: what they name is not here, or the profile keeps no decisions.
    pub left_out: u64,
    /// Lines that [`ImportOptions::only_memories`] left out, by their kind, such as `decision`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub withheld: BTreeMap<String, u64>,
    /// Lines that were refused.
    pub bad: Vec<BadLine>,
}

/// The counts of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExportReport {
    /// Memories, each a line.
    pub memories: u64,
    /// Parts of the graph, each a line.
    pub graph_lines: u64,
    /// Decisions, suspicions of contradictions, entities that were parted, and waiting tasks, each
    /// a line.
    pub judged_lines: u64,
    /// Bytes.
    pub bytes: u64,
}
