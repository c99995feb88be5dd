//! The routes of mem0's server.

use std::sync::Arc;

use annals::llm::provider::{Provider, Replay};
use annals_server::Right;
use serde_json::{Value, json};

use crate::client::{Reply, Served};

fn served() -> Served {
    Served::over(annals::Options::new().in_memory().unwrap(), |http| http.like_mem0())
}

/// A call with a key as mem0's client sends it.
fn call(server: &Served, key: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
    server.call_with(&[("Authorization", &format!("Token {key}"))], method, path, body)
}

fn said(text: &str, owner: &Value) -> Value {
    let mut body = json!({ "messages": [{ "role": "user", "content": text }], "infer": false });
    body.as_object_mut().unwrap().extend(owner.as_object().unwrap().clone());
    body
}

fn texts(reply: &Reply) -> Vec<String> {
    let found = reply.json();
    found["results"].as_array().unwrap().iter().map(|item| item["memory"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_memory_is_added_found_corrected_and_deleted() {
    let server = served();
    let all = server.token.clone();
    let mut body = said("I live in Lyon.", &json!({ "user_id": "ada", "metadata": { "city": true } }));
    body["messages"].as_array_mut().unwrap().push(json!({ "role": "system", "content": "Be kind." }));
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!((&added["results"][0]["event"], &added["results"][1]), (&json!("ADD"), &Value::Null), "{added}");
    let id = added["results"][0]["id"].as_str().unwrap();
    let again = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(again["results"][0], json!({ "id": id, "memory": "I live in Lyon.", "event": "NONE" }));

    let question = json!({ "query": "Where do I live?", "user_id": "ada" });
    let found = call(&server, &all, "POST", "/search", Some(&question)).json();
    assert_eq!(found["results"][0]["id"], id, "{found}");
    assert!(found["results"][0]["score"].as_f64().unwrap() > 0.0);
    let path = format!("/memories/{id}");
    let one = call(&server, &all, "GET", &path, None).json();
    assert_eq!((&one["user_id"], &one["role"]), (&json!("ada"), &json!("user")), "{one}");
    assert_eq!(one["metadata"], json!({ "city": true }));

    let changed = call(&server, &all, "PUT", &path, Some(&json!({ "text": "I live in Paris." }))).json();
    assert_eq!((&changed["id"], &changed["memory"]), (&json!(id), &json!("I live in Paris.")), "{changed}");
    let history = call(&server, &all, "GET", &format!("{path}/history"), None).json();
    let rows: Vec<_> = history.as_array().unwrap().iter().map(|row| (&row["event"], &row["old_memory"])).collect();
    assert_eq!(rows, [(&json!("ADD"), &Value::Null), (&json!("UPDATE"), &json!("I live in Lyon."))]);

    let gone = call(&server, &all, "DELETE", &path, None).json();
    assert_eq!(gone["message"], "Memory deleted successfully");
    assert_eq!(call(&server, &all, "GET", &path, None).problem(), "no-memory");
}

#[test]
fn owners_are_kept_apart_and_those_within_a_user_can_be_asked_for() {
    let server = served();
    let all = server.token.clone();
    for (text, owner) in [
        ("Ada likes tea.", json!({ "user_id": "ada" })),
        ("Ada walks at noon.", json!({ "user_id": "ada", "agent_id": "coach", "run_id": "r1" })),
        ("Ben likes coffee.", json!({ "user_id": "ben" })),
        ("The coach is strict.", json!({ "agent_id": "coach" })),
    ] {
        let reply = call(&server, &all, "POST", "/memories", Some(&said(text, &owner)));
        assert_eq!(reply.json()["results"][0]["event"], "ADD");
    }
    let list = |query: &str| texts(&call(&server, &all, "GET", &format!("/memories?{query}"), None));
    assert_eq!(list("user_id=ada"), ["Ada walks at noon.", "Ada likes tea."]);
    assert_eq!(list("user_id=ada&agent_id=coach"), ["Ada walks at noon."]);
    assert_eq!(list("user_id=ada&limit=1"), ["Ada walks at noon."]);
    assert_eq!(list("agent_id=coach"), ["The coach is strict."]);
    assert_eq!(list("user_id=nobody"), [""; 0]);
    let deleted = call(&server, &all, "DELETE", "/memories?user_id=ada&run_id=r1", None);
    assert_eq!(deleted.json()["message"], "All relevant memories deleted");
    assert_eq!(list("user_id=ada"), ["Ada likes tea."]);
    assert_eq!(call(&server, &all, "GET", "/memories", None).problem(), "bad-value");
    assert_eq!(call(&server, &all, "DELETE", "/memories", None).problem(), "bad-value");
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
    server.memory.create_namespace("user:ada", "studio").unwrap();
    let talk = json!([
        { "role": "user", "content": "By the way, I have just moved to Lyon." },
        { "role": "assistant", "content": "Good to know." },
    ]);
    let body = json!({ "messages": talk, "user_id": "ada", "run_id": "talk" });
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(added["results"].as_array().unwrap().len(), 1, "{added}");
    assert_eq!(
        (&added["results"][0]["memory"], &added["results"][0]["event"]),
        (&json!("Ada lives in Lyon"), &json!("ADD"))
    );
    assert_eq!(model.asked().len(), 1);
    let listed = call(&server, &all, "GET", "/memories?user_id=ada&run_id=talk", None).json();
    assert_eq!(listed["results"][0]["id"], added["results"][0]["id"], "{listed}");
    assert_eq!(listed["results"].as_array().unwrap().len(), 1, "turns are none of them: {listed}");
    // Without `infer`, and under a profile that asks no model, messages are kept as they are.
    let body = json!({ "messages": talk, "user_id": "ada", "infer": false });
    let added = call(&server, &all, "POST", "/memories", Some(&body)).json();
    assert_eq!(added["results"].as_array().map(Vec::len), Some(2), "{added}");
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
        let body = said(&format!("Fact number {number} of Ada."), &json!({ "user_id": "ada" }));
        call(&server, &all, "POST", "/v3/memories/add/", Some(&body));
    }
    let asked = json!({ "filters": { "AND": [{ "user_id": "ada" }] } });
    let page =
        |number: u32| call(&server, &all, "POST", &format!("/v3/memories/?page={number}&page_size=2"), Some(&asked));
    let first = page(1).json();
    assert_eq!((&first["count"], &first["previous"]), (&json!(5), &Value::Null), "{first}");
    assert!(first["next"].as_str().unwrap().contains("page=2"), "{first}");
    assert_eq!(texts(&page(3)), ["Fact number 0 of Ada."]);
    assert_eq!(page(3).json()["next"], Value::Null);
    assert_eq!(page(0).problem(), "bad-query");
    let odd = json!({ "query": "x", "filters": { "user_id": "ada", "NOT": [{ "user_id": "ben" }] } });
    assert_eq!(call(&server, &all, "POST", "/v3/memories/search/", Some(&odd)).problem(), "bad-json");
    assert_eq!(call(&server, &all, "GET", "/v1/ping/", None).json()["status"], "ok");
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
        Some(&said("The safe opens with 4711.", &json!({ "user_id": "ben" }))),
    );
    let id = added.json()["results"][0]["id"].as_str().unwrap().to_owned();
    let ada = server.token_for(&["user:ada"], &[Right::Read, Right::Write, Right::Delete]);
    let path = format!("/memories/{id}");
    for (method, path, body) in [
        ("GET", path.as_str(), None),
        ("PUT", path.as_str(), Some(json!({ "text": "mine" }))),
        ("DELETE", path.as_str(), None),
        ("GET", &format!("{path}/history"), None),
    ] {
        assert_eq!(call(&server, &ada, method, path, body.as_ref()).problem(), "no-memory", "{method} {path}");
    }
    for (method, path, body) in [
        ("GET", "/memories?user_id=ben", None),
        ("DELETE", "/memories?user_id=ben", None),
        ("POST", "/search", Some(json!({ "query": "safe", "user_id": "ben" }))),
        ("POST", "/v3/memories/", Some(json!({ "filters": { "user_id": "ben" } }))),
        ("POST", "/memories", Some(said("mine", &json!({ "user_id": "ben" })))),
        ("POST", "/memories", Some(said("mine", &json!({ "agent_id": "ada" })))),
    ] {
        assert_eq!(call(&server, &ada, method, path, body.as_ref()).problem(), "other-namespace", "{method} {path}");
    }
    let reader = server.token_for(&["user:ben"], &[Right::Read]);
    assert_eq!(call(&server, &reader, "GET", &path, None).json()["id"], json!(id));
    assert_eq!(call(&server, &reader, "DELETE", &path, None).problem(), "no-right");
    // mem0's own server takes its key by another name.
    let named = server.call_with(&[("X-API-Key", &reader)], "GET", &path, None);
    assert_eq!(named.status, 200);
    assert_eq!(server.call_with(&[("X-API-Key", "wrong")], "GET", &path, None).problem(), "bad-token");
    assert_eq!(server.call_with(&[], "GET", &path, None).problem(), "no-token");
}

#[test]
fn the_routes_and_their_keys_are_there_only_when_they_are_asked_for() {
    let server = Served::start();
    assert_eq!(server.call("GET", "/memories?user_id=ada", None).problem(), "no-route");
    assert_eq!(call(&server, &server.token, "GET", "/v1/namespaces", None).problem(), "bad-token");
    assert_eq!(server.call_with(&[("X-API-Key", &server.token)], "GET", "/v1/namespaces", None).problem(), "no-token");
}
