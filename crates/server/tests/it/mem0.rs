//! The routes of mem0's server.

use std::sync::Arc;

use annals::llm::provider::{Provider, Replay};
use annals_server::Right;
use serde_json::{Value, json};

use crate::client::{Reply, Served};

fn served() -> Served {
    Served::over(annals::Options::new().in_memory().unwrap(), |http| {
        http.like_mem0()
    })
}

/// A call with a key as mem0's client sends it.
fn call(server: &Served, key: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
    server.call_with(
        &[("Authorization", &format!("Token {key}"))],
        method,
        path,
        body,
    )
}

fn said(text: &str, owner: &Value) -> Value {
    let mut body = json!({ "messages": [{ "role": "user", "content": text }], "infer": false });
    body.as_object_mut()
        .unwrap()
        .extend(owner.as_object().unwrap().clone());
    body
}

fn texts(reply: &Reply) -> Vec<String> {
    let found = reply.json();
    found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["memory"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_memory_is_added_found_corrected_and_deleted() {
    let server = served();
    let all = server.token.clone();
    let mut body = said(
        "I live in Lyon.",
        &json!({ "user_id": "ada", "metadata": { "city": true } }),
    );
    body["messages"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "role": "system", "content": "Be kind." }));
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(
        (&added["results"][0]["event"], &added["results"][1]),
        (&json!("ADD"), &Value::Null),
        "{added}"
    );
    let id = added["results"][0]["id"].as_str().unwrap();
    let again = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(
        again["results"][0],
        json!({ "id": id, "memory": "I live in Lyon.", "event": "NONE" })
    );

    let question = json!({ "query": "Where do I live?", "user_id": "ada" });
    let found = call(&server, &all, "POST", "/search", Some(&question)).json();
    assert_eq!(found["results"][0]["id"], id, "{found}");
    assert!(found["results"][0]["score"].as_f64().unwrap() > 0.0);
    let path = format!("/memories/{id}");
    let one = call(&server, &all, "GET", &path, None).json();
    assert_eq!(
        (&one["user_id"], &one["role"]),
        (&json!("ada"), &json!("user")),
        "{one}"
    );
    assert_eq!(one["metadata"], json!({ "city": true }));

    let changed = call(
        &server,
        &all,
        "PUT",
        &path,
        Some(&json!({ "text": "I live in Paris." })),
    )
    .json();
    assert_eq!(
        (&changed["id"], &changed["memory"]),
        (&json!(id), &json!("I live in Paris.")),
        "{changed}"
    );
    let history = call(&server, &all, "GET", &format!("{path}/history"), None).json();
    let rows: Vec<_> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["event"], &row["old_memory"]))
        .collect();
    assert_eq!(
        rows,
        [
            (&json!("ADD"), &Value::Null),
            (&json!("UPDATE"), &json!("I live in Lyon."))
        ]
    );

    let gone = call(&server, &all, "DELETE", &path, None).json();
    assert_eq!(gone["message"], "Memory deleted successfully");
    assert_eq!(
        call(&server, &all, "GET", &path, None).problem(),
        "no-memory"
    );
}

#[test]
fn owners_are_kept_apart_and_those_within_a_user_can_be_asked_for() {
    let server = served();
    let all = server.token.clone();
    for (text, owner) in [
        ("Ada likes tea.", json!({ "user_id": "ada" })),
        (
            "Ada walks at noon.",
            json!({ "user_id": "ada", "agent_id": "coach", "run_id": "r1" }),
        ),
        ("Ben likes coffee.", json!({ "user_id": "ben" })),
        ("The coach is strict.", json!({ "agent_id": "coach" })),
    ] {
        let reply = call(
            &server,
            &all,
            "POST",
            "/memories",
            Some(&said(text, &owner)),
        );
        assert_eq!(reply.json()["results"][0]["event"], "ADD");
    }
    let list = |query: &str| {
        texts(&call(
            &server,
            &all,
            "GET",
            &format!("/memories?{query}"),
            None,
        ))
    };
    assert_eq!(
        list("user_id=ada"),
        ["Ada walks at noon.", "Ada likes tea."]
    );
    assert_eq!(list("user_id=ada&agent_id=coach"), ["Ada walks at noon."]);
    assert_eq!(list("user_id=ada&limit=1"), ["Ada walks at noon."]);
    assert_eq!(list("agent_id=coach"), ["The coach is strict."]);
    assert_eq!(list("user_id=nobody"), [""; 0]);
    let deleted = call(
        &server,
        &all,
        "DELETE",
        "/memories?user_id=ada&run_id=r1",
        None,
    );
    assert_eq!(deleted.json()["message"], "All relevant memories deleted");
    assert_eq!(list("user_id=ada"), ["Ada likes tea."]);
    assert_eq!(
        call(&server, &all, "GET", "/memories", None).problem(),
        "bad-value"
    );
    assert_eq!(
        call(&server, &all, "DELETE", "/memories", None).problem(),
        "bad-value"
    );
    assert_eq!(list("user_id=ben"), ["Ben likes coffee."]);
}

