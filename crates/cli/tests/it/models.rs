//! Models from a hub, vectors from a server, and changing from one embedder to another.

use crate::stage;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use annals_net::server::{Reply, Request, Server};
use serde_json::{Value, json};
use stage::Stage;

const REPO: &str = "org/tiny-model";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const MODEL: &[u8] = b"not a real network, but checked byte by byte";
const FILES: [(&str, &[u8]); 3] = [
    ("config.json", b"{\"hidden_size\": 12}"),
    ("onnx/model.onnx", MODEL),
    ("tokenizer.json", b"{}"),
];

/// The list of the model's files as the hub gives it: Git hashes, and SHA-256 of what Git does not
/// hold itself.
fn listing() -> Value {
    json!({ "id": REPO, "sha": COMMIT, "siblings": [
        { "rfilename": "config.json", "size": 19, "blobId": "ef185d0d16b9ec214e7077aa060e081864296e14" },
        { "rfilename": "onnx/model.onnx", "size": 44, "blobId": "e0967d909d58c1d4f699d8fa21c489b104737194",
          "lfs": { "size": 44, "pointerSize": 130,
                   "sha256": "90d09c0608bdc69d1eed252ec8c3ba29eb914e73483f566782f848922f5b864b" } },
        { "rfilename": "pytorch_model.bin", "size": 9, "blobId": "0000000000000000000000000000000000000000" },
        { "rfilename": "tokenizer.json", "size": 2, "blobId": "9e26dfeeb6e641a33dae4961196235bdb965b21b" },
    ] })
}

