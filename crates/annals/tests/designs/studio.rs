//! A studio that remembers its users across conversations: the model is a transcript, the clock is
//! moved by hand, and the similarity of texts is set by each test.

use std::sync::{Arc, Mutex, mpsc};

use crate::support::gate::Gate;
use crate::support::life::{World, day, near};
use crate::support::script::Table;
use crate::support::shipped::Noted;
use annals::graph::TripleQuery;
use annals::llm::provider::{Provider, ProviderError, Replay, Reply, Request, Speaker};
use annals::{
    Cancel, CardState, ContextRequest, Embedder, Filter, Kind, Layer, ListQuery, Mode, NewMemory,
    NewTurn, Options, ProposalAction, Query, Role, Status, StoredMemory, UnitScore,
};

/// A namespace under a profile, with a table of likeness and a model.
fn world(profile: &str, table: &Arc<Table>, model: Option<Arc<dyn Provider>>) -> World {
    let table = Arc::clone(table);
    World::with(profile, move |options: Options| {
        let options = options.embedder(table.clone());
        match &model {
            Some(model) => options.model(Arc::clone(model)),
            None => options,
        }
    })
}

fn replay() -> (Arc<Replay>, World) {
    let model = Arc::new(Replay::default());
    let shown: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
    let world = World::with("studio", move |options| options.model(Arc::clone(&shown)));
    (model, world)
}

/// The namespace under a copy of its profile with a part replaced.
fn change(world: &World, from: &str, to: &str) {
    let text = annals::profiles::builtin("studio").unwrap();
    assert!(text.contains(from), "{from}");
    world
        .memory()
        .profiles()
        .store("own", &text.replacen(from, to, 1))
        .unwrap();
    world.space().admin().set_profile("own").unwrap();
}

