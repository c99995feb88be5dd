//! Products of matrices, and the other steps of the pass compiled for vector instructions: the only
//! place of this crate that may use `unsafe`.
//!
//! Products are sums of integers, which every implementation gets exactly; the other steps are the
//! plain Rust of `math` and `attention`. So all give the same bits.

#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(
        unsafe_code,
        reason = "vector instructions: intrinsics need raw loads and a checked CPU"
    )
)]

#[cfg(target_arch = "aarch64")]
mod arm;
mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

#[cfg(target_arch = "aarch64")]
use arm::available;
#[cfg(target_arch = "x86_64")]
use x86::available;

use crate::DIMS;
use crate::attention::{self, Heads};
use crate::file::{Matrix, Normalization};
use crate::math;
use crate::packed::Packed;

/// The steps of the forward pass for one set of vector instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernels {
    /// `avx512vnni`, `avx2`, `neon` or `portable`.
    pub(crate) name: &'static str,
    /// Rows that [`Packed`] must keep together for `multiply`.
    pub(crate) largest_block: usize,
    /// The outputs of a matrix for each packed row, biases added.
    pub(crate) multiply: fn(&Packed, &Matrix, &mut [f32]),
    pub(crate) pack: fn(&[f32], usize, &mut Packed),
    pub(crate) attend: fn(&[f32], &mut Heads, &mut [f32]),
    pub(crate) add_and_normalize: fn(&mut [f32], &[f32], &Normalization),
    pub(crate) gelu: fn(&mut [f32]),
}

impl Kernels {
    /// Those of this CPU, found out once.
    pub(crate) fn detect() -> Self {
        static CHOSEN: OnceLock<Kernels> = OnceLock::new();
        *CHOSEN.get_or_init(|| Self::all().into_iter().next().unwrap_or(PORTABLE))
    }

    /// All that run on this CPU, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = available();
        all.push(PORTABLE);
        all
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn available() -> Vec<Kernels> {
    Vec::new()
}

const PORTABLE: Kernels = Kernels {
    name: "portable",
    largest_block: portable::LARGEST_BLOCK,
    multiply: portable::multiply,
    pack: math::pack,
    attend: attention::attend,
    add_and_normalize: math::add_and_normalize::<DIMS>,
    gelu: math::gelu,
};
