//! `search_conversation_traces`: what was said and done word by word, with the arguments and
//! results of tools.

use annals_extraction::tools::SearchTraces;
use annals_records::Moment;
use annals_types::{Filter, Label, Layer, Memory, Row, Timestamp};
use serde_json::{Value, json};

use crate::handles::tools::Invocation;
use crate::{Error, ToolReply};

/// Rows that are read at once.
const PIECE: usize = 1000;
/// What stands where a text was cut off.
const CUT: &str = "…[truncated]";

/// A record that holds the keyword.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) session: String,
    pub(super) index: Option<u64>,
    pub(super) role: String,
    pub(super) content: String,
    pub(super) reply: Option<String>,
    pub(super) calls: Vec<ToolStep>,
    pub(super) time: Option<Timestamp>,
}

/// A tool that was called.
#[derive(Debug, Default)]
pub(super) struct ToolStep {
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) result: Option<String>,
}

impl Invocation<'_> {
    pub(super) fn traces(&self, call: &SearchTraces) -> Result<ToolReply, Error> {
        let wanted = Wanted::new(call);
        let mut source = "turns";
        let mut found = self.turns(&wanted)?;
        let (mut left_out, mut more) = (0, 0);
        if found.is_empty() {
            source = "react_traces";
            (found, left_out) = self.react_traces(&wanted)?;
        }
        if found.is_empty() {
            source = "jsonl";
            (found, more) = self.session_files(&wanted)?;
        }
        left_out += more;
        let mut notes = self.notes.clone();
        if left_out > 0 {
            let count = i64::try_from(left_out).unwrap_or(i64::MAX);
            notes.push(
                self.messages
                    .text("files-left-out", &[("count", count.into())]),
            );
        }
        // Before texts are cut: half of what is kept back looks like something else.
        if let Some(screen) = self.profile.screen() {
            found
                .iter_mut()
                .for_each(|trace| trace.rewrite(|text| screen.instead(text)));
        }
        let most = usize::try_from(call.max_chars).unwrap_or(usize::MAX);
        let traces: Vec<Value> = found.iter().map(|trace| trace.json(most)).collect();
        let source = (!traces.is_empty()).then_some(source);
        Ok(ToolReply::done(
            json!({ "source": source, "count": traces.len(), "traces": traces }),
            &notes,
        ))
    }

    /// Stored turns that hold the keyword, the newest first.
    fn turns(&self, wanted: &Wanted<'_>) -> Result<Vec<Trace>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let sessions = match wanted.session {
            None => Vec::new(),
            Some(name) => match Label::new("session", name) {
                Ok(session) => vec![session],
                Err(_) => return Ok(Vec::new()),
            },
        };
        let engine = &self.space.engine;
        let view = engine.view(namespace)?;
        let snapshot = engine.snapshot()?;
        let filter = Filter {
            layers: vec![Layer::Turn],
            sessions,
            ..Filter::default()
        };
        let matcher = view.columns.matcher(&filter, Moment::now(self.said.at));
        let mut rows: Vec<Row> = matcher.rows().collect();
        rows.reverse();
        let mut found = Vec::new();
        for piece in rows.chunks(PIECE) {
            let memories =
                annals_records::memories(&snapshot, namespace, piece, Some(&view.columns))?;
            for memory in memories
                .iter()
                .flatten()
                .filter(|memory| wanted.in_turn(memory))
            {
                found.push(Trace::of(memory));
                if found.len() >= wanted.limit {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }
}

/// What is looked for.
pub(super) struct Wanted<'a> {
    keyword: String,
    pub(super) session: Option<&'a str>,
    pub(super) limit: usize,
}

impl<'a> Wanted<'a> {
    fn new(call: &'a SearchTraces) -> Self {
        let limit = usize::try_from(call.limit).unwrap_or(usize::MAX);
        Self {
            keyword: call.keyword.to_lowercase(),
            session: call.session.as_deref(),
            limit,
        }
    }

