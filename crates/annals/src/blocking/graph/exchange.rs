//! The graph for other programs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;

use annals_graph as graph;
use annals_types::Row;

use super::super::Namespace;
use crate::Error;
use crate::engine::graph::rows;
use crate::graph::{GraphExport, TripleLine};

impl Namespace {
    /// Writes the graph in a form that other programs read; memories are called by their ids. Takes memory for what is written.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a memory that does not exist, or when `out` cannot be written.
    pub fn export_graph(&self, what: &GraphExport, out: &mut dyn Write) -> Result<(), Error> {
        let Some(namespace) = self.id()? else { return Ok(()) };
        let snapshot = self.engine.snapshot()?;
        let only = what.memories.as_deref().map(|ids| rows(&snapshot, namespace, ids)).transpose()?;
        let names = Names::new(&snapshot, namespace);
        let name = |row: Row| names.of(row);
        let export = graph::Export { format: what.format, rows: only.as_deref(), dormant: what.dormant, name: &name };
        Ok(graph::export(&snapshot, namespace, &export, out)?)
    }

    /// All triples with the memories that say them, those that sleep included, by predicate and age.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn triple_lines(&self) -> Result<Vec<TripleLine>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let names = Names::new(&snapshot, namespace);
        let mut lines = graph::triple_lines(&snapshot, namespace, &|row| names.of(row))?;
        for line in &mut lines {
            // Several texts of one memory may say the same.
            let mut seen = std::collections::BTreeSet::new();
            line.source_memory_ids.retain(|id| seen.insert(id.clone()));
        }
        Ok(lines)
    }
}

/// What rows are called, each read once.
struct Names<'a> {
    reads: &'a annals_storage::Snapshot,
    namespace: annals_types::NamespaceId,
    known: RefCell<BTreeMap<Row, String>>,
}

impl<'a> Names<'a> {
    fn new(reads: &'a annals_storage::Snapshot, namespace: annals_types::NamespaceId) -> Self {
        Self { reads, namespace, known: RefCell::default() }
    }

    /// The id of the row's memory. A row that no memory has is damage, which `validate` tells; it is called by its number.
    fn of(&self, row: Row) -> String {
        if let Some(name) = self.known.borrow().get(&row) {
            return name.clone();
        }
        let found = annals_records::ids_of(self.reads, self.namespace, &[row]);
        let id = found.ok().and_then(|ids| ids.into_iter().flatten().next());
        let name = id.map_or_else(|| format!("row {}", row.0), |id| id.to_string());
        self.known.borrow_mut().insert(row, name.clone());
        name
    }
}
