//! Studio, agent, graph and markdown: first values, thresholds and what they do.

use crate::world;

use annals_lifecycle::{
    Action, Birth, LifecycleError, Placed, Policy, Regime, next_due, plan, restore,
};
use annals_types::profile::{Profile, RuleAction};
use annals_types::{Row, Status};
use world::town::Town;
use world::{day, hours, near, policy, profile};

fn without(name: &str, rule: &str) -> Profile {
    let mut profile = profile(name);
    profile.rules.retain(|known| known.name != rule);
    profile
}

fn runs(town: &mut Town, days: impl IntoIterator<Item = u32>) -> Vec<(u32, String)> {
    let fired = |at: u32| {
        town.rules(day(f64::from(at)))
            .into_iter()
            .map(|rule| (at, rule))
            .collect::<Vec<_>>()
    };
    days.into_iter().flat_map(fired).collect()
}

fn placed(policy: &Policy, birth: Birth) -> Placed {
    policy.place(&birth, day(0.0)).unwrap()
}

fn kind(kind: &str) -> Birth {
    Birth {
        kind: kind.into(),
        ..Birth::default()
    }
}

#[test]
fn studio_weighs_by_type_and_sorts_into_tiers() {
    // part: S-08, S-09, S-15
    let policy = policy("studio");
    let weights = ["preference", "fact", "lesson", "goal", "context"]
        .map(|name| placed(&policy, kind(name)).score);
    assert_eq!(weights, [0.9, 0.8, 0.85, 0.7, 0.4]);
    let lesson = |score| {
        placed(
            &policy,
            Birth {
                score,
                ..kind("lesson")
            },
        )
        .score
    };
    assert_eq!(
        [lesson(Some(0.8)), lesson(None), lesson(Some(1.7))],
        [0.8, 0.85, 1.0]
    );
    assert_eq!(placed(&policy, kind("preference")).class, "working");
    assert_eq!(
        placed(
            &policy,
            Birth {
                pinned: true,
                ..kind("preference")
            }
        )
        .class,
        "core"
    );
    assert_eq!(
        placed(
            &policy,
            Birth {
                score: Some(0.95),
                ..kind("fact")
            }
        )
        .class,
        "core"
    );
    assert_eq!(placed(&policy, kind("context")).class, "temporary");
    assert!(matches!(
        policy.place(&kind("opinion"), day(0.0)),
        Err(LifecycleError::UnknownKind { .. })
    ));
}

#[test]
fn studio_forgets_below_a_tenth() {
    // part: S-67, S-13
    let first = |kind: &str, score: f64, days: std::ops::Range<u32>| {
        let mut town = Town::new(&without("studio", "weaken"));
        let row = town.fact(kind, score, day(0.0));
        let fired = runs(&mut town, days);
        assert_eq!(town.state(row).unwrap().status, Status::Forgotten);
        fired
    };
    assert_eq!(
        first("preference", 0.9, 200..260),
        [(220, "forget".to_owned())]
    );
    assert_eq!(first("goal", 0.7, 180..200), [(195, "forget".to_owned())]);
    assert_eq!(
        first("lesson", 0.85, 210..220),
        [(215, "forget".to_owned())]
    );
    let context = first("context", 0.4, 6..9);
    assert!(context[0].0 > 6 && context[0].0 <= 8, "{context:?}");
}

#[test]
fn studio_never_forgets_what_is_core() {
    // part: S-11
    let mut town = Town::new(&profile("studio"));
    let row = town.born(
        &Birth {
            class: Some("core".into()),
            score: Some(0.9),
            ..kind("preference")
        },
        day(0.0),
    );
    assert_eq!(town.rules(day(2000.0)), Vec::<String>::new());
    let state = town.state(row).unwrap();
    assert_eq!((state.status, state.value), (Status::Active, 0.9));
}

