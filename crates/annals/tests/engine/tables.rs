//! Every table of a file, with a value in it that is damaged or that a newer program wrote: its
//! readers report it, and so does `validate`.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, NewEntity};
use annals::{
    Error, ErrorKind, ImportFormat, ImportOptions, ListQuery, ManualClock, Mode, NewMemory,
    NewTurn, Options, Role,
};
use annals_storage::{Batch, Engine, KeyRange, Keyspace, RedbEngine, Store};

use crate::support::life::day;

/// The fate of a value that cannot be read, beside the report of `validate`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// Its readers get an error.
    Told,
    /// It is derived from others, and is made anew or passed over.
    Anew,
    /// No call of this test reads this very value: only `validate` reports it.
    Unasked,
}
use Fate::{Anew, Told, Unasked};

/// A table, a key that stands for one where the file has none, and the fates of a damaged and of a
/// newer value.
type Table = (&'static str, &'static [u8], Fate, Fate);

/// The number of the first namespace of a file.
const NS: [u8; 4] = [0, 0, 0, 1];
const ROW: &[u8] = &[0, 0, 0, 1, 0, 0, 0, 0];
const ID: &[u8] = &[0, 0, 0, 1, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7];

const TABLES: &[Table] = &[
    ("annals.brought", ROW, Told, Told),
    ("annals.claims", ROW, Told, Told),
    ("annals.decided", ID, Told, Told),
    ("annals.decisions", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], Told, Told),
    ("annals.ends", &[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0], Told, Told),
    (
        "annals.import_runs",
        b"\0\0\0\x01\0\0\0\0\0\0\0\x01\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07",
        Told,
        Told,
    ),
    ("annals.imports", b"\0\0\0\x01notes", Told, Told),
    ("annals.injections", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], Told, Told),
    ("annals.lessons", ROW, Unasked, Unasked),
    ("annals.made", ROW, Unasked, Unasked),
    ("annals.measurements", b"e", Unasked, Unasked),
    ("annals.messages", b"de", Told, Told),
    ("annals.mirror_files", b"\0\0\0\x01/MEMORY.md", Told, Told),
    ("annals.mirror_owners", b"/MEMORY.md", Told, Told),
    ("annals.nodes", &NS, Unasked, Unasked),
    ("annals.open_turns", ROW, Told, Told),
    ("annals.parted", ROW, Told, Told),
    ("annals.profiles", b"own", Told, Told),
    ("annals.progress", b"\0\0\0\x01dedup", Unasked, Unasked),
    ("annals.proposals", ID, Told, Told),
    ("annals.prototypes", b"e", Unasked, Unasked),
    ("annals.remarks", ID, Told, Told),
    ("annals.retracted", ID, Unasked, Unasked),
    ("annals.seen", &NS, Unasked, Unasked),
    ("annals.spending", b"\0\0\0\x01chat\0model", Told, Told),
    ("annals.stale", ID, Told, Told),
    ("annals.suspicions", b"\0\0\0\x01\0one that is neweone that is olde", Told, Told),
    ("annals.talks", b"\0\0\0\x01s", Told, Told),
    ("annals.temporary", b"\0\0\0\x01s", Told, Told),
    ("annals.unembedded", ROW, Told, Told),
    ("annals.wordings", ROW, Unasked, Unasked),
    ("graph.heads", &NS, Told, Told),
    ("graph.labels", ROW, Told, Told),
    ("graph.merges", ROW, Told, Told),
    ("graph.names", ROW, Told, Told),
    ("graph.nodes", ROW, Told, Told),
    ("graph.predicates", ROW, Unasked, Unasked),
    ("graph.rows", ROW, Told, Told),
    ("graph.triples", ROW, Told, Told),
    ("graph.vectors", ROW, Told, Told),
    ("lifecycle.due", ROW, Unasked, Unasked),
    ("lifecycle.jobs", ROW, Told, Told),
    ("lifecycle.lanes", b"", Told, Unasked),
    ("lifecycle.passes", &[0, 0, 0, 1], Told, Told),
    ("lifecycle.ready", ROW, Told, Told),
    ("lifecycle.states", ROW, Told, Told),
    ("lifecycle.task_keys", ROW, Unasked, Unasked),
    ("lifecycle.tasks", ROW, Told, Told),
    ("records.columns", ROW, Anew, Told),
    ("records.dialogues", b"\0\0\0\x01s", Told, Told),
    ("records.events", ROW, Told, Told),
    ("records.heads", &NS, Told, Told),
    ("records.ids", ID, Told, Told),
    ("records.labels", ROW, Told, Told),
    ("records.names", b"u", Told, Told),
    ("records.rows", ROW, Told, Told),
    ("records.scratchpads", &NS, Told, Told),
    ("records.spaces", &NS, Unasked, Unasked),
    ("records.states", ROW, Told, Told),
    ("records.turns", ROW, Told, Told),
    ("text.forward", ROW, Told, Told),
    ("text.manifest", &NS, Anew, Anew),
    ("text.segment", ROW, Anew, Anew),
    ("vector.codes", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], Told, Told),
    ("vector.doomed", &[0, 0, 0, 1, 0, 0, 0, 9], Told, Told),
    ("vector.gone", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], Unasked, Unasked),
    ("vector.graph", &[0, 0, 0, 1, 0, 0, 0, 0], Anew, Anew),
    ("vector.graph.codes", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Anew, Anew),
    ("vector.graph.links", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Anew, Anew),
    ("vector.graph.twins", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Anew, Anew),
    ("vector.late", &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], Unasked, Unasked),
    ("vector.spaces", &NS, Told, Told),
];

