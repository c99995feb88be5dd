//! Every route asks for the right that its description names, and for no more.

use annals::{Clock as _, SystemClock};
use annals_server::{Right, TokenStore};
use serde_json::{Value, json};

use crate::client::{Served, grant};

struct Operation {
    method: String,
    path: String,
    /// The rights that it needs; none for a route that anybody may call.
    rights: Option<Vec<String>>,
}

fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(annals_server::document()).unwrap();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, one)| one["responses"].is_object())
        {
            let security = operation["security"].as_array();
            let token =
                security.and_then(|all| all.iter().find_map(|one| one.get("token")).cloned());
            let rights = match (&token, security) {
                (Some(Value::Array(rights)), _) => Some(
                    rights
                        .iter()
                        .map(|right| right.as_str().unwrap().to_owned())
                        .collect(),
                ),
                (_, Some(_)) => Some(Vec::new()),
                _ => None,
            };
            all.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                rights,
            });
        }
    }
    all
}

fn path_of(operation: &Operation, namespace: &str, id: &str) -> String {
    let path = operation
        .path
        .replace("{ns}", namespace)
        .replace("{id}", id);
    path.replace("{session}", "monday")
        .replace("{number}", "7")
        .replace("{token}", "0123abcd")
}

/// Paths that tell nothing of any memory.
const OPEN: [&str; 4] = ["/healthz", "/readyz", "/openapi.json", "/login"];

#[test]
fn whoever_brings_no_token_gets_nothing() {
    let served = Served::start();
    let id = served.add("mine", "Ada likes tea");
    for operation in operations() {
        let path = path_of(&operation, "mine", &id);
        if operation.rights.is_none() {
            assert!(OPEN.contains(&operation.path.as_str()), "{path} is open");
            continue;
        }
        for token in [None, Some("annals_guess"), Some("")] {
            let header = token.map(|token| ("Authorization", format!("Bearer {token}")));
            let headers: Vec<(&str, &str)> = header
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let reply = served.call_with(&headers, &operation.method, &path, Some(&json!({})));
            assert_eq!(
                reply.status, 401,
                "{} {path}: {}",
                operation.method, reply.body
            );
            assert!(!reply.body.contains("tea"), "{}", reply.body);
        }
    }
}

#[test]
fn a_route_needs_the_rights_that_its_description_names_and_no_other() {
    let memory = annals::Options::new().in_memory().unwrap();
    let tokens = TokenStore::in_memory();
    let make = |rights: &[Right]| {
        let grant = grant(&["*"], rights);
        tokens
            .create(
                annals_server::NewToken {
                    name: "t".into(),
                    grant,
                    expires_at: None,
                },
                SystemClock.now(),
            )
            .unwrap()
            .1
    };
    let all = make(&Right::ALL);
    let without: Vec<(Right, String)> = Right::ALL
        .into_iter()
        .map(|right| {
            let rest: Vec<Right> = Right::ALL
                .into_iter()
                .filter(|other| *other != right)
                .collect();
            (right, make(&rest))
        })
        .collect();
    let served = Served::with(memory, tokens, (all, String::new()), |http| http);
    let id = served.add("mine", "Ada likes tea");
    for operation in operations() {
        let Some(rights) = &operation.rights else {
            continue;
        };
        for (lacking, token) in &without {
            // An id that is not there: what is allowed changes nothing.
            let path = path_of(&operation, "other", "01a21fd2-0b96-746d-9d8a-dd21e7072fd6");
            let reply = served.call_as(token, &operation.method, &path, Some(&json!({})));
            let refused = reply.status == 403 && reply.problem() == "no-right";
            let needed = rights.iter().any(|right| right == lacking.as_str());
            assert_eq!(
                refused, needed,
                "{} {path} without {lacking}: {}",
                operation.method, reply.body
            );
        }
    }
    assert_eq!(
        served
            .call("GET", &format!("/v1/namespaces/mine/memories/{id}"), None)
            .status,
        200
    );
}

