//! Mirrored files keep what a person wrote, and nothing that was deleted.

use std::sync::{Arc, Mutex};

use annals::{
    Calibration, ContextRequest, EmbedError, Embedder, Filter, Fingerprint, Label, MemoryId, Mode,
    NewMemory, NewTurn, Purpose, Role, Status, Timestamp,
};

use super::mirrors::{Desk, rule};
use crate::support::life::day;

const CORE: &str = "identity/MEMORY.md";
const USER: &str = "identity/USER.md";
const LOG: &str = "data/memory/conversation_history/s1.jsonl";

/// Does something when it is asked for the vector of a text with a word in it; an error, when
/// nothing is to be done.
type Reaction = Option<(&'static str, Option<Box<dyn FnOnce() + Send>>)>;

#[derive(Default)]
struct Reacting(Mutex<Reaction>);

impl Embedder for Reacting {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("reacting".to_owned())
    }

    fn dims(&self) -> usize {
        64
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.2, 0.9))
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut reaction = self.0.lock().unwrap();
        if let Some((word, done)) = reaction.take() {
            match done {
                _ if !texts.iter().any(|text| text.contains(word)) => {
                    *reaction = Some((word, done))
                }
                Some(done) => done(),
                None => {
                    *reaction = Some((word, None));
                    let (what, got, expected) =
                        ("reacting".to_owned(), "nothing".into(), "a vector".into());
                    return Err(EmbedError::BadAnswer {
                        what,
                        got,
                        expected,
                    });
                }
            }
        }
        let vector = |text: &&str| {
            let mut vector = vec![0.0; 64];
            vector[text.len() % 64] = 1.0;
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn reacting(profile: &str) -> (Desk, Arc<Reacting>) {
    let embedder = Arc::new(Reacting::default());
    let own = Arc::clone(&embedder);
    (
        Desk::with(profile, move |options| {
            options.embedder(own as Arc<dyn Embedder>)
        }),
        embedder,
    )
}

#[test]
fn text_of_a_person_in_a_file_of_lines_is_kept_beside_it_and_told() {
    let desk = Desk::new("agent");
    desk.space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    desk.synced(CORE);
    desk.write(CORE, "# 核心记忆\n\n1. 回复用中文\n请先问我再删除文件\n\n## 规则约束\n- 不要动别的目录\n  除非我说\n## 我的项目\n- 项目在 D 盘\n");
    let report = desk.synced(CORE);
    assert_eq!((report.added, report.warnings.len()), (2, 3), "{report:?}");
    for (warning, line) in report
        .warnings
        .iter()
        .zip(["line 3: ", "line 8: ", "line 9: "])
    {
        assert!(warning.starts_with(line), "{warning}");
    }
    let kept = desk.read("identity/MEMORY.md.rejected");
    for text in [
        "1. 回复用中文\n请先问我再删除文件\n",
        "\n  除非我说\n",
        "\n## 我的项目\n",
    ] {
        assert!(kept.contains(text), "{text:?} is not in\n{kept}");
    }
    assert!(
        desk.read("identity/MEMORY.md.bak")
            .contains("请先问我再删除文件")
    );
    assert!(desk.texts().contains(&"项目在 D 盘".to_owned()));
    assert_eq!(desk.synced(CORE).warnings, [""; 0], "once");
    assert_eq!(desk.read("identity/MEMORY.md.rejected"), kept);
    desk.validate();
}

#[test]
fn text_of_a_person_in_a_file_that_is_written_only_is_kept_beside_it() {
    let desk = Desk::new("agent");
    let memory = NewMemory::builder("用户叫李雷")
        .kind("FACT")
        .build()
        .unwrap();
    let id = desk.space().remember(memory).unwrap();
    desk.synced(USER);
    desk.write(USER, &(desk.read(USER) + "- 我住在柏林\n还有一只猫\n"));
    desk.space().delete(id, Mode::Commit).unwrap();
    let report = desk.synced(USER);
    assert_eq!(report.warnings.len(), 2, "{report:?}");
    assert!(
        report
            .warnings
            .iter()
            .any(|told| told.starts_with("line 5: ") && told.contains("written only"))
    );
    let kept = desk.read("identity/USER.md.rejected");
    assert!(
        kept.contains("我住在柏林") && kept.contains("还有一只猫"),
        "{kept}"
    );
    assert!(
        !kept.contains("用户叫李雷"),
        "what was deleted is no text of the person: {kept}"
    );
    assert_eq!(desk.texts(), [""; 0]);
}

#[test]
fn prose_that_is_written_again_is_kept_and_offered_again() {
    let desk = Desk::new("markdown");
    let prose = [
        "用户偏好用 pytest\n",
        "用户住在汉堡\n",
        "用户偏好用 pytest\n",
    ];
    for (text, kept) in
        prose
            .iter()
            .zip(["MEMORY.md.legacy", "MEMORY.md.legacy.2", "MEMORY.md.legacy"])
    {
        desk.write("MEMORY.md", text);
        let report = desk.sync();
        assert!(
            report.warnings.iter().any(|told| told.contains(kept)),
            "{report:?}"
        );
        assert!(desk.read("MEMORY.md").contains("<!-- Total entries: 0 -->"));
    }
    assert_eq!(
        (
            desk.read("MEMORY.md.legacy"),
            desk.read("MEMORY.md.legacy.2")
        ),
        (prose[0].into(), prose[1].into())
    );
    let turns = desk
        .space()
        .session("MEMORY.md.legacy")
        .memories(0, 10)
        .unwrap();
    assert_eq!(
        turns
            .iter()
            .map(|turn| turn.body.text.as_str())
            .collect::<Vec<_>>(),
        &prose[..2]
    );
}

#[test]
fn a_file_in_another_encoding_is_kept_as_it_was() {
    let desk = Desk::new("agent");
    desk.space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    desk.synced(CORE);
    let bytes = "# 核心记忆\n"
        .bytes()
        .chain(*b"- caf\xe9\n")
        .collect::<Vec<u8>>();
    std::fs::write(desk.path(CORE), &bytes).unwrap();
    let report = desk.synced(CORE);
    assert!(
        report
            .warnings
            .iter()
            .any(|told| told.contains("UTF-8") && told.contains(".legacy")),
        "{report:?}"
    );
    assert_eq!(
        std::fs::read(desk.path("identity/MEMORY.md.legacy")).unwrap(),
        bytes
    );
}

/// A memory that both profiles show in their files.
fn lasting(desk: &Desk, text: &str) -> MemoryId {
    match desk.space().admin().stats().unwrap().profile.as_str() {
        "markdown" => desk.level("high", text),
        _ => rule(desk, "RULE", "permanent", text),
    }
}

/// A text as an editor saves it that knows no UTF-8.
fn in_another_encoding(text: &str) -> Vec<u8> {
    text.chars()
        .flat_map(|c| u8::try_from(c).map_or_else(|_| vec![0xb0, 0xa1], |byte| vec![byte]))
        .collect()
}

#[test]
fn what_is_saved_in_another_encoding_changes_no_memory() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        let desk = Desk::new(profile);
        let ids = ["用户住在柏林", "用户喜欢茶", "likes tea"].map(|text| lasting(&desk, text));
        desk.synced(file);
        let before = desk.read(file);
        assert!(before.contains("用户喜欢茶"), "{before}");
        let memories = || ids.map(|id| desk.space().get(id).unwrap().unwrap());
        let (stored, count) = (memories(), desk.space().admin().stats().unwrap().memories);
        let bytes = in_another_encoding(&before);
        std::fs::write(desk.path(file), &bytes).unwrap();
        let report = desk.synced(file);
        assert_eq!(
            (
                report.added,
                report.updated,
                report.confirmed,
                report.retracted
            ),
            (0, 0, 0, 0),
            "{report:?}"
        );
        assert_eq!(
            (memories(), desk.space().admin().stats().unwrap().memories),
            (stored, count)
        );
        assert_eq!(desk.read(file).lines().last(), before.lines().last());
        assert_eq!(
            std::fs::read(desk.path(&format!("{file}.legacy"))).unwrap(),
            bytes
        );
        assert!(
            !desk.path(&format!("{file}.bak")).exists(),
            "it is no backup"
        );
        desk.validate();
    }
}

