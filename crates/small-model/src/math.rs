//! The steps of the pass beside the products, in plain Rust.
//!
//! Each is compiled once more for every set of vector instructions (`kernels`), hence
//! `inline(always)`. None fuses a multiplication with an addition and none adds in an order that
//! depends on the width of a vector, so that all give the same bits.

use std::f32::consts::{FRAC_1_SQRT_2, LOG2_E};

use crate::file::{Float, Half, INNER, Normalization};
use crate::packed::Packed;

/// Sums are kept in this many lanes, whatever the CPU has.
const LANES: usize = 16;
/// 1.5 * 2^23: added to a number of less than 22 bits, it leaves the nearest integer in the low
/// bits.
const ROUND: f32 = 12_582_912.0;
/// The largest code of an input: 1,024 products with codes up to 127 still fit 32 bits.
const LARGEST_CODE: f32 = 16_383.0;

/// `e^x` for x up to 88, relative error below 2e-7; below -87 it stays at `e^-87`.
///
/// The polynomial and the two parts of ln 2 are those of the Cephes library (S. Moshier, expf.c).
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = larger(smaller(x, 88.0), -87.0);
    let shifted = x * LOG2_E + ROUND;
    let power = shifted - ROUND;
    let r = (x - power * 0.693_359_4) + power * 2.121_944_4e-4;
    let p = 1.987_569_1e-4;
    let p = p * r + 1.398_2e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 0.166_666_65;
    let p = p * r + 0.5;
    let near_one = (p * r * r + r) + 1.0;
    near_one * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

/// The error function, absolute error below 2e-7: Abramowitz and Stegun, formula 7.1.26.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let a = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * a);
    let p = 1.061_405_4 * t - 1.453_152_1;
    let p = p * t + 1.421_413_8;
    let p = p * t - 0.284_496_72;
    let p = p * t + 0.254_829_6;
    (1.0 - p * t * exp(-a * a)).copysign(x)
}

/// GELU, the exact form with the error function, in place.
#[inline(always)]
pub(crate) fn gelu(values: &mut [f32]) {
    for x in values.iter_mut() {
        *x = 0.5 * *x * (1.0 + erf(*x * FRAC_1_SQRT_2));
    }
}

/// Adds `update` to `values`, then gives each row the mean 0 and the variance 1, then weight and
/// bias.
#[inline(always)]
pub(crate) fn add_and_normalize<const N: usize>(
    values: &mut [f32],
    update: &[f32],
    norm: &Normalization,
) {
    for (row, update) in values
        .as_chunks_mut::<N>()
        .0
        .iter_mut()
        .zip(update.as_chunks::<N>().0)
    {
        for (x, y) in row.iter_mut().zip(update) {
            *x += y;
        }
        normalize(row, norm);
    }
}

/// Gives a row the mean 0 and the variance 1, then weight and bias.
#[inline(always)]
pub(crate) fn normalize<const N: usize>(row: &mut [f32; N], norm: &Normalization) {
    let mean = sum(row) / N as f32;
    for x in row.iter_mut() {
        *x -= mean;
    }
    let variance = sum_of_products(row, row) / N as f32;
    let factor = 1.0 / (variance + 1e-12).sqrt();
    for ((x, weight), bias) in row.iter_mut().zip(norm.weights).zip(norm.biases) {
        *x = *x * factor * float(*weight) + float(*bias);
    }
}

/// Rounds rows of `inputs` numbers, a multiple of 16 and at most 1,024, to codes; each row has a
/// scale of its own.
#[inline(always)]
pub(crate) fn pack(values: &[f32], inputs: usize, packed: &mut Packed) {
    packed.resize(values.len() / inputs, inputs);
    let mut rows = values.chunks_exact(inputs);
    // Rounded side by side first, which vector instructions can do, then brought to their places.
    let mut rounded = [0_i32; INNER / 2];
    for (pairs, scales) in packed.blocks_mut() {
        let size = scales.len();
        for ((at, scale), row) in scales.iter_mut().enumerate().zip(&mut rows) {
            let top = largest_size(row);
            *scale = top / LARGEST_CODE;
            let factor = LARGEST_CODE / top;
            for ([x, y], pair) in row.as_chunks::<2>().0.iter().zip(&mut rounded) {
                let (low, high) = (
                    (x * factor + ROUND).to_bits(),
                    (y * factor + ROUND).to_bits(),
                );
                *pair = ((low & 0xffff) | (high << 16)).cast_signed();
            }
            for (pair, slot) in rounded.iter().zip(pairs.iter_mut().skip(at).step_by(size)) {
                *slot = *pair;
            }
        }
    }
}

