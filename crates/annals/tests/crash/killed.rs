//! A process is killed between any two of its steps: the work that it had begun is continued,
//! once.
//!
//! A step is a request of the program to the outside: for the time, which every transaction needs,
//! or to a model. A test runs itself as a child that ends without a word at the n-th of them, for
//! every n until a child comes to its end.

#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::life::day;
use crate::support::script::Table;
use annals::blocking::{Memory, Namespace};
use annals::llm::provider::{Provider, ProviderError, Reply, Request};
use annals::{
    Cancel, Clock, Filter, Layer, ListQuery, NewMemory, NewTurn, Options, QueueState, Status,
    StoredMemory, SyncReport, Timestamp,
};

/// Steps that are left to this process.
static LEFT: AtomicU64 = AtomicU64::new(u64::MAX);

pub(crate) fn step() {
    if LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        std::process::abort();
    }
}

/// The orders of a child.
pub(crate) struct Orders {
    pub(crate) folder: std::path::PathBuf,
    step: u64,
    pub(crate) day: f64,
}

impl Orders {
    pub(crate) fn read() -> Option<Self> {
        let word = |name| std::env::var(name).unwrap();
        let folder = std::env::var_os("ANNALS_KILLED_FOLDER")?.into();
        let step = word("ANNALS_KILLED_STEP").parse().unwrap();
        Some(Self {
            folder,
            step,
            day: word("ANNALS_KILLED_DAY").parse().unwrap(),
        })
    }

    /// Begins to count the steps.
    pub(crate) fn begin(&self) {
        LEFT.store(self.step, Ordering::SeqCst);
    }

    /// Runs a test, by its module and name, as a child; answers whether it came to its end.
    pub(crate) fn run(test: &str, folder: &Path, step: u64, day: f64) -> bool {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", test, "--nocapture"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        child
            .env("ANNALS_KILLED_FOLDER", folder)
            .env("ANNALS_KILLED_STEP", step.to_string());
        let ended = child
            .env("ANNALS_KILLED_DAY", day.to_string())
            .output()
            .unwrap();
        let failed = ended.status.code().is_some_and(|code| code != 0);
        assert!(!failed, "{}", String::from_utf8_lossy(&ended.stderr));
        ended.status.success()
    }
}

/// Work of a process that may be killed, and what must have come of it.
pub(crate) struct Life {
    /// A folder with work that waits.
    pub(crate) begun: fn() -> tempfile::TempDir,
    /// Does what waits, on a day.
    pub(crate) works: fn(&Path, f64),
    /// Looks at what was done, a day later, once nobody was killed.
    pub(crate) once: fn(&Path, f64),
}

impl Life {
    /// Kills a child that runs a test at each of its steps, of which there are more than so many.
    pub(crate) fn ends_at_any_step(&self, test: &str, least: u64) {
        if let Some(orders) = Orders::read() {
            orders.begin();
            return (self.works)(&orders.folder, orders.day);
        }
        // Killed once, at each step, and then left alone.
        let mut killed = 0;
        for step in 1.. {
            let folder = (self.begun)();
            if Orders::run(test, folder.path(), step, 2.0) {
                (self.once)(folder.path(), 3.0);
                break;
            }
            killed += 1;
            (self.works)(folder.path(), 3.0);
            (self.once)(folder.path(), 4.0);
        }
        assert!(killed > least, "{killed} steps");
        // Killed in each of its lives, a little later each time, as long as it takes.
        let folder = (self.begun)();
        let mut lives = 1;
        while !Orders::run(test, folder.path(), 4 + lives, 1.0 + lives as f64) {
            lives += 1;
        }
        (self.once)(folder.path(), lives as f64 + 3.0);
    }
}

/// A clock that stands, and counts as a step.
pub(crate) struct Steps(pub(crate) Timestamp);

impl Clock for Steps {
    fn now(&self) -> Timestamp {
        step();
        self.0
    }
}

/// A model that finds one thing in each drink that is spoken of, and never says it in the same
/// words.
struct Listener {
    json: bool,
    deadly: bool,
}

static ANSWERS: AtomicU64 = AtomicU64::new(0);

impl Provider for Listener {
    fn name(&self) -> String {
        "a listener".to_owned()
    }

