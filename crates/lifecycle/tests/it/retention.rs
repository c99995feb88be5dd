//! Retention in closed form, with the numbers of the designs.

use crate::world;

use annals_lifecycle::{Anchor, Birth, Passes, Policy};
use annals_types::profile::{ClassDecay, DecayClock, GraceMode};
use world::{day, hours, near, passes, policy, profile, stored};

/// Score 0.8, idle for 37 days, no access, evaluated once.
fn golden(profile: &str, class: &str, accesses: u32) -> f64 {
    let policy = policy(profile);
    let anchor = Anchor {
        accesses,
        ..stored(&policy, class, 0.8)
    };
    policy.retention(&anchor, &passes([37.0]), day(37.0))
}

#[test]
fn one_input_through_all_profiles() {
    near(golden("companion", "fact", 0), 0.680000);
    let policy = policy("companion");
    let fact = stored(&policy, "fact", 0.8);
    near(
        policy.retention(&fact, &passes((1..=37).map(f64::from)), day(37.0)),
        0.003749,
    );
    near(golden("studio", "working", 0), 0.552587);
    near(golden("agent", "LONG_TERM", 0), 0.381691);
    near(golden("agent", "SHORT_TERM", 0), 0.019779);
    near(golden("agent", "TRANSIENT", 0), 0.000489);
    near(golden("graph", "事件", 0), 0.125790);
    near(golden("graph", "事实", 0), 0.552587);
    near(golden("graph", "关系", 0), 0.664883);
    near(golden("graph", "观点", 0), 0.263647);
    near(golden("markdown", "fact", 0), 0.591760);
    near(golden("studio", "working", 3), 1.318637);
    near(golden("graph", "事件", 3), 0.300171);
}

/// One pass on a day.
fn after_one_pass(policy: &Policy, class: &str, value: f64, at: f64) -> f64 {
    policy.score(&stored(policy, class, value), &passes([at]), day(at))
}

#[test]
fn companion_decays_by_passes_after_a_gate() {
    // part: C-50, C-51, C-52
    let policy = policy("companion");
    near(after_one_pass(&policy, "fact", 1.0, 12.0), 0.85);
    near(
        after_one_pass(&policy, "fact", 1.0, hours(4.0 * 24.0 + 23.0)),
        1.0,
    );
    near(after_one_pass(&policy, "fact", 1.0, 5.0), 0.85);
    near(after_one_pass(&policy, "episode", 1.0, 4.0), 0.6);
    near(
        after_one_pass(&policy, "episode", 1.0, hours(2.0 * 24.0 + 23.0)),
        1.0,
    );
    near(after_one_pass(&policy, "fact", 3.0, 100.0), 3.0);
    near(after_one_pass(&policy, "fact", 2.99, 100.0), 2.5415);
    let mut legacy = profile("companion");
    let rate = |factor, grace_days| ClassDecay {
        factor: Some(factor),
        lambda: None,
        grace_days,
    };
    legacy.decay.classes.insert("fact".into(), rate(0.95, 7.0));
    let legacy = Policy::new(&legacy).unwrap();
    near(after_one_pass(&legacy, "fact", 1.0, 12.0), 0.95);
    near(after_one_pass(&legacy, "fact", 0.31, 12.0), 0.2945);
}

#[test]
fn companion_leaves_system_and_core_alone() {
    // part: C-48, C-49
    let policy = policy("companion");
    let daily = passes((1..=400).map(f64::from));
    for (class, value) in [("system", 0.7), ("core", 0.1)] {
        assert_eq!(
            policy.score(&stored(&policy, class, value), &daily, day(400.0)),
            value
        );
    }
}

#[test]
fn companion_falls_once_for_each_pass() {
    // part: C-59, C-71
    let policy = policy("companion");
    let daily = passes((1..=20).map(f64::from));
    let fact = stored(&policy, "fact", 1.0);
    let on = |at: f64| policy.score(&fact, &daily, day(at));
    assert_eq!(on(4.0), 1.0);
    near(on(5.0), 0.85);
    near(on(12.0), 0.272491);
    near(on(14.0), 0.196874);
    // A memory that a review keeps starts from 0.5 without touching the clock.
    let kept = Anchor {
        value: 0.5,
        at: day(14.0),
        ..fact
    };
    let values: Vec<f64> = (15..=20)
        .map(|at| policy.score(&kept, &daily, day(f64::from(at))))
        .collect();
    let expected = [0.425, 0.36125, 0.307063, 0.261003, 0.221853, 0.188575];
    values
        .iter()
        .zip(expected)
        .for_each(|(value, expected)| near(*value, expected));
}

