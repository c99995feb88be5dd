//! The life of memories under the five designs: first values, decay, limits of use, rules, with
//! the numbers that the designs give.

use crate::support::life::{World, day, near};
use annals::profile::{JobStep, ReviewKind, Signal};
use annals::{Counted, MemoryId, Mode, NewMemory, PendingReview, Status, Verdict};

const HOUR: f64 = 1.0 / 24.0;
const MINUTE: f64 = HOUR / 60.0;

/// A namespace under a copy of a design's profile; each pair is what the profile says and what it
/// is to say.
fn changed(profile: &str, changes: &[(&str, &str)]) -> World {
    let world = World::new(profile);
    let mut text = annals::profiles::builtin(profile).unwrap().to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from} is not in the profile");
        text = text.replacen(from, to, 1);
    }
    world.memory().profiles().store("own", &text).unwrap();
    world.space().admin().set_profile("own").unwrap();
    world
}

fn classed(world: &World, class: &str, score: f64, text: &str) -> MemoryId {
    let memory = NewMemory::builder(text)
        .kind("FACT")
        .importance(score as f32)
        .metadata("class", class);
    world.remember(memory.build().unwrap())
}

fn leveled(world: &World, level: &str, text: &str) -> MemoryId {
    world.remember(
        NewMemory::builder(text)
            .kind("fact")
            .metadata("level", level)
            .build()
            .unwrap(),
    )
}

fn reviews(world: &World) -> Vec<(MemoryId, ReviewKind)> {
    let of = |review: PendingReview| (review.id, review.kind);
    world
        .space()
        .reviews()
        .pending(100)
        .unwrap()
        .into_iter()
        .map(of)
        .collect()
}

/// Uses a memory at so many days; answers its score then.
fn used(world: &World, id: MemoryId, days: f64) -> f64 {
    world.at(days);
    world.space().touch(&[id]).unwrap();
    world.score(id)
}

mod companion {
    use super::*;

    #[test]
    fn each_kind_has_a_first_value_that_is_a_setting() {
        // spec: C-44
        let first = |world: &World| {
            ["system", "core", "fact", "episode"]
                .map(|kind| world.score(world.kind(kind, &format!("the first {kind}"))))
        };
        assert_eq!(first(&World::new("companion")), [3.0, 3.0, 1.0, 1.0]);
        assert_eq!(
            first(&changed(
                "companion",
                &[("fact = 1.0, episode", "fact = 1.5, episode")]
            )),
            [3.0, 3.0, 1.5, 1.0]
        );
    }

    #[test]
    fn system_core_and_what_matters_most_are_left_alone() {
        // spec: C-48, C-49, C-50
        let world = World::new("companion");
        let system = world.scored("system", 0.7, "系统设定");
        let core = world.scored("core", 0.1, "主人生日是5月3日");
        let protected = world.scored("fact", 3.0, "主人住在柏林");
        for at in 1..=400 {
            world.at(f64::from(at) * (1.0 + MINUTE));
            world.force();
        }
        for (id, value) in [(system, 0.7), (core, 0.1), (protected, 3.0)] {
            near(world.score(id), f64::from(value as f32));
            assert_eq!(world.status(id), Some(Status::Active));
        }
        assert_eq!(reviews(&world), []);
        let world = World::new("companion");
        let (three, less) = (
            world.scored("fact", 3.0, "主人有一只猫"),
            world.scored("fact", 2.99, "主人怕冷"),
        );
        world.at(100.0);
        world.force();
        near(world.score(three), 3.0);
        near(world.score(less), f64::from(2.99_f32) * 0.85);
        world.validate();
    }

    #[test]
    fn an_episode_is_weaker_after_three_days() {
        // spec: C-52
        let world = World::new("companion");
        let old = world.kind("episode", "聊了面试");
        world.at(1.0 + HOUR);
        let fresh = world.kind("episode", "聊了游戏");
        world.at(4.0);
        world.force();
        near(world.score(old), 0.6);
        near(world.score(fresh), 1.0);
    }

