//! Namespaces are deleted and made anew, or get another profile, while a judge or model is asked
//! about a task in them.

use std::sync::{Arc, Mutex};

use super::decisions::own;
use crate::support::life::World;
use crate::support::script::Table;
use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, NewEntity, NewSubgraph};
use annals::{
    Calibration, Causality, EmbedError, Embedder, EpisodeDraft, Error, Fingerprint, ImportFormat,
    ImportOptions, Judge, JudgeError, Judgement, Missing, Mode, NewMemory, NewTurn, Options,
    Purpose, Reasoned, ReviewCase, Shown, Status, StoredMemory, Summarizer,
};

/// Says yes to everything, and does something when it is asked about what it waits for, once.
#[derive(Default)]
struct Busy {
    table: Arc<Table>,
    what: Mutex<Option<(&'static str, Action)>>,
    embedded: Mutex<Vec<String>>,
}

type Action = Box<dyn FnOnce() + Send>;

impl Busy {
    fn asked(&self, about: &str) {
        let mut what = self.what.lock().unwrap();
        let now = what.take_if(|(awaited, _)| about.contains(*awaited));
        drop(what);
        now.into_iter().for_each(|(_, action)| action());
    }
}

impl Judge for Busy {
    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        Ok(Judgement::Keep.into())
    }

    fn same(&self, _first: &Shown, _second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.asked("same");
        Ok(true.into())
    }

    fn contradicts(&self, _newer: &Shown, _older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.asked("contradicts");
        Ok(true.into())
    }

    fn causality(
        &self,
        _first: &Shown,
        _second: &Shown,
    ) -> Result<Reasoned<Causality>, JudgeError> {
        self.asked("causality");
        Ok(Causality::FirstCauses.into())
    }
}

impl Summarizer for Busy {
    fn summarize(&self, turns: &[StoredMemory]) -> Result<String, JudgeError> {
        self.asked("summary");
        Ok(turns
            .iter()
            .map(|turn| turn.body.text.as_str())
            .collect::<Vec<_>>()
            .join("; "))
    }

    fn episode(&self, turns: &[StoredMemory]) -> Result<EpisodeDraft, JudgeError> {
        Ok(EpisodeDraft {
            summary: self.summarize(turns)?,
            ..EpisodeDraft::default()
        })
    }
}

impl Embedder for Busy {
    fn fingerprint(&self) -> Fingerprint {
        self.table.fingerprint()
    }

    fn dims(&self) -> usize {
        self.table.dims()
    }

    fn calibration(&self) -> Option<Calibration> {
        self.table.calibration()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().for_each(|text| self.asked(text));
        self.embedded
            .lock()
            .unwrap()
            .extend(texts.iter().map(ToString::to_string));
        self.table.embed(texts, purpose)
    }
}

fn world(profile: &str, changed: &[(&str, &str)]) -> (World, Arc<Busy>) {
    let busy = Arc::new(Busy::default());
    let asked = Arc::clone(&busy);
    let world = World::with(profile, move |options: Options| {
        let options = options.embedder(Arc::clone(&asked) as Arc<dyn Embedder>);
        options
            .judge(Arc::clone(&asked) as Arc<dyn Judge>)
            .summarizer(Arc::clone(&asked) as Arc<dyn Summarizer>)
    });
    own(&world, profile, changed);
    (world, busy)
}

