//! What people bring: files, folders and archives of other programs, by the commands of
//! docs/import.md.

use crate::stage;

use stage::Stage;

const CHAT: &str =
    "[13.01.26, 18:05:09] Ines: Ich bringe Brot mit.\r\n[14.01.26, 18:06:00] Omar: Gut.\r\n";
const MEM0: &str = r#"{"results":[{"id":"7","memory":"Is allergic to walnuts","created_at":"2026-01-02T03:04:05Z","user_id":"u1"}]}"#;

#[test]
fn a_folder_of_many_things_is_brought_once() {
    let stage = Stage::new();
    for folder in ["in/notes", "in/chats"] {
        std::fs::create_dir_all(stage.path(folder)).unwrap();
    }
    stage.file(
        "in/notes/heat.md",
        "---\ntitle: Heat pump\n---\n- [fact] Runs at night #energy\n- depends_on [[Tank]]\n",
    );
    stage.file("in/chats/WhatsApp Chat with Ines.txt", CHAT);
    stage.file("in/mem0.json", MEM0);
    stage.file("in/picture.png", b"\x89PNG\r\n\x1a\n");
    let folder = stage.path("in");
    let folder = folder.to_str().unwrap();
    let dry = stage.run(&["import", folder, "--dry-run", "--json"]).json();
    assert_eq!(dry["files"].as_array().unwrap().len(), 3, "{dry}");
    assert_eq!(stage.run(&["list"]).code, 3, "nothing was made");
    let said = stage.run(&["import", folder, "--zone", "Europe/Berlin"]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert_eq!(
        said.out,
        "stored 5 memories from 3 files (whatsapp, mem0, notes)\n"
    );
    assert!(said.err.contains("picture.png"), "{}", said.err);
    let again = stage
        .run(&["import", folder, "--zone", "Europe/Berlin", "--json"])
        .json();
    assert_eq!(
        (&again["stored"], &again["already_there"]),
        (&0.into(), &5.into()),
        "{again}"
    );
    let turns = stage.ok(&["list", "--json", "--session", "WhatsApp Chat with Ines"]);
    assert!(turns.contains("2026-01-13T17:05:09Z"), "{turns}");
    assert!(stage.ok(&["graph", "triples"]).contains("depends_on"));
}

#[test]
fn the_last_import_is_taken_back() {
    let stage = Stage::new();
    let chat = stage.file("chat.txt", CHAT);
    stage.ok(&["remember", "I wash on Mondays."]);
    stage.ok(&["import", &chat]);
    let would = stage.ok(&["import", "--undo", "--dry-run"]);
    assert!(would.starts_with("would delete 2 memories"), "{would}");
    let done = stage.ok(&["import", "--undo"]);
    assert!(done.starts_with("deleted 2 memories"), "{done}");
    assert!(stage.ok(&["list"]).contains("Mondays"));
    assert_eq!(stage.run(&["import", "--undo"]).code, 3);
    let again = stage
        .run(&["import", &chat, "--zone", "Asia/Tokyo", "--json"])
        .json();
    assert_eq!(again["stored"], 2, "{again}");
}

#[test]
fn what_cannot_be_read_is_named_with_what_to_do() {
    let stage = Stage::new();
    for (name, bytes, told) in [
        (
            "a.txt",
            &b"[{\"colour\": \"red\"}]"[..],
            "a list of objects with the fields colour",
        ),
        ("b.json", b"%PDF-1.7", "a PDF document"),
        ("c.csv", b"text,time\nx,3/4/2026\n", "--date-order"),
        (
            "d.jsonl",
            b"{\"memory\":\"x\",\"id\":1,\"user_id\":\"u\"}\n{\"memory\":\n",
            "d.jsonl",
        ),
    ] {
        let said = stage.run(&["import", &stage.file(name, bytes)]);
        assert_eq!(said.code, 4, "{}", said.all());
        assert!(
            said.err.contains(told) && said.err.contains("try:"),
            "{}",
            said.err
        );
    }
    let broken = stage.path("d.jsonl");
    let error = stage
        .run(&["import", broken.to_str().unwrap(), "--json"])
        .error();
    assert_eq!(error["line"], 2, "{error}");
    let skipped = stage.path("skipped");
    let said = stage.run(&[
        "import",
        broken.to_str().unwrap(),
        "--skip-bad",
        skipped.to_str().unwrap(),
    ]);
    assert!(
        said.code == 0 && said.out.ends_with(", 1 record was left out\n"),
        "{}",
        said.all()
    );
    assert_eq!(std::fs::read_to_string(skipped).unwrap(), "{\"memory\":\n");
    let told = stage.file("e.csv", "what,when\nIt rains,3/4/2026\n");
    let said = stage.run(&[
        "import",
        &told,
        "--column",
        "text=what",
        "--column",
        "time=when",
        "--date-order",
        "mdy",
    ]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(stage.ok(&["list"]).contains("2026-03-04"));
}

#[test]
fn transcripts_of_all_agents_go_to_their_projects() {
    let stage = Stage::new();
    let folder = stage.path("home/.claude/projects/-srv-shop");
    std::fs::create_dir_all(&folder).unwrap();
    let line = r#"{"type":"user","uuid":"u","sessionId":"s1","cwd":"/srv/shop","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"Prices are in cents."}}"#;
    std::fs::write(folder.join("s1.jsonl"), format!("{line}\n")).unwrap();
    let would = stage.ok(&["import", "--agents", "--dry-run"]);
    assert!(
        would.starts_with("project:shop-") && would.contains("1 turn in 1 file"),
        "{would}"
    );
    let stored = stage.run(&["import", "--agents", "--json"]).json();
    let name = stored["projects"][0]["namespace"].as_str().unwrap();
    assert_eq!(stored["projects"][0]["stored"], 1, "{stored}");
    assert!(
        stage
            .ok(&["list", "-n", name])
            .contains("Prices are in cents.")
    );
    assert_eq!(
        stage.run(&["import", "--agents", "--json"]).json()["projects"][0]["stored"],
        0
    );
    assert_eq!(stage.run(&["import", "--agents", "x"]).code, 2);
}

#[test]
fn a_project_whose_transcripts_were_imported_belongs_to_the_folder_that_they_name_first() {
    let mut stage = Stage::new();
    let origin = "[remote \"origin\"]\n\turl = https://host/ada/engine.git\n";
    for (name, age) in [("engine", 3600), ("download", 60)] {
        let folder = stage.path(name);
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        std::fs::write(folder.join(".git/config"), origin).unwrap();
        let transcripts = stage.path(&format!("home/.claude/projects/{name}"));
        std::fs::create_dir_all(&transcripts).unwrap();
        let line = serde_json::json!({
            "type": "user", "uuid": "u", "sessionId": name, "cwd": folder,
            "timestamp": "2026-01-01T00:00:00Z",
            "message": { "role": "user", "content": format!("Said in {name}.") },
        });
        let path = transcripts.join("s.jsonl");
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let file = std::fs::File::options().append(true).open(path).unwrap();
        let written = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(written).unwrap();
    }
    stage.ok(&["import", "--agents", "--dry-run"]);
    assert!(
        !stage.path("agent.annals.projects").exists(),
        "a trial keeps nothing"
    );
    stage.ok(&["import", "--agents"]);
    stage.working_folder = Some(stage.path("engine"));
    assert!(stage.ok(&["list"]).contains("Said in engine."));
    stage.working_folder = Some(stage.path("download"));
    let listed = stage.ok(&["list"]);
    assert!(
        listed.contains("Said in download.") && !listed.contains("Said in engine."),
        "{listed}"
    );
}

/// The bytes of a file, or of all files of a folder, by their paths in it.
fn contents(path: &str) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return vec![(String::new(), std::fs::read(path).unwrap())];
    };
    let mut all = Vec::new();
    for entry in entries {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let inner = contents(entry.path().to_str().unwrap());
        all.extend(
            inner
                .into_iter()
                .map(|(below, bytes)| (format!("{name}/{below}"), bytes)),
        );
    }
    all.sort();
    all
}

