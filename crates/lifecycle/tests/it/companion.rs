//! The companion: boosts with limits, passes, reviews.

use crate::world;

use annals_lifecycle::review::{Decider, Verdict, decide, reviews};
use annals_lifecycle::{Action, Counted, LifecycleError, Regime, State};
use annals_types::profile::{ClassDecay, ReviewKind, RuleAction};
use annals_types::{Row, Timestamp};
use world::town::Town;
use world::{day, hours, near, profile};

fn town() -> Town {
    Town::new(&profile("companion"))
}

/// So many hours of day 10.
fn at(hour: f64) -> Timestamp {
    day(10.0 + hours(hour))
}

fn verdict(
    town: &mut Town,
    row: Row,
    kind: ReviewKind,
    verdict: Verdict,
    now: Timestamp,
) -> Option<Action> {
    let (policy, passes) = (town.policy.clone(), town.passes.clone());
    let regime = Regime {
        policy: &policy,
        passes: &passes,
        lane: town.lane,
    };
    let (ns, worth) = (town.ns, &mut town.worth);
    let decided = town
        .store
        .write(|txn| {
            decide(
                txn,
                ns,
                &regime,
                (row, kind),
                (verdict, Decider::Judge),
                now,
            )
        })
        .inspect(|(done, _)| worth.apply(&done.delta));
    decided.unwrap().0.action
}

fn pending(town: &Town) -> Vec<(Row, ReviewKind)> {
    let found = reviews(
        &town.store.snapshot().unwrap(),
        town.ns,
        town.lane,
        None,
        100,
    )
    .unwrap();
    found
        .into_iter()
        .map(|review| (review.row, review.kind))
        .collect()
}

#[test]
fn a_boost_adds_and_waits_two_hours() {
    // part: C-28, C-63, C-64
    let mut town = town();
    let row = town.fact("fact", 1.0, at(0.0));
    near(town.used(row, None, at(9.0)).after, 1.3);
    let soon = town.used(row, None, at(10.0 + 59.0 / 60.0));
    assert_eq!((soon.counted, soon.before), (Counted::Cooldown, soon.after));
    near(town.used(row, None, at(11.0)).after, 1.6);
    let other = town.fact("fact", 1.0, at(0.0));
    near(town.used(other, None, at(9.0)).after, 1.3);
    assert_eq!(town.used(other, None, at(10.5)).counted, Counted::Cooldown);
    near(town.used(other, None, at(11.0 + 1.0 / 60.0)).after, 1.6);
    assert_eq!(town.worth.uses(other), (2, 0));
}

#[test]
fn a_day_gives_at_most_one() {
    // part: C-65, C-66
    let mut town = town();
    let row = town.fact("fact", 1.5, at(0.0));
    let values: Vec<f64> = [8.0, 10.0, 12.0, 14.0, 16.0]
        .iter()
        .map(|hour| town.used(row, None, at(*hour)).after)
        .collect();
    values
        .iter()
        .zip([1.8, 2.1, 2.4, 2.5, 2.5])
        .for_each(|(value, expected)| near(*value, expected));
    assert_eq!(town.used(row, None, at(18.0)).counted, Counted::DailyCap);
    near(town.used(row, None, at(24.0 + 5.0 / 60.0)).after, 2.8);
}

#[test]
fn limits_survive_a_restart_and_are_those_of_one_memory() {
    // part: C-67
    let mut town = town();
    let (one, two) = (
        town.fact("fact", 1.0, at(0.0)),
        town.fact("fact", 1.0, at(0.0)),
    );
    town.used(one, None, at(9.0));
    let mut town = town.reopen(&profile("companion"));
    near(town.used(two, None, at(9.0)).after, 1.3);
    assert_eq!(town.used(one, None, at(9.5)).counted, Counted::Cooldown);
    near(town.score(one, at(9.5)), 1.3);
    near(town.score(two, at(9.5)), 1.3);
}