    fn chat(&self, request: &Request, _cancel: &Cancel) -> Result<Reply, ProviderError> {
        step();
        if self.deadly {
            std::process::abort();
        }
        if request.purpose == "triples" {
            step();
            return Ok(Reply::text(r#"{"triples":[]}"#));
        }
        let said = &request.messages.last().unwrap().text;
        let heard = (0..9).filter(|n| said.contains(&format!("drink-{n}")));
        let once = format!(
            "{}.{}",
            std::process::id(),
            ANSWERS.fetch_add(1, Ordering::SeqCst)
        );
        let found: Vec<String> = heard
            .map(|n| match self.json {
                true => format!(
                    r#"{{"type":"FACT","content":"cup {n} of {once}","duration":"permanent"}}"#
                ),
                false => format!("[ADD] cup {n} of {once}"),
            })
            .collect();
        step();
        let text = if self.json {
            format!("[{}]", found.join(","))
        } else {
            found.join("\n")
        };
        Ok(Reply::text(text))
    }
}

fn open(folder: &Path, at: f64, listener: Listener) -> Memory {
    let options = Options::new()
        .clock(Arc::new(Steps(day(at))))
        .embedder(Table::new())
        .model(Arc::new(listener));
    options.open(folder.join("u.annals")).unwrap()
}

pub(crate) fn everything(space: &Namespace) -> Vec<StoredMemory> {
    let filter = Filter {
        statuses: Status::ALL.to_vec(),
        ..Filter::default()
    };
    space
        .list(&ListQuery {
            filter,
            limit: 500,
            ..ListQuery::default()
        })
        .unwrap()
        .memories
}

#[track_caller]
pub(crate) fn valid(memory: &Memory) {
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

/// Rounds of the conversation.
const ROUNDS: usize = 2;

/// Says the words that have not been said yet and has them looked through. Each stored word is
/// noted in a file, as a caller would remember it.
fn talk(folder: &Path, at: f64, json: bool) {
    let memory = open(
        folder,
        at,
        Listener {
            json,
            deadly: false,
        },
    );
    let space = memory.namespace("u").unwrap();
    for n in space.session("s").memories(0, 10).unwrap().len()..ROUNDS {
        let text = format!(
            "Pour me drink-{n}, and not another one, because it is the best for such an evening."
        );
        space
            .sessions()
            .append(vec![
                NewTurn::builder("s", text)
                    .reply("Here you are.")
                    .build()
                    .unwrap(),
            ])
            .unwrap();
        std::fs::write(folder.join(format!("said.{n}")), "").unwrap();
        space.queue().work_off().unwrap();
    }
    space.queue().work_off().unwrap();
}

/// The state that must hold once all words were said and looked through.
fn looked_through_once(folder: &Path, at: f64, json: bool) {
    let said = (0..ROUNDS)
        .filter(|n| folder.join(format!("said.{n}")).exists())
        .count();
    let memory = open(
        folder,
        at,
        Listener {
            json,
            deadly: false,
        },
    );
    let space = memory.namespace("u").unwrap();
    let stored = space.session("s").memories(0, 10).unwrap().len();
    assert!(
        stored == said || stored == said + 1,
        "what was said to be stored is: {said} of {stored}"
    );
    valid(&memory);
    drop((space, memory));
    talk(folder, at, json);
    let memory = open(
        folder,
        at + 1.0,
        Listener {
            json,
            deadly: false,
        },
    );
    let space = memory.namespace("u").unwrap();
    assert_eq!(
        space.queue().work_off().unwrap().values().sum::<u64>(),
        0,
        "nothing is left to do"
    );
    assert_eq!(space.queue().list(10).unwrap(), []);
    assert!(!space.session("s").extract().unwrap(), "no turn is left");
    let all = everything(&space);
    for n in 0..ROUNDS {
        let cups = all
            .iter()
            .filter(|memory| memory.body.text.starts_with(&format!("cup {n} ")))
            .count();
        assert_eq!(cups, 1, "{all:?}");
    }
    assert_eq!(
        all.iter()
            .filter(|memory| memory.body.layer != Layer::Turn)
            .count(),
        ROUNDS
    );
    valid(&memory);
}

fn kill_between_any_two_steps(test: &str, profile: &str, json: bool) {
    if let Some(orders) = Orders::read() {
        orders.begin();
        return talk(&orders.folder, orders.day, json);
    }
    let begun = || {
        let folder = tempfile::tempdir().unwrap();
        open(
            folder.path(),
            0.0,
            Listener {
                json,
                deadly: false,
            },
        )
        .create_namespace("u", profile)
        .unwrap();
        folder
    };
    // Killed once, at each step, and then left alone.
    let mut killed = 0;
    for step in 1.. {
        let folder = begun();
        if Orders::run(test, folder.path(), step, 1.0) {
            break;
        }
        killed += 1;
        looked_through_once(folder.path(), 2.0, json);
    }
    assert!(killed > 20, "{killed} steps");
    // Killed in each of its lives, a little later each time, as long as it takes.
    let folder = begun();
    let mut lives = 1;
    while !Orders::run(test, folder.path(), 4 + lives, lives as f64) {
        lives += 1;
    }
    looked_through_once(folder.path(), lives as f64 + 1.0, json);
}

#[test]
fn commands_are_carried_out_once() {
    kill_between_any_two_steps("killed::commands_are_carried_out_once", "companion", false);
}

#[test]
fn lists_are_taken_over_once() {
    // Without a limit to its attempts, which this many lives would reach.
    kill_between_any_two_steps("killed::lists_are_taken_over_once", "agent", true);
}

#[test]
fn work_that_kills_whoever_does_it_is_put_aside_where_it_is_seen() {
    if let Some(orders) = Orders::read() {
        let memory = open(
            &orders.folder,
            orders.day,
            Listener {
                json: true,
                deadly: true,
            },
        );
        memory.namespace("u").unwrap().queue().work_off().unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let live = |at, deadly| open(folder.path(), at, Listener { json: true, deadly });
    {
        let memory = live(0.0, false);
        let space = memory.create_namespace("u", "agent").unwrap();
        let text =
            "Pour me drink-0, and not another one, because it is the best for such an evening.";
        space
            .sessions()
            .append(vec![
                NewTurn::builder("s", text).reply("Here.").build().unwrap(),
            ])
            .unwrap();
    }
    let test = "killed::work_that_kills_whoever_does_it_is_put_aside_where_it_is_seen";
    for life in 1..=5 {
        assert!(
            !Orders::run(test, folder.path(), u64::MAX, f64::from(life)),
            "life {life}"
        );
    }
    assert!(
        Orders::run(test, folder.path(), u64::MAX, 6.0),
        "the sixth finds nothing that it may begin"
    );
    let memory = live(7.0, false);
    let space = memory.namespace("u").unwrap();
    let dead = space.queue().list(10).unwrap().remove(0);
    assert_eq!((dead.state, dead.attempts), (QueueState::Dead, 5));
    assert_eq!(dead.last_error, "the last attempt was never ended");
    assert_eq!(space.queue().work_off().unwrap().values().sum::<u64>(), 0);
    space.queue().retry(dead.number).unwrap();
    assert_eq!(space.queue().work_off().unwrap()["extracted"], 1);
    assert_eq!(space.queue().list(10).unwrap(), []);
    assert_eq!(
        everything(&space)
            .iter()
            .filter(|memory| memory.body.text.starts_with("cup 0 "))
            .count(),
        1
    );
    valid(&memory);
}

// Files and memories.

/// Where the files are.
fn files(folder: &Path) -> std::path::PathBuf {
    folder.join("files")
}

fn sync(folder: &Path) -> SyncReport {
    let memory = open(
        folder,
        3.0,
        Listener {
            json: true,
            deadly: false,
        },
    );
    memory
        .namespace("u")
        .unwrap()
        .files()
        .sync(files(folder))
        .unwrap()
}

/// A folder in which both sides have changed since they were in step.
fn out_of_step(profile: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(
        folder.path(),
        0.0,
        Listener {
            json: true,
            deadly: false,
        },
    );
    let space = memory.create_namespace("u", profile).unwrap();
    let (kind, main) = if profile == "agent" {
        ("FACT", "identity/MEMORY.md")
    } else {
        ("fact", "MEMORY.md")
    };
    let keep = |text: &str| {
        let memory = NewMemory::builder(text)
            .kind(kind)
            .metadata("duration", "permanent")
            .metadata("level", "high");
        space.remember(memory.build().unwrap()).unwrap()
    };
    let (one, _, _, four) = (
        keep("one says a"),
        keep("two says a"),
        keep("three says a"),
        keep("four says a"),
    );
    space.files().sync(files(folder.path())).unwrap();
    drop((space, memory));
    let memory = open(
        folder.path(),
        2.0,
        Listener {
            json: true,
            deadly: false,
        },
    );
    let space = memory.namespace("u").unwrap();
    space.update(one, "one says b").unwrap();
    space.touch(&[four]).unwrap();
    let new = NewMemory::builder("five is new")
        .kind(kind)
        .metadata("duration", "permanent")
        .metadata("level", "high");
    space.remember(new.build().unwrap()).unwrap();
    let path = files(folder.path()).join(main);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("three says a"))
        .unwrap();
    let gone = if profile == "agent" {
        at..=at
    } else {
        at - 1..=at
    };
    let kept = lines
        .iter()
        .enumerate()
        .filter(|(n, _)| !gone.contains(n))
        .map(|(_, line)| *line);
    let text = kept
        .collect::<Vec<_>>()
        .join("\n")
        .replace("two says a", "two says c");
    std::fs::write(&path, text + "\n- six was written by hand\n").unwrap();
    folder
}

/// The texts of both sides, without the names that entries have in the file and the order that
/// follows from them.
fn state(folder: &Path) -> (Vec<String>, Vec<String>) {
    let memory = open(
        folder,
        3.0,
        Listener {
            json: true,
            deadly: false,
        },
    );
    let space = memory.namespace("u").unwrap();
    valid(&memory);
    let tell = |memory: &StoredMemory| {
        let past = space
            .history(memory.id)
            .unwrap()
            .into_iter()
            .map(|revision| revision.memory.body.text);
        let standing = space.lifecycle().standings(&[memory.id]).unwrap().remove(0);
        let worth = standing.map(|it| {
            (
                format!("{:.6}", it.score),
                it.used,
                it.last_access,
                it.class,
            )
        });
        format!(
            "{:?} {:?} {} {worth:?}",
            past.collect::<Vec<_>>(),
            memory.status,
            memory.body.verified
        )
    };
    let mut memories: Vec<String> = everything(&space).iter().map(tell).collect();
    let mut lines = Vec::new();
    for name in ["MEMORY.md", "identity/MEMORY.md", "identity/USER.md"] {
        let text = std::fs::read_to_string(files(folder).join(name)).unwrap_or_default();
        lines.extend(
            text.lines()
                .filter(|line| !line.starts_with("### ["))
                .map(str::to_owned),
        );
    }
    memories.sort();
    lines.sort();
    (memories, lines)
}

fn kill_while_in_step(test: &str, profile: &str) {
    if let Some(orders) = Orders::read() {
        orders.begin();
        drop(sync(&orders.folder));
        return;
    }
    let untouched = out_of_step(profile);
    sync(untouched.path());
    let wanted = state(untouched.path());
    let ends_so = |folder: &Path, what: &str| {
        sync(folder);
        assert_eq!(state(folder), wanted, "{what}");
        let again = sync(folder);
        assert_eq!(
            (again.edits(), again.written()),
            (0, 0),
            "{what}: {again:?}"
        );
    };
    let mut killed = 0;
    for step in 1.. {
        let folder = out_of_step(profile);
        let ended = Orders::run(test, folder.path(), step, 3.0);
        ends_so(folder.path(), &format!("killed at step {step}"));
        if ended {
            break;
        }
        killed += 1;
    }
    assert!(killed >= 4, "{killed} steps");
    // Between what is noted of a file and the file itself nothing asks for the time: there the disk
    // refuses.
    let main = if profile == "agent" {
        "identity/MEMORY.md"
    } else {
        "MEMORY.md"
    };
    for name in [
        format!("{main}.bak"),
        main.to_owned(),
        "identity/USER.md".to_owned(),
    ] {
        let folder = out_of_step(profile);
        let file = files(folder.path()).join(name);
        let draft = format!(
            ".{}.annals-{}",
            file.file_name().unwrap().to_string_lossy(),
            std::process::id()
        );
        let path = file.with_file_name(draft);
        std::fs::create_dir_all(&path).unwrap();
        let memory = open(
            folder.path(),
            3.0,
            Listener {
                json: true,
                deadly: false,
            },
        );
        let refused = memory
            .namespace("u")
            .unwrap()
            .files()
            .sync(files(folder.path()))
            .unwrap()
            .failed()
            .count()
            == 1;
        assert!(
            refused || profile != "agent" || file.ends_with("MEMORY.md.bak"),
            "{}",
            path.display()
        );
        drop(memory);
        std::fs::remove_dir(&path).unwrap();
        ends_so(folder.path(), &format!("refused at {}", path.display()));
    }
}

#[test]
fn entries_and_memories_agree_after_a_kill() {
    kill_while_in_step(
        "killed::entries_and_memories_agree_after_a_kill",
        "markdown",
    );
}

#[test]
fn lines_and_memories_agree_after_a_kill() {
    kill_while_in_step("killed::lines_and_memories_agree_after_a_kill", "agent");
}
