//! How the profiles `companion`, `studio`, `agent` and `markdown` search and rank.

use crate::support::likeness::{COARSE, DAY, World, hit, near, now, value};
use annals::graph::Assertion;
use annals::{
    Channel, Feature, Filter, MemoryId, Mode, Nearness, NewMemory, Query, Route, Status, UnitScore,
};

fn says(world: &World, id: MemoryId, subject: &str, predicate: &str, object: &str) {
    world
        .space
        .graph()
        .add_triples(id, &[Assertion::new(subject, predicate, object)])
        .unwrap();
}

#[test]
fn companion_searches_vectors_and_triples() {
    // spec: C-97
    // part: C-98
    let world = World::new("companion");
    for n in 0..100 {
        world.put("fact", 0.9 - n as f32 * 0.005, &format!("noise {n}"));
    }
    let cat = world.put("fact", 0.83, "主人的猫叫豆豆");
    says(&world, cat, "豆豆", "是", "猫");
    let second = world.put("fact", 0.8975, "主人喜欢动物");
    let all = world.answer(Query::new("猫叫什么名字").top_k(100));
    let by = |channel| {
        all.hits
            .iter()
            .filter(|hit| hit.explanation.found_by.contains(&channel))
            .count()
    };
    assert_eq!((by(Channel::Vector), by(Channel::Text)), (10, 0));
    // The cat is the fifteenth by likeness: only its triple brings it up.
    assert_eq!(
        hit(&all, "主人的猫叫豆豆").explanation.found_by,
        [Channel::Graph]
    );
    let plain = hit(&all, "主人喜欢动物");
    assert_eq!((plain.id, plain.explanation.graph.clone()), (second, None));
    assert_eq!(all.hits.len(), 11);
    assert_eq!(all.hits[0].text, "主人的猫叫豆豆");
}

#[test]
fn companion_adds_vector_graph_and_importance() {
    // spec: C-99
    // part: C-101
    let world = World::new("companion");
    let scored = |cosine, importance: f32, text: &str| {
        let memory = NewMemory::builder(text)
            .kind("fact")
            .importance(importance)
            .build()
            .unwrap();
        world.store(cosine, memory)
    };
    let (named, near_by) = (
        scored(0.7, 1.0, "主人养了豆豆"),
        scored(0.8, 1.5, "猫都怕水"),
    );
    let (far, rich) = (scored(0.1, 5.0, "水里有鱼"), scored(0.5, 1.0, "主人不喝酒"));
    says(&world, named, "豆豆", "是", "猫");
    says(&world, near_by, "猫", "怕", "水");
    says(&world, far, "水", "有", "鱼");
    world
        .space
        .graph()
        .add_triples(rich, &[Assertion::new("豆豆", "喜欢", "酒").negated()])
        .unwrap();
    let answer = world.answer(Query::new("豆豆怎么了").top_k(10));
    let next = hit(&answer, "猫都怕水");
    let by = |name: &str| {
        Some(Route::Entity {
            name: name.to_owned(),
        })
    };
    assert_eq!(
        next.explanation.graph,
        Some(Nearness {
            distance: 1,
            by: by("猫")
        })
    );
    near(value(next, Feature::Dense), 0.8, COARSE);
    assert_eq!(
        (
            value(next, Feature::Graph),
            value(next, Feature::Importance)
        ),
        (0.5, 0.5)
    );
    near(next.score, 0.68, 0.6 * COARSE);
    // Two steps count a third, importance at most fully; what is denied is there.
    let far = hit(&answer, "水里有鱼");
    near(value(far, Feature::Graph), 1.0 / 3.0, 1e-6);
    assert_eq!(value(far, Feature::Importance), 1.0);
    assert_eq!(
        hit(&answer, "主人不喝酒").explanation.graph,
        Some(Nearness {
            distance: 0,
            by: by("豆豆")
        })
    );
    // A result carries everything.
    let json = serde_json::to_value(next).unwrap();
    assert_eq!(
        (json["text"].as_str(), json["memory"]["kind"].as_str()),
        (Some("猫都怕水"), Some("fact"))
    );
    assert_eq!(json["id"].as_str(), Some(next.id.to_string().as_str()));
    assert_eq!(json["memory"]["importance"].as_f64(), Some(1.5));
    let parts = json["explanation"]["parts"].as_array().unwrap();
    for (feature, weight) in [("dense", 0.6), ("graph", 0.3), ("importance", 0.1)] {
        let part = parts
            .iter()
            .find(|part| part["feature"] == feature)
            .unwrap();
        let (value, contribution) = (
            part["value"].as_f64().unwrap(),
            part["contribution"].as_f64().unwrap(),
        );
        assert!((contribution - weight * value).abs() < 1e-6);
    }
    // Weights are data, and sum to 1.
    let text = world.memory.profiles().text("companion").unwrap();
    let refused = world
        .memory
        .profiles()
        .store("own", &text.replace("graph = 0.3", "graph = 0.4"))
        .unwrap_err();
    assert!(refused.to_string().contains("sum to 1.1"), "{refused}");
    let own = text
        .replace("graph = 0.3", "graph = 0.2")
        .replace("importance = 0.1", "importance = 0.2");
    world.memory.profiles().store("own", &own).unwrap();
}

