//! A namespace `u` under the markdown or agent profile, with its files in a folder, a transcript
//! for a model and a clock set by hand.

use std::path::PathBuf;
use std::sync::Arc;

use super::life::day;
use annals::blocking::{Memory, Namespace};
use annals::llm::provider::{Provider, Replay, Reply};
use annals::{
    Filter, Layer, ListQuery, ManualClock, MemoryId, Merged, Mode, NewMemory, NewTurn, Options,
    Role, Status, StoredMemory,
};

pub struct Notebook {
    pub folder: tempfile::TempDir,
    pub clock: ManualClock,
    pub model: Arc<Replay>,
    pub memory: Memory,
}

/// Words enough that a conversation is worth looking through.
pub const TALK: &str = "这一段对话足够长，长到值得从头到尾再看一遍，看看里面有没有什么东西需要记下来，所以请认真地看。";

pub fn said(role: Role, text: &str) -> NewTurn {
    NewTurn::builder("any", text).role(role).build().unwrap()
}

impl Notebook {
    pub fn new(profile: &str) -> Self {
        Self::with(profile, |options| options)
    }

    pub fn with(profile: &str, setting: impl FnOnce(Options) -> Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (clock, model) = (ManualClock::new(day(0.0)), Arc::new(Replay::default()));
        let options = Options::new()
            .clock(Arc::new(clock.clone()))
            .id_seed(1)
            .model(Arc::clone(&model) as Arc<dyn Provider>)
            .mirrors(format!("{}/{{name}}", folder.path().display()));
        let memory = setting(options).in_memory().unwrap();
        memory.create_namespace("u", profile).unwrap();
        Self {
            folder,
            clock,
            model,
            memory,
        }
    }

    /// The same under a profile whose text was changed: each pair is what it says and what it is to
    /// say.
    pub fn changed(profile: &str, changes: &[(&str, &str)]) -> Self {
        let book = Self::new(profile);
        book.change(profile, changes);
        book
    }

    pub fn change(&self, profile: &str, changes: &[(&str, &str)]) {
        let mut text = annals::profiles::builtin(profile).unwrap().to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from} is not in the profile");
            text = text.replacen(from, to, 1);
        }
        self.memory.profiles().store("own", &text).unwrap();
        self.space().admin().set_profile("own").unwrap();
    }

    pub fn space(&self) -> Namespace {
        self.memory.namespace("u").unwrap()
    }

    /// The clock shows another day, and a person says that it is right.
    pub fn at(&self, days: f64) {
        self.clock.set(day(days));
        self.memory.jobs().trust_clock().unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("u").join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn answers(&self, text: impl Into<String>) {
        self.model.push("extract", Ok(Reply::text(text)));
    }

    /// Ends a session in which that was said, for which the model answers this.
    pub fn session(&self, session: &str, said_by_user: &str, answer: &str) -> Merged {
        self.answers(answer);
        let history = vec![
            said(Role::User, said_by_user),
            said(Role::Assistant, "好的。"),
        ];
        self.space()
            .designs()
            .markdown()
            .process_session_end(history, session)
            .unwrap()
    }

    /// An entry as the model would put it.
    pub fn found(content: &str, category: &str, importance: &str) -> String {
        format!(r#"{{"content":"{content}","category":"{category}","importance":"{importance}"}}"#)
    }

    pub fn level(&self, level: &str, text: &str) -> MemoryId {
        let memory = NewMemory::builder(text)
            .kind("fact")
            .metadata("level", level);
        self.space().remember(memory.build().unwrap()).unwrap()
    }

    pub fn scored(&self, kind: &str, score: f64, text: &str) -> MemoryId {
        let memory = NewMemory::builder(text).kind(kind).importance(score as f32);
        self.space().remember(memory.build().unwrap()).unwrap()
    }

    /// All that is kept, whatever its status, but turns; oldest first.
    pub fn kept(&self) -> Vec<StoredMemory> {
        let filter = Filter {
            statuses: Status::ALL.to_vec(),
            ..Filter::default()
        };
        let page = self
            .space()
            .list(&ListQuery {
                filter,
                limit: 1000,
                ..ListQuery::default()
            })
            .unwrap();
        let mut all: Vec<StoredMemory> = page
            .memories
            .into_iter()
            .filter(|memory| memory.body.layer != Layer::Turn)
            .collect();
        all.sort_by_key(|memory| (memory.stored_at, memory.id));
        all
    }

    pub fn id_of(&self, text: &str) -> MemoryId {
        self.kept()
            .into_iter()
            .find(|memory| memory.body.text == text)
            .unwrap_or_else(|| panic!("{text}"))
            .id
    }

    pub fn score(&self, id: MemoryId) -> f64 {
        self.space().lifecycle().standings(&[id]).unwrap()[0]
            .as_ref()
            .unwrap()
            .score
    }

    pub fn uses(&self, id: MemoryId) -> u32 {
        self.space().lifecycle().standings(&[id]).unwrap()[0]
            .as_ref()
            .unwrap()
            .used
    }

    pub fn status(&self, id: MemoryId) -> Option<Status> {
        self.space().get(id).unwrap().map(|memory| memory.status)
    }

    /// The name under which a memory is shown to the model.
    pub fn alias(id: MemoryId) -> String {
        let digits: String = id.to_string().chars().filter(|c| *c != '-').collect();
        digits[digits.len() - 6..].to_owned()
    }

    pub fn force(&self) {
        let reports = self.memory.maintain(true, Mode::Commit).unwrap();
        assert!(
            reports.iter().all(annals::JobReport::succeeded),
            "{reports:?}"
        );
    }

    pub fn prompt(&self) -> String {
        self.space()
            .context(annals::ContextRequest::default())
            .unwrap()
            .text
    }

    #[track_caller]
    pub fn validate(&self) {
        assert_eq!(self.memory.validate().unwrap().problems, [""; 0]);
    }
}