    #[test]
    fn uses_within_two_hours_count_once() {
        // spec: C-63, C-64
        let world = World::new("companion");
        let ids =
            ["主人喜欢拉面", "主人养了一只猫", "主人住在柏林"].map(|text| world.kind("fact", text));
        near(used(&world, ids[0], 9.0 * HOUR), 1.3);
        near(used(&world, ids[0], 10.0 * HOUR + 59.0 * MINUTE), 1.3);
        near(used(&world, ids[1], 9.0 * HOUR), 1.3);
        near(used(&world, ids[1], 11.0 * HOUR), 1.6);
        // The limit begins with the last use that counted.
        near(used(&world, ids[2], 9.0 * HOUR), 1.3);
        near(used(&world, ids[2], 10.5 * HOUR), 1.3);
        near(used(&world, ids[2], 11.0 * HOUR + MINUTE), 1.6);
    }

    #[test]
    fn a_day_gives_one_at_most() {
        // spec: C-65, C-66
        let world = World::new("companion");
        let fact = world.scored("fact", 1.5, "主人喜欢拉面");
        for (hour, value) in [
            (8.0, 1.8),
            (10.0, 2.1),
            (12.0, 2.4),
            (14.0, 2.5),
            (16.0, 2.5),
        ] {
            near(used(&world, fact, hour * HOUR), value);
        }
        near(used(&world, fact, 22.0 * HOUR), 2.5);
        near(used(&world, fact, 24.0 * HOUR + 5.0 * MINUTE), 2.8);
    }

    #[test]
    fn limits_outlast_a_restart_and_are_of_one_memory() {
        // spec: C-67
        let mut world = World::new("companion");
        let (one, other) = (
            world.kind("fact", "主人喜欢拉面"),
            world.kind("fact", "主人养了一只猫"),
        );
        world.at(9.0 * HOUR);
        let counted = world.space().touch(&[one, other]).unwrap();
        assert!(
            counted
                .iter()
                .all(|touched| touched.counted == Counted::Yes)
        );
        near(world.score(other), 1.3);
        world.reopen();
        near(used(&world, one, 9.5 * HOUR), 1.3);
        near(world.score(other), 1.3);
    }

    #[test]
    fn a_use_puts_decay_off_and_not_the_end() {
        // spec: C-137
        let world = World::new("companion");
        let episode = world.kind("episode", "聊了面试");
        near(used(&world, episode, 6.9 - HOUR), 1.3);
        world.at(6.9);
        world.force();
        near(world.score(episode), 1.3);
        world.at(7.0);
        world.force();
        assert_eq!(world.status(episode), None);
    }

    #[test]
    fn only_facts_below_a_fifth_are_reviewed() {
        // spec: C-70, C-85
        let world = World::new("companion");
        let half = world.scored("fact", 0.52, "主人在学画画");
        let low = world.scored("fact", 0.23, "主人喜欢拉面");
        let episode = world.scored("episode", 0.21, "聊了面试");
        let core = world.scored("core", 2.6, "主人生日是5月3日");
        world.at(5.0);
        world.force();
        near(world.score(half), f64::from(0.52_f32) * 0.85);
        assert!(world.score(episode) < 0.13);
        assert_eq!(reviews(&world), [(low, ReviewKind::Decay)]);
        assert_eq!(world.status(core), Some(Status::Active));
        let early = changed(
            "companion",
            &[("op = \"below\"\nvalue = 0.2", "op = \"below\"\nvalue = 0.5")],
        );
        let half = early.scored("fact", 0.52, "主人在学画画");
        early.at(5.0);
        early.force();
        assert_eq!(reviews(&early), [(half, ReviewKind::Decay)]);
    }

