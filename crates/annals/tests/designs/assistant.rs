//! The agent profile around its memories: the files of programs of that design, the night, the
//! prompt, and the configuration.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::life::{World, day, near};
use crate::support::notebook::{Notebook, said};
use crate::support::script::Table;
use annals::llm::provider::{Provider, Replay, Reply, Speaker};
use annals::profile::JobStep;
use annals::{
    AgentMemory, ContextRequest, JobReport, Mode, NewMemory, NewTurn, Options, Role, Status,
    Summarizer, Timestamp,
};

const MESSAGE: &str =
    "请记住：我的代码目录在 D:\\code 下面，所有的项目都放在那里，不要动别的目录。";

#[test]
fn what_an_earlier_store_left_is_taken_over_once() {
    // spec: A-10
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.annals");
    let file = folder.path().join("u/data/memory/memories.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let v1 = r#"[
      {"id": "m1", "type": "fact", "priority": "permanent", "content": "用户叫李雷", "subject": "用户", "predicate": "名字",
       "importance_score": 0.9, "confidence": 1.0, "expires_at": null,
       "created_at": "2025-12-01T08:00:00Z", "updated_at": "2025-12-20T08:00:00Z"},
      {"id": "m2", "type": "preference", "priority": "permanent", "content": "用户喜欢用 Python", "importance_score": 0.7},
      {"id": "m3", "type": "rule", "priority": "permanent", "content": "回复用中文", "importance_score": 0.8}
    ]"#;
    std::fs::write(&file, v1).unwrap();
    let clock = annals::ManualClock::new(day(0.0));
    let options = || {
        let options = Options::new()
            .clock(Arc::new(clock.clone()))
            .id_seed(1)
            .scheduler(true);
        options.mirrors(format!("{}/{{name}}", folder.path().display()))
    };
    let memory = options().open(&path).unwrap();
    memory.create_namespace("u", "agent").unwrap();
    drop(memory);
    let count = |memory: &annals::blocking::Memory| {
        memory.wait_idle().unwrap();
        memory
            .namespace("u")
            .unwrap()
            .admin()
            .stats()
            .unwrap()
            .memories
    };
    let memory = options().open(&path).unwrap();
    assert_eq!(count(&memory), 3);
    let space = memory.namespace("u").unwrap();
    let page = space
        .list(&annals::ListQuery {
            limit: 10,
            ..annals::ListQuery::default()
        })
        .unwrap();
    assert!(
        page.memories
            .iter()
            .all(|memory| memory.body.layer == annals::Layer::Semantic)
    );
    let first = page
        .memories
        .iter()
        .find(|memory| memory.body.text == "用户叫李雷")
        .unwrap();
    let record = space
        .designs()
        .agent()
        .memories(&[first.id])
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!(
        (
            record.kind.as_str(),
            record.priority.as_str(),
            record.subject.as_str()
        ),
        ("FACT", "PERMANENT", "用户")
    );
    near(record.importance_score, 0.9);
    assert_eq!(
        record.created_at,
        "2025-12-01T08:00:00Z".parse::<Timestamp>().unwrap()
    );
    space.delete(first.id, Mode::Commit).unwrap();
    drop((space, memory));
    let memory = options().open(&path).unwrap();
    assert_eq!(
        count(&memory),
        2,
        "what was deleted since does not come again"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), v1);
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn a_memory_is_eleven_fields() {
    // spec: A-14
    let book = Notebook::new("agent");
    book.at(1.0);
    let id = book
        .space()
        .remember(AgentMemory {
            subject: "用户".to_owned(),
            predicate: "喜欢".to_owned(),
            importance_score: 0.7,
            confidence: 0.9,
            ..AgentMemory::new("PREFERENCE", "用户喜欢用 Python")
        })
        .unwrap();
    let record = book
        .space()
        .designs()
        .agent()
        .memories(&[id])
        .unwrap()
        .remove(0)
        .unwrap();
    let json = serde_json::to_value(&record).unwrap();
    let mut keys: Vec<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    let eleven = [
        "confidence",
        "content",
        "created_at",
        "expires_at",
        "id",
        "importance_score",
        "predicate",
        "priority",
        "subject",
        "type",
        "updated_at",
    ];
    assert_eq!(keys, eleven);
    assert_eq!(
        serde_json::from_value::<AgentMemory>(json.clone()).unwrap(),
        record
    );
    assert_eq!(
        (&json["type"], &json["priority"], &json["expires_at"]),
        (
            &"PREFERENCE".into(),
            &"PERMANENT".into(),
            &serde_json::Value::Null
        )
    );
    assert_eq!(
        (record.id, record.content.as_str()),
        (id.to_string(), "用户喜欢用 Python")
    );
    assert_eq!((record.created_at, record.updated_at), (day(1.0), day(1.0)));
    near(record.importance_score, 0.7);
    near(record.confidence, 0.9);
    book.at(2.0);
    book.space().update(id, "用户更喜欢用 Rust").unwrap();
    let record = book
        .space()
        .designs()
        .agent()
        .memories(&[id])
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!((record.created_at, record.updated_at), (day(1.0), day(2.0)));
    assert_eq!(record.content, "用户更喜欢用 Rust");
}

#[test]
fn four_priorities_are_known() {
    // spec: A-16
    let book = Notebook::new("agent");
    let with = |priority: &str| {
        let memory = AgentMemory {
            priority: priority.to_owned(),
            ..AgentMemory::new("FACT", format!("一条 {priority}"))
        };
        book.space().remember(memory)
    };
    for priority in ["TRANSIENT", "SHORT_TERM", "LONG_TERM", "PERMANENT"] {
        let id = with(priority).unwrap();
        assert_eq!(
            book.space().designs().agent().memories(&[id]).unwrap()[0]
                .as_ref()
                .unwrap()
                .priority,
            priority
        );
    }
    for priority in ["LONG", "permanent", "URGENT", " "] {
        let error = with(priority).unwrap_err();
        assert!(error.is_invalid(), "{error}");
    }
    assert_eq!(book.kept().len(), 4);
}

#[test]
fn a_memory_that_says_nothing_else_has_these_values() {
    // spec: A-17
    let book = Notebook::new("agent");
    let fact = book
        .space()
        .remember(AgentMemory::new("FACT", "用户住在柏林"))
        .unwrap();
    let records: Vec<AgentMemory> = [fact]
        .into_iter()
        .map(|id| {
            book.space()
                .designs()
                .agent()
                .memories(&[id])
                .unwrap()
                .remove(0)
                .unwrap()
        })
        .collect();
    let record = &records[0];
    assert_eq!((record.importance_score, record.confidence), (0.5, 0.8));
    assert_eq!(
        (record.subject.as_str(), record.predicate.as_str()),
        ("", "")
    );
    assert_eq!(
        (record.priority.as_str(), record.expires_at),
        ("LONG_TERM", Some(day(30.0)))
    );
    let standing = book.space().lifecycle().standings(&[fact]).unwrap()[0]
        .clone()
        .unwrap();
    assert_eq!(
        (standing.last_access, standing.returned, standing.used),
        (day(0.0), 0, 0)
    );
    for (duration, priority, expires) in [
        ("permanent", "PERMANENT", None),
        ("7d", "SHORT_TERM", Some(7.0)),
        ("24h", "TRANSIENT", Some(1.0)),
        ("session", "TRANSIENT", Some(1.0)),
    ] {
        let memory = NewMemory::builder(format!("保留 {duration}"))
            .kind("FACT")
            .metadata("duration", duration);
        let id = book.space().remember(memory.build().unwrap()).unwrap();
        let record = book
            .space()
            .designs()
            .agent()
            .memories(&[id])
            .unwrap()
            .remove(0)
            .unwrap();
        assert_eq!(
            (record.priority.as_str(), record.expires_at),
            (priority, expires.map(day)),
            "{duration}"
        );
    }
    for (importance, confidence) in [(1.1, 0.8), (-0.1, 0.8), (0.5, 1.1), (0.5, -0.1)] {
        let memory = AgentMemory {
            importance_score: importance,
            confidence,
            ..AgentMemory::new("FACT", "x")
        };
        assert!(
            book.space().remember(memory).unwrap_err().is_invalid(),
            "{importance} {confidence}"
        );
    }
}

/// A model in the place of a summarizer: one summary after another.
fn summaries(book: &Notebook, answers: &[&str]) {
    for answer in answers {
        book.model.push("summarize", Ok(Reply::text(*answer)));
    }
}

#[test]
fn a_long_history_begins_with_a_summary() {
    // spec: A-49
    let book = Notebook::new("agent");
    summaries(&book, &["前面谈了部署", "前面谈了部署和测试"]);
    let working = book.space().session("s").working().unwrap();
    for number in 1..=40 {
        let role = if number % 2 == 1 {
            Role::User
        } else {
            Role::Assistant
        };
        working.say(said(role, &format!("第{number}句"))).unwrap();
    }
    let texts = |working: &annals::blocking::WorkingMemory| -> Vec<String> {
        working
            .messages()
            .into_iter()
            .map(|message| message.body.text)
            .collect()
    };
    assert_eq!((texts(&working).len(), book.model.asked().len()), (40, 0));
    working.say(said(Role::User, "第41句")).unwrap();
    let wanted: Vec<String> = std::iter::once("前面谈了部署".to_owned())
        .chain((32..=41).map(|n| format!("第{n}句")))
        .collect();
    assert_eq!(texts(&working), wanted);
    assert_eq!(
        working.messages()[0].body.turn.as_ref().unwrap().role,
        Role::System
    );
    let prompt = working.prompt("You help.", "第42句").unwrap().messages;
    let record = "What was said before, summed up (a record, not instructions):\n- 前面谈了部署";
    assert_eq!(
        (prompt[1].speaker, prompt[1].text.as_str()),
        (Speaker::System, record)
    );
    assert!(
        prompt[2..]
            .iter()
            .all(|message| message.speaker != Speaker::System)
    );
    for number in 42..=71 {
        working
            .say(said(Role::User, &format!("第{number}句")))
            .unwrap();
    }
    assert_eq!(
        (texts(&working).len(), texts(&working)[0].as_str()),
        (11, "前面谈了部署和测试")
    );
    assert!(
        book.model.asked()[1].messages[1]
            .text
            .contains("前面谈了部署"),
        "the former summary is in the next"
    );
    assert!(book.kept().is_empty(), "the summary is no memory");

    let small = Notebook::changed(
        "agent",
        &[("messages = 40", "messages = 6"), ("keep = 10", "keep = 2")],
    );
    summaries(&small, &["短的"]);
    let working = small.space().session("s").working().unwrap();
    for number in 1..=7 {
        working
            .say(said(Role::User, &format!("第{number}句")))
            .unwrap();
    }
    assert_eq!(texts(&working), ["短的", "第6句", "第7句"]);
}

const NIGHT: [JobStep; 9] = [
    JobStep::Queue,
    JobStep::Dedup,
    JobStep::Decay,
    JobStep::Rules,
    JobStep::Expire,
    JobStep::Attachments,
    JobStep::CoreFiles,
    JobStep::UserFiles,
    JobStep::Mirrors,
];

fn nights(reports: &[JobReport]) -> Vec<&JobReport> {
    reports
        .iter()
        .filter(|report| report.job == "nightly")
        .collect()
}

/// The agent profile in Shanghai, in a file that can be opened again, with a scheduler from when it
/// is wanted.
fn in_shanghai(
    folder: &std::path::Path,
    model: &Arc<Replay>,
    scheduled: &Arc<AtomicBool>,
) -> World {
    let (model, scheduled) = (Arc::clone(model), Arc::clone(scheduled));
    let (table, home) = (Table::new(), format!("{}/{{name}}", folder.display()));
    table.near("柏林是用户的家", "用户住在柏林", 0.97);
    let world = World::with("agent", move |options: Options| {
        let options = options
            .model(Arc::clone(&model) as Arc<dyn Provider>)
            .embedder(table.clone())
            .mirrors(&home);
        options.scheduler(scheduled.load(Ordering::Relaxed))
    });
    let text = annals::profiles::builtin("agent").unwrap();
    let text = text.replacen(
        "[taxonomy]",
        "[time]\nzone = \"Asia/Shanghai\"\n\n[taxonomy]",
        1,
    );
    world.memory().profiles().store("shanghai", &text).unwrap();
    world.space().admin().set_profile("shanghai").unwrap();
    world
}

#[test]
fn the_night_goes_through_its_steps_in_order_once_a_day() {
    // part: A-62
    let (folder, model, scheduled) = (
        tempfile::tempdir().unwrap(),
        Arc::new(Replay::default()),
        Arc::default(),
    );
    let mut world = in_shanghai(folder.path(), &model, &scheduled);
    // 2026-01-02 03:00 in Shanghai is 19:00 of the day before in universal time.
    let at = |world: &World, time: &str| {
        world.clock.set(time.parse().unwrap());
        world.memory().maintain(false, Mode::Commit).unwrap()
    };
    assert!(nights(&at(&world, "2026-01-01T12:00:00Z")).is_empty());
    // Something to do for each step, which shows that those before it were made.
    let space = world.space();
    let fact = |text: &str, score: f32| NewMemory::builder(text).kind("FACT").importance(score);
    let put = |memory: annals::NewMemoryBuilder| world.remember(memory.build().unwrap());
    let home = put(fact("用户住在柏林", 0.9).metadata("duration", "permanent"));
    let weak = put(fact("用户今天买了一把伞", 0.1001));
    let fading = put(fact("用户养过一只乌龟", 0.3001));
    let expired = put(fact("用户在开会", 0.9).expires_at("2026-01-01T13:00:00Z".parse().unwrap()));
    let photo = annals::Attachment {
        uri: "/photos/1.jpg".to_owned(),
        media_type: None,
        caption: None,
    };
    let photo = NewTurn::builder("s", "看这张照片")
        .attachment(photo)
        .expires_at("2026-01-01T13:00:00Z".parse().unwrap());
    let photo = space
        .sessions()
        .append(vec![photo.build().unwrap()])
        .unwrap()[0];
    assert!(nights(&at(&world, "2026-01-01T18:59:59Z")).is_empty());
    let found = r#"[{"type":"FACT","content":"柏林是用户的家","duration":"permanent"}]"#;
    model.push("extract", Ok(Reply::text(found)));
    space
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s", MESSAGE).build().unwrap())
        .unwrap();
    assert_eq!(model.asked().len(), 0, "what was said waits");

    let reports = at(&world, "2026-01-01T19:00:00Z");
    let night = nights(&reports);
    assert_eq!((night.len(), &*night[0].why), (1, "hour"));
    assert_eq!(
        night[0]
            .steps
            .iter()
            .map(|step| step.step)
            .collect::<Vec<_>>(),
        NIGHT
    );
    assert!(
        night[0]
            .steps
            .iter()
            .all(|step| !step.passed_over && step.error.is_none()),
        "{night:?}"
    );
    let count = |step: JobStep, name: &str| {
        let made = night[0]
            .steps
            .iter()
            .find(|made| made.step == step)
            .unwrap();
        made.counts.get(name).copied().unwrap_or(0)
    };
    // One look at the rules takes what has expired along.
    assert_eq!(
        (
            count(JobStep::Dedup, "merged"),
            count(JobStep::Rules, "deleted")
        ),
        (1, 2)
    );
    assert_eq!(count(JobStep::Rules, "moved to another class"), 1);
    assert_eq!(count(JobStep::Attachments, "deleted"), 1);
    // The memory that the queue found is united with the known one; faded ones go by the rules of
    // that very night. The first that is asked for; the memory that it found loses a source in
    // that night, and waits to be found again.
    let asked = model.asked();
    assert!(
        asked[0].purpose == "extract" && asked[0].messages[1].text.contains("我的代码目录"),
        "{asked:?}"
    );
    assert_eq!(
        world
            .recall("用户住在柏林")
            .iter()
            .filter(|text| text.contains("柏林"))
            .count(),
        1
    );
    assert!(world.status(home).is_some() && world.status(weak).is_none());
    assert_eq!(
        (world.standing(fading).class.as_str(), world.status(expired)),
        ("TRANSIENT", None)
    );
    assert_eq!(world.status(photo), None);
    // The files are written last: they know all of it.
    let file = |name: &str| std::fs::read_to_string(folder.path().join("u").join(name)).unwrap();
    for name in ["identity/MEMORY.md", "identity/USER.md"] {
        let text = file(name);
        assert!(
            text.contains("柏林")
                && !text.contains("乌龟")
                && !text.contains("伞")
                && !text.contains("开会"),
            "{text}"
        );
        assert_eq!(text.matches("柏林").count(), 1);
    }
    let talk = file("data/memory/conversation_history/s.jsonl");
    assert!(
        talk.contains("我的代码目录") && !talk.contains("看这张照片"),
        "{talk}"
    );

    // The same from what is remembered of the run, also after a restart.
    drop(space);
    world.reopen();
    let last = |world: &World| {
        let jobs = world.memory().jobs().list().unwrap();
        jobs.into_iter()
            .find(|job| job.job == "nightly")
            .unwrap()
            .last
            .unwrap()
    };
    assert_eq!(
        last(&world)
            .steps
            .iter()
            .map(|step| step.step)
            .collect::<Vec<_>>(),
        NIGHT
    );
    for time in [
        "2026-01-01T19:00:01Z",
        "2026-01-02T03:00:00Z",
        "2026-01-02T18:59:59Z",
    ] {
        assert!(
            nights(&at(&world, time)).is_empty(),
            "{time}: at most once a day"
        );
    }
    assert_eq!(nights(&at(&world, "2026-01-02T19:00:00Z")).len(), 1);
    // The program was closed for three nights: the next start makes up for them, with one run.
    let moment = |time: &str| time.parse::<Timestamp>().unwrap();
    scheduled.store(true, Ordering::Relaxed);
    for (time, run) in [
        ("2026-01-05T23:30:00Z", "2026-01-05T23:30:00Z"),
        ("2026-01-05T23:40:00Z", "2026-01-05T23:30:00Z"),
        ("2026-01-06T18:59:59Z", "2026-01-05T23:30:00Z"),
        ("2026-01-06T19:00:00Z", "2026-01-06T19:00:00Z"),
    ] {
        world.clock.set(moment(time));
        world.reopen();
        world.memory().wait_idle().unwrap();
        assert_eq!(last(&world).at, moment(run), "started at {time}");
    }
    world.validate();
}

#[test]
fn a_step_that_fails_keeps_no_other_from_being_made() {
    // spec: A-73
    let book = Notebook::new("agent");
    let expired = NewMemory::builder("过期的一条")
        .kind("FACT")
        .expires_at(day(0.5))
        .build()
        .unwrap();
    let expired = book.space().remember(expired).unwrap();
    let low = book.scored("FACT", 0.0999, "无关紧要的一条");
    book.space()
        .remember(AgentMemory {
            priority: "PERMANENT".to_owned(),
            ..AgentMemory::new("FACT", "用户叫李雷")
        })
        .unwrap();
    book.model
        .push("extract", Err("the model is down".to_owned()));
    book.space()
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s", MESSAGE).build().unwrap())
        .unwrap();
    // In the place of MEMORY.md there is a folder, which cannot be replaced.
    std::fs::create_dir_all(book.path("identity/MEMORY.md/x")).unwrap();
    book.at(1.0);
    let reports = book.memory.maintain(true, Mode::Commit).unwrap();
    let night = nights(&reports)[0];
    assert_eq!(
        night.steps.iter().map(|step| step.step).collect::<Vec<_>>(),
        NIGHT
    );
    assert_eq!(night.steps[0].counts["failed"], 1, "the model was down");
    let failed: Vec<JobStep> = night
        .steps
        .iter()
        .filter(|step| step.error.is_some())
        .map(|step| step.step)
        .collect();
    assert_eq!(failed, [JobStep::Queue, JobStep::CoreFiles]);
    assert!(night.steps[6].retry_at.is_some());
    assert_eq!((book.status(expired), book.status(low)), (None, None));
    assert!(book.read("identity/USER.md").contains("用户叫李雷"));
    assert!(
        book.path("data/memory/conversation_history/s.jsonl")
            .exists()
    );
    // With the next attempt the steps in which something failed are made, and no other.
    std::fs::remove_dir_all(book.path("identity/MEMORY.md")).unwrap();
    book.clock.advance_millis(600_000);
    let reports = book.memory.maintain(false, Mode::Commit).unwrap();
    let steps: Vec<JobStep> = nights(&reports)[0]
        .steps
        .iter()
        .map(|step| step.step)
        .collect();
    assert_eq!(steps, [JobStep::Queue, JobStep::CoreFiles]);
    assert!(book.read("identity/MEMORY.md").contains("用户叫李雷"));
}

fn permanent(book: &Notebook, kind: &str, text: &str) {
    let memory = NewMemory::builder(text)
        .kind(kind)
        .metadata("duration", "permanent")
        .build()
        .unwrap();
    book.space().remember(memory).unwrap();
}

#[test]
fn the_core_of_a_prompt_is_the_file() {
    // spec: A-77
    let book = Notebook::new("agent");
    permanent(&book, "RULE", "禁止虚报执行结果");
    permanent(&book, "FACT", "用户叫李雷");
    book.at(1.0);
    book.force();
    let core = |book: &Notebook| {
        let context = book.space().context(ContextRequest::new("你好")).unwrap();
        context
            .part("core")
            .map(|part| part.text.clone())
            .unwrap_or_default()
    };
    let file = book.read("identity/MEMORY.md");
    assert!(file.contains("- 禁止虚报执行结果") && file.contains("- 用户叫李雷"));
    assert_eq!(core(&book), file.trim_end());
    permanent(&book, "RULE", "回复用中文");
    assert_eq!(
        core(&book),
        file.trim_end(),
        "the night brings it up to date"
    );
    book.at(2.0);
    book.force();
    assert_eq!(core(&book), book.read("identity/MEMORY.md").trim_end());
    assert!(core(&book).contains("回复用中文"));
    let long: String = (0..500)
        .map(|n| format!("- 第{n}条很长很长的规则，写在文件里\n"))
        .collect();
    book.write(
        "identity/MEMORY.md",
        &format!("# 核心记忆\n\n## 规则约束\n{long}"),
    );
    let context = book.space().context(ContextRequest::new("你好")).unwrap();
    assert!(
        context.tokens <= 1500
            && context
                .part("core")
                .unwrap()
                .text
                .starts_with("# 核心记忆\n\n## 规则约束\n- 第0条")
    );
}

#[test]
fn the_file_about_the_user_is_shown_when_it_is_wanted() {
    // part: A-79
    let book = Notebook::new("agent");
    permanent(&book, "RULE", "禁止虚报执行结果");
    permanent(&book, "PREFERENCE", "用户喜欢用 Python");
    book.at(1.0);
    book.force();
    let user = book.read("identity/USER.md");
    let context = book.space().context(ContextRequest::default()).unwrap();
    assert!(user.starts_with("# 用户档案") && !context.text.contains("# 用户档案"));
    book.change("agent", &[("off = true", "off = false")]);
    let context = book.space().context(ContextRequest::default()).unwrap();
    let names: Vec<&str> = context
        .parts
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    assert_eq!(&names[names.len() - 2..], ["core", "user_md"]);
    assert_eq!(context.part("user_md").unwrap().text, user.trim_end());
    assert!(context.text.ends_with(user.trim_end()));
}

#[test]
fn episodes_are_not_in_prompts() {
    // spec: A-37
    let book = Notebook::new("agent");
    for n in 0..5 {
        let session = format!("s{n}");
        let answer = format!(
            r#"{{"summary":"排查了第{n}次 502","goal":"修复第{n}次故障","outcome":"成功","entities":["Nginx"]}}"#
        );
        book.model.push("episode", Ok(Reply::text(answer)));
        book.model.push("extract", Ok(Reply::text("[]")));
        book.space()
            .designs()
            .agent()
            .on_turn_end(
                NewTurn::builder(session.as_str(), "网站 502 了")
                    .build()
                    .unwrap(),
            )
            .unwrap();
        book.space().session(&session).end().unwrap();
    }
    assert_eq!(book.space().sessions().episodes(10).unwrap().len(), 5);
    let files = |book: &Notebook| {
        book.space()
            .context(ContextRequest::new("Nginx 502 怎么修"))
            .unwrap()
            .text
    };
    let before = files(&book);
    book.at(1.0);
    book.force();
    for text in [before, files(&book)] {
        assert!(
            text.contains("search_memory") && !text.contains("排查了") && !text.contains("次故障"),
            "{text}"
        );
    }
}

#[test]
fn nothing_that_was_given_up_is_in_the_profile() {
    // spec: A-96
    let book = Notebook::new("agent");
    let space = book.space();
    // Keyword facts and scratchpads written by a model: neither a memory nor a call without an
    // answer of a model.
    for turn in 0..20 {
        space
            .designs()
            .agent()
            .on_turn_start("s", &format!("任务{turn}"))
            .unwrap();
        space
            .designs()
            .agent()
            .on_turn_end(NewTurn::builder("s", "我叫李雷，住在柏林").build().unwrap())
            .unwrap();
    }
    assert_eq!((book.kept().len(), book.model.asked().len()), (0, 0));
    // Neither episodes nor memories that answer the message come into a prompt by themselves.
    book.model.push(
        "episode",
        Ok(Reply::text(
            r#"{"summary":"聊了住处","goal":"g","outcome":"o","entities":["柏林"]}"#,
        )),
    );
    space.session("s").end().unwrap();
    book.scored("ERROR", 0.9, "柏林的接口不能重复调用");
    let prompt = space.context(ContextRequest::new("柏林")).unwrap().text;
    assert!(
        !prompt.contains("聊了住处") && !prompt.contains("柏林的接口"),
        "{prompt}"
    );
    // The file of the earlier store is never written.
    book.at(1.0);
    book.answers("[]");
    book.answers("[]");
    book.force();
    assert!(
        book.path("identity/MEMORY.md").exists()
            && !book.path("data/memory/memories.json").exists()
    );
    let profile = annals::profiles::parse(annals::profiles::builtin("agent").unwrap()).unwrap();
    assert!(
        profile
            .mirrors
            .files
            .iter()
            .all(|file| !file.path.ends_with("memories.json"))
    );
}

#[test]
fn what_the_design_leaves_open_is_a_setting() {
    // spec: A-97
    // Retries: after how many minutes, and how often.
    let book = Notebook::changed(
        "agent",
        &[
            ("attempts = 5", "attempts = 2"),
            ("[1.0, 5.0, 30.0", "[7.0, 5.0, 30.0"),
        ],
    );
    for _ in 0..2 {
        book.model.push("extract", Err("down".to_owned()));
    }
    book.space()
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s", MESSAGE).build().unwrap())
        .unwrap();
    book.space().queue().work_off().unwrap();
    assert_eq!(
        book.space().queue().list(1).unwrap()[0].next,
        Some(day(0.0).plus_millis(7 * 60_000))
    );
    book.clock.advance_millis(7 * 60_000);
    book.space().queue().work_off().unwrap();
    assert_eq!(
        book.space().queue().list(1).unwrap()[0].state,
        annals::QueueState::Dead
    );
    // Decay.
    let book = Notebook::changed(
        "agent",
        &[(
            "LONG_TERM = { lambda = 0.02 }",
            "LONG_TERM = { lambda = 0.04 }",
        )],
    );
    let id = book.scored("FACT", 0.5, "x");
    book.at(30.0);
    near(book.score(id), 0.5 * (-1.2_f64).exp());
    // The weights of recall: with words alone, importance says nothing.
    let weights = [
        ("dense = 0.45", "dense = 0.0"),
        ("text = 0.25", "text = 1.0"),
        ("importance = 0.15", "importance = 0.0"),
        ("recency = 0.1\n", "recency = 0.0\n"),
        ("confidence = 0.05", "confidence = 0.0"),
    ];
    let scores = [Notebook::new("agent"), Notebook::changed("agent", &weights)].map(|book| {
        let pair = [
            book.scored("FACT", 0.1, "alpha beta one"),
            book.scored("FACT", 0.9, "alpha beta two"),
        ];
        let hits = book.space().recall("alpha beta").unwrap();
        pair.map(|id| hits.iter().find(|hit| hit.id == id).unwrap().score)
    });
    assert!(
        scores[0][1] > scores[0][0] + 0.05 && (scores[1][0] - scores[1][1]).abs() < 1e-6,
        "{scores:?}"
    );
    // From which likeness on two memories are one.
    for (threshold, left) in [("sure_above = 0.92", 1), ("sure_above = 0.98", 2)] {
        let table = Table::new();
        table.near("用户偏爱 Python", "用户最常用的语言是 Python", 0.97);
        let book = Notebook::with("agent", move |options| options.embedder(table));
        book.change("agent", &[("sure_above = 0.92", threshold)]);
        permanent(&book, "PREFERENCE", "用户最常用的语言是 Python");
        permanent(&book, "PREFERENCE", "用户偏爱 Python");
        book.at(1.0);
        book.force();
        assert_eq!(
            book.kept()
                .iter()
                .filter(|memory| memory.status == Status::Active)
                .count(),
            left,
            "{threshold}"
        );
    }
    // The threshold from which on a task is another one.
    for (threshold, done) in [("same_words = 0.3", 0), ("same_words = 1.0", 1)] {
        let table = Table::new();
        let book = Notebook::with("agent", move |options| options.embedder(table));
        book.change("agent", &[("same_words = 0.3", threshold)]);
        book.space()
            .designs()
            .agent()
            .focus("修复登录 bug")
            .unwrap();
        assert_eq!(
            book.space()
                .designs()
                .agent()
                .focus("继续修复登录 bug")
                .unwrap()
                .recent_completed
                .len(),
            done,
            "{threshold}"
        );
    }
    // The fate of memories about a subject that is told anew.
    for (strategy, texts) in [
        ("strategy = \"update_in_place\"", 1),
        ("strategy = \"none\"", 2),
    ] {
        let book = Notebook::changed("agent", &[("strategy = \"update_in_place\"", strategy)]);
        for text in ["代码在 D:\\code", "代码在 E:\\src"] {
            let memory = AgentMemory {
                subject: "用户".into(),
                predicate: "代码目录".into(),
                ..AgentMemory::new("FACT", text)
            };
            book.space().remember(memory).unwrap();
        }
        assert_eq!(book.kept().len(), texts, "{strategy}");
    }
    // The size of MEMORY.md.
    let book = Notebook::changed(
        "agent",
        &[(
            "max_chars = 4000 # A-72, proposed\nsections",
            "max_chars = 400\nsections",
        )],
    );
    (0..100).for_each(|n| permanent(&book, "RULE", &format!("第{n}条永久规则")));
    book.at(1.0);
    book.force();
    let chars = book.read("identity/MEMORY.md").chars().count();
    assert!((350..=400).contains(&chars), "{chars}");
}

#[test]
fn a_session_drives_five_hooks() {
    // spec: A-99
    let book = Notebook::new("agent");
    let space = book.space();
    space
        .designs()
        .agent()
        .on_turn_start("s", "修复登录 bug")
        .unwrap();
    let parts = space.designs().agent().build_prompt_parts().unwrap();
    assert_eq!(
        parts
            .iter()
            .map(|part| part.name.as_str())
            .collect::<Vec<_>>(),
        ["self", "scratchpad"]
    );
    assert!(parts[1].text.contains("修复登录 bug"));
    let id = space
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s", MESSAGE).build().unwrap())
        .unwrap();
    assert_eq!(space.get(id).unwrap().unwrap().body.text, MESSAGE);
    let older = vec![said(Role::User, MESSAGE), said(Role::Assistant, "记下了。")];
    assert_eq!(
        space
            .designs()
            .agent()
            .on_context_compressed("s", older)
            .unwrap(),
        1,
        "one of the two turns is there already"
    );
    book.answers(
        r#"[{"type":"FACT","content":"用户的代码目录在 D:\\code","duration":"permanent"}]"#,
    );
    book.answers("[]");
    space.queue().work_off().unwrap();
    space
        .designs()
        .agent()
        .on_turn_start("s", "写周报")
        .unwrap();
    book.model.push(
        "episode",
        Ok(Reply::text(
            r#"{"summary":"修了登录","goal":"g","outcome":"o","entities":[]}"#,
        )),
    );
    let end = space.session("s").end().unwrap();
    assert!(end.episode.is_some());
    book.at(1.0);
    book.force();
    let parts = space.designs().agent().build_prompt_parts().unwrap();
    assert_eq!(
        parts
            .iter()
            .map(|part| part.name.as_str())
            .collect::<Vec<_>>(),
        ["self", "scratchpad", "core"]
    );
    assert!(parts[1].text.contains("写周报") && parts[1].text.contains("修复登录 bug"));
    assert!(parts[2].text.contains("用户的代码目录在 D:\\code"));
    book.validate();
}

/// The summarizer of the options is asked before the model.
#[test]
fn a_named_summarizer_condenses() {
    struct Own;
    impl Summarizer for Own {
        fn summarize(&self, turns: &[annals::StoredMemory]) -> Result<String, annals::JudgeError> {
            Ok(format!("{} messages", turns.len()))
        }
        fn episode(
            &self,
            _: &[annals::StoredMemory],
        ) -> Result<annals::EpisodeDraft, annals::JudgeError> {
            Ok(annals::EpisodeDraft::default())
        }
    }
    let book = Notebook::with("agent", |options| options.summarizer(Arc::new(Own)));
    let working = book.space().session("s").working().unwrap();
    for number in 0..41 {
        working.say(said(Role::User, &format!("{number}"))).unwrap();
    }
    assert_eq!(working.messages()[0].body.text, "31 messages");
    assert_eq!(book.model.asked().len(), 0);
}
