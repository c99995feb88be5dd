//! Eight processes use one file, and its owner is killed again and again: what was acknowledged is
//! there, once.

#![cfg(any(unix, windows))]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use annals::blocking::Memory;
use annals::{ListQuery, Options};

/// How often an owner is killed, unless `ANNALS_TOGETHER_ROUNDS` says so.
const ROUNDS: u32 = 12;
const PROCESSES: usize = 8;

/// How long a process may take to own the file after another one was killed.
const PATIENCE: Duration = Duration::from_secs(60);

fn open(path: &Path) -> Memory {
    Options::new()
        .share(true)
        .wait(Duration::from_secs(30))
        .open(path)
        .unwrap()
}

/// Writes and reads until it is killed; says what was acknowledged, and that it owns the file.
fn work(path: &Path, name: &str) {
    let mut out = std::io::stdout();
    let mut say = |line: String| {
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    let memory = open(path);
    let user = memory.namespace("user").unwrap();
    for number in 0_u32.. {
        if memory.owner().unwrap().unwrap().pid == std::process::id() {
            say(format!("own {}", std::process::id()));
        }
        let text = format!("Note {number} of {name}.");
        let id = user.remember(text.as_str()).unwrap();
        say(format!("ack {text}"));
        if number % 3 == 0 {
            assert_eq!(user.get(id).unwrap().unwrap().body.text, text);
            user.recall("which notes are there?").unwrap();
        }
        if number % 5 == 0 {
            user.forget(id).unwrap();
            say(format!("gone {text}"));
        }
    }
}

/// The words of all processes.
#[derive(Default)]
struct Said {
    acknowledged: Vec<String>,
    forgotten: BTreeSet<String>,
    owner: Option<u32>,
    failures: Vec<String>,
}

struct Crowd {
    path: PathBuf,
    said: Arc<(Mutex<Said>, Condvar)>,
    children: BTreeMap<u32, Child>,
    listeners: Vec<JoinHandle<()>>,
    begun: u32,
}

impl Crowd {
    fn begin_one(&mut self) {
        self.begun += 1;
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([
            "--exact",
            "together::what_was_acknowledged_is_there_once",
            "--nocapture",
        ]);
        command
            .env("ANNALS_TOGETHER_FILE", &self.path)
            .env("ANNALS_TOGETHER_NAME", format!("process {}", self.begun));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let said = Arc::clone(&self.said);
        self.listeners.push(std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let mut said_now = said.0.lock().unwrap();
                match line.split_once(' ') {
                    Some(("ack", text)) => said_now.acknowledged.push(text.to_owned()),
                    Some(("gone", text)) => drop(said_now.forgotten.insert(text.to_owned())),
                    Some(("own", pid)) => said_now.owner = pid.parse().ok(),
                    _ => {}
                }
                said.1.notify_all();
            }
            let mut text = String::new();
            std::io::Read::read_to_string(&mut err, &mut text).unwrap();
            if text.contains("panicked") {
                said.0.lock().unwrap().failures.push(text);
                said.1.notify_all();
            }
        }));
        self.children.insert(child.id(), child);
    }

    /// Kills the process that owns the file, once there is one and so many more writes were
    /// acknowledged.
    fn kill_owner(&mut self, more: usize) {
        let (said, changed) = &*self.said;
        let mut now = said.lock().unwrap();
        let enough = now.acknowledged.len() + more;
        loop {
            assert!(now.failures.is_empty(), "{:?}", now.failures);
            if now.acknowledged.len() >= enough
                && let Some(mut child) = now.owner.take().and_then(|pid| self.children.remove(&pid))
            {
                child.kill().unwrap();
                child.wait().unwrap();
                return;
            }
            let (next, waited) = changed.wait_timeout(now, PATIENCE).unwrap();
            assert!(!waited.timed_out(), "nobody owns the file");
            now = next;
        }
    }
}

#[test]
fn what_was_acknowledged_is_there_once() {
    if let Some(path) = std::env::var_os("ANNALS_TOGETHER_FILE") {
        return work(
            Path::new(&path),
            &std::env::var("ANNALS_TOGETHER_NAME").unwrap(),
        );
    }
    let rounds =
        std::env::var("ANNALS_TOGETHER_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("together.annals");
    let (said, children, listeners) = Default::default();
    let mut crowd = Crowd {
        path: path.clone(),
        said,
        children,
        listeners,
        begun: 0,
    };
    for _ in 0..PROCESSES {
        crowd.begin_one();
    }
    for round in 0..rounds {
        crowd.kill_owner(round as usize * 7 % 23);
        crowd.begin_one();
    }
    for child in crowd.children.values_mut() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for listener in crowd.listeners {
        listener.join().unwrap();
    }
    let said = crowd.said.0.lock().unwrap();
    assert!(said.failures.is_empty(), "{:?}", said.failures);
    assert!(
        said.acknowledged.len() > rounds as usize,
        "{}",
        said.acknowledged.len()
    );

    let memory = Options::new()
        .wait(Duration::from_secs(5))
        .open(&path)
        .unwrap();
    assert!(memory.validate().unwrap().problems.is_empty());
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut hidden = BTreeSet::new();
    let mut query = ListQuery {
        limit: 1000,
        ..ListQuery::default()
    };
    query.filter.statuses = annals::Status::ALL.to_vec();
    let user = memory.namespace("user").unwrap();
    loop {
        let page = user.list(&query).unwrap();
        for found in &page.memories {
            *counts.entry(found.body.text.clone()).or_default() += 1;
            if found.status == annals::Status::Forgotten {
                hidden.insert(found.body.text.clone());
            }
        }
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    let lost: Vec<_> = said
        .acknowledged
        .iter()
        .filter(|text| !counts.contains_key(*text))
        .collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "stored twice: {twice:?}");
    assert!(
        said.forgotten.is_subset(&hidden),
        "{:?}",
        said.forgotten.difference(&hidden)
    );
}
