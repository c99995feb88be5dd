//! The markdown profile from conversations to a later session: extraction at the end of sessions,
//! merging, fading, the file.

use std::sync::{Arc, Barrier, Mutex};

use crate::support::life::{day, near};
use crate::support::notebook::{Notebook, TALK, said};
use crate::support::script::Table;
use annals::llm::provider::{Reply, Request};
use annals::llm::window::estimate;
use annals::llm::{Aliases, candidates};
use annals::profile::ExtractTrigger;
use annals::{
    ExtractWindow, Extracted, Extractor, Filter, HandledCommand, JudgeError, Layer, ListQuery,
    ManualClock, Merged, NewMemory, NewTurn, Options, Role, Status, Value,
};

fn merged(new: usize, updated: usize) -> Merged {
    Merged {
        new,
        updated,
        ..Merged::default()
    }
}

#[test]
fn what_a_session_taught_is_told_the_next_and_fades_when_it_is_never_heard_again() {
    // spec: M-01, M-108
    let book = Notebook::new("markdown");
    let told = format!("记一下：项目的测试全部用 pytest。{TALK}");
    let answer = format!(
        "[{}]",
        Notebook::found("用户偏好用 pytest", "preference", "high")
    );
    assert_eq!(book.session("s1", &told, &answer), merged(1, 0));
    let id = book.id_of("用户偏好用 pytest");
    assert!(
        book.read("MEMORY.md")
            .contains("preference | 0.80 | 2026-01-01 | 0\n用户偏好用 pytest")
    );
    assert!(
        book.prompt().ends_with("- 用户偏好用 pytest"),
        "{}",
        book.prompt()
    );
    let found = book.space().recall("pytest").unwrap();
    assert_eq!(found[0].id, id);
    book.at(53.0);
    near(book.score(id), 0.503_859);
    assert!(book.prompt().contains("pytest"));
    book.at(54.0);
    near(book.score(id), 0.498_820);
    assert_eq!(book.prompt(), "");
    for (at, score, status) in [
        (144.0, 0.201_889, Status::Active),
        (145.0, 0.199_870, Status::Archived),
    ] {
        book.at(at);
        book.force();
        near(book.score(id), score);
        assert_eq!(book.status(id), Some(status));
    }
    book.at(282.0);
    book.force();
    assert_eq!(book.status(id), Some(Status::Archived));
    book.at(283.0);
    book.force();
    assert_eq!(book.status(id), None);
    assert!(!book.read("MEMORY.md").contains("pytest"));
    book.validate();
}

#[test]
fn experience_with_a_process_is_an_entry_of_its_session() {
    // spec: M-02, M-08
    let book = Notebook::new("markdown");
    book.at(3.25);
    let talk = format!(
        "线上又是 502。上次也是 502，每次都是重启 upstream 之后清掉 Nginx 的缓存才好。{TALK}"
    );
    let answer = Notebook::found("Nginx 502 时先重启 upstream 再清缓存", "experience", "high");
    book.session("2026-01-04-ops", &talk, &format!("[{answer}]"));
    let told = &book.model.asked()[0].messages;
    assert!(told[0].text.contains("experience") && told[1].text.contains("线上又是 502"));
    let entry = book.kept().remove(0);
    assert_eq!(
        (entry.body.kind.as_str(), entry.stored_at),
        ("experience", day(3.25))
    );
    assert_eq!(
        entry.body.metadata["session"],
        Value::from("2026-01-04-ops")
    );
    let standing = book.space().lifecycle().standings(&[entry.id]).unwrap()[0]
        .clone()
        .unwrap();
    assert_eq!((standing.last_access, standing.used), (day(3.25), 0));
    let text = book.read("MEMORY.md");
    let at = text
        .lines()
        .position(|line| line.starts_with("### ["))
        .unwrap();
    let lines: Vec<&str> = text.lines().skip(at).take(3).collect();
    assert!(
        lines[0].ends_with("] experience | 0.80 | 2026-01-04 | 0"),
        "{text}"
    );
    assert_eq!(lines[1], "Nginx 502 时先重启 upstream 再清缓存");
    for part in [
        "created: 2026-01-04T06:00:00",
        "session: 2026-01-04-ops",
        "activated: 2026-01-04T06:00:00",
    ] {
        assert!(lines[2].contains(part), "{}", lines[2]);
    }
}

