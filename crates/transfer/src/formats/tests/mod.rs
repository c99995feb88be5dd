//! A small file of each format, written for this purpose, and what it brings.

mod conversations;
mod memories;

use std::io::Write;

use annals_types::{Role, Value};

use self::conversations::{CHATGPT, CLAUDE, card, page};
use self::memories::{HINDSIGHT, NOTE};
use super::*;
use crate::turn::ConversationTurn;

/// What a file brings.
#[derive(Default)]
struct Brought {
    format: &'static str,
    turns: Vec<ConversationTurn>,
    memories: Vec<ImportedMemory>,
    entities: Vec<ImportedEntity>,
    summary: ReadSummary,
}

impl Brought {
    /// Role, speaker, time and words of each turn, behind its session where that changes.
    fn told(&self) -> Vec<String> {
        let mut session = "";
        let mut told = Vec::new();
        for turn in &self.turns {
            if turn.session != session {
                session = &turn.session;
                told.push(format!("[{session}]"));
            }
            let role = match turn.role {
                Some(Role::Assistant) => "A",
                Some(Role::User) => "U",
                _ => "?",
            };
            let speaker = turn.speaker.as_deref().unwrap_or("-");
            let time = turn.time.map(|time| time.to_string()).unwrap_or_default();
            told.push(format!("{role} {speaker} {time} {}", turn.text));
        }
        told
    }

    fn words(&self) -> Vec<&str> {
        self.memories.iter().map(|one| one.memory.text()).collect()
    }

    fn left(&self) -> Vec<(&str, u64)> {
        self.summary
            .left_out
            .iter()
            .map(|(what, count)| (*what, *count))
            .collect()
    }
}

fn options() -> ReadOptions {
    ReadOptions {
        zone: Some("UTC".to_owned()),
        ..ReadOptions::default()
    }
}

fn read_file(file: &ImportFile, options: &ReadOptions) -> Result<Brought, Error> {
    let format = FileFormat::of(file, options)?;
    let mut brought = Brought {
        format: format.name(),
        ..Brought::default()
    };
    let (mut turns, mut memories, mut entities) = (Vec::new(), Vec::new(), Vec::new());
    brought.summary = format.read(file, options, &mut |record| {
        match record {
            ImportRecord::Turns(some) => turns.extend(some),
            ImportRecord::Memories(some) => memories.extend(some),
            ImportRecord::Entities(some) => entities.extend(some),
        }
        Ok(())
    })?;
    (brought.turns, brought.memories, brought.entities) = (turns, memories, entities);
    assert_eq!(brought.summary.turns, brought.turns.len() as u64);
    assert_eq!(brought.summary.memories, brought.memories.len() as u64);
    Ok(brought)
}

