//! Lists of messages, as chat services exchange them.

use std::collections::{BTreeMap, HashMap};

use annals_types::{Label, Role, Timestamp, ToolCall};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::conversation::{Conversation, Conversations};
use super::print::hash;
use super::turn::ConversationTurn;
use super::written;
use crate::Error;

/// A list of messages with what stands around it.
#[derive(Deserialize)]
struct Talk {
    messages: Vec<Message>,
    #[serde(default)]
    session: Option<Value>,
    #[serde(default)]
    conversation_id: Option<Value>,
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    title: Option<Value>,
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default, deserialize_with = "written::id")]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    time: Option<Value>,
    #[serde(default)]
    timestamp: Option<Value>,
    #[serde(default)]
    created_at: Option<Value>,
    #[serde(default)]
    created: Option<Value>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "written::id")]
    tool_call_id: Option<String>,
    #[serde(default)]
    session: Option<Value>,
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A part of a message; those that are no text have none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Text(String),
    Typed {
        #[serde(default)]
        text: Option<String>,
    },
}

#[derive(Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "written::id")]
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// A list, and what its session is called where it says so.
struct List {
    name: Option<String>,
    messages: Vec<Message>,
}

/// What is read of a document so far.
#[derive(Default)]
struct Read {
    lists: Vec<List>,
    /// Messages in lines of their own, by the session that they name.
    alone: Vec<List>,
    unknown: BTreeMap<String, IgnoredAny>,
}

impl Conversations {
    /// Reads messages in the form of chat services, `{"role", "content", "name"?, "id"?, "time"?, "tool_calls"?, "tool_call_id"?}`: a list of them,
    /// `{"messages": [...]}`, a list of these, or lines of any of them. Each list is a conversation and a session of its own. It is called what it
    /// says itself (`session`, `conversation_id`, `id` or `title`), messages by themselves what their `session` says. The only one that says
    /// nothing is called `session`. Where there are several, they are called `session` and a number that is made of their first two turns, so that
    /// they keep their names when others come or go.
    ///
    /// Content may be a text or a list of parts, of which the texts count; a time (`time`, `timestamp`, `created_at` or `created`: the first that
    /// can be read) is RFC 3339, or seconds or milliseconds since 1970. Instructions (`system`, `developer`) and messages without a text are passed
    /// over; calls of tools and their results belong to the next answer with a text, or else to the last.
    /// [`left_out`](Self::left_out) tells what became no turn.
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
        let mut read = Read::default();
        let mut values = serde_json::Deserializer::from_slice(json).into_iter::<Value>();
        loop {
            let line = line_behind(json, values.byte_offset());
            let Some(value) = values.next() else { break };
            let refused = |reason: String| Error::bad_line(line, format!("no message: {reason}"));
            read.take(value.map_err(|error| Error::bad_line(to_u64(error.line()), error))?).map_err(refused)?;
        }
        read.conversations(session)
    }
}

impl Read {
    fn take(&mut self, value: Value) -> Result<(), String> {
        let lists = |value: &Value| value.is_array() || value.get("messages").is_some();
        match value {
            Value::Array(several) if !several.is_empty() && several.iter().all(lists) => {
                several.into_iter().try_for_each(|one| self.take(one))
            }
            Value::Array(messages) => {
                let messages = messages.into_iter().map(message).collect::<Result<_, _>>()?;
                self.list(None, messages)
            }
            talk if lists(&talk) => {
                let talk: Talk = serde_json::from_value(talk).map_err(|error| error.to_string())?;
                let names = [talk.session, talk.conversation_id, talk.id, talk.title];
                self.unknown(talk.unknown);
                self.list(names.into_iter().flatten().find_map(|name| named(&name)), talk.messages)
            }
            alone => {
                let mut message = message(alone)?;
                let name = message.session.take().and_then(|name| named(&name));
                self.unknown(std::mem::take(&mut message.unknown));
                match self.alone.iter_mut().find(|list| list.name == name) {
                    Some(list) => list.messages.push(message),
                    None => self.alone.push(List { name, messages: vec![message] }),
                }
                Ok(())
            }
        }
    }

    /// A list; where its messages name sessions and it does not, they are those of these.
    fn list(&mut self, name: Option<String>, mut messages: Vec<Message>) -> Result<(), String> {
        for message in &mut messages {
            self.unknown(std::mem::take(&mut message.unknown));
        }
        let own = messages.iter().find_map(|message| named(message.session.as_ref()?));
        let several = messages.iter().any(|message| message.session.as_ref().and_then(named) != own);
        if name.is_none() && own.is_some() && several {
            return Err("messages of one list name different sessions".to_owned());
        }
        self.lists.push(List { name: name.or(own), messages });
        Ok(())
    }

    fn unknown(&mut self, fields: BTreeMap<String, Value>) {
        let said = fields.into_iter().filter(|(_, value)| !value.is_null());
        self.unknown.extend(said.map(|(name, _)| (name, IgnoredAny)));
    }

