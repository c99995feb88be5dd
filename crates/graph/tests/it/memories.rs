//! Memories as nodes and edges, links between them, walks over both, and exports.

use crate::world;

use annals_graph::{
    Asserted, Assertion, Bridge, Claim, EdgeRole, Embedded, EntityId, Export, Format, GraphError,
    MemoryWalk, MergeSearch, NewLink, NewSubgraph, NodeKind, Support, View, assert_evidence,
    entities, expand_memories, export, link, links, merge, merge_history, relation, subgraph,
    validate,
};
use annals_types::profile::{RelationClass, Unify};
use annals_types::{Importance, Row, UnitScore};

use world::{NS, World};

fn graph_profile() -> World {
    let mut world = World::new();
    world.settings.unify = Unify::Consolidation;
    world
}

fn create(world: &World, row: u32, memory: &NewSubgraph) -> Asserted {
    let said = memory.assertions(&world.settings);
    world
        .write(|txn, scope| assert_evidence(txn, scope, &[Row(row).into()], &said))
        .unwrap()
}

fn event(world: &World, row: u32, topic: &str, object: &str) -> Asserted {
    create(
        world,
        row,
        &NewSubgraph::new("我", "事件", topic).object(object),
    )
}

fn tie(world: &World, from: u32, relation: &str, to: u32) {
    world
        .write(|txn, scope| link(txn, scope, &NewLink::new(Row(from), relation, Row(to))))
        .unwrap();
}

fn reached(world: &World, seed: u32, walk: MemoryWalk<'_>) -> Vec<(u32, u32)> {
    let found = expand_memories(&world.snapshot(), NS, &[Row(seed)], walk).unwrap();
    found
        .reached
        .iter()
        .map(|node| (node.row.0, node.distance))
        .collect()
}

#[test]
fn a_memory_is_a_chain_of_nodes() {
    // part: G-05, G-17, G-18, G-159
    let world = graph_profile();
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事件", "吃饭")
            .object("白米饭")
            .attribute("时间", "2025-11-05"),
    );
    let memory = subgraph(&world.snapshot(), NS, Row(1)).unwrap();
    let nodes: Vec<(&str, &str)> = memory
        .nodes
        .iter()
        .map(|node| (node.name.as_str(), node.kind.as_deref().unwrap()))
        .collect();
    assert_eq!(
        nodes,
        [
            ("我", "主体"),
            ("吃饭", "主题"),
            ("白米饭", "客体"),
            ("2025-11-05", "值")
        ]
    );
    let roles: Vec<(EdgeRole, &str)> = memory
        .edges
        .iter()
        .map(|edge| (edge.claim.role, edge.relation.as_str()))
        .collect();
    assert_eq!(
        roles,
        [
            (EdgeRole::MemoryType, "事件"),
            (EdgeRole::Core, "是"),
            (EdgeRole::Attribute, "时间")
        ]
    );
    assert!(
        memory
            .edges
            .windows(2)
            .all(|pair| pair[0].target == pair[1].source)
    );
    assert_eq!(memory.to_text(), "我 吃饭 白米饭，时间 2025-11-05");
    create(
        &world,
        2,
        &NewSubgraph::new("我", "事实", "心情")
            .object("不好")
            .attribute("时间", "2025-11-05 10:00"),
    );
    let memory = subgraph(&world.snapshot(), NS, Row(2)).unwrap();
    assert_eq!(
        memory.to_graph_text(),
        "[我]--事实--[心情]--是--[不好]--时间--[2025-11-05 10:00]"
    );
    // Without an object the attribute starts at the topic.
    create(
        &world,
        3,
        &NewSubgraph::new("我", "事件", "摔东西")
            .attribute("地点", "家里")
            .attribute("时间", "今天"),
    );
    let memory = subgraph(&world.snapshot(), NS, Row(3)).unwrap();
    assert_eq!(
        memory.to_graph_text(),
        "[我]--事件--[摔东西]--地点--[家里]; [摔东西]--时间--[今天]"
    );
}