/// Five cases of the extractor: two candidates, short talk, an answer that is no list, a known
/// memory, and the fifty best that are shown.
fn extracting() {
    let book = Notebook::new("markdown");
    let example = r#"[
      {"content": "用户偏好用 pytest 而非 unittest", "category": "preference", "importance": "medium"},
      {"content": "用户提到下周三有产品评审会议", "category": "todo", "importance": "high"}
    ]"#;
    assert_eq!(
        book.session(
            "a",
            &format!("测试用 pytest。下周三有产品评审会议。{TALK}"),
            example
        ),
        merged(2, 0)
    );
    let kept: Vec<(String, String, f64)> = book
        .kept()
        .iter()
        .map(|memory| {
            (
                memory.body.text.clone(),
                memory.body.kind.to_string(),
                book.score(memory.id),
            )
        })
        .collect();
    assert_eq!(
        (kept[0].0.as_str(), kept[0].1.as_str()),
        ("用户偏好用 pytest 而非 unittest", "preference")
    );
    assert_eq!(
        (kept[1].0.as_str(), kept[1].1.as_str()),
        ("用户提到下周三有产品评审会议", "todo")
    );
    near(kept[0].2, 0.6);
    near(kept[1].2, 0.8);
    let calls = || book.model.asked().len();
    assert_eq!(calls(), 1);
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .process_session_end(Vec::new(), "empty")
            .unwrap(),
        merged(0, 0)
    );
    let short = vec![
        said(Role::User, &"字".repeat(39)),
        said(Role::Assistant, "嗯"),
    ];
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .process_session_end(short, "short")
            .unwrap(),
        merged(0, 0)
    );
    assert_eq!(calls(), 1, "nothing and short talk cost no call");

    let form = candidates::Form::of(
        &annals::profiles::parse(annals::profiles::builtin("markdown").unwrap()).unwrap(),
    );
    let heard = candidates::parse("hello", &form, &Aliases::none());
    assert_eq!((heard.operations.len(), heard.warnings.len()), (0, 1));
    let odd = book.session("b", TALK, "hello");
    assert_eq!(
        (
            odd.new,
            odd.updated,
            odd.put_off.is_some(),
            book.kept().len()
        ),
        (0, 0, true, 2)
    );
    let fenced = format!(
        "好的：\n```json\n[{}]\n```",
        Notebook::found("用户住在上海", "fact", "low")
    );
    assert_eq!(
        book.session("c", &format!("我住在上海。{TALK}"), &fenced)
            .new,
        1
    );

    let again = format!(
        "[{}]",
        Notebook::found("用户偏好用 pytest 而非 unittest", "preference", "medium")
    );
    let count = book.kept().len();
    assert_eq!(
        book.session("d", &format!("说过了，测试用 pytest。{TALK}"), &again)
            .new,
        0
    );
    assert_eq!(
        book.kept().len(),
        count,
        "a topic that is stored is stored once"
    );

    let many = Notebook::new("markdown");
    for n in 0..80_u32 {
        many.scored("fact", 0.2 + f64::from(n) / 100.0, &format!("活跃第{n}条"));
    }
    for n in 0..10_u32 {
        many.scored("fact", 0.19, &format!("归档第{n}条"));
    }
    many.session("s", TALK, "[]");
    let prompt = many.model.asked()[0].messages[1].text.clone();
    let lines: Vec<&str> = prompt
        .lines()
        .filter(|line| line.starts_with('['))
        .collect();
    assert_eq!(lines.len(), 50);
    assert!(
        lines[0].ends_with("] 活跃第79条") && lines[49].ends_with("] 活跃第30条"),
        "{} {}",
        lines[0],
        lines[49]
    );
    assert!(!prompt.contains("归档"));
}

#[test]
fn five_cases_of_the_extractor() {
    // spec: M-51, M-104
    extracting();
}

/// Four entries in one merge: one new, one heard again, one that fades, one that is gone.
fn mixed() {
    let book = Notebook::new("markdown");
    let gone = book.level("low", "用户用过 vim");
    book.at(177.0);
    let faded = book.level("high", "用户住在柏林");
    book.at(213.0);
    let heard = book.level("medium", "用户偏好用 pytest");
    book.at(214.0);
    let answer = format!(
        r#"[{},{{"reinforces":"{}"}}]"#,
        Notebook::found("用户养了一只猫", "fact", "high"),
        Notebook::alias(heard)
    );
    let done = book.session(
        "s",
        &format!("测试用 pytest，另外我养了一只猫。{TALK}"),
        &answer,
    );
    assert_eq!((done.new, done.updated, done.deleted), (1, 1, 1));
    near(book.score(book.id_of("用户养了一只猫")), 0.8);
    near(book.score(heard), 0.68);
    near(book.score(faded), 0.591_760);
    assert_eq!(book.status(gone), None);
    let text = book.read("MEMORY.md");
    assert!(text.contains("<!-- Total entries: 3 -->"), "{text}");
    let order = ["用户养了一只猫", "用户偏好用 pytest", "用户住在柏林"]
        .map(|entry| text.find(entry).unwrap());
    assert!(order.is_sorted());
    book.validate();
}

#[test]
fn one_merge_adds_strengthens_lets_fade_and_deletes() {
    // spec: M-69
    mixed();
}

#[test]
fn what_only_faded_was_not_updated() {
    // spec: M-71
    let book = Notebook::new("markdown");
    let heard = book.level("medium", "用户偏好用 pytest");
    let fading = book.level("high", "用户住在柏林");
    book.at(37.0);
    let answer = format!(
        r#"[{},{},{{"reinforces":"{}"}}]"#,
        Notebook::found("用户养了一只猫", "fact", "high"),
        Notebook::found("每周五发布新版本", "workflow", "medium"),
        Notebook::alias(heard)
    );
    assert_eq!(book.session("s", TALK, &answer), merged(2, 1));
    near(book.score(fading), 0.591_760);
}

/// Eight cases of the merger, the mixed one aside.
fn merging() {
    let book = Notebook::new("markdown");
    let levels = ["high", "medium", "low"].map(|level| book.level(level, &format!("{level} one")));
    for (id, score) in levels.iter().zip([0.8, 0.6, 0.4]) {
        near(book.score(*id), score);
    }
    let hit = book.level("medium", "heard again");
    for (at, score) in [0.68, 0.744, 0.7952].into_iter().enumerate() {
        let answer = format!(
            r#"[{{"reinforces":"{0}"}},{{"reinforces":"{0}"}}]"#,
            Notebook::alias(hit)
        );
        assert_eq!(
            book.session(&format!("hit {at}"), TALK, &answer),
            merged(0, 1)
        );
        near(book.score(hit), score);
        assert_eq!(book.uses(hit) as usize, at + 1);
    }
    for _ in 3..100 {
        book.space().touch(&[hit]).unwrap();
    }
    assert!(book.score(hit) <= 1.0 && book.score(hit) > 0.999_999);
    let (high, medium, low) = (levels[0], levels[1], levels[2]);
    for (at, score) in [
        (7.0, 0.8),
        (7.0 + 23.0 / 24.0, 0.8),
        (8.0, 0.792),
        (37.0, 0.591_760),
    ] {
        book.at(at);
        near(book.score(high), score);
    }
    let expect = |at: f64, id, score: Option<f64>, status: Option<Status>| {
        book.at(at);
        book.force();
        assert_eq!(book.status(id), status, "day {at}");
        if let Some(score) = score {
            near(book.score(id), score);
        }
    };
    expect(75.0, low, Some(0.201_954), Some(Status::Active));
    expect(76.0, low, Some(0.199_935), Some(Status::Archived));
    expect(116.0, medium, Some(0.200_626), Some(Status::Active));
    expect(117.0, medium, Some(0.198_620), Some(Status::Archived));
    assert!(!book.prompt().contains("medium one"));
    expect(213.0, low, Some(0.050_456), Some(Status::Archived));
    expect(214.0, low, None, None);
    expect(282.0, high, None, Some(Status::Archived));
    expect(283.0, high, None, None);
}

