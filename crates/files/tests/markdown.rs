#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

//! `MEMORY.md`: what is read, what is written, what a person edits in between.

use annals_files::markdown::{
    Change, Entry, File, Format, Section, WarningKind, changes, read, read_with_backup, render,
    render_rejected,
};
use annals_language::Zone;
use annals_types::Timestamp;
use proptest::prelude::*;

const SAMPLE: &str = include_str!("data/MEMORY.md");

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    at("2026-02-20T10:30:00Z")
}

/// Reads with ids that count up.
fn load(text: &str) -> File {
    let mut next = 0_u128;
    read(text, now(), &Format::default(), &mut || {
        next += 1;
        next << 104
    })
}

fn save(entries: &[Entry]) -> String {
    render(entries, now(), &Format::default())
}

fn entry(id: &str, score: f64) -> Entry {
    Entry {
        id: id.to_owned(),
        content: format!("content of {id}"),
        category: "fact".to_owned(),
        score,
        created_at: at("2026-02-20"),
        last_activated: at("2026-02-20"),
        activation_count: 0,
        source_session: String::new(),
        group: String::new(),
        expires_at: None,
    }
}

fn kinds(file: &File) -> Vec<WarningKind> {
    file.warnings.iter().map(|w| w.kind.clone()).collect()
}

#[test]
fn the_sample_of_the_design() {
    // part: M-18, M-103, M-113
    let file = load(SAMPLE);
    assert_eq!(file.warnings, []);
    let sections: Vec<_> = file
        .entries
        .iter()
        .map(|read| read.section.unwrap())
        .collect();
    assert_eq!(
        sections,
        [
            Section::Active,
            Section::Active,
            Section::Active,
            Section::Archived
        ]
    );
    let saved = save(&file.entries());
    assert_eq!(
        saved,
        SAMPLE.replace("Total entries: 15", "Total entries: 4")
    );
}

#[test]
fn what_stands_at_the_head() {
    // part: M-13, M-14, M-15, M-16
    let format = Format {
        zone: Zone::named("Asia/Shanghai").unwrap(),
        ..Format::default()
    };
    let text = render(
        &[entry("a", 0.9), entry("b", 0.1)],
        at("2026-02-20T02:30:00Z"),
        &format,
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "# Agent Memory");
    assert_eq!(lines[2], "<!-- Last updated: 2026-02-20T10:30:00 -->");
    assert_eq!(lines[3], "<!-- Total entries: 2 -->");
    let headings: Vec<&&str> = lines
        .iter()
        .filter(|line| line.starts_with("## "))
        .collect();
    assert_eq!(headings, [&"## Active Memories", &"## Archived Memories"]);
    assert!(save(&[]).contains("## Active Memories\n\n## Archived Memories\n"));
}

#[test]
fn where_an_entry_stands() {
    // part: M-25, M-26, M-27, M-68
    let scores = [0.85, 0.92, 0.88, 0.35, 0.20, 0.1999, 0.05];
    let entries: Vec<Entry> = scores
        .iter()
        .enumerate()
        .map(|(n, score)| entry(&format!("e{n}"), *score))
        .collect();
    let file = load(&save(&entries));
    let order: Vec<f64> = file.entries.iter().map(|read| read.entry.score).collect();
    assert_eq!(order, [0.92, 0.88, 0.85, 0.35, 0.20, 0.1999, 0.05]);
    let active = file
        .entries
        .iter()
        .filter(|read| read.section == Some(Section::Active))
        .count();
    assert_eq!(active, 5);
    assert_eq!(file.warnings, []);
    let mut tied = [entry("b", 0.5), entry("a", 0.5), entry("c", 0.5)];
    tied[2].last_activated = at("2026-02-21");
    let ids: Vec<String> = load(&save(&tied))
        .entries()
        .into_iter()
        .map(|e| e.id)
        .collect();
    assert_eq!(ids, ["c", "a", "b"]);
}

#[test]
fn a_broken_entry_is_set_aside_and_kept() {
    // part: M-20, M-21, M-22
    let text = "# Agent Memory\n\n## Active Memories\n\n### [a] fact | 0.9 | 2026-02-20 | 1\none\n\n\
                ### [bad fact | x\nmine | all mine\n\n### [c] fact | 0.7 | 2026-02-20 | 1\nthree\n";
    let file = load(text);
    let ids: Vec<String> = file.entries().into_iter().map(|e| e.id).collect();
    assert_eq!(ids, ["a", "c"]);
    assert_eq!(file.warnings.len(), 1);
    assert_eq!(file.warnings[0].line, 8);
    assert!(file.warnings[0].to_string().starts_with("line 8: "));
    assert_eq!(load(&save(&file.entries())).warnings, []);
    let zone = Zone::utc();
    let kept = render_rejected("", &file.rejected, now(), &zone);
    assert_eq!(
        kept,
        "<!-- 2026-02-20T10:30:00, line 8 -->\n### [bad fact | x\nmine | all mine\n\n"
    );
    assert_eq!(
        render_rejected(&kept, &file.rejected, at("2026-02-21"), &zone),
        kept
    );
}