#[test]
fn exports_in_other_forms_come_back() {
    let from = Stage::new();
    from.ok(&["import", &from.file("mem0.json", MEM0)]);
    from.ok(&["import", &from.file("chat.txt", CHAT)]);
    from.ok(&[
        "remember",
        "The sign says \"No entry\", near\nthe water; 100 %, no more, 中文",
    ]);
    let path = |name: &str| from.path(name).to_str().unwrap().to_owned();
    for (form, stored) in [
        ("lines", 4),
        ("csv", 4),
        ("mem0", 2),
        ("messages", 2),
        ("knowledge-graph", 2),
        ("notes", 4),
    ] {
        let out = path(form);
        from.ok(&["export", &out, "--form", form]);
        let to = Stage::new();
        let said = to.run(&["import", &out, "--json"]);
        assert_eq!(said.code, 0, "{form}: {}", said.all());
        let count = to.run(&["list", "--json", "--limit", "1"]).json();
        assert_eq!(count["total"], stored, "{form}: {}", said.all());
        let again = path(&format!("{form}-again"));
        to.ok(&["export", &again, "--form", form]);
        assert_eq!(contents(&out), contents(&again), "{form}");
    }
    assert_eq!(
        from.run(&["export", &path("notes"), "--form", "notes"])
            .code,
        4,
        "a folder in use"
    );
    assert_eq!(from.run(&["export", "--form", "notes"]).code, 2);
}

#[test]
fn a_text_on_standard_input_is_remembered() {
    let stage = Stage::new();
    let said = stage.run_with(&["remember"], "The key is under the pot.\n".as_bytes());
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(stage.ok(&["list"]).contains("The key is under the pot."));
}