#[test]
fn studio_asks_with_the_last_three_messages() {
    // part: S-42
    let world = World::new("studio");
    world.put("fact", 0.9, "项目使用 Drizzle ORM");
    let mut query = Query::new("好的按第一个方案办");
    for n in 1..=5 {
        query = query.context(format!("消息{n} {{message}}"));
    }
    world.answer(query);
    let asked = world.embedder.questions.lock().unwrap().clone();
    let context = "消息3 {message}\n消息4 {message}\n消息5 {message}";
    assert_eq!(
        asked,
        [format!("用户: 好的按第一个方案办\n上下文: {context}")]
    );
}

#[test]
fn studio_finds_by_meaning_by_words_and_by_relations() {
    // part: S-44
    let world = World::new("studio");
    for n in 0..40 {
        world.put("fact", 0.5, &format!("noise {n}"));
    }
    world.put("fact", 0.9, "偏爱组合而不是继承");
    world.put("fact", -0.5, "部署用 kubernetes 集群");
    let related = world.put("fact", -0.5, "小李负责前端");
    says(&world, related, "小李", "负责", "前端");
    let minimum = |score: f32| {
        Query::new("kubernetes 上小李的东西").min_score(UnitScore::new("s", score).unwrap())
    };
    let all = world.answer(minimum(0.0).top_k(100));
    let found = |text: &str| hit(&all, text).explanation.found_by.clone();
    assert_eq!(found("偏爱组合而不是继承"), [Channel::Vector]);
    assert_eq!(found("部署用 kubernetes 集群"), [Channel::Text]);
    assert!(found("小李负责前端").contains(&Channel::Graph));
}

#[test]
fn studio_returns_three_that_reach_the_minimum() {
    // spec: S-48
    // part: S-47
    let world = World::new("studio");
    // The calibration of this embedder leads from a cosine to 0.05 + 0.95 x cosine.
    let cosine = |score: f32| (score - 0.05) / 0.95;
    for (score, text) in [(0.92, "一"), (0.85, "二"), (0.69, "三")] {
        world.put("fact", cosine(score), text);
    }
    let found = || world.answer("哪些");
    let scores: Vec<f32> = found().hits.iter().map(|hit| hit.score).collect();
    assert_eq!(scores.len(), 2);
    near(scores[0], 0.92, COARSE);
    near(scores[1], 0.85, COARSE);
    world.put("fact", cosine(0.7 + COARSE), "四");
    assert_eq!(found().hits.len(), 3);
    // A hit that reaches the minimum exactly is there.
    let exact = found().hits[2].score;
    let at = |score: f32| Query::new("哪些").min_score(UnitScore::new("score", score).unwrap());
    assert_eq!(
        (
            world.answer(at(exact)).hits.len(),
            world.answer(at(exact + 1e-6)).hits.len()
        ),
        (3, 2)
    );
    for n in 0..10 {
        world.put("fact", 0.95, &format!("relevant {n}"));
    }
    assert_eq!(found().hits.len(), 3);
}

