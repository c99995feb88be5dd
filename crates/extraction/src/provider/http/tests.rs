use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use annals_net::server::{Reply as Sent, Server};
use annals_types::Cancel;
use serde_json::{Value, json};

use super::{ApiKey, HttpProvider, HttpSettings, KeySource, Protocol};
use crate::provider::{Message, Provider, ProviderError, Reply, Request, Schema, Stop, Tool};

const KEY: &str = "sk-very-secret";

fn settings(server: &Server) -> HttpSettings {
    HttpSettings {
        base: format!("{}/v1", server.base),
        model: "small".to_owned(),
        key: KeySource::Given(ApiKey::new(KEY).unwrap()),
        seed: Some(1),
        ..HttpSettings::default()
    }
}

fn open(settings: HttpSettings) -> HttpProvider {
    // No test waits: the pause only looks whether it was cancelled.
    HttpProvider::with_pause(settings, |cancel, _| cancel.is_cancelled()).unwrap()
}

fn ask(provider: &HttpProvider) -> Result<Reply, ProviderError> {
    provider.chat(
        &Request::new("extract", vec![Message::user("hello")]),
        &Cancel::new(),
    )
}

fn said(text: &str) -> Sent {
    let choice =
        json!({"message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    Sent::new(
        200,
        json!({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
            .to_string(),
    )
}

/// A server that answers the n-th call with the n-th answer, the last one for good.
fn server(answers: Vec<Option<Sent>>) -> Server {
    let mut at = 0;
    Server::start(move |_| {
        let answer = answers[at.min(answers.len() - 1)].clone();
        at += 1;
        answer
    })
}

#[test]
fn a_question_is_asked_as_the_protocol_wants_it() {
    let server = server(vec![Some(said("<think>be rude</think>\n\nhi"))]);
    let provider = open(settings(&server));
    let mut request = Request::new(
        "extract",
        vec![Message::system("be short"), Message::user("hello")],
    );
    request.schema = Some(Schema {
        name: "list".into(),
        text: r#"{"type":"object"}"#.into(),
    });
    request.tools = vec![Tool {
        name: "t".into(),
        description: "d".into(),
        parameters: "{}".into(),
    }];
    let reply = provider.chat(&request, &Cancel::new()).unwrap();
    assert_eq!(
        (
            reply.text.as_str(),
            reply.usage.input,
            reply.usage.output,
            reply.stop
        ),
        ("hi", 7, 3, Stop::End)
    );
    let asked = &server.requests()[0];
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", "/v1/chat/completions")
    );
    assert_eq!(
        asked.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(body["temperature"], json!(0.1));
    assert_eq!(
        body["messages"][0],
        json!({"role": "system", "content": "be short"})
    );
    assert_eq!(body["response_format"]["json_schema"]["name"], "list");
    assert_eq!(body["tools"][0]["function"]["name"], "t");
}

#[test]
fn anthropic_is_asked_in_its_own_words() {
    let block = json!({"type": "tool_use", "id": "t1", "name": "list", "input": {"items": [1]}});
    let body = json!({"content": [block], "stop_reason": "tool_use", "usage": {"input_tokens": 5, "output_tokens": 2}});
    let server = server(vec![Some(Sent::new(200, body.to_string()))]);
    let provider = open(HttpSettings {
        protocol: Protocol::Anthropic,
        ..settings(&server)
    });
    let mut request = Request::new(
        "extract",
        vec![
            Message::system("be short"),
            Message::user("a"),
            Message::user("b"),
        ],
    );
    request.schema = Some(Schema {
        name: "list".into(),
        text: r#"{"type":"object"}"#.into(),
    });
    let reply = provider.chat(&request, &Cancel::new()).unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.calls.len(), reply.usage.output),
        (r#"{"items":[1]}"#, 0, 2)
    );
    let asked = &server.requests()[0];
    assert_eq!(asked.path, "/v1/messages");
    assert_eq!(
        (asked.header("x-api-key"), asked.header("authorization")),
        (Some(KEY), None)
    );
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(
        (&body["system"], &body["tool_choice"]["name"]),
        (&json!("be short"), &json!("list"))
    );
    assert_eq!(
        body["messages"].as_array().unwrap().len(),
        1,
        "two texts of one role are one message"
    );
}

#[test]
fn tool_calls_come_back_also_when_they_are_badly_written() {
    let calls = json!([
        {"id": "c1", "function": {"name": "create_memory", "arguments": "{\"a\":1}"}},
        {"function": {"name": "link_memories", "arguments": {"b": 2}}},
        {"function": {}},
    ]);
    let body = json!({"choices": [{"message": {"content": null, "tool_calls": calls}, "finish_reason": "tool_calls"}]});
    let server = server(vec![Some(Sent::new(200, body.to_string()))]);
    let reply = ask(&open(settings(&server))).unwrap();
    assert_eq!(reply.stop, Stop::Tools);
    let got: Vec<_> = reply
        .calls
        .iter()
        .map(|call| (&*call.id, &*call.name, &*call.arguments))
        .collect();
    assert_eq!(
        got,
        [
            ("c1", "create_memory", r#"{"a":1}"#),
            ("call_1", "link_memories", r#"{"b":2}"#)
        ]
    );
    assert!(
        reply.usage.estimated && reply.usage.input > 0,
        "the server said nothing of tokens"
    );
}

#[test]
fn trouble_that_passes_is_tried_again() {
    let busy = Sent::new(429, "slow down").with("retry-after", "7");
    let ill = Sent::new(500, "oops");
    let server = server(vec![
        Some(busy),
        Some(ill),
        None,
        Some(said("x").cut(9)),
        Some(said("at last")),
    ]);
    assert_eq!(ask(&open(settings(&server))).unwrap().text, "at last");
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn a_server_that_asks_for_too_long_a_wait_is_given_up() {
    let server = server(vec![Some(Sent::new(429, "").with("retry-after", "7200"))]);
    let error = ask(&open(settings(&server))).unwrap_err();
    assert!(
        error.is_passing() && error.to_string().contains("429"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_server_that_stays_ill_is_asked_as_often_as_set() {
    let server = server(vec![Some(Sent::new(503, "down"))]);
    let error = ask(&open(HttpSettings {
        retries: 2,
        ..settings(&server)
    }))
    .unwrap_err();
    assert!(
        matches!(error, ProviderError::Unavailable { .. }),
        "{error}"
    );
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn an_answer_that_is_too_large_is_asked_for_once() {
    let server = server(vec![Some(Sent::new(200, "x".repeat((8 << 20) + 1)))]);
    let error = ask(&open(settings(&server))).unwrap_err();
    assert!(
        matches!(&error, ProviderError::BadAnswer { answer, .. } if answer == "the answer is larger than 8 MiB"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_question_that_is_refused_is_not_repeated_and_the_key_is_not_shown() {
    let server = server(vec![Some(Sent::new(401, format!("wrong key {KEY}")))]);
    let provider = open(settings(&server));
    let error = ask(&provider).unwrap_err();
    let shown = format!("{error} {error:?} {provider:?} {}", provider.name());
    assert!(
        !error.is_passing() && shown.contains("check the key") && !shown.contains(KEY),
        "{shown}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_server_is_asked_once_which_models_it_offers() {
    for (answer, offered) in [
        (
            Sent::new(
                200,
                r#"{"object":"list","data":[{"id":"small"},{"id":"large"}]}"#,
            ),
            Some(vec!["small", "large"]),
        ),
        (Sent::new(200, "<html>hello</html>"), None),
        (Sent::new(404, "no such page"), None),
    ] {
        let server = server(vec![Some(answer)]);
        let models = open(settings(&server)).models().unwrap();
        assert_eq!(
            models,
            offered.map(|names| names.into_iter().map(str::to_owned).collect())
        );
        let asked = server.requests().remove(0);
        assert_eq!(
            (asked.path.as_str(), asked.header("authorization")),
            ("/v1/models", Some("Bearer sk-very-secret"))
        );
    }
    let server = server(vec![Some(Sent::new(401, format!("wrong key {KEY}")))]);
    let error = open(settings(&server)).models().unwrap_err().to_string();
    assert!(
        error.contains("401") && error.contains("check the key") && !error.contains(KEY),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn secrets_in_what_a_server_says_are_not_shown() {
    let other = "sk-proj-4f9aB2kQ7zX1mN8vC3tR6wE5";
    let long = format!("{} {KEY} {other}", "no such project,".repeat(3));
    for (status, complaint) in [
        (401, format!("Incorrect API key provided: {other}")),
        (500, long.clone()),
        (200, long),
    ] {
        let server = server(vec![Some(Sent::new(status, complaint))]);
        let error = ask(&open(HttpSettings {
            retries: 0,
            ..settings(&server)
        }))
        .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(
            !shown.contains("sk-") && (status != 401 || shown.contains("provided: [api_key]")),
            "{shown}"
        );
    }
}

#[test]
fn a_server_without_schemas_is_asked_without_from_then_on() {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let server = Server::start(move |request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        if body.get("response_format").is_some() {
            count.fetch_add(1, Ordering::Relaxed);
            return Some(Sent::new(
                400,
                "'response_format' is not supported by this model",
            ));
        }
        if body.get("max_tokens").is_some() {
            return Some(Sent::new(
                400,
                "Use 'max_completion_tokens' instead of 'max_tokens'",
            ));
        }
        Some(said("[]"))
    });
    let provider = open(settings(&server));
    let mut request = Request::new("extract", vec![Message::user("hello")]);
    request.schema = Some(Schema {
        name: "list".into(),
        text: "{}".into(),
    });
    for _ in 0..2 {
        assert_eq!(provider.chat(&request, &Cancel::new()).unwrap().text, "[]");
    }
    assert_eq!(
        (seen.load(Ordering::Relaxed), server.requests().len()),
        (1, 4)
    );
}

#[test]
fn a_server_that_knows_no_bounds_is_told_the_form_without_them() {
    // As llama.cpp, vLLM and Gemini complain.
    for complaint in [
        "Failed to initialize samplers: failed to parse grammar",
        "schema: unsupported",
        "no \"maxLength\"",
    ] {
        let server = Server::start(move |request| {
            let bounded = String::from_utf8_lossy(&request.body).contains("maxItems");
            Some(if bounded {
                Sent::new(400, complaint)
            } else {
                said("[]")
            })
        });
        for protocol in [Protocol::OpenAi, Protocol::Anthropic] {
            let before = server.requests().len();
            let provider = open(HttpSettings {
                protocol,
                ..settings(&server)
            });
            let mut request = Request::new("extract", vec![Message::user("hello")]);
            request.schema = Some(Schema {
                name: "list".into(),
                text: r#"{"type":"array","maxItems":3}"#.into(),
            });
            // The answer is none of Anthropic's.
            for _ in 0..2 {
                let _reply = provider.chat(&request, &Cancel::new());
            }
            let asked = server.requests();
            let forms: Vec<bool> = asked[before..]
                .iter()
                .map(|call| String::from_utf8_lossy(&call.body).contains(r#""type":"array""#))
                .collect();
            assert_eq!(
                forms, [true; 3],
                "{complaint}: refused once, and the form is told all the same"
            );
        }
    }
}

#[test]
fn a_server_that_gives_no_longer_answers_is_taken_at_what_it_gave() {
    use crate::Analyst;
    use annals_types::profile::{AnswerForm, Profile};
    use annals_types::{Interpreter, MemoryId, Shown, Timestamp};
    let mut profile = Profile::default();
    profile.extract.answer = AnswerForm::Json;
    let half =
        r#"{"triples":[{"subject":"she","predicate":"lives in","object":"Lyon"},{"subject":"#;
    let server = Server::start(move |request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        if body["max_tokens"] != json!(1024) {
            return Some(Sent::new(400, "This model's context length is 1500 tokens"));
        }
        let choice =
            json!({"message": {"role": "assistant", "content": half}, "finish_reason": "length"});
        Some(Sent::new(200, json!({"choices": [choice]}).to_string()))
    });
    let analyst = Analyst::new(Arc::new(open(settings(&server))), &profile);
    let shown = Shown {
        id: MemoryId::from_bytes([1; 16]),
        text: "x".into(),
        time: Timestamp::from_millis(0),
        retention: 1.0,
    };
    let told = analyst.interpret(&shown).unwrap();
    assert_eq!((told.statements.len(), server.requests().len()), (1, 2));
    assert_eq!(
        told.left_out,
        ["the answer was cut off at 1024 tokens; the rest is missing"]
    );
}

#[test]
fn what_is_no_reply_is_said_to_be_none() {
    for body in [
        "",
        "hello",
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":[{"message":5}]}"#,
        "[1",
        "<html>busy</html>",
    ] {
        let server = server(vec![Some(Sent::new(200, body))]);
        let got = ask(&open(HttpSettings {
            retries: 0,
            ..settings(&server)
        }));
        match got {
            Err(ProviderError::BadAnswer { answer, .. }) => assert!(answer.len() < 100),
            Ok(reply) => assert_eq!(
                (reply.text.as_str(), body),
                ("", r#"{"choices":[{"message":5}]}"#)
            ),
            Err(other) => panic!("{body}: {other}"),
        }
    }
}

#[test]
fn an_endless_answer_is_given_up() {
    let server = server(vec![Some(Sent::new(200, vec![b' '; 9 << 20]))]);
    let error = ask(&open(HttpSettings {
        retries: 0,
        ..settings(&server)
    }))
    .unwrap_err();
    assert!(error.to_string().contains("larger than 8 MiB"), "{error}");
}

#[test]
fn a_slow_server_is_not_waited_for_longer_than_set() {
    let server = Server::start(|_| {
        std::thread::park_timeout(Duration::from_secs(2));
        Some(said("too late"))
    });
    let patience = HttpSettings {
        timeout: Duration::from_millis(50),
        retries: 0,
        ..settings(&server)
    };
    let error = ask(&open(patience)).unwrap_err();
    assert!(
        matches!(error, ProviderError::Unavailable { .. }),
        "{error}"
    );
    let told = error.to_string();
    assert!(
        told.contains("no answer within 0.05 s (timeout_seconds)")
            && !told.contains("start the server"),
        "{told}"
    );
}

#[test]
fn a_cancelled_call_returns_though_the_server_is_silent() {
    let (cancel, asked) = (Cancel::new(), Cancel::new());
    let (stop, seen) = (cancel.clone(), asked.clone());
    let server = Server::start(move |_| {
        stop.cancel();
        // Silent until the test is over.
        let _ = seen.wait(Duration::from_secs(60));
        None
    });
    let provider = open(settings(&server));
    let error = provider
        .chat(
            &Request::new("extract", vec![Message::user("hello")]),
            &cancel,
        )
        .unwrap_err();
    assert!(matches!(error, ProviderError::Cancelled { .. }), "{error}");
    let again = provider
        .chat(&Request::new("extract", Vec::new()), &cancel)
        .unwrap_err();
    assert!(matches!(again, ProviderError::Cancelled { .. }), "{again}");
    asked.cancel();
}

#[test]
fn settings_without_sense_are_named() {
    let bad = |settings: HttpSettings| HttpProvider::open(settings).unwrap_err().to_string();
    assert!(bad(HttpSettings::default()).contains("model"));
    assert!(
        bad(HttpSettings {
            model: "m".into(),
            ..Default::default()
        })
        .contains("no address")
    );
    let price = crate::provider::Price {
        input: -1.0,
        output: 0.0,
    };
    assert!(
        bad(HttpSettings {
            model: "m".into(),
            price,
            ..Default::default()
        })
        .contains("price")
    );
}
