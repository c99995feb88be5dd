//! Memories change while a judge or a summarizer thinks about them.

use std::sync::{Arc, Mutex};

use super::decisions::own;
use crate::support::life::World;
use crate::support::notebook::{Notebook, TALK};
use crate::support::script::{Script, Table};
use annals::{
    EpisodeDraft, Judge, JudgeError, Judgement, MemoryId, Mode, NewMemory, Options, Reasoned,
    ReviewCase, Shown, Status, StoredMemory, Summarizer,
};

/// An adviser that does something while being asked, once, and says no.
#[derive(Default)]
struct Busy(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Busy {
    fn does(&self, what: impl FnOnce() + Send + 'static) {
        *self.0.lock().unwrap() = Some(Box::new(what));
    }

    fn act(&self) {
        let what = self.0.lock().unwrap().take();
        what.into_iter().for_each(|what| what());
    }
}

impl Judge for Busy {
    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        Ok(Judgement::Keep.into())
    }

    fn same(&self, first: &Shown, second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.act();
        Ok(Reasoned::new(
            false,
            format!("{} is not {}", first.text, second.text),
        ))
    }
}

impl Summarizer for Busy {
    fn summarize(&self, turns: &[StoredMemory]) -> Result<String, JudgeError> {
        self.act();
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

#[test]
fn nothing_is_kept_of_a_decision_about_what_was_deleted_meanwhile() {
    let (table, judge) = (Table::new(), Arc::new(Busy::default()));
    let (embedder, asked) = (Arc::clone(&table), Arc::clone(&judge));
    let world = World::with("studio", move |options: Options| {
        options
            .embedder(embedder.clone())
            .judge(Arc::clone(&asked) as Arc<dyn Judge>)
    });
    own(
        &world,
        "studio",
        &[("maybe_check = \"triple_key\"", "maybe_check = \"judge\"")],
    );
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    table.near("我写函数式的代码", "我读函数式的书", 0.85);
    let known = world.kind("preference", "我喜欢函数式编程");
    let space = world.space();
    judge.does(move || drop(space.delete(known, Mode::Commit).unwrap()));
    let second = world.kind("preference", "我读函数式的书");
    assert_eq!(
        (world.status(known), world.status(second)),
        (None, Some(Status::Active))
    );
    assert_eq!(world.space().decisions().list(None, 10).unwrap(), []);
    world.validate();
    world.kind("preference", "我写函数式的代码");
    let kept = world.space().decisions().list(None, 10).unwrap();
    assert_eq!(
        (kept.len(), kept[0].reason.as_str()),
        (1, "我写函数式的代码 is not 我读函数式的书")
    );
    world.validate();
}

#[test]
fn no_episode_is_made_of_turns_that_go_meanwhile() {
    let busy = Arc::new(Busy::default());
    let summarizer = Arc::clone(&busy);
    let world = World::with("agent", move |options: Options| {
        options.summarizer(Arc::clone(&summarizer) as Arc<dyn Summarizer>)
    });
    let secret = world.said("我的检查结果是阳性");
    world.said("我在写解析器");
    let space = world.space();
    busy.does(move || drop(space.delete(secret, Mode::Commit).unwrap()));
    let ended = world.space().session("s").end().unwrap();
    assert_eq!(ended.episode, None);
    assert!(ended.put_off.unwrap().contains("taken away"));
    assert_eq!(world.space().sessions().episodes(10).unwrap(), []);
    let made = world.space().session("s").end().unwrap().episode.unwrap();
    let episode = world.space().get(made).unwrap().unwrap();
    assert_eq!(episode.body.text, "我在写解析器");
    world.validate();
}

#[test]
fn what_a_judge_says_where_a_session_is_merged_in_is_kept_and_taken_back() {
    let (table, judge) = (Table::new(), Script::answers([true]));
    let (embedder, asked) = (Arc::clone(&table), Arc::clone(&judge));
    let book = Notebook::with("markdown", move |options: Options| {
        options.embedder(embedder.clone()).judge(asked.clone())
    });
    book.change(
        "markdown",
        &[(
            "sure_above = 0.92 # M-54, proposed",
            "maybe_above = 0.8\nmaybe_check = \"judge\"",
        )],
    );
    table.near("用户爱喝绿茶", "用户喜欢喝茶", 0.85);
    let known = book.level("high", "用户喜欢喝茶");
    let found = Notebook::found("用户爱喝绿茶", "fact", "high");
    book.session("s1", TALK, &format!("[{found}]"));
    let same: Vec<annals::Decision> = book.space().decisions().list(Some(known), 10).unwrap();
    assert_eq!((same.len(), same[0].answer.as_str()), (1, "yes"));
    let fresh: MemoryId = same[0].memories[0];
    assert_eq!(book.space().get(fresh).unwrap(), None);
    book.space().decisions().undo(same[0].number).unwrap();
    assert_eq!(
        book.space().get(fresh).unwrap().unwrap().body.text,
        "用户爱喝绿茶"
    );
    assert_eq!(book.memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn no_candidates_of_contradictions_are_those_of_the_default() {
    let world = World::new("studio");
    own(
        &world,
        "studio",
        &[("[conflict]", "[conflict]\ncandidates = 0")],
    );
    let first: MemoryId = world.remember(
        NewMemory::builder("The user lives in Berlin")
            .kind("fact")
            .build()
            .unwrap(),
    );
    let again = world.remember(
        NewMemory::builder("The user lives in Berlin.")
            .kind("fact")
            .build()
            .unwrap(),
    );
    assert_eq!(first, again);
}