#[test]
fn entries_under_other_names_are_the_same_memories() {
    let desk = Desk::new("markdown");
    let ids = ["用户住在柏林", "用户喜欢茶"].map(|text| desk.level("high", text));
    desk.sync();
    for (text, name) in [("用户住在柏林", "aaaaaa"), ("用户喜欢茶", "bbbbbb")] {
        let heading = desk.heading(text);
        let (_, rest) = heading.split_once(']').unwrap();
        desk.edit(&heading, &format!("### [{name}]{rest}"));
    }
    for _ in 0..2 {
        let report = desk.sync();
        assert_eq!(
            (report.added, report.retracted, report.entries),
            (0, 0, 2),
            "{report:?}"
        );
        assert!(
            ids.iter()
                .all(|id| desk.space().get(*id).unwrap().unwrap().status == Status::Active)
        );
        assert!(
            desk.heading("用户喜欢茶").contains("[bbbbbb]")
                && desk.heading("用户住在柏林").contains("[aaaaaa]")
        );
    }
    desk.validate();
}

#[test]
fn files_that_nobody_changed_are_let_alone() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        let desk = Desk::new(profile);
        for text in ["one", "two", "three"] {
            lasting(&desk, text);
            desk.synced(file);
        }
        let bak = format!("{file}.bak");
        let state = || {
            (
                desk.read(file),
                desk.read(&bak),
                desk.memory.stats().unwrap().commit,
            )
        };
        desk.memory.wait_idle().unwrap();
        let before = state();
        assert!(before.0.contains("three") && !before.1.contains("three"));
        for _ in 0..3 {
            desk.clock.advance_millis(7000);
            assert!(!desk.synced(file).written);
            assert_eq!(state(), before);
        }
    }
}

