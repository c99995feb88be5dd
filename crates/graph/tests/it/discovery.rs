//! Relations and contradictions that are found, and entities that a person changes.

use crate::world;

use annals_graph::{
    Assertion, ClashReason, EntityEdit, EntityId, GraphError, NewLink, NewSubgraph, Support, View,
    assert_evidence, clashes, delete_entity, edit_entity, entities, find_entities, link, links,
    near_in_time, related_pairs, shared_entities, stats, unlinked, validate,
};
use annals_types::profile::{RelationClass, Unify};
use annals_types::{Row, Timestamp, Value};

use world::{NS, World};

fn create(world: &World, row: u32, memory: &NewSubgraph) {
    let said = memory.assertions(&world.settings);
    world
        .write(|txn, scope| assert_evidence(txn, scope, &[Row(row).into()], &said))
        .unwrap();
}

fn rows(range: std::ops::Range<u32>) -> Vec<Row> {
    range.map(Row).collect()
}

#[test]
fn memories_near_in_time_are_those_that_follow_each_other_within_an_hour() {
    // part: G-98
    let at = |text: &str| format!("2025-11-05T{text}Z").parse::<Timestamp>().unwrap();
    let moments = [
        (Row(4), at("12:00:01")),
        (Row(1), at("10:00:00")),
        (Row(3), at("12:00:00")),
        (Row(2), at("10:59:00")),
    ];
    assert_eq!(
        near_in_time(&moments, 3600),
        [(Row(1), Row(2)), (Row(3), Row(4))]
    );
    assert_eq!(
        near_in_time(&[(Row(1), at("10:00:00")), (Row(2), at("11:00:00"))], 3600),
        [(Row(1), Row(2))]
    );
    assert_eq!(
        near_in_time(&[(Row(1), at("10:00:00")), (Row(2), at("11:00:01"))], 3600),
        []
    );
}

#[test]
fn memories_that_share_a_node_are_chained_once() {
    // part: G-103, G-104
    let mut world = World::new();
    world.settings.unify = Unify::Insert;
    for row in 0..4 {
        create(
            &world,
            row,
            &NewSubgraph::new("我", "事件", "跑步").object(format!("第{row}次")),
        );
    }
    let found = related_pairs(&world.snapshot(), NS, &world.settings, &rows(0..4)).unwrap();
    assert_eq!(
        found,
        [(Row(0), Row(1)), (Row(1), Row(2)), (Row(2), Row(3))]
    );
    assert_eq!(
        shared_entities(&world.snapshot(), NS, &world.settings, &rows(0..4))
            .unwrap()
            .len(),
        1
    );
    let discovery = &world.settings.discovery;
    for (one, other) in found {
        let new = NewLink::new(one, discovery.shared.as_str(), other)
            .weight(discovery.shared_weight)
            .unwrap();
        let done = world.write(|txn, scope| link(txn, scope, &new)).unwrap();
        assert_eq!(
            (done.relation.name.as_str(), new.weight.get()),
            ("相关", 0.4)
        );
    }
    assert_eq!(
        related_pairs(&world.snapshot(), NS, &world.settings, &rows(0..4)).unwrap(),
        []
    );
    let strangers: Vec<Row> = rows(100..150);
    for row in &strangers {
        create(
            &world,
            row.0,
            &NewSubgraph::new("我", "事件", format!("主题 {}", row.0)),
        );
    }
    assert_eq!(
        related_pairs(&world.snapshot(), NS, &world.settings, &strangers).unwrap(),
        []
    );
}

#[test]
fn a_cause_that_was_found_says_so() {
    // part: G-19
    let world = World::new();
    world.say(1, "睡眠", "是", "没睡好");
    world.say(2, "心情", "是", "不好");
    let discovery = &world.settings.discovery;
    let new = NewLink::new(Row(1), discovery.cause.as_str(), Row(2))
        .weight(discovery.cause_weight)
        .unwrap()
        .field("discovered", true)
        .field("confidence", f64::from(discovery.cause_confidence));
    let done = world.write(|txn, scope| link(txn, scope, &new)).unwrap();
    assert_eq!(
        (done.relation.name.as_str(), done.relation.class),
        ("推测因果", RelationClass::Causality)
    );
    let found = links(&world.snapshot(), NS, Row(2)).unwrap().remove(0);
    assert_eq!(
        (found.weight, &found.metadata["discovered"]),
        (0.5, &Value::Bool(true))
    );
    assert!(
        matches!(found.metadata["confidence"], Value::Float(confidence) if (confidence - 0.7).abs() < 1e-6)
    );
}

#[test]
fn linked_pairs_are_not_looked_at_again() {
    let world = World::new();
    for row in 1..4 {
        world.say(row, &format!("s{row}"), "is", "x");
    }
    world
        .write(|txn, scope| link(txn, scope, &NewLink::new(Row(2), "导致", Row(1))))
        .unwrap();
    let pairs = [(Row(1), Row(2)), (Row(2), Row(3))];
    assert_eq!(
        unlinked(&world.snapshot(), NS, &pairs).unwrap(),
        [(Row(2), Row(3))]
    );
}

