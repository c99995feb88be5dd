//! Counted evidence: who says a triple, when it sleeps, wakes and goes.

use crate::world;

use annals_graph::{
    Assertion, Claim, ClaimEdit, EdgeRole, GraphError, Pattern, Support, TripleId, View,
    assert_evidence, delete_triples, explain, plan_erase, plan_status, validate,
};
use annals_types::{Row, Status};

use annals_storage::Reads as _;
use world::{NS, World, at};

const LABELS: annals_storage::Keyspace = annals_storage::Keyspace::new("graph.labels");

#[test]
fn what_a_memory_says_becomes_a_triple_with_evidence() {
    // part: C-86, C-87, C-88
    let world = World::new();
    let said = [
        Assertion::new("主人", "喜欢", "拉面").degree("很"),
        Assertion::new("主人", "喜欢", "香菜").negated(),
        Assertion::new("主人", "喜欢", "咖啡").condition("下雨天"),
    ];
    let done = world.says(1, &said);
    let told: Vec<_> = done
        .triples
        .iter()
        .map(|id| explain(&world.snapshot(), NS, *id).unwrap().unwrap())
        .collect();
    let as_text = |n: usize| {
        (
            told[n].subject.as_str(),
            told[n].predicate.as_str(),
            told[n].object.as_str(),
        )
    };
    assert_eq!(as_text(0), ("主人", "喜欢", "拉面"));
    assert_eq!(
        (told[0].negated, told[0].condition.as_deref()),
        (false, None)
    );
    assert_eq!(told[0].degree.as_deref(), Some("很"));
    assert_eq!(
        told[0].evidence.iter().map(|e| e.row).collect::<Vec<_>>(),
        [Row(1)]
    );
    assert_eq!(
        (as_text(1), told[1].negated),
        (("主人", "喜欢", "香菜"), true)
    );
    assert_eq!(
        (as_text(2), told[2].condition.as_deref()),
        (("主人", "喜欢", "咖啡"), Some("下雨天"))
    );
}

#[test]
fn there_is_no_triple_without_a_memory() {
    // part: C-89
    let world = World::new();
    let said = [Assertion::new("主人", "喜欢", "拉面")];
    let refused = world.write(|txn, scope| assert_evidence(txn, scope, &[], &said));
    assert!(matches!(refused, Err(GraphError::NoSupporter)));
    assert!(world.all(View::NOW.with_dormant()).is_empty());
    assert_eq!(world.says(1, &said).triples.len(), 1);
}

#[test]
fn saying_it_again_adds_evidence_and_not_a_triple() {
    // part: C-90, C-91
    let mut world = World::new();
    let once = world.says(1, &[Assertion::new("主人", "喜欢", "拉面")]);
    world.tick();
    let again = world.says(2, &[Assertion::new("主人", "喜欢", "拉面").degree("很")]);
    assert_eq!(once.triples, again.triples);
    let told = explain(&world.snapshot(), NS, once.triples[0])
        .unwrap()
        .unwrap();
    assert_eq!(
        told.evidence.iter().map(|e| e.row).collect::<Vec<_>>(),
        [Row(1), Row(2)]
    );
    // The latest degree wins.
    assert_eq!(told.degree.as_deref(), Some("很"));
    assert_eq!(world.all(View::NOW).len(), 1);
    world.says(3, &[Assertion::new("主人", "喜欢", "拉面").negated()]);
    assert_eq!(world.all(View::NOW).len(), 2);
}