/// The largest absolute value, but never 0.
#[inline(always)]
fn largest_size(row: &[f32]) -> f32 {
    let mut lanes = [1e-20_f32; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, x.abs());
        }
    }
    lanes.into_iter().fold(0.0, larger)
}

/// The largest number of whole chunks.
#[inline(always)]
pub(crate) fn largest(chunks: &[[f32; LANES]]) -> f32 {
    let mut lanes = [f32::MIN; LANES];
    for chunk in chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, *x);
        }
    }
    lanes.into_iter().fold(f32::MIN, larger)
}

/// The sum of numbers, whose count is a multiple of 16.
#[inline(always)]
pub(crate) fn sum(row: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += x;
        }
    }
    fold(lanes)
}

/// The dot product of two rows, whose length is a multiple of 16.
#[inline(always)]
pub(crate) fn sum_of_products(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    for (a, b) in a
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(b.as_chunks::<LANES>().0)
    {
        for ((lane, x), y) in lanes.iter_mut().zip(a).zip(b) {
            *lane += x * y;
        }
    }
    fold(lanes)
}

#[inline(always)]
fn fold(lanes: [f32; LANES]) -> f32 {
    lanes.into_iter().fold(0.0, |sum, lane| sum + lane)
}

/// Like `f32::max`, but one instruction: neither number is NaN here.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// A number of the file.
#[inline(always)]
pub(crate) fn float(bytes: Float) -> f32 {
    f32::from_le_bytes(bytes)
}

/// A number of 16 bits of the file; there are no infinities in it.
#[inline(always)]
pub(crate) fn half(bytes: Half) -> f32 {
    let bits = u32::from(u16::from_le_bytes(bytes));
    // Exponent and fraction at their places, then 2^112 makes up for the other bias of the
    // exponent.
    let size = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(size.to_bits() | ((bits & 0x8000) << 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_near_that_of_f64() {
        for step in -870_000..=880_000 {
            let x = step as f32 * 1e-4;
            let (got, want) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((got / want - 1.0).abs() < 2e-7, "{x}: {got} {want}");
        }
        assert_eq!(exp(-1e30), exp(-87.0));
        assert_eq!(exp(1e30), exp(88.0));
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn gelu_has_known_values_and_limits() {
        // 0.5 * x * (1 + erf(x / sqrt 2)) to seven digits, from tables of the normal distribution.
        let known = [
            (0.0, 0.0),
            (1.0, 0.841_344_7),
            (-1.0, -0.158_655_3),
            (2.0, 1.954_499_7),
            (-3.0, -0.004_049_7),
        ];
        for (x, want) in known {
            let mut got = [x];
            gelu(&mut got);
            assert!((got[0] - want).abs() < 1e-6, "{x}: {got:?}");
        }
        let mut far = [40.0, -40.0, 1e30, -1e30];
        gelu(&mut far);
        assert_eq!(far, [40.0, 0.0, 1e30, 0.0]);
    }

    #[test]
    fn half_reads_all_sizes() {
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65_504.0),
            (0x8000, -0.0),
        ];
        for (bits, want) in cases {
            assert_eq!(
                half(u16::to_le_bytes(bits)).to_bits(),
                f32::to_bits(want),
                "{bits:x}"
            );
        }
    }

    #[test]
    fn codes_round_to_the_nearest_and_a_row_of_zeros_is_zero() {
        let mut rows = [[0.0; LANES]; 2];
        rows[0]
            .split_at_mut(4)
            .0
            .copy_from_slice(&[1.0, -0.5, 0.25, 1e-5]);
        let mut packed = Packed::new(4);
        pack(rows.as_flattened(), LANES, &mut packed);
        let blocks: Vec<(&[i32], &[f32])> = packed
            .blocks()
            .map(|block| (block.pairs, block.scales))
            .collect();
        let (pairs, scales) = blocks[0];
        assert_eq!(pairs.split_at(4).0, [(-8192 << 16) | 16_383, 0, 4096, 0]);
        assert!(pairs.iter().skip(4).all(|pair| *pair == 0) && blocks.len() == 1);
        assert_eq!(scales, [1.0 / LARGEST_CODE, 1e-20 / LARGEST_CODE]);
    }
}
