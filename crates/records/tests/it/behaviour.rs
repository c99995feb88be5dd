//! The answers of each operation at its edges.

use crate::world;

use annals_records::{
    Chronicle, Incoming, LabelClass, Mismatch, Moment, Operation, RecordError, Since, Version,
    append, append_many, events, get, history, import, memories, next_event, session_turns,
    session_turns_before, update,
};
use annals_types::{
    Body, Filter, Layer, MAX_TEXT_BYTES, MemoryId, NewMemory, NewTurn, Row, Status, Value,
};

use world::{World, at};

#[test]
fn an_id_is_stored_once_and_the_same_again_changes_nothing() {
    let mut world = World::new();
    let (id, row) = world.turn("s", "hello");
    let before = world.snapshot();
    let same = NewMemory::from(
        NewTurn::builder("s", "hello")
            .speaker("Ada")
            .build()
            .unwrap(),
    );
    let done = world
        .write(|txn, ns, now| append(txn, ns, now, id, &same))
        .unwrap();
    assert!(done.already && done.row == row && done.position == Some(0));
    let after = world.snapshot();
    assert_eq!(
        next_event(&before, world.ns).unwrap(),
        next_event(&after, world.ns).unwrap()
    );
    let other = NewMemory::try_from("something else").unwrap();
    let error = world
        .write(|txn, ns, now| append(txn, ns, now, id, &other))
        .unwrap_err();
    assert!(
        matches!(error, RecordError::IdTaken { id: named } if named == id),
        "{error}"
    );
    let late = Incoming {
        stored_at: Some(at(5)),
        ..Incoming::new(id, &same)
    };
    let error = world
        .write(|txn, ns, now| append_many(txn, ns, now, &[late], &|_, _| Vec::new()))
        .unwrap_err();
    assert!(matches!(error, RecordError::IdTaken { .. }), "{error}");
    world.check();
}

#[test]
fn a_memory_is_no_source_of_its_own() {
    let mut world = World::new();
    let (id, _) = world.text("source");
    let next = world.ids.next(at(1));
    let own = NewMemory::builder("fact").derived_from(id).build().unwrap();
    let error = world
        .write(|txn, ns, now| update(txn, ns, now, id, &own, None, &|_, _| Vec::new()))
        .unwrap_err();
    assert!(
        matches!(error, RecordError::OwnOrigin { id: refused } if refused == id),
        "{error}"
    );
    // A memory that replaces it under an id of its own derives from the replaced one.
    assert!(
        world
            .write(|txn, ns, now| update(txn, ns, now, id, &own, Some(next), &|_, _| Vec::new()))
            .is_ok()
    );
    world.check();
}

#[test]
fn sources_must_exist_here_or_earlier_in_the_batch() {
    let mut world = World::new();
    let (origin, _) = world.text("source");
    let unknown = world.ids.next(at(1));
    let derived = |origin: MemoryId| {
        NewMemory::builder("fact")
            .derived_from(origin)
            .build()
            .unwrap()
    };
    let (good, bad, id) = (derived(origin), derived(unknown), world.ids.next(at(2)));
    world.add(good);
    let error = world
        .write(|txn, ns, now| append(txn, ns, now, id, &bad))
        .unwrap_err();
    assert!(
        matches!(error, RecordError::NoOrigin { origin, .. } if origin == unknown),
        "{error}"
    );
    let source = NewMemory::try_from("its source").unwrap();
    let batch = [Incoming::new(unknown, &source), Incoming::new(id, &bad)];
    let done = world
        .write(|txn, ns, now| append_many(txn, ns, now, &batch, &|_, _| Vec::new()))
        .unwrap();
    assert_eq!(done.len(), 2);
    let strange = world.ids.next(at(3));
    let orphan = derived(strange);
    let id = world.ids.next(at(4));
    let kept = Incoming {
        keep_provenance: true,
        ..Incoming::new(id, &orphan)
    };
    assert!(
        world
            .write(|txn, ns, now| append_many(txn, ns, now, &[kept], &|_, _| Vec::new()))
            .is_ok()
    );
    world.check();
}

#[test]
fn a_batch_that_fails_leaves_nothing() {
    let mut world = World::new();
    let (taken, _) = world.text("there");
    let before = events(&world.snapshot(), world.ns, 0, 100).unwrap();
    let (fine, clash) = (
        NewMemory::try_from("fine").unwrap(),
        NewMemory::try_from("clash").unwrap(),
    );
    let id = world.ids.next(at(1));
    let batch = [Incoming::new(id, &fine), Incoming::new(taken, &clash)];
    assert!(
        world
            .write(|txn, ns, now| append_many(txn, ns, now, &batch, &|_, _| Vec::new()))
            .is_err()
    );
    assert_eq!(events(&world.snapshot(), world.ns, 0, 100).unwrap(), before);
    assert_eq!(get(&world.snapshot(), world.ns, id, None).unwrap(), None);
    world.check();
}