/// All lines of an export of the namespace but the last pass of its profile, which other
/// namespaces may have as well.
fn export(memory: &Memory) -> String {
    let mut out = Vec::new();
    memory
        .namespace("u")
        .unwrap()
        .transfer()
        .export(&mut out, &mut |_| {})
        .unwrap();
    let lines = String::from_utf8(out).unwrap();
    lines
        .lines()
        .filter(|line| !line.starts_with("{\"profile\""))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The export of a namespace when it was made anew; nothing before.
struct Anew(Arc<Mutex<Option<String>>>);

impl Anew {
    /// Has the namespace deleted and made anew when a judge or model is asked about something.
    fn when(
        (world, busy): (&World, &Busy),
        awaited: &'static str,
        fill: impl FnOnce(&Namespace) + Send + 'static,
    ) -> Self {
        let (memory, held) = (world.memory().clone(), Arc::new(Mutex::new(None)));
        let kept = Arc::clone(&held);
        let renew = move || {
            memory.delete_namespace("u", Mode::Commit).unwrap();
            fill(&memory.create_namespace("u", "own").unwrap());
            *kept.lock().unwrap() = Some(export(&memory));
        };
        *busy.what.lock().unwrap() = Some((awaited, Box::new(renew)));
        Self(held)
    }

    #[track_caller]
    fn is_untouched(&self, world: &World) {
        let held = self.0.lock().unwrap().clone();
        assert_eq!(export(world.memory()), held.expect("nobody was asked"));
        world.memory().wait_idle().unwrap();
        world.validate();
    }
}

#[track_caller]
fn gone<T: std::fmt::Debug>(answer: Result<T, Error>) {
    let error = answer.unwrap_err();
    assert_eq!(
        (error.is_not_found(), error.missing()),
        (true, Some(Missing::Namespace)),
        "{error}"
    );
}

fn staged(kind: &str, text: &str) -> NewMemory {
    NewMemory::builder(text)
        .kind(kind)
        .status(Status::Staged)
        .importance(0.6)
        .build()
        .unwrap()
}

const AGENT: &[(&str, &str)] = &[
    (
        "sure_above = 0.92 # A-68, proposed",
        "sure_above = 0.92\nmaybe_above = 0.8\nmaybe_check = \"judge\"",
    ),
    ("strategy = \"update_in_place\"", "strategy = \"none\""),
];

/// Two memories of an agent that a judge takes for one.
fn twins() -> (World, Arc<Busy>) {
    let (world, busy) = world("agent", AGENT);
    busy.table.near("用户在学弹钢琴", "用户每天练琴", 0.85);
    world.kind("PREFERENCE", "用户每天练琴");
    world.kind("PREFERENCE", "用户在学弹钢琴");
    world.at(1.2);
    (world, busy)
}

#[test]
fn twins_of_a_namespace_that_went_unite_nothing_in_the_next() {
    let (world, busy) = twins();
    let anew = Anew::when((&world, &busy), "same", |space| {
        for text in ["用户住在上海", "用户养了一只猫"] {
            space
                .remember(NewMemory::builder(text).kind("PREFERENCE").build().unwrap())
                .unwrap();
        }
    });
    world.force();
    anew.is_untouched(&world);
}

#[test]
fn twins_are_left_alone_where_the_profile_changes_meanwhile() {
    let (world, busy) = twins();
    let text = annals::profiles::builtin("agent")
        .unwrap()
        .replacen("update_in_place", "none", 1);
    let (memory, space) = (world.memory().clone(), world.space());
    let change = move || {
        memory.profiles().store("other", &text).unwrap();
        space.admin().set_profile("other").unwrap();
    };
    *busy.what.lock().unwrap() = Some(("same", Box::new(change)));
    let before = world.space().admin().stats().unwrap().by_status["active"];
    let reports = world.memory().maintain(true, Mode::Commit).unwrap();
    let left: Vec<_> = reports
        .iter()
        .flat_map(|report| &report.steps)
        .filter_map(|made| made.counts.get("left"))
        .collect();
    assert!(
        left == [&1] && reports.iter().any(|report| !report.succeeded()),
        "what is left is said: {reports:?}"
    );
    assert!(busy.what.lock().unwrap().is_none(), "the judge was asked");
    assert_eq!(
        (
            before,
            world.space().admin().stats().unwrap().by_status["active"]
        ),
        (2, 2)
    );
    assert_eq!(world.space().decisions().list(None, 10).unwrap(), []);
    world.validate();
}

/// Two staged opinions under the graph profile that may contradict each other, and are related
/// where little time lies between them.
fn opinions(days: f64) -> (World, Arc<Busy>) {
    let (world, busy) = world("graph", &[]);
    busy.table.near("早起让人清醒", "早起让人疲惫", 0.9);
    world.at(1.0);
    world.remember(staged("观点", "早起让人疲惫"));
    world.at(1.0 + days);
    world.remember(staged("观点", "早起让人清醒"));
    world.at(3.5);
    (world, busy)
}

fn others(space: &Namespace) {
    for text in ["咖啡让人清醒", "茶让人平静"] {
        space.remember(staged("观点", text)).unwrap();
    }
}

#[test]
fn contradictions_of_a_namespace_that_went_mark_nothing_in_the_next() {
    let (world, busy) = opinions(1.0);
    let anew = Anew::when((&world, &busy), "contradicts", others);
    world.force();
    anew.is_untouched(&world);
}

#[test]
fn causes_of_a_namespace_that_went_link_nothing_in_the_next() {
    let (world, busy) = opinions(0.0);
    let anew = Anew::when((&world, &busy), "causality", others);
    world.force();
    anew.is_untouched(&world);
}

#[test]
fn entities_of_a_namespace_that_went_embed_nothing_in_the_next() {
    let (world, busy) = world("graph", &[]);
    world.at(1.0);
    let says = |name: &str| NewEntity::new(name).kind("主题");
    let id = world.remember(staged("事件", "买了一辆自行车"));
    world
        .space()
        .graph()
        .add_triples(id, &[Assertion::new(says("自行车"), "事件", says("城市"))])
        .unwrap();
    let anew = Anew::when((&world, &busy), "自行车", move |space| {
        let id = space.remember(staged("事件", "读了一本小说")).unwrap();
        space
            .graph()
            .add_triples(id, &[Assertion::new(says("小说"), "事件", says("书"))])
            .unwrap();
    });
    world.at(3.5);
    world.force();
    anew.is_untouched(&world);
    busy.embedded.lock().unwrap().clear();
    world.at(4.5);
    world.force();
    let embedded = busy.embedded.lock().unwrap();
    assert!(
        ["小说", "书"]
            .iter()
            .all(|name| embedded.contains(&name.to_string())),
        "{embedded:?}"
    );
}

#[test]
fn vectors_that_come_late_are_those_of_their_own_namespace() {
    let (world, busy) = world("graph", &[]);
    let anew = Anew::when((&world, &busy), "慢", move |space| {
        space
            .graph()
            .stage_subgraph(
                staged("事件", "另一件事"),
                &NewSubgraph::new("我", "事件", "书"),
            )
            .unwrap();
    });
    world
        .space()
        .graph()
        .stage_subgraph(
            staged("事件", "一件慢的事"),
            &NewSubgraph::new("我", "事件", "城市"),
        )
        .unwrap();
    world.memory().wait_idle().unwrap();
    anew.is_untouched(&world);
    let embedded = busy.embedded.lock().unwrap();
    assert!(embedded.contains(&"另一件事".to_owned()), "{embedded:?}");
}

#[test]
fn what_was_to_be_remembered_in_a_namespace_that_went_is_refused() {
    for profile in ["studio", "agent"] {
        let (world, busy) = world(profile, &[]);
        let anew = Anew::when((&world, &busy), "慢", |_| {});
        let turn = NewTurn::builder("s", "慢").build().unwrap();
        gone(world.space().sessions().append(vec![turn]));
        anew.is_untouched(&world);
        let anew = Anew::when((&world, &busy), "慢", |_| {});
        let kind = if profile == "agent" {
            "PREFERENCE"
        } else {
            "fact"
        };
        gone(
            world
                .space()
                .remember(NewMemory::builder("一件慢的事").kind(kind).build().unwrap()),
        );
        anew.is_untouched(&world);
    }
}

#[test]
fn a_call_of_several_steps_is_about_one_namespace() {
    let (world, busy) = world("agent", &[]);
    world
        .space()
        .designs()
        .agent()
        .focus("写一个解析器")
        .unwrap();
    let anew = Anew::when((&world, &busy), "慢", |space| {
        drop(space.designs().agent().focus("读一本书").unwrap())
    });
    gone(
        world
            .space()
            .designs()
            .agent()
            .on_turn_start("s", "慢慢学做饭"),
    );
    anew.is_untouched(&world);
    let anew = Anew::when((&world, &busy), "慢", |_| {});
    let turn = NewTurn::builder("s", "慢").build().unwrap();
    gone(
        world
            .space()
            .designs()
            .markdown()
            .process_session_end(vec![turn], "s"),
    );
    anew.is_untouched(&world);
}

#[test]
fn an_episode_of_a_namespace_that_went_comes_into_no_other() {
    let (world, busy) = world("agent", &[]);
    world.said("我在写解析器");
    let anew = Anew::when((&world, &busy), "summary", |space| {
        space
            .sessions()
            .append(vec![NewTurn::builder("s", "我在读一本书").build().unwrap()])
            .unwrap();
    });
    gone(world.space().session("s").end());
    anew.is_untouched(&world);
}

#[test]
fn an_import_goes_on_in_no_other_namespace() {
    let (world, busy) = world("studio", &[]);
    let anew = Anew::when((&world, &busy), "慢", |_| {});
    let lines = ["快", "慢", "又快"]
        .map(|text| format!("{{\"session\":\"s\",\"text\":\"{text}\"}}\n"))
        .concat();
    let options = ImportOptions {
        format: ImportFormat::Turns,
        batch: 1,
        ..ImportOptions::default()
    };
    gone(
        world
            .space()
            .transfer()
            .import(&mut lines.as_bytes(), &options, &mut |_| {}),
    );
    anew.is_untouched(&world);
}

#[test]
fn embedding_anew_switches_no_other_namespace() {
    let (mut world, busy) = world("studio", &[]);
    world.kind("fact", "一件慢的事");
    // The vectors there are made by another embedder than the one that is asked now.
    let other = Arc::new(Other(Arc::clone(&busy)));
    world.set(move |options: Options| options.embedder(Arc::clone(&other) as Arc<dyn Embedder>));
    let anew = Anew::when((&world, &busy), "慢", |space| {
        space.remember("别的").unwrap();
    });
    gone(world.space().transfer().reembed(&mut |_| {}));
    anew.is_untouched(&world);
    assert_eq!(world.recall("别的"), ["别的"]);
}

/// The same under another name.
struct Other(Arc<Busy>);

impl Embedder for Other {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("another one of a test".to_owned())
    }

    fn dims(&self) -> usize {
        self.0.dims()
    }

    fn calibration(&self) -> Option<Calibration> {
        self.0.calibration()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed(texts, purpose)
    }
}
