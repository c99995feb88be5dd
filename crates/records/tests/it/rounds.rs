//! How often an operation goes to the engine, and that an engine which gives commits up changes
//! nothing.

use crate::world;

use annals_records::{Incoming, Written, append, append_many, memories, update};
use annals_storage::conformance::Remote;
use annals_storage::{MemoryEngine, Store};
use annals_types::{MemoryId, NewMemory, NewTurn, Row};

use world::{World, at};

fn turn(session: &str, number: usize) -> NewMemory {
    NewTurn::builder(session, format!("turn {number}"))
        .speaker("Ada")
        .tag("t")
        .build()
        .unwrap()
        .into()
}

#[test]
fn writes_need_two_or_three_rounds_and_reads_one() {
    let remote = Remote::new(Box::new(MemoryEngine::new()), 0);
    let trips = remote.round_trips();
    let mut world = World::over(Store::with_engine(Box::new(remote)).unwrap());
    let (first, _) = world.turn("s", "first");
    let mut within = Vec::new();
    let (again, other) = (turn("s", 1), turn("new session", 2));
    let derived = NewMemory::builder("fact")
        .derived_from(first)
        .tag("t")
        .build()
        .unwrap();
    for memory in [&again, &other, &derived] {
        let id = world.ids.next(at(0));
        let job = |txn: &mut annals_storage::Transaction<'_>, ns, now| {
            let (done, rounds) = trips.during(|| append(txn, ns, now, id, memory));
            within.push(rounds);
            done
        };
        world.write(job).unwrap();
    }
    let many: Vec<NewMemory> = (0..50)
        .map(|number| turn(["s", "u", "v"][number % 3], number))
        .collect();
    let ids: Vec<MemoryId> = many.iter().map(|_| world.ids.next(at(0))).collect();
    let incoming: Vec<Incoming<'_>> = ids
        .iter()
        .zip(&many)
        .map(|(id, memory)| Incoming::new(*id, memory))
        .collect();
    let job = |txn: &mut annals_storage::Transaction<'_>, ns, now| {
        let (done, rounds): (Result<Written<_>, _>, u64) =
            trips.during(|| append_many(txn, ns, now, &incoming, &|_, _| Vec::new()));
        within.push(rounds);
        done
    };
    world.write(job).unwrap();
    let job = |txn: &mut annals_storage::Transaction<'_>, ns, now| {
        let (done, rounds) =
            trips.during(|| update(txn, ns, now, first, &again, None, &|_, _| Vec::new()));
        within.push(rounds);
        done
    };
    world.write(job).unwrap();
    assert_eq!(within, [2, 1, 1, 2, 2]);
    let snapshot = world.snapshot();
    let rows: Vec<Row> = (0..20).map(Row).collect();
    let (found, rounds) =
        trips.during(|| memories(&snapshot, world.ns, &rows, Some(&world.columns)).unwrap());
    assert_eq!((found.iter().flatten().count(), rounds), (20, 1));
    let (_, rounds) = trips.during(|| memories(&snapshot, world.ns, &rows, None).unwrap());
    assert_eq!(rounds, 2);
    let (_, rounds) = trips.during(|| annals_records::Columns::load(&snapshot, world.ns).unwrap());
    assert!(rounds <= 3, "{rounds}");
    world.check();
}

#[test]
fn commits_that_are_given_up_change_nothing() {
    let remote = Remote::new(Box::new(MemoryEngine::new()), 3);
    let trips = remote.round_trips();
    let mut world = World::over(Store::with_engine(Box::new(remote)).unwrap());
    let ids: Vec<MemoryId> = (0..30)
        .map(|number| world.turn("s", &format!("turn {number}")).0)
        .collect();
    for id in ids.iter().step_by(3) {
        world.update(*id, "changed", None).unwrap();
    }
    world.erase(&ids[10..20]).unwrap();
    assert!(
        trips.aborted() > 5,
        "the engine gave up {} commits",
        trips.aborted()
    );
    assert_eq!(world.columns.len(), 40);
    world.check();
}
