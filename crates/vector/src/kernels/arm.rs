//! AArch64: NEON, which every such CPU has.

use std::arch::aarch64::{
    vaddq_s32, vaddvq_s32, vdupq_n_s32, vget_high_s8, vget_low_s8, vld1q_s8, vmull_s8, vpadalq_s16,
};

use super::{Kernels, LINE, Line, Probe, no_bias};

pub(super) fn available() -> Vec<Kernels> {
    if std::arch::is_aarch64_feature_detected!("neon") {
        vec![Kernels {
            name: "neon",
            bias: no_bias,
            dot: dot_neon,
            dots: dots_neon,
        }]
    } else {
        Vec::new()
    }
}

fn dot_neon(probe: Probe<'_>, row: &[Line]) -> i32 {
    // SAFETY: `available` offers this function only where the CPU has NEON.
    unsafe { neon(probe, row) }
}

fn dots_neon(probe: Probe<'_>, rows: &[Line], out: &mut Vec<i32>) {
    let stride = probe.lines.len().max(1);
    out.extend(rows.chunks_exact(stride).map(|row| dot_neon(probe, row)));
}

/// Products of two bytes fit 16 bits (128 * 128 included); pairs of them are added into 32 bits.
#[inline]
#[target_feature(enable = "neon")]
fn neon(probe: Probe<'_>, row: &[Line]) -> i32 {
    let (mut even, mut odd) = (vdupq_n_s32(0), vdupq_n_s32(0));
    for (a, b) in probe.lines.iter().zip(row) {
        for at in (0..LINE).step_by(16) {
            // SAFETY: a `Line` is 64 readable bytes and `at` is at most 48, so 16 bytes from there
            // are inside.
            let (x, y) = unsafe {
                (
                    vld1q_s8(a.0.as_ptr().add(at).cast()),
                    vld1q_s8(b.0.as_ptr().add(at).cast()),
                )
            };
            even = vpadalq_s16(even, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
            odd = vpadalq_s16(odd, vmull_s8(vget_high_s8(x), vget_high_s8(y)));
        }
    }
    vaddvq_s32(vaddq_s32(even, odd))
}
