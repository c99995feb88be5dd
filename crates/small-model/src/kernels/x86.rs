//! x86-64: AVX-512 with VNNI, or AVX2.

mod avx2;
mod vnni;

use super::Kernels;

pub(super) fn available() -> Vec<Kernels> {
    let mut all = Vec::new();
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni")
    {
        all.push(vnni::KERNELS);
    }
    if is_x86_feature_detected!("avx2") {
        all.push(avx2::KERNELS);
    }
    all
}
