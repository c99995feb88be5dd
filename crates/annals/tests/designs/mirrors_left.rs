//! Mirrored files that nobody makes any more go, by what is noted of them, and nothing else does.

use std::path::Path;
use std::sync::Arc;

use annals::blocking::Memory;
use annals::{
    ErrorKind, Filter, ManualClock, Mode, NewMemory, NewTurn, Options, Role, Status, SyncReport,
    profiles,
};

use super::mirrors::{Desk, rule};
use crate::support::life::day;

const CORE: &str = "identity/MEMORY.md";
const USER: &str = "identity/USER.md";
const LOG: &str = "data/memory/conversation_history/s1.jsonl";

fn say(desk: &Desk, text: &str) {
    let turn = NewTurn::builder("s1", text)
        .role(Role::User)
        .build()
        .unwrap();
    desk.space().sessions().append(vec![turn]).unwrap();
}

/// The files in a folder, without the folders.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|found| {
            found
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        })
        .unwrap_or_default();
    names.sort();
    names
}

fn removed(report: &SyncReport) -> Vec<String> {
    let removed = report.files.iter().filter(|file| file.removed);
    removed
        .map(|file| file.path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn files_of_another_default_profile_stay() {
    let folder = tempfile::tempdir().unwrap();
    let open = |options: Options| {
        let options = options
            .clock(Arc::new(ManualClock::new(day(0.0))))
            .id_seed(1);
        options.open(folder.path().join("u.annals")).unwrap()
    };
    let files = folder.path().join("m");
    let of_config = || profiles::parse(profiles::builtin("markdown").unwrap()).unwrap();
    {
        let space = open(Options::new().profile(of_config()))
            .namespace("ann")
            .unwrap();
        space.remember("用户喜欢茶").unwrap();
        space.files().sync(&files).unwrap();
    }
    let path = files.join("MEMORY.md");
    let text = std::fs::read_to_string(&path).unwrap() + "\n- 我养了一只猫\n";
    std::fs::write(&path, &text).unwrap();
    {
        let memory = open(Options::new());
        assert_eq!(memory.rename_namespace("ann", "anna").unwrap().files, []);
        let space = memory.namespace("anna").unwrap();
        assert_eq!(
            space.files().sync(&files).unwrap_err().kind(),
            ErrorKind::Invalid
        );
        space.admin().set_profile("default").unwrap();
    }
    assert_eq!(
        (names(&files), std::fs::read_to_string(&path).unwrap()),
        (vec!["MEMORY.md".to_owned()], text)
    );
    let memory = open(Options::new().profile(of_config()));
    let report = memory
        .namespace("anna")
        .unwrap()
        .files()
        .sync(&files)
        .unwrap();
    assert_eq!(
        (report.edits(), report.failed().count()),
        (1, 0),
        "{report:?}"
    );
}

#[test]
fn backups_that_annals_did_not_make_are_a_persons() {
    let backups =
        |desk: &Desk| [format!("{LOG}.bak"), format!("{USER}.bak")].map(|name| desk.read(&name));
    let mine = ["mine".to_owned(), "mine".to_owned()];
    for end in ["delete", "rename", "profile"] {
        let desk = Desk::new("agent");
        rule(&desk, "RULE", "permanent", "回复用中文");
        say(&desk, "hello");
        desk.synced(CORE);
        for name in [LOG, USER, CORE] {
            desk.write(&format!("{name}.bak"), "mine");
        }
        // The first backup of annals replaces nothing.
        let gone = rule(&desk, "RULE", "permanent", "先问再删");
        let report = desk.synced(CORE);
        assert!(
            report
                .warnings
                .iter()
                .any(|told| told.ends_with("MEMORY.md.bak.legacy")),
            "{report:?}"
        );
        assert_eq!(desk.read(&format!("{CORE}.bak.legacy")), "mine");
        desk.space().delete(gone, Mode::Commit).unwrap();
        assert_eq!(desk.synced(CORE).warnings, [""; 0]);
        assert_eq!(backups(&desk), mine);
        match end {
            "delete" => {
                let planned = desk.memory.delete_namespace("u", Mode::DryRun).unwrap();
                assert!(
                    !planned
                        .files
                        .iter()
                        .any(|path| path.ends_with("USER.md.bak")),
                    "{planned:?}"
                );
                assert!(
                    planned
                        .files
                        .iter()
                        .any(|path| path.ends_with("MEMORY.md.bak")),
                    "{planned:?}"
                );
                desk.memory.delete_namespace("u", Mode::Commit).unwrap();
            }
            "rename" => assert_eq!(
                removed(&desk.memory.rename_namespace("u", "v").unwrap()).len(),
                4
            ),
            _ => assert_eq!(
                removed(&desk.space().admin().set_profile("default").unwrap()).len(),
                4
            ),
        }
        assert_eq!(backups(&desk), mine, "{end}");
        assert!(
            !desk.path(LOG).exists() && !desk.path(&format!("{CORE}.bak")).exists(),
            "{end}"
        );
    }
}

#[test]
fn files_go_once_a_profile_makes_none() {
    let folder = |desk: &Desk| desk.folder.path().join("u");
    let desk = Desk::new("agent");
    say(&desk, "my secret");
    desk.synced(LOG);
    let report = desk.space().admin().set_profile("default").unwrap();
    assert!(
        removed(&report).contains(&"s1.jsonl".to_owned()) && !desk.path(LOG).exists(),
        "{report:?}"
    );
    assert_eq!(
        desk.space().files().sync(folder(&desk)).unwrap_err().kind(),
        ErrorKind::Invalid
    );

    // Only the next run sees that a profile is another.
    let desk = Desk::new("agent");
    desk.adds("agent", "");
    say(&desk, "my secret");
    desk.synced(LOG);
    desk.memory.profiles().store("own", "").unwrap();
    assert!(desk.path(LOG).exists());
    let report = desk.space().files().sync(folder(&desk)).unwrap();
    assert!(
        removed(&report).contains(&"s1.jsonl".to_owned()) && !desk.path(LOG).exists(),
        "{report:?}"
    );
    assert_eq!(
        (report.written(), report.removed()),
        (0, report.files.len())
    );
    assert_eq!(
        desk.space().files().sync(folder(&desk)).unwrap_err().kind(),
        ErrorKind::Invalid
    );
}

#[test]
fn edits_in_a_file_that_goes_are_taken_over_or_kept_and_told() {
    let markdown = profiles::builtin("markdown").unwrap();
    let elsewhere = markdown.replace("path = \"MEMORY.md\"", "path = \"notes/MEMORY.md\"");
    for taken in [true, false] {
        let desk = Desk::new("markdown");
        desk.adds("markdown", "");
        let [tea, chess] = ["用户喜欢茶", "用户会下棋"].map(|text| desk.level("high", text));
        desk.sync();
        desk.edit("用户喜欢茶", "用户喜欢咖啡");
        let heading = desk.heading("用户会下棋");
        desk.edit(&format!("{heading}\n用户会下棋\n"), "");
        desk.edit("## Archived", "<!-- 别动这里 -->\n\n## Archived");
        let written_only = elsewhere.replace("direction = \"both\"", "direction = \"out\"");
        desk.memory
            .profiles()
            .store("own", if taken { &elsewhere } else { &written_only })
            .unwrap();
        let report = desk
            .space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap();
        let old = report
            .files
            .iter()
            .find(|file| file.path == desk.path("MEMORY.md"))
            .unwrap();
        assert!(
            old.removed && !old.written && !desk.path("MEMORY.md").exists(),
            "{old:?}"
        );
        assert!(
            old.warnings
                .iter()
                .any(|told| told.ends_with("MEMORY.md.rejected")),
            "{old:?}"
        );
        let kept = desk.read("MEMORY.md.rejected");
        let text = desk.space().get(tea).unwrap().unwrap().body.text;
        assert!(kept.contains("别动这里"), "{kept}");
        assert_eq!(
            (text.as_str(), kept.contains("咖啡")),
            match taken {
                true => ("用户喜欢咖啡", false),
                false => ("用户喜欢茶", true),
            }
        );
        assert_eq!(
            (old.updated, old.retracted),
            if taken { (1, 1) } else { (0, 0) }
        );
        assert_eq!(desk.read("notes/MEMORY.md").contains("用户会下棋"), !taken);
        assert!(desk.space().get(chess).unwrap().is_some());
        assert_eq!(report.removed(), 1);
        desk.validate();
    }
}

#[test]
fn files_that_are_away_are_told_and_go_when_they_are_back() {
    let away = |desk: &Desk| {
        say(desk, "hello");
        desk.synced(LOG);
        let away = desk.folder.path().join("away");
        std::fs::rename(desk.folder.path().join("u"), &away).unwrap();
        away
    };
    let desk = Desk::new("agent");
    away(&desk);
    let planned = desk.memory.delete_namespace("u", Mode::DryRun).unwrap();
    let done = desk.memory.delete_namespace("u", Mode::Commit).unwrap();
    assert_eq!(
        (planned.missing, planned.files),
        (done.missing.clone(), done.files)
    );
    assert!(
        done.missing.iter().any(|path| path.ends_with("s1.jsonl")),
        "{:?}",
        done.missing
    );
    assert!(
        !done
            .missing
            .iter()
            .any(|path| path.to_string_lossy().contains("{session}")),
        "{:?}",
        done.missing
    );

    for end in ["rename", "profile"] {
        let desk = Desk::new("agent");
        let away = away(&desk);
        let space = match end {
            "rename" => {
                assert_eq!(desk.memory.rename_namespace("u", "v").unwrap().files, []);
                desk.memory.namespace("v").unwrap()
            }
            _ => {
                assert_eq!(
                    desk.space().admin().set_profile("default").unwrap().files,
                    []
                );
                desk.space()
            }
        };
        std::fs::rename(&away, desk.folder.path().join("u")).unwrap();
        let report = space.files().sync(desk.folder.path().join("new")).unwrap();
        assert!(
            removed(&report).contains(&"s1.jsonl".to_owned()) && !desk.path(LOG).exists(),
            "{report:?}"
        );
    }
    // The path is free until then, and whoever takes it keeps it.
    let desk = Desk::new("agent");
    away(&desk);
    desk.memory.rename_namespace("u", "v").unwrap();
    let other = desk.memory.create_namespace("u", "agent").unwrap();
    other
        .sessions()
        .append(vec![NewTurn::builder("s1", "of another").build().unwrap()])
        .unwrap();
    assert_eq!(
        other
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap()
            .failed()
            .count(),
        0
    );
    desk.memory
        .namespace("v")
        .unwrap()
        .files()
        .sync(desk.folder.path().join("v"))
        .unwrap();
    assert!(desk.read(LOG).contains("of another"));
    desk.validate();
}

#[test]
fn a_file_too_long_to_be_read_goes_with_its_namespace() {
    let desk = Desk::new("agent");
    say(&desk, "hello");
    desk.synced(LOG);
    // Zeros are no text: nobody can tell whose it is.
    desk.write(USER, "");
    std::fs::File::options()
        .write(true)
        .open(desk.path(USER))
        .unwrap()
        .set_len(70 << 20)
        .unwrap();
    let done = desk.memory.delete_namespace("u", Mode::Commit).unwrap();
    assert!(!desk.path(LOG).exists() && !desk.path(USER).exists());
    assert_eq!(done.kept, [desk.path(&format!("{USER}.legacy"))]);
    assert_eq!(
        std::fs::metadata(desk.path(&format!("{USER}.legacy")))
            .unwrap()
            .len(),
        70 << 20
    );
}

#[test]
fn another_time_zone_is_no_edit() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("m");
    let sync = |zone: &str| {
        let memory = open(folder.path(), zone);
        let report = memory.namespace("n").unwrap().files().sync(&files).unwrap();
        assert_eq!(report.failed().count(), 0);
        report.edits()
    };
    {
        let memory = open(folder.path(), "UTC");
        let space = memory.create_namespace("n", "markdown").unwrap();
        space
            .remember(
                NewMemory::builder("用户喜欢茶")
                    .kind("fact")
                    .build()
                    .unwrap(),
            )
            .unwrap();
    }
    assert_eq!(sync("UTC"), 0);
    // One that a person dated, so that only the date says when it was used.
    let path = files.join("MEMORY.md");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        text + "\n### fact | 0.90 | 2020-01-01 | 0\n用户会下棋\n",
    )
    .unwrap();
    assert_eq!(sync("UTC"), 1);
    for zone in [
        "America/New_York",
        "Asia/Tokyo",
        "UTC",
        "Pacific/Kiritimati",
    ] {
        assert_eq!(sync(zone), 0, "{zone}");
    }
    // A date that a person writes is one where the file was written.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("| 2020-01-01 |", "| 2020-01-02 |")).unwrap();
    assert_eq!((sync("America/New_York"), sync("UTC")), (1, 0));
}

