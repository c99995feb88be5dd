//! What holds for every format: a file that has grown brings nothing twice, an import is taken back
//! as a whole, a bad record takes no other one along, and no bytes end in anything but an error.

use annals::{FileFormat, ImportFile, ReadOptions};

use crate::samples::{self, Sample};
use crate::stage::Stage;

const CURSOR: &[u8] = include_bytes!("../../../transfer/src/formats/fixtures/cursor.vscdb");
const CURSOR_LOG: &[u8] = include_bytes!("../../../transfer/src/formats/fixtures/cursor.vscdb-wal");
const CLAUDE_MEM: &[u8] = include_bytes!("../../../transfer/src/formats/fixtures/claude-mem.db");

/// How many memories there are.
fn total(stage: &Stage) -> u64 {
    let said = stage.run(&["list", "--json", "--limit", "1"]);
    if said.out.is_empty() {
        0
    } else {
        said.json()["total"].as_u64().unwrap()
    }
}

/// All that is there, by its words.
fn words(stage: &Stage) -> Vec<String> {
    let said = stage.run(&["list", "--json", "--limit", "1000"]).json();
    let memories = said["memories"].as_array().unwrap();
    let mut words: Vec<String> = memories
        .iter()
        .map(|memory| memory["text"].as_str().unwrap().to_owned())
        .collect();
    words.sort();
    words
}

/// Imports a file that grows, again and again, and takes all of it back; answers what is not as it
/// should be.
fn grows(name: &str, file: &str, [few, all]: [u64; 2], grow: &dyn Fn()) -> Vec<String> {
    let stage = Stage::new();
    let mut wrong = Vec::new();
    let dry = stage.run(&["import", file, "--dry-run", "--json"]).json();
    if dry["files"][0]["format"] != name {
        wrong.push(format!("{name} is taken for {dry}"));
    }
    let mut step = |told: &str, args: &[&str], count: u64| {
        let said = stage.run(args);
        let there = total(&stage);
        if said.code != 0 || there != count {
            let words = if there == 0 {
                Vec::new()
            } else {
                words(&stage)
            };
            wrong.push(format!(
                "{name} {told}: {there}, not {count}: {words:?} {}",
                said.all()
            ));
        }
    };
    let import = ["import", file, "--zone", "UTC"];
    step("at first", &import, few);
    step("again", &import, few);
    grow();
    step("grown", &import, all);
    step("grown again", &import, all);
    // In a namespace of its own the grown file says the same.
    let fresh = Stage::new();
    fresh.ok(&import);
    let (there, told) = (words(&stage), words(&fresh));
    // Both imports are taken back, the last one first, and come again.
    step("taken back", &["import", "--undo"], few);
    step("taken back twice", &["import", "--undo"], 0);
    step("after that", &import, all);
    if there != told {
        wrong.push(format!(
            "{name}: {there:?} where a fresh import brings {told:?}"
        ));
    }
    wrong
}

#[test]
fn a_file_that_has_grown_brings_nothing_twice_and_is_taken_back_as_a_whole() {
    let folder = Stage::new();
    let (mut met, mut wrong): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for sample in samples::all() {
        let file = folder.file("sample.bin", sample.first());
        wrong.extend(grows(sample.format, &file, sample.brings, &|| {
            folder.file("sample.bin", sample.grown());
        }));
        met.push(sample.format);
    }
    let file = folder.file("state.vscdb", CURSOR);
    wrong.extend(grows("cursor-chats", &file, [2, 3], &|| {
        folder.file("state.vscdb-wal", CURSOR_LOG);
    }));
    met.push("cursor-chats");
    // Exports of annals are known by the ids of their memories.
    let from = Stage::new();
    from.ok(&["remember", "The key is under the pot."]);
    let export = folder.path("export");
    let export = export.to_str().unwrap();
    from.ok(&["export", export]);
    wrong.extend(grows("export", export, [1, 2], &|| {
        from.ok(&["remember", "The bins go out on Monday."]);
        from.ok(&["export", export, "--force"]);
    }));
    met.push("export");
    for format in FileFormat::all() {
        assert!(
            met.contains(&format.name()),
            "no sample of {}",
            format.name()
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_database_of_memories_is_brought_once() {
    let stage = Stage::new();
    let file = stage.file("claude-mem.db", CLAUDE_MEM);
    stage.ok(&["import", &file]);
    assert_eq!(total(&stage), 43);
    stage.ok(&["import", &file]);
    assert_eq!(total(&stage), 43);
    stage.ok(&["import", "--undo"]);
    assert_eq!(total(&stage), 0);
}

/// Formats whose file is one document, and words without any form.
const WHOLE: [&str; 6] = [
    "conversation",
    "gemini-cli",
    "letta",
    "zep",
    "claude-mem",
    "notes",
];

#[test]
fn a_bad_record_takes_no_other_one_along() {
    let mut wrong = Vec::new();
    for sample in samples::all()
        .iter()
        .filter(|sample| sample.is_json() && !WHOLE.contains(&sample.format))
    {
        let stage = Stage::new();
        let broken = if sample.format == "strings" {
            "nonsense"
        } else {
            "{\"id\": nonsense}"
        };
        let file = stage.file("sample.bin", sample.with_broken(broken));
        let skipped = stage.path("skipped");
        let said = stage.run(&[
            "import",
            &file,
            "--zone",
            "UTC",
            "--skip-bad",
            skipped.to_str().unwrap(),
        ]);
        let there = total(&stage);
        if said.code != 0 || there != sample.brings[1] {
            wrong.push(format!(
                "{}: {there}, not {}: {}",
                sample.format,
                sample.brings[1],
                said.all()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reads bytes as every format, and as the one that they are told to be of.
fn read_as_all(bytes: &[u8]) {
    for skip_bad in [false, true] {
        let options = ReadOptions {
            zone: Some("UTC".to_owned()),
            skip_bad,
            ..ReadOptions::default()
        };
        let Ok(files) = ImportFile::of_bytes("f", bytes.to_vec()) else {
            return;
        };
        for file in &files {
            if let Ok(format) = FileFormat::of(file, &options) {
                let _told = format.read(file, &options, &mut |_| Ok(()));
            }
            for format in FileFormat::all() {
                let _told = format.read(file, &options, &mut |_| Ok(()));
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    /// A sample of each format, cut off, with something put in and a byte changed.
    #[test]
    fn fuzz_a_damaged_file_of_every_format_is_read_or_refused(
        at in 0_usize..1000,
        cut in 0_usize..3000,
        place in 0_usize..3000,
        junk in "[\\[\\]{}\",:0-9a<>/\\\\ \n\u{0}]{0,12}",
        (changed, byte) in (0_usize..3000, proptest::prelude::any::<u8>()),
    ) {
        let all: Vec<Sample> = samples::all();
        let mut bytes = all[at % all.len()].grown().into_bytes();
        bytes.truncate(cut.max(1));
        let place = place % bytes.len();
        bytes.splice(place..place, junk.bytes());
        let changed = changed % bytes.len();
        bytes[changed] = byte;
        read_as_all(&bytes);
    }

    #[test]
    fn fuzz_a_damaged_database_is_read_or_refused(
        places in proptest::collection::vec((0_usize..40_000, proptest::prelude::any::<u8>()), 1..8),
        cut in 100_usize..40_000,
        is_cursor in proptest::prelude::any::<bool>(),
    ) {
        let mut bytes = if is_cursor { CURSOR.to_vec() } else { CLAUDE_MEM.to_vec() };
        bytes.truncate(cut);
        for (place, byte) in places {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        read_as_all(&bytes);
    }
}
