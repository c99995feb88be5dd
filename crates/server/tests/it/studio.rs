//! The routes of the studio design, under its profile.

use std::sync::Arc;

use annals::profiles;
use annals::{
    Clock as _, ExtractWindow, Extracted, Extractor, JudgeError, ManualClock, NewMemory, Options,
    SystemClock,
};
use annals_server::{NewToken, Right, TokenStore};
use serde_json::{Value, json};

use crate::client::{Reply, Served, grant};

const PATH: &str = "/api/memories";

/// What the scripted model finds: each sentence of the user that says "记住".
struct Scripted;

impl Extractor for Scripted {
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let turns = window
            .turns
            .iter()
            .filter(|turn| turn.body.text.contains("记住"));
        let found = turns.map(|turn| {
            let text = format!("用户说：{}", turn.body.text);
            Extracted::Add(
                NewMemory::builder(text)
                    .kind("preference")
                    .derived_from(turn.id)
                    .build()
                    .unwrap(),
            )
        });
        Ok(found.collect())
    }
}

/// The users 1 and 2, each with a token for themselves, and the token of the program that serves
/// them.
struct Users {
    served: Served,
    one: String,
    two: String,
    clock: ManualClock,
}

impl Users {
    fn new() -> Self {
        let clock = ManualClock::new("2026-03-01T09:00:00Z".parse().unwrap());
        let memory = Options::new()
            .clock(Arc::new(clock.clone()))
            .extractor(Arc::new(Scripted))
            .in_memory()
            .unwrap();
        for user in ["user:1", "user:2"] {
            memory.create_namespace(user, "studio").unwrap();
        }
        assert!(profiles::builtin("studio").is_some());
        let tokens = TokenStore::in_memory();
        let make = |namespace: &str, rights: &[Right]| {
            let new = NewToken {
                name: "t".into(),
                grant: grant(&[namespace], rights),
                expires_at: None,
            };
            tokens.create(new, SystemClock.now()).unwrap().1
        };
        let own = [Right::Read, Right::Write, Right::Delete];
        let (one, two) = (make("user:1", &own), make("user:2", &own));
        let program = make("*", &Right::ALL);
        let served = Served::with(memory, tokens, (program, String::new()), |http| http);
        Self {
            served,
            one,
            two,
            clock,
        }
    }

    fn call(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        self.served.call_as(&self.one, method, path, body.as_ref())
    }

    fn add(&self, content: &str, kind: &str) -> Value {
        let reply = self.call(
            "POST",
            PATH,
            Some(json!({"content": content, "type": kind})),
        );
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.json()
    }

    fn one_memory(&self, id: &Value) -> Value {
        let listed = self
            .call("GET", &format!("{PATH}?state=all&pageSize=500"), None)
            .json();
        listed["memories"]
            .as_array()
            .unwrap()
            .iter()
            .find(|memory| memory["id"] == *id)
            .cloned()
            .unwrap_or(Value::Null)
    }

    fn events(&self) -> Vec<&'static str> {
        let events = self
            .served
            .memory
            .namespace("user:1")
            .unwrap()
            .admin()
            .events(0, 1000)
            .unwrap();
        events.iter().map(annals::Event::name).collect()
    }
}

