//! The graph for other programs.

use std::io::Write;

use annals_graph as graph;
use annals_types::Row;

use crate::Error;
use crate::graph::{Format, GraphExport, TripleLine};
use crate::handles::graph::Reader;
use annals_engine::graph::rows;
use annals_transfer::Names;

impl Reader<'_> {
    pub(super) fn export_graph(
        &self,
        what: &GraphExport,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let only = what
            .memories
            .as_deref()
            .map(|ids| rows(self.reads, self.ns, ids))
            .transpose()?;
        let names = Names::new(self.reads, self.ns);
        let name = |row: Row| names.memory_of(row);
        let export = graph::Export {
            format: what.format,
            rows: only.as_deref(),
            dormant: what.dormant,
            as_of: what.as_of,
            name: &name,
        };
        graph::export(self.reads, self.ns, &export, out)?;
        names.finish()
    }

    pub(super) fn triple_lines(&self) -> Result<Vec<TripleLine>, Error> {
        let names = Names::new(self.reads, self.ns);
        let name = |row: Row| names.memory_of(row);
        let all = graph::Export {
            format: Format::Triples,
            rows: None,
            dormant: true,
            as_of: None,
            name: &name,
        };
        let lines = graph::triple_lines(self.reads, self.ns, &all)?;
        names.finish()?;
        Ok(lines)
    }
}
