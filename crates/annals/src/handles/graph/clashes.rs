//! What cannot both hold.

use std::collections::BTreeMap;

use annals_graph as graph;
use annals_types::MemoryId;

use crate::Error;
use crate::graph::{Clash, Triple, TripleId, View};
use crate::handles::graph::{Reader, words};
use annals_engine::graph::{Owners, rows};

impl Reader<'_> {
    pub(super) fn clashes(&self, memory: MemoryId) -> Result<Vec<Clash>, Error> {
        let profile = self.engine.profiles.of(self.reads, self.ns)?;
        let mut found = Vec::new();
        for row in rows(self.reads, self.ns, &[memory])? {
            found.extend(graph::clashes(
                self.reads,
                self.ns,
                &profile.settings.graph,
                row,
            )?);
        }
        let ids: Vec<TripleId> = found
            .iter()
            .flat_map(|clash| [clash.triple, clash.other])
            .collect();
        let triples = graph::triples(self.reads, self.ns, &ids)?
            .into_iter()
            .flatten()
            .collect();
        let triples = words::triples(self.reads, self.ns, triples, &View::NOW)?;
        let known: BTreeMap<TripleId, Triple> = triples
            .into_iter()
            .map(|triple| (triple.id, triple))
            .collect();
        let owners = Owners::of(
            self.reads,
            self.ns,
            found.iter().flat_map(|clash| clash.rows.iter().copied()),
        )?;
        let mut clashes = Vec::with_capacity(found.len());
        for clash in found {
            let (Some(triple), Some(other)) = (known.get(&clash.triple), known.get(&clash.other))
            else {
                continue;
            };
            let memories = clash
                .rows
                .iter()
                .map(|row| owners.get(*row))
                .collect::<Result<_, _>>()?;
            clashes.push(Clash {
                triple: triple.clone(),
                other: other.clone(),
                reason: clash.reason,
                memories,
            });
        }
        Ok(clashes)
    }
}
