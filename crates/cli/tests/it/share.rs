//! Several processes of the program use one database: through one owner, which they start.

#![cfg(any(target_os = "linux", windows))]

use crate::witness;

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use witness::witness;

fn annals(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
    command.env_clear().envs(witness()).env("HOME", folder);
    command
        .current_dir(folder)
        .arg("--db")
        .arg(folder.join("agent.annals"));
    #[cfg(windows)]
    {
        let system = ["SystemRoot", "TEMP", "TMP", "COMPUTERNAME"]
            .map(|name| (name, std::env::var_os(name)));
        command.envs(
            system
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        command
            .env("USERPROFILE", folder)
            .env("APPDATA", folder)
            .env("LOCALAPPDATA", folder);
    }
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    annals(folder).args(args).output().unwrap()
}

fn ok(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The process that owns the database.
fn owner(folder: &Path) -> Option<u32> {
    let said: Value = serde_json::from_str(&ok(folder, &["doctor", "--json"])).unwrap();
    let owner = said["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["name"] == "owner")?;
    owner["facts"]["pid"]
        .as_u64()
        .map(|pid| u32::try_from(pid).unwrap())
}

/// Ends the owner that the commands of a test have started.
struct Ended<'a>(&'a Path);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if let Some(pid) = owner(self.0) {
            end(pid);
        }
    }
}

/// Tells an owner to end, and waits until it has.
#[cfg(unix)]
fn end(pid: u32) {
    signal("-TERM", pid);
    let (process, began) = (format!("/proc/{pid}"), Instant::now());
    while Path::new(&process).exists() && began.elapsed() < Duration::from_secs(30) {
        std::thread::yield_now();
    }
    assert!(!Path::new(&process).exists(), "process {pid} goes on");
}

/// A process without a console hears no signal: what it acknowledged is on disk.
#[cfg(windows)]
fn end(pid: u32) {
    kill(pid);
}

#[cfg(unix)]
fn kill(pid: u32) {
    signal("-KILL", pid);
}

