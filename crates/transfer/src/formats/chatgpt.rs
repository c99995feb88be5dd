//! Exports of ChatGPT: `conversations.json` or `conversations-000.json` and so on, lists of
//! conversations as trees of messages. The branch that was kept goes from `current_node` along
//! `parent`.

use std::collections::HashSet;

use annals_engine::Error;
use annals_types::{Attachment, Role, ToolCall};
use serde_json::{Map, Value};

use super::outline::Outline;
use super::reading::{
    BRANCHES, Fact, INSTRUCTIONS, PROGRAM, Reading, Said, THOUGHTS, TOOLS, UNKNOWN, attachment,
    call, flag, id, list, text, time,
};
use super::{paths, record};
use crate::written;

const LISTS: [&str; 1] = ["conversations[]"];

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &["conversations"])
        .is_some_and(|first| first.get("mapping").is_some_and(Value::is_object))
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &LISTS);
    reading.each(&entered, &mut |reading, _, value| match value
        .get("mapping")
        .and_then(Value::as_object)
    {
        Some(nodes) => conversation(reading, &value, nodes),
        None => Ok(()),
    })
}

fn conversation(
    reading: &mut Reading<'_>,
    whole: &Value,
    nodes: &Map<String, Value>,
) -> Result<(), Error> {
    if flag(whole, "is_do_not_remember") {
        reading.leave("conversations that are not to be remembered");
        return Ok(());
    }
    let session = id(whole, "conversation_id")
        .or_else(|| id(whole, "id"))
        .unwrap_or_else(|| {
            let begun = whole
                .get("create_time")
                .map(Value::to_string)
                .unwrap_or_default();
            format!("{} {begun}", text(whole, "title").unwrap_or("conversation"))
        });
    let kept = branch(whole, nodes);
    let is_said = |node: &Value| {
        let message = node.get("message");
        let role = message
            .and_then(|message| message.get("author"))
            .and_then(|author| text(author, "role"));
        matches!(role, Some("user" | "assistant"))
    };
    let on: HashSet<&str> = kept.iter().copied().collect();
    let off = nodes
        .iter()
        .filter(|(name, node)| is_said(node) && !on.contains(name.as_str()));
    reading.leave_many(BRANCHES, off.count());
    let mut talk = Talk {
        session: &session,
        title: text(whole, "title"),
        calls: Vec::new(),
        last: None,
    };
    for message in kept
        .iter()
        .filter_map(|name| nodes.get(*name)?.get("message"))
        .filter(|one| one.is_object())
    {
        talk.message(reading, message)?;
    }
    talk.end(reading);
    reading.end_session()
}

/// The nodes of the branch that was kept, from the root on.
fn branch<'n>(whole: &'n Value, nodes: &'n Map<String, Value>) -> Vec<&'n str> {
    let current = text(whole, "current_node")
        .and_then(|name| nodes.get_key_value(name))
        .map(|(name, _)| name);
    let mut next = current.or_else(|| latest_leaf(nodes)).map(String::as_str);
    let (mut way, mut met) = (Vec::new(), HashSet::new());
    // A node that is its own ancestor ends the way.
    while let Some(name) = next.filter(|name| met.insert(*name)) {
        let Some(node) = nodes.get(name) else { break };
        way.push(name);
        next = text(node, "parent");
    }
    way.reverse();
    way
}

/// The node without children whose message is the latest.
fn latest_leaf(nodes: &Map<String, Value>) -> Option<&String> {
    let parents: HashSet<&str> = nodes
        .values()
        .filter_map(|node| text(node, "parent"))
        .collect();
    let written = |node: &Value| {
        node.get("message")
            .and_then(|message| time(message, &["create_time"]))
    };
    let leaves = nodes
        .iter()
        .filter(|(name, _)| !parents.contains(name.as_str()));
    leaves
        .max_by_key(|(_, node)| written(node))
        .map(|(name, _)| name)
}

/// A conversation as it goes on.
struct Talk<'a> {
    session: &'a str,
    title: Option<&'a str>,
    /// Calls that no answer has taken up yet.
    calls: Vec<ToolCall>,
    /// The last answer, until the next one is known.
    last: Option<Said>,
}

