use annals_language::Zone;
use annals_language::time::Said;
use annals_types::MemoryId;
use annals_types::profile::{DurationSettings, InitialScore, KindSettings, Profile, UnknownKind};

use super::{Form, parse, parse_said, schema};
use crate::{Aliases, Draft, Heard, Hold, Operation, Warning};

fn kinds(words: &[&str]) -> Vec<KindSettings> {
    words
        .iter()
        .map(|word| KindSettings {
            id: (*word).into(),
            ..KindSettings::default()
        })
        .collect()
}

fn studio() -> Form {
    let mut profile = Profile::default();
    profile.taxonomy.kinds = kinds(&["preference", "fact", "lesson", "goal", "context"]);
    profile.taxonomy.default_kind = Some("fact".into());
    profile.score.max = 1.0;
    Form::of(&profile)
}

fn agent() -> Form {
    let mut profile = Profile::default();
    profile.taxonomy.kinds = kinds(&["FACT", "PREFERENCE", "SKILL", "ERROR", "RULE"]);
    profile.taxonomy.default_kind = Some("FACT".into());
    let durations = ["permanent", "7d", "24h", "session"];
    profile.taxonomy.durations = durations
        .map(|id| DurationSettings {
            id: id.into(),
            ..DurationSettings::default()
        })
        .into();
    profile.score.max = 1.0;
    Form::of(&profile)
}

fn markdown() -> Form {
    let mut profile = Profile::default();
    let words = [
        "preference",
        "fact",
        "experience",
        "workflow",
        "decision",
        "skill_usage",
        "todo",
    ];
    profile.taxonomy.kinds = kinds(&words);
    profile.taxonomy.default_kind = Some("fact".into());
    profile.taxonomy.unknown_kind = UnknownKind::Default;
    profile.score.initial = InitialScore::Level;
    profile.score.by_level = [("high", 0.8), ("medium", 0.6), ("low", 0.4)]
        .map(|(word, v)| (word.to_owned(), v))
        .into();
    profile.score.fallback = 0.6;
    Form::of(&profile)
}

fn drafts(heard: &Heard) -> Vec<Draft> {
    let draft = |operation: &Operation| match operation {
        Operation::Add(draft) => Some(draft.clone()),
        _ => None,
    };
    heard.operations.iter().filter_map(draft).collect()
}

fn shown() -> (Aliases, MemoryId) {
    let id = MemoryId::from_bytes([1; 16]);
    let mut shown = Aliases::none();
    shown.add("a1b2c3", id, Hold::None);
    (shown, id)
}

