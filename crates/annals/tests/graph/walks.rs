//! Recall under the profile `graph` with the embedder that comes along: what is found by meaning,
//! and what over links.

use std::collections::BTreeSet;

use crate::support::life::{World, day};
use annals::profile::{Profile, RecallMode, RelationClass};
use annals::{
    Answer, Channel, Feature, Filter, Hit, Kind, MemoryId, Nearness, NewMemory, Query, QueryPlan,
    Route, TimeRange, Trigger,
};

const CAUSE: &str = "昨晚停电的原因";
const LIGHTNING: &str = "雷击中了郊外的塔";
const FIRE: &str = "变压器烧坏了";
const DARK: &str = "昨晚停电了";

/// Old memories that do not matter, but say more of what is asked than causes do.
fn crowd(world: &World, count: usize, kind: &str) {
    let old = |n| {
        NewMemory::builder(format!("昨晚的消息第{n}条"))
            .kind(kind)
            .event_time(day(-1000.0))
            .importance(0.0)
    };
    world
        .space()
        .bulk()
        .remember((0..count).map(|n| old(n).build().unwrap()).collect())
        .unwrap();
}

fn link(world: &World, from: MemoryId, to: MemoryId) {
    world.space().graph().link(from, "导致", to).unwrap();
}

/// Lightning caused a fire, which caused the dark; a question finds the dark alone by its meaning.
fn chain_in(world: &World) {
    crowd(world, 60, "事件");
    let [lightning, fire, dark] = [LIGHTNING, FIRE, DARK].map(|text| world.kind("事件", text));
    link(world, lightning, fire);
    link(world, fire, dark);
    world.memory().wait_idle().unwrap();
}

fn chain() -> World {
    let world = World::new("graph");
    chain_in(&world);
    world
}

fn answer(world: &World, query: impl Into<Query>) -> Answer {
    world.space().answer(query).unwrap()
}

/// The hits beside the crowd.
fn found(world: &World, query: impl Into<Query>) -> BTreeSet<String> {
    let texts = answer(world, query).hits.into_iter().map(|hit| hit.text);
    texts
        .filter(|text| !text.starts_with("昨晚的消息"))
        .collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn hit<'a>(answer: &'a Answer, text: &str) -> &'a Hit {
    answer
        .hits
        .iter()
        .find(|hit| hit.text == text)
        .unwrap_or_else(|| panic!("{text} is no hit"))
}

fn distance(answer: &Answer, text: &str) -> u32 {
    hit(answer, text)
        .explanation
        .graph
        .as_ref()
        .unwrap()
        .distance
}

#[test]
fn causes_are_followed_as_far_as_is_said() {
    // spec: G-02, G-53, G-54
    let world = chain();
    let causes = || Query::new(CAUSE);
    assert_eq!(
        found(&world, causes().expand_depth(2)),
        set(&[DARK, FIRE, LIGHTNING])
    );
    assert_eq!(found(&world, causes().expand_depth(1)), set(&[DARK, FIRE]));
    assert_eq!(
        found(&world, causes()),
        set(&[DARK, FIRE]),
        "a trigger leads one step"
    );
    assert_eq!(
        found(&world, causes().expand_depth(0)),
        set(&[DARK]),
        "0 is none"
    );
    // Nothing in the question asks for it, and the best answer is good.
    assert_eq!(found(&world, DARK), set(&[DARK]));
    let far = answer(&world, causes().expand_depth(5));
    assert_eq!(far.graph.unwrap().notes, ["expand_depth 5 is treated as 2"]);
    assert_eq!(
        found(&world, causes().expand_depth(5)),
        set(&[DARK, FIRE, LIGHTNING])
    );
}

