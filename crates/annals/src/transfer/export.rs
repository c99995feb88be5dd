use std::io::Write;

use annals_types::Row;

use super::ExportReport;
use crate::Error;
use crate::blocking::Namespace;

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
}
