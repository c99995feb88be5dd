//! Recall under the profile `graph`: what is followed, when, how far, and how it is ranked.

use crate::support::likeness::{COARSE, DAY, World, hit, near, now, value};
use annals::graph::Assertion;
use annals::profile::{Profile, RecallMode, RelationClass, Signal};
use annals::{
    Channel, Feature, Filter, Kind, MemoryId, Nearness, NewMemory, Query, QueryPlan, Route,
    TimeRange, Timestamp, Trigger,
};

/// A –导致→ B –导致→ C, of which a question finds C alone; the rest of what it finds is old and does
/// not matter.
fn chain() -> World {
    let world = World::new("graph");
    world.noise(60, "事件", 0.1);
    let [a, b, c] = [("A", -0.1), ("B", -0.1), ("C", 0.9)]
        .map(|(text, cosine)| world.put("事件", cosine, text));
    world.space.graph().link(a, "导致", b).unwrap();
    world.space.graph().link(b, "导致", c).unwrap();
    world
}

fn link_by(relation: &str, outgoing: bool) -> Option<Route> {
    Some(Route::Link {
        relation: relation.to_owned(),
        class: RelationClass::Causality,
        outgoing,
    })
}

#[test]
fn a_question_for_causes_follows_links_as_far_as_it_says() {
    // part: G-02, G-53, G-54
    let world = chain();
    let causes = || Query::new("C 的原因");
    assert_eq!(world.texts(causes().expand_depth(2)), ["C", "B", "A"]);
    assert_eq!(world.texts(causes().expand_depth(1)), ["C", "B"]);
    assert_eq!(
        world.texts(causes()),
        ["C", "B"],
        "a trigger leads one step"
    );
    assert_eq!(world.texts(causes().expand_depth(0)), ["C"], "0 is none");
    // Nothing in the question asks for it, and C answers well.
    assert_eq!(world.texts("C"), ["C"]);
    assert_eq!(
        world.texts(Query::new("C").expand_depth(2)),
        ["C", "B", "A"]
    );
    let far = world.answer(causes().expand_depth(5));
    assert_eq!(far.graph.unwrap().notes, ["expand_depth 5 is treated as 2"]);
    assert_eq!(world.texts(causes().expand_depth(5)), ["C", "B", "A"]);
}

#[test]
fn the_cause_is_found_against_the_direction_of_its_link() {
    // spec: G-95
    // part: G-55, G-86
    let world = World::new("graph");
    world.noise(60, "事件", 0.85);
    let mood = world.put("事实", 0.95, "心情不好");
    let sleep = world.put("事件", 0.82, "睡眠不好");
    world.space.graph().link(sleep, "导致", mood).unwrap();
    let answer = world.answer("我为什么今天不开心？");
    let first: Vec<&str> = answer
        .hits
        .iter()
        .take(2)
        .map(|hit| hit.text.as_str())
        .collect();
    assert_eq!(first, ["心情不好", "睡眠不好"]);
    for (hit, cosine, distance) in [(&answer.hits[0], 0.95, 0), (&answer.hits[1], 0.82, 1)] {
        near(value(hit, Feature::Dense), cosine, COARSE);
        assert_eq!(hit.explanation.graph.as_ref().unwrap().distance, distance);
    }
    assert_eq!(
        answer.hits[0].explanation.graph,
        Some(Nearness {
            distance: 0,
            by: None
        })
    );
    assert_eq!(
        answer.hits[1].explanation.graph,
        Some(Nearness {
            distance: 1,
            by: link_by("导致", false)
        })
    );
    assert_eq!(answer.hits[1].explanation.found_by, [Channel::Graph]);
    let json = serde_json::to_value(&answer.hits[1].explanation.graph).unwrap();
    let expected =
        r#"{"distance":1,"by":"link","relation":"导致","class":"causality","outgoing":false}"#;
    assert_eq!(
        json,
        serde_json::from_str::<serde_json::Value>(expected).unwrap()
    );
}

