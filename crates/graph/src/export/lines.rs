//! Triples by themselves, one JSON object each.

use std::collections::{BTreeMap, BTreeSet};

use annals_types::Row;

use super::drawing::Drawing;
use crate::{GraphError, TripleLine, TripleMetadata};

pub(super) fn lines(drawing: Drawing) -> Vec<TripleLine> {
    let names: BTreeMap<Row, String> = drawing
        .memories
        .into_iter()
        .map(|memory| (memory.row, memory.name))
        .collect();
    let line = |arrow: super::drawing::Arrow| {
        // Several texts of one memory may say the same.
        let mut seen = BTreeSet::new();
        let told = arrow
            .said_by
            .iter()
            .filter_map(|row| names.get(row))
            .filter(|name| seen.insert(*name));
        TripleLine {
            id: arrow.triple.id.0.to_string(),
            subject: arrow.words.subject,
            predicate: arrow.words.predicate,
            object: arrow.words.object,
            source_memory_ids: told.cloned().collect(),
            metadata: TripleMetadata {
                negation: arrow.words.negated,
                frequency: arrow.words.degree,
                condition: arrow.words.condition,
            },
            visible: arrow.triple.visible,
        }
    };
    drawing.arrows.into_iter().map(line).collect()
}

pub(super) fn write(drawing: Drawing) -> Result<String, GraphError> {
    let mut text = String::new();
    for line in lines(drawing) {
        let line = serde_json::to_string(&line).map_err(|error| GraphError::Export {
            source: error.into(),
        })?;
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}
