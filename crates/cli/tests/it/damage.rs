//! Files damaged at random, under every command that reads. What a command answers with 0 is what
//! it answers for the whole file; anything else ends with a code that says so. An export never
//! tells of a deletion that nobody made, and `db repair` saves a sound file.
//!
//! `cargo xtask damage` runs more of them; `ANNALS_DAMAGES` and `ANNALS_DAMAGE_SEED` say how many
//! and which.

use crate::stage;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use annals::blocking::Memory;
use annals::graph::Assertion;
use annals::{ImportFormat, ImportOptions, NewMemory, NewTurn, Options, Timestamp};
use stage::{Said, Stage};

/// The commands that read, each with the namespace that it asks.
const COMMANDS: &[&[&str]] = &[
    &["export"],
    &["export", "-n", "work"],
    &["export", "--text", "-n", "talk"],
    &["list", "--limit", "500"],
    &["list", "--limit", "500", "-n", "talk", "--json"],
    &["recall", "harbour 17"],
    &["recall", "what does Ada like", "-n", "work", "--json"],
    &["recall", "turn 12", "-n", "talk", "--explain"],
    &["context", "lighthouse"],
    &["namespace", "list"],
    &["db", "stats", "-n", "work"],
    &["session", "scratchpad", "-n", "talk"],
    &["graph", "triples", "-n", "work"],
    &["graph", "entities", "-n", "work"],
    &["review", "list"],
    &["queue", "list"],
];

/// Those of them that open the file as others do which write: they put in order what an end left.
const OPENS_TO_WRITE: [&str; 5] = ["context", "namespace", "queue", "review", "session"];

/// A seeded sequence (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

fn at() -> Timestamp {
    "2026-03-02T09:00:00Z".parse().unwrap()
}

fn open(stage: &Stage, path: &Path) -> Memory {
    Options::new()
        .clock(std::sync::Arc::new(stage.clock.clone()))
        .id_seed(3)
        .open(path)
        .unwrap()
}

/// Three namespaces: texts, a graph, and conversations of which some turns were deleted.
fn fill(memory: &Memory) {
    let space = memory.namespace("user").unwrap();
    for n in 0..150 {
        let text = format!(
            "harbour {n} has a lighthouse that {} ships have seen",
            n * 31 % 97
        );
        let id = space
            .remember(
                NewMemory::builder(text)
                    .tag(["red", "green"][n % 2])
                    .build()
                    .unwrap(),
            )
            .unwrap();
        match n % 10 {
            3 => space.forget(id).unwrap(),
            5 => drop(space.update(id, format!("harbour {n} was closed")).unwrap()),
            7 => drop(space.delete(id, annals::Mode::Commit).unwrap()),
            _ => {}
        }
    }
    let work = memory.create_namespace("work", "graph").unwrap();
    for n in 0..40 {
        let new = NewMemory::builder(format!("Ada likes thing {n}"))
            .kind("观点")
            .build()
            .unwrap();
        let said = [Assertion::new("Ada", "likes", format!("thing {}", n % 13))];
        work.graph().remember(new, &said).unwrap();
    }
    let turns: String = (0..60)
        .map(|n| {
            let line = serde_json::json!({"id": format!("t{n}"), "session": format!("s{}", n % 4), "text": format!("turn {n}")});
            format!("{line}\n")
        })
        .collect();
    let talk = memory.namespace("talk").unwrap();
    let options = ImportOptions {
        format: ImportFormat::Turns,
        ..ImportOptions::default()
    };
    talk.transfer()
        .import(&mut turns.as_bytes(), &options, &mut |_| {})
        .unwrap();
    for (_, id) in (0..5).zip(talk.list(&annals::ListQuery::default()).unwrap().memories) {
        talk.delete(id.id, annals::Mode::Commit).unwrap();
    }
    memory.wait_idle().unwrap();
}