    #[test]
    fn what_a_review_keeps_comes_back_after_six_passes() {
        // spec: C-71
        let world = World::new("companion");
        let fact = world.scored("fact", 0.22, "主人喜欢拉面");
        world.at(5.0);
        world.force();
        near(world.score(fact), f64::from(0.22_f32) * 0.85);
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Decay, Verdict::Keep)
            .unwrap();
        near(world.score(fact), 0.5);
        for (pass, value) in [0.425, 0.361_25, 0.307_063, 0.261_003, 0.221_853, 0.188_575]
            .into_iter()
            .enumerate()
        {
            assert_eq!(reviews(&world), [], "pass {pass}");
            world.at(6.0 + pass as f64 * (1.0 + MINUTE));
            world.force();
            near(world.score(fact), value);
        }
        assert_eq!(reviews(&world), [(fact, ReviewKind::Decay)]);
        let text = annals::profiles::builtin("companion").unwrap().replacen(
            "value = 0.2\n",
            "value = 0.5\n",
            1,
        );
        let warnings = world.memory().profiles().store("loop", &text).unwrap();
        assert!(
            warnings
                .iter()
                .any(|warning| warning.contains("keep_reset")),
            "{warnings:?}"
        );
    }

    #[test]
    fn a_promotion_review_that_keeps_changes_nothing_and_waits() {
        // spec: C-77, C-82
        let world = World::new("companion");
        let fact = world.scored("fact", 2.2, "主人叫小满");
        near(used(&world, fact, 0.5), 2.5);
        world.force();
        assert_eq!(reviews(&world), [(fact, ReviewKind::Promote)]);
        let before = (world.space().get(fact).unwrap(), world.standing(fact));
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Promote, Verdict::Keep)
            .unwrap();
        assert_eq!(
            (world.space().get(fact).unwrap(), world.standing(fact)),
            before
        );
        for use_ in 1..=10 {
            near(used(&world, fact, 0.5 + f64::from(use_) * MINUTE), 2.5);
        }
        world.at(1.51);
        world.force();
        assert_eq!(reviews(&world), []);
        near(used(&world, fact, 1.6), 2.8);
        world.at(2.6);
        world.force();
        assert_eq!(reviews(&world), [(fact, ReviewKind::Promote)]);
    }

    #[test]
    fn days_that_were_missed_count_only_where_the_profile_says_so() {
        // spec: C-62
        for (world, value) in [
            (World::new("companion"), 0.85),
            (
                changed("companion", &[("catch_up = false", "catch_up = true")]),
                0.272_491,
            ),
        ] {
            let fact = world.kind("fact", "主人喜欢拉面");
            world.at(12.0);
            world.force();
            near(world.score(fact), value);
        }
    }

    const EARLIER: [(&str, &str); 4] = [
        (
            "factor = 0.85, grace_days = 5.0",
            "factor = 0.95, grace_days = 7.0",
        ),
        (
            "factor = 0.6, grace_days = 3.0",
            "factor = 0.8, grace_days = 7.0",
        ),
        ("value = 7.0 # days", "value = 14.0 # days"),
        (
            "value = 0.2\nclasses = [\"fact\"] # C-85\nedge = \"falling\"\naction = \"review\"\nreview = \"decay\"",
            "value = 0.3\nclasses = [\"fact\"]\nedge = \"falling\"\naction = \"delete\"",
        ),
    ];

    #[test]
    fn the_earlier_rules_can_still_be_had() {
        // spec: C-55, C-56
        let world = changed("companion", &EARLIER);
        let fact = world.kind("fact", "主人喜欢拉面");
        let low = world.scored("fact", 0.31, "主人养了一只猫");
        world.at(4.0);
        let episode = world.kind("episode", "聊了面试");
        world.at(12.0);
        world.force();
        near(world.score(fact), 0.95);
        assert_eq!((world.status(low), reviews(&world)), (None, vec![]));
        near(world.score(episode), 0.8);
        world.at(17.0 + 23.0 * HOUR);
        world.force();
        assert_eq!(world.status(episode), Some(Status::Active));
        world.at(19.0);
        world.force();
        assert_eq!(world.status(episode), None);
    }

    #[test]
    fn an_episode_of_eight_days_is_gone() {
        // spec: C-57
        let world = World::new("companion");
        let episode = world.kind("episode", "聊了面试");
        world.at(8.0);
        world.force();
        assert_eq!(world.status(episode), None);
    }
}

mod studio {
    use super::*;

    #[test]
    fn accesses_keep_a_memory_alive() {
        // spec: S-12
        let world = World::new("studio");
        let (idle, asked) = (
            world.scored("fact", 0.8, "用户住在柏林"),
            world.scored("fact", 0.8, "项目使用 Nuxt 4"),
        );
        for _ in 0..10 {
            world
                .space()
                .lifecycle()
                .signal(&[asked], Signal::Injected)
                .unwrap();
        }
        assert_eq!(
            [idle, asked].map(|id| world.standing(id).class),
            ["working", "working"]
        );
        world.at(200.0);
        let worth = |id| world.standing(id).retention;
        assert!((worth(idle) - 0.108_268).abs() < 2e-6 && (worth(asked) - 0.367_884).abs() < 2e-6);
    }

