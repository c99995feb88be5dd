//! Lists of messages, as chat services exchange them.

use std::collections::{BTreeMap, HashMap};

use annals_types::{Label, Role, Timestamp, ToolCall, Wording};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::conversation::{Conversation, Conversations};
use crate::dialects;
pub(crate) use crate::dialects::is_of_messages;
use crate::json::{self, JsonFault, Kind};
use crate::lines::Refused;
use crate::print::hash;
use crate::surrogates::mended;
use crate::turn::ConversationTurn;
use crate::{BYTE_ORDER_MARK, written};
use annals_engine::Error;

/// A list of messages with what stands around it.
#[derive(Deserialize)]
struct Chat {
    messages: Vec<Value>,
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
    content: Value,
    #[serde(default)]
    time: Option<Value>,
    #[serde(default)]
    timestamp: Option<Value>,
    #[serde(default)]
    created_at: Option<Value>,
    #[serde(default)]
    created: Option<Value>,
    #[serde(default)]
    tool_calls: Option<Vec<Value>>,
    #[serde(default, deserialize_with = "written::id")]
    tool_call_id: Option<String>,
    #[serde(default)]
    session: Option<Value>,
    #[serde(default, rename = "type")]
    _kind: IgnoredAny,
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

/// A list, and what it says of its session.
#[derive(Default)]
struct List {
    name: Option<String>,
    title: Option<String>,
    /// It may be called as the document is.
    own: bool,
    messages: Vec<Message>,
}

/// The parts of a document that were read so far.
#[derive(Default)]
struct ParsedDocument {
    lists: Vec<List>,
    /// Messages in lines of their own, by the session that they name.
    alone: Vec<List>,
    /// The places of the lists of each session.
    places: HashMap<Option<String>, usize>,
    unknown: BTreeMap<String, IgnoredAny>,
    left_out: LeftOut,
    /// A part of a document behind its first list.
    goes_on: bool,
}

/// Parts of a document that become no turn, with how many there are.
pub(super) type LeftOut = BTreeMap<&'static str, u64>;

fn leave(left_out: &mut LeftOut, what: &'static str, count: usize) {
    if count > 0 {
        *left_out.entry(what).or_default() += to_u64(count);
    }
}

impl Conversations {
    /// Reads messages in the form of chat services, `{"role", "content", "name"?, "id"?, "time"?,
    /// "tool_calls"?, "tool_call_id"?}`: a list of them, `{"messages": [...]}`, a list of these,
    /// or lines of any of them. Each list is a conversation and a session of its own.
    ///
    /// A list has the name that it gives itself (`session`, `conversation_id` or `id`). Messages
    /// outside of a list go by their `session`, or else by the argument `session`. The first list
    /// of a document is called `session` as well where it has no name and stands in no list of
    /// lists: so it keeps that name when others come behind it. Each other one without a name is
    /// called that and a number that is made of its first turn. A `title` is no name, since others
    /// may have it: it comes before such a number.
    ///
    /// Content may be a text or a list of parts, of which the texts count. A time (`time`,
    /// `timestamp`, `created_at` or `created`: the first that can be read) is RFC 3339, or seconds
    /// or milliseconds since 1970. Instructions (`system`, `developer`) and messages without a
    /// text are passed over. Calls of tools and their results belong to the next answer with a
    /// text, or else to the last. [`left_out`](Self::left_out) names the parts that became no
    /// turn.
    ///
    /// ```
    /// # use annals_transfer as annals;
    /// let json = br#"[{"role": "user", "content": "My cat is called Turing."}]"#;
    /// let read = annals::Conversations::of_messages(json, "monday")?;
    /// assert_eq!(read.conversations[0].turns[0].session, "monday");
    /// # Ok::<(), annals_engine::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid); [`Error::import_line`] tells the
    /// line.
    pub fn of_messages(json: &[u8], session: &str) -> Result<Self, Error> {
        let json = &*mended(json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json));
        let (mut read, mut line, mut from) = (ParsedDocument::default(), 1, 0);
        let mut values = serde_json::Deserializer::from_slice(json).into_iter::<Value>();
        loop {
            // The line of the next value, counted on from the last one.
            let rest = json.get(from..).unwrap_or_default();
            let behind = values.byte_offset() - from;
            let space = rest
                .iter()
                .skip(behind)
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let passed = rest.get(..behind + space).unwrap_or(rest);
            line += to_u64(passed.iter().filter(|byte| **byte == b'\n').count());
            from += passed.len();
            let Some(value) = values.next() else { break };
            let value = value.map_err(|error| {
                let fault = json::fault_of_text(&error);
                Error::bad_line_worded(to_u64(error.line()), &fault, Some(fault.wording()))
            })?;
            read.take(value, false)
                .map_err(|Refused { reason, wording }| {
                    Error::bad_line_worded(line, format!("no message: {reason}"), wording)
                })?;
        }
        read.conversations(session)
    }
}

