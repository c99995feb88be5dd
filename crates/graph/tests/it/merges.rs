//! When two entities are one, and taking it back.

use crate::world;

use std::cell::RefCell;
use std::collections::BTreeMap;

use annals_graph::{
    Assertion, Embedded, Embedding, EntityId, GraphError, MergeId, MergeSearch, NewEntity, Pattern,
    Proposals, Similarity, Tier, View, add_entity, entities, explain, find_entities, merge,
    merge_history, merges, set_embedding, stats, undo_merge, validate,
};
use annals_types::profile::Unify;
use annals_types::{Importance, Row};

use world::{NS, World};

/// Similarities as told; remembers how many it was asked for.
#[derive(Default)]
struct Told {
    pairs: BTreeMap<(EntityId, EntityId), f64>,
    forms: BTreeMap<String, Vec<EntityId>>,
    asked: RefCell<Vec<usize>>,
}

impl Told {
    fn pair(mut self, one: EntityId, other: EntityId, similarity: f64) -> Self {
        self.pairs.insert((one, other), similarity);
        self.pairs.insert((other, one), similarity);
        self
    }
}

impl Similarity for Told {
    fn nearest(&self, entity: EntityId, k: usize) -> Result<Vec<(EntityId, f64)>, GraphError> {
        self.asked.borrow_mut().push(k);
        let near = self
            .pairs
            .iter()
            .filter(|((one, _), _)| *one == entity)
            .map(|((_, other), s)| (*other, *s));
        // Itself first, as an index would.
        let mut near: Vec<(EntityId, f64)> = std::iter::once((entity, 1.0)).chain(near).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        near.truncate(k);
        Ok(near)
    }

    fn between(&self, one: EntityId, other: EntityId) -> Result<Option<f64>, GraphError> {
        Ok(self.pairs.get(&(one, other)).copied())
    }

    fn of_form(&self, form: &str) -> Vec<EntityId> {
        self.forms.get(form).cloned().unwrap_or_default()
    }
}

fn make(world: &World, name: &str, kind: &str) -> EntityId {
    world
        .write(|txn, scope| add_entity(txn, scope, &NewEntity::new(name).kind(kind)))
        .unwrap()
}

fn proposed(world: &World, ids: &[EntityId], told: &dyn Similarity) -> Proposals {
    let reads = world.snapshot();
    let mut search = MergeSearch::new(&reads, NS, &world.settings, told);
    search.alike(&world.settings, ids).unwrap();
    search.finish().unwrap()
}

fn join(world: &World, source: EntityId, target: EntityId) -> annals_graph::Merge {
    world
        .write(|txn, scope| merge(txn, scope, source, target, Some(0.93), "similar"))
        .unwrap()
}

#[test]
fn above_the_first_threshold_nothing_else_is_asked() {
    // part: G-65, G-67, G-70
    let world = World::new();
    let (a, b) = (make(&world, "心情", "主题"), make(&world, "情绪", "主题"));
    let tier = |similarity| {
        let found = proposed(&world, &[a, b], &Told::default().pair(a, b, similarity)).merges;
        found
            .first()
            .map(|proposal| (proposal.source, proposal.target, proposal.tier))
    };
    assert_eq!(tier(0.951), Some((b, a, Tier::Direct)));
    // Not above it: the second tier, for which there is no context here.
    assert_eq!(tier(0.95), None);
    assert_eq!((tier(0.85), tier(0.80)), (None, None));
    let mut world = world;
    let (topic, object) = (make(&world, "学习", "主题"), make(&world, "学习", "客体"));
    let told = Told::default().pair(topic, object, 1.0);
    assert_eq!(proposed(&world, &[topic, object], &told).merges, []);
    world.settings.merge.across_kinds = true;
    assert_eq!(proposed(&world, &[topic, object], &told).merges.len(), 1);
}

