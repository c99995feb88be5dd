//! Runs the program in this process, with a clock moved by hand and ids that depend on it alone.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use annals::{ManualClock, Timestamp};
use annals_cli::{Terminal, World, run};
use tempfile::TempDir;

pub struct Stage {
    pub folder: TempDir,
    pub clock: ManualClock,
    pub env: RefCell<HashMap<String, OsString>>,
    pub terminal: Terminal,
    /// The working directory; none where the test is about no repository.
    pub working_folder: Option<PathBuf>,
}

/// The outcome of a run.
pub struct Said {
    pub code: u8,
    pub out: String,
    pub err: String,
}

impl Said {
    /// Everything in one text, for a snapshot.
    pub fn all(&self) -> String {
        let mut all = format!("exit {}\n", self.code);
        for (name, text) in [("out", &self.out), ("err", &self.err)] {
            if !text.is_empty() {
                all.push_str(&format!("--- {name}\n{text}"));
            }
        }
        all
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.all()))
    }

    pub fn error(&self) -> serde_json::Value {
        let error: serde_json::Value =
            serde_json::from_str(&self.err).unwrap_or_else(|e| panic!("{e}: {}", self.all()));
        error["error"].clone()
    }
}

impl Stage {
    pub fn new() -> Self {
        let start: Timestamp = "2026-03-01T09:00:00Z".parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let env = HashMap::from([
            ("HOME".to_owned(), folder.path().join("home").into()),
            (
                "ANNALS_DB".to_owned(),
                folder.path().join("agent.annals").into(),
            ),
        ]);
        Self {
            folder,
            clock: ManualClock::new(start),
            env: RefCell::new(env),
            terminal: Terminal::default(),
            working_folder: None,
        }
    }

    pub fn set(&self, name: &str, value: &str) {
        self.env.borrow_mut().insert(name.to_owned(), value.into());
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and answers its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, b"")
    }

    /// Runs with `input` on standard input. A minute passes before each run.
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Said {
        self.clock.advance_millis(60_000);
        let (mut input, mut out, mut err) = (input, Vec::new(), Vec::new());
        let mut world = World::new(&mut input, &mut out, &mut err);
        world.env = self.env.borrow().clone();
        world.terminal = self.terminal;
        world.folder = self.working_folder.clone();
        world.clock = Arc::new(self.clock.clone());
        world.id_seed = Some(7);
        world.program = Some("/usr/local/bin/annals".into());
        world.stopwatch = || Duration::ZERO;
        let args = ["annals"].iter().chain(args).map(OsString::from);
        let code = run(args, &mut world);
        let text = |bytes| {
            String::from_utf8(bytes)
                .unwrap()
                .replace(self.folder.path().to_str().unwrap(), "<folder>")
        };
        Said {
            code,
            out: text(out),
            err: text(err),
        }
    }

    /// Runs what must work and answers what it said without the line break at its end.
    pub fn ok(&self, args: &[&str]) -> String {
        let said = self.run(args);
        assert_eq!(said.code, 0, "{args:?}: {}", said.all());
        said.out.trim_end().to_owned()
    }

    /// A few memories of several sorts; answers their ids.
    pub fn with_memories(&self) -> Vec<String> {
        [
            &[
                "remember",
                "I moved to Berlin in March 2023 for a job at a robotics startup.",
            ][..],
            &[
                "remember",
                "--kind",
                "rule",
                "--tag",
                "work",
                "--importance",
                "0.9",
                "Never deploy on Friday.",
            ],
            &[
                "remember",
                "--session",
                "monday",
                "--speaker",
                "Ada",
                "--reply",
                "Noted.",
                "The demo is at ten.",
                "--at",
                "2026-02-02T10:00:00",
            ],
            &[
                "remember",
                "--session",
                "monday",
                "--speaker",
                "Ada",
                "小满的生日是五月二十一日。",
                "--at",
                "2026-02-02T10:01:00",
            ],
        ]
        .iter()
        .map(|args| self.ok(args))
        .collect()
    }
}

/// The text with the numbers of scores and the lengths of bars left open: they are the business of
/// the ranking.
pub(crate) fn shape(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut after_point = false;
        for c in line.trim_end_matches('#').chars() {
            out.push(if after_point && c.is_ascii_digit() {
                '0'
            } else {
                c
            });
            after_point = c == '.' || (after_point && c.is_ascii_digit());
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}