#[test]
fn a_pass_makes_up_for_missed_days_only_where_the_profile_says_so() {
    // part: C-62
    let late = passes([12.0]);
    let plain = policy("companion");
    near(
        plain.score(&stored(&plain, "fact", 1.0), &late, day(12.0)),
        0.85,
    );
    let mut profile = profile("companion");
    profile.decay.catch_up = true;
    let policy = Policy::new(&profile).unwrap();
    let fact = stored(&policy, "fact", 1.0);
    near(policy.score(&fact, &late, day(12.0)), 0.272491);
    let often = passes([6.0, 9.5, 12.0]);
    near(policy.score(&fact, &often, day(12.0)), 0.272491);
    let review = policy
        .score_below(&fact, &Passes::default(), 0.2, day(0.0))
        .unwrap();
    assert_eq!(review, day(14.0));
}

#[test]
fn studio_derives_retention_from_days_and_accesses() {
    // part: S-65, S-66, S-12
    let policy = policy("studio");
    let none = Passes::default();
    let worth = |value: f64, at: f64, accesses| {
        let anchor = Anchor {
            accesses,
            ..stored(&policy, "working", value)
        };
        policy.retention(&anchor, &none, day(at))
    };
    near(worth(0.9, 0.0, 0), 0.9);
    near(worth(0.9, 30.0, 5), 1.861368);
    near(worth(0.85, 30.0, 3), 1.502639);
    near(worth(0.5, 100.0, 1), 0.311437);
    near(worth(0.8, 200.0, 0), 0.108268);
    near(worth(0.8, 200.0, 10), 0.367884);
    let accessed = Anchor {
        accessed: day(390.0),
        accesses: 1,
        ..stored(&policy, "working", 0.8)
    };
    // The design rounds it to 1.225615.
    near(
        policy.retention(&accessed, &none, day(400.0)),
        (-0.1_f64).exp() * (1.0 + 2.0_f64.ln()) * 0.8,
    );
    assert!((policy.retention(&accessed, &none, day(400.0)) - 1.225615).abs() < 5e-6);
    let mut other = profile("studio");
    other.decay.clock = DecayClock::Created;
    near(
        Policy::new(&other)
            .unwrap()
            .retention(&accessed, &none, day(400.0)),
        0.024809,
    );
}

#[test]
fn studio_tiers_end_when_they_should() {
    // part: S-14
    let policy = policy("studio");
    let none = Passes::default();
    let worth = |class: &str, value: f64, at: f64| {
        policy.retention(&stored(&policy, class, value), &none, day(at))
    };
    near(worth("working", 0.8, 207.0), 0.100949);
    near(worth("working", 0.8, 208.0), 0.099944);
    near(worth("temporary", 0.4, 6.0), 0.121901);
    assert!(worth("temporary", 0.4, 7.01) < 0.1);
    assert_eq!(worth("core", 0.9, 2000.0), 0.9);
    let mut slow = profile("studio");
    slow.decay.classes.insert(
        "temporary".into(),
        ClassDecay {
            lambda: Some(0.01),
            ..ClassDecay::default()
        },
    );
    let slow = Policy::new(&slow).unwrap();
    near(
        slow.retention(&stored(&slow, "temporary", 0.4), &none, day(138.0)),
        0.100631,
    );
    near(
        slow.retention(&stored(&slow, "temporary", 0.4), &none, day(139.0)),
        0.099630,
    );
}

#[test]
fn agent_decays_the_same_however_often_the_job_runs() {
    // part: A-63
    let policy = policy("agent");
    let long = stored(&policy, "LONG_TERM", 0.5);
    near(policy.score(&long, &passes([30.0]), day(30.0)), 0.274406);
    let short = stored(&policy, "SHORT_TERM", 0.5);
    near(policy.score(&short, &passes([3.0]), day(3.0)), 0.370409);
    near(
        policy.score(&short, &passes([1.0, 2.0, 3.0]), day(3.0)),
        0.370409,
    );
    let mut stepwise = short;
    for at in 1..=3 {
        let value = policy.score(&stepwise, &Passes::default(), day(f64::from(at)));
        stepwise = Anchor {
            value,
            at: day(f64::from(at)),
            ..stepwise
        };
    }
    near(stepwise.value, 0.370409);
}