impl Talk<'_> {
    fn message(&mut self, reading: &mut Reading<'_>, message: &Value) -> Result<(), Error> {
        let author = message.get("author").unwrap_or(&Value::Null);
        let metadata = message.get("metadata").unwrap_or(&Value::Null);
        let content = message.get("content").unwrap_or(&Value::Null);
        let kind = text(content, "content_type").unwrap_or("text");
        if kind == "user_editable_context" || flag(metadata, "is_user_system_message") {
            return instructions(reading, content);
        }
        if flag(metadata, "is_visually_hidden_from_conversation") {
            reading.leave(PROGRAM);
            return Ok(());
        }
        let role = match text(author, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("system") => {
                reading.leave(INSTRUCTIONS);
                return Ok(());
            }
            Some("tool" | "function") => {
                reading.leave(TOOLS);
                return Ok(());
            }
            _ => {
                reading.leave(UNKNOWN);
                return Ok(());
            }
        };
        if message.get("weight").and_then(Value::as_f64) == Some(0.0) {
            reading.leave("messages that were taken back");
            return Ok(());
        }
        match kind {
            "thoughts" | "reasoning_recap" => {
                reading.leave(THOUGHTS);
                return Ok(());
            }
            "execution_output"
            | "tether_quote"
            | "tether_browsing_display"
            | "sonic_webpage"
            | "system_error" => {
                reading.leave(TOOLS);
                return Ok(());
            }
            _ => {}
        }
        let (words, mut sent) = spoken(content);
        let recipient = text(message, "recipient").unwrap_or("all");
        if role == Role::Assistant && recipient != "all" {
            self.calls.extend(call(recipient, &words, None));
            return Ok(());
        }
        for one in list(metadata, "attachments") {
            let name = text(one, "name")
                .or_else(|| text(one, "id"))
                .unwrap_or("file");
            sent.push(attachment(
                name,
                text(one, "mime_type").or_else(|| text(one, "mimeType")),
            ));
        }
        let mut said = Said::by(self.session, role, uncited(&words));
        said.id = id(message, "id");
        said.time = message.get("create_time").and_then(written::moment);
        said.attachments = sent;
        said.field("title", self.title);
        self.say(reading, said);
        Ok(())
    }

    /// Answers wait for the next one: calls behind the last of them belong to it.
    fn say(&mut self, reading: &mut Reading<'_>, mut said: Said) {
        if said.role == Some(Role::Assistant) {
            said.tool_calls = std::mem::take(&mut self.calls);
        }
        let before = self.last.replace(said);
        before.into_iter().for_each(|before| reading.turn(before));
    }

    fn end(&mut self, reading: &mut Reading<'_>) {
        let calls = std::mem::take(&mut self.calls);
        match self.last.take() {
            Some(mut last) => {
                if last.role == Some(Role::Assistant) {
                    last.tool_calls.extend(calls);
                } else {
                    reading.leave_many(TOOLS, calls.len());
                }
                reading.turn(last);
            }
            None => reading.leave_many(TOOLS, calls.len()),
        }
    }
}

/// What the user told about himself for every conversation: a memory, which is the same in each.
fn instructions(reading: &mut Reading<'_>, content: &Value) -> Result<(), Error> {
    let told = [
        text(content, "user_profile"),
        text(content, "user_instructions"),
    ];
    let (words, _) = spoken(content);
    let told: Vec<&str> = told
        .into_iter()
        .flatten()
        .chain([words.as_str()])
        .map(str::trim)
        .collect();
    for words in told.into_iter().filter(|words| !words.is_empty()) {
        let mut fact = Fact::new(words);
        fact.tags.push("custom-instructions".to_owned());
        reading.memory(fact)?;
    }
    Ok(())
}

/// The words of a message, and what was sent along with them.
fn spoken(content: &Value) -> (String, Vec<Attachment>) {
    let (mut words, mut sent): (Vec<&str>, Vec<Attachment>) = (Vec::new(), Vec::new());
    words.extend(text(content, "text"));
    for part in list(content, "parts") {
        match part {
            Value::String(text) => words.push(text),
            part => {
                words.extend(text(part, "text"));
                let pointer = text(part, "asset_pointer").or_else(|| {
                    part.get("audio_asset_pointer")
                        .and_then(|audio| text(audio, "asset_pointer"))
                });
                sent.extend(pointer.map(|pointer| attachment(pointer, None)));
            }
        }
    }
    words.retain(|words| !words.trim().is_empty());
    (words.join("\n"), sent)
}

/// A text without the marks of its citations, which stand between characters of private use.
fn uncited(text: &str) -> String {
    let (begin, end) = ('\u{e200}', '\u{e201}');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(begin) {
        out.push_str(rest.get(..at).unwrap_or_default());
        let mark = rest.get(at..).unwrap_or_default();
        // A mark that does not end in its line is only a character.
        let line = mark.find('\n').unwrap_or(mark.len());
        let length = mark
            .find(end)
            .filter(|length| *length < line)
            .map_or(begin.len_utf8(), |at| at + end.len_utf8());
        rest = mark.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out.retain(|c| !('\u{e200}'..='\u{e206}').contains(&c));
    out
}
