//! AArch64: NEON, which every such CPU has.

use std::arch::aarch64::{
    int16x8_t, int32x4_t, vdupq_n_s32, vget_high_s8, vget_low_s8, vget_low_s16, vld2q_s8,
    vmlal_high_n_s16, vmlal_n_s16, vmovl_s8, vst1q_s32,
};

use super::Kernels;
use super::tiles::{Sums, kernels_compiled_for, store};
use crate::DIMS;
use crate::attention::{self, Heads};
use crate::file::{Matrix, Normalization, PANEL, PanelRow};
use crate::math;
use crate::packed::Packed;

kernels_compiled_for!("neon", "neon", blocks to 5: 1 2 3 4 5);

pub(super) fn available() -> Vec<Kernels> {
    if std::arch::is_aarch64_feature_detected!("neon") {
        vec![KERNELS]
    } else {
        Vec::new()
    }
}

/// The codes of 16 outputs for one of two inputs.
struct Codes {
    low: int16x8_t,
    high: int16x8_t,
}

/// Takes the codes of a panel's row apart: those of the first input, and of the second.
#[inline]
#[target_feature(enable = "neon")]
fn widen(codes: &PanelRow) -> [Codes; 2] {
    // SAFETY: the 32 bytes of a row are readable.
    let split = unsafe { vld2q_s8(codes.as_ptr().cast()) };
    [split.0, split.1].map(|codes| Codes {
        low: vmovl_s8(vget_low_s8(codes)),
        high: vmovl_s8(vget_high_s8(codes)),
    })
}

#[inline]
#[target_feature(enable = "neon")]
fn add_products(sums: [int32x4_t; 4], codes: &Codes, x: i16) -> [int32x4_t; 4] {
    let [a, b, c, d] = sums;
    [
        vmlal_n_s16(a, vget_low_s16(codes.low), x),
        vmlal_high_n_s16(b, codes.low, x),
        vmlal_n_s16(c, vget_low_s16(codes.high), x),
        vmlal_high_n_s16(d, codes.high, x),
    ]
}

#[inline]
#[target_feature(enable = "neon")]
fn tile<const ROWS: usize>(panel: &[PanelRow], pairs: &[[i32; ROWS]]) -> Sums<ROWS> {
    let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
    for (codes, pairs) in panel.iter().zip(pairs) {
        let [first, second] = widen(codes);
        for (sums, pair) in sums.iter_mut().zip(pairs) {
            let [a, b, c, d] = pair.to_le_bytes();
            *sums = add_products(*sums, &first, i16::from_le_bytes([a, b]));
            *sums = add_products(*sums, &second, i16::from_le_bytes([c, d]));
        }
    }
    let mut out = [[0; PANEL]; ROWS];
    for (out, sum) in out
        .as_flattened_mut()
        .as_chunks_mut::<4>()
        .0
        .iter_mut()
        .zip(sums.as_flattened())
    {
        // SAFETY: 4 numbers of 32 bits are 16 writable bytes.
        unsafe { vst1q_s32(out.as_mut_ptr(), *sum) };
    }
    out
}
