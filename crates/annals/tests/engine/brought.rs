//! Files of other programs: what they bring is stored once, changed where it changed there, and can
//! be taken back and written out again.

use annals::blocking::{Memory, Namespace};
use annals::{
    ExportForm, Filter, ImportFile, ImportOptions, ImportReport, ListQuery, Mode, ReadOptions,
    Timestamp, Value,
};
use annals::{FileFormat, graph::TripleQuery};

struct World {
    memory: Memory,
    space: Namespace,
}

impl World {
    fn new() -> Self {
        let memory = Memory::options().in_memory().unwrap();
        Self {
            space: memory.namespace("u").unwrap(),
            memory,
        }
    }

    fn bring_with(&self, text: &str, options: &ImportOptions) -> ImportReport {
        let files = ImportFile::of_bytes("file", text.as_bytes().to_vec()).unwrap();
        self.bring_files(&files, options)
    }

    fn bring_files(&self, files: &[ImportFile], options: &ImportOptions) -> ImportReport {
        let read = ReadOptions {
            zone: Some("UTC".to_owned()),
            ..ReadOptions::default()
        };
        let mut all = ImportReport::default();
        for file in files {
            let format = FileFormat::of(file, &read).unwrap();
            let summary = format.read(file, &read, &mut |record| {
                let report = self.space.transfer().import_record(&record, options)?;
                all.stored += report.stored;
                all.already_there += report.already_there;
                all.deleted += report.deleted;
                all.differing += report.differing;
                Ok(())
            });
            summary.unwrap();
        }
        assert_eq!(
            self.memory.validate().unwrap().problems,
            Vec::<String>::new()
        );
        all
    }

    /// Stored, there already, deleted since, differing.
    fn bring(&self, text: &str) -> (u64, u64, u64, u64) {
        let report = self.bring_with(text, &ImportOptions::default());
        (
            report.stored,
            report.already_there,
            report.deleted,
            report.differing,
        )
    }

    fn texts(&self) -> Vec<String> {
        let query = ListQuery {
            newest_first: false,
            limit: 1000,
            ..ListQuery::default()
        };
        self.space
            .list(&query)
            .unwrap()
            .memories
            .into_iter()
            .map(|memory| memory.body.text)
            .collect()
    }

    fn delete(&self, text: &str) {
        let page = self
            .space
            .list(&ListQuery {
                limit: 1000,
                ..ListQuery::default()
            })
            .unwrap();
        let memory = page
            .memories
            .iter()
            .find(|memory| memory.body.text == text)
            .unwrap();
        self.space.delete(memory.id, Mode::Commit).unwrap();
    }