#[test]
fn a_cause_that_was_discovered_is_followed_too() {
    let world = World::new("graph");
    world.noise(60, "事件", 0.1);
    let (rain, late) = (
        world.put("事件", 0.0, "下雨"),
        world.put("事件", 0.9, "迟到"),
    );
    world.space.graph().link(rain, "推测因果", late).unwrap();
    assert_eq!(world.texts("为什么迟到"), ["迟到", "下雨"]);
    // A caller's own filter is taken at its word.
    assert_eq!(
        world.texts(Query::new("为什么迟到").relation("导致")),
        ["迟到"]
    );
    assert_eq!(
        world.texts(
            Query::new("迟到")
                .mode(RecallMode::Deep)
                .relation("推测因果")
        ),
        ["迟到", "下雨"]
    );
    let unknown = world
        .space
        .recall(Query::new("迟到").relation("天气"))
        .unwrap_err();
    assert!(
        unknown.is_invalid() && unknown.to_string().contains("推测因果"),
        "{unknown}"
    );
}

#[test]
fn modes_say_whether_the_graph_is_followed() {
    // part: G-01, G-75, G-94
    let world = chain();
    let mode = |question: &str, mode| world.answer(Query::new(question).mode(mode)).graph.unwrap();
    let fast = mode("C 的原因", RecallMode::Fast);
    assert_eq!(
        (fast.depth, fast.trigger, fast.entities),
        (0, None, Vec::new())
    );
    assert_eq!(
        world.texts(Query::new("C 的原因").mode(RecallMode::Fast)),
        ["C"]
    );
    let deep = mode("C", RecallMode::Deep);
    assert_eq!(
        (deep.mode, deep.depth, deep.trigger),
        (RecallMode::Deep, 1, Some(Trigger::Asked))
    );
    assert_eq!(
        world.texts(Query::new("C").mode(RecallMode::Deep)),
        ["C", "B"]
    );
    assert_eq!(world.answer("C").graph.unwrap().mode, RecallMode::Auto);
    for (word, found) in [("fast", vec!["C"]), ("deep", vec!["C", "B"])] {
        let own = World::changed("graph", |text| {
            text.replace("mode = \"auto\"", &format!("mode = {word:?}"))
        });
        own.noise(60, "事件", 0.1);
        let (b, c) = (own.put("事件", -0.1, "B"), own.put("事件", 0.9, "C"));
        own.space.graph().link(b, "导致", c).unwrap();
        assert_eq!(own.texts("C"), found);
    }
    let text = world
        .memory
        .profiles()
        .text("graph")
        .unwrap()
        .replace("mode = \"auto\"", "mode = \"slow\"");
    let refused = world
        .memory
        .profiles()
        .store("own", &text)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("line") && refused.contains("slow"),
        "{refused}"
    );
    assert!("slow".parse::<RecallMode>().is_err());
}

#[test]
fn a_question_for_a_cause_follows_links_from_the_best_hits_under_every_profile() {
    let world = World::changed("graph", |text| {
        text.replace("seeds = 10 ", "seeds = 0 ")
            .replace("mode = \"auto\"", "mode = \"deep\"")
    });
    world.noise(60, "事件", 0.1);
    let (b, c) = (world.put("事件", -0.1, "B"), world.put("事件", 0.9, "C"));
    world.space.graph().link(b, "导致", c).unwrap();
    assert_eq!(world.texts("C 的原因"), ["C", "B"]);
    assert_eq!(world.answer("C 的原因").graph.unwrap().depth, 1);
    // Without a cause there is nothing to begin from, and it is said so.
    assert_eq!(world.texts("C"), ["C"]);
    let trace = world.answer("C").graph.unwrap();
    assert_eq!((trace.depth, trace.trigger), (0, Some(Trigger::Asked)));
}

