//! Whatever a server answers, its readers do not panic, and tools are called by the names that it
//! gave.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{anthropic, openai};
use crate::provider::Request;

/// Values of every kind at the places where answers have something.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z_]{0,8}|.{0,12}".prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "choices",
        "message",
        "content",
        "text",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "type",
        "input",
        "usage",
        "prompt_tokens",
        "completion_tokens",
        "input_tokens",
        "output_tokens",
        "finish_reason",
        "stop_reason",
        "refusal",
        "tool_use",
    ]);
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..6).prop_map(|fields| Value::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(2026),
        ..ProptestConfig::with_cases(500)
    })]

    #[test]
    fn fuzz_any_answer_of_a_server_is_read_or_refused(
        inner in value(),
        content in value(),
        bytes in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let request = Request::new("extract", Vec::new());
        for answer in [
            inner.clone(),
            json!({
                "choices": [{"message": {"content": content.clone(), "tool_calls": inner.clone()}}],
                "usage": inner.clone(),
            }),
            json!({
                "content": [
                    {"type": "text", "text": content.clone()},
                    {"type": "tool_use", "name": "x", "input": inner.clone()},
                    inner,
                ],
                "usage": content,
            }),
        ] {
            let written = answer.to_string();
            let replies = [openai::read(written.as_bytes()), anthropic::read(written.as_bytes(), &request)];
            for reply in replies.into_iter().flatten() {
                prop_assert!(
                    reply.calls.iter().all(|call| written.contains(&json!(call.name).to_string())),
                    "{written}",
                );
            }
        }
        let read = openai::read(&bytes).is_some();
        prop_assert!(!read || bytes.contains(&b'{'), "{bytes:?}");
        drop(anthropic::read(&bytes, &request));
    }
}