fn open(folder: &Path, zone: &str) -> Memory {
    let clock = Arc::new(ManualClock::new(day(0.9)));
    Options::new()
        .clock(clock)
        .id_seed(1)
        .zone(zone)
        .open(folder.join("n.annals"))
        .unwrap()
}

#[test]
fn a_namespace_that_is_deleted_while_its_files_are_written_leaves_none() {
    for _ in 0..8 {
        let desk = Desk::new("agent");
        let sync = || desk.space().files().sync(desk.folder.path().join("u"));
        sync().unwrap();
        let turn = |n: u8| NewTurn::builder(format!("s{n}"), "hello").build().unwrap();
        desk.space()
            .sessions()
            .append((0..12).map(turn).collect())
            .unwrap();
        std::thread::scope(|scope| {
            let writes = scope.spawn(sync);
            desk.memory.delete_namespace("u", Mode::Commit).unwrap();
            // It comes first, or finds that the namespace is gone.
            let done = writes.join().unwrap();
            assert!(
                done.as_ref()
                    .map_or_else(annals::Error::is_not_found, |_| true),
                "{done:?}"
            );
        });
        for folder in [
            "identity",
            "data/memory/conversation_history",
            "data/memory/daily_summaries",
        ] {
            assert_eq!(names(&desk.path(folder)), [""; 0], "{folder}");
        }
    }
}