#[test]
fn mode_auto_listens_to_words_and_to_how_well_it_went() {
    // spec: G-81
    // part: G-79, G-80
    let world = World::new("graph");
    let ids = ["昨天下雨了", "心情不好"].map(|text| world.put("事件", 0.9, text));
    world.space.graph().link(ids[0], "导致", ids[1]).unwrap();
    let trigger = |question: &str| world.answer(question).graph.unwrap().trigger;
    for word in ["因为", "所以", "为什么", "原因", "导致"] {
        assert_eq!(
            trigger(&format!("我{word}今天不开心？")),
            Some(Trigger::CauseWord {
                word: word.to_owned()
            })
        );
    }
    for word in ["有关", "关于", "相关", "联系"] {
        assert_eq!(
            trigger(&format!("和小明{word}的记忆")),
            Some(Trigger::RelationWord {
                word: word.to_owned()
            })
        );
    }
    assert_eq!(trigger("今天开心吗？"), None);
    let best_of = |cosine, threshold: &str| {
        let world = World::changed("graph", |text| {
            text.replace(
                "min_similarity = 0.7 ",
                &format!("min_similarity = {threshold} # was 0.7"),
            )
        });
        let (one, other) = (
            world.put("事件", cosine, "一"),
            world.put("事件", 0.2, "二"),
        );
        world.space.graph().link(one, "相关", other).unwrap();
        world.answer("今天开心吗？").graph.unwrap().trigger
    };
    let low = |trigger| match trigger {
        Some(Trigger::LowSimilarity { best }) => best,
        other => panic!("{other:?}"),
    };
    near(low(best_of(0.69, "0.7")), 0.69, COARSE);
    assert_eq!(best_of(0.7 + COARSE, "0.7"), None);
    // Vectors are kept in bytes, so what was meant as 0.7 is a little beside it; what it is exactly
    // is no trigger.
    let exact = low(best_of(0.7, "0.9"));
    near(exact, 0.7, COARSE);
    assert_eq!(best_of(0.7, &format!("{exact}")), None);
    near(low(best_of(0.7, &format!("{}", exact + 1e-5))), exact, 1e-6);
    // Nothing to begin with.
    let nothing = Filter {
        kinds: vec![Kind::new("观点").unwrap()],
        ..Filter::default()
    };
    let answer = world.answer(Query::new("今天开心吗？").filter(nothing));
    assert_eq!(
        (answer.hits.len(), answer.graph.unwrap().trigger),
        (0, None)
    );
}

#[test]
fn the_first_fifty_are_found_ten_are_followed_and_ten_returned() {
    // part: G-51, G-77, G-82, G-83
    let world = World::new("graph");
    let mut ids: Vec<MemoryId> = Vec::new();
    for n in 0..200 {
        ids.push(world.put("事件", 0.9 - n as f32 * 0.004, &format!("memory {n:03}")));
    }
    // Beyond the first fifty, linked to the tenth and to the eleventh.
    world.space.graph().link(ids[150], "导致", ids[9]).unwrap();
    world.space.graph().link(ids[160], "导致", ids[10]).unwrap();
    let all = world.answer(Query::new("为什么").top_k(100));
    let by = |channel| {
        all.hits
            .iter()
            .filter(|hit| hit.explanation.found_by.contains(&channel))
            .count()
    };
    assert_eq!((by(Channel::Vector), by(Channel::Graph)), (50, 1));
    let expanded: Vec<&str> = all
        .hits
        .iter()
        .filter(|h| h.explanation.found_by == [Channel::Graph])
        .map(|h| h.text.as_str())
        .collect();
    assert_eq!(expanded, ["memory 150"]);
    assert_eq!(world.answer("memory").hits.len(), 10);
    assert_eq!(world.answer(Query::new("memory").top_k(3)).hits.len(), 3);
}

#[test]
fn filters_hold_for_what_the_graph_brings() {
    // part: G-49, G-50
    let world = World::new("graph");
    world.noise(60, "事实", 0.5);
    let start: Timestamp = "2025-11-04T00:00:00Z".parse().unwrap();
    let event = |text: &str, kind: &str, days: i64| {
        let time = start.plus_millis(days * DAY + DAY / 2);
        world.store(
            0.0,
            NewMemory::builder(text)
                .kind(kind)
                .event_time(time)
                .build()
                .unwrap(),
        )
    };
    let seed = world.store(
        0.9,
        NewMemory::builder("下雨")
            .kind("观点")
            .event_time(start)
            .build()
            .unwrap(),
    );
    let others = [
        event("讨厌下雨", "观点", 0),
        event("没带伞", "事件", 0),
        event("又下雨", "观点", 1),
    ];
    for other in others {
        world.space.graph().link(seed, "导致", other).unwrap();
    }
    let opinions = Filter {
        kinds: vec![Kind::new("观点").unwrap()],
        ..Filter::default()
    };
    let mut found = world.texts(Query::new("为什么").filter(opinions.clone()));
    found.sort();
    assert_eq!(found, ["下雨", "又下雨", "讨厌下雨"]);
    let day = TimeRange {
        start: Some(start),
        end: Some(start.plus_millis(DAY)),
    };
    let yesterday = Filter {
        time: day,
        ..Filter::default()
    };
    let mut found = world.texts(Query::new("为什么").filter(yesterday));
    found.sort();
    assert_eq!(found, ["下雨", "没带伞", "讨厌下雨"]);
    // A forgotten memory neither comes nor leads on.
    world.space.forget(others[0]).unwrap();
    assert!(
        !world
            .texts(Query::new("为什么").top_k(100))
            .contains(&"讨厌下雨".to_owned())
    );
}