#[test]
fn a_hand_sets_the_score_without_limits_and_within_bounds() {
    // part: C-45, C-68
    let mut town = town();
    let rows = [1.0, 1.0, 1.0].map(|score| town.fact("fact", score, at(0.0)));
    let mut add = |row: Row, delta: f64| {
        town.change(row, at(1.0), move |regime, state| {
            let now = regime
                .policy
                .score(&state.anchor(regime.policy), regime.passes, at(1.0));
            regime
                .policy
                .set_score(state, regime.passes, now + delta, at(1.0));
        });
        town.score(row, at(1.0))
    };
    near(add(rows[0], 0.3), 1.3);
    near(add(rows[0], 0.3), 1.6);
    near(add(rows[1], -5.0), 0.0);
    near(add(rows[2], 4.0), 5.0);
}

#[test]
fn only_counted_boosts_start_the_clock_anew() {
    let mut town = town();
    let row = town.fact("fact", 1.0, day(0.0));
    let before = town.state(row).unwrap();
    for _ in 0..100 {
        assert_eq!(town.retention(row, day(1.0)), 1.0);
    }
    assert_eq!(town.state(row).unwrap(), before);
    town.used(row, None, day(2.0));
    assert_eq!(town.state(row).unwrap().accessed, day(2.0));
    town.used(row, None, day(2.01));
    assert_eq!(town.state(row).unwrap().accessed, day(2.0));
}

#[test]
fn passes_are_a_day_apart() {
    // part: C-58
    let mut town = town();
    let row = town.fact("fact", 1.0, day(0.0));
    town.job(day(12.0));
    near(town.score(row, day(12.0)), 0.85);
    town.job(day(12.0 + hours(1.0)));
    near(town.score(row, day(12.1)), 0.85);
    town.job(day(13.0 + hours(1.0 / 60.0)));
    near(town.score(row, day(13.1)), 0.7225);
}

#[test]
fn episodes_go_by_age_without_review_and_facts_are_reviewed() {
    // part: C-53, C-54, C-85
    let mut town = town();
    let (episode, low) = (
        town.fact("episode", 1.0, day(0.0)),
        town.fact("episode", 0.13 / 0.6, day(0.0)),
    );
    let (fact, core) = (
        town.fact("fact", 0.23, day(0.0)),
        town.fact("core", 2.6, day(0.0)),
    );
    assert_eq!(town.rules(day(6.0)), ["decay-review"]);
    near(town.score(fact, day(6.0)), 0.1955);
    near(town.score(low, day(6.0)), 0.13);
    assert_eq!(town.job(day(6.0 + hours(23.0))), []);
    assert!(town.state(episode).is_some());
    assert_eq!(town.rules(day(7.0)), ["episode-too-old", "episode-too-old"]);
    assert_eq!([episode, low].map(|row| town.state(row)), [None, None]);
    assert!(town.state(fact).is_some() && town.state(core).is_some());
    assert_eq!(pending(&town), [(fact, ReviewKind::Decay)]);
}

#[test]
fn a_boost_puts_decay_off_and_not_the_end() {
    // part: C-137
    let mut town = town();
    let episode = town.fact("episode", 1.0, day(0.0));
    town.used(episode, None, day(6.9 - hours(1.0)));
    assert_eq!(town.job(day(6.9)), []);
    near(town.score(episode, day(6.9)), 1.3);
    assert_eq!(town.rules(day(7.0)), ["episode-too-old"]);
    assert!(town.state(episode).is_none());
}

#[test]
fn protected_memories_are_left_alone() {
    // part: C-49, C-50, C-85
    let mut town = town();
    let rows = [
        town.fact("core", 0.1, day(0.0)),
        town.fact("system", 0.1, day(0.0)),
        town.fact("episode", 3.0, day(0.0)),
    ];
    let core = town.fact("core", 2.6, day(0.0));
    for at in 1..=400 {
        assert_eq!(town.job(day(f64::from(at))), []);
    }
    let scores = rows.map(|row| town.score(row, day(400.0)));
    assert_eq!(scores, [0.1, 0.1, 3.0]);
    assert_eq!(town.score(core, day(400.0)), 2.6);
}

