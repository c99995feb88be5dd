//! Entities: listed, made, named and deleted.

use annals::Metadata;
use annals::blocking::Namespace;
use annals::graph::{Entity, EntityEdit, EntityId, EntityRef, NewEntity};
use serde_json::json;

use crate::about::field;
use crate::app::{Access, App};
use crate::entity::{called, entity, name, nobody, one};
use crate::failure::Failure;
use crate::range::within;
use crate::table::Table;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals graph entities`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph entities
  annals graph entities Ada
  annals graph entities --after 49

An entity is named by its name or by #NUMBER.")]
pub(crate) struct Args {
    /// Only those of this name or alias
    name: Option<String>,
    /// The most entities of one page
    #[arg(long, value_name = "NUMBER", default_value_t = 50,
        value_parser = within::<u16>(1..=10_000))]
    limit: u16,
    /// Go on behind the entity of this number
    #[arg(long, value_name = "NUMBER")]
    after: Option<u32>,
}

/// Arguments of `annals graph add-entity`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph add-entity \"Ada Lovelace\" --kind person --alias Ada")]
pub(crate) struct AddArgs {
    /// Its name
    name: String,
    /// The kind, such as person
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Another name; may be given several times
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// A free field; VALUE is read as JSON where it is JSON
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
}

/// Arguments of `annals graph edit-entity`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph edit-entity \"#7\" --kind person --alias Ada --unalias Adda")]
pub(crate) struct EditArgs {
    /// The entity: a name, or #NUMBER
    entity: String,
    /// Its name from now on
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The kind, such as person
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// It is nothing in particular
    #[arg(long, conflicts_with = "kind")]
    no_kind: bool,
    /// Another name; may be given several times
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// Take this other name off
    #[arg(long, value_name = "NAME")]
    unalias: Vec<String>,
    /// A free field; VALUE is read as JSON where it is JSON
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
    /// Take this free field out
    #[arg(long, value_name = "KEY")]
    unset_meta: Vec<String>,
}

/// Arguments of `annals graph delete-entity`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph delete-entity \"#7\" --yes")]
pub(crate) struct DeleteArgs {
    /// The entity: a name, or #NUMBER
    entity: String,
    /// Delete it, instead of showing what would be deleted
    #[arg(long)]
    yes: bool,
}

/// Prints one page.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let limit = usize::from(args.limit);
    let found = match args.name.as_deref().map(|name| (name, entity(name))) {
        Some((_, EntityRef::Name(name))) => match namespace.graph().entities(&name)? {
            found if found.is_empty() => return Err(nobody(&name)),
            found => found,
        },
        Some((number, EntityRef::Id(_))) => vec![one(&namespace, number)?],
        None => namespace
            .graph()
            .list_entities(args.after.map(EntityId), limit)?,
    };
    if !app.json && found.is_empty() {
        return app.note(&text!(
            "graph-no-entities",
            name = format!("{:?}", visible::line(namespace.name()))
        ));
    }
    show(&found, app)?;
    match found.last() {
        Some(last) if args.name.is_none() && found.len() == limit => {
            app.note(&text!("graph-next-page", id = last.id.0))
        }
        _ => Ok(()),
    }
}

fn show(entities: &[Entity], app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        return app.answer_json(&json!({ "entities": entities }));
    }
    let text = table(entities).render(app.paint, app.width());
    app.print(&text)
}

/// A line per entity.
fn table(entities: &[Entity]) -> Table {
    let mut table = Table::new(&["id", "name", "kind", ">triples", "~also"]);
    for entity in entities {
        let aliases: Vec<_> = entity
            .aliases
            .iter()
            .map(|alias| visible::line(alias))
            .collect();
        let also = match entity.merged_into {
            Some(into) => text!("graph-merged-into", into = into.0),
            None => aliases.join(", "),
        };
        table.row(vec![
            format!("#{}", entity.id.0),
            visible::line(&entity.name).into_owned(),
            entity
                .kind
                .as_deref()
                .map(|kind| visible::line(kind).into_owned())
                .unwrap_or_default(),
            entity.visible_degree.to_string(),
            also,
        ]);
    }
    table
}

fn fields(metadata: &mut Metadata, pairs: &[String]) -> Result<(), Failure> {
    for pair in pairs {
        let (key, value) = field(pair)?;
        metadata.insert(key, value);
    }
    Ok(())
}

/// Makes an entity.
pub(crate) fn add(args: &AddArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mut new = NewEntity::new(name(&args.name)?);
    for alias in &args.alias {
        new = new.alias(name(alias)?);
    }
    if let Some(kind) = &args.kind {
        new = new.kind(kind.as_str());
    }
    for pair in &args.meta {
        let (key, value) = field(pair)?;
        new = new.field(key, value);
    }
    let namespace = app
        .open_plain(Access::Create)?
        .namespace(app.namespace_name()?)?;
    let id = namespace.graph().add_entity(&new)?;
    again(&namespace, id, app)
}

/// Shows an entity as it is now.
fn again(namespace: &Namespace, id: EntityId, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let found = one(namespace, &format!("#{}", id.0))?;
    show(&[found], app)
}

/// Changes an entity.
pub(crate) fn edit(args: &EditArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let before = one(&namespace, &args.entity)?;
    args.name
        .iter()
        .chain(&args.alias)
        .try_for_each(|new| name(new).map(drop))?;
    let change = EntityEdit {
        name: args.name.clone(),
        kind: args.kind.clone().map(Some).or(args.no_kind.then_some(None)),
        aliases: aliases(args, &before)?,
        metadata: metadata(args, &before)?,
        kept: None,
    };
    if change == EntityEdit::default() {
        return Err(Failure::usage(text!("graph-nothing-to-edit")));
    }
    namespace.graph().edit_entity(before.id, &change)?;
    again(&namespace, before.id, app)
}

/// Its other names, where they change.
fn aliases(args: &EditArgs, before: &Entity) -> Result<Option<Vec<String>>, Failure> {
    let mut names = before.aliases.clone();
    for gone in &args.unalias {
        let there = names.iter().position(|name| name == gone);
        let there = there.ok_or_else(|| {
            let others = if names.is_empty() {
                text!("graph-no-aliases")
            } else {
                text!("graph-aliases", names = names.join(", "))
            };
            Failure::invalid(text!(
                "graph-no-alias",
                entity = called(before),
                gone = format!("{gone:?}")
            ))
            .advice(others)
        })?;
        names.remove(there);
    }
    names.extend(args.alias.iter().cloned());
    Ok((!args.alias.is_empty() || !args.unalias.is_empty()).then_some(names))
}

/// Its free fields, where they change.
fn metadata(args: &EditArgs, before: &Entity) -> Result<Option<Metadata>, Failure> {
    let mut found = before.metadata.clone();
    for key in &args.unset_meta {
        if found.remove(key).is_none() {
            return Err(Failure::invalid(text!(
                "graph-no-field",
                entity = called(before),
                key = format!("{key:?}")
            )));
        }
    }
    fields(&mut found, &args.meta)?;
    Ok((!args.meta.is_empty() || !args.unset_meta.is_empty()).then_some(found))
}

/// Deletes what was made by hand and is spoken of by nothing; all else goes with what speaks of it.
pub(crate) fn delete(args: &DeleteArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let entity = one(&namespace, &args.entity)?;
    let name = called(&entity);
    if let Some(into) = entity.merged_into {
        return Err(
            Failure::invalid(text!("graph-was-merged", name, into = into.0))
                .advice(text!("graph-was-merged-advice")),
        );
    }
    if entity.degree > 0 {
        let number = entity.id.0;
        return Err(Failure::invalid(text!("graph-spoken-of", name))
            .advice(text!("graph-spoken-of-advice", number)));
    }
    if args.yes {
        namespace.graph().delete_entity(entity.id)?;
    }
    match (app.json, args.yes) {
        (true, _) => app.answer_json(&json!({ "dry_run": !args.yes, "entity": entity })),
        (_, true) => app.say(&text!("graph-deleted-entity", name)),
        (_, false) => app.say(&text!("graph-would-delete-entity", name)),
    }
}
