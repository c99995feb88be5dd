use serde_json::Value;

use annals_messages::{Catalogue, Messages};

use super::{BadCall, Call, Read, Toolset};

fn messages(language: &str, set: Toolset) -> std::sync::Arc<Messages> {
    let design = match set {
        Toolset::Graph => "graph",
        Toolset::Agent => "agent",
        Toolset::Markdown => "markdown",
    };
    Catalogue::shared().messages(design, language)
}

fn tools(set: Toolset) -> Vec<crate::provider::Tool> {
    super::tools(set, &messages("zh", set))
}

/// Reads a call as in the Chinese of the graph's design.
fn read(tool: &str, arguments: &str) -> Result<Read, BadCall> {
    Call::read(tool, arguments, &messages("zh", Toolset::Graph))
}

/// The schema without what explains it.
fn bare(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "description")
            .map(|(name, v)| (name.clone(), bare(v)))
            .collect(),
        Value::Array(items) => items.iter().map(bare).collect(),
        other => other.clone(),
    }
}

const DESIGNED: &str = r#"[
 {"name":"create_memory","parameters":{"type":"object","properties":{
   "subject":{"type":"string"},"memory_type":{"type":"string","enum":["事件","事实","关系","观点"]},
   "topic":{"type":"string"},"object":{"type":"string"},
   "attributes":{"type":"object","additionalProperties":{"type":"string"}},
   "importance":{"type":"number","minimum":0,"maximum":1,"default":0.5}},
   "required":["subject","memory_type","topic"]}},
 {"name":"link_memories","parameters":{"type":"object","properties":{
   "source_memory_description":{"type":"string"},"target_memory_description":{"type":"string"},
   "relation_type":{"type":"string","enum":["因为","所以","导致","引用","基于","相关"]},
   "importance":{"type":"number","default":0.6}},
   "required":["source_memory_description","target_memory_description","relation_type"]}},
 {"name":"search_memories","parameters":{"type":"object","properties":{
   "query":{"type":"string"},"memory_types":{"type":"array","items":{"enum":["事件","事实","关系","观点"]}},
   "time_range":{"type":"object","properties":{"start":{"type":"string"},"end":{"type":"string"}}},
   "max_results":{"type":"integer","default":10},"expand_depth":{"type":"integer","default":1}},
   "required":["query"]}}
]"#;

fn published() -> Vec<Value> {
    let all: Value = serde_json::from_str(&super::schemas(
        Toolset::Graph,
        &messages("zh", Toolset::Graph),
    ))
    .unwrap();
    all["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"].clone())
        .collect()
}

#[test]
fn the_schemas_are_those_of_the_design() {
    // part: G-20, G-39, G-48, G-57
    let designed: Vec<Value> = serde_json::from_str(DESIGNED).unwrap();
    let published = published();
    for (tool, wanted) in published.iter().zip(&designed) {
        assert_eq!(&bare(tool), wanted, "{}", wanted["name"]);
    }
    assert_eq!(published[3]["name"], "update_memory_importance");
    assert_eq!(published.len(), 4);
}

#[test]
fn every_argument_is_explained_in_chinese() {
    // part: G-23, G-24
    let create = &published()[0];
    let anchors = create["parameters"]["properties"]["importance"]["description"]
        .as_str()
        .unwrap();
    for anchor in [
        "0.3=日常琐事",
        "0.5=一般事件",
        "0.8=重要事件",
        "1.0=关键记忆",
    ] {
        assert!(anchors.contains(anchor), "{anchor}");
    }
    for tool in Toolset::ALL.into_iter().flat_map(tools) {
        let schema: Value = serde_json::from_str(&tool.parameters).unwrap();
        for (name, argument) in schema["properties"].as_object().unwrap() {
            let text = argument["description"].as_str().unwrap_or_default();
            assert!(
                text.chars().any(|c| c > '\u{2E80}'),
                "{}.{name}: {text:?}",
                tool.name
            );
        }
    }
}