    fn export(&self, form: ExportForm) -> String {
        let mut out = Vec::new();
        self.space.transfer().export_as(form, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }
}

fn page(memories: &[(&str, &str)]) -> String {
    let one = |(id, text): &(&str, &str)| {
        serde_json::json!({
            "id": id, "memory": text, "created_at": "2026-01-02T03:04:05Z", "user_id": "u1", "categories": ["food"],
        })
    };
    serde_json::json!({ "results": memories.iter().map(one).collect::<Vec<_>>() }).to_string()
}

#[test]
fn memories_that_come_again_are_known_changed_or_stay_away() {
    let world = World::new();
    let (walnut, oslo) = (("1", "Is allergic to walnuts"), ("2", "Lives in Oslo"));
    assert_eq!(world.bring(&page(&[walnut, oslo])), (2, 0, 0, 0));
    assert_eq!(
        world.bring(&page(&[walnut, oslo, ("3", "Sails")])),
        (1, 2, 0, 0),
        "a page that has grown"
    );
    assert_eq!(
        world.bring(&page(&[walnut, ("2", "Lives in Bergen")])),
        (0, 1, 0, 1),
        "a memory that was changed"
    );
    assert_eq!(
        world.texts(),
        ["Is allergic to walnuts", "Sails", "Lives in Bergen"]
    );
    assert_eq!(
        world.bring(&page(&[("2", "Lives in Bergen")])),
        (0, 1, 0, 0)
    );
    world.delete("Sails");
    assert_eq!(
        world.bring(&page(&[("3", "Sails")])),
        (0, 0, 1, 0),
        "what was deleted stays away"
    );
    let back = ImportOptions {
        bring_back: true,
        ..ImportOptions::default()
    };
    assert_eq!(world.bring_with(&page(&[("3", "Sails")]), &back).stored, 1);
    // The same words under two ids are one memory, and each id is known later.
    assert_eq!(
        world.bring(&page(&[("8", "Rows"), ("9", "Rows")])),
        (1, 0, 0, 0)
    );
    assert_eq!(
        world.bring(&page(&[("8", "Rows"), ("9", "Rows")])),
        (0, 2, 0, 0)
    );
}

fn chat(turns: &[(&str, &str)]) -> String {
    let turn = |(id, text): &(&str, &str)| {
        serde_json::json!({
            "uuid": id, "sender": "human", "text": text, "created_at": "2026-01-02T03:04:05Z",
        })
    };
    let messages: Vec<_> = turns.iter().map(turn).collect();
    serde_json::json!([{ "uuid": "c", "name": "Roof", "chat_messages": messages }]).to_string()
}

#[test]
fn an_import_is_taken_back_as_a_whole_and_can_be_made_again() {
    let world = World::new();
    let run = |millis| ImportOptions {
        run: Some(Timestamp::from_millis(millis)),
        ..ImportOptions::default()
    };
    assert_eq!(
        world.bring_with(&chat(&[("a", "one")]), &run(1000)).stored,
        1
    );
    assert_eq!(
        world
            .bring_with(&chat(&[("a", "one"), ("b", "two")]), &run(2000))
            .stored,
        1
    );
    assert_eq!(
        world
            .bring_with(&page(&[("1", "Sails")]), &run(2000))
            .stored,
        1
    );
    let transfer = world.space.transfer();
    let runs = transfer.import_runs().unwrap();
    let told: Vec<_> = runs
        .iter()
        .map(|run| (run.began.as_millis(), run.memories))
        .collect();
    assert_eq!(told, [(2000, 2), (1000, 1)]);
    assert_eq!(transfer.undo_import(runs[0].began).unwrap(), 2);
    assert_eq!(world.texts(), ["one"]);
    assert_eq!(transfer.import_runs().unwrap().len(), 1);
    // Taken back is not deleted: another import brings it again, without asking.
    assert_eq!(
        world.bring(&chat(&[("a", "one"), ("b", "two")])),
        (1, 1, 0, 0)
    );
    assert_eq!(world.bring(&page(&[("1", "Sails")])), (1, 0, 0, 0));
    world.delete("one");
    assert_eq!(
        transfer.import_runs().unwrap(),
        Vec::new(),
        "what went is no part of an import"
    );
    assert_eq!(transfer.undo_import(Timestamp::from_millis(5)).unwrap(), 0);
}

#[test]
fn only_the_last_imports_can_be_taken_back() {
    let world = World::new();
    for run in 1..=23 {
        let options = ImportOptions {
            run: Some(Timestamp::from_millis(run)),
            ..ImportOptions::default()
        };
        world.bring_with(
            &page(&[(&run.to_string(), &format!("Memory number {run} of many"))]),
            &options,
        );
    }
    let runs = world.space.transfer().import_runs().unwrap();
    assert_eq!((runs.len(), runs[19].began.as_millis()), (20, 4));
}

#[test]
fn relations_become_triples_and_facts_hold_as_long_as_they_did() {
    let world = World::new();
    let graph = r#"{"edges":[{"uuid":"e1","source_node_uuid":"n1","target_node_uuid":"n2","name":"LIVES_IN",
"fact":"Ada lives in Bergen","created_at":"2026-01-01T00:00:00Z","valid_at":"2025-06-01T00:00:00Z",
"invalid_at":"2026-02-01T00:00:00Z"}],"nodes":[{"uuid":"n1","name":"Ada","labels":["Person"],"summary":"",
"created_at":"2026-01-01T00:00:00Z"},{"uuid":"n2","name":"Bergen","labels":["City"],"summary":"",
"created_at":"2026-01-01T00:00:00Z"}],"episodes":[]}"#;
    assert_eq!(world.bring(graph), (1, 0, 0, 0));
    assert_eq!(world.bring(graph), (0, 1, 0, 0));
    let at = |time: &str| {
        let filter = Filter {
            valid_at: Some(time.parse().unwrap()),
            ..Filter::default()
        };
        world
            .space
            .list(&ListQuery {
                filter,
                ..ListQuery::default()
            })
            .unwrap()
            .memories
            .len()
    };
    assert_eq!(
        (at("2025-07-01"), at("2026-03-01"), at("2025-01-01")),
        (1, 0, 0)
    );
    let found = world.space.graph().entities("Ada").unwrap();
    assert!(
        found
            .iter()
            .any(|entity| entity.kind.as_deref() == Some("Person")),
        "{found:?}"
    );
}

