use serde_json::Value;

use super::lenient::Lenient;
use crate::reply::spoken;

/// So many places are tried.
const TRIES: usize = 64;

/// The JSON in an answer: all of it, what stands in a code fence, or the first list of objects or object within prose.
pub(crate) fn find(answer: &str) -> Option<Value> {
    found(answer).map(|(value, _)| value)
}

/// Whether the JSON that is found in an answer came to its end, and so did whatever looks like JSON before it.
pub(crate) fn is_whole(answer: &str) -> bool {
    found(answer).is_some_and(|(_, whole)| whole)
}

fn found(answer: &str) -> Option<(Value, bool)> {
    let text = spoken(answer);
    let trimmed = text.trim();
    if let Some(value) = serde_json::from_str(trimmed).ok().filter(is_answer) {
        return Some((value, true));
    }
    fenced(trimmed).and_then(within).or_else(|| within(trimmed))
}

/// The content of the first code fence.
fn fenced(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("```")?;
    // What stands on the line of the fence is the name of the language.
    let body = after.split_once('\n').map_or(after, |(language, body)| {
        if language.trim().chars().all(char::is_alphanumeric) { body } else { after }
    });
    Some(body.split_once("```").map_or(body, |(body, _)| body))
}

fn within(text: &str) -> Option<(Value, bool)> {
    let (mut from, mut whole) = (0, true);
    for _ in 0..TRIES {
        let start = from + text.get(from..)?.find(['[', '{'])?;
        let mut reader = Lenient::new(text, start);
        let value = reader.value(0).filter(is_answer);
        whole &= !reader.cut;
        if let Some(value) = value {
            return Some((value, whole));
        }
        from = start + 1;
    }
    None
}

/// A list of objects, one without elements, or an object: what answers are made of. Not `[1]`, as texts cite.
fn is_answer(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(Value::is_object),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_whatever_stands_around_it() {
        let wanted = json!([{"content": "a"}]);
        for answer in [
            r#"[{"content":"a"}]"#,
            "```json\n[{\"content\":\"a\"}]\n```",
            "```\n[{\"content\":\"a\"}]",
            "Here you are [1]:\n[{\"content\":\"a\"}]\nDone [2].",
            "<think>[{\"content\":\"b\"}]</think>[{\"content\":\"a\"}]",
            "[{'content': 'a',},]",
            "[{content: \"a\"}]",
            "［说明］[{“content”：“a”}]",
            "[{\"content\": \"a\"}, {\"content\": \"b",
            "[ // one\n {\"content\": \"a\"} /* all */ ]",
        ] {
            assert_eq!(find(answer).as_ref(), Some(&wanted), "{answer}");
        }
        assert_eq!(find("[]"), Some(json!([])));
        assert_eq!(
            find(r#"{"memories":[{"content":"a"},{"content":"b"#),
            Some(json!({"memories": [{"content": "a"}]}))
        );
        assert_eq!(find(r#"[{"content":"他说"好"了"}]"#), Some(json!([{"content": "他说\"好\"了"}])));
        assert_eq!(find(r#"[{"content":"\u597d\ud83d\ude00\x"}]"#), Some(json!([{"content": "好😀x"}])));
    }

    #[test]
    fn half_a_value_is_none() {
        for answer in ["hello", "", "[1, 2]", r#"{"content":"a"#, r#"{"content":"a","importance":0."#, "{", "[[[["] {
            assert!(find(answer).is_none_or(|value| value == json!([])), "{answer}: {:?}", find(answer));
        }
        let deep = "[".repeat(10_000);
        assert!(find(&deep).is_none_or(|value| value == json!([])));
    }
}