#[test]
fn the_relation_between_topic_and_object_can_be_named() {
    // part: G-158, G-09
    let world = graph_profile();
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事件", "心情").object("不好"),
    );
    create(
        &world,
        2,
        &NewSubgraph::new("我", "事实", "猫")
            .object("一只")
            .relation("有"),
    );
    let text = |row| {
        subgraph(&world.snapshot(), NS, Row(row))
            .unwrap()
            .to_graph_text()
    };
    assert!(text(1).contains("--是--"));
    assert!(text(2).contains("--有--"));
    let written: Vec<String> = NodeKind::ALL
        .iter()
        .map(|kind| serde_json::to_string(kind).unwrap())
        .collect();
    assert_eq!(
        written,
        ["\"主体\"", "\"主题\"", "\"客体\"", "\"属性\"", "\"值\""]
    );
    assert!(
        NodeKind::ALL
            .iter()
            .all(|kind| kind.as_str().parse() == Ok(*kind))
    );
    assert!(
        "谓语"
            .parse::<NodeKind>()
            .unwrap_err()
            .to_string()
            .contains("主体, 主题, 客体, 属性, 值")
    );
}

#[test]
fn subjects_are_one_at_once_and_topics_when_consolidated() {
    // part: G-32, G-33, G-34
    let mut world = graph_profile();
    for row in 0..100 {
        create(&world, row, &NewSubgraph::new("我", "事件", "吃饭"));
    }
    let of_kind = |world: &World, kind: &str| {
        let found = annals_graph::list_entities(&world.snapshot(), NS, None, 1000).unwrap();
        found
            .into_iter()
            .filter(|entity| entity.kind.as_deref() == Some(kind))
            .count()
    };
    assert_eq!((of_kind(&world, "主体"), of_kind(&world, "主题")), (1, 100));
    assert_eq!(world.all(View::NOW).len(), 100);
    world.settings.unify = Unify::Insert;
    let topic = create(&world, 100, &NewSubgraph::new("我", "事件", "吃饭")).ends[0].1;
    assert_eq!(of_kind(&world, "主题"), 100);
    // Consolidation makes all topics of the name one, the oldest.
    let ids: Vec<EntityId> = (0..101).map(EntityId).collect();
    let (reads, embedded) = (world.snapshot(), Embedded::default());
    let mut search = MergeSearch::new(&reads, NS, &world.settings, &embedded);
    search.same_names(&ids).unwrap();
    let found = search.finish().unwrap();
    assert_eq!((found.checked, found.merges.len()), (0, 99));
    world.tick();
    for proposal in found.merges {
        world
            .write(|txn, scope| merge(txn, scope, proposal.source, proposal.target, None, "name"))
            .unwrap();
    }
    assert_eq!(world.all(View::NOW).len(), 1);
    assert_eq!(
        merge_history(&world.snapshot(), NS, topic).unwrap().len(),
        99
    );
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn links_have_names_classes_and_a_direction() {
    // part: G-42, G-43, G-45
    let world = graph_profile();
    event(&world, 1, "睡眠", "失眠");
    event(&world, 2, "状态", "很困");
    let names = ["因为", "所以", "导致", "引用", "基于", "相关"];
    let class = |name| relation(&world.settings, name).unwrap().class;
    assert!(
        names[..3]
            .iter()
            .all(|name| class(name) == RelationClass::Causality)
    );
    assert!(
        names[3..]
            .iter()
            .all(|name| class(name) == RelationClass::Reference)
    );
    for name in names {
        tie(&world, 1, name, 2);
    }
    let found = links(&world.snapshot(), NS, Row(1)).unwrap();
    assert_eq!(found.len(), 6);
    assert!(
        found
            .iter()
            .all(|view| (view.link.from, view.link.to) == (Row(1), Row(2)) && view.visible)
    );
    let about = relation(&world.settings, "关于").unwrap();
    assert_eq!(
        (about.name.as_str(), about.class, about.renamed),
        ("相关", RelationClass::Reference, true)
    );
    // The other end's word for the same.
    let done = world
        .write(|txn, scope| link(txn, scope, &NewLink::new(Row(2), "caused_by", Row(1))))
        .unwrap();
    assert_eq!(
        (done.link.from, done.link.to, done.relation.name.as_str()),
        (Row(1), Row(2), "causes")
    );
    assert!(done.relation.swapped);
}

#[test]
fn a_link_is_stored_once_and_bad_ones_are_refused_by_name() {
    // part: G-46, G-47
    let world = graph_profile();
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事实", "情绪").object("不开心"),
    );
    create(&world, 2, &NewSubgraph::new("我", "事件", "摔东西"));
    let make = |weight| NewLink::new(Row(1), "导致", Row(2)).weight(weight).unwrap();
    for (weight, expected, existed) in [(0.6, 0.6, false), (0.9, 0.9, true), (0.2, 0.9, true)] {
        let done = world
            .write(|txn, scope| link(txn, scope, &make(weight).field("discovered", true)))
            .unwrap();
        assert_eq!(done.existed, existed);
        let found = links(&world.snapshot(), NS, Row(2)).unwrap();
        assert_eq!(
            (found.len(), found[0].weight, found[0].metadata.len()),
            (1, expected, 1)
        );
    }
    let refuse = |new: NewLink| {
        world
            .write(|txn, scope| link(txn, scope, &new))
            .unwrap_err()
    };
    assert!(matches!(
        refuse(NewLink::new(Row(1), "导致", Row(1))),
        GraphError::SelfTie { row: Row(1) }
    ));
    assert!(
        refuse(NewLink::new(Row(1), "导致", Row(77)))
            .to_string()
            .contains("row 77")
    );
    let unknown = refuse(NewLink::new(Row(1), "爱", Row(2))).to_string();
    assert!(
        unknown.contains("\"爱\"") && unknown.contains("导致"),
        "{unknown}"
    );
    assert_eq!(links(&world.snapshot(), NS, Row(1)).unwrap().len(), 1);
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn links_sleep_with_either_end_and_go_with_either() {
    let mut world = graph_profile();
    for row in 1..=3 {
        event(&world, row, &format!("topic {row}"), "x");
    }
    tie(&world, 1, "causes", 2);
    tie(&world, 2, "causes", 3);
    let visible = |world: &World| {
        links(&world.snapshot(), NS, Row(2))
            .unwrap()
            .iter()
            .map(|view| view.visible)
            .collect::<Vec<_>>()
    };
    assert_eq!(visible(&world), [true, true]);
    world.tick();
    let slept = world.state(1, Support::Forgotten);
    assert_eq!(
        (slept.links_slept.len(), visible(&world)),
        (1, vec![true, false])
    );
    world.state(3, Support::Archived);
    assert_eq!(visible(&world), [true, false]);
    let slept = world.state(2, Support::Forgotten);
    assert_eq!(
        (slept.links_slept.len(), visible(&world)),
        (1, vec![false, false])
    );
    assert!(world.state(1, Support::Active).links_woken.is_empty());
    assert_eq!(world.state(2, Support::Active).links_woken.len(), 2);
    let gone = world.erase(&[3]);
    assert_eq!((gone.links.len(), gone.links[0].from), (1, Row(2)));
    assert_eq!(visible(&world), [true]);
}

#[test]
fn depth_limits_steps_and_circles_end() {
    // part: G-52, G-84
    let world = graph_profile();
    for (row, topic) in [(1, "A"), (2, "B"), (3, "C")] {
        event(&world, row, topic, &format!("object of {topic}"));
    }
    tie(&world, 1, "导致", 2);
    tie(&world, 2, "导致", 3);
    let walk = |depth| MemoryWalk::new(depth, &world.settings);
    assert_eq!(reached(&world, 3, walk(0)), []);
    assert_eq!(reached(&world, 3, walk(1)), [(2, 1)]);
    assert_eq!(reached(&world, 3, walk(2)), [(2, 1), (1, 2)]);
    tie(&world, 3, "导致", 1);
    assert_eq!(reached(&world, 1, walk(5)), [(2, 1), (3, 1)]);
    // Only along the edges the circle takes two steps.
    let forth = MemoryWalk {
        direction: annals_graph::Direction::Out,
        ..walk(5)
    };
    assert_eq!(reached(&world, 1, forth), [(2, 1), (3, 2)]);
}

#[test]
fn neighbours_are_linked_either_way_or_share_a_node() {
    // part: G-153
    let mut world = graph_profile();
    world.settings.unify = Unify::Insert;
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事实", "心情").object("不好"),
    );
    create(
        &world,
        2,
        &NewSubgraph::new("我", "事件", "睡眠").object("没睡好"),
    );
    tie(&world, 2, "导致", 1);
    let found = expand_memories(
        &world.snapshot(),
        NS,
        &[Row(1)],
        MemoryWalk::new(1, &world.settings),
    )
    .unwrap()
    .reached;
    // Against the edge: from the effect to its cause.
    assert_eq!(
        (found[0].row, found[0].distance, found.len()),
        (Row(2), 1, 1)
    );
    assert!(matches!(
        found[0].by,
        Bridge::Link {
            outgoing: false,
            ..
        }
    ));
    for row in 3..8 {
        create(
            &world,
            row,
            &NewSubgraph::new("我", "事实", "情绪").object(format!("第{row}种")),
        );
    }
    let shared = reached(&world, 3, MemoryWalk::new(1, &world.settings));
    assert_eq!(shared, [(4, 1), (5, 1), (6, 1), (7, 1)]);
}