#[test]
fn a_model_finds_what_is_worth_keeping_where_the_profile_has_one_asked() {
    let model = Arc::new(Replay::default());
    let found = r#"[{"content": "Ada lives in Lyon", "type": "fact", "importance": 0.9}]"#;
    model.push("extract", Ok(annals::llm::provider::Reply::text(found)));
    let options = annals::Options::new().model(Arc::clone(&model) as Arc<dyn Provider>);
    let server = Served::over(options.in_memory().unwrap(), |http| http.like_mem0());
    let all = server.token.clone();
    server
        .memory
        .create_namespace("user:ada", "studio")
        .unwrap();
    let talk = json!([
        { "role": "user", "content": "By the way, I have just moved to Lyon." },
        { "role": "assistant", "content": "Good to know." },
    ]);
    let body = json!({ "messages": talk, "user_id": "ada", "run_id": "talk" });
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(added["results"].as_array().unwrap().len(), 1, "{added}");
    assert_eq!(
        (
            &added["results"][0]["memory"],
            &added["results"][0]["event"]
        ),
        (&json!("Ada lives in Lyon"), &json!("ADD"))
    );
    assert_eq!(model.asked().len(), 1);
    let listed = call(
        &server,
        &all,
        "GET",
        "/memories?user_id=ada&run_id=talk",
        None,
    )
    .json();
    assert_eq!(
        listed["results"][0]["id"], added["results"][0]["id"],
        "{listed}"
    );
    assert_eq!(
        listed["results"].as_array().unwrap().len(),
        1,
        "turns are none of them: {listed}"
    );
    // Without `infer`, and under a profile that asks no model, messages are kept as they are.
    let body = json!({ "messages": talk, "user_id": "ada", "infer": false });
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(
        added["results"].as_array().map(Vec::len),
        Some(2),
        "{added}"
    );
    let body = json!({ "messages": talk, "user_id": "ben" });
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(added["results"][1]["memory"], "Good to know.", "{added}");
    assert_eq!(model.asked().len(), 1);
}

#[test]
fn pages_and_conditions_of_the_client_are_understood() {
    let server = served();
    let all = server.token.clone();
    for number in 0..5 {
        let body = said(
            &format!("Fact number {number} of Ada."),
            &json!({ "user_id": "ada" }),
        );
        call(&server, &all, "POST", "/v3/memories/add/", Some(&body));
    }
    let asked = json!({ "filters": { "AND": [{ "user_id": "ada" }] } });
    let page = |number: u32| {
        call(
            &server,
            &all,
            "POST",
            &format!("/v3/memories/?page={number}&page_size=2"),
            Some(&asked),
        )
    };
    let first = page(1).json();
    assert_eq!(
        (&first["count"], &first["previous"]),
        (&json!(5), &Value::Null),
        "{first}"
    );
    assert!(
        first["next"].as_str().unwrap().contains("page=2"),
        "{first}"
    );
    assert_eq!(texts(&page(3)), ["Fact number 0 of Ada."]);
    assert_eq!(page(3).json()["next"], Value::Null);
    assert_eq!(page(0).problem(), "bad-query");
    let odd =
        json!({ "query": "x", "filters": { "user_id": "ada", "NOT": [{ "user_id": "ben" }] } });
    assert_eq!(
        call(&server, &all, "POST", "/v3/memories/search/", Some(&odd)).problem(),
        "unknown-field"
    );
    assert_eq!(
        call(&server, &all, "GET", "/v1/ping/", None).json()["status"],
        "ok"
    );
}

