//! `MEMORY.md` both ways, and the core files of an agent.
//!
//! A file is read tolerantly: text that cannot be read as an entry is set aside with the number of
//! its line and a reason, never dropped. A file is always written whole, which repairs it.
//! [`changes`] lists the edits of a person between the two.
//!
//! ```
//! use annals_files::markdown::{Format, read, render};
//!
//! let text = "# Agent Memory\n\n## Active Memories\n\n### [a1b2c3] fact | 0.92 | 2026-02-20 | 12\nLikes tea\n";
//! let format = Format::default();
//! let now = "2026-02-21T09:00:00Z".parse()?;
//! let file = read(text, now, &format, &mut || 7);
//! assert_eq!(file.entries[0].entry.content, "Likes tea");
//! assert!(render(&file.entries(), now, &format).contains("<!-- Total entries: 1 -->"));
//! # Ok::<(), annals_types::InvalidValue>(())
//! ```

mod comment;
mod core_file;
mod diff;
mod edited;
mod entry;
mod escape;
mod header;
mod id;
mod read;
mod rejected;
mod render;
mod warning;

pub use core_file::{
    CoreFile, CoreFormat, CoreLine, CoreRead, CoreSection, read_core, render_core,
};
pub use diff::{Change, changes};
pub use edited::{CoreSide, edited_lines};
pub use entry::{Entry, Format, Headings, Section};
pub use id::short_id;
pub use read::{File, Read, Rejected, is_file, read, read_with_backup};
pub use rejected::render_rejected;
pub use render::{render, same};
pub use warning::{Warning, WarningKind};
