//! An edited line in a file is the same memory afterwards, and edits on both sides are not lost.

use annals::{MemoryId, NewMemory, Status};

use super::mirrors::{Desk, rule};
use crate::support::life::{day, near};

const CORE: &str = "identity/MEMORY.md";

impl Desk {
    /// Replaces a part of a file.
    fn change(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{from} is not in\n{text}");
        self.write(file, &text.replacen(from, to, 1));
    }

    fn told(&self, id: MemoryId) -> Vec<String> {
        self.space()
            .history(id)
            .unwrap()
            .into_iter()
            .map(|each| each.memory.body.text)
            .collect()
    }
}

fn preferences<const N: usize>(desk: &Desk, texts: [&str; N]) -> [MemoryId; N] {
    texts.map(|text| rule(desk, "PREFERENCE", "permanent", text))
}

#[test]
fn a_line_that_a_person_changed_is_the_same_memory() {
    let desk = Desk::new("agent");
    desk.space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    let [tabs, dark, tea] =
        preferences(&desk, ["prefers tabs", "prefers dark colours", "likes tea"]);
    desk.synced(CORE);
    desk.change(CORE, "prefers tabs", "prefers spaces");
    desk.change(CORE, "- likes tea\n", "");
    desk.change(CORE, "## 用户偏好\n", "## 用户偏好\n- 用户叫李雷\n");
    let report = desk.synced(CORE);
    assert_eq!(
        (
            report.added,
            report.updated,
            report.retracted,
            report.conflicts
        ),
        (1, 1, 1, 0),
        "{report:?}"
    );
    let memory = desk.space().get(tabs).unwrap().unwrap();
    assert_eq!(
        (memory.body.text.as_str(), memory.body.verified),
        ("prefers spaces", true)
    );
    assert_eq!(memory.body.source.unwrap().as_str(), "MEMORY.md");
    assert_eq!(desk.told(tabs), ["prefers tabs", "prefers spaces"]);
    assert_eq!(desk.told(dark), ["prefers dark colours"]);
    assert_eq!(
        desk.space().get(tea).unwrap().unwrap().status,
        Status::Forgotten
    );
    let again = desk.synced(CORE);
    assert_eq!(
        (again.added, again.updated, again.retracted, again.written),
        (0, 0, 0, false),
        "{again:?}"
    );
    desk.validate();
}

#[test]
fn a_line_that_both_sides_changed_has_both_texts() {
    let desk = Desk::new("agent");
    let [id, same] = preferences(&desk, ["prefers tabs", "prefers light colours"]);
    desk.synced(CORE);
    desk.space().update(id, "prefers two spaces").unwrap();
    desk.space().update(same, "prefers dark colours").unwrap();
    desk.change(CORE, "prefers tabs", "prefers spaces");
    desk.change(CORE, "prefers light colours", "prefers dark colours");
    let report = desk.synced(CORE);
    assert_eq!(
        (report.updated, report.conflicts, report.retracted),
        (1, 1, 0),
        "{report:?}"
    );
    assert_eq!(
        desk.told(id),
        ["prefers tabs", "prefers two spaces", "prefers spaces"]
    );
    assert_eq!(
        desk.told(same),
        ["prefers light colours", "prefers dark colours"]
    );
    desk.validate();
}

#[test]
fn what_was_taken_out_and_changed_at_once_stays_and_is_told() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        let desk = Desk::new(profile);
        let ids = ["Ada lives in Bonn", "用户喜欢茶"].map(|text| match profile {
            "markdown" => desk.level("high", text),
            _ => rule(&desk, "FACT", "permanent", text),
        });
        desk.synced(file);
        desk.space().update(ids[0], "Ada lives in Rome").unwrap();
        let text = desk.read(file);
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| line.contains("Bonn")).unwrap();
        let entry = if profile == "markdown" {
            at - 1..at + 2
        } else {
            at..at + 1
        };
        let kept = lines.iter().enumerate().filter(|(n, _)| !entry.contains(n));
        desk.write(
            file,
            &kept
                .map(|(_, line)| format!("{line}\n"))
                .collect::<String>(),
        );
        let report = desk.synced(file);
        assert_eq!(
            (report.retracted, report.conflicts, report.warnings.len()),
            (0, 1, 1),
            "{report:?}"
        );
        assert!(
            report.warnings[0].contains("it stays, as \"Ada lives in Rome\""),
            "{report:?}"
        );
        assert_eq!(
            desk.space().get(ids[0]).unwrap().unwrap().status,
            Status::Active
        );
        assert!(
            desk.read(file).contains("Ada lives in Rome") && desk.read(file).contains("用户喜欢茶")
        );
        let again = desk.synced(file);
        assert_eq!(
            (again.conflicts, again.warnings.len(), again.written),
            (0, 0, false),
            "{again:?}"
        );
        desk.validate();
    }
}

