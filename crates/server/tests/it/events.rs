//! Events as they happen.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Served;

/// A client that follows events.
struct Follower(BufReader<TcpStream>);

#[derive(Debug)]
struct Told {
    id: Option<u64>,
    name: String,
    data: Value,
}

impl Follower {
    fn new(served: &Served, token: &str, path: &str, seen: Option<u64>) -> Self {
        let stream = TcpStream::connect(served.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let seen = seen.map_or_else(String::new, |seen| format!("Last-Event-ID: {seen}\r\n"));
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n{seen}\r\n",
            served.address
        );
        (&stream).write_all(head.as_bytes()).unwrap();
        let mut follower = Self(BufReader::new(stream));
        // The stream has begun once it says so; what happens from then on is told.
        while follower.line() != ": here" {}
        follower
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
        line.trim_end().to_owned()
    }

    #[track_caller]
    fn next(&mut self) -> Told {
        let begin = Instant::now();
        let mut told = Told {
            id: None,
            name: String::new(),
            data: Value::Null,
        };
        loop {
            let line = self.line();
            assert!(begin.elapsed() < Duration::from_secs(20), "nothing is told");
            if let Some(id) = line.strip_prefix("id: ") {
                told.id = Some(id.parse().unwrap());
            } else if let Some(name) = line.strip_prefix("event: ") {
                told.name = name.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                told.data = serde_json::from_str(data).unwrap();
                return told;
            }
        }
    }
}

#[test]
fn each_operation_is_told_once_in_order_with_the_memory() {
    let served = Served::start();
    served.add("mine", "Ben likes coffee");
    let mut follower = Follower::new(&served, &served.mine, "/v1/namespaces/mine/events", None);
    let id = served.add("mine", "Ada likes tea");
    let one = format!("/v1/namespaces/mine/memories/{id}");
    served.call("PATCH", &one, Some(&json!({"text": "Ada likes milk"})));
    for verb in ["forget", "restore", "archive"] {
        served.call("POST", &format!("{one}/{verb}"), None);
    }
    served.call("DELETE", &one, None);
    let told: Vec<Told> = (0..6).map(|_| follower.next()).collect();
    let names: Vec<&str> = told.iter().map(|one| one.name.as_str()).collect();
    let wanted = [
        "created", "updated", "deleted", "restored", "archived", "deleted",
    ];
    assert_eq!(names, wanted.map(|name| format!("memory.{name}")));
    let numbers: Vec<u64> = told.iter().map(|one| one.id.unwrap()).collect();
    assert_eq!(
        numbers,
        (1..=6).collect::<Vec<u64>>(),
        "without gaps, after the one before"
    );
    assert!(
        told.iter().all(|one| one.data["id"] == json!(id)),
        "{told:?}"
    );
    assert!(
        told[5].data.get("memory").is_none(),
        "what is deleted for good is not told: {:?}",
        told[5]
    );
}

#[test]
fn a_client_that_comes_back_is_told_what_it_missed() {
    let served = Served::start();
    let path = "/v1/namespaces/mine/events";
    for n in 0..100 {
        served.add("mine", &format!("note {n} about tea"));
    }
    let mut follower = Follower::new(&served, &served.mine, path, Some(9));
    let numbers: Vec<u64> = (0..90).map(|_| follower.next().id.unwrap()).collect();
    assert_eq!(numbers, (10..100).collect::<Vec<u64>>());
    // One that saw more than there is followed another file.
    let mut strange = Follower::new(&served, &served.mine, path, Some(99));
    served.add("mine", "note 100 about tea");
    assert_eq!(strange.next().id, Some(100));
}

#[test]
fn a_client_of_another_log_is_told_of_the_gap() {
    let served = Served::start();
    served.add("mine", "Ada likes tea");
    for seen in [500, u64::MAX] {
        told_of_the_gap(&served, seen);
    }
}

fn told_of_the_gap(served: &Served, seen: u64) {
    let stream = TcpStream::connect(served.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let head = format!(
        "GET /v1/namespaces/mine/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nLast-Event-ID: {seen}\r\n\r\n",
        served.address, served.mine
    );
    (&stream).write_all(head.as_bytes()).unwrap();
    let told = Follower(BufReader::new(stream)).next();
    assert_eq!(
        (told.name.as_str(), &told.data),
        ("gap", &json!({"next": 1}))
    );
}

#[test]
fn subscribers_are_limited_and_end_with_the_server() {
    let mut served = Served::start();
    let followers: Vec<Follower> = (0..64)
        .map(|_| Follower::new(&served, &served.mine, "/v1/namespaces/mine/events", None))
        .collect();
    let crowded = served.call_as(&served.mine, "GET", "/v1/namespaces/mine/events", None);
    assert_eq!((crowded.status, crowded.problem()), (503, "busy".into()));
    served.stop();
    for mut follower in followers {
        let mut rest = String::new();
        while follower.0.read_line(&mut rest).unwrap_or(0) > 0 {}
    }
}

#[test]
fn the_events_of_the_studio_design_carry_the_memory() {
    // spec: S-101, S-102
    let clock = annals::ManualClock::new("2026-03-01T09:00:00Z".parse().unwrap());
    let memory = annals::Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    memory.create_namespace("user:1", "studio").unwrap();
    let tokens = annals_server::TokenStore::in_memory();
    let rights = [annals_server::Right::Read, annals_server::Right::Write];
    let new = annals_server::NewToken {
        name: "t".into(),
        grant: crate::client::grant(&["user:1"], &rights),
        expires_at: None,
    };
    let (_, token) = tokens
        .create(new, annals::Clock::now(&annals::SystemClock))
        .unwrap();
    let served = Served::with(memory, tokens, (token.clone(), String::new()), |http| http);
    let mut follower = Follower::new(&served, &token, "/api/events", None);

    let body = json!({"content": "用户最近在准备期末考试", "type": "context", "importance": 0.2});
    let added = served.call("POST", "/api/memories", Some(&body)).json();
    let stored = Instant::now();
    let told = follower.next();
    assert!(
        stored.elapsed() < Duration::from_secs(1),
        "{:?}",
        stored.elapsed()
    );
    assert_eq!(
        (told.name.as_str(), &told.data["id"]),
        ("memory.created", &added["id"])
    );
    assert_eq!(told.data["memory"], added);

    let one = format!("/api/memories/{}", added["id"]);
    served.call("DELETE", &one, None);
    let told = follower.next();
    assert_eq!(
        (told.name.as_str(), &told.data["memory"]["isForgotten"]),
        ("memory.deleted", &json!(true))
    );
    served.call("POST", &format!("{one}/restore"), None);
    assert_eq!(follower.next().name, "memory.restored");
    let zep = added["zepMemoryId"].as_str().unwrap();
    served
        .memory
        .namespace("user:1")
        .unwrap()
        .update(zep.parse().unwrap(), "用户最近在准备毕业考试")
        .unwrap();
    let told = follower.next();
    assert_eq!(
        (told.name.as_str(), &told.data["memory"]["content"]),
        ("memory.updated", &json!("用户最近在准备毕业考试"))
    );
    // A rule hides what is worth too little.
    let weak = json!({"content": "项目使用 Nuxt 4", "type": "fact", "importance": 0.05});
    let weak = served.call("POST", "/api/memories", Some(&weak)).json();
    assert_eq!(follower.next().name, "memory.created");
    clock.advance_millis(86_400_000);
    served.memory.maintain(true, annals::Mode::Commit).unwrap();
    let told = follower.next();
    assert_eq!(
        (told.name.as_str(), &told.data["id"]),
        ("memory.forgotten", &weak["id"])
    );
}
