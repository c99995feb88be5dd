//! A small file of every format that is imported, and the same file when it has grown.

use serde_json::{Value, json};

/// A file made of records.
pub(crate) struct Sample {
    /// The format that it is told to be of.
    pub(crate) format: &'static str,
    /// What stands before the records, between them and behind them.
    around: [&'static str; 3],
    /// The records at first.
    first: Vec<String>,
    /// The records later.
    grown: Vec<String>,
    /// Memories that each brings.
    pub(crate) brings: [u64; 2],
}

impl Sample {
    fn new<R: ToString>(
        format: &'static str,
        around: [&'static str; 3],
        brings: [u64; 2],
        [a, b]: [Vec<R>; 2],
    ) -> Self {
        let texts = |records: Vec<R>| records.iter().map(ToString::to_string).collect();
        Self {
            format,
            around,
            first: texts(a),
            grown: texts(b),
            brings,
        }
    }

    fn joined(&self, records: &[String]) -> String {
        let [head, joint, tail] = self.around;
        format!("{head}{}{tail}", records.join(joint))
    }

    /// The file at first.
    pub(crate) fn first(&self) -> String {
        self.joined(&self.first)
    }

    /// The file when more stands in it.
    pub(crate) fn grown(&self) -> String {
        self.joined(&self.grown)
    }

    /// The grown file with a record that is broken behind its first one.
    pub(crate) fn with_broken(&self, broken: &str) -> String {
        let mut records = self.grown.clone();
        records.insert(1, broken.to_owned());
        self.joined(&records)
    }

    /// Whether it is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.first().starts_with(['[', '{'])
    }
}

/// The forms of files of JSON.
const LIST: [&str; 3] = ["[", ",\n", "]"];
const LINES: [&str; 3] = ["", "\n", "\n"];
const ONE: [&str; 3] = ["", "", ""];

/// The first `few` of the records, and all of them.
fn more<R: Clone>(records: Vec<R>, few: usize) -> [Vec<R>; 2] {
    [records[..few].to_vec(), records]
}

fn at(minute: usize) -> String {
    format!("2026-01-05T10:{minute:02}:00.000Z")
}

fn role(place: usize) -> &'static str {
    ["user", "assistant"][place % 2]
}

/// A conversation of ChatGPT, in which user and assistant say these words half a minute apart.
pub(crate) fn talk_of_chatgpt(id: &str, began: usize, said: &[impl AsRef<str>]) -> Value {
    let mut mapping = serde_json::Map::new();
    mapping.insert(
        "n0".to_owned(),
        json!({ "id": "n0", "parent": null, "message": null }),
    );
    for (place, words) in (1..).zip(said) {
        let (own, parent) = (format!("n{place}"), format!("n{}", place - 1));
        let message = json!({
            "id": format!("{id}-{place}"), "author": { "role": role(place - 1) },
            "create_time": began + 30 * place, "recipient": "all",
            "content": { "content_type": "text", "parts": [words.as_ref()] },
        });
        mapping.insert(
            own.clone(),
            json!({ "id": own, "parent": parent, "message": message }),
        );
    }
    json!({ "id": id, "title": id, "current_node": format!("n{}", said.len()), "mapping": mapping })
}

/// A conversation of ChatGPT with so many messages.
fn chatgpt(id: &str, count: usize) -> Value {
    let said: Vec<String> = (1..=count)
        .map(|place| format!("Words {place} of {id}"))
        .collect();
    talk_of_chatgpt(id, 1_767_254_400, &said)
}

fn claude(id: &str, count: usize) -> Value {
    let message = |place: usize| {
        let sender = ["human", "assistant"][place % 2];
        json!({ "uuid": format!("{id}-{place}"), "sender": sender, "text": format!("Words {place} of {id}"),
            "created_at": at(place) })
    };
    json!({ "uuid": id, "name": id, "chat_messages": (0..count).map(message).collect::<Vec<_>>() })
}

fn open_webui(id: &str, count: usize) -> Value {
    let mut messages = serde_json::Map::new();
    for place in 1..=count {
        let parent = (place > 1).then(|| format!("m{}", place - 1));
        messages.insert(
            format!("m{place}"),
            json!({ "id": format!("m{place}"), "parentId": parent, "role": role(place - 1),
                "content": format!("Words {place} of {id}"), "timestamp": 1_767_254_400 + place }),
        );
    }
    let history = json!({ "messages": messages, "currentId": format!("m{count}") });
    json!({ "id": id, "title": id, "chat": { "title": id, "history": history } })
}

