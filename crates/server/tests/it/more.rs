//! Conversations, prompts, bulk, background work, streams and counts.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use annals_server::Right;
use serde_json::{Value, json};

use crate::client::{Reply, Served};

const SPACE: &str = "/v1/namespaces/mine";

fn post(served: &Served, path: &str, body: &Value) -> Reply {
    served.call("POST", &format!("{SPACE}/{path}"), Some(body))
}

#[test]
fn turns_are_appended_and_read_by_conversation() {
    let served = Served::start();
    let turns = json!({"turns": [
        {"session": "monday", "text": "The demo is at ten.", "speaker": "Ada"},
        {"session": "monday", "text": "I will bring the projector.", "speaker": "Ben", "reply": "Noted."},
        {"session": "a/b c", "text": "Tea is out.", "role": "user", "time": "2026-03-01T10:00:00Z"},
    ]});
    let ids = post(&served, "turns", &turns);
    assert_eq!(
        ids.json()["ids"].as_array().unwrap().len(),
        3,
        "{}",
        ids.body
    );
    let sessions = served
        .call("GET", &format!("{SPACE}/sessions"), None)
        .json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 2);
    let read = served
        .call(
            "GET",
            &format!("{SPACE}/sessions/monday/turns?from=1"),
            None,
        )
        .json();
    assert_eq!(
        (&read["total"], &read["memories"][0]["turn"]["reply"]),
        (&json!(2), &json!("Noted.")),
        "{read}"
    );
    let odd = served
        .call("GET", &format!("{SPACE}/sessions/a%2Fb%20c/turns"), None)
        .json();
    assert_eq!(odd["memories"][0]["text"], json!("Tea is out."));
    let bad = post(
        &served,
        "turns",
        &json!({"turns": [{"session": "", "text": "x"}]}),
    );
    assert_eq!(bad.status, 400, "{}", bad.body);
}

#[test]
fn a_prompt_gets_what_fits_and_only_a_writer_counts_its_use() {
    let served = Served::start();
    let id = served.add("mine", "My cat is called Momo.");
    let ask = json!({"message": "What is my cat called?"});
    let context = post(&served, "context", &ask).json();
    assert!(
        context["text"].as_str().unwrap().contains("Momo"),
        "{context}"
    );
    assert_eq!(context["ids"], json!([id]));
    let used = post(&served, "memories/used", &json!({ "ids": [id] })).json();
    assert_eq!(used["used"].as_array().unwrap().len(), 1, "{used}");
    let none = post(
        &served,
        "memories/used",
        &json!({ "ids": ["01a21fd2-0b96-746d-9d8a-dd21e7072fd6"] }),
    );
    assert_eq!(none.problem(), "no-memory");
}

