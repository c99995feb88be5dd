//! The calls of language models are accounted for with the file.

use std::sync::Arc;

use crate::support::life::{World, near};
use annals::llm::provider::{
    Message, Price, Provider, ProviderError, Replay, Reply, Request, Usage,
};
use annals::{Cancel, NewTurn, Role, Spent};

/// A transcript of a model that costs something.
struct Dear(Arc<Replay>);

impl Provider for Dear {
    fn name(&self) -> String {
        "dear".to_owned()
    }

    fn price(&self) -> Price {
        Price {
            input: 2.0,
            output: 10.0,
        }
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        self.0.chat(request, cancel)
    }
}

fn reply(text: &str, input: u64, output: u64, estimated: bool) -> Result<Reply, String> {
    Ok(Reply {
        usage: Usage {
            input,
            output,
            estimated,
        },
        ..Reply::text(text)
    })
}

/// A message of the user, and an answer: the round is looked through.
fn round(world: &World, said: &str) {
    let user = NewTurn::builder("s", said).build().unwrap();
    let answer = NewTurn::builder("s", "嗯")
        .role(Role::Assistant)
        .build()
        .unwrap();
    world.space().sessions().append(vec![user, answer]).unwrap();
}

fn rows(world: &World) -> Vec<(String, String, u64, u64, u64)> {
    let row = |spent: Spent| {
        (
            spent.day.to_string(),
            spent.purpose,
            spent.calls,
            spent.failed,
            spent.input_tokens,
        )
    };
    world
        .memory()
        .spent()
        .unwrap()
        .into_iter()
        .map(row)
        .collect()
}

#[test]
fn what_a_model_is_asked_is_kept_by_day_and_purpose() {
    let replay = Arc::new(Replay::default());
    let model = Arc::new(Dear(Arc::clone(&replay)));
    let mut world = World::with("companion", move |options| {
        let model: Arc<dyn Provider> = Arc::<Dear>::clone(&model);
        options.model(model)
    });
    assert_eq!(world.memory().spent().unwrap(), []);
    let first = world.memory().stats().unwrap().commit;
    replay.push("extract", reply("[SKIP]", 1000, 10, false));
    round(&world, "我今天很累");
    let before = world.memory().stats().unwrap().commit;
    world.space().queue().work_off().unwrap();
    assert!(before > first, "the round is stored");
    // Another day, another purpose, and an application's own question; one fails, and the last
    // ones are written when the file is closed.
    world.at(1.5);
    replay.push("extract", reply("[SKIP]", 500, 10, true));
    round(&world, "我去睡了");
    world.space().queue().work_off().unwrap();
    replay.push("chat", reply("hi", 7, 3, false));
    let asked = world.memory().model().unwrap();
    for _ in 0..2 {
        let _second_fails = asked.chat(
            &Request::new("chat", vec![Message::user("hello")]),
            &Cancel::new(),
        );
    }
    drop(asked);
    world.reopen();
    let (one, two) = (
        "2026-01-01T00:00:00Z".to_owned(),
        "2026-01-02T00:00:00Z".to_owned(),
    );
    assert_eq!(
        rows(&world),
        [
            (one, "extract".to_owned(), 1, 0, 1000),
            (two.clone(), "chat".to_owned(), 1, 1, 7),
            (two, "extract".to_owned(), 1, 0, 500)
        ]
    );
    let spent = world.memory().spent().unwrap();
    near(spent[0].cost, (1000.0 * 2.0 + 10.0 * 10.0) / 1e6);
    assert_eq!(
        (
            spent[0].estimated,
            spent[2].estimated,
            spent[0].model.as_str()
        ),
        (false, true, "dear")
    );
    // Looking at it writes nothing where nothing was asked.
    let commit = world.memory().stats().unwrap().commit;
    world.memory().spent().unwrap();
    assert_eq!(world.memory().stats().unwrap().commit, commit);
    world.validate();
}