#[test]
fn changes_of_what_does_not_exist_name_it() {
    let mut world = World::new();
    world.text("there");
    let unknown = world.ids.next(at(1));
    let errors = [
        world.update(unknown, "x", None).unwrap_err(),
        world.status(unknown, Status::Forgotten).unwrap_err(),
        world.erase(&[unknown]).unwrap_err(),
    ];
    for error in errors {
        assert!(
            matches!(error, RecordError::NotFound { id } if id == unknown),
            "{error}"
        );
        assert!(error.to_string().contains(&unknown.to_string()));
    }
    assert!(
        history(&world.snapshot(), world.ns, unknown)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_was_superseded_names_its_successor() {
    let mut world = World::new();
    let (old, _) = world.text("I live in Oslo.");
    let new = world.ids.next(at(1));
    world.now = at(1);
    world.update(old, "I live in Rome.", Some(new)).unwrap();
    let error = world.update(old, "I live in Bern.", None).unwrap_err();
    assert!(
        matches!(error, RecordError::Superseded { by: Some(by), .. } if by == new),
        "{error}"
    );
    let (_, memory) = get(&world.snapshot(), world.ns, old, None)
        .unwrap()
        .unwrap();
    assert_eq!(memory.superseded_by, Some(new));
    let texts: Vec<String> = history(&world.snapshot(), world.ns, new)
        .unwrap()
        .into_iter()
        .map(|r| r.memory.body.text)
        .collect();
    assert_eq!(texts, ["I live in Oslo.", "I live in Rome."]);
    world.erase(&[new]).unwrap();
    let (_, memory) = get(&world.snapshot(), world.ns, old, None)
        .unwrap()
        .unwrap();
    assert_eq!(memory.superseded_by, None);
    let filter = Filter::default();
    let why = world
        .columns
        .matcher(&filter, Moment::now(at(2)))
        .why_not(Row(0));
    assert_eq!(
        why,
        Some(Mismatch::Replaced { at: at(1) }),
        "what was replaced stays replaced"
    );
    world.check();
}

#[test]
fn what_is_past_is_meant_where_it_is_asked_for() {
    let mut world = World::new();
    let (same, _) = world.text("I live in Oslo.");
    let (other, _) = world.text("I work in Oslo.");
    world.add(
        NewMemory::builder("offer")
            .expires_at(at(5))
            .build()
            .unwrap(),
    );
    let (gone, _) = world.text("forgotten");
    world.status(gone, Status::Forgotten).unwrap();
    world.now = at(10);
    // Row 4 is a text of the memory of row 0, row 5 a memory of its own.
    world.update(same, "I live in Rome.", None).unwrap();
    let successor = world.ids.next(at(10));
    world
        .update(other, "I work in Rome.", Some(successor))
        .unwrap();
    let all = Filter::default();
    let rows = |world: &World, moment, past| {
        let matcher = world.columns.matcher(&all, moment);
        let matcher = if past { matcher.with_past() } else { matcher };
        matcher.rows().map(|row| row.0).collect::<Vec<_>>()
    };
    let now = Moment::now(at(20));
    assert_eq!(rows(&world, now, false), [4, 5]);
    // Expired memories and those that another memory replaced; not the earlier text of a memory,
    // nor forgotten ones.
    assert_eq!(rows(&world, now, true), [1, 2, 4, 5]);
    assert_eq!(rows(&world, Moment::as_of(at(20), at(4)), false), [0, 1, 2]);
    let then = Moment::as_of(at(20), at(9));
    assert_eq!(
        (rows(&world, then, false), rows(&world, then, true)),
        (vec![0, 1], vec![0, 1, 2])
    );
    let after = Moment::as_of(at(20), at(10));
    assert_eq!(
        (rows(&world, after, false), rows(&world, after, true)),
        (vec![4, 5], vec![1, 2, 4, 5])
    );
    // Without its successor it is still the last text of its memory.
    world.erase(&[successor]).unwrap();
    assert_eq!(
        (rows(&world, now, false), rows(&world, now, true)),
        (vec![4], vec![1, 2, 4])
    );
    world.check();
}

#[test]
fn positions_are_never_given_twice() {
    let mut world = World::new();
    let turns: Vec<MemoryId> = (0..3)
        .map(|n| world.turn("s", &format!("turn {n}")).0)
        .collect();
    world.erase(&turns[1..]).unwrap();
    world.turn("s", "after");
    let rows = session_turns(&world.snapshot(), world.ns, "s", 0, 10).unwrap();
    assert_eq!(rows, [(0, Row(0)), (3, Row(3))]);
    let turn = NewMemory::from(NewTurn::builder("s", "at three").build().unwrap());
    let mut body = turn.into_body();
    body.turn.as_mut().unwrap().position = 3;
    let memory = NewMemory::from_body(body).unwrap();
    let id = world.ids.next(at(9));
    let named = Incoming {
        keep_position: true,
        ..Incoming::new(id, &memory)
    };
    let error = world
        .write(|txn, ns, now| append_many(txn, ns, now, &[named], &|_, _| Vec::new()))
        .unwrap_err();
    assert!(
        matches!(error, RecordError::PositionTaken { position: 3, .. }),
        "{error}"
    );
    assert!(
        session_turns(&world.snapshot(), world.ns, "none", 0, 10)
            .unwrap()
            .is_empty()
    );
    let before = |position, limit| {
        session_turns_before(&world.snapshot(), world.ns, "s", position, limit).unwrap()
    };
    let backwards: Vec<_> = rows.iter().rev().copied().collect();
    assert_eq!(before(u32::MAX, 10), backwards);
    assert_eq!(
        (before(rows[1].0, 10), before(u32::MAX, 1)),
        (vec![rows[0]], vec![backwards[0]])
    );
    assert!(
        session_turns_before(&world.snapshot(), world.ns, "none", 9, 10)
            .unwrap()
            .is_empty()
    );
    world.check();
}

#[test]
fn any_valid_content_comes_back_bit_for_bit() {
    let mut world = World::new();
    let texts = [
        "x".repeat(MAX_TEXT_BYTES),
        "👩‍👩‍👧 \u{202e}right to left\u{202c}".to_owned(),
        "\u{0}\u{7}\n".to_owned() + "y",
    ];
    for text in texts {
        let memory = NewMemory::builder(text)
            .layer(Layer::Core)
            .importance(999.5)
            .confidence(0.1)
            .metadata("f", 0.1 + 0.2)
            .metadata("small", f64::MIN_POSITIVE)
            .metadata("whole", Value::Float(3.0))
            .metadata("int", i64::MIN)
            .metadata(
                "deep",
                Value::List(vec![
                    Value::Null,
                    Value::Map([("k".to_owned(), Value::Bool(true))].into()),
                ]),
            )
            .tag("工作")
            .source("🙂")
            .build()
            .unwrap();
        let expected: Body = memory.body().clone();
        let (id, _) = world.add(memory);
        let (_, found) = get(&world.snapshot(), world.ns, id, Some(&world.columns))
            .unwrap()
            .unwrap();
        assert_eq!(found.body, expected);
    }
    world.check();
}

#[test]
fn others_can_follow_what_happens() {
    let mut world = World::new();
    let (id, row) = world.text("one");
    world.text("two");
    let seen = events(&world.snapshot(), world.ns, 0, 100).unwrap();
    assert_eq!(
        seen.iter().map(|event| event.seq).collect::<Vec<_>>(),
        [0, 1]
    );
    world.now = at(7);
    world.update(id, "one, changed", None).unwrap();
    world.status(id, Status::Forgotten).unwrap();
    world.status(id, Status::Forgotten).unwrap();
    world.erase(&[id]).unwrap();
    let later = events(&world.snapshot(), world.ns, 2, 100).unwrap();
    let told: Vec<(Operation, Option<MemoryId>, u32)> = later
        .iter()
        .map(|event| (event.operation, event.id, event.number))
        .collect();
    let forgotten = u32::from(Status::Forgotten.to_byte());
    let expected = [
        (Operation::Updated, Some(id), 2),
        (Operation::StatusChanged, Some(id), forgotten),
        (Operation::Erased, Some(id), 2),
    ];
    assert_eq!(told, expected);
    assert!(later.iter().all(|event| event.time == at(7)));
    assert_eq!(events(&world.snapshot(), world.ns, 3, 1).unwrap().len(), 1);
    assert_eq!(
        memories(&world.snapshot(), world.ns, &[row], None).unwrap(),
        [None]
    );
}

#[test]
fn a_filter_says_why_a_memory_is_not_meant() {
    let mut world = World::new();
    let fact = NewMemory::builder("fact")
        .tag("a")
        .expires_at(at(50))
        .valid_from(at(10))
        .valid_until(at(20))
        .build();
    let (id, row) = world.add(fact.unwrap());
    let label = |text| annals_types::Label::new("label", text).unwrap();
    let why =
        |world: &World, filter: &Filter, moment| world.columns.matcher(filter, moment).why_not(row);
    let now = Moment::now(at(15));
    let all = Filter::default();
    assert_eq!(why(&world, &all, now), None);
    assert_eq!(why(&world, &all, Moment::now(at(50))), None);
    assert_eq!(
        why(&world, &all, Moment::now(at(51))),
        Some(Mismatch::Expired { at: at(50) })
    );
    assert_eq!(
        why(&world, &all, Moment::as_of(at(60), at(-1))),
        Some(Mismatch::NotYetStored { stored_at: at(0) })
    );
    assert_eq!(why(&world, &all, Moment::as_of(at(60), at(49))), None);
    let cases = [
        (
            Filter {
                layers: vec![Layer::Core],
                ..all.clone()
            },
            Mismatch::Layer {
                layer: Layer::Semantic,
            },
        ),
        (
            Filter {
                statuses: vec![Status::Archived],
                ..all.clone()
            },
            Mismatch::Status {
                status: Status::Active,
            },
        ),
        (
            Filter {
                sessions: vec![label("s")],
                ..all.clone()
            },
            Mismatch::Session,
        ),
        (
            Filter {
                speakers: vec![label("s")],
                ..all.clone()
            },
            Mismatch::Speaker,
        ),
        (
            Filter {
                tags: vec![label("a"), label("b")],
                ..all.clone()
            },
            Mismatch::Tag,
        ),
        (
            Filter {
                kinds: vec![annals_types::Kind::new("rule").unwrap()],
                ..all.clone()
            },
            Mismatch::Kind,
        ),
        (
            Filter {
                valid_at: Some(at(20)),
                ..all.clone()
            },
            Mismatch::NotValid,
        ),
        (
            Filter {
                time: annals_types::TimeRange {
                    start: Some(at(1)),
                    end: None,
                },
                ..all.clone()
            },
            Mismatch::Time { time: at(0) },
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(why(&world, &filter, now), Some(expected), "{filter:?}");
        assert!(!expected.to_string().is_empty());
    }
    world.erase(&[id]).unwrap();
    assert_eq!(why(&world, &all, now), Some(Mismatch::Missing));
    assert_eq!(
        world.columns.matcher(&all, now).why_not(Row(99)),
        Some(Mismatch::Missing)
    );
}

#[test]
fn a_snapshot_of_columns_does_not_change() {
    let mut world = World::new();
    for number in 0..1500 {
        world.turn("long", &format!("turn {number}"));
    }
    let kept = world.columns.clone();
    let session = kept.label_id(LabelClass::Session, "long").unwrap();
    world.turn("long", "one more");
    assert_eq!((kept.len(), world.columns.len()), (1500, 1501));
    assert_eq!(kept.neighbours(Row(1499)), (Some(Row(1498)), None));
    assert_eq!(
        world.columns.neighbours(Row(1499)),
        (Some(Row(1498)), Some(Row(1500)))
    );
    assert_eq!(
        (
            kept.session_len(session),
            world.columns.session_len(session)
        ),
        (1500, 1501)
    );
    assert_eq!(kept.session_rows(session).count(), 1500);
    world.check();
}

/// A file may name any position: the last of all leaves no room, and is not kept.
#[test]
fn far_positions_of_imports_leave_room_for_what_is_said_next() {
    let mut world = World::new();
    world.turn("s", "first");
    let chronicle = |id: MemoryId, position: u32, texts: &[&str]| {
        let revisions = texts.iter().enumerate().map(|(number, text)| {
            let mut memory =
                NewMemory::from(NewTurn::builder("s", *text).build().unwrap()).into_body();
            memory.turn.as_mut().unwrap().position = position;
            Version {
                memory,
                stored_at: at(1),
                statuses: vec![Since {
                    status: Status::Active,
                    time: at(1),
                }],
                replaced_at: (number + 1 < texts.len()).then(|| at(2)),
            }
        });
        Chronicle {
            id,
            supersedes: None,
            revisions: revisions.collect(),
        }
    };
    let ids: Vec<MemoryId> = (0..4).map(|_| world.ids.next(at(1))).collect();
    let far = [
        chronicle(ids[0], u32::MAX, &["told once", "told better"]),
        chronicle(ids[1], u32::MAX - 1, &["last"]),
        chronicle(ids[2], u32::MAX - 1, &["beside it"]),
        chronicle(ids[3], 10_000_000, &["far, and kept"]),
    ];
    let none = |_: &str, _: annals_types::Timestamp| Vec::new();
    for already in [false, true] {
        let brought = world
            .write(|txn, ns, now| import(txn, ns, now, &far, &none))
            .unwrap();
        assert!(
            brought.iter().all(|one| one.already == already),
            "{brought:?}"
        );
    }
    world.turn("s", "after");
    let turns = session_turns(&world.snapshot(), world.ns, "s", 0, 10).unwrap();
    let places: Vec<u32> = turns.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [0, 1, 2, 3, 10_000_000, 10_000_001]);
    world.check();
}
