//! The graph in forms that other programs read.

mod dot;
mod drawing;
mod graphml;
mod json;
mod lines;
mod ntriples;

use std::io::Write;

use annals_storage::Reads;
use annals_types::{NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{GraphError, TripleLine};
use drawing::Drawing;

/// A form of export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// The language of GraphViz: entities as ellipses, memories as boxes.
    Dot,
    /// GraphML (XML).
    GraphMl,
    /// JSON with a list of nodes and one of edges, as NetworkX reads it from 3.6 on; earlier ones
    /// as `node_link_graph(data, edges="edges")`.
    Json,
    /// N-Triples (RDF 1.1). Negated, conditional and dormant triples are told as statements about
    /// statements.
    NTriples,
    /// One JSON object for each triple and line, a [`TripleLine`]; with what sleeps nothing is
    /// lost.
    Triples,
}

/// The selection to export.
#[derive(Clone, Copy)]
#[must_use]
pub struct Export<'a> {
    /// In which form.
    pub format: Format,
    /// Only what these memories say, and the links between them; everything when `None`.
    pub rows: Option<&'a [Row]>,
    /// Also what sleeps.
    pub dormant: bool,
    /// The storing time at which it asks; now when `None`. Memories deleted since are not seen.
    pub as_of: Option<Timestamp>,
    /// The name of a memory.
    pub name: &'a dyn Fn(Row) -> String,
}

impl std::fmt::Debug for Export<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Export");
        debug
            .field("format", &self.format)
            .field("rows", &self.rows)
            .field("dormant", &self.dormant)
            .field("as_of", &self.as_of);
        debug.finish_non_exhaustive()
    }
}

impl Export<'_> {
    /// Everything visible, memories called by their row.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            rows: None,
            dormant: false,
            as_of: None,
            name: &|row| format!("memory {}", row.0),
        }
    }
}

/// The triples of an export with the memories that say them; all of a namespace by predicate and
/// age, those of some memories by age.
///
/// # Errors
/// When the graph cannot be read.
pub fn triple_lines(
    reads: &dyn Reads,
    ns: NamespaceId,
    what: &Export<'_>,
) -> Result<Vec<TripleLine>, GraphError> {
    Ok(lines::lines(Drawing::of(reads, ns, what)?))
}

/// Writes a graph in another form, in the order of its numbers. Names may hold anything: each
/// form's own escapes are used. Takes memory for what is exported.
///
/// # Errors
/// When the graph cannot be read, or [`GraphError::Export`] when `out` fails.
pub fn export(
    reads: &dyn Reads,
    ns: NamespaceId,
    what: &Export<'_>,
    out: &mut dyn Write,
) -> Result<(), GraphError> {
    let drawing = Drawing::of(reads, ns, what)?;
    let text = match what.format {
        Format::Dot => dot::write(&drawing),
        Format::GraphMl => graphml::write(&drawing),
        Format::Json => json::write(&drawing)?,
        Format::NTriples => ntriples::write(&drawing),
        Format::Triples => lines::write(drawing)?,
    };
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|source| GraphError::Export { source })
}
