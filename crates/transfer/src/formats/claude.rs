//! Exports of Claude: `conversations.json` and `projects.json`.

use std::collections::{HashMap, HashSet};

use annals_engine::Error;
use annals_types::{Role, ToolCall};
use serde_json::Value;

use super::outline::Outline;
use super::reading::{
    BRANCHES, Fact, Reading, Said, THOUGHTS, TOOLS, UNKNOWN, attachment, call, first_text, id,
    list, text, time,
};
use super::{paths, record};

const LISTS: [&str; 1] = ["conversations[]"];

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &["conversations"])
        .is_some_and(|first| first.get("chat_messages").is_some_and(Value::is_array))
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &LISTS);
    reading.each(&entered, &mut |reading, _, value| {
        if value.get("chat_messages").is_some() {
            conversation(reading, &value)?;
        }
        Ok(())
    })
}

fn conversation(reading: &mut Reading<'_>, whole: &Value) -> Result<(), Error> {
    let session = id(whole, "uuid").unwrap_or_else(|| reading.session_name());
    let messages = list(whole, "chat_messages");
    let kept = branch(messages);
    reading.leave_many(BRANCHES, messages.len() - kept.len());
    let mut calls: Vec<(Option<String>, ToolCall)> = Vec::new();
    for message in kept {
        let role = match text(message, "sender") {
            Some("human") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => {
                reading.leave(UNKNOWN);
                continue;
            }
        };
        let mut said = Said::by(&session, role, words(reading, message, &mut calls));
        said.id = id(message, "uuid");
        said.time = reading.time(message, &["created_at", "updated_at"]);
        said.field("title", text(whole, "name"));
        for file in list(message, "attachments")
            .iter()
            .chain(list(message, "files"))
        {
            let name = first_text(file, &["file_name", "file_uuid"]).unwrap_or("file");
            said.attachments.push(attachment(
                name,
                text(file, "file_type").filter(|kind| kind.contains('/')),
            ));
        }
        if role == Role::Assistant && !said.text.trim().is_empty() {
            said.tool_calls = calls.drain(..).map(|(_, call)| call).collect();
        }
        let only_tools = said.text.trim().is_empty() && !calls.is_empty();
        if !only_tools {
            reading.turn(said);
        }
    }
    reading.leave_many(TOOLS, calls.len());
    reading.end_session()
}

/// The messages that lead to the last one, where they name their parents; all of them else.
fn branch(messages: &[Value]) -> Vec<&Value> {
    let by_id: HashMap<&str, &Value> = messages
        .iter()
        .filter_map(|message| Some((text(message, "uuid")?, message)))
        .collect();
    let parent = |message: &'_ Value| {
        let parent = text(message, "parent_message_uuid")?;
        by_id.get(parent).copied()
    };
    if !messages.iter().any(|message| parent(message).is_some()) {
        return messages.iter().collect();
    }
    let (mut kept, mut met) = (Vec::new(), HashSet::new());
    let mut next = messages
        .iter()
        .max_by_key(|message| time(message, &["created_at"]));
    while let Some(message) = next.filter(|message| met.insert(text(message, "uuid"))) {
        kept.push(message);
        next = parent(message);
    }
    kept.reverse();
    kept
}

/// The words of a message: of its blocks, where they have any; and what was pasted.
fn words(
    reading: &mut Reading<'_>,
    message: &Value,
    calls: &mut Vec<(Option<String>, ToolCall)>,
) -> String {
    let mut words: Vec<String> = Vec::new();
    for block in list(message, "content") {
        match text(block, "type") {
            Some("text") => words.extend(text(block, "text").map(str::to_owned)),
            Some("thinking" | "redacted_thinking") => reading.leave(THOUGHTS),
            Some("tool_use") => {
                let arguments = block.get("input").map(Value::to_string).unwrap_or_default();
                calls.extend(
                    call(text(block, "name").unwrap_or_default(), &arguments, None)
                        .map(|one| (id(block, "id"), one)),
                );
            }
            Some("tool_result") => {
                let (of, result) = (id(block, "tool_use_id"), result(block));
                let waiting = calls
                    .iter_mut()
                    .find(|(own, call)| call.result.is_none() && (of.is_none() || *own == of));
                match waiting.and_then(|(_, waiting)| {
                    Some((call(waiting.name.as_str(), "", Some(&result))?, waiting))
                }) {
                    Some((answered, waiting)) => waiting.result = answered.result,
                    None => reading.leave(TOOLS),
                }
            }
            _ => reading.leave(UNKNOWN),
        }
    }
    words.retain(|words| !words.trim().is_empty());
    if words.is_empty() {
        words.extend(
            text(message, "text")
                .filter(|text| !text.trim().is_empty())
                .map(str::to_owned),
        );
    }
    for pasted in list(message, "attachments") {
        words.extend(text(pasted, "extracted_content").map(str::to_owned));
    }
    words.retain(|words| !words.trim().is_empty());
    words.join("\n\n")
}

/// The words that a tool answered with.
fn result(block: &Value) -> String {
    match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| text(part, "text"))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

pub(super) fn tells_projects(outline: &Outline) -> bool {
    record(outline, &[]).is_some_and(|first| {
        first.get("docs").is_some_and(Value::is_array)
            && text(first, "uuid").is_some()
            && (first.get("prompt_template").is_some() || first.get("is_starter_project").is_some())
    })
}

/// What a project says of itself, its instructions, and its documents.
pub(super) fn read_projects(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &LISTS);
    reading.each(&entered, &mut |reading, _, project| {
        let name = text(&project, "name").unwrap_or_default();
        let own = id(&project, "uuid").unwrap_or_default();
        for (field, kind) in [("description", "fact"), ("prompt_template", "rule")] {
            let Some(words) = text(&project, field).filter(|words| !words.trim().is_empty()) else {
                continue;
            };
            let mut fact = Fact::new(format!("{name}: {words}"));
            fact.id = Some(format!("{own} {field}"));
            fact.kind = Some(kind.to_owned());
            fact.time = reading.time(&project, &["updated_at", "created_at"]);
            fact.field("project", Some(name));
            reading.memory(fact)?;
        }
        for document in list(&project, "docs") {
            let mut fact = Fact::new(text(document, "content").unwrap_or_default());
            fact.id = id(document, "uuid").map(|id| format!("{own} {id}"));
            fact.kind = Some("note".to_owned());
            fact.time = reading.time(document, &["created_at"]);
            fact.field("title", text(document, "filename"));
            fact.field("project", Some(name));
            reading.memory(fact)?;
        }
        Ok(())
    })
}
