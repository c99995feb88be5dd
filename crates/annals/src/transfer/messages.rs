//! Lists of messages, as chat services exchange them.

use annals_types::{Label, Role, Timestamp, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use super::conversation::{Conversation, Conversations};
use super::turn::ConversationTurn;
use crate::Error;

/// What is less counts seconds, up to the year 5138; what is more milliseconds.
const MOST_SECONDS: f64 = 1e11;

/// A list of messages with what stands around it.
#[derive(Deserialize)]
struct Talk {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default, alias = "timestamp", alias = "created_at", alias = "created")]
    time: Option<Moment>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default)]
    tool_call_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A part of a message; those that are no text have none.
#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Moment {
    Written(Timestamp),
    Counted(f64),
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl Conversations {
    /// Reads messages in the form of chat services, `{"role", "content", "name"?, "id"?, "time"?, "tool_calls"?, "tool_call_id"?}`: a list of them,
    /// `{"messages": [...]}`, or lines of either. Each list is a conversation and a session of its own; the first is called `session`, those behind
    /// it `session 2`, `session 3` ...
    ///
    /// Content may be a text or a list of parts, of which the texts count; a time is RFC 3339, or seconds or milliseconds since 1970. Instructions
    /// (`system`, `developer`) and messages without a text are passed over; calls of tools and their results belong to the next answer with a text.
    ///
    /// ```
    /// let read = annals::Conversations::of_messages(br#"[{"role": "user", "content": "My cat is called Turing."}]"#, "monday")?;
    /// assert_eq!(read.conversations[0].turns[0].session, "monday");
    /// # Ok::<(), annals::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid); [`Error::import_line`] tells the line.
    pub fn of_messages(json: &[u8], session: &str) -> Result<Self, Error> {
        let mut lists: Vec<Vec<Message>> = Vec::new();
        let mut alone: Vec<Message> = Vec::new();
        let mut values = serde_json::Deserializer::from_slice(json).into_iter::<Value>();
        loop {
            let line = line_behind(json, values.byte_offset());
            let Some(value) = values.next() else { break };
            let refused = |error| Error::bad_line(line, format!("no message: {error}"));
            let value = value.map_err(|error| Error::bad_line(to_u64(error.line()), error))?;
            if value.is_array() {
                lists.push(serde_json::from_value(value).map_err(refused)?);
            } else if value.get("messages").is_some() {
                lists.push(serde_json::from_value::<Talk>(value).map_err(refused)?.messages);
            } else {
                alone.push(serde_json::from_value(value).map_err(refused)?);
            }
        }
        if !alone.is_empty() {
            lists.insert(0, alone);
        }
        let conversation = |(at, messages): (usize, Vec<Message>)| {
            let id = if at == 0 { session.to_owned() } else { format!("{session} {}", at + 1) };
            Ok(Conversation { turns: turns(&id, messages)?, id, questions: Vec::new() })
        };
        let conversations = lists.into_iter().enumerate().map(conversation).collect::<Result<_, Error>>()?;
        Ok(Self { name: String::new(), conversations })
    }
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The line, from 1, of what comes next behind so many bytes.
fn line_behind(json: &[u8], bytes: usize) -> u64 {
    let space = json.iter().skip(bytes).take_while(|byte| byte.is_ascii_whitespace()).count();
    let before = json.get(..bytes + space).unwrap_or(json);
    to_u64(before.iter().filter(|byte| **byte == b'\n').count()) + 1
}

fn turns(session: &str, messages: Vec<Message>) -> Result<Vec<ConversationTurn>, Error> {
    let mut turns = Vec::new();
    let mut calls: Vec<(Option<String>, ToolCall)> = Vec::new();
    for (at, message) in messages.into_iter().enumerate() {
        let refused = |reason: String| Error::bad_input(format!("message {} of {session:?}: {reason}", at + 1));
        for call in message.tool_calls.into_iter().flatten() {
            let name = Label::new("name of a tool", call.function.name).map_err(|error| refused(error.to_string()))?;
            let arguments = match call.function.arguments {
                Value::Null => String::new(),
                Value::String(text) => text,
                other => other.to_string(),
            };
            calls.push((call.id, ToolCall { name, arguments, result: None }));
        }
        let text = message.content.map_or_else(String::new, Content::text);
        let role = match message.role.as_str() {
            "user" | "human" => Role::User,
            "assistant" | "model" | "ai" | "bot" => Role::Assistant,
            "system" | "developer" => continue,
            "tool" | "function" => {
                let answered = |(id, call): &&mut (Option<String>, ToolCall)| {
                    call.result.is_none() && (message.tool_call_id.is_none() || *id == message.tool_call_id)
                };
                if let Some((_, call)) = calls.iter_mut().find(answered) {
                    call.result = Some(text).filter(|text| !text.trim().is_empty());
                }
                continue;
            }
            other => {
                return Err(refused(format!("no role is called {other:?}; it is user, assistant, system or tool")));
            }
        };
        if text.trim().is_empty() {
            continue;
        }
        let tool_calls =
            if role == Role::Assistant { calls.drain(..).map(|(_, call)| call).collect() } else { Vec::new() };
        let mut turn = ConversationTurn::said(session, text);
        (turn.id, turn.speaker, turn.role) = (message.id, message.name, Some(role));
        (turn.time, turn.tool_calls) = (message.time.map(Moment::moment), tool_calls);
        turns.push(turn);
    }
    Ok(turns)
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join("\n"),
        }
    }
}

impl Moment {
    #[expect(clippy::cast_possible_truncation, reason = "a float becomes the nearest whole number")]
    fn moment(self) -> Timestamp {
        match self {
            Self::Written(at) => at,
            Self::Counted(number) if number.abs() < MOST_SECONDS => Timestamp::from_millis((number * 1000.0) as i64),
            Self::Counted(number) => Timestamp::from_millis(number as i64),
        }
    }
}
