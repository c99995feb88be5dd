//! Random histories: closed forms looked at when due, beside the designs played day by day at the
//! same job times.

use crate::oracle;
use crate::world;

use world::profile;

/// Histories a profile.
const HISTORIES: u64 = 10_000;

fn play(name: &str) {
    let profile = profile(name);
    let compared: usize = (0..HISTORIES)
        .map(|seed| oracle::compare(name, &profile, seed))
        .sum();
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn companion() {
    play("companion");
}

#[test]
fn studio() {
    play("studio");
}

#[test]
fn agent() {
    play("agent");
}

#[test]
fn graph() {
    play("graph");
}

#[test]
fn markdown() {
    play("markdown");
}