/// A document whose parts are given one by one, so that one that is refused takes no other along.
#[derive(Default)]
pub(super) struct MessageDocument(ParsedDocument);

impl MessageDocument {
    /// Takes a list of messages, or a message.
    ///
    /// # Errors
    /// Why it is refused.
    pub(super) fn take(&mut self, value: Value) -> Result<(), Refused> {
        self.0.take(value, false)
    }

    /// A part of a document behind other parts.
    pub(super) fn behind_others() -> Self {
        Self(ParsedDocument {
            goes_on: true,
            ..ParsedDocument::default()
        })
    }

    /// The conversations of all that was taken.
    ///
    /// # Errors
    /// For a message that cannot be used.
    pub(super) fn conversations(self, session: &str) -> Result<Conversations, Error> {
        self.0.conversations(session)
    }
}

/// The lists of messages of a file that is too long to be read at once, one by one.
#[derive(Default)]
pub(super) struct ListReader {
    used: HashMap<String, usize>,
    /// A list was read.
    goes_on: bool,
}

impl ListReader {
    /// The conversations of one list of the file; `among` says that it is one of a list of lists.
    ///
    /// # Errors
    /// Why it is refused.
    pub(super) fn read(
        &mut self,
        value: Value,
        session: &str,
        among: bool,
    ) -> Result<Conversations, Refused> {
        let mut read = ParsedDocument {
            goes_on: self.goes_on,
            ..ParsedDocument::default()
        };
        read.take(value, among)?;
        self.goes_on = true;
        read.named(session, &mut self.used)
            .map_err(|error| Refused {
                reason: error.to_string(),
                wording: error.wording(),
            })
    }
}

impl ParsedDocument {
    /// `among` says that it is one of a list of lists.
    fn take(&mut self, value: Value, among: bool) -> Result<(), Refused> {
        let lists = |value: &Value| {
            value.is_array() || value.get("messages").is_some() || dialects::is_chat(value)
        };
        match dialects::chat(value) {
            Value::Array(several) if !several.is_empty() && several.iter().all(lists) => {
                several.into_iter().try_for_each(|one| self.take(one, true))
            }
            Value::Array(messages) => self.list(
                List {
                    own: !among,
                    ..List::default()
                },
                messages,
            ),
            talk if lists(&talk) => {
                let talk: Chat = json::read_value(talk)?;
                let name = [talk.session, talk.conversation_id, talk.id]
                    .iter()
                    .flatten()
                    .find_map(named);
                let title = talk.title.as_ref().and_then(named);
                self.unknown(talk.unknown);
                let own = !among && title.is_none();
                self.list(
                    List {
                        name,
                        title,
                        own,
                        messages: Vec::new(),
                    },
                    talk.messages,
                )
            }
            alone => dialects::messages(alone)
                .into_iter()
                .try_for_each(|message| self.alone(message)),
        }
    }

    /// A message that stands outside of any list.
    fn alone(&mut self, value: Value) -> Result<(), Refused> {
        let Some(message) = self.message(value)? else {
            return Ok(());
        };
        let name = message.session.as_ref().and_then(named);
        let place = *self.places.entry(name.clone()).or_insert(self.alone.len());
        if place == self.alone.len() {
            self.alone.push(List {
                name,
                own: true,
                ..List::default()
            });
        }
        if let Some(list) = self.alone.get_mut(place) {
            list.messages.push(message);
        }
        Ok(())
    }

    /// A list; where its messages name sessions and it does not, they are those of these.
    fn list(&mut self, mut list: List, messages: Vec<Value>) -> Result<(), Refused> {
        for (at, message) in messages.into_iter().enumerate() {
            for message in dialects::messages(message) {
                let message = self
                    .message(message)
                    .map_err(|refused| refused.of_message(at + 1))?;
                list.messages.extend(message);
            }
        }
        let own = list
            .messages
            .iter()
            .find_map(|message| named(message.session.as_ref()?));
        let several = list
            .messages
            .iter()
            .any(|message| message.session.as_ref().and_then(named) != own);
        if list.name.is_none() && own.is_some() && several {
            let wording = Some(Wording::new("line-several-sessions", &[]));
            return Err(Refused {
                reason: "messages of one list name different sessions".to_owned(),
                wording,
            });
        }
        list.name = list.name.or(own);
        self.lists.push(list);
        Ok(())
    }

