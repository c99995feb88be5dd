//! Chats of Cursor: its SQLite database `state.vscdb`, whose table `cursorDiskKV` holds the head of
//! each chat (`composerData:CHAT`) and each message (`bubbleId:CHAT:MESSAGE`).

use std::collections::{BTreeMap, HashMap};

use annals_engine::Error;
use annals_types::{Role, Timestamp, ToolCall};
use serde_json::Value;

use super::outline::Outline;
use super::reading::{Reading, Said, THOUGHTS, UNKNOWN, call, id, list, text};
use super::sqlite::Cell;
use crate::written;

const TABLE: &str = "cursorDiskKV";

pub(super) fn tells(outline: &Outline) -> bool {
    matches!(outline, Outline::Tables(tables) if tables.iter().any(|table| table == TABLE))
}

/// A chat: its messages in their order.
struct Chat {
    title: Option<String>,
    begun: Option<Timestamp>,
    order: Vec<String>,
}

/// A message, without what the program keeps of it.
struct Bubble {
    kind: Option<u64>,
    words: String,
    time: Option<Timestamp>,
    call: Option<ToolCall>,
    has_thoughts: bool,
}

impl Bubble {
    fn of(value: &Value) -> Self {
        let words = text(value, "text")
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned);
        let rich = || {
            text(value, "richText")
                .and_then(|rich| serde_json::from_str(rich).ok())
                .map(|rich| shown(&rich))
        };
        let tool = value.get("toolFormerData");
        Self {
            kind: value.get("type").and_then(Value::as_u64),
            words: words.or_else(rich).unwrap_or_default(),
            time: value.get("createdAt").and_then(written::moment),
            call: tool.and_then(|tool| {
                call(
                    text(tool, "name")?,
                    text(tool, "rawArgs").unwrap_or_default(),
                    text(tool, "result"),
                )
            }),
            has_thoughts: value
                .get("thinking")
                .is_some_and(|thinking| !thinking.is_null()),
        }
    }
}

/// The words of a text of Lexical.
fn shown(node: &Value) -> String {
    let mut words = text(node, "text").unwrap_or_default().to_owned();
    for child in list(node.get("root").unwrap_or(node), "children") {
        if text(child, "type") == Some("paragraph") && !words.is_empty() {
            words.push('\n');
        }
        words.push_str(&shown(child));
    }
    words
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut database = reading.file.database()?;
    let Some(table) = database.table(TABLE)? else {
        return Ok(());
    };
    let mut chats: BTreeMap<String, Chat> = BTreeMap::new();
    let mut bubbles: HashMap<(String, String), Bubble> = HashMap::new();
    let mut broken = 0;
    database.rows(&table, &mut |_, row| {
        let [key, value, ..] = row else { return Ok(()) };
        let Some((kind, name)) = key.text().and_then(|key| key.split_once(':')) else {
            return Ok(());
        };
        if !["composerData", "bubbleId"].contains(&kind) || *value == Cell::Null {
            return Ok(());
        }
        let Some(Ok(value)) = value
            .text()
            .map(|json| super::repair::parse(json.as_bytes()))
        else {
            broken += 1;
            return Ok(());
        };
        if kind == "composerData" {
            let head = head(name, &value, &mut bubbles);
            chats.insert(name.to_owned(), head);
        } else if let Some((chat, message)) = name.split_once(':') {
            bubbles.insert((chat.to_owned(), message.to_owned()), Bubble::of(&value));
        }
        Ok(())
    })?;
    reading.leave_many(UNKNOWN, broken);
    let mut chats: Vec<(String, Chat)> = chats.into_iter().collect();
    chats.sort_by_key(|(_, chat)| chat.begun);
    for (name, chat) in chats {
        tell(reading, &name, &chat, &mut bubbles);
        reading.end_session()?;
    }
    Ok(())
}

/// The head of a chat; in older ones it holds the messages as well.
fn head(name: &str, value: &Value, bubbles: &mut HashMap<(String, String), Bubble>) -> Chat {
    let mut order: Vec<String> = list(value, "fullConversationHeadersOnly")
        .iter()
        .filter_map(|head| id(head, "bubbleId"))
        .collect();
    for bubble in list(value, "conversation") {
        let Some(own) = id(bubble, "bubbleId") else {
            continue;
        };
        order.push(own.clone());
        bubbles.insert((name.to_owned(), own), Bubble::of(bubble));
    }
    for (own, bubble) in value
        .get("conversationMap")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        bubbles
            .entry((name.to_owned(), own.clone()))
            .or_insert_with(|| Bubble::of(bubble));
    }
    Chat {
        title: text(value, "name").map(str::to_owned),
        begun: value.get("createdAt").and_then(written::moment),
        order,
    }
}

fn tell(
    reading: &mut Reading<'_>,
    name: &str,
    chat: &Chat,
    bubbles: &mut HashMap<(String, String), Bubble>,
) {
    let found = chat
        .order
        .iter()
        .filter_map(|own| Some((own, bubbles.remove(&(name.to_owned(), own.clone()))?)));
    let found: Vec<(&String, Bubble)> = found.collect();
    // Where all messages have one time, it is that of their storing.
    let first = found.first().and_then(|(_, bubble)| bubble.time);
    let is_one = found.len() > 1 && found.iter().all(|(_, bubble)| bubble.time == first);
    let mut calls = Vec::new();
    for (own, bubble) in found {
        if bubble.has_thoughts {
            reading.leave(THOUGHTS);
        }
        let role = match bubble.kind {
            Some(1) => Role::User,
            Some(2) => Role::Assistant,
            _ => {
                reading.leave(UNKNOWN);
                continue;
            }
        };
        calls.extend(bubble.call);
        if bubble.words.trim().is_empty() && (bubble.has_thoughts || !calls.is_empty()) {
            continue;
        }
        let mut said = Said::by(name, role, crate::transcripts::own_words(&bubble.words));
        said.id = Some(own.clone());
        said.time = bubble.time.filter(|_| !is_one).or(chat.begun);
        said.field("title", chat.title.as_deref());
        if role == Role::Assistant {
            said.tool_calls = std::mem::take(&mut calls);
        }
        reading.turn(said);
    }
    reading.leave_many(super::reading::TOOLS, calls.len());
}