#[test]
fn studio_lowers_what_is_weak_once_a_day() {
    // part: S-68, S-69
    let mut town = Town::new(&profile("studio"));
    let row = town.fact("fact", 0.8, day(0.0));
    assert_eq!(runs(&mut town, [98]), []);
    near(town.retention(row, day(98.0)), 0.300249);
    near(town.retention(row, day(99.0)), 0.297261);
    assert_eq!(runs(&mut town, [99]), [(99, "weaken".to_owned())]);
    near(town.state(row).unwrap().value, 0.72);
    assert_eq!(town.rules(day(99.0 + hours(5.0))), Vec::<String>::new());
    near(town.state(row).unwrap().value, 0.72);
    assert_eq!(runs(&mut town, [100]), [(100, "weaken".to_owned())]);
    near(town.state(row).unwrap().value, 0.648);
}

#[test]
fn studio_calls_active_what_is_worth_more_than_seven_tenths() {
    // part: S-70
    let mut town = Town::new(&profile("studio"));
    let row = town.fact("fact", 0.8, day(0.0));
    let state = town.state(row).unwrap();
    let marks = |at: f64| town.policy.marks(&state, &town.passes, day(at));
    near(town.retention(row, day(13.0)), 0.702476);
    assert_eq!(marks(13.0), ["active"]);
    near(town.retention(row, day(14.0)), 0.695487);
    assert_eq!(marks(14.0), Vec::<&str>::new());
}

#[test]
fn studio_keeps_what_was_restored() {
    // part: S-75
    let mut town = Town::new(&without("studio", "weaken"));
    let row = town.fact("fact", 0.05, day(0.0));
    assert_eq!(runs(&mut town, [1]), [(1, "forget".to_owned())]);
    let floor = town.policy.initial("fact", None, None) * 0.5;
    let (policy, passes) = (town.policy.clone(), town.passes.clone());
    let regime = Regime {
        policy: &policy,
        passes: &passes,
        lane: town.lane,
    };
    let (ns, worth) = (town.ns, &mut town.worth);
    let now = day(100.0);
    let write = town
        .store
        .write(|txn| restore(txn, ns, &regime, now, &[(row, floor)]))
        .inspect(|(delta, _)| worth.apply(delta));
    write.unwrap();
    assert_eq!(runs(&mut town, [101, 102]), []);
    let state = town.state(row).unwrap();
    assert_eq!(
        (state.value, state.status, state.accessed),
        (0.4, Status::Active, now)
    );
}

#[test]
fn studio_counts_what_it_injects() {
    // part: S-56
    let mut town = Town::new(&profile("studio"));
    let rows = [0.9, 0.8, 0.7, 0.6, 0.5].map(|score| town.fact("fact", score, day(0.0)));
    for row in &rows[..3] {
        town.used(*row, None, day(3.0));
    }
    assert_eq!(rows.map(|row| town.worth.uses(row).1), [1, 1, 1, 0, 0]);
    assert_eq!(
        rows.map(|row| town.state(row).unwrap().accessed == day(3.0)),
        [true, true, true, false, false]
    );
}

#[test]
fn agent_keeps_things_as_long_as_was_said() {
    // part
    let policy = policy("agent");
    let lives = |birth: Birth| {
        let placed = placed(&policy, birth);
        (
            placed.class,
            placed.expires_at.map(|at| at.millis_since(day(0.0)) / 1000),
        )
    };
    let with = |name: &str, duration: &str| {
        lives(Birth {
            duration: Some(duration.into()),
            ..kind(name)
        })
    };
    assert_eq!(with("FACT", "7d"), ("SHORT_TERM".into(), Some(604_800)));
    assert_eq!(with("FACT", "permanent"), ("PERMANENT".into(), None));
    assert_eq!(lives(kind("PREFERENCE")), ("PERMANENT".into(), None));
    assert_eq!(lives(kind("SKILL")), ("PERMANENT".into(), None));
    assert_eq!(
        lives(kind("ERROR")),
        ("SHORT_TERM".into(), Some(7 * 86_400))
    );
}