#[test]
fn in_the_second_tier_kind_and_context_must_match() {
    // part: G-66, G-68, G-69
    let mut world = World::new();
    world.settings.unify = Unify::Insert;
    let node = |name: &str, kind: &str| NewEntity::new(name).kind(kind);
    let said = |row: u32, topic: &str, object: &str| {
        let person = Assertion::new(node("我", "主体"), "事实", node(topic, "主题"));
        let done = world.says(
            row,
            &[
                person,
                Assertion::new(node(topic, "主题"), "是", node(object, "客体")),
            ],
        );
        (done.ends[1].0, done.ends[1].1)
    };
    let (mood, bad) = said(1, "心情", "不好");
    let (feeling, low) = said(2, "情绪", "低落");
    let (weather, _) = said(3, "天气", "晴");
    let (same, _) = said(4, "心绪", "不好");
    let count =
        |world: &World, told: &Told, other| proposed(world, &[mood, other], told).merges.len();
    // Unrelated neighbours, sharing but 我.
    let plain = Told::default().pair(mood, weather, 0.9);
    assert_eq!(count(&world, &plain, weather), 0);
    // Neighbours that are similar on average.
    let alike = |s: f64| Told::default().pair(mood, feeling, 0.9).pair(bad, low, s);
    assert_eq!(
        (
            count(&world, &alike(0.6), feeling),
            count(&world, &alike(0.59), feeling)
        ),
        (1, 0)
    );
    // A neighbour in common.
    assert_eq!(
        count(&world, &Told::default().pair(mood, same, 0.9), same),
        1
    );
    // Another kind.
    assert_eq!(count(&world, &Told::default().pair(mood, low, 0.9), low), 0);
    world.settings.merge.context_required = false;
    assert_eq!(count(&world, &plain, weather), 1);
}

#[test]
fn the_best_of_few_candidates_is_taken() {
    // part: G-107, G-109, G-110
    let mut world = World::new();
    world.settings.merge.kinds = vec!["主题".to_owned(), "客体".to_owned()];
    world.settings.merge.context_required = false;
    let topics: Vec<EntityId> = (0..21_u8)
        .map(|n| {
            make(
                &world,
                &format!("topic {0}{0}", char::from(b'a' + n)),
                "主题",
            )
        })
        .collect();
    let told = Told::default()
        .pair(topics[20], topics[3], 0.86)
        .pair(topics[20], topics[7], 0.93);
    let found = proposed(&world, &topics[20..], &told);
    assert_eq!(
        (found.merges[0].source, found.merges[0].target),
        (topics[20], topics[7])
    );
    let people = [make(&world, "小明", "主体"), make(&world, "小明明", "主体")];
    let told = Told::default().pair(people[0], people[1], 0.99);
    assert_eq!(
        proposed(&world, &people, &told),
        Proposals {
            checked: 0,
            merges: vec![]
        }
    );
    let three = (0..3).fold(Told::default(), |told, n| {
        told.pair(topics[n], topics[n + 10], 0.96)
    });
    let found = proposed(&world, &topics[10..20], &three);
    assert_eq!((found.checked, found.merges.len()), (10, 3));
}

#[test]
fn no_more_than_five_candidates_are_examined() {
    // part: G-64
    let mut world = World::new();
    let topics: Vec<EntityId> = (0..21_u8)
        .map(|n| {
            make(
                &world,
                &format!("topic {0}{0}", char::from(b'a' + n)),
                "主题",
            )
        })
        .collect();
    // Twenty similar ones; only the sixth best has a neighbour in common.
    world.says(
        1,
        &[
            Assertion::new(topics[20], "是", "好"),
            Assertion::new(topics[5], "是", "好"),
        ],
    );
    let similar = (0..20).fold(Told::default(), |told, n| {
        told.pair(
            topics[20],
            topics[n],
            0.94 - 0.001 * f64::from(u32::try_from(n).unwrap()),
        )
    });
    assert_eq!(proposed(&world, &topics[20..], &similar).merges, []);
    // It and the one asked for.
    assert_eq!(*similar.asked.borrow(), [6]);
    world.settings.merge.candidates = 6;
    let found = proposed(&world, &topics[20..], &similar).merges;
    assert_eq!(
        (found.len(), found[0].source, found[0].target),
        (1, topics[20], topics[5])
    );
}