#[test]
fn eight_cases_of_the_merger() {
    // spec: M-105
    merging();
    mixed();
}

#[test]
fn entries_are_scored_merged_sorted_and_fade() {
    // spec: M-03
    extracting();
    merging();
    // Heard again by its id, by its words, and at most once a session; an archived entry comes
    // back.
    let book = Notebook::new("markdown");
    let known = book.level("medium", "用户偏好用 pytest");
    let archived = book.scored("fact", 0.15, "用户住在汉堡");
    book.force();
    assert_eq!(book.status(archived), Some(Status::Archived));
    let name = Notebook::alias(known);
    let answer = format!(
        r#"[{{"reinforces":"{name}"}},{{"reinforces":"{name}"}},{{"reinforces":"{name}"}},{{"reinforces":"zzz"}},{}]"#,
        Notebook::found("用户住在汉堡", "fact", "high")
    );
    assert_eq!(book.session("s", TALK, &answer), merged(0, 2));
    near(book.score(known), 0.68);
    near(book.score(archived), 0.32);
    assert_eq!(
        (book.status(archived), book.kept().len()),
        (Some(Status::Active), 2)
    );
    // How often it is merged does not count.
    for merges in [&[10.0, 11.0][..], &[11.0]] {
        let book = Notebook::new("markdown");
        let id = book.level("high", "用户住在柏林");
        for at in merges {
            book.at(*at);
            book.space().session("s").end().unwrap();
        }
        near(book.score(id), 0.768_477);
    }
}

#[test]
fn what_no_longer_fits_is_handed_to_the_memory_and_not_to_the_file() {
    // spec: M-06, M-107
    let book = Notebook::new("markdown");
    book.scored("fact", 0.1, "已经归档的一条");
    book.scored("fact", 0.9, "用户住在柏林");
    book.force();
    let before = book.read("MEMORY.md");
    let working = book.space().session("s").working().unwrap();
    for round in 1..=10 {
        working
            .round(&format!("第{round}轮的问题"), &format!("第{round}轮的回答"))
            .unwrap();
        assert_eq!(working.messages().len(), 2 * round);
    }
    assert_eq!(
        (
            book.space().queue().list(10).unwrap().len(),
            book.space().sessions().list().unwrap().len()
        ),
        (0, 0)
    );
    assert_eq!(
        working.round("第11轮的问题", "第11轮的回答").unwrap().moved,
        10
    );
    let at_hand: Vec<String> = working
        .messages()
        .into_iter()
        .map(|message| message.body.text)
        .collect();
    assert_eq!(
        (at_hand.len(), at_hand[0].as_str(), at_hand[11].as_str()),
        (12, "第6轮的问题", "第11轮的回答")
    );
    assert_eq!(
        book.read("MEMORY.md"),
        before,
        "trimming does not write the file"
    );
    assert_eq!(book.space().queue().list(10).unwrap().len(), 1);
    book.answers(format!(
        "[{}]",
        Notebook::found("用户每天提问", "fact", "medium")
    ));
    book.space().queue().work_off().unwrap();
    let asked = book.model.asked();
    assert_eq!(asked.len(), 1);
    let shown = &asked[0].messages[1].text;
    assert!(
        shown.contains("第1轮的问题") && shown.contains("第5轮的回答") && !shown.contains("第6轮"),
        "{shown}"
    );
    assert_eq!(book.kept().len(), 3);
    let prompt = book.prompt();
    assert!(
        prompt.contains("用户住在柏林") && !prompt.contains("已经归档的一条"),
        "{prompt}"
    );
}

#[test]
fn neither_raw_messages_nor_the_first_lines_of_the_file_reach_a_prompt() {
    // spec: M-05
    let book = Notebook::new("markdown");
    let working = book.space().session("s").working().unwrap();
    for round in 0..11 {
        working
            .round(&format!("原话第{round}句"), &format!("原话回答第{round}句"))
            .unwrap();
    }
    book.answers(format!(
        "[{}]",
        Notebook::found("用户提了十一个问题", "fact", "high")
    ));
    book.space().queue().work_off().unwrap();
    book.force();
    let text = book.read("MEMORY.md");
    assert!(
        text.contains("用户提了十一个问题") && !text.contains("原话"),
        "{text}"
    );

    let book = Notebook::new("markdown");
    let mut file = String::from("# Agent Memory\n\n## Active Memories\n\n");
    for n in 0..65 {
        file += &format!(
            "### [e{n:05}] fact | {} | 2026-01-01 | 0\n条目{n:02}\n\n",
            if n < 8 { "0.70" } else { "0.30" }
        );
    }
    assert!(file.lines().count() >= 199);
    book.write("MEMORY.md", &file);
    book.space()
        .files()
        .sync(book.folder.path().join("u"))
        .unwrap();
    let wanted: Vec<String> = (0..8).map(|n| format!("- 条目{n:02}")).collect();
    let prompt = book.prompt();
    let mut lines: Vec<&str> = prompt.lines().skip(3).collect();
    lines.sort_unstable();
    assert_eq!(lines, wanted);
    assert!(prompt.starts_with("# 历史记忆\n\n关于用户的关键信息：\n") && !prompt.contains("###"));
}

