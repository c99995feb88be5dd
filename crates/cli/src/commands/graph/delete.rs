use annals::graph::TripleId;
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals graph delete`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph delete 7
  annals graph delete 7 9 --yes

The memories that say it stay as they are. A memory whose text changes afterwards may say it again.")]
pub(crate) struct Args {
    /// The numbers of the triples, as `annals graph triples` shows them
    #[arg(required = true, value_name = "NUMBER")]
    ids: Vec<u32>,
    /// Delete them, instead of showing what would be deleted
    #[arg(long)]
    yes: bool,
}

/// Shows which triples would go and who says them, or deletes them.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let ids: Vec<TripleId> = args.ids.iter().copied().map(TripleId).collect();
    if args.yes {
        let effects = namespace.graph().delete_triples(&ids)?;
        return match app.json {
            true => app.answer_json(
                &json!({ "gone": effects.gone, "gone_entities": effects.gone_entities }),
            ),
            false => app.say(&text!(
                "graph-deleted",
                triples = text!("common-triples", count = effects.gone.len())
            )),
        };
    }
    let told = ids
        .iter()
        .map(|id| namespace.graph().explain_triple(*id))
        .collect::<Result<Vec<_>, _>>()?;
    if app.json {
        return app.answer_json(&json!({ "dry_run": true, "triples": told }));
    }
    let mut text = String::new();
    for told in &told {
        let sources = text!("common-memories-say", count = told.evidence.len());
        let said = told.triple.to_string();
        text.push_str(
            &(text!(
                "graph-delete-said",
                id = told.triple.id.0,
                said = visible::line(&said),
                sources
            ) + "\n"),
        );
    }
    text.push_str(
        &(text!(
            "graph-would-delete",
            triples = text!("common-triples", count = told.len())
        ) + "\n"),
    );
    app.print(&text)
}