    /// A message; none where it is something else, such as a call of a tool by itself.
    fn message(&mut self, value: Value) -> Result<Option<Message>, Refused> {
        if value.get("role").is_none() && value.get("type").is_some_and(|kind| kind != "message") {
            leave(&mut self.left_out, "items that are no messages", 1);
            return Ok(None);
        }
        let mut message: Message = json::read_value(value)?;
        speaker(&message.role)?;
        message.time()?;
        self.unknown(std::mem::take(&mut message.unknown));
        Ok(Some(message))
    }

    fn unknown(&mut self, fields: BTreeMap<String, Value>) {
        let said = fields.into_iter().filter(|(_, value)| !value.is_null());
        self.unknown
            .extend(said.map(|(name, _)| (name, IgnoredAny)));
    }

    fn conversations(self, session: &str) -> Result<Conversations, Error> {
        self.named(session, &mut HashMap::new())
    }

    /// The conversations under their names; `used` are those that were given before.
    fn named(
        mut self,
        session: &str,
        used: &mut HashMap<String, usize>,
    ) -> Result<Conversations, Error> {
        // Messages outside of any list are called so, or the first list.
        let others = usize::from(self.alone.is_empty() && !self.goes_on);
        self.lists
            .iter_mut()
            .skip(others)
            .for_each(|list| list.own = false);
        let mut lists: Vec<List> = self.alone.into_iter().chain(self.lists).collect();
        if lists.iter().any(|list| !list.messages.is_empty()) {
            lists.retain(|list| !list.messages.is_empty());
        }
        let mut read = Conversations::default();
        for List {
            name,
            title,
            own,
            messages,
        } in lists
        {
            let shown = name.as_deref().or(title.as_deref()).unwrap_or(session);
            let mut turns = turns(shown, messages, &mut self.left_out)?;
            let id = if name.is_some() || own {
                shown.to_owned()
            } else {
                told_apart(shown, &turns, used)
            };
            turns
                .iter_mut()
                .for_each(|turn| turn.session.clone_from(&id));
            read.conversations.push(Conversation {
                turns,
                id,
                questions: Vec::new(),
            });
        }
        if let Some(turn) = read
            .conversations
            .iter_mut()
            .find_map(|talk| talk.turns.first_mut())
        {
            turn.pass_over(self.unknown);
        }
        read.left_out = self.left_out;
        Ok(read)
    }
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

/// The name of a conversation that has none: the shared name, and a number made of its first turn;
/// among those that begin alike, a counter.
fn told_apart(
    shown: &str,
    turns: &[ConversationTurn],
    used: &mut HashMap<String, usize>,
) -> String {
    let said = turns.first().map_or(0, |turn| {
        let time = turn.time.map(|time| time.as_millis().to_be_bytes());
        let id = turn.id.as_deref().unwrap_or_default();
        hash(&[
            turn.text.as_bytes(),
            id.as_bytes(),
            time.as_ref().map_or(&[], |time| time),
        ])
    });
    let name = format!("{shown} {:08x}", said >> 32);
    let times = used.entry(name.clone()).or_default();
    *times += 1;
    if *times == 1 {
        name
    } else {
        format!("{name} {times}")
    }
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Calls of tools that no answer has taken up yet, with their ids.
type Calls = Vec<(Option<String>, ToolCall)>;

/// Who a message is of.
enum Speaker {
    Of(Role),
    Instructions,
    Tool,
}

fn speaker(role: &str) -> Result<Speaker, JsonFault> {
    Ok(match role {
        "user" | "human" => Speaker::Of(Role::User),
        "assistant" | "model" | "ai" | "bot" => Speaker::Of(Role::Assistant),
        "system" | "developer" => Speaker::Instructions,
        "tool" | "function" => Speaker::Tool,
        other => {
            let (field, given) = ("role".to_owned(), format!("{other:?}"));
            return Err(JsonFault::Word {
                field,
                given,
                allowed: "user, assistant, system, tool".to_owned(),
            });
        }
    })
}

fn turns(
    session: &str,
    messages: Vec<Message>,
    left_out: &mut LeftOut,
) -> Result<Vec<ConversationTurn>, Error> {
    let mut turns: Vec<ConversationTurn> = Vec::new();
    let mut calls = Calls::new();
    let mut leave = |what, count| leave(left_out, what, count);
    for (at, mut message) in messages.into_iter().enumerate() {
        let refused = |fault: JsonFault| {
            let Refused { reason, wording } = Refused::from(fault).of_message(at + 1);
            Error::bad_input_worded(format!("conversation {session:?}: {reason}"), wording)
        };
        let time = message.time().map_err(refused)?;
        let before = calls.len();
        let told = message.tool_calls.take().unwrap_or_default();
        let count = told.len();
        calls.extend(told.into_iter().filter_map(called));
        leave(
            "calls of tools without a name",
            (before + count).saturating_sub(calls.len()),
        );
        let (text, others) = content(&message.content);
        leave("parts that are no text", others);
        let role = match speaker(&message.role).map_err(refused)? {
            Speaker::Of(role) => role,
            Speaker::Instructions => {
                leave("instructions", 1);
                continue;
            }
            Speaker::Tool => {
                leave(
                    "results without a call",
                    usize::from(!answer(&mut calls, message.tool_call_id, text)),
                );
                continue;
            }
        };
        if text.trim().is_empty() {
            leave("messages without a text", usize::from(count == 0));
            continue;
        }
        let mut turn = ConversationTurn::said(session, text);
        (turn.id, turn.speaker, turn.role, turn.time) =
            (message.id, message.name, Some(role), time);
        if role == Role::Assistant {
            turn.tool_calls = calls.drain(..).map(|(_, call)| call).collect();
        }
        turns.push(turn);
    }
    match turns
        .iter_mut()
        .rfind(|turn| turn.role == Some(Role::Assistant))
    {
        Some(last) => last
            .tool_calls
            .extend(calls.into_iter().map(|(_, call)| call)),
        None => leave("calls of tools without an answer", calls.len()),
    }
    Ok(turns)
}

/// The result of a call that waits for one; answers whether there was such.
fn answer(calls: &mut Calls, id: Option<String>, text: String) -> bool {
    let waiting = |(own, call): &&mut (Option<String>, ToolCall)| {
        call.result.is_none() && (id.is_none() || *own == id)
    };
    let Some((_, call)) = calls.iter_mut().find(waiting) else {
        return false;
    };
    call.result = Some(text).filter(|text| !text.trim().is_empty());
    true
}

/// A call of a tool, with its id; none where it has no name.
fn called(call: Value) -> Option<(Option<String>, ToolCall)> {
    let function = call
        .get("function")
        .or_else(|| call.get("custom"))
        .unwrap_or(&call);
    let name = Label::new("name of a tool", function.get("name")?.as_str()?).ok()?;
    let arguments = match function.get("arguments").or_else(|| function.get("input")) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    Some((
        call.get("id").and_then(named),
        ToolCall {
            name,
            arguments,
            result: None,
        },
    ))
}

impl Message {
    /// When it was said: the first time that can be read; an error where there are some and none
    /// can.
    fn time(&self) -> Result<Option<Timestamp>, JsonFault> {
        let said = [&self.time, &self.timestamp, &self.created_at, &self.created]
            .into_iter()
            .flatten();
        let mut wrong = None;
        for value in said.filter(|value| !value.is_null()) {
            match written::moment(value) {
                Some(time) => return Ok(Some(time)),
                None => wrong = wrong.or(Some(value)),
            }
        }
        match wrong {
            None => Ok(None),
            Some(value) => Err(JsonFault::of_kind("time", value, Kind::Time)),
        }
    }
}

/// The texts of what a message holds, and how many of its parts are none.
fn content(content: &Value) -> (String, usize) {
    let parts = match content {
        Value::Null => &[],
        Value::Array(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    let texts: Vec<&str> = parts.iter().filter_map(text).collect();
    (texts.join("\n"), parts.len() - texts.len())
}

/// The types of parts that are words of the speaker. Others are thoughts, calls of tools and their
/// results, pictures and files, some of which have a text as well.
const SPOKEN: [&str; 4] = ["text", "input_text", "output_text", "refusal"];

/// A part as a text: `"..."`, `{"text": "..."}`, `{"text": {"value": "..."}}` or
/// `{"refusal": "..."}`.
fn text(part: &Value) -> Option<&str> {
    if part
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|kind| !SPOKEN.contains(&kind))
    {
        return None;
    }
    if part.get("thought").is_some_and(|thought| thought == true) {
        return None;
    }
    let inner = part
        .get("text")
        .or_else(|| part.get("value"))
        .or_else(|| part.get("refusal"));
    part.as_str().or_else(|| text(inner?))
}
