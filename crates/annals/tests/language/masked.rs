//! Secrets that a profile masks in texts that are made of parts, and in conversations that are
//! going on.

use std::sync::Arc;

use annals::graph::TripleQuery;
use annals::{JudgeError, NewTurn, Options, Role, StoredMemory, Summarizer};

use crate::support::life::World;

/// A namespace under a profile of annals that does something else with passwords.
fn world(profile: &str, (from, to): (&str, &str)) -> World {
    let world = World::with(profile, |options: Options| {
        options.summarizer(Arc::new(Blabber))
    });
    let text = annals::profiles::builtin(profile).unwrap();
    let text = match text.contains(from) {
        true => text.replacen(from, to, 1),
        false => format!("{text}\n[privacy]\n{to}\n"),
    };
    world.memory().profiles().store("own", &text).unwrap();
    world.space().admin().set_profile("own").unwrap();
    world
}

/// A summarizer that repeats what it should not.
struct Blabber;

impl Summarizer for Blabber {
    fn summarize(&self, _: &[StoredMemory]) -> Result<String, JudgeError> {
        Ok("my password is hunter2abc".to_owned())
    }
}

#[test]
fn what_was_masked_is_told_to_the_call_that_brought_it() {
    let world = World::new("studio");
    let space = world.space();
    space.remember("my password is hunter2abc").unwrap();
    let (stored, masked) = annals::masked_during(|| space.remember("I have a cat"));
    stored.unwrap();
    assert!(masked.is_empty(), "{masked:?}");
    let other = space.clone();
    let (told, masked) = annals::masked_during(|| {
        let other = std::thread::spawn(move || {
            annals::masked_during(|| other.remember("my PIN is 4711")).1
        });
        space.remember("I have a dog").unwrap();
        other.join().unwrap()
    });
    assert_eq!(
        (told.len(), masked.len()),
        (1, 0),
        "of two callers at once each is told of its own"
    );
    let ((_, inner), outer) =
        annals::masked_during(|| annals::masked_during(|| space.remember("my PIN is 9876")));
    assert_eq!(
        (inner.len(), outer.len()),
        (1, 0),
        "of two that are nested the inner one is told"
    );
}

#[test]
fn only_the_part_that_holds_a_secret_is_masked() {
    let world = world("graph", ("password = \"reject\"", "password = \"mask\""));
    let call = |arguments: serde_json::Value| {
        let reply = world
            .space()
            .tools()
            .call("create_memory", &arguments.to_string())
            .unwrap();
        assert!(reply.is_success(), "{reply}");
    };
    // The value stands in the subject as well, where it is no password.
    call(
        serde_json::json!({"subject": "4711号公寓", "memory_type": "事实", "topic": "门的密码是", "object": "4711"}),
    );
    // The relation does not stand in the text of the memory.
    call(
        serde_json::json!({"subject": "我", "memory_type": "事实", "topic": "登录", "object": "路由器", "relation": "登录到",
        "attributes": {"密码是": "abc12345"}}),
    );
    let mut said: Vec<String> = Vec::new();
    for triple in world
        .space()
        .graph()
        .triples(&TripleQuery::default())
        .unwrap()
        .triples
    {
        said.extend([triple.subject, triple.predicate, triple.object]);
    }
    let all = said.join("|");
    assert!(
        all.contains("4711号公寓") && all.contains("登录到") && all.contains("[password]"),
        "{all}"
    );
    assert!(
        !said.iter().any(|part| part == "4711")
            && !all.contains("abc12345")
            && !all.contains("[masked]"),
        "{all}"
    );
}

#[test]
fn what_is_refused_is_at_hand_masked_and_never_stored() {
    let world = world("markdown", ("password = \"mask\"", "password = \"reject\""));
    let talk = world.space().session("s").working().unwrap();
    let say = |text: &str| {
        talk.say(
            NewTurn::builder("s", text)
                .role(Role::User)
                .build()
                .unwrap(),
        )
        .unwrap()
    };
    say("my password is hunter2abc");
    say("I like tea");
    let said: Vec<String> = talk
        .messages()
        .into_iter()
        .map(|message| message.body.text)
        .collect();
    assert_eq!(said, ["my password is [password]", "I like tea"]);
    let done = talk.close().unwrap();
    assert_eq!((done.moved, done.refused), (1, 1));
    let stored: Vec<String> = world
        .space()
        .session("s")
        .memories(0, 10)
        .unwrap()
        .into_iter()
        .map(|turn| turn.body.text)
        .collect();
    assert_eq!(stored, ["I like tea"]);
}

#[test]
fn a_summary_that_would_be_refused_is_stored_masked() {
    let world = world(
        "companion",
        ("password = \"mask\"", "password = \"reject\""),
    );
    let talk = world.space().session("s").working().unwrap();
    for round in 0..15 {
        talk.round(&format!("said {round}"), &format!("answered {round}"))
            .unwrap();
    }
    let done = talk
        .say(
            NewTurn::builder("s", "one more")
                .role(Role::User)
                .build()
                .unwrap(),
        )
        .unwrap();
    let episode = world.space().get(done.episode.unwrap()).unwrap().unwrap();
    assert!(
        episode.body.text.contains("[password]") && !episode.body.text.contains("hunter2"),
        "{}",
        episode.body.text
    );
}