fn gemini_cli(count: usize) -> Value {
    let message = |place: usize| {
        json!({ "id": place.to_string(), "timestamp": at(place), "type": (["user", "gemini"][place % 2]),
            "content": format!("Words {place}") })
    };
    json!({ "sessionId": "g1", "projectHash": "h", "startTime": at(0), "lastUpdated": at(count),
        "messages": (0..count).map(message).collect::<Vec<_>>() })
}

fn letta(count: usize, value: &str) -> Value {
    let message = |place: usize| {
        json!({ "type": "message", "id": format!("message-{place}"), "role": role(place),
            "content": [{ "type": "text", "text": format!("Words {place}") }], "created_at": at(place) })
    };
    let messages: Vec<Value> = (0..count).map(message).collect();
    json!({ "agents": [{ "id": "agent-0", "name": "Tess", "block_ids": ["block-0"], "messages": messages }],
        "blocks": [{ "id": "block-0", "label": "human", "value": value }] })
}

fn zep(count: usize) -> Value {
    let episode = |place: usize| {
        json!({ "uuid": format!("p{place}"), "content": format!("Words {place}"), "source": "message",
            "role": role(place), "role_name": "Ada", "thread_uuid": "t1", "created_at": at(place) })
    };
    let edge = |place: usize| {
        json!({ "uuid": format!("e{place}"), "source_node_uuid": "n1", "target_node_uuid": "n2", "name": "VISITS",
            "fact": format!("Ada visits Bergen {place}"), "created_at": at(place), "valid_at": at(place) })
    };
    let node = |id: &str, name: &str| json!({ "uuid": id, "name": name, "labels": ["Entity"], "summary": "" });
    json!({ "nodes": [node("n1", "Ada"), node("n2", "Bergen")],
        "edges": (0..count).map(edge).collect::<Vec<_>>(), "episodes": (0..count).map(episode).collect::<Vec<_>>() })
}

fn claude_mem(count: usize) -> Value {
    let observation = |place: usize| {
        json!({ "id": place, "memory_session_id": "m", "project": "shop", "type": "decision",
            "title": format!("Title {place}"), "narrative": format!("Narrative {place}"), "facts": "[]",
            "created_at_epoch": 1_780_221_600_000_u64 })
    };
    json!({ "observations": (0..count).map(observation).collect::<Vec<_>>(), "sessions": [], "summaries": [],
        "prompts": [{ "id": 3, "content_session_id": "s", "prompt_text": "Fix it", "created_at_epoch": 1 }] })
}

fn takeout(place: usize) -> Value {
    json!({ "header": "Gemini Apps", "title": format!("Prompted Words {place}"), "time": at(place),
        "products": ["Gemini Apps"], "safeHtmlItem": [{ "html": format!("<p>Answer {place}</p>") }] })
}

fn telegram(place: usize) -> Value {
    json!({ "id": place, "type": "message", "date": "2026-02-03T21:00:00", "date_unixtime": (1_770_148_800 + place).to_string(),
        "from": "Ada", "from_id": "user77", "text": format!("Words {place}"), "text_entities": [] })
}

fn discord(place: usize) -> Value {
    json!({ "id": place.to_string(), "type": "Default", "timestamp": at(place), "content": format!("Words {place}"),
        "author": { "id": "9", "name": "bo", "isBot": false } })
}

fn slack(place: usize) -> Value {
    json!({ "type": "message", "user": "U1", "text": format!("Words {place}"), "ts": format!("17672544{place:02}.000100") })
}

fn claude_code(place: usize) -> Value {
    let content = json!([{ "type": "text", "text": format!("Words {place}") }]);
    json!({ "type": role(place), "uuid": format!("u{place}"), "sessionId": "s1", "timestamp": at(place), "cwd": "/srv",
        "message": { "role": role(place), "content": content } })
}

fn codex(place: usize) -> Value {
    let words = format!("Words {place}");
    if place % 2 == 1 {
        let content = json!([{ "type": "output_text", "text": words }]);
        let payload = json!({ "type": "message", "role": "assistant", "content": content });
        return json!({ "timestamp": at(place), "type": "response_item", "payload": payload });
    }
    let item = json!({ "type": "UserMessage", "id": format!("i{place}"), "content": [{ "type": "text", "text": words }] });
    json!({ "timestamp": at(place), "type": "event_msg", "payload": { "type": "item_completed", "item": item } })
}

