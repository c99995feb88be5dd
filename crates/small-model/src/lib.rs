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

mod attention;
mod checksum;
mod file;
mod forward;
mod kernels;
mod math;
mod packed;

pub use file::VERSION;

use file::Weights;
use forward::Pass;
use kernels::Kernels;

/// Numbers of a vector.
pub const DIMS: usize = 256;

/// Pieces of the vocabulary; their ids are below this.
pub const PIECES: u16 = 32_000;

/// Bytes on the boundary of a cache line, so that no row of 32 codes lies across two lines.
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!("../data/model.bin"));

static WEIGHTS: Weights = Weights::parse(&FILE.0);

/// The embedding model: its weights, read in place from the program's image, and the vector
/// instructions it uses.
///
/// Making one costs nothing: nothing is unpacked or copied. Calls need no lock; each takes about 8
/// kB of memory for a piece while it runs, 1 MB at most.
#[derive(Debug, Clone, Copy)]
pub struct SmallModel {
    kernels: Kernels,
}

impl SmallModel {
    /// The model on the fastest instructions that this CPU has.
    #[must_use]
    pub fn new() -> Self {
        Self {
            kernels: Kernels::detect(),
        }
    }

    /// The model on each set of instructions that this CPU has, the fastest first; for tests and
    /// measurements.
    #[must_use]
    pub fn variants() -> Vec<Self> {
        Kernels::all()
            .into_iter()
            .map(|kernels| Self { kernels })
            .collect()
    }

    /// The vector instructions in use: `avx512vnni`, `avx2`, `neon` or `portable`.
    #[must_use]
    pub fn instructions(&self) -> &'static str {
        self.kernels.name
    }

    /// The vector of a text, of length 1: the dot product of two of them is their cosine.
    ///
    /// Pieces are ids of the vocabulary, in the order of the text and without special pieces. An id
    /// beyond the vocabulary counts as piece 0, the unknown one, and so does a text without pieces.
    /// The model reads 128 pieces at once; the vector of a longer text is the mean of the vectors
    /// of its parts, weighed by their lengths.
    ///
    /// The bits of the result are the same on every machine and with all instructions: products are
    /// sums of integers, and the rest adds in a fixed order.
    #[must_use]
    pub fn embed(&self, pieces: &[u16]) -> [f32; DIMS] {
        Pass::new(&WEIGHTS, self.kernels).embed(pieces)
    }

    /// The CRC-32C of everything behind the file's header, as the file says; it names the model's
    /// exact content.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        WEIGHTS.checksum()
    }

    /// Whether the content has the checksum that the file says. Reads all eight megabytes.
    #[must_use]
    pub fn verify(&self) -> bool {
        WEIGHTS.verify()
    }
}

impl Default for SmallModel {
    fn default() -> Self {
        Self::new()
    }
}