#[test]
fn graph_decays_by_type_in_whole_days() {
    // part: G-120, G-121
    let policy = policy("graph");
    let worth = |policy: &Policy, class: &str, value: f64, at: f64, accesses| {
        let anchor = Anchor {
            accesses,
            ..stored(policy, class, value)
        };
        policy.retention(&anchor, &Passes::default(), day(at))
    };
    near(worth(&policy, "事件", 0.5, 10.0, 3), 0.723680);
    near(worth(&policy, "事件", 0.5, 10.9, 0), 0.303265);
    near(worth(&policy, "事实", 0.8, 100.0, 0), 0.294304);
    near(worth(&policy, "关系", 0.7, 100.0, 0), 0.424571);
    near(worth(&policy, "观点", 0.6, 10.0, 0), 0.444491);
    near(worth(&policy, "事件", 0.3, 0.0, 9), 0.990776);
    let mut faster = profile("graph");
    faster.decay.classes.get_mut("事件").unwrap().lambda = Some(0.1);
    near(
        worth(&Policy::new(&faster).unwrap(), "事件", 0.5, 10.0, 0),
        0.183940,
    );
}

#[test]
fn markdown_protects_a_week_and_then_takes_a_hundredth_a_day() {
    // part: M-59, M-60, M-61
    let policy = policy("markdown");
    let none = Passes::default();
    let worth = |value: f64, at: f64| policy.score(&stored(&policy, "fact", value), &none, day(at));
    assert_eq!(worth(0.8, 7.0), 0.8);
    assert_eq!(worth(0.8, hours(7.0 * 24.0 + 23.0)), 0.8);
    near(worth(0.8, 8.0), 0.792);
    near(worth(0.8, 37.0), 0.591760);
    near(worth(0.8, 11.0), 0.768477);
    let entry = stored(&policy, "fact", 0.8);
    let merged = Anchor {
        value: policy.score(&entry, &none, day(10.0)),
        at: day(10.0),
        ..entry
    };
    near(policy.score(&merged, &none, day(11.0)), 0.768477);
    let daily = (1..=60).fold(entry, |entry, at| {
        let at = day(f64::from(at));
        Anchor {
            value: policy.score(&entry, &none, at),
            at,
            ..entry
        }
    });
    near(daily.value, 0.469629);
}

#[test]
fn markdown_leaves_the_prompt_and_the_file_on_the_right_day() {
    // part: M-65, M-66, M-67
    let policy = policy("markdown");
    let none = Passes::default();
    let worth = |value: f64, at: u32| {
        policy.score(&stored(&policy, "fact", value), &none, day(f64::from(at)))
    };
    let first_below = |value: f64, limit: f64| {
        let entry = stored(&policy, "fact", value);
        (policy
            .score_below(&entry, &none, limit, day(0.0))
            .unwrap()
            .as_millis()
            - day(0.0).as_millis())
            / 86_400_000
    };
    near(worth(0.6, 116), 0.200626);
    near(worth(0.6, 117), 0.198620);
    near(worth(0.4, 75), 0.201954);
    near(worth(0.4, 76), 0.199935);
    near(worth(0.4, 213), 0.050456);
    near(worth(0.4, 214), 0.049951);
    near(worth(0.8, 53), 0.503859);
    near(worth(0.8, 54), 0.498820);
    near(worth(0.8, 145), 0.199870);
    assert_eq!(
        [
            first_below(0.6, 0.2),
            first_below(0.4, 0.2),
            first_below(0.4, 0.05)
        ],
        [117, 76, 214]
    );
    assert_eq!(
        [
            first_below(0.8, 0.05),
            first_below(0.8, 0.5),
            first_below(0.6, 0.5)
        ],
        [283, 54, 26]
    );
}

#[test]
fn below_is_strict_and_sums_reach_their_threshold() {
    // part: X-02
    let policy = policy("markdown");
    let none = Passes::default();
    let at = |value: f64| policy.score_below(&stored(&policy, "fact", value), &none, 0.2, day(3.0));
    assert!(at(0.2).unwrap() > day(3.0));
    assert!(at(0.2 - 5e-10).unwrap() > day(3.0));
    assert_eq!(at(0.199), Some(day(3.0)));
}

#[test]
fn a_clock_that_goes_back_counts_zero_and_one_years_ahead_is_survived() {
    for name in ["companion", "studio", "agent", "graph", "markdown"] {
        let policy = policy(name);
        for class in policy.classes() {
            let anchor = stored(&policy, class, 0.7);
            let none = Passes::default();
            assert_eq!(policy.retention(&anchor, &none, day(-4000.0)), 0.7);
            let ages = policy.retention(
                &anchor,
                &passes([3_000_000.0]),
                annals_types::Timestamp::MAX,
            );
            assert!((0.0..=0.7).contains(&ages), "{name} {class}: {ages}");
        }
    }
}
