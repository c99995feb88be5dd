//! Conversations that are temporary for a time.

use std::sync::Arc;

use crate::support::life::World;
use annals::llm::provider::{Provider, Replay};
use annals::{
    Clock, ContextRequest, Conversations, ImportOptions, NewMemory, NewTurn, Role, Timestamp,
    TranscriptFormat,
};

fn replay() -> (Arc<Replay>, World) {
    let model = Arc::new(Replay::default());
    let shown: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
    let world = World::with("studio", move |options| options.model(Arc::clone(&shown)));
    (model, world)
}

/// Ten rounds of a session; answers how many turns were stored.
fn rounds(world: &World, session: &str) -> usize {
    let mut stored = 0;
    for number in 0..10 {
        let user = NewTurn::builder(session, format!("第{number}轮"))
            .build()
            .unwrap();
        let reply = NewTurn::builder(session, "好")
            .role(Role::Assistant)
            .build()
            .unwrap();
        stored += world
            .space()
            .sessions()
            .append(vec![user, reply])
            .unwrap()
            .len();
    }
    stored
}

#[test]
fn a_temporary_session_uses_no_memory_and_leaves_none() {
    // spec: S-113
    let (model, mut world) = replay();
    let id = world.kind("fact", "用户住在柏林");
    world.space().session("s").set_temporary(true).unwrap();
    world.reopen();
    let session = world.space().session("s");
    assert!(session.is_temporary().unwrap(), "the file keeps it");
    assert_eq!(rounds(&world, "s"), 0);
    let request = || ContextRequest::new("用户住在柏林吗？").session("s");
    assert_eq!(world.space().context(request()).unwrap().text, "");
    assert!(!session.extract().unwrap());
    session.handle_command("记住：我养猫").unwrap();
    world.space().queue().work_off().unwrap();
    assert_eq!(
        (
            model.asked().len(),
            world.memory().usage().unwrap().contexts
        ),
        (0, 0)
    );
    assert_eq!(world.standing(id).returned, 0);
    assert!(world.space().sessions().list().unwrap().is_empty());

    session.set_temporary(false).unwrap();
    assert!(!session.is_temporary().unwrap());
    assert!(
        !session.extract().unwrap(),
        "what was said before is not looked through"
    );
    world.space().queue().work_off().unwrap();
    assert_eq!(
        (model.asked().len(), session.turns(0, 10).unwrap().len()),
        (0, 0)
    );
    assert_eq!(
        world.space().context(request()).unwrap().ids,
        [id],
        "memory takes part again"
    );
    drop(session);
    world.validate();
}

#[test]
fn a_transcript_comes_without_what_was_said_in_the_temporary_part() {
    let (_, mut world) = replay();
    let line = |id: &str, time: Timestamp| {
        format!(
            r#"{{"type":"user","uuid":"{id}","sessionId":"s","timestamp":"{time}","message":{{"content":"said {id}"}}}}"#
        )
    };
    let session = world.space().session("s");
    world.at(1.0);
    let before = world.clock.now();
    world.at(2.0);
    session.set_temporary(true).unwrap();
    let within = world.clock.now().plus_millis(1);
    world.at(3.0);
    session.set_temporary(false).unwrap();
    let after = world.clock.now().plus_millis(1);
    let text = [line("a", before), line("b", within), line("c", after)].join("\n");
    let read =
        Conversations::of_transcript(TranscriptFormat::ClaudeCode, &mut text.as_bytes(), "s")
            .unwrap();
    let import = |world: &World| {
        let options = ImportOptions::default();
        world
            .space()
            .transfer()
            .import_conversation(&read.conversations[0], &options, &mut |_| ())
            .unwrap()
    };
    assert_eq!(import(&world).stored, 2);
    let report = import(&world);
    assert_eq!(
        (report.stored, report.already_there),
        (0, 2),
        "a second import brings nothing twice"
    );
    let said: Vec<String> = session
        .turns(0, 10)
        .unwrap()
        .into_iter()
        .map(|turn| turn.content)
        .collect();
    assert_eq!(said, ["said a", "said c"]);

    // A caller that stores such a turn by itself does not make it open either.
    session.set_temporary(true).unwrap();
    world.remember(NewMemory::from(
        NewTurn::builder("s", "by hand").build().unwrap(),
    ));
    session.set_temporary(false).unwrap();
    let turns = session.turns(0, 10).unwrap();
    let open: Vec<&str> = turns
        .iter()
        .filter(|turn| !turn.extracted)
        .map(|turn| turn.content.as_str())
        .collect();
    assert_eq!(open, ["said a", "said c"]);
    drop(session);
    world.reopen();
    world.validate();

    let mut lines = Vec::new();
    world
        .space()
        .transfer()
        .export(&mut lines, &mut |_| ())
        .unwrap();
    let other = World::new("studio");
    other
        .space()
        .transfer()
        .import(
            &mut lines.as_slice(),
            &ImportOptions::default(),
            &mut |_| (),
        )
        .unwrap();
    let session = other.space().session("s");
    assert!(session.was_temporary(within).unwrap(), "exports carry it");
    assert!(!session.was_temporary(before).unwrap());
    drop(session);
    other.validate();
}
