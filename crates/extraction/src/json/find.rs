use serde_json::Value;

use super::lenient::Lenient;
use crate::reply::{excerpt, spoken};

/// Values that cannot be read are tried again from within; all of that together reads so many times
/// the answer.
const TIMES: usize = 16;
/// So many pieces that cannot be read are told.
const TOLD: usize = 8;

/// The JSON in an answer.
#[derive(Default)]
pub(crate) struct JsonScan {
    /// Lists with an object in them, lists without elements, and objects, in their order.
    pub(crate) values: Vec<Value>,
    /// The beginnings of objects that cannot be read.
    pub(crate) broken: Vec<String>,
    /// Whether the answer ends before its JSON does.
    cut: bool,
}

/// The first JSON in an answer: all of it, what stands in a code fence, or a list of objects or an
/// object within prose.
pub(crate) fn find(answer: &str) -> Option<Value> {
    all(answer).values.into_iter().next()
}

/// All JSON in an answer: models write several lists, an object a line, or prose between them.
pub(crate) fn all(answer: &str) -> JsonScan {
    let text = spoken(answer);
    let trimmed = text.trim();
    if let Some(value) = serde_json::from_str(trimmed).ok().filter(is_answer) {
        return JsonScan {
            values: vec![value],
            ..JsonScan::default()
        };
    }
    let fenced = fenced(trimmed)
        .map(within)
        .filter(|found| !found.values.is_empty());
    fenced.unwrap_or_else(|| within(trimmed))
}

/// Whether there is JSON in an answer, and it came to its end.
pub(crate) fn is_whole(answer: &str) -> bool {
    let found = all(answer);
    !found.values.is_empty() && !found.cut
}

/// Whether the JSON in an answer did not come to its end.
pub(crate) fn is_cut(answer: &str) -> bool {
    all(answer).cut
}

/// The text behind the first mark of a code fence, where that is JSON. A mark further on may stand
/// in one of its texts.
fn fenced(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("```")?;
    // The rest of the fence's line is the name of the language.
    let body = after.split_once('\n').map_or(after, |(language, body)| {
        if language.trim().chars().all(char::is_alphanumeric) {
            body
        } else {
            after
        }
    });
    body.trim_start().starts_with(['[', '{']).then_some(body)
}

fn within(text: &str) -> JsonScan {
    let mut found = JsonScan::default();
    let (mut from, mut left) = (0, text.len().saturating_mul(TIMES));
    while let Some(start) = text
        .get(from..)
        .and_then(|rest| rest.find(['[', '{']))
        .map(|at| from + at)
    {
        let mut reader = Lenient::new(text, start);
        let value = reader.value(0);
        let (cut, end) = (reader.cut, reader.place());
        let behind = text.get(start + 1..).unwrap_or_default().trim_start();
        let is_object = text.get(start..).is_some_and(|rest| rest.starts_with('{'));
        // A bracket at the end of prose is no list that was begun.
        found.cut |= cut
            && (is_object
                || behind.starts_with('{')
                || behind.is_empty() && found.values.is_empty());
        match value {
            Some(value) if is_answer(&value) && !(cut && is_empty(&value)) => {
                found.values.push(value);
                from = end;
                continue;
            }
            None if !cut && is_object && behind.starts_with(['"', '\'', '“', '”']) => {
                tell(&mut found, text, start)
            }
            _ => {}
        }
        // A value that cannot be read as a whole may hold some that can.
        from = start + 1;
        left = left.saturating_sub(end.saturating_sub(start));
        if left == 0 {
            tell(&mut found, text, from);
            break;
        }
    }
    found
}

fn tell(found: &mut JsonScan, text: &str, start: usize) {
    if found.broken.len() < TOLD {
        found
            .broken
            .push(excerpt(text.get(start..).unwrap_or_default()));
    }
}