#[test]
fn the_file_of_the_memories_is_no_mirror_of_them() {
    for name in [
        "conversation_history/a.jsonl",
        "daily_summaries/2026-01-01.md",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/memory").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let clock = std::sync::Arc::new(annals::ManualClock::new(day(0.0)));
        let memory = annals::Options::new().clock(clock).open(&path).unwrap();
        let agent = memory.create_namespace("agent", "agent").unwrap();
        agent
            .sessions()
            .append(vec![NewTurn::builder("a", "hello there").build().unwrap()])
            .unwrap();
        let report = agent.files().sync(folder.path()).unwrap();
        let failed: Vec<_> = report.failed().map(|file| file.path.clone()).collect();
        assert_eq!(failed, std::slice::from_ref(&path), "{report:?}");
        drop((agent, memory));
        let memory = annals::Options::new().create(false).open(&path).unwrap();
        assert_eq!(
            memory
                .namespace("agent")
                .unwrap()
                .admin()
                .stats()
                .unwrap()
                .memories,
            1
        );
    }
}

#[test]
fn one_file_that_cannot_be_written_stops_no_other() {
    let desk = Desk::new("agent");
    let turn = |session: &str, text: &str| {
        NewTurn::builder(session, text)
            .role(Role::User)
            .build()
            .unwrap()
    };
    let (long, chinese) = ("😀".repeat(60), "会".repeat(84));
    for session in ["s1", "s2", &long, &chinese] {
        desk.space()
            .sessions()
            .append(vec![turn(session, "hello")])
            .unwrap();
    }
    desk.memory
        .create_namespace("v", "agent")
        .unwrap()
        .sessions()
        .append(vec![turn("s1", "hello v")])
        .unwrap();
    std::fs::create_dir_all(desk.path(LOG)).unwrap();
    let report = desk
        .space()
        .files()
        .sync(desk.folder.path().join("u"))
        .unwrap();
    let failed: Vec<_> = report.failed().map(|file| file.path.clone()).collect();
    assert_eq!(failed, [desk.path(LOG)], "{report:?}");
    let logs = desk.path("data/memory/conversation_history");
    assert_eq!(
        std::fs::read_dir(logs).unwrap().count(),
        4,
        "each session has its file"
    );
    assert!(
        report
            .files
            .iter()
            .any(|file| file.path.to_string_lossy().contains("daily_summaries") && file.written)
    );
    let jobs = desk.memory.maintain(true, Mode::Commit).unwrap();
    let told = jobs
        .iter()
        .flat_map(|job| &job.steps)
        .find_map(|step| step.error.clone())
        .unwrap();
    assert!(told.contains("s1.jsonl"), "{told}");
    let other = desk
        .folder
        .path()
        .join("v/data/memory/conversation_history/s1.jsonl");
    assert!(std::fs::read_to_string(other).unwrap().contains("hello v"));
    std::fs::remove_dir(desk.path(LOG)).unwrap();
    assert_eq!(
        desk.space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap()
            .failed()
            .count(),
        0
    );
    assert!(desk.read(LOG).contains("hello"));
}

