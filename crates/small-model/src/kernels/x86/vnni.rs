//! AVX-512 with VNNI: two products of 16 bits and their addition are one instruction.

use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm512_cvtepi8_epi16, _mm512_dpwssd_epi32, _mm512_set1_epi32,
    _mm512_setzero_si512, _mm512_storeu_si512,
};

use super::super::Kernels;
use super::super::tiles::{Sums, kernels_compiled_for, store};
use crate::DIMS;
use crate::attention::{self, Heads};
use crate::file::{Matrix, Normalization, PANEL, PanelRow};
use crate::math;
use crate::packed::Packed;

kernels_compiled_for!("avx512f,avx512bw,avx512vnni", "avx512vnni", blocks to 12: 1 2 3 4 5 6 7 8 9 10 11 12);

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn widen(codes: &PanelRow) -> __m512i {
    // SAFETY: the 32 bytes of a row are readable.
    _mm512_cvtepi8_epi16(unsafe { _mm256_loadu_si256(codes.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn tile<const ROWS: usize>(panel: &[PanelRow], pairs: &[[i32; ROWS]]) -> Sums<ROWS> {
    let mut sums = [_mm512_setzero_si512(); ROWS];
    for (codes, pairs) in panel.iter().zip(pairs) {
        let codes = widen(codes);
        for (sum, pair) in sums.iter_mut().zip(pairs) {
            *sum = _mm512_dpwssd_epi32(*sum, codes, _mm512_set1_epi32(*pair));
        }
    }
    let mut out = [[0; PANEL]; ROWS];
    for (out, sum) in out.iter_mut().zip(sums) {
        // SAFETY: 16 numbers of 32 bits are 64 writable bytes.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), sum) };
    }
    out
}