    /// Two memories a while apart, and a job after so many days of the first: whether each is kept.
    fn kept(world: &World, kind: &str, days: f64, apart: f64) -> [bool; 2] {
        let first = world.kind(kind, "用户在学意大利语");
        world.at(apart);
        let second = world.kind(kind, "我们下周去看灯塔");
        world.at(days);
        world.force();
        [first, second].map(|id| world.status(id) == Some(Status::Active))
    }

    #[test]
    fn each_type_is_forgotten_on_its_day() {
        // spec: S-13, S-67
        for (kind, days) in [("preference", 220.0), ("goal", 195.0), ("lesson", 215.0)] {
            assert_eq!(
                kept(&World::new("studio"), kind, days, 1.0),
                [false, true],
                "{kind}"
            );
        }
        assert_eq!(
            kept(&World::new("studio"), "context", 8.0, 2.0),
            [false, true]
        );
    }

    /// The days of a memory on which the job ran each night from its first weak day on: the last
    /// one on which it was active, and its importance then.
    fn last_day(kind: &str, from: f64, until: f64) -> (f64, f64) {
        let world = World::new("studio");
        let id = world.kind(kind, "用户在学意大利语");
        let (mut day, mut last) = (from, (0.0, 0.0));
        while day <= until {
            world.at(day);
            world.force();
            if world.status(id) != Some(Status::Active) {
                break;
            }
            last = (day, world.standing(id).importance);
            day += 1.0;
        }
        last
    }

    #[test]
    fn nights_that_lower_the_importance_shorten_no_life() {
        // part: S-67, S-13, S-14; one night at a time, beside the days of a single job
        for (kind, from, days) in [
            ("preference", 108.0, 219.0),
            ("goal", 83.0, 194.0),
            ("fact", 97.0, 207.0),
        ] {
            let (last, importance) = last_day(kind, from, days + 2.0);
            assert!(
                (last - days).abs() < 1e-9 && (importance - 0.05).abs() < 1e-6,
                "{kind}: {last}, {importance}"
            );
        }
        assert_eq!(last_day("context", 1.0, 9.0).0, 7.0);
    }

    #[test]
    fn tiers_end_by_their_own_rates() {
        // spec: S-14
        let world = World::new("studio");
        let (fact, context) = (
            world.kind("fact", "用户住在柏林"),
            world.kind("context", "用户今天很忙"),
        );
        for (days, id, value) in [
            (6.0, context, 0.121_901),
            (207.0, fact, 0.100_949),
            (208.0, fact, 0.099_944),
        ] {
            world.at(days);
            assert!(
                (world.standing(id).retention - value).abs() < 2e-6,
                "day {days}"
            );
        }
        assert_eq!(
            kept(&World::new("studio"), "fact", 208.0, 1.0),
            [false, true]
        );
        assert_eq!(
            kept(&World::new("studio"), "context", 7.01, 1.01),
            [false, true]
        );
        let slow = || {
            changed(
                "studio",
                &[(
                    "temporary = { lambda = 0.198042 }",
                    "temporary = { lambda = 0.01 }",
                )],
            )
        };
        assert_eq!(kept(&slow(), "context", 139.0, 1.0), [false, true]);
        let world = slow();
        let context = world.kind("context", "用户今天很忙");
        for (days, value) in [(138.0, 0.100_631), (139.0, 0.099_630)] {
            world.at(days);
            assert!(
                (world.standing(context).retention - value).abs() < 2e-6,
                "day {days}"
            );
        }
    }

    #[test]
    fn days_count_from_the_last_access() {
        // spec: S-66
        for (world, value) in [
            (World::new("studio"), 1.225_615),
            (
                changed(
                    "studio",
                    &[("clock = \"last_access\"", "clock = \"created\"")],
                ),
                0.024_809,
            ),
        ] {
            let fact = world.scored("fact", 0.8, "用户住在柏林");
            world.at(390.0);
            world
                .space()
                .lifecycle()
                .signal(&[fact], Signal::Injected)
                .unwrap();
            world.at(400.0);
            assert!(
                (world.standing(fact).retention - value).abs() < 5e-6,
                "{}",
                world.standing(fact).retention
            );
        }
    }