#[test]
fn a_relation_filter_follows_only_such_links() {
    // part: G-85, G-161
    let mut world = graph_profile();
    world.settings.unify = Unify::Insert;
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事件", "购物")
            .object("苹果")
            .attribute("地点", "超市"),
    );
    create(
        &world,
        2,
        &NewSubgraph::new("我", "事件", "停车")
            .object("汽车")
            .attribute("地点", "超市"),
    );
    create(
        &world,
        3,
        &NewSubgraph::new("我", "事件", "吃").object("水果"),
    );
    create(
        &world,
        4,
        &NewSubgraph::new("我", "事件", "睡觉").object("午睡"),
    );
    tie(&world, 1, "导致", 3);
    tie(&world, 1, "相关", 4);
    let walk = MemoryWalk::new(1, &world.settings);
    // Links in the order of their relations, then what shares a node.
    assert_eq!(reached(&world, 1, walk), [(3, 1), (4, 1), (2, 1)]);
    assert_eq!(
        reached(
            &world,
            1,
            MemoryWalk {
                relations: Some(&["导致"]),
                ..walk
            }
        ),
        [(3, 1)]
    );
    assert_eq!(
        reached(
            &world,
            1,
            MemoryWalk {
                relations: Some(&["没有"]),
                ..walk
            }
        ),
        []
    );
}

