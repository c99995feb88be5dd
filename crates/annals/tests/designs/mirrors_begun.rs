//! Files that a person began: annals keeps one section of them, and nothing else.

use std::path::Path;

use annals::{Mode, Status, SyncedFile, UndoneChange};

use super::mirrors::{Desk, rule};
use crate::support::life::{day, near};

const CORE: &str = "identity/MEMORY.md";
const USER: &str = "identity/USER.md";
const BEGIN: &str =
    "<!-- annals:begin: memories; annals keeps these lines, the rest of the file is yours -->\n";
const END: &str = "<!-- annals:end -->\n";
/// A text of a person; no part of it is a memory.
const THEIRS: &str = "# My project\n\nIt is about *tea*.\n\n## Todo\n\n- buy milk\n- [x] call Ada\n\n\
                      | a | b |\n|---|---|\n| 1 | 2 |\n\n### Notes\n\n```sh\nrm -rf /tmp/x\n```\n";

fn bytes(desk: &Desk, name: &str) -> Vec<u8> {
    std::fs::read(desk.path(name)).unwrap()
}

fn put(desk: &Desk, name: &str, bytes: &[u8]) {
    std::fs::create_dir_all(desk.path(name).parent().unwrap()).unwrap();
    std::fs::write(desk.path(name), bytes).unwrap();
}

/// The file before its section, what annals keeps, and what stands behind it.
fn parts(text: &str) -> (&str, &str, &str) {
    let (before, rest) = text
        .split_once(BEGIN)
        .unwrap_or_else(|| panic!("no section in\n{text}"));
    let (section, after) = rest.split_once(END).unwrap();
    (before, section, after)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn remember(desk: &Desk, profile: &str, text: &str) -> annals::MemoryId {
    match profile {
        "markdown" => desk.level("high", text),
        _ => rule(desk, "RULE", "permanent", text),
    }
}

#[test]
fn a_file_that_a_person_began_stays_byte_for_byte() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE), ("agent", USER)] {
        for theirs in [
            THEIRS.as_bytes(),
            b"no end of line",
            b"a\r\nb\r\n",
            b"\xef\xbb\xbf# BOM\n",
            b"caf\xe9 \xff\n\n",
        ] {
            let desk = Desk::new(profile);
            remember(&desk, profile, "用户喜欢茶");
            put(&desk, file, theirs);
            for round in 0..3 {
                let report = desk.synced(file);
                assert_eq!((report.added, report.failed), (0, None), "{theirs:?}");
                let now = bytes(&desk, file);
                assert!(
                    now.starts_with(theirs) && now.len() > theirs.len(),
                    "{round}: {theirs:?}"
                );
                let ends = theirs.contains(&b'\r');
                assert_eq!(
                    now[theirs.len()..].windows(2).any(|pair| pair == b"\r\n"),
                    ends,
                    "{theirs:?}"
                );
                assert!(!desk.path(&format!("{file}.rejected")).exists());
                assert_eq!(
                    bytes(&desk, &format!("{file}.bak")),
                    theirs,
                    "what was there before the first write"
                );
                remember(&desk, profile, &format!("第{round}条记忆"));
            }
            if file != USER {
                let text = String::from_utf8_lossy(&bytes(&desk, file)).into_owned();
                assert!(
                    text.contains("用户喜欢茶") && text.contains("第1条记忆"),
                    "{text}"
                );
            }
            let others = desk
                .texts()
                .into_iter()
                .filter(|text| text.as_bytes() != theirs);
            assert_eq!(others.count(), 4, "none of it is a memory");
            desk.validate();
        }
    }
}

#[test]
fn what_a_person_edits_in_the_section_comes_back_and_what_they_move_out_is_theirs() {
    let desk = Desk::new("markdown");
    put(&desk, "MEMORY.md", THEIRS.as_bytes());
    let (changed, moved) = (
        desk.level("high", "用户住在柏林"),
        desk.level("medium", "用户喜欢茶"),
    );
    desk.sync();
    desk.edit("用户住在柏林", "用户住在汉堡");
    let block = format!("{}\n用户喜欢茶\n", desk.heading("用户喜欢茶"));
    desk.edit(&block, "- 用户会弹吉他\n");
    desk.write(
        "MEMORY.md",
        &(desk.read("MEMORY.md") + "\n## Tea\n用户喜欢茶\n"),
    );
    desk.edit(THEIRS, &format!("Another first line.\n{THEIRS}"));
    let report = desk.sync();
    assert_eq!(
        (report.added, report.updated, report.retracted),
        (1, 1, 1),
        "{report:?}"
    );
    assert_eq!(
        desk.space().get(changed).unwrap().unwrap().body.text,
        "用户住在汉堡"
    );
    assert_eq!(
        desk.space().get(moved).unwrap().unwrap().status,
        Status::Forgotten
    );
    let text = desk.read("MEMORY.md");
    let (before, section, after) = parts(&text);
    assert_eq!(
        (before, after),
        (
            &*format!("Another first line.\n{THEIRS}\n"),
            "\n## Tea\n用户喜欢茶\n"
        )
    );
    assert!(
        section.contains("用户会弹吉他") && !section.contains("用户喜欢茶"),
        "{section}"
    );
    let again: SyncedFile = desk.sync();
    assert_eq!(
        (again.added, again.updated, again.retracted, again.written),
        (0, 0, 0, false)
    );
    desk.validate();
}