#[test]
fn a_key_reaches_what_its_token_reaches() {
    let server = served();
    let all = server.token.clone();
    let added = call(
        &server,
        &all,
        "POST",
        "/memories",
        Some(&said(
            "The safe opens with 4711.",
            &json!({ "user_id": "ben" }),
        )),
    );
    let id = added.json()["results"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let ada = server.token_for(&["user:ada"], &[Right::Read, Right::Write, Right::Delete]);
    let path = format!("/memories/{id}");
    for (method, path, body) in [
        ("GET", path.as_str(), None),
        ("PUT", path.as_str(), Some(json!({ "text": "mine" }))),
        ("DELETE", path.as_str(), None),
        ("GET", &format!("{path}/history"), None),
    ] {
        assert_eq!(
            call(&server, &ada, method, path, body.as_ref()).problem(),
            "no-memory",
            "{method} {path}"
        );
    }
    for (method, path, body) in [
        ("GET", "/memories?user_id=ben", None),
        ("DELETE", "/memories?user_id=ben", None),
        (
            "POST",
            "/search",
            Some(json!({ "query": "safe", "user_id": "ben" })),
        ),
        (
            "POST",
            "/v3/memories/",
            Some(json!({ "filters": { "user_id": "ben" } })),
        ),
        (
            "POST",
            "/memories",
            Some(said("mine", &json!({ "user_id": "ben" }))),
        ),
        (
            "POST",
            "/memories",
            Some(said("mine", &json!({ "agent_id": "ada" }))),
        ),
    ] {
        assert_eq!(
            call(&server, &ada, method, path, body.as_ref()).problem(),
            "other-namespace",
            "{method} {path}"
        );
    }
    let reader = server.token_for(&["user:ben"], &[Right::Read]);
    assert_eq!(
        call(&server, &reader, "GET", &path, None).json()["id"],
        json!(id)
    );
    assert_eq!(
        call(&server, &reader, "DELETE", &path, None).problem(),
        "no-right"
    );
    // mem0's own server takes its key by another name.
    let named = server.call_with(&[("X-API-Key", &reader)], "GET", &path, None);
    assert_eq!(named.status, 200);
    assert_eq!(
        server
            .call_with(&[("X-API-Key", "wrong")], "GET", &path, None)
            .problem(),
        "bad-token"
    );
    assert_eq!(
        server.call_with(&[], "GET", &path, None).problem(),
        "no-token"
    );
}

#[test]
fn a_blank_id_or_a_misspelt_parameter_deletes_nothing() {
    let server = served();
    let all = server.token.clone();
    for (text, owner) in [
        ("Ada likes tea.", json!({ "user_id": "ada" })),
        (
            "Ada walks at noon.",
            json!({ "user_id": "ada", "run_id": "r1" }),
        ),
    ] {
        call(
            &server,
            &all,
            "POST",
            "/memories",
            Some(&said(text, &owner)),
        );
    }
    let delete = |query: &str| call(&server, &all, "DELETE", &format!("/memories?{query}"), None);
    for query in [
        "user_id=ada&run_id=",
        "user_id=ada&run_id=%20",
        "user_id=%20&run_id=r1",
    ] {
        let refused = delete(query);
        assert_eq!(refused.problem(), "bad-value", "{query}");
        assert!(
            refused.json()["detail"]
                .as_str()
                .unwrap()
                .contains("_id is blank"),
            "{}",
            refused.body
        );
    }
    for query in [
        "user_id=ada&runid=r1",
        "userid=ben&user_id=ada",
        "user_id=ada&limit=1",
    ] {
        assert_eq!(delete(query).problem(), "bad-query", "{query}");
    }
    let blank = said(
        "Whose is this?",
        &json!({ "user_id": "ada", "agent_id": " " }),
    );
    assert_eq!(
        call(&server, &all, "POST", "/memories", Some(&blank)).problem(),
        "bad-value"
    );
    let list = || texts(&call(&server, &all, "GET", "/memories?user_id=ada", None));
    assert_eq!(list(), ["Ada walks at noon.", "Ada likes tea."]);
    // The client sends its organisation and project with every request.
    assert_eq!(
        delete("user_id=ada&run_id=r1&org_id=annals&project_id=annals").status,
        200
    );
    assert_eq!(list(), ["Ada likes tea."]);
}

#[test]
fn an_id_leads_to_one_memory_of_an_owner_that_is_in_use() {
    let server = served();
    let all = server.token.clone();
    let owner = json!({ "user_id": "ada" });
    let id_of = |reply: &Reply| {
        reply.json()["results"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let tea = id_of(&call(
        &server,
        &all,
        "POST",
        "/memories",
        Some(&said("Ada likes tea.", &owner)),
    ));
    let space = server.memory.namespace("user:ada").unwrap();
    let copied_to = |name: &str| {
        let mut lines = Vec::new();
        space.transfer().export(&mut lines, &mut |_| {}).unwrap();
        let copy = server.memory.namespace(name).unwrap();
        copy.transfer()
            .import(
                &mut lines.as_slice(),
                &annals::ImportOptions::default(),
                &mut |_| {},
            )
            .unwrap();
    };
    let path = format!("/memories/{tea}");
    copied_to("notes");
    assert_eq!(
        call(&server, &all, "GET", &path, None).json()["user_id"],
        "ada",
        "notes are no owner's"
    );
    let note = server.add("notes", "The boiler was repaired in March.");
    assert_eq!(
        call(&server, &all, "DELETE", &format!("/memories/{note}"), None).problem(),
        "no-memory"
    );

    copied_to("user:ben");
    for (method, body) in [
        ("GET", None),
        ("PUT", Some(json!({ "text": "Ada likes mate." }))),
        ("DELETE", None),
    ] {
        assert_eq!(
            call(&server, &all, method, &path, body.as_ref()).problem(),
            "conflict",
            "{method}"
        );
    }
    // A copy does not take the place of a memory that is hidden.
    space.forget(tea.parse().unwrap()).unwrap();
    let change = json!({ "text": "Ada likes mate." });
    assert_eq!(
        call(&server, &all, "PUT", &path, Some(&change)).problem(),
        "conflict"
    );
    space.restore(tea.parse().unwrap()).unwrap();
    let ada = server.token_for(&["user:ada"], &[Right::Read, Right::Write, Right::Delete]);
    assert_eq!(
        call(&server, &ada, "GET", &path, None).json()["memory"],
        "Ada likes tea."
    );

    let mate = space
        .lifecycle()
        .supersede(tea.parse().unwrap(), "Ada likes mate.")
        .unwrap();
    assert_eq!(
        call(&server, &ada, "GET", &path, None).problem(),
        "no-memory",
        "it was replaced"
    );
    let path = format!("/memories/{mate}");
    assert_eq!(
        call(&server, &ada, "GET", &path, None).json()["memory"],
        "Ada likes mate."
    );
    space.forget(mate).unwrap();
    for (method, body) in [
        ("GET", None),
        ("PUT", Some(json!({ "text": "Tea." }))),
        ("DELETE", None),
    ] {
        assert_eq!(
            call(&server, &ada, method, &path, body.as_ref()).problem(),
            "no-memory",
            "{method}: it is hidden"
        );
    }
}

#[test]
fn no_owner_has_a_name_that_stands_for_others_in_a_token() {
    let server = served();
    let all = server.token.clone();
    let owner = json!({ "user_id": "team*" });
    let added = said("Ada likes tea.", &owner);
    let refused = call(&server, &all, "POST", "/memories", Some(&added));
    assert_eq!(
        (refused.status, refused.problem()),
        (400, "bad-value".into())
    );
    assert_eq!(refused.json()["errors"][0]["field"], "user_id");
    let path = "/v1/namespaces/team*/memories";
    let refused = call(&server, &all, "POST", path, Some(&json!({ "text": "x" })));
    assert_eq!(
        (refused.status, refused.problem()),
        (400, "bad-path".into())
    );
    let refused = call(
        &server,
        &all,
        "PUT",
        "/v1/namespaces/team*",
        Some(&json!({})),
    );
    assert_eq!(refused.problem(), "bad-path");
    assert!(server.memory.namespaces().unwrap().is_empty());
    // One that is there already is reached as before.
    let space = server.memory.namespace("team*").unwrap();
    space.remember("Ada likes tea.").unwrap();
    let listed = call(&server, &all, "GET", path, None);
    assert_eq!(listed.json()["total"], 1);
}

#[test]
fn conditions_that_no_memory_can_meet_are_refused() {
    let server = served();
    let all = server.token.clone();
    call(
        &server,
        &all,
        "POST",
        "/memories",
        Some(&said("Ada likes tea.", &json!({ "user_id": "ada" }))),
    );
    let search = |body: Value| call(&server, &all, "POST", "/search", Some(&body));
    let two = search(json!({ "query": "tea", "user_id": "ada", "filters": { "user_id": "ben" } }));
    assert_eq!(two.problem(), "bad-value");
    assert!(
        two.json()["detail"]
            .as_str()
            .unwrap()
            .contains("\"ada\" and \"ben\""),
        "{}",
        two.body
    );
    let two = json!({ "filters": { "AND": [{ "user_id": "ada" }, { "user_id": "ben" }] } });
    assert_eq!(
        call(&server, &all, "POST", "/v3/memories/", Some(&two)).problem(),
        "bad-value"
    );
    let blank = search(json!({ "query": "tea", "user_id": "ada", "filters": { "run_id": "" } }));
    assert_eq!(blank.problem(), "bad-value");
    let twice = search(
        json!({ "query": "tea", "user_id": "ada", "filters": { "AND": [{ "user_id": "ada" }] } }),
    );
    assert_eq!(texts(&twice), ["Ada likes tea."]);
}

/// A server whose model answers a script, with an owner whose profile has it asked.
fn with_model(model: &Arc<Replay>) -> Served {
    let options = annals::Options::new().model(Arc::clone(model) as Arc<dyn Provider>);
    let server = Served::over(options.in_memory().unwrap(), |http| http.like_mem0());
    server
        .memory
        .create_namespace("user:ada", "studio")
        .unwrap();
    server
}

/// Lets the model find a fact the next time that it is asked.
fn finds(model: &Replay, fact: &str) {
    let found = json!([{ "content": fact, "type": "fact", "importance": 0.9 }]).to_string();
    model.push("extract", Ok(annals::llm::provider::Reply::text(found)));
}

#[test]
fn what_a_model_finds_keeps_what_was_said_of_the_messages() {
    let model = Arc::new(Replay::default());
    let server = with_model(&model);
    let all = server.token.clone();
    finds(&model, "Ada lives in Lyon");
    let body = json!({
        "messages": [
            { "role": "user", "name": "Ada", "content": "By the way, I have just moved to Lyon." },
            { "role": "tool", "content": "The move is in the calendar." },
        ],
        "user_id": "ada",
        "run_id": "talk",
        "metadata": { "topic": "home" },
        "expiration_date": "2199-01-31",
    });
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(added["results"][0]["event"], "ADD", "{added}");
    let id = added["results"][0]["id"].as_str().unwrap();
    let shown = call(&server, &all, "GET", &format!("/memories/{id}"), None).json();
    assert_eq!(
        (&shown["metadata"]["topic"], &shown["run_id"]),
        (&json!("home"), &json!("talk")),
        "{shown}"
    );
    let space = server.memory.namespace("user:ada").unwrap();
    let end: Option<annals::Timestamp> = Some("2199-02-01T00:00:00Z".parse().unwrap());
    assert_eq!(
        space
            .get(id.parse().unwrap())
            .unwrap()
            .unwrap()
            .body
            .expires_at,
        end
    );
    let turns = space.session("talk").memories(0, 10).unwrap();
    let parts: Vec<_> = turns
        .iter()
        .map(|turn| turn.body.turn.as_ref().unwrap())
        .collect();
    assert_eq!(
        parts.iter().map(|turn| turn.role).collect::<Vec<_>>(),
        [annals::Role::User, annals::Role::Tool]
    );
    assert_eq!(
        parts[0].speaker.as_ref().map(annals::Label::as_str),
        Some("Ada")
    );
    assert!(
        turns.iter().all(|turn| turn.body.expires_at == end),
        "{turns:?}"
    );
}

#[test]
fn an_edit_that_changes_nothing_is_no_revision() {
    let server = served();
    let all = server.token.clone();
    let added = call(
        &server,
        &all,
        "POST",
        "/memories",
        Some(&said("Ada likes tea.", &json!({ "user_id": "ada" }))),
    );
    let path = format!(
        "/memories/{}",
        added.json()["results"][0]["id"].as_str().unwrap()
    );
    for _ in 0..2 {
        let body = json!({ "text": "Ada likes tea.", "metadata": {} });
        let same = call(&server, &all, "PUT", &path, Some(&body)).json();
        assert_eq!(
            (&same["memory"], &same["role"]),
            (&json!("Ada likes tea."), &json!("user")),
            "{same}"
        );
    }
    let history = call(&server, &all, "GET", &format!("{path}/history"), None).json();
    assert_eq!(history.as_array().map(Vec::len), Some(1), "{history}");
}

#[test]
fn deleting_an_owner_takes_the_turns_as_well() {
    let model = Arc::new(Replay::default());
    let server = with_model(&model);
    let all = server.token.clone();
    for (run, text, fact) in [
        (
            "monday",
            "By the way, I have just moved to Lyon.",
            "Ada lives in Lyon",
        ),
        (
            "tuesday",
            "By the way, I have just begun to work at the harbour.",
            "Ada works at the harbour",
        ),
    ] {
        finds(&model, fact);
        let mut body = said(text, &json!({ "user_id": "ada", "run_id": run }));
        body["infer"] = json!(true);
        assert_eq!(
            call(&server, &all, "POST", "/memories", Some(&body)).status,
            200
        );
    }
    let space = server.memory.namespace("user:ada").unwrap();
    let sessions = || -> Vec<String> {
        space
            .sessions()
            .list()
            .unwrap()
            .into_iter()
            .map(|one| one.name)
            .collect()
    };
    assert_eq!(sessions(), ["monday", "tuesday"]);
    assert_eq!(
        call(
            &server,
            &all,
            "DELETE",
            "/memories?user_id=ada&run_id=monday",
            None
        )
        .status,
        200
    );
    assert_eq!(sessions(), ["tuesday"]);
    assert_eq!(
        texts(&call(&server, &all, "GET", "/memories?user_id=ada", None)),
        ["Ada works at the harbour"]
    );
    assert_eq!(
        call(&server, &all, "DELETE", "/memories?user_id=ada", None).status,
        200
    );
    assert_eq!(
        (sessions(), space.admin().stats().unwrap().memories),
        (Vec::new(), 0)
    );
}

#[test]
fn a_model_that_fails_is_no_answer_without_memories() {
    let model = Arc::new(Replay::default());
    let server = with_model(&model);
    let all = server.token.clone();
    model.push("extract", Err("it is down".to_owned()));
    let mut body = said(
        "By the way, I have just moved to Lyon.",
        &json!({ "user_id": "ada", "run_id": "talk" }),
    );
    body["infer"] = json!(true);
    let failed = call(&server, &all, "POST", "/memories", Some(&body));
    assert_eq!(
        (failed.status, failed.problem()),
        (502, "not-extracted".to_owned()),
        "{}",
        failed.body
    );
    let kept = server
        .memory
        .namespace("user:ada")
        .unwrap()
        .session("talk")
        .memories(0, 10)
        .unwrap();
    assert_eq!(kept.len(), 1, "it is looked through again later");
}

#[test]
fn the_routes_and_their_keys_are_there_only_when_they_are_asked_for() {
    let server = Served::start();
    assert_eq!(
        server.call("GET", "/memories?user_id=ada", None).problem(),
        "no-route"
    );
    assert_eq!(
        call(&server, &server.token, "GET", "/v1/namespaces", None).problem(),
        "bad-token"
    );
    assert_eq!(
        server
            .call_with(
                &[("X-API-Key", &server.token)],
                "GET",
                "/v1/namespaces",
                None
            )
            .problem(),
        "no-token"
    );
}
