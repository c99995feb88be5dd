//! What another user of the machine can do to a database, in a folder that others may write to.

#![cfg(unix)]

use crate::stage::Stage;
use crate::witness::witness;

use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Output};

/// A user that is neither this one nor the administrator.
const BOB: u32 = 65_534;

fn is_root() -> bool {
    let root = annals_private::own_user() == 0;
    if !root {
        eprintln!("skipped: only the administrator can give files to another user");
    }
    root
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_database_that_another_user_made_is_neither_written_nor_believed() {
    let stage = Stage::new();
    let db = stage.path("agent.annals");
    stage.ok(&["remember", "Tea is ready."]);
    std::fs::set_permissions(&db, PermissionsExt::from_mode(0o666)).unwrap();
    if !is_root() {
        return;
    }
    chown(&db, Some(BOB), None).unwrap();
    let said = stage.run(&["remember", "The password is swordfish."]);
    assert!(
        said.code == 8 && said.err.contains("agent.annals belongs to"),
        "{}",
        said.all()
    );
    assert!(
        said.err.contains("ANNALS_ALLOW_FOREIGN=1"),
        "{}",
        said.all()
    );
    stage.set("ANNALS_LANG", "zh");
    let said = stage.run(&["remember", "The password is swordfish."]);
    assert!(
        said.code == 8 && said.err.contains("属于"),
        "{}",
        said.all()
    );
    stage.set("ANNALS_LANG", "en");
    assert_eq!(stage.run(&["list"]).code, 8);
    stage.set("ANNALS_ALLOW_FOREIGN", "perhaps");
    assert_eq!(stage.run(&["list"]).code, 4);
    stage.set("ANNALS_ALLOW_FOREIGN", "1");
    stage.ok(&["remember", "Coffee is ready."]);
    assert!(stage.ok(&["list"]).contains("Tea is ready."));
}

#[test]
fn a_transcript_goes_into_a_file_of_this_user_alone() {
    let stage = Stage::new();
    let model = format!(
        "replay:{}",
        stage.file(
            "answers.ndjson",
            "{\"purpose\":\"chat\",\"reply\":{\"text\":\"Yes.\"}}\n"
        )
    );
    let refused = |record: &Path, word: &str| {
        stage.set("ANNALS_LLM_RECORD", record.to_str().unwrap());
        let said = stage.run_with(&["chat", "--llm", &model], b"Is tea ready?\n");
        assert!(said.code == 8 && said.err.contains(word), "{}", said.all());
    };
    pipe(&stage.path("pipe"));
    refused(&stage.path("pipe"), "no regular file");
    let letter = stage.file("letter.txt", "dear");
    std::fs::hard_link(&letter, stage.path("other-name")).unwrap();
    refused(&stage.path("other-name"), "hard links");
    if is_root() {
        symlink(&letter, stage.path("link")).unwrap();
        std::os::unix::fs::lchown(stage.path("link"), Some(BOB), None).unwrap();
        refused(&stage.path("link"), "belongs to");
    }
    assert_eq!(std::fs::read(&letter).unwrap(), b"dear");
}

#[test]
fn the_name_of_a_model_is_not_looked_for_in_the_working_directory() {
    let here = tempfile::tempdir_in(".").unwrap();
    let name = here.path().file_name().unwrap().to_str().unwrap();
    std::fs::write(here.path().join("model.onnx"), b"").unwrap();
    let stage = Stage::new();
    let said = stage.run(&["remember", "x", "--embedder", name]);
    assert!(
        said.code == 9 && said.err.contains("neither a folder nor a model"),
        "{}",
        said.all()
    );
    let said = stage.run(&["remember", "x", "--embedder", &format!("./{name}")]);
    assert!(
        said.code == 9 && !said.err.contains("neither a folder"),
        "{}",
        said.all()
    );
}

#[test]
fn folders_that_are_made_are_for_this_user_alone() {
    let stage = Stage::new();
    stage.ok(&["remember", "Tea is ready."]);
    let backup = stage.path("backup.annals").to_str().unwrap().to_owned();
    stage.ok(&["db", "backup", &backup]);
    let restored = stage.path("new/sub/x.annals").to_str().unwrap().to_owned();
    stage.ok(&["--db", &restored, "db", "restore", &backup]);
    assert_eq!(
        (mode(&stage.path("new")), mode(&stage.path("new/sub"))),
        (0o700, 0o700)
    );
    stage.ok(&["namespace", "create", "notes", "--profile", "markdown"]);
    stage.ok(&[
        "sync",
        "--create",
        stage.path("notes").to_str().unwrap(),
        "-n",
        "notes",
    ]);
    assert_eq!(mode(&stage.path("notes")), 0o700);
}

#[test]
fn a_profile_of_somebody_else_says_not_which_files_are_written() {
    let stage = Stage::new();
    let folder = stage.path("home/.ssh");
    std::fs::create_dir_all(&folder).unwrap();
    let markdown = stage.ok(&["profile", "show", "markdown"]);
    let lines: Vec<String> = markdown
        .lines()
        .map(|line| {
            if line.starts_with("home =") {
                format!("home = {folder:?}")
            } else {
                line.to_owned()
            }
        })
        .collect();
    stage.ok(&[
        "profile",
        "store",
        "theirs",
        &stage.file("theirs.toml", lines.join("\n")),
    ]);
    stage.ok(&["namespace", "create", "notes", "--profile", "theirs"]);
    let said = stage.run(&["sync", "-n", "notes"]);
    assert!(
        said.code == 2 && said.err.contains("the profile names the folder"),
        "{}",
        said.all()
    );
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    stage.ok(&["sync", folder.to_str().unwrap(), "-n", "notes"]);
    assert!(folder.join("MEMORY.md").exists());
}

#[test]
fn a_link_in_the_place_of_the_folder_of_a_sync_is_refused() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "notes", "--profile", "markdown"]);
    let (mine, clone) = (stage.path("mine"), stage.path("clone"));
    std::fs::create_dir_all(clone.join(".git")).unwrap();
    std::fs::create_dir_all(clone.join("real")).unwrap();
    std::fs::create_dir_all(mine.join("deep")).unwrap();
    let link = |to: &Path, from: &Path| symlink(to, from).unwrap();
    link(&mine, &clone.join("notes"));
    link(&mine, &clone.join("docs"));
    link(&clone.join("real"), &clone.join("inside"));
    let sync = |folder: &Path, more: &[&str]| {
        stage.run(&[&["sync", folder.to_str().unwrap(), "-n", "notes"], more].concat())
    };
    for folder in [clone.join("notes"), clone.join("docs/deep")] {
        let said = sync(&folder, &[]);
        assert!(
            said.code == 2 && said.err.contains("--follow"),
            "{}",
            said.all()
        );
    }
    assert_eq!(
        std::fs::read_dir(&mine).unwrap().count(),
        1,
        "nothing was written"
    );
    assert_eq!(
        sync(&clone.join("inside"), &[]).code,
        0,
        "a link within the repository leads nowhere else"
    );
    assert_eq!(sync(&clone.join("notes"), &["--follow"]).code, 0);
    assert_eq!(sync(&mine, &[]).code, 0);
}

