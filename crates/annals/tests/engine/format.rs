//! Files that earlier versions wrote are read, and are written on.

use std::path::PathBuf;
use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::profile::Profile;
use annals::{Feature, Filter, ImportOptions, Layer, ManualClock, Mode, Operation, Query, Status};
use tempfile::TempDir;

/// A copy of the fixture of format 1, made by `examples/format_fixture.rs`, to be opened with small
/// or usual sizes.
fn copy() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v1.annals");
    std::fs::copy(fixture("v1.annals"), &path).unwrap();
    (folder, path)
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn open(path: &PathBuf, profile: Profile) -> Memory {
    let clock = ManualClock::new("2026-04-01T00:00:00Z".parse().unwrap());
    Memory::options()
        .clock(Arc::new(clock))
        .id_seed(1)
        .profile(profile)
        .create(false)
        .open(path)
        .unwrap()
}

/// Files stored with small sizes stay in use with them; with the usual ones everything is scanned.
pub(crate) fn profiles() -> [Profile; 2] {
    let mut small = Profile::default();
    small.text.fold_above_rows = 0;
    (small.vector.exact_up_to_rows, small.vector.tail_up_to_rows) = (0, 16);
    [small, Profile::default()]
}

fn export(namespace: &Namespace) -> String {
    let mut out = Vec::new();
    namespace.transfer().export(&mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

/// The memories of an export, without what their life made of them: early exports had no more.
fn memories(export: &str) -> Vec<serde_json::Value> {
    let lines = export
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut memories: Vec<_> = lines
        .filter(|line| line.get("revisions").is_some())
        .collect();
    memories
        .iter_mut()
        .for_each(|line| drop(line.as_object_mut().unwrap().remove("life")));
    assert!(memories.len() > 50);
    memories
}

fn sound(memory: &Memory) {
    let report = memory.validate().unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    assert!(report.values > 350, "{}", report.values);
}

#[test]
fn a_file_of_format_1_holds_what_was_stored() {
    for profile in profiles() {
        let (_folder, path) = copy();
        let memory = open(&path, profile);
        sound(&memory);
        let names: Vec<String> = memory
            .namespaces()
            .unwrap()
            .into_iter()
            .map(|namespace| namespace.name)
            .collect();
        assert_eq!(names, ["user:42", "团队 7"]);
        let user = memory.namespace("user:42").unwrap();
        assert_eq!(
            memories(&export(&user)),
            memories(&std::fs::read_to_string(fixture("v1.ndjson")).unwrap())
        );

        let stats = user.admin().stats().unwrap();
        assert_eq!(
            (stats.memories, stats.replaced, stats.by_status["forgotten"]),
            (53, 2, 1)
        );
        let derived = stats.open.unwrap();
        assert_eq!(
            (derived.sessions, derived.vectors, derived.graph_rows),
            (4, 55, 47)
        );
        assert_eq!(
            (derived.segments, derived.unfolded),
            (4, 0),
            "no index was made anew"
        );
        let position = &user.transfer().unfinished().unwrap()[0];
        assert_eq!(
            (position.source.as_str(), position.lines_done),
            ("notes.ndjson", 1)
        );

        let events = user.admin().events(0, 1000).unwrap();
        assert!(
            events
                .iter()
                .enumerate()
                .all(|(at, event)| event.seq == at as u64)
        );
        let count = |operation| {
            events
                .iter()
                .filter(|event| event.operation == operation)
                .count()
        };
        assert_eq!(
            (
                count(Operation::Erased),
                count(Operation::StatusChanged),
                count(Operation::Updated)
            ),
            (2, 2, 1)
        );
    }
}

#[test]
fn a_file_of_format_1_answers() {
    for profile in profiles() {
        let (_folder, path) = copy();
        let memory = open(&path, profile);
        let user = memory.namespace("user:42").unwrap();
        for (question, answer) in [
            ("Where does the ferry go?", "Tromsø"),
            ("图书馆什么时候不开门？", "图书馆星期一"),
            ("proxy-env", "7890"),
            ("D:\\archive", "D:\\archive\\2026"),
            ("what do I drink?", "I drink water."),
        ] {
            let hits = user.recall(Query::new(question).top_k(3)).unwrap();
            assert!(
                hits[0].text.contains(answer),
                "{question}: {:?}",
                hits[0].text
            );
            let part = |feature| {
                hits[0]
                    .explanation
                    .parts
                    .iter()
                    .find(|part| part.feature == feature)
                    .unwrap()
            };
            assert!(
                part(Feature::Dense).value.is_some(),
                "the vectors are those of the built-in embedder"
            );
        }
        let core = Filter {
            layers: vec![Layer::Core],
            ..Filter::default()
        };
        let hits = user
            .recall(Query::new("where do I live?").filter(core))
            .unwrap();
        assert_eq!(hits.len(), 1);
        assert!(
            hits[0]
                .explanation
                .parts
                .iter()
                .any(|part| part.feature == Feature::Usage && part.value > Some(0.0))
        );
        let history = user
            .history(user.recall("what do I drink?").unwrap()[0].id)
            .unwrap();
        let texts: Vec<&str> = history
            .iter()
            .map(|revision| revision.memory.body.text.as_str())
            .collect();
        assert_eq!(texts, ["I drink coffee.", "I drink tea.", "I drink water."]);
        let team = memory
            .namespace("团队 7")
            .unwrap()
            .recall("when does the team meet?")
            .unwrap();
        assert_eq!(team[0].text, "The team meets on the first Tuesday.");
    }
}

#[test]
fn a_file_of_format_1_is_written_on() {
    for profile in profiles() {
        let (_folder, path) = copy();
        let memory = open(&path, profile.clone());
        let user = memory.namespace("user:42").unwrap();
        let before = user.admin().events(0, 1000).unwrap().len();
        let new = user.remember("The lighthouse is green.").unwrap();
        let old = user.recall("ferry").unwrap()[0].id;
        user.delete(old, Mode::Commit).unwrap();
        let archived = Filter {
            statuses: vec![Status::Archived],
            ..Filter::default()
        };
        user.bulk().delete_where(&archived, Mode::Commit).unwrap();
        memory.wait_idle().unwrap();
        sound(&memory);
        drop((user, memory));
        let memory = open(&path, profile);
        let user = memory.namespace("user:42").unwrap();
        assert_eq!(user.recall("lighthouse").unwrap()[0].id, new);
        assert_eq!(
            (
                user.get(old).unwrap(),
                user.admin().stats().unwrap().memories
            ),
            (None, 52)
        );
        assert_eq!(user.admin().events(0, 1000).unwrap().len(), before + 3);
        sound(&memory);
    }
}

#[test]
fn an_export_of_format_1_is_imported() {
    let text = std::fs::read_to_string(fixture("v1.ndjson")).unwrap();
    let memory = Memory::options().in_memory().unwrap();
    let user = memory.namespace("copy").unwrap();
    let report = user
        .transfer()
        .import(&mut text.as_bytes(), &ImportOptions::default(), &mut |_| {})
        .unwrap();
    assert_eq!(report.stored, 54);
    assert_eq!(export(&user), text);
}
