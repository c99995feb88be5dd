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
mod symbol;

pub use file::{Node, Table, VERSION};
pub use symbol::Symbol;

/// Numbers in a row of the table.
pub const DIMS: usize = 256;

/// Pieces in the table; their ids are below this.
pub const PIECES: u16 = 32_000;

/// The piece that stands for characters which no piece holds; its row is a row like any other.
pub const UNKNOWN_PIECE: u16 = 0;

/// The table, read in place from the program's image: nothing is copied or computed when the
/// program starts.
pub static TABLE: Table = Table::parse(include_bytes!("../data/table.bin"));
