//! Files that are written only: what was said, session by session, and what a day brought.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use annals_extraction::markdown::one_line;
use annals_records::{LabelClass, Moment};
use annals_types::{Filter, Layer, Memory, MemoryId, NamespaceId, Row, Status, TimeRange, Timestamp};
use serde_json::json;

use super::noted::{self, Noted, Record};
use super::report::SyncedFile;
use super::{Target, disk, is_said};
use crate::Error;
use crate::engine::Engine;

/// Milliseconds of 24 hours.
const DAY: i64 = 86_400_000;
/// The suffix of what another program left.
const LEGACY: &str = ".legacy";
/// What files show: nothing that was forgotten, replaced or not agreed to yet.
const SHOWN: [Status; 2] = [Status::Active, Status::Archived];

impl Target<'_> {
    /// One file a session, with a line of JSON a turn. The file of a session that has no turn any more goes.
    pub(super) fn turns(&self) -> Result<Vec<SyncedFile>, Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.snapshot()?;
        let filter = Filter { layers: vec![Layer::Turn], statuses: SHOWN.to_vec(), ..Filter::default() };
        let shown = view.columns.matcher(&filter, Moment::now(self.now));
        let mut sessions: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
        for (number, session) in view.columns.labels(LabelClass::Session) {
            let rows = view.columns.session_rows(number).filter(|row| shown.matches(*row));
            sessions.insert(session, rows.collect());
        }
        // Written or not: the name of a session is forgotten once none of its rows is left, its file must not be.
        let written_before: BTreeSet<String> = self.record()?.into_written().into_iter().map(|it| it.short).collect();
        let full = |(session, rows): (&&str, &Vec<Row>)| (!rows.is_empty()).then(|| (*session).to_owned());
        let now_written: BTreeSet<String> = sessions.iter().filter_map(full).collect();
        let all: BTreeSet<String> = written_before.union(&now_written).cloned().collect();
        self.note_sessions(&written_before, &all)?;
        let (mut files, mut kept) = (Vec::new(), now_written.clone());
        let names: BTreeSet<&str> = sessions.keys().copied().chain(all.iter().map(String::as_str)).collect();
        for session in names {
            let path = session_file(&self.path, session);
            let rows = sessions.get(session).map_or(&[][..], Vec::as_slice);
            let turns = annals_records::memories(&snapshot, self.ns, rows, Some(&view.columns))?;
            let lines: Vec<String> = turns.iter().flatten().map(turn_line).collect();
            let mut file = SyncedFile::at(path);
            let done = match lines.is_empty() {
                false => {
                    let text = lines.join("\n") + "\n";
                    let aside = if written_before.contains(session) { Ok(()) } else { set_aside(&mut file, &text) };
                    aside.and_then(|()| write(&mut file, &text, lines.len()))
                }
                true if all.contains(session) => disk::remove(&file.path).map(|gone| file.written = gone),
                // What another program left there is its own.
                true => Ok(()),
            };
            if let Err(error) = done {
                file.fails(error)?;
                // What could not be removed is tried again.
                kept.extend(all.get(session).cloned());
            }
            if !lines.is_empty() || file.written || file.failed.is_some() {
                files.push(file);
            }
        }
        self.note_sessions(&all, &kept)?;
        Ok(files)
    }

    /// Notes of which sessions there are files.
    fn note_sessions(&self, before: &BTreeSet<String>, sessions: &BTreeSet<String>) -> Result<(), Error> {
        if before == sessions {
            return Ok(());
        }
        let all: Vec<Noted> = sessions.iter().map(|session| written_only(session)).collect();
        self.note(&all, noted::put)
    }

    /// What the 24 hours before the run brought, under the date of the run. Files of earlier days are written again without what was deleted
    /// since; nothing else changes in them. Lines that somebody else wrote stay, at the end.
    pub(super) fn daily(&self) -> Result<Vec<SyncedFile>, Error> {
        let today = self.zone.date(self.now);
        let path = |date: &str| PathBuf::from(self.path.to_string_lossy().replace("{date}", date));
        let deleted = self.deleted()?;
        let written_before = self.record()?.into_written();
        let mut days = Vec::with_capacity(written_before.len() + 1);
        let mut files = Vec::new();
        for mut day in written_before.iter().filter(|day| day.short != today).cloned() {
            let path = path(&day.short);
            if !path.exists() {
                // One that was taken away is not brought back; where the whole folder is away, it may come back.
                days.extend(Some(day).filter(|_| path.parent().is_some_and(|folder| !folder.exists())));
                continue;
            }
            if day.hash != deleted {
                let file = self.write_day(path, (&mut day, deleted), |at| Moment::as_of(self.now, at))?;
                files.extend(Some(file).filter(|file| file.written || file.failed.is_some()));
            }
            days.push(day);
        }
        let before = written_before.iter().find(|day| day.short == today);
        let mut day = before.cloned().unwrap_or_else(|| Noted { activated: self.now, ..written_only(&today) });
        let file = self.write_day(path(&today), (&mut day, deleted), |_| Moment::now(self.now))?;
        if file.written {
            // What says the same as before is noted as before: a run that changes nothing writes nothing.
            day.activated = self.now;
        }
        files.push(file);
        days.push(day);
        if days != written_before {
            self.note(&days, noted::put)?;
        }
        Ok(files)
    }

    /// Writes the file of a day, and notes what it says.
    fn write_day(
        &self,
        path: PathBuf,
        (day, deleted): (&mut Noted, u64),
        moment: impl Fn(Timestamp) -> Moment,
    ) -> Result<SyncedFile, Error> {
        let (text, entries) = self.day(&day.short, moment(day.activated))?;
        let (lines, old) = (prints(&text), disk::read(&path));
        let mut file = SyncedFile::at(path);
        let old = match old {
            Ok(old) => old,
            Err(error) => {
                file.fails(error)?;
                return Ok(file);
            }
        };
        if old.is_some() && lines == day.kind {
            (file.entries, day.hash) = (entries, deleted);
            return Ok(file);
        }
        match write(&mut file, &with_others(text, old.as_deref(), &day.kind), entries) {
            Ok(()) => (day.hash, day.kind) = (deleted, lines),
            Err(error) => file.fails(error)?,
        }
        Ok(file)
    }

    /// The text of the file of a day that was written at a moment, and how many memories it tells of.
    fn day(&self, date: &str, moment: Moment) -> Result<(String, usize), Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.snapshot()?;
        let at = moment.as_of.unwrap_or(moment.now);
        let range = TimeRange::new(Some(at.plus_millis(-DAY)), Some(at.plus_millis(1)))?;
        let filter = Filter { time: range, statuses: SHOWN.to_vec(), ..Filter::default() };
        let rows: Vec<Row> = view.columns.matcher(&filter, moment).rows().collect();
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
        Ok((text, memories.len()))
    }
}

