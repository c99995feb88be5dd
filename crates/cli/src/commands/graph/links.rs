//! Links between memories.

use annals::MemoryId;
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::lookup::forgotten;
use crate::table::Table;
use crate::texts::text;
use crate::{card, visible};

/// Arguments of `annals graph link` and `annals graph unlink`.
#[derive(Debug, clap::Args)]
pub(crate) struct LinkArgs {
    /// The memory that it leaves
    from: MemoryId,
    /// The relation, out of those of the profile
    relation: String,
    /// The memory that it reaches
    to: MemoryId,
}

/// Arguments of `annals graph links`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph links 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals graph links 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --json")]
pub(crate) struct LinksArgs {
    /// The memory
    id: MemoryId,
}

/// Links two memories.
pub(crate) fn link(args: &LinkArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(&[args.from])?;
    namespace.graph().link(args.from, &args.relation, args.to)?;
    let asleep = forgotten(&namespace, &[args.from, args.to])?;
    drop(namespace);
    let relation = visible::line(&args.relation);
    told(
        "linked",
        &text!("graph-linked", from = args.from, relation, to = args.to),
        args,
        app,
    )?;
    match asleep {
        Some(id) => app.note(&text!("graph-link-sleeps", id)),
        None => Ok(()),
    }
}

/// Takes a link away.
pub(crate) fn unlink(args: &LinkArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(&[args.from])?;
    let was = namespace
        .graph()
        .unlink(args.from, &args.relation, args.to)?;
    let relation = visible::line(&args.relation);
    match was {
        true => told(
            "unlinked",
            &text!("graph-unlinked", from = args.from, relation, to = args.to),
            args,
            app,
        ),
        false => {
            let text = text!(
                "graph-no-such-link",
                from = args.from,
                relation,
                to = args.to
            );
            told("there was no such link:", &text, args, app)
        }
    }
}

fn told(done: &str, text: &str, args: &LinkArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        return app.answer_json(
            &json!({ "done": done, "from": args.from, "relation": args.relation, "to": args.to }),
        );
    }
    app.say(text)
}

/// Prints the links of a memory.
pub(crate) fn links(args: &LinksArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(&[args.id])?;
    let found = namespace.graph().links(args.id)?;
    if app.json {
        return app.answer_json(&json!({ "links": found }));
    }
    if found.is_empty() {
        return app.note(&text!("graph-no-links"));
    }
    let mut table = Table::new(&["from", "relation", "to", ">weight", "since", "~"]);
    for link in &found {
        table.row(vec![
            link.from.to_string(),
            visible::line(&link.relation).into_owned(),
            link.to.to_string(),
            link.weight.to_string(),
            card::minute(link.since),
            if link.visible {
                String::new()
            } else {
                text!("graph-asleep")
            },
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}