#[test]
fn extra_spaces_and_missing_lines_are_no_matter() {
    // part: M-19, M-40
    let tidy = load(SAMPLE);
    let crowded = SAMPLE
        .replace("\n\n", "\n")
        .replace(" | ", "   |")
        .replace("### ", "###");
    assert_eq!(load(&crowded).entries(), tidy.entries());
    let windows = format!("\u{FEFF}{}", SAMPLE.replace('\n', "\r\n"));
    let file = load(&windows);
    assert_eq!(file.entries(), tidy.entries());
    assert_eq!(file.warnings, []);
    assert!(!save(&file.entries()).contains('\r'));
}

#[test]
fn empty_and_missing_files_are_empty() {
    // part: M-36
    for file in [
        load(""),
        load("\n \n"),
        load("\u{FEFF}"),
        read_with_backup(None, None, now(), &Format::default(), &mut || 0),
    ] {
        assert_eq!(file, File::default());
    }
}

#[test]
fn entries_written_by_hand_get_what_is_missing() {
    // part: M-30
    let text = "## Active Memories\n### fact\nwritten by hand\n\n- a bare line\n- another\n  that goes on\n";
    let file = load(text);
    assert_eq!(file.rejected, []);
    let found: Vec<(&str, &str)> = file
        .entries
        .iter()
        .map(|r| (r.entry.id.as_str(), r.entry.content.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("000001", "written by hand"),
            ("000002", "a bare line"),
            ("000003", "another that goes on")
        ]
    );
    for read in &file.entries {
        assert!(read.fresh);
        assert_eq!((read.entry.score, read.entry.activation_count), (0.6, 0));
        assert_eq!(
            (read.entry.last_activated, read.entry.created_at),
            (now(), now())
        );
    }
    let again = load(&save(&file.entries()));
    assert_eq!(again.warnings, []);
    assert_eq!(again.entries(), file.entries());
}

#[test]
fn unknown_categories_are_kept_with_a_warning() {
    // part: M-10, M-11
    let line = |category: &str, score: &str| {
        format!("### [a] {category} | {score} | 2026-02-20 | 1\ntext\n")
    };
    for category in [
        "preference",
        "fact",
        "experience",
        "workflow",
        "decision",
        "skill_usage",
        "todo",
    ] {
        let file = load(&line(category, "0.50"));
        assert_eq!(file.warnings, []);
        assert_eq!(load(&save(&file.entries())).entries()[0].category, category);
    }
    let file = load(&line("hobby", "1.7"));
    assert_eq!(
        (
            file.entries[0].entry.category.as_str(),
            file.entries[0].entry.score
        ),
        ("hobby", 1.0)
    );
    assert_eq!(
        kinds(&file),
        [
            WarningKind::UnknownCategory("hobby".into()),
            WarningKind::ScoreOutOfRange
        ]
    );
}

#[test]
fn all_fields_survive() {
    // part: M-32, M-34
    let full = Entry {
        content: "a\n### b | c".to_owned(),
        score: 0.469_629_123,
        created_at: at("2025-12-31T23:59:59.5Z"),
        last_activated: at("2026-02-19T18:03:04Z"),
        activation_count: 3,
        source_session: "chat; 7 --> x".to_owned(),
        group: "工作 / 生活; 2".to_owned(),
        expires_at: Some(at("2026-03-01T00:00:00Z")),
        ..entry("g7h8i9", 0.0)
    };
    let file = load(&save(std::slice::from_ref(&full)));
    assert_eq!(file.warnings, []);
    assert_eq!(
        file.entries(),
        [Entry {
            content: "a ### b | c".to_owned(),
            ..full
        }]
    );
    let plain = &load(SAMPLE).entries[0].entry;
    assert_eq!(
        (plain.created_at, plain.source_session.as_str()),
        (at("2026-02-20"), "")
    );
}

#[test]
fn sixty_days_of_fading_are_not_lost_in_rounding() {
    // part: M-33
    let mut text = save(&[entry("a", 0.8)]);
    for day in 1..=60 {
        let mut held = load(&text).entries().remove(0);
        if day > 7 {
            held.score *= 0.99;
        }
        text = save(&[held]);
    }
    assert!(text.contains("| 0.47 |"));
    let score = load(&text).entries[0].entry.score;
    assert!((score - 0.469_629).abs() < 1e-6, "{score}");
    let edited = load(&text.replace("| 0.47 |", "| 0.90 |"));
    assert_eq!(edited.entries[0].entry.score, 0.90);
}

#[test]
fn the_backup_is_read_when_the_file_has_no_entry() {
    // part: M-24
    let format = Format::default();
    let load = |text| read_with_backup(text, Some(SAMPLE), now(), &format, &mut || 1);
    for cut in [None, Some(""), Some("# Agent Memory\n\n<!-- Last upd")] {
        let file = load(cut);
        assert_eq!(file.entries.len(), 4);
        assert_eq!(file.warnings[0].kind, WarningKind::FromBackup);
    }
    assert_eq!(
        load(Some("### [z] fact | 0.5 | 2026-02-20 | 1\nz\n"))
            .entries
            .len(),
        1
    );
}

