//! Mirrored files replace and remove nothing but what annals wrote, wherever a file really is.

use std::path::Path;

use annals::blocking::{Memory, Namespace};
use annals::{MemoryId, Mode, NewMemory, NewTurn, Role, Status};

use super::mirrors::{Desk, rule};
use crate::support::life::day;

const CORE: &str = "identity/MEMORY.md";
const USER: &str = "identity/USER.md";
const LOGS: &str = "data/memory/conversation_history";

fn say(desk: &Desk, session: &str, text: &str) -> MemoryId {
    let turn = NewTurn::builder(session, text)
        .role(Role::User)
        .build()
        .unwrap();
    desk.space()
        .sessions()
        .append(vec![turn])
        .unwrap()
        .remove(0)
}

/// A memory that the files of an agent show.
fn asthma(space: &Namespace) -> MemoryId {
    let memory = NewMemory::builder("用户有哮喘")
        .kind("FACT")
        .metadata("duration", "permanent")
        .build()
        .unwrap();
    space.remember(memory).unwrap()
}

/// Every file below a folder that says something, by its name.
fn that_say(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(that_say(&entry.path(), word)),
            false
                if std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(word)) =>
            {
                found.push(entry.file_name().into_string().unwrap());
            }
            false => {}
        }
    }
    found.sort();
    found
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn a_file_is_one_file_by_whatever_path_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let memory = annals::Options::new()
        .clock(std::sync::Arc::new(annals::ManualClock::new(day(0.0))))
        .id_seed(1)
        .in_memory()
        .unwrap();
    let [alice, bob] = ["alice", "bob"].map(|name| memory.create_namespace(name, "agent").unwrap());
    asthma(&alice);
    alice
        .sessions()
        .append(vec![
            NewTurn::builder("s1", "asthma it is").build().unwrap(),
        ])
        .unwrap();
    alice.files().sync(folder.path().join("m")).unwrap();
    std::os::unix::fs::symlink("m", folder.path().join("n")).unwrap();
    std::os::unix::fs::symlink("../m/identity", folder.path().join("identity")).unwrap();
    let before = std::fs::read_to_string(folder.path().join("m").join(CORE)).unwrap();
    for spelled in ["m", "n", "m/../m", "x/../n", "./m/identity/.."] {
        let report = bob.files().sync(folder.path().join(spelled)).unwrap();
        assert_eq!(report.edits(), 0, "{spelled}: {report:?}");
        assert!(
            report.failed().any(|file| file.path.ends_with(CORE)),
            "{spelled}: {report:?}"
        );
    }
    assert_eq!(bob.admin().stats().unwrap().memories, 0);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("m").join(CORE)).unwrap(),
        before
    );
    // Its own by another path.
    let again = alice.files().sync(folder.path().join("n")).unwrap();
    assert_eq!(
        (again.failed().count(), again.edits(), again.written()),
        (0, 0, 0),
        "{again:?}"
    );
}

#[test]
fn files_of_sessions_that_another_program_left_are_kept() {
    let desk = Desk::new("agent");
    let talk = "{\"session_id\":\"s1\",\"content\":\"ten years of talk\"}\n";
    let file = |name: &str| format!("{LOGS}/{name}");
    for name in ["s1.jsonl", "s2.jsonl", "s3.jsonl"] {
        desk.write(&file(name), talk);
    }
    say(&desk, "s1", "hello");
    let forgotten = say(&desk, "s2", "nothing");
    desk.space().forget(forgotten).unwrap();
    let report = desk.synced(&file("s1.jsonl"));
    assert!(
        report.written && report.warnings[0].contains("s1.jsonl.legacy"),
        "{report:?}"
    );
    assert!(
        desk.read(&file("s1.jsonl")).contains("hello")
            && !desk.read(&file("s1.jsonl")).contains("ten years")
    );
    for name in ["s1.jsonl.legacy", "s2.jsonl", "s3.jsonl"] {
        assert_eq!(desk.read(&file(name)), talk, "{name}");
    }
    // A line that a person adds to a file of annals is kept beside it; lines of annals whose
    // memory was deleted since are not.
    let deleted = say(&desk, "s1", "secret");
    desk.synced(&file("s1.jsonl"));
    desk.write(
        &file("s1.jsonl"),
        &(desk.read(&file("s1.jsonl")) + "a line of mine\n"),
    );
    desk.space().delete(deleted, Mode::Commit).unwrap();
    let report = desk.synced(&file("s1.jsonl"));
    assert!(report.warnings[0].contains("written only"), "{report:?}");
    assert!(
        desk.read(&file("s1.jsonl.rejected"))
            .contains("\na line of mine\n")
    );
    assert_eq!(that_say(desk.folder.path(), "secret"), [""; 0]);
    assert_eq!(desk.synced(&file("s1.jsonl")).warnings, [""; 0]);
    desk.validate();
}