#[test]
fn agent_durations_win_over_priorities() {
    // part: A-23
    let policy = policy("agent");
    let of = |birth: Birth| placed(&policy, birth);
    let seconds = |placed: &Placed| placed.expires_at.map(|at| at.millis_since(day(0.0)) / 1000);
    let priority = |class: &str| {
        seconds(&of(Birth {
            class: Some(class.into()),
            ..kind("FACT")
        }))
    };
    let priorities = ["TRANSIENT", "SHORT_TERM", "LONG_TERM", "PERMANENT"].map(priority);
    assert_eq!(
        priorities,
        [Some(86_400), Some(259_200), Some(2_592_000), None]
    );
    let rule = of(kind("RULE"));
    assert_eq!((seconds(&rule), rule.session_bound), (Some(86_400), false));
    assert_eq!(
        seconds(&of(Birth {
            duration: Some("permanent".into()),
            ..kind("RULE")
        })),
        None
    );
    let session = of(Birth {
        duration: Some("session".into()),
        ..kind("FACT")
    });
    assert_eq!(
        (
            session.class.as_str(),
            seconds(&session),
            session.session_bound
        ),
        ("TRANSIENT", Some(86_400), true)
    );
}

#[test]
fn agent_takes_unknown_durations_for_those_of_the_kind() {
    // part: A-31
    let policy = policy("agent");
    let error = placed(
        &policy,
        Birth {
            duration: Some("2w".into()),
            ..kind("ERROR")
        },
    );
    assert_eq!(error.expires_at, Some(day(7.0)));
    assert!(error.unknown_duration);
    assert_eq!(placed(&policy, kind("FACT")).score, 0.5);
}

#[test]
fn agent_deletes_and_demotes_by_night() {
    // part
    let night = |profile: &Profile, class: &str, score: f64| {
        let mut town = Town::new(profile);
        let birth = Birth {
            class: Some(class.into()),
            score: Some(score),
            ..kind("FACT")
        };
        let row = town.born(&birth, day(1.0));
        let fired = town.rules(day(1.0));
        (fired, town.state(row))
    };
    let agent = profile("agent");
    assert_eq!(night(&agent, "LONG_TERM", 0.0999).0, ["delete"]);
    assert!(night(&agent, "LONG_TERM", 0.0999).1.is_none());
    assert_eq!(night(&agent, "LONG_TERM", 0.1).0, ["demote"]);
    assert_eq!(night(&agent, "LONG_TERM", 0.3).0, Vec::<String>::new());
    let (fired, state) = night(&agent, "LONG_TERM", 0.29);
    let state = state.unwrap();
    assert_eq!(
        (fired, state.class, state.expires_at),
        (
            vec!["demote".to_owned()],
            "TRANSIENT".to_owned(),
            Some(day(2.0))
        )
    );
    assert_eq!(night(&agent, "SHORT_TERM", 0.25).0, ["delete-short-term"]);
    assert_eq!(night(&agent, "LONG_TERM", 0.25).0, ["demote"]);
    let mut chart = agent.clone();
    chart
        .rules
        .iter_mut()
        .find(|rule| rule.name == "delete-short-term")
        .unwrap()
        .value = 0.1;
    assert_eq!(night(&chart, "SHORT_TERM", 0.25).0, ["demote"]);
    assert_eq!(night(&chart, "LONG_TERM", 0.25).0, ["demote"]);
}

#[test]
fn agent_leaves_permanent_memories_alone_and_removes_expired_ones() {
    // part
    let mut town = Town::new(&profile("agent"));
    let permanent = town.born(
        &Birth {
            class: Some("PERMANENT".into()),
            score: Some(0.05),
            ..kind("FACT")
        },
        day(0.0),
    );
    let error = town.fact("ERROR", 0.9, day(0.0));
    assert!(!town.worth.is_expired(error, day(7.0)));
    assert!(town.worth.is_expired(error, day(7.0).plus_millis(1)));
    assert_eq!(town.rules(day(7.0)), Vec::<String>::new());
    assert_eq!(town.rules(day(7.1)), ["expired"]);
    assert!(town.state(error).is_none());
    assert_eq!(town.rules(day(3650.0)), Vec::<String>::new());
    assert_eq!(town.retention(permanent, day(3650.0)), 0.05);
}