#[test]
fn memories_are_listed_by_page_kind_state_and_time() {
    // spec: S-80
    let users = Users::new();
    let mut lessons = Vec::new();
    for n in 0..45 {
        users.clock.advance_millis(86_400_000);
        lessons.push(
            users.add(&format!("第{n}条教训：不要在星期{n}部署服务"), "lesson")["id"].clone(),
        );
        if n % 9 == 0 {
            users.add(&format!("用户的第{n}个目标是学会一种乐器"), "goal");
        }
    }
    lessons.reverse();
    let page = users
        .call(
            "GET",
            &format!("{PATH}?page=2&pageSize=20&type=lesson&state=active"),
            None,
        )
        .json();
    let ids: Vec<Value> = page["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["id"].clone())
        .collect();
    assert_eq!(
        (ids.as_slice(), &page["total"]),
        (&lessons[20..40], &json!(45))
    );
    assert_eq!(
        users
            .call(
                "GET",
                &format!("{PATH}?page=3&pageSize=20&type=lesson"),
                None
            )
            .json()["memories"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    // From the third day on, before the sixth.
    let some = format!(
        "{PATH}?type=lesson&state=active&from=2026-03-04T00:00:00Z&to=2026-03-07T00:00:00Z"
    );
    let some = users.call("GET", &some, None).json();
    let ids: Vec<Value> = some["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["id"].clone())
        .collect();
    assert_eq!(
        (ids.as_slice(), &some["total"]),
        (&lessons[40..43], &json!(3))
    );
    assert_eq!(
        users.call("GET", &format!("{PATH}?page=0"), None).problem(),
        "bad-query"
    );
}

#[test]
fn a_question_finds_what_the_user_prefers() {
    // spec: S-81
    let users = Users::new();
    users.add("用户偏好函数式编程，不喜欢面向对象", "preference");
    users.add("用户住在上海浦东", "fact");
    users.add("用户的目标是今年跑完马拉松", "goal");
    let found = users
        .call(
            "POST",
            &format!("{PATH}/search"),
            Some(json!({"query": "编程偏好"})),
        )
        .json();
    assert_eq!(
        found["results"][0]["memory"]["content"],
        json!("用户偏好函数式编程，不喜欢面向对象"),
        "{found}"
    );
    let facts = json!({"query": "编程偏好", "types": ["fact"], "topK": 1});
    let facts = users
        .call("POST", &format!("{PATH}/search"), Some(facts))
        .json();
    assert!(
        facts["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|hit| hit["memory"]["type"] == json!("fact")),
        "{facts}"
    );
}

#[test]
fn a_memory_is_added_hidden_and_brought_back() {
    // spec: S-82, S-83, S-84
    let users = Users::new();
    let added = users.add("用户喜欢用 Vue 3", "preference");
    assert_eq!(
        (&added["content"], &added["type"]),
        (&json!("用户喜欢用 Vue 3"), &json!("preference"))
    );
    assert_eq!(
        (&added["userId"], &added["isForgotten"]),
        (&json!(1), &json!(false))
    );
    let missing = users.call("POST", PATH, Some(json!({"type": "fact"})));
    assert_eq!(missing.status, 400);
    assert!(missing.body.contains("content"), "{}", missing.body);

    let one = format!("{PATH}/{}", added["id"]);
    for _ in 0..2 {
        let removed = users.call("DELETE", &one, None);
        assert_eq!(
            (removed.status, removed.json()["isForgotten"].clone()),
            (200, json!(true))
        );
    }
    assert_eq!(
        users.call("DELETE", &format!("{PATH}/7"), None).problem(),
        "no-memory"
    );
    assert_eq!(users.call("GET", PATH, None).json()["total"], json!(0));
    assert_eq!(
        users
            .call("GET", &format!("{PATH}?state=forgotten"), None)
            .json()["total"],
        json!(1)
    );

    assert_eq!(
        users.call("POST", &format!("{one}/restore"), None).json()["isForgotten"],
        json!(false)
    );
    let again = users.call("POST", &format!("{one}/restore"), None);
    assert_eq!(
        (again.status, again.json()),
        (200, users.one_memory(&added["id"]))
    );
    assert_eq!(
        users.events(),
        ["memory.created", "memory.deleted", "memory.restored"],
        "each once"
    );
}

#[test]
fn a_conversation_is_looked_through_with_the_token_of_the_program_alone() {
    // spec: S-85
    let users = Users::new();
    let body = json!({
        "conversationId": 7,
        "messages": [
            {"role": "user", "content": "记住我只用 TypeScript 写前端"},
            {"role": "assistant", "content": "好的。"},
        ]
    });
    let path = format!("{PATH}/extract");
    let refused = users.call("POST", &path, Some(body.clone()));
    assert_eq!(
        (refused.status, refused.problem()),
        (403, "no-right".into())
    );
    let token = format!("Bearer {}", users.served.token);
    let headers = [("Authorization", token.as_str()), ("X-User-Id", "1")];
    let made = users
        .served
        .call_with(&headers, "POST", &path, Some(&body))
        .json();
    let [id] = made["ids"].as_array().unwrap().as_slice() else {
        panic!("{made}")
    };
    let memory = users
        .served
        .memory
        .namespace("user:1")
        .unwrap()
        .get(id.as_str().unwrap().parse().unwrap())
        .unwrap();
    assert_eq!(
        memory.unwrap().body.text,
        "用户说：记住我只用 TypeScript 写前端"
    );
}

#[test]
fn memories_are_counted_by_kind() {
    // spec: S-86
    let users = Users::new();
    users.add("用户偏好深色主题", "preference");
    users.add("用户喜欢乌龙茶", "preference");
    users.add("Docker 需要使用 proxy-env", "lesson");
    let stats = users.call("GET", &format!("{PATH}/stats"), None).json();
    let by_type = json!({"preference": 2, "lesson": 1, "fact": 0, "goal": 0, "context": 0});
    assert_eq!(stats, json!({"total": 3, "byType": by_type}));
}

#[test]
fn the_memory_of_another_user_is_not_there() {
    // spec: S-87
    let users = Users::new();
    let added = users.add("用户住在上海浦东", "fact");
    for name in [
        added["id"].to_string(),
        added["zepMemoryId"].as_str().unwrap().to_owned(),
    ] {
        let one = format!("{PATH}/{name}");
        for (method, path) in [
            ("DELETE", one.clone()),
            ("POST", format!("{one}/restore")),
            ("POST", format!("{one}/undo")),
        ] {
            let reply = users.served.call_as(&users.two, method, &path, None);
            assert_eq!(
                (reply.status, reply.problem()),
                (404, "no-memory".into()),
                "{method} {path}"
            );
        }
    }
    let listed = users
        .served
        .call_as(&users.two, "GET", &format!("{PATH}?state=all"), None)
        .json();
    assert_eq!(listed["total"], json!(0));
    let search = Some(json!({"query": "住在哪里"}));
    let found = users
        .served
        .call_as(
            &users.two,
            "POST",
            &format!("{PATH}/search"),
            search.as_ref(),
        )
        .json();
    assert_eq!(found["results"], json!([]));
    let token = format!("Bearer {}", users.two);
    let headers = [("Authorization", token.as_str()), ("X-User-Id", "1")];
    assert_eq!(
        users
            .served
            .call_with(&headers, "GET", PATH, None)
            .problem(),
        "other-namespace"
    );
    assert_eq!(users.one_memory(&added["id"])["isForgotten"], json!(false));
}

#[test]
fn all_memories_of_a_user_are_hidden_once_that_is_confirmed() {
    // spec: S-88
    let users = Users::new();
    for n in 0..10 {
        users.add(
            &format!(
                "用户的第{n}件事与别的事不同：{}",
                "甲乙丙丁戊己庚辛壬癸".chars().nth(n).unwrap()
            ),
            "fact",
        );
    }
    assert_eq!(users.call("GET", PATH, None).json()["total"], json!(10));
    assert_eq!(users.call("DELETE", PATH, None).problem(), "bad-query");
    assert_eq!(users.call("GET", PATH, None).json()["total"], json!(10));
    assert_eq!(
        users
            .call("DELETE", &format!("{PATH}?confirm=true"), None)
            .json(),
        json!({"forgotten": 10})
    );
    assert_eq!(
        users
            .call("GET", &format!("{PATH}?state=forgotten"), None)
            .json()["total"],
        json!(10)
    );
    let deleted = users
        .events()
        .into_iter()
        .filter(|name| *name == "memory.deleted")
        .count();
    assert_eq!(deleted, 10, "{:?}", users.events());
}

#[test]
fn what_was_just_stored_is_taken_back_and_what_it_ended_is_true_again() {
    // spec: S-89
    let users = Users::new();
    let of = |content: &str| json!({"content": content, "type": "preference", "metadata": {"subject": "我", "predicate": "框架"}});
    let vue = users.call("POST", PATH, Some(of("我喜欢用 Vue 3"))).json();
    users.clock.advance_millis(86_400_000);
    let react = users
        .call("POST", PATH, Some(of("我现在更喜欢用 React")))
        .json();
    assert!(
        users.one_memory(&vue["id"])["validUntil"].is_string(),
        "{}",
        users.one_memory(&vue["id"])
    );
    users.clock.advance_millis(9 * 60_000);
    let undo = format!("{PATH}/{}/undo", react["id"]);
    // What is taken back goes for good: whoever may only write does not get there.
    let writer = users
        .served
        .token_for(&["user:1"], &[Right::Read, Right::Write]);
    let refused = users.served.call_as(&writer, "POST", &undo, None);
    assert_eq!(
        (refused.status, refused.problem()),
        (403, "no-right".into())
    );
    assert_eq!(
        users.call("POST", &undo, None).json()["opened"],
        json!([vue["zepMemoryId"]])
    );
    assert_eq!(users.one_memory(&react["id"]), Value::Null);
    assert_eq!(users.one_memory(&vue["id"])["validUntil"], Value::Null);
    let late = users
        .call("POST", PATH, Some(of("我现在更喜欢用 Svelte")))
        .json();
    users.clock.advance_millis(10 * 60_000);
    assert_eq!(
        users
            .call("POST", &format!("{PATH}/{}/undo", late["id"]), None)
            .problem(),
        "bad-value"
    );
}