#[test]
fn many_are_hidden_and_deleted_by_a_filter_with_a_plan() {
    let served = Served::start();
    for n in 0..4 {
        let tag = if n % 2 == 0 { "even" } else { "odd" };
        let new = json!({"text": format!("note {n} about tea"), "tags": [tag]});
        assert_eq!(post(&served, "memories", &new).status, 201);
    }
    let even = json!({"filter": {"tags": ["even"]}, "dry_run": true});
    assert_eq!(
        post(&served, "bulk/forget", &even).json()["memories"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        served
            .call("GET", &format!("{SPACE}/memories"), None)
            .json()["total"],
        json!(4)
    );
    let even = json!({"filter": {"tags": ["even"]}});
    assert_eq!(
        post(&served, "bulk/forget", &even).json()["dry_run"],
        json!(false)
    );
    assert_eq!(
        served
            .call("GET", &format!("{SPACE}/memories"), None)
            .json()["total"],
        json!(2)
    );
    let forgotten = json!({"filter": {"statuses": ["forgotten"]}});
    assert_eq!(
        post(&served, "bulk/delete", &forgotten).json()["rows"],
        json!(2)
    );
    assert_eq!(
        post(&served, "bulk/delete", &json!({})).status,
        400,
        "without a filter nothing is deleted"
    );
    let queued = post(
        &served,
        "bulk/delete-later",
        &json!({"filter": {"tags": ["odd"]}}),
    );
    assert_eq!(queued.status, 202);
    assert!(queued.json()["number"].is_u64());
    served.memory.wait_idle().unwrap();
    served
        .memory
        .namespace("mine")
        .unwrap()
        .queue()
        .work_off()
        .unwrap();
    assert_eq!(
        served
            .call("GET", &format!("{SPACE}/memories"), None)
            .json()["total"],
        json!(0)
    );
    assert_eq!(
        served.call("GET", &format!("{SPACE}/queue"), None).json()["tasks"],
        json!([])
    );
    assert_eq!(
        served
            .call("DELETE", &format!("{SPACE}/queue/7"), None)
            .problem(),
        "not-found"
    );
}

#[test]
fn an_export_is_a_stream_that_comes_back_whole() {
    let served = Served::start();
    // More than the pieces that wait for a client.
    for n in 0..40 {
        served.add(
            "mine",
            &format!("note {n} {}", "tea and more of it ".repeat(1000)),
        );
    }
    let exported = served.call("GET", &format!("{SPACE}/export"), None);
    assert_eq!(
        exported.header("content-type"),
        Some("application/x-ndjson")
    );
    let lines = unchunked(&exported.body);
    assert!(
        lines
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
    let import = |namespace: &str, lines: &str| {
        sent(
            &served,
            &format!("/v1/namespaces/{namespace}/import"),
            "application/x-ndjson",
            lines.as_bytes(),
        )
    };
    assert_eq!(import("copy", &lines).json()["stored"], json!(40));
    assert_eq!(import("copy", &lines).json()["already_there"], json!(40));
    let list = |name: &str| {
        served
            .call(
                "GET",
                &format!("/v1/namespaces/{name}/memories?limit=50"),
                None,
            )
            .json()
    };
    assert_eq!(list("copy"), list("mine"));
    let bad = import("other", "no JSON\n");
    assert_eq!((bad.status, bad.problem()), (400, "bad-value".into()));
    assert!(
        bad.json()["detail"].as_str().unwrap().contains("line 1"),
        "{}",
        bad.body
    );
    assert_eq!(
        served
            .call("GET", "/v1/namespaces/nobody/export", None)
            .problem(),
        "no-namespace"
    );
}

/// The answer to bytes that are sent as they are.
fn sent(served: &Served, path: &str, media: &str, bytes: &[u8]) -> Reply {
    sent_as(served, &served.token, path, media, bytes)
}

fn sent_as(served: &Served, token: &str, path: &str, media: &str, bytes: &[u8]) -> Reply {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: {media}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        served.address,
        bytes.len()
    );
    served.send(&[head.as_bytes(), bytes].concat())
}

#[test]
fn an_import_of_somebody_who_may_only_write_brings_memories_and_nothing_that_deletes_or_governs() {
    let served = Served::start();
    let about = served.add("mine", "Ada likes tea");
    served.call("POST", &format!("{SPACE}/memories/{about}/forget"), None);
    served.add("other", "Ben likes coffee");
    let exported = served.call("GET", "/v1/namespaces/other/export", None);
    let exported = unchunked(&exported.body);
    let memory = exported
        .lines()
        .find(|line| line.contains("revisions"))
        .unwrap();
    // Late enough that no background work takes it up within this test.
    let (at, next) = ("2026-01-01T00:00:00Z", "2200-01-01T00:00:00Z");
    let work = json!({"work": {"kind": "let_go", "about": about, "queued_at": at, "next": next}});
    let stale = json!({"stale": {"id": about, "since": at}});
    let profile = json!({"profile": "graph"});
    let lines = format!("{profile}\n{memory}\n{work}\n{stale}\n");
    let withheld = json!({"profile": 1, "work": 1, "stale": 1});
    let lets_go = || {
        let queue = served.call("GET", &format!("{SPACE}/queue"), None).json();
        let tasks = queue["tasks"].as_array().unwrap();
        tasks.iter().any(|task| task["kind"] == "let_go")
    };
    let import = |token: &str, path: &str, media: &str| {
        let reply = sent_as(&served, token, path, media, lines.as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    };
    let (stream, file) = (format!("{SPACE}/import"), format!("{SPACE}/import/file"));
    let done = import(&served.mine, &stream, "application/x-ndjson");
    assert_eq!((&done["stored"], &done["withheld"]), (&json!(1), &withheld));
    let done = import(&served.mine, &file, "application/octet-stream");
    assert_eq!(
        (&done["already_there"], &done["withheld"], &done["skipped"]),
        (&json!(1), &withheld, &json!(0))
    );
    // Neither of both rights is enough by itself.
    for right in [Right::Admin, Right::Delete] {
        let token = served.token_for(&["mine"], &[Right::Write, right]);
        let done = import(&token, &stream, "application/x-ndjson");
        assert_eq!(done["withheld"], withheld, "{right}");
    }
    assert!(!lets_go());
    // A profile of a namespace that is not there yet is no more theirs to say.
    let writer = served.token_for(&["fresh"], &[Right::Write]);
    import(
        &writer,
        "/v1/namespaces/fresh/import",
        "application/x-ndjson",
    );
    let fresh = served.call("GET", "/v1/namespaces/fresh/profile", None);
    assert_ne!(fresh.json()["profile"], json!("graph"));
    // Whoever may do what such lines do restores an export as a whole.
    let done = import(&served.token, &stream, "application/x-ndjson");
    assert_eq!(done.get("withheld"), None, "{done}");
    assert!(lets_go());
}

#[test]
fn an_import_ends_once_its_token_is_revoked() {
    let mut limits = annals_server::Limits::default();
    limits.recheck = std::time::Duration::ZERO;
    let served = Served::limited(limits);
    let token = served.token_for(&["mine"], &[Right::Write]);
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream
        .set_read_timeout(Some(std::time::Duration::from_secs(30)))
        .unwrap();
    let head = format!(
        "POST {SPACE}/import?format=turns HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\
         Expect: 100-continue\r\nConnection: close\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The server asks for the body once it has let the request in.
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    let tokens = served.call("GET", "/v1/tokens", None).json();
    let id = tokens["tokens"].as_array().unwrap().last().unwrap()["id"].clone();
    let one = format!("/v1/tokens/{}", id.as_str().unwrap());
    assert_eq!(served.call("DELETE", &one, None).status, 204);
    let line = "{\"session\":\"s\",\"text\":\"Ada likes tea\"}\n";
    let chunk = format!("{:x}\r\n{line}\r\n0\r\n\r\n", line.len());
    stream.write_all(chunk.as_bytes()).unwrap();
    let mut answer = String::new();
    let _closed = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert!(answer.contains("bad-token"), "{answer}");
    assert!(served.memory.namespaces().unwrap().is_empty());
}

#[test]
fn a_file_of_another_program_is_tried_and_then_taken() {
    let served = Served::start();
    let file = |query: &str, bytes: &[u8]| {
        sent(
            &served,
            &format!("{SPACE}/import/file?name=talk.json{query}"),
            "application/octet-stream",
            bytes,
        )
    };
    let talk = br#"[{"role":"user","content":"I moved to Lisbon."},{"role":"assistant","content":"Noted."}]"#;
    let tried = file("&dry_run=true", talk).json();
    assert_eq!(
        (&tried["formats"], &tried["stored"]),
        (&json!(["messages"]), &json!(2)),
        "{tried}"
    );
    assert_eq!(
        served
            .call("GET", &format!("{SPACE}/memories"), None)
            .json()["total"],
        json!(0)
    );
    assert_eq!(file("", talk).json()["stored"], json!(2));
    assert_eq!(file("", talk).json()["already_there"], json!(2));
    let notes = file("", b"# Garden\n\n- the roses are watered on Friday\n").json();
    assert_eq!(
        (&notes["formats"], &notes["skipped"]),
        (&json!(["notes"]), &json!(0)),
        "{notes}"
    );
    let picture = file("", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    assert_eq!(picture.status, 400, "{}", picture.body);
    assert!(
        picture.json()["detail"]
            .as_str()
            .unwrap()
            .contains("picture"),
        "{}",
        picture.body
    );
}

#[test]
fn work_of_a_number_that_nobody_has_is_not_there() {
    let served = Served::start();
    served.add("mine", "Ada keeps bees");
    let order = json!({ "filter": { "kinds": ["note"] } });
    let first = served
        .call("POST", &format!("{SPACE}/bulk/delete-later"), Some(&order))
        .json();
    assert_eq!(first["number"], 1, "work is counted from 1");
    for (method, path) in [
        ("POST", "queue/0/retry"),
        ("DELETE", "queue/0"),
        ("POST", "queue/99/retry"),
    ] {
        assert_eq!(
            served
                .call(method, &format!("{SPACE}/{path}"), None)
                .problem(),
            "not-found",
            "{method} {path}"
        );
    }
}

#[test]
fn files_of_a_form_are_taken_together() {
    let served = Served::start();
    let path = format!("{SPACE}/import/file");
    let part = |named: &str, text: &str| {
        format!("--edge\r\nContent-Disposition: form-data; {named}\r\n\r\n{text}\r\n")
    };
    let form = |parts: &[String], query: &str| {
        let body = format!("{}--edge--\r\n", parts.concat());
        sent(
            &served,
            &format!("{path}{query}"),
            "multipart/form-data; boundary=edge",
            body.as_bytes(),
        )
    };
    let talk = part(
        "name=\"file\"; filename=\"talk.json\"",
        r#"[{"role":"user","content":"I moved to Lisbon."}]"#,
    );
    let notes = part(
        "name=\"file\"; filename=\"garden.md\"",
        "# Garden\n\n- the roses are watered on Friday\n",
    );
    let both = [talk.clone(), notes];
    let tried = form(&both, "?dry_run=true").json();
    assert_eq!(
        (&tried["formats"], &tried["stored"]),
        (&json!(["messages", "notes"]), &json!(2)),
        "{tried}"
    );
    assert_eq!(
        served
            .call("GET", &format!("{SPACE}/memories"), None)
            .json()["total"],
        json!(0)
    );
    assert_eq!(form(&both, "").json()["stored"], json!(2));
    assert_eq!(form(&both, "").json()["already_there"], json!(2));
    let text = part("name=\"note\"", "no file");
    for (parts, why) in [
        (vec![talk.clone(), text], "no file"),
        (Vec::new(), "no file"),
    ] {
        let refused = form(&parts, "");
        assert_eq!(
            (refused.status, refused.problem()),
            (400, "bad-form".to_owned()),
            "{}",
            refused.body
        );
        assert!(
            refused.json()["detail"].as_str().unwrap().contains(why),
            "{}",
            refused.body
        );
    }
    // It breaks off inside of a part.
    let torn = sent(
        &served,
        &path,
        "multipart/form-data; boundary=edge",
        &talk.as_bytes()[..talk.len() - 9],
    );
    assert_eq!(torn.problem(), "bad-form");
    let unbound = sent(&served, &path, "multipart/form-data", talk.as_bytes());
    assert_eq!(unbound.problem(), "bad-form");
    // A part of more than two million bytes, and nothing of a form that is too long as a whole.
    let long = format!("# Long\n\n- {}\n", "word ".repeat(30));
    let long = long.repeat(20_000);
    assert!(long.len() > 2 << 20);
    let done = form(
        &[part("name=\"file\"; filename=\"long.md\"", &long)],
        "?dry_run=true",
    );
    assert_eq!(done.status, 200, "{}", done.body);
}

#[test]
fn a_file_that_breaks_off_is_not_called_too_large() {
    let served = Served::start();
    for media in [
        "application/octet-stream",
        "multipart/form-data; boundary=edge",
    ] {
        let head = format!(
            "POST {SPACE}/import/file HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: {media}\r\n\
             Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
            served.address, served.token
        );
        let start = "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\n- tea\r\n";
        // The next piece has no length.
        let body = format!("{:x}\r\n{start}\r\nno length\r\n", start.len());
        let broken = served.send(format!("{head}{body}").as_bytes());
        assert_eq!(
            (broken.status, broken.problem()),
            (400, "broken-off".to_owned()),
            "{media}: {}",
            broken.body
        );
    }
}

#[test]
fn files_wait_for_their_turn_like_other_imports() {
    let mut limits = annals_server::Limits::default();
    limits.streams = 0;
    let served = Served::limited(limits);
    let path = format!("{SPACE}/import/file?name=notes.md");
    let refused = sent(
        &served,
        &path,
        "application/octet-stream",
        b"- Ada likes tea\n",
    );
    assert_eq!(
        (refused.status, refused.problem()),
        (503, "busy".to_owned()),
        "{}",
        refused.body
    );
}

/// The body of an answer in chunks.
fn unchunked(body: &str) -> String {
    let (mut rest, mut whole) = (body, String::new());
    while let Some((length, more)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap();
        if length == 0 {
            break;
        }
        whole.push_str(&more[..length]);
        rest = &more[length + 2..];
    }
    whole
}

#[test]
fn things_and_their_neighbours_are_told_one_step_at_a_time() {
    use annals::graph::Assertion;
    let served = Served::start();
    let space = served.memory.namespace("mine").unwrap();
    let said = [
        Assertion::new("Ada", "works_at", "Acme"),
        Assertion::new("Acme", "lies_in", "Berlin"),
    ];
    space
        .graph()
        .remember("Ada works at Acme in Berlin.", &said)
        .unwrap();
    let named = served
        .call("GET", &format!("{SPACE}/graph/entities?name=Acme"), None)
        .json();
    let number = &named["entities"][0]["id"];
    let near = served
        .call(
            "GET",
            &format!("{SPACE}/graph/entities/{number}/neighbours"),
            None,
        )
        .json();
    let names: Vec<&str> = near["neighbours"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["entity"]["name"].as_str().unwrap())
        .collect();
    assert!(
        names.len() == 2 && names.contains(&"Ada") && names.contains(&"Berlin"),
        "{near}"
    );
    assert_eq!(
        served
            .call(
                "GET",
                &format!("{SPACE}/graph/entities/99/neighbours"),
                None
            )
            .problem(),
        "not-found"
    );
}

#[test]
fn a_namespace_is_given_another_profile_and_language() {
    let served = Served::start();
    served.add("mine", "Ada likes tea");
    let set = served.call(
        "PUT",
        &format!("{SPACE}/profile"),
        Some(&json!({"profile": "markdown"})),
    );
    assert_eq!(set.json(), json!({"profile": "markdown"}), "{}", set.body);
    assert_eq!(
        served.call("GET", &format!("{SPACE}/profile"), None).json(),
        json!({"profile": "markdown"})
    );
    let set = served.call(
        "PUT",
        &format!("{SPACE}/language"),
        Some(&json!({"language": "zh"})),
    );
    assert_eq!(set.json(), json!({"language": "zh"}));
    let bad = served.call(
        "PUT",
        &format!("{SPACE}/language"),
        Some(&json!({"language": "xx"})),
    );
    assert_eq!(bad.problem(), "not-found");
    let jobs = served.call("POST", "/v1/jobs/run", None).json();
    assert!(
        jobs["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .any(|job| job["profile"] == json!("markdown")),
        "{jobs}"
    );
}

#[test]
fn what_waits_for_a_person_is_listed_and_decided() {
    let served = Served::start();
    served.add("mine", "Ada likes tea");
    let waits = served.call("GET", &format!("{SPACE}/reviews"), None).json();
    assert_eq!(
        waits,
        json!({"pending": [], "proposals": [], "suspicions": []})
    );
    assert_eq!(
        served
            .call("GET", &format!("{SPACE}/decisions"), None)
            .json(),
        json!({"decisions": []})
    );
    let id = "01a21fd2-0b96-746d-9d8a-dd21e7072fd6";
    let verdict = json!({"kind": "decay", "verdict": "keep"});
    assert_eq!(
        post(&served, &format!("reviews/{id}"), &verdict).status,
        404
    );
    assert_eq!(
        post(&served, &format!("proposals/{id}/reject"), &json!({})).status,
        404
    );
    assert_eq!(
        served
            .call("POST", &format!("{SPACE}/decisions/7/undo"), None)
            .status,
        404
    );
}

#[test]
fn requests_are_counted_by_route_without_a_name_or_a_text() {
    let served = Served::start();
    let id = served.add("secret-project", "Ada likes tea");
    served.call(
        "GET",
        &format!("/v1/namespaces/secret-project/memories/{id}"),
        None,
    );
    let metrics = served.call("GET", "/metrics", None);
    let wanted = "annals_http_requests_total{method=\"GET\",route=\"/v1/namespaces/{ns}/memories/{id}\",status=\"200\"} 1";
    assert!(metrics.body.contains(wanted), "{}", metrics.body);
    assert!(
        metrics.body.contains("annals_memories 1"),
        "{}",
        metrics.body
    );
    for secret in ["secret-project", "tea", id.as_str(), served.token.as_str()] {
        assert!(!metrics.body.contains(secret), "{secret}: {}", metrics.body);
    }
}

#[test]
fn answers_are_compressed_for_clients_that_take_it() {
    let served = Served::start();
    served.add("mine", &"tea ".repeat(500));
    let token = format!("Bearer {}", served.token);
    let headers = [
        ("Authorization", token.as_str()),
        ("Accept-Encoding", "gzip"),
    ];
    let reply = served.call_with(&headers, "GET", &format!("{SPACE}/memories"), None);
    assert_eq!(
        (reply.status, reply.header("content-encoding")),
        (200, Some("gzip"))
    );
}

#[test]
fn a_page_of_a_named_origin_may_read_with_a_token_and_no_other() {
    let memory = annals::Options::new().in_memory().unwrap();
    let served = Served::over(memory, |http| http.origin("https://app.example.org"));
    let token = format!("Bearer {}", served.token);
    let get = |origin: &str| {
        let headers = [("Authorization", token.as_str()), ("Origin", origin)];
        served.call_with(&headers, "GET", &format!("{SPACE}/memories"), None)
    };
    let named = get("https://app.example.org");
    assert_eq!(
        named.header("access-control-allow-origin"),
        Some("https://app.example.org")
    );
    assert_eq!(
        named.header("access-control-allow-credentials"),
        None,
        "no cookies"
    );
    assert_eq!(get("https://evil.example").problem(), "other-origin");
    let asked = [
        ("Origin", "https://app.example.org"),
        ("Access-Control-Request-Method", "POST"),
    ];
    let preflight = served.call_with(&asked, "OPTIONS", &format!("{SPACE}/memories"), None);
    assert_eq!(
        (
            preflight.status,
            preflight.header("access-control-allow-origin")
        ),
        (200, Some("https://app.example.org"))
    );
}

#[test]
fn what_prompts_were_given_is_shown_with_reasons_until_the_memory_is_deleted() {
    let served = Served::start();
    let cat = served.add("mine", "My cat is called Momo.");
    served.add("mine", "The boiler was repaired in March.");
    let ask = json!({"message": "What is my cat called?", "agent": "tests", "session": "monday"});
    post(&served, "context", &ask);
    post(
        &served,
        "context",
        &json!({"message": "What is my cat called?", "peek": true}),
    );
    let injections = |query: &str| {
        served
            .call("GET", &format!("{SPACE}/injections{query}"), None)
            .json()
    };
    let found = injections("");
    assert_eq!(
        (&found["total"], &found["agents"]),
        (&json!(1), &json!(["tests"])),
        "{found}"
    );
    let injection = &found["injections"][0];
    assert_eq!(
        (&injection["agent"], &injection["session"]),
        (&json!("tests"), &json!("monday"))
    );
    let memory = &injection["memories"][0];
    assert_eq!(
        (&memory["id"], &memory["text"]),
        (&json!(cat), &json!("My cat is called Momo."))
    );
    assert!(memory["score"].as_f64().unwrap() > 0.3, "{memory}");
    assert!(
        !memory["reasons"].as_array().unwrap().is_empty(),
        "{memory}"
    );
    assert_eq!(injections(&format!("?memory={cat}"))["total"], json!(1));
    assert_eq!(injections("?agent=others")["total"], json!(0));
    assert_eq!(
        served
            .call("DELETE", &format!("{SPACE}/memories/{cat}"), None)
            .status,
        200
    );
    let left = injections("").to_string();
    assert!(!left.contains(&cat) && !left.contains("Momo"), "{left}");
}

#[test]
fn only_the_last_prompts_are_kept() {
    let served = Served::start();
    served.add("mine", "My cat is called Momo.");
    let space = served.memory.namespace("mine").unwrap();
    for number in 0..205 {
        let request = annals::ContextRequest::new("What is my cat called?");
        let _context = space
            .context(request.agent(format!("agent {number}")))
            .unwrap();
    }
    let found = served
        .call("GET", &format!("{SPACE}/injections?limit=1"), None)
        .json();
    assert_eq!(
        (&found["total"], &found["next"]),
        (&json!(200), &json!("1"))
    );
    assert_eq!(found["injections"][0]["agent"], json!("agent 204"));
}

#[test]
fn an_import_of_a_file_is_taken_back() {
    let served = Served::start();
    let kept = served.add("mine", "The boiler was repaired in March.");
    let file = "- Ada likes tea\n- Ada was born in May\n";
    let import = |query: &str| {
        let path = format!("{SPACE}/import/file?name=notes.md{query}");
        sent(&served, &path, "application/octet-stream", file.as_bytes()).json()
    };
    let tried = import("&dry_run=true");
    assert!(
        tried["stored"].as_u64().unwrap() > 0 && tried["began"].is_null(),
        "{tried}"
    );
    let runs = || served.call("GET", &format!("{SPACE}/imports"), None).json()["imports"].clone();
    assert_eq!(runs(), json!([]));
    let done = import("");
    assert_eq!(
        runs(),
        json!([{"began": done["began"], "memories": done["stored"]}])
    );
    let path = format!("{SPACE}/imports/{}", done["began"].as_str().unwrap());
    assert_eq!(
        served.call("DELETE", &path, None).json()["deleted"],
        done["stored"]
    );
    assert_eq!(
        (runs(), served.call("DELETE", &path, None).problem()),
        (json!([]), "not-found".into())
    );
    let left = served
        .call("GET", &format!("{SPACE}/memories"), None)
        .json();
    assert_eq!(
        (&left["total"], &left["memories"][0]["id"]),
        (&json!(1), &json!(kept))
    );
    assert_eq!(
        import("")["stored"],
        done["stored"],
        "the same file brings it again"
    );
}

#[test]
fn weights_are_tried_without_being_stored() {
    let served = Served::start();
    let said = served.add("mine", "The cat sleeps on the boiler.");
    let ask = |weights: Value| {
        post(
            &served,
            "memories/search",
            &json!({"query": "boiler cat", "weights": weights}),
        )
    };
    let words = ask(json!({"text": 1.0})).json();
    let parts = words["hits"][0]["reasons"]["parts"]
        .as_array()
        .unwrap()
        .clone();
    let gives = |feature: &str| {
        let part = parts.iter().find(|part| part["feature"] == feature);
        part.and_then(|part| part["contribution"].as_f64())
            .unwrap_or(0.0)
    };
    assert_eq!(words["hits"][0]["memory"]["id"], json!(said));
    assert!(
        gives("text") > 0.0 && gives("own") == 0.0 && gives("dense") == 0.0,
        "{words}"
    );
    let plain = post(&served, "memories/search", &json!({"query": "boiler cat"})).json();
    assert_ne!(plain["hits"][0]["score"], words["hits"][0]["score"]);
    assert_eq!(ask(json!({"text": 2.0})).status, 400);
    assert_eq!(
        ask(json!({"importance": 0.5})).status,
        400,
        "nothing is relevant"
    );
    assert_eq!(ask(json!({"nose": 0.5})).status, 400);
}

#[test]
fn growth_counts_every_memory_in_its_time() {
    let served = Served::start();
    let growth = || {
        served
            .call("GET", &format!("{SPACE}/growth?steps=10"), None)
            .json()["steps"]
            .clone()
    };
    assert_eq!(
        served
            .call("GET", &format!("{SPACE}/growth?steps=0"), None)
            .status,
        400
    );
    for (day, text) in [
        ("01", "Rain."),
        ("02", "Snow fell."),
        ("20", "The sun shone."),
    ] {
        let new = json!({"text": text, "event_time": format!("2026-01-{day}T10:00:00Z")});
        assert_eq!(post(&served, "memories", &new).status, 201);
    }
    let steps = growth();
    let steps = steps.as_array().unwrap();
    let counts: Vec<u64> = steps
        .iter()
        .map(|step| step["memories"].as_u64().unwrap())
        .collect();
    assert_eq!(
        (
            counts.iter().sum::<u64>(),
            counts[0],
            *counts.last().unwrap()
        ),
        (3, 2, 1)
    );
    assert!(steps.len() <= 11, "{counts:?}");
    assert!(steps.windows(2).all(|two| two[0]["to"] == two[1]["from"]));
}

#[test]
fn growth_begins_with_the_first_day_and_misses_no_century() {
    let served = Served::start();
    let remember = |text: &str, at: &str| {
        let reply = post(
            &served,
            "memories",
            &json!({ "text": text, "event_time": at }),
        );
        assert_eq!(reply.status, 201, "{}", reply.body);
    };
    let growth = |steps: u32| {
        let found = served
            .call("GET", &format!("{SPACE}/growth?steps={steps}"), None)
            .json();
        let steps = found["steps"].as_array().unwrap().clone();
        let counts: Vec<u64> = steps
            .iter()
            .map(|step| step["memories"].as_u64().unwrap())
            .collect();
        (counts, steps[0]["from"].as_str().unwrap().to_owned())
    };
    // The first moment of a day is of that day.
    remember("The year began.", "2026-01-01T00:00:00Z");
    assert_eq!(growth(10), (vec![1], "2026-01-01T00:00:00Z".to_owned()));
    remember("The second day ended.", "2026-01-02T23:59:59Z");
    assert_eq!(growth(10).0, [1, 1]);
    assert_eq!(growth(1).0, [2]);
    remember("A great grandmother was born.", "1815-12-10T08:00:00Z");
    remember("The vault is opened.", "2300-06-01T08:00:00Z");
    remember("The last moment of all.", "9999-12-29T23:59:59.999Z");
    for steps in [1, 7, 120] {
        let (counts, from) = growth(steps);
        assert_eq!(
            (counts.iter().sum::<u64>(), from.as_str()),
            (5, "1815-12-10T00:00:00Z"),
            "{counts:?}"
        );
        assert!(
            counts.len() <= usize::try_from(steps).unwrap(),
            "{counts:?}"
        );
    }
}

#[test]
fn changes_of_facts_tell_what_is_new_and_what_nothing_says_any_more() {
    use annals::graph::{Assertion, NewEntity};
    let clock = annals::ManualClock::new("2026-03-01T09:00:00Z".parse().unwrap());
    let memory = annals::Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    let served = Served::over(memory, |http| http);
    let space = served.memory.create_namespace("mine", "default").unwrap();
    let say = |text: &str, predicate: &str, thing: &str| {
        let id = space.remember(text).unwrap();
        let said = Assertion::new(NewEntity::new("Ada"), predicate, thing);
        let _said = space.graph().add_triples(id, &[said]).unwrap();
        id
    };
    let moved = say("I moved to Berlin", "lives in", "Berlin");
    say("Mantou is my cat", "has cat", "Mantou");
    clock.advance_millis(1000);
    let since = annals::Clock::now(&clock);
    clock.advance_millis(1000);
    say("I work at Fernlicht", "works at", "Fernlicht");
    space.forget(moved).unwrap();
    let found = served
        .call(
            "GET",
            &format!("{SPACE}/triples/changes?since={since}"),
            None,
        )
        .json();
    let changes: Vec<(String, String)> = found["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&one["change"]), text(&one["fact"]["predicate"]))
        })
        .collect();
    let expected = [("new", "works at"), ("gone", "lives in")];
    assert_eq!(
        changes,
        expected.map(|(a, b)| (a.to_owned(), b.to_owned())),
        "{found}"
    );
    assert_eq!((&found["total"], &found["all"]), (&json!(2), &json!(true)));
}

#[test]
fn a_prompt_of_few_tokens_says_what_found_no_room() {
    let served = Served::start();
    for text in [
        "My cat Momo likes fish.",
        "My cat Momo sleeps all day.",
        "My cat Momo is orange.",
    ] {
        served.add("mine", text);
    }
    let ask = |most: u32| {
        post(
            &served,
            "context",
            &json!({"message": "What about Momo?", "max_tokens": most, "peek": true}),
        )
        .json()
    };
    let (all, few) = (ask(0), ask(30));
    assert!(
        few["tokens"].as_u64().unwrap() <= 30 && few["tokens"].as_u64() < all["tokens"].as_u64()
    );
    assert!(few["left_out"].as_u64().unwrap() > 0, "{few}");
}

#[test]
fn what_ended_or_was_over_before_is_no_new_fact() {
    use annals::graph::{Assertion, ClaimEdit};
    let clock = annals::ManualClock::new("2026-03-01T09:00:00Z".parse().unwrap());
    let memory = annals::Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    let served = Served::over(memory, |http| http);
    let space = served.memory.create_namespace("mine", "default").unwrap();
    let say = |text: &str, said: Assertion, until: &str| {
        let id = space.remember(text).unwrap();
        let said = said.edit(ClaimEdit {
            valid_until: Some(until.parse().unwrap()),
            ..ClaimEdit::default()
        });
        let _said = space.graph().add_triples(id, &[said]).unwrap();
        id
    };
    say(
        "I live in Berlin until nine",
        Assertion::new("Ada", "lives in", "Berlin"),
        "2026-03-01T09:00:02Z",
    );
    let flat = say(
        "I rent a flat for long",
        Assertion::new("Ada", "rents", "a flat"),
        "2999-01-01T00:00:00Z",
    );
    clock.advance_millis(1000);
    let since = annals::Clock::now(&clock);
    clock.advance_millis(2000);
    say(
        "I lived in Kiel as a child",
        Assertion::new("Ada", "lived in", "Kiel"),
        "2019-01-01T00:00:00Z",
    );
    space.forget(flat).unwrap();
    let found = served
        .call(
            "GET",
            &format!("{SPACE}/triples/changes?since={since}"),
            None,
        )
        .json();
    let changes: Vec<_> = found["changes"].as_array().unwrap().iter().collect();
    let told: Vec<_> = changes
        .iter()
        .map(|one| (&one["change"], &one["fact"]["predicate"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("ended"), &json!("lives in")),
            (&json!("gone"), &json!("rents"))
        ],
        "{found}"
    );
    assert!(
        changes[0]["at"]
            .as_str()
            .unwrap()
            .starts_with("2026-03-01T09:00:02"),
        "{found}"
    );
    assert_eq!(
        changes[1]["at"],
        Value::Null,
        "its end is far away: {found}"
    );
}

#[test]
fn a_fact_that_another_name_said_already_is_no_new_one() {
    use annals::graph::Assertion;
    let clock = annals::ManualClock::new("2026-03-01T09:00:00Z".parse().unwrap());
    let memory = annals::Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    let served = Served::over(memory, |http| http);
    let space = served.memory.create_namespace("mine", "default").unwrap();
    let say = |text: &str, name: &str| {
        let id = space.remember(text).unwrap();
        let _said = space
            .graph()
            .add_triples(id, &[Assertion::new(name, "lives in", "Berlin")])
            .unwrap();
        id
    };
    let first = say("Ada moved to Berlin", "Ada");
    say("The countess has a house in Berlin", "The countess");
    let number = |name: &str| space.graph().entities(name).unwrap()[0].id;
    let _merge = space
        .graph()
        .merges()
        .merge(number("The countess"), number("Ada"), "one person")
        .unwrap();
    space.forget(first).unwrap();
    clock.advance_millis(1000);
    let since = annals::Clock::now(&clock);
    clock.advance_millis(1000);
    space.restore(first).unwrap();
    let found = served
        .call(
            "GET",
            &format!("{SPACE}/triples/changes?since={since}"),
            None,
        )
        .json();
    assert_eq!(
        (&found["total"], &found["all"]),
        (&json!(0), &json!(true)),
        "{found}"
    );
}
