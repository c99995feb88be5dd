use std::sync::{Arc, Mutex};
use std::time::Duration;

use annals_types::{EmbedError, Embedder, Purpose};
use serde_json::{Value, json};

use super::{ApiKey, HttpEmbedder, HttpError, HttpSettings, KeySource};
use annals_net::server::{Reply, Request, Server};

/// A right answer: text `n` letters long gets (n + 1, 1), items in reverse order.
fn right(request: &Request) -> Reply {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let texts = body["input"].as_array().unwrap();
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .rev()
        .map(|(i, text)| json!({ "index": i, "embedding": [text.as_str().unwrap().len() + 1, 1] }))
        .collect();
    Reply::new(
        200,
        json!({ "object": "list", "data": data, "usage": {} }).to_string(),
    )
}

fn settings(server: &Server) -> HttpSettings {
    HttpSettings {
        base: format!("{}/v1/", server.base),
        model: "tiny".to_owned(),
        dims: Some(2),
        timeout: Duration::from_secs(20),
        seed: Some(1),
        ..HttpSettings::default()
    }
}

/// An embedder that notes its waits instead of waiting.
fn open(settings: HttpSettings) -> (Result<HttpEmbedder, HttpError>, Arc<Mutex<Vec<Duration>>>) {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&waits);
    (
        HttpEmbedder::with_pause(
            settings,
            Box::new(move |wait| notes.lock().unwrap().push(wait)),
        ),
        waits,
    )
}

fn ask(settings: HttpSettings) -> Result<Vec<Vec<f32>>, EmbedError> {
    open(settings)
        .0
        .unwrap()
        .embed(&["a", "bcd"], Purpose::Query)
}

#[test]
fn vectors_come_in_the_order_of_the_texts() {
    let server = Server::start(|request| Some(right(request)));
    let key = KeySource::Given(ApiKey::new("k-123").unwrap());
    let settings = HttpSettings {
        key,
        batch: 2,
        query_prefix: "q:".to_owned(),
        passage_prefix: "p".to_owned(),
        ..settings(&server)
    };
    let embedder = HttpEmbedder::open(settings).unwrap();
    let vectors = embedder
        .embed(&["", "ab", "abcdef"], Purpose::Query)
        .unwrap();
    for (vector, length) in vectors.iter().zip([2.0_f32, 4.0, 8.0]) {
        assert!(
            (vector[0] / vector[1] - (length + 1.0)).abs() < 1e-4,
            "{vector:?}"
        );
        assert!((vector[0].hypot(vector[1]) - 1.0).abs() < 1e-6);
    }
    assert!(embedder.embed(&[], Purpose::Query).unwrap().is_empty());
    embedder.embed(&["x"], Purpose::Passage).unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(
        (requests[0].method.as_str(), requests[0].path.as_str()),
        ("POST", "/v1/embeddings")
    );
    assert_eq!(requests[0].header("authorization"), Some("Bearer k-123"));
    let bodies: Vec<Value> = requests
        .iter()
        .map(|r| serde_json::from_slice(&r.body).unwrap())
        .collect();
    assert_eq!(
        bodies[0],
        json!({ "model": "tiny", "input": ["q:", "q:ab"] })
    );
    assert_eq!(bodies[2]["input"], json!(["px"]));
}

#[test]
fn the_first_call_tells_the_dimensions() {
    let server = Server::start(|request| Some(right(request)));
    let embedder = HttpEmbedder::open(HttpSettings {
        dims: None,
        ..settings(&server)
    })
    .unwrap();
    assert_eq!((embedder.dims(), server.requests().len()), (2, 1));
    let print = embedder.fingerprint();
    assert_eq!(print.0, format!("http:{}/v1:tiny:2", server.base));
    let named = HttpSettings {
        space: Some("mine".to_owned()),
        query_prefix: "q".to_owned(),
        ..settings(&server)
    };
    assert_eq!(
        HttpEmbedder::open(named).unwrap().fingerprint().0,
        r#"http:mine:tiny:2:"q":"""#
    );
}

