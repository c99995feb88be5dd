//! The graph as a whole, and memories as parts of it.

use std::path::{Path, PathBuf};

use annals::graph::{Format, GraphExport};
use annals::{MemoryId, Timestamp};
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::moment::time;
use crate::target::Target;
use crate::texts::text;
use crate::visible::{self, Lines};
use crate::wrap;

/// Arguments of `annals graph export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph export --format dot graph.dot
  annals graph export --format json --memory 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals graph export --format triples --all > triples.jsonl
  annals graph export --format dot --as-of 2026-01-01 january.dot")]
pub(crate) struct ExportArgs {
    /// The file; standard output when it is left out or `-`
    #[arg(default_value = "-")]
    file: PathBuf,
    /// dot for GraphViz, graphml, json as NetworkX reads it (before 3.6 with edges="edges"),
    /// ntriples (RDF), or triples: one JSON object for each triple and line
    #[arg(long, value_name = "FORM",
        value_parser = ["dot", "graphml", "json", "ntriples", "triples"])]
    format: String,
    /// Only what this memory says; may be given several times
    #[arg(long, value_name = "ID")]
    memory: Vec<MemoryId>,
    /// Also what only forgotten memories say, marked as not visible
    #[arg(long)]
    all: bool,
    /// As it was known at this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    as_of: Option<Timestamp>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// Counts the graph.
pub(crate) fn stats(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let found = app.plain_namespace()?.graph().stats()?;
    if app.json {
        return app.answer_json(&found);
    }
    let sleeping = found.triples.saturating_sub(found.visible_triples);
    let lines = [
        (text!("graph-entities"), u64::from(found.entities)),
        (text!("graph-merged"), u64::from(found.merged)),
        (text!("graph-triples"), u64::from(found.visible_triples)),
        (text!("graph-asleep"), u64::from(sleeping)),
        (text!("graph-evidence"), found.evidence),
        (text!("graph-links"), found.links),
    ];
    for (name, number) in lines {
        app.say(&format!("{} {number}", wrap::pad(&name, 9)))?;
    }
    Ok(())
}

/// Prints the nodes and edges of a memory.
pub(crate) fn show(id: MemoryId, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let found = app.plain_namespace_of(&[id])?.graph().subgraph(id)?;
    if app.json {
        return app.answer_json(
            &json!({ "nodes": found.nodes, "edges": found.edges, "text": found.to_graph_text() }),
        );
    }
    if found.edges.is_empty() {
        return app.note(&text!("graph-no-says"));
    }
    app.say(&visible::line(&found.to_graph_text()))?;
    app.say(&visible::line(&found.to_text()))
}

/// Prints what contradicts a memory.
pub(crate) fn clashes(id: MemoryId, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(&[id])?;
    let found = namespace.graph().clashes(id)?;
    let mut suspected = namespace.reviews().suspicions(usize::MAX)?;
    drop(namespace);
    suspected.retain(|pair| pair.newer == id || pair.older == id);
    if app.json {
        return app.answer_json(&json!({ "clashes": found, "suspected": suspected }));
    }
    if found.is_empty() {
        app.note(&text!("graph-no-clash"))?;
    }
    for pair in &suspected {
        let (other, text) = if pair.newer == id {
            (pair.older, &pair.older_text)
        } else {
            (pair.newer, &pair.newer_text)
        };
        app.say(&text!("graph-suspected", other, text = visible::line(text)))?;
    }
    for clash in &found {
        let words =
            |triple: &annals::graph::Triple| visible::line(&triple.to_string()).into_owned();
        let memories: Vec<String> = clash.memories.iter().map(ToString::to_string).collect();
        app.say(&words(&clash.triple))?;
        app.say(&text!("graph-clash-against", other = words(&clash.other)))?;
        app.say(&text!("graph-clash-said", memories = memories.join(", ")))?;
    }
    Ok(())
}

/// Writes the graph to a file or standard output.
pub(crate) fn export(args: &ExportArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.note_as_of(args.as_of)?;
    let namespace = app.plain_namespace()?;
    let format = match args.format.as_str() {
        "dot" => Format::Dot,
        "graphml" => Format::GraphMl,
        "json" => Format::Json,
        "triples" => Format::Triples,
        _ => Format::NTriples,
    };
    let memories = Some(args.memory.clone()).filter(|ids| !ids.is_empty());
    let what = GraphExport {
        format,
        memories,
        dormant: args.all,
        as_of: args.as_of,
    };
    let write = |out: &mut dyn std::io::Write| namespace.graph().export(&what, out);
    if args.file == Path::new("-") {
        let written = match app.world.terminal.output {
            true => write(&mut Lines::of_json(app.world.output)),
            false => write(app.world.output),
        };
        return written.map_err(Failure::of_output);
    }
    let mut target = Target::begin(&args.file, args.force, app.in_use())?;
    write(target.writer())?;
    target.finish()?;
    if app.json {
        return app.answer_json(&json!({ "file": args.file, "format": args.format }));
    }
    app.say(&text!("graph-exported", file = args.file.display()))
}