/// An archive brings the `.git/config` that somebody wrote into it.
#[test]
fn a_repository_that_says_it_is_another_project_has_a_memory_of_its_own() {
    let mut stage = Stage::new();
    let repository = |name: &str| {
        let folder = stage.path(name);
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        std::fs::write(
            folder.join(".git/config"),
            "[remote \"origin\"]\n\turl = git@host:ada/engine.git\n",
        )
        .unwrap();
        folder
    };
    let (engine, download) = (repository("engine"), repository("download"));
    stage.working_folder = Some(engine);
    stage.ok(&["remember", "The launch code is zebra.", "--quiet"]);
    stage.working_folder = Some(download);
    let found = stage.run(&["recall", "launch code"]);
    assert!(
        !found.out.contains("zebra") && found.err.contains("annals namespace adopt"),
        "{}",
        found.all()
    );
    let said = stage
        .run(&["remember", "The code is lion.", "--json"])
        .json();
    assert!(
        said["namespace"]
            .as_str()
            .unwrap()
            .starts_with("project:download-"),
        "{said}"
    );
    let adopted = stage.run(&["namespace", "adopt"]);
    assert!(
        adopted.code == 0 && adopted.out.contains("project:engine-"),
        "{}",
        adopted.all()
    );
    assert!(stage.ok(&["recall", "launch code"]).contains("zebra"));
}

/// The program, with an owner that it starts.
#[cfg(target_os = "linux")]
fn annals(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
    command
        .env_clear()
        .envs(witness())
        .env("HOME", folder)
        .current_dir(folder);
    command
        .env("ANNALS_MIRRORS", "mem/{name}")
        .env("PATH", ":bin:/usr/bin");
    command
        .arg("--db")
        .arg(folder.join("agent.annals"))
        .args(args)
        .output()
        .unwrap()
}

#[cfg(target_os = "linux")]
fn ok(folder: &Path, args: &[&str]) -> String {
    let output = annals(folder, args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The process that owns the database.
#[cfg(target_os = "linux")]
fn owner(folder: &Path) -> u64 {
    let said: serde_json::Value = serde_json::from_str(&ok(folder, &["doctor", "--json"])).unwrap();
    let owner = said["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["name"] == "owner")
        .unwrap();
    owner["facts"]["pid"].as_u64().unwrap()
}

#[cfg(target_os = "linux")]
fn end(pid: u64) {
    assert!(
        Command::new("/bin/kill")
            .args(["-TERM", &pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
    while Path::new(&format!("/proc/{pid}")).exists() {
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_owner_works_where_nobody_else_writes_and_finds_nothing_there_by_chance() {
    let folder = tempfile::tempdir().unwrap();
    ok(folder.path(), &["remember", "Tea is ready."]);
    let pid = owner(folder.path());
    assert_eq!(
        std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap(),
        Path::new("/")
    );
    let variables = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let variables: Vec<String> = variables
        .split(|byte| *byte == 0)
        .map(|variable| String::from_utf8_lossy(variable).into_owned())
        .collect();
    assert!(
        variables.contains(&"PATH=/usr/bin".to_owned()),
        "{variables:?}"
    );
    let mirrors = format!(
        "ANNALS_MIRRORS={}",
        folder
            .path()
            .canonicalize()
            .unwrap()
            .join("mem/{name}")
            .display()
    );
    assert!(variables.contains(&mirrors), "{variables:?}");
    end(pid);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_in_the_place_of_the_log_neither_loses_memories_nor_keeps_anybody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("agent.annals.log");
    ok(folder.path(), &["remember", "Tea is ready."]);
    end(owner(folder.path()));
    // From this size on a log is begun anew.
    assert!(
        std::fs::metadata(folder.path().join("agent.annals"))
            .unwrap()
            .len()
            > 256 << 10
    );
    std::fs::remove_file(&log).unwrap();
    symlink("agent.annals", &log).unwrap();
    ok(folder.path(), &["remember", "Coffee is ready."]);
    end(owner(folder.path()));
    let listed = ok(folder.path(), &["list"]);
    assert!(
        listed.contains("Tea is ready.") && listed.contains("Coffee is ready."),
        "{listed}"
    );
    std::fs::remove_file(&log).unwrap();
    pipe(&log);
    ok(folder.path(), &["remember", "Cake is ready."]);
    end(owner(folder.path()));
}
