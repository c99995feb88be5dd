//! The designs' rules as they are written, day by day and eagerly, beside the library's closed
//! forms.

mod agent;
mod companion;
mod graph;
mod history;
mod lazy;
mod markdown;
mod studio;

use annals_types::Timestamp;
use annals_types::profile::Profile;

use history::{Event, history};
use lazy::Lazy;

pub const DAY: f64 = 86_400_000.0;

/// A memory kept as a design says it, every number changed where and when the design changes it.
trait Eager {
    /// Something happens to it. Answers whether it was counted.
    fn event(&mut self, event: &Event, now: Timestamp);
    /// The job runs. Answers which rules fired.
    fn job(&mut self, now: Timestamp) -> Vec<&'static str>;
    /// Its worth.
    fn worth(&self, now: Timestamp) -> f64;
    /// Whether it was deleted.
    fn gone(&self) -> bool;
}

/// Days between two moments, parts included; none when the second is earlier.
fn days(from: Timestamp, to: Timestamp) -> f64 {
    to.millis_since(from) as f64 / DAY
}

fn eager(profile: &str, class: &str, value: f64, born: Timestamp) -> Box<dyn Eager> {
    match profile {
        "companion" => Box::new(companion::Companion::new(class, value, born)),
        "studio" => Box::new(studio::Studio::new(class, value, born)),
        "agent" => Box::new(agent::Agent::new(class, value, born)),
        "graph" => Box::new(graph::Graph::new(class, value, born)),
        _ => Box::new(markdown::Markdown::new(class, value, born)),
    }
}

/// Plays one random history on both; answers at how many moments they were compared.
///
/// # Panics
/// When they differ by more than 1e-9, or in what fired.
pub fn compare(name: &str, profile: &Profile, seed: u64) -> usize {
    let plan = history(name, seed);
    let mut slow = eager(name, &plan.class, plan.value, plan.born);
    let mut fast = Lazy::new(profile, &plan.class, plan.value, plan.born);
    let mut compared = 0;
    for (now, event) in &plan.events {
        let place = || format!("{name}, seed {seed}, {now}, {event:?}");
        if slow.gone() {
            break;
        }
        match event {
            Event::Job => assert_eq!(fast.job(*now), slow.job(*now), "{}", place()),
            Event::Look => {}
            other => {
                slow.event(other, *now);
                fast.event(other, *now);
            }
        }
        assert_eq!(fast.gone(), slow.gone(), "{}", place());
        if !slow.gone() {
            let (quick, exact) = (fast.worth(*now), slow.worth(*now));
            assert!(
                (quick - exact).abs() <= 1e-9,
                "{}: {quick} is not {exact}",
                place()
            );
        }
        compared += 1;
    }
    compared
}
