//! Every command about memories, with the database to itself and through an owner: what it says,
//! how it ends and what it writes are the same.

#![cfg(any(target_os = "linux", windows))]

use crate::witness;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use witness::witness;

/// A database and the commands that were given to it.
struct Way {
    folder: TempDir,
    /// The process that owns the database, where commands go through one.
    owner: Option<Child>,
    /// The ids of memories, in the order in which they were told.
    ids: Vec<String>,
}

impl Way {
    fn new(shared: bool) -> Self {
        let mut way = Self {
            folder: tempfile::tempdir().unwrap(),
            owner: None,
            ids: Vec::new(),
        };
        if shared {
            let mut owner = way
                .annals(true)
                .args(["serve", "--no-http"])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut line = String::new();
            BufReader::new(owner.stdout.as_mut().unwrap())
                .read_line(&mut line)
                .unwrap();
            assert!(line.contains(&owner.id().to_string()), "{line}");
            way.owner = Some(owner);
        }
        way
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn annals(&self, shared: bool) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
        command
            .env_clear()
            .envs(witness())
            .env("HOME", self.folder.path())
            .env("TZ", "UTC");
        #[cfg(windows)]
        {
            let system = ["SystemRoot", "TEMP", "TMP", "COMPUTERNAME"]
                .map(|name| (name, std::env::var_os(name)));
            command.envs(
                system
                    .into_iter()
                    .filter_map(|(name, value)| Some((name, value?))),
            );
            let folder = self.folder.path();
            command
                .env("USERPROFILE", folder)
                .env("APPDATA", folder)
                .env("LOCALAPPDATA", folder);
        }
        if !shared {
            command.env("ANNALS_SHARE", "off");
        }
        command
            .arg("--db")
            .arg(self.path("agent.annals"))
            .current_dir(self.folder.path());
        command
    }

    /// Runs a command; `#3` in an argument is the id that was told as the third.
    fn run(&mut self, step: &Step) -> String {
        let args: Vec<String> = step.args.iter().map(|arg| self.filled(arg)).collect();
        let mut command = self.annals(self.owner.is_some());
        command
            .args(&args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(step.input).unwrap();
        let output = child.wait_with_output().unwrap();
        let [out, err] = [&output.stdout, &output.stderr]
            .map(|bytes| self.plain(&String::from_utf8_lossy(bytes)));
        if step.code != ANY {
            assert_eq!(
                output.status.code(),
                Some(step.code),
                "{args:?}\n{out}\n{err}"
            );
        }
        let mut told = format!(
            "{:?}\n{out}\n--- told beside it\n{err}",
            output.status.code()
        );
        for name in step.files {
            let text = std::fs::read(self.path(name)).map_or("none".to_owned(), |bytes| {
                self.plain(&String::from_utf8_lossy(&bytes))
            });
            told.push_str(&format!("\n--- {name}\n{text}"));
        }
        told
    }

    fn filled(&self, arg: &str) -> String {
        let Some(number) = arg
            .strip_prefix('#')
            .and_then(|number| number.parse::<usize>().ok())
        else {
            return arg.to_owned();
        };
        self.ids[number - 1].clone()
    }

    /// A text without what two runs never have in common: ids, times, folders, and what time does
    /// to scores.
    fn plain(&mut self, text: &str) -> String {
        let folder = self.folder.path().to_string_lossy().into_owned();
        let text = text.replace(&folder, "FOLDER");
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let taken = if is_id(rest) {
                let id = &rest[..36];
                let known = self.ids.iter().position(|known| known == id);
                let number = known.unwrap_or_else(|| {
                    self.ids.push(id.to_owned());
                    self.ids.len() - 1
                });
                out.push_str(&format!("id {}", number + 1));
                36
            } else if let Some(length) = time(rest) {
                out.push_str("TIME");
                length
            } else if let Some(length) = short_id(rest) {
                out.push_str("[ID]");
                length
            } else if let Some((length, number)) = fraction(rest) {
                out.push_str(&number);
                length
            } else {
                out.push(first);
                first.len_utf8()
            };
            rest = &rest[taken..];
        }
        out
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        if let Some(mut owner) = self.owner.take() {
            let _gone = owner.kill();
            let _ended = owner.wait();
        }
    }
}