/// A profile that uses most features: conversations are looked through, and its indexes are folded
/// and built at once.
fn profile() -> String {
    let text = annals::profiles::builtin("agent").unwrap();
    text.replace("auto = true", "auto = false")
}

fn open(path: &Path, folder: &Path) -> Result<Memory, Error> {
    let options = Options::new().clock(Arc::new(ManualClock::new(day(3.0))));
    options
        .mirrors(format!("{}/{{name}}", folder.display()))
        .open(path)
}

/// A file with something in most tables.
fn base() -> &'static Path {
    static BASE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BASE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("u.annals");
        let memory = open(&path, folder.path()).unwrap();
        memory.profiles().store("own", &profile()).unwrap();
        memory
            .profiles()
            .store_messages("de", "user = Benutzer\n")
            .unwrap();
        let space = memory.create_namespace("u", "own").unwrap();
        let failed = work(&memory, &space, folder.path());
        assert!(failed.is_empty(), "{failed:?}");
        assert_eq!(memory.validate().unwrap().problems, [""; 0]);
        drop((space, memory));
        (folder, path)
    });
    path
}

fn turn(role: Role, text: &str) -> NewTurn {
    NewTurn::builder("s", text).role(role).build().unwrap()
}

/// Does something of everything; answers what failed.
pub(crate) fn work(memory: &Memory, u: &Namespace, folder: &Path) -> Vec<Error> {
    let mut failed: Vec<Error> = Vec::new();
    let mut told = |result: Result<(), Error>| failed.extend(result.err());
    let fact = |text: &str| {
        let fact = NewMemory::builder(text)
            .kind("FACT")
            .metadata("subject", "I")
            .metadata("predicate", "lives in");
        fact.expires_at(day(9.0)).build().unwrap()
    };
    told(memory.namespaces().map(drop));
    told(memory.profiles().list().map(drop));
    told(memory.profiles().text("own").map(drop));
    told(memory.profiles().messages("de").map(drop));
    told(memory.spent().map(drop));
    told(memory.stats().map(drop));
    told(
        u.sessions()
            .append(vec![
                turn(Role::User, "I live by the sea."),
                turn(Role::Assistant, "Nice."),
            ])
            .map(drop),
    );
    for on in [true, false] {
        told(u.session("s").set_temporary(on));
    }
    told(u.session("s").is_temporary().map(drop));
    let first = u.remember(fact("I live in Berlin."));
    let second = u.remember(fact("I live in Hamburg."));
    let third = NewMemory::builder("A secret that is not kept.")
        .kind("FACT")
        .build()
        .map(|secret| u.remember(secret))
        .unwrap();
    let said = Assertion::new(NewEntity::new("Ada"), "lives in", "Hamburg").condition("in summer");
    let ids = [&first, &second]
        .into_iter()
        .filter_map(|id| id.as_ref().ok().copied())
        .collect::<Vec<_>>();
    told(first.map(drop));
    told(second.map(drop));
    for id in &ids {
        told(
            u.graph()
                .add_triples(*id, std::slice::from_ref(&said))
                .map(drop),
        );
        told(u.get(*id).map(drop));
        told(u.history(*id).map(drop));
        told(u.designs().graph().record(*id).map(drop));
        told(u.graph().explain(*id).map(drop));
        told(u.lifecycle().stale_since(*id).map(drop));
        told(u.lifecycle().standings(&[*id]).map(drop));
        told(u.lifecycle().injections(Some(*id), 9).map(drop));
        told(u.decisions().list(Some(*id), 9).map(drop));
        told(u.touch(&[*id]).map(drop));
    }
    told(u.graph().entities("Ada").map(drop));
    told(u.graph().merges().list().map(drop));
    told(u.graph().merges().undone().map(drop));
    told(
        u.list(&ListQuery {
            limit: 9,
            ..ListQuery::default()
        })
        .map(drop),
    );
    told(u.recall("Where do I live?").map(drop));
    told(u.sessions().list().map(drop));
    told(u.session("s").memories(0, 9).map(drop));
    told(u.admin().events(0, 1000).map(drop));
    told(u.session("s").set_variable("mood", Some("good".into())));
    told(u.session("s").state().map(drop));
    told(u.designs().agent().focus("to move").map(drop));
    told(u.designs().agent().scratchpad().map(drop));
    told(u.reviews().proposals(9).map(drop));
    told(u.decisions().list(None, 9).map(drop));
    told(u.reviews().suspicions(9).map(drop));
    told(u.queue().remarks(9).map(drop));
    told(u.queue().list(9).map(drop));
    told(u.reviews().pending(9).map(drop));
    told(u.transfer().unfinished().map(drop));
    told(u.admin().stats().map(drop));
    let mut line: &[u8] = br#"{"session": "s", "text": "One line came in."}"#;
    let options = ImportOptions {
        format: ImportFormat::Turns,
        ..ImportOptions::default()
    };
    told(
        u.transfer()
            .import(&mut line, &options, &mut |_| {})
            .map(drop),
    );
    told(u.files().sync(folder.join("u")).map(drop));
    told(u.queue().work_off().map(drop));
    told(u.queue().extract_all().map(drop));
    told(memory.jobs().list().map(drop));
    told(memory.maintain(true, Mode::Commit).map(drop));
    told(u.transfer().export(&mut Vec::new(), &mut |_| {}).map(drop));
    told(memory.wait_idle());
    told(third.and_then(|id| u.delete(id, Mode::Commit)).map(drop));
    told(u.transfer().reembed(&mut |_| {}).map(drop));
    told(
        memory
            .namespace("v")
            .and_then(|v| v.remember("Another one is made."))
            .map(drop),
    );
    told(memory.compact().map(drop));
    failed
}

