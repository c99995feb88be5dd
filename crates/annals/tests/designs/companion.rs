//! A companion that talks, remembers and forgets: the model is a transcript, the clock is moved by
//! hand.

use std::sync::{Arc, Mutex};

use crate::support::gate::Gate;
use crate::support::life::{World, day, near};
use annals::blocking::WorkingMemory;
use annals::graph::{Assertion, TripleQuery};
use annals::llm::provider::{Provider, ProviderError, Replay, Reply, Request, Speaker};
use annals::{
    Cancel, Clock, Episode, Layer, ListQuery, ManualClock, MemoryId, Mode, NewMemory, NewTurn,
    Options, Role, StoredMemory,
};

fn world(model: &Arc<Replay>) -> World {
    let model: Arc<dyn Provider> = Arc::clone(model) as Arc<dyn Provider>;
    World::with("companion", move |options| {
        options.model(Arc::clone(&model))
    })
}

fn turn(role: Role, text: &str) -> NewTurn {
    NewTurn::builder("s", text).role(role).build().unwrap()
}

/// A turn with the result of a tool.
fn brought(tool: &str, text: &str) -> NewTurn {
    NewTurn::builder("s", text)
        .role(Role::Tool)
        .speaker(tool)
        .build()
        .unwrap()
}

/// A turn in which tools were called.
fn turn_with(talk: &WorkingMemory, said: &str, results: &[(&str, &str)], answered: &str) {
    talk.say(turn(Role::User, said)).unwrap();
    for (tool, text) in results {
        talk.say(brought(tool, text)).unwrap();
    }
    talk.say(turn(Role::Assistant, answered)).unwrap();
    talk.end_turn().unwrap();
}

fn kept(world: &World) -> Vec<StoredMemory> {
    let mut all = world
        .space()
        .list(&ListQuery {
            limit: 500,
            ..ListQuery::default()
        })
        .unwrap()
        .memories;
    all.retain(|memory| memory.body.layer != Layer::Turn);
    all.sort_by_key(|memory| (memory.stored_at, memory.id));
    all
}

fn asked(model: &Replay, purpose: &str) -> Vec<Request> {
    model
        .asked()
        .into_iter()
        .filter(|request| request.purpose == purpose)
        .collect()
}

/// Waits until nothing is being condensed any more.
fn settled(talk: &WorkingMemory) -> Option<String> {
    // The hand-moved clock stands still, so this waits for as long as it takes.
    talk.prepared_context()
}

