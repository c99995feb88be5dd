//! Commands of people about their memory, and memory that is switched off.

use std::sync::Arc;

use crate::support::life::World;
use annals::llm::provider::Replay;
use annals::{ContextRequest, HandledCommand, NewTurn, Options, Role};

/// A file whose profile is a built-in one with something changed.
fn changed(profile: &str, from: &str, to: &str) -> World {
    let world = World::new(profile);
    let text = annals::profiles::builtin(profile).unwrap();
    assert!(text.contains(from), "{from}");
    world
        .memory()
        .profiles()
        .store("own", &text.replace(from, to))
        .unwrap();
    world.space().admin().set_profile("own").unwrap();
    world
}

/// The answer to a person.
fn reply(world: &World, handled: &HandledCommand) -> String {
    world
        .space()
        .session("s")
        .reply(handled.clone())
        .unwrap()
        .unwrap()
}

fn say(world: &World, role: Role, text: &str) {
    let turn = NewTurn::builder("s", text).role(role).build().unwrap();
    world.space().sessions().append(vec![turn]).unwrap();
}

#[test]
fn only_a_memory_that_is_meant_is_forgotten() {
    let world = World::new("companion");
    world.kind("fact", "likes green tea with milk");
    let asked = world
        .space()
        .session("s")
        .handle_command("forget that I live in Berlin")
        .unwrap();
    assert_eq!(
        asked,
        HandledCommand::NotFound {
            asked: "I live in Berlin".to_owned()
        }
    );
    assert_eq!(
        reply(&world, &asked),
        "There is no memory of that: I live in Berlin"
    );
    let berlin = world.kind("fact", "The user lives in Berlin.");
    let allergy = world.kind("fact", "用户对花生过敏");
    for (wish, id) in [
        ("forget that I live in Berlin", berlin),
        ("Please forget where in Berlin I live", berlin),
        ("忘掉我对花生过敏", allergy),
        ("忘掉花生过敏这件事", allergy),
    ] {
        let asked = world.space().session("s").handle_command(wish).unwrap();
        assert!(
            matches!(&asked, HandledCommand::ToForget { id: found, .. } if *found == id),
            "{wish}: {asked:?}"
        );
    }
    let other = world
        .space()
        .session("s")
        .handle_command("忘掉我住在上海")
        .unwrap();
    assert_eq!(reply(&world, &other), "没有找到相关的记忆：我住在上海");
    world
        .space()
        .admin()
        .set_language(Some("en".to_owned()))
        .unwrap();
    assert_eq!(
        reply(&world, &other),
        "There is no memory of that: 我住在上海"
    );
    assert_eq!(
        reply(
            &world,
            &HandledCommand::Declined {
                message: "不要".to_owned()
            }
        ),
        "Nothing is forgotten."
    );
}

#[test]
fn every_design_keeps_what_it_is_told_to() {
    for profile in ["companion", "studio", "agent", "graph", "markdown"] {
        let world = World::new(profile);
        let done = world
            .space()
            .session("s")
            .handle_command("Remember that I am allergic to peanuts")
            .unwrap();
        assert!(
            matches!(done, HandledCommand::Remembered { .. }),
            "{profile}: {done:?}"
        );
        let asked = world
            .space()
            .session("s")
            .handle_command("forget that I am allergic to peanuts")
            .unwrap();
        assert!(
            matches!(asked, HandledCommand::ToForget { .. }),
            "{profile}: {asked:?}"
        );
    }
}

#[test]
fn this_is_what_the_user_said_or_what_was_answered_to_a_question() {
    let world = World::new("studio");
    let unclear = world
        .space()
        .session("s")
        .handle_command("remember this")
        .unwrap();
    let reply = reply(&world, &unclear);
    assert!(
        reply.is_ascii() && reply.contains("Nothing was said before"),
        "{reply}"
    );
    let remembered = |wish: &str| match world.space().session("s").handle_command(wish).unwrap() {
        HandledCommand::Remembered { text, .. } => text,
        other => panic!("{wish}: {other:?}"),
    };
    say(&world, Role::User, "My dog is called Rex.");
    say(&world, Role::Assistant, "What a nice name!");
    assert_eq!(remembered("remember this"), "My dog is called Rex.");
    say(&world, Role::User, "How long do eggs boil?");
    say(&world, Role::Assistant, "Eight minutes.");
    say(&world, Role::User, "remember this");
    assert_eq!(remembered("remember this"), "Eight minutes.");
    // The answer is the kept text, without the parts that the profile masks.
    let kept = remembered("Remember that the password = tr0ub4dor-and-3");
    assert!(
        !kept.contains("tr0ub4dor") && kept.starts_with("the password"),
        "{kept}"
    );
}