fn copilot(place: usize) -> Value {
    let kind = ["user.message", "assistant.message"][place % 2];
    json!({ "type": kind, "id": format!("e{place}"), "parentId": null, "timestamp": at(place),
        "data": { "content": format!("Words {place}"), "messageId": format!("m{place}") } })
}

fn cursor(place: usize) -> Value {
    let text = if place.is_multiple_of(2) {
        format!("<user_query>\nWords {place}\n</user_query>")
    } else {
        format!("Words {place}")
    };
    json!({ "role": role(place), "message": { "content": [{ "type": "text", "text": text }] } })
}

fn letter(place: usize) -> String {
    format!(
        "From ada@example.org Thu Jan  1 10:00:00 2026\nFrom: Ada <ada@example.org>\n\
         Date: Thu, 01 Jan 2026 10:{place:02}:00 +0100\nMessage-ID: <{place}@x>\nSubject: Roof\n\nWords {place}\n"
    )
}

fn mem0(place: usize, words: &str) -> Value {
    json!({ "id": format!("m{place}"), "memory": words, "created_at": at(place), "user_id": "u1" })
}

fn hindsight(place: usize) -> Value {
    json!({ "id": format!("f{place}"), "text": format!("Ada visits Bergen {place}"), "fact_type": "world",
        "mentioned_at": at(place), "context": "travel", "entities": "Ada (PERSON)" })
}

fn message(place: usize) -> Value {
    json!({ "role": role(place), "content": format!("Words {place}") })
}

fn turn(place: usize) -> Value {
    json!({ "session": "s", "text": format!("Words {place}"), "role": role(place), "time": at(place) })
}

fn conversation(count: usize) -> Value {
    json!({ "conversations": [{ "id": "c", "turns": (0..count).map(turn).collect::<Vec<_>>() }] })
}

/// A card of the page of Gemini in Takeout.
fn card(place: usize) -> String {
    format!(
        "<div class=\"outer-cell\"><div class=\"header-cell\"><p class=\"mdl-typography--title\">Gemini Apps<br></p>\
         </div><div class=\"content-cell mdl-typography--body-1\">Prompted&nbsp;Words {place}<br>\
         Jan 5, 2026, 10:{place:02}:00\u{202f}AM UTC<br><p>Answer {place}</p></div></div>\n"
    )
}

fn all_of<R>(count: usize, record: impl Fn(usize) -> R) -> Vec<R> {
    (0..count).map(record).collect()
}