#[test]
fn agent_counts_from_the_last_access() {
    // part
    let mut town = Town::new(&profile("agent"));
    let [used, idle, other] = [0.5, 0.5, 0.5].map(|score| town.fact("FACT", score, day(0.0)));
    town.job(day(1.0));
    town.used(used, None, day(1.5));
    town.used(other, None, day(1.5));
    assert_eq!(
        [used, other, idle].map(|row| town.worth.uses(row).1),
        [1, 1, 0]
    );
    assert_eq!(
        [used, other, idle].map(|row| town.state(row).unwrap().accessed),
        [day(1.5), day(1.5), day(0.0)]
    );
    // Charged: one day up to the job, then half a day from the access on.
    near(town.score(used, day(2.0)), 0.5 * (-0.02_f64 * 1.5).exp());
    near(town.score(idle, day(2.0)), 0.5 * (-0.02_f64 * 2.0).exp());
}

#[test]
fn graph_archives_what_stayed_low_for_a_month() {
    // part: G-127
    let mut town = Town::new(&profile("graph"));
    let low = town.fact("事件", 0.3, day(0.0));
    let vital = town.fact("事件", 0.8, day(0.0));
    near(town.retention(low, day(22.0)), 0.099861);
    assert_eq!(runs(&mut town, 1..=51), []);
    assert_eq!(runs(&mut town, [52]), [(52, "archive".to_owned())]);
    assert_eq!(town.state(low).unwrap().status, Status::Archived);
    assert_eq!(runs(&mut town, 53..=200), []);
    assert_eq!(town.state(vital).unwrap().status, Status::Active);
}

#[test]
fn graph_starts_the_month_anew_after_an_access_that_lifts_it() {
    let mut town = Town::new(&profile("graph"));
    let lifted = town.fact("事件", 0.3, day(0.0));
    let still_low = town.fact("事件", 0.3, day(0.0));
    runs(&mut town, 1..=40);
    // At day 30 it is worth 0.0669, with one access 0.113; at day 40 0.0406, with one access
    // 0.0687.
    town.used(still_low, None, day(40.0));
    assert_eq!(
        runs(&mut town, [51, 52]),
        [(52, "archive".to_owned()), (52, "archive".to_owned())]
    );
    assert_eq!(
        [lifted, still_low].map(|row| town.state(row).unwrap().status),
        [Status::Archived; 2]
    );
    let mut town = Town::new(&profile("graph"));
    let row = town.fact("事件", 0.3, day(0.0));
    town.used(row, None, day(30.0));
    near(town.retention(row, day(32.0)), 0.102552);
    near(town.retention(row, day(33.0)), 0.097550);
    assert_eq!(runs(&mut town, 31..=62), []);
    assert_eq!(runs(&mut town, [63]), [(63, "archive".to_owned())]);
}

#[test]
fn markdown_levels_and_hits() {
    // part: M-55, M-56, M-57, M-58
    let town = &mut Town::new(&profile("markdown"));
    let level = |town: &mut Town, level: &str| {
        town.born(
            &Birth {
                level: Some(level.into()),
                ..kind("fact")
            },
            day(0.0),
        )
    };
    let rows = ["high", "medium", "low", "huge"].map(|name| level(town, name));
    assert_eq!(
        rows.map(|row| town.score(row, day(0.0))),
        [0.8, 0.6, 0.4, 0.6]
    );
    let hits: Vec<f64> = (1..=3)
        .map(|session| town.used(rows[1], Some(session), day(0.1)).after)
        .collect();
    hits.iter()
        .zip([0.68, 0.744, 0.7952])
        .for_each(|(value, expected)| near(*value, expected));
    town.used(rows[1], Some(3), day(0.2));
    town.used(rows[1], Some(3), day(0.2));
    near(town.score(rows[1], day(0.2)), 0.7952);
    for session in 10..110 {
        town.used(rows[3], Some(session), day(0.3));
    }
    let most = town.score(rows[3], day(0.3));
    assert!(most <= 1.0 && most > 0.999999, "{most}");
}