#[test]
fn a_token_of_one_namespace_gets_at_no_other_by_any_route() {
    let served = Served::start();
    let id = served.add("theirs", "Eve keeps an accordion");
    let before = served
        .memory
        .namespace("theirs")
        .unwrap()
        .admin()
        .events(0, 100)
        .unwrap()
        .len();
    let names = [
        "theirs",
        "mine%2F..%2Ftheirs",
        "mine/../theirs",
        "theirs%00",
        "MINE",
        "mine%20",
        "%6dine%2f",
        "*",
        "mine*",
    ];
    for operation in operations()
        .iter()
        .filter(|operation| operation.path.contains("{ns}"))
    {
        for name in names {
            let path = path_of(operation, name, &id);
            let reply = served.call_as(&served.mine, &operation.method, &path, Some(&json!({})));
            assert!(
                [403, 404, 405].contains(&reply.status),
                "{} {path}: {} {}",
                operation.method,
                reply.status,
                reply.body
            );
            assert!(!reply.body.contains("accordion"), "{path}: {}", reply.body);
        }
        // The id of another namespace leads nowhere in the own one.
        if operation.path.contains("{id}") {
            let path = path_of(operation, "mine", &id);
            let reply = served.call_as(&served.mine, &operation.method, &path, Some(&json!({})));
            assert!(
                [400, 403, 404].contains(&reply.status),
                "{} {path}: {}",
                operation.method,
                reply.body
            );
        }
    }
    let listed = served
        .call_as(&served.mine, "GET", "/v1/namespaces", None)
        .json();
    assert_eq!(listed["namespaces"], json!([]));
    assert_eq!(
        served
            .call_as(&served.mine, "GET", "/v1/stats", None)
            .problem(),
        "other-namespace"
    );
    let after = served
        .memory
        .namespace("theirs")
        .unwrap()
        .admin()
        .events(0, 100)
        .unwrap()
        .len();
    assert_eq!(before, after);
}

#[test]
fn a_link_lets_one_browser_in_and_its_cookie_serves_no_other_page() {
    let served = Served::start();
    let path = served
        .link
        .split_once(&served.address.to_string())
        .unwrap()
        .1
        .to_owned();
    // A program that looks at the link first does not use it up.
    let looked = served.call_with(&[], "HEAD", &path, None);
    assert_eq!((looked.status, looked.header("set-cookie")), (204, None));
    let entered = served.call_with(&[], "GET", &path, None);
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, Some("/"))
    );
    let set = entered.header("set-cookie").unwrap();
    assert!(
        set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"),
        "{set}"
    );
    let cookie = set.split(';').next().unwrap().to_owned();
    assert_eq!(
        served.call_with(&[], "GET", &path, None).problem(),
        "bad-link",
        "a link works once"
    );
    let browser = [("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")];
    let shown = served.call_with(&browser, "GET", &path, None);
    assert_eq!(
        (shown.status, shown.header("location")),
        (303, Some("/?reason=used-link"))
    );
    assert_eq!(shown.header("set-cookie"), None);

    let own = format!("http://{}", served.address);
    let memories = "/v1/namespaces/mine/memories";
    let new = json!({"text": "Ada likes tea"});
    let with = |more: &[(&str, &str)], method: &str, body: Option<&Value>| {
        served.call_with(
            &[&[("Cookie", cookie.as_str())], more].concat(),
            method,
            memories,
            body,
        )
    };
    assert_eq!(with(&[("Origin", &own)], "POST", Some(&new)).status, 201);
    assert_eq!(
        with(&[("Sec-Fetch-Site", "same-origin")], "GET", None).status,
        200
    );
    assert_eq!(with(&[("Sec-Fetch-Site", "none")], "GET", None).status, 200);
    // Pages of another server, of another port of this machine, and of nowhere.
    for origin in [
        "https://evil.example",
        "http://127.0.0.1:9",
        "null",
        "http://localhost",
    ] {
        assert_eq!(
            with(&[("Origin", origin)], "POST", Some(&new)).problem(),
            "other-origin",
            "{origin}"
        );
        assert_eq!(
            with(&[("Origin", origin)], "GET", None).problem(),
            "other-origin",
            "{origin}"
        );
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(
            with(&[("Sec-Fetch-Site", site)], "GET", None).problem(),
            "other-origin",
            "{site}"
        );
    }
    assert_eq!(
        with(&[], "POST", Some(&new)).problem(),
        "other-origin",
        "a write names its origin"
    );
    assert_eq!(
        with(&[("Sec-Fetch-Site", "none")], "POST", Some(&new)).problem(),
        "other-origin"
    );

    let headers = [("Cookie", cookie.as_str()), ("Origin", own.as_str())];
    assert_eq!(
        served
            .call_with(&headers, "POST", "/v1/logout", None)
            .status,
        204
    );
    assert_eq!(with(&[("Origin", &own)], "GET", None).problem(), "no-token");
}