#[test]
fn a_review_is_asked_for_on_the_day_of_the_tenth_step() {
    // part: C-59, C-70
    let mut town = town();
    let row = town.fact("fact", 1.0, day(0.0));
    let (half, low) = (
        town.fact("fact", 0.52, day(0.0)),
        town.fact("fact", 0.23, day(0.0)),
    );
    let mut asked = Vec::new();
    for at in 1..=14 {
        asked.extend(
            town.job(day(f64::from(at)))
                .into_iter()
                .map(|(row, ..)| (row, at)),
        );
        if at == 5 {
            near(town.score(half, day(5.0)), 0.442);
        }
    }
    near(town.score(row, day(14.0)), 0.196874);
    assert!(
        asked.contains(&(row, 14)) && asked.contains(&(low, 5)) && asked.len() == 3,
        "{asked:?}"
    );
    let mut early = profile("companion");
    early
        .rules
        .iter_mut()
        .find(|rule| rule.name == "decay-review")
        .unwrap()
        .value = 0.5;
    let mut town = Town::new(&early);
    town.fact("fact", 0.52, day(0.0));
    assert_eq!(town.rules(day(5.0)), ["decay-review"]);
}

#[test]
fn what_a_decay_review_keeps_comes_back_after_six_passes() {
    // part: C-71, C-78, C-80
    let mut town = town();
    let row = town.fact("fact", 0.19 / 0.85, day(0.0));
    assert_eq!(town.rules(day(5.0)), ["decay-review"]);
    near(town.score(row, day(5.0)), 0.19);
    assert_eq!(
        verdict(
            &mut town,
            row,
            ReviewKind::Decay,
            Verdict::Promote,
            day(5.5)
        ),
        None
    );
    near(town.score(row, day(5.5)), 0.5);
    assert_eq!(town.state(row).unwrap().class, "fact");
    let fired: Vec<usize> = (6..=12)
        .map(|at| town.job(day(f64::from(at))).len())
        .collect();
    assert_eq!(fired, [0, 0, 0, 0, 0, 1, 0]);
    near(town.score(row, day(11.5)), 0.188575);
    assert_eq!(pending(&town), [(row, ReviewKind::Decay)]);
    assert_eq!(
        verdict(
            &mut town,
            row,
            ReviewKind::Decay,
            Verdict::Delete,
            day(13.0)
        ),
        Some(Action::Delete)
    );
    assert_eq!(pending(&town), []);
}

#[test]
fn a_person_promotes_whatever_was_asked() {
    let mut town = town();
    let row = town.fact("fact", 0.19 / 0.85, day(0.0));
    assert_eq!(town.rules(day(5.0)), ["decay-review"]);
    let (policy, passes) = (town.policy.clone(), town.passes.clone());
    let regime = Regime {
        policy: &policy,
        passes: &passes,
        lane: town.lane,
    };
    let by_hand = |txn: &mut annals_storage::Transaction<'_>| {
        decide(
            txn,
            town.ns,
            &regime,
            (row, ReviewKind::Decay),
            (Verdict::Promote, Decider::Person),
            day(5.5),
        )
    };
    let decided = town.store.write(by_hand).unwrap().0;
    assert!(matches!(decided.action, Some(Action::SetClass { to, .. }) if to == "core"));
    town.worth.apply(&decided.delta);
    assert_eq!(
        (pending(&town), town.state(row).unwrap().class.as_str()),
        (Vec::new(), "core")
    );
    near(town.score(row, day(60.0)), 0.5);
}

