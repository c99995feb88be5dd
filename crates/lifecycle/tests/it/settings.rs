//! Settings that none of the five profiles uses, and thresholds found by walking instead of
//! reckoning.

use crate::world;

use annals_lifecycle::{Anchor, Birth, Counted, Passes, Policy, State, Zone};
use annals_types::profile::{
    ClassDecay, Comparison, DayKind, DecayClock, DecayPersist, DecayUnit, Edge, GraceMode, Metric,
    Profile, ReinforceForm, RuleAction, RuleSettings, Signal,
};
use annals_types::{Status, Timestamp};
use proptest::prelude::*;
use world::town::Town;
use world::{day, hours, near, profile};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn decaying(unit: DecayUnit, rate: f64, grace_days: f64) -> Profile {
    let mut profile = Profile::default();
    let class = ClassDecay {
        factor: Some(rate),
        lambda: None,
        grace_days,
    };
    profile.decay.classes.insert("note".to_owned(), class);
    profile.decay.unit = unit;
    profile
}

#[test]
fn calendar_days_begin_at_midnight_of_the_zone() {
    let mut calendar = decaying(DecayUnit::Day, 0.5, 0.0);
    calendar.decay.days = DayKind::Calendar;
    calendar.time.zone = "Asia/Shanghai".to_owned();
    let policy = Policy::new(&calendar).unwrap();
    let plain = Policy::new(&decaying(DecayUnit::Day, 0.5, 0.0)).unwrap();
    // Half past eleven in the evening; midnight comes at 16:00 UTC.
    let note =
        |policy: &Policy| Anchor::new(1.0, policy.class_id("note"), at("2026-03-01T15:30:00Z"));
    let score =
        |policy: &Policy, time: &str| policy.score(&note(policy), &Passes::default(), at(time));
    assert_eq!(score(&policy, "2026-03-01T15:59:59Z"), 1.0);
    assert_eq!(score(&policy, "2026-03-01T16:00:00Z"), 0.5);
    assert_eq!(score(&plain, "2026-03-01T16:00:00Z"), 1.0);
    assert_eq!(score(&plain, "2026-03-02T15:30:00Z"), 0.5);
    let low = policy.score_below(
        &note(&policy),
        &Passes::default(),
        0.3,
        at("2026-03-01T15:30:00Z"),
    );
    assert_eq!(low, Some(at("2026-03-02T16:00:00Z")));
}

#[test]
fn a_gate_lets_every_day_from_its_end_on_count() {
    let policy = Policy::new(&decaying(DecayUnit::Day, 0.5, 5.0)).unwrap();
    let score = |days: f64| {
        policy.score(
            &Anchor::new(1.0, policy.class_id("note"), day(0.0)),
            &Passes::default(),
            day(days),
        )
    };
    let scores = [score(4.99), score(5.0), score(6.5), score(7.0)];
    scores
        .iter()
        .zip([1.0, 0.5, 0.25, 0.125])
        .for_each(|(score, expected)| near(*score, expected));
}

#[test]
fn returns_diminish_where_the_profile_says_so() {
    let mut profile = Profile::default();
    profile.reinforce.form = ReinforceForm::Diminishing;
    (profile.reinforce.amount, profile.reinforce.half_count) = (0.4, 1.0);
    profile.score.max = 2.0;
    let policy = Policy::new(&profile).unwrap();
    let mut state = State::new("note", 0.5, day(0.0));
    let none = Passes::default();
    let values: Vec<f64> = (0..4)
        .map(|_| {
            policy
                .reinforce(&mut state, &none, Signal::Used, None, day(1.0))
                .after
        })
        .collect();
    values
        .iter()
        .zip([0.9, 1.1, 1.1 + 0.4 / 3.0, 1.2 + 0.1 / 3.0 + 0.1])
        .for_each(|(value, expected)| near(*value, expected));
    assert_eq!(
        policy
            .reinforce(&mut state, &none, Signal::Returned, None, day(1.0))
            .counted,
        Counted::OtherSignal
    );
    assert_eq!((state.used, state.returned), (4, 0));
}

