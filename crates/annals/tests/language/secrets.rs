//! Every way in which text gets into a memory, with a secret on each: where it must not be kept,
//! no trace of it is anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, Once};

use annals::blocking::{Memory, Namespace};
use annals::graph::{
    Assertion, Claim, EntityEdit, Format, GraphExport, NewEntity, NewLink, NewSubgraph,
};
use annals::llm::provider::{Provider, ProviderError, Reply, Request};
use annals::profile::ExtractTrigger;
use annals::{
    Attachment, BackendError, Calibration, Cancel, ContextRequest, EmbedError, Embedder, Error,
    Fingerprint, ImportFormat, ImportOptions, Label, ListQuery, ManualClock, MemoryId, Metadata,
    Mode, NewMemory, NewTurn, OnBad, Options, Purpose, Query, Role, SearchBackend, SearchHit,
    SearchPart, SearchQuestion, ToolCall, ToolSetting, Value,
};

use crate::support::life::day;
use crate::support::log::Log;

/// Settings that do the same with every kind.
fn settings(action: &str) -> String {
    let kinds = [
        "api_key",
        "token",
        "private_key",
        "password",
        "card",
        "iban",
        "national_id",
        "phone",
        "email",
    ];
    kinds
        .iter()
        .map(|kind| format!("{kind} = \"{action}\"\n"))
        .collect()
}

/// Keys that look real, each with a number, so that a trace says which way it came.
struct Keys {
    mark: &'static str,
    ways: Mutex<Vec<String>>,
}

impl Keys {
    fn new(mark: &'static str) -> Self {
        Self {
            mark,
            ways: Mutex::default(),
        }
    }

    /// The key of a way.
    fn of(&self, way: &str) -> String {
        let mut ways = self.ways.lock().unwrap();
        let number = ways
            .iter()
            .position(|known| known == way)
            .unwrap_or_else(|| {
                ways.push(way.to_owned());
                ways.len() - 1
            });
        format!("sk-{}{number:03}x7Yz0", self.mark)
    }

    /// A sentence with the key of a way.
    fn says(&self, way: &str) -> String {
        format!("用户的钥匙 {} 在桌上", self.of(way))
    }

    /// The ways whose keys are in some bytes, plain or with the escapes of JSON.
    fn in_bytes(&self, bytes: &[u8]) -> BTreeSet<String> {
        let ways = self.ways.lock().unwrap();
        let escaped: String = self
            .mark
            .chars()
            .map(|c| format!("\\u{:04x}", u32::from(c)))
            .collect();
        let mut found = BTreeSet::new();
        for mark in [self.mark, escaped.as_str()] {
            let first = mark.as_bytes().first();
            let begins = bytes
                .iter()
                .enumerate()
                .filter(|(_, byte)| Some(*byte) == first)
                .map(|(at, _)| at);
            for at in begins.filter(|at| bytes[*at..].starts_with(mark.as_bytes())) {
                let number = bytes
                    .get(at + mark.len()..at + mark.len() + 3)
                    .unwrap_or_default();
                let number = std::str::from_utf8(number)
                    .ok()
                    .and_then(|number| number.parse::<usize>().ok());
                found.insert(
                    number
                        .and_then(|number| ways.get(number).cloned())
                        .unwrap_or_else(|| "cut".to_owned()),
                );
            }
        }
        found
    }
}

/// A model, an embedder and a search backend that keep what they are asked. The model answers with
/// keys.
struct Elsewhere {
    keys: Arc<Keys>,
    asked: Mutex<Vec<String>>,
    wrong: Mutex<bool>,
}

impl Elsewhere {
    fn note(&self, what: String) {
        self.asked.lock().unwrap().push(what);
    }
}

impl Provider for Elsewhere {
    fn name(&self) -> String {
        "elsewhere".to_owned()
    }