#[cfg(unix)]
fn signal(name: &str, pid: u32) {
    assert!(
        Command::new("/bin/kill")
            .args([name, &pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
}

#[cfg(windows)]
fn kill(pid: u32) {
    let mut taskkill = Command::new("taskkill");
    assert!(
        taskkill
            .args(["/F", "/PID", &pid.to_string()])
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
}

/// `annals serve`, once it owns the database.
fn serve(folder: &Path, args: &[&str]) -> Child {
    let mut child = annals(folder)
        .args(["serve", "--no-http"])
        .args(args)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.contains(&child.id().to_string()), "{line}");
    child
}

#[test]
fn commands_start_one_owner_and_go_through_it() {
    let folder = TempDir::new().unwrap();
    let _ended = Ended(folder.path());
    // spec: C-120
    ok(
        folder.path(),
        &["namespace", "create", "user", "--profile", "companion"],
    );
    ok(folder.path(), &["remember", "Ada's birthday is May 3rd"]);
    let first = owner(folder.path()).unwrap();
    assert!(ok(folder.path(), &["recall", "when is Ada's birthday?"]).contains("May 3rd"));
    ok(folder.path(), &["remember", "Ada likes tea"]);
    assert_eq!(owner(folder.path()), Some(first));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let socket = folder.path().join("agent.annals.socket");
        std::os::unix::net::UnixStream::connect(&socket).unwrap();
        assert_eq!(
            std::fs::metadata(socket).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn a_command_hears_through_an_owner_what_was_masked_for_it_and_what_was_known() {
    let folder = TempDir::new().unwrap();
    let _ended = Ended(folder.path());
    let told =
        |text: &str| String::from_utf8(run(folder.path(), &["remember", text]).stderr).unwrap();
    assert!(told("my PIN is 4711").contains("masked"));
    assert!(owner(folder.path()).is_some());
    assert!(told("my password is hunter2abc").contains("masked"));
    assert_eq!(told("Ada likes tea"), "");
    assert!(told("ada likes  tea.").contains("known already"));
    assert_eq!(ok(folder.path(), &["list"]).matches("likes").count(), 1);
}

#[test]
fn hooks_of_one_session_at_once_lose_nothing_of_each_other() {
    const FACTS: [&str; 4] = [
        "The relay listens on port 4711.",
        "Invoices are printed on the third floor.",
        "The database password rotates every Monday.",
        "Ada reviews the parser before a release.",
    ];
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("relay");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let enabled = ok(
        folder.path(),
        &["hook", "enable", root.to_str().unwrap(), "--json"],
    );
    let enabled: Value = serde_json::from_str(&enabled).unwrap();
    let namespace = enabled["namespace"].as_str().unwrap();
    let ids = FACTS.map(|fact| {
        ok(
            folder.path(),
            &["-n", namespace, "remember", "--kind", "fact", fact],
        )
    });
    let _ended = Ended(folder.path());
    let mut most = 0;
    for round in 0..8 {
        let hook = |prompt: &&str| {
            let said = serde_json::json!({ "session_id": format!("s{round}"), "cwd": root, "prompt": prompt });
            let mut hook = annals(folder.path());
            hook.args(["hook", "claude-code", "UserPromptSubmit"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped());
            let mut hook = hook.spawn().unwrap();
            hook.stdin
                .take()
                .unwrap()
                .write_all(said.to_string().as_bytes())
                .unwrap();
            hook
        };
        let hooks: Vec<Child> = FACTS.iter().map(hook).collect();
        let said = hooks
            .into_iter()
            .map(|hook| String::from_utf8(hook.wait_with_output().unwrap().stdout).unwrap());
        let said: String = said.collect();
        let noted = noted(
            &folder.path().join("agent.annals.hooks/sessions"),
            &format!("\"s{round}\""),
        );
        let shown = FACTS
            .iter()
            .zip(&ids)
            .filter(|(fact, _)| said.contains(**fact));
        let shown: Vec<&str> = shown.map(|(_, id)| id.trim()).collect();
        for id in &shown {
            assert!(
                noted.contains(*id),
                "round {round}: {id} was shown, noted is {noted}"
            );
        }
        most = most.max(shown.len());
    }
    assert!(most > 1, "no two hooks showed anything");
}

/// What the hooks of a session have noted of the memories that it was shown.
fn noted(sessions: &Path, session: &str) -> String {
    let files = std::fs::read_dir(sessions)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    files
        .filter(|text| text.contains("\"memories\"") && text.contains(session))
        .collect()
}

/// A program that reads the answer of a command does not wait for the owner that the command has
/// started.
#[test]
fn an_owner_holds_no_stream_of_the_command_that_started_it() {
    let folder = TempDir::new().unwrap();
    let _ended = Ended(folder.path());
    let began = Instant::now();
    ok(folder.path(), &["remember", "Ada likes tea"]);
    assert!(began.elapsed() < Duration::from_secs(60));
    assert!(owner(folder.path()).is_some());
}

/// The owners that run for a folder, once all but one have found that they are too many.
#[cfg(target_os = "linux")]
fn one_server(folder: &Path) -> usize {
    let servers = || {
        let file = folder.display().to_string();
        let commands = std::fs::read_dir("/proc").unwrap().flatten();
        let commands =
            commands.filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
        commands
            .filter(|command| command.contains("\0serve\0") && command.contains(&file))
            .count()
    };
    let began = Instant::now();
    while servers() > 1 && began.elapsed() < Duration::from_secs(30) {
        std::thread::yield_now();
    }
    servers()
}

#[test]
fn eight_at_once_start_one_owner_and_a_dead_one_is_replaced() {
    let folder = TempDir::new().unwrap();
    let _ended = Ended(folder.path());
    let together = |words: &str| {
        let start = |n| {
            let text = format!("{words} {n}");
            annals(folder.path())
                .args(["remember", &text])
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        };
        for mut child in (0..8).map(start).collect::<Vec<_>>() {
            assert!(child.wait().unwrap().success());
        }
    };
    // spec: C-122
    ok(
        folder.path(),
        &["namespace", "create", "user", "--profile", "companion"],
    );
    kill(owner(folder.path()).unwrap());
    together("before");
    #[cfg(target_os = "linux")]
    assert_eq!(one_server(folder.path()), 1);
    let first = owner(folder.path()).unwrap();
    kill(first);
    together("after");
    let second = owner(folder.path()).unwrap();
    assert_ne!(first, second);
    let listed: Value = serde_json::from_str(&ok(folder.path(), &["list", "--json"])).unwrap();
    assert_eq!(listed["total"], 16, "{listed}");
}

#[test]
fn an_owner_that_is_started_by_hand_serves_and_ends_when_idle() {
    let folder = TempDir::new().unwrap();
    let mut server = serve(folder.path(), &["--idle", "1"]);
    // spec: C-121
    ok(
        folder.path(),
        &["namespace", "create", "user", "--profile", "companion"],
    );
    ok(folder.path(), &["remember", "Ada likes tea"]);
    assert!(ok(folder.path(), &["recall", "what does Ada like?"]).contains("tea"));
    assert_eq!(owner(folder.path()), Some(server.id()));
    let other = ok(folder.path(), &["serve", "--no-http"]);
    assert!(
        other.contains(&format!("process {} owns", server.id())),
        "{other}"
    );
    let began = Instant::now();
    assert!(server.wait().unwrap().success());
    assert!(began.elapsed() < Duration::from_secs(60));
    assert!(!folder.path().join("agent.annals.socket").exists());
}

#[cfg(unix)]
#[test]
fn a_stopped_owner_is_named() {
    let folder = TempDir::new().unwrap();
    let mut server = serve(folder.path(), &[]);
    signal("-STOP", server.id());
    let output = run(folder.path(), &["remember", "Ada likes tea"]);
    signal("-CONT", server.id());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(
        said.contains(&format!("process {}", server.id())) && said.contains("-CONT"),
        "{said}"
    );
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_database_that_was_replaced_is_refused() {
    let folder = TempDir::new().unwrap();
    let mut server = serve(folder.path(), &[]);
    ok(folder.path(), &["remember", "Ada likes tea"]);
    std::fs::rename(
        folder.path().join("agent.annals"),
        folder.path().join("moved.annals"),
    )
    .unwrap();
    let output = run(folder.path(), &["remember", "Ada likes coffee"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("moved or replaced"),
        "{said}"
    );
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn documents_and_exports_go_through_the_owner() {
    let folder = TempDir::new().unwrap();
    let mut server = serve(folder.path(), &[]);
    ok(folder.path(), &["remember", "Ada likes tea"]);
    ok(folder.path(), &["remember", "Ben likes coffee"]);
    let file = folder.path().join("out.ndjson");
    let exported = ok(folder.path(), &["export"]);
    std::fs::write(&file, &exported).unwrap();
    ok(
        folder.path(),
        &["import", "-n", "other", file.to_str().unwrap()],
    );
    let memories = |text: &str| text.lines().filter(|line| line.contains(" likes ")).count();
    assert_eq!(
        (
            memories(&exported),
            memories(&ok(folder.path(), &["export", "-n", "other"]))
        ),
        (2, 2)
    );
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn sharing_can_be_switched_off() {
    let folder = TempDir::new().unwrap();
    let output = annals(folder.path())
        .env("ANNALS_SHARE", "off")
        .args(["remember", "Ada likes tea"])
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(owner(folder.path()), None);
    let output = annals(folder.path())
        .env("ANNALS_SHARE", "perhaps")
        .arg("list")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
}

/// The rights of a file, or none where it is missing.
#[cfg(unix)]
fn mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(std::fs::metadata(path).ok()?.permissions().mode() & 0o777)
}

#[cfg(unix)]
fn give(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn an_owner_of_another_user_gets_no_call() {
    use std::os::unix::process::CommandExt as _;
    let folder = TempDir::new().unwrap();
    give(folder.path(), 0o777);
    let theirs = folder.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    give(&theirs, 0o777);
    let mut command = annals(&theirs);
    // A user without a name.
    let spawned = command
        .args(["serve", "--no-http"])
        .uid(54_321)
        .gid(54_321)
        .stdout(Stdio::piped())
        .spawn();
    let mut other = match spawned {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            eprintln!("SKIPPED: only an administrator can be two users: {error}");
            return;
        }
        spawned => spawned.unwrap(),
    };
    BufReader::new(other.stdout.as_mut().unwrap())
        .read_line(&mut String::new())
        .unwrap();
    std::fs::rename(
        theirs.join("agent.annals.socket"),
        folder.path().join("agent.annals.socket"),
    )
    .unwrap();
    let refused = |args: &[&str]| {
        let output = run(folder.path(), args);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.status.code(), Some(5), "{args:?}: {said}");
        for word in [
            "user 54321",
            "nothing was sent",
            "agent.annals.socket",
            "chmod 700",
        ] {
            assert!(said.contains(word), "{args:?}: {said}");
        }
    };
    // Before there is a database, and then.
    refused(&["remember", "my secret"]);
    refused(&["doctor"]);
    assert!(
        annals(folder.path())
            .env("ANNALS_SHARE", "off")
            .args(["remember", "mine"])
            .status()
            .unwrap()
            .success()
    );
    for args in [
        &["remember", "my secret"][..],
        &["recall", "x"],
        &["list"],
        &["export"],
        &["doctor"],
        &["serve", "--no-http"],
    ] {
        refused(args);
    }
    other.kill().unwrap();
    other.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn processes_meet_whatever_their_runtime_folders_are() {
    let folder = TempDir::new().unwrap();
    let deep = folder.path().join("x".repeat(60)).join("y".repeat(60));
    std::fs::create_dir_all(&deep).unwrap();
    let _ended = Ended(&deep);
    for name in ["one", "two"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let remember = |runtime: Option<&str>, text: &str| {
        let mut command = annals(&deep);
        if let Some(name) = runtime {
            command.env("XDG_RUNTIME_DIR", folder.path().join(name));
        }
        let output = command.args(["remember", text]).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    remember(Some("one"), "Ada likes tea");
    let first = owner(&deep).unwrap();
    remember(Some("two"), "Ben likes coffee");
    remember(None, "Mira likes milk");
    assert_eq!(owner(&deep), Some(first));
}

#[cfg(unix)]
#[test]
fn a_data_folder_that_is_moved_away_and_begun_anew_has_an_owner_that_is_reached() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let mut old = serve(&data, &[]);
    ok(&data, &["remember", "Ada likes tea"]);
    std::fs::rename(&data, folder.path().join("away")).unwrap();
    std::fs::create_dir(&data).unwrap();
    let _ended = Ended(&data);
    ok(&data, &["remember", "Ben likes coffee"]);
    let new = owner(&data).unwrap();
    assert_ne!(new, old.id());
    // The old owner finds that its file is away, and ends without a trace in the new folder.
    assert!(old.wait().unwrap().success());
    assert_eq!(owner(&data), Some(new));
    assert!(ok(&folder.path().join("away"), &["export"]).contains("tea"));
    drop(Ended(&folder.path().join("away")));
}

#[cfg(unix)]
#[test]
fn an_owner_ends_in_the_middle_of_an_import_whose_client_stands_still() {
    let folder = TempDir::new().unwrap();
    let mut server = serve(folder.path(), &[]);
    ok(folder.path(), &["remember", "Ada likes tea"]);
    let turn = |n: u32| {
        format!(
            "{{\"session\": \"s{}\", \"speaker\": \"Ben\", \"text\": \"Note {n}.\"}}\n",
            n / 100
        )
    };
    let file = folder.path().join("turns.ndjson");
    std::fs::write(&file, (0..40_000).map(turn).collect::<String>()).unwrap();
    let mut import = annals(folder.path());
    import
        .args(["import", "-n", "chat"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut import = import.spawn().unwrap();
    let stored = || -> u64 {
        let output = run(folder.path(), &["list", "-n", "chat", "--json"]);
        let listed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        listed["total"].as_u64().unwrap_or_default()
    };
    while stored() == 0 {
        assert!(import.try_wait().unwrap().is_none(), "the import has ended");
    }
    signal("-STOP", import.id());
    let acknowledged = stored();
    let began = Instant::now();
    signal("-TERM", server.id());
    server.wait().unwrap();
    assert!(began.elapsed() < Duration::from_secs(30));
    signal("-KILL", import.id());
    import.wait().unwrap();
    let _ended = Ended(folder.path());
    assert!(stored() >= acknowledged);
    assert!(ok(folder.path(), &["recall", "what does Ada like?"]).contains("tea"));
    ok(folder.path(), &["db", "verify"]);
}

#[cfg(unix)]
#[test]
fn what_a_database_brings_along_is_for_its_user_alone() {
    let folder = TempDir::new().unwrap();
    let _ended = Ended(folder.path());
    ok(folder.path(), &["remember", "Ada likes tea"]);
    for name in ["agent.annals", "agent.annals.socket", "agent.annals.log"] {
        assert_eq!(mode(&folder.path().join(name)), Some(0o600), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_database_that_others_could_read_is_made_private_and_that_is_said_once() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join(".local/share/annals");
    let remember = |text: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
        command
            .env_clear()
            .envs(witness())
            .env("HOME", folder.path())
            .env("ANNALS_SHARE", "off");
        let output = command
            .current_dir(folder.path())
            .args(["remember", text])
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(!remember("Ada likes tea").contains("other users"));
    let file = data.join("agent.annals");
    if cfg!(target_os = "linux") {
        assert_eq!((mode(&data), mode(&file)), (Some(0o700), Some(0o600)));
        give(&data, 0o755);
        give(&file, 0o644);
        assert!(remember("Ben likes coffee").contains("other users"));
        assert_eq!((mode(&data), mode(&file)), (Some(0o700), Some(0o600)));
        give(&file, 0o640);
        assert!(!remember("Mira likes milk").contains("other users"));
        assert_eq!(mode(&file), Some(0o640));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_owner_without_descriptors_says_so_and_goes_on() {
    let folder = TempDir::new().unwrap();
    ok(folder.path(), &["namespace", "create", "user"]);
    end(owner(folder.path()).unwrap());
    let mut shell = Command::new("/bin/sh");
    shell
        .env_clear()
        .envs(witness())
        .env("HOME", folder.path())
        .stdout(Stdio::piped());
    shell.args([
        "-c",
        "ulimit -n 40; exec \"$0\" --db \"$1\" serve",
        env!("CARGO_BIN_EXE_annals"),
    ]);
    let mut server = shell
        .arg(folder.path().join("agent.annals"))
        .spawn()
        .unwrap();
    BufReader::new(server.stdout.as_mut().unwrap())
        .read_line(&mut String::new())
        .unwrap();
    let socket = folder.path().join("agent.annals.socket");
    // Clients that say nothing are let go after some seconds; others come in their place.
    let crowd = || {
        (0..60)
            .map(|_| std::os::unix::net::UnixStream::connect(&socket).unwrap())
            .collect::<Vec<_>>()
    };
    let kept = crowd();
    let output = run(folder.path(), &["remember", "Ada likes tea", "--wait", "0"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(
        said.contains("can serve nobody else") && said.contains("open files"),
        "{said}"
    );
    assert!(!said.contains("moved or replaced"), "{said}");
    drop(kept);
    ok(folder.path(), &["remember", "Ada likes tea"]);
    assert_eq!(owner(folder.path()), Some(server.id()));
    signal("-TERM", server.id());
    server.wait().unwrap();
}
