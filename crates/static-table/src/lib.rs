#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )
)]

mod checksum;
mod file;
mod hash;
mod ranges;

pub use file::{Table, VERSION};
pub use hash::PieceHash;
pub use ranges::Ranges;

/// Numbers in a row of the table.
pub const DIMS: usize = 256;

/// Word pieces in the table; their ids are below this.
pub const PIECES: u16 = 30_522;

/// The piece of the direction that all rows share: its row has the length 1. It is the padding piece, which no text has.
pub const SHARED: u16 = 0;

/// The table, read in place from the program's image: nothing is copied or computed when the program starts.
pub static TABLE: Table = Table::parse(include_bytes!("../data/table.bin"));