/// A file of each sort of format; what it holds at first, and what was added since.
const GROWING: [(&str, &str, &str); 9] = [
    (
        "whatsapp",
        "[13.01.26, 18:05:09] Ines: Brot\n[13.01.26, 18:05:09] Ines: Brot\n",
        "[14.01.26, 8:00:00] Omar: Gut\n",
    ),
    (
        "table",
        "speaker,text\nAda,yes\nBo,no\nAda,yes\n",
        "Bo,perhaps\n",
    ),
    (
        "table",
        "text,time\nThe key,2026-01-01\n",
        "Bins,2026-01-02\n",
    ),
    (
        "notes",
        "The key is under the pot.\n\n",
        "Bins on Monday.\n",
    ),
    (
        "notes",
        "---\ntitle: House\n---\n- [fact] Roof is red #roof\n",
        "- has [[Garden]]\n",
    ),
    (
        "knowledge-graph",
        "{\"type\":\"entity\",\"name\":\"K\",\"entityType\":\"t\",\
        \"observations\":[\"runs\"]}\n",
        "{\"type\":\"relation\",\"from\":\"K\",\"to\":\"L\",\
        \"relationType\":\"in\"}\n",
    ),
    (
        "messages",
        "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\
        \"content\":\"ho\"}\n",
        "{\"role\":\"user\",\"content\":\"hi\"}\n",
    ),
    ("strings", "\"one\"\n\"two\"\n", "\"three\"\n"),
    (
        "mbox",
        "From a@b Thu Jan  1 10:00:00 2026\nFrom: a@b\nMessage-ID: <1@x>\nSubject: x\n\nhello\n\n",
        "From a@b Thu Jan  1 11:00:00 2026\nFrom: a@b\nMessage-ID: <2@x>\nSubject: x\n\nagain\n",
    ),
];

#[test]
fn a_file_that_has_grown_brings_only_what_is_new() {
    for (name, first, more) in GROWING {
        let world = World::new();
        let file = ImportFile::of_bytes("file", first.as_bytes().to_vec()).unwrap();
        assert_eq!(
            FileFormat::of(&file[0], &ReadOptions::default())
                .unwrap()
                .name(),
            name
        );
        let (stored, ..) = world.bring(first);
        assert!(stored > 0, "{name}");
        assert_eq!(world.bring(first), (0, stored, 0, 0), "{name}");
        assert_eq!(
            world.bring(&format!("{first}{more}")),
            (1, stored, 0, 0),
            "{name}"
        );
    }
}

#[test]
fn rows_that_only_their_neighbours_tell_apart_are_all_brought() {
    let world = World::new();
    let rows: String = (0..1200)
        .map(|row| format!("Ada,{}\n", ["yes", "no", "perhaps"][row % 3]))
        .collect();
    assert_eq!(world.bring(&format!("speaker,text\n{rows}")).0, 1200);
}

const GRAPH: &str = "{\"type\":\"entity\",\"name\":\"Kiosk\",\"entityType\":\"device\",\
    \"observations\":[\"runs Debian\",\"sits in the lobby\"]}\n\
    {\"type\":\"entity\",\"name\":\"Lobby\",\"entityType\":\"place\",\"observations\":[]}\n\
    {\"type\":\"relation\",\"from\":\"Kiosk\",\"to\":\"Lobby\",\"relationType\":\"stands_in\"}\n";