#[test]
fn what_a_person_wrote_into_the_file_of_an_earlier_day_stays_there() {
    let desk = Desk::new("agent");
    let file = |at: f64| {
        format!(
            "data/memory/daily_summaries/{}.md",
            &day(at).to_string()[..10]
        )
    };
    let (gone, stays) = (
        rule(&desk, "RULE", "permanent", "门的密码变了"),
        rule(&desk, "RULE", "permanent", "回复用中文"),
    );
    desk.synced(&file(0.0));
    let written = desk.read(&file(0.0));
    let note = "\n- My own note about that day\n";
    desk.write(&file(0.0), &(written.clone() + note));
    desk.clock.set(day(3.0));
    desk.synced(&file(3.0));
    assert_eq!(
        desk.read(&file(0.0)),
        written.clone() + note,
        "a day that is over is let alone"
    );
    desk.space().delete(gone, Mode::Commit).unwrap();
    assert!(desk.synced(&file(0.0)).written);
    assert_eq!(
        desk.read(&file(0.0)),
        written.replace("- [RULE] 门的密码变了\n", "") + note
    );
    assert_eq!(that_say(desk.folder.path(), "门的密码"), [""; 0]);
    // One that is away is looked through when it is back.
    let away = desk.path("away.md");
    std::fs::rename(desk.path(&file(0.0)), &away).unwrap();
    desk.space().delete(stays, Mode::Commit).unwrap();
    desk.synced(&file(3.0));
    assert!(!desk.path(&file(0.0)).exists(), "it is not brought back");
    std::fs::rename(&away, desk.path(&file(0.0))).unwrap();
    desk.synced(&file(0.0));
    assert!(!desk.read(&file(0.0)).contains("回复用中文") && desk.read(&file(0.0)).ends_with(note));
    // That of today is written anew, and the note stays in it.
    desk.write(&file(3.0), &(desk.read(&file(3.0)) + note));
    rule(&desk, "RULE", "permanent", "先问再删");
    assert!(desk.synced(&file(3.0)).written);
    assert!(desk.read(&file(3.0)).contains("先问再删") && desk.read(&file(3.0)).ends_with(note));
    assert!(!desk.synced(&file(3.0)).written);
    desk.validate();
}

