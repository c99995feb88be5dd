//! The five profiles as data.

use crate::world;

use annals_lifecycle::Policy;
use annals_types::profile::{
    ConflictStrategy, DecayPersist, DecayUnit, DedupMoment, GraceMode, JobSettings, Profile,
    ReinforceForm, RuleAction,
};
use world::{PROFILES, policy, profile};

#[test]
fn they_are_read_and_allowed() {
    for (name, text) in PROFILES {
        let profile: Profile =
            toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(profile.check(), Ok(()), "{name}");
        assert_eq!(profile.warnings(), [], "{name}");
        assert!(!Policy::new(&profile).unwrap().is_neutral(), "{name}");
    }
    assert!(Policy::new(&Profile::default()).unwrap().is_neutral());
}

#[test]
fn unknown_keys_and_wrong_units_are_refused_with_their_line() {
    let refused = |from: &str, to: &str| {
        let (_, text) = PROFILES[0];
        assert!(text.contains(from), "{from}");
        toml::from_str::<Profile>(&text.replace(from, to))
            .unwrap_err()
            .to_string()
    };
    let error = refused("grace = \"gate\"", "grace = \"gates\"");
    assert!(error.contains("line") && error.contains("gates"), "{error}");
    assert!(refused("max_rounds = 3", "max_round = 3").contains("max_round"));
    assert!(refused("unit = \"pass\"", "unit = \"week\"").contains("week"));
    assert!(refused("protect_score = 3.0", "protect_score = \"3\"").contains("line"));
    assert!(refused("retry_hours", "retry_days").contains("retry_days"));
}

#[test]
fn every_number_is_data() {
    let changed = |name: &str, from: &str, to: &str| {
        let (_, text) = PROFILES.iter().find(|(known, _)| *known == name).unwrap();
        let after: Profile = toml::from_str(&text.replacen(from, to, 1)).unwrap();
        assert_ne!(after, profile(name), "{from} -> {to}");
        after
    };
    let after = changed("companion", "factor = 0.85", "factor = 0.5");
    let now = world::day(6.0);
    let anchor = |policy: &Policy| world::stored(policy, "fact", 1.0);
    let score = |policy: &Policy| policy.score(&anchor(policy), &world::passes([6.0]), now);
    world::near(score(&policy("companion")), 0.85);
    world::near(score(&Policy::new(&after).unwrap()), 0.5);
    let after = changed("studio", "preference = 0.9", "preference = 0.3");
    world::near(
        Policy::new(&after)
            .unwrap()
            .initial("preference", None, None),
        0.3,
    );
    let after = changed("markdown", "high = 0.8", "high = 0.7");
    world::near(
        Policy::new(&after)
            .unwrap()
            .initial("fact", None, Some("high")),
        0.7,
    );
    assert_eq!(
        changed("companion", "amount = 0.3", "amount = 0.4")
            .reinforce
            .amount,
        0.4
    );
    assert_eq!(
        changed("agent", "sure_above = 0.92", "sure_above = 0.9")
            .dedup
            .sure_above,
        Some(0.9)
    );
    assert_eq!(
        changed("graph", "interval_hours = 6.0", "interval_hours = 7.0").jobs[0].interval_hours,
        Some(7.0)
    );
    assert_eq!(
        changed("markdown", "penalty = 0.5", "penalty = 0.4")
            .conflict
            .penalty,
        0.4
    );
    assert_eq!(
        changed("agent", "attempts = 5", "attempts = 6")
            .queue
            .attempts,
        6
    );
}

#[test]
fn they_differ_where_the_designs_do() {
    let [companion, studio, agent, graph, markdown] =
        ["companion", "studio", "agent", "graph", "markdown"].map(profile);
    let units = [&companion, &studio, &agent, &graph, &markdown].map(|profile| profile.decay.unit);
    use DecayUnit::{Day, Fraction, Pass};
    assert_eq!(units, [Pass, Fraction, Fraction, Day, Day]);
    assert_eq!(
        (companion.decay.grace, markdown.decay.grace),
        (GraceMode::Gate, GraceMode::Subtract)
    );
    assert_eq!(
        (studio.decay.persist, agent.decay.persist),
        (DecayPersist::Derived, DecayPersist::InPlace)
    );
    assert_eq!(
        (companion.reinforce.form, markdown.reinforce.form),
        (ReinforceForm::Add, ReinforceForm::TowardOne)
    );
    assert_eq!(
        (graph.dedup.when, agent.dedup.when),
        (DedupMoment::Consolidation, DedupMoment::Daily)
    );
    assert_eq!(studio.conflict.strategy, ConflictStrategy::CloseInterval);
    let deletes = |profile: &Profile| {
        profile
            .rules
            .iter()
            .filter(|rule| rule.action == RuleAction::Delete)
            .count()
    };
    assert_eq!(
        [&companion, &studio, &agent, &graph, &markdown].map(deletes),
        [1, 0, 3, 0, 1]
    );
    let named = |jobs: &[JobSettings]| jobs.iter().map(|job| job.name.clone()).collect::<Vec<_>>();
    assert_eq!(named(&graph.jobs), ["consolidation", "daily"]);
}