#[test]
fn rules_can_go_by_age_idleness_and_status() {
    let rule = |name: &str, metric, op, value, action| RuleSettings {
        name: name.to_owned(),
        metric,
        op,
        value,
        action,
        edge: Edge::Level,
        ..RuleSettings::default()
    };
    let rules = vec![
        rule(
            "idle",
            Metric::IdleDays,
            Comparison::AtLeast,
            30.0,
            RuleAction::Forget,
        ),
        RuleSettings {
            statuses: vec![Status::Forgotten],
            ..rule(
                "purge",
                Metric::StatusDays,
                Comparison::Above,
                365.0,
                RuleAction::Delete,
            )
        },
    ];
    let mut profile = Profile {
        rules,
        ..Profile::default()
    };
    profile.reinforce.touch_clock = true;
    let mut town = Town::new(&profile);
    let row = town.fact("note", 0.5, day(0.0));
    town.used(row, None, day(10.0));
    assert_eq!(town.rules(day(39.9)), Vec::<String>::new());
    assert_eq!(town.rules(day(40.0)), ["idle"]);
    assert_eq!(town.rules(day(405.0)), Vec::<String>::new());
    assert_eq!(town.rules(day(406.0)), ["purge"]);
    assert!(town.state(row).is_none());
}

#[test]
fn what_is_pinned_stays() {
    let mut town = Town::new(&profile("markdown"));
    let birth = Birth {
        kind: "fact".into(),
        level: Some("low".into()),
        pinned: true,
        ..Birth::default()
    };
    let row = town.born(&birth, day(0.0));
    assert_eq!(town.rules(day(5000.0)), Vec::<String>::new());
    assert_eq!(town.retention(row, day(5000.0)), 0.4);
    town.change(row, day(5000.0), |regime, state| {
        regime
            .policy
            .set_pinned(state, regime.passes, false, day(5000.0));
    });
    near(town.score(row, day(5001.0)), 0.4 * 0.99);
    assert!(town.worth.anchor(row).is_some_and(|anchor| !anchor.pinned));
}

#[derive(Debug, Clone)]
struct Case {
    profile: Profile,
    value: f64,
    limit: f64,
    accesses: u32,
    accessed: f64,
    anchored: f64,
    from: f64,
}

fn case() -> impl Strategy<Value = Case> {
    let flags = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    let sizes = (
        0.5..0.999_f64,
        prop_oneof![Just(0.0), Just(3.0), 0.0..9.0_f64],
        0.05..3.0_f64,
        0.01..2.0_f64,
    );
    let times = (0_u32..20, 0.0..30.0_f64, 0.0..40.0_f64, 0.0..60.0_f64);
    (flags, sizes, times).prop_map(
        |(flags, (rate, grace, value, limit), (accesses, accessed, anchored, from))| {
            let (whole, calendar, subtract, created, in_place) = flags;
            let mut profile = decaying(
                if whole {
                    DecayUnit::Day
                } else {
                    DecayUnit::Fraction
                },
                rate,
                grace,
            );
            profile.decay.days = if calendar {
                DayKind::Calendar
            } else {
                DayKind::Hours24
            };
            profile.decay.grace = if subtract {
                GraceMode::Subtract
            } else {
                GraceMode::Gate
            };
            profile.decay.clock = if created {
                DecayClock::Created
            } else {
                DecayClock::LastAccess
            };
            profile.decay.persist = if in_place {
                DecayPersist::InPlace
            } else {
                DecayPersist::Derived
            };
            profile.decay.access_bonus = 0.5;
            profile.time.zone = "Europe/Berlin".to_owned();
            Case {
                profile,
                value,
                limit,
                accesses,
                accessed,
                anchored,
                from,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_reckoned_moment_is_the_first_at_which_the_value_is_below(case in case()) {
        let policy = Policy::new(&case.profile).unwrap();
        let anchor = Anchor {
            accesses: case.accesses,
            accessed: day(case.accessed),
            at: day(case.anchored),
            ..Anchor::new(case.value, policy.class_id("note"), day(0.0))
        };
        let (none, from) = (Passes::default(), day(case.from));
        let below = |moment: Timestamp| policy.retention(&anchor, &none, moment) < case.limit - 1e-9;
        let crossing = policy.retention_below(&anchor, &none, case.limit, from).unwrap();
        prop_assert!(crossing >= from);
        prop_assert!(
            crossing == from || !below(crossing.plus_millis(-1)),
            "it is below before {crossing}: {:?} {:?} {from}",
            case.profile.decay,
            anchor,
        );
        // Fractions of days may be a millisecond early on purpose; whole days are exact.
        let slack = if case.profile.decay.unit == DecayUnit::Day { 0 } else { 3_600_000 };
        prop_assert!(
            below(crossing.plus_millis(slack)),
            "it is not below at {crossing}: {:?} {:?} {from}",
            case.profile.decay,
            anchor,
        );
        prop_assert!(
            slack == 0
                || crossing == from
                || below(crossing.plus_millis(3))
                || policy.retention(&anchor, &none, crossing.plus_millis(3)) < case.limit + 1e-6,
        );
    }
}