fn read_as(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Brought, Error> {
    let files = ImportFile::of_bytes(name, bytes.to_vec())?;
    read_file(&files[0], options)
}

fn read(text: &str) -> Brought {
    read_as("some/file.bin", text.as_bytes(), &options()).unwrap()
}

#[test]
fn archives_and_compressed_files_are_unpacked() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default();
    for (name, bytes) in [
        ("conversations-000.json", CHATGPT),
        ("chat.html", "<!DOCTYPE html><html>"),
        ("__MACOSX/x", "x"),
    ] {
        zip.start_file(name, stored).unwrap();
        zip.write_all(bytes.as_bytes()).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let files = ImportFile::of_bytes("export.zip", bytes.clone()).unwrap();
    assert_eq!(files.len(), 2);
    assert_eq!(
        files[1].path().to_string_lossy().replace('\\', "/"),
        "export.zip/conversations-000.json"
    );
    assert_eq!(read_file(&files[1], &options()).unwrap().format, "chatgpt");
    assert!(
        read_file(&files[0], &options())
            .err()
            .unwrap()
            .to_string()
            .contains("HTML")
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.zip");
    std::fs::write(&path, bytes).unwrap();
    let files = ImportFile::all_of(&path).unwrap();
    assert_eq!(read_file(&files[1], &options()).unwrap().turns.len(), 3);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(CHATGPT.as_bytes()).unwrap();
    let brought = read_as("c.json.gz", &gzip.finish().unwrap(), &options()).unwrap();
    assert_eq!(brought.format, "chatgpt");
    let zstd = ruzstd::encoding::compress_to_vec(
        CHATGPT.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    assert_eq!(
        read_as("c.zst", &zstd, &options()).unwrap().format,
        "chatgpt"
    );
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_a_folder_that_is_imported() {
    let place = tempfile::tempdir().unwrap();
    let (secret, folder) = (place.path().join("id_rsa"), place.path().join("clone"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(&secret, "a private key").unwrap();
    std::fs::write(folder.join("own.md"), "# A note").unwrap();
    std::fs::write(folder.join(".env"), "TOKEN=1").unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("theirs.md")).unwrap();
    std::os::unix::fs::symlink(folder.join(".env"), folder.join("hidden.md")).unwrap();
    std::os::unix::fs::symlink(folder.join("own.md"), folder.join("again.md")).unwrap();
    let files = ImportFile::all_of(&folder).unwrap();
    let mut names: Vec<_> = files
        .iter()
        .filter_map(|file| file.path().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["again.md", "own.md"]);
}

#[test]
fn a_bomb_ends_in_an_error() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"[\"").unwrap();
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..300 {
        gzip.write_all(&zeros).unwrap();
    }
    let bytes = gzip.finish().unwrap();
    assert!(bytes.len() < 2 << 20);
    let error = read_as("bomb.gz", &bytes, &options()).err().unwrap();
    assert!(error.to_string().contains("times as long"), "{error}");
}

#[test]
fn what_cannot_be_read_is_named() {
    for (bytes, told) in [
        (
            &br#"[{"colour":"red","size":3}]"#[..],
            "a list of objects with the fields colour, size",
        ),
        (b"{\"a\":{\"b\":1}}", "objects with the fields a"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x00\x01\x02\xff\xfe\x80", "no text"),
    ] {
        let error = read_as("f.txt", bytes, &options()).err().unwrap();
        assert!(
            error.is_invalid() && error.to_string().contains(told),
            "{error}"
        );
    }
}

#[test]
fn a_broken_record_is_named_with_its_line() {
    let broken = CHATGPT.replace("\"title\":\"Me\"", "\"title\":Me");
    let error = read_as("f", broken.as_bytes(), &options()).err().unwrap();
    let line = broken.split("\"title\":Me").next().unwrap().lines().count();
    assert_eq!(error.import_line(), Some(line as u64), "{error}");
    let brought = read_as(
        "f",
        broken.as_bytes(),
        &ReadOptions {
            skip_bad: true,
            ..options()
        },
    )
    .unwrap();
    assert_eq!((brought.turns.len(), brought.summary.bad.len()), (2, 1));
}

#[test]
fn a_first_record_of_megabytes_tells_its_format() {
    let picture = "A".repeat(2 << 20);
    let line = format!(
        "{{\"parentUuid\":null,\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"image\",\
            \"data\":\"{picture}\"}},{{\"type\":\"text\",\"text\":\"The gate.\"}}]}},\"type\":\"user\",\
            \"uuid\":\"u\",\"sessionId\":\"s\",\"timestamp\":\"2026-03-01T10:00:00Z\"}}"
    );
    let brought = read(&line);
    assert_eq!(
        (brought.format, brought.told()),
        (
            "claude-code",
            vec![
                "[s]".to_owned(),
                "U - 2026-03-01T10:00:00Z The gate.".to_owned()
            ]
        )
    );
}

#[test]
fn names_of_formats_are_their_own() {
    let mut names: Vec<&str> = FileFormat::all().map(FileFormat::name).collect();
    for name in &names {
        assert_eq!(FileFormat::named(name).unwrap().name(), *name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ROWS.len());
    assert_eq!(
        free_fields(),
        Value::Map([("m".to_owned(), Value::List(vec![Value::Int(1)]))].into())
    );
}

fn free_fields() -> Value {
    reading::free(&serde_json::json!({"m": [1]}))
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn fuzz_any_file_is_read_or_refused(
        at in 0_usize..10,
        cut in 0_usize..1500,
        junk in "[\\[\\]{}\",:0-9a \n]{0,12}",
        place in 0_usize..1500,
    ) {
        let graph = r#"{"type":"entity","name":"K","observations":["x"]}"#;
        let letters = "From a@b Thu Jan  1 10:00:00 2026\nFrom: a@b\nSubject: x\n\nhello\n";
        let chat = "[13.01.26, 18:05:09] Ines: Brot\n[14.01.26, 18:05:09] Omar: Gut\n";
        let page = page(&[card("Gemini Apps", "Prompted&nbsp;x<br>Apr 1, 2026, 2:00:00 PM CEST<br><p>y</p>", "")]);
        let page = page.replace(".mdl-grid{display:flex}\n", "");
        let (table, messages) = ("text,time\na,2026-01-01\n", r#"[{"role":"user","content":"x"}]"#);
        let texts = [&page, HINDSIGHT, CHATGPT, CLAUDE, NOTE, graph, letters, chat, table, messages];
        let mut text = texts[at].to_owned();
        text.truncate(text.floor_char_boundary(cut));
        let place = text.floor_char_boundary(place);
        text.insert_str(place, &junk);
        for skip_bad in [false, true] {
            let options = ReadOptions { skip_bad, ..options() };
            if let Ok(brought) = read_as("f", text.as_bytes(), &options) {
                proptest::prop_assert!(brought.turns.iter().all(|turn| !turn.text.trim().is_empty()));
            }
            // Each reader reads any file, or refuses it.
            let files = ImportFile::of_bytes("f", text.clone().into_bytes()).unwrap();
            for format in FileFormat::all() {
                let _told = format.read(&files[0], &options, &mut |_| Ok(()));
            }
        }
    }
}