#[test]
fn that_is_what_was_kept_on_request_since_the_last_message() {
    let world = World::new("companion");
    let handle_command = |wish: &str| world.space().session("s").handle_command(wish).unwrap();
    say(&world, Role::User, "I live in Berlin");
    say(&world, Role::Assistant, "Nice.");
    let HandledCommand::Remembered { id, text } =
        handle_command("remember that I have a peanut allergy")
    else {
        panic!("not kept")
    };
    // It is not kept twice, and nothing older is offered in its place.
    assert_eq!(
        handle_command("remember this"),
        HandledCommand::Remembered {
            id,
            text: text.clone()
        }
    );
    assert_eq!(
        handle_command("forget that"),
        HandledCommand::ToForget {
            id,
            text: text.clone()
        }
    );
    // In another conversation nothing was said.
    assert!(matches!(
        world
            .space()
            .session("other")
            .handle_command("forget that")
            .unwrap(),
        HandledCommand::Unclear { .. }
    ));
    let asked = handle_command("forget that");
    assert_eq!(
        world.space().reviews().confirm(asked).unwrap(),
        HandledCommand::Forgotten { id, text }
    );
    assert_eq!(world.status(id), Some(annals::Status::Forgotten));
    // A later message is meant again.
    say(&world, Role::User, "My dog is called Rex.");
    let HandledCommand::Remembered { text, .. } = handle_command("remember this") else {
        panic!("not kept")
    };
    assert_eq!(text, "My dog is called Rex.");
}

#[test]
fn what_was_only_said_is_forgotten_with_what_was_answered() {
    for wish in [
        "forget what I just said",
        "forget that I got divorced from Tom",
    ] {
        let model = Arc::new(Replay::default());
        let asked = Arc::clone(&model);
        let world = World::with("markdown", move |options: Options| {
            options.model(asked.clone())
        });
        let working = world.space().session("s").working().unwrap();
        for (role, text) in [
            (Role::User, "By the way, I got divorced from Tom last year"),
            (Role::Assistant, "Tom! I am sorry"),
        ] {
            let turn = NewTurn::builder("s", text).role(role).build().unwrap();
            let id = world.space().sessions().append(vec![turn.clone()]).unwrap()[0];
            working.say_stored(id, turn).unwrap();
        }
        let asked = world.space().session("s").handle_command(wish).unwrap();
        assert!(
            matches!(&asked, HandledCommand::ToForget { text, .. } if text.contains("divorced")),
            "{wish}: {asked:?}"
        );
        world.space().reviews().confirm(asked).unwrap();
        assert_eq!(world.recall("divorced from Tom"), [""; 0], "{wish}");
        let prompt = working.prompt("", "And now?").unwrap().messages;
        assert!(
            prompt.iter().all(|message| !message.text.contains("Tom")),
            "{prompt:?}"
        );
        world.space().session("s").extract().unwrap();
        world.space().queue().work_off().unwrap();
        assert!(
            model.asked().iter().all(|asked| asked.purpose != "extract"),
            "nobody is told it"
        );
        world.validate();
    }
}

#[test]
fn what_was_asked_to_be_remembered_is_forgotten_with_the_message() {
    let world = World::new("companion");
    let wish = "Remember I like free jazz, so play some";
    assert!(matches!(
        world.space().session("s").handle_command(wish).unwrap(),
        HandledCommand::Remembered { .. }
    ));
    say(&world, Role::User, wish);
    say(&world, Role::Assistant, "Here is some jazz.");
    let asked = world
        .space()
        .session("s")
        .handle_command("forget that I like free jazz")
        .unwrap();
    assert!(
        matches!(asked, HandledCommand::ToForget { .. }),
        "{asked:?}"
    );
    world.space().reviews().confirm(asked).unwrap();
    assert_eq!(world.recall("free jazz"), [""; 0]);
    world.validate();
}

