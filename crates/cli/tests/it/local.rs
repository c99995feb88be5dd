//! The program opens no connection except to the model that it was told to ask: a filter kills a
//! process that opens a socket.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use crate::witness;

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use tempfile::TempDir;
use witness::witness;

/// The signal that kills a process under a filter: SIGSYS, a call that is not allowed.
const KILLED: Option<i32> = Some(31);

/// Kills a process that makes a socket of any kind, or rings through which one can be made.
fn no_sockets() -> BpfProgram {
    let calls = [libc::SYS_socket, libc::SYS_io_uring_setup].map(|call| (call, Vec::new()));
    let filter = SeccompFilter::new(
        calls.into(),
        SeccompAction::Allow,
        SeccompAction::KillProcess,
        std::env::consts::ARCH.try_into().unwrap(),
    );
    filter.unwrap().try_into().unwrap()
}

/// Runs the program without sockets: a filter is one of a thread, and those whom the thread starts
/// inherit it.
fn apart(home: &Path, args: &[&str], input: &str) -> Output {
    let run = || {
        seccompiler::apply_filter(&no_sockets()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
        command
            .env_clear()
            .envs(witness())
            .env("ANNALS_SHARE", "off")
            .env("HOME", home)
            .current_dir(home)
            .arg("--db")
            .arg(home.join("agent.annals"));
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A child that is killed reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}

fn said(output: &Output) -> String {
    format!(
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn the_program_alone_in_a_folder_is_all_that_is_needed() {
    // spec: G-03
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("annals");
    std::fs::copy(env!("CARGO_BIN_EXE_annals"), &program).unwrap();
    let ok = |args: &[&str]| {
        let mut command = Command::new(&program);
        let output = command
            .env_clear()
            .envs(witness())
            .env("ANNALS_SHARE", "off")
            .current_dir(folder.path())
            .arg("--db")
            .arg("a.annals")
            .args(args)
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "{args:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    ok(&["namespace", "create", "me", "--profile", "graph"]);
    ok(&[
        "remember",
        "-n",
        "me",
        "--kind",
        "事件",
        "昨天在北京吃了拉面",
    ]);
    ok(&["jobs", "run", "--all"]);
    assert!(ok(&["recall", "-n", "me", "吃了什么拉面"]).contains("昨天在北京吃了拉面"));
    // Nothing was laid beside it but the file that it was told to use.
    let beside = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(
        beside.collect::<BTreeSet<_>>(),
        ["a.annals", "annals"].map(str::to_owned).into()
    );
}

#[test]
fn nothing_leaves_the_machine_but_what_a_model_is_asked() {
    // spec: M-39
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    let ok = |args: &[&str]| {
        let output = apart(home, args, "");
        assert!(
            output.status.success(),
            "{args:?}: {} {}",
            output.status,
            said(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let notes = home.join("notes");
    let notes = notes.to_str().unwrap();
    ok(&["namespace", "create", "me", "--profile", "markdown"]);
    let id = ok(&[
        "remember",
        "-n",
        "me",
        "--kind",
        "preference",
        "--importance",
        "0.9",
        "I like green tea",
    ]);
    ok(&[
        "remember",
        "-n",
        "me",
        "--session",
        "monday",
        "--speaker",
        "Ada",
        "The demo is at ten.",
    ]);
    assert!(ok(&["recall", "-n", "me", "what tea do I like"]).contains("green tea"));
    assert!(ok(&["context", "-n", "me", "hello"]).contains("green tea"));
    ok(&["sync", "-n", "me", notes, "--create"]);
    assert!(
        std::fs::read_to_string(home.join("notes/MEMORY.md"))
            .unwrap()
            .contains("green tea")
    );
    ok(&["session", "end", "-n", "me", "monday"]);
    ok(&["jobs", "run", "--all"]);
    ok(&["edit", "-n", "me", id.trim(), "--text", "I like white tea"]);
    ok(&["forget", "-n", "me", id.trim()]);
    ok(&["db", "stats", "-n", "me"]);
    ok(&["doctor"]);
    assert!(ok(&["export", "-n", "me"]).contains("white tea"));

    // A run that asks a model opens a connection, which ends it here, however near the model is.
    let turns = home.join("turns.ndjson");
    std::fs::write(
        &turns,
        "{\"session\":\"s\",\"text\":\"My name is Ada and I live in Berlin, in the old part of the town.\"}\n",
    )
    .unwrap();
    let model = ["--llm", "http://127.0.0.1:9/v1#some-model"];
    let turns = turns.to_str().unwrap();
    for (args, input) in [
        (vec!["chat", "-n", "you"], "hello\n"),
        (
            vec!["ingest", "-n", "them", "--profile", "markdown", turns],
            "",
        ),
    ] {
        let asked = apart(home, &[&args[..], &model].concat(), input);
        assert_eq!(
            asked.status.signal(),
            KILLED,
            "{args:?}: {} {}",
            asked.status,
            said(&asked)
        );
    }
    // Earlier memories are there.
    ok(&["doctor"]);
}
