//! x86-64: AVX-512 with VNNI, or AVX2.

use std::arch::x86_64::{
    __m256i, __m512i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch,
    _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_setzero_si256, _mm512_add_epi32,
    _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8,
    _mm512_setzero_si512, _mm512_xor_si512,
};

use super::{Kernels, LINE, Line, Probe, no_bias};

pub(super) fn available() -> Vec<Kernels> {
    let mut all = Vec::new();
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni")
    {
        all.push(Kernels {
            name: "avx512vnni",
            bias: bias_vnni,
            dot: dot_vnni,
            dots: dots_vnni,
        });
    }
    if is_x86_feature_detected!("avx2") {
        all.push(Kernels {
            name: "avx2",
            bias: no_bias,
            dot: dot_avx2,
            dots: dots_avx2,
        });
    }
    all
}

fn bias_vnni(lines: &[Line]) -> i32 {
    // SAFETY: as in `dot_vnni`.
    unsafe { sum_vnni(lines) * 128 }
}

fn dot_vnni(probe: Probe<'_>, row: &[Line]) -> i32 {
    // SAFETY: `available` offers this function only where the CPU has AVX-512 F, BW and VNNI.
    unsafe { vnni(probe, row) }
}

fn dots_vnni(probe: Probe<'_>, rows: &[Line], out: &mut Vec<i32>) {
    // SAFETY: as in `dot_vnni`.
    unsafe { vnni_rows(probe, rows, out) }
}

fn dot_avx2(probe: Probe<'_>, row: &[Line]) -> i32 {
    // SAFETY: `available` offers this function only where the CPU has AVX2.
    unsafe { avx2(probe, row) }
}

fn dots_avx2(probe: Probe<'_>, rows: &[Line], out: &mut Vec<i32>) {
    // SAFETY: as in `dot_avx2`.
    unsafe { avx2_rows(probe, rows, out) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load512(line: &Line) -> __m512i {
    // SAFETY: a `Line` is 64 readable bytes on a 64-byte boundary.
    unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
}

/// `dpbusd` multiplies unsigned by signed bytes: the row is shifted by 128 to be unsigned (a
/// flipped top bit), which adds 128 times the sum of the probe, and that is taken off at the end.
/// No intermediate sum saturates.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn vnni(probe: Probe<'_>, row: &[Line]) -> i32 {
    let top = _mm512_set1_epi8(i8::MIN);
    let (mut even, mut odd) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let n = probe.lines.len().min(row.len());
    let (a, b) = (probe.lines.split_at(n).0, row.split_at(n).0);
    let (pairs_a, last_a) = a.as_chunks::<2>();
    let (pairs_b, last_b) = b.as_chunks::<2>();
    for ([a0, a1], [b0, b1]) in pairs_a.iter().zip(pairs_b) {
        even = _mm512_dpbusd_epi32(even, _mm512_xor_si512(load512(b0), top), load512(a0));
        odd = _mm512_dpbusd_epi32(odd, _mm512_xor_si512(load512(b1), top), load512(a1));
    }
    for (a, b) in last_a.iter().zip(last_b) {
        even = _mm512_dpbusd_epi32(even, _mm512_xor_si512(load512(b), top), load512(a));
    }
    let sum = _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd));
    // A row that is cut short counts as if the probe were, too.
    if n == probe.lines.len() {
        sum - probe.bias
    } else {
        sum - sum_vnni(a) * 128
    }
}

/// The sum of all codes.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn sum_vnni(lines: &[Line]) -> i32 {
    let ones = _mm512_set1_epi8(1);
    let sum = lines.iter().fold(_mm512_setzero_si512(), |sum, line| {
        _mm512_dpbusd_epi32(sum, ones, load512(line))
    });
    _mm512_reduce_add_epi32(sum)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn vnni_rows(probe: Probe<'_>, rows: &[Line], out: &mut Vec<i32>) {
    let stride = probe.lines.len().max(1);
    out.extend(rows.chunks_exact(stride).map(|row| vnni(probe, row)));
}

#[inline]
#[target_feature(enable = "avx2")]
fn widen(line: &Line, quarter: usize) -> __m256i {
    debug_assert!(quarter < LINE / 16);
    // SAFETY: a `Line` is 64 readable bytes and `quarter` is below 4, so 16 bytes from 16 * quarter
    // are inside.
    let narrow = unsafe { _mm_loadu_si128(line.0.as_ptr().add(16 * quarter).cast()) };
    _mm256_cvtepi8_epi16(narrow)
}

/// Bytes are widened to 16 bits first: exact for all 256 values, -128 included, unlike `maddubs`.
#[inline]
#[target_feature(enable = "avx2")]
fn avx2(probe: Probe<'_>, row: &[Line]) -> i32 {
    let (mut even, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    for (a, b) in probe.lines.iter().zip(row) {
        even = _mm256_add_epi32(even, _mm256_madd_epi16(widen(a, 0), widen(b, 0)));
        odd = _mm256_add_epi32(odd, _mm256_madd_epi16(widen(a, 1), widen(b, 1)));
        even = _mm256_add_epi32(even, _mm256_madd_epi16(widen(a, 2), widen(b, 2)));
        odd = _mm256_add_epi32(odd, _mm256_madd_epi16(widen(a, 3), widen(b, 3)));
    }
    let sum = _mm256_add_epi32(even, odd);
    let half = _mm_add_epi32(
        _mm256_castsi256_si128(sum),
        _mm256_extracti128_si256::<1>(sum),
    );
    let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b00_00_11_10>(half));
    _mm_cvtsi128_si32(_mm_add_epi32(
        quarter,
        _mm_shuffle_epi32::<0b00_00_00_01>(quarter),
    ))
}

#[target_feature(enable = "avx2")]
fn avx2_rows(probe: Probe<'_>, rows: &[Line], out: &mut Vec<i32>) {
    let stride = probe.lines.len().max(1);
    out.extend(rows.chunks_exact(stride).map(|row| avx2(probe, row)));
}

/// One hint per cache line of the slice.
#[inline]
pub(super) fn prefetch<T>(slice: &[T]) {
    let start = slice.as_ptr().cast::<i8>();
    let mut offset = 0;
    while offset < size_of_val(slice) {
        // SAFETY: SSE is part of x86-64, the address lies inside the slice, and a prefetch reads
        // nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        offset += LINE;
    }
}
