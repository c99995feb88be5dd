//! What a day brought, a file a day.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use annals_extraction::markdown::one_line;
use annals_records::Moment;
use annals_types::profile::MirrorFormat;
use annals_types::{Filter, Layer, Memory, MemoryId, Row, TimeRange};

use super::held::is_said;
use super::ledger::{self, Line, Written};
use super::report::SyncedFile;
use super::turns::SHOWN;
use super::written::Draft;
use super::{Target, disk};
use crate::Error;

/// Milliseconds of 24 hours.
const DAY: i64 = 86_400_000;

/// The text of a file, line by line.
#[derive(Default)]
struct Day {
    text: String,
    lines: Vec<Line>,
}

impl Day {
    fn add(&mut self, line: &str, of: Option<MemoryId>) {
        self.text.push_str(line);
        self.text.push('\n');
        if !line.is_empty() {
            self.lines.push(Line { hash: ledger::hash(line), of });
        }
    }

    fn section<'a>(&mut self, title: &str, memories: impl Iterator<Item = &'a Memory>, line: fn(&Memory) -> String) {
        for (at, memory) in memories.enumerate() {
            if at == 0 {
                ["", &format!("## {title}"), ""].into_iter().for_each(|line| self.add(line, None));
            }
            self.add(&line(memory), Some(memory.id));
        }
    }
}

impl Target<'_> {
    /// What the 24 hours before the run brought, under the date of the run. From files of earlier days goes what tells of memories that were
    /// deleted since; nothing else changes in them.
    pub(super) fn daily(&self) -> Result<Vec<SyncedFile>, Error> {
        let today = self.zone.date(self.now);
        let mut files = self.clean_days(&today)?;
        let (day, entries) = self.day(&today)?;
        let shown = self.shown.to_string_lossy().replace("{date}", &today).into();
        let draft = Draft { part: today, shown, text: day.text, lines: day.lines, entries };
        files.extend(self.write_out(vec![draft])?);
        Ok(files)
    }

    /// Takes what was deleted out of the files of earlier days.
    fn clean_days(&self, today: &str) -> Result<Vec<SyncedFile>, Error> {
        let deleted = self.deleted()?;
        let of = |written: &Written| {
            let earlier = !written.part.is_empty() && written.part != today && written.deleted != deleted;
            earlier && written.format == MirrorFormat::Daily && written.made_by == self.file.path
        };
        let days: Vec<(PathBuf, Written)> =
            ledger::all(&self.snapshot()?, self.ns)?.into_iter().filter(|(_, written)| of(written)).collect();
        let (mut files, mut done) = (Vec::new(), Vec::new());
        for (path, mut written) in days {
            let gone = self.gone_lines(&written)?;
            let mut file = SyncedFile::at(path.clone());
            match cut(&path, &gone) {
                // It may be on a disk that is away: once it is back, it is looked through.
                Ok(None) if !gone.is_empty() => continue,
                Ok(cut) => {
                    file.written = cut == Some(true);
                    written.deleted = deleted;
                    written.lines.retain(|line| !gone.contains(&line.hash));
                    done.push((path, Some(written)));
                }
                Err(error) => file.fails(error)?,
            }
            files.extend(Some(file).filter(SyncedFile::tells));
        }
        self.note_files(done)?;
        Ok(files)
    }

    /// The lines of a day that no memory says any more.
    fn gone_lines(&self, written: &Written) -> Result<BTreeSet<u64>, Error> {
        let ids: BTreeSet<MemoryId> = written.lines.iter().filter_map(|line| line.of).collect();
        let said = self.said(&ids, |memory| [told, learnt].map(|line| ledger::hash(&line(memory))).to_vec())?;
        let (here, gone): (Vec<&Line>, Vec<&Line>) = written
            .lines
            .iter()
            .partition(|line| line.of.is_none_or(|id| said.get(&id).is_some_and(|said| said.contains(&line.hash))));
        let here: BTreeSet<u64> = here.into_iter().map(|line| line.hash).collect();
        Ok(gone.into_iter().map(|line| line.hash).filter(|hash| !here.contains(hash)).collect())
    }

    /// What the last 24 hours brought, and how many memories that are.
    fn day(&self, date: &str) -> Result<(Day, usize), Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.snapshot()?;
        let range = TimeRange::new(Some(self.now.plus_millis(-DAY)), Some(self.now.plus_millis(1)))?;
        let filter = Filter { time: range, statuses: SHOWN.to_vec(), ..Filter::default() };
        let rows: Vec<Row> = view.columns.matcher(&filter, Moment::now(self.now)).rows().collect();
        let memories = annals_records::memories(&snapshot, self.ns, &rows, Some(&view.columns))?;
        let memories: Vec<&Memory> = memories.iter().flatten().collect();
        let of = |layer: Layer| memories.iter().copied().filter(move |memory| memory.body.layer == layer);
        let new = || memories.iter().copied().filter(|memory| !is_said(memory.body.layer));
        let sessions: BTreeSet<&str> =
            of(Layer::Turn).filter_map(|memory| Some(memory.body.turn.as_ref()?.session.as_str())).collect();
        let mut day = Day::default();
        day.add(&format!("# {date}"), None);
        day.add("", None);
        for (word, count) in [("会话", sessions.len()), ("对话", of(Layer::Turn).count()), ("新记忆", new().count())]
        {
            day.add(&format!("- {word}: {count}"), None);
        }
        day.section("摘要", of(Layer::Episodic), told);
        day.section("新记忆", new(), learnt);
        Ok((day, memories.len()))
    }
}

/// How a day tells of an episode.
fn told(memory: &Memory) -> String {
    format!("- {}", one_line(&memory.body.text))
}

/// How a day tells of any other memory.
fn learnt(memory: &Memory) -> String {
    format!("- [{}] {}", memory.body.kind, one_line(&memory.body.text))
}

/// Takes lines out of a file; answers whether there were any, or nothing where there is no such file.
fn cut(path: &Path, gone: &BTreeSet<u64>) -> Result<Option<bool>, Error> {
    let Some(bytes) = disk::bytes(path)? else { return Ok(None) };
    let says = |line: &&[u8]| !gone.contains(&ledger::hash(&String::from_utf8_lossy(line)));
    let kept: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').filter(says).collect();
    let kept = kept.concat();
    let changes = kept != bytes;
    if changes {
        disk::replace(path, &kept)?;
    }
    Ok(Some(changes))
}
