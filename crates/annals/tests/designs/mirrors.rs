//! Files that mirror memories: `MEMORY.md` of the markdown profile both ways, the agent's files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::life::{day, near};
use annals::blocking::{Memory, Namespace};
use annals::{
    Filter, ListQuery, ManualClock, MemoryId, Mode, NewMemory, NewTurn, Options, Role, Status,
    StoredMemory, SyncedFile,
};

/// A namespace under a profile, with a folder for its files.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clock: ManualClock,
    pub(crate) memory: Memory,
}

impl Desk {
    pub(crate) fn new(profile: &str) -> Self {
        Self::with(profile, |options| options)
    }

    pub(crate) fn with(profile: &str, setting: impl FnOnce(Options) -> Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(day(0.0));
        let path = format!("{}/{{name}}", folder.path().display());
        let options = Options::new()
            .clock(Arc::new(clock.clone()))
            .id_seed(1)
            .mirrors(path);
        let memory = setting(options).in_memory().unwrap();
        memory.create_namespace("u", profile).unwrap();
        Self {
            folder,
            clock,
            memory,
        }
    }

    pub(crate) fn space(&self) -> Namespace {
        self.memory.namespace("u").unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("u").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Replaces a part of `MEMORY.md`, as a person with an editor does.
    pub(crate) fn edit(&self, from: &str, to: &str) {
        let text = self.read("MEMORY.md");
        assert!(text.contains(from), "{from} is not in\n{text}");
        self.write("MEMORY.md", &text.replacen(from, to, 1));
    }

    pub(crate) fn sync(&self) -> SyncedFile {
        self.space()
            .files()
            .sync(self.folder.path().join("u"))
            .unwrap()
            .files
            .remove(0)
    }

    /// The report of one of several files.
    pub(crate) fn synced(&self, name: &str) -> SyncedFile {
        let report = self
            .space()
            .files()
            .sync(self.folder.path().join("u"))
            .unwrap();
        report
            .files
            .into_iter()
            .find(|file| file.path == self.path(name))
            .unwrap()
    }

    /// Goes on under the profile with more behind it.
    pub(crate) fn adds(&self, profile: &str, more: &str) {
        let text = annals::profiles::builtin(profile).unwrap();
        self.memory
            .profiles()
            .store("own", &format!("{text}\n{more}"))
            .unwrap();
        self.space().admin().set_profile("own").unwrap();
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let page = self
            .space()
            .list(&ListQuery {
                limit: 1000,
                ..ListQuery::default()
            })
            .unwrap();
        page.memories
            .into_iter()
            .map(|memory| memory.body.text)
            .collect()
    }

    pub(crate) fn level(&self, level: &str, text: &str) -> MemoryId {
        let memory = NewMemory::builder(text)
            .kind("fact")
            .metadata("level", level)
            .metadata("session", "s1");
        self.space().remember(memory.build().unwrap()).unwrap()
    }

    pub(crate) fn score(&self, id: MemoryId) -> f64 {
        self.space().lifecycle().standings(&[id]).unwrap()[0]
            .as_ref()
            .unwrap()
            .score
    }

    pub(crate) fn found(&self, text: &str) -> StoredMemory {
        let page = self
            .space()
            .list(&ListQuery {
                filter: every_status(),
                limit: 1000,
                ..ListQuery::default()
            })
            .unwrap();
        page.memories
            .into_iter()
            .find(|memory| memory.body.text == text)
            .unwrap()
    }

    pub(crate) fn heading(&self, content: &str) -> String {
        let text = self.read("MEMORY.md");
        let lines: Vec<&str> = text.lines().collect();
        let at = lines
            .iter()
            .position(|line| *line == content)
            .unwrap_or_else(|| panic!("{content} is not in\n{text}"));
        lines[at - 1].to_owned()
    }

    pub(crate) fn validate(&self) {
        assert_eq!(self.memory.validate().unwrap().problems, [""; 0]);
    }
}

#[test]
fn a_backup_is_made_of_what_was_there() {
    // spec: M-23, M-99
    let desk = Desk::new("markdown");
    desk.level("high", "用户偏好用 pytest");
    desk.sync();
    assert!(!desk.path("MEMORY.md.bak").exists());
    let first = desk.read("MEMORY.md");
    desk.level("low", "用户用过 vim");
    desk.sync();
    assert_eq!(desk.read("MEMORY.md.bak"), first);
    assert_ne!(desk.read("MEMORY.md"), first);
    assert!(desk.read("MEMORY.md").contains("<!-- Total entries: 2 -->"));
}

#[test]
fn the_file_alone_brings_everything_back() {
    // spec: M-12, M-111
    let desk = Desk::new("markdown");
    let ids = ["high", "medium", "low"].map(|level| desk.level(level, &format!("a {level} note")));
    desk.clock.set(day(20.0));
    desk.space().touch(&[ids[0]]).unwrap();
    desk.memory.maintain(true, Mode::Commit).unwrap();
    let scores = ids.map(|id| desk.score(id));
    let elsewhere = Desk::new("markdown");
    elsewhere.clock.set(day(20.0));
    elsewhere.write("MEMORY.md", &desk.read("MEMORY.md"));
    assert_eq!(elsewhere.sync().added, 3);
    for (level, score) in ["high", "medium", "low"].iter().zip(scores) {
        let memory = elsewhere.found(&format!("a {level} note"));
        near(elsewhere.score(memory.id), score);
        assert_eq!(memory.body.metadata["session"], annals::Value::from("s1"));
        let standing = elsewhere
            .space()
            .lifecycle()
            .standings(&[memory.id])
            .unwrap()[0]
            .clone()
            .unwrap();
        assert_eq!(standing.used, u32::from(*level == "high"));
    }
    let strip = |text: String| {
        text.lines()
            .filter(|line| !line.contains("updated"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(
        strip(elsewhere.read("MEMORY.md")),
        strip(desk.read("MEMORY.md"))
    );
    assert_eq!(elsewhere.sync().added, 0);
    elsewhere.validate();
}

#[test]
fn what_a_person_edits_comes_back() {
    // spec: M-28
    let desk = Desk::new("markdown");
    let (changed, gone, kept) = (
        desk.level("high", "用户住在柏林"),
        desk.level("medium", "用户养了一只狗"),
        desk.level("medium", "用户喜欢茶"),
    );
    desk.sync();
    desk.edit("用户住在柏林", "用户住在汉堡");
    let block = format!("{}\n用户养了一只狗\n", desk.heading("用户养了一只狗"));
    desk.edit(&block, "");
    desk.edit("| 0.60 |", "| 0.95 |");
    desk.write(
        "MEMORY.md",
        &(desk.read("MEMORY.md") + "\n- 用户会弹吉他\n"),
    );
    let report = desk.sync();
    assert_eq!(
        (
            report.added,
            report.updated,
            report.confirmed,
            report.retracted
        ),
        (1, 1, 1, 1)
    );
    let memory = desk.space().get(changed).unwrap().unwrap();
    assert_eq!(
        (memory.body.text.as_str(), memory.body.verified),
        ("用户住在汉堡", true)
    );
    assert_eq!(memory.body.source.unwrap().as_str(), "MEMORY.md");
    near(desk.score(changed), 0.8);
    near(desk.score(kept), 0.95);
    assert_eq!(
        desk.space().get(gone).unwrap().unwrap().status,
        Status::Forgotten
    );
    let written = desk.found("用户会弹吉他");
    near(desk.score(written.id), 0.6);
    assert!(written.body.verified);
    assert_eq!(
        desk.space().history(changed).unwrap().len(),
        2,
        "the old text is kept"
    );
    desk.memory.maintain(true, Mode::Commit).unwrap();
    let text = desk.read("MEMORY.md");
    assert!(
        text.contains("用户住在汉堡") && !text.contains("用户养了一只狗"),
        "{text}"
    );
    let again = desk.sync();
    assert_eq!(
        (again.added, again.updated, again.confirmed, again.retracted),
        (0, 0, 0, 0)
    );
    desk.validate();
}

#[test]
fn edits_made_while_memories_change_survive() {
    // spec: M-29
    let desk = Desk::new("markdown");
    let (both, one) = (
        desk.level("high", "用户住在柏林"),
        desk.level("medium", "用户喜欢茶"),
    );
    desk.sync();
    desk.edit("用户住在柏林", "用户住在汉堡");
    desk.space().update(both, "用户住在慕尼黑").unwrap();
    desk.space().update(one, "用户喜欢绿茶").unwrap();
    desk.space().touch(&[one]).unwrap();
    let report = desk.sync();
    assert_eq!((report.updated, report.conflicts), (1, 1));
    let text = desk.read("MEMORY.md");
    assert!(
        text.contains("用户住在汉堡") && text.contains("用户喜欢绿茶"),
        "{text}"
    );
    let told: Vec<String> = desk
        .space()
        .history(both)
        .unwrap()
        .into_iter()
        .map(|each| each.memory.body.text)
        .collect();
    assert_eq!(told, ["用户住在柏林", "用户住在慕尼黑", "用户住在汉堡"]);
    near(desk.score(one), 0.68);
}

#[test]
fn a_score_written_by_hand_counts_and_others_stay_exact() {
    // spec: M-33
    let desk = Desk::new("markdown");
    let (fading, raised) = (
        desk.level("high", "用户用 Nginx"),
        desk.level("high", "用户用 Caddy"),
    );
    for at in 1..=60 {
        desk.clock.set(day(f64::from(at)));
        desk.memory.maintain(true, Mode::Commit).unwrap();
    }
    near(desk.score(fading), 0.469_629);
    assert!(desk.heading("用户用 Caddy").contains("| 0.47 |"));
    let old = desk.heading("用户用 Caddy");
    desk.edit(&old, &old.replace("| 0.47 |", "| 0.90 |"));
    desk.sync();
    near(desk.score(raised), 0.90);
    near(desk.score(fading), 0.469_629);
}

#[test]
fn text_that_cannot_be_read_is_kept_beside_the_file() {
    // spec: M-20, M-21, M-22
    let desk = Desk::new("markdown");
    let text = "# Agent Memory\n\n## Active Memories\n\n### [a] fact | 0.9 | 2025-12-20 | 1\none\n\n\
                ### [bad fact | x\nmine\n\n### [c] fact | 0.7 | 2025-12-20 | 1\nthree\n";
    desk.write("MEMORY.md", text);
    let report = desk.sync();
    assert_eq!((report.entries, report.warnings.len()), (2, 1));
    assert!(
        report.warnings[0].starts_with("line 8: "),
        "{:?}",
        report.warnings
    );
    assert!(
        desk.read("MEMORY.md.rejected")
            .contains("### [bad fact | x\nmine\n")
    );
    assert_eq!(report.kept_in, Some(desk.path("MEMORY.md.rejected")));
    assert_eq!(desk.sync().warnings, [""; 0]);
    assert_eq!(desk.heading("one"), "### [a] fact | 0.90 | 2025-12-20 | 1");
}

#[test]
fn a_file_that_is_cut_off_comes_back_from_its_backup() {
    // spec: M-24, M-36
    let desk = Desk::new("markdown");
    assert_eq!(desk.sync().entries, 0);
    desk.level("high", "用户偏好用 pytest");
    desk.sync();
    desk.level("low", "用户用过 vim");
    desk.sync();
    for cut in ["", "# Agent Memory\n\n<!-- Last upd"] {
        desk.write("MEMORY.md", cut);
        desk.sync();
        assert!(
            desk.read("MEMORY.md").contains("用户偏好用 pytest")
                && desk.read("MEMORY.md").contains("用户用过 vim")
        );
    }
    std::fs::remove_file(desk.path("MEMORY.md")).unwrap();
    desk.sync();
    assert!(desk.read("MEMORY.md").contains("<!-- Total entries: 2 -->"));
    assert_eq!(
        desk.space().admin().stats().unwrap().by_status["forgotten"],
        0
    );
}

#[test]
fn wherever_a_file_is_cut_nothing_is_taken_out_or_changed() {
    let desk = Desk::new("markdown");
    for text in ["用户偏好用 pytest", "用户用过 vim", "Ada 住在汉堡"] {
        desk.level("high", text);
    }
    desk.space()
        .archive(desk.level("low", "用户去过里斯本"))
        .unwrap();
    desk.sync();
    let whole = desk.read("MEMORY.md");
    let held = || {
        let query = ListQuery {
            filter: every_status(),
            limit: 10,
            ..ListQuery::default()
        };
        let memories = desk.space().list(&query).unwrap().memories;
        memories
            .into_iter()
            .map(|memory| (memory.body.text, memory.status))
            .collect::<Vec<_>>()
    };
    let before = held();
    assert_eq!(before.len(), 4);
    let title = "# Agent Memory\n".len();
    for end in (title..whole.trim_end().len() - 1)
        .filter(|end| whole.is_char_boundary(*end))
        .step_by(7)
    {
        desk.write("MEMORY.md", &whole[..end]);
        let synced = desk.sync();
        assert_eq!(held(), before, "cut at {end}");
        assert!(
            synced
                .warnings
                .iter()
                .any(|warning| warning.contains("cut off")),
            "cut at {end}: {synced:?}"
        );
        assert_eq!(desk.read("MEMORY.md").matches("### [").count(), 4);
    }
}

#[test]
fn a_file_has_the_headings_of_the_language_of_its_namespace_and_is_read_back_from_either() {
    let desk = Desk::new("markdown");
    desk.level("high", "用户偏好用 pytest");
    desk.sync();
    assert!(
        desk.read("MEMORY.md").contains("# Agent Memory\n")
            && desk.read("MEMORY.md").contains("## Active Memories")
    );
    for (language, headings) in [
        (
            "zh",
            ["# 智能体记忆\n", "## 有效的记忆\n", "## 已归档的记忆\n"],
        ),
        (
            "en",
            [
                "# Agent Memory\n",
                "## Active Memories\n",
                "## Archived Memories\n",
            ],
        ),
    ] {
        desk.space()
            .admin()
            .set_language(Some(language.to_owned()))
            .unwrap();
        let report = desk.sync();
        assert_eq!(
            (report.entries, report.retracted, report.written),
            (1, 0, true),
            "{language}: {report:?}"
        );
        assert!(
            headings
                .iter()
                .all(|heading| desk.read("MEMORY.md").contains(heading)),
            "{language}"
        );
        let line = desk.heading("用户偏好用 pytest");
        desk.edit(&line, &format!("### fact\n{language} 的手写\n\n{line}"));
        let report = desk.sync();
        assert_eq!(
            (report.added, report.retracted, report.warnings.len()),
            (1, 0, 1),
            "{language}: {report:?}"
        );
        desk.space()
            .forget(desk.space().recall(format!("{language} 的手写")).unwrap()[0].id)
            .unwrap();
        assert_eq!(desk.sync().entries, 1);
    }
}

fn every_status() -> Filter {
    Filter {
        statuses: Status::ALL.to_vec(),
        ..Filter::default()
    }
}

#[test]
fn a_file_of_the_old_style_is_set_aside_and_offered_once() {
    // spec: M-07
    let desk = Desk::new("markdown");
    let old = "user: 用户偏好用 pytest\nassistant: 好的\n";
    desk.write("MEMORY.md", old);
    desk.sync();
    assert_eq!(desk.read("MEMORY.md.legacy"), old);
    let text = desk.read("MEMORY.md");
    let section = text.strip_prefix(old).unwrap();
    assert!(
        section.contains("\n# Agent Memory\n") && !section.contains("pytest"),
        "{text}"
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
        [old]
    );
    desk.sync();
    assert_eq!(
        desk.space()
            .session("MEMORY.md.legacy")
            .memories(0, 10)
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn jobs_write_the_file_and_decay_without_anything_new() {
    // spec: M-63, M-64
    // part: M-70; one active entry has no order
    let desk = Desk::new("markdown");
    let (high, low) = (desk.level("high", "high one"), desk.level("low", "low one"));
    desk.space().session("s1").end().unwrap();
    assert!(desk.heading("high one").contains("| 0.80 |"));
    desk.clock.set(day(60.0));
    desk.space().session("s1").end().unwrap();
    near(desk.score(high), 0.469_629);
    assert!(desk.heading("high one").contains("| 0.47 |"));
    desk.clock.set(day(76.0));
    desk.memory.maintain(false, Mode::Commit).unwrap();
    near(desk.score(low), 0.199_935);
    let text = desk.read("MEMORY.md");
    assert!(text.find("high one").unwrap() < text.find("## Archived Memories").unwrap());
    assert!(text.find("## Archived Memories").unwrap() < text.find("low one").unwrap());
}

#[test]
fn jobs_without_a_folder_touch_no_files() {
    // spec: M-38
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::options().in_memory().unwrap();
    let space = memory.create_namespace("bob", "markdown").unwrap();
    let home = std::env::home_dir().unwrap().join(".alfred/agents/bob");
    assert_eq!(space.files().home().unwrap(), Some(home));
    let text = annals::profiles::builtin("markdown").unwrap();
    let other = text.replace(
        "~/.alfred/agents/{name}",
        &format!("{}/{{name}}/x", folder.path().display()),
    );
    memory.profiles().store("mine", &other).unwrap();
    space.admin().set_profile("mine").unwrap();
    assert_eq!(
        space.files().home().unwrap(),
        Some(folder.path().join("bob/x"))
    );
    memory.maintain(true, Mode::Commit).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

pub(crate) fn rule(desk: &Desk, kind: &str, duration: &str, text: &str) -> MemoryId {
    let memory = NewMemory::builder(text)
        .kind(kind)
        .metadata("duration", duration);
    desk.space().remember(memory.build().unwrap()).unwrap()
}

#[test]
fn the_files_of_an_agent_are_written_at_night() {
    // spec
    let desk = Desk::new("agent");
    let night = |at: f64| {
        desk.clock.set(day(at));
        desk.memory.maintain(true, Mode::Commit).unwrap();
        (
            desk.read("identity/MEMORY.md"),
            desk.read("identity/USER.md"),
        )
    };
    rule(&desk, "PREFERENCE", "permanent", "用户喜欢用 Python");
    desk.space()
        .remember(
            NewMemory::builder("用户叫李雷")
                .kind("FACT")
                .build()
                .unwrap(),
        )
        .unwrap();
    desk.space()
        .remember(
            NewMemory::builder("不要直接删除文件")
                .kind("ERROR")
                .build()
                .unwrap(),
        )
        .unwrap();
    let (memory, user) = night(0.2);
    assert!(
        memory.contains("用户叫李雷") && !memory.contains("不要直接删除文件"),
        "{memory}"
    );
    assert!(user.contains("用户喜欢用 Python") && user.contains("用户叫李雷"));
    desk.space()
        .sessions()
        .append(vec![
            NewTurn::builder("s1", "以后都用中文回复").build().unwrap(),
        ])
        .unwrap();
    rule(&desk, "RULE", "permanent", "回复用中文");
    assert_eq!(
        desk.read("identity/MEMORY.md"),
        memory,
        "turns change nothing"
    );
    let (memory, _) = night(1.2);
    assert!(
        memory.contains("回复用中文") && memory.find("回复用中文") < memory.find("用户叫李雷"),
        "{memory}"
    );
}

#[test]
fn the_files_of_an_agent_make_this_tree() {
    // spec
    let desk = Desk::new("agent");
    desk.clock.set("2026-02-23T08:00:00Z".parse().unwrap());
    for n in 0..4 {
        let role = if n % 2 == 0 {
            Role::User
        } else {
            Role::Assistant
        };
        desk.space()
            .designs()
            .agent()
            .on_turn_end(
                NewTurn::builder("s1", format!("line {n}"))
                    .role(role)
                    .build()
                    .unwrap(),
            )
            .unwrap();
    }
    rule(&desk, "RULE", "permanent", "回复用中文");
    desk.memory.maintain(true, Mode::Commit).unwrap();
    let log = desk.read("data/memory/conversation_history/s1.jsonl");
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        (&lines[1]["content"], &lines[1]["role"]),
        (&"line 1".into(), &"assistant".into())
    );
    let summary = desk.read("data/memory/daily_summaries/2026-02-23.md");
    for part in [
        "# 2026-02-23",
        "会话: 1",
        "对话: 4",
        "新记忆: 1",
        "回复用中文",
    ] {
        assert!(summary.contains(part), "{summary}");
    }
    for file in ["identity/MEMORY.md", "identity/USER.md"] {
        assert!(desk.path(file).exists());
    }
    assert!(Path::new(&desk.path("data/memory")).is_dir());
}

#[test]
fn the_memory_file_of_an_agent_is_limited_and_takes_lines_back() {
    // spec: A-72
    let desk = Desk::new("agent");
    let kinds = ["RULE", "PREFERENCE", "FACT", "SKILL"];
    let memories = (0..500_usize).map(|n| {
        let memory = NewMemory::builder(format!("第{n}条永久记忆"))
            .kind(kinds[n % 4])
            .importance((n % 100) as f32 / 100.0);
        memory.metadata("duration", "permanent").build().unwrap()
    });
    desk.space().bulk().remember(memories.collect()).unwrap();
    let sync = || {
        desk.space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap()
    };
    sync();
    let text = desk.read("identity/MEMORY.md");
    assert!(
        text.chars().count() <= 4000 && text.chars().count() > 3900,
        "{}",
        text.chars().count()
    );
    let first = text
        .lines()
        .find(|line| line.starts_with("- "))
        .unwrap()
        .to_owned();
    let edited = text.replacen(&format!("{first}\n"), "", 1).replacen(
        "## 规则约束\n",
        "## 规则约束\n- 用户叫李雷\n",
        1,
    );
    desk.write("identity/MEMORY.md", &edited);
    let report = sync();
    assert_eq!((report.files[0].added, report.files[0].retracted), (1, 1));
    let memory = desk.found("用户叫李雷");
    assert!(memory.body.verified);
    assert_eq!(
        desk.found(first.trim_start_matches("- ")).status,
        Status::Forgotten
    );
    assert_eq!(sync().edits(), 0);
    desk.validate();
}

#[test]
fn a_watch_waits_until_an_editor_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("u.annals")).unwrap();
    let space = memory.create_namespace("u", "markdown").unwrap();
    space.remember("用户喜欢茶").unwrap();
    let path = folder.path().join("MEMORY.md");
    let mut watch = space.files().watch(folder.path()).unwrap();
    let in_step = |watch: &mut annals::Watch| {
        let report = space.files().sync(folder.path()).unwrap();
        watch.synced(&report);
        report
    };
    assert!(watch.is_due(), "the first time");
    assert_eq!(in_step(&mut watch).written(), 1);
    assert!(
        !watch.is_due() && !watch.is_due(),
        "what it wrote itself is nothing new to it"
    );
    let again = space.files().sync(folder.path()).unwrap();
    assert_eq!((again.written(), again.edits()), (0, 0));
    // An editor empties the file and fills it.
    let text = std::fs::read_to_string(&path).unwrap();
    let half = text.split("用户").next().unwrap().to_owned();
    std::fs::write(&path, &half).unwrap();
    assert!(!watch.is_due());
    std::fs::write(&path, text.clone() + "\n- 用户会下棋\n").unwrap();
    assert!(!watch.is_due(), "it changed since the last look");
    assert!(watch.is_due());
    let report = in_step(&mut watch);
    assert_eq!((report.files[0].added, report.files[0].retracted), (1, 0));
    assert!(!watch.is_due() && !watch.is_due());
    // The other side.
    space.remember("用户住在里斯本").unwrap();
    assert!(watch.is_due());
    in_step(&mut watch);
    assert!(std::fs::read_to_string(&path).unwrap().contains("里斯本"));
    assert!(
        memory
            .namespace("nobody")
            .unwrap()
            .files()
            .sync(folder.path())
            .unwrap_err()
            .is_not_found()
    );
}