    /// Whether a text holds the keyword, whatever its case.
    fn is_in(&self, text: &str) -> bool {
        text.contains(&self.keyword) || text.to_lowercase().contains(&self.keyword)
    }

    /// Whether JSON can hold the keyword: that it does is known when the text is read, as
    /// characters may be escaped.
    pub(super) fn may_be_in(&self, json: &str) -> bool {
        let escaped = |c: char| matches!(c, '"' | '\\' | '/') || c.is_control();
        self.keyword.chars().any(escaped) || json.contains("\\u") || self.is_in(json)
    }

    fn in_turn(&self, memory: &Memory) -> bool {
        let turn = memory.body.turn.as_ref();
        self.is_in(&memory.body.text)
            || turn.is_some_and(|turn| {
                turn.reply.as_ref().is_some_and(|reply| self.is_in(reply))
                    || turn.tool_calls.iter().any(|call| {
                        let result = call.result.as_deref().unwrap_or_default();
                        [call.name.as_str(), &call.arguments, result]
                            .iter()
                            .any(|text| self.is_in(text))
                    })
            })
    }

    /// Whether a record of a file is meant.
    pub(super) fn fits(&self, trace: &Trace) -> bool {
        let called = |step: &ToolStep| {
            self.is_in(&step.name)
                || self.is_in(&step.arguments)
                || step
                    .result
                    .as_ref()
                    .is_some_and(|result| self.is_in(result))
        };
        self.session.is_none_or(|session| session == trace.session)
            && (self.is_in(&trace.content)
                || trace.reply.as_ref().is_some_and(|reply| self.is_in(reply))
                || trace.calls.iter().any(called))
    }
}

impl Trace {
    fn of(memory: &Memory) -> Self {
        let body = &memory.body;
        let time = Some(body.event_time.unwrap_or(memory.stored_at));
        let Some(turn) = &body.turn else {
            return Self {
                content: body.text.clone(),
                time,
                ..Self::default()
            };
        };
        let step = |call: &annals_types::ToolCall| ToolStep {
            name: call.name.as_str().to_owned(),
            arguments: call.arguments.clone(),
            result: call.result.clone(),
        };
        Self {
            session: turn.session.as_str().to_owned(),
            index: Some(turn.position.into()),
            role: turn.role.to_string(),
            content: body.text.clone(),
            reply: turn.reply.clone(),
            calls: turn.tool_calls.iter().map(step).collect(),
            time,
        }
    }

    fn rewrite(&mut self, instead: impl Fn(&str) -> Option<String>) {
        let calls = self
            .calls
            .iter_mut()
            .flat_map(|step| [Some(&mut step.arguments), step.result.as_mut()])
            .flatten();
        for text in [&mut self.content]
            .into_iter()
            .chain(&mut self.reply)
            .chain(calls)
        {
            if let Some(other) = instead(text) {
                *text = other;
            }
        }
    }

    /// The record, of whose texts at most so many characters are shown, those of tools after what
    /// was said.
    fn json(&self, most: usize) -> Value {
        let mut left = most;
        let mut cut = |text: &str| {
            let shown = shorten(text, left);
            left = left.saturating_sub(text.chars().count());
            shown
        };
        let content = cut(&self.content);
        let reply = self.reply.as_deref().map(&mut cut);
        let step = |step: &ToolStep| {
            let arguments = cut(&step.arguments);
            let result = step.result.as_deref().map(&mut cut);
            json!({ "name": step.name, "arguments": arguments, "result": result })
        };
        let calls: Vec<Value> = self.calls.iter().map(step).collect();
        json!({
            "session_id": self.session,
            "turn_index": self.index,
            "role": self.role,
            "content": content,
            "reply": reply,
            "tool_calls": calls,
            "timestamp": self.time,
        })
    }
}

/// At most so many characters of a text, with a mark where it was cut off.
fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}{CUT}", text.get(..end).unwrap_or_default()),
    }
}