#[test]
fn a_deleted_namespace_takes_its_files_along_and_leaves_what_a_person_wrote() {
    let desk = Desk::new("agent");
    desk.adds("agent", "");
    asthma(&desk.space());
    say(&desk, "s1", "asthma");
    desk.synced(CORE);
    rule(&desk, "RULE", "permanent", "用户有哮喘，别忘了");
    desk.synced(CORE);
    assert!(desk.path(&format!("{CORE}.bak")).exists());
    desk.write(USER, &(desk.read(USER) + "- 我养了一只猫\n"));
    desk.write(CORE, &(desk.read(CORE) + "\n## 重要事实\n- 我住在柏林\n"));
    desk.write(
        &format!("{LOGS}/other.jsonl"),
        "{\"content\":\"of another program\"}\n",
    );
    // The files of an earlier profile count as well.
    desk.memory.profiles().store("own", "").unwrap();
    let receipt = desk.memory.delete_namespace("u", Mode::DryRun).unwrap();
    assert!(desk.path(CORE).exists());
    assert_eq!(receipt.files.len(), 5, "{receipt:?}");
    let kept: Vec<_> = receipt
        .kept
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(kept, ["MEMORY.md.rejected", "USER.md.rejected"]);
    let done = desk.memory.delete_namespace("u", Mode::Commit).unwrap();
    assert_eq!((&done.files, &done.kept), (&receipt.files, &receipt.kept));
    assert!(
        done.files.iter().all(|path| !path.exists()) && done.kept.iter().all(|path| path.exists())
    );
    assert_eq!(that_say(desk.folder.path(), "哮喘"), [""; 0]);
    assert_eq!(
        that_say(desk.folder.path(), "我养了一只猫"),
        ["USER.md.rejected"]
    );
    assert_eq!(
        that_say(desk.folder.path(), "我住在柏林"),
        ["MEMORY.md.rejected"]
    );
    assert_eq!(
        that_say(desk.folder.path(), "another program"),
        ["other.jsonl"]
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_what_it_leads_to_is_written_and_goes() {
    let desk = Desk::new("agent");
    let notes = desk.folder.path().join("notes");
    std::fs::create_dir_all(desk.path("identity")).unwrap();
    std::fs::create_dir(&notes).unwrap();
    std::os::unix::fs::symlink(notes.join("MEM.md"), desk.path(CORE)).unwrap();
    std::os::unix::fs::symlink("../away/USER.md", desk.path(USER)).unwrap();
    asthma(&desk.space());
    let report = desk
        .space()
        .files()
        .sync_following(desk.folder.path().join("u"))
        .unwrap();
    let failed: Vec<_> = report.failed().collect();
    assert_eq!(
        (failed.len(), &failed[0].path),
        (1, &desk.path(USER)),
        "{report:?}"
    );
    assert!(!desk.path("away").exists(), "a disk may not be mounted");
    assert!(
        std::fs::symlink_metadata(desk.path(CORE))
            .unwrap()
            .is_symlink()
    );
    assert!(
        std::fs::read_to_string(notes.join("MEM.md"))
            .unwrap()
            .contains("哮喘")
    );
    desk.memory.delete_namespace("u", Mode::Commit).unwrap();
    assert_eq!(that_say(desk.folder.path(), "哮喘"), [""; 0]);
    assert!(!notes.join("MEM.md").exists());
}

/// The folder may be a clone of a repository whose author put links into it.
#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_let_alone_until_it_is_followed() {
    for folder in [false, true] {
        let desk = Desk::new("agent");
        let outside = desk.folder.path().join("outside");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::create_dir_all(desk.path("")).unwrap();
        let secret = "# 核心记忆\n\n## 重要事实\n- the key is under the mat\n";
        std::fs::write(outside.join("MEMORY.md"), secret).unwrap();
        if folder {
            std::os::unix::fs::symlink("../outside", desk.path("identity")).unwrap();
        } else {
            std::fs::create_dir(desk.path("identity")).unwrap();
            std::os::unix::fs::symlink("../../outside/MEMORY.md", desk.path(CORE)).unwrap();
        }
        let before = |desk: &Desk| {
            assert_eq!(
                std::fs::read_to_string(outside.join("MEMORY.md")).unwrap(),
                secret
            );
            assert_eq!(names(&outside), ["MEMORY.md"]);
            assert_eq!(desk.space().admin().stats().unwrap().memories, 1);
        };
        asthma(&desk.space());
        let report = desk
            .space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap();
        let told = report
            .failed()
            .find(|file| file.path == desk.path(CORE))
            .unwrap();
        assert!(
            told.failed.as_deref().unwrap().contains("--follow"),
            "{told:?}"
        );
        before(&desk);
        // Jobs follow it no more than that; whether they say so is not asked here.
        drop(desk.memory.maintain(true, Mode::Commit));
        before(&desk);
        let report = desk
            .space()
            .files()
            .sync_following(desk.folder.path().join("u"))
            .unwrap();
        assert_eq!(
            (report.failed().count(), report.edits()),
            (0, 1),
            "{report:?}"
        );
        assert!(
            std::fs::read_to_string(outside.join("MEMORY.md"))
                .unwrap()
                .contains("哮喘")
        );
        // From now on that file is meant.
        std::fs::write(
            outside.join("MEMORY.md"),
            secret.replace("the mat", "the stone"),
        )
        .unwrap();
        let report = desk
            .space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap();
        assert_eq!(report.failed().count(), 0, "{report:?}");
        assert!(report.edits() > 0);
    }
}

/// Nor is anything followed, waited for or read without end beside the files.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_fails_alone_and_at_once() {
    for (name, what) in [
        ("MEMORY.md", "pipe"),
        ("MEMORY.md", "/dev/zero"),
        ("MEMORY.md.bak", "pipe"),
        ("MEMORY.md.bak", "secret"),
        ("MEMORY.md.rejected", "secret"),
        ("MEMORY.md.rejected", "pipe"),
    ] {
        let desk = Desk::new("markdown");
        let secret = desk.folder.path().join("secret");
        std::fs::write(&secret, "mine").unwrap();
        std::fs::create_dir_all(desk.path("")).unwrap();
        let place = desk.path(name);
        match what {
            "pipe" => assert!(
                std::process::Command::new("mkfifo")
                    .arg(&place)
                    .status()
                    .unwrap()
                    .success()
            ),
            "secret" => std::os::unix::fs::symlink(&secret, &place).unwrap(),
            device => std::os::unix::fs::symlink(device, &place).unwrap(),
        }
        desk.level("high", "用户喜欢茶");
        if name != "MEMORY.md" {
            // A text that becomes no memory, and a file that gets a backup.
            desk.write(
                "MEMORY.md",
                "# Agent Memory\n\n## Active Memories\n\n### broken\nx\n",
            );
        }
        let report = desk
            .space()
            .files()
            .sync(desk.folder.path().join("u"))
            .unwrap();
        let failed: Vec<_> = report.failed().map(|file| file.path.clone()).collect();
        assert_eq!(
            failed,
            [desk.path("MEMORY.md")],
            "{name} {what}: {report:?}"
        );
        assert_eq!(
            std::fs::read_to_string(&secret).unwrap(),
            "mine",
            "{name} {what}"
        );
    }
}