#[test]
fn a_line_that_must_not_be_stored_stops_nothing() {
    let secret = "password: hunter2abc";
    let privacy = "[privacy]\npassword = \"reject\"\n";
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        let desk = Desk::new(profile);
        desk.adds(profile, privacy);
        desk.synced(file);
        desk.write(
            file,
            &(desk.read(file) + &format!("\n- {secret}\n- 用户会下棋\n")),
        );
        let line = desk
            .read(file)
            .lines()
            .position(|line| line.contains(secret))
            .unwrap()
            + 1;
        let report = desk.synced(file);
        assert_eq!(report.added, 1, "{report:?}");
        let told = report
            .warnings
            .iter()
            .find(|told| told.contains("refuses"))
            .unwrap();
        assert!(
            told.starts_with(&format!("line {line}: ")) && !told.contains("hunter2abc"),
            "{told}"
        );
        let aside = desk.read(&format!("{file}.rejected"));
        assert!(
            aside.contains("password: [password]") && !aside.contains("hunter2abc"),
            "{aside}"
        );
        assert!(!desk.read(&format!("{file}.bak")).contains("hunter2abc"));
        assert!(!desk.read(file).contains(secret) && desk.read(file).contains("用户会下棋"));
        assert_eq!(desk.texts(), ["用户会下棋"]);
        desk.validate();
    }
}

#[test]
fn an_edit_that_must_not_be_stored_leaves_the_memory_as_it_is() {
    let desk = Desk::new("markdown");
    desk.adds("markdown", "[privacy]\npassword = \"reject\"\n");
    let id = desk.level("high", "用户住在柏林");
    desk.sync();
    desk.edit("用户住在柏林", "password: hunter2abc");
    let report = desk.sync();
    assert_eq!(
        (report.updated, report.confirmed, report.retracted),
        (0, 0, 0),
        "{report:?}"
    );
    assert_eq!(
        desk.space().get(id).unwrap().unwrap().body.text,
        "用户住在柏林"
    );
    assert!(desk.read("MEMORY.md").contains("用户住在柏林"));
    assert!(
        desk.read("MEMORY.md.rejected")
            .contains("password: [password]")
    );
    let again = desk.sync();
    assert_eq!((again.updated, again.warnings.len()), (0, 0));
}

#[test]
fn a_session_ends_whatever_its_mirrored_file_is() {
    let desk = Desk::new("markdown");
    desk.level("high", "用户住在柏林");
    std::fs::create_dir_all(desk.path("MEMORY.md")).unwrap();
    let said = || {
        vec![
            NewTurn::builder("any", "我养了一只猫")
                .role(Role::User)
                .build()
                .unwrap(),
        ]
    };
    assert!(
        desk.space()
            .designs()
            .markdown()
            .process_session_end(said(), "s")
            .is_err()
    );
    assert_eq!(
        desk.space().session("s").memories(0, 10).unwrap().len(),
        1,
        "no message is lost"
    );
    std::fs::remove_dir(desk.path("MEMORY.md")).unwrap();
    desk.space()
        .designs()
        .markdown()
        .process_session_end(said(), "s")
        .unwrap();
    assert_eq!(desk.space().session("s").memories(0, 10).unwrap().len(), 1);
    assert!(desk.read("MEMORY.md").contains("用户住在柏林"));
}

#[test]
fn what_an_earlier_store_left_is_taken_whole_or_not_at_all() {
    let (desk, embedder) = reacting("agent");
    let file = r#"[{"id":"m1","type":"fact","content":"first"},{"id":"m2","type":"fact","content":"second"},
        {"id":"m3","type":"fact","content":"third"},{"id":"m1","type":"fact","content":"first again"}]"#;
    desk.write("data/memory/memories.json", file);
    *embedder.0.lock().unwrap() = Some(("third", None));
    assert!(
        desk.space()
            .files()
            .sync(desk.folder.path().join("u"))
            .is_err()
    );
    assert_eq!(desk.texts(), [""; 0]);
    *embedder.0.lock().unwrap() = None;
    assert_eq!(desk.synced("data/memory/memories.json").added, 3);
    // The same folder by another name.
    let report = desk
        .space()
        .files()
        .sync(desk.folder.path().join(".").join("u"))
        .unwrap();
    assert_eq!((report.files[0].entries, report.files[0].added), (4, 0));
    assert_eq!(desk.texts().len(), 3);
    desk.validate();
}