#[test]
fn studio_lifts_by_every_channel_and_loses_by_none() {
    // spec: S-49
    let world = World::new("studio");
    let perfect = world.put("fact", 1.0, "Kubernetes");
    says(&world, perfect, "Kubernetes", "是", "平台");
    world.put("fact", (0.92 - 0.05) / 0.95, "偏爱组合");
    let one_step = world.put("fact", (0.75 - 0.05) / 0.95, "平台很稳定");
    says(&world, one_step, "平台", "很", "稳定");
    let answer =
        world.answer(Query::new("kubernetes").min_score(UnitScore::new("score", 0.0).unwrap()));
    let best = hit(&answer, "Kubernetes");
    assert_eq!(
        [Feature::Text, Feature::Graph].map(|f| value(best, f)),
        [1.0, 1.0]
    );
    near(best.score, 1.0, COARSE);
    near(hit(&answer, "偏爱组合").score, 0.92, COARSE);
    let step = hit(&answer, "平台很稳定");
    assert_eq!(value(step, Feature::Graph), 0.5);
    near(step.score, 0.75, COARSE);
}

#[test]
fn studio_orders_equal_scores() {
    // part: S-50
    // Similar memories stay two.
    let apart = |text: String| text.replace("when = \"insert\"", "when = \"never\"");
    let world = World::changed("studio", apart);
    let start = now().plus_millis(-300 * DAY);
    let store = |text: &str, days: i64, sure: f32, ended: bool| {
        let memory = NewMemory::builder(text)
            .kind("fact")
            .event_time(now().plus_millis(-days * DAY));
        let memory = memory.confidence(sure).valid_from(start);
        let memory = if ended {
            memory.valid_until(now().plus_millis(-1))
        } else {
            memory
        };
        world.store(1.0, memory.build().unwrap());
    };
    store("unsure", 10, 0.5, false);
    store("ended", 1, 1.0, true);
    store("sure", 10, 0.9, false);
    store("recent", 2, 0.5, false);
    let least = UnitScore::new("score", 0.0).unwrap();
    let answer = world.answer(Query::new("what").top_k(10).min_score(least));
    let order: Vec<&str> = answer.hits.iter().map(|hit| hit.text.as_str()).collect();
    assert_eq!(order, ["recent", "sure", "unsure", "ended"]);
    // Without a price for what has ended, the order alone keeps it last.
    let world = World::changed("studio", |text| {
        apart(text).replace("validity = 0.3", "validity = 0.0")
    });
    for (text, ended) in [("valid", false), ("over", true), ("valid too", false)] {
        let memory = NewMemory::builder(text)
            .kind("fact")
            .event_time(start)
            .valid_from(start);
        let memory = if ended {
            memory.valid_until(now().plus_millis(-1))
        } else {
            memory
        };
        world.store(1.0, memory.build().unwrap());
    }
    let answer = world.answer("what");
    assert_eq!(answer.hits[2].text, "over");
    assert_eq!(
        answer.hits[0].score.to_bits(),
        answer.hits[2].score.to_bits()
    );
}

#[test]
fn agent_goes_on_by_words() {
    let world = World::new("agent");
    world.put("SKILL", 0.8, "先跑 pytest 再提交");
    world.put("FACT", 0.6, "那次用 pytest 修好了登录");
    world.put("FACT", 0.1, "用户住在柏林");
    let answer = world.answer("pytest");
    assert_eq!(answer.hits[0].memory.body.kind.to_string(), "SKILL");
    assert_eq!(answer.without_vectors, None);
    *world.embedder.broken.lock().unwrap() = true;
    let answer = world.answer("pytest");
    let mut found: Vec<&str> = answer.hits.iter().map(|hit| hit.text.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, ["先跑 pytest 再提交", "那次用 pytest 修好了登录"]);
    assert!(answer.without_vectors.is_some());
}