#[test]
fn from_the_first_word_to_what_is_known_in_a_later_session() {
    // spec: C-102
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[ADD] 主人最喜欢的食物是拉面")
            .reply("extract", "[SKIP]")
            .reply("extract", "[BOOST:mem_1]"),
    );
    let mut world = world(&model);
    let said = |world: &World, session: &str, said: &str, answered: &str| {
        let user = NewTurn::builder(session, said).build().unwrap();
        let reply = NewTurn::builder(session, answered)
            .role(Role::Assistant)
            .build()
            .unwrap();
        world.space().sessions().append(vec![user, reply]).unwrap();
    };
    let talk = world.space().session("a").working().unwrap();
    let before = talk.prompt("你是小祥。", "我最喜欢吃拉面").unwrap();
    assert!(!before.messages[0].text.contains("拉面"));
    said(&world, "a", "我最喜欢吃拉面", "知道了。");
    talk.round("我最喜欢吃拉面", "知道了。").unwrap();
    let unchanged = talk.prompt("你是小祥。", "我喜欢吃什么").unwrap();
    assert!(
        !unchanged.messages[0].text.contains("拉面"),
        "nobody has looked through it yet"
    );
    world.space().queue().work_off().unwrap();
    // The next prompt that is built knows it.
    let after = talk.prompt("你是小祥。", "我喜欢吃什么").unwrap();
    assert!(
        after.messages[0]
            .text
            .contains("[你记得的事情]\n- 主人最喜欢的食物是拉面"),
        "{}",
        after.messages[0].text
    );
    said(&world, "a", "晚安", "晚安。");
    world.space().queue().work_off().unwrap();
    talk.close().unwrap();
    drop(talk);
    world.space().session("a").end().unwrap();

    world.at(2.0);
    world.reopen();
    let talk = world.space().session("b").working().unwrap();
    let prompt = talk
        .prompt("你是小祥。", "晚饭吃什么好？我最喜欢的食物？")
        .unwrap();
    assert_eq!(
        prompt
            .messages
            .iter()
            .map(|message| message.speaker)
            .collect::<Vec<_>>(),
        [Speaker::System, Speaker::User]
    );
    let system = &prompt.messages[0].text;
    assert!(
        system.starts_with("你是小祥。\n\n[时间信息]\n2026-01-03 00:00 星期六"),
        "{system}"
    );
    assert!(system.contains("- 主人最喜欢的食物是拉面"), "{system}");
    let fact = kept(&world)
        .into_iter()
        .find(|memory| memory.body.kind.as_str() == "fact")
        .unwrap()
        .id;
    assert_eq!(prompt.memory_refs, [fact]);
    said(&world, "b", "晚饭吃什么好", "拉面！");
    world.space().queue().work_off().unwrap();
    near(world.score(fact), 1.3);
    assert_eq!(model.left(), 0);
    world.validate();
}

#[test]
fn what_was_talked_of_is_found_by_when() {
    // spec: C-19
    let world = World::new("companion");
    // At noon: ten minutes ago is today.
    world.at(10.5);
    let now = world.clock.now();
    let episode = |minutes: i64, text: &str| {
        let at = now.plus_millis(-minutes * 60_000);
        let memory = NewMemory::builder(text)
            .layer(Layer::Episodic)
            .kind("episode")
            .event_time(at);
        world.remember(memory.build().unwrap())
    };
    episode(3 * 1440, "聊了什么电影好看");
    let yesterday = episode(1440, "聊了面试");
    let just_now = episode(10, "聊了晚饭");
    for number in 0..20 {
        world.kind("fact", &format!("主人的第{number}本书"));
    }
    let first = |question: &str| world.space().recall(question).unwrap()[0].id;
    assert_eq!(first("刚才聊了什么"), just_now);
    assert_eq!(first("昨天聊了什么"), yesterday);
    assert_eq!(first("上次聊了什么"), just_now);
    // However late it is stored, what is old is not the latest.
    for days in 100..125 {
        episode(days * 1440, &format!("聊了第{days}件事"));
    }
    assert_eq!(first("上次聊了什么"), just_now);
    assert_eq!(first("昨天聊了什么"), yesterday);
    let other = world.memory().create_namespace("v", "companion").unwrap();
    let sooner = NewMemory::builder("聊了天气")
        .layer(Layer::Episodic)
        .kind("episode")
        .event_time(now.plus_millis(-1));
    let sooner = other.remember(sooner.build().unwrap()).unwrap();
    let both = world
        .memory()
        .recall_across(&["u", "v"], "上次聊了什么")
        .unwrap();
    assert_eq!(
        [both[0].id, both[1].id, both[2].id],
        [sooner, just_now, yesterday]
    );
}

