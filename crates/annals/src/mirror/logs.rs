//! Files that are written only: what was said, session by session, and what a day brought.

use std::fmt::Write as _;

use annals_extraction::markdown::one_line;
use annals_records::{LabelClass, Moment};
use annals_types::{Filter, Layer, Memory, Row, Status, TimeRange};
use serde_json::json;

use super::report::SyncedFile;
use super::{Target, disk, is_said};
use crate::Error;

/// Milliseconds of 24 hours.
const DAY: i64 = 86_400_000;

impl Target<'_> {
    /// One file a session, with a line of JSON a turn.
    pub(super) fn turns(&self) -> Result<Vec<SyncedFile>, Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.snapshot()?;
        let mut files = Vec::new();
        for (number, session) in view.columns.labels(LabelClass::Session) {
            let rows: Vec<Row> = view.columns.session_rows(number).collect();
            let turns = annals_records::memories(&snapshot, self.ns, &rows, Some(&view.columns))?;
            let lines: Vec<String> = turns.iter().flatten().map(turn_line).collect();
            if !lines.is_empty() {
                let path = self.path.to_string_lossy().replace("{session}", &disk::part(session));
                let text = lines.join("\n") + "\n";
                files.push(written(path.into(), &text, lines.len())?);
            }
        }
        Ok(files)
    }

    /// What the 24 hours before the run brought, under the date of the run.
    pub(super) fn daily(&self) -> Result<SyncedFile, Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.snapshot()?;
        let date = self.zone.date(self.now);
        let range = TimeRange::new(Some(self.now.plus_millis(-DAY)), Some(self.now.plus_millis(1)))?;
        let filter = Filter { time: range, statuses: Status::ALL.to_vec(), ..Filter::default() };
        let rows: Vec<Row> = view.columns.matcher(&filter, Moment::now(self.now)).rows().collect();
        let memories = annals_records::memories(&snapshot, self.ns, &rows, Some(&view.columns))?;
        let memories: Vec<&Memory> = memories.iter().flatten().collect();
        let of = |layer: Layer| memories.iter().filter(move |memory| memory.body.layer == layer);
        let learnt: Vec<&&Memory> = memories.iter().filter(|memory| !is_said(memory.body.layer)).collect();
        let mut sessions: Vec<&str> =
            of(Layer::Turn).filter_map(|memory| Some(memory.body.turn.as_ref()?.session.as_str())).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let mut text = format!("# {date}\n\n- 会话: {}\n- 对话: {}\n", sessions.len(), of(Layer::Turn).count());
        let _ = writeln!(text, "- 新记忆: {}", learnt.len());
        let mut section = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                let _ = write!(text, "\n## {title}\n\n{}\n", lines.join("\n"));
            }
        };
        section("摘要", of(Layer::Episodic).map(|memory| format!("- {}", one_line(&memory.body.text))).collect());
        let line = |memory: &&&Memory| format!("- [{}] {}", memory.body.kind, one_line(&memory.body.text));
        section("新记忆", learnt.iter().map(line).collect());
        let path = self.path.to_string_lossy().replace("{date}", &date);
        written(path.into(), &text, memories.len())
    }
}

/// Writes a file unless it says that already.
fn written(path: std::path::PathBuf, text: &str, entries: usize) -> Result<SyncedFile, Error> {
    let same = disk::read(&path)?.as_deref() == Some(text);
    if !same {
        disk::replace(&path, text)?;
    }
    Ok(SyncedFile { path, written: !same, entries, ..SyncedFile::default() })
}

fn turn_line(memory: &Memory) -> String {
    let turn = memory.body.turn.as_ref();
    json!({
        "session_id": turn.map(|turn| &turn.session),
        "turn_index": turn.map(|turn| turn.position),
        "role": turn.map(|turn| turn.role),
        "content": memory.body.text,
        "reply": turn.and_then(|turn| turn.reply.as_ref()),
        "tool_calls": turn.map(|turn| &turn.tool_calls),
        "timestamp": memory.body.event_time.unwrap_or(memory.stored_at),
    })
    .to_string()
}