    fn conversations(self, session: &str) -> Result<Conversations, Error> {
        let mut lists: Vec<List> = self.alone.into_iter().chain(self.lists).collect();
        if lists.iter().any(|list| !list.messages.is_empty()) {
            lists.retain(|list| !list.messages.is_empty());
        }
        let single = lists.iter().filter(|list| list.name.is_none()).count() <= 1;
        let mut read = Conversations::default();
        let mut used: HashMap<String, usize> = HashMap::new();
        for List { name, messages } in lists {
            let shown = name.clone().unwrap_or_else(|| session.to_owned());
            let mut turns = turns(&shown, messages, &mut read.left_out)?;
            let id = if name.is_some() || single { shown } else { format!("{session} {}", mark(&turns)) };
            let times = used.entry(id.clone()).or_default();
            *times += 1;
            let id = if *times == 1 { id } else { format!("{id} {times}") };
            turns.iter_mut().for_each(|turn| turn.session.clone_from(&id));
            read.conversations.push(Conversation { turns, id, questions: Vec::new() });
        }
        if let Some(turn) = read.conversations.iter_mut().find_map(|talk| talk.turns.first_mut()) {
            turn.pass_over(self.unknown);
        }
        Ok(read)
    }
}

fn message(value: Value) -> Result<Message, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// A name as a text or a number.
fn named(value: &Value) -> Option<String> {
    let name = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    (!name.is_empty()).then_some(name)
}

/// What tells talks apart that have no names: how they begin.
fn mark(turns: &[ConversationTurn]) -> String {
    let said = turns.iter().take(2).map(|turn| {
        let time = turn.time.map(|time| time.as_millis().to_be_bytes());
        let id = turn.id.as_deref().unwrap_or_default();
        hash(&[turn.text.as_bytes(), id.as_bytes(), time.as_ref().map_or(&[], |time| time)])
    });
    let said: Vec<[u8; 8]> = said.map(u64::to_be_bytes).collect();
    format!("{:08x}", hash(&said.iter().map(<[u8; 8]>::as_slice).collect::<Vec<_>>()) >> 32)
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

/// Calls of tools that no answer has taken up yet, with their ids.
type Calls = Vec<(Option<String>, ToolCall)>;

fn turns(
    session: &str,
    messages: Vec<Message>,
    left_out: &mut BTreeMap<&'static str, u64>,
) -> Result<Vec<ConversationTurn>, Error> {
    let mut turns: Vec<ConversationTurn> = Vec::new();
    let mut calls = Calls::new();
    let mut leave = |what, count: usize| {
        if count > 0 {
            *left_out.entry(what).or_default() += to_u64(count);
        }
    };
    for (at, mut message) in messages.into_iter().enumerate() {
        let refused = |reason: String| Error::bad_input(format!("message {} of {session:?}: {reason}", at + 1));
        let time = message.time().map_err(refused)?;
        let before = calls.len();
        for call in message.tool_calls.take().into_iter().flatten() {
            calls.push(call.named().map_err(refused)?);
        }
        let content = message.content.take();
        leave("parts that are no text", content.as_ref().map_or(0, Content::others));
        let text = content.map_or_else(String::new, Content::text);
        let role = match message.role.as_str() {
            "user" | "human" => Role::User,
            "assistant" | "model" | "ai" | "bot" => Role::Assistant,
            "system" | "developer" => {
                leave("instructions", 1);
                continue;
            }
            "tool" | "function" => {
                leave("results without a call", usize::from(!answer(&mut calls, message.tool_call_id, text)));
                continue;
            }
            other => {
                return Err(refused(format!("no role is called {other:?}; it is user, assistant, system or tool")));
            }
        };
        if text.trim().is_empty() {
            leave("messages without a text", usize::from(calls.len() == before));
            continue;
        }
        let mut turn = ConversationTurn::said(session, text);
        (turn.id, turn.speaker, turn.role, turn.time) = (message.id, message.name, Some(role), time);
        if role == Role::Assistant {
            turn.tool_calls = calls.drain(..).map(|(_, call)| call).collect();
        }
        turns.push(turn);
    }
    match turns.iter_mut().rfind(|turn| turn.role == Some(Role::Assistant)) {
        Some(last) => last.tool_calls.extend(calls.into_iter().map(|(_, call)| call)),
        None => leave("calls of tools without an answer", calls.len()),
    }
    Ok(turns)
}

/// The result of a call that waits for one; answers whether there was such.
fn answer(calls: &mut Calls, id: Option<String>, text: String) -> bool {
    let waiting = |(own, call): &&mut (Option<String>, ToolCall)| call.result.is_none() && (id.is_none() || *own == id);
    let Some((_, call)) = calls.iter_mut().find(waiting) else { return false };
    call.result = Some(text).filter(|text| !text.trim().is_empty());
    true
}

impl Call {
    fn named(self) -> Result<(Option<String>, ToolCall), String> {
        let name = Label::new("name of a tool", self.function.name).map_err(|error| error.to_string())?;
        let arguments = match self.function.arguments {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        };
        Ok((self.id, ToolCall { name, arguments, result: None }))
    }
}

impl Message {
    /// When it was said: the first time that can be read; an error where there are some and none can.
    fn time(&self) -> Result<Option<Timestamp>, String> {
        let said = [&self.time, &self.timestamp, &self.created_at, &self.created].into_iter().flatten();
        let mut wrong = None;
        for value in said.filter(|value| !value.is_null()) {
            match written::moment(value) {
                Ok(time) => return Ok(Some(time)),
                Err(reason) => wrong = wrong.or(Some(reason)),
            }
        }
        wrong.map_or(Ok(None), Err)
    }
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(Part::text).collect::<Vec<_>>().join("\n"),
        }
    }

    /// How many of its parts are no text.
    fn others(&self) -> usize {
        match self {
            Self::Text(_) => 0,
            Self::Parts(parts) => parts.iter().filter(|part| matches!(part, Part::Typed { text: None })).count(),
        }
    }
}

impl Part {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Typed { text } => text,
        }
    }
}
