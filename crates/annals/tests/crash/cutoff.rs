//! A process dies at any commit: jobs that are run again come to the same end, and a cascade is
//! there whole or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::life::day;
use crate::support::script::{Script, Table};
use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, EntityId, NewEntity, TripleQuery, View};
use annals::storage::{
    Batch, Depth, Engine, EngineSnapshot, EngineStats, MemoryEngine, StorageError,
};
use annals::{
    Causality, Error, JobReport, ManualClock, MemoryId, Mode, NewMemory, Options, Status,
};

/// A disk that accepts a number of writes and then no more. With `torn` the last write arrives
/// although it is not acknowledged.
#[derive(Clone)]
pub(crate) struct Disk {
    pub(crate) kept: Arc<MemoryEngine>,
    left: Arc<AtomicU64>,
    torn: bool,
}

impl Disk {
    pub(crate) fn new(torn: bool) -> Self {
        Self {
            kept: Arc::default(),
            left: Arc::new(AtomicU64::new(u64::MAX)),
            torn,
        }
    }

    pub(crate) fn dies_after(&self, writes: u64) {
        self.left.store(writes, Ordering::SeqCst);
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }
}

impl Engine for Disk {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        self.kept.snapshot()
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let left = self.left.load(Ordering::SeqCst);
        if left > 0 {
            self.left.store(left - 1, Ordering::SeqCst);
        }
        if left > 1 || (left == 1 && self.torn) {
            self.kept.apply(batch)?;
        }
        if left > 1 {
            return Ok(());
        }
        Err(StorageError::Io {
            doing: "write".to_owned(),
            source: std::io::Error::other("the power is gone"),
        })
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        self.kept.stats(depth)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        self.kept.compact()
    }
}

struct World {
    disk: Disk,
    clock: ManualClock,
    table: Arc<Table>,
    judge: Arc<Script>,
    memory: Option<Memory>,
}

impl World {
    fn new(profile: &str, torn: bool) -> Self {
        let (table, judge) = (Table::new(), Script::causes([Causality::FirstCauses; 100]));
        table.near("心情", "情绪", 0.97);
        table.near("我心情不好", "我情绪低落", 0.8);
        let clock = ManualClock::new(day(0.0));
        let mut world = Self {
            disk: Disk::new(torn),
            clock,
            table,
            judge,
            memory: None,
        };
        world.reopen();
        world.memory().create_namespace("u", profile).unwrap();
        world
    }

    /// A person says that the clock is right, as far as there is a disk to say so to.
    fn trust(&self) {
        let trusted = self.memory().jobs().trust_clock();
        assert!(trusted.is_ok() || self.disk.is_dead(), "{trusted:?}");
    }

    fn reopen(&mut self) {
        self.memory = None;
        self.disk.dies_after(u64::MAX);
        let options = Options::new()
            .clock(Arc::new(self.clock.clone()))
            .id_seed(1);
        let options = options
            .embedder(self.table.clone())
            .judge(self.judge.clone());
        self.memory = Some(options.open_on(Box::new(self.disk.clone())).unwrap());
    }

    fn memory(&self) -> &Memory {
        self.memory.as_ref().unwrap()
    }

    fn space(&self) -> Namespace {
        self.memory().namespace("u").unwrap()
    }

    #[track_caller]
    fn sound(&self) {
        assert_eq!(self.memory().validate().unwrap().problems, [""; 0]);
    }

    /// Everything that is kept of the namespace, and what jobs last did.
    fn kept(&self) -> String {
        let mut out = Vec::new();
        self.space()
            .transfer()
            .export(&mut out, &mut |_| {})
            .unwrap();
        let jobs = self.memory().jobs().list().unwrap();
        let jobs: Vec<_> = jobs
            .iter()
            .map(|job| {
                (
                    &job.job,
                    job.last.as_ref().map(|last| last.at),
                    job.failures,
                )
            })
            .collect();
        format!(
            "{}\n{jobs:?}\n{:?}",
            String::from_utf8(out).unwrap(),
            self.space().reviews().pending(100).unwrap()
        )
    }
}