    fn chat(&self, request: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        self.note(format!("{request:?}"));
        if *self.wrong.lock().unwrap() {
            let reason = self.keys.says("error of a model");
            return Err(ProviderError::Refused {
                what: self.name(),
                reason,
                advice: String::new(),
            });
        }
        let says = |what: &str| self.keys.says(&format!("answer: {what}"));
        let json = request
            .messages
            .iter()
            .any(|message| message.text.contains("JSON") || message.text.contains("json"));
        Ok(Reply::text(match request.purpose.as_str() {
            "extract" if json => format!(
                r#"[{{"type":"fact","content":"{}","importance":"high","category":"fact","subject":"{}"}}]"#,
                says("extract"),
                says("extract subject"),
            ),
            "extract" => format!("[ADD] {}", says("extract")),
            "episode" => format!(
                r#"{{"summary":"{}","goal":"{}","outcome":"{}","entities":["{}"]}}"#,
                says("episode"),
                says("episode goal"),
                says("episode outcome"),
                says("episode entity")
            ),
            "triples" => format!(
                r#"[{{"subject":"{}","predicate":"{}","object":"{}"}}]"#,
                says("triple subject"),
                says("triple predicate"),
                says("triple object")
            ),
            "review" => "[KEEP]".to_owned(),
            "same" | "contradicts" => "否".to_owned(),
            other => says(other),
        }))
    }
}