#[test]
fn files_under_an_earlier_name_go_and_their_paths_are_free() {
    let desk = Desk::new("agent");
    let secret = asthma(&desk.space());
    desk.memory.maintain(true, Mode::Commit).unwrap();
    desk.write(CORE, &(desk.read(CORE) + "\n## 重要事实\n- 我住在柏林\n"));
    desk.memory.rename_namespace("u", "v").unwrap();
    assert_eq!(that_say(&desk.folder.path().join("u"), "哮喘"), [""; 0]);
    assert_eq!(
        that_say(desk.folder.path(), "我住在柏林"),
        [""; 0],
        "it is a memory now"
    );
    desk.memory.maintain(true, Mode::Commit).unwrap();
    assert!(
        that_say(&desk.folder.path().join("v"), "我住在柏林").contains(&"MEMORY.md".to_owned())
    );
    assert_eq!(that_say(&desk.folder.path().join("v"), "哮喘").len(), 3);
    let fresh = desk.memory.create_namespace("u", "agent").unwrap();
    let report = fresh.files().sync(desk.folder.path().join("u")).unwrap();
    assert_eq!(
        (report.failed().count(), report.edits()),
        (0, 0),
        "{report:?}"
    );
    let other = desk.memory.namespace("v").unwrap();
    other.delete(secret, Mode::Commit).unwrap();
    desk.memory.maintain(true, Mode::Commit).unwrap();
    assert_eq!(that_say(desk.folder.path(), "哮喘"), [""; 0]);
    // A folder that has no name in it stays that of the namespace.
    let plain = desk.folder.path().join("plain");
    rule(&desk, "RULE", "permanent", "回复用中文");
    fresh.files().sync(&plain).unwrap();
    std::fs::write(
        plain.join(CORE),
        std::fs::read_to_string(plain.join(CORE)).unwrap() + "- 先问再删\n",
    )
    .unwrap();
    desk.memory.rename_namespace("u", "w").unwrap();
    let again = desk
        .memory
        .namespace("w")
        .unwrap()
        .files()
        .sync(&plain)
        .unwrap();
    assert_eq!((again.edits(), again.failed().count()), (1, 0), "{again:?}");
    desk.validate();
}

#[test]
fn files_that_a_profile_does_not_make_any_more_go() {
    let desk = Desk::new("markdown");
    desk.adds(
        "markdown",
        "[[mirrors.files]]\npath = \"NOTES.md\"\nformat = \"entries\"\n",
    );
    desk.level("high", "用户住在柏林");
    desk.sync();
    assert!(desk.path("NOTES.md").exists());
    desk.write("NOTES.md", &(desk.read("NOTES.md") + "\n- mine\n"));
    desk.space().admin().set_profile("markdown").unwrap();
    desk.sync();
    assert!(!desk.path("NOTES.md").exists() && desk.read("NOTES.md.rejected").contains("- mine"));
    assert!(desk.read("MEMORY.md").contains("用户住在柏林"));
    desk.validate();
}

