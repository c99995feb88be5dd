//! The memories of a day, a file a day.

use std::collections::BTreeSet;

use annals_language::one_line;
use annals_records::Moment;
use annals_types::{Filter, Layer, Memory, MemoryId, Row, TimeRange};

use crate::Target;
use crate::held::is_said;
use crate::ledger::{self, Line};
use crate::report::SyncedFile;
use crate::turns::SHOWN;
use crate::written::Draft;
use annals_engine::Error;

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
            self.lines.push(Line {
                hash: ledger::hash(line),
                of,
            });
        }
    }

    fn section<'a>(
        &mut self,
        title: &str,
        memories: impl Iterator<Item = &'a Memory>,
        line: fn(&Memory) -> String,
    ) {
        for (at, memory) in memories.enumerate() {
            if at == 0 {
                ["", &format!("## {title}"), ""]
                    .into_iter()
                    .for_each(|line| self.add(line, None));
            }
            self.add(&line(memory), Some(memory.id));
        }
    }
}

impl Target<'_> {
    /// Writes the memories of the 24 hours before the run, under the date of the run.
    pub(super) fn daily(&self) -> Result<Vec<SyncedFile>, Error> {
        let today = self.zone.date(self.now);
        let (day, entries) = self.day(&today)?;
        let shown = self
            .shown
            .to_string_lossy()
            .replace("{date}", &today)
            .into();
        let draft = Draft {
            part: today,
            shown,
            text: day.text,
            lines: day.lines,
            entries,
        };
        self.write_out(vec![draft])
    }

    /// The memories of the last 24 hours, and how many they are.
    fn day(&self, date: &str) -> Result<(Day, usize), Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.snapshot()?;
        let range = TimeRange::new(
            Some(self.now.plus_millis(-DAY)),
            Some(self.now.plus_millis(1)),
        )?;
        let filter = Filter {
            time: range,
            statuses: SHOWN.to_vec(),
            ..Filter::default()
        };
        let rows: Vec<Row> = view
            .columns
            .matcher(&filter, Moment::now(self.now))
            .rows()
            .collect();
        let memories = annals_records::memories(&snapshot, self.ns, &rows, Some(&view.columns))?;
        let memories: Vec<&Memory> = memories.iter().flatten().collect();
        let of = |layer: Layer| {
            memories
                .iter()
                .copied()
                .filter(move |memory| memory.body.layer == layer)
        };
        let new = || {
            memories
                .iter()
                .copied()
                .filter(|memory| !is_said(memory.body.layer))
        };
        let sessions: BTreeSet<&str> = of(Layer::Turn)
            .filter_map(|memory| Some(memory.body.turn.as_ref()?.session.as_str()))
            .collect();
        let mut day = Day::default();
        day.add(&format!("# {date}"), None);
        day.add("", None);
        let messages = self.messages()?;
        let word = |id: &str| messages.text(id, &[]);
        for (id, count) in [
            ("day-sessions", sessions.len()),
            ("day-turns", of(Layer::Turn).count()),
            ("day-new", new().count()),
        ] {
            day.add(&format!("- {}: {count}", word(id)), None);
        }
        day.section(&word("day-summaries"), of(Layer::Episodic), told);
        day.section(&word("day-new"), new(), learnt);
        Ok((day, memories.len()))
    }
}

/// How a day tells of an episode.
pub(super) fn told(memory: &Memory) -> String {
    format!("- {}", one_line(&memory.body.text))
}

/// How a day tells of any other memory.
pub(super) fn learnt(memory: &Memory) -> String {
    format!("- [{}] {}", memory.body.kind, one_line(&memory.body.text))
}
