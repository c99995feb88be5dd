//! The life of a memory over HTTP.

use serde_json::json;

use crate::client::Served;

const PATH: &str = "/v1/namespaces/mine/memories";

#[test]
fn a_memory_is_added_found_edited_hidden_and_deleted() {
    let served = Served::start();
    let new = json!({"text": "Ada was born on May 3rd", "tags": ["family"], "metadata": {"a": [1, null, {"b": 2.5}]}});
    let added = served.call("POST", PATH, Some(&new));
    assert_eq!(
        (added.status, added.json()["admission"].clone()),
        (201, json!("new")),
        "{}",
        added.body
    );
    let id = added.json()["memory"]["id"].as_str().unwrap().to_owned();
    assert_eq!(added.json()["memory"]["metadata"], new["metadata"]);
    let again = served.call(
        "POST",
        PATH,
        Some(&json!({"text": "Ada was born on  May 3rd."})),
    );
    assert_eq!(
        (again.status, again.json()["admission"].clone()),
        (200, json!("known"))
    );
    assert_eq!(again.json()["memory"]["id"], json!(id));

    let found = served
        .call(
            "POST",
            &format!("{PATH}/search"),
            Some(&json!({"query": "When was Ada born?"})),
        )
        .json();
    let hit = &found["hits"][0];
    assert_eq!(hit["memory"]["id"], json!(id));
    let parts = hit["reasons"]["parts"].as_array().unwrap();
    let sum: f64 = parts
        .iter()
        .map(|part| part["contribution"].as_f64().unwrap())
        .sum();
    assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-4, "{hit}");
    assert_eq!(found["answered"]["likely"], json!(true));

    let one = format!("{PATH}/{id}");
    let edited = served.call(
        "PATCH",
        &one,
        Some(&json!({"text": "Ada was born on May 4th", "tags": []})),
    );
    assert_eq!(
        edited.json()["text"],
        json!("Ada was born on May 4th"),
        "{}",
        edited.body
    );
    let history = served.call("GET", &format!("{one}/history"), None).json();
    let texts: Vec<&str> = history["revisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["memory"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        ["Ada was born on May 3rd", "Ada was born on May 4th"]
    );

    assert_eq!(
        served.call("POST", &format!("{one}/forget"), None).json()["status"],
        json!("forgotten")
    );
    assert_eq!(served.call("GET", PATH, None).json()["total"], json!(0));
    assert_eq!(
        served
            .call("GET", &format!("{PATH}?status=forgotten"), None)
            .json()["total"],
        json!(1)
    );
    assert_eq!(
        served.call("POST", &format!("{one}/restore"), None).json()["status"],
        json!("active")
    );
    assert_eq!(
        served.call("POST", &format!("{one}/archive"), None).json()["status"],
        json!("archived")
    );
    assert_eq!(
        served.call("POST", &format!("{one}/undo"), None).json()["change"],
        json!("archived")
    );

    let plan = served
        .call("DELETE", &format!("{one}?dry_run=true"), None)
        .json();
    assert_eq!(
        (&plan["dry_run"], &plan["rows"]),
        (&json!(true), &json!(2)),
        "{plan}"
    );
    assert_eq!(
        plan["memories"][0]["text_start"],
        json!("Ada was born on May 4th")
    );
    assert_eq!(served.call("GET", &one, None).status, 200);
    let receipt = served.call("DELETE", &one, None);
    assert_eq!(receipt.json()["rows"], json!(2));
    assert!(
        !receipt.body.contains("born"),
        "a receipt of what is gone holds no text: {}",
        receipt.body
    );
    assert_eq!(served.call("GET", &one, None).problem(), "no-memory");
    assert_eq!(
        served
            .call("GET", &format!("{one}/history"), None)
            .problem(),
        "no-memory"
    );
}

#[test]
fn pages_follow_each_other_and_count_the_whole() {
    let served = Served::start();
    let ids: Vec<String> = (0..7)
        .map(|n| served.add("mine", &format!("Note {n} about tea")))
        .collect();
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = served
            .call("GET", &format!("{PATH}?limit=3&order=oldest{after}"), None)
            .json();
        assert_eq!(page["total"], json!(7));
        for memory in page["memories"].as_array().unwrap() {
            seen.push(memory["id"].as_str().unwrap().to_owned());
        }
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!("&after={next}");
    }
    assert_eq!(seen, ids);
}

