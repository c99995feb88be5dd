//! Plain Rust: what every CPU can do, and what the others are tested against.
//!
//! Compilers know vector instructions for a dot product of numbers of 16 bits (on x86-64, SSE2's),
//! but not for tiles. So codes are brought into rows first, those of a panel once for all tokens.

use crate::file::{Matrix, PANEL, PanelRow};
use crate::math::float;
use crate::packed::Packed;

/// A block of one row has its pairs in the order of the row.
pub(super) const LARGEST_BLOCK: usize = 1;

/// Sums that are kept side by side; inputs are a multiple of this.
const LANES: usize = 16;

pub(super) fn multiply(packed: &Packed, matrix: &Matrix, out: &mut [f32]) {
    let rows: Vec<Vec<i16>> = packed
        .blocks()
        .map(|block| block.pairs.iter().flat_map(split).collect())
        .collect();
    let mut outputs = vec![0; PANEL * matrix.inputs];
    let per_row = matrix.outputs() / PANEL;
    let units = matrix.scales.iter().zip(matrix.biases);
    for ((at, panel), (scales, biases)) in matrix.panels().enumerate().zip(units) {
        spread(panel, &mut outputs);
        let slots = out
            .as_chunks_mut::<PANEL>()
            .0
            .iter_mut()
            .skip(at)
            .step_by(per_row);
        for ((row, block), slots) in rows.iter().zip(packed.blocks()).zip(slots) {
            let row_scale = block.scales.first().copied().unwrap_or_default();
            let outputs = outputs.chunks_exact(matrix.inputs);
            for (((x, codes), scale), bias) in slots.iter_mut().zip(outputs).zip(scales).zip(biases)
            {
                *x = dot(row, codes) as f32 * (row_scale * float(*scale)) + float(*bias);
            }
        }
    }
}

/// The two codes of a pair.
fn split(pair: &i32) -> [i16; 2] {
    let [a, b, c, d] = pair.to_le_bytes();
    [i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d])]
}

/// Brings the codes of a panel into a row for each output.
fn spread(panel: &[PanelRow], outputs: &mut [i16]) {
    for (lane, row) in outputs.chunks_exact_mut(2 * panel.len()).enumerate() {
        for (codes, [x, y]) in panel.iter().zip(row.as_chunks_mut().0) {
            if let Some([first, second]) = codes.as_chunks().0.get(lane) {
                (*x, *y) = (
                    i16::from(first.cast_signed()),
                    i16::from(second.cast_signed()),
                );
            }
        }
    }
}

/// Products of 15 by 8 bits: 1,024 of them fit 32 bits.
fn dot(row: &[i16], codes: &[i16]) -> i32 {
    let mut sums = [0_i32; LANES];
    for (row, codes) in row
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(codes.as_chunks::<LANES>().0)
    {
        for ((sum, x), y) in sums.iter_mut().zip(row).zip(codes) {
            *sum = sum.wrapping_add(i32::from(*x) * i32::from(*y));
        }
    }
    sums.into_iter().fold(0, i32::wrapping_add)
}