#[test]
fn a_memory_of_both_lists_appears_once_at_its_smaller_distance() {
    // part: G-88
    let world = World::new("graph");
    world.noise(60, "事件", 0.1);
    let (one, other) = (
        world.put("事件", 0.9, "下雨"),
        world.put("事件", 0.8, "迟到"),
    );
    let outside = world.put("事件", -0.1, "被批评");
    world.space.graph().link(one, "导致", other).unwrap();
    world.space.graph().link(other, "导致", outside).unwrap();
    let answer = world.answer(Query::new("为什么").expand_depth(2));
    let places: Vec<_> = answer
        .hits
        .iter()
        .filter(|hit| hit.text == "迟到")
        .collect();
    assert_eq!(places.len(), 1);
    assert_eq!(places[0].explanation.graph.as_ref().unwrap().distance, 0);
    assert_eq!(
        hit(&answer, "被批评").explanation.graph,
        Some(Nearness {
            distance: 1,
            by: link_by("导致", true)
        })
    );
}

#[test]
fn the_score_is_the_weighted_sum_of_its_terms() {
    // spec: G-89
    // part: G-90
    let check = |world: &World, expected: [f32; 2], uses: usize| {
        world.noise(60, "事件", 0.95);
        // exp(-0.05 x 4.46287) = 0.8
        let time = now().plus_millis(-(4.462_871 * DAY as f64) as i64);
        let scored = |cosine, text: &str| {
            let memory = NewMemory::builder(text).kind("事件").importance(0.5);
            world.store(cosine, memory.event_time(time).build().unwrap())
        };
        let (seed, linked) = (scored(0.99, "direct"), scored(0.9, "one step away"));
        let direct = scored(0.96, "direct too");
        world.space.graph().link(linked, "导致", seed).unwrap();
        for _ in 0..uses {
            world
                .space
                .lifecycle()
                .signal(&[direct, linked], Signal::Returned)
                .unwrap();
        }
        let answer = world.answer(Query::new("为什么").top_k(100));
        let step = hit(&answer, "one step away");
        let terms = [
            Feature::Dense,
            Feature::Importance,
            Feature::Recency,
            Feature::Graph,
        ]
        .map(|f| value(step, f));
        for (term, expected) in terms.into_iter().zip([0.9, 0.5, 0.8, 0.5]) {
            near(term, expected, COARSE);
        }
        near(step.score, expected[0], 0.4 * COARSE);
        // The same of a direct hit, but for its likeness.
        let direct = hit(&answer, "direct too");
        assert_eq!(value(direct, Feature::Graph), 1.0);
        near(
            direct.score - 0.4 * (value(direct, Feature::Dense) - 0.9),
            expected[1],
            0.4 * COARSE,
        );
    };
    check(&World::new("graph"), [0.72, 0.82], 0);
    // The set of five; with 15 uses as the full count, one use is a quarter of it: ln 2 / ln 16.
    let five = |text: String| {
        let weights = text
            .replace("recency = 0.2\n", "recency = 0.1\n")
            .replace("usage = 0.0 ", "usage = 0.1 ");
        weights.replace("use_full_count = 100.0", "use_full_count = 15.0")
    };
    check(&World::changed("graph", five), [0.665, 0.765], 1);
    let two_steps = chain();
    let answer = two_steps.answer(Query::new("C 的原因").expand_depth(2));
    let values = ["C", "B", "A"].map(|text| value(hit(&answer, text), Feature::Graph));
    assert_eq!(values[..2], [1.0, 0.5]);
    near(values[2], 0.333_333, 1e-6);
}

#[test]
fn recency_follows_the_kind_and_use_a_logarithm() {
    // part: G-91
    let weights = |text: String| {
        text.replace("usage = 0.0 ", "usage = 0.2 ")
            .replace("graph = 0.2", "graph = 0.0")
    };
    let world = World::changed("graph", weights);
    let old = now().plus_millis(-10 * DAY);
    let ids = [
        ("事件", 0.606_531),
        ("事实", 0.904_837),
        ("关系", 0.951_229),
        ("观点", 0.740_818),
    ]
    .map(|(kind, recency)| {
        let memory = NewMemory::builder(kind)
            .kind(kind)
            .event_time(old)
            .build()
            .unwrap();
        (world.store(-0.5, memory), kind, recency)
    });
    for _ in 0..100 {
        world
            .space
            .lifecycle()
            .signal(&[ids[0].0], Signal::Returned)
            .unwrap();
    }
    let answer = world.answer("x");
    for (_, kind, recency) in ids {
        near(value(hit(&answer, kind), Feature::Recency), recency, 1e-6);
        assert_eq!(
            value(hit(&answer, kind), Feature::Dense),
            0.0,
            "a cosine below 0 counts 0"
        );
    }
    near(value(hit(&answer, "事件"), Feature::Usage), 1.0, 1e-6);
    assert_eq!(value(hit(&answer, "事实"), Feature::Usage), 0.0);
}