#[test]
fn agent_adds_five_terms() {
    // spec: A-83
    let world = World::new("agent");
    let memory = NewMemory::builder("alpha beta gamma delta")
        .kind("SKILL")
        .importance(0.5)
        .confidence(0.9);
    let id = world.store(0.8, memory.build().unwrap());
    for n in 0..100 {
        world.put("FACT", 0.5, &format!("alpha {n}"));
    }
    let month = 30 * DAY;
    let asked = Query::new("alpha gamma")
        .asked_at(now().plus_millis(month))
        .top_k(100);
    let answer = world.answer(asked);
    let found = answer.hits.iter().find(|hit| hit.id == id).unwrap();
    near(value(found, Feature::Dense), 0.05 + 0.95 * 0.8, COARSE);
    near(value(found, Feature::Recency), 0.367_879, 1e-6);
    assert_eq!(
        (
            value(found, Feature::Importance),
            value(found, Feature::Confidence)
        ),
        (0.5, 0.9)
    );
    // The numbers of the design: what this hit has more or less of likeness and words is taken off
    // again.
    let (dense, text) = (value(found, Feature::Dense), value(found, Feature::Text));
    near(
        found.score - 0.45 * (dense - 0.8) - 0.25 * (text - 0.4),
        0.616_788,
        1e-5,
    );
    let today = world.answer(Query::new("alpha gamma").top_k(100));
    let by = |channel| {
        today
            .hits
            .iter()
            .filter(|hit| hit.explanation.found_by.contains(&channel))
            .count()
    };
    assert_eq!((by(Channel::Text), by(Channel::Vector)), (30, 30));
    assert_eq!(world.answer("alpha").hits.len(), 10);
}

#[test]
fn markdown_searches_what_was_archived() {
    // part: M-89, M-92
    let world = World::new("markdown");
    let ids = [
        ("旧的一条", 0.15),
        ("淡忘的一条", 0.35),
        ("删掉的一条", 0.6),
    ]
    .map(|(text, score)| {
        world.store(
            0.5,
            NewMemory::builder(text)
                .kind("fact")
                .importance(score)
                .build()
                .unwrap(),
        )
    });
    world.memory.maintain(true, Mode::Commit).unwrap();
    assert_eq!(
        world.space.get(ids[0]).unwrap().unwrap().status,
        Status::Archived
    );
    world.space.delete(ids[2], Mode::Commit).unwrap();
    let everywhere = Filter {
        statuses: vec![Status::Active, Status::Archived],
        ..Filter::default()
    };
    let mut found = world.texts(Query::new("那一条").filter(everywhere));
    found.sort();
    assert_eq!(found, ["旧的一条", "淡忘的一条"]);
    // One entry of many that changes is embedded, and no other.
    let more: Vec<MemoryId> = (0..1000)
        .map(|n| world.put("fact", 0.1, &format!("entry {n}")))
        .collect();
    *world.embedder.stored.lock().unwrap() = 0;
    let changed = NewMemory::builder("entry 7, changed")
        .kind("fact")
        .build()
        .unwrap();
    world.space.update(more[7], changed).unwrap();
    assert_eq!(*world.embedder.stored.lock().unwrap(), 1);
}

/// The same profiles with the embedder that comes along.
mod shipped {
    use std::sync::Arc;

    use crate::support::life::World;
    use crate::support::shipped::Noted;
    use annals::graph::Assertion;
    use annals::{
        Channel, Embedder, Filter, ListQuery, MemoryId, NewMemory, Options, Query, Status,
        UnitScore,
    };

