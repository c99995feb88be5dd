//! A process that is killed while a judge is asked about memories, or a model what they say: each
//! has its effect once.

#![cfg(unix)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::killed::{Life, Steps, everything, step, valid};
use crate::support::life::day;
use crate::support::script::Table;
use annals::blocking::Memory;
use annals::graph::TripleQuery;
use annals::{
    Causality, Interpreted, Interpreter, Judge, JudgeError, Judgement, NewMemory, Options,
    Reasoned, ReviewCase, Shown, Statement, Status,
};

/// Says yes to everything, unless it sleeps.
struct Agreeing {
    asleep: bool,
}

impl Agreeing {
    fn answer(&self) -> Result<Reasoned<bool>, JudgeError> {
        step();
        if self.asleep {
            return Err(JudgeError::Unavailable {
                what: "the judge".to_owned(),
                reason: "it sleeps".to_owned(),
                wait: None,
            });
        }
        step();
        Ok(true.into())
    }
}

impl Judge for Agreeing {
    fn review(&self, _: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        Ok(Judgement::Keep.into())
    }

    fn same(&self, _: &Shown, _: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.answer()
    }

    fn contradicts(&self, _: &Shown, _: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.answer()
    }

    fn causality(&self, _: &Shown, _: &Shown) -> Result<Reasoned<Causality>, JudgeError> {
        Ok(Causality::Neither.into())
    }
}

static ANSWERS: AtomicU64 = AtomicU64::new(0);

/// Never says the same of a memory twice.
struct Telling;

impl Interpreter for Telling {
    fn interpret(&self, memory: &Shown) -> Result<Interpreted, JudgeError> {
        step();
        let once = format!(
            "{}.{}",
            std::process::id(),
            ANSWERS.fetch_add(1, Ordering::SeqCst)
        );
        let said = Statement {
            subject: memory.text.clone(),
            predicate: "says".to_owned(),
            object: once,
            negated: false,
            condition: None,
            degree: None,
        };
        step();
        Ok(vec![said].into())
    }
}

fn open(folder: &Path, at: f64, table: Arc<Table>, asleep: bool) -> Memory {
    let options = Options::new()
        .clock(Arc::new(Steps(day(at))))
        .embedder(table);
    let options = options
        .judge(Arc::new(Agreeing { asleep }))
        .interpreter(Arc::new(Telling));
    options.open(folder.join("u.annals")).unwrap()
}

fn awake(folder: &Path, at: f64) -> Memory {
    open(folder, at, Table::new(), false)
}

/// Does what waits, and ends.
fn work_off(folder: &Path, at: f64) {
    awake(folder, at)
        .namespace("u")
        .unwrap()
        .queue()
        .work_off()
        .unwrap();
}

/// Two pairs of which a judge that slept said nothing.
fn unjudged() -> tempfile::TempDir {
    let (folder, table) = (tempfile::tempdir().unwrap(), Table::new());
    table.near("我搬到了柏林", "我住在汉堡", 0.79);
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    for (at, texts) in [
        (0.0, ["我住在汉堡", "我喜欢函数式编程"]),
        (1.0, ["我搬到了柏林", "我读函数式的书"]),
    ] {
        let memory = open(folder.path(), at, Arc::clone(&table), true);
        if at == 0.0 {
            let text = annals::profiles::builtin("studio").unwrap();
            let text = text.replacen("ask_judge = false", "ask_judge = true", 1);
            let text = text.replacen("maybe_check = \"triple_key\"", "maybe_check = \"judge\"", 1);
            memory
                .profiles()
                .store("own", &format!("{text}\n[queue]\nattempts = 0\n"))
                .unwrap();
            memory.create_namespace("u", "own").unwrap();
        }
        let space = memory.namespace("u").unwrap();
        for text in texts {
            space
                .remember(NewMemory::builder(text).kind("preference").build().unwrap())
                .unwrap();
        }
        assert_eq!(
            space.queue().list(10).unwrap().len(),
            if at == 0.0 { 0 } else { 2 }
        );
    }
    folder
}

/// Two memories of which nobody has said yet what they say.
fn untold() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let memory = awake(folder.path(), 0.0);
    let space = memory.create_namespace("u", "companion").unwrap();
    for text in ["主人喜欢拉面", "主人养猫"] {
        space
            .remember(NewMemory::builder(text).kind("fact").build().unwrap())
            .unwrap();
    }
    assert_eq!(space.queue().list(10).unwrap().len(), 2);
    folder
}

/// Nothing waits any more, and nothing comes of asking again.
fn at_rest(folder: &Path, at: f64) -> Memory {
    let memory = awake(folder, at);
    let space = memory.namespace("u").unwrap();
    assert_eq!(space.queue().list(10).unwrap(), []);
    assert_eq!(space.queue().work_off().unwrap().values().sum::<u64>(), 0);
    valid(&memory);
    memory
}

fn judged_once(folder: &Path, at: f64) {
    let memory = at_rest(folder, at);
    let space = memory.namespace("u").unwrap();
    let all = everything(&space);
    let of = |text: &str| all.iter().find(|memory| memory.body.text == text).unwrap();
    assert_eq!(all.len(), 4, "{all:?}");
    let (old, new) = (of("我住在汉堡"), of("我搬到了柏林"));
    assert_eq!(
        (old.body.valid_until, new.body.valid_from),
        (Some(day(1.0)), Some(day(1.0)))
    );
    let revisions = |id| space.history(id).unwrap().len();
    assert_eq!(
        (revisions(old.id), revisions(new.id)),
        (2, 2),
        "closed once, begun once"
    );
    assert_eq!(
        space
            .graph()
            .links(new.id)
            .unwrap()
            .iter()
            .map(|link| link.to)
            .collect::<Vec<_>>(),
        [old.id]
    );
    let (kept, twin) = (of("我喜欢函数式编程"), of("我读函数式的书"));
    assert_eq!(
        (kept.status, twin.status),
        (Status::Active, Status::Forgotten)
    );
    let changes = space.admin().events(0, 1000).unwrap();
    let forgotten = changes
        .iter()
        .filter(|event| event.id == Some(twin.id) && event.status == Some(Status::Forgotten));
    assert_eq!(forgotten.count(), 1, "united once");
}

fn told_once(folder: &Path, at: f64) {
    let memory = at_rest(folder, at);
    let space = memory.namespace("u").unwrap();
    let said = space
        .graph()
        .triples(&TripleQuery::default())
        .unwrap()
        .triples;
    let mut about: Vec<&str> = said.iter().map(|triple| triple.subject.as_str()).collect();
    about.sort_unstable();
    assert_eq!(about, ["主人养猫", "主人喜欢拉面"], "{said:?}");
}

#[test]
fn what_waits_for_a_judge_is_judged_once() {
    let life = Life {
        begun: unjudged,
        works: work_off,
        once: judged_once,
    };
    life.ends_at_any_step("judged::what_waits_for_a_judge_is_judged_once", 10);
}

#[test]
fn what_memories_say_is_found_out_once() {
    let life = Life {
        begun: untold,
        works: work_off,
        once: told_once,
    };
    life.ends_at_any_step("judged::what_memories_say_is_found_out_once", 10);
}
