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

mod backend;
mod cancel;
mod clock;
mod count;
mod embed;
mod episode;
mod error;
mod extract;
mod filter;
mod id;
mod injection;
mod interval;
mod judge;
mod label;
mod memory;
mod metadata;
mod namespace;
pub mod profile;
mod redact;
mod rewrite;
mod score;
mod scratchpad;
mod session;
mod timestamp;
mod turn;
mod wording;

pub use backend::{BackendError, SearchBackend, SearchHit, SearchPart, SearchQuestion};
pub use cancel::Cancel;
pub use clock::{Clock, ManualClock, SystemClock, Watcher};
pub use count::Count;
pub use embed::{Calibration, CosineRange, EmbedError, Embedder, Fingerprint, Purpose, Script};
pub use episode::{Episode, EpisodeDraft, EpisodeTitles};
pub use error::InvalidValue;
pub use extract::{
    EXTRACTED_FIELDS, ExtractWindow, Extracted, Extractor, Interpreted, Interpreter, Statement,
    Summarizer,
};
pub use filter::{Filter, TimeRange};
pub use id::{Commit, IdGenerator, MemoryId, Row};
pub use injection::{InjectedMemory, Injection, InjectionReason};
pub use interval::Interval;
pub use judge::{Causality, Judge, JudgeError, Judgement, Reasoned, ReviewCase, Shown};
pub use label::{Kind, Label, Layer, Role, Status};
pub use memory::{
    Body, MAX_TEXT_BYTES, Memory, NewMemory, NewMemoryBuilder, Revision, Said, group_tag,
};
pub use metadata::{MAX_METADATA_DEPTH, Metadata, Value};
pub use namespace::{NamespaceId, NamespaceName};
pub use redact::{Finding, Redactor, Sensitive};
pub use rewrite::{Rewrite, rewrite_fields, rewrite_text};
pub use score::{Importance, UnitScore};
pub use scratchpad::{Completed, Scratchpad, ScratchpadTitles};
pub use session::SessionState;
pub use timestamp::Timestamp;
pub use turn::{Attachment, NewTurn, NewTurnBuilder, ToolCall, Turn};
pub use wording::Wording;
