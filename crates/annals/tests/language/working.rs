//! The conversation that is going on: what is at hand, and what becomes of what no longer fits.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::support::life::day;
use annals::blocking::{Memory, WorkingMemory};
use annals::{
    Filter, JudgeError, Kind, ListQuery, ManualClock, Mode, NewMemory, NewTurn, Options, Role,
    StoredMemory, Summarizer, Timestamp,
};

/// A summarizer that keeps what it was given, and fails as often as it is told to.
#[derive(Default)]
struct Script {
    given: Mutex<Vec<Vec<String>>>,
    fails: Mutex<usize>,
    says: Mutex<Option<String>>,
}

impl Script {
    fn calls(&self) -> usize {
        self.given.lock().unwrap().len()
    }
}

impl Summarizer for Script {
    fn summarize(&self, turns: &[StoredMemory]) -> Result<String, JudgeError> {
        let mut given = self.given.lock().unwrap();
        given.push(turns.iter().map(|turn| turn.body.text.clone()).collect());
        let mut fails = self.fails.lock().unwrap();
        if *fails > 0 {
            *fails -= 1;
            return Err(JudgeError::Unavailable {
                what: "the model".to_owned(),
                reason: "it sleeps".to_owned(),
                wait: None,
            });
        }
        Ok(self
            .says
            .lock()
            .unwrap()
            .clone()
            .unwrap_or_else(|| format!("第{}次聊天", given.len())))
    }
}

struct Talk {
    folder: tempfile::TempDir,
    clock: ManualClock,
    script: Arc<Script>,
    memory: Option<Memory>,
}

impl Talk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut talk = Self {
            folder,
            clock: ManualClock::new(day(0.0)),
            script: Arc::default(),
            memory: None,
        };
        talk.open();
        talk.memory().create_namespace("u", "companion").unwrap();
        talk
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn open(&mut self) {
        self.memory = None;
        let options = Options::new()
            .clock(Arc::new(self.clock.clone()))
            .id_seed(1);
        let options = options.summarizer(Arc::clone(&self.script) as Arc<dyn Summarizer>);
        self.memory = Some(options.open(self.path().join("u.annals")).unwrap());
    }

    fn memory(&self) -> &Memory {
        self.memory.as_ref().unwrap()
    }

    fn working(&self) -> WorkingMemory {
        self.memory()
            .namespace("u")
            .unwrap()
            .session("today")
            .working()
            .unwrap()
    }

    fn stored(&self) -> Vec<StoredMemory> {
        let query = ListQuery {
            newest_first: false,
            limit: 1000,
            ..ListQuery::default()
        };
        self.memory()
            .namespace("u")
            .unwrap()
            .list(&query)
            .unwrap()
            .memories
    }
}

fn message(number: usize) -> NewTurn {
    let role = if number % 2 == 1 {
        Role::User
    } else {
        Role::Assistant
    };
    NewTurn::builder("today", format!("message{number:03}"))
        .role(role)
        .build()
        .unwrap()
}

fn texts(working: &WorkingMemory) -> Vec<String> {
    working
        .messages()
        .into_iter()
        .map(|message| message.body.text)
        .collect()
}

#[test]
fn thirty_messages_are_at_hand_and_the_next_one_makes_a_summary() {
    // spec: C-09, C-10, C-11, C-13
    let talk = Talk::new();
    let working = talk.working();
    working.round("你好", "你也好").unwrap();
    let roles: Vec<Role> = working
        .messages()
        .iter()
        .map(|m| m.body.turn.as_ref().unwrap().role)
        .collect();
    assert_eq!(
        (texts(&working), roles),
        (
            vec!["你好".into(), "你也好".into()],
            vec![Role::User, Role::Assistant]
        )
    );
    for round in 1..15 {
        working
            .round(&format!("said {round}"), &format!("answered {round}"))
            .unwrap();
    }
    assert_eq!((working.messages().len(), talk.script.calls()), (30, 0));
    let mut lengths = Vec::new();
    for number in 31..=51 {
        working.say(message(number)).unwrap();
        lengths.push((working.messages().len(), talk.script.calls()));
    }
    assert_eq!(
        (lengths[0], lengths[19], lengths[20]),
        ((11, 1), (30, 1), (11, 2))
    );
    assert!(lengths[..20].iter().all(|(_, calls)| *calls == 1));
}

