use std::io::Write;

use annals_storage::Snapshot;
use annals_types::{MemoryId, NamespaceId, Row};
use serde::Serialize;

use super::ExportReport;
use super::lines::{Head, MemoryLine};
use super::rows::Names;
use crate::blocking::Namespace;
use crate::{Error, profiles};

/// Memories read at a time.
const BATCH: usize = 500;

/// Where lines go, and how many there were.
struct Lines<'a> {
    out: &'a mut dyn Write,
    report: ExportReport,
}

impl Lines<'_> {
    fn put(&mut self, line: &impl Serialize) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.out.write_all(&text)?;
        self.report.bytes += u64::try_from(text.len()).unwrap_or(u64::MAX);
        Ok(())
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::io("writing the export", error)
}

impl Namespace {
    /// Writes everything of the namespace, one JSON object a line: its profile where that is not the default one, all memories with ids, all
    /// texts they had, statuses and times and what they are worth, then entities, merges, triples with who says them, links and what
    /// was derived from what. `progress` is called with the number of memories written so far.
    ///
    /// # Errors
    /// When the file cannot be read or `out` not be written.
    pub fn export(&self, out: &mut dyn Write, progress: &mut dyn FnMut(u64)) -> Result<ExportReport, Error> {
        let mut lines = Lines { out, report: ExportReport::default() };
        let Some(namespace) = self.id()? else { return Ok(lines.report) };
        let snapshot = self.engine().snapshot()?;
        self.head(&snapshot, namespace)?.map_or(Ok(()), |head| lines.put(&head)).map_err(failed)?;
        let mut from = Some(Row(0));
        while let Some(first) = from {
            let (memories, next) = self.memories(&snapshot, namespace, first)?;
            for memory in &memories {
                lines.put(memory).map_err(failed)?;
                lines.report.memories += 1;
            }
            progress(lines.report.memories);
            from = next;
        }
        let names = Names::new(&snapshot, namespace);
        let mut sink = |line| {
            lines.put(&line).map_err(|source| annals_graph::GraphError::Export { source })?;
            lines.report.graph_lines += 1;
            Ok(())
        };
        annals_graph::dump(&snapshot, namespace, &|row| names.of(row), &mut sink)?;
        lines.out.flush().map_err(failed)?;
        Ok(lines.report)
    }

    fn head(&self, snapshot: &Snapshot, namespace: NamespaceId) -> Result<Option<Head>, Error> {
        let rulebook = self.engine().rulebooks.of(snapshot, namespace)?;
        if rulebook.name.as_str() == profiles::DEFAULT {
            return Ok(None);
        }
        let last_pass = rulebook.terms(snapshot)?.passes.last();
        Ok(Some(Head { profile: rulebook.name.clone(), last_pass }))
    }

    /// Memories whose first row is `first` or above, and the row to go on from.
    fn memories(
        &self,
        snapshot: &Snapshot,
        namespace: NamespaceId,
        first: Row,
    ) -> Result<(Vec<MemoryLine>, Option<Row>), Error> {
        let rulebook = self.engine().rulebooks.of(snapshot, namespace)?;
        let terms = rulebook.terms(snapshot)?;
        let (chronicles, next) = annals_records::export(snapshot, namespace, first, BATCH)?;
        let ids: Vec<MemoryId> = chronicles.iter().map(|chronicle| chronicle.id).collect();
        let rows: Vec<Row> = annals_records::find_rows(snapshot, namespace, &ids)?
            .into_iter()
            .map(|row| row.ok_or_else(|| Error::internal("a memory without a row".to_owned())))
            .collect::<Result<_, _>>()?;
        let states = annals_lifecycle::states(snapshot, namespace, &rows)?;
        let line = |(chronicle, state): (_, Option<annals_lifecycle::State>)| {
            MemoryLine::new(chronicle, state.map(|state| state.save(&rulebook.policy, &terms.passes)))
        };
        Ok((chronicles.into_iter().zip(states).map(line).collect(), next))
    }
}
