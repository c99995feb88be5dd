//! Many writers and readers, files that are opened again, and thresholds forced to nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals::blocking::Memory;
use annals::profile::Profile;
use annals::{ListQuery, ManualClock, Mode, NewTurn, Query, Timestamp};

const WORDS: [&str; 24] = [
    "river",
    "stone",
    "bridge",
    "lantern",
    "harbour",
    "violin",
    "copper",
    "meadow",
    "winter",
    "garden",
    "letter",
    "engine",
    "北京",
    "咖啡",
    "图书馆",
    "自行车",
    "生日",
    "火车",
    "猫",
    "雨伞",
    "coffee",
    "train",
    "ticket",
    "umbrella",
];

fn sentence(seed: usize) -> String {
    let word = |k: usize| WORDS[(seed * 31 + k * 17 + seed / 7 * k) % WORDS.len()];
    format!(
        "{} {} {} {} number {seed}",
        word(1),
        word(2),
        word(3),
        word(5)
    )
}

/// Every size at which a layer changes its ways, forced to its least.
fn tiny() -> Profile {
    let mut profile = Profile::default();
    profile.records.column_block_rows = 8;
    profile.text.fold_above_rows = 0;
    profile.text.merge_factor = 2;
    profile.text.chunk_bytes = 64;
    profile.vector.exact_up_to_rows = 0;
    profile.vector.tail_up_to_rows = 0;
    profile
}

#[test]
fn thirty_two_writers_and_readers_agree() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("m.annals")).unwrap();
    let user = memory.namespace("u").unwrap();
    user.remember("the beginning").unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..16)
            .map(|writer| {
                let user = user.clone();
                scope.spawn(move || {
                    for n in 0..12 {
                        let id = user.remember(sentence(writer * 100 + n)).unwrap();
                        assert!(user.get(id).unwrap().is_some(), "what returned is there");
                        if n % 4 == 0 {
                            user.delete(id, Mode::Commit).unwrap();
                        }
                    }
                })
            })
            .collect();
        for reader in 0..16 {
            let (user, stop) = (user.clone(), &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let hits = user.recall(sentence(reader)).unwrap();
                    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
                }
            });
        }
        writers
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(user.list(&ListQuery::default()).unwrap().total, 1 + 16 * 9);
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
    drop((user, memory));
    let memory = Memory::open(folder.path().join("m.annals")).unwrap();
    let user = memory.namespace("u").unwrap();
    assert_eq!(user.list(&ListQuery::default()).unwrap().total, 1 + 16 * 9);
    assert!(memory.validate().unwrap().problems.is_empty());
}

/// The answers of a memory to some questions.
fn answers(memory: &Memory) -> Vec<Vec<(String, u32)>> {
    let user = memory.namespace("u").unwrap();
    (0..20)
        .map(|n| {
            let hits = user.recall(Query::new(sentence(n * 3)).top_k(5)).unwrap();
            hits.into_iter()
                .map(|hit| (hit.text, (hit.score * 1e5).round() as u32))
                .collect()
        })
        .collect()
}

fn fill(memory: &Memory) {
    let user = memory.namespace("u").unwrap();
    for session in 0..10 {
        let turns = (0..20).map(|n| {
            NewTurn::builder(format!("s{session}"), sentence(session * 20 + n))
                .build()
                .unwrap()
        });
        user.sessions().append(turns.collect()).unwrap();
    }
    memory.wait_idle().unwrap();
}

#[test]
fn thresholds_change_nothing_but_speed() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_772_000_000_000)));
    let open = |profile| {
        Memory::options()
            .clock(Arc::clone(&clock) as _)
            .id_seed(3)
            .profile(profile)
            .in_memory()
            .unwrap()
    };
    let (usual, small) = (open(Profile::default()), open(tiny()));
    fill(&usual);
    fill(&small);
    let stats = small
        .namespace("u")
        .unwrap()
        .admin()
        .stats()
        .unwrap()
        .open
        .unwrap();
    assert!(
        stats.segments > 0 && stats.graph_rows > 0,
        "the large path was not taken: {stats:?}"
    );
    assert_eq!(answers(&usual), answers(&small));
    assert!(
        small.validate().unwrap().problems.is_empty(),
        "{:?}",
        small.validate().unwrap()
    );
}

#[test]
fn a_file_with_folded_indexes_opens_again_and_deletes_from_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.annals");
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_772_000_000_000)));
    let open = || {
        Memory::options()
            .clock(Arc::clone(&clock) as _)
            .id_seed(3)
            .profile(tiny())
            .open(&path)
            .unwrap()
    };
    let memory = open();
    fill(&memory);
    let before = answers(&memory);
    drop(memory);
    let memory = open();
    assert_eq!(answers(&memory), before);
    let user = memory.namespace("u").unwrap();
    let page = user
        .list(&ListQuery {
            limit: 40,
            ..ListQuery::default()
        })
        .unwrap();
    for gone in &page.memories {
        user.delete(gone.id, Mode::Commit).unwrap();
    }
    memory.wait_idle().unwrap();
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
    let left = answers(&memory);
    let deleted: Vec<&str> = page.memories.iter().map(|m| m.body.text.as_str()).collect();
    assert!(
        left.iter()
            .flatten()
            .all(|(text, _)| !deleted.contains(&text.as_str()))
    );
    drop((user, memory));
    assert_eq!(answers(&open()), left);
}