#[test]
fn a_conversation_is_shortened_without_waiting_for_what_it_taught() {
    // spec: M-102
    let book = Notebook::new("markdown");
    let working = book.space().session("s").working().unwrap();
    for round in 0..10 {
        working
            .round(&format!("问{round}"), &format!("答{round}"))
            .unwrap();
    }
    let spoken = working.round("问10", "答10").unwrap();
    assert_eq!(
        (spoken.moved, spoken.put_off, working.messages().len()),
        (10, None, 12)
    );
    assert_eq!(
        book.model.asked().len(),
        0,
        "the shorter conversation is there before a model was asked"
    );
    let older: Vec<NewTurn> = (0..4)
        .map(|n| said(Role::User, &format!("更早的第{n}句话")))
        .collect();
    assert_eq!(
        book.space()
            .designs()
            .agent()
            .on_context_compressed("t", older.clone())
            .unwrap(),
        4
    );
    assert_eq!(
        book.space()
            .designs()
            .agent()
            .on_context_compressed("t", older)
            .unwrap(),
        0
    );
    assert_eq!(
        (
            book.model.asked().len(),
            book.space().queue().list(10).unwrap().len()
        ),
        (0, 2)
    );
    book.answers("[]");
    book.answers("[]");
    book.space().queue().work_off().unwrap();
    assert_eq!(
        (
            book.model.asked().len(),
            book.space().queue().list(10).unwrap().len()
        ),
        (2, 0)
    );
}

#[test]
fn prompts_get_lines_of_what_is_worth_half() {
    // spec: M-76, M-101
    let book = Notebook::new("markdown");
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .prompt_memories(20)
            .unwrap(),
        ""
    );
    book.scored("fact", 0.9, "a");
    book.scored("fact", 0.5, "b");
    book.scored("fact", 0.4999, "almost");
    book.scored("fact", 0.1, "archived");
    book.force();
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .prompt_memories(20)
            .unwrap(),
        "- a\n- b"
    );
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .prompt_memories(1)
            .unwrap(),
        "- a"
    );
    for n in 0..28_u32 {
        book.scored("fact", 0.6 + f64::from(n) / 100.0, &format!("entry {n:02}"));
    }
    let lines = book
        .space()
        .designs()
        .markdown()
        .prompt_memories(20)
        .unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(
        (lines.len(), lines[0], lines[1], lines[19]),
        (20, "- a", "- entry 27", "- entry 09")
    );
}

/// Answers once five ask at the same time: were they asked one after another, none would ever be
/// answered.
struct Together(Barrier);

impl Extractor for Together {
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        self.0.wait();
        let said = window.turns[0].body.text.strip_prefix(TALK).unwrap();
        Ok(vec![Extracted::Add(
            NewMemory::builder(said)
                .kind("fact")
                .metadata("level", "high")
                .build()
                .unwrap(),
        )])
    }
}

#[test]
fn five_ends_at_once_are_five_merges() {
    // spec: M-82
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("u.annals");
    let options = Options::new()
        .clock(Arc::new(ManualClock::new(day(0.0))))
        .id_seed(1);
    let options = options.extractor(Arc::new(Together(Barrier::new(5))));
    let memory = options
        .mirrors(format!("{}/{{name}}", folder.path().display()))
        .open(&path)
        .unwrap();
    let space = memory.create_namespace("u", "markdown").unwrap();
    let learnt = [
        "用户住在北京",
        "用户喜欢爬山",
        "用户养了一只猫",
        "用户的弟弟会弹琴",
        "用户每周五发布新版本",
    ];
    let done: Vec<Merged> = std::thread::scope(|scope| {
        let end = |(n, learnt): (usize, &&str)| {
            let (space, text) = (space.clone(), format!("{TALK}{learnt}"));
            scope.spawn(move || {
                space
                    .designs()
                    .markdown()
                    .process_session_end(vec![said(Role::User, &text)], &format!("s{n}"))
                    .unwrap()
            })
        };
        let ends: Vec<_> = learnt.iter().enumerate().map(end).collect();
        ends.into_iter().map(|end| end.join().unwrap()).collect()
    });
    // The five sessions were merged one after another: nothing is lost, neither in the memory nor
    // in the file.
    assert_eq!(done, vec![merged(1, 0); 5]);
    let filter = Filter {
        layers: vec![Layer::Semantic],
        ..Filter::default()
    };
    let page = space
        .list(&ListQuery {
            filter,
            limit: 100,
            ..ListQuery::default()
        })
        .unwrap();
    let mut kept: Vec<String> = page
        .memories
        .into_iter()
        .map(|memory| memory.body.text)
        .collect();
    kept.sort();
    let mut wanted = learnt.to_vec();
    wanted.sort_unstable();
    assert_eq!(kept, wanted);
    let text = std::fs::read_to_string(folder.path().join("u/MEMORY.md")).unwrap();
    assert!(
        text.contains("<!-- Total entries: 5 -->")
            && learnt.iter().all(|learnt| text.contains(learnt)),
        "{text}"
    );
    // No other handle can open the file meanwhile.
    assert!(Options::new().open(&path).unwrap_err().is_locked());
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

/// Notes the memories that existed when it was asked.
#[derive(Default)]
struct Witness {
    file: Mutex<Option<std::path::PathBuf>>,
    calls: Mutex<Vec<String>>,
}

impl Extractor for Witness {
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let path = self.file.lock().unwrap().clone().unwrap();
        let mut calls = self.calls.lock().unwrap();
        if window
            .known
            .iter()
            .any(|shown| shown.text == "用户手写的一条")
        {
            calls.push("load".to_owned());
        }
        calls.push("extract".to_owned());
        if !std::fs::read_to_string(path).unwrap().contains("学到的") {
            calls.push("not saved yet".to_owned());
        }
        Ok(vec![Extracted::Add(
            NewMemory::builder("学到的一条")
                .kind("fact")
                .metadata("level", "high")
                .build()
                .unwrap(),
        )])
    }
}