#[test]
fn deleting_a_memory_takes_its_evidence_and_the_last_one_the_triple() {
    // part: C-93
    let world = World::new();
    let id = world.say(1, "主人", "喜欢", "拉面").triples[0];
    world.say(2, "主人", "喜欢", "拉面");
    let first = world.erase(&[1]);
    assert_eq!(
        (first.evidence, first.weakened),
        (vec![(id, Row(1))], vec![id])
    );
    let told = explain(&world.snapshot(), NS, id).unwrap().unwrap();
    assert_eq!(
        told.evidence.iter().map(|e| e.row).collect::<Vec<_>>(),
        [Row(2)]
    );
    let planned = plan_erase(&world.snapshot(), NS, &[Row(2)], &())
        .unwrap()
        .erasure;
    let second = world.erase(&[2]);
    assert_eq!(planned, second);
    assert_eq!(second.effects.gone, [id]);
    assert_eq!(second.effects.gone_entities.len(), 2);
    assert!(world.all(View::NOW.with_dormant()).is_empty());
    assert!(explain(&world.snapshot(), NS, id).unwrap().is_none());
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn an_update_says_what_the_new_text_says() {
    // part: C-94
    let mut world = World::new();
    world.say(1, "主人", "喜欢", "拉面");
    world.tick();
    let carried = world.update(1, 2, &[Assertion::new("主人", "喜欢", "寿司")]);
    assert_eq!(carried.effects.slept.len(), 1);
    assert_eq!(world.told(View::NOW), ["主人 喜欢 寿司"]);
    assert_eq!(world.told(View::as_of(at(5))), ["主人 喜欢 拉面"]);
    world.settings.update_keeps_history = false;
    let carried = world.update(2, 3, &[Assertion::new("主人", "喜欢", "乌冬面")]);
    assert_eq!(carried.effects.gone.len(), 1);
    assert_eq!(
        world.told(View::NOW.with_dormant()),
        ["主人 喜欢 乌冬面", "主人 喜欢 拉面"]
    );
}

/// A change of a supporter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Active,
    Forgotten,
    Deleted,
}

const FATES: [Fate; 3] = [Fate::Active, Fate::Forgotten, Fate::Deleted];

fn meet(world: &World, row: u32, fate: Fate) {
    match fate {
        Fate::Active => drop(world.state(row, Support::Active)),
        Fate::Forgotten => drop(world.state(row, Support::Forgotten)),
        Fate::Deleted => drop(world.erase(&[row])),
    }
}

/// A triple is visible while any supporter is active, sleeps while all are forgotten, is gone when
/// none is left: whatever came first.
#[test]
fn the_truth_table_of_two_supporters() {
    for a in FATES {
        for b in FATES {
            for a_first in [true, false] {
                let mut world = World::new();
                let id = world.say(1, "猫", "叫", "豆豆").triples[0];
                world.say(2, "猫", "叫", "豆豆");
                let order = if a_first {
                    [(1, a), (2, b)]
                } else {
                    [(2, b), (1, a)]
                };
                for (row, fate) in order {
                    world.tick();
                    meet(&world, row, fate);
                    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
                }
                let visible = world.all(View::NOW).len();
                let there = world.all(View::NOW.with_dormant()).len();
                let expected = match (a, b) {
                    (Fate::Active, _) | (_, Fate::Active) => (1, 1),
                    (Fate::Deleted, Fate::Deleted) => (0, 0),
                    _ => (0, 1),
                };
                assert_eq!((visible, there), expected, "{a:?} {b:?} {a_first}");
                assert_eq!(
                    explain(&world.snapshot(), NS, id).unwrap().is_some(),
                    there == 1
                );
                // Deleted memories are never seen, not even in the past.
                assert_eq!(world.all(View::as_of(at(5))).len(), there, "{a:?} {b:?}");
                // Waking what is left.
                world.tick();
                let woken = world.state(1, Support::Active).effects.woken.len();
                let wakes = usize::from(a == Fate::Forgotten && b != Fate::Active);
                assert_eq!(woken, wakes, "{a:?} {b:?} {a_first}");
            }
        }
    }
}

#[test]
fn archived_supports_and_the_other_states_do_not() {
    let mut world = World::new();
    world.say(1, "猫", "叫", "豆豆");
    let states = [
        (Support::Archived, 1),
        (Support::Forgotten, 0),
        (Support::Active, 1),
        (Support::StagedOut, 0),
        (Support::Archived, 1),
        (Support::Expired, 0),
        (Support::Superseded, 0),
    ];
    for (state, visible) in states {
        world.tick();
        let planned = plan_status(&world.snapshot(), NS, world.now, &[Row(1)], state).unwrap();
        assert_eq!(planned, world.state(1, state));
        assert_eq!(world.all(View::NOW).len(), visible, "{state}");
        assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    }
    let of = |status| Support::from(status).supports();
    assert_eq!(
        Status::ALL.iter().copied().map(of).collect::<Vec<_>>(),
        [true, true, true, false]
    );
    // The whole history, seen from after.
    for (n, (state, visible)) in states.into_iter().enumerate() {
        let moment = at(10 * (n as i64 + 1) + 5);
        assert_eq!(world.all(View::as_of(moment)).len(), visible, "{state}");
    }
    assert!(world.all(View::as_of(at(-1))).is_empty());
}