fn is_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 36
        && bytes[..36].iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The length of a date, with the time behind it, at the beginning of a text.
fn time(text: &str) -> Option<usize> {
    let digits = |text: &str, count| {
        text.len() >= count && text.bytes().take(count).all(|b| b.is_ascii_digit())
    };
    let is_date = digits(text, 4)
        && text.get(4..5) == Some("-")
        && digits(text.get(5..)?, 2)
        && text.get(7..8) == Some("-")
        && digits(text.get(8..)?, 2);
    if !is_date {
        return None;
    }
    let behind = text.get(10..)?;
    let is_time = behind.starts_with(['T', ' '])
        && digits(behind.get(1..)?, 2)
        && behind.get(3..4) == Some(":");
    let more = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | 'Z' | '+');
    let length = if is_time {
        behind[1..]
            .find(|c| !more(c))
            .map_or(behind.len(), |at| at + 1)
    } else {
        0
    };
    Some(10 + length)
}

/// The length of the name of an entry in a mirrored file.
fn short_id(text: &str) -> Option<usize> {
    let (inside, _) = text.strip_prefix('[')?.split_once(']')?;
    (inside.len() == 6 && inside.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(8)
}

/// A number with many digits behind its point, with two of them.
fn fraction(text: &str) -> Option<(usize, String)> {
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    let behind = text.get(whole..)?.strip_prefix('.')?;
    let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    (whole > 0 && digits > 2).then(|| (whole + 1 + digits, format!("{}..", &text[..whole + 2])))
}

/// Any exit code, as long as it is the same.
const ANY: i32 = i32::MIN;

/// A command, what it gets on standard input, the files that it writes, and its exit code.
struct Step {
    args: &'static [&'static str],
    input: &'static [u8],
    files: &'static [&'static str],
    code: i32,
}

const fn step(args: &'static [&'static str]) -> Step {
    Step {
        args,
        input: b"",
        files: &[],
        code: 0,
    }
}

const fn reads(input: &'static [u8], args: &'static [&'static str]) -> Step {
    Step {
        input,
        ..step(args)
    }
}

const fn writes(files: &'static [&'static str], args: &'static [&'static str]) -> Step {
    Step {
        files,
        ..step(args)
    }
}

const fn fails(code: i32, args: &'static [&'static str]) -> Step {
    Step { code, ..step(args) }
}

/// Lines that can be stored, and some that cannot: one of them is no UTF-8.
const LINES: &[u8] = b"{\"session\": \"s\", \"text\": \"The kettle is broken.\"}\n\
not json\n\
{\"session\": \"s\", \"text\": \"caf\xe9\"}\n\
{\"session\": \"s\"}\n\
{\"session\": \"s\", \"text\": \"A new kettle came.\"}\n";