    #[test]
    fn what_is_worth_more_than_seven_tenths_is_active() {
        // spec: S-70
        for (days, value, active) in [(13.0, 0.702_476, 1), (14.0, 0.695_487, 0)] {
            let world = World::new("studio");
            let fact = world.scored("fact", 0.8, "用户住在柏林");
            world.at(days);
            assert!((world.standing(fact).retention - value).abs() < 2e-6);
            let steps: Vec<_> = world
                .force()
                .into_iter()
                .flat_map(|report| report.steps)
                .collect();
            let report = steps
                .iter()
                .find(|made| made.step == JobStep::Report)
                .unwrap();
            assert_eq!(report.counts["active"], active, "day {days}");
        }
    }

    #[test]
    fn what_is_brought_back_stays() {
        // spec: S-75
        let world = World::new("studio");
        let weak = world.scored("fact", 0.05, "用户有一只猫");
        world.at(1.0);
        world.force();
        assert_eq!(world.status(weak), Some(Status::Forgotten));
        world.at(100.0);
        world.space().restore(weak).unwrap();
        near(world.score(weak), 0.4);
        assert_eq!(world.standing(weak).last_access, day(100.0));
        world.at(101.0);
        world.force();
        assert_eq!(world.status(weak), Some(Status::Active));
    }

    #[test]
    fn a_dry_run_names_what_would_be_forgotten() {
        // spec: S-99
        let world = World::new("studio");
        let texts = [
            "用户住在柏林",
            "项目使用 Nuxt 4",
            "用户养了一只猫",
            "用户在学意大利语",
            "团队周一开会",
        ];
        let scores = [0.8, 0.05, 0.7, 0.09, 0.9];
        let ids: Vec<MemoryId> = texts
            .iter()
            .zip(scores)
            .map(|(text, score)| world.scored("fact", score, text))
            .collect();
        world.at(1.0);
        let reports = world.memory().maintain(true, Mode::DryRun).unwrap();
        let planned = reports.iter().flat_map(|report| &report.planned);
        let forgotten: Vec<MemoryId> = planned
            .filter(|plan| plan.action == "forgotten")
            .map(|plan| plan.id)
            .collect();
        assert_eq!(forgotten, [ids[1], ids[3]]);
        assert!(
            ids.iter()
                .all(|id| world.status(*id) == Some(Status::Active))
        );
        world.force();
        let kept = |id: &MemoryId| world.status(*id) == Some(Status::Active);
        assert_eq!(
            ids.iter().map(kept).collect::<Vec<_>>(),
            [true, false, true, false, true]
        );
    }
}

mod agent {
    use super::*;

    #[test]
    fn five_types_are_known_and_what_none_says_lasts_as_its_type_does() {
        // spec
        let world = World::new("agent");
        let types = ["FACT", "PREFERENCE", "SKILL", "ERROR", "RULE"];
        let ids = types.map(|kind| world.kind(kind, &format!("what is known of {kind}")));
        let unknown = NewMemory::builder("x").kind("fact").build().unwrap();
        let refused = world.space().remember(unknown).unwrap_err().to_string();
        assert!(types.iter().all(|kind| refused.contains(kind)), "{refused}");
        for id in [ids[1], ids[2]] {
            let standing = world.standing(id);
            assert_eq!(
                (standing.class.as_str(), standing.expires_at),
                ("PERMANENT", None)
            );
        }
        let odd = NewMemory::builder("never call it twice")
            .kind("ERROR")
            .metadata("duration", "2w");
        let odd = world.remember(odd.build().unwrap());
        assert_eq!(world.standing(odd).expires_at, Some(day(7.0)));
    }

    #[test]
    fn what_is_weak_for_a_short_time_goes_without_a_step_between() {
        // spec: A-27
        let night = |world: &World| {
            let short = classed(world, "SHORT_TERM", 0.25, "the train leaves at nine");
            let long = classed(world, "LONG_TERM", 0.25, "the stove needs a match");
            world.force();
            [short, long].map(|id| world.status(id).map(|_| world.standing(id).class))
        };
        let transient = || Some("TRANSIENT".to_owned());
        assert_eq!(night(&World::new("agent")), [None, transient()]);
        let rule = "name = \"delete-short-term\"\nmetric = \"score\"\nop = \"below\"\nvalue = ";
        let chart = changed("agent", &[(&format!("{rule}0.3"), &format!("{rule}0.1"))]);
        assert_eq!(night(&chart), [transient(), transient()]);
    }