#[test]
fn since_and_until_reach_further_than_what_they_name() {
    let world = World::new("companion");
    world.at(31.0);
    let played = |day: &str, text: &str| {
        let at = day.parse().unwrap();
        let memory = NewMemory::builder(text)
            .layer(Layer::Episodic)
            .kind("episode")
            .event_time(at);
        world.remember(memory.build().unwrap());
    };
    played("2024-05-01T12:00:00Z", "聊过游戏：塞尔达");
    played("2025-06-01T12:00:00Z", "聊过游戏：星露谷");
    played("2026-01-20T12:00:00Z", "聊过游戏：空洞骑士");
    let found = |question: &str, game: &str| {
        world
            .recall(question)
            .iter()
            .any(|text| text.contains(game))
    };
    for (question, games) in [
        ("2025年以来聊过哪些游戏", [false, true, true]),
        ("2025年以前聊过哪些游戏", [true, false, false]),
        ("2024年以后聊过哪些游戏", [false, true, true]),
        ("2025年聊过哪些游戏", [false, true, false]),
    ] {
        let got = ["塞尔达", "星露谷", "空洞骑士"].map(|game| found(question, game));
        assert_eq!(got, games, "{question}");
    }
}

#[test]
fn summaries_and_facts_come_each_from_their_own() {
    // spec: C-21
    let model = Arc::new(
        Replay::default()
            .reply("summarize", "聊了面试")
            .reply("extract", "[ADD] 主人明天要面试"),
    );
    let world = world(&model);
    let talk = world.space().session("s").working().unwrap();
    for said in ["我明天要面试", "有点紧张"] {
        talk.round(said, "加油").unwrap();
    }
    world
        .space()
        .sessions()
        .append(vec![
            turn(Role::User, "我明天要面试"),
            turn(Role::Assistant, "加油"),
        ])
        .unwrap();
    world.space().queue().work_off().unwrap();
    talk.close().unwrap();
    let found: Vec<(String, String)> = kept(&world)
        .into_iter()
        .map(|memory| (memory.body.kind.as_str().to_owned(), memory.body.text))
        .collect();
    let pair = |kind: &str, text: &str| (kind.to_owned(), text.to_owned());
    assert_eq!(
        found,
        [
            pair("fact", "主人明天要面试"),
            pair("episode", "[2026-01-01 00:00] 聊了面试")
        ]
    );
    world.validate();
}

#[test]
fn an_update_takes_kind_and_weight_over() {
    // spec: C-35
    let model = Arc::new(Replay::default().reply("extract", "[UPDATE:mem_1] 主人生日是5月3日"));
    let world = world(&model);
    let old = world.remember(
        NewMemory::builder("主人生日是5月2日")
            .kind("core")
            .importance(3.2)
            .verified(true)
            .build()
            .unwrap(),
    );
    world.at(1.0);
    world
        .space()
        .sessions()
        .append(vec![
            turn(Role::User, "我的生日是5月3日"),
            turn(Role::Assistant, "好"),
        ])
        .unwrap();
    world.space().queue().work_off().unwrap();
    let new = kept(&world).remove(0);
    assert_eq!(
        (new.body.text.as_str(), new.body.kind.as_str()),
        ("主人生日是5月3日", "core")
    );
    near(world.score(new.id), 3.2);
    assert_eq!((new.supersedes, new.body.verified), (Some(old), false));
    assert_eq!(
        (new.stored_at, world.standing(new.id).last_access),
        (day(1.0), day(1.0))
    );
    assert_eq!(world.standing(new.id).class, "core");
    world.validate();
}

/// A model that answers what a function says.
struct Clerk(Box<dyn Fn(&Request) -> String + Send + Sync>);

impl Provider for Clerk {
    fn name(&self) -> String {
        "a clerk".to_owned()
    }

    fn chat(&self, request: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        Ok(Reply::text((self.0)(request)))
    }
}

/// The name under which a prompt shows a memory.
fn shown_as(request: &Request, text: &str) -> String {
    let prompt = &request.messages[1].text;
    let line = prompt
        .lines()
        .find(|line| line.ends_with(text) && line.starts_with("[mem_"))
        .unwrap();
    line[1..line.find(']').unwrap()].to_owned()
}