#[test]
fn a_revoked_or_expired_token_lets_nobody_in() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("a.annals");
    let program = TokenStore::beside(&database);
    let new = |name: &str, expires_at| annals_server::NewToken {
        name: name.to_owned(),
        grant: grant(&["mine"], &[Right::Read]),
        expires_at,
    };
    let now = SystemClock.now();
    let (info, token) = program.create(new("bot", None), now).unwrap();
    let (_, short) = program
        .create(new("short", Some(now.plus_millis(1))), now)
        .unwrap();
    let memory = annals::Options::new().in_memory().unwrap();
    let served = Served::with(
        memory,
        TokenStore::beside(&database),
        (token.clone(), String::new()),
        |http| http,
    );
    assert_eq!(
        served
            .call("GET", "/v1/namespaces/mine/memories", None)
            .status,
        200
    );
    while SystemClock.now() <= now.plus_millis(1) {
        std::thread::yield_now();
    }
    assert_eq!(
        served
            .call_as(&short, "GET", "/v1/namespaces/mine/memories", None)
            .problem(),
        "bad-token"
    );
    program.revoke(&info.id).unwrap();
    assert_eq!(
        served
            .call("GET", "/v1/namespaces/mine/memories", None)
            .problem(),
        "bad-token"
    );
}

#[test]
fn a_token_is_made_listed_and_revoked_over_http_with_no_more_rights_than_its_maker() {
    let served = Served::start();
    let body = json!({"name": "bot", "namespaces": ["user:*"], "rights": ["read"]});
    let made = served.call("POST", "/v1/tokens", Some(&body));
    assert_eq!(made.status, 201, "{}", made.body);
    let (secret, token) = (
        made.json()["secret"].as_str().unwrap().to_owned(),
        made.json()["token"].clone(),
    );
    assert_eq!(
        served
            .call_as(&secret, "GET", "/v1/namespaces/user%3A1/memories", None)
            .status,
        200
    );
    assert_eq!(
        served
            .call_as(&secret, "GET", "/v1/namespaces/mine/memories", None)
            .problem(),
        "other-namespace"
    );
    let listed = served.call("GET", "/v1/tokens", None);
    assert!(
        listed.json()["tokens"].as_array().unwrap().contains(&token)
            && !listed.body.contains(&secret)
    );
    let admin = json!({"name": "lesser", "namespaces": ["*"], "rights": ["read", "admin"]});
    let lesser = served.call("POST", "/v1/tokens", Some(&admin)).json()["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    let more = json!({"name": "more", "namespaces": ["*"], "rights": ["delete"]});
    assert_eq!(
        served
            .call_as(&lesser, "POST", "/v1/tokens", Some(&more))
            .problem(),
        "no-right"
    );
    let one = format!("/v1/tokens/{}", token["id"].as_str().unwrap());
    assert_eq!(served.call("DELETE", &one, None).status, 204);
    assert_eq!(served.call("DELETE", &one, None).problem(), "not-found");
    assert_eq!(
        served
            .call_as(&secret, "GET", "/v1/namespaces/user%3A1/memories", None)
            .problem(),
        "bad-token"
    );
    assert_eq!(
        served
            .call(
                "POST",
                "/v1/tokens",
                Some(&json!({"name": "x", "namespaces": [], "rights": []}))
            )
            .status,
        400
    );
}

#[test]
fn whoever_may_not_read_is_answered_without_texts() {
    let served = Served::start();
    let text = "Eve keeps an accordion";
    let id = served.add("user:7", text);
    let space = "/v1/namespaces/user%3A7";
    let blind = served.token_for(&["user:7"], &[Right::Write, Right::Delete]);
    let one = format!("{space}/memories/{id}");
    let sold = served.add("user:7", "Ben sold an old accordion on Tuesday");
    let (all, listed) = (
        json!({"filter": {}, "dry_run": true}),
        json!({"list": id, "dry_run": true}),
    );
    let plan = |action: &str| json!({"action": action, "ids": [id], "dry_run": true});
    let calls = [
        ("POST", format!("{space}/memories"), json!({ "text": text })),
        ("PATCH", one.clone(), json!({})),
        ("POST", format!("{one}/forget"), json!({})),
        ("POST", format!("{one}/archive"), json!({})),
        ("POST", format!("{one}/restore"), json!({})),
        ("DELETE", format!("{one}?dry_run=true"), json!({})),
        ("POST", format!("{space}/bulk/forget"), all.clone()),
        ("POST", format!("{space}/bulk/delete"), all),
        ("POST", format!("{space}/bulk"), plan("delete")),
        ("POST", format!("{space}/bulk/delete-listed"), listed),
        ("DELETE", format!("/api/memories/{id}"), json!({})),
        ("POST", format!("/api/memories/{id}/restore"), json!({})),
        ("POST", "/api/memories".into(), json!({ "content": text })),
        ("POST", format!("{space}/memories/{sold}/undo"), json!({})),
    ];
    for (method, path, body) in &calls {
        let reply = served.call_as(&blind, method, path, Some(body));
        assert!(reply.status < 300, "{method} {path}: {}", reply.body);
        assert!(
            !reply.body.contains("accordion"),
            "{method} {path}: {}",
            reply.body
        );
    }
    // Without the right no route of theirs tells the text, whatever it is asked.
    let id = served.add("user:7", "Eve plays the accordion at night");
    for operation in operations() {
        let path = path_of(&operation, "user%3A7", &id);
        let reply = served.call_as(&blind, &operation.method, &path, Some(&json!({})));
        assert!(
            !reply.body.contains("accordion"),
            "{} {path}: {}",
            operation.method,
            reply.body
        );
    }
}

#[test]
fn a_token_that_a_token_makes_ends_no_later_than_its_maker() {
    let served = Served::start();
    let (soon, late) = ("2199-01-01T00:00:00Z", "2200-01-01T00:00:00Z");
    let of = |end: Option<&str>| json!({"name": "t", "namespaces": ["*"], "rights": ["admin"], "expires_at": end});
    let made = served
        .call("POST", "/v1/tokens", Some(&of(Some(soon))))
        .json();
    let maker = made["secret"].as_str().unwrap();
    for (wanted, given) in [
        (None, soon),
        (Some(late), soon),
        (Some("2198-01-01T00:00:00Z"), "2198-01-01T00:00:00Z"),
    ] {
        let made = served.call_as(maker, "POST", "/v1/tokens", Some(&of(wanted)));
        assert_eq!(made.status, 201, "{}", made.body);
        let end = made.json()["token"]["expires_at"].clone();
        let parse = |text: &str| text.parse::<annals::Timestamp>().unwrap();
        assert_eq!(parse(end.as_str().unwrap()), parse(given), "{wanted:?}");
    }
    let endless = served.call("POST", "/v1/tokens", Some(&of(None))).json();
    assert_eq!(endless["token"].get("expires_at"), None, "{endless}");
}