#[test]
fn what_cannot_both_hold_is_found() {
    let mut world = World::new();
    world.settings.single_valued = vec!["lives in".to_owned()];
    let told = |world: &World, row: u32| {
        let found = clashes(&world.snapshot(), NS, &world.settings, Row(row)).unwrap();
        found
            .into_iter()
            .map(|clash| (clash.reason, clash.rows))
            .collect::<Vec<_>>()
    };
    world.say(1, "我", "喜欢", "下雨");
    world.say(2, "我", "讨厌", "下雨");
    assert_eq!(told(&world, 2), [(ClashReason::Opposite, vec![Row(1)])]);
    assert_eq!(told(&world, 1), [(ClashReason::Opposite, vec![Row(2)])]);
    world.says(3, &[Assertion::new("我", "喜欢", "下雨").negated()]);
    assert_eq!(told(&world, 3), [(ClashReason::Negation, vec![Row(1)])]);
    world.say(4, "Ada", "lives in", "Rome");
    world.say(5, "Ada", "lives in", "Berlin");
    world.says(6, &[Assertion::new("Ada", "lives in", "Paris").negated()]);
    world.says(
        7,
        &[Assertion::new("Ada", "lives in", "Oslo").condition("in summer")],
    );
    assert_eq!(told(&world, 5), [(ClashReason::SingleValued, vec![Row(4)])]);
    assert_eq!((told(&world, 6), told(&world, 7)), (vec![], vec![]));
    world.state(4, Support::Forgotten);
    assert_eq!((told(&world, 5), told(&world, 4)), (vec![], vec![]));
    // Saying both oneself is no clash with others.
    world.says(
        8,
        &[
            Assertion::new("x", "likes", "y"),
            Assertion::new("x", "hates", "y"),
        ],
    );
    assert_eq!(told(&world, 8), []);
}

#[test]
fn a_person_changes_an_entity() {
    let world = World::new();
    world.say(1, "Bob", "knows", "Ada");
    let bob = world.entity("Bob");
    let change = |edit: EntityEdit| world.write(|txn, scope| edit_entity(txn, scope, bob, &edit));
    let edit = EntityEdit {
        name: Some("Robert".to_owned()),
        kind: Some(Some("person".to_owned())),
        aliases: Some(vec!["Bobby".to_owned()]),
        kept: Some(true),
        ..EntityEdit::default()
    };
    change(edit).unwrap();
    let found = &entities(&world.snapshot(), NS, &[bob]).unwrap()[0];
    let found = found.as_ref().unwrap();
    assert_eq!(
        (found.name.as_str(), found.kind.as_deref(), found.kept),
        ("Robert", Some("person"), true)
    );
    assert!(
        find_entities(&world.snapshot(), NS, "bob")
            .unwrap()
            .is_empty()
    );
    assert_eq!((world.entity("BOBBY"), world.entity("robert")), (bob, bob));
    assert!(
        change(EntityEdit {
            name: Some(String::new()),
            ..EntityEdit::default()
        })
        .is_err()
    );
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    world.erase(&[1]);
    assert_eq!(stats(&world.snapshot(), NS).unwrap().entities, 1);
    let gone = change(EntityEdit {
        kept: Some(false),
        ..EntityEdit::default()
    })
    .unwrap();
    assert_eq!(gone.gone_entities, [bob]);
    assert_eq!(stats(&world.snapshot(), NS).unwrap().entities, 0);
    let missing = change(EntityEdit::default()).unwrap_err();
    assert!(matches!(missing, GraphError::NoEntity { entity } if entity == bob));
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn a_person_deletes_an_entity_with_all_that_is_said_of_it() {
    let world = World::new();
    let hub: Vec<Assertion> = (0..500)
        .map(|n| Assertion::new("hub", "has", format!("n{n}")))
        .collect();
    world.says(1, &hub);
    world.say(2, "n1", "is", "red");
    world.say(2, "also hub", "is", "blue");
    let (main, other) = (world.entity("hub"), world.entity("also hub"));
    world
        .write(|txn, scope| annals_graph::merge(txn, scope, other, main, None, ""))
        .unwrap();
    let gone = world.write(|txn, _| delete_entity(txn, NS, main)).unwrap();
    assert_eq!(gone.gone.len(), 501);
    assert_eq!(world.told(View::NOW.with_dormant()), ["n1 is red"]);
    assert_eq!(stats(&world.snapshot(), NS).unwrap().entities, 2);
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    let missing = world
        .write(|txn, _| delete_entity(txn, NS, EntityId(9999)))
        .unwrap_err();
    assert!(missing.to_string().contains("entity 9999"));
}
