use annals::graph::{Entity, EntityId, EntityRef};
use serde_json::json;

use crate::app::App;
use crate::entity::{entity, one};
use crate::failure::Failure;
use crate::table::Table;
use crate::visible;

/// What `annals entities` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals entities
  annals entities Ada
  annals entities --after 49")]
pub(crate) struct Args {
    /// Only those of this name or alias
    name: Option<String>,
    /// The most entities of one page
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
    /// Go on behind the entity of this number
    #[arg(long, value_name = "NUMBER")]
    after: Option<u32>,
}

/// Prints what triples speak of.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let limit = usize::from(args.limit);
    let found = match args.name.as_deref().map(entity) {
        Some(EntityRef::Name(name)) => namespace.entities(&name)?,
        Some(EntityRef::Id(id)) => vec![one(&namespace, &format!("#{}", id.0))?],
        None => namespace.list_entities(args.after.map(EntityId), limit)?,
    };
    if app.json {
        return app.answer_json(&json!({ "entities": found }));
    }
    if found.is_empty() {
        return app.note(&format!("no entities in {:?} that fit", visible::line(namespace.name())));
    }
    let text = table(&found).render(app.paint, app.width());
    app.print(&text)?;
    match found.last() {
        Some(last) if args.name.is_none() && found.len() == limit => {
            app.note(&format!("the next page: --after {}", last.id.0))
        }
        _ => Ok(()),
    }
}

/// A line per entity.
fn table(entities: &[Entity]) -> Table {
    let mut table = Table::new(&["id", "name", "kind", ">triples", "~also"]);
    for entity in entities {
        let aliases: Vec<_> = entity.aliases.iter().map(|alias| visible::line(alias)).collect();
        let also = match entity.merged_into {
            Some(into) => format!("merged into #{}", into.0),
            None => aliases.join(", "),
        };
        table.row(vec![
            format!("#{}", entity.id.0),
            visible::line(&entity.name).into_owned(),
            entity.kind.as_deref().map(|kind| visible::line(kind).into_owned()).unwrap_or_default(),
            entity.visible_degree.to_string(),
            also,
        ]);
    }
    table
}
