//! Deleted texts are gone: from the file once it is compacted, and from the files that mirror it
//! once they are brought into step.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, NewEntity};
use annals::llm::provider::{Provider, Replay, Reply};
use annals::{
    Attachment, Filter, Label, Layer, ListQuery, ManualClock, MemoryId, Mode, NewMemory, NewTurn,
    Options, Role, Status, ToolCall,
};

use crate::support::life::day;

/// The word that every text to be deleted holds.
const MARK: &str = "quetzal";

/// Names of sessions, which stand in keys of their own.
const SESSIONS: [&str; 3] = ["quetzal first", "quetzal second", "quetzal open"];

struct Place {
    folder: tempfile::TempDir,
    clock: ManualClock,
    memory: Option<Memory>,
    kind: &'static str,
}

const PROFILES: [(&str, &str); 5] = [
    ("companion", "fact"),
    ("studio", "fact"),
    ("agent", "FACT"),
    ("graph", "事实"),
    ("markdown", "fact"),
];

impl Place {
    fn new(profile: &str, kind: &'static str) -> Self {
        let (clock, folder) = (ManualClock::new(day(0.0)), tempfile::tempdir().unwrap());
        let model = Replay::default();
        for _ in 0..40 {
            let found = format!(
                r#"[{{"type":"fact","content":"用户喜欢{MARK} extract","importance":"high"}}]"#
            );
            model.push("extract", Ok(Reply::text(found)));
            let episode = format!(
                r#"{{"summary":"{MARK} episode","goal":"{MARK} goal","entities":["{MARK} entity"]}}"#
            );
            model.push("episode", Ok(Reply::text(episode)));
            for other in [
                "triples",
                "same",
                "contradicts",
                "review",
                "causality",
                "node",
            ] {
                model.push(other, Ok(Reply::text("[]")));
            }
        }
        let options = Options::new()
            .clock(Arc::new(clock.clone()))
            .id_seed(1)
            .model(Arc::new(model) as Arc<dyn Provider>)
            .mirrors(format!("{}/{{name}}", folder.path().display()));
        let memory = options.open(folder.path().join("u.annals")).unwrap();
        let text = annals::profiles::builtin(profile)
            .unwrap()
            .replace("auto = true", "auto = false");
        memory.profiles().store("own", &text).unwrap();
        memory.create_namespace("u", "own").unwrap();
        Self {
            folder,
            clock,
            memory: Some(memory),
            kind,
        }
    }

    fn memory(&self) -> &Memory {
        self.memory.as_ref().unwrap()
    }

    fn space(&self) -> Namespace {
        self.memory().namespace("u").unwrap()
    }

    fn sync(&self) {
        // A profile without files has nothing to be brought into step.
        let _ = self.space().files().sync(self.folder.path().join("u"));
    }

    fn remember(&self, text: &str) -> MemoryId {
        let memory = NewMemory::builder(format!("{MARK} {text}"))
            .kind(self.kind)
            .importance(1.0)
            .tag(format!("{MARK} tag"))
            .metadata(format!("{MARK} key"), format!("{MARK} value").as_str())
            .group(MARK);
        self.space().remember(memory.build().unwrap()).unwrap()
    }

    /// Writes the mark wherever a memory's text goes.
    fn fill(&self) {
        let space = self.space();
        let first = self.remember("one");
        let changed = NewMemory::builder(format!("{MARK} changed"))
            .kind(self.kind)
            .build()
            .unwrap();
        let changed = space.update(first, changed).unwrap();
        let second = self.remember("two");
        let took_over = NewMemory::builder(format!("{MARK} took over"))
            .kind(self.kind)
            .build()
            .unwrap();
        let took_over = space.lifecycle().supersede(second, took_over).unwrap();
        let said = Assertion::new(
            NewEntity::new(format!("{MARK} subject")).alias(format!("{MARK} alias")),
            format!("{MARK} says"),
            format!("{MARK} object"),
        )
        .condition(format!("{MARK} condition"));
        space
            .graph()
            .add_triples(changed, std::slice::from_ref(&said))
            .unwrap();
        space.graph().add_triples(took_over, &[said]).unwrap();
        let named = space
            .graph()
            .entities(&format!("{MARK} subject"))
            .unwrap()
            .remove(0);
        let other = space
            .graph()
            .entities(&format!("{MARK} object"))
            .unwrap()
            .remove(0);
        space
            .graph()
            .merges()
            .merge(named.id, other.id, &format!("{MARK} reason"))
            .unwrap();
        let call = ToolCall {
            name: Label::new("tool", MARK).unwrap(),
            arguments: format!("{MARK} arguments"),
            result: Some(format!("{MARK} result")),
        };
        let file = Attachment {
            uri: format!("file:{MARK}"),
            media_type: Some(MARK.to_owned()),
            caption: Some(format!("{MARK} caption")),
        };
        let turn = |session: &str, role: Role| {
            NewTurn::builder(
                session,
                format!("{MARK} 说了很多话，长到值得从头到尾再看一遍，看看里面有没有要记的东西"),
            )
            .role(role)
            .speaker(format!("{MARK} speaker"))
            .reply(format!("{MARK} reply"))
            .tool_call(call.clone())
            .attachment(file.clone())
            .build()
            .unwrap()
        };
        let [first, second, open] = SESSIONS;
        for session in [first, second] {
            for _ in 0..3 {
                space
                    .sessions()
                    .append(vec![
                        turn(session, Role::User),
                        turn(session, Role::Assistant),
                    ])
                    .unwrap();
            }
            space.session(session).extract().unwrap();
        }
        space
            .session(first)
            .set_variable(MARK, Some(MARK.into()))
            .unwrap();
        self.sync();
        space.queue().work_off().unwrap();
        space.session(first).end().unwrap();
        self.clock.set(day(0.6));
        self.memory().maintain(true, Mode::Commit).unwrap();
        self.sync();
        self.clock.set(day(1.5));
        self.remember("of another day");
        self.sync();
        // A person edits what is mirrored, so that there are backups of it.
        for name in ["MEMORY.md", "identity/MEMORY.md"] {
            let path = self.folder.path().join("u").join(name);
            if let Ok(text) = std::fs::read_to_string(&path) {
                std::fs::write(
                    &path,
                    text.replace(&format!("{MARK} of another day"), &format!("{MARK} edited")),
                )
                .unwrap();
            }
        }
        self.sync();
        // One that goes on when it is deleted: nothing of it was looked through.
        space
            .sessions()
            .append(vec![turn(open, Role::User), turn(open, Role::Assistant)])
            .unwrap();
        self.clock.set(day(3.0));
    }