fn round(world: &World, session: &str, said: &str, answered: &str) {
    let user = NewTurn::builder(session, said).build().unwrap();
    let reply = NewTurn::builder(session, answered)
        .role(Role::Assistant)
        .build()
        .unwrap();
    world.space().sessions().append(vec![user, reply]).unwrap();
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

const PROMPT: &str = "你是一个 AI 助手。";

#[test]
fn what_was_said_in_one_conversation_is_known_in_another() {
    // part: S-01, S-02, S-03
    let (table, model) = (Table::new(), Arc::new(Replay::default()));
    let world = world(
        "studio",
        &table,
        Some(Arc::clone(&model) as Arc<dyn Provider>),
    );
    let told = [
        (
            "preference",
            "喜欢 TypeScript / 函数式 / 组合而不是继承",
            "帮我重构这个用户管理模块",
        ),
        (
            "fact",
            "项目使用 Drizzle ORM + SQLite",
            "帮我写个数据库查询",
        ),
        (
            "lesson",
            "Docker 需要使用 proxy-env",
            "我要启动 docker compose",
        ),
    ];
    let items: Vec<String> = told
        .iter()
        .map(|(kind, text, question)| {
            table.near(question, text, 0.9);
            format!(r#"{{"content":"{text}","type":"{kind}","importance":0.9}}"#)
        })
        .collect();
    model.push("extract", Ok(Reply::text(format!("[{}]", items.join(",")))));
    for number in 0..5 {
        round(&world, "a", &format!("第{number}轮"), "好");
    }
    world.space().queue().work_off().unwrap();
    // A week later, in conversations that begin with nothing.
    world.at(7.0);
    for (number, (_, text, question)) in told.iter().enumerate() {
        let talk = world
            .space()
            .session(format!("b{number}"))
            .working()
            .unwrap();
        assert!(talk.messages().is_empty());
        let prompt = talk.prompt(PROMPT, question).unwrap();
        let system = &prompt.messages[0].text;
        assert!(
            system.contains(&format!("关于用户的背景信息：\n- {text}")),
            "{question}: {system}"
        );
        assert!(prompt.memory_refs.len() <= 3);
    }
    world.validate();
}

#[test]
fn preferences_projects_and_lessons_come_up_in_the_conversation_of_another_week() {
    // spec: S-01, S-02, S-03
    let world = World::new("studio");
    let told = [
        (
            "preference",
            "喜欢 TypeScript / 函数式 / 组合而不是继承",
            "帮我重构这个用户管理模块",
        ),
        (
            "fact",
            "项目使用 Drizzle ORM + SQLite",
            "帮我写个数据库查询",
        ),
        (
            "lesson",
            "Docker 需要使用 proxy-env",
            "我要启动 docker compose",
        ),
    ];
    for (kind, text, _) in told {
        world.kind(kind, text);
    }
    world.at(7.0);
    for (number, (_, text, question)) in told.iter().enumerate() {
        let talk = world
            .space()
            .session(format!("b{number}"))
            .working()
            .unwrap();
        let prompt = talk.prompt(PROMPT, question).unwrap();
        assert!(
            prompt.messages[0].text.contains(&format!("- {text}")),
            "{question}: {}",
            prompt.messages[0].text
        );
    }
}

#[test]
fn a_conversation_that_begins_with_nothing_knows_its_user() {
    // spec: S-04
    let world = World::new("studio");
    let id = world.kind("fact", "用户住在柏林");
    world.at(7.0);
    let talk = world.space().session("b").working().unwrap();
    assert!(talk.messages().is_empty());
    let prompt = talk.prompt(PROMPT, "用户住在柏林吗？").unwrap();
    assert_eq!(prompt.memory_refs, [id]);
    assert_eq!(
        prompt.messages[0].text,
        format!("你是一个 AI 助手。\n\n关于用户的背景信息：\n- 用户住在柏林\n\n{PROMPT}")
    );
}

#[test]
fn the_prompt_of_the_assistant_stays_as_it_is_and_is_no_memory() {
    // spec: S-06, S-53
    let world = World::new("studio");
    world.kind("fact", "用户住在柏林");
    let talk = world.space().session("s").working().unwrap();
    for number in 0..12 {
        talk.round(&format!("问{number}"), &format!("答{number}"))
            .unwrap();
    }
    let prompt = talk.prompt(PROMPT, "用户住在柏林吗？").unwrap();
    assert_eq!(
        prompt.messages[0].text,
        format!("你是一个 AI 助手。\n\n关于用户的背景信息：\n- 用户住在柏林\n\n{PROMPT}")
    );
    let speakers: Vec<Speaker> = prompt
        .messages
        .iter()
        .map(|message| message.speaker)
        .collect();
    assert_eq!((speakers[0], speakers.len()), (Speaker::System, 12));
    let said: Vec<&str> = prompt.messages[1..11]
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(
        said,
        [
            "问7", "答7", "问8", "答8", "问9", "答9", "问10", "答10", "问11", "答11"
        ]
    );
    let last = &prompt.messages[11];
    assert_eq!(
        (last.speaker, last.text.as_str()),
        (Speaker::User, "用户住在柏林吗？")
    );
    assert_eq!(kept(&world).len(), 1);
}

/// A model that notes how many contexts had been made when it was asked.
struct Noting {
    made: Mutex<Vec<u64>>,
    usage: Mutex<Option<Box<dyn Fn() -> u64 + Send>>>,
}

impl Provider for Noting {
    fn name(&self) -> String {
        "a model that notes".to_owned()
    }

    fn chat(&self, _: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        let made = self.usage.lock().unwrap().as_ref().map_or(0, |made| made());
        self.made.lock().unwrap().push(made);
        Ok(Reply::text("好"))
    }
}

#[test]
fn every_message_is_recalled_for_before_it_is_answered() {
    // spec: S-41, S-136
    let world = World::new("studio");
    world.memory().create_namespace("off", "studio").unwrap();
    world.kind("preference", "用户喜欢猫");
    let memory = world.memory().clone();
    let usage: Box<dyn Fn() -> u64 + Send> = Box::new(move || memory.usage().unwrap().contexts);
    let model = Noting {
        made: Mutex::default(),
        usage: Mutex::new(Some(usage)),
    };
    for number in 0..7 {
        // Each message begins a conversation, so that nothing is asked but the message.
        let talk = world
            .space()
            .session(format!("s{number}"))
            .working()
            .unwrap();
        let said = if number == 3 {
            "用户喜欢猫吗？".to_owned()
        } else {
            format!("消息{number}")
        };
        let prompt = talk.prompt(PROMPT, &said).unwrap();
        let reply = model
            .chat(&Request::new("chat", prompt.messages), &Cancel::new())
            .unwrap();
        talk.round(&said, &reply.text).unwrap();
    }
    assert_eq!(*model.made.lock().unwrap(), [1, 2, 3, 4, 5, 6, 7]);
    let usage = world.memory().usage().unwrap();
    assert_eq!((usage.contexts, usage.contexts_with_memory), (7, 1));
    near(usage.memory_share(), 1.0 / 7.0);
    // Users whose memory is on.
    let text = annals::profiles::builtin("studio")
        .unwrap()
        .replace("enabled = true", "enabled = false");
    world.memory().profiles().store("silent", &text).unwrap();
    world
        .memory()
        .namespace("off")
        .unwrap()
        .admin()
        .set_profile("silent")
        .unwrap();
    let usage = world.memory().usage().unwrap();
    assert_eq!((usage.namespaces, usage.enabled), (2, 1));
    *model.usage.lock().unwrap() = None;
}

#[test]
fn an_answer_can_name_what_it_rests_on() {
    // spec: S-57, S-117
    let world = World::new("studio");
    let ids = ["用户喜欢猫", "项目使用 Nuxt 4"].map(|text| world.kind("fact", text));
    let talk = world.space().session("s").working().unwrap();
    let prompt = talk.prompt(PROMPT, "用户喜欢猫吗？").unwrap();
    assert_eq!(
        (prompt.memory_refs.clone(), prompt.context.ids.clone()),
        (vec![ids[0]], vec![ids[0]])
    );
    assert_eq!(
        world
            .space()
            .context("项目使用 Nuxt 4 吗？")
            .unwrap()
            .memory_refs,
        [ids[1]]
    );
    let other = World::new("studio");
    let id = other.kind("fact", "用户喜欢猫");
    change(&other, "show_references = true", "show_references = false");
    let silent = other
        .space()
        .session("s")
        .working()
        .unwrap()
        .prompt(PROMPT, "用户喜欢猫吗？")
        .unwrap();
    assert_eq!((silent.memory_refs, silent.context.ids), (vec![], vec![id]));
    assert_eq!(silent.messages[0].text, prompt.messages[0].text);
}

#[test]
fn switched_off_nothing_is_recalled_or_looked_through() {
    // spec: S-115
    let (model, world) = replay();
    let id = world.kind("fact", "用户住在柏林");
    change(&world, "enabled = true", "enabled = false");
    for number in 0..10 {
        round(&world, "s", &format!("第{number}轮"), "好");
    }
    assert!(!world.space().session("s").extract().unwrap());
    world.space().queue().work_off().unwrap();
    let talk = world.space().session("s").working().unwrap();
    let prompt = talk.prompt(PROMPT, "用户住在柏林").unwrap();
    assert_eq!(
        (prompt.messages[0].text.as_str(), prompt.memory_refs.len()),
        (PROMPT, 0)
    );
    assert_eq!(
        (
            model.asked().len(),
            world.memory().usage().unwrap().contexts
        ),
        (0, 0)
    );
    assert_eq!(world.standing(id).returned, 0);
    // Reading works.
    assert_eq!(kept(&world).len(), 1);
    assert_eq!(
        world.recall(Query::new("用户住在柏林").min_score(UnitScore::new("s", 0.0).unwrap()))[0],
        "用户住在柏林"
    );
    // Switched on later, what was said meanwhile is not looked through.
    world.space().admin().set_profile("studio").unwrap();
    assert!(!world.space().session("s").extract().unwrap());
    world.validate();
}

#[test]
fn without_automatic_extraction_a_person_decides() {
    // spec: S-33, S-116
    let (model, mut world) = replay();
    change(&world, "auto = true ", "auto = false");
    let answer = r#"[{"content":"用户喜欢函数式编程","type":"preference","importance":0.9},
        {"content":"项目使用 Nuxt 4","type":"fact"}]"#;
    model.push("extract", Ok(Reply::text(answer)));
    for number in 0..5 {
        round(&world, "s", &format!("第{number}轮"), "好");
    }
    world.space().queue().work_off().unwrap();
    assert_eq!((model.asked().len(), kept(&world).len()), (1, 0));
    assert!(
        world.recall("函数式编程").is_empty()
            && world.space().context("函数式编程").unwrap().ids.is_empty()
    );
    world.reopen();
    let waiting = world.space().reviews().proposals(10).unwrap();
    let told: Vec<(ProposalAction, &str, Option<&str>)> = waiting
        .iter()
        .map(|proposal| {
            (
                proposal.action,
                proposal.text.as_str(),
                proposal.kind.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                ProposalAction::Add,
                "用户喜欢函数式编程",
                Some("preference")
            ),
            (ProposalAction::Add, "项目使用 Nuxt 4", Some("fact"))
        ]
    );
    assert_eq!(waiting[0].sources.len(), 10);
    let id = world
        .space()
        .reviews()
        .accept(waiting[0].id)
        .unwrap()
        .unwrap();
    let memory = kept(&world).remove(0);
    assert_eq!(
        (memory.id, memory.body.text.as_str()),
        (id, "用户喜欢函数式编程")
    );
    assert_eq!(
        (memory.body.verified, memory.body.confidence.get()),
        (true, 1.0)
    );
    near(world.score(id), 0.9);
    assert!(
        world
            .space()
            .reviews()
            .accept(waiting[0].id)
            .unwrap_err()
            .is_not_found()
    );
    world.space().reviews().reject(waiting[1].id).unwrap();
    assert!(
        world
            .space()
            .reviews()
            .reject(waiting[1].id)
            .unwrap_err()
            .is_not_found()
    );
    assert_eq!(
        (
            kept(&world).len(),
            world.space().reviews().proposals(10).unwrap().len()
        ),
        (1, 0)
    );
    assert!(
        !world.space().session("s").extract().unwrap(),
        "what was rejected is not found again"
    );
    world.validate();
}

#[test]
fn what_waits_goes_with_the_turns_it_was_found_in() {
    let (model, world) = replay();
    change(&world, "auto = true ", "auto = false");
    model.push(
        "extract",
        Ok(Reply::text(r#"[{"content":"用户住在柏林","type":"fact"}]"#)),
    );
    round(&world, "s", "我住在柏林", "好");
    assert!(world.space().session("s").extract().unwrap());
    world.space().queue().work_off().unwrap();
    let sources = world.space().reviews().proposals(10).unwrap()[0]
        .sources
        .clone();
    world.space().delete(sources[0], Mode::Commit).unwrap();
    assert_eq!(
        world.space().reviews().proposals(10).unwrap()[0].sources,
        sources[1..]
    );
    world.space().delete(sources[1], Mode::Commit).unwrap();
    assert_eq!(world.space().reviews().proposals(10).unwrap(), []);
    world.validate();
}

/// A model that says when it is asked, and answers once a gate is open.
struct Slow {
    asked: Mutex<mpsc::Sender<()>>,
    gate: Arc<Gate>,
}

impl Slow {
    fn new() -> (Arc<Self>, mpsc::Receiver<()>) {
        let (asked, entered) = mpsc::channel();
        (
            Arc::new(Self {
                asked: Mutex::new(asked),
                gate: Arc::default(),
            }),
            entered,
        )
    }
}

impl Provider for Slow {
    fn name(&self) -> String {
        "a slow model".to_owned()
    }

    fn chat(&self, _: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        self.asked.lock().unwrap().send(()).unwrap();
        self.gate.pass();
        Ok(Reply::text(r#"[{"content":"用户住在上海","type":"fact"}]"#))
    }
}

/// While the model is held, the next message is taken, its prompt made and everything read.
fn goes_on(world: &World) {
    let talk = world.space().session("s").working().unwrap();
    let prompt = talk.prompt(PROMPT, "下一条").unwrap();
    assert_eq!(prompt.messages.last().unwrap().text, "下一条");
    round(world, "s", "下一条", "好");
    assert_eq!(
        world.space().session("s").memories(0, 20).unwrap().len(),
        12
    );
    assert!(world.recall("第3轮").iter().any(|text| text == "第3轮"));
    assert!(kept(world).is_empty(), "the model has answered");
}

#[test]
fn nobody_waits_for_an_extraction() {
    // spec: S-25, S-125
    let (slow, entered) = Slow::new();
    let model: Arc<dyn Provider> = Arc::<Slow>::clone(&slow);
    let world = World::with("studio", move |options| options.model(Arc::clone(&model)));
    for number in 0..5 {
        round(&world, "s", &format!("第{number}轮"), "好");
    }
    let space = world.space();
    let working = std::thread::spawn(move || space.queue().work_off().unwrap());
    entered.recv().unwrap();
    goes_on(&world);
    slow.gate.open();
    assert_eq!(working.join().unwrap().get("extracted"), Some(&1));
    assert_eq!(kept(&world).len(), 1);
    world.validate();
}

#[test]
fn the_scheduler_extracts_in_the_background() {
    // spec: S-25, S-125
    let (slow, entered) = Slow::new();
    let model: Arc<dyn Provider> = Arc::<Slow>::clone(&slow);
    let world = World::with("studio", move |options| {
        options.model(Arc::clone(&model)).scheduler(true)
    });
    for number in 0..5 {
        round(&world, "s", &format!("第{number}轮"), "好");
    }
    // No caller has asked for it: the fifth round did.
    entered.recv().unwrap();
    goes_on(&world);
    slow.gate.open();
    world.memory().wait_idle().unwrap();
    assert_eq!(kept(&world).len(), 1);
    assert_eq!(world.space().queue().list(10).unwrap(), []);
    world.validate();
}

#[test]
fn what_is_found_is_embedded_said_in_triples_and_compared_with_what_it_contradicts() {
    // spec: S-31, S-95, S-129
    let (model, world) = replay();
    let say = |answer: &str| {
        model.push("extract", Ok(Reply::text(answer)));
        for number in 0..5 {
            round(&world, "s", &format!("第{number}轮 {answer}"), "好");
            world.space().queue().work_off().unwrap();
        }
    };
    let checks = || world.memory().usage().unwrap().conflict_checks;
    world.at(1.0);
    say(
        r#"[{"content":"我喜欢用 Vue 3","type":"preference","subject":"用户",
            "predicate":"主力框架","triples":[["用户","喜欢","Vue 3"]]}]"#,
    );
    assert_eq!((model.asked().len(), checks()), (1, 1));
    let vue = kept(&world).remove(0).id;
    let said = world
        .space()
        .graph()
        .triples(&TripleQuery::default())
        .unwrap()
        .triples;
    assert_eq!(
        said.iter()
            .map(|t| (t.subject.as_str(), t.predicate.as_str(), t.object.as_str()))
            .collect::<Vec<_>>(),
        [("用户", "喜欢", "Vue 3")]
    );
    let hits = world
        .space()
        .recall(Query::new("我喜欢用 Vue 3").min_score(UnitScore::new("s", 0.0).unwrap()))
        .unwrap();
    assert!(hits.iter().any(|hit| hit.id == vue && hit.explanation.found_by.contains(&annals::Channel::Vector)));
    world.at(30.0);
    say(
        r#"[{"content":"我现在更喜欢用 React","type":"preference","subject":"用户","predicate":"主力框架"}]"#,
    );
    // Time decides, and no model is asked for it: one call for five rounds.
    assert_eq!((model.asked().len(), checks()), (2, 2));
    let all = kept(&world);
    let get = |text: &str| all.iter().find(|memory| memory.body.text == text).unwrap();
    let (old, new) = (get("我喜欢用 Vue 3"), get("我现在更喜欢用 React"));
    assert_eq!(
        (old.id, old.status, old.body.valid_until),
        (vue, Status::Active, Some(day(30.0)))
    );
    assert_eq!(new.body.valid_from, Some(day(30.0)));
    let told = world
        .space()
        .designs()
        .studio()
        .memories(&[new.id, vue])
        .unwrap();
    let (new, old) = (told[0].clone().unwrap(), told[1].clone().unwrap());
    assert_eq!(
        (new.supersedes, old.valid_until, old.is_forgotten),
        (vec![old.id], Some(day(30.0)), false)
    );
    world.validate();
}

#[test]
fn thirty_messages_are_a_window_of_ten() {
    // spec: S-90
    let (model, world) = replay();
    (0..3).for_each(|_| model.push("extract", Ok(Reply::text("[]"))));
    let said = |role, text| NewTurn::builder("s", text).role(role).build().unwrap();
    let round = |number: usize| {
        [
            said(Role::User, format!("问{number}。")),
            said(Role::Assistant, format!("答{number}。")),
        ]
    };
    world
        .space()
        .sessions()
        .append((1..=15).flat_map(round).collect())
        .unwrap();
    world.space().queue().work_off().unwrap();
    let lines = |prompt: &String| {
        prompt
            .lines()
            .filter(|line| line.starts_with("用户: ") || line.starts_with("助手: "))
            .count()
    };
    let prompts: Vec<String> = model
        .asked()
        .iter()
        .map(|request| request.messages[1].text.clone())
        .collect();
    assert_eq!(prompts.iter().map(lines).collect::<Vec<_>>(), [10, 10, 10]);
    let prompt = prompts.last().unwrap();
    assert!(
        prompt.contains("用户: 问11。")
            && prompt.contains("助手: 答15。")
            && !prompt.contains("答10。"),
        "{prompt}"
    );
}

#[test]
fn a_search_takes_four_options() {
    // spec: S-92
    let world = World::new("studio");
    let question = "用户爱好是爬山吗";
    let put = |kind: &str, text: &str| world.kind(kind, text);
    put("preference", "用户爱好是爬山");
    put("fact", "显示器是二手买的");
    put("goal", "想登顶");
    put("fact", "明天开会");
    let ended = NewMemory::builder("曾住在南京")
        .kind("fact")
        .valid_from(day(-9.0))
        .valid_until(day(-1.0));
    let ended = world.remember(ended.build().unwrap());
    let open = || {
        Query::new(question)
            .min_score(UnitScore::new("s", 0.0).unwrap())
            .top_k(10)
    };
    let texts = |query: Query| world.recall(query);
    assert_eq!(texts(open().top_k(2)).len(), 2);
    assert_eq!(texts(Query::new(question).top_k(10)), ["用户爱好是爬山"]);
    assert_eq!(texts(open()).len(), 5);
    let goals = Filter {
        kinds: vec![Kind::new("goal").unwrap()],
        ..Filter::default()
    };
    assert_eq!(texts(open().filter(goals)), ["想登顶"]);
    assert!(texts(open()).contains(&"曾住在南京".to_owned()));
    let current = Filter {
        valid_at: Some(day(0.0)),
        ..Filter::default()
    };
    assert!(!texts(open().filter(current)).contains(&"曾住在南京".to_owned()));
    // Only true memories go into a prompt by themselves.
    assert!(
        !world
            .space()
            .context(question)
            .unwrap()
            .ids
            .contains(&ended)
    );
}

#[test]
fn a_question_takes_the_last_three_messages_along() {
    // spec: S-42, S-91
    let embedder = Noted::new();
    let shown = Arc::clone(&embedder);
    let world = World::with("studio", move |options| {
        options.embedder(Arc::clone(&shown) as Arc<dyn Embedder>)
    });
    world.kind("lesson", "Docker 需要使用 proxy-env");
    let mut request = ContextRequest::new("好的按第一个方案办");
    for number in 1..=10 {
        request = request.earlier(format!("消息{number}"));
    }
    world.space().context(request).unwrap();
    let asked = "用户: 好的按第一个方案办\n上下文: 消息8\n消息9\n消息10";
    assert_eq!(*embedder.questions.lock().unwrap(), [asked]);
}

#[test]
fn a_card_shows_seven_things() {
    // spec: S-22
    let world = World::new("studio");
    let memory = NewMemory::builder("Docker 需要使用 proxy-env")
        .kind("lesson")
        .importance(0.85);
    let memory = memory
        .metadata("source_conversation", 11_i64)
        .metadata("source_message", 12_i64);
    let id = world.remember(memory.build().unwrap());
    world.at(3.0);
    world
        .space()
        .lifecycle()
        .signal(&[id], annals::profile::Signal::Injected)
        .unwrap();
    let card = world
        .space()
        .designs()
        .studio()
        .cards(&[id])
        .unwrap()
        .remove(0);
    assert_eq!(
        (card.content.as_str(), card.created.as_str()),
        ("Docker 需要使用 proxy-env", "3天前")
    );
    assert_eq!(
        (card.icon.as_deref(), card.label.as_str()),
        (Some("⚠️"), "教训")
    );
    assert_eq!((card.access_count, card.importance.as_str()), (1, "85%"));
    assert_eq!(
        (
            card.source_conversation_id,
            card.source_message_id,
            card.state
        ),
        (Some(11), Some(12), CardState::Active)
    );
    world.space().forget(id).unwrap();
    let json =
        serde_json::to_value(world.space().designs().studio().cards(&[id]).unwrap()).unwrap();
    assert_eq!(
        (json[0]["state"].as_str(), json[0]["content"].as_str()),
        (Some("forgotten"), Some("Docker 需要使用 proxy-env"))
    );
}

#[test]
fn what_was_just_stored_can_be_taken_back() {
    // spec: S-89
    let world = World::new("studio");
    let of = |text: &str| {
        NewMemory::builder(text)
            .kind("preference")
            .metadata("subject", "我")
            .metadata("predicate", "框架")
            .build()
            .unwrap()
    };
    world.at(1.0);
    let vue = world.remember(of("我喜欢用 Vue 3"));
    world.at(30.0);
    let react = world.remember(of("我现在更喜欢用 React"));
    let until = |world: &World| world.space().get(vue).unwrap().unwrap().body.valid_until;
    assert_eq!(until(&world), Some(day(30.0)));
    let minutes = |minutes: f64| 30.0 + minutes / 1440.0;
    world.at(minutes(10.0));
    assert!(
        world.space().undo(react).unwrap_err().is_invalid(),
        "ten minutes are too late"
    );
    world.at(minutes(9.99));
    assert_eq!(world.space().undo(react).unwrap().opened, [vue]);
    assert_eq!((world.status(react), until(&world)), (None, None));
    assert!(world.space().graph().links(vue).unwrap().is_empty());
    assert!(world.space().undo(react).unwrap_err().is_not_found());
    // An end that was known before is there again.
    let known = of("我喜欢用 Vue 3").into_body();
    let until_may = day(120.0);
    let known = annals::Body {
        valid_until: Some(until_may),
        ..known
    };
    world
        .space()
        .update(vue, NewMemory::from_body(known).unwrap())
        .unwrap();
    let svelte = world.remember(of("我现在更喜欢用 Svelte"));
    assert!(until(&world) < Some(until_may));
    world.space().undo(svelte).unwrap();
    assert_eq!(until(&world), Some(until_may));
    world.validate();
}

/// Whether a fact of that day is still kept when rules have looked at it on these days: below 0.1
/// it goes.
fn lasts(born: i32, looked: &[i32]) -> bool {
    looked
        .iter()
        .filter(|day| **day >= born)
        .all(|day| 0.8 * (-0.01 * f64::from(day - born)).exp() >= 0.1)
}

#[test]
fn a_year_of_memories_is_counted_and_warned_of() {
    // part: S-131
    let table = Table::new();
    let world = world("studio", &table, None);
    let report = |world: &World| {
        let reports = world.maintain();
        reports
            .into_iter()
            .flat_map(|report| report.steps)
            .find(|step| step.step == annals::profile::JobStep::Report)
    };
    let looked: Vec<i32> = (0..365).step_by(28).collect();
    let mut last = None;
    for day in 0..365 {
        world.at(f64::from(day) + 0.2);
        let day_of = (0..5).map(|n| {
            NewMemory::builder(format!("第{day}天的第{n}件事"))
                .kind("fact")
                .build()
                .unwrap()
        });
        world.space().bulk().remember(day_of.collect()).unwrap();
        if looked.contains(&day) {
            last = report(&world).or(last);
        }
        if day == 84 {
            let counts = &last.as_ref().unwrap().counts;
            assert_eq!(
                (counts["kept"], counts["namespaces above the target"]),
                (425, 0)
            );
        }
    }
    let counts = last.unwrap().counts;
    assert_eq!(
        (counts["memories"], counts["kept"], counts["forgotten"]),
        (1825, 1040, 785)
    );
    assert_eq!(
        counts["kept"],
        5 * (0..365).filter(|born| lasts(*born, &looked)).count() as u64
    );
    assert_eq!(counts["namespaces above the target"], 1);
    world.validate();
}

#[test]
fn five_hundred_memories_are_no_reason_to_warn() {
    // part: S-131
    let table = Table::new();
    let world = world("studio", &table, None);
    let put = |range: std::ops::Range<usize>| {
        let facts = range.map(|n| {
            NewMemory::builder(format!("第{n}件事"))
                .kind("fact")
                .build()
                .unwrap()
        });
        world.space().bulk().remember(facts.collect()).unwrap()
    };
    let warned = |at: f64| {
        world.at(at);
        let mut steps = world.force().into_iter().flat_map(|report| report.steps);
        let counts = steps
            .rfind(|made| made.step == annals::profile::JobStep::Report)
            .unwrap()
            .counts;
        (counts["kept"], counts["namespaces above the target"])
    };
    let first = put(0..500)[0];
    assert_eq!(warned(1.0), (500, 0));
    put(500..501);
    assert_eq!(warned(2.0), (501, 1));
    // A forgotten memory does not count as kept.
    world.space().forget(first).unwrap();
    assert_eq!(warned(3.0), (500, 0));
}

#[test]
fn forgetting_can_be_left_to_a_person() {
    // spec: S-149
    let world = World::new("studio");
    change(&world, "auto_forget = true", "auto_forget = false");
    let id = world.scored("fact", 0.2, "明天下雨");
    let before = world.standing(id);
    let all = || {
        world
            .space()
            .transfer()
            .export(&mut Vec::new(), &mut |_| {})
            .unwrap()
    };
    let (written, events) = (all(), world.space().admin().events(0, 100).unwrap());
    world.at(100.0);
    let reports = world.force();
    let rules = reports
        .iter()
        .flat_map(|report| &report.steps)
        .find(|step| step.step == annals::profile::JobStep::Rules);
    assert_eq!(rules.unwrap().counts["would be forgotten"], 1);
    assert_eq!(
        (world.status(id), world.standing(id).importance),
        (Some(Status::Active), before.importance)
    );
    assert_eq!(
        (all(), world.space().admin().events(0, 100).unwrap()),
        (written, events)
    );
    // And again the next day; switched on, it is forgotten.
    world.at(101.0);
    world.force();
    assert_eq!(world.status(id), Some(Status::Active));
    world.space().admin().set_profile("studio").unwrap();
    world.force();
    assert_eq!(world.status(id), Some(Status::Forgotten));
    world.validate();
}

#[test]
fn an_answer_that_makes_no_sense_changes_nothing() {
    // spec: X-06
    let model = Arc::new(Replay::default());
    let open = |profile: &str| {
        let model: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
        World::with(profile, move |options| options.model(Arc::clone(&model)))
    };
    // Commands: ids that were not shown are refused, failures change nothing.
    let companion = open("companion");
    let fact = companion.kind("fact", "主人喜欢拉面");
    model.push(
        "extract",
        Ok(Reply::text(
            "好的。\n- 【DELETE：mem_999】\n```\n[BOOST:mem_1]\n```",
        )),
    );
    round(&companion, "s", "拉面", "好");
    companion.space().queue().work_off().unwrap();
    assert_eq!(
        (companion.status(fact), kept(&companion).len()),
        (Some(Status::Active), 1)
    );
    near(companion.score(fact), 1.3);
    model.push("extract", Err("HTTP 500".to_owned()));
    round(&companion, "s", "拉面呢", "好");
    assert_eq!(
        companion.space().queue().work_off().unwrap().get("failed"),
        Some(&1)
    );
    let waits = companion.space().queue().list(9).unwrap();
    assert_eq!(
        waits.iter().filter(|task| task.kind == "extract").count(),
        1
    );
    near(companion.score(fact), 1.3);
    // Lists: an empty answer finds nothing, one without a list fails and is asked for again; both
    // leave everything as it is.
    let markdown = open("markdown");
    let id = markdown.kind("fact", "用户住在柏林");
    let long = "我们说了很多很多话，但是没有什么值得记住的事情，所以什么都不用写下来，真的，一点都没有，请不要记。";
    for (answer, failed) in [
        (Ok("[]"), false),
        (Ok("```json\n{\"memories\": []}\n```"), false),
        (Ok("没有。"), true),
        (Err("down"), true),
    ] {
        model.push("extract", answer.map(Reply::text).map_err(str::to_owned));
        round(&markdown, "s", long, "好");
        assert!(markdown.space().session("s").extract().unwrap());
        let counts = markdown.space().queue().work_off().unwrap();
        assert_eq!(counts.contains_key("failed"), failed, "{counts:?}");
        assert_eq!(
            (markdown.status(id), kept(&markdown).len()),
            (Some(Status::Active), 1)
        );
    }
    // Refused operations are reported, and written to the log.
    let (none, form) = (
        annals::llm::Aliases::none(),
        annals::llm::candidates::Form::of(&annals::profile::Profile::default()),
    );
    let refused = annals::llm::monitor::parse("[DELETE:mem_999]", &none);
    assert_eq!((refused.operations.len(), refused.warnings.len()), (0, 1));
    let heard = annals::llm::candidates::parse("hello", &form, &none);
    assert_eq!((heard.operations.len(), heard.warnings.len()), (0, 1));
    companion.validate();
    markdown.validate();
}

#[test]
fn what_the_window_shows_is_not_recalled_beside_it() {
    let table = Table::new();
    let world = world("studio", &table, None);
    let talk = world.space().session("s").working().unwrap();
    // The question by itself, and as it is asked behind what was said.
    for earlier in ["", "我住在柏林\n我养了一只猫", "第7句\n第8句\n第9句"] {
        let asked = if earlier.is_empty() {
            "我住在哪里？".to_owned()
        } else {
            format!("用户: 我住在哪里？\n上下文: {earlier}")
        };
        table.near(&asked, "我住在柏林", 0.95);
    }
    table.near("用户住在柏林", "我住在柏林", 0.94);
    for said in ["我住在柏林", "我养了一只猫"] {
        let turn = || {
            NewTurn::builder("s", said)
                .role(Role::User)
                .build()
                .unwrap()
        };
        world.space().sessions().append(vec![turn()]).unwrap();
        talk.say(turn()).unwrap();
    }
    let kept = world.kind("fact", "用户住在柏林");
    let prompt = talk.prompt(PROMPT, "我住在哪里？").unwrap();
    assert_eq!(prompt.context.ids, [kept]);
    assert_eq!(
        prompt.messages[0].text,
        format!("你是一个 AI 助手。\n\n关于用户的背景信息：\n- 用户住在柏林\n\n{PROMPT}")
    );
    assert_eq!(
        talk.messages().len(),
        2,
        "what is stored is no message of the window"
    );
    let elsewhere = || {
        world
            .space()
            .session("t")
            .working()
            .unwrap()
            .prompt(PROMPT, "我住在哪里？")
            .unwrap()
            .context
            .ids
    };
    assert_eq!(
        elsewhere(),
        [kept],
        "studio tells what is known, and repeats no messages"
    );
    // A profile that does: elsewhere, or once it has left the window, the turn is there as well.
    change(
        &world,
        r#"kinds = ["preference", "fact", "lesson", "goal", "context"]"#,
        "kinds = []",
    );
    assert_eq!(
        talk.prompt(PROMPT, "我住在哪里？").unwrap().context.ids,
        [kept]
    );
    assert_eq!(elsewhere().len(), 2);
    for number in 0..10 {
        let turn = NewTurn::builder("s", format!("第{number}句"))
            .role(Role::User)
            .build()
            .unwrap();
        talk.say(turn).unwrap();
    }
    assert_eq!(
        talk.prompt(PROMPT, "我住在哪里？")
            .unwrap()
            .context
            .ids
            .len(),
        2
    );
}