#[test]
fn raw_text_of_the_old_style_is_told_apart() {
    let old = load("user: hello\nassistant: hi\n\nuser: what is new?\n");
    assert!(old.legacy && old.entries.is_empty());
    assert_eq!(old.rejected.len(), 1);
    assert!(!load(&save(&[])).legacy && !load("").legacy && !load(SAMPLE).legacy);
}

#[test]
fn ids_that_stand_twice_do_not_hide_each_other() {
    let twice = "### [a] fact | 0.5 | 2026-02-20 | 1\none\n### [a] fact | 0.5 | 2026-02-20 | 1\ntwo\n\
                 ### [a] fact | 0.5 | 2026-02-20 | 1\none\n";
    let file = load(twice);
    let found: Vec<(String, String)> = file
        .entries()
        .into_iter()
        .map(|e| (e.id, e.content))
        .collect();
    assert_eq!(
        found,
        [("a".into(), "one".into()), ("000001".into(), "two".into())]
    );
    assert_eq!(
        kinds(&file),
        [
            WarningKind::DuplicateId("a".into()),
            WarningKind::Repeated("a".into())
        ]
    );
}

#[test]
fn what_a_person_edited_is_found() {
    // part: M-28
    let before: Vec<Entry> = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .map(|id| entry(id, 0.5))
        .collect();
    let text = save(&before)
        .replace("content of a", "another content")
        .replace(
            "### [b] fact | 0.50 | 2026-02-20 | 0",
            "### [b] fact | 0.90 | 2026-02-20 | 0",
        )
        .replace("### [c] fact | 0.50 | 2026-02-20 | 0\ncontent of c\n\n", "")
        .replace("### [d] fact | 0.50", "### [d fact | 0.50")
        .replace("### [e] fact | 0.50", "### [e] fact | 0.10")
        + "\n- new\n";
    let found: Vec<String> = changes(&before, &load(&text))
        .into_iter()
        .map(|change| match change {
            Change::Added(e) => format!("+{}", e.content),
            Change::Updated(e) => format!("~{} {} {}", e.id, e.content, e.score),
            Change::Confirmed(e) => format!("!{} {}", e.id, e.score),
            Change::Retracted(e) => format!("-{}", e.id),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        found,
        [
            "~a another content 0.5",
            "!b 0.9",
            "~e content of e 0.1",
            "+new",
            "-c"
        ]
    );
    assert_eq!(changes(&before, &load(&save(&before))), []);
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let category = prop::sample::select(vec!["preference", "fact", "workflow", "todo"]);
    // Years in which every zone has whole minutes.
    let time = 0_i64..4_000_000_000_000;
    let text = "\\PC{1,40}|[#<!|\\\\ -]{0,6}[a-z用户]{1,9}";
    let fields = (
        "[A-Za-z0-9_-]{1,12}",
        text,
        category,
        0.0..=1.0_f64,
        time.clone(),
        time,
        any::<u32>(),
        "\\PC{0,12}",
    );
    fields.prop_map(
        |(id, content, category, score, created, activated, hits, session)| Entry {
            id,
            content: annals_language::one_line(&content),
            category: category.to_owned(),
            score,
            created_at: Timestamp::from_millis(created),
            last_activated: Timestamp::from_millis(activated),
            activation_count: hits,
            group: format!(
                "g{}",
                session
                    .chars()
                    .filter(|c| c.is_alphanumeric())
                    .collect::<String>()
            ),
            source_session: session,
            expires_at: (hits % 2 == 0).then(|| Timestamp::from_millis(created)),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_list_survives(mut entries in prop::collection::vec(any_entry(), 0..8)) {
        // part: M-31
        entries.retain(|e| !e.content.is_empty());
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        entries.dedup_by(|a, b| a.id == b.id);
        let format = Format { zone: Zone::named("Europe/Berlin").unwrap(), ..Format::default() };
        let text = render(&entries, now(), &format);
        let file = read(&text, now(), &format, &mut || 0);
        prop_assert_eq!(&file.warnings, &[]);
        let mut back = file.entries();
        back.sort_by(|a, b| a.id.cmp(&b.id));
        prop_assert_eq!(back, entries);
    }

    #[test]
    fn fuzz_any_text_is_read_and_written_cleanly(
        text in "(### |## |# |- |<!-- |\\[|\\]|\\||[a-c0-9.-]{1,4}|active memories|fact|\n|-->| |\\PC){0,60}|.{0,80}",
    ) {
        let file = load(&text);
        let again = load(&save(&file.entries()));
        let only_categories = again.warnings.iter().all(|w| matches!(w.kind, WarningKind::UnknownCategory(_)));
        prop_assert!(only_categories, "{:?}", again.warnings);
        prop_assert_eq!(&again.rejected, &vec![]);
        prop_assert_eq!(again.entries.len(), file.entries.len());
        let _ = changes(&again.entries(), &file);
    }
}