#[test]
fn a_backup_keeps_what_a_person_had_but_for_what_was_deleted() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        let desk = Desk::new(profile);
        let lasting = |text: &str| match profile {
            "markdown" => desk.level("high", text),
            _ => rule(&desk, "RULE", "permanent", text),
        };
        let (gone, _) = (lasting("门卡在抽屉里"), lasting("用户喜欢茶"));
        desk.synced(file);
        // A comment of a person, and a new line.
        let edited = desk
            .read(file)
            .replacen("\n## ", "\n<!-- 别动这里 -->\n\n## ", 1);
        desk.write(file, &(edited + "\n- 我养了一只猫\n"));
        desk.space().delete(gone, Mode::Commit).unwrap();
        assert!(desk.synced(file).written);
        let backup = desk.read(&format!("{file}.bak"));
        for text in ["我养了一只猫", "别动这里", "用户喜欢茶"] {
            assert!(backup.contains(text), "{text} is not in\n{backup}");
        }
        assert_eq!(
            that_say(desk.folder.path(), "门卡在抽屉里"),
            [""; 0],
            "{profile}"
        );
        // A memory that is deleted while the file does not change goes from the backup, too.
        let cat = desk.found("我养了一只猫");
        assert_eq!(cat.status, Status::Active);
        desk.space().forget(cat.id).unwrap();
        desk.synced(file);
        desk.space().delete(cat.id, Mode::Commit).unwrap();
        desk.synced(file);
        assert_eq!(
            that_say(desk.folder.path(), "我养了一只猫"),
            [""; 0],
            "{profile}"
        );
        desk.validate();
    }
}

#[test]
fn what_a_profile_masks_by_now_is_masked_in_a_backup_that_is_cleaned() {
    let desk = Desk::new("agent");
    desk.adds("agent", "[privacy]\npassword = \"allow\"\n");
    rule(&desk, "RULE", "permanent", "my password is hunter2abc99");
    let other = rule(&desk, "RULE", "permanent", "用户喜欢茶");
    desk.synced(CORE);
    let third = rule(&desk, "RULE", "permanent", "用户会下棋");
    desk.synced(CORE);
    assert!(desk.read(&format!("{CORE}.bak")).contains("hunter2abc99"));
    desk.adds("agent", "[privacy]\npassword = \"mask\"\n");
    for id in [other, third] {
        desk.space().delete(id, Mode::Commit).unwrap();
        desk.synced(CORE);
        assert!(!desk.read(&format!("{CORE}.bak")).contains("hunter2abc99"));
    }
}

#[test]
fn a_file_is_found_again_by_a_memory_that_was_closed() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Memory::open(folder.path().join("u.annals")).unwrap();
    let memory = open();
    asthma(&memory.create_namespace("u", "agent").unwrap());
    memory
        .namespace("u")
        .unwrap()
        .files()
        .sync(folder.path().join("m"))
        .unwrap();
    drop(memory);
    open().delete_namespace("u", Mode::Commit).unwrap();
    assert_eq!(that_say(&folder.path().join("m"), "哮喘"), [""; 0]);
}

#[test]
fn a_deleted_namespace_lets_the_files_be_that_another_one_took() {
    let desk = Desk::new("agent");
    let files = desk.folder.path().join("files");
    asthma(&desk.space());
    desk.space().files().sync(&files).unwrap();
    std::fs::remove_dir_all(&files).unwrap();
    let bob = desk.memory.create_namespace("bob", "agent").unwrap();
    assert!(
        bob.files()
            .sync(&files)
            .unwrap()
            .failed()
            .any(|file| file.path.ends_with(CORE)),
        "it may be away"
    );
    desk.space().admin().set_profile("default").unwrap();
    let plan = NewMemory::builder("bob has a plan")
        .kind("FACT")
        .metadata("duration", "permanent")
        .build()
        .unwrap();
    let plan = bob.remember(plan).unwrap();
    assert_eq!(
        bob.files().sync(&files).unwrap().failed().count(),
        0,
        "nobody makes it any more"
    );
    let core = files.join(CORE);
    std::fs::write(
        &core,
        std::fs::read_to_string(&core).unwrap() + "- bob likes tea\n",
    )
    .unwrap();
    let receipt = desk.memory.delete_namespace("u", Mode::Commit).unwrap();
    assert_eq!(
        (
            receipt.files.len(),
            receipt.kept.len(),
            receipt.missing.len()
        ),
        (0, 0, 0),
        "{receipt:?}"
    );
    let report = bob.files().sync(&files).unwrap();
    assert_eq!(
        (report.edits(), report.failed().count()),
        (1, 0),
        "{report:?}"
    );
    bob.delete(plan, Mode::Commit).unwrap();
    bob.files().sync(&files).unwrap();
    desk.memory.delete_namespace("bob", Mode::Commit).unwrap();
    assert_eq!(that_say(&files, "plan"), [""; 0]);
    desk.validate();
}