    #[test]
    fn what_is_permanent_is_left_alone() {
        // spec: A-67
        let world = World::new("agent");
        let id = classed(&world, "PERMANENT", 0.05, "用户叫李雷");
        let before = (world.space().get(id).unwrap(), world.standing(id));
        world.at(1.0);
        world.force();
        assert_eq!((world.space().get(id).unwrap(), world.standing(id)), before);
    }
}

mod graph {
    use super::*;

    /// The retention of an event of this importance after so many accesses and days.
    fn worth(world: &World, kind: &str, score: f64, accesses: usize, days: f64) -> f64 {
        world.at(0.0);
        let id = world.scored(kind, score, &format!("{kind} {score} {accesses} 在灯塔"));
        for _ in 0..accesses {
            world
                .space()
                .lifecycle()
                .signal(&[id], Signal::Returned)
                .unwrap();
        }
        world.at(days);
        world.standing(id).retention
    }

    #[test]
    fn each_type_fades_at_its_own_rate_which_is_a_setting() {
        // spec: G-120, G-121
        let world = World::new("graph");
        for (kind, score, accesses, days, value) in [
            ("事件", 0.5, 3, 10.0, 0.723_680),
            ("事件", 0.5, 0, 10.9, 0.303_265),
            ("事实", 0.8, 0, 100.0, 0.294_304),
            ("关系", 0.7, 0, 100.0, 0.424_571),
            ("观点", 0.6, 0, 10.0, 0.444_491),
            ("事件", 0.3, 9, 0.0, 0.990_776),
        ] {
            let found = worth(&world, kind, score, accesses, days);
            assert!((found - value).abs() < 2e-6, "{kind} {score}: {found}");
        }
        let faster = changed(
            "graph",
            &[(
                "classes.\"事件\" = { lambda = 0.05 }",
                "classes.\"事件\" = { lambda = 0.1 }",
            )],
        );
        near(worth(&faster, "事件", 0.5, 0, 10.0), 0.5 * (-1.0_f64).exp());
    }
}

mod markdown {
    use super::*;
    use annals::{ContextRequest, Query};

    #[test]
    fn levels_give_first_scores_and_hits_lead_to_one() {
        // spec: M-57
        let world = World::new("markdown");
        let entry = leveled(&world, "medium", "用户喜欢函数式编程");
        near(world.score(entry), 0.6);
        for hit in 1..=100 {
            let score = used(&world, entry, f64::from(hit) * MINUTE);
            assert!(score <= 1.0, "{score}");
        }
        assert!(world.score(entry) > 0.999_999);
    }

    #[test]
    fn a_hit_comes_before_decay() {
        // spec: M-62
        let world = World::new("markdown");
        let entry = world.scored("fact", 0.9, "用户住在柏林");
        near(
            used(&world, entry, 37.0),
            f64::from(0.9_f32) + (1.0 - f64::from(0.9_f32)) * 0.2,
        );
        world.force();
        assert!((world.score(entry) - 0.92).abs() < 1e-6);
        let late = changed(
            "markdown",
            &[("before_decay = true", "before_decay = false")],
        );
        let entry = late.scored("fact", 0.9, "用户住在柏林");
        assert!((used(&late, entry, 37.0) - 0.732_584).abs() < 1e-6);
    }

    #[test]
    fn an_entry_leaves_the_prompt_on_its_day() {
        // spec: M-67
        let world = World::new("markdown");
        let (high, medium) = (
            leveled(&world, "high", "用户住在柏林"),
            leveled(&world, "medium", "用户在学意大利语"),
        );
        let shown = |days: f64| {
            world.at(days);
            let text = world
                .space()
                .context(ContextRequest::default())
                .unwrap()
                .text;
            [text.contains("柏林"), text.contains("意大利语")]
        };
        assert_eq!((shown(25.0), shown(26.0)), ([true, true], [true, false]));
        assert!(world.score(medium) < 0.5);
        assert_eq!(shown(53.0), [true, false]);
        assert!((world.score(high) - 0.503_859).abs() < 2e-6);
        assert_eq!(shown(54.0), [false, false]);
        assert!((world.score(high) - 0.498_820).abs() < 2e-6);
    }

    #[test]
    fn scores_have_three_bands() {
        // spec: M-68
        let world = World::new("markdown");
        let entry = |score: f64, text: &str| world.scored("fact", score, text);
        let bands = [
            entry(0.2, "用户住在柏林"),
            entry(0.05, "用户在学意大利语"),
            entry(0.049, "用户养了一只猫"),
        ];
        world.force();
        assert_eq!(
            bands.map(|id| world.status(id)),
            [Some(Status::Active), Some(Status::Archived), None]
        );
    }