#[test]
fn what_everybody_shares_is_no_bridge() {
    // part: G-87
    let mut world = graph_profile();
    world.settings.unify = Unify::Insert;
    let said: Vec<_> = (0..1000_u32)
        .map(|row| {
            (
                row,
                NewSubgraph::new("我", "事件", format!("主题 {row}")).assertions(&world.settings),
            )
        })
        .collect();
    world
        .write(|txn, scope| {
            said.iter().try_for_each(|(row, said)| {
                assert_evidence(txn, scope, &[Row(*row).into()], said).map(drop)
            })
        })
        .unwrap();
    assert_eq!(reached(&world, 1, MemoryWalk::new(1, &world.settings)), []);
    // Were subjects no common kind, the degree alone would stop it.
    let walk = MemoryWalk {
        common_kinds: &[],
        ..MemoryWalk::new(1, &world.settings)
    };
    assert_eq!(reached(&world, 1, walk), []);
    let walk = MemoryWalk {
        max_degree: 2000,
        budget: annals_graph::Budget::new(2000, 50_000),
        ..walk
    };
    assert_eq!(reached(&world, 1, walk).len(), 999);
}

#[test]
fn numbers_of_edges_come_back() {
    let world = graph_profile();
    let claim = Claim {
        importance: Importance::new("importance", 0.3).unwrap(),
        confidence: UnitScore::new("confidence", 0.7).unwrap(),
        metadata: [("discovered".to_owned(), true.into())].into(),
        ..Claim::default()
    };
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事件", "吃饭")
            .object("米饭")
            .claim(claim.clone()),
    );
    let memory = subgraph(&world.snapshot(), NS, Row(1)).unwrap();
    let edge = &memory.edges[1];
    assert_eq!(
        edge.claim,
        Claim {
            role: EdgeRole::Core,
            ..claim
        }
    );
    let read: annals_graph::MemoryEdge =
        serde_json::from_str(&serde_json::to_string(edge).unwrap()).unwrap();
    assert_eq!(&read, edge);
}

