//! Files beside mirrored files: backups, and files of another program.

use std::sync::Arc;

use super::mirrors::Desk;
use annals::{
    ExtractWindow, Extracted, Extractor, JudgeError, MemoryId, Mode, NewMemory, NewTurn, Options,
    Role, ToolReply,
};

/// Says of a memory that lost a source what is left of it.
struct Left;

impl Extractor for Left {
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let again = |known: &annals::Shown| {
            let memory = NewMemory::builder("用户住在柏林")
                .kind("fact")
                .metadata("level", "high")
                .build()
                .unwrap();
            Extracted::Update(known.id, memory)
        };
        Ok(window.known.iter().map(again).collect())
    }
}

#[test]
fn a_backup_says_nothing_that_a_memory_said_before_it_was_derived_anew() {
    let desk = Desk::with("markdown", |options: Options| {
        options.extractor(Arc::new(Left))
    });
    let space = desk.space();
    let said = |text: &str| {
        space
            .sessions()
            .append(vec![NewTurn::builder("s1", text).build().unwrap()])
            .unwrap()[0]
    };
    let (lives, secret) = (said("我住在柏林"), said("我的门卡在抽屉里"));
    let sources: [MemoryId; 2] = [lives, secret];
    let fact = NewMemory::builder("用户住在柏林，门卡在抽屉里")
        .kind("fact")
        .metadata("level", "high");
    let fact = sources
        .iter()
        .fold(fact, |fact, id| fact.derived_from(*id))
        .build()
        .unwrap();
    let fact = space.remember(fact).unwrap();
    desk.sync();
    // A person's edit makes a backup that holds the old text.
    desk.write(
        "MEMORY.md",
        &(desk.read("MEMORY.md") + "\n- 我养了一只猫\n"),
    );
    assert!(desk.sync().written);
    assert!(desk.read("MEMORY.md.bak").contains("门卡在抽屉里"));
    space.delete(secret, Mode::Commit).unwrap();
    space.queue().work_off().unwrap();
    assert_eq!(space.get(fact).unwrap().unwrap().body.text, "用户住在柏林");
    desk.sync();
    let (file, backup) = (desk.read("MEMORY.md"), desk.read("MEMORY.md.bak"));
    assert!(
        file.contains("用户住在柏林") && !file.contains("门卡"),
        "{file}"
    );
    assert!(
        backup.contains("我养了一只猫") && !backup.contains("门卡"),
        "{backup}"
    );
    assert_eq!(desk.memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn conversations_of_another_program_are_found_where_they_were_set_aside() {
    let desk = Desk::new("agent");
    let log = |name: &str| format!("data/memory/conversation_history/{name}");
    let line = |session: &str, text: &str| {
        format!("{{\"session_id\":\"{session}\",\"role\":\"user\",\"content\":\"{text}\"}}\n")
    };
    desk.write(
        &log("s1.jsonl"),
        &line("s1", "ten years of talk about quetzals"),
    );
    desk.write(&log("s2.jsonl"), &line("s2", "another quetzal"));
    desk.space()
        .sessions()
        .append(vec![
            NewTurn::builder("s1", "hello")
                .role(Role::User)
                .build()
                .unwrap(),
        ])
        .unwrap();
    let found = |arguments: &str| -> Vec<String> {
        let reply: ToolReply = desk
            .space()
            .tools()
            .call("search_conversation_traces", arguments)
            .unwrap();
        let json: serde_json::Value = serde_json::from_str(reply.as_json()).unwrap();
        let mut texts: Vec<String> = json["traces"]
            .as_array()
            .unwrap()
            .iter()
            .map(|trace| trace["content"].as_str().unwrap().to_owned())
            .collect();
        texts.sort();
        texts
    };
    assert_eq!(
        found(r#"{"keyword":"quetzal"}"#),
        ["another quetzal"],
        "the other one is about to be taken over"
    );
    desk.space()
        .files()
        .sync(desk.folder.path().join("u"))
        .unwrap();
    assert!(desk.path(&log("s1.jsonl.legacy")).exists());
    assert_eq!(
        found(r#"{"keyword":"quetzal"}"#),
        ["another quetzal", "ten years of talk about quetzals"]
    );
    assert_eq!(
        found(r#"{"keyword":"quetzal","session_id":"s1"}"#),
        ["ten years of talk about quetzals"]
    );
    // Turns that annals wrote into the file itself are answered from the memory, or not at all.
    let turn = desk.space().session("s1").memories(0, 10).unwrap()[0].id;
    desk.space().delete(turn, Mode::Commit).unwrap();
    assert_eq!(found(r#"{"keyword":"hello"}"#), [""; 0]);
}