const STEPS: &[Step] = &[
    step(&[
        "remember",
        "Ada moved to Berlin in March 2023.",
        "--tag",
        "home",
        "--json",
    ]),
    step(&["remember", "Ada likes green tea.", "--importance", "0.9"]),
    step(&[
        "remember",
        "--session",
        "monday",
        "--speaker",
        "Ada",
        "The demo is at ten.",
    ]),
    step(&["remember", "My password: hunter2hunter2"]),
    fails(2, &["remember", "x", "--importance", "seven"]),
    step(&["list"]),
    step(&["list", "--json"]),
    step(&["list", "--tag", "home"]),
    step(&["recall", "where does Ada live?"]),
    step(&["recall", "where does Ada live?", "--explain"]),
    step(&["recall", "where does Ada live?", "--json"]),
    step(&["context", "what does Ada drink?"]),
    step(&["show", "#1"]),
    step(&["show", "#1", "--history", "--json"]),
    fails(3, &["show", "00000000-0000-7000-8000-000000000000"]),
    step(&[
        "edit",
        "#1",
        "--text",
        "Ada moved to Hamburg in March 2023.",
    ]),
    step(&["show", "#1", "--history"]),
    step(&["undo", "#1"]),
    step(&["used", "#1"]),
    step(&["forget", "#1"]),
    step(&["restore", "#1"]),
    step(&["archive", "#1"]),
    step(&["list", "--status", "archived"]),
    step(&["restore", "#1"]),
    step(&["undo"]),
    step(&["delete", "#1"]),
    fails(
        3,
        &["delete", "00000000-0000-7000-8000-000000000000", "--yes"],
    ),
    // Refused lines, from standard input and from a file.
    Step {
        files: &["bad.ndjson"],
        ..reads(
            LINES,
            &["import", "-", "--skip-bad", "bad.ndjson", "-n", "talk"],
        )
    },
    Step {
        files: &["bad2.ndjson"],
        ..step(&[
            "import",
            "bad-lines.ndjson",
            "--skip-bad",
            "bad2.ndjson",
            "-n",
            "talk2",
        ])
    },
    fails(4, &["import", "bad-lines.ndjson", "-n", "talk3"]),
    step(&[
        "import",
        "bad-lines.ndjson",
        "-n",
        "talk3",
        "--from-line",
        "5",
        "--json",
    ]),
    step(&["list", "-n", "talk"]),
    writes(&["out.ndjson"], &["export", "out.ndjson"]),
    step(&["export"]),
    writes(&["out.txt"], &["export", "--text", "out.txt"]),
    step(&["import", "out.ndjson", "-n", "copy", "--json"]),
    step(&["import", "out.ndjson", "-n", "copy"]),
    step(&["list", "-n", "copy"]),
    step(&["graph", "add", "#1", "Ada", "lives in", "Berlin"]),
    step(&["graph", "add", "#2", "Ada", "likes", "tea"]),
    step(&["graph", "triples"]),
    step(&["graph", "triples", "--json"]),
    step(&["graph", "entities"]),
    step(&[
        "graph",
        "add-entity",
        "Ada Lovelace",
        "--kind",
        "person",
        "--alias",
        "Countess",
    ]),
    step(&["graph", "edit-entity", "Ada Lovelace", "--kind", "human"]),
    step(&["graph", "neighbours", "Ada"]),
    step(&["graph", "paths", "Berlin", "tea"]),
    step(&["graph", "explain", "0"]),
    step(&["graph", "link", "#1", "causes", "#2"]),
    step(&["graph", "links", "#1"]),
    step(&["graph", "unlink", "#1", "causes", "#2"]),
    step(&["graph", "show", "#1"]),
    step(&[
        "graph",
        "merge",
        "Ada Lovelace",
        "Ada",
        "--reason",
        "one person",
    ]),
    step(&["graph", "merges"]),
    step(&["graph", "unmerge", "0"]),
    step(&["graph", "stats"]),
    writes(
        &["graph.dot"],
        &["graph", "export", "--format", "dot", "graph.dot"],
    ),
    step(&["graph", "export", "--format", "triples"]),
    step(&["graph", "clashes", "#1"]),
    step(&["graph", "delete", "1", "--yes"]),
    step(&["graph", "delete-entity", "Ada Lovelace", "--yes"]),
    // An owner runs by itself what is due: nothing is, as long as no profile has jobs.
    step(&["jobs", "list"]),
    step(&["jobs", "run", "--dry-run"]),
    step(&["namespace", "create", "me", "--profile", "companion"]),
    step(&["namespace", "list"]),
    step(&[
        "remember",
        "-n",
        "me",
        "The user is allergic to nuts.",
        "--kind",
        "fact",
    ]),
    step(&["list", "-n", "me", "--json"]),
    step(&[
        "ingest",
        "talk.ndjson",
        "-n",
        "me",
        "--llm",
        "replay:answers.ndjson",
    ]),
    step(&["list", "-n", "me"]),
    step(&["review", "list", "-n", "me"]),
    step(&["review", "proposals", "-n", "me"]),
    step(&["review", "decisions", "-n", "me"]),
    step(&["review", "contradictions", "-n", "me"]),
    step(&["review", "doubtful", "-n", "me"]),
    step(&["queue", "list", "-n", "me"]),
    step(&["queue", "retry", "--all", "-n", "me"]),
    fails(3, &["jobs", "stop", "companion", "nosuch"]),
    step(&["jobs", "trust-clock"]),
    step(&["session", "focus", "Write the report", "-n", "me"]),
    step(&["session", "projects", "annals", "-n", "me"]),
    step(&["session", "scratchpad", "-n", "me"]),
    step(&["session", "temporary", "evening", "on", "-n", "me"]),
    step(&["session", "temporary", "evening", "-n", "me"]),
    step(&["session", "end", "monday"]),
    step(&["language", "use", "me", "zh"]),
    step(&["context", "-n", "me"]),
    step(&["namespace", "create", "notes", "--profile", "markdown"]),
    step(&[
        "remember",
        "-n",
        "notes",
        "The cellar key hangs by the door.",
        "--kind",
        "fact",
    ]),
    writes(
        &["notes/MEMORY.md"],
        &["sync", "notes", "-n", "notes", "--create"],
    ),
    writes(&["notes/MEMORY.md"], &["sync", "notes", "-n", "notes"]),
    step(&[
        "model",
        "call",
        "-n",
        "notes",
        "memory_search",
        "{\"query\": \"key\"}",
    ])
    .or_fails(),
    step(&["namespace", "rename", "notes", "papers"]),
    step(&["namespace", "use-profile", "papers", "default"]),
    step(&["namespace", "stats", "papers"]),
    step(&["namespace", "delete", "papers"]),
    step(&["namespace", "delete", "papers", "--yes"]),
    step(&["delete", "--all", "--yes"]),
    step(&["list"]),
];