#[test]
fn a_session_is_merged_in_this_order() {
    // spec: M-98
    let witness = Arc::new(Witness::default());
    let own = Arc::clone(&witness);
    let book = Notebook::with("markdown", move |options| {
        options.extractor(own as Arc<dyn Extractor>)
    });
    book.write(
        "MEMORY.md",
        "# Agent Memory\n\n## Active Memories\n\n### [a1b2c3] fact | 0.90 | 2026-01-01 | 3\n用户手写的一条\n",
    );
    *witness.file.lock().unwrap() = Some(book.path("MEMORY.md"));
    let done = book
        .space()
        .designs()
        .markdown()
        .process_session_end(vec![said(Role::User, TALK)], "s")
        .unwrap();
    assert_eq!(done, merged(1, 0));
    if book.read("MEMORY.md").contains("学到的一条") {
        witness.calls.lock().unwrap().push("save".to_owned());
    }
    assert_eq!(
        *witness.calls.lock().unwrap(),
        ["load", "extract", "not saved yet", "save"]
    );
    assert!(book.read("MEMORY.md").contains("用户手写的一条"));
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .process_session_end(vec![said(Role::User, TALK)], "s")
            .unwrap(),
        merged(0, 0)
    );
    assert_eq!(witness.calls.lock().unwrap().len(), 4);
}

#[test]
fn without_the_model_entries_fade_and_the_session_waits() {
    // spec: M-100
    let book = Notebook::new("markdown");
    let fading = book.level("high", "用户住在柏林");
    book.at(37.0);
    book.model
        .push("extract", Err("the network is down".to_owned()));
    let history = || vec![said(Role::User, TALK), said(Role::Assistant, "好的。")];
    let failed = book
        .space()
        .designs()
        .markdown()
        .process_session_end(history(), "s")
        .unwrap();
    assert_eq!((failed.new, failed.updated), (0, 0));
    assert!(failed.put_off.unwrap().contains("the network is down"));
    near(book.score(fading), 0.591_760);
    let text = book.read("MEMORY.md");
    assert!(
        text.contains("fact | 0.59 | 2026-01-01 | 0\n用户住在柏林"),
        "{text}"
    );
    assert_eq!(
        (
            book.model.asked().len(),
            book.space().queue().list(10).unwrap().len()
        ),
        (1, 1)
    );
    book.answers(format!(
        "[{}]",
        Notebook::found("用户养了一只猫", "fact", "high")
    ));
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .process_session_end(history(), "s")
            .unwrap(),
        merged(1, 0)
    );
    let asked = book.model.asked();
    assert_eq!(
        asked[0].messages, asked[1].messages,
        "the same turns are looked through again"
    );
    assert_eq!(book.space().session("s").memories(0, 10).unwrap().len(), 2);
    assert!(book.space().queue().list(10).unwrap().is_empty());
    book.validate();
}

#[test]
fn what_people_ask_to_remember_and_forget_is_done() {
    // spec: M-87
    let book = Notebook::new("markdown");
    let other = book.level("high", "用户住在柏林");
    let space = book.space();
    space
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s", "我对花生过敏").build().unwrap())
        .unwrap();
    space
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s", "记住这个").build().unwrap())
        .unwrap();
    let done = space.session("s").handle_command("记住这个").unwrap();
    let HandledCommand::Remembered { id, text } = &done else {
        panic!("{done:?}")
    };
    let reply = |handled: &HandledCommand| space.session("s").reply(handled.clone()).unwrap();
    assert_eq!(
        (text.as_str(), reply(&done).as_deref()),
        ("我对花生过敏", Some("已记住：我对花生过敏"))
    );
    near(book.score(*id), 0.8);
    assert_eq!(book.model.asked().len(), 0, "at once, without a model");
    let named = space
        .session("s")
        .handle_command("Remember that the door code is kept by Ada")
        .unwrap();
    assert_eq!(
        reply(&named).unwrap(),
        "Remembered: the door code is kept by Ada"
    );

    space
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s", "我其实对花生不过敏").build().unwrap())
        .unwrap();
    let asked = space.session("s").handle_command("忘掉那个").unwrap();
    assert_eq!(
        asked,
        HandledCommand::ToForget {
            id: *id,
            text: "我对花生过敏".to_owned()
        }
    );
    assert_eq!(reply(&asked).unwrap(), "要忘掉这一条吗？我对花生过敏");
    assert_eq!(
        book.status(*id),
        Some(Status::Active),
        "nothing goes before it is confirmed"
    );
    let gone = space.reviews().confirm(asked).unwrap();
    assert_eq!(reply(&gone).unwrap(), "已忘掉：我对花生过敏");
    assert_eq!(
        (book.status(*id), book.status(other)),
        (Some(Status::Forgotten), Some(Status::Active))
    );
    assert_eq!(
        space.session("s").handle_command("今天天气不错").unwrap(),
        HandledCommand::Nothing
    );
    assert_eq!(reply(&HandledCommand::Nothing), None);
    let empty = Notebook::new("markdown")
        .space()
        .session("s")
        .handle_command("忘掉那个")
        .unwrap();
    assert_eq!(
        empty,
        HandledCommand::Unclear {
            message: "忘掉那个".to_owned()
        }
    );
    book.force();
    let text = book.read("MEMORY.md");
    assert!(
        !text.contains("花生") && text.contains("the door code is kept by Ada"),
        "{text}"
    );
}