#[test]
fn a_copied_entry_of_which_the_first_says_something_else_is_a_memory_of_its_own() {
    let ada = "Ada works at the harbour of Hamburg";
    for copy in [None, Some("### fact")] {
        let desk = Desk::new("markdown");
        let id = desk.level("high", ada);
        desk.level("high", "Bob plays chess on Sundays");
        desk.sync();
        let heading = desk.heading(ada);
        let copy = copy.unwrap_or(&heading);
        let both = format!("{heading}\nCarl drives a blue truck\n\n{copy}\n{ada}\n");
        desk.edit(&format!("{heading}\n{ada}\n"), &both);
        let report = desk.sync();
        assert_eq!(
            (report.added, report.updated, report.retracted),
            (1, 1, 0),
            "{report:?}"
        );
        let mut texts = desk.texts();
        texts.sort();
        assert_eq!(
            texts,
            [
                ada,
                "Bob plays chess on Sundays",
                "Carl drives a blue truck"
            ]
        );
        assert_eq!(desk.told(id), [ada, "Carl drives a blue truck"]);
        assert!(desk.read("MEMORY.md").contains(ada));
        let again = desk.sync();
        assert_eq!(
            (
                again.added,
                again.updated,
                again.warnings.len(),
                again.written
            ),
            (0, 0, 0, false),
            "{again:?}"
        );
        desk.validate();
    }
}

#[test]
fn entries_with_the_same_words_are_one_where_nothing_else_tells_them_apart() {
    let desk = Desk::new("markdown");
    let rent = NewMemory::builder("Pay the rent")
        .kind("todo")
        .expires_at(day(30.0))
        .build()
        .unwrap();
    desk.space().remember(rent).unwrap();
    desk.sync();
    let due = |name: &str, kind: &str, on: f64| {
        format!(
            "### [{name}] {kind} | 0.60 | 2026-01-01 | 0\nPay the rent\n<!-- expires: {} -->\n\n",
            day(on)
        )
    };
    let heading = desk.heading("Pay the rent");
    let new = [
        due("aaaa11", "todo", 60.0),
        due("aaaa12", "todo", 90.0),
        due("aaaa13", "decision", 30.0),
    ]
    .concat();
    desk.edit(&heading, &format!("{new}{heading}"));
    let report = desk.sync();
    assert_eq!((report.added, report.warnings.len()), (3, 0), "{report:?}");
    assert_eq!(desk.texts(), ["Pay the rent"; 4]);
    let again = desk.sync();
    assert_eq!(
        (again.added, again.updated, again.written),
        (0, 0, false),
        "{again:?}"
    );
    // An entry that says nothing of its own is one memory with what is there, and that is told.
    let more = [
        due("aaaa14", "todo", 60.0),
        "### todo\nPay the rent\n\n- Pay the rent\n\n".to_owned(),
    ]
    .concat();
    desk.edit(&heading, &format!("{more}{heading}"));
    let report = desk.sync();
    let folded = report
        .warnings
        .iter()
        .filter(|told| told.ends_with("another entry says the same; both are one memory"));
    assert_eq!(
        (report.added, folded.count(), desk.texts().len()),
        (0, 3, 4),
        "{report:?}"
    );
    assert!(!desk.read("MEMORY.md").contains("aaaa14"));
    // A copy under the same name with another day is no repetition.
    let heading = desk.heading("Pay the rent");
    let name = heading.split(['[', ']']).nth(1).unwrap().to_owned();
    desk.edit(&heading, &format!("{}{heading}", due(&name, "todo", 120.0)));
    let report = desk.sync();
    assert_eq!(desk.texts().len(), 5, "{report:?}");
    desk.validate();
}

#[test]
fn a_score_that_a_person_wrote_is_the_memorys_own() {
    let desk = Desk::new("markdown");
    let [raised, lowered] = [("medium", "用户喜欢茶"), ("high", "用户住在柏林")]
        .map(|(level, text)| desk.level(level, text));
    desk.sync();
    desk.edit("| 0.60 |", "| 0.95 |");
    desk.edit("| 0.80 |", "| 0.10 |");
    let report = desk.sync();
    assert_eq!(
        (
            report.confirmed,
            report.updated,
            report.added,
            report.retracted
        ),
        (1, 1, 0, 0),
        "{report:?}"
    );
    for (id, score) in [(raised, 0.95), (lowered, 0.10)] {
        let body = desk.space().get(id).unwrap().unwrap().body;
        near(desk.score(id), score);
        near(f64::from(body.importance.get()), score);
        assert_eq!(
            (body.verified, body.source.unwrap().as_str()),
            (true, "MEMORY.md")
        );
    }
    let again = desk.sync();
    assert_eq!(
        (again.confirmed, again.updated, again.written),
        (0, 0, false),
        "{again:?}"
    );
    desk.validate();
}

#[test]
fn a_changed_line_that_must_not_be_stored_leaves_the_memory_as_it_is() {
    let desk = Desk::new("agent");
    desk.adds("agent", "[privacy]\npassword = \"reject\"\n");
    let [id] = preferences(&desk, ["用户住在柏林"]);
    desk.synced(CORE);
    desk.change(CORE, "用户住在柏林", "用户住在 password: hunter2abc");
    let report = desk.synced(CORE);
    assert_eq!(
        (
            report.updated,
            report.added,
            report.retracted,
            report.warnings.len()
        ),
        (0, 0, 0, 1),
        "{report:?}"
    );
    assert_eq!(desk.told(id), ["用户住在柏林"]);
    assert!(desk.read(CORE).contains("用户住在柏林") && !desk.read(CORE).contains("hunter2abc"));
    desk.validate();
}