/// What the prompts teach by example, and what is kept of an answer like that.
#[test]
fn a_condition_stands_beside_the_predicate() {
    // spec: C-87, C-88
    let answer = r#"{"triples": [{"subject": "主人", "predicate": "喜欢", "object": "咖啡", "negation": false, "frequency": null, "condition": "下雨天"}]}"#;
    let denied = r#"{"triples": [{"subject": "主人", "predicate": "喜欢", "object": "香菜", "negation": true}]}"#;
    let model = Arc::new(
        Replay::default()
            .reply("triples", answer)
            .reply("triples", denied),
    );
    let world = world(&model);
    for text in ["主人下雨天喜欢喝咖啡", "主人不喜欢香菜"] {
        world
            .space()
            .remember(NewMemory::builder(text).kind("fact").build().unwrap())
            .unwrap();
        world.attempt();
    }
    let request = asked(&model, "triples").remove(0);
    let taught: String = request
        .messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    let example = taught
        .lines()
        .find(|line| line.contains("\"下雨天\"") && line.contains('→'))
        .unwrap();
    assert!(
        example.contains("\"predicate\": \"喜欢\"") && example.contains("\"object\": \"咖啡\""),
        "{example}"
    );
    let triples = world
        .space()
        .graph()
        .triples(&TripleQuery::default())
        .unwrap()
        .triples;
    let told: Vec<_> = triples
        .iter()
        .map(|triple| {
            (
                triple.predicate.as_str(),
                triple.object.as_str(),
                triple.negated,
                triple.condition.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("喜欢", "咖啡", false, Some("下雨天")),
            ("喜欢", "香菜", true, None)
        ]
    );
}

#[test]
fn a_round_is_one_call_where_the_answer_tells_the_triples_too() {
    // spec: C-22, C-89, C-94
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let triple = |object: &str| {
        format!("{{\"subject\": \"主人\", \"predicate\": \"喜欢\", \"object\": \"{object}\"}}")
    };
    let clerk: Arc<dyn Provider> = Arc::new(Clerk(Box::new(move |request| {
        noted.lock().unwrap().push(request.purpose.clone());
        let said = &request.messages[1].text;
        if said.contains("拉面吃腻了") {
            let old = shown_as(request, "主人喜欢拉面");
            return format!("[UPDATE:{old}] 主人喜欢寿司\n{}", triple("寿司"));
        }
        if said.contains("我喜欢拉面") {
            format!("[ADD] 主人喜欢拉面\n{}", triple("拉面"))
        } else {
            "[SKIP]".to_owned()
        }
    })));
    let world = World::with("companion", move |options| {
        options.model(Arc::clone(&clerk))
    });
    for said in [
        "我喜欢拉面",
        "今天天气不错",
        "嗯",
        "拉面吃腻了，现在喜欢寿司",
        "好的",
    ] {
        for (role, text) in [(Role::User, said), (Role::Assistant, "好")] {
            let turn = NewTurn::builder("s", text).role(role).build().unwrap();
            world.space().sessions().append(vec![turn]).unwrap();
        }
        world.space().queue().work_off().unwrap();
    }
    assert_eq!(*asked.lock().unwrap(), ["extract"; 5]);
    let triples = world
        .space()
        .graph()
        .triples(&TripleQuery::default())
        .unwrap()
        .triples;
    assert_eq!(
        triples
            .iter()
            .map(|triple| triple.object.as_str())
            .collect::<Vec<_>>(),
        ["寿司"]
    );
    world.validate();
}

/// Two memories that say the same in other words, and their triple.
fn two_that_say_so(kind: &str, score: f32) -> (World, MemoryId, MemoryId) {
    let clerk: Arc<dyn Provider> =
        Arc::new(Clerk(Box::new(|request| match request.purpose.as_str() {
            "review" => "[DELETE]".to_owned(),
            "triples" => "{\"triples\": []}".to_owned(),
            _ => format!("[DELETE:{}]", shown_as(request, "主人爱吃拉面")),
        })));
    let world = World::with("companion", move |options| {
        options.model(Arc::clone(&clerk))
    });
    let second = world.kind("core", "主人喜欢吃的是拉面");
    // One that was found, and not told.
    let first = NewMemory::builder("主人爱吃拉面")
        .kind(kind)
        .importance(score)
        .derived_from(second);
    let first = world.remember(first.build().unwrap());
    for id in [first, second] {
        world
            .space()
            .graph()
            .add_triples(id, &[Assertion::new("主人", "喜欢", "拉面")])
            .unwrap();
    }
    (world, first, second)
}

/// Kind and score of a memory, and how it is deleted.
type Way = (&'static str, f32, fn(&World, MemoryId));

#[test]
fn every_way_to_delete_takes_its_evidence_along() {
    // spec: C-92, C-93
    let ways: [Way; 6] = [
        ("fact", 1.0, |world, id| {
            // The command of a model.
            world
                .space()
                .sessions()
                .append(vec![
                    turn(Role::User, "我不爱吃拉面"),
                    turn(Role::Assistant, "好"),
                ])
                .unwrap();
            world.space().queue().work_off().unwrap();
            assert_eq!(
                world.status(id),
                Some(annals::Status::Forgotten),
                "it is found no more"
            );
            world.at(7.1);
            world.force();
        }),
        ("episode", 1.0, |world, _| {
            // Age.
            world.at(7.0);
            world.force();
        }),
        ("fact", 0.23, |world, _| {
            // A review, for which decay sends it.
            world.at(6.0);
            world.force();
        }),
        // A page deletes its selection, a remote client by id, a list deletes in bulk: the same
        // calls for all of them.
        ("fact", 1.0, |world, id| {
            drop(world.space().bulk().delete(&[id], Mode::Commit).unwrap())
        }),
        ("fact", 1.0, |world, id| {
            drop(world.space().delete(id, Mode::Commit).unwrap())
        }),
        ("fact", 1.0, |world, id| {
            drop(
                world
                    .space()
                    .bulk()
                    .delete_listed(&id.to_string(), Mode::Commit)
                    .unwrap(),
            )
        }),
    ];
    for (number, (kind, score, way)) in ways.into_iter().enumerate() {
        let (world, first, second) = two_that_say_so(kind, score);
        let triples = |world: &World| {
            world
                .space()
                .graph()
                .triples(&TripleQuery::default())
                .unwrap()
                .triples
        };
        let triple = triples(&world).remove(0).id;
        let evidence = |world: &World| -> Vec<MemoryId> {
            world
                .space()
                .graph()
                .explain_triple(triple)
                .unwrap()
                .evidence
                .into_iter()
                .map(|said| said.memory)
                .collect()
        };
        assert_eq!(evidence(&world).len(), 2, "way {number}");
        way(&world, first);
        assert_eq!(
            (world.status(first), evidence(&world)),
            (None, vec![second]),
            "way {number}"
        );
        world.space().delete(second, Mode::Commit).unwrap();
        assert_eq!(triples(&world), [], "way {number}");
        world.validate();
    }
}

#[test]
fn a_last_chat_that_comes_from_many_sides_is_new_to_one() {
    let world = World::new("companion");
    let (space, together) = (world.space(), std::sync::Barrier::new(8));
    let bring = || {
        together.wait();
        space
            .transfer()
            .import_last_chat("聊了面试".as_bytes(), day(0.0))
            .unwrap()
            .1
    };
    let new: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(bring)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(new.into_iter().filter(|new| *new).count(), 1);
}

#[test]
fn the_last_chat_of_another_program_becomes_an_episode_once() {
    // spec: C-08
    let world = World::new("companion");
    world.at(3.0);
    let file = "{\"summary\": \"聊了面试、游戏\"}".as_bytes();
    let (id, new) = world
        .space()
        .transfer()
        .import_last_chat(file, day(2.75))
        .unwrap();
    assert!(new);
    let again = world
        .space()
        .transfer()
        .import_last_chat(file, day(2.75))
        .unwrap();
    assert_eq!(again, (id, false));
    let all = kept(&world);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].body.text, "[2026-01-03 18:00] 聊了面试、游戏");
    assert_eq!(
        (
            all[0].body.kind.as_str(),
            all[0].stored_at,
            all[0].body.event_time
        ),
        ("episode", day(2.75), Some(day(2.75)))
    );
    assert!(
        world
            .space()
            .transfer()
            .import_last_chat(b"{}", day(2.75))
            .unwrap_err()
            .is_invalid()
    );
    world.validate();
}