impl Step {
    /// A step whose code is that of this machine's profiles: only that it is the same counts.
    const fn or_fails(self) -> Self {
        Self { code: ANY, ..self }
    }
}

/// Commands that are not about the memories of a database, or cannot be run twice alike, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("demo", "has a database of its own"),
    (
        "chat",
        "waits for a person; its calls are those of ingest, context and remember",
    ),
    ("mcp", "a server; its tools are compared in crates/mcp"),
    ("doctor", "tells who owns the database"),
    ("install", "about clients"),
    ("uninstall", "about clients"),
    (
        "profile",
        "about rules; `namespace use-profile` is compared",
    ),
    ("serve", "is the owner"),
    (
        "token",
        "about the server; its file lies beside the database",
    ),
    ("db", "about the file"),
    (
        "hook",
        "about projects; its calls are those of context and import",
    ),
    ("eval", "has a database of its own"),
    ("completions", "about the shell"),
    ("help", "about the program"),
];

#[test]
fn every_command_about_memories_says_the_same_through_an_owner_and_alone() {
    let mut ways = [Way::new(false), Way::new(true)];
    for way in &ways {
        std::fs::write(way.path("bad-lines.ndjson"), LINES).unwrap();
        let turns = "{\"session\": \"talk\", \"text\": \"I live in Lyon.\"}\n";
        std::fs::write(way.path("talk.ndjson"), turns).unwrap();
        let answers = "{\"purpose\": \"extract\", \"reply\": {\"text\": \"[DELETE:mem_1]\\n[ADD] The user lives in Lyon\"}}\n";
        std::fs::write(way.path("answers.ndjson"), answers).unwrap();
    }
    let mut differ = Vec::new();
    for step in STEPS {
        let [alone, shared] = ways.each_mut().map(|way| way.run(step));
        if alone != shared {
            differ.push(format!(
                "{:?}\nalone:\n{alone}\nthrough an owner:\n{shared}",
                step.args
            ));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
    // What was refused is there to be mended, byte for byte.
    for way in &ways {
        for name in ["bad.ndjson", "bad2.ndjson"] {
            let refused = std::fs::read(way.path(name)).unwrap();
            assert_eq!(
                refused,
                b"not json\n{\"session\": \"s\", \"text\": \"caf\xe9\"}\n{\"session\": \"s\"}\n"
            );
        }
    }
}

#[test]
fn no_command_is_left_out_of_the_comparison_by_mistake() {
    let help = Command::new(env!("CARGO_BIN_EXE_annals"))
        .env_clear()
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let compared: BTreeSet<&str> = STEPS.iter().map(|step| step.args[0]).collect();
    let left_out: BTreeSet<&str> = LEFT_OUT.iter().map(|(name, _)| *name).collect();
    // `  list (ls), show   Lists memories ...`
    let commands: BTreeSet<&str> = help
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.get(2..20))
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.split_whitespace().next())
        .collect();
    assert!(commands.len() > 20, "{help}");
    let known: BTreeSet<&str> = compared.union(&left_out).copied().collect();
    let unknown: Vec<&&str> = commands.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "compare them in STEPS, or say in LEFT_OUT why not: {unknown:?}"
    );
}
