//! Memories as nodes and edges.

use annals_graph as graph;
use annals_types::MemoryId;

use crate::Error;
use crate::graph::Subgraph;
use crate::handles::graph::Reader;
use annals_engine::graph::rows;

impl Reader<'_> {
    pub(super) fn subgraph(&self, memory: MemoryId) -> Result<Subgraph, Error> {
        let row = rows(self.reads, self.ns, &[memory])?;
        let found = row
            .first()
            .map(|row| graph::subgraph(self.reads, self.ns, *row))
            .transpose()?;
        Ok(found.unwrap_or_default())
    }
}