#[test]
fn what_tools_brought_is_condensed_for_the_next_turn_and_for_no_other() {
    // spec: C-106, C-107, C-108, C-112
    let told = "主人正在使用 VS Code 编辑 Python 代码，屏幕上显示的是一个叫 NeuroPet 的项目。";
    let model = Arc::new(
        Replay::default()
            .reply("condense", told)
            .reply("condense", "主人在查天气。"),
    );
    let world = world(&model);
    world.kind("core", "主人叫李雷");
    let before = world.space().admin().stats().unwrap();
    let talk = world.space().session("s").working().unwrap();
    let results = [
        ("screenshot", "VS Code: neuropet/main.py"),
        ("web_search", "NeuroPet on GitHub"),
        ("knowledge", "主人写 Python"),
    ];
    turn_with(&talk, "看看我在做什么", &results, "你在写代码。");
    assert_eq!(settled(&talk).as_deref(), Some(told));
    let first = asked(&model, "condense").remove(0);
    for (tool, text) in results {
        assert!(
            first.messages[1].text.contains(&format!("[{tool}] {text}")),
            "{}",
            first.messages[1].text
        );
    }
    assert!(
        first.messages[1]
            .text
            .contains("主人: 看看我在做什么\n小祥: 你在写代码。")
    );
    let after = world.space().admin().stats().unwrap();
    assert_eq!(
        (after.memories, after.text_bytes),
        (before.memories, before.text_bytes),
        "nothing of it is stored"
    );
    let prompt = talk.prompt("你是小祥。", "然后呢").unwrap();
    assert!(
        prompt.messages[0]
            .text
            .ends_with(&format!("[你检索得知的信息]\n{told}")),
        "{}",
        prompt.messages[0].text
    );
    // The turn after: other results, and nothing of the first.
    turn_with(&talk, "然后呢", &[("web_search", "明天有雨")], "明天有雨。");
    assert_eq!(settled(&talk).as_deref(), Some("主人在查天气。"));
    let second = &asked(&model, "condense")[1].messages[1].text;
    assert!(
        second.contains("明天有雨")
            && !second.contains("NeuroPet")
            && !second.contains("screenshot"),
        "{second}"
    );
    let next = talk.prompt("你是小祥。", "带伞吗").unwrap().messages[0]
        .text
        .clone();
    assert!(
        next.ends_with("[你检索得知的信息]\n主人在查天气。") && !next.contains(told),
        "{next}"
    );
    talk.round("谢谢", "不客气。").unwrap();
    let third = talk.prompt("你是小祥。", "再见").unwrap();
    let shown = |messages: &[annals::llm::provider::Message], words: &str| {
        messages.iter().any(|m| m.text.contains(words))
    };
    assert!(!shown(&third.messages, "[你检索得知的信息]"));
    assert!(!shown(&third.messages, told) && !shown(&third.messages, "主人在查天气。"));
    // It is nowhere but in the running conversation.
    turn_with(&talk, "x", &[], "y");
    let model_again = world.space().session("s").working().unwrap();
    assert_eq!(model_again.prepared_context(), None);
}