#[test]
fn markdown_hits_come_before_decay() {
    // part: M-62
    let mut town = Town::new(&profile("markdown"));
    let row = town.fact("fact", 0.0, day(0.0));
    town.change(row, day(0.0), |regime, state| {
        regime.policy.set_score(state, regime.passes, 0.9, day(0.0));
    });
    town.used(row, Some(1), day(37.0));
    town.job(day(37.0));
    near(town.score(row, day(37.0)), 0.92);
    let mut late = profile("markdown");
    late.reinforce.before_decay = false;
    let mut town = Town::new(&late);
    let row = town.born(
        &Birth {
            level: Some("medium".into()),
            ..kind("fact")
        },
        day(0.0),
    );
    town.change(row, day(0.0), |regime, state| {
        regime.policy.set_score(state, regime.passes, 0.9, day(0.0));
    });
    town.used(row, Some(1), day(37.0));
    near(
        town.score(row, day(37.0)),
        0.665730 + (1.0 - 0.665730) * 0.2,
    );
    let mut town = Town::new(&profile("markdown"));
    let row = town.born(
        &Birth {
            level: Some("medium".into()),
            ..kind("fact")
        },
        day(0.0),
    );
    let scores = [1, 2].map(|session| town.used(row, Some(session), day(f64::from(session))).after);
    scores
        .iter()
        .zip([0.68, 0.744])
        .for_each(|(value, expected)| near(*value, expected));
    assert_eq!(town.worth.uses(row).0, 2);
}

#[test]
fn markdown_archives_revives_and_deletes() {
    // part: M-25, M-65, M-66, M-68
    let mut town = Town::new(&profile("markdown"));
    let low = town.born(
        &Birth {
            level: Some("low".into()),
            ..kind("fact")
        },
        day(0.0),
    );
    let fired = runs(&mut town, 1..=214);
    assert_eq!(
        fired,
        [(76, "archive".to_owned()), (214, "delete".to_owned())]
    );
    assert!(town.state(low).is_none());
    let mut town = Town::new(&profile("markdown"));
    let at = |town: &mut Town, score: f64| {
        let row = town.fact("fact", 0.5, day(0.0));
        town.change(row, day(0.0), move |regime, state| {
            regime
                .policy
                .set_score(state, regime.passes, score, day(0.0));
        });
        row
    };
    let rows = [0.2, 0.1999, 0.05].map(|score| at(&mut town, score));
    town.job(day(0.5));
    let statuses = rows.map(|row| town.state(row).unwrap().status);
    assert_eq!(
        statuses,
        [Status::Active, Status::Archived, Status::Archived]
    );
}

#[test]
fn markdown_hits_revive_and_contradictions_halve() {
    // part: M-54, M-72, M-80, M-81
    let mut town = Town::new(&profile("markdown"));
    let row = town.born(
        &Birth {
            level: Some("medium".into()),
            ..kind("fact")
        },
        day(0.0),
    );
    let halve = |town: &mut Town| {
        let before = town.state(row).unwrap();
        town.change(row, day(0.1), |regime, state| {
            regime
                .policy
                .penalize(state, regime.passes, regime.policy.penalty(), day(0.1))
        });
        let after = town.state(row).unwrap();
        assert_eq!((before.accessed, before.used), (after.accessed, after.used));
        after.value
    };
    near(halve(&mut town), 0.3);
    assert_eq!(town.rules(day(0.2)), Vec::<String>::new());
    near(halve(&mut town), 0.15);
    assert_eq!(town.rules(day(0.3)), ["archive"]);
    town.used(row, Some(1), day(0.4));
    near(town.score(row, day(0.4)), 0.32);
    assert_eq!(town.rules(day(0.4)), ["revive"]);
    assert_eq!(town.state(row).unwrap().status, Status::Active);
}