#[test]
fn dimensions_are_asked_for_and_texts_cut() {
    let server = Server::start(|request| Some(right(request)));
    let cut = HttpSettings {
        ask_dims: true,
        max_bytes: 4,
        ..settings(&server)
    };
    HttpEmbedder::open(cut)
        .unwrap()
        .embed(&["abcdef", "ääää", ""], Purpose::Query)
        .unwrap();
    let body: Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert_eq!(
        body,
        json!({ "model": "tiny", "input": ["abcd", "ää", " "], "dimensions": 2 })
    );
}

#[test]
fn busy_servers_are_asked_again() {
    let mut replies = vec![
        Some(Reply::new(429, "slow down").with("retry-after", "7")),
        Some(Reply::new(503, "")),
        None,
        Some(Reply::new(200, r#"{"data": ["#).cut(4)),
        Some(Reply::new(500, "oops")),
    ]
    .into_iter();
    let server =
        Server::start(move |request| replies.next().unwrap_or_else(|| Some(right(request))));
    let (embedder, waits) = open(HttpSettings {
        retries: 5,
        ..settings(&server)
    });
    assert_eq!(
        embedder
            .unwrap()
            .embed(&["a"], Purpose::Query)
            .unwrap()
            .len(),
        1
    );
    let waits = waits.lock().unwrap().clone();
    assert_eq!((waits.len(), server.requests().len()), (5, 6));
    assert_eq!(waits[0], Duration::from_secs(7));
    assert!(waits[1..].is_sorted(), "{waits:?}");
}

#[test]
fn patience_has_an_end() {
    let server = Server::start(|_| Some(Reply::new(503, "down for repair")));
    let (embedder, waits) = open(HttpSettings {
        retries: 2,
        ..settings(&server)
    });
    let error = embedder.unwrap().embed(&["a"], Purpose::Query).unwrap_err();
    assert!(
        matches!(error, EmbedError::Unavailable { .. })
            && error.to_string().contains("down for repair")
    );
    assert_eq!(
        (waits.lock().unwrap().len(), server.requests().len()),
        (2, 3)
    );

    let server = Server::start(|_| Some(Reply::new(429, "tomorrow").with("retry-after", "86400")));
    let (embedder, waits) = open(settings(&server));
    assert!(
        embedder
            .unwrap()
            .embed(&["a"], Purpose::Query)
            .unwrap_err()
            .to_string()
            .contains("tomorrow")
    );
    assert!(waits.lock().unwrap().is_empty());
}

#[test]
fn refusals_are_not_repeated_and_never_show_the_key() {
    for (status, word) in [
        (401, "key"),
        (404, "/v1"),
        (400, "max_bytes"),
        (413, "max_bytes"),
        (501, "log"),
        (302, "else"),
    ] {
        let server = Server::start(move |_| {
            let body = "bad key k-secret-1\r\n\u{1b}[31m";
            Some(Reply::new(status, body).with("location", "http://127.0.0.1:1/else"))
        });
        let key = KeySource::Given(ApiKey::new("k-secret-1").unwrap());
        let (embedder, waits) = open(HttpSettings {
            key,
            ..settings(&server)
        });
        let embedder = embedder.unwrap();
        let error = embedder.embed(&["a"], Purpose::Query).unwrap_err();
        let source = std::error::Error::source(&error)
            .map(ToString::to_string)
            .unwrap_or_default();
        let text = format!("{error} {source} {error:?} {embedder:?}");
        assert!(
            text.contains(word) && text.contains(&status.to_string()),
            "{text}"
        );
        assert!(
            !text.contains("secret") && !text.contains('\u{1b}'),
            "{text}"
        );
        assert_eq!(
            (waits.lock().unwrap().len(), server.requests().len()),
            (0, 1)
        );
    }
}

#[test]
fn answers_that_are_none_are_told_apart() {
    for (body, word) in [
        ("<html>hello</html>", "<html>hello"),
        ("", "something else"),
        ("{}", "data"),
        (r#"{"data": []}"#, "0 vectors"),
        (r#"{"data": [{"embedding": [1, 2]}]}"#, "1 vectors"),
        (
            r#"{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}]}"#,
            "two vectors",
        ),
        (
            r#"{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 2, "embedding": [1, 2]}]}"#,
            "index 2",
        ),
        (
            r#"{"data": [{"index": 0, "embedding": [1, 2]}, {"embedding": [1, 2]}]}"#,
            "without an index",
        ),
        (
            r#"{"data": [{"embedding": [1, 2]}, {"embedding": [1, 2, 3]}]}"#,
            "3 numbers",
        ),
        (
            r#"{"data": [{"embedding": [1, 2]}, {"embedding": [0, 0]}]}"#,
            "zeros",
        ),
        (
            r#"{"data": [{"embedding": [1, 2]}, {"embedding": [1e39, 0]}]}"#,
            "inf|out of range",
        ),
        (
            r#"{"data": [{"embedding": [1, 2]}, {"embedding": [NaN, 0]}]}"#,
            "NaN",
        ),
        (
            r#"{"data": [{"embedding": [1, 2]}, {"embedding": [null, 0]}]}"#,
            "null",
        ),
    ] {
        let server = Server::start(move |_| Some(Reply::new(200, body)));
        let error = ask(settings(&server)).unwrap_err();
        assert!(
            matches!(error, EmbedError::BadAnswer { .. }),
            "{body}: {error:?}"
        );
        // How a number that is too large is told depends on the features with which the JSON
        // library was built.
        assert!(
            word.split('|').any(|word| error.to_string().contains(word)),
            "{body}: {error}"
        );
    }
    let server = Server::start(|_| {
        Some(Reply::new(
            200,
            r#"{"data": [{"embedding": [3, 4]}, {"embedding": [1, 0]}]}"#,
        ))
    });
    assert_eq!(ask(settings(&server)).unwrap(), [[0.6, 0.8], [1.0, 0.0]]);
}

#[test]
fn a_silent_server_is_given_up() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let server = Server::start(move |_| {
        // Says nothing until the test is over.
        let _ = receiver.recv();
        None
    });
    let impatient = HttpSettings {
        timeout: Duration::from_millis(50),
        retries: 0,
        ..settings(&server)
    };
    let error = ask(impatient).unwrap_err();
    assert!(
        matches!(error, EmbedError::Unavailable { .. }) && error.to_string().contains("no answer"),
        "{error}"
    );
    drop(sender);
}

#[test]
fn an_absent_server_is_named() {
    let base = Server::start(|_| None).base.clone();
    let gone = HttpSettings {
        base: base.clone(),
        model: "m".to_owned(),
        retries: 1,
        ..HttpSettings::default()
    };
    let (embedder, _) = open(gone);
    let error = embedder.unwrap_err();
    assert!(
        matches!(error, HttpError::FirstCall(EmbedError::Unavailable { .. })),
        "{error:?}"
    );
    assert!(error.to_string().contains(&base), "{error}");
}

#[test]
fn senseless_settings_are_named() {
    let good = HttpSettings {
        base: "http://localhost:1".to_owned(),
        model: "m".to_owned(),
        ..HttpSettings::default()
    };
    for (settings, word) in [
        (
            HttpSettings {
                model: " ".to_owned(),
                ..good.clone()
            },
            "model",
        ),
        (
            HttpSettings {
                batch: 0,
                ..good.clone()
            },
            "batch",
        ),
        (
            HttpSettings {
                max_bytes: 0,
                ..good.clone()
            },
            "max_bytes",
        ),
        (
            HttpSettings {
                dims: Some(0),
                ..good.clone()
            },
            "dims",
        ),
        (
            HttpSettings {
                ask_dims: true,
                ..good.clone()
            },
            "ask_dims",
        ),
        (
            HttpSettings {
                timeout: Duration::ZERO,
                ..good.clone()
            },
            "timeout",
        ),
        (
            HttpSettings {
                base: "localhost".to_owned(),
                ..good.clone()
            },
            "localhost",
        ),
        (
            HttpSettings {
                base: "https://x".to_owned(),
                certificates: Some("/no/such.pem".into()),
                ..good.clone()
            },
            "such",
        ),
        (
            HttpSettings {
                key: KeySource::Variable("ANNALS_TEST_UNSET".to_owned()),
                ..good
            },
            "ANNALS_TEST_UNSET",
        ),
    ] {
        let error = HttpEmbedder::open(settings).unwrap_err();
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
}