/// A namespace with what every form has a place for.
fn filled() -> World {
    let world = World::new();
    world.bring(&page(&[
        ("1", "Is allergic to\n\"walnuts\", and ---"),
        ("2", "住在奥斯陆。"),
    ]));
    world.bring(GRAPH);
    let lines = [
        r#"{"session":"Lunch / 1","text":"Where?\n<!-- turn {} -->","speaker":"Ada","role":"user",
"time":"2026-01-01T10:00:00Z","id":"t1","tags":["food"]}"#,
        r#"{"session":"Lunch / 1","text":"There, \"at\" noon; ok","role":"assistant","time":"2026-01-01T10:00:05Z",
"id":"t2","tool_calls":[{"name":"map","arguments":"{}","result":"far"}]}"#,
        r#"{"session":"Lunch 2","text":"Again?","role":"user","speaker":"Bo"}"#,
    ];
    world.bring(&lines.join("\n"));
    assert_eq!(
        world
            .space
            .graph()
            .triples(&TripleQuery::default())
            .unwrap()
            .triples
            .len(),
        1
    );
    world
}

#[test]
fn every_form_of_export_comes_back_the_same() {
    let from = filled();
    for form in [
        ExportForm::Lines,
        ExportForm::Csv,
        ExportForm::Mem0,
        ExportForm::Messages,
        ExportForm::KnowledgeGraph,
    ] {
        let first = from.export(form);
        let to = World::new();
        let report = to.bring_with(&first, &ImportOptions::default());
        let expected = match form {
            ExportForm::Messages => 3,
            ExportForm::Mem0 | ExportForm::KnowledgeGraph => 5,
            _ => 8,
        };
        assert_eq!(report.stored, expected, "{form:?}: {first}");
        assert_eq!(to.export(form), first, "{form:?}");
        assert_eq!(
            to.bring_with(&first, &ImportOptions::default()).stored,
            0,
            "{form:?}"
        );
    }
}

#[test]
fn a_graph_file_comes_back_as_it_was() {
    let world = World::new();
    world.bring(GRAPH);
    let sorted = |text: &str| {
        let mut lines: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        lines.sort_by_key(ToString::to_string);
        lines
    };
    assert_eq!(
        sorted(&world.export(ExportForm::KnowledgeGraph)),
        sorted(GRAPH)
    );
}

#[cfg(unix)]
#[test]
fn notes_are_written_through_no_link() {
    use std::os::unix::fs::symlink;

    let world = World::new();
    let id = world.space.remember("The harbour opens at six.").unwrap();
    let place = tempfile::tempdir().unwrap();
    let (theirs, notes, other) = (
        place.path().join("theirs"),
        place.path().join("notes"),
        place.path().join("other"),
    );
    std::fs::write(&theirs, "keep me").unwrap();
    std::fs::create_dir_all(notes.join("memories")).unwrap();
    symlink(&theirs, notes.join(format!("memories/{id}.md"))).unwrap();
    world.space.transfer().export_notes(&notes).unwrap();
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "keep me");
    assert!(
        std::fs::read_to_string(notes.join(format!("memories/{id}.md")))
            .unwrap()
            .contains("harbour")
    );
    std::fs::create_dir(&other).unwrap();
    symlink(&notes, other.join("memories")).unwrap();
    assert!(world.space.transfer().export_notes(&other).is_err());
}

#[test]
fn notes_come_back_the_same() {
    let from = filled();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    from.space
        .transfer()
        .export_notes(folders[0].path())
        .unwrap();
    let to = World::new();
    let files = ImportFile::all_of(folders[0].path()).unwrap();
    assert_eq!(files.len(), 7, "five memories and two sessions");
    assert_eq!(to.bring_files(&files, &ImportOptions::default()).stored, 8);
    to.space.transfer().export_notes(folders[1].path()).unwrap();
    for file in &files {
        let relative = file.path().strip_prefix(folders[0].path()).unwrap();
        let read = |folder: &tempfile::TempDir| {
            std::fs::read_to_string(folder.path().join(relative)).unwrap()
        };
        assert_eq!(read(&folders[1]), read(&folders[0]));
    }
    let lunch = to.space.session("Lunch / 1").memories(0, 10).unwrap();
    assert_eq!(lunch[0].body.text, "Where?\n<!-- turn {} -->");
    let walnuts = to
        .texts()
        .into_iter()
        .find(|text| text.contains("walnuts"))
        .unwrap();
    assert_eq!(walnuts, "Is allergic to\n\"walnuts\", and ---");
    let page = to
        .space
        .list(&ListQuery {
            limit: 100,
            ..ListQuery::default()
        })
        .unwrap();
    let kept = page
        .memories
        .iter()
        .find(|memory| memory.body.text == walnuts)
        .unwrap();
    assert_eq!(kept.body.metadata["user_id"], Value::from("u1"));
}
