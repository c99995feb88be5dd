//! The turns of conversations, a file a session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use annals_records::{LabelClass, Moment};
use annals_types::profile::MirrorFormat;
use annals_types::{Filter, Layer, Memory, MemoryId, NamespaceId, Row, Status};
use serde_json::json;

use crate::Mirrors;
use crate::ledger::{self, Line, WrittenFile};
use crate::report::SyncedFile;
use crate::written::Draft;
use crate::{Target, disk, record};
use annals_engine::Error;

/// The statuses that files show: no memory that was forgotten, replaced or not agreed to yet.
pub(super) const SHOWN: [Status; 2] = [Status::Active, Status::Archived];
/// How many sessions are written at once.
const AT_ONCE: usize = 64;

impl Target<'_> {
    /// One file a session, with a line of JSON a turn. The file of a session that has no turn any
    /// more goes.
    pub(super) fn turns(&self) -> Result<Vec<SyncedFile>, Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.snapshot()?;
        let filter = Filter {
            layers: vec![Layer::Turn],
            statuses: SHOWN.to_vec(),
            ..Filter::default()
        };
        let shown = view.columns.matcher(&filter, Moment::now(self.now));
        let mut sessions: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        for (number, session) in view.columns.labels(LabelClass::Session) {
            let rows = view
                .columns
                .session_rows(number)
                .filter(|row| shown.matches(*row));
            sessions.insert(session.to_owned(), rows.collect());
        }
        // The name of a session is forgotten once none of its rows is left, its file must not be.
        for session in written_sessions(&self.engine.snapshot()?, self.ns, &self.file.path)? {
            sessions.entry(session).or_default();
        }
        let sessions: Vec<(String, Vec<Row>)> = sessions.into_iter().collect();
        let mut files = Vec::new();
        // Turns of all sessions at once may be more than fits.
        for some in sessions.chunks(AT_ONCE) {
            let mut drafts = Vec::with_capacity(some.len());
            for (session, rows) in some {
                let turns =
                    annals_records::memories(&snapshot, self.ns, rows, Some(&view.columns))?;
                let told: Vec<(MemoryId, String)> = turns
                    .iter()
                    .flatten()
                    .map(|turn| (turn.id, turn_line(turn)))
                    .collect();
                let line = |(id, line): &(MemoryId, String)| Line {
                    hash: ledger::hash(line),
                    of: Some(*id),
                };
                let lines: Vec<Line> = told.iter().map(line).collect();
                let text: String = told.into_iter().map(|(_, line)| line + "\n").collect();
                let shown = session_file(&self.shown, session);
                drafts.push(Draft {
                    part: session.clone(),
                    shown,
                    entries: lines.len(),
                    text,
                    lines,
                });
            }
            files.extend(self.write_out(drafts)?);
        }
        files.retain(|file| file.entries > 0 || file.tells());
        Ok(files)
    }
}

/// The sessions that annals wrote files of, for a path of the profile.
fn written_sessions(
    reads: &dyn annals_storage::Reads,
    ns: NamespaceId,
    made_by: &str,
) -> Result<BTreeSet<String>, Error> {
    let all = record::all(reads, ns)?
        .into_iter()
        .filter_map(|(_, record)| record.written);
    let of =
        |written: &WrittenFile| written.format == MirrorFormat::Turns && written.made_by == made_by;
    Ok(all
        .filter(of)
        .map(|written| written.part)
        .filter(|session| !session.is_empty())
        .collect())
}

impl Mirrors<'_> {
    /// The sessions whose turns are mirrored in files of a path of the profile, or were when these
    /// were last written: other turns in such a file were deleted.
    pub fn mirrored_sessions(
        &self,
        ns: NamespaceId,
        made_by: &str,
    ) -> Result<BTreeSet<String>, Error> {
        let view = self.view(ns)?;
        let mut sessions = written_sessions(&self.snapshot()?, ns, made_by)?;
        sessions.extend(
            view.columns
                .labels(LabelClass::Session)
                .map(|(_, session)| session.to_owned()),
        );
        Ok(sessions)
    }
}

/// The file of a session.
pub fn session_file(path: &Path, session: &str) -> PathBuf {
    path.to_string_lossy()
        .replace("{session}", &disk::part(session))
        .into()
}

pub(super) fn turn_line(memory: &Memory) -> String {
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