impl Embedder for Elsewhere {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("elsewhere".to_owned())
    }

    fn dims(&self) -> usize {
        64
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.2, 0.9))
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.note(texts.join("\n"));
        let vector = |text: &&str| {
            let mut vector = vec![0.01; 64];
            text.bytes()
                .enumerate()
                .for_each(|(at, byte)| vector[(at * 7 + usize::from(byte)) % 64] += 1.0);
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

impl SearchBackend for Elsewhere {
    fn part(&self) -> SearchPart {
        SearchPart::Words
    }

    fn search(&self, question: &SearchQuestion<'_>) -> Result<Vec<SearchHit>, BackendError> {
        self.note(question.text.to_owned());
        Ok(Vec::new())
    }
}

/// A file with a namespace `u` under a profile with these privacy settings, and everything that it
/// may send things to.
struct Place {
    folder: tempfile::TempDir,
    keys: Arc<Keys>,
    elsewhere: Arc<Elsewhere>,
    clock: ManualClock,
    memory: Option<Memory>,
    /// The answers that callers get.
    told: Vec<String>,
    kind: &'static str,
}

impl Place {
    fn new(profile: &str, kind: &'static str, privacy: &str, keys: &Arc<Keys>) -> Self {
        let keys = Arc::clone(keys);
        let elsewhere = Arc::new(Elsewhere {
            keys: Arc::clone(&keys),
            asked: Mutex::default(),
            wrong: Mutex::default(),
        });
        let clock = ManualClock::new(day(0.0));
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new()
            .clock(Arc::new(clock.clone()))
            .id_seed(1)
            .model(Arc::clone(&elsewhere) as Arc<dyn Provider>)
            .embedder(Arc::clone(&elsewhere) as Arc<dyn Embedder>)
            .search_backend(Arc::clone(&elsewhere) as Arc<dyn SearchBackend>)
            .mirrors(format!("{}/{{name}}", folder.path().display()));
        let memory = options.open(folder.path().join("u.annals")).unwrap();
        let builtin = annals::profiles::builtin(profile).unwrap_or_default();
        let (head, rest) = builtin.split_once("[privacy]").unwrap_or((builtin, ""));
        let rest = rest.find("\n[").map_or("", |at| &rest[at..]);
        memory
            .profiles()
            .store("own", &format!("{head}{rest}\n[privacy]\n{privacy}"))
            .unwrap();
        memory.create_namespace("u", "own").unwrap();
        Self {
            folder,
            keys,
            elsewhere,
            clock,
            memory: Some(memory),
            told: Vec::new(),
            kind,
        }
    }

    fn memory(&self) -> &Memory {
        self.memory.as_ref().unwrap()
    }

    fn space(&self) -> Namespace {
        self.memory().namespace("u").unwrap()
    }

    fn says(&self, way: &str) -> String {
        self.keys.says(way)
    }

    fn memory_of(&self, way: &str) -> NewMemory {
        NewMemory::builder(self.says(way))
            .kind(self.kind)
            .build()
            .unwrap()
    }

    fn tells<T: std::fmt::Debug>(&mut self, done: Result<T, Error>) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(error) => {
                self.told.push(format!("{error} {error:?}"));
                None
            }
        }
    }

    fn plain(&self, text: &str) -> MemoryId {
        self.space()
            .remember(NewMemory::builder(text).kind(self.kind).build().unwrap())
            .unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join("u").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Memories with all that belongs to them.
    fn memories(&mut self) {
        let space = self.space();
        let full = NewMemory::builder(self.says("text"))
            .kind(self.kind)
            .source(self.says("source"))
            .tag(self.says("tag"))
            .group(self.says("group"))
            .metadata(self.says("name of a field"), 1)
            .metadata("field", self.says("field").as_str())
            .metadata(
                "fields",
                Value::Map(Metadata::from([(self.says("inner name"), Value::Null)])),
            )
            .metadata(
                "list",
                Value::List(vec![self.says("inner value").as_str().into()]),
            );
        let id = self.tells(space.remember(full.build().unwrap()));
        if id.is_some_and(|id| space.get(id).unwrap().is_none()) {
            self.told.push("the memory is not there".to_owned());
        }
        let first = self.plain("用户住在柏林");
        let update = space.update(first, self.memory_of("update"));
        self.tells(update);
        let second = self.plain("用户养了一只猫");
        let supersede = space
            .lifecycle()
            .supersede(second, self.memory_of("supersede"));
        self.tells(supersede);
        let kind = NewMemory::builder("没有种类的")
            .kind(self.keys.of("kind"))
            .build()
            .unwrap();
        self.tells(space.remember(kind));
        self.tells(
            space
                .session("h")
                .handle_command(&format!("记住：{}", self.says("heed"))),
        );
        self.tells(
            space
                .session("h")
                .handle_command(&format!("忘掉{}", self.says("heed forget"))),
        );
    }

    fn turn(&self, way: &str) -> NewTurn {
        let call = ToolCall {
            name: Label::new("tool", self.keys.of(&format!("{way}: tool"))).unwrap(),
            arguments: format!("{{\"q\":\"{}\"}}", self.says(&format!("{way}: arguments"))),
            result: Some(self.says(&format!("{way}: result"))),
        };
        let file = Attachment {
            uri: format!(
                "https://host/file?token={}",
                self.keys.of(&format!("{way}: uri"))
            ),
            media_type: Some(format!(
                "image/{}",
                self.keys.of(&format!("{way}: media type"))
            )),
            caption: Some(self.says(&format!("{way}: caption"))),
        };
        NewTurn::builder("s", self.says(&format!("{way}: text")))
            .speaker(self.says(&format!("{way}: speaker")))
            .reply(self.says(&format!("{way}: reply")))
            .tag(self.says(&format!("{way}: tag")))
            .tool_call(call)
            .attachment(file)
            .build()
            .unwrap()
    }

    /// Conversations: stored, merged in, shortened, at hand, summed up.
    fn conversations(&mut self) {
        let space = self.space();
        self.tells(space.sessions().append(vec![self.turn("turn")]));
        self.tells(
            space
                .designs()
                .agent()
                .on_turn_start("s", &self.says("task of a turn")),
        );
        self.tells(
            space
                .designs()
                .agent()
                .on_turn_end(self.turn("turn that ends")),
        );
        self.tells(
            space
                .designs()
                .markdown()
                .process_session_end(vec![self.turn("session that ends")], "p"),
        );
        self.tells(
            space
                .designs()
                .agent()
                .on_context_compressed("c", vec![self.turn("turn left out")]),
        );
        let working = space.session("w").working().unwrap();
        for number in 0..24 {
            let (said, answered) = (self.says("message at hand"), self.says("answer at hand"));
            self.tells(working.round(&format!("{said} {number}"), &format!("{answered} {number}")));
        }
        let result = NewTurn::builder("w", self.says("result at hand"))
            .role(Role::Tool)
            .build()
            .unwrap();
        self.tells(working.say(result));
        self.tells(working.end_turn());
        let prompt = working.prompt("你是助手", &self.says("message of a prompt"));
        let prompt = self
            .tells(prompt)
            .map(|prompt| format!("{:?} {}", prompt.messages, prompt.context.text));
        self.elsewhere.note(prompt.unwrap_or_default());
        self.tells(working.close());
        self.tells(space.session("s").extract_at(ExtractTrigger::SessionEnd));
        self.tells(space.session("s").extract());
        self.tells(space.queue().extract_all());
        *self.elsewhere.wrong.lock().unwrap() = true;
        self.tells(space.queue().work_off());
        self.tells(space.session("s").end());
        *self.elsewhere.wrong.lock().unwrap() = false;
        self.clock.set(day(2.0));
        for task in space.queue().list(100).unwrap() {
            self.tells(space.queue().retry(task.number));
        }
        self.tells(space.queue().work_off());
        self.tells(space.session("s").end());
        self.tells(space.session("p").end());
        self.clock.set(day(3.0));
        self.tells(self.memory().maintain(true, Mode::Commit));
    }

    /// Data beside memories.
    fn desk(&mut self) {
        let space = self.space();
        for way in ["first task", "second task"] {
            self.tells(
                space
                    .designs()
                    .agent()
                    .focus(&format!("{} {way}", self.says(way))),
            );
        }
        self.tells(
            space
                .designs()
                .agent()
                .set_projects(&[self.says("project")]),
        );
        let (name, value) = (self.keys.of("name of a variable"), self.says("variable"));
        self.tells(
            space
                .session("v")
                .set_variable(&name, Some(Value::from(value.as_str()))),
        );
        let request = ContextRequest {
            scratchpad: self.says("scratchpad of a request"),
            ..ContextRequest::default()
        };
        let context = self.tells(space.context(request)).unwrap();
        self.elsewhere.note(context.text);
    }

    fn assertion(&self, way: &str) -> Assertion {
        let of = |part: &str| self.says(&format!("{way}: {part}"));
        let metadata = Metadata::from([(of("name of a field"), Value::from(of("field").as_str()))]);
        let subject = NewEntity::new(of("subject"))
            .alias(of("alias"))
            .kind(self.keys.of(&format!("{way}: kind")));
        Assertion::new(
            subject,
            self.keys.of(&format!("{way}: predicate")),
            of("object"),
        )
        .condition(of("condition"))
        .claim(Claim {
            degree: Some(of("degree")),
            metadata,
            ..Claim::default()
        })
    }

    /// Triples and links of memories.
    fn graph(&mut self) {
        let space = self.space();
        let (first, second) = (self.plain("下雨了"), self.plain("路很滑"));
        self.tells(
            space
                .graph()
                .add_triples(first, &[self.assertion("triple")]),
        );
        let saying = space.graph().remember(
            self.memory_of("text that says"),
            &[self.assertion("saying")],
        );
        self.tells(saying);
        let memory = NewMemory::builder("改了").kind(self.kind).build().unwrap();
        self.tells(
            space
                .graph()
                .update(second, memory, &[self.assertion("update that says")]),
        );
        for (at, way) in ["subgraph", "staged subgraph"].into_iter().enumerate() {
            let of = |part: &str| self.says(&format!("{way}: {part}"));
            let subgraph = NewSubgraph::new(of("subject"), self.kind, of("topic"))
                .object(of("object"))
                .relation(of("relation"))
                .attribute(of("attribute"), of("value"));
            let memory = self.memory_of(&format!("{way}: text"));
            if at == 0 {
                self.tells(space.graph().remember_subgraph(memory, &subgraph));
            } else {
                self.tells(space.graph().stage_subgraph(memory, &subgraph));
            }
        }
        let entity = NewEntity::new(self.says("entity"))
            .kind(self.keys.of("kind of an entity"))
            .alias(self.says("alias"))
            .field(
                self.says("name of a field of an entity"),
                self.says("field of an entity").as_str(),
            );
        let one = self.tells(space.graph().add_entity(&entity));
        let other = self.tells(space.graph().add_entity(&NewEntity::new("别的")));
        let edit = EntityEdit {
            name: Some(self.says("edit: name")),
            kind: Some(Some(self.keys.of("edit: kind"))),
            aliases: Some(vec![self.says("edit: alias")]),
            metadata: Some(Metadata::from([(
                self.says("edit: name of a field"),
                Value::Null,
            )])),
            kept: None,
        };
        if let Some((one, other)) = one.zip(other) {
            self.tells(space.graph().edit_entity(other, &edit));
            self.tells(
                space
                    .graph()
                    .merges()
                    .merge(one, other, &self.says("reason of a merge")),
            );
        }
        let relations = ["causes", "导致", "related", "相关", "contradicts", "更新"];
        let metadata = Metadata::from([(
            self.says("name of a field of a link"),
            self.says("link").as_str().into(),
        )]);
        for relation in relations {
            let link = NewLink {
                metadata: metadata.clone(),
                ..NewLink::new(first, relation, second)
            };
            self.tells(space.graph().add_links(&[link]));
        }
    }

    /// Calls of models, and questions.
    fn questions(&mut self) {
        let space = self.space();
        let of = |way: &str| self.says(way);
        let listed = space
            .list(&ListQuery {
                limit: 1,
                ..ListQuery::default()
            })
            .unwrap();
        let known = listed.memories[0].id.to_string();
        let calls = [
            (
                "create_memory",
                serde_json::json!({"subject": of("tool: subject"), "memory_type": "事实", "topic": of("tool: topic"),
                    "object": of("tool: object"), "relation": of("tool: relation"),
                    "attributes": {"地点": of("tool: attribute"), of("tool: name"): "x"}}),
            ),
            (
                "link_memories",
                serde_json::json!({"source_memory_description": of("tool: source"),
                    "target_memory_description": known.as_str(), "relation_type": "导致"}),
            ),
            (
                "link_memories",
                serde_json::json!({"source_memory_description": known.as_str(),
                    "target_memory_description": of("tool: target"), "relation_type": "导致"}),
            ),
            (
                "search_memories",
                serde_json::json!({"query": of("tool: query")}),
            ),
            (
                "search_memory",
                serde_json::json!({"query": of("tool: find")}),
            ),
            (
                "search_conversation_traces",
                serde_json::json!({"keyword": "抽屉"}),
            ),
        ];
        let context = BTreeMap::from([("message".to_owned(), of("context of a call"))]);
        let setting = ToolSetting {
            context,
            ..ToolSetting::default()
        };
        self.write(
            "data/react_traces/t.json",
            &format!(
                "[{{\"role\":\"user\",\"content\":\"抽屉里：{}\"}}]",
                self.says("trace of another program")
            ),
        );
        for (tool, arguments) in calls {
            let reply = self.tells(
                space
                    .tools()
                    .call_in(tool, &arguments.to_string(), &setting),
            );
            self.elsewhere
                .note(reply.map(|reply| reply.to_string()).unwrap_or_default());
        }
        let mut question = Query::new(self.says("question"));
        question.context = vec![self.says("what was said before a question")];
        self.tells(space.recall(question));
        self.tells(space.designs().graph().retrieve(
            &self.says("question to be planned"),
            &setting.context,
            "auto",
        ));
        let request = ContextRequest {
            earlier: vec![self.says("earlier message of a request")],
            prepared: self.says("prepared for a request"),
            ..ContextRequest::new(self.says("message of a request"))
        };
        let context = self.tells(space.context(request)).unwrap();
        self.elsewhere.note(context.text);
    }

    /// Imported texts.
    fn imports(&mut self, source: &[u8]) {
        let space = self.space();
        for (format, bytes) in [
            (ImportFormat::Export, source.to_vec()),
            (
                ImportFormat::Turns,
                serde_json::to_vec(&serde_json::json!({"session": "i", "text": self.says("imported turn"),
                    "speaker": self.says("imported speaker"), "reply": self.says("imported reply"),
                    "tags": [self.says("imported tag")], "metadata": {self.says("imported name"): 1}}))
                .unwrap(),
            ),
        ] {
            let options = ImportOptions { format, on_bad: OnBad::Collect, ..ImportOptions::default() };
            let done = self.memory().namespace("imported").unwrap().transfer().import(
                &mut bytes.as_slice(),
                &options,
                &mut |_| {},
            );
            self.tells(done);
            let done = space.transfer().import(&mut bytes.as_slice(), &options, &mut |_| {});
            self.tells(done);
        }
        self.tells(
            space
                .transfer()
                .import_last_chat(self.says("last chat").as_bytes(), day(0.0)),
        );
    }

    /// Files in which people write.
    fn files(&mut self) {
        let earlier = format!(
            r#"[{{"id":"m1","type":"FACT","content":"{}","subject":"{}","predicate":"{}"}}]"#,
            self.says("earlier store"),
            self.says("earlier subject"),
            self.says("earlier predicate")
        );
        self.write("data/memory/memories.json", &earlier);
        let folder = self.folder.path().join("u");
        let sync = |place: &mut Self| {
            let report = place.space().files().sync(&folder);
            if let Some(report) = place.tells(report) {
                place.told.push(format!("{report:?}"));
            }
        };
        sync(self);
        std::fs::remove_file(folder.join("data/memory/memories.json")).unwrap();
        for name in ["MEMORY.md", "identity/MEMORY.md", "identity/USER.md"] {
            let Ok(text) = std::fs::read_to_string(folder.join(name)) else {
                continue;
            };
            let (line, stray) = (
                self.says(&format!("{name}: line")),
                self.says(&format!("{name}: stray")),
            );
            self.write(name, &format!("{text}\n- {line}\n\n{stray}\n"));
            sync(self);
            self.clock.set(day(3.1));
            sync(self);
            self.write(name, &self.says(&format!("{name}: prose")));
            sync(self);
            sync(self);
        }
    }

    /// The ways whose keys are anywhere, by where they are.
    fn traces(mut self, log: &Log) -> BTreeMap<&'static str, BTreeSet<String>> {
        let space = self.space();
        let mut exported = Vec::new();
        space.transfer().export(&mut exported, &mut |_| {}).unwrap();
        space.transfer().export_text(&mut exported).unwrap();
        for format in [Format::Triples, Format::Json] {
            let all = GraphExport {
                dormant: true,
                ..GraphExport::new(format)
            };
            space.graph().export(&all, &mut exported).unwrap();
        }
        exported
            .extend(format!("{:?} {:?}", space.queue().list(1000), self.memory().jobs()).bytes());
        let asked = self.elsewhere.asked.lock().unwrap().join("\n");
        self.memory().wait_idle().unwrap();
        let open = all_files(self.folder.path());
        assert_eq!(self.memory().validate().unwrap().problems, [""; 0]);
        self.memory = None;
        drop(space);
        let keys = &self.keys;
        BTreeMap::from([
            ("export", keys.in_bytes(&exported)),
            ("sent", keys.in_bytes(asked.as_bytes())),
            ("files while open", keys.in_bytes(&open)),
            ("files", keys.in_bytes(&all_files(self.folder.path()))),
            ("log", keys.in_bytes(log.text().as_bytes())),
            ("told", keys.in_bytes(self.told.join("\n").as_bytes())),
        ])
    }
}