#[test]
fn required_arguments_are_a_list_and_attributes_are_free() {
    // part: G-21, G-22, G-25
    for tool in Toolset::ALL.into_iter().flat_map(tools) {
        let schema: Value = serde_json::from_str(&tool.parameters).unwrap();
        let known = schema["properties"].as_object().unwrap();
        let required = schema["required"].as_array().unwrap();
        assert!(
            required
                .iter()
                .all(|name| known.contains_key(name.as_str().unwrap())),
            "{}",
            tool.name
        );
        assert!(
            known
                .values()
                .all(|argument| argument.get("required").is_none()),
            "{}",
            tool.name
        );
    }
    let keys = [
        "时间", "地点", "原因", "方式", "基于", "物品", "程度", "餐次", "来源", "评价",
    ];
    let attributes: serde_json::Map<String, Value> = keys
        .iter()
        .map(|key| ((*key).to_owned(), "苹果,香蕉".into()))
        .collect();
    let full = serde_json::json!({
        "subject":"我","memory_type":"事件","topic":"购物","object":"水果","attributes":attributes,"importance":0.4
    });
    let Call::CreateMemory(call) = read("create_memory", &full.to_string()).unwrap().call else {
        panic!()
    };
    assert_eq!(
        (
            call.attributes.len(),
            call.importance,
            call.object.as_deref()
        ),
        (10, 0.4, Some("水果"))
    );
    let least = r#"{"subject":"我","memory_type":"事件","topic":"吃饭"}"#;
    let Call::CreateMemory(call) = read("create_memory", least).unwrap().call else {
        panic!()
    };
    assert_eq!(
        (call.importance, call.object, call.attributes.len()),
        (0.5, None, 0)
    );
}

