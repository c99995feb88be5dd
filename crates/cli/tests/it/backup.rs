//! Backups, restores and repairs by the program.

use crate::stage;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals::Options;
use stage::Stage;

#[test]
fn a_backup_is_a_database_of_its_own_and_comes_back() {
    let stage = Stage::new();
    stage.with_memories();
    stage.ok(&["remember", "-n", "other", "the harbour is small"]);
    let (db, backup) = (stage.path("agent.annals"), stage.path("backup.annals"));
    let name = backup.to_str().unwrap();
    let [default, other] = [&["export"][..], &["export", "-n", "other"]].map(|args| stage.ok(args));
    let said = stage.run(&["db", "backup", name]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        said.out
            .contains("values checked in <folder>/backup.annals"),
        "{}",
        said.out
    );
    assert_eq!(
        stage.run(&["db", "backup", name]).code,
        4,
        "a file that exists stays"
    );
    assert_eq!(
        stage
            .run(&["db", "backup", db.to_str().unwrap(), "--force"])
            .code,
        4,
        "nor is the database one"
    );
    assert_eq!(stage.ok(&["export", "--db", name]), default);
    assert_eq!(stage.ok(&["export", "--db", name, "-n", "other"]), other);
    assert!(
        stage
            .ok(&["db", "verify", "--db", name])
            .contains("checked")
    );

    stage.ok(&["remember", "said after the backup"]);
    let refused = stage.run(&["db", "restore", name]);
    assert_eq!(refused.code, 4, "{}", refused.all());
    assert!(refused.err.contains("--force"), "{}", refused.err);
    let said = stage.run(&["db", "restore", "--force", name]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        said.err.contains("agent.annals.before-restore"),
        "{}",
        said.err
    );
    assert_eq!(
        [stage.ok(&["export"]), stage.ok(&["export", "-n", "other"])],
        [default, other]
    );
    let kept = stage.path("agent.annals.before-restore");
    assert!(
        stage
            .ok(&["export", "--db", kept.to_str().unwrap()])
            .contains("said after the backup")
    );

    fs::remove_file(&db).unwrap();
    stage.ok(&["db", "restore", name]);
    assert!(stage.ok(&["db", "verify"]).contains("checked"));
}

#[test]
fn a_backup_holds_whole_commits_while_others_write() {
    let stage = Stage::new();
    let path = stage.path("busy.annals");
    let memory = Options::new().open(&path).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = ["a", "b"]
        .map(|name| {
            let (memory, stop) = (memory.clone(), Arc::clone(&stop));
            std::thread::spawn(move || {
                let space = memory.namespace(name).unwrap();
                let mut written = 0;
                while !stop.load(Ordering::SeqCst) {
                    space
                        .remember(format!("number {written} of {name}"))
                        .unwrap();
                    written += 1;
                }
                written
            })
        })
        .into();
    let mut before = 0;
    for n in 0..6 {
        let backup = stage.path(&format!("backup-{n}.annals"));
        let report = memory.back_up(&backup, false).unwrap();
        assert_eq!(report.bytes, fs::metadata(&backup).unwrap().len());
        let copy = Options::new().read_only(true).open(&backup).unwrap();
        assert_eq!(copy.validate().unwrap().problems, [""; 0]);
        let memories = copy.stats().unwrap().memories;
        assert!(memories >= before, "{memories} after {before}");
        before = memories;
    }
    stop.store(true, Ordering::SeqCst);
    let written: u64 = writers
        .into_iter()
        .map(|writer| writer.join().unwrap())
        .sum();
    assert_eq!(memory.stats().unwrap().memories, written);
    assert!(
        !stage.path("backup-0.annals.compacting").exists(),
        "nothing is left behind"
    );
}

#[test]
fn a_damaged_backup_is_not_restored_and_nothing_changes() {
    let stage = Stage::new();
    stage.with_memories();
    let backup = stage.path("backup.annals");
    stage.ok(&["db", "backup", backup.to_str().unwrap()]);
    let mut bytes = fs::read(&backup).unwrap();
    let at = (0..bytes.len())
        .rev()
        .find(|at| bytes[*at..].starts_with(b"robotics"))
        .unwrap();
    bytes[at] = b'R';
    bytes[at + 1] = b'O';
    fs::write(&backup, bytes).unwrap();
    let whole = stage.ok(&["export"]);
    let said = stage.run(&["db", "restore", "--force", backup.to_str().unwrap()]);
    assert_eq!(said.code, 6, "{}", said.all());
    assert_eq!(stage.ok(&["export"]), whole);
    assert!(!stage.path("agent.annals.before-restore").exists());
}

/// A page with more than a flipped bit: what lies in it is lost by name, everything else is saved.
#[test]
fn repair_names_what_is_lost_and_saves_the_rest() {
    let stage = Stage::new();
    let mut ids = Vec::new();
    for n in 0..60 {
        ids.push(stage.ok(&[
            "remember",
            &format!("harbour number {n} {}", "of stone ".repeat(60)),
        ]));
    }
    let path = stage.path("agent.annals");
    let mut bytes = fs::read(&path).unwrap();
    let needle = b"harbour number 17 ";
    for at in (0..bytes.len() - needle.len())
        .filter(|at| bytes[*at..].starts_with(needle))
        .collect::<Vec<_>>()
    {
        bytes[at..at + 7].copy_from_slice(b"HARBOUR");
    }
    fs::write(&path, bytes).unwrap();
    let export = stage.run(&["export"]);
    assert_eq!(export.code, 6, "{}", export.all());
    assert!(export.err.contains("annals db repair"), "{}", export.err);
    assert_eq!(stage.run(&["list"]).code, 6);
    assert_eq!(stage.run(&["db", "verify"]).code, 6);
    let saved = stage.path("saved.annals");
    let said = stage.run(&[
        "db",
        "repair",
        path.to_str().unwrap(),
        saved.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(said.code, 6, "{}", said.all());
    let report = &said.json()["report"];
    let lost = report["lost"].as_array().unwrap();
    let is = |part: &&serde_json::Value| part["kind"] == "memory" && part["id"] == ids[17].as_str();
    assert_eq!(lost.iter().filter(is).count(), 1, "{report}");
    assert!(
        lost.iter()
            .filter(is)
            .all(|part| part["namespace"] == "user"),
        "{report}"
    );
    assert_eq!(report["problems"], serde_json::json!([]));
    let export = stage.ok(&["export", "--db", saved.to_str().unwrap()]);
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(export.contains(id.as_str()), n != 17, "{n}");
    }
    assert!(
        stage
            .ok(&["db", "verify", "--db", saved.to_str().unwrap()])
            .contains("checked")
    );
    assert_eq!(
        stage
            .run(&[
                "db",
                "repair",
                path.to_str().unwrap(),
                saved.to_str().unwrap()
            ])
            .code,
        4
    );
}