impl Engine {
    /// The sessions whose turns are mirrored in files of this path, or were when these were last written: what else such a file says was
    /// taken out of the memory.
    pub(crate) fn mirrored_sessions(&self, ns: NamespaceId, path: &Path) -> Result<BTreeSet<String>, Error> {
        let view = self.view(ns)?;
        let mut sessions: BTreeSet<String> =
            view.columns.labels(LabelClass::Session).map(|(_, session)| session.to_owned()).collect();
        let noted = Record::get(&self.snapshot()?, ns, &noted::name(path))?.into_written();
        sessions.extend(noted.into_iter().map(|it| it.short));
        Ok(sessions)
    }
}

/// The note of a file that is written only, by what tells it apart from others of its kind.
fn written_only(short: &str) -> Noted {
    Noted {
        short: short.to_owned(),
        id: MemoryId::from_bytes([0; 16]),
        hash: 0,
        kind: String::new(),
        score: 0.0,
        hits: 0,
        activated: Timestamp::default(),
        expires: None,
    }
}

/// What tells the lines of a text apart, in their order.
fn prints(text: &str) -> String {
    let lines: BTreeSet<String> = text.lines().map(print).collect();
    lines.into_iter().collect::<Vec<_>>().join(" ")
}

fn print(line: &str) -> String {
    format!("{:016x}", noted::hash(line))
}

/// A text with the lines of the file before it that were not written with `noted`. Where nothing is known of what was written, those are kept
/// that have not its form.
fn with_others(mut text: String, old: Option<&str>, noted: &str) -> String {
    let known: BTreeSet<&str> = noted.split_whitespace().collect();
    let now: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    let formed =
        |line: &str| ["# ", "## ", "- [", "- 会话:", "- 对话:", "- 新记忆:"].iter().any(|form| line.starts_with(form));
    let others = old.unwrap_or_default().lines().filter(|line| {
        let written = if known.is_empty() { formed(line) } else { known.contains(print(line).as_str()) };
        !written && !line.trim().is_empty() && !now.contains(*line)
    });
    let others: Vec<&str> = others.collect();
    if !others.is_empty() {
        text.push('\n');
        text.push_str(&others.join("\n"));
        text.push('\n');
    }
    text
}

/// The file of a session.
pub(crate) fn session_file(path: &Path, session: &str) -> PathBuf {
    path.to_string_lossy().replace("{session}", &disk::part(session)).into()
}

/// Keeps what another program left in a file that is about to be written for the first time.
fn set_aside(file: &mut SyncedFile, text: &str) -> Result<(), Error> {
    let Some(bytes) = disk::bytes(&file.path)?.filter(|bytes| bytes != text.as_bytes()) else { return Ok(()) };
    let (path, known) = disk::free(&file.path, LEGACY, &bytes)?;
    if !known {
        disk::replace(&path, &bytes)?;
    }
    file.warnings.push(format!("another program wrote it; what it held is kept in {}", path.display()));
    Ok(())
}

/// Writes a file unless it says that already.
fn write(file: &mut SyncedFile, text: &str, entries: usize) -> Result<(), Error> {
    file.entries = entries;
    if disk::bytes(&file.path)?.as_deref() != Some(text.as_bytes()) {
        disk::replace(&file.path, text)?;
        file.written = true;
    }
    Ok(())
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