#[test]
fn numbers_live_on_evidence_and_are_put_together() {
    let mut world = World::new();
    let claim = |importance: f32, confidence: f32, from: Option<i64>, until: Option<i64>| Claim {
        importance: annals_types::Importance::new("importance", importance).unwrap(),
        confidence: annals_types::UnitScore::new("confidence", confidence).unwrap(),
        valid_from: from.map(at),
        valid_until: until.map(at),
        ..Claim::default()
    };
    let says = |claim| [Assertion::new("Ada", "lives in", "Berlin").claim(claim)];
    let id = world
        .says(1, &says(claim(0.2, 0.9, Some(0), Some(100))))
        .triples[0];
    world.tick();
    world.says(2, &says(claim(0.7, 0.5, Some(50), Some(200))));
    let told = explain(&world.snapshot(), NS, id).unwrap().unwrap();
    assert_eq!((told.importance, told.confidence), (0.7, 0.9));
    assert_eq!(
        (told.valid_from, told.valid_until),
        (Some(at(0)), Some(at(200)))
    );
    let ada = Pattern::ALL.subject(world.entity("ada"));
    assert_eq!(world.ask(ada, View::NOW.valid_at(at(150))).len(), 1);
    assert_eq!(world.ask(ada, View::NOW.valid_at(at(200))).len(), 0);
    world.state(2, Support::Forgotten);
    assert_eq!(world.ask(ada, View::NOW.valid_at(at(150))).len(), 0);
    assert_eq!(world.ask(ada, View::NOW.valid_at(at(100))).len(), 0);
    assert_eq!(world.ask(ada, View::NOW.valid_at(at(99))).len(), 1);
    let told = explain(&world.snapshot(), NS, id).unwrap().unwrap();
    assert_eq!((told.importance, told.confidence), (0.2, 0.9));
    // Saying it again replaces what the memory said before.
    world.says(1, &says(claim(0.4, 0.4, None, None)));
    let told = explain(&world.snapshot(), NS, id).unwrap().unwrap();
    assert_eq!(
        (told.importance, told.confidence, told.valid_from),
        (0.4, 0.4, None)
    );
    assert_eq!(told.evidence.len(), 2);
}