#[test]
fn what_is_ready_is_gone_after_a_restart() {
    // spec: C-112, C-114
    let model = Arc::new(
        Replay::default()
            .reply("condense", "有用。")
            .reply("condense", "")
            .reply("condense", " \n "),
    );
    let mut world = world(&model);
    let talk = world.space().session("s").working().unwrap();
    turn_with(&talk, "一", &[("web_search", "结果")], "好");
    assert_eq!(settled(&talk).as_deref(), Some("有用。"));
    drop(talk);
    world.reopen();
    let talk = world.space().session("s").working().unwrap();
    let prompt = talk.prompt("你是小祥。", "二").unwrap();
    assert!(
        prompt
            .messages
            .iter()
            .all(|message| !message.text.contains("有用。")),
        "{:?}",
        prompt.messages
    );
    assert_eq!(talk.prepared_context(), None);
    for said in ["二", "三"] {
        turn_with(&talk, said, &[("web_search", "结果")], "好");
        assert_eq!(settled(&talk), None);
    }
    assert_eq!(asked(&model, "condense").len(), 3);
}

#[test]
fn turns_without_tools_cost_no_call() {
    // spec: C-117
    let model = Arc::new(Replay::default());
    let talk = world(&model).space().session("s").working().unwrap();
    for number in 0..10 {
        talk.round(&format!("第{number}轮"), "嗯").unwrap();
    }
    assert_eq!((model.asked().len(), talk.prepared_context()), (0, None));
}

