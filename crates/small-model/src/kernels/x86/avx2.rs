//! AVX2.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_madd_epi16,
    _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256,
};

use super::super::Kernels;
use super::super::tiles::{Sums, kernels_compiled_for, store};
use crate::DIMS;
use crate::attention::{self, Heads};
use crate::file::{Matrix, Normalization, PANEL, PanelRow};
use crate::math;
use crate::packed::Packed;

kernels_compiled_for!("avx2", "avx2", blocks to 6: 1 2 3 4 5 6);

#[inline]
#[target_feature(enable = "avx2")]
fn widen(codes: &[u8; PANEL]) -> __m256i {
    // SAFETY: the 16 bytes of half a row are readable.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(codes.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn tile<const ROWS: usize>(panel: &[PanelRow], pairs: &[[i32; ROWS]]) -> Sums<ROWS> {
    let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
    for (codes, pairs) in panel.iter().zip(pairs) {
        let ([first, second], _) = codes.as_chunks() else {
            continue;
        };
        let (first, second) = (widen(first), widen(second));
        for ([low, high], pair) in sums.iter_mut().zip(pairs) {
            let pair = _mm256_set1_epi32(*pair);
            *low = _mm256_add_epi32(*low, _mm256_madd_epi16(first, pair));
            *high = _mm256_add_epi32(*high, _mm256_madd_epi16(second, pair));
        }
    }
    let mut out = [[0; PANEL]; ROWS];
    for (out, sum) in out
        .as_flattened_mut()
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(sums.as_flattened())
    {
        // SAFETY: 8 numbers of 32 bits are 32 writable bytes.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), *sum) };
    }
    out
}