#[test]
fn a_no_a_degree_and_a_condition_are_said_with_what_they_are_of() {
    let world = graph_profile();
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事件", "喝").object("咖啡"),
    );
    let core = Claim {
        role: EdgeRole::Core,
        ..Claim::default()
    };
    world.says(
        2,
        &[Assertion::new("我", "喝", "咖啡")
            .claim(core)
            .negated()
            .condition("下雨")],
    );
    world.says(
        2,
        &[Assertion::new("Ada", "likes", "tea")
            .degree("much")
            .condition("it rains")],
    );
    let memory = subgraph(&world.snapshot(), NS, Row(2)).unwrap();
    let drawn = "[我]--不喝 (when: 下雨)--[咖啡]; [Ada]--likes (much) (when: it rains)--[tea]";
    assert_eq!(memory.to_graph_text(), drawn);
    assert_eq!(
        memory.to_text(),
        "不喝 咖啡 (when: 下雨); Ada likes tea (much) (when: it rains)"
    );
    let read: annals_graph::MemoryEdge =
        serde_json::from_str(&serde_json::to_string(&memory.edges[0]).unwrap()).unwrap();
    assert_eq!(
        (read.negated, read.condition.as_deref()),
        (true, Some("下雨"))
    );
}

fn walkthrough() -> World {
    let world = graph_profile();
    create(
        &world,
        1,
        &NewSubgraph::new("我", "事实", "心情")
            .object("不好")
            .attribute("时间", "2025-11-05 10:00"),
    );
    create(
        &world,
        2,
        &NewSubgraph::new("我", "事件", "睡眠")
            .object("没睡好")
            .attribute("时间", "2025-11-04 夜间"),
    );
    tie(&world, 2, "导致", 1);
    world
}

fn exported(world: &World, format: Format) -> String {
    drawn(world, &Export::new(format))
}