/// A list with an object in it, one without elements, or an object: what answers are made of. Not
/// `[1]`, as texts cite.
fn is_answer(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() || items.iter().any(Value::is_object),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
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
        assert_eq!(
            find(r#"[{"content":"他说"好"了"}]"#),
            Some(json!([{"content": "他说\"好\"了"}]))
        );
        assert_eq!(
            find(r#"[{"content":"\u597d\ud83d\ude00\x"}]"#),
            Some(json!([{"content": "好😀x"}]))
        );
    }

    #[test]
    fn everything_that_can_be_read_is_found() {
        let (a, b) = (r#"{"content":"a"}"#, r#"{"content":"b"}"#);
        for answer in [
            format!("[{a}]\n[{b}]"),
            format!("{a}\n{b}"),
            format!("[{a}, oops, {b}]"),
            format!("[{a}, {{\"content\" \"x\"}}, {b}]"),
            format!("```json\n{a}\n```\nand\n```json\n{b}\n```"),
            format!("First {a} and then [{b}], as in [1]. :["),
        ] {
            let found: Vec<Value> = all(&answer).values.into_iter().flat_map(items).collect();
            assert_eq!(
                found,
                [json!({"content": "a"}), json!({"content": "b"})],
                "{answer}"
            );
            assert!(is_whole(&answer), "{answer}");
        }
        let mixed = format!(r#"[{a}, "x", 5, null, [1], {b}]"#);
        assert_eq!(
            find(&mixed),
            Some(json!([{"content": "a"}, "x", 5, null, [1], {"content": "b"}])),
            "what is no object is for the reader to tell"
        );
        let huge = r#"[{"content":"a","importance":1e400},{"content":"b"}]"#;
        assert_eq!(
            find(huge),
            Some(json!([{"content": "a", "importance": "1e400"}, {"content": "b"}]))
        );
        for comment in [
            format!("[{a} // one, {b}]"),
            format!("[{a} // one\n, {b}]"),
            format!("[{a}, // one\n{b}]"),
        ] {
            assert_eq!(
                find(&comment),
                Some(json!([{"content": "a"}, {"content": "b"}])),
                "{comment}"
            );
        }
        let fence = "Here:\n```json\n[{\"content\":\"use ``` there\",},]\n```";
        assert_eq!(find(fence), Some(json!([{"content": "use ``` there"}])));
        let broken = all(&format!("[{a}, {{\"content\" \"x\"}}, {b}] and {{this}}")).broken;
        assert_eq!(
            broken,
            [format!("{{\"content\" \"x\"}}, {b}] and {{this}}")]
        );
    }

    fn items(value: Value) -> Vec<Value> {
        match value {
            Value::Array(items) => items,
            other => vec![other],
        }
    }

    #[test]
    fn json_that_does_not_end_is_cut() {
        for answer in [
            "[",
            "{",
            r#"[{"content":"a"},{"content":"b"#,
            r#"{"memories":[{"content":"a"},"#,
            r#"[{"content":"a"}] [{"content":"b"}"#,
            "{\"content\":\"a\"}\n{\"content\":",
        ] {
            assert!(is_cut(answer) && !is_whole(answer), "{answer}");
        }
        for answer in [
            "[]",
            "hello",
            "",
            r#"[{"content":"a"}] :["#,
            r#"I wrote { and [{"content":"a"}]"#,
        ] {
            assert!(!is_cut(answer), "{answer}");
        }
    }

    #[test]
    fn half_a_value_is_none() {
        for answer in [
            "hello",
            "",
            "[1, 2]",
            r#"{"content":"a"#,
            r#"{"content":"a","importance":0."#,
            "{",
            "[[[[",
        ] {
            assert!(
                find(answer).is_none_or(|value| value == json!([])),
                "{answer}: {:?}",
                find(answer)
            );
        }
        let deep = "[".repeat(10_000);
        assert!(find(&deep).is_none_or(|value| value == json!([])));
    }
}