#[test]
fn markdown_archives_expired_todos() {
    // part: M-85
    let mut town = Town::new(&profile("markdown"));
    let birth = Birth {
        level: Some("high".into()),
        expires_at: Some(day(3.0)),
        ..kind("todo")
    };
    let row = town.born(&birth, day(0.0));
    let fact = town.born(
        &Birth {
            level: Some("high".into()),
            expires_at: Some(day(3.0)),
            ..kind("fact")
        },
        day(0.0),
    );
    assert_eq!(town.rules(day(3.0)), Vec::<String>::new());
    assert_eq!(town.rules(day(4.0)), ["todo-expired", "archive"]);
    near(town.score(row, day(4.0)), 0.19);
    assert_eq!(town.state(row).unwrap().status, Status::Archived);
    assert_eq!(town.state(fact).unwrap().status, Status::Active);
    assert_eq!(town.rules(day(5.0)), Vec::<String>::new());
}

#[test]
fn markdown_takes_unknown_kinds_for_facts() {
    let policy = policy("markdown");
    for name in [
        "preference",
        "fact",
        "experience",
        "workflow",
        "decision",
        "skill_usage",
        "todo",
    ] {
        assert_eq!(placed(&policy, kind(name)).kind, name);
    }
    assert_eq!(placed(&policy, kind("gossip")).kind, "fact");
}

#[test]
fn kinds_that_are_not_of_the_profile_are_refused() {
    // part: C-41, A-15, G-10
    let refused = |profile: &str, known: &[&str], unknown: &str| {
        let policy = policy(profile);
        known
            .iter()
            .for_each(|name| assert_eq!(placed(&policy, kind(name)).kind, *name));
        let error = policy
            .place(&kind(unknown), day(0.0))
            .unwrap_err()
            .to_string();
        known
            .iter()
            .for_each(|name| assert!(error.contains(name), "{error}"));
    };
    refused("companion", &["system", "core", "fact", "episode"], "misc");
    refused(
        "studio",
        &["preference", "fact", "lesson", "goal", "context"],
        "opinion",
    );
    refused(
        "agent",
        &["FACT", "PREFERENCE", "SKILL", "ERROR", "RULE"],
        "fact",
    );
    refused("graph", &["事件", "事实", "关系", "观点"], "情绪");
    assert_eq!(placed(&policy("graph"), kind("")).kind, "事实");
    let mut without = profile("graph");
    without.taxonomy.default_kind = None;
    let none = Policy::new(&without)
        .unwrap()
        .place(&Birth::default(), day(0.0))
        .unwrap_err();
    let LifecycleError::NoKind { allowed } = none else {
        panic!("{none}")
    };
    assert_eq!(allowed, "事件, 事实, 关系, 观点");
}

#[test]
fn companion_gives_each_kind_its_first_value() {
    // part: C-44
    let first = |policy: &Policy| {
        ["system", "core", "fact", "episode"].map(|name| policy.initial(name, None, None))
    };
    assert_eq!(first(&policy("companion")), [3.0, 3.0, 1.0, 1.0]);
    let mut other = profile("companion");
    other.score.by_kind.insert("fact".into(), 1.5);
    assert_eq!(first(&Policy::new(&other).unwrap()), [3.0, 3.0, 1.5, 1.0]);
}

#[test]
fn a_plan_shows_what_a_job_would_do_and_does_nothing() {
    // part: S-99
    let mut town = Town::new(&without("studio", "weaken"));
    let rows = [0.8, 0.05, 0.7, 0.09, 0.9].map(|score| town.fact("fact", score, day(0.0)));
    let regime = town.regime();
    let would = plan(&town.store.snapshot().unwrap(), &regime, day(1.0), 100).unwrap();
    let forgotten: Vec<Row> = would.acting().map(|item| item.row).collect();
    assert_eq!(forgotten, [rows[1], rows[3]]);
    assert!(
        would
            .acting()
            .all(|item| item.fired[0].action == Action::SetStatus(Status::Forgotten))
    );
    assert!(
        rows.iter()
            .all(|row| town.state(*row).unwrap().status == Status::Active)
    );
    assert_eq!(
        next_due(&town.store.snapshot().unwrap(), town.lane).unwrap(),
        Some(day(0.0))
    );
    town.job(day(1.0));
    assert_eq!(
        rows.map(|row| town.state(row).unwrap().status == Status::Forgotten),
        [false, true, false, true, false]
    );
}