#[test]
fn what_is_no_memory_in_the_section_is_set_aside_with_its_line() {
    let desk = Desk::new("agent");
    put(&desk, CORE, THEIRS.as_bytes());
    rule(&desk, "RULE", "permanent", "回复用中文");
    desk.synced(CORE);
    let text = desk.read(CORE);
    desk.write(
        CORE,
        &text.replace("- 回复用中文\n", "- 回复用中文\nmy prose\n"),
    );
    let line = desk
        .read(CORE)
        .lines()
        .position(|line| line == "my prose")
        .unwrap()
        + 1;
    let report = desk.synced(CORE);
    assert!(
        report.warnings[0].starts_with(&format!("line {line}: ")),
        "{report:?}"
    );
    assert_eq!(desk.read(CORE), text);
    assert!(desk.read(&format!("{CORE}.rejected")).contains("my prose"));
}

#[test]
fn a_section_that_is_taken_out_is_made_anew_and_nothing_is_forgotten() {
    let desk = Desk::new("markdown");
    put(&desk, "MEMORY.md", THEIRS.as_bytes());
    let id = desk.level("high", "用户喜欢茶");
    desk.sync();
    let text = desk.read("MEMORY.md");
    desk.write("MEMORY.md", THEIRS);
    assert_eq!(desk.sync().retracted, 0);
    assert_eq!(desk.read("MEMORY.md"), text);
    // Without its marks it is the person's, too.
    let bare = text.replace(BEGIN, "").replace(END, "");
    desk.write("MEMORY.md", &bare);
    desk.sync();
    assert_eq!(parts(&desk.read("MEMORY.md")).0, format!("{bare}\n"));
    assert_eq!(
        desk.space().get(id).unwrap().unwrap().status,
        Status::Active
    );
    desk.validate();
}

#[test]
fn a_file_with_damaged_marks_is_let_alone_and_says_so() {
    let desk = Desk::new("markdown");
    put(&desk, "MEMORY.md", THEIRS.as_bytes());
    desk.level("high", "用户喜欢茶");
    desk.sync();
    let text = desk.read("MEMORY.md");
    desk.level("high", "用户会下棋");
    for damaged in [
        text.replace(END, ""),
        text.replace(BEGIN, ""),
        format!("{text}\n{text}"),
    ] {
        desk.write("MEMORY.md", &damaged);
        let report = desk.sync();
        let told = report.failed.unwrap();
        assert!(
            told.contains("is let alone") && told.contains("one of each is needed"),
            "{told}"
        );
        assert_eq!(desk.read("MEMORY.md"), damaged);
    }
    let utf16: Vec<u8> = "mine\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    put(&desk, "MEMORY.md", &utf16);
    assert!(desk.sync().failed.unwrap().contains("save it as UTF-8"));
    assert_eq!(bytes(&desk, "MEMORY.md"), utf16);
    desk.write("MEMORY.md", &text);
    assert_eq!(desk.sync().failed, None);
    assert!(desk.read("MEMORY.md").contains("用户会下棋"));
}

#[test]
fn a_file_that_annals_began_is_its_own_and_so_is_one_of_its_form() {
    let desk = Desk::new("markdown");
    desk.level("high", "用户喜欢茶");
    desk.sync();
    let own = desk.read("MEMORY.md");
    desk.edit("\n## Active", "\nsome prose\n\n## Active");
    desk.sync();
    assert_eq!(desk.read("MEMORY.md"), own, "the whole is written");
    assert!(desk.read("MEMORY.md.rejected").contains("some prose"));
    let other = Desk::new("markdown");
    other.write("MEMORY.md", &own);
    assert_eq!(other.sync().added, 1);
    assert!(!other.read("MEMORY.md").contains("annals:begin"));
    // A text that a person puts in the place of the whole file is theirs.
    desk.write("MEMORY.md", THEIRS);
    desk.sync();
    assert_eq!(parts(&desk.read("MEMORY.md")).0, format!("{THEIRS}\n"));
    assert_eq!(
        desk.space().admin().stats().unwrap().by_status["forgotten"],
        0
    );
    desk.validate();
}