#[test]
fn memories_are_found_offline_by_meaning() {
    // spec: M-90
    let book = Notebook::new("markdown");
    book.scored("fact", 0.9, "The user lives in Berlin.");
    book.scored("fact", 0.9, "Invoices are sent on Fridays.");
    let found = book.space().recall("Which city is home?").unwrap();
    assert_eq!(found[0].text, "The user lives in Berlin.");
    assert!(
        found[0]
            .explanation
            .found_by
            .contains(&annals::Channel::Vector)
    );
    assert_eq!(book.model.asked().len(), 0);
}

#[test]
fn what_is_alike_is_matched_by_vectors() {
    // part: M-91
    let table = Table::new();
    let own = Arc::clone(&table);
    let book = Notebook::with("markdown", move |options| options.embedder(own));
    table.near("测试一律用 pytest", "用户偏好用 pytest", 0.93);
    table.near("用户读过 pytest 的文档", "用户偏好用 pytest", 0.91);
    let old = book.scored("preference", 0.15, "用户偏好用 pytest");
    book.force();
    assert_eq!(book.status(old), Some(Status::Archived));
    let answer = format!(
        "[{}]",
        Notebook::found("测试一律用 pytest", "preference", "high")
    );
    assert_eq!(book.session("s", TALK, &answer), merged(0, 1));
    near(book.score(old), 0.32);
    assert_eq!(
        (book.status(old), book.kept().len()),
        (Some(Status::Active), 1)
    );
    let answer = format!(
        "[{}]",
        Notebook::found("用户读过 pytest 的文档", "fact", "low")
    );
    assert_eq!(
        book.session("t", &format!("{TALK}。"), &answer),
        merged(1, 0)
    );
}

