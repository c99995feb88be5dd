//! Plain Rust: what every CPU can do, and what the others are tested against.

use super::{Line, Probe};

pub(super) fn dot(probe: Probe<'_>, row: &[Line]) -> i32 {
    probe.lines.iter().zip(row).map(|(a, b)| line(a, b)).sum()
}

fn line(a: &Line, b: &Line) -> i32 {
    a.0.iter()
        .zip(&b.0)
        .map(|(x, y)| i32::from(x.cast_signed()) * i32::from(y.cast_signed()))
        .sum()
}

pub(super) fn dots(probe: Probe<'_>, rows: &[Line], out: &mut Vec<i32>) {
    let stride = probe.lines.len().max(1);
    out.extend(rows.chunks_exact(stride).map(|row| dot(probe, row)));
}