#[test]
fn reaching_two_and_a_half_asks_for_a_promotion() {
    // part: C-69, C-76, C-77, X-02
    for (start, expected) in [(2.4, 1), (2.1, 0), (2.2, 1)] {
        let mut town = town();
        let row = town.fact("fact", start, day(0.0));
        town.used(row, None, day(0.5));
        assert_eq!(town.job(day(1.0)).len(), expected, "{start}");
        if expected == 0 {
            continue;
        }
        let before = town.state(row).unwrap();
        assert_eq!(
            verdict(&mut town, row, ReviewKind::Promote, Verdict::Keep, day(1.1)),
            None
        );
        assert_eq!(town.state(row).unwrap(), before);
    }
    let mut town = town();
    let row = town.fact("fact", 2.7, day(0.0));
    assert_eq!(town.rules(day(1.0)), ["promotion-review"]);
    let action = verdict(
        &mut town,
        row,
        ReviewKind::Promote,
        Verdict::Promote,
        day(1.1),
    );
    assert!(matches!(action, Some(Action::SetClass { to, .. }) if to == "core"));
    for at in 2..60 {
        assert_eq!(town.job(day(f64::from(at))), []);
    }
    near(town.score(row, day(60.0)), 2.7);
    assert_eq!(town.state(row).unwrap().class, "core");
}

#[test]
fn another_promotion_review_needs_a_rise_or_a_week() {
    // part: C-82
    let mut town = town();
    let row = town.fact("fact", 2.2, day(0.0));
    near(town.used(row, None, day(0.9)).after, 2.5);
    assert_eq!(town.rules(day(0.91)), ["promotion-review"]);
    verdict(
        &mut town,
        row,
        ReviewKind::Promote,
        Verdict::Keep,
        day(0.92),
    );
    for _ in 0..10 {
        assert_eq!(town.used(row, None, day(0.93)).counted, Counted::Cooldown);
    }
    assert_eq!(town.rules(day(0.95)), Vec::<String>::new());
    near(town.used(row, None, day(1.0)).after, 2.8);
    assert_eq!(town.rules(day(2.0)), ["promotion-review"]);
    assert_eq!(pending(&town), [(row, ReviewKind::Promote)]);
    // Without decay in between the week alone asks again.
    let mut still = profile("companion");
    still.decay.classes.get_mut("fact").unwrap().grace_days = 30.0;
    let mut town = Town::new(&still);
    let row = town.fact("fact", 2.6, day(0.0));
    assert_eq!(town.rules(day(2.0)), ["promotion-review"]);
    verdict(&mut town, row, ReviewKind::Promote, Verdict::Keep, day(2.1));
    let fired: Vec<usize> = (3..=10)
        .map(|at| town.job(day(f64::from(at))).len())
        .collect();
    assert_eq!(fired, [0, 0, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn the_earlier_rules_can_still_be_had() {
    // part: C-55, C-56, C-57
    let mut legacy = profile("companion");
    let rate = |factor, grace_days| ClassDecay {
        factor: Some(factor),
        lambda: None,
        grace_days,
    };
    legacy.decay.classes.insert("fact".into(), rate(0.95, 7.0));
    legacy
        .decay
        .classes
        .insert("episode".into(), rate(0.8, 7.0));
    let rule = legacy
        .rules
        .iter_mut()
        .find(|rule| rule.name == "decay-review")
        .unwrap();
    (rule.value, rule.action) = (0.3, RuleAction::Delete);
    legacy
        .rules
        .iter_mut()
        .find(|rule| rule.name == "episode-too-old")
        .unwrap()
        .value = 14.0;
    let mut town = Town::new(&legacy);
    let (fact, low) = (
        town.fact("fact", 1.0, day(0.0)),
        town.fact("fact", 0.31, day(0.0)),
    );
    assert_eq!(town.rules(day(12.0)), ["decay-review"]);
    near(town.score(fact, day(12.0)), 0.95);
    assert!(town.state(low).is_none() && pending(&town).is_empty());
    let mut town = Town::new(&legacy);
    let episode = town.fact("episode", 1.0, day(0.0));
    town.job(day(8.0));
    near(town.score(episode, day(8.0)), 0.8);
    town.job(day(13.0 + hours(23.0)));
    assert!(town.state(episode).is_some());
    assert_eq!(town.rules(day(14.0)), ["episode-too-old"]);
    let mut town = Town::new(&profile("companion"));
    let episode = town.fact("episode", 1.0, day(0.0));
    town.job(day(8.0));
    assert!(town.state(episode).is_none());
}