#[test]
fn a_field_that_is_wrong_is_named_with_its_path() {
    let served = Served::start();
    let errors = |path: &str, body: serde_json::Value| {
        let reply = served.call("POST", path, Some(&body));
        (
            reply.status,
            reply.json()["errors"][0]["field"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let search = format!("{PATH}/search");
    let cases = [
        (PATH, json!({"text": 3}), "/text"),
        (PATH, json!({"text": "a", "tags": ["b", 4]}), "/tags/1"),
        (PATH, json!({"text": "a", "colour": "red"}), "/colour"),
        (PATH, json!({"text": "   "}), "/text"),
        (PATH, json!({"text": "a", "importance": -1}), "/importance"),
        (
            PATH,
            json!({"text": "a", "valid_from": "2026-02-30"}),
            "/valid_from",
        ),
        (
            PATH,
            json!({"text": "a", "valid_from": "2026-02-01", "valid_until": "2026-01-01"}),
            "/valid_until",
        ),
        (
            &search,
            json!({"query": "a", "filter": {"layers": ["deep"]}}),
            "/filter/layers/0",
        ),
        (&search, json!({"query": "a", "top_k": 0}), "/top_k"),
        (&search, json!({"query": ""}), "/query"),
    ];
    for (path, body, field) in cases {
        assert_eq!(
            errors(path, body.clone()),
            (400, field.to_owned()),
            "{body}"
        );
    }
    let reply = served.call("GET", &format!("{PATH}?limit=501"), None);
    assert_eq!(
        (reply.problem(), reply.json()["errors"][0]["field"].clone()),
        ("bad-query".into(), json!("limit"))
    );
    let reply = served.call("GET", &format!("{PATH}/no-id"), None);
    assert_eq!(
        (reply.problem(), reply.json()["errors"][0]["field"].clone()),
        ("bad-path".into(), json!("id"))
    );
}

#[test]
fn a_namespace_is_made_listed_and_deleted_with_a_plan() {
    let served = Served::start();
    let made = served.call(
        "PUT",
        "/v1/namespaces/user%3A1",
        Some(&json!({"profile": "studio"})),
    );
    assert_eq!(
        (made.status, made.json()["profile"].clone()),
        (201, json!("studio")),
        "{}",
        made.body
    );
    assert_eq!(
        served
            .call("PUT", "/v1/namespaces/user%3A1", Some(&json!({})))
            .problem(),
        "conflict"
    );
    assert_eq!(
        served
            .call("PUT", "/v1/namespaces/x", Some(&json!({"profile": "none"})))
            .problem(),
        "not-found"
    );
    served.add("user%3A1", "Ada likes tea");
    let listed = served.call("GET", "/v1/namespaces", None).json();
    assert_eq!(listed["namespaces"][0]["name"], json!("user:1"));
    let plan = served
        .call("DELETE", "/v1/namespaces/user%3A1?dry_run=true", None)
        .json();
    assert_eq!(plan["memories"], json!(1));
    assert_eq!(
        served.call("GET", "/v1/namespaces/user%3A1", None).json()["open"]["by_kind"]["preference"],
        json!(0)
    );
    assert_eq!(
        served
            .call("DELETE", "/v1/namespaces/user%3A1", None)
            .status,
        200
    );
    assert_eq!(
        served
            .call("GET", "/v1/namespaces/user%3A1", None)
            .problem(),
        "no-namespace"
    );
}

#[test]
fn why_a_memory_is_missing_and_what_was_known_then_is_told() {
    let served = Served::start();
    let id = served.add("mine", "Ada likes tea");
    let ask = |body: serde_json::Value| {
        served
            .call("POST", &format!("{PATH}/search"), Some(&body))
            .json()
    };
    served.call("POST", &format!("{PATH}/{id}/forget"), None);
    let why = ask(json!({"query": "what does Ada like?", "why_not": id}));
    assert_eq!(
        (&why["why_not"]["reason"], &why["why_not"]["condition"]),
        (&json!("filtered"), &json!("status")),
        "{why}"
    );
    let then = ask(json!({"query": "what does Ada like?", "as_of": "2020-01-01"}));
    assert_eq!(then["hits"], json!([]));
}

#[test]
fn a_client_that_reads_chinese_is_told_in_chinese_what_to_do() {
    let served = Served::start();
    let reply = served.call_with(&[("Accept-Language", "zh-CN,en;q=0.5")], "GET", PATH, None);
    assert_eq!(
        (reply.problem(), reply.header("content-language")),
        ("no-token".into(), Some("zh"))
    );
    assert_eq!(reply.json()["title"], json!("需要令牌"));
}

#[test]
fn a_body_that_is_no_json_is_told_apart_from_one_with_other_fields() {
    let served = Served::start();
    let send = |body: &str, language: &str| {
        let text = format!(
            "POST {PATH} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nAccept-Language: {language}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            served.address,
            served.token,
            body.len()
        );
        let reply = served.send(text.as_bytes());
        assert_eq!(reply.status, 400, "{}", reply.body);
        (reply.problem(), reply.json())
    };
    let (code, cut) = send("{\"text\": ", "en");
    assert_eq!(code, "bad-json");
    let detail = cut["detail"].as_str().unwrap();
    assert!(
        detail.contains("ends in the middle") && detail.contains("line 1"),
        "{cut}"
    );
    assert!(!cut["action"].as_str().unwrap().contains("field"), "{cut}");
    assert_eq!(cut.get("errors"), None, "{cut}");
    let (code, unknown) = send("{\"text\": \"a\", \"colour\": 1}", "en");
    assert_eq!(
        (code.as_str(), &unknown["title"]),
        ("unknown-field", &json!("There is no such field"))
    );
    // What is wrong is said in the language of the client as well.
    for (body, field, said) in [
        (
            "{\"text\": \"a\", \"colour\": 1}",
            "/colour",
            "没有字段 `colour`",
        ),
        ("{}", "", "缺少字段 `text`"),
        ("{\"text\": \" \"}", "/text", "文本为空"),
    ] {
        let (_, told) = send(body, "zh-CN");
        let detail = told["detail"].as_str().unwrap();
        assert!(detail.contains(said), "{told}");
        if !field.is_empty() {
            assert_eq!(told["errors"][0]["field"], field, "{told}");
            assert_eq!(told["errors"][0]["detail"], told["detail"], "{told}");
        }
    }
    let id = "01a21fd2-0b96-746d-9d8a-dd21e7072fd6";
    let headers = [
        ("Authorization", &*format!("Bearer {}", served.token)),
        ("Accept-Language", "zh"),
    ];
    let none = served.call_with(&headers, "GET", &format!("{PATH}/{id}"), None);
    assert_eq!(none.problem(), "no-memory");
    let told = none.json()["detail"].as_str().unwrap().to_owned();
    assert!(told.contains("没有记忆") && told.contains(id), "{told}");
}