/// The bytes of all files of a folder, but of what other programs left there.
fn all_files(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            bytes.extend(all_files(&path));
        } else if !path.ends_with("react_traces/t.json") {
            bytes.extend(std::fs::read(path).unwrap());
        }
    }
    bytes
}

/// The log of all tests, of which only these keys are looked for.
fn log() -> &'static Log {
    static LOG: std::sync::OnceLock<Log> = std::sync::OnceLock::new();
    static ONCE: Once = Once::new();
    let log = LOG.get_or_init(|| Log::keeping(&MARKS));
    ONCE.call_once(|| tracing::subscriber::set_global_default(log.clone()).unwrap());
    log
}

/// The beginnings of the keys of each test, so that one log serves them all.
const MARKS: [&str; 3] = ["Kept4Ways", "Gone4Ways", "Shut4Ways"];

const PROFILES: [(&str, &str); 6] = [
    ("companion", "fact"),
    ("studio", "fact"),
    ("agent", "FACT"),
    ("graph", "事实"),
    ("markdown", "fact"),
    ("none", "fact"),
];

/// Goes every way under every profile; answers which keys are where afterwards.
fn every_way(privacy: &str, keys: &Arc<Keys>) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut all: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    for (profile, kind) in PROFILES {
        // An export of a place where nothing is kept back.
        let mut source = Place::new(profile, kind, &settings("allow"), keys);
        source.memories();
        source.graph();
        let mut exported = Vec::new();
        source
            .space()
            .transfer()
            .export(&mut exported, &mut |_| {})
            .unwrap();
        let mut place = Place::new(profile, kind, privacy, keys);
        place.memories();
        place.conversations();
        place.desk();
        place.graph();
        place.questions();
        place.imports(&exported);
        place.files();
        for (place, found) in place.traces(log()) {
            all.entry(place).or_default().extend(found);
        }
    }
    all
}