#[test]
fn a_plan_is_made_by_rules_or_taken_from_a_model() {
    // part: G-76, G-92, G-93
    let world = chain();
    let profile: Profile = toml::from_str(&world.memory.profiles().text("graph").unwrap()).unwrap();
    let plan = |question: &str| QueryPlan::by_rules(question, &profile);
    let why = plan("我为什么今天不开心？");
    assert_eq!(
        (why.expand_depth, why.relation_filters.as_deref()),
        (1, Some(&["因为".into(), "导致".into()][..]))
    );
    let about = plan("和小明有关的记忆");
    assert_eq!((about.expand_depth, about.relation_filters), (1, None));
    let plain = plan("C");
    let defaults = QueryPlan {
        semantic_query: "C".into(),
        search_mode: RecallMode::Auto,
        ..QueryPlan::default()
    };
    assert_eq!(plain, defaults);
    assert_eq!(
        (
            plain.expand_depth,
            plain.relation_filters,
            plain.memory_types.len()
        ),
        (0, None, 0)
    );
    // A model's answer asks the question that it says.
    let answered = r#"{"semantic_query":"C","expand_depth":2,"relation_filters":["因为","导致"],"search_mode":"deep"}"#;
    let planned: QueryPlan = serde_json::from_str(answered).unwrap();
    assert_eq!(
        world.texts(planned.query(&profile).unwrap()),
        ["C", "B", "A"]
    );
    assert_eq!(world.texts(plan("C").query(&profile).unwrap()), ["C"]);
}

#[test]
fn what_the_question_names_is_looked_up() {
    let world = World::new("graph");
    world.noise(60, "事件", 0.5);
    let told = [
        ("小明说他病了", "小明"),
        ("超市人很多", "超市"),
        ("买了白菜", "白菜"),
    ];
    for (text, object) in told {
        let id = world.put("事件", -0.1, text);
        world
            .space
            .graph()
            .add_triples(id, &[Assertion::new(object, "是", format!("{object}的事"))])
            .unwrap();
    }
    let answer = world.answer("小明昨天在超市吗");
    assert_eq!(answer.graph.as_ref().unwrap().entities, ["小明", "超市"]);
    let named = hit(&answer, "小明说他病了");
    let by = Some(Route::Entity {
        name: "小明".into(),
    });
    assert_eq!(named.explanation.graph, Some(Nearness { distance: 0, by }));
    assert!(answer.hits.iter().all(|hit| hit.text != "买了白菜"));
}

#[test]
fn a_second_step_is_taken_where_the_first_finds_too_little() {
    // part: G-124
    let depth = |good: usize| {
        let world = World::changed("graph", |text| text.replace("enough = 0 ", "enough = 3 "));
        world.noise(60, "事件", 0.1);
        let [a, b] = ["A", "B"].map(|text| world.put("事件", -0.1, text));
        world.space.graph().link(a, "导致", b).unwrap();
        for n in 0..good {
            let c = world.put("事件", 0.9, &format!("C {n}"));
            world.space.graph().link(b, "导致", c).unwrap();
        }
        let answer = world.answer("C 的原因");
        assert_eq!(
            answer.hits.iter().filter(|hit| hit.score >= 0.5).count(),
            good,
            "{good} are good"
        );
        assert_eq!(
            answer.hits.iter().any(|hit| hit.text == "A"),
            answer.graph.as_ref().unwrap().depth == 2
        );
        // A depth that is asked for is kept.
        assert_eq!(
            world
                .answer(Query::new("C 的原因").expand_depth(1))
                .graph
                .unwrap()
                .depth,
            1
        );
        answer.graph.unwrap().depth
    };
    assert_eq!((depth(5), depth(3), depth(2), depth(1)), (1, 1, 2, 2));
}