/// The persona that stands in the design; other designs have none of a character.
#[test]
fn the_persona_that_condenses_is_that_of_the_design() {
    // part: C-115; the prompt of a condensation alone is looked at
    let persona = "你是丰川祥子的后台程序。\n\
        你和主程序小祥是同一个人——丰川集团大小姐，Ave Mujica 键盘手，自称\"本神明\"。\n\
        你的任务是整理信息，帮助主程序更好地理解和回应主人。";
    let model = Arc::new(Replay::default().reply("condense", "有用。"));
    let world = world(&model);
    let talk = world.space().session("s").working().unwrap();
    turn_with(&talk, "一", &[("web_search", "结果")], "好");
    settled(&talk);
    assert_eq!(asked(&model, "condense")[0].messages[0].text, persona);
    for design in ["common", "studio", "agent", "graph", "markdown"] {
        for language in ["en", "zh"] {
            let said = annals::messages::Catalogue::shared()
                .messages(design, language)
                .text("condense-persona", &[]);
            assert!(
                !said.contains("祥") && !said.contains("Sakiko"),
                "{design} {language}: {said}"
            );
        }
    }
}

#[test]
fn the_persona_that_condenses_is_a_setting() {
    // spec: C-115
    let model = Arc::new(Replay::default().reply("condense", "有用。"));
    let world = world(&model);
    let text = annals::profiles::builtin("companion").unwrap();
    let own = text.replace("[condense]", "[condense]\npersona = \"你是一只猫。\"\n#");
    assert_ne!(own, text);
    world.memory().profiles().store("cat", &own).unwrap();
    world.space().admin().set_profile("cat").unwrap();
    let talk = world.space().session("s").working().unwrap();
    turn_with(&talk, "一", &[("web_search", "结果")], "好");
    settled(&talk);
    let request = asked(&model, "condense").remove(0);
    assert_eq!(
        (
            request.messages[0].speaker,
            request.messages[0].text.as_str()
        ),
        (Speaker::System, "你是一只猫。")
    );
}

/// A clock that tells when somebody begins to wait for it.
struct Watched {
    hands: ManualClock,
    waits: Gate,
}

impl Clock for Watched {
    fn now(&self) -> annals::Timestamp {
        self.hands.now()
    }

    fn watch(&self, watcher: std::sync::Weak<annals::Watcher>) {
        self.hands.watch(watcher);
        self.waits.open();
    }
}

/// A model that answers once a gate is open.
struct Slow(Arc<Gate>);

impl Provider for Slow {
    fn name(&self) -> String {
        "a slow model".to_owned()
    }

    fn chat(&self, _: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        self.0.pass();
        Ok(Reply::text("太晚了。"))
    }
}

