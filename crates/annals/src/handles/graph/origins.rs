//! How a memory came to be what it is.

use annals_records::RecordError;
use annals_storage::Reads;
use annals_types::{Memory, MemoryId, NamespaceId, Status, Wording};

use crate::graph::{EntityId, Origin, OriginStep};
use crate::handles::Graph;
use crate::handles::graph::Reader;
use crate::{Decision, Error};
use annals_engine::{decisions, stale};

/// What is told of a memory that lost a source.
const LOST: &str = "lost a source, to be derived again from those that are left";

impl Graph {
    pub(crate) fn explain(&self, id: MemoryId) -> Result<Vec<Origin>, Error> {
        let missing = || RecordError::NotFound { id };
        let ns = self.space.id()?.ok_or_else(missing)?;
        let snapshot = self.space.engine.snapshot()?;
        let mut steps = Vec::new();
        let history = self.space.history(id)?;
        for (n, revision) in history.iter().enumerate() {
            steps.push(stored(&revision.memory, n == 0));
            steps.extend(derived(&snapshot, ns, &revision.memory)?);
        }
        let lost = stale::since(&snapshot, ns, id)?;
        let stale = || Some(Wording::new("stale", &[]));
        steps.extend(lost.map(|at| Origin::new(at, OriginStep::Stale, LOST.to_owned(), stale())));
        let reader = Reader {
            engine: &self.space.engine,
            reads: &snapshot,
            ns,
        };
        reader.tell_graph(id, &mut steps)?;
        let statuses = annals_records::status_history(&snapshot, ns, id)?;
        let retracted = annals_files::retracted::of(&snapshot, ns, id)?;
        for pair in statuses.windows(2) {
            let [(_, from), (at, to)] = pair else {
                continue;
            };
            let step = if *from == Status::Staged {
                OriginStep::Consolidated
            } else {
                OriginStep::Status
            };
            let file = retracted
                .iter()
                .find(|(when, _)| when == at && *to == Status::Forgotten);
            let by = file.map_or_else(String::new, |(_, file)| format!(", taken out of {file}"));
            let (from, to) = (from.as_str(), to.as_str());
            let wording = match file {
                None => Wording::new("status", &[("from", &from), ("to", &to)]),
                Some((_, file)) => Wording::new(
                    "status-file",
                    &[("from", &from), ("to", &to), ("file", file)],
                ),
            };
            steps.push(Origin::new(
                *at,
                step,
                format!("{from} to {to}{by}"),
                Some(wording),
            ));
        }
        // What callers changed is among the revisions and statuses.
        for (number, decided) in
            decisions::list_such(&snapshot, ns, Some(id), usize::MAX, |one| !one.is_change())?
        {
            steps.extend(told(&decided.shown(number)));
        }
        let standing = self.space.lifecycle().standings(&[id])?.pop().flatten();
        if let Some(standing) =
            standing.filter(|standing| standing.used > 0 || standing.returned > 0)
        {
            let times =
                |count: u32| format!("{count} {}", if count == 1 { "time" } else { "times" });
            let what = format!(
                "used {}, returned {}",
                times(standing.used),
                times(standing.returned)
            );
            let places: [(&str, &dyn std::fmt::Display); 2] =
                [("used", &standing.used), ("returned", &standing.returned)];
            let wording = Wording::new("used", &places);
            steps.push(Origin::new(
                standing.last_access,
                OriginStep::Used,
                what,
                Some(wording),
            ));
        }
        steps.sort_by_key(|step| step.at);
        Ok(steps)
    }
}

/// What a decision tells, and that it was taken back.
fn told(decision: &Decision) -> Vec<Origin> {
    let mut what = format!(
        "decision {}: {}? {}, by {}",
        decision.number,
        decision.question.as_str().replace('_', " "),
        decision.answer,
        decision.by
    );
    if !decision.reason.is_empty() {
        what.push_str(&format!(": {}", decision.reason));
    }
    if !decision.changes.is_empty() {
        what.push_str(&format!(" ({})", decision.changes.join("; ")));
    }
    let reason = [decision.reason.clone(), decision.changes.join("; ")].join(" ");
    let wording = Wording::new(
        "decided",
        &[
            ("number", &decision.number),
            ("question", &decision.question.as_str()),
            ("answer", &decision.answer),
            ("by", &decision.by),
            ("reason", &reason.trim()),
        ],
    );
    let mut steps = vec![Origin::new(
        decision.at,
        OriginStep::Decided,
        what,
        Some(wording),
    )];
    if let Some(at) = decision.undone_at {
        let what = format!("decision {} was taken back", decision.number);
        let wording = Wording::new("undecided", &[("number", &decision.number)]);
        steps.push(Origin::new(at, OriginStep::Decided, what, Some(wording)));
    }
    steps
}