#[test]
fn what_belongs_together_becomes_the_oldest() {
    // part: G-152
    let world = World::new();
    let ids = ["north", "south", "east", "west"].map(|name| make(&world, name, "主题"));
    let pair = Told::default().pair(ids[0], ids[1], 0.97);
    let found = proposed(&world, &ids[..2], &pair).merges;
    assert_eq!(
        found
            .iter()
            .map(|p| (p.source, p.target))
            .collect::<Vec<_>>(),
        [(ids[1], ids[0])]
    );
    assert!(
        proposed(&world, &ids[3..], &Told::default())
            .merges
            .is_empty()
    );
    let chain = Told::default()
        .pair(ids[3], ids[2], 0.98)
        .pair(ids[2], ids[1], 0.97);
    let found = proposed(&world, &ids, &chain).merges;
    let pairs: Vec<_> = found.iter().map(|p| (p.source, p.target)).collect();
    assert_eq!(pairs, [(ids[2], ids[1]), (ids[3], ids[1])]);
}

#[test]
fn embeddings_that_the_graph_keeps_can_be_compared() {
    let world = World::new();
    let ids = ["north", "south", "east"].map(|name| make(&world, name, "主题"));
    let vectors = [
        vec![1.0, 0.0, 0.0],
        vec![1.0, 0.1, 0.0],
        vec![0.0, 0.0, 1.0],
    ];
    for (id, vector) in ids.iter().zip(vectors) {
        world
            .write(|txn, _| set_embedding(txn, NS, *id, Some(&Embedding::F32(vector.clone()))))
            .unwrap();
    }
    let embedded = Embedded::load(&world.snapshot(), NS, &ids).unwrap();
    let found = proposed(&world, &ids, &embedded).merges;
    assert_eq!(
        found
            .iter()
            .map(|p| (p.source, p.target))
            .collect::<Vec<_>>(),
        [(ids[1], ids[0])]
    );
    let bad =
        world.write(|txn, _| set_embedding(txn, NS, ids[0], Some(&Embedding::F32(vec![f32::NAN]))));
    assert!(matches!(bad, Err(GraphError::Invalid(_))));
    let missing = world
        .write(|txn, _| set_embedding(txn, NS, EntityId(9), None))
        .unwrap_err();
    assert!(missing.to_string().contains("entity 9"));
}

