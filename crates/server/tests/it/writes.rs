//! Writes that are sent twice, that cross each other, or that meet the end of the server.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::client::{Reply, Served};

const PATH: &str = "/v1/namespaces/mine/memories";

fn keyed(
    served: &Served,
    key: &str,
    method: &str,
    path: &str,
    body: Option<&serde_json::Value>,
) -> Reply {
    let token = format!("Bearer {}", served.token);
    served.call_with(
        &[("Authorization", &token), ("Idempotency-Key", key)],
        method,
        path,
        body,
    )
}

#[test]
fn a_write_with_a_key_is_carried_out_once() {
    let served = Served::start();
    let turn = json!({"text": "Ada likes tea"});
    let first = keyed(&served, "k1", "POST", PATH, Some(&turn));
    let id = first.json()["memory"]["id"].as_str().unwrap().to_owned();
    let again = keyed(&served, "k1", "POST", PATH, Some(&turn));
    // Without the key it would be `known` now.
    assert_eq!((first.json(), 201), (again.json(), again.status));
    assert_eq!(
        keyed(&served, "k1", "POST", PATH, Some(&json!({"text": "else"}))).problem(),
        "key-reused"
    );
    assert_eq!(
        keyed(&served, "k1", "POST", &format!("{PATH}/{id}/forget"), None).problem(),
        "key-reused"
    );

    let forget = format!("{PATH}/{id}/forget");
    keyed(&served, "k2", "POST", &forget, None);
    served.call("POST", &format!("{PATH}/{id}/restore"), None);
    // Sent again by a proxy, it must not hide what was brought back meanwhile.
    assert_eq!(
        keyed(&served, "k2", "POST", &forget, None).json()["status"],
        json!("active")
    );

    let edit = json!({"text": "Ada likes coffee"});
    keyed(&served, "k3", "PATCH", &format!("{PATH}/{id}"), Some(&edit));
    keyed(&served, "k3", "PATCH", &format!("{PATH}/{id}"), Some(&edit));
    assert_eq!(
        served
            .call("GET", &format!("{PATH}/{id}/history"), None)
            .json()["revisions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );

    let gone = keyed(&served, "k4", "DELETE", &format!("{PATH}/{id}"), None);
    let again = keyed(&served, "k4", "DELETE", &format!("{PATH}/{id}"), None);
    assert_eq!((gone.status, gone.json()), (200, again.json()));
    let long = "k".repeat(201);
    for bad in ["", &long] {
        assert_eq!(
            keyed(&served, bad, "POST", PATH, Some(&turn)).problem(),
            "bad-header"
        );
    }
}

#[test]
fn a_key_of_one_caller_is_not_that_of_another() {
    let served = Served::start();
    let mine = format!("Bearer {}", served.mine);
    let add = |token: &str, text: &str| {
        let headers = [("Authorization", token), ("Idempotency-Key", "same")];
        served.call_with(&headers, "POST", PATH, Some(&json!({ "text": text })))
    };
    assert_eq!(add(&mine, "Ada likes tea").status, 201);
    assert_eq!(
        add(&format!("Bearer {}", served.token), "Ben likes coffee").status,
        201
    );
}

#[test]
fn a_key_is_known_after_the_server_was_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    // Tokens outlive the server in their file, and the caller is the same one.
    let tokens = || annals_server::TokenStore::beside(&path);
    let new = annals_server::NewToken {
        name: "bot".into(),
        grant: annals_server::Grant::everything(),
        expires_at: None,
    };
    let (_, token) = tokens()
        .create(new, annals::Clock::now(&annals::SystemClock))
        .unwrap();
    for share in [false, true] {
        let text = json!({"text": format!("Ada likes tea {share}")});
        let serve = || {
            let memory = annals::Options::new().share(share).open(&path).unwrap();
            Served::with(memory, tokens(), (token.clone(), String::new()), |http| {
                http
            })
        };
        let mut one = serve();
        let first = keyed(&one, "k", "POST", PATH, Some(&text)).json();
        one.stop();
        drop(one);
        let mut two = serve();
        let again = keyed(&two, "k", "POST", PATH, Some(&text));
        assert_eq!(
            (again.status, again.json()),
            (201, first),
            "shared: {share}"
        );
        two.stop();
    }
}

#[test]
fn an_edit_of_what_somebody_else_changed_is_refused() {
    let served = Served::start();
    let one = format!("{PATH}/{}", served.add("mine", "Ada likes tea"));
    let read = served.call("GET", &one, None);
    let tag = read.header("etag").unwrap().to_owned();
    let edit = |tag: &str, text: &str| {
        let token = format!("Bearer {}", served.token);
        served.call_with(
            &[("Authorization", &token), ("If-Match", tag)],
            "PATCH",
            &one,
            Some(&json!({ "text": text })),
        )
    };
    let first = edit(&tag, "Ada likes coffee");
    assert_eq!(first.status, 200);
    assert_eq!(edit(&tag, "Ada likes milk").problem(), "changed");
    let next = first.header("etag").unwrap();
    assert_ne!(next, tag);
    assert_eq!(
        edit(&format!("\"x\", {next}"), "Ada likes milk").status,
        200
    );
    assert_eq!(edit("*", "Ada likes cocoa").status, 200);
    assert_eq!(edit("\"x\"", "Ada likes water").problem(), "changed");
}

#[test]
fn of_edits_that_cross_each_other_one_is_made() {
    let served = Served::start();
    let one = format!("{PATH}/{}", served.add("mine", "Ada likes tea"));
    let tag = served
        .call("GET", &one, None)
        .header("etag")
        .unwrap()
        .to_owned();
    let made = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (served, one, tag, made) = (&served, &one, &tag, &made);
            scope.spawn(move || {
                let token = format!("Bearer {}", served.token);
                let body = json!({ "text": format!("Ada likes drink {n}") });
                let reply = served.call_with(
                    &[("Authorization", &token), ("If-Match", tag)],
                    "PATCH",
                    one,
                    Some(&body),
                );
                if reply.status == 200 {
                    made.fetch_add(1, Ordering::Relaxed);
                } else {
                    assert_eq!(reply.problem(), "changed");
                }
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}

#[test]
fn what_was_acknowledged_before_the_end_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let mut served = Served::over(annals::Options::new().open(&path).unwrap(), |http| http);
    let acknowledged = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let served = &served;
                scope.spawn(move || {
                    let mut stored = Vec::new();
                    for n in 0.. {
                        let body = json!({ "text": format!("note {n} of worker {worker}") });
                        let reply = served.call("POST", PATH, Some(&body));
                        if reply.status != 201 {
                            break;
                        }
                        stored.push(reply.json()["memory"]["id"].as_str().unwrap().to_owned());
                        if worker == 0 && n == 20 {
                            served.end();
                        }
                    }
                    stored
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect::<Vec<_>>()
    });
    served.stop();
    drop(served);
    let memory = annals::Options::new().open(&path).unwrap();
    let space = memory.namespace("mine").unwrap();
    assert!(acknowledged.len() >= 20);
    for id in &acknowledged {
        assert!(space.get(id.parse().unwrap()).unwrap().is_some(), "{id}");
    }
}