#[test]
fn a_secret_that_is_masked_or_refused_is_nowhere_whatever_way_it_came() {
    let kept = Arc::new(Keys::new(MARKS[0]));
    let control = every_way(&settings("allow"), &kept);
    let everywhere: BTreeSet<String> = control.values().flatten().cloned().collect();
    let ways: BTreeSet<String> = kept.ways.lock().unwrap().iter().cloned().collect();
    let unseen: Vec<&String> = ways.difference(&everywhere).collect();
    // An answer of a model that is no plan is repeated nowhere.
    assert_eq!(
        unseen,
        ["answer: plan"],
        "these ways lead nowhere even where all is kept"
    );
    for (action, mark) in [("mask", MARKS[1]), ("reject", MARKS[2])] {
        let mut left = every_way(&settings(action), &Arc::new(Keys::new(mark)));
        // The text that a person puts in the place of a whole file is theirs, and stays where they
        // wrote it.
        for (_, found) in left
            .iter_mut()
            .filter(|(place, _)| place.starts_with("files"))
        {
            found.retain(|way| !way.ends_with(": prose"));
        }
        let left: BTreeMap<_, _> = left
            .into_iter()
            .filter(|(_, found)| !found.is_empty())
            .collect();
        assert!(left.is_empty(), "{action}: {left:#?}");
    }
}

