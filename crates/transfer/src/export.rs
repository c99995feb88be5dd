use std::io::Write;

use annals_storage::Snapshot;
use annals_types::{Filter, MemoryId, NamespaceId, Row, Status};
use serde::Serialize;

use crate::Transfers;
use crate::lines::{Head, MemoryLine};
use crate::rows::Names;
use crate::{ExportReport, judged};
use annals_engine::{Error, ErrorKind, ListQuery, profiles};

/// Memories read at a time.
const BATCH: usize = 500;

/// Where lines go, and how many there were.
pub(crate) struct Lines<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) report: ExportReport,
}

impl Lines<'_> {
    pub(crate) fn put(&mut self, line: &impl Serialize) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.out.write_all(&text)?;
        self.report.bytes += u64::try_from(text.len()).unwrap_or(u64::MAX);
        Ok(())
    }
}

pub(crate) fn failed(error: std::io::Error) -> Error {
    Error::io("writing the export", error)
}

/// Fails where an export has not as many texts as the namespace counts: then some were not found.
fn whole(snapshot: &Snapshot, namespace: NamespaceId, written: u64) -> Result<(), Error> {
    let head = annals_records::Head::read(snapshot, namespace)?;
    let counted = u64::from(head.total()) + u64::from(head.replaced);
    if written == counted {
        return Ok(());
    }
    let reason = format!(
        "the namespace counts {counted} texts of memories, and {written} are found: this export is not whole; \
         `annals db repair` saves what there is"
    );
    Err(Error::other(ErrorKind::Corrupt, reason))
}

impl Transfers<'_> {
    /// Writes everything of the namespace, one JSON object a line. The order is: its profile where
    /// that is not the default one; all memories with ids, earlier texts, statuses, times and
    /// worth; entities, merges, triples with their supporters, links and derivations; merges that
    /// were taken back, suspected contradictions, decisions, memories that lost a source, tasks
    /// about single memories, and the rows of extensions. `progress` is called with the number of
    /// memories written so far.
    ///
    /// # Errors
    /// When the file cannot be read or `out` not be written.
    pub fn export(
        &self,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ExportReport, Error> {
        let mut lines = Lines {
            out,
            report: ExportReport::default(),
        };
        let Some(namespace) = self.id()? else {
            return Ok(lines.report);
        };
        let snapshot = self.engine().snapshot()?;
        self.head(&snapshot, namespace)?
            .map_or(Ok(()), |head| lines.put(&head))
            .map_err(failed)?;
        let mut texts = 0;
        let mut from = Some(Row(0));
        while let Some(first) = from {
            let (memories, next) = self.memories(&snapshot, namespace, first)?;
            for memory in &memories {
                lines.put(memory).map_err(failed)?;
                lines.report.memories += 1;
                texts += memory.texts();
            }
            progress(lines.report.memories);
            from = next;
        }
        whole(&snapshot, namespace, texts)?;
        let names = Names::new(&snapshot, namespace);
        let mut sink = |line| {
            lines
                .put(&line)
                .map_err(|source| annals_graph::GraphError::Export { source })?;
            lines.report.graph_lines += 1;
            Ok(())
        };
        let naming = annals_graph::Naming {
            name: &|row| names.of(row),
            order: &|row| names.order(row),
        };
        annals_graph::dump(&snapshot, namespace, naming, &mut sink)?;
        names.finish()?;
        let profile = self.engine().profiles.of(&snapshot, namespace)?;
        let extensions = &self.engine().extensions;
        judged::each(&snapshot, namespace, &profile, extensions, &mut |line| {
            lines.put(line).map_err(failed)?;
            lines.report.judged_lines += 1;
            Ok(())
        })?;
        lines.out.flush().map_err(failed)?;
        Ok(lines.report)
    }

    pub(crate) fn head(
        &self,
        snapshot: &Snapshot,
        namespace: NamespaceId,
    ) -> Result<Option<Head>, Error> {
        let profile = self.engine().profiles.of(snapshot, namespace)?;
        if profile.name.as_str() == profiles::DEFAULT {
            return Ok(None);
        }
        let last_pass = profile.terms(snapshot)?.passes.last();
        Ok(Some(Head {
            profile: profile.name.clone(),
            last_pass,
        }))
    }

    /// Memories whose first row is `first` or above, and the row to go on from.
    fn memories(
        &self,
        snapshot: &Snapshot,
        namespace: NamespaceId,
        first: Row,
    ) -> Result<(Vec<MemoryLine>, Option<Row>), Error> {
        let profile = self.engine().profiles.of(snapshot, namespace)?;
        let terms = profile.terms(snapshot)?;
        let (chronicles, next) = annals_records::export(snapshot, namespace, first, BATCH)?;
        let ids: Vec<MemoryId> = chronicles.iter().map(|chronicle| chronicle.id).collect();
        let rows: Vec<Row> = annals_records::find_rows(snapshot, namespace, &ids)?
            .into_iter()
            .map(|row| row.ok_or_else(|| Error::internal("a memory without a row".to_owned())))
            .collect::<Result<_, _>>()?;
        let states = annals_lifecycle::states(snapshot, namespace, &rows)?;
        let line = |(chronicle, state): (_, Option<annals_lifecycle::State>)| {
            MemoryLine::new(
                chronicle,
                state.map(|state| state.save(&profile.policy, &terms.passes)),
            )
        };
        Ok((chronicles.into_iter().zip(states).map(line).collect(), next))
    }

    /// Writes all memories for people to read, one a line: id, kind, score and text, with tabs
    /// between them and line breaks of the text as spaces. The result cannot be imported again.
    ///
    /// # Errors
    /// When the file cannot be read or `out` not be written.
    pub fn export_text(&self, out: &mut dyn Write) -> Result<ExportReport, Error> {
        let mut report = ExportReport::default();
        let filter = Filter {
            statuses: Status::ALL.to_vec(),
            ..Filter::default()
        };
        let mut query = ListQuery {
            filter,
            limit: BATCH,
            newest_first: false,
            ..ListQuery::default()
        };
        let Some(namespace) = self.id()? else {
            return Ok(report);
        };
        let engine = self.engine();
        loop {
            let (view, snapshot, now) = (engine.view(namespace)?, engine.snapshot()?, engine.now());
            let page = engine.list(&view, &snapshot, &query)?;
            let ids: Vec<_> = page.memories.iter().map(|memory| memory.id).collect();
            let rows = annals_records::find_rows(&snapshot, namespace, &ids)?;
            for (memory, row) in page.memories.iter().zip(rows) {
                let score = row.and_then(|row| view.worth.score(row, now));
                let score = score.unwrap_or_else(|| f64::from(memory.body.importance.get()));
                let text = memory
                    .body
                    .text
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                let line = format!("{}\t{}\t{score:.2}\t{text}\n", memory.id, memory.body.kind);
                out.write_all(line.as_bytes())
                    .map_err(|e| Error::io("writing the export", e))?;
                report.memories += 1;
                report.bytes += u64::try_from(line.len()).unwrap_or(u64::MAX);
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        out.flush()
            .map_err(|e| Error::io("writing the export", e))?;
        Ok(report)
    }
}
