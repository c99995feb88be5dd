//! The graph for other programs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;

use annals_graph as graph;
use annals_types::Row;

use super::Reader;
use crate::Error;
use crate::engine::graph::rows;
use crate::graph::{Format, GraphExport, TripleLine};

impl Reader<'_> {
    pub(super) fn export_graph(&self, what: &GraphExport, out: &mut dyn Write) -> Result<(), Error> {
        let only = what.memories.as_deref().map(|ids| rows(self.reads, self.ns, ids)).transpose()?;
        let names = Names::new(self.reads, self.ns);
        let name = |row: Row| names.of(row);
        let export = graph::Export {
            format: what.format,
            rows: only.as_deref(),
            dormant: what.dormant,
            as_of: what.as_of,
            name: &name,
        };
        Ok(graph::export(self.reads, self.ns, &export, out)?)
    }

    pub(super) fn triple_lines(&self) -> Result<Vec<TripleLine>, Error> {
        let names = Names::new(self.reads, self.ns);
        let name = |row: Row| names.of(row);
        let all = graph::Export { format: Format::Triples, rows: None, dormant: true, as_of: None, name: &name };
        Ok(graph::triple_lines(self.reads, self.ns, &all)?)
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