#[test]
fn a_namespace_deleted_while_its_files_are_read_does_not_come_back() {
    for (profile, file, text) in [
        (
            "markdown",
            "MEMORY.md",
            "# Agent Memory\n\n## Active Memories\n\n- written by hand\n",
        ),
        ("markdown", "MEMORY.md", "prose written by hand\n"),
        ("agent", CORE, "# 核心记忆\n- written by hand\n"),
        (
            "agent",
            "data/memory/memories.json",
            r#"[{"id":"m1","type":"fact","content":"written by hand"}]"#,
        ),
    ] {
        let (desk, embedder) = reacting(profile);
        desk.write(file, text);
        let memory = desk.memory.clone();
        let delete = move || {
            memory.delete_namespace("u", Mode::Commit).unwrap();
        };
        *embedder.0.lock().unwrap() = Some(("written", Some(Box::new(delete))));
        let error = desk
            .space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap_err();
        assert!(error.is_not_found(), "{error}");
        assert!(
            !desk
                .memory
                .namespaces()
                .unwrap()
                .iter()
                .any(|space| space.name == "u"),
            "{file}"
        );
        assert_eq!(desk.read(file), text, "the file is as it was");
    }
}

#[test]
fn what_a_person_wrote_into_the_file_of_a_day_stays() {
    let desk = Desk::new("agent");
    desk.space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    let learn = |text: &str| {
        let memory = NewMemory::builder(text)
            .kind("FACT")
            .metadata("duration", "permanent");
        desk.space().remember(memory.build().unwrap()).unwrap()
    };
    let (gone, _) = (learn("the first secret"), learn("the second fact"));
    let file = format!(
        "data/memory/daily_summaries/{}.md",
        day(0.0).to_string().split_at(10).0
    );
    let sync = || {
        assert_eq!(
            desk.space()
                .files()
                .sync(desk.folder.path().join("u"))
                .unwrap()
                .failed()
                .count(),
            0
        )
    };
    sync();
    let note = |text: &str| {
        desk.write(
            &file,
            &desk
                .read(&file)
                .replace("## 新记忆", &format!("- {text}\n\n## 新记忆")),
        )
    };
    note("My own note about that day");
    sync();
    assert!(
        desk.read(&file)
            .contains("- My own note about that day\n\n## 新记忆"),
        "nothing is moved: {}",
        desk.read(&file)
    );
    learn("the third fact");
    sync();
    desk.clock.advance_millis(86_400_000);
    sync();
    desk.space().delete(gone, Mode::Commit).unwrap();
    note("and a second one");
    sync();
    let text = desk.read(&file);
    assert!(
        text.contains("My own note about that day") && text.contains("and a second one"),
        "{text}"
    );
    assert!(
        text.contains("the second fact")
            && text.contains("the third fact")
            && !text.contains("secret"),
        "{text}"
    );
    let before = text;
    desk.space()
        .delete(learn("only today"), Mode::Commit)
        .unwrap();
    sync();
    assert_eq!(desk.read(&file), before);
}

#[test]
fn conversations_of_another_program_are_kept_when_it_is_taken_over() {
    let desk = Desk::new("agent");
    let turn = |session: &str, text: &str| {
        NewTurn::builder(session, text)
            .role(Role::User)
            .build()
            .unwrap()
    };
    let other = LOG.replace("s1.jsonl", "s2.jsonl");
    desk.write(LOG, "ten years of talk");
    desk.write(&other, "and ten more");
    desk.space()
        .sessions()
        .append(vec![turn("s1", "hello")])
        .unwrap();
    let forgotten = desk
        .space()
        .sessions()
        .append(vec![turn("s2", "never mind")])
        .unwrap()[0];
    desk.space().forget(forgotten).unwrap();
    let report = desk.synced(LOG);
    assert!(
        report.warnings.iter().any(|told| told.contains(".legacy")),
        "{report:?}"
    );
    assert!(desk.read(LOG).contains("hello"));
    assert_eq!(desk.read(&format!("{LOG}.legacy")), "ten years of talk");
    assert_eq!(desk.read(&other), "and ten more");
}