/// What a revision tells by itself.
fn stored(memory: &Memory, first: bool) -> Origin {
    let (at, body) = (memory.stored_at, &memory.body);
    let source = body
        .source
        .as_ref()
        .map_or_else(String::new, |source| format!(", from {source}"));
    let session = body.turn.as_ref().map_or_else(String::new, |turn| {
        format!(", in conversation {}", turn.session)
    });
    let step = if first {
        OriginStep::Stored
    } else {
        OriginStep::Revised
    };
    let what = format!(
        "as {}{source}{session}, revision {}",
        body.kind.as_str(),
        memory.revision
    );
    let mut places: Vec<(&str, &dyn std::fmt::Display)> =
        vec![("kind", &body.kind), ("revision", &memory.revision)];
    let mut name = "stored".to_owned();
    if let Some(source) = &body.source {
        name.push_str("-from");
        places.push(("source", source));
    }
    if let Some(turn) = &body.turn {
        name.push_str("-in");
        places.push(("session", &turn.session));
    }
    Origin::new(at, step, what, Some(Wording::new(&name, &places)))
}

/// What a revision was derived from, and what of that was deleted.
fn derived(reads: &dyn Reads, ns: NamespaceId, memory: &Memory) -> Result<Option<Origin>, Error> {
    let sources = &memory.body.provenance;
    if sources.is_empty() {
        return Ok(None);
    }
    let rows = annals_records::find_rows(reads, ns, sources)?;
    let named = |(id, row): (&MemoryId, &Option<_>)| match row {
        Some(_) => id.to_string(),
        None => format!("{id} (deleted)"),
    };
    let shown: Vec<String> = sources.iter().zip(&rows).map(named).collect();
    let what = format!("from {}", shown.join(", "));
    let deleted = sources.iter().zip(&rows).filter(|(_, row)| row.is_none());
    let listed = |ids: &mut dyn Iterator<Item = &MemoryId>| {
        ids.map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let (all, deleted) = (
        listed(&mut sources.iter()),
        listed(&mut deleted.map(|(id, _)| id)),
    );
    let wording = match deleted.is_empty() {
        true => Wording::new("derived", &[("sources", &all)]),
        false => Wording::new(
            "derived-deleted",
            &[("sources", &all), ("deleted", &deleted)],
        ),
    };
    Ok(Some(Origin::new(
        memory.stored_at,
        OriginStep::Derived,
        what,
        Some(wording),
    )))
}

impl Reader<'_> {
    fn tell_graph(&self, id: MemoryId, steps: &mut Vec<Origin>) -> Result<(), Error> {
        let drawn = self.subgraph(id)?;
        let name = |id: EntityId| {
            drawn
                .nodes
                .iter()
                .find(|node| node.id == id)
                .map(|node| node.name.as_str())
                .unwrap_or_default()
        };
        for edge in &drawn.edges {
            let what = format!(
                "[{}]{}",
                name(edge.source),
                edge.wording().arrow(name(edge.target))
            );
            steps.push(Origin::new(edge.born, OriginStep::Said, what, None));
        }
        for node in &drawn.nodes {
            for merge in self.merge_history(node.id)? {
                let sources = annals_graph::entities(self.reads, self.ns, &[merge.source])?
                    .pop()
                    .flatten();
                let source = sources.map_or_else(String::new, |source| source.name);
                let likeness = merge
                    .similarity
                    .map_or_else(String::new, |similarity| format!(", {similarity:.2}"));
                let what = format!(
                    "[{source}] became [{}]: {}{likeness}",
                    node.name, merge.reason
                );
                let reason = format!("{}{likeness}", merge.reason);
                let wording = Wording::new(
                    "merged",
                    &[
                        ("source", &source),
                        ("name", &node.name),
                        ("reason", &reason),
                    ],
                );
                steps.push(Origin::new(
                    merge.time,
                    OriginStep::Merged,
                    what,
                    Some(wording),
                ));
            }
        }
        for link in self.links(id)? {
            let what = if link.from == id {
                format!("{} to {}", link.relation, link.to)
            } else {
                format!("{} from {}", link.relation, link.from)
            };
            let (name, end) = if link.from == id {
                ("linked-to", link.to)
            } else {
                ("linked-from", link.from)
            };
            let wording = Wording::new(name, &[("relation", &link.relation), ("id", &end)]);
            steps.push(Origin::new(
                link.since,
                OriginStep::Linked,
                what,
                Some(wording),
            ));
        }
        Ok(())
    }
}