    /// Where the mark stands: files by their names, and what is around it.
    fn traces(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        look(self.folder.path(), &mut found);
        found
    }

    fn everything() -> Filter {
        Filter {
            statuses: Status::ALL.to_vec(),
            ..Filter::default()
        }
    }

    fn ids(&self) -> Vec<MemoryId> {
        let query = ListQuery {
            filter: Self::everything(),
            past: true,
            limit: 1000,
            ..ListQuery::default()
        };
        self.space()
            .list(&query)
            .unwrap()
            .memories
            .into_iter()
            .map(|memory| memory.id)
            .collect()
    }
}

fn look(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            look(&path, found);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for (at, _) in text.match_indices(MARK) {
            let around: String = text[at..]
                .chars()
                .take(24)
                .filter(|c| !c.is_control())
                .collect();
            found.insert(format!("{}: {around}", path.file_name().unwrap().display()));
        }
    }
}

/// One way of deleting everything.
type Way = fn(&Place);

const WAYS: [(&str, Way); 4] = [
    ("by id", |place| {
        for id in place.ids() {
            if place.space().get(id).unwrap().is_some() {
                place.space().delete(id, Mode::Commit).unwrap();
            }
        }
    }),
    ("by filter", |place| {
        place
            .space()
            .bulk()
            .delete_where(&Place::everything(), Mode::Commit)
            .unwrap();
    }),
    ("in the background", |place| {
        place.space().queue().delete(&Place::everything()).unwrap();
        place.memory().wait_idle().unwrap();
    }),
    ("with the namespace", |place| {
        place.memory().delete_namespace("u", Mode::Commit).unwrap();
    }),
];

#[test]
fn nothing_of_what_was_deleted_is_left_once_files_are_in_step_and_the_database_is_compact() {
    let mut left = Vec::new();
    for (profile, kind) in PROFILES {
        for (way, delete) in WAYS {
            let mut place = Place::new(profile, kind);
            place.fill();
            assert!(place.traces().len() > 20, "{profile}: {:?}", place.traces());
            let turns = Filter {
                layers: vec![Layer::Turn],
                ..Filter::default()
            };
            let query = ListQuery {
                filter: turns,
                limit: 1,
                ..ListQuery::default()
            };
            assert_eq!(place.space().list(&query).unwrap().total, 14);
            delete(&place);
            if way != "with the namespace" {
                assert_eq!(place.ids(), [], "{profile}, {way}");
                // Work about memories that are gone is found to be none.
                place.space().queue().work_off().unwrap();
                place.sync();
                place
                    .space()
                    .session(SESSIONS[0])
                    .set_variable(MARK, None)
                    .unwrap();
            }
            place.memory().compact().unwrap();
            assert_eq!(place.memory().validate().unwrap().problems, [""; 0]);
            let open = place.traces();
            place.memory = None;
            left.extend(
                [("open", open), ("closed", place.traces())]
                    .map(|(when, found)| (profile, way, when, found)),
            );
        }
    }
    // The words of predicates and conditions stay in the list of the namespace's labels until it
    // is deleted itself (docs/privacy.md).
    for (_, way, _, found) in &mut left {
        found.retain(|trace| {
            *way == "with the namespace"
                || !["says", "condition"]
                    .iter()
                    .any(|label| trace.contains(label))
        });
    }
    left.retain(|(.., found)| !found.is_empty());
    assert!(left.is_empty(), "{left:#?}");
}