fn drawn(world: &World, what: &Export<'_>) -> String {
    let mut out = Vec::new();
    export(&world.snapshot(), NS, what, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_walkthrough_is_drawn() {
    // part: G-145, G-149
    let world = walkthrough();
    let dot = exported(&world, Format::Dot);
    assert!(dot.starts_with("digraph memory {\n") && dot.ends_with("}\n"));
    assert_eq!(dot.matches("shape=box").count(), 2);
    assert!(
        dot.contains("m2 -> m1 [label=\"导致\", style=bold];"),
        "{dot}"
    );
    assert_eq!(dot.matches(" -> ").count(), 7);
    let xml = exported(&world, Format::GraphMl);
    assert_eq!(xml.matches("<data key=\"sort\">memory</data>").count(), 2);
    assert!(
        xml.contains("<edge source=\"m2\" target=\"m1\"><data key=\"sort\">link</data><data key=\"relation\">导致")
    );
}

#[test]
fn json_and_triples_hold_everything() {
    let world = walkthrough();
    world.says(
        3,
        &[Assertion::new("我", "喜欢", "下雨")
            .negated()
            .condition("周末")],
    );
    let json: serde_json::Value = serde_json::from_str(&exported(&world, Format::Json)).unwrap();
    let count = |list: &str, sort: &str| {
        json[list]
            .as_array()
            .unwrap()
            .iter()
            .filter(|item| item["sort"] == sort)
            .count()
    };
    assert_eq!((count("nodes", "entity"), count("nodes", "memory")), (9, 3));
    assert_eq!((count("edges", "triple"), count("edges", "link")), (7, 1));
    let says = json["edges"]
        .as_array()
        .unwrap()
        .iter()
        .find(|link| link["relation"] == "喜欢")
        .unwrap();
    assert_eq!(
        (&says["negated"], &says["condition"], &says["sources"]),
        (&true.into(), &"周末".into(), &serde_json::json!(["m3"]))
    );
    let rdf = exported(&world, Format::NTriples);
    assert!(
        rdf.lines()
            .all(|line| line.starts_with('<') && line.ends_with(" ."))
    );
    assert!(rdf.contains(
        "<urn:annals:memory:2> <urn:annals:relation:%E5%AF%BC%E8%87%B4> <urn:annals:memory:1> ."
    ));
    // A negated triple is not told as if it were so.
    assert!(
        rdf.contains("#Statement>")
            && !rdf.contains("> <urn:annals:predicate:%E5%96%9C%E6%AC%A2> <")
    );
    // Only what some memories say.
    let only = Export {
        rows: Some(&[Row(2)]),
        ..Export::new(Format::Dot)
    };
    let dot = drawn(&world, &only);
    assert!(
        dot.contains("没睡好") && !dot.contains("不好\\n") && !dot.contains("导致"),
        "{dot}"
    );
    world.state(2, Support::Forgotten);
    assert!(!exported(&world, Format::Dot).contains("没睡好"));
    let all = Export {
        dormant: true,
        ..Export::new(Format::Dot)
    };
    assert!(drawn(&world, &all).contains("style=dotted"));
}

#[test]
fn what_sleeps_is_exported_only_when_asked_for_and_marked() {
    let world = walkthrough();
    world.says(2, &[Assertion::new("我", "喜欢", "茶").degree("很")]);
    world.says(3, &[Assertion::new("我", "喜欢", "雨").degree("很")]);
    world.state(2, Support::Forgotten);
    for format in [Format::Dot, Format::GraphMl, Format::Json, Format::NTriples] {
        let told = exported(&world, format);
        assert!(
            !told.contains("memory 2") && told.contains("memory 1") && told.contains("很"),
            "{told}"
        );
    }
    let all = |format| {
        drawn(
            &world,
            &Export {
                dormant: true,
                ..Export::new(format)
            },
        )
    };
    assert!(
        all(Format::Dot).contains("m2 [shape=box, label=\"memory 2\\nforgotten\", style=dotted];")
    );
    let state = "<data key=\"state\">forgotten</data><data key=\"visible\">false</data>";
    assert!(all(Format::GraphMl).contains(state));
    let json: serde_json::Value = serde_json::from_str(&all(Format::Json)).unwrap();
    let nodes = json["nodes"].as_array().unwrap();
    let states: Vec<_> = nodes
        .iter()
        .filter(|node| node["sort"] == "memory")
        .map(|node| &node["visible"])
        .collect();
    assert_eq!(states, [true, false, true]);
    // A link that sleeps is told of, and not told.
    let rdf = all(Format::NTriples);
    assert!(
        !rdf.contains("<urn:annals:memory:2> <urn:annals:relation:"),
        "{rdf}"
    );
    assert!(rdf.contains("#object> <urn:annals:memory:1> ."), "{rdf}");
    assert!(
        rdf.contains("<urn:annals:memory:2> <urn:annals:field:state> \"forgotten\" ."),
        "{rdf}"
    );
    // How much is said beside what is so.
    assert!(
        rdf.lines()
            .any(|line| line.contains("> <urn:annals:predicate:")
                && line.starts_with("<urn:annals:entity"))
    );
    assert!(rdf.contains("<urn:annals:field:degree> \"很\" ."), "{rdf}");
}

#[test]
fn shared_names_lead_to_one_entity_per_kind() {
    let mut world = graph_profile();
    world.settings.unify = Unify::Insert;
    let done = create(
        &world,
        1,
        &NewSubgraph::new("学习", "事实", "学习").object("学习"),
    );
    let ids: Vec<EntityId> = vec![done.ends[0].0, done.ends[0].1, done.ends[1].1];
    let kinds = entities(&world.snapshot(), NS, &ids)
        .unwrap()
        .into_iter()
        .map(|e| e.unwrap().kind.unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), ["主体", "主题", "客体"]);
}
