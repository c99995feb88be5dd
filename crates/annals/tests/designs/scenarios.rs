//! From a first message to the knowledge of a later session, with a transcript in the place of the
//! model and the file closed in between.

use std::sync::Arc;

use crate::support::life::World;
use annals::blocking::Namespace;
use annals::llm::provider::{Message, Provider, Replay, Reply, Request, ToolUse};
use annals::{
    Cancel, ContextRequest, Layer, ListQuery, MemoryId, NewTurn, Role, ToolSetting, Value,
};

fn world(profile: &str, model: &Arc<Replay>) -> World {
    let model: Arc<dyn Provider> = Arc::clone(model) as Arc<dyn Provider>;
    World::with(profile, move |options| options.model(Arc::clone(&model)))
}

fn round(space: &Namespace, session: &str, said: &str, answered: &str) {
    let user = NewTurn::builder(session, said).build().unwrap();
    let reply = NewTurn::builder(session, answered)
        .role(Role::Assistant)
        .build()
        .unwrap();
    space.sessions().append(vec![user, reply]).unwrap();
}

#[test]
fn an_agent_keeps_a_rule_from_one_session_to_the_next() {
    let home = tempfile::tempdir().unwrap();
    let rule =
        r#"[{"content":"回复一律用中文，代码注释也用中文","type":"RULE","duration":"permanent"}]"#;
    let episode = r#"{"summary":"修复了登录接口的 502","goal":"修复 502","outcome":"已修复","entities":["登录接口"]}"#;
    let model = Arc::new(
        Replay::default()
            .reply("extract", rule)
            .reply("episode", episode),
    );
    let (folder, asked) = (home.path().to_str().unwrap().to_owned(), Arc::clone(&model));
    let mut world = World::with("agent", move |options| {
        let model: Arc<dyn Provider> = Arc::<Replay>::clone(&asked);
        options.model(model).mirrors(&folder)
    });
    let space = world.space();
    space
        .designs()
        .agent()
        .on_turn_start("a", "修复登录接口的 502")
        .unwrap();
    let said = "以后回复一律用中文，代码里的注释也要用中文写。先看看登录接口为什么返回 502。";
    round(
        &space,
        "a",
        said,
        "好的，之后都用中文。登录接口的 upstream 配错了。",
    );
    assert_eq!(model.asked().len(), 0, "no turn waits for a model");
    space.queue().work_off().unwrap();
    let end = space.session("a").end().unwrap();
    assert!(end.episode.is_some(), "{end:?}");
    world.force();
    drop(space);

    world.at(2.0);
    world.reopen();
    let space = world.space();
    space
        .designs()
        .agent()
        .on_turn_start("b", "写一份部署文档")
        .unwrap();
    // The rule stands in the prompt of the next session without being asked for, and what was done
    // before as well.
    let prompt = space
        .context(ContextRequest::new("写一份部署文档"))
        .unwrap()
        .text;
    assert!(
        prompt.contains("- 回复一律用中文，代码注释也用中文"),
        "{prompt}"
    );
    assert!(
        prompt.contains("写一份部署文档") && prompt.contains("修复登录接口的 502"),
        "{prompt}"
    );
    // The model finds both when it looks: the memory, and the episode by what it was about.
    let found = space
        .tools()
        .call("search_memory", r#"{"query":"注释用什么语言"}"#)
        .unwrap();
    assert!(
        found.as_json().contains("回复一律用中文"),
        "{}",
        found.as_json()
    );
    let episodes = space.sessions().episodes(5).unwrap();
    assert_eq!((episodes.len(), episodes[0].goal.as_str()), (1, "修复 502"));
    let traces = space
        .tools()
        .call("search_conversation_traces", r#"{"keyword":"upstream"}"#)
        .unwrap();
    assert!(
        traces.as_json().contains("upstream"),
        "{}",
        traces.as_json()
    );
    assert_eq!(model.left(), 0);
    world.validate();
}

/// An assistant: asks the model and does what it calls for, until it says something.
fn answer(model: &Replay, space: &Namespace, session: &str, said: &str) -> (String, Vec<String>) {
    let mut messages = vec![Message::system("你是一个助手。"), Message::user(said)];
    let mut results = Vec::new();
    loop {
        let request = Request {
            tools: space.tools().list().unwrap(),
            ..Request::new("chat", messages.clone())
        };
        let reply = model.chat(&request, &Cancel::new()).unwrap();
        if reply.calls.is_empty() {
            round(space, session, said, &reply.text);
            return (reply.text, results);
        }
        messages.push(Message::assistant(reply.text, reply.calls.clone()));
        for call in &reply.calls {
            let setting = ToolSetting {
                conversation: Some(session.to_owned()),
                ..ToolSetting::default()
            };
            let result = space
                .tools()
                .call_in(&call.name, &call.arguments, &setting)
                .unwrap();
            messages.push(Message::result(call.id.as_str(), result.as_json()));
            results.push(result.as_json().to_owned());
        }
    }
}

fn calling(name: &str, arguments: &str) -> Result<Reply, String> {
    let call = ToolUse {
        id: "c".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    Ok(Reply {
        calls: vec![call],
        ..Reply::default()
    })
}

#[test]
fn a_graph_told_in_one_session_answers_why_in_another() {
    let model = Arc::new(Replay::default());
    let mut world = world("graph", &model);
    let sleep =
        r#"{"subject":"我","memory_type":"事件","topic":"失眠","attributes":{"时间":"昨晚"}}"#;
    let tired = r#"{"subject":"我","memory_type":"事实","topic":"身体状态","object":"很困"}"#;
    let link = r#"{"source_memory_description":"我失眠","target_memory_description":"我很困","relation_type":"导致"}"#;
    for (name, arguments) in [
        ("create_memory", sleep),
        ("create_memory", tired),
        ("link_memories", link),
    ] {
        model.push("chat", calling(name, arguments));
    }
    model.push("chat", Ok(Reply::text("记下了，早点休息。")));
    let (said, results) = answer(&model, &world.space(), "a", "昨晚我失眠了，所以很困");
    assert_eq!((said.as_str(), results.len()), ("记下了，早点休息。", 3));
    world.space().session("a").end().unwrap();
    let told: Vec<MemoryId> = memories(&world);
    assert_eq!(told.len(), 2);

    world.at(2.0);
    world.reopen();
    model.push(
        "chat",
        calling(
            "search_memories",
            r#"{"query":"我为什么很困？","expand_depth":1}"#,
        ),
    );
    model.push("chat", Ok(Reply::text("因为你失眠了。")));
    let (said, results) = answer(&model, &world.space(), "b", "我前天为什么很困？");
    assert_eq!(said, "因为你失眠了。");
    // The night is a date now: "last night" was said on January 1.
    assert!(
        results[0].contains("我 失眠，时间 2025-12-31 夜间")
            && results[0].contains("我 身体状态 很困"),
        "{results:?}"
    );
    assert_eq!((memories(&world), model.left()), (told.clone(), 0));
    let conversation =
        world.space().get(told[0]).unwrap().unwrap().body.metadata["conversation_id"].clone();
    assert_eq!(conversation, Value::from("a"));
    world.validate();
}

/// The ids of all memories but the turns.
fn memories(world: &World) -> Vec<MemoryId> {
    let all = world
        .space()
        .list(&ListQuery {
            limit: 100,
            ..ListQuery::default()
        })
        .unwrap()
        .memories;
    let mut ids: Vec<MemoryId> = all
        .into_iter()
        .filter(|memory| memory.body.layer != Layer::Turn)
        .map(|memory| memory.id)
        .collect();
    ids.sort_unstable();
    ids
}