#[test]
fn regression_nothing_is_cut_off() {
    // spec: C-06, C-139
    let talk = Talk::new();
    let working = talk.working();
    for number in 1..=40 {
        working.say(message(number)).unwrap();
    }
    let (given, at_hand) = (talk.script.given.lock().unwrap().clone(), texts(&working));
    for number in 1..=40 {
        let text = format!("message{number:03}");
        let summaries = given
            .iter()
            .flatten()
            .filter(|given| **given == text)
            .count();
        assert_eq!(
            summaries + at_hand.iter().filter(|held| **held == text).count(),
            1,
            "{text}"
        );
    }
    assert_eq!(given.len(), 1);
}

#[test]
fn regression_summaries_are_memories_of_their_own() {
    // spec: C-07, C-139
    let talk = Talk::new();
    let working = talk.working();
    for number in 1..=71 {
        talk.clock.advance_millis(60_000);
        working.say(message(number)).unwrap();
    }
    let stored = talk.stored();
    assert_eq!(stored.len(), 3);
    assert!(
        stored
            .iter()
            .all(|memory| memory.body.kind.as_str() == "episode")
    );
    let files: Vec<_> = std::fs::read_dir(talk.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(files, ["u.annals"]);
    talk.clock.set(day(4.0));
    let user = talk.memory().namespace("u").unwrap();
    assert!(user.recall("第2次聊天").unwrap()[0].text.contains("第2次"));
    assert!(talk.memory().maintain(true, Mode::Commit).unwrap()[0].succeeded());
    let ids: Vec<_> = stored.iter().map(|memory| memory.id).collect();
    for standing in user.lifecycle().standings(&ids).unwrap() {
        crate::support::life::near(standing.unwrap().score, 0.6);
    }
}

#[test]
fn a_summary_is_an_episode_of_the_background() {
    // spec: C-17
    let talk = Talk::new();
    *talk.script.says.lock().unwrap() = Some("聊了面试、游戏".to_owned());
    let working = talk.working();
    for number in 1..=31 {
        working.say(message(number)).unwrap();
    }
    let stored = talk.stored();
    let body = &stored[0].body;
    let source = body.source.as_ref().map(annals::Label::as_str);
    assert_eq!(
        (stored.len(), body.kind.as_str(), source, body.verified),
        (1, "episode", Some("background_ai"), false)
    );
}

#[test]
fn an_episode_says_when_it_was() {
    // part: C-17, C-18
    let talk = Talk::new();
    let text = annals::profiles::builtin("companion").unwrap();
    let text = format!("{text}\n[time]\nzone = \"Asia/Shanghai\"\n");
    talk.memory().profiles().store("local", &text).unwrap();
    talk.memory()
        .namespace("u")
        .unwrap()
        .admin()
        .set_profile("local")
        .unwrap();
    *talk.script.says.lock().unwrap() = Some(" 聊了面试、游戏\n".to_owned());
    let working = talk.working();
    talk.clock
        .set("2026-01-03T10:00:00Z".parse::<Timestamp>().unwrap());
    for number in 1..=31 {
        working.say(message(number)).unwrap();
    }
    let stored = talk.stored();
    assert_eq!(stored.len(), 1);
    let body = &stored[0].body;
    assert_eq!(body.text, "[2026-01-03 18:00] 聊了面试、游戏");
    let source = body.source.as_ref().map(annals::Label::as_str);
    assert_eq!(
        (body.kind.as_str(), source, body.verified),
        ("episode", Some("background_ai"), false)
    );
}

#[test]
fn what_is_at_hand_ends_with_the_process() {
    // spec: C-12
    let mut talk = Talk::new();
    let working = talk.working();
    let fact = NewMemory::builder("主人喜欢拉面")
        .kind("fact")
        .build()
        .unwrap();
    talk.memory()
        .namespace("u")
        .unwrap()
        .remember(fact)
        .unwrap();
    for number in 1..=31 {
        working.say(message(number)).unwrap();
    }
    assert_eq!((working.messages().len(), talk.stored().len()), (11, 2));
    drop(working);
    talk.open();
    assert_eq!(talk.working().messages(), []);
    let kinds: Vec<String> = talk
        .stored()
        .iter()
        .map(|memory| memory.body.kind.to_string())
        .collect();
    assert_eq!(kinds, ["fact", "episode"]);
}

#[test]
fn what_tools_say_does_not_count() {
    // spec: C-14
    let talk = Talk::new();
    let working = talk.working();
    for round in 0..10 {
        working.say(message(2 * round + 1)).unwrap();
        for result in 0..5 {
            let result = NewTurn::builder("today", format!("result {round}.{result}"))
                .role(Role::Tool)
                .build();
            working.say(result.unwrap()).unwrap();
        }
        working.say(message(2 * round + 2)).unwrap();
    }
    assert_eq!(
        (
            working.messages().len(),
            talk.script.calls(),
            talk.stored().len()
        ),
        (20, 0, 0)
    );
    let asides: Vec<String> = working
        .asides()
        .into_iter()
        .map(|aside| aside.body.text)
        .collect();
    assert_eq!(
        asides,
        (0..5)
            .map(|result| format!("result 9.{result}"))
            .collect::<Vec<_>>()
    );
}

#[test]
fn without_a_summary_nothing_goes() {
    // spec: C-15
    let talk = Talk::new();
    *talk.script.fails.lock().unwrap() = 1;
    let working = talk.working();
    for number in 1..=30 {
        assert_eq!(working.say(message(number)).unwrap().put_off, None);
    }
    let spoken = working.say(message(31)).unwrap();
    assert!(spoken.episode.is_none() && spoken.put_off.unwrap().contains("sleeps"));
    assert_eq!(working.messages().len(), 31);
    working.say(message(32)).unwrap();
    assert_eq!(
        (working.messages().len(), talk.script.calls()),
        (32, 1),
        "not again in the same round"
    );
    let episode = working.say(message(33)).unwrap().episode.unwrap();
    assert_eq!(
        talk.stored()
            .iter()
            .map(|memory| memory.id)
            .collect::<Vec<_>>(),
        [episode]
    );
    let covered = talk.script.given.lock().unwrap()[1].clone();
    assert_eq!(
        covered,
        (1..=20)
            .map(|number| format!("message{number:03}"))
            .collect::<Vec<_>>()
    );
    assert_eq!(texts(&working)[0], "message021");
}

#[test]
fn the_end_of_a_session_makes_an_episode_of_what_is_left() {
    // spec: C-16
    let episodes = |messages: usize| {
        let talk = Talk::new();
        let working = talk.working();
        for number in 1..=messages {
            working.say(message(number)).unwrap();
        }
        let closed = working.close().unwrap();
        assert_eq!((working.messages(), closed.put_off), (vec![], None));
        assert_eq!(closed.episode.is_some(), !talk.stored().is_empty());
        talk.stored().len()
    };
    assert_eq!([6, 1, 4, 3].map(episodes), [1, 0, 1, 0]);
    let talk = Talk::new();
    *talk.script.fails.lock().unwrap() = 1;
    let working = talk.working();
    working.round("一", "二").unwrap();
    working.round("三", "四").unwrap();
    assert!(working.close().unwrap().put_off.is_some());
    assert_eq!(working.messages().len(), 4, "closed again later");
    assert!(working.close().unwrap().episode.is_some());
}

#[test]
fn a_studio_keeps_ten_messages_and_stores_none() {
    // spec: S-148
    let memory = Options::new()
        .clock(Arc::new(ManualClock::new(day(0.0))))
        .id_seed(1)
        .in_memory()
        .unwrap();
    let user = memory.create_namespace("user:1", "studio").unwrap();
    let lesson = NewMemory::builder("Docker 需要使用 proxy-env")
        .kind("lesson")
        .build()
        .unwrap();
    let working = user.session("a").working().unwrap();
    for round in 0..10 {
        working
            .round(&format!("question {round}"), &format!("answer {round}"))
            .unwrap();
    }
    let stored = |filter: Filter| {
        user.list(&ListQuery {
            filter,
            ..ListQuery::default()
        })
        .unwrap()
        .total
    };
    assert_eq!(stored(Filter::default()), 0);
    user.remember(lesson).unwrap();
    assert_eq!(
        user.recall(
            annals::Query::new("Docker proxy-env")
                .min_score(annals::UnitScore::new("least", 0.0).unwrap())
        )
        .unwrap()
        .len(),
        1
    );
    let expected: Vec<String> = (5..10)
        .flat_map(|round| [format!("question {round}"), format!("answer {round}")])
        .collect();
    assert_eq!(texts(&working), expected);
    assert_eq!(
        stored(Filter {
            kinds: vec![Kind::new("turn").unwrap()],
            ..Filter::default()
        }),
        0
    );
    assert_eq!(working.close().unwrap(), annals::Spoken::default());
    assert_eq!(stored(Filter::default()), 1);
}