/// Memories that fade at different speeds, some of which say something; under `graph` they are
/// staged.
fn fill(world: &World, kinds: &[&str], scores: &[f32]) -> Vec<MemoryId> {
    let space = world.space();
    let mut ids = Vec::new();
    for (n, score) in scores.iter().enumerate() {
        for kind in kinds {
            world.clock.advance_millis(60_000);
            let new = NewMemory::builder(format!("{kind} {}", &"abcdefgh"[n..=n]))
                .kind(*kind)
                .importance(*score);
            let id = space.remember(new.build().unwrap()).unwrap();
            space
                .graph()
                .add_triples(
                    id,
                    &[Assertion::new("主人", "提到", format!("{kind} {}", n % 3))],
                )
                .unwrap();
            ids.push(id);
        }
    }
    for pair in ids.windows(2).step_by(2) {
        space.graph().link(pair[0], "related", pair[1]).unwrap();
    }
    let derived = NewMemory::builder("what came of two")
        .kind(kinds[0])
        .derived_from(ids[0])
        .derived_from(ids[1]);
    space.remember(derived.build().unwrap()).unwrap();
    ids
}

/// Staged memories with nodes that are one, a cause, a shared node and a contradiction.
fn stage(world: &World) {
    let space = world.space();
    let node = |name: &str, kind: &str| NewEntity::new(name).kind(kind);
    for (text, topic, object) in [
        ("我情绪低落", "情绪", "低落"),
        ("我心情不好", "心情", "不好"),
        ("我又情绪低落", "情绪", "低落"),
        ("我吃了白米饭", "吃饭", "白米饭"),
    ] {
        world.clock.advance_millis(60_000);
        let new = NewMemory::builder(text)
            .kind("事件")
            .status(Status::Staged)
            .build()
            .unwrap();
        let said = [
            Assertion::new(node("我", "主体"), "事件", node(topic, "主题")),
            Assertion::new(node(topic, "主题"), "是", node(object, "客体")),
        ];
        space.graph().remember(new, &said).unwrap();
    }
    for (text, verb) in [("我喜欢下雨", "喜欢"), ("我讨厌下雨", "讨厌")] {
        world.clock.advance_millis(60_000);
        let new = NewMemory::builder(text)
            .kind("观点")
            .status(Status::Staged)
            .build()
            .unwrap();
        space
            .graph()
            .remember(new, &[Assertion::new("我", verb, "下雨")])
            .unwrap();
    }
}

/// Runs the due jobs on some days; dies at the `cut`-th commit of all of these, is opened again
/// and goes on. Answers whether it died, and the state in the end.
fn lived(
    profile: &str,
    fill: &dyn Fn(&World),
    days: &[f64],
    (cut, torn): (u64, bool),
) -> (bool, String) {
    let mut world = World::new(profile, torn);
    fill(&world);
    world.memory().wait_idle().unwrap();
    world.disk.dies_after(cut);
    let mut died = false;
    for at in days {
        world.clock.set(day(*at));
        world.trust();
        let ran = world.memory().maintain(false, Mode::Commit);
        if !died && world.disk.is_dead() {
            died = true;
            let failed = ran.is_err() || !ran.unwrap().iter().all(JobReport::succeeded);
            assert!(failed || torn, "what is not durable is no success");
            world.reopen();
            world.sound();
            world.trust();
            let again = world.memory().maintain(false, Mode::Commit).unwrap();
            assert!(again.iter().all(JobReport::succeeded), "{again:?}");
        } else {
            assert!(ran.unwrap().iter().all(JobReport::succeeded));
        }
        world.memory().wait_idle().unwrap();
    }
    world.reopen();
    world.sound();
    let again = world.memory().maintain(false, Mode::Commit).unwrap();
    assert_eq!(again, [], "nothing is left to be done");
    (died, world.kept())
}

/// Names the first line that differs, not all of them.
#[track_caller]
fn same(kept: &str, expected: &str, what: &str) {
    let differs = kept.lines().zip(expected.lines()).find(|(a, b)| a != b);
    let from = differs.map(|(a, b)| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count());
    let tail = |line: &str| {
        String::from_utf8_lossy(&line.as_bytes()[from.unwrap_or(0)..])
            .chars()
            .take(200)
            .collect()
    };
    let differs: Option<(String, String)> = differs.map(|(a, b)| (tail(a), tail(b)));
    assert_eq!(differs, None, "{what}");
    assert_eq!(kept.lines().count(), expected.lines().count(), "{what}");
}