fn hub(request: &Request) -> Option<Reply> {
    let found = |body: &[u8]| Some(Reply::new(200, body));
    if request.path == format!("/api/models/{REPO}/revision/main?blobs=true") {
        return found(listing().to_string().as_bytes());
    }
    let name = request
        .path
        .strip_prefix(&format!("/{REPO}/resolve/{COMMIT}/"));
    let file = FILES.iter().find(|(known, _)| Some(*known) == name);
    let Some((_, bytes)) = file else {
        return Some(Reply::new(404, "Entry not found"));
    };
    let from: Option<usize> = request
        .header("range")
        .and_then(|text| text.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    match from {
        None => found(bytes),
        Some(from) => {
            let range = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
            Some(Reply::new(206, &bytes[from..]).with("content-range", range))
        }
    }
}

#[test]
fn a_model_is_pulled_listed_and_removed() {
    let (stage, server) = (Stage::new(), Server::start(hub));
    stage.set("HF_ENDPOINT", &server.base);
    stage.set("HF_TOKEN", "hf_secret");
    let models = stage.path("models");
    stage.set("ANNALS_MODELS", models.to_str().unwrap());
    let said = stage.run(&["model", "pull", REPO]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        said.out.contains("org--tiny-model") && said.out.contains("--embedder"),
        "{}",
        said.out
    );
    assert!(!said.all().contains("hf_secret"), "{}", said.all());
    let folder = models.join("org--tiny-model");
    assert_eq!(
        std::fs::read(folder.join("onnx/model.onnx")).unwrap(),
        MODEL
    );
    assert!(
        !folder.join("pytorch_model.bin").exists(),
        "only what is needed is fetched"
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    assert!(
        requests
            .iter()
            .all(|request| request.header("authorization") == Some("Bearer hf_secret"))
    );

    let listed = stage.run(&["model", "list", "--json"]).json();
    assert_eq!(
        (&listed["models"][0]["name"], &listed["models"][0]["dims"]),
        (&json!("org--tiny-model"), &json!(12))
    );
    let again = stage.run(&["model", "pull", REPO, "--json"]).json();
    assert_eq!(again["name"], "org--tiny-model");
    assert_eq!(
        server.requests().len(),
        5,
        "the second time only the list is asked for"
    );
    // It is chosen by its name; that it is no network is found when it is opened.
    let said = stage.run(&["remember", "x", "--embedder", REPO]);
    assert_eq!(said.code, 9, "{}", said.all());
    stage.ok(&["model", "remove", "org--tiny-model"]);
    assert_eq!(
        stage.run(&["model", "list", "--json"]).json()["models"],
        json!([])
    );
    assert_eq!(stage.run(&["model", "remove", "org--tiny-model"]).code, 9);
}

#[test]
fn a_pull_that_fails_says_why_and_leaves_no_model() {
    let stage = Stage::new();
    stage.set("ANNALS_MODELS", stage.path("models").to_str().unwrap());
    let forged = Server::start(|request| match hub(request) {
        Some(reply) if reply.body == MODEL => Some(Reply::new(200, [&MODEL[1..], b"!"].concat())),
        other => other,
    });
    stage.set("HF_ENDPOINT", &forged.base);
    let error = stage.run(&["model", "pull", REPO, "--json"]).error();
    assert_eq!(error["exit_code"], 1, "{error}");
    assert!(
        error["message"].as_str().unwrap().contains("SHA-256"),
        "{error}"
    );
    assert_eq!(
        stage.run(&["model", "list", "--json"]).json()["models"],
        json!([])
    );

    let server = Server::start(hub);
    stage.set("HF_ENDPOINT", &server.base);
    for (repo, code, word) in [
        ("org/other", 3, "org/other"),
        ("../escape", 4, "../escape"),
        ("a b", 4, "a b"),
    ] {
        let said = stage.run(&["model", "pull", repo]);
        assert!(
            said.code == code && said.err.contains(word),
            "{repo}: {}",
            said.all()
        );
    }
    assert_eq!(
        stage.run(&["model", "list", "--json"]).json()["models"],
        json!([])
    );
    assert_eq!(
        stage.run(&["model", "pull", REPO]).code,
        0,
        "what was left behind is no hindrance"
    );
}

/// Requests of 64 texts by which an embedder is measured when it is first used: 72 questions and 72
/// answers.
const PROBES: usize = 4;

/// Requests by which the examples of what people say are embedded, behind the first texts that are
/// stored.
const EXAMPLES: usize = 5;

/// Vectors that count letters, as a server with OpenAI's interface gives them.
fn letters(request: &Request) -> Option<Reply> {
    let asked: Value = serde_json::from_slice(&request.body).unwrap();
    let vector = |text: &Value| -> Vec<f32> {
        let mut counts = vec![0.5; 26];
        for byte in text
            .as_str()
            .unwrap()
            .to_lowercase()
            .bytes()
            .filter(u8::is_ascii_lowercase)
        {
            counts[usize::from(byte - b'a')] += 1.0;
        }
        counts
    };
    let texts = asked["input"].as_array().unwrap().iter().enumerate();
    let data: Vec<Value> = texts
        .map(|(index, text)| json!({ "index": index, "embedding": vector(text) }))
        .collect();
    Some(Reply::new(
        200,
        json!({ "data": data, "model": asked["model"] }).to_string(),
    ))
}

/// Whether vectors brought up any of the hits.
fn by_meaning(stage: &Stage, embedder: &str) -> bool {
    let said = stage.run(&[
        "recall",
        "Berlin startup",
        "--explain",
        "--json",
        "--embedder",
        embedder,
    ]);
    assert_eq!(said.code, 0, "{}", said.all());
    let answer = said.json();
    let hits = answer["hits"].as_array().unwrap();
    assert!(
        hits[0]["text"].as_str().unwrap().contains("Berlin"),
        "{answer}"
    );
    hits.iter().any(|hit| {
        hit["explanation"]["found_by"]
            .as_array()
            .unwrap()
            .contains(&json!("vector"))
    })
}

#[test]
fn reembedding_changes_over_and_back() {
    let stage = Stage::new();
    stage.with_memories();
    let server = Server::start(letters);
    let remote = format!("{}/v1#letters", server.base);
    assert_eq!(
        stage
            .run(&["db", "reembed", "--embedder", "http://127.0.0.1:9/v1"])
            .code,
        4,
        "it names no model"
    );

    let report = stage
        .run(&["db", "reembed", "--embedder", &remote, "--json"])
        .json();
    assert_eq!(
        (&report["report"]["embedded"], &report["report"]["already"]),
        (&json!(4), &json!(0)),
        "{report}"
    );
    assert!(
        report["embedder"].as_str().unwrap().contains("letters"),
        "{report}"
    );
    let report = stage
        .run(&["db", "reembed", "--embedder", &remote, "--json"])
        .json();
    assert_eq!(
        (&report["report"]["embedded"], &report["report"]["already"]),
        (&json!(0), &json!(4)),
        "{report}"
    );
    assert!(by_meaning(&stage, &remote));
    let asked = server.requests();
    assert!(asked.iter().all(|request| request.path == "/v1/embeddings"));
    let body: Value = serde_json::from_slice(&asked.last().unwrap().body).unwrap();
    assert_eq!(
        (&body["model"], &body["input"]),
        (&json!("letters"), &json!(["Berlin startup"]))
    );

    assert!(
        !by_meaning(&stage, "builtin"),
        "with another embedder than its vectors recall goes by words"
    );
    let said = stage.ok(&["db", "reembed", "--embedder", "builtin"]);
    assert!(said.starts_with("embedded 4 texts with"), "{said}");
    assert!(by_meaning(&stage, "builtin"));
    assert_eq!(stage.run(&["doctor"]).code, 0);
}

#[test]
fn vectors_of_another_embedder_are_said_and_recall_goes_on_by_words() {
    let server = Server::start(letters);
    let remote = format!("{}/v1#letters", server.base);
    for profile in ["studio", "companion", "agent", "graph", "markdown"] {
        let stage = Stage::new();
        stage.ok(&["namespace", "create", "user", "--profile", profile]);
        let kind = if profile == "graph" { "事实" } else { "fact" };
        let kind = if profile == "agent" { "FACT" } else { kind };
        for text in ["I moved to Berlin in March 2023.", "The demo is at ten."] {
            stage.ok(&["remember", "--kind", kind, text, "--embedder", &remote]);
        }
        let said = stage.run(&["recall", "Berlin"]);
        assert!(
            said.code == 0 && said.out.contains("Berlin"),
            "{profile}: {}",
            said.all()
        );
        assert!(
            said.err.contains("by words only") && said.err.contains("letters"),
            "{profile}: {}",
            said.all()
        );
        // Their prompts get what recall finds.
        if ["studio", "companion"].contains(&profile) {
            let said = stage.run(&["context", "Where is Berlin?"]);
            assert!(
                said.err.contains("by words only"),
                "{profile}: {}",
                said.all()
            );
            let said = stage.run(&["context", "Where is Berlin?", "--json"]).json();
            assert!(
                said["without_vectors"]
                    .as_str()
                    .is_some_and(|why| why.contains("letters")),
                "{profile}: {said}"
            );
        }
        // One memory of the embedder that is in use now changes nothing of that.
        stage.ok(&["remember", "--kind", kind, "I like ramen."]);
        let said = stage.run(&["recall", "Berlin"]);
        assert!(
            said.out.contains("Berlin") && said.err.contains("by words only"),
            "{profile}: {}",
            said.all()
        );
        let doctor = stage.run(&["doctor"]);
        assert!(
            doctor.code == 0 && doctor.out.contains("annals db reembed -n user"),
            "{profile}: {}",
            doctor.all()
        );
        stage.ok(&["db", "reembed"]);
        let said = stage.run(&["recall", "Berlin"]);
        assert!(
            said.out.contains("Berlin") && !said.err.contains("words"),
            "{profile}: {}",
            said.all()
        );
        let doctor = stage.ok(&["doctor"]);
        assert!(!doctor.contains("reembed"), "{profile}: {doctor}");
    }
}

#[test]
fn an_import_that_the_embedder_stops_keeps_the_refused_lines() {
    let stage = Stage::new();
    let good = |n: usize| format!("{{\"session\": \"s\", \"text\": \"turn {n}\"}}\n");
    let lines: String = std::iter::once("first oops\n".to_owned())
        .chain((2..=510).map(good))
        .collect();
    let file = stage.file(
        "turns.ndjson",
        format!(
            "{lines}second oops\n{}",
            (512..=620).map(good).collect::<String>()
        ),
    );
    let left = Arc::new(AtomicUsize::new(10 + PROBES + EXAMPLES));
    let budget = Arc::clone(&left);
    // One request asks how long the vectors are, the probes follow, eight are for the first 500
    // turns, one for those before the second bad line.
    let server = Server::start(move |request| {
        let spent = budget
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
            .is_err();
        if spent {
            Some(Reply::new(403, ""))
        } else {
            letters(request)
        }
    });
    let remote = format!("{}/v1#letters", server.base);
    let (one, two) = (stage.path("one.ndjson"), stage.path("two.ndjson"));
    let import = |more: &[&str], skipped: &std::path::Path| {
        let skipped = skipped.to_str().unwrap();
        let base = [
            "import",
            &file,
            "--format",
            "turns",
            "--embedder",
            &remote,
            "--json",
            "--skip-bad",
            skipped,
        ];
        stage.run(&[&base[..], more].concat())
    };
    let error = import(&[], &one).error();
    assert_eq!(error["exit_code"], 9, "{error}");
    assert!(
        error["advice"]
            .as_str()
            .unwrap()
            .contains("lines 1 to 510 are stored; go on with --resume"),
        "{error}"
    );
    assert_eq!(std::fs::read_to_string(&one).unwrap(), "first oops\n");
    left.store(usize::MAX, Ordering::SeqCst);
    let said = import(&["--resume"], &two);
    assert_eq!(
        (&said.json()["stored"], &said.json()["bad"][0]["line"]),
        (&json!(109), &json!(511)),
        "{}",
        said.all()
    );
    assert_eq!(std::fs::read_to_string(&two).unwrap(), "second oops\n");
    assert_eq!(
        stage.run(&["list", "--json", "--limit", "1"]).json()["total"],
        618
    );
}

#[test]
fn an_interrupted_reembedding_goes_on() {
    let stage = Stage::new();
    let lines: String = (0..600)
        .map(|n| format!("{{\"session\": \"s\", \"text\": \"turn {n}\"}}\n"))
        .collect();
    let file = stage.file("turns.ndjson", lines);
    stage.ok(&["import", &file]);
    let (left, texts) = (
        Arc::new(AtomicUsize::new(5 + PROBES + EXAMPLES)),
        Arc::new(Mutex::new(0)),
    );
    let (budget, count) = (Arc::clone(&left), Arc::clone(&texts));
    // The first request asks how long the vectors are, and the probes follow; four batches of 64
    // make the first transaction.
    let server = Server::start(move |request| {
        if budget
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
            .is_err()
        {
            return Some(Reply::new(403, "no more for today"));
        }
        let asked: Value = serde_json::from_slice(&request.body).unwrap();
        *count.lock().unwrap() += asked["input"].as_array().unwrap().len();
        letters(request)
    });
    let remote = format!("{}/v1#letters", server.base);
    let error = stage
        .run(&["db", "reembed", "--embedder", &remote, "--json"])
        .error();
    assert_eq!(error["exit_code"], 9, "{error}");
    assert!(
        error["message"].as_str().unwrap().contains("403"),
        "{error}"
    );
    assert!(
        stage
            .ok(&["recall", "turn 17", "-k", "1"])
            .contains("turn 17"),
        "the old vectors are in use"
    );
    left.store(usize::MAX, Ordering::SeqCst);
    let report = stage
        .run(&["db", "reembed", "--embedder", &remote, "--json"])
        .json();
    assert_eq!(
        (&report["report"]["embedded"], &report["report"]["already"]),
        (&json!(344), &json!(256)),
        "{report}"
    );
    let (probes, examples) = (2 * 72, 299);
    assert_eq!(
        *texts.lock().unwrap(),
        1 + probes + 256 + examples + 1 + 344,
        "nothing was embedded or measured twice"
    );
    assert_eq!(stage.run(&["doctor"]).code, 0);
}
