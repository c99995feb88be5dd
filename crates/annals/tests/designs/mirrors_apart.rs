//! Mirrored files of several namespaces in one folder.

use annals::blocking::{Memory, Namespace};
use annals::{ContextRequest, Mode, NewMemory, NewTurn, Options, Role};

use crate::support::life::day;

/// Two namespaces under a profile of the agent that keeps its turns elsewhere.
fn two(folder: &std::path::Path, names: [&str; 2], turns: &str) -> (Memory, [Namespace; 2]) {
    let options = Options::new()
        .clock(std::sync::Arc::new(annals::ManualClock::new(day(0.0))))
        .id_seed(1);
    let memory = options
        .mirrors(folder.display().to_string())
        .in_memory()
        .unwrap();
    let text = annals::profiles::builtin("agent").unwrap();
    let stock = "data/memory/conversation_history/{session}.jsonl";
    assert!(text.contains(stock));
    memory
        .profiles()
        .store("own", &text.replace(stock, turns))
        .unwrap();
    let spaces = names.map(|name| memory.create_namespace(name, "own").unwrap());
    (memory, spaces)
}

fn say(space: &Namespace, session: &str, text: &str) {
    let turn = NewTurn::builder(session, text)
        .role(Role::User)
        .build()
        .unwrap();
    space.sessions().append(vec![turn]).unwrap();
}

fn found(space: &Namespace, session: Option<&str>, word: &str) -> serde_json::Value {
    let arguments = serde_json::json!({ "keyword": word, "session_id": session }).to_string();
    let reply = space
        .tools()
        .call("search_conversation_traces", &arguments)
        .unwrap();
    serde_json::from_str::<serde_json::Value>(reply.as_json()).unwrap()["count"].clone()
}

#[test]
fn conversations_of_other_namespaces_are_not_found_in_files() {
    for turns in [
        "logs/{name}-{session}.jsonl",
        "logs/{session}.jsonl",
        "{name}/{session}.jsonl",
    ] {
        for names in [["alice", "bob"], ["al-ice", "al"], ["al", "al-ice"]] {
            let folder = tempfile::tempdir().unwrap();
            let (_memory, [one, other]) = two(folder.path(), names, turns);
            say(&one, "s1", "the diagnosis is asthma");
            say(&other, "s2", "hello");
            one.files().sync(folder.path()).unwrap();
            other.files().sync(folder.path()).unwrap();
            assert_eq!(found(&one, None, "diagnosis"), 1);
            for session in [None, Some("s1"), Some("ice-s1"), Some("al-s1")] {
                assert_eq!(
                    found(&other, session, "diagnosis"),
                    0,
                    "{turns} {names:?} {session:?}"
                );
            }
        }
    }
}

#[test]
fn a_file_mirrors_one_namespace() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, [alice, bob]) = two(folder.path(), ["alice", "bob"], "{name}/{session}.jsonl");
    for (space, text) in [(&alice, "alice has asthma"), (&bob, "bob likes tea")] {
        let memory = NewMemory::builder(text)
            .kind("RULE")
            .metadata("duration", "permanent")
            .build()
            .unwrap();
        space.remember(memory).unwrap();
        say(space, "s1", "hello");
    }
    assert_eq!(
        alice.files().sync(folder.path()).unwrap().failed().count(),
        0
    );
    let file = folder.path().join("identity/MEMORY.md");
    let before = std::fs::read_to_string(&file).unwrap();
    let report = bob.files().sync(folder.path()).unwrap();
    let told = report
        .failed()
        .find(|failed| failed.path == file)
        .unwrap()
        .failed
        .clone()
        .unwrap();
    assert!(told.contains("{name}") && !told.contains("alice"), "{told}");
    assert_eq!(
        (report.edits(), std::fs::read_to_string(&file).unwrap()),
        (0, before)
    );
    assert!(
        folder.path().join("bob/s1.jsonl").exists(),
        "what is his own is written"
    );
    let context = bob.context(ContextRequest::default()).unwrap();
    assert!(!context.text.contains("asthma"), "{}", context.text);
    memory.delete_namespace("alice", Mode::Commit).unwrap();
    assert!(!file.exists(), "a file goes with its namespace");
    assert_eq!(
        bob.files().sync(folder.path()).unwrap().failed().count(),
        0,
        "what is gone holds nothing"
    );
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("bob likes tea")
    );
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_folder_is_one_however_it_is_spelt() {
    let folder = tempfile::tempdir().unwrap();
    let (one, linked) = (folder.path().join("one"), folder.path().join("linked"));
    std::fs::create_dir(&one).unwrap();
    std::os::unix::fs::symlink(&one, &linked).unwrap();
    let (_memory, [alice, bob]) = two(&one, ["alice", "bob"], "logs/{session}.jsonl");
    let secret = NewMemory::builder("Alice has asthma")
        .kind("FACT")
        .metadata("duration", "permanent");
    alice.remember(secret.build().unwrap()).unwrap();
    assert!(alice.files().sync(&one).unwrap().failed().next().is_none());
    for way in [
        linked,
        folder.path().join("one/../one"),
        folder.path().join("./one"),
    ] {
        let refused = bob.files().sync(&way);
        let failed = refused.as_ref().map_or(1, |report| report.failed().count());
        assert!(failed > 0, "{}: {refused:?}", way.display());
        assert_eq!(
            bob.admin().stats().unwrap().memories,
            0,
            "{}",
            way.display()
        );
    }
}

#[cfg(unix)]
#[test]
fn files_go_with_their_namespace_whatever_its_profile_and_wherever_they_lead() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, [alice, _]) = two(folder.path(), ["alice", "bob"], "logs/{session}.jsonl");
    let fact = NewMemory::builder("Alice has asthma")
        .kind("FACT")
        .metadata("duration", "permanent");
    alice.remember(fact.build().unwrap()).unwrap();
    say(&alice, "s1", "hello");
    let notes = folder.path().join("notes.md");
    std::fs::write(&notes, "").unwrap();
    std::fs::create_dir_all(folder.path().join("identity")).unwrap();
    std::os::unix::fs::symlink(&notes, folder.path().join("identity/MEMORY.md")).unwrap();
    assert_eq!(
        alice.files().sync(folder.path()).unwrap().failed().count(),
        0
    );
    let there = |name: &str| folder.path().join(name).exists();
    assert!(std::fs::read_to_string(&notes).unwrap().contains("asthma") && there("logs/s1.jsonl"));
    memory.profiles().store("own", "").unwrap();
    let receipt = memory.delete_namespace("alice", Mode::Commit).unwrap();
    assert!(receipt.files.len() >= 3, "{:?}", receipt.files);
    assert!(!notes.exists() && !there("logs/s1.jsonl") && !there("identity/MEMORY.md"));
}