/// The first key of a table with its value, as they are stored.
fn stored(engine: &RedbEngine, keyspace: Keyspace) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut found = None;
    let visit = &mut |_: usize, key: &[u8], value: &[u8]| {
        found = Some((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Break(()))
    };
    engine
        .snapshot()
        .unwrap()
        .multi_range(&[KeyRange::prefix(keyspace, b"")], visit)
        .unwrap();
    found
}

/// Puts a value of version 200 into a table.
fn newer(path: &Path, (name, key, ..): &Table) -> bool {
    let keyspace = Keyspace::new(name);
    let options = annals_storage::Options::default();
    let found = stored(&RedbEngine::open(path, &options).unwrap(), keyspace);
    let key = found
        .as_ref()
        .map_or_else(|| key.to_vec(), |(key, _)| key.clone());
    let store = Store::open(path).unwrap();
    store
        .write(|txn| txn.put(keyspace, &key, 200, b"what nobody knows yet"))
        .unwrap();
    found.is_some()
}

/// Turns a bit of a value around.
fn damaged(path: &Path, (name, key, ..): &Table) -> bool {
    let keyspace = Keyspace::new(name);
    let engine = RedbEngine::open(path, &annals_storage::Options::default()).unwrap();
    let found = stored(&engine, keyspace);
    let there = found.is_some();
    let (key, mut value) = found.unwrap_or_else(|| (key.to_vec(), b"\x01none".to_vec()));
    *value.last_mut().unwrap() ^= 1;
    let mut batch = Batch::default();
    batch.put(keyspace, key, value);
    engine.apply(&batch).unwrap();
    there
}

/// Spoils one table after the other and looks what is told of it.
fn each_is_told(spoil: fn(&Path, &Table) -> bool, fate: fn(&Table) -> Fate, kind: ErrorKind) {
    let mut wrong = Vec::new();
    for table in TABLES {
        let name = table.0;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("u.annals");
        std::fs::copy(base(), &path).unwrap();
        let there = spoil(&path, table);
        let (valid, failed) = match open(&path, folder.path()) {
            Err(error) => (false, vec![error]),
            Ok(memory) => {
                let valid = memory
                    .validate()
                    .is_ok_and(|report| report.problems.is_empty());
                match memory.namespace("u") {
                    Ok(space) => (valid, work(&memory, &space, folder.path())),
                    Err(error) => (valid, vec![error]),
                }
            }
        };
        if valid {
            wrong.push(format!("{name}: validate finds nothing"));
        }
        let other = failed.iter().find(|error| error.kind() != kind);
        wrong.extend(other.map(|error| format!("{name}: {error:?}")));
        if failed.is_empty() != (fate(table) != Told) {
            wrong.push(format!("{name} (there: {there}): {} errors", failed.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_damaged_value_of_any_table_is_called_damaged() {
    each_is_told(damaged, |table| table.2, ErrorKind::Corrupt);
}

#[test]
fn a_value_of_a_newer_program_in_any_table_is_called_too_new() {
    each_is_told(newer, |table| table.3, ErrorKind::TooNew);
}

/// The names in the sources of the workspace, but for those of tests and of what only the storage
/// itself may write.
fn declared(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            declared(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let found = text
                .split("::new(\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            let layers = [
                "annals.",
                "graph.",
                "lifecycle.",
                "records.",
                "text.",
                "vector.",
            ];
            names.extend(
                found
                    .filter(|name| layers.iter().any(|l| name.starts_with(l)))
                    .map(str::to_owned),
            );
        }
    }
}

#[test]
fn no_table_is_left_out() {
    let mut names = BTreeSet::new();
    let crates = [
        "engine",
        "curation",
        "files",
        "transfer",
        "annals",
        "graph",
        "lifecycle",
        "records",
        "text",
        "vector",
    ];
    for layer in crates {
        declared(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("..")
                .join(layer)
                .join("src"),
            &mut names,
        );
    }
    let listed: BTreeSet<String> = TABLES.iter().map(|table| table.0.to_owned()).collect();
    assert_eq!(names, listed);
}