#[test]
fn said_again_what_is_not_given_stays() {
    let mut world = World::new();
    let lives = || Assertion::new("Ada", "lives in", "Berlin");
    let first = Claim {
        importance: annals_types::Importance::new("importance", 0.9).unwrap(),
        confidence: annals_types::UnitScore::new("confidence", 0.7).unwrap(),
        degree: Some("mostly".to_owned()),
        valid_from: Some(at(0)),
        valid_until: Some(at(200)),
        role: EdgeRole::Core,
        metadata: [("team".to_owned(), "red".into())].into(),
    };
    let id = world.says(1, &[lives().claim(first.clone())]).triples[0];
    let claim = |world: &World| {
        explain(&world.snapshot(), NS, id)
            .unwrap()
            .unwrap()
            .evidence[0]
            .claim
            .clone()
    };
    world.tick();
    world.says(1, &[lives()]);
    assert_eq!(claim(&world), first);
    // Given fields change, and of two edits in one write both count.
    let field = |key: &str| ClaimEdit {
        metadata: [(key.to_owned(), 1.into())].into(),
        ..ClaimEdit::default()
    };
    let until = ClaimEdit {
        valid_until: Some(at(300)),
        ..field("desk")
    };
    world.says(1, &[lives().degree("always"), lives().edit(until)]);
    let mut changed = Claim {
        degree: Some("always".to_owned()),
        valid_until: Some(at(300)),
        ..first
    };
    changed.metadata.insert("desk".to_owned(), 1.into());
    assert_eq!(claim(&world), changed);
    // The two ends of a validity are looked at together, whenever they were given.
    let backwards = lives().edit(ClaimEdit {
        valid_until: Some(at(-1)),
        ..ClaimEdit::default()
    });
    assert!(backwards.is_allowed());
    let refused = world.write(|txn, scope| {
        assert_evidence(
            txn,
            scope,
            &[Row(1).into()],
            std::slice::from_ref(&backwards),
        )
    });
    assert!(
        matches!(refused, Err(GraphError::Invalid(_))),
        "{refused:?}"
    );
    assert_eq!(claim(&world), changed);
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn of_several_edits_each_sets_what_it_gives() {
    let mut world = World::new();
    let field = |key: &str, value: i64| (key.to_owned(), value.into());
    let first = ClaimEdit {
        importance: Some(annals_types::Importance::new("importance", 0.9).unwrap()),
        confidence: Some(annals_types::UnitScore::new("confidence", 0.7).unwrap()),
        valid_from: Some(at(0)),
        valid_until: Some(at(100)),
        role: Some(EdgeRole::Core),
        metadata: [field("desk", 1), field("floor", 1)].into(),
        ..ClaimEdit::default()
    };
    let then = ClaimEdit {
        valid_until: Some(at(200)),
        metadata: [field("floor", 2), field("room", 2)].into(),
        ..ClaimEdit::default()
    };
    let said = Assertion::new("Ada", "lives in", "Berlin")
        .degree("often")
        .edit(first.clone())
        .edit(then);
    let id = world.says(1, std::slice::from_ref(&said)).triples[0];
    let claim = |world: &World| {
        explain(&world.snapshot(), NS, id)
            .unwrap()
            .unwrap()
            .evidence[0]
            .claim
            .clone()
    };
    let expected = Claim {
        importance: first.importance.unwrap(),
        confidence: first.confidence.unwrap(),
        degree: Some("often".to_owned()),
        valid_from: Some(at(0)),
        valid_until: Some(at(200)),
        role: EdgeRole::Core,
        metadata: [field("desk", 1), field("floor", 2), field("room", 2)].into(),
    };
    assert_eq!(claim(&world), expected);
    // A degree that an edit gives is the later one; a whole claim leaves nothing of what was set
    // before it.
    world.tick();
    let seldom = ClaimEdit {
        degree: Some("seldom".to_owned()),
        ..ClaimEdit::default()
    };
    world.says(1, &[said.clone().edit(seldom)]);
    assert_eq!(claim(&world).degree.as_deref(), Some("seldom"));
    world.says(1, &[said.claim(Claim::default())]);
    assert_eq!(claim(&world), Claim::default());
}

#[test]
fn a_person_deletes_a_triple_and_the_memories_stay() {
    let world = World::new();
    let done = world.says(
        1,
        &[Assertion::new("a", "p", "b"), Assertion::new("a", "p", "c")],
    );
    world.say(2, "a", "p", "b");
    let refused = world.write(|txn, _| delete_triples(txn, NS, &[done.triples[0], TripleId(99)]));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("triple 99"), "{message}");
    let gone = world
        .write(|txn, _| delete_triples(txn, NS, &done.triples[..1]))
        .unwrap();
    assert_eq!(
        (gone.gone.as_slice(), gone.gone_entities.len()),
        (&done.triples[..1], 1)
    );
    assert_eq!(world.told(View::NOW.with_dormant()), ["a p c"]);
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    assert_eq!(world.erase(&[1]).effects.gone, &done.triples[1..]);
}

#[test]
fn predicates_are_compared_as_names_are() {
    let world = World::new();
    let first = world.say(1, "Ada", "lives in", "Berlin").triples;
    assert_eq!(world.say(2, "ada", "LIVES  IN", "berlin").triples, first);
    let told = explain(&world.snapshot(), NS, first[0]).unwrap().unwrap();
    assert_eq!(
        (told.predicate.as_str(), told.evidence.len()),
        ("lives in", 2)
    );
    for words in ["Lives In", "ｌｉｖｅｓ in"] {
        assert_eq!(
            world.ask(Pattern::ALL.predicate(words), View::NOW).len(),
            1,
            "{words}"
        );
    }
    // New in one write in two spellings they are one.
    world.says(
        3,
        &[
            Assertion::new("Ada", "Knows", "Bob"),
            Assertion::new("Ada", "knows", "Bob"),
        ],
    );
    assert_eq!(
        world.ask(Pattern::ALL.predicate("knows"), View::NOW).len(),
        1
    );
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn a_predicate_of_an_earlier_version_is_found_as_it_was_said() {
    let world = World::new();
    world.say(1, "Ada", "Knows", "Bob");
    // Such a version kept its key as it was said.
    let key = |text: &str| [&NS.prefix()[..], &[0], text.as_bytes()].concat();
    world
        .write(|txn, _| {
            let stored = txn
                .get(LABELS, &key("knows"))?
                .expect("the key is compared");
            txn.put(LABELS, &key("Knows"), stored.version, &stored.body)?;
            txn.delete(LABELS, &key("knows"))?;
            Ok(())
        })
        .unwrap();
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    assert_eq!(
        world.ask(Pattern::ALL.predicate("Knows"), View::NOW).len(),
        1
    );
    world.say(2, "Ada", "knows", "Bob");
    assert_eq!(world.ask(Pattern::ALL, View::NOW).len(), 2);
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}