#[test]
fn studio_lists_become_typed_memories() {
    // part: S-29, S-09
    let answer = concat!(
        r#"[{"content":"用户喜欢函数式编程","type":"preference","importance":0.9},"#,
        r#"{"content":"项目使用 Nuxt 4","type":"fact","importance":0.8}]"#,
    );
    let heard = parse(answer, &studio(), &Aliases::none());
    let got: Vec<_> = drafts(&heard)
        .into_iter()
        .map(|d| (d.text, d.kind.unwrap(), d.importance.unwrap()))
        .collect();
    let wanted = [
        ("用户喜欢函数式编程", "preference", 0.9),
        ("项目使用 Nuxt 4", "fact", 0.8),
    ];
    assert_eq!(
        got,
        wanted.map(|(text, kind, importance)| (text.to_owned(), kind.to_owned(), importance))
    );
    let given = |importance: &str| {
        let heard = parse(
            &format!(r#"[{{"content":"x","type":"lesson"{importance}}}]"#),
            &studio(),
            &Aliases::none(),
        );
        (drafts(&heard)[0].importance, heard.warnings.len())
    };
    assert_eq!(given(r#","importance":0.8"#), (Some(0.8), 0));
    assert_eq!(
        given(""),
        (None, 0),
        "the profile's weight of the kind is taken"
    );
    assert_eq!(given(r#","importance":1.7"#), (Some(1.0), 1));
    assert_eq!(given(r#","importance":"0.4""#), (Some(0.4), 0));
}

#[test]
fn malformed_json_is_repaired_once_and_prose_is_no_answer() {
    // part: S-30, M-50
    let fenced = "好的：\n```json\n[{\"content\":\"用户用 pytest\",\"type\":\"fact\"}]\n```";
    assert_eq!(drafts(&parse(fenced, &studio(), &Aliases::none())).len(), 1);
    for (prose, form) in [("没有值得记住的内容。", studio()), ("hello", markdown())] {
        let heard = parse(prose, &form, &Aliases::none());
        assert_eq!(
            (
                heard.operations.len(),
                heard.warnings.len(),
                heard.understood
            ),
            (0, 1, false)
        );
    }
    let nothing = parse("[]", &markdown(), &Aliases::none());
    assert_eq!(
        (
            nothing.operations.len(),
            nothing.warnings.len(),
            nothing.understood
        ),
        (0, 0, true)
    );
}

#[test]
fn no_part_of_an_answer_is_left_out_without_a_word() {
    let (a, b) = (
        r#"{"content":"a","type":"fact"}"#,
        r#"{"content":"b","type":"fact"}"#,
    );
    for (answer, told) in [
        (format!(r#"[{a}, "x", {b}]"#), 1),
        (format!("[{a}, 5, null, [1], {b}]"), 3),
        (format!(r#"[{a}, {{"content" "x"}}, {b}]"#), 1),
        (format!("[{a}] [{b}]"), 0),
        (format!("{a}\n{b}"), 0),
        (format!(r#"{{"memories":[{a}]}}{{"memories":[{b}]}}"#), 0),
        (format!("```json\n[{a}]\n```\n```json\n[{b}]\n```"), 0),
        (format!("[{a}, {b} // the last one]"), 0),
        (format!("[{a} // the first one, {b}]"), 0),
        (
            format!(r#"[{{"content":"a","type":"fact","importance":1e400}}, {b}]"#),
            1,
        ),
    ] {
        let heard = parse(&answer, &studio(), &Aliases::none());
        let texts: Vec<String> = drafts(&heard).into_iter().map(|draft| draft.text).collect();
        assert_eq!(
            (texts, heard.warnings.len()),
            (vec!["a".to_owned(), "b".to_owned()], told),
            "{answer}"
        );
    }
}

#[test]
fn a_candidate_without_a_letter_and_without_a_digit_says_nothing() {
    for text in ["...", "-", "。", "🙂"] {
        let heard = parse(
            &format!(r#"[{{"content":"{text}","type":"fact"}}]"#),
            &studio(),
            &Aliases::none(),
        );
        assert_eq!(
            (heard.operations.len(), heard.understood),
            (0, true),
            "{text}"
        );
        assert!(
            matches!(heard.warnings.as_slice(), [Warning::Empty(_)]),
            "{:?}",
            heard.warnings
        );
    }
}

#[test]
fn what_is_said_beside_a_known_memory_is_kept() {
    let (shown, id) = shown();
    let said = |named: &str| {
        let answer = format!(
            r#"[{{"content":"用户改用 unittest","category":"fact","reinforces":{named}}}]"#
        );
        let heard = parse(&answer, &markdown(), &shown);
        (
            drafts(&heard).len(),
            heard.operations.contains(&Operation::Reinforce(id)),
            heard.warnings.len(),
        )
    };
    assert_eq!(said(r#""a1b2c3""#), (1, true, 0));
    for nothing in ["null", "[]", r#""""#] {
        assert_eq!(said(nothing), (1, false, 0), "{nothing}");
    }
    assert_eq!(said(r#""zzz""#), (1, false, 1));
}

#[test]
fn triples_of_several_lists_count() {
    let triple = |object: &str| format!(r#"{{"subject":"a","predicate":"b","object":"{object}"}}"#);
    for answer in [
        format!("[{}]\n[{}]", triple("c"), triple("d")),
        format!("{}\n{}", triple("c"), triple("d")),
        format!(r#"[{}, ["a", "b", "d"]]"#, triple("c")),
    ] {
        assert_eq!(
            super::parse_statements(&answer).unwrap().len(),
            2,
            "{answer}"
        );
    }
}

#[test]
fn names_and_numbers_survive_word_for_word() {
    // part: S-37
    let answer = r#"{"memories":[{"content":"SQLite, Nuxt 4 与 proxy-env 用于 192.168.1.7:8080","type":"fact"}]}"#;
    let heard = parse(answer, &studio(), &Aliases::none());
    assert_eq!(
        drafts(&heard)[0].text,
        "SQLite, Nuxt 4 与 proxy-env 用于 192.168.1.7:8080"
    );
}

#[test]
fn what_says_that_it_is_secret_is_left_out() {
    let answer = concat!(
        r#"[{"content":"密码是 abc123","type":"fact","sensitive":true},"#,
        r#"{"content":"x","type":"fact","sensitive":false}]"#,
    );
    let heard = parse(answer, &studio(), &Aliases::none());
    assert_eq!(
        (drafts(&heard).len(), heard.warnings.clone()),
        (1, vec![Warning::Sensitive])
    );
}

#[test]
fn agents_say_how_long_to_keep_something() {
    // part: A-59
    let answer = concat!(
        r#"[{"type":"PREFERENCE","content":"用户喜欢用 Python","subject":"用户","predicate":"喜欢","#,
        r#""importance":0.7,"confidence":0.9,"duration":"permanent"}]"#,
    );
    let heard = parse(answer, &agent(), &Aliases::none());
    let draft = &drafts(&heard)[0];
    assert_eq!(
        (draft.kind.as_deref(), draft.text.as_str()),
        (Some("PREFERENCE"), "用户喜欢用 Python")
    );
    assert_eq!(
        (draft.subject.as_deref(), draft.predicate.as_deref()),
        (Some("用户"), Some("喜欢"))
    );
    assert_eq!(
        (
            draft.importance,
            draft.confidence,
            draft.duration.as_deref()
        ),
        (Some(0.7), Some(0.9), Some("permanent"))
    );
    let odd = parse(
        r#"[{"type":"error","content":"x","duration":"2w"}]"#,
        &agent(),
        &Aliases::none(),
    );
    assert_eq!(
        (drafts(&odd)[0].kind.as_deref(), &drafts(&odd)[0].duration),
        (Some("ERROR"), &None)
    );
    assert_eq!(odd.warnings.len(), 1);
}

#[test]
fn a_rule_says_whether_it_is_of_a_task_or_of_behaviour() {
    let duration = |scope: &str| {
        let answer = format!(r#"[{{"type":"RULE","content":"禁止虚报执行结果"{scope}}}]"#);
        drafts(&parse(&answer, &agent(), &Aliases::none()))[0]
            .duration
            .clone()
    };
    assert_eq!(duration(r#","rule_scope":"task""#).as_deref(), Some("24h"));
    assert_eq!(
        duration(r#","rule_scope":"behavior""#).as_deref(),
        Some("permanent")
    );
    assert_eq!(duration(""), None, "the profile keeps it for 24 hours then");
}

#[test]
fn markdown_candidates_have_levels() {
    // part: M-46, M-48
    let answer = r#"[
  {"content": "用户偏好用 pytest 而非 unittest", "category": "preference", "importance": "medium"},
  {"content": "用户提到下周三有产品评审会议", "category": "todo", "importance": "high"}
]"#;
    let heard = parse(answer, &markdown(), &Aliases::none());
    let got: Vec<_> = drafts(&heard)
        .into_iter()
        .map(|d| (d.kind.unwrap(), d.level.unwrap()))
        .collect();
    assert_eq!(
        got,
        [
            ("preference".into(), "medium".into()),
            ("todo".to_owned(), "high".to_owned())
        ]
    );
    let odd = parse(
        r#"[{"content":"x","category":"misc","importance":"huge"}]"#,
        &markdown(),
        &Aliases::none(),
    );
    let draft = &drafts(&odd)[0];
    assert_eq!(
        (draft.kind.as_deref(), draft.level.as_deref()),
        (Some("fact"), Some("medium"))
    );
    assert_eq!(odd.warnings.len(), 2);
}

#[test]
fn a_known_memory_is_reinforced_once_and_contradicted_by_name() {
    // part: M-52, M-79, M-58
    let (shown, id) = shown();
    let said = |answer: &str| parse(answer, &markdown(), &shown);
    assert_eq!(
        said(r#"[{"reinforces":"a1b2c3"}]"#).operations,
        [Operation::Reinforce(id)]
    );
    let thrice =
        said(r#"[{"reinforces":"a1b2c3"},{"reinforces":"[a1b2c3]"},{"reinforces":["a1b2c3"]}]"#);
    assert_eq!((thrice.operations.len(), thrice.warnings.len()), (1, 2));
    let unknown = said(r#"[{"reinforces":"zzz"}]"#);
    assert_eq!(
        (
            unknown.operations.len(),
            unknown.warnings.len(),
            unknown.understood
        ),
        (0, 1, true)
    );
    let answer = r#"{"content":"用户改用 unittest","category":"preference","importance":"medium","contradicts":["a1b2c3"]}"#;
    for answer in [
        answer.to_owned(),
        format!("[{}]", answer.replace("[\"a1b2c3\"]", "\"a1b2c3\"")),
    ] {
        assert_eq!(drafts(&said(&answer))[0].contradicts, [id], "{answer}");
    }
    assert_eq!(
        said(r#"[{"contradicts":"a1b2c3"}]"#).operations,
        [Operation::Contradict(id)]
    );
}

#[test]
fn the_schema_names_the_words_of_the_profile() {
    let schema = schema(&agent());
    for word in ["PREFERENCE", "permanent", "rule_scope", "memories"] {
        assert!(schema.text.contains(word), "{word}");
    }
    assert!(schema_of(&markdown()).contains("high"));
    let told: serde_json::Value = serde_json::from_str(&schema_of(&markdown())).unwrap();
    assert_eq!(
        told["properties"]["memories"]["items"]["anyOf"][0]["required"],
        serde_json::json!(["content", "type"])
    );
}

/// Every list and every text of a schema that has no bound.
fn unbounded(schema: &serde_json::Value, found: &mut Vec<String>) {
    let has = |key: &str| schema.get(key).is_some();
    let is = |kind: &str| {
        schema["type"] == kind || schema["type"].as_array().is_some_and(|all| all[0] == kind)
    };
    if is("array") && !has("maxItems") || is("string") && !has("maxLength") && !has("enum") {
        found.push(schema.to_string());
    }
    let fields = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values());
    fields
        .chain(schema.get("items"))
        .for_each(|part| unbounded(part, found));
}

#[test]
fn no_list_and_no_text_of_a_schema_is_without_bound() {
    let any = Form {
        keep_kinds: true,
        triples: true,
        ..agent()
    };
    for schema in [
        schema(&agent()),
        schema(&markdown()),
        schema(&any),
        super::statements_schema(),
    ] {
        let mut found = Vec::new();
        unbounded(&serde_json::from_str(&schema.text).unwrap(), &mut found);
        assert_eq!(found, Vec::<String>::new());
        // Servers that make a grammar of a schema take no repetition of 2,000 and more.
        assert!(schema.text.split("\"max").skip(1).all(|bound| {
            let digits: String = bound
                .chars()
                .skip_while(|c| !c.is_ascii_digit())
                .take_while(char::is_ascii_digit)
                .collect();
            digits.parse::<usize>().unwrap() < 2000
        }));
    }
}

#[test]
fn a_text_that_the_schema_ended_is_left_out() {
    use super::bounds::{PART, TEXT};
    let memory = |chars: usize| {
        parse(
            &format!(
                r#"[{{"content":"{}","category":"todo"}}]"#,
                "字".repeat(chars)
            ),
            &markdown(),
            &Aliases::none(),
        )
    };
    let kept = |chars: usize| (memory(chars).operations.len(), memory(chars).warnings.len());
    assert_eq!(
        (kept(TEXT - 1), kept(TEXT), kept(TEXT + 1)),
        ((1, 0), (0, 1), (1, 0))
    );
    let triple = |field: &str, chars: usize| {
        let text = "a".repeat(chars);
        let part = |name: &str| if name == field { text.as_str() } else { "b" };
        let answer = format!(
            r#"[{{"subject":"{}","predicate":"{}","object":"{}","condition":"{}"}}]"#,
            part("subject"),
            part("predicate"),
            part("object"),
            part("condition")
        );
        super::parse_statements(&answer).unwrap().len()
    };
    for field in ["subject", "predicate", "object", "condition"] {
        assert_eq!(
            (triple(field, PART - 1), triple(field, PART)),
            (1, 0),
            "{field}"
        );
    }
}

fn schema_of(form: &Form) -> String {
    schema(form).text
}

#[test]
fn what_expires_at_a_time_in_words_lasts_until_its_end() {
    let said = Said::at(
        "2026-02-20T10:00:00+08:00".parse().unwrap(),
        Zone::named("Asia/Shanghai").unwrap(),
    );
    let expires = |words: &str| {
        let answer = format!(r#"[{{"content":"x","category":"todo","expires_at":"{words}"}}]"#);
        drafts(&parse_said(
            &answer,
            &markdown(),
            &Aliases::none(),
            &said.clone().looking_ahead(),
        ))[0]
            .expires_at
    };
    for (words, wanted) in [
        ("下周三", "2026-02-26T00:00:00+08:00"),
        ("tomorrow", "2026-02-22T00:00:00+08:00"),
        ("2026-03-05T12:00:00Z", "2026-03-05T12:00:00Z"),
    ] {
        assert_eq!(expires(words), Some(wanted.parse().unwrap()), "{words}");
    }
    assert_eq!(expires("someday"), None);
    let plain = r#"[{"content":"x","category":"todo","expires_at":"下周三"}]"#;
    assert_eq!(
        drafts(&parse(plain, &markdown(), &Aliases::none()))[0].expires_at,
        None,
        "nothing is known of the day"
    );
}

#[test]
fn what_ends_ends_where_it_was_said_and_never_before_it_begins() {
    let zone = annals_language::Zone::named("Asia/Shanghai").unwrap();
    let said = annals_language::time::Said::at("2026-02-20T10:00:00+08:00".parse().unwrap(), zone)
        .looking_ahead();
    let form = Form::of(&annals_types::profile::Profile::default());
    for (words, wanted) in [
        ("下周三", Some("2026-02-26T00:00:00+08:00")),
        ("2026-02-25", Some("2026-02-26T00:00:00+08:00")),
        ("2027-03-05T18:00:00", Some("2027-03-05T18:00:00+08:00")),
        ("2027-03-05T18:00:00Z", Some("2027-03-05T18:00:00Z")),
        ("近期", None),
        ("昨天", None),
        ("whenever", None),
    ] {
        let answer = format!(r#"[{{"content":"评审","expires_at":"{words}"}}]"#);
        let heard = parse_said(&answer, &form, &crate::Aliases::none(), &said);
        let [crate::Operation::Add(draft)] = heard.operations.as_slice() else {
            panic!("{words}: {heard:?}")
        };
        let wanted = wanted.map(|moment| moment.parse::<annals_types::Timestamp>().unwrap());
        assert_eq!(draft.expires_at, wanted, "{words}");
    }
}

#[test]
fn a_no_of_a_triple_is_never_lost() {
    let read = |fields: &str| {
        let answer =
            format!(r#"[{{"subject": "主人", "predicate": "喜欢", "object": "香菜", {fields}}}]"#);
        super::parse_statements(&answer)
            .unwrap()
            .into_iter()
            .next()
            .map(|found| (found.negated, found.degree))
    };
    for no in ["true", r#""true""#, r#""Yes""#, r#""是""#, "1"] {
        assert_eq!(
            read(&format!(r#""negation": {no}"#)),
            Some((true, None)),
            "{no}"
        );
    }
    for yes in [
        "false",
        "null",
        r#""false""#,
        r#""""#,
        r#""否""#,
        r#""无""#,
        "0",
    ] {
        assert_eq!(
            read(&format!(r#""negation": {yes}"#)),
            Some((false, None)),
            "{yes}"
        );
    }
    for unclear in ["2", r#""partly""#, "[]", "{}"] {
        assert_eq!(
            read(&format!(r#""negation": {unclear}"#)),
            None,
            "{unclear}"
        );
    }
    for never in ["从不", "never", "Never", "从来不", "绝不"] {
        assert_eq!(
            read(&format!(r#""frequency": "{never}""#)),
            Some((true, None)),
            "{never}"
        );
    }
    assert_eq!(
        read(r#""frequency": "每天""#),
        Some((false, Some("每天".to_owned())))
    );
    let left_out = concat!(
        r#"[{"content": "a", "type": "fact", "triples": [{"subject": "a", "predicate": "b","#,
        r#" "object": "c", "negation": "hm"}]}]"#,
    );
    let heard = parse(left_out, &studio(), &Aliases::default());
    assert_eq!(
        (drafts(&heard)[0].triples.len(), heard.warnings.len()),
        (0, 1)
    );
}

#[test]
fn a_no_that_stands_twice_is_one() {
    let read = |predicate: &str, fields: &str| {
        let answer =
            format!(r#"[{{"subject": "a", "predicate": "{predicate}", "object": "b", {fields}}}]"#);
        super::parse_statements(&answer)
            .unwrap()
            .into_iter()
            .next()
            .map(|found| (found.predicate, found.negated))
    };
    for fields in [r#""negation": true"#, r#""frequency": "从不""#] {
        for predicate in ["喜欢", "别名是", "likes", "is longer than", "knows"] {
            assert_eq!(
                read(predicate, fields),
                Some((predicate.to_owned(), true)),
                "{predicate} {fields}"
            );
        }
        for predicate in [
            "不喜欢",
            "从不吃",
            "没有养",
            "无法接受",
            "does not like",
            "isn't",
            "never eats",
            "has no",
        ] {
            assert_eq!(
                read(predicate, fields),
                Some((predicate.to_owned(), false)),
                "{predicate} {fields}"
            );
        }
    }
    assert_eq!(
        read("不喜欢", r#""negation": false"#),
        Some(("不喜欢".to_owned(), false))
    );
}

#[test]
fn an_answer_without_triples_is_an_answer() {
    let long = format!(r#"[["{}", "b", "c"]]"#, "长".repeat(100));
    for answer in [
        r#"{"triples": null}"#,
        r#"{"statements": {}}"#,
        "[]",
        r#"{"triples": []}"#,
        &long,
    ] {
        assert_eq!(
            super::parse_statements(answer),
            Some(Vec::new()),
            "{answer}"
        );
    }
    for answer in [
        "",
        "nothing",
        r#"["a"]"#,
        r#"{"a": 1}"#,
        r#"{"triples": ["a"]}"#,
    ] {
        assert_eq!(super::parse_statements(answer), None, "{answer}");
    }
}

#[test]
fn what_says_nothing_is_no_condition() {
    for nothing in ["无", "没有", "none", "None.", "null", "N/A"] {
        let answer = format!(
            r#"[{{"subject": "a", "predicate": "b", "object": "c",
                "condition": "{nothing}", "frequency": "{nothing}"}}]"#
        );
        let found = super::parse_statements(&answer).unwrap();
        assert_eq!(
            (found[0].condition.as_deref(), found[0].degree.as_deref()),
            (None, None),
            "{nothing}"
        );
    }
}