#[test]
fn arguments_are_converted_and_errors_name_them() {
    // part: G-06, G-10
    // part: G-35; `event` is taken without a setting
    let text = r#"{"subject":"我","memory_type":"event","topic":"吃饭","importance":"0.8","attributes":{"数量":3}}"#;
    let Call::CreateMemory(call) = read("create_memory", text).unwrap().call else {
        panic!()
    };
    assert_eq!(
        (
            call.importance,
            call.memory_type.as_str(),
            call.attributes["数量"].as_str()
        ),
        (0.8, "事件", "3")
    );
    let missing = read("create_memory", r#"{"subject":"我","memory_type":"事件"}"#).unwrap_err();
    assert_eq!(missing.field, "topic");
    let wrong = read(
        "create_memory",
        r#"{"subject":"我","memory_type":"情绪","topic":"x"}"#,
    )
    .unwrap_err();
    assert_eq!(wrong.field, "memory_type");
    for word in ["事件", "事实", "关系", "观点"] {
        assert!(wrong.message.contains(word), "{}", wrong.message);
    }
    let answer: Value = serde_json::from_str(&wrong.to_json()).unwrap();
    assert_eq!(
        (&answer["success"], &answer["error"]["field"]),
        (&Value::Bool(false), &"memory_type".into())
    );
}

#[test]
fn links_are_read_by_long_and_short_names() {
    // part: G-45
    let link = |text: &str| {
        let read = read("link_memories", text).unwrap();
        let Call::LinkMemories(link) = read.call else {
            panic!()
        };
        (link, read.notes.len())
    };
    let long = link(
        r#"{"source_memory_description":"a","target_memory_description":"b","relation_type":"因为"}"#,
    );
    assert_eq!(
        long,
        link(r#"{"source":"a","target":"b","relation_type":"因为"}"#)
    );
    assert_eq!((long.0.importance, long.1), (0.6, 0));
    let about = link(r#"{"source":"a","target":"b","relation_type":"关于"}"#);
    assert_eq!((about.0.relation.as_str(), about.1), ("相关", 1));
    assert_eq!(
        read("link_memories", r#"{"source":"a","relation_type":"因为"}"#)
            .unwrap_err()
            .field,
        "target_memory_description"
    );
}

#[test]
fn searches_have_their_defaults_and_limits() {
    // part: G-53
    let search = |text: &str| {
        let read = read("search_memories", text).unwrap();
        let Call::SearchMemories(search) = read.call else {
            panic!()
        };
        (search, read.notes)
    };
    let (plain, notes) = search(r#"{"query":"x"}"#);
    assert_eq!(
        (plain.max_results, plain.expand_depth, notes.len()),
        (10, None, 0)
    );
    let (deep, notes) =
        search(r#"{"query":"x","expand_depth":5,"time_range":{"start":"2025-11-04"}}"#);
    assert_eq!(
        (deep.expand_depth, deep.start.as_deref(), notes.len()),
        (Some(2), Some("2025-11-04"), 1)
    );
    let (_, notes) = search(r#"{"query":"x","top_k":-3,"time_range":{}}"#);
    assert_eq!(notes, ["search_memories 没有参数 \"top_k\"，已忽略"]);
    let (least, notes) = search(r#"{"query":"x","max_results":-3}"#);
    assert_eq!(
        (least.max_results, notes),
        (1, vec!["max_results -3 已按 1 处理".to_owned()])
    );
    let set = |text: &str| read("update_memory_importance", text).map(|read| read.call);
    let Ok(Call::SetImportance(made)) = set(r#"{"memory_description":"x","importance":0.8}"#)
    else {
        panic!()
    };
    assert_eq!((made.memory.as_str(), made.importance), ("x", 0.8));
    assert_eq!(made.field, "memory_description");
    let Ok(Call::SetImportance(by_id)) = set(r#"{"memory_id":"x","importance":0.8}"#) else {
        panic!()
    };
    assert_eq!((by_id.memory.as_str(), by_id.field), ("x", "memory_id"));
    assert_eq!(set(r#"{"memory_id":"x"}"#).unwrap_err().field, "importance");
    let Call::SearchMemory(first) = read("search_memory", r#"{"query":"pytest"}"#).unwrap().call
    else {
        panic!()
    };
    assert_eq!(first.limit, 10);
    let traces = read("search_conversation_traces", r#"{"keyword":"ls"}"#)
        .unwrap()
        .call;
    let Call::SearchTraces(traces) = traces else {
        panic!()
    };
    assert_eq!(
        (traces.limit, traces.max_chars, traces.session),
        (5, 4000, None)
    );
    let Call::RecallMemory(recall) = read("recall_memory", r#"{"query":"x"}"#).unwrap().call else {
        panic!()
    };
    assert_eq!((recall.limit, recall.include_active), (5, true));
}

#[test]
fn only_traces_are_shown_word_for_word() {
    let calls = [
        (
            "create_memory",
            r#"{"subject":"我","memory_type":"事件","topic":"喝茶"}"#,
            false,
        ),
        (
            "link_memories",
            r#"{"source_memory_description":"a","target_memory_description":"b","relation_type":"因为"}"#,
            false,
        ),
        ("search_memories", r#"{"query":"x"}"#, false),
        (
            "update_memory_importance",
            r#"{"memory_id":"x","importance":0.8}"#,
            false,
        ),
        ("search_memory", r#"{"query":"x"}"#, false),
        ("search_conversation_traces", r#"{"keyword":"ls"}"#, true),
        ("recall_memory", r#"{"query":"x"}"#, false),
    ];
    for (tool, arguments, verbatim) in calls {
        assert_eq!(
            read(tool, arguments).unwrap().call.is_verbatim(),
            verbatim,
            "{tool}"
        );
    }
}

#[test]
fn the_descriptions_say_which_search_is_for_what() {
    // part: A-84, A-87
    let tools = tools(Toolset::Agent);
    for word in ["偏好", "规则", "经验", "操作摘要"] {
        assert!(tools[0].description.contains(word), "{word}");
    }
    assert!(
        tools[1].description.contains("操作细节") && tools[1].parameters.contains("\"keyword\"")
    );
}

#[test]
fn calls_that_are_none_are_refused() {
    for (tool, text) in [
        ("drop_table", "{}"),
        ("create_memory", "[]"),
        ("create_memory", "hello"),
        (
            "create_memory",
            r#"{"subject":{},"memory_type":"事件","topic":"x"}"#,
        ),
        ("search_memories", r#"{"query":"x","max_results":1.5}"#),
        (
            "search_memories",
            r#"{"query":"x","time_range":"yesterday"}"#,
        ),
        ("recall_memory", r#"{"query":"x","include_active":"maybe"}"#),
    ] {
        assert!(read(tool, text).is_err(), "{tool} {text}");
    }
}

#[test]
fn in_english_every_argument_is_explained_and_every_word_is_english() {
    for set in Toolset::ALL {
        let text = super::schemas(set, &messages("en", set));
        assert!(text.is_ascii(), "{text}");
        for tool in super::tools(set, &messages("en", set)) {
            assert!(!tool.description.is_empty(), "{}", tool.name);
            let schema: Value = serde_json::from_str(&tool.parameters).unwrap();
            for (name, argument) in schema["properties"].as_object().unwrap() {
                assert!(
                    argument["description"]
                        .as_str()
                        .is_some_and(|text| text.len() > 3),
                    "{}.{name}",
                    tool.name
                );
            }
        }
    }
    let english = messages("en", Toolset::Graph);
    let link = r#"{"source":"a","target":"b","relation_type":"leads to"}"#;
    let Call::LinkMemories(call) = Call::read("link_memories", link, &english).unwrap().call else {
        panic!()
    };
    assert_eq!(call.relation, "导致");
    let wrong = r#"{"source":"a","target":"b","relation_type":"hates"}"#;
    let told = Call::read("link_memories", wrong, &english)
        .unwrap_err()
        .to_string();
    assert!(told.contains("because") && told.is_ascii(), "{told}");
}