#[test]
fn a_verb_alone_means_what_was_said_before() {
    let world = World::new("companion");
    for wish in ["remember", "remember that", "记住"] {
        assert!(
            matches!(
                world.space().session("s").handle_command(wish).unwrap(),
                HandledCommand::Unclear { .. }
            ),
            "{wish}"
        );
    }
    say(&world, Role::User, "My dog is called Rex.");
    say(&world, Role::Assistant, "What a nice name!");
    let handled = world
        .space()
        .session("s")
        .handle_command("remember")
        .unwrap();
    assert!(
        matches!(&handled, HandledCommand::Remembered { text, .. } if text == "My dog is called Rex."),
        "{handled:?}"
    );
}

#[test]
fn everything_is_forgotten_at_no_word() {
    let world = World::new("companion");
    let tea = world.kind("fact", "likes green tea");
    for wish in [
        "forget everything",
        "Please forget everything you know about me!",
        "忘掉所有的事",
        "请忘记关于我的一切。",
    ] {
        let handled = world.space().session("s").handle_command(wish).unwrap();
        assert_eq!(
            handled,
            HandledCommand::Everything {
                message: wish.to_owned()
            }
        );
        world.space().reviews().confirm(handled).unwrap();
    }
    assert_eq!(world.status(tea), Some(annals::Status::Active));
    for other in [
        "forget that all my cats are black",
        "忘掉我所有的猫都是黑的",
    ] {
        let handled = world.space().session("s").handle_command(other).unwrap();
        assert!(
            !matches!(handled, HandledCommand::Everything { .. }),
            "{other}: {handled:?}"
        );
    }
}

#[test]
fn a_memory_is_forgotten_with_the_round_that_it_was_found_in() {
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[SKIP]")
            .reply("extract", "[ADD] 主人去年离婚了"),
    );
    let world = World::with("companion", move |options: Options| {
        options.model(model.clone())
    });
    say(&world, Role::User, "我养了一只猫");
    say(&world, Role::Assistant, "真好");
    world.space().queue().work_off().unwrap();
    say(&world, Role::User, "我去年离婚了");
    say(&world, Role::Assistant, "离婚不容易");
    world.space().queue().work_off().unwrap();
    assert!(
        world
            .recall("离婚")
            .iter()
            .any(|text| text == "主人去年离婚了")
    );
    let asked = world
        .space()
        .session("s")
        .handle_command("忘掉我离婚了")
        .unwrap();
    world.space().reviews().confirm(asked).unwrap();
    assert!(
        world
            .recall("离婚")
            .iter()
            .all(|text| !text.contains("离婚"))
    );
    assert!(
        world.recall("猫").iter().any(|text| text.contains('猫')),
        "what else was said stays"
    );
    world.validate();
}

#[test]
fn memory_that_is_switched_off_is_off_everywhere() {
    let world = World::new("graph");
    assert_eq!(world.space().tools().list().unwrap().len(), 4);
    let world = changed(
        "graph",
        "[extract]\n",
        "[surface]\nenabled = false\n\n[extract]\n",
    );
    let space = world.space();
    assert_eq!(space.tools().list().unwrap(), []);
    let called = space
        .tools()
        .call(
            "create_memory",
            r#"{"subject":"我","memory_type":"事件","topic":"吃饭"}"#,
        )
        .unwrap();
    assert!(!called.is_success(), "{}", called.as_json());
    assert_eq!(
        space
            .session("s")
            .handle_command("remember that I drink tea")
            .unwrap(),
        HandledCommand::Nothing
    );
    assert_eq!(space.context(ContextRequest::new("tea")).unwrap().text, "");
    assert_eq!(space.admin().stats().unwrap().memories, 0);
}

#[test]
fn conversations_can_be_looked_through_by_a_model_of_their_own() {
    let large = Arc::new(Replay::default());
    let small = Arc::new(Replay::default().reply("extract", "[ADD] 主人养了猫"));
    let (asked, both) = (Arc::clone(&small), (Arc::clone(&large), small));
    let world = World::with("companion", move |options: Options| {
        options
            .model(both.0.clone())
            .extraction_model(both.1.clone())
    });
    say(&world, Role::User, "我养了猫");
    say(&world, Role::Assistant, "真好");
    world.space().queue().work_off().unwrap();
    let looked = |model: &Replay| {
        model
            .asked()
            .iter()
            .filter(|asked| asked.purpose == "extract")
            .count()
    };
    assert_eq!((looked(&asked), looked(&large)), (1, 0));
    assert!(world.recall("猫").contains(&"主人养了猫".to_owned()));
}