    #[test]
    fn companion_takes_ten_by_meaning() {
        // spec: C-98
        let world = World::new("companion");
        for n in 0..100 {
            world.kind("fact", &format!("主人的第{n}本书放在书架上"));
        }
        let hits = world
            .space()
            .recall(Query::new("主人的书").top_k(100))
            .unwrap();
        assert_eq!(
            hits.iter()
                .filter(|hit| hit.explanation.found_by.contains(&Channel::Vector))
                .count(),
            10
        );
    }

    #[test]
    fn companion_tells_everything_of_a_hit_and_drops_no_denial() {
        // spec: C-101
        let world = World::new("companion");
        let id = world.kind("fact", "主人不喜欢香菜");
        world
            .space()
            .graph()
            .add_triples(id, &[Assertion::new("主人", "喜欢", "香菜").negated()])
            .unwrap();
        let hit = world.space().recall("主人喜欢香菜吗").unwrap().remove(0);
        let json = serde_json::to_value(&hit).unwrap();
        assert_eq!(json["id"].as_str(), Some(id.to_string().as_str()));
        let memory = &json["memory"];
        assert_eq!(
            (json["text"].as_str(), memory["kind"].as_str()),
            (Some("主人不喜欢香菜"), Some("fact"))
        );
        assert!(
            json["score"].is_f64() && memory["importance"].is_f64(),
            "{json}"
        );
        let parts = json["explanation"]["parts"].as_array().unwrap();
        for channel in ["dense", "graph", "importance"] {
            assert!(
                parts
                    .iter()
                    .any(|part| part["feature"] == channel && part["value"].is_f64()),
                "{channel}: {json}"
            );
        }
    }

    #[test]
    fn studio_returns_three() {
        // spec: S-47
        let world = World::new("studio");
        for tea in [
            "绿茶", "红茶", "白茶", "花茶", "黑茶", "奶茶", "冰茶", "姜茶", "麦茶", "凉茶",
        ] {
            world.kind("fact", &format!("用户在办公室里说过{tea}"));
        }
        let question =
            Query::new("用户说过什么茶").min_score(UnitScore::new("least", 0.0).unwrap());
        let kept = world.space().list(&ListQuery::default()).unwrap().total;
        assert!(kept > 3 && world.recall(question).len() == 3, "{kept}");
    }

    #[test]
    fn markdown_searches_what_was_archived() {
        // spec: M-89
        let world = World::new("markdown");
        let entry = |score: f64, text: &str| world.scored("fact", score, text);
        let archived = entry(0.15, "用户偏好用 pytest");
        entry(0.35, "用户读过 pytest 的文档");
        let gone = entry(0.6, "用户不再用 pytest 插件");
        world.force();
        assert_eq!(world.status(archived), Some(Status::Archived));
        world.space().delete(gone, annals::Mode::Commit).unwrap();
        let everywhere = Filter {
            statuses: vec![Status::Active, Status::Archived],
            ..Filter::default()
        };
        let mut found = world.recall(Query::new("pytest").filter(everywhere));
        found.sort();
        assert_eq!(found, ["用户偏好用 pytest", "用户读过 pytest 的文档"]);
    }

    #[test]
    fn markdown_embeds_what_has_changed_alone() {
        // spec: M-92
        let embedder = Noted::new();
        let shown = Arc::clone(&embedder);
        let world = World::with("markdown", move |options: Options| {
            options.embedder(Arc::clone(&shown) as Arc<dyn Embedder>)
        });
        let entry = |n: usize| {
            NewMemory::builder(format!("entry {n}"))
                .kind("fact")
                .build()
                .unwrap()
        };
        let ids: Vec<MemoryId> = world
            .space()
            .bulk()
            .remember((0..1000).map(entry).collect())
            .unwrap();
        world.memory().wait_idle().unwrap();
        *embedder.stored.lock().unwrap() = 0;
        let changed = NewMemory::builder("entry 7, changed")
            .kind("fact")
            .build()
            .unwrap();
        world.space().update(ids[7], changed).unwrap();
        world.memory().wait_idle().unwrap();
        assert_eq!(*embedder.stored.lock().unwrap(), 1);
    }
}