#[test]
fn what_says_what_a_value_is_counts_beside_it() {
    let place = Place::new(
        "none",
        "fact",
        &settings("mask"),
        &Arc::new(Keys::new(MARKS[1])),
    );
    let space = place.space();
    let memory = NewMemory::builder("账号")
        .metadata("password", "hunter2")
        .metadata("电话", 13_800_138_000_i64);
    let id = space
        .remember(memory.metadata("room", 12).build().unwrap())
        .unwrap();
    let fields = space.get(id).unwrap().unwrap().body.metadata;
    let wanted = [
        ("password", "[password]".into()),
        ("room", 12.into()),
        ("电话", "[phone]".into()),
    ];
    assert_eq!(
        fields,
        wanted
            .map(|(name, value): (&str, Value)| (name.to_owned(), value))
            .into()
    );
    space
        .session("s")
        .set_variable("token", Some(Value::from("abcdef123456")))
        .unwrap();
    let variables = space.session("s").state().unwrap().variables;
    assert_eq!(
        variables,
        Metadata::from([("token".to_owned(), Value::from("[token]"))])
    );
    // Under the name that it was given it is found again, masked or not.
    let name = "sk-abcdefgh12345678";
    space
        .session("s")
        .set_variable(name, Some(Value::Null))
        .unwrap();
    assert!(
        space
            .session("s")
            .state()
            .unwrap()
            .variables
            .contains_key("[api_key]")
    );
    space.session("s").set_variable(name, None).unwrap();
    assert_eq!(space.session("s").state().unwrap().variables.len(), 1);
}