#[test]
fn edges_move_to_the_survivor_and_nothing_is_doubled() {
    // part: G-71, G-72, G-73, G-118
    let mut world = World::new();
    let importance = |value| annals_graph::Claim {
        importance: Importance::new("importance", value).unwrap(),
        ..annals_graph::Claim::default()
    };
    let old = world.says(
        1,
        &[Assertion::new("情绪", "是", "不好").claim(importance(0.4))],
    );
    let new = world.says(
        2,
        &[
            Assertion::new("心情", "是", "不好").claim(importance(0.9)),
            Assertion::new("心情", "属于", "情绪"),
            Assertion::new("我", "事实", "心情"),
        ],
    );
    let before = stats(&world.snapshot(), NS).unwrap();
    world.tick();
    let (source, target) = (world.entity("心情"), world.entity("情绪"));
    let done = join(&world, source, target);
    assert_eq!((done.source, done.target), (source, target));
    let after = stats(&world.snapshot(), NS).unwrap();
    assert_eq!(
        (before.entities - after.entities, after.evidence),
        (1, before.evidence)
    );
    // Two parallel edges are one, with the greater importance; the edge between the two is no loop.
    assert_eq!(world.told(View::NOW), ["情绪 是 不好", "我 事实 情绪"]);
    let edge = world.ask(Pattern::ALL.subject(target), View::NOW).remove(0);
    assert_eq!(
        (edge.id, edge.same.as_slice()),
        (old.triples[0], &new.triples[..1])
    );
    let told = explain(&world.snapshot(), NS, edge.id).unwrap().unwrap();
    assert_eq!((told.importance, told.evidence.len()), (0.9, 2));
    assert_eq!(
        told.evidence
            .iter()
            .map(|said| said.row)
            .collect::<Vec<_>>(),
        [Row(1), Row(2)]
    );
    // Both names lead to it, and what is said of either is said of it.
    assert_eq!(
        find_entities(&world.snapshot(), NS, "心情").unwrap()[0].id,
        target
    );
    let history = merge_history(&world.snapshot(), NS, target).unwrap();
    assert_eq!(
        history.iter().map(|merge| merge.source).collect::<Vec<_>>(),
        [source]
    );
    assert_eq!(merges(&world.snapshot(), NS).unwrap(), history);
    let again = world
        .write(|txn, scope| merge(txn, scope, source, target, None, ""))
        .unwrap_err();
    assert!(matches!(again, GraphError::SameEntity { entity } if entity == target));
    let missing = world
        .write(|txn, scope| merge(txn, scope, EntityId(99), target, None, ""))
        .unwrap_err();
    assert!(missing.to_string().contains("entity 99"));
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn taking_a_merge_back_restores_everything_and_lists_what_stays() {
    // part: G-131
    let mut world = World::new();
    world.say(1, "Bob", "lives in", "Rome");
    world.say(2, "Robert", "works at", "ACME");
    world.say(2, "Robert", "knows", "Bob");
    let before = world.told(View::NOW);
    let (bob, robert) = (world.entity("Bob"), world.entity("Robert"));
    world.tick();
    let done = join(&world, robert, bob);
    let since = world.say(3, "Robert", "plays", "chess");
    assert_eq!(since.ends[0].0, bob);
    let again = world.say(4, "Robert", "works at", "ACME");
    assert_eq!(
        world.told(View::NOW),
        ["Bob lives in Rome", "Bob plays chess", "Bob works at ACME"]
    );
    world.tick();
    let undone = world.write(|txn, _| undo_merge(txn, NS, done.id)).unwrap();
    assert_eq!(undone.staying, [since.triples[0], again.triples[0]]);
    let mut expected = before;
    expected.extend(["Bob plays chess".to_owned(), "Bob works at ACME".to_owned()]);
    expected.sort();
    assert_eq!(world.told(View::NOW), expected);
    assert_eq!(world.entity("robert"), robert);
    assert_eq!(
        entities(&world.snapshot(), NS, &[robert]).unwrap()[0]
            .as_ref()
            .unwrap()
            .merged_into,
        None
    );
    let gone = world
        .write(|txn, _| undo_merge(txn, NS, done.id))
        .unwrap_err();
    assert!(matches!(gone, GraphError::NoMerge { merge: MergeId(0) }));
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

/// A deleted memory's name for an entity is nowhere left, merged or not.
#[test]
fn a_survivor_whose_own_memories_are_deleted_has_the_name_of_the_rest() {
    let world = World::new();
    world.say(1, "secret name", "is", "x");
    world.say(2, "Bob", "is", "y");
    join(&world, world.entity("Bob"), world.entity("secret name"));
    assert_eq!(
        world.told(View::NOW),
        ["secret name is x", "secret name is y"]
    );
    world.erase(&[1]);
    assert_eq!(world.told(View::NOW), ["Bob is y"]);
    assert!(
        find_entities(&world.snapshot(), NS, "secret name")
            .unwrap()
            .is_empty()
    );
    assert_eq!(world.entity("Bob"), world.all(View::NOW)[0].subject);
    world.erase(&[2]);
    let left = stats(&world.snapshot(), NS).unwrap();
    assert_eq!((left.entities, left.merged, left.triples), (0, 0, 0));
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

/// Sources and targets of what is proposed.
fn joined(world: &World, ids: &[EntityId], told: &Told) -> Vec<(EntityId, EntityId)> {
    proposed(world, ids, told)
        .merges
        .iter()
        .map(|found| (found.source, found.target))
        .collect()
}

#[test]
fn names_of_one_form_are_one_among_their_kind() {
    let mut world = World::new();
    world.settings.merge.by_form = true;
    let kinds = [
        ("Email", "主题"),
        ("email", "客体"),
        ("e-mail", "客体"),
        ("Li Na", "主体"),
        ("Lina", "主体"),
    ];
    let ids = kinds.map(|(name, kind)| make(&world, name, kind));
    // The oldest of the form has another kind; capitals tell two people apart.
    assert_eq!(joined(&world, &ids, &Told::default()), [(ids[2], ids[1])]);
    let known = Told {
        forms: [("email".to_owned(), vec![ids[1]])].into(),
        ..Told::default()
    };
    assert_eq!(joined(&world, &ids[2..3], &known), [(ids[2], ids[1])]);
    let numbers = ["topic 1", "topic 2", "Topic-1"].map(|name| make(&world, name, "主题"));
    assert_eq!(
        joined(&world, &numbers, &Told::default()),
        [(numbers[2], numbers[0])]
    );
    let signs = ["❤", "👍", "A-", "A", "-5°C", "5°C"].map(|name| make(&world, name, "主题"));
    assert!(joined(&world, &signs, &Told::default()).is_empty());
    world.settings.merge.by_form = false;
    assert!(joined(&world, &ids, &Told::default()).is_empty());
}

#[test]
fn names_that_say_the_contrary_or_other_numbers_stay_two() {
    let mut world = World::new();
    for (one, other) in [
        ("sugar", "no sugar"),
        ("糖", "无糖"),
        ("topic 1", "topic 2"),
    ] {
        let ids = [one, other].map(|name| make(&world, name, "主题"));
        assert!(
            joined(&world, &ids, &Told::default().pair(ids[0], ids[1], 0.99)).is_empty(),
            "{one} | {other}"
        );
    }
    // In the second tier one other word is enough, unless the settings say otherwise.
    world.settings.merge.context_required = false;
    let ids = ["红茶", "绿茶"].map(|name| make(&world, name, "主题"));
    let told = Told::default().pair(ids[0], ids[1], 0.9);
    assert_eq!(joined(&world, &ids, &told), [(ids[1], ids[0])]);
    world.settings.merge.one_word_apart = false;
    assert!(joined(&world, &ids, &told).is_empty());
}

#[test]
fn what_a_third_one_is_like_is_not_one() {
    let mut world = World::new();
    world.settings.merge.one_word_apart = false;
    let ids = ["black tea", "tea", "green tea"].map(|name| make(&world, name, "主题"));
    let told = Told::default()
        .pair(ids[0], ids[1], 0.97)
        .pair(ids[1], ids[2], 0.96);
    assert_eq!(joined(&world, &ids, &told), [(ids[1], ids[0])]);
    // In the next night tea is black tea, by which name it is as like as before.
    join(&world, ids[1], ids[0]);
    assert_eq!(joined(&world, &ids[2..], &told), []);
    // It is asked by all its names: those of what became it, and other names of its own.
    let mut world = World::new();
    world.settings.merge.one_word_apart = false;
    let ids = ["tea", "black tea", "green tea", "teas"].map(|name| make(&world, name, "主题"));
    join(&world, ids[1], ids[0]);
    let also = NewEntity::new("cup").kind("主题").alias("coffee cup");
    let cup = world
        .write(|txn, scope| add_entity(txn, scope, &also))
        .unwrap();
    let tea_cup = make(&world, "tea cup", "主题");
    let told = Told::default()
        .pair(ids[0], ids[2], 0.96)
        .pair(ids[0], ids[3], 0.96)
        .pair(cup, tea_cup, 0.96);
    assert_eq!(
        joined(&world, &[ids[2], ids[3], tea_cup], &told),
        [(ids[3], ids[0])]
    );
}

#[test]
fn all_that_a_batch_finds_is_put_together_at_once() {
    let mut world = World::new();
    (world.settings.merge.one_word_apart, world.settings.unify) = (false, Unify::Consolidation);
    let ids = ["black tea", "tea", "tea", "green tea"].map(|name| make(&world, name, "主题"));
    let told = Told::default()
        .pair(ids[0], ids[1], 0.97)
        .pair(ids[2], ids[3], 0.96);
    let reads = world.snapshot();
    let mut search = MergeSearch::new(&reads, NS, &world.settings, &told);
    search.alike(&world.settings, &ids[..2]).unwrap();
    search.alike(&world.settings, &ids[2..]).unwrap();
    search.same_names(&ids).unwrap();
    let found = search.finish().unwrap();
    let merges: Vec<_> = found
        .merges
        .iter()
        .map(|p| (p.source, p.target, p.tier))
        .collect();
    assert_eq!(
        (found.checked, merges),
        (
            4,
            vec![
                (ids[1], ids[0], Tier::Direct),
                (ids[2], ids[0], Tier::Direct)
            ]
        )
    );
    // Of one name they are for their name, however alike they are besides.
    let told = Told::default().pair(ids[1], ids[2], 1.0);
    let mut search = MergeSearch::new(&reads, NS, &world.settings, &told);
    search.alike(&world.settings, &ids[1..3]).unwrap();
    search.same_names(&ids[1..3]).unwrap();
    assert_eq!(search.finish().unwrap().merges[0].tier, Tier::Name);
}

#[test]
fn a_merge_is_as_sure_as_its_weakest_step() {
    let mut world = World::new();
    world.settings.merge.by_form = true;
    let ids = ["sneakers", "trainers", "Trainers!"].map(|name| make(&world, name, "主题"));
    let found = proposed(&world, &ids, &Told::default().pair(ids[0], ids[1], 0.96)).merges;
    let told: Vec<_> = found
        .iter()
        .map(|p| (p.source, p.target, p.similarity, p.tier))
        .collect();
    assert_eq!(
        told,
        [
            (ids[1], ids[0], 0.96, Tier::Direct),
            (ids[2], ids[0], 0.96, Tier::Direct)
        ]
    );
}

#[test]
fn names_that_are_ruled_out_take_no_place_of_a_candidate() {
    let mut world = World::new();
    world.settings.merge.context_required = false;
    world.settings.merge.blind_above = Some(0.9999);
    let asked = make(&world, "chapter 1", "主题");
    let same = make(&world, "chapter (1)", "主题");
    let others: Vec<EntityId> = (2..30)
        .map(|n| make(&world, &format!("chapter {n}"), "主题"))
        .collect();
    let told = others
        .iter()
        .fold(Told::default().pair(asked, same, 0.96), |told, id| {
            told.pair(asked, *id, 0.98)
        });
    assert_eq!(joined(&world, &[asked], &told).len(), 1);
    assert_eq!(*told.asked.borrow(), [6, 24, 96]);
    // An embedder that is blind to a script calls all of it the same.
    let blind = make(&world, "ขาว", "主题");
    let (white, alike) = (
        make(&world, "สีขาว", "主题"),
        ["ข้าว", "ขา", "เขา", "ข่าว", "ขาย", "ขวด"],
    );
    let told = alike
        .iter()
        .fold(Told::default().pair(blind, white, 0.96), |told, name| {
            told.pair(blind, make(&world, name, "主题"), 1.0)
        });
    assert_eq!(joined(&world, &[blind], &told), [(white, blind)]);
}

#[test]
fn one_that_everything_speaks_of_leaves_room_for_the_others() {
    let world = World::new();
    for row in 1..=30 {
        world.say(row, "me", "likes", &format!("thing {row}"));
    }
    let (me, three, nine) = (
        world.entity("me"),
        world.entity("thing 3"),
        world.entity("thing 9"),
    );
    let spoken = |ids: &[EntityId], limit| {
        annals_graph::speakers(&world.snapshot(), NS, ids, None, limit).unwrap()
    };
    let found = spoken(&[me, three, nine], 12);
    assert_eq!(
        (found[0].len(), &found[1], &found[2]),
        (10, &vec![Row(3)], &vec![Row(9)])
    );
    let all = spoken(&[me, three], 100);
    assert_eq!((all[0].len(), all[1].len()), (30, 1));
    join(&world, three, nine);
    assert_eq!(spoken(&[three], 5), [vec![Row(3), Row(9)]]);
}

#[test]
fn what_spoke_of_an_entity_by_a_moment_and_of_what_became_it_within_its_share() {
    let mut world = World::new();
    for row in 1..=6 {
        world.say(row, "cat", "likes", &format!("food {row}"));
        world.tick();
    }
    let (early, moment) = (world.entity("food 2"), world::at(25));
    for row in 7..=12 {
        world.say(row, "tomcat", "likes", &format!("food {row}"));
    }
    let (cat, tomcat) = (world.entity("cat"), world.entity("tomcat"));
    join(&world, tomcat, cat);
    let spoken = |ids: &[EntityId], as_of, limit| {
        let found = annals_graph::speakers(&world.snapshot(), NS, ids, as_of, limit).unwrap();
        found
            .into_iter()
            .map(|rows| rows.into_iter().map(|row| row.0).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    // Triples said by then, under either name, whatever was merged since.
    assert_eq!(
        spoken(&[cat, early], Some(moment), 100),
        [vec![1, 2, 3], vec![2]]
    );
    assert_eq!(spoken(&[tomcat], Some(moment), 100), [vec![1, 2, 3]]);
    assert_eq!(spoken(&[cat], None, 100), [(1..=12).collect::<Vec<_>>()]);
    // One that became another has the share of that one, and what the others leave.
    let few = spoken(&[tomcat, early], None, 8);
    assert_eq!((few[0].len(), &few[1]), (7, &vec![2]));
    assert!(spoken(&[tomcat, early], None, 1).concat().len() <= 1);
    assert_eq!(spoken(&[cat, early], None, 0), [[0; 0]; 2]);
}