#[test]
fn a_mode_says_whether_links_are_followed() {
    // spec: G-01, G-75, G-94
    let world = chain();
    let mode = |question: &str, mode| answer(&world, Query::new(question).mode(mode));
    let fast = mode(CAUSE, RecallMode::Fast).graph.unwrap();
    assert_eq!(
        (fast.depth, fast.trigger, fast.entities),
        (0, None, Vec::new())
    );
    assert_eq!(
        found(&world, Query::new(CAUSE).mode(RecallMode::Fast)),
        set(&[DARK])
    );
    let deep = mode(DARK, RecallMode::Deep);
    assert!(
        hit(&deep, DARK)
            .explanation
            .found_by
            .contains(&Channel::Vector)
    );
    assert_eq!(hit(&deep, FIRE).explanation.found_by, [Channel::Graph]);
    let trace = deep.graph.unwrap();
    assert_eq!(
        (trace.mode, trace.depth, trace.trigger),
        (RecallMode::Deep, 1, Some(Trigger::Asked))
    );
    assert_eq!(answer(&world, DARK).graph.unwrap().mode, RecallMode::Auto);
    let text = annals::profiles::builtin("graph").unwrap();
    for (word, wanted) in [("fast", set(&[DARK])), ("deep", set(&[DARK, FIRE]))] {
        let own = World::new("graph");
        own.memory()
            .profiles()
            .store(
                "own",
                &text.replace("mode = \"auto\"", &format!("mode = {word:?}")),
            )
            .unwrap();
        own.space().admin().set_profile("own").unwrap();
        chain_in(&own);
        assert_eq!(found(&own, DARK), wanted, "{word}");
    }
    assert!(
        world
            .memory()
            .profiles()
            .store("own", &text.replace("mode = \"auto\"", "mode = \"slow\""))
            .is_err()
    );
}

#[test]
fn words_of_cause_and_of_relation_lead_on() {
    // spec: G-79, G-80
    let world = World::new("graph");
    let (rain, mood) = (
        world.kind("事件", "昨天下雨了"),
        world.kind("事件", "今天心情不好"),
    );
    link(&world, rain, mood);
    let trigger = |question: &str| answer(&world, question).graph.unwrap().trigger;
    for word in ["因为", "所以", "为什么", "原因", "导致"] {
        let asked = trigger(&format!("我{word}今天不开心？"));
        assert_eq!(
            asked,
            Some(Trigger::CauseWord {
                word: word.to_owned()
            })
        );
    }
    for word in ["有关", "关于", "相关", "联系"] {
        let asked = trigger(&format!("和小明{word}的记忆"));
        assert_eq!(
            asked,
            Some(Trigger::RelationWord {
                word: word.to_owned()
            })
        );
    }
    assert_eq!(
        trigger("Why was I in a bad mood?"),
        Some(Trigger::CauseWord {
            word: "why".to_owned()
        })
    );
    let asked = trigger("Memories related to Ming");
    assert_eq!(
        asked,
        Some(Trigger::RelationWord {
            word: "related".to_owned()
        })
    );
    assert_eq!(trigger("昨天下雨了"), None);
}

#[test]
fn fifty_are_found_by_meaning_and_ten_returned() {
    // spec: G-51, G-77, G-82
    let world = World::new("graph");
    crowd(&world, 200, "事件");
    world.memory().wait_idle().unwrap();
    let all = answer(
        &world,
        Query::new("昨晚的消息").top_k(100).mode(RecallMode::Fast),
    );
    let by_meaning = all
        .hits
        .iter()
        .filter(|hit| hit.explanation.found_by.contains(&Channel::Vector));
    assert_eq!(by_meaning.count(), 50);
    assert_eq!(answer(&world, "昨晚的消息").hits.len(), 10);
    assert_eq!(
        answer(&world, Query::new("昨晚的消息").top_k(3)).hits.len(),
        3
    );
}