#[test]
fn a_prompt_waits_three_hundred_milliseconds_and_what_comes_later_is_dropped() {
    // spec: C-109, C-116
    let gate = Arc::new(Gate::default());
    let clock = Arc::new(Watched {
        hands: ManualClock::new(day(0.0)),
        waits: Gate::default(),
    });
    let model = Arc::new(Slow(Arc::clone(&gate)));
    let options = Options::new().clock(Arc::clone(&clock) as Arc<dyn Clock>);
    let memory = options
        .model(Arc::clone(&model) as Arc<dyn Provider>)
        .in_memory()
        .unwrap();
    let talk = memory
        .create_namespace("u", "companion")
        .unwrap()
        .session("s")
        .working()
        .unwrap();
    let idle = Arc::strong_count(&model);
    // The end of the turn comes back while the model has not answered, and will not before the gate
    // is opened.
    turn_with(&talk, "看", &[("screenshot", "x")], "好");
    let begun = clock.hands.now();
    let other = talk.clone();
    let prompt = std::thread::spawn(move || other.prompt("你是小祥。", "然后呢").unwrap());
    clock.waits.pass();
    clock.hands.advance_millis(300);
    let prompt = prompt.join().unwrap();
    assert!(clock.hands.now().millis_since(begun) <= 350);
    assert!(!prompt.messages[0].text.contains("[你检索得知的信息]"));
    // The turn goes on and is over; then the answer comes.
    talk.round("然后呢", "没什么。").unwrap();
    gate.open();
    while Arc::strong_count(&model) > idle {
        std::thread::yield_now();
    }
    let later = talk.prompt("你是小祥。", "再见").unwrap();
    assert!(
        !later.messages[0].text.contains("太晚了"),
        "{}",
        later.messages[0].text
    );
}

#[test]
fn who_is_asked_when() {
    // spec: C-134
    let model = Arc::new(Replay::default().reply("triples", "[]"));
    for _ in 0..16 {
        model.push("extract", Ok(Reply::text("[SKIP]")));
    }
    for text in ["开头", "结尾"] {
        model.push("summarize", Ok(Reply::text(text)));
        model.push("condense", Ok(Reply::text("有用。")));
    }
    let mut world = world(&model);
    world.kind("fact", "主人喜欢拉面");
    world.maintain();
    let talk = world.space().session("s").working().unwrap();
    let mut injections = 0;
    for number in 0..16 {
        let (said, answered) = (format!("第{number}轮说"), format!("第{number}轮答"));
        let prompt = talk.prompt("你是小祥。", &said).unwrap();
        injections += usize::from(prompt.messages[0].text.contains("[时间信息]"));
        let tools: &[(&str, &str)] = if [3, 9].contains(&number) {
            &[("web_search", "结果")]
        } else {
            &[]
        };
        turn_with(&talk, &said, tools, &answered);
        settled(&talk);
        world
            .space()
            .sessions()
            .append(vec![
                turn(Role::User, &said),
                turn(Role::Assistant, &answered),
            ])
            .unwrap();
        world.space().queue().work_off().unwrap();
    }
    let count = |purpose: &str| asked(&model, purpose).len();
    assert_eq!(
        (
            count("extract"),
            count("summarize"),
            count("condense"),
            injections
        ),
        (16, 1, 2, 16)
    );
    talk.close().unwrap();
    assert_eq!(count("summarize"), 2, "one more at the orderly end");
    drop(talk);
    world.at(25.0 / 24.0);
    world.reopen();
    let decays = world
        .maintain()
        .into_iter()
        .filter(|report| report.job == "decay")
        .count();
    assert_eq!(decays, 1);
    assert_eq!(world.maintain().len(), 0);
    let episodes: Vec<Episode> = world.space().sessions().episodes(10).unwrap();
    assert_eq!(episodes.len(), 2);
    world.validate();
}
