use std::io::Write;

use annals_types::{Filter, Row, Status};

use super::ExportReport;
use crate::blocking::Namespace;
use crate::{Error, ListQuery};

/// Memories read at a time.
const BATCH: usize = 500;

impl Namespace {
    /// Writes all memories, one JSON object a line: ids, all texts they had, statuses and times, nothing left out. `progress` is
    /// called with the number of memories written so far.
    ///
    /// # Errors
    /// When the file cannot be read or `out` not be written.
    pub fn export(&self, out: &mut dyn Write, progress: &mut dyn FnMut(u64)) -> Result<ExportReport, Error> {
        let mut report = ExportReport::default();
        let Some(namespace) = self.id()? else { return Ok(report) };
        let snapshot = self.engine().snapshot()?;
        let mut from = Some(Row(0));
        while let Some(first) = from {
            let (chronicles, next) = annals_records::export(&snapshot, namespace, first, BATCH)?;
            for chronicle in &chronicles {
                let mut line = serde_json::to_vec(chronicle)
                    .map_err(|e| Error::internal(format!("memory {} cannot be written as JSON: {e}", chronicle.id)))?;
                line.push(b'\n');
                out.write_all(&line).map_err(|e| Error::io("writing the export", e))?;
                report.memories += 1;
                report.bytes += u64::try_from(line.len()).unwrap_or(u64::MAX);
            }
            progress(report.memories);
            from = next;
        }
        out.flush().map_err(|e| Error::io("writing the export", e))?;
        Ok(report)
    }

    /// Writes all memories for people to read, one a line: id, kind, score and text, with tabs between them and line breaks of the text
    /// as spaces. Cannot be imported again.
    ///
    /// # Errors
    /// When the file cannot be read or `out` not be written.
    pub fn export_text(&self, out: &mut dyn Write) -> Result<ExportReport, Error> {
        let mut report = ExportReport::default();
        let filter = Filter { statuses: Status::ALL.to_vec(), ..Filter::default() };
        let mut query = ListQuery { filter, limit: BATCH, newest_first: false, ..ListQuery::default() };
        loop {
            let page = self.list(&query)?;
            let ids: Vec<_> = page.memories.iter().map(|memory| memory.id).collect();
            for (memory, standing) in page.memories.iter().zip(self.standings(&ids)?) {
                let score = standing.map_or_else(|| f64::from(memory.body.importance.get()), |standing| standing.score);
                let text = memory.body.text.split_whitespace().collect::<Vec<_>>().join(" ");
                let line = format!("{}\t{}\t{score:.2}\t{text}\n", memory.id, memory.body.kind);
                out.write_all(line.as_bytes()).map_err(|e| Error::io("writing the export", e))?;
                report.memories += 1;
                report.bytes += u64::try_from(line.len()).unwrap_or(u64::MAX);
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        out.flush().map_err(|e| Error::io("writing the export", e))?;
        Ok(report)
    }
}