#[test]
fn what_was_deleted_goes_from_folders_that_are_synced_no_more() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        let desk = Desk::new(profile);
        let lasting = |text: &str| match profile {
            "markdown" => desk.level("high", text),
            _ => rule(&desk, "RULE", "permanent", text),
        };
        let (first, later, _) = (
            lasting("the room is 7741"),
            lasting("the desk is 8852"),
            lasting("用户喜欢茶"),
        );
        let turns = [
            say(&desk, "s1", "my room is 7741"),
            say(&desk, "s2", "7741"),
        ];
        say(&desk, "s1", "hello");
        desk.synced(file);
        lasting("用户会下棋");
        desk.synced(file);
        assert!(desk.read(&format!("{file}.bak")).contains("7741"));
        desk.write(file, &(desk.read(file) + "\n- 我养了一只猫\n"));
        let other = desk.folder.path().join("other");
        let sync = || {
            let report = desk.space().files().sync(&other).unwrap();
            assert_eq!(
                (report.edits(), report.failed().count()),
                (0, 0),
                "{report:?}"
            );
            report
        };
        sync();
        desk.space().delete(first, Mode::Commit).unwrap();
        turns
            .iter()
            .for_each(|turn| drop(desk.space().delete(*turn, Mode::Commit).unwrap()));
        let report = sync();
        assert!(
            report
                .files
                .iter()
                .any(|it| it.path == desk.path(file) && it.written),
            "{report:?}"
        );
        assert_eq!(that_say(desk.folder.path(), "7741"), [""; 0], "{profile}");
        for text in ["8852", "用户喜欢茶", "我养了一只猫"] {
            assert!(
                desk.read(file).contains(text),
                "{text} is not in\n{}",
                desk.read(file)
            );
        }
        assert_eq!(sync().written(), 0);
        // One that is away is looked through when it is back.
        let (here, away) = (
            desk.folder.path().join("u"),
            desk.folder.path().join("away"),
        );
        std::fs::rename(&here, &away).unwrap();
        desk.space().delete(later, Mode::Commit).unwrap();
        sync();
        std::fs::rename(&away, &here).unwrap();
        sync();
        assert_eq!(that_say(desk.folder.path(), "8852"), [""; 0], "{profile}");
        if profile == "agent" {
            assert!(desk.read(&format!("{LOGS}/s1.jsonl")).contains("hello"));
            assert!(
                !desk.path(&format!("{LOGS}/s2.jsonl")).exists(),
                "nothing is left of it"
            );
        }
        // Lines that were cleaned away do not count as taken out by a person.
        let back = desk.synced(file);
        assert_eq!(
            (back.added, back.updated, back.retracted),
            (1, 0, 0),
            "{back:?}"
        );
        desk.validate();
    }
}

#[test]
fn a_file_elsewhere_of_which_nothing_is_left_goes() {
    for (profile, file) in [("markdown", "MEMORY.md"), ("agent", CORE)] {
        for mine in ["", "<!-- mine -->\n"] {
            let desk = Desk::new(profile);
            let id = match profile {
                "markdown" => desk.level("high", "the room is 7741"),
                _ => rule(&desk, "RULE", "permanent", "the room is 7741"),
            };
            desk.synced(file);
            desk.write(file, &(desk.read(file) + mine));
            desk.space().delete(id, Mode::Commit).unwrap();
            desk.space()
                .files()
                .sync(desk.folder.path().join("other"))
                .unwrap();
            assert_eq!(desk.path(file).exists(), !mine.is_empty(), "{profile}");
            assert!(
                mine.is_empty() || desk.read(file).ends_with(mine),
                "{}",
                desk.read(file)
            );
            assert_eq!(that_say(desk.folder.path(), "7741"), [""; 0], "{profile}");
            assert_eq!(desk.synced(file).added, 0);
        }
    }
}
