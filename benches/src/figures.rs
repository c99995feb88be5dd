//! How measured times are shown.

use std::time::{Duration, Instant};

/// What some work answered, and how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let done = work();
    (done, began.elapsed())
}

/// The median and the times that nineteen in twenty, and ninety-nine in a hundred, do not exceed.
pub fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)));
    let show = |share| at(share).map_or(f64::NAN, |t| t.as_secs_f64() * 1e3);
    format!("p50 {:.3} ms  p95 {:.3} ms  p99 {:.3} ms", show(0.5), show(0.95), show(0.99))
}

/// Resident memory of this process in bytes; 0 where it cannot be read.
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) * 1024
}