    #[test]
    fn a_todo_that_has_expired_is_put_away() {
        // spec: M-85
        let world = World::new("markdown");
        let todo = NewMemory::builder("交周报")
            .kind("todo")
            .metadata("level", "high")
            .expires_at(day(3.0));
        let todo = world.remember(todo.build().unwrap());
        world.at(3.0);
        world.force();
        near(world.score(todo), 0.8);
        world.at(4.0);
        world.force();
        near(world.score(todo), 0.19);
        assert_eq!(world.status(todo), Some(Status::Archived));
        assert!(
            !world
                .space()
                .context(ContextRequest::default())
                .unwrap()
                .text
                .contains("周报")
        );
        assert!(
            !world
                .recall(Query::new("周报"))
                .iter()
                .any(|text| text.contains("周报"))
        );
    }
}

/// A memory that time alone would delete under a profile, and the days until then.
const ENDS: [(&str, &str, f64, f64); 3] = [
    ("markdown", "fact", 0.6, 730.0),
    ("companion", "episode", 1.0, 730.0),
    ("agent", "FACT", 0.5, 730.0),
];

/// A clock that is ahead hides at most, whatever the design deletes by time.
#[test]
fn a_clock_that_is_ahead_deletes_nothing_until_a_person_says_that_it_is_right() {
    for (profile, kind, score, ahead) in ENDS {
        let world = World::new(profile);
        let id = world.scored(kind, score, "用户有哮喘");
        let begun = world.memory().maintain(true, Mode::Commit).unwrap();
        assert!(!begun.is_empty(), "{profile}");
        world.clock.set(day(ahead));
        assert_eq!(
            world.memory().jobs().clock_jumps().unwrap().len(),
            1,
            "{profile}"
        );
        for days in [0.0, 1.0, 10.0, 400.0] {
            world.clock.set(day(ahead + days));
            world.memory().maintain(true, Mode::Commit).unwrap();
            assert_eq!(
                world.status(id),
                Some(Status::Forgotten),
                "{profile}, {days} days behind the jump"
            );
        }
        world.validate();
        // The clock is put right: it was not said of the memory that it should go.
        world.clock.set(day(1.0));
        world.memory().maintain(true, Mode::Commit).unwrap();
        assert_eq!(world.status(id), Some(Status::Active), "{profile}");
        assert_eq!(
            world.memory().jobs().clock_jumps().unwrap(),
            [],
            "{profile}"
        );
        // It is right this time: what is hidden goes after some days.
        world.clock.set(day(ahead));
        world.memory().maintain(true, Mode::Commit).unwrap();
        assert_eq!(world.status(id), Some(Status::Forgotten), "{profile}");
        assert_eq!(
            world.memory().jobs().trust_clock().unwrap().len(),
            1,
            "{profile}"
        );
        for (days, status) in [
            (1.0, Some(Status::Forgotten)),
            (6.0, Some(Status::Forgotten)),
            (7.1, None),
        ] {
            world.clock.set(day(ahead + days));
            world.memory().maintain(true, Mode::Commit).unwrap();
            assert_eq!(world.status(id), status, "{profile}, {days} days later");
        }
        world.validate();
    }
}

/// Use of a namespace shows that time has passed: nobody is asked.
#[test]
fn time_that_was_seen_to_pass_is_not_doubted() {
    let world = World::new("markdown");
    let id = world.scored("fact", 0.6, "用户有哮喘");
    for week in 1..=60_u32 {
        world.clock.set(day(f64::from(week) * 7.0));
        world.scored("fact", 0.6, &format!("第{week}周"));
    }
    assert_eq!(world.memory().jobs().clock_jumps().unwrap(), []);
    world.memory().maintain(true, Mode::Commit).unwrap();
    assert_eq!(world.status(id), None);
    // A pause within what the profile expects is none to ask about.
    world.clock.set(day(60.0 * 7.0 + 30.0));
    assert_eq!(world.memory().jobs().clock_jumps().unwrap(), []);
    world.clock.set(day(60.0 * 7.0 + 32.0));
    assert_eq!(world.memory().jobs().clock_jumps().unwrap().len(), 1);
}