#[test]
fn filters_hold_for_what_links_bring() {
    // spec: G-49, G-50
    let world = World::new("graph");
    crowd(&world, 60, "事实");
    let event = |text: &str, kind: &str, at: f64| {
        world.remember(
            NewMemory::builder(text)
                .kind(kind)
                .event_time(day(at))
                .build()
                .unwrap(),
        )
    };
    let seed = event("昨晚停电了真讨厌", "观点", -2.0);
    for (text, kind, at) in [
        ("冰淇淋化了", "观点", -1.5),
        ("没带手电", "事件", -1.5),
        ("夏天总这样", "观点", -0.5),
    ] {
        link(&world, seed, event(text, kind, at));
    }
    world.memory().wait_idle().unwrap();
    let why = || Query::new("昨晚为什么停电");
    let opinions = Filter {
        kinds: vec![Kind::new("观点").unwrap()],
        ..Filter::default()
    };
    let wanted = set(&["昨晚停电了真讨厌", "冰淇淋化了", "夏天总这样"]);
    assert_eq!(found(&world, why().filter(opinions)), wanted);
    let days = TimeRange {
        start: Some(day(-2.0)),
        end: Some(day(-1.0)),
    };
    let range = Filter {
        time: days,
        ..Filter::default()
    };
    assert_eq!(
        found(&world, why().filter(range)),
        set(&["昨晚停电了真讨厌", "冰淇淋化了", "没带手电"])
    );
}

#[test]
fn what_is_found_twice_is_there_once_at_its_smaller_distance() {
    // spec: G-88, G-90
    let world = chain();
    let two = answer(&world, Query::new(CAUSE).expand_depth(2));
    let graph = |text: &str| {
        let parts = &hit(&two, text).explanation.parts;
        parts
            .iter()
            .find(|part| part.feature == Feature::Graph)
            .unwrap()
            .value
            .unwrap()
    };
    assert_eq!([DARK, FIRE].map(graph), [1.0, 0.5]);
    assert!((graph(LIGHTNING) - 0.333_333).abs() < 1e-6);
    // Both ends of a link are found by what they say.
    let (storm, late) = (
        world.kind("事件", "停电的电梯停在三楼"),
        world.kind("事件", "停电的通知贴在楼下"),
    );
    link(&world, storm, late);
    world.memory().wait_idle().unwrap();
    let answer = answer(&world, Query::new("停电的电梯和停电的通知有关吗"));
    let hits: Vec<&Hit> = answer.hits.iter().filter(|hit| hit.id == late).collect();
    assert_eq!(
        (hits.len(), distance(&answer, "停电的通知贴在楼下")),
        (1, 0)
    );
}

#[test]
fn a_cause_is_found_against_the_direction_of_its_link() {
    // spec: G-55, G-86
    let world = chain();
    let answer = answer(&world, "昨晚为什么停电了？");
    assert_eq!(distance(&answer, DARK), 0);
    let by = Route::Link {
        relation: "导致".to_owned(),
        class: RelationClass::Causality,
        outgoing: false,
    };
    assert_eq!(
        hit(&answer, FIRE).explanation.graph,
        Some(Nearness {
            distance: 1,
            by: Some(by)
        })
    );
    assert!(hit(&answer, DARK).score > 0.0 && hit(&answer, FIRE).score > 0.0);
}

#[test]
fn a_plan_is_made_by_rules_or_by_a_model() {
    // spec: G-76, G-93
    // part: G-92; a plan without subjects
    let world = chain();
    let profile: Profile = world.space().admin().settings().unwrap();
    let plan = |question: &str| QueryPlan::by_rules(question, &profile);
    let why = plan("我为什么今天不开心？");
    assert_eq!(
        (why.expand_depth, why.relation_filters.as_deref()),
        (1, Some(&["因为".into(), "导致".into()][..]))
    );
    let about = plan("和小明有关的记忆");
    assert_eq!((about.expand_depth, about.relation_filters), (1, None));
    let defaults = QueryPlan {
        semantic_query: DARK.into(),
        search_mode: RecallMode::Auto,
        ..QueryPlan::default()
    };
    assert_eq!(plan(DARK), defaults);
    assert_eq!(
        (
            defaults.expand_depth,
            defaults.relation_filters,
            defaults.memory_types.len()
        ),
        (0, None, 0)
    );
    let answered = r#"{"semantic_query":"昨晚停电","expand_depth":2,"relation_filters":["因为","导致"],"search_mode":"deep"}"#;
    let planned: QueryPlan = serde_json::from_str(answered).unwrap();
    assert!(
        found(&world, planned.query(&profile).unwrap()).is_superset(&set(&[DARK, FIRE, LIGHTNING]))
    );
    assert_eq!(
        found(&world, plan(DARK).query(&profile).unwrap()),
        set(&[DARK])
    );
}