#[test]
fn a_conversation_incognito_leaves_every_byte_as_it_was() {
    for (profile, kind) in PROFILES {
        let place = Place::new(
            profile,
            kind,
            &settings("allow"),
            &Arc::new(Keys::new(MARKS[1])),
        );
        let id = place.plain("用户住在柏林");
        place.memory().wait_idle().unwrap();
        let state = || {
            let usage = format!(
                "{:?} {:?}",
                place.memory().usage().unwrap(),
                place.space().lifecycle().standings(&[id]).unwrap()
            );
            let asked = place.elsewhere.asked.lock().unwrap().len();
            (all_files(place.folder.path()), usage, asked)
        };
        let before = state();
        let mut incognito = place.space().sessions().incognito();
        incognito.append_turns(vec![place.turn("incognito")]);
        assert_eq!(incognito.recent(9).len(), 1);
        assert!(
            incognito
                .answer(place.says("question incognito").as_str())
                .hits
                .is_empty()
        );
        assert!(
            incognito
                .context(place.says("message incognito").as_str())
                .text
                .is_empty()
        );
        drop(incognito);
        place.memory().wait_idle().unwrap();
        assert!(
            before == state(),
            "{profile}: something was written, counted or asked"
        );
        assert!(place.keys.in_bytes(log().text().as_bytes()).is_empty());
    }
}