/// The samples of all formats that are made of records; databases and exports of annals are made
/// elsewhere.
pub(crate) fn all() -> Vec<Sample> {
    let one = |a: Value, b: Value| [vec![a], vec![b]];
    let fields = |place: usize| json!({ "text": format!("Fact number {place}"), "date": at(place), "room": "hall" });
    let string = |place: usize| json!(format!("Fact number {place}"));
    let graph = |place: usize| {
        json!({ "type": "entity", "name": format!("Pump {place}"), "entityType": "device",
            "observations": [format!("Stands in hall {place}")] })
    };
    let project = |place: usize| {
        json!({ "uuid": format!("p{place}"), "name": format!("House {place}"), "description": format!("Repairs {place}"),
            "prompt_template": "", "docs": [] })
    };
    let chat = |place: usize| format!("[1{place}.01.26, 18:05:09] Ines: Words {place}");
    let row = |place: usize| format!("Fact number {place},2026-01-0{},house", place + 1);
    let note = |place: usize| format!("## Room {place}\nIt has {place} windows.");
    vec![
        Sample::new("turns", LINES, [2, 4], more(all_of(4, turn), 2)),
        Sample::new(
            "conversation",
            ONE,
            [2, 4],
            one(conversation(2), conversation(4)),
        ),
        Sample::new(
            "claude-code",
            LINES,
            [2, 4],
            more(all_of(4, claude_code), 2),
        ),
        Sample::new("codex", LINES, [2, 4], more(all_of(4, codex), 2)),
        Sample::new("gemini-cli", ONE, [2, 4], one(gemini_cli(2), gemini_cli(4))),
        Sample::new("cursor", LINES, [2, 4], more(all_of(4, cursor), 2)),
        Sample::new("copilot-cli", LINES, [2, 4], more(all_of(4, copilot), 2)),
        Sample::new(
            "chatgpt",
            LIST,
            [3, 7],
            [
                vec![chatgpt("a", 2), chatgpt("b", 1)],
                vec![chatgpt("a", 2), chatgpt("b", 3), chatgpt("c", 2)],
            ],
        ),
        Sample::new(
            "claude",
            LIST,
            [3, 7],
            [
                vec![claude("a", 2), claude("b", 1)],
                vec![claude("a", 2), claude("b", 3), claude("c", 2)],
            ],
        ),
        Sample::new("claude-projects", LIST, [1, 3], more(all_of(3, project), 1)),
        Sample::new(
            "gemini-takeout",
            LIST,
            [2, 6],
            [vec![takeout(0)], vec![takeout(2), takeout(1), takeout(0)]],
        ),
        Sample::new(
            "gemini-takeout",
            ["<!doctype html><html><body>", "", "</body></html>"],
            [2, 6],
            [vec![card(0)], vec![card(2), card(1), card(0)]],
        ),
        Sample::new(
            "mem0",
            LIST,
            [2, 3],
            [
                vec![mem0(1, "Lives in Oslo"), mem0(2, "Likes tea")],
                vec![
                    mem0(1, "Lives in Bergen"),
                    mem0(2, "Likes tea"),
                    mem0(3, "Sails"),
                ],
            ],
        ),
        Sample::new(
            "hindsight",
            ["{\"items\":[", ",\n", "],\"total\":3}"],
            [1, 3],
            more(all_of(3, hindsight), 1),
        ),
        Sample::new("knowledge-graph", LINES, [1, 3], more(all_of(3, graph), 1)),
        Sample::new(
            "letta",
            ONE,
            [3, 5],
            one(letta(2, "Lives in Oslo."), letta(4, "Lives in Bergen.")),
        ),
        Sample::new("zep", ONE, [2, 6], one(zep(1), zep(3))),
        Sample::new("claude-mem", ONE, [2, 4], one(claude_mem(1), claude_mem(3))),
        Sample::new(
            "open-webui",
            LIST,
            [3, 7],
            [
                vec![open_webui("a", 2), open_webui("b", 1)],
                vec![open_webui("a", 2), open_webui("b", 3), open_webui("c", 2)],
            ],
        ),
        Sample::new(
            "telegram",
            [
                "{\"name\":\"Ada\",\"type\":\"personal_chat\",\"id\":77,\"messages\":[",
                ",\n",
                "]}",
            ],
            [2, 4],
            more(all_of(4, telegram), 2),
        ),
        Sample::new("slack", LIST, [2, 4], more(all_of(4, slack), 2)),
        Sample::new(
            "discord",
            [
                "{\"guild\":{\"id\":\"1\",\"name\":\"Yard\"},\"channel\":{\"id\":\"2\",\"type\":\"GuildTextChat\",\
                 \"name\":\"general\"},\"messages\":[",
                ",\n",
                "]}",
            ],
            [2, 4],
            more(all_of(4, discord), 2),
        ),
        Sample::new("messages", LIST, [2, 4], more(all_of(4, message), 2)),
        Sample::new("messages", LINES, [2, 4], more(all_of(4, message), 2)),
        // A second list comes behind the first one.
        Sample::new(
            "messages",
            LINES,
            [2, 4],
            more(
                all_of(2, |place| {
                    json!({ "messages": [{ "role": "user", "content": format!("Ask {place}") },
                { "role": "assistant", "content": format!("Tell {place}") }] })
                }),
                1,
            ),
        ),
        Sample::new(
            "messages",
            LIST,
            [2, 4],
            more(
                all_of(2, |place| {
                    json!({ "conversations": [{ "from": "human", "value": format!("Ask {place}") },
                { "from": "gpt", "value": format!("Tell {place}") }] })
                }),
                1,
            ),
        ),
        Sample::new(
            "whatsapp",
            ["", "\r\n", "\r\n"],
            [2, 6],
            more(all_of(6, chat), 2),
        ),
        Sample::new("mbox", ["", "\n", "\n"], [1, 3], more(all_of(3, letter), 1)),
        Sample::new("fields", LINES, [1, 3], more(all_of(3, fields), 1)),
        Sample::new("strings", LIST, [1, 3], more(all_of(3, string), 1)),
        Sample::new(
            "table",
            ["text,time,tags\r\n", "\r\n", "\r\n"],
            [1, 3],
            more(all_of(3, row), 1),
        ),
        Sample::new(
            "notes",
            ["---\ntitle: House\n---\n", "\n\n", "\n"],
            [1, 3],
            more(all_of(3, note), 1),
        ),
        Sample::new(
            "notes",
            ["", "\n\n", "\n"],
            [1, 3],
            more(all_of(3, |place| format!("Thing number {place}.")), 1),
        ),
    ]
}