#[test]
fn a_search_strengthens_nothing_and_a_mention_does() {
    // spec: M-93
    let book = Notebook::new("markdown");
    let id = book.level("medium", "用户偏好用 pytest");
    for _ in 0..3 {
        assert_eq!(book.space().recall("pytest").unwrap()[0].id, id);
    }
    near(book.score(id), 0.6);
    assert_eq!(book.uses(id), 0);
    book.session(
        "s",
        TALK,
        &format!(r#"[{{"reinforces":"{}"}}]"#, Notebook::alias(id)),
    );
    near(book.score(id), 0.68);
    assert_eq!(book.uses(id), 1);
}

#[test]
fn the_first_session_makes_the_file_and_others_strengthen_it() {
    // spec: M-106
    let book = Notebook::new("markdown");
    assert!(!book.path("MEMORY.md").exists());
    let answer = format!(
        "[{}]",
        Notebook::found("用户偏好用 pytest", "preference", "medium")
    );
    assert_eq!(book.session("1", TALK, &answer), merged(1, 0));
    let copy = Notebook::new("markdown");
    copy.write("MEMORY.md", &book.read("MEMORY.md"));
    let read = copy
        .space()
        .files()
        .sync(copy.folder.path().join("u"))
        .unwrap()
        .files
        .remove(0);
    assert_eq!((read.entries, read.added, read.warnings.len()), (1, 1, 0));
    let id = book.id_of("用户偏好用 pytest");
    near(book.score(id), 0.6);
    for (session, score) in [("2", 0.68), ("3", 0.744)] {
        assert_eq!(book.session(session, TALK, &answer), merged(0, 1));
        near(book.score(id), score);
    }
    assert_eq!((book.uses(id), book.kept().len()), (2, 1));
    assert!(book.prompt().ends_with("- 用户偏好用 pytest"));
}

#[test]
fn an_end_costs_one_call_of_a_bounded_size() {
    // spec: M-109
    let book = Notebook::new("markdown");
    for n in 0..80_u32 {
        // Such as a person may write into the file.
        let text = format!(
            "第{n}条：{}",
            "用户在项目里一直坚持用同一套工具和流程。".repeat(100)
        );
        book.scored(
            "fact",
            0.2 + f64::from(n) / 100.0,
            &text.chars().take(2000).collect::<String>(),
        );
    }
    let tokens = |request: &Request| {
        request
            .messages
            .iter()
            .map(|message| estimate(&message.text))
            .sum::<usize>()
    };
    let listed = |request: &Request| -> Vec<String> {
        request.messages[1]
            .text
            .lines()
            .filter(|line| line.starts_with('['))
            .map(str::to_owned)
            .collect()
    };
    let bare = Notebook::new("markdown");
    bare.session("instructions", TALK, "[]");
    let instructions = tokens(&bare.model.asked()[0]);
    // 8000 tokens exactly: no summary, one call.
    let dialogue = |word: &str, times: usize| -> Vec<NewTurn> {
        assert_eq!(estimate(&word.repeat(320)), 400);
        (0..times)
            .map(|_| said(Role::User, &word.repeat(320)))
            .collect()
    };
    book.answers("[]");
    book.space()
        .designs()
        .markdown()
        .process_session_end(dialogue("字", 20), "long")
        .unwrap();
    let asked = book.model.asked();
    assert_eq!(
        asked
            .iter()
            .map(|request| request.purpose.as_str())
            .collect::<Vec<_>>(),
        ["extract"],
        "one call an end"
    );
    let shown = listed(&asked[0]);
    assert!(
        !shown.is_empty() && shown.len() <= 50,
        "{} lines",
        shown.len()
    );
    assert!(
        estimate(&shown.join("\n")) <= 3000,
        "{} tokens",
        estimate(&shown.join("\n"))
    );
    assert!(
        shown[0].contains("第79条") && shown[1].contains("第78条"),
        "what is worth most comes first: {}",
        shown[0]
    );
    assert_eq!(
        asked[0].messages[1].text.matches('字').count(),
        20 * 320,
        "the whole dialogue is there"
    );
    assert!(
        tokens(&asked[0]) <= 8000 + 3000 + instructions,
        "{}, instructions {instructions}",
        tokens(&asked[0])
    );
    // More than that is summarized before, which costs one call more and shows the summary alone.
    book.model
        .push("summarize", Ok(Reply::text("一段很长的对话")));
    book.model.push("summarize", Ok(Reply::text("还有一段")));
    book.answers("[]");
    book.space()
        .designs()
        .markdown()
        .process_session_end(dialogue("词", 21), "longer")
        .unwrap();
    let asked = book.model.asked();
    assert_eq!(
        asked
            .iter()
            .filter(|request| request.purpose == "extract")
            .count(),
        2
    );
    let last = asked.last().unwrap();
    assert!(
        last.messages[1].text.contains("一段很长的对话") && !last.messages[1].text.contains("词词")
    );
    // Short memories are fifty lines, and no more.
    let short = Notebook::new("markdown");
    for n in 0..80_u32 {
        short.scored(
            "fact",
            0.2 + f64::from(n) / 100.0,
            &format!("第{n}条：用户在项目里一直坚持用同一套工具"),
        );
    }
    short.session("s", TALK, "[]");
    assert_eq!(listed(&short.model.asked()[0]).len(), 50);
}

#[test]
fn what_contradicts_closes_what_was_true() {
    // spec: M-95
    let book = Notebook::changed(
        "markdown",
        &[(
            "strategy = \"penalty\"\npenalty = 0.5",
            "strategy = \"close_interval\"",
        )],
    );
    let told = |text: &str, about: (&str, &str)| {
        let memory = NewMemory::builder(text)
            .kind("preference")
            .metadata("subject", about.0)
            .metadata("predicate", about.1);
        book.space().remember(memory.build().unwrap()).unwrap()
    };
    book.at(1.0);
    let tidy = told("喜欢简洁代码", ("我", "代码风格"));
    let vue = told("我喜欢用 Vue 3", ("我", "框架"));
    book.at(30.0);
    let react = told("我现在更喜欢用 React", ("我", "框架"));
    let get = |id| book.space().get(id).unwrap().unwrap();
    assert_eq!(
        (get(vue).body.valid_until, get(react).body.valid_from),
        (Some(day(30.0)), Some(day(30.0)))
    );
    let links = book.space().graph().links(react).unwrap();
    assert_eq!(
        links
            .iter()
            .map(|l| (l.from, l.relation.as_str(), l.to))
            .collect::<Vec<_>>(),
        [(react, "supersedes", vue)]
    );
    assert_eq!(
        (
            get(vue).status,
            get(vue).body.text.as_str(),
            book.kept().len()
        ),
        (Status::Active, "我喜欢用 Vue 3", 3)
    );
    assert_eq!(
        (
            get(tidy).body.valid_until,
            book.space().graph().links(tidy).unwrap()
        ),
        (None, vec![])
    );
    // The old one is listed, with the time in which it was true.
    let listed = book.space().list(&ListQuery::default()).unwrap().memories;
    let old = listed.iter().find(|memory| memory.id == vue).unwrap();
    assert_eq!((listed.len(), old.status), (3, Status::Active));
    let interval = book
        .space()
        .designs()
        .studio()
        .memories(&[old.id])
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!(
        (interval.valid_from, interval.valid_until),
        (day(1.0), Some(day(30.0)))
    );
    assert_eq!(old.body.valid_until, Some(day(30.0)));
    book.validate();
    // As the profile comes, the old one is punished instead: it stays what it was, worth half as
    // much.
    let book = Notebook::new("markdown");
    book.at(1.0);
    let tidy = book.scored("preference", 0.6, "用户喜欢简洁代码");
    let vue = book.scored("preference", 0.6, "用户喜欢用 Vue 3");
    book.at(2.0);
    let name = Notebook::alias(vue);
    let against = format!(
        r#"[{{"content":"用户现在更喜欢用 React","category":"preference","importance":"medium","contradicts":["{name}"]}}]"#
    );
    assert_eq!(book.session("s", TALK, &against).new, 1);
    let react = book.id_of("用户现在更喜欢用 React");
    for (id, score) in [(tidy, 0.6), (vue, 0.3), (react, 0.6)] {
        near(book.score(id), score);
    }
    let entries = Filter {
        layers: vec![Layer::Semantic],
        ..Filter::default()
    };
    let listed = book
        .space()
        .list(&ListQuery {
            filter: entries,
            ..ListQuery::default()
        })
        .unwrap()
        .memories;
    let old = listed.iter().find(|memory| memory.id == vue).unwrap();
    assert_eq!(
        (listed.len(), old.status, old.body.valid_until),
        (3, Status::Active, None)
    );
    book.validate();
}

#[test]
fn what_is_asked_for_twice_in_like_words_is_kept_once() {
    let table = Table::new();
    table.near("测试一律用 pytest", "用户偏好用 pytest", 0.93);
    let embedder = Arc::clone(&table);
    let book = Notebook::with("markdown", move |options: Options| {
        options.embedder(embedder.clone())
    });
    let session = book.space().session("s");
    let kept = |said: &str| {
        for text in [said, "记住这个"] {
            let turn = NewTurn::builder("s", text).build().unwrap();
            book.space().designs().agent().on_turn_end(turn).unwrap();
        }
        match session.handle_command("记住这个").unwrap() {
            HandledCommand::Remembered { id, .. } => id,
            other => panic!("{other:?}"),
        }
    };
    let (first, second) = (kept("用户偏好用 pytest"), kept("测试一律用 pytest"));
    assert_eq!((first, book.kept().len()), (second, 1));
}

#[test]
fn what_matters_less_is_not_in_the_prompt_but_found() {
    // spec: M-04
    let book = Notebook::new("markdown");
    let (high, low) = (
        book.scored("preference", 0.6, "用户喜欢喝龙井茶"),
        book.scored("preference", 0.4, "用户喝咖啡不加糖"),
    );
    near(book.score(high), 0.6);
    near(book.score(low), 0.4);
    let prompt = book.prompt();
    assert!(
        prompt.contains("- 用户喜欢喝龙井茶") && !prompt.contains("咖啡"),
        "{prompt}"
    );
    let reply = book
        .space()
        .tools()
        .call("recall_memory", r#"{"query":"用户喝咖啡加什么"}"#)
        .unwrap();
    let found: serde_json::Value = serde_json::from_str(reply.as_json()).unwrap();
    assert_eq!(
        (&found["success"], &found["results"][0]["id"]),
        (&true.into(), &low.to_string().into()),
        "{found}"
    );
    assert_eq!(
        (
            &found["results"][0]["score"],
            &found["results"][0]["category"]
        ),
        (&0.4.into(), &"preference".into())
    );
    // Asked for or not, the prompt stays what it was: it is recalled on demand.
    assert_eq!(book.prompt(), prompt);
}

#[test]
fn an_entry_has_one_id_in_the_file_and_before_the_model() {
    // spec: M-45
    let book = Notebook::new("markdown");
    for n in 0..80 {
        book.scored(
            "fact",
            0.2 + f64::from(n) / 100.0,
            &format!("用户的第{n}件事是数字{}", n * 7),
        );
    }
    for n in 0..10 {
        let old = NewMemory::builder(format!("旧事{n}号"))
            .kind("fact")
            .importance(0.1)
            .status(Status::Archived);
        book.space().remember(old.build().unwrap()).unwrap();
    }
    book.session("s", TALK, "[]");
    let asked = book.model.asked().remove(0);
    let shown: String = asked
        .messages
        .iter()
        .map(|message| message.text.as_str())
        .collect::<Vec<_>>()
        .join("\n");
    let lines: Vec<(&str, &str)> = shown
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once("] "))
        .filter(|(_, text)| text.contains("件事"))
        .collect();
    assert_eq!(
        (lines.len(), lines[0].1, lines[49].1),
        (50, "用户的第79件事是数字553", "用户的第30件事是数字210")
    );
    assert!(!shown.contains("旧事"), "{shown}");
    let file = book.read("MEMORY.md");
    for (id, text) in lines {
        let heading = file
            .lines()
            .zip(file.lines().skip(1))
            .find(|(_, below)| *below == text)
            .unwrap()
            .0;
        assert!(
            heading.starts_with(&format!("### [{id}] ")),
            "{heading}: {id} {text}"
        );
    }
}

#[test]
fn a_todo_that_has_expired_is_found_in_the_archive() {
    // part: M-89; one kind of memory, which has expired
    let book = Notebook::new("markdown");
    let todo = NewMemory::builder("周五前交季度报告")
        .kind("todo")
        .metadata("level", "high")
        .expires_at(day(3.0));
    let todo = book.space().remember(todo.build().unwrap()).unwrap();
    let found = || {
        let reply = book
            .space()
            .tools()
            .call(
                "recall_memory",
                r#"{"query":"季度报告","include_active":false}"#,
            )
            .unwrap();
        let found: serde_json::Value = serde_json::from_str(reply.as_json()).unwrap();
        found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(found(), Vec::<String>::new(), "it is not archived yet");
    book.at(4.0);
    book.force();
    assert_eq!(found(), [todo.to_string()]);
    assert!(!book.prompt().contains("季度报告"));
    assert!(
        book.space().recall("季度报告").unwrap().is_empty(),
        "it is in no answer that asks for what holds"
    );
}

#[test]
fn an_end_that_comes_again_costs_nothing() {
    let book = Notebook::new("markdown");
    let answer = format!(
        "[{}]",
        Notebook::found("用户偏好用 pytest", "preference", "medium")
    );
    assert_eq!(book.session("s", TALK, &answer), merged(1, 0));
    let history = |more: &[&str]| -> Vec<NewTurn> {
        let mut turns = vec![said(Role::User, TALK), said(Role::Assistant, "好的。")];
        turns.extend(more.iter().map(|text| said(Role::User, text)));
        turns
    };
    assert_eq!(
        book.space()
            .designs()
            .markdown()
            .process_session_end(history(&[]), "s")
            .unwrap(),
        merged(0, 0)
    );
    assert_eq!(book.model.asked().len(), 1);
    book.answers("[]");
    let more = [
        "后来我们又谈了一些别的事情，谈了很久",
        "比如周五要发布，发布之前要跑一遍全部的测试",
    ];
    book.space()
        .designs()
        .markdown()
        .process_session_end(history(&more), "s")
        .unwrap();
    let shown = book.model.asked()[1].messages[1].text.clone();
    assert!(
        shown.contains("比如周五") && !shown.contains("这一段对话"),
        "{shown}"
    );
    assert!(
        !book
            .space()
            .session("s")
            .extract_at(ExtractTrigger::SessionEnd)
            .unwrap()
    );
}

#[test]
fn a_merge_writes_the_entries_in_their_order() {
    // spec: M-70
    let book = Notebook::new("markdown");
    for (level, text) in [
        ("low", "用户养了一只猫"),
        ("high", "用户住在柏林"),
        ("medium", "用户在学意大利语"),
    ] {
        book.level(level, text);
    }
    book.space().session("s").end().unwrap();
    let file = book.read("MEMORY.md");
    let places =
        ["用户住在柏林", "用户在学意大利语", "用户养了一只猫"].map(|text| file.find(text).unwrap());
    assert!(places.is_sorted(), "{file}");
}