#[test]
fn conversations_that_were_deleted_are_in_no_file_and_not_found_there() {
    let desk = Desk::new("agent");
    desk.space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    let turn = |session: &str, text: &str| {
        NewTurn::builder(session, text)
            .role(Role::User)
            .build()
            .unwrap()
    };
    let ids = desk
        .space()
        .sessions()
        .append(vec![turn("s1", "alpha one"), turn("s1", "beta two")])
        .unwrap();
    desk.space()
        .sessions()
        .append(vec![turn("s2", "gamma three")])
        .unwrap();
    desk.synced(LOG);
    assert!(desk.read(LOG).contains("beta two"));
    let found = |word: &str| {
        let reply = desk
            .space()
            .tools()
            .call(
                "search_conversation_traces",
                &format!("{{\"keyword\":\"{word}\"}}"),
            )
            .unwrap();
        serde_json::from_str::<serde_json::Value>(reply.as_json()).unwrap()["count"].clone()
    };
    desk.space().forget(ids[1]).unwrap();
    desk.synced(LOG);
    assert!(
        desk.read(LOG).contains("alpha one") && !desk.read(LOG).contains("beta two"),
        "{}",
        desk.read(LOG)
    );
    let day_file = desk.read(&format!(
        "data/memory/daily_summaries/{}.md",
        day(0.0).to_string().split_at(10).0
    ));
    assert!(day_file.contains("对话: 2"), "{day_file}");
    let of_session = Filter {
        sessions: vec![Label::new("session", "s1").unwrap()],
        ..Filter::default()
    };
    desk.space()
        .bulk()
        .delete_where(&of_session, Mode::Commit)
        .unwrap();
    assert!(
        desk.read(LOG).contains("alpha one"),
        "files are written when they are brought into step"
    );
    assert_eq!(found("alpha"), 0);
    // The name of the session is forgotten, too.
    desk.memory.compact().unwrap();
    assert_eq!(found("alpha"), 0);
    let report = desk.synced(LOG);
    assert!(report.removed && !report.written && report.entries == 0 && !desk.path(LOG).exists());
    assert_eq!(found("gamma"), 1);
    // A line that another program left there is found.
    desk.write(LOG, "{\"session_id\":\"s1\",\"content\":\"delta four\"}\n");
    assert_eq!(found("delta"), 1);
}

#[test]
fn the_last_chat_of_another_program_can_come_first() {
    let memory = annals::blocking::Memory::options().in_memory().unwrap();
    let space = memory.namespace("new").unwrap();
    let at: Timestamp = day(0.0);
    let (id, new) = space
        .transfer()
        .import_last_chat("聊了面试".as_bytes(), at)
        .unwrap();
    assert!(
        new && space
            .get(id)
            .unwrap()
            .unwrap()
            .body
            .text
            .contains("聊了面试")
    );
    assert_eq!(
        space
            .transfer()
            .import_last_chat("聊了面试".as_bytes(), at)
            .unwrap(),
        (id, false)
    );
}

#[test]
fn a_part_that_is_a_file_has_no_more_characters_than_the_profile_says() {
    let desk = Desk::new("agent");
    let lines: String = (0..200)
        .map(|n| format!("- rule number {n:03} of the file\n"))
        .collect();
    desk.write(
        CORE,
        &format!("# 核心记忆\n\n## 规则约束\n{lines}\n## 重要事实\n- the last one\n"),
    );
    let context = desk.space().context(ContextRequest::new("你好")).unwrap();
    let core = &context.part("core").unwrap().text;
    assert!(
        (3960..=4000).contains(&core.chars().count()),
        "{}",
        core.chars().count()
    );
    assert!(
        core.contains("- rule number 000") && core.ends_with("of the file"),
        "{core}"
    );
    assert_eq!(
        core.lines().filter(|line| line.starts_with("- ")).count() + context.left_out,
        201
    );
}

#[test]
fn a_line_that_the_file_did_not_show_is_kept() {
    let desk = Desk::new("agent");
    let short = NewMemory::builder("用户叫李雷")
        .kind("FACT")
        .metadata("duration", "7d")
        .build()
        .unwrap();
    let short = desk.space().remember(short).unwrap();
    desk.synced(CORE);
    assert!(!desk.read(CORE).contains("李雷"));
    desk.write(
        CORE,
        &(desk.read(CORE) + "\n## 重要事实\n- 用户叫李雷\n- 用户喜欢茶\n- 用户喜欢茶\n"),
    );
    let report = desk.synced(CORE);
    assert_eq!((report.added, report.retracted), (2, 0), "{report:?}");
    desk.space().delete(short, Mode::Commit).unwrap();
    desk.synced(CORE);
    assert!(desk.read(CORE).contains("用户叫李雷"));
    assert_eq!(desk.read(CORE).matches("用户喜欢茶").count(), 1);
    desk.validate();
}

