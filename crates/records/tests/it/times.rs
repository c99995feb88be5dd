//! Rows by what happened when, against a walk over all rows.

use crate::world;

use annals_records::{Columns, Incoming, append_many, fold_columns};
use annals_types::{Interval, MemoryId, NewMemory, NewTurn, Row, Timestamp};

use world::{World, at};

/// SplitMix64, so that every run sees the same.
fn draw(state: &mut u64) -> i64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    i64::try_from((z ^ (z >> 31)) >> 1).unwrap()
}

/// The times that texts name by when they are told: near it, far from it, or mostly none.
fn named_times(_: &str, told_at: Timestamp) -> Vec<Interval> {
    let time = |start: Timestamp, length: i64| Interval {
        start,
        end: start.plus_millis(length),
    };
    match told_at.as_millis() % 20 {
        3 => vec![
            time(told_at.plus_millis(-50_000), 10_000),
            time(told_at.plus_millis(20), 1),
        ],
        7 => vec![time(at(-3_000_000), 2_900_000)],
        _ => Vec::new(),
    }
}

/// Some chunks of rows: times that rise with noise, some far off, some rows without one.
fn filled(random: &mut u64) -> (World, Vec<MemoryId>) {
    let mut world = World::new();
    let mut all = Vec::new();
    for step in 0..7 {
        let memories: Vec<(MemoryId, NewMemory)> = (0..700)
            .map(|number| {
                let time = match draw(random) % 20 {
                    0 => at(draw(random) % 10_000_000 - 5_000_000),
                    _ => at((step * 700 + number) * 100 + draw(random) % 5000),
                };
                let turn = NewTurn::builder("s", "x");
                let turn = if draw(random) % 10 == 0 {
                    turn
                } else {
                    turn.time(time)
                };
                (world.ids.next(world.now), turn.build().unwrap().into())
            })
            .collect();
        all.extend(memories.iter().map(|(id, _)| *id));
        let incoming = || {
            memories
                .iter()
                .map(|(id, memory)| Incoming::new(*id, memory))
                .collect::<Vec<_>>()
        };
        world
            .write(|txn, ns, now| append_many(txn, ns, now, &incoming(), &named_times))
            .unwrap();
        world.now = world.now.plus_millis(70_000);
    }
    (world, all)
}

fn agree(columns: &Columns, random: &mut u64) {
    let time = |row: Row| columns.get(row).map(|facts| facts.time());
    let naive = |start: Timestamp, end: Timestamp| -> Vec<Row> {
        let moment = |row: Row| {
            let named = columns
                .named_times(row)
                .filter(|named| start < end && named.start < end && start < named.end);
            let named = named.map(|named| named.start.max(start)).max();
            time(row)
                .filter(|time| (start..end).contains(time))
                .max(named)
        };
        let all = (0..columns.len())
            .map(Row)
            .filter_map(|row| Some((moment(row)?, row)));
        let mut rows: Vec<(Timestamp, Row)> = all.collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        rows.into_iter().map(|(_, row)| row).collect()
    };
    let all =
        |start: Timestamp, end: Timestamp| columns.latest_within(start, end, usize::MAX, |_| true);
    let mut hits = 0;
    for round in 0..300 {
        let exact = columns
            .get(Row(u32::try_from(draw(random) % 4900).unwrap()))
            .map(|facts| facts.time());
        let start = match round % 3 {
            0 => exact.unwrap_or_default(),
            _ => at(draw(random) % 700_000 - 100_000),
        };
        let length =
            [0, 1, 60, 5000, 100_000, 20_000_000][usize::try_from(draw(random) % 6).unwrap()];
        let (start, end) = if round % 7 == 0 {
            (start.plus_millis(-length), start)
        } else {
            (start, start.plus_millis(length))
        };
        let found = all(start, end);
        assert_eq!(found, naive(start, end), "{start} to {end}");
        let most = usize::try_from(draw(random) % 20).unwrap();
        let odd = columns.latest_within(start, end, most, |row| row.0 % 2 == 1);
        assert_eq!(
            odd,
            naive(start, end)
                .into_iter()
                .filter(|row| row.0 % 2 == 1)
                .take(most)
                .collect::<Vec<_>>()
        );
        hits += found.len();
    }
    assert!(hits > 10_000, "{hits}");
    assert!(
        columns
            .rows()
            .filter(|row| columns.named_times(*row).next().is_some())
            .count()
            > 100
    );
    // The very ends of each chunk.
    for chunk in (0..columns.len()).step_by(1024) {
        let times =
            (chunk..columns.len().min(chunk + 1024)).filter_map(|row| columns.get(Row(row)));
        let times: Vec<Timestamp> = times.map(|facts| facts.time()).collect();
        for time in [times.iter().min(), times.iter().max()]
            .into_iter()
            .flatten()
        {
            for (start, end) in [(0, 1), (-1, 0), (-1, 1), (1, 2)] {
                let (start, end) = (time.plus_millis(start), time.plus_millis(end));
                assert_eq!(all(start, end), naive(start, end));
            }
        }
    }
    assert_eq!(
        all(Timestamp::MIN, Timestamp::MAX).len(),
        columns.rows().count()
    );
    assert_eq!(all(Timestamp::MAX, Timestamp::MIN), []);
}

#[test]
fn chunks_that_are_passed_over_hold_none_of_the_rows() {
    let mut random = 11;
    let (mut world, ids) = filled(&mut random);
    assert_eq!(world.columns.len(), 4900);
    agree(&world.columns, &mut random);
    for id in ids.iter().step_by(97) {
        world.update(*id, "other", None).unwrap();
    }
    // Whole chunks are gone, and single rows.
    world.erase(&ids[1024..3072]).unwrap();
    world.erase(&[ids[5], ids[3500]]).unwrap();
    agree(&world.columns, &mut random);
    let ns = world.ns;
    agree(&Columns::load(&world.snapshot(), ns).unwrap(), &mut random);
    world
        .store
        .write(|txn| fold_columns(txn, ns, 1000, 10))
        .unwrap();
    agree(&Columns::load(&world.snapshot(), ns).unwrap(), &mut random);
    assert_eq!(
        Columns::empty(ns).latest_within(at(0), at(1), 1, |_| true),
        []
    );
}
