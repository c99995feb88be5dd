//! How measured times are shown.

use std::time::{Duration, Instant};

/// What some work answered, and how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let done = work();
    (done, began.elapsed())
}

/// The median and the times that nineteen in twenty, and ninety-nine in a hundred, do not exceed.
pub fn percentiles(times: Vec<Duration>) -> String {
    let show = |share| share_at(&times, share);
    format!(
        "p50 {:.3} ms  p95 {:.3} ms  p99 {:.3} ms",
        show(0.5),
        show(0.95),
        show(0.99)
    )
}

/// The time in milliseconds that such a share of some times does not exceed; not a number without
/// any.
pub fn share_at(times: &[Duration], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at =
        sorted.get(((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1)));
    at.map_or(f64::NAN, |t| t.as_secs_f64() * 1e3)
}

/// Resident memory of this process in bytes; 0 where it cannot be read.
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

/// Time that all threads of this process have had a processor; zero where it cannot be read.
pub fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may hold anything: state and ten numbers, then ticks of user and
    // system, 100 a second.
    let fields = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(11)
        .take(2);
    Duration::from_millis(
        fields
            .filter_map(|ticks| ticks.parse::<u64>().ok())
            .sum::<u64>()
            * 10,
    )
}

/// The times of some work, and the processor's share of each, which tells more where the machine
/// has other work.
pub fn busy<E>(times: usize, mut work: impl FnMut() -> Result<Duration, E>) -> Result<String, E> {
    let before = processor_time();
    let measured = (0..times).map(|_| work()).collect::<Result<Vec<_>, E>>()?;
    let each = (processor_time() - before).as_secs_f64() * 1e3 / times.max(1) as f64;
    Ok(format!(
        "{}  ({each:.2} ms of processor each)",
        percentiles(measured)
    ))
}
