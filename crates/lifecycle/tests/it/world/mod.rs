//! The five profiles, and moments counted in days.

pub mod town;

use annals_lifecycle::{Anchor, Passes, Policy};
use annals_types::Timestamp;
use annals_types::profile::Profile;

pub const PROFILES: [(&str, &str); 5] = [
    (
        "companion",
        include_str!("../../../../engine/profiles/companion.toml"),
    ),
    (
        "studio",
        include_str!("../../../../engine/profiles/studio.toml"),
    ),
    (
        "agent",
        include_str!("../../../../engine/profiles/agent.toml"),
    ),
    (
        "graph",
        include_str!("../../../../engine/profiles/graph.toml"),
    ),
    (
        "markdown",
        include_str!("../../../../engine/profiles/markdown.toml"),
    ),
];

pub fn profile(name: &str) -> Profile {
    let (_, text) = PROFILES.iter().find(|(known, _)| *known == name).unwrap();
    toml::from_str(text).unwrap()
}

pub fn policy(name: &str) -> Policy {
    Policy::new(&profile(name)).unwrap()
}

/// 2026-01-01 and so many days.
pub fn day(days: f64) -> Timestamp {
    let start: Timestamp = "2026-01-01".parse().unwrap();
    start.plus_millis((days * 86_400_000.0).round() as i64)
}

pub fn hours(hours: f64) -> f64 {
    hours / 24.0
}

/// A memory of a class stored on day 0.
pub fn stored(policy: &Policy, class: &str, value: f64) -> Anchor {
    Anchor::new(value, policy.class_id(class), day(0.0))
}

/// Passes on some days.
pub fn passes(days: impl IntoIterator<Item = f64>) -> Passes {
    let mut passes = Passes::default();
    for at in days {
        assert!(passes.record(day(at)));
    }
    passes
}

#[track_caller]
pub fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
}
