//! JSON, node-link.

use serde_json::{Value, json};

use super::drawing::Drawing;
use crate::GraphError;

pub(super) fn write(drawing: &Drawing) -> Result<String, GraphError> {
    let entities = drawing.entities.iter().map(|entity| {
        json!({
            "id": format!("e{}", entity.id.0),
            "sort": "entity",
            "name": entity.name,
            "kind": entity.kind,
            "aliases": entity.aliases,
            "metadata": entity.metadata,
        })
    });
    let memories = drawing.memories.iter().map(|memory| {
        json!({
            "id": format!("m{}", memory.row.0),
            "sort": "memory",
            "name": memory.name,
            "state": memory.state,
            "visible": memory.state.supports(),
        })
    });
    let arrows = drawing.arrows.iter().map(|arrow| {
        let (triple, words) = (&arrow.triple, &arrow.words);
        json!({
            "key": format!("t{}", triple.id.0),
            "sort": "triple",
            "source": format!("e{}", triple.subject.0),
            "target": format!("e{}", triple.object.0),
            "relation": words.predicate,
            "negated": triple.negated,
            "condition": words.condition,
            "degree": words.degree,
            "visible": triple.visible,
            "sources": arrow.said_by.iter().map(|row| format!("m{}", row.0)).collect::<Vec<_>>(),
        })
    });
    let links = drawing.links.iter().enumerate().map(|(n, view)| {
        json!({
            "key": format!("l{n}"),
            "sort": "link",
            "source": format!("m{}", view.link.from.0),
            "target": format!("m{}", view.link.to.0),
            "relation": view.relation,
            "weight": view.weight,
            "visible": view.visible,
            "metadata": view.metadata,
        })
    });
    let whole = json!({
        "directed": true,
        "multigraph": true,
        "graph": {},
        "nodes": entities.chain(memories).collect::<Vec<Value>>(),
        "edges": arrows.chain(links).collect::<Vec<Value>>(),
    });
    let text = serde_json::to_string(&whole).map_err(|error| GraphError::Export {
        source: error.into(),
    })?;
    Ok(text + "\n")
}
