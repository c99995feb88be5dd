//! What the kernels of all vector instructions share: only their tiles differ.
//!
//! A tile takes a panel of a matrix and a block of rows, and keeps all their sums in registers: a
//! code is loaded and widened once for all rows of the block.

use crate::file::{Float, PANEL};
use crate::math::float;

/// What a tile computes: for each of some rows, the sums of 16 outputs.
pub(super) type Sums<const ROWS: usize> = [[i32; PANEL]; ROWS];

/// Puts the sums of a tile into the rows of the result, in their units and with the biases.
#[inline(always)]
pub(super) fn store<'a, const ROWS: usize>(
    sums: &Sums<ROWS>,
    row_scales: &[f32],
    (scales, biases): (&[Float; PANEL], &[Float; PANEL]),
    out: impl Iterator<Item = &'a mut [f32; PANEL]>,
) {
    for ((sums, row_scale), out) in sums.iter().zip(row_scales).zip(out) {
        for (((x, sum), scale), bias) in out.iter_mut().zip(sums).zip(scales).zip(biases) {
            *x = *sum as f32 * (row_scale * float(*scale)) + float(*bias);
        }
    }
}

/// The kernels of a module: products by its function `tile`, for blocks of 1 to some number of
/// rows, and the other steps of plain Rust, all compiled for some features of the CPU.
macro_rules! kernels_compiled_for {
    ($features:literal, $name:literal, blocks to $largest:literal: $($rows:literal)+) => {
        /// Only for CPUs that have the features.
        pub(super) const KERNELS: Kernels =
            Kernels { name: $name, largest_block: $largest, multiply, pack, attend, add_and_normalize, gelu };

        fn multiply(packed: &Packed, matrix: &Matrix, out: &mut [f32]) {
            #[target_feature(enable = $features)]
            fn compiled(packed: &Packed, matrix: &Matrix, out: &mut [f32]) {
                let per_row = matrix.outputs() / PANEL;
                let units = matrix.scales.iter().zip(matrix.biases);
                for ((at, panel), units) in matrix.panels().enumerate().zip(units) {
                    let mut out = out.as_chunks_mut::<PANEL>().0.iter_mut().skip(at).step_by(per_row);
                    for block in packed.blocks() {
                        match block.scales.len() {
                            $($rows => {
                                let sums: Sums<$rows> = tile(panel, block.pairs.as_chunks().0);
                                store(&sums, block.scales, units, out.by_ref().take($rows));
                            })+
                            rows => unreachable!("a block of {rows} rows"),
                        }
                    }
                }
            }
            // SAFETY: `available` offers these kernels only where the CPU has the features.
            unsafe { compiled(packed, matrix, out) }
        }

        fn pack(values: &[f32], inputs: usize, packed: &mut Packed) {
            #[target_feature(enable = $features)]
            fn compiled(values: &[f32], inputs: usize, packed: &mut Packed) {
                math::pack(values, inputs, packed);
            }
            // SAFETY: as in `multiply`.
            unsafe { compiled(values, inputs, packed) }
        }

        fn attend(qkv: &[f32], heads: &mut Heads, out: &mut [f32]) {
            #[target_feature(enable = $features)]
            fn compiled(qkv: &[f32], heads: &mut Heads, out: &mut [f32]) {
                attention::attend(qkv, heads, out);
            }
            // SAFETY: as in `multiply`.
            unsafe { compiled(qkv, heads, out) }
        }

        fn add_and_normalize(values: &mut [f32], update: &[f32], norm: &Normalization) {
            #[target_feature(enable = $features)]
            fn compiled(values: &mut [f32], update: &[f32], norm: &Normalization) {
                math::add_and_normalize::<DIMS>(values, update, norm);
            }
            // SAFETY: as in `multiply`.
            unsafe { compiled(values, update, norm) }
        }

        fn gelu(values: &mut [f32]) {
            #[target_feature(enable = $features)]
            fn compiled(values: &mut [f32]) {
                math::gelu(values);
            }
            // SAFETY: as in `multiply`.
            unsafe { compiled(values) }
        }
    };
}
pub(super) use kernels_compiled_for;