fn dies_anywhere(profile: &str, fill: &dyn Fn(&World), days: &[f64], least: u64) {
    let (_, whole) = lived(profile, fill, days, (u64::MAX, false));
    let mut cuts = 0;
    for cut in 1.. {
        let mut died = false;
        for torn in [false, true] {
            let (cut_off, kept) = lived(profile, fill, days, (cut, torn));
            died |= cut_off;
            let lost = if torn { "arrived" } else { "is lost" };
            same(
                &kept,
                &whole,
                &format!("{profile}, cut off at commit {cut}, which {lost}"),
            );
        }
        if !died {
            break;
        }
        cuts = cut;
    }
    assert!(cuts >= least, "{profile}: only {cuts} commits");
}

#[test]
fn decay_and_reviews_come_to_the_same_end() {
    // part: X-10
    dies_anywhere(
        "companion",
        &|world| drop(fill(world, &["fact", "episode"], &[0.22, 0.3, 1.0, 2.9])),
        &[6.0, 9.0],
        6,
    );
}

#[test]
fn nightly_rules_come_to_the_same_end() {
    // part: X-10
    dies_anywhere(
        "studio",
        &|world| drop(fill(world, &["fact", "context"], &[0.12, 0.4, 0.9])),
        &[8.0, 30.0],
        6,
    );
    let agent = |world: &World| {
        world.table.near("FACT b", "FACT a", 0.95);
        drop(fill(world, &["FACT", "ERROR"], &[0.11, 0.4, 0.9]));
    };
    dies_anywhere("agent", &agent, &[8.0, 40.0], 10);
    dies_anywhere(
        "markdown",
        &|world| drop(fill(world, &["fact", "todo"], &[0.06, 0.21, 0.8])),
        &[9.0, 60.0],
        6,
    );
}

#[test]
fn consolidation_comes_to_the_same_end() {
    // part: X-10
    dies_anywhere("graph", &stage, &[0.3, 90.0], 10);
}

type Change = fn(&Namespace, &[MemoryId]) -> Result<(), Error>;

/// Each is one transaction over all layers.
const CASCADES: [(&str, Change); 8] = [
    ("delete what others are derived from", |space, ids| {
        space.bulk().delete(&ids[..2], Mode::Commit).map(drop)
    }),
    ("delete a source of several", |space, ids| {
        space.delete(ids[0], Mode::Commit).map(drop)
    }),
    ("forget", |space, ids| space.bulk().forget(&ids[..4])),
    ("update", |space, ids| {
        space
            .graph()
            .update(
                ids[2],
                NewMemory::builder("new").build()?,
                &[Assertion::new("主人", "有", "猫")],
            )
            .map(drop)
    }),
    ("supersede", |space, ids| {
        space.lifecycle().supersede(ids[3], "newer").map(drop)
    }),
    ("merge", |space, _| {
        space
            .graph()
            .merges()
            .merge(EntityId(1), EntityId(2), "one")
            .map(drop)
    }),
    ("delete an entity", |space, _| {
        space.graph().delete_entity(EntityId(0)).map(drop)
    }),
    ("link", |space, ids| {
        space.graph().link(ids[5], "causes", ids[1])
    }),
];

#[test]
fn a_cascade_is_there_whole_or_not_at_all() {
    for (what, change) in CASCADES {
        for torn in [false, true] {
            let mut world = World::new("companion", torn);
            let ids = fill(&world, &["fact", "episode"], &[0.5, 1.0, 2.0]);
            let before = world.kept();
            world.disk.dies_after(1);
            // A write that arrived although it was not acknowledged is found when the disk is read
            // again.
            assert_eq!(change(&world.space(), &ids).is_ok(), torn, "{what}");
            assert!(world.disk.is_dead(), "{what}");
            world.reopen();
            world.sound();
            if torn {
                assert_ne!(world.kept(), before, "{what}: what arrived is there");
                let undisturbed = World::new("companion", false);
                let ids = fill(&undisturbed, &["fact", "episode"], &[0.5, 1.0, 2.0]);
                change(&undisturbed.space(), &ids).unwrap();
                same(
                    &world.kept(),
                    &undisturbed.kept(),
                    &format!("{what}: all of it"),
                );
            } else {
                same(&world.kept(), &before, &format!("{what}: nothing of it"));
                change(&world.space(), &ids).unwrap();
            }
            let seen = world
                .space()
                .graph()
                .triples(&TripleQuery::default().view(View::NOW))
                .unwrap();
            assert!(seen.triples.iter().all(|triple| triple.visible));
            world.sound();
        }
    }
}