/// Puts a file in the place of the one before, for its user alone: rights that others had would be
/// taken from them by the first command that may write.
fn put(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

/// The bytes of the file as it was closed, and as a kill left it.
fn files(stage: &Stage) -> [Vec<u8>; 2] {
    let path = stage.path("whole.annals");
    fill(&open(stage, &path));
    let closed = std::fs::read(&path).unwrap();
    let memory = open(stage, &path);
    let talk = memory.namespace("talk").unwrap();
    for n in 0..6 {
        let turn = NewTurn::builder("s1", format!("turn {n} of the log"))
            .speaker("Ada")
            .build()
            .unwrap();
        talk.sessions().append(vec![turn]).unwrap();
    }
    memory.wait_idle().unwrap();
    [closed, std::fs::read(&path).unwrap()]
}

/// Damages some bytes; answers what was done.
fn damage(bytes: &mut [u8], dice: &mut Dice) -> String {
    // Of what holds nothing there is nothing to lose.
    let blocks: Vec<usize> = (0..bytes.len() / 512)
        .filter(|n| bytes[n * 512..][..512].iter().any(|b| *b != 0))
        .collect();
    let place = |dice: &mut Dice| blocks[dice.below(blocks.len())] * 512 + dice.below(512);
    let at = place(dice);
    match dice.below(10) {
        0..=4 => {
            let bit = dice.below(8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} turned")
        }
        5 | 6 => {
            let value = dice.below(256) as u8;
            let end = (at + 3).min(bytes.len());
            bytes[at..end].fill(value);
            format!("three bytes from {at} on are {value}")
        }
        7 => {
            bytes[at / 512 * 512..][..512].fill(0);
            format!("sector {} is zeros", at / 512)
        }
        8 => {
            let from = place(dice) / 4096 * 4096;
            let to = at / 4096 * 4096;
            bytes.copy_within(from..from + 4096, to);
            format!("the page at {to} is that at {from}")
        }
        _ => {
            let other = place(dice);
            bytes[at] ^= 0x10;
            bytes[other] ^= 0x02;
            format!("bits of bytes {at} and {other} turned")
        }
    }
}

fn run(stage: &Stage, path: &Path, args: &[&str]) -> Said {
    stage.set("ANNALS_DB", path.to_str().unwrap());
    stage.clock.set(at());
    catch_unwind(AssertUnwindSafe(|| stage.run(args))).unwrap_or_else(|_| Said {
        code: 101,
        out: String::new(),
        err: "it panicked".to_owned(),
    })
}

/// The lines of an export that tell of a turn that was deleted.
fn deleted(export: &str) -> BTreeSet<&str> {
    export
        .lines()
        .filter(|line| line.contains("\"brought\""))
        .collect()
}

/// What a command answered against what it answers for the whole file.
fn check(args: &[&str], said: &Said, whole: &Said) -> Result<(), String> {
    match said.code {
        0 if said.out == whole.out => {}
        0 => {
            return Err(format!(
                "{args:?} ends with 0 and answers otherwise: {}",
                said.all()
            ));
        }
        6 | 7 => {}
        _ => return Err(format!("{args:?}: {}", said.all())),
    }
    if args[0] == "export" && !deleted(&said.out).is_subset(&deleted(&whole.out)) {
        return Err(format!(
            "{args:?} tells of deletions that nobody made: {}",
            said.all()
        ));
    }
    Ok(())
}

/// Saves the rest of a damaged file and looks at what was saved.
fn repair(stage: &Stage, path: &Path, wholes: &[Said]) -> Result<u8, String> {
    let saved = stage.path("saved.annals");
    drop(std::fs::remove_file(&saved));
    let said = run(
        stage,
        path,
        &[
            "db",
            "repair",
            path.to_str().unwrap(),
            saved.to_str().unwrap(),
            "--json",
        ],
    );
    if !saved.exists() {
        return if said.code == 0 {
            Err("repair ends with 0 and makes no file".to_owned())
        } else {
            Ok(said.code)
        };
    }
    if said.code != 0 && said.code != 6 {
        return Err(format!("repair: {}", said.all()));
    }
    let verified = run(stage, &saved, &["db", "verify"]);
    if verified.code != 0 {
        return Err(format!(
            "what was saved is not sound: {}\n{}",
            verified.all(),
            said.all()
        ));
    }
    for (args, whole) in COMMANDS
        .iter()
        .zip(wholes)
        .filter(|(args, _)| args[0] == "export" && args[1..] != ["--text"])
    {
        let export = run(stage, &saved, args);
        if said.code == 0 && (export.code != 0 || export.out != whole.out) {
            return Err(format!(
                "repair ends with 0, and {args:?} answers otherwise: {}",
                export.all()
            ));
        }
        if !deleted(&export.out).is_subset(&deleted(&whole.out)) {
            return Err(format!(
                "{args:?} of what was saved tells of deletions that nobody made"
            ));
        }
    }
    Ok(said.code)
}

#[test]
fn a_damaged_file_is_read_rightly_or_not_at_all() {
    let number =
        |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (count, seed) = (
        number("ANNALS_DAMAGES", 40),
        number("ANNALS_DAMAGE_SEED", 1),
    );
    let stage = Stage::new();
    let files = files(&stage);
    let path = stage.path("damaged.annals");
    let wholes = files.each_ref().map(|bytes| {
        let alone = |args: &&[&str]| {
            put(&path, bytes);
            run(&stage, &path, args)
        };
        COMMANDS.iter().map(alone).collect::<Vec<Said>>()
    });
    for (args, whole) in COMMANDS.iter().zip(wholes.iter().flatten()) {
        assert_eq!(whole.code, 0, "{args:?}: {}", whole.all());
    }
    let (mut codes, mut wrong): (BTreeMap<(String, u8), u32>, Vec<String>) =
        (BTreeMap::new(), Vec::new());
    for round in 0..count {
        let mut dice = Dice(((seed + round) << 20 | 0x5DEE_CE66) ^ 0x9E37_79B9_7F4A_7C15);
        dice.below(2);
        let kind = dice.below(2);
        let mut bytes = files[kind].clone();
        let what = format!(
            "seed {}: {} of {}",
            seed + round,
            damage(&mut bytes, &mut dice),
            ["closed", "killed"][kind]
        );
        for (args, whole) in COMMANDS.iter().zip(&wholes[kind]) {
            put(&path, &bytes);
            let said = run(&stage, &path, args);
            *codes.entry((args[0].to_owned(), said.code)).or_default() += 1;
            wrong.extend(
                check(args, &said, whole)
                    .err()
                    .map(|error| format!("{what}: {error}")),
            );
            if !OPENS_TO_WRITE.contains(&args[0]) && std::fs::read(&path).unwrap() != bytes {
                wrong.push(format!("{what}: {args:?} has written"));
            }
        }
        put(&path, &bytes);
        match repair(&stage, &path, &wholes[kind]) {
            Ok(code) => *codes.entry(("repair".to_owned(), code)).or_default() += 1,
            Err(error) => wrong.push(format!("{what}: {error}")),
        }
        if round % 500 == 499 {
            eprintln!("{} done, {} wrong, {codes:?}", round + 1, wrong.len());
        }
    }
    eprintln!("{count} damages, {} wrong, {codes:?}", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n\n")
    );
}