#[test]
fn entries_in_a_file_that_is_written_only_are_kept_beside_it() {
    let desk = Desk::new("markdown");
    desk.adds(
        "markdown",
        "[[mirrors.files]]\npath = \"NOTES.md\"\nformat = \"entries\"\n",
    );
    let id = desk.level("high", "用户住在柏林");
    desk.synced("NOTES.md");
    let whole = desk.read("NOTES.md");
    desk.write("NOTES.md", &(whole + "\n- My own note\n"));
    desk.space().update(id, "用户住在汉堡").unwrap();
    let report = desk.synced("NOTES.md");
    assert_eq!((report.added, report.retracted), (0, 0), "{report:?}");
    assert!(
        report
            .warnings
            .iter()
            .any(|told| told.contains("written only")),
        "{report:?}"
    );
    let kept = desk.read("NOTES.md.rejected");
    assert!(
        kept.contains("My own note") && !kept.contains("柏林"),
        "{kept}"
    );
    assert!(desk.read("NOTES.md").contains("用户住在汉堡"));
    desk.write("NOTES.md", "My own long prose\n");
    desk.synced("NOTES.md");
    assert!(
        desk.read("NOTES.md")
            .starts_with("My own long prose\n\n<!-- annals:begin")
    );
    assert_eq!(desk.synced("NOTES.md").warnings, [""; 0]);
}

#[test]
fn what_was_taken_out_of_a_file_says_so() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        let desk = Desk::new(profile);
        let ids = ["用户住在柏林", "用户喜欢茶"].map(|text| lasting(&desk, text));
        desk.synced(file);
        let without: Vec<String> = desk.read(file).lines().map(str::to_owned).collect();
        let at = without
            .iter()
            .position(|line| line.contains("用户喜欢茶"))
            .unwrap();
        let first = if profile == "markdown" { at - 1 } else { at };
        let kept: Vec<&String> = without
            .iter()
            .enumerate()
            .filter(|(n, _)| !(first..=at).contains(n))
            .map(|(_, l)| l)
            .collect();
        desk.write(
            file,
            &(kept
                .into_iter()
                .map(|line| format!("{line}\n"))
                .collect::<String>()),
        );
        desk.clock.advance_millis(1000);
        assert_eq!(desk.synced(file).retracted, 1);
        desk.clock.advance_millis(1000);
        desk.space().forget(ids[0]).unwrap();
        let told = |id| {
            desk.space()
                .graph()
                .explain(id)
                .unwrap()
                .pop()
                .unwrap()
                .what
        };
        assert_eq!(told(ids[1]), "active to forgotten, taken out of MEMORY.md");
        assert_eq!(told(ids[0]), "active to forgotten");
        desk.space().delete(ids[1], Mode::Commit).unwrap();
        desk.validate();
    }
}

#[test]
fn what_was_deleted_does_not_come_back_with_a_folder_that_was_moved() {
    let desk = Desk::new("markdown");
    let secret = desk.level("high", "用户的旧地址");
    desk.level("high", "用户喜欢茶");
    desk.sync();
    desk.space().delete(secret, annals::Mode::Commit).unwrap();
    let (from, to) = (
        desk.folder.path().join("u"),
        desk.folder.path().join("moved"),
    );
    std::fs::rename(&from, &to).unwrap();
    let text = std::fs::read_to_string(to.join("MEMORY.md")).unwrap();
    std::fs::write(
        to.join("MEMORY.md"),
        text.replace("用户喜欢茶", "用户喜欢红茶"),
    )
    .unwrap();
    let synced = desk.space().files().sync(&to).unwrap().files.remove(0);
    assert_eq!(synced.added, 0, "{synced:?}");
    assert_eq!(desk.texts(), ["用户喜欢红茶"]);
    assert!(
        !std::fs::read_to_string(to.join("MEMORY.md"))
            .unwrap()
            .contains("旧地址")
    );
    assert_eq!(desk.memory.validate().unwrap().problems, [""; 0]);
}
