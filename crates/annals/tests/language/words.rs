//! The language of a namespace.

use std::sync::Arc;

use annals::llm::provider::{Provider, Replay};
use annals::{ContextRequest, ErrorKind, Missing, NewMemory, NewTurn, Options, Role};

use crate::support::life::World;

fn kept(world: &World, text: &str) {
    world
        .space()
        .remember(NewMemory::builder(text).kind("fact").build().unwrap())
        .unwrap();
}

fn heading(world: &World, message: &str) -> String {
    let context = world.space().context(ContextRequest::new(message)).unwrap();
    context
        .text
        .lines()
        .find(|line| line.ends_with([':', '：']))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_context_is_in_the_language_of_the_question_unless_the_namespace_has_one() {
    let world = World::new("studio");
    kept(&world, "Ada drinks green tea");
    kept(&world, "Ada 喜欢喝绿茶");
    assert_eq!(world.space().admin().language().unwrap(), "auto");
    assert_eq!(
        heading(&world, "What tea does Ada drink?"),
        "Background information about the user:"
    );
    assert_eq!(
        heading(&world, "Ada 喜欢喝什么茶？"),
        "关于用户的背景信息："
    );
    world
        .space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    assert_eq!(world.space().admin().language().unwrap(), "zh");
    assert_eq!(
        heading(&world, "What tea does Ada drink?"),
        "关于用户的背景信息："
    );
    world.space().admin().set_language(None).unwrap();
    assert_eq!(
        heading(&world, "What tea does Ada drink?"),
        "Background information about the user:"
    );
}

#[test]
fn a_language_stays_with_its_namespace_under_another_profile_and_in_a_new_process() {
    let mut world = World::new("studio");
    kept(&world, "Ada drinks green tea");
    world
        .space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    world.space().admin().set_profile("markdown").unwrap();
    let heading = |world: &World| {
        world
            .space()
            .context(ContextRequest::default())
            .unwrap()
            .text
    };
    assert!(
        heading(&world).starts_with("# 历史记忆"),
        "{}",
        heading(&world)
    );
    world.reopen();
    assert_eq!(world.space().admin().language().unwrap(), "zh");
    assert!(
        heading(&world).starts_with("# 历史记忆"),
        "{}",
        heading(&world)
    );
}

#[test]
fn a_language_of_ones_own_is_added_and_taken_away() {
    let mut world = World::new("studio");
    kept(&world, "Ada trinkt gern grünen Tee");
    let missing = world
        .space()
        .admin()
        .set_language(Some("de".to_owned()))
        .unwrap_err();
    assert_eq!(
        (missing.kind(), missing.missing()),
        (ErrorKind::NotFound, Some(Missing::Language))
    );
    let bad = world
        .memory()
        .profiles()
        .store_messages("de", "user = Benutzer\nassistent = x\n")
        .unwrap_err();
    assert!(
        bad.is_invalid() && bad.to_string().contains("assistent"),
        "{bad}"
    );
    let german = "detected-as = deu\nheading-recalled = Was bekannt ist:\n";
    world
        .memory()
        .profiles()
        .store_messages("de", german)
        .unwrap();
    world
        .space()
        .admin()
        .set_language(Some("de".to_owned()))
        .unwrap();
    assert_eq!(heading(&world, "Ada Tee grün"), "Was bekannt ist:");
    world.reopen();
    assert_eq!(heading(&world, "Ada Tee grün"), "Was bekannt ist:");
    world
        .space()
        .admin()
        .set_language(Some("auto".to_owned()))
        .unwrap();
    assert_eq!(
        heading(&world, "Welchen grünen Tee trinkt Ada denn gern?"),
        "Was bekannt ist:"
    );
    world.memory().profiles().delete_messages("de").unwrap();
    assert_eq!(
        heading(&world, "Ada trinkt gern grünen Tee"),
        "Background information about the user:"
    );
    assert!(
        world
            .memory()
            .profiles()
            .delete_messages("de")
            .unwrap_err()
            .is_not_found()
    );
    world.validate();
}

#[test]
fn models_are_asked_in_the_language_of_the_conversation_and_told_to_keep_to_it() {
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[SKIP]")
            .reply("extract", "[SKIP]"),
    );
    let own = Arc::clone(&model);
    let world = World::with("companion", move |options: Options| {
        options.model(Arc::clone(&own) as Arc<dyn Provider>)
    });
    for (session, said) in [
        ("en", "I moved to Berlin last week"),
        ("zh", "我上周搬到了柏林"),
    ] {
        for (role, text) in [(Role::User, said), (Role::Assistant, "…")] {
            let turn = NewTurn::builder(session, text).role(role).build().unwrap();
            world.space().sessions().append(vec![turn]).unwrap();
        }
        world.space().queue().work_off().unwrap();
    }
    let asked = model.asked();
    let prompts: Vec<String> = asked
        .iter()
        .map(|request| request.messages[0].text.clone())
        .collect();
    assert!(
        prompts[0].contains("Write in the language of the conversation"),
        "{}",
        prompts[0]
    );
    assert!(
        prompts[0].is_ascii() || !prompts[0].contains('的'),
        "{}",
        prompts[0]
    );
    assert!(
        prompts[1].contains("用对话所用的语言书写"),
        "{}",
        prompts[1]
    );
}