#[test]
fn a_file_that_is_away_for_one_look_is_not_forgotten() {
    let desk = Desk::new("markdown");
    desk.level("high", "the PIN is 7741");
    desk.sync();
    let (here, away) = (desk.path("MEMORY.md"), desk.folder.path().join("away.md"));
    std::fs::rename(&here, &away).unwrap();
    assert_eq!(
        desk.space().admin().set_profile("default").unwrap().files,
        []
    );
    let planned = desk.memory.delete_namespace("u", Mode::DryRun).unwrap();
    assert_eq!(
        (planned.files.len(), planned.missing),
        (0, vec![here.clone()])
    );
    std::fs::rename(&away, &here).unwrap();
    let done = desk.memory.delete_namespace("u", Mode::Commit).unwrap();
    assert_eq!(
        (done.files, done.missing.len(), here.exists()),
        (vec![here], 0, false)
    );

    // The file of a session that has no turn any more, likewise.
    let desk = Desk::new("agent");
    say(&desk, "my secret");
    desk.synced(LOG);
    std::fs::rename(desk.path(LOG), desk.folder.path().join("away")).unwrap();
    let filter = Filter {
        statuses: Status::ALL.to_vec(),
        ..Filter::default()
    };
    desk.space()
        .bulk()
        .delete_where(&filter, Mode::Commit)
        .unwrap();
    let sync = || {
        desk.space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap()
    };
    sync();
    std::fs::rename(desk.folder.path().join("away"), desk.path(LOG)).unwrap();
    assert!(removed(&sync()).contains(&"s1.jsonl".to_owned()) && !desk.path(LOG).exists());
}