#[test]
fn the_backup_of_a_day_is_not_overwritten_on_that_day() {
    let desk = Desk::new("markdown");
    desk.level("high", "用户喜欢茶");
    desk.sync();
    let mut versions = vec![desk.read("MEMORY.md")];
    for (at, text) in [
        (0.1, "用户会下棋"),
        (0.5, "用户会弹吉他"),
        (1.2, "用户住在汉堡"),
        (1.3, "用户有一只猫"),
    ] {
        desk.clock.set(day(at));
        desk.level("high", text);
        desk.sync();
        versions.push(desk.read("MEMORY.md"));
        let first = if at < 1.0 { 0 } else { 2 };
        assert_eq!(desk.read("MEMORY.md.bak"), versions[first], "{at}");
    }
    // An entry that was taken out since the backup does not come back from it.
    let gone = desk.found("用户会下棋").id;
    desk.space().forget(gone).unwrap();
    desk.sync();
    desk.write("MEMORY.md", "# Agent Memory\n\n<!-- Last upd");
    assert_eq!(desk.sync().added, 0);
    let text = desk.read("MEMORY.md");
    assert!(
        text.contains("用户喜欢茶") && !text.contains("用户会下棋"),
        "{text}"
    );
    desk.validate();
}

#[test]
fn a_section_goes_with_its_namespace_and_leaves_the_file() {
    for end in ["delete", "profile", "rename"] {
        for theirs in [THEIRS.as_bytes(), b"no end of line", b"caf\xe9\r\n"] {
            let desk = Desk::new("agent");
            desk.adds("agent", "");
            put(&desk, CORE, theirs);
            let id = rule(&desk, "RULE", "permanent", "门卡在抽屉里");
            desk.synced(CORE);
            rule(&desk, "RULE", "permanent", "回复用中文");
            desk.synced(CORE);
            if end == "delete" {
                // A deleted memory goes from the section and from the backup.
                desk.clock.set(day(1.0));
                rule(&desk, "RULE", "permanent", "先问再删");
                desk.synced(CORE);
                desk.space().delete(id, Mode::Commit).unwrap();
                desk.synced(CORE);
                for name in [CORE.to_owned(), format!("{CORE}.bak")] {
                    let text = String::from_utf8_lossy(&bytes(&desk, &name)).into_owned();
                    assert!(
                        !text.contains("门卡") && text.contains("回复用中文"),
                        "{name}: {text}"
                    );
                    assert!(bytes(&desk, &name).starts_with(theirs));
                }
                let planned = desk.memory.delete_namespace("u", Mode::DryRun).unwrap();
                assert!(!planned.files.contains(&desk.path(CORE)), "{planned:?}");
            }
            match end {
                "delete" => drop(desk.memory.delete_namespace("u", Mode::Commit).unwrap()),
                "rename" => drop(desk.memory.rename_namespace("u", "v").unwrap()),
                _ => drop(desk.space().admin().set_profile("default").unwrap()),
            }
            assert_eq!(bytes(&desk, CORE), theirs, "{end}");
            assert_eq!(
                names(desk.path(CORE).parent().unwrap()),
                ["MEMORY.md"],
                "{end}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_a_person_began_stays_a_link() {
    let desk = Desk::new("markdown");
    let theirs = desk.folder.path().join("theirs.md");
    std::fs::write(&theirs, THEIRS).unwrap();
    std::fs::create_dir_all(desk.path("")).unwrap();
    std::os::unix::fs::symlink(&theirs, desk.path("MEMORY.md")).unwrap();
    desk.level("high", "用户喜欢茶");
    let report = desk.space().files().sync_following(desk.path("")).unwrap();
    assert_eq!(report.failed().count(), 0, "{report:?}");
    assert!(
        std::fs::symlink_metadata(desk.path("MEMORY.md"))
            .unwrap()
            .is_symlink()
    );
    assert!(
        std::fs::read_to_string(&theirs)
            .unwrap()
            .starts_with(THEIRS)
    );
    desk.memory.delete_namespace("u", Mode::Commit).unwrap();
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), THEIRS);
}

#[test]
fn what_was_taken_over_from_a_file_can_be_taken_back() {
    let desk = Desk::new("markdown");
    let [changed, gone, weighed] =
        ["用户住在柏林", "用户喜欢茶", "用户会下棋"].map(|text| desk.level("high", text));
    desk.sync();
    let before = desk.read("MEMORY.md");
    desk.edit("用户住在柏林", "用户住在汉堡");
    desk.edit(&format!("{}\n用户喜欢茶\n", desk.heading("用户喜欢茶")), "");
    let heading = desk.heading("用户会下棋");
    desk.edit(&heading, &heading.replace("| 0.80 |", "| 0.30 |"));
    desk.clock.set(day(0.001));
    assert_eq!(desk.sync().retracted, 1);
    let undone = desk.space().decisions().undo_last().unwrap();
    assert_eq!(
        (undone.change, undone.memories.len()),
        (UndoneChange::Synced, 3)
    );
    assert_eq!(
        desk.space().get(changed).unwrap().unwrap().body.text,
        "用户住在柏林"
    );
    assert_eq!(
        desk.space().get(gone).unwrap().unwrap().status,
        Status::Active
    );
    near(desk.score(weighed), 0.8);
    desk.sync();
    for text in ["用户住在柏林", "用户喜欢茶", "用户会下棋"] {
        assert!(
            before.contains(text) && desk.read("MEMORY.md").contains(text),
            "{text}"
        );
    }
    desk.validate();
}
