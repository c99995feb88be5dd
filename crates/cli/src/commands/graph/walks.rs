//! Ways through the graph.

use annals::Timestamp;
use annals::blocking::Namespace;
use annals::graph::{Cut, Direction, EntityRef, Reached, View, Walk};

use crate::app::App;
use crate::entity::{called, entity, known};
use crate::failure::Failure;
use crate::moment::time;
use crate::range::within;
use crate::table::Table;
use crate::texts::text;
use crate::visible;

/// Limits and directions of a walk.
#[derive(Debug, clap::Args)]
struct Way {
    /// Follow only what is said with these words; may be given several times
    #[arg(long, value_name = "WORDS")]
    predicate: Vec<String>,
    /// Which way triples are followed
    #[arg(long, value_name = "WAY", default_value = "both", value_parser = ["out", "in", "both"])]
    direction: String,
    /// As it was known at this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    as_of: Option<Timestamp>,
    /// The most entities reached
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    nodes: usize,
    /// The most triples looked at
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000)]
    edges: usize,
    /// The longest time taken, in milliseconds
    #[arg(long, value_name = "MS", value_parser = within::<u64>(1..=i64::MAX))]
    time: Option<u64>,
}

impl Way {
    fn walk(&self, depth: u32) -> Walk {
        Walk {
            depth,
            direction: match self.direction.as_str() {
                "out" => Direction::Out,
                "in" => Direction::In,
                _ => Direction::Both,
            },
            predicates: Some(self.predicate.clone()).filter(|words| !words.is_empty()),
            view: self.as_of.map_or(View::NOW, View::as_of),
            nodes: self.nodes,
            edges: self.edges,
            time: self.time.map(std::time::Duration::from_millis),
            ..Walk::default()
        }
    }
}

/// Arguments of `annals graph neighbours`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph neighbours Ada
  annals graph neighbours Ada --depth 2 --predicate knows

An entity is named by its name or, as `annals graph entities` shows it, by #NUMBER.")]
pub(crate) struct NeighboursArgs {
    /// The entity: a name, or #NUMBER
    entity: String,
    /// How many steps are gone
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = within::<u32>(1..=100))]
    depth: u32,
    #[command(flatten)]
    way: Way,
}

/// Arguments of `annals graph paths`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph paths Ada Berlin
  annals graph paths Ada \"#7\" --depth 6 --direction out")]
pub(crate) struct PathsArgs {
    /// Where the ways begin: a name, or #NUMBER
    from: String,
    /// Where they lead
    to: String,
    /// How many steps they may have
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = within::<u32>(1..=100))]
    depth: u32,
    /// The most ways shown
    #[arg(long, value_name = "NUMBER", default_value_t = 10,
        value_parser = within::<u16>(1..=1000))]
    limit: u16,
    #[command(flatten)]
    way: Way,
}

/// Prints what is around an entity, the nearest first.
pub(crate) fn neighbours(args: &NeighboursArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.note_as_of(args.way.as_of)?;
    let namespace = app.plain_namespace()?;
    let found = namespace.graph().expand(
        &[known(&namespace, &args.entity)?],
        &args.way.walk(args.depth),
    )?;
    if app.json {
        return app.answer_json(&found);
    }
    if found.reached.is_empty() {
        app.note(&text!(
            "graph-nothing-around",
            entity = format!("{:?}", visible::line(&args.entity)),
            name = format!("{:?}", visible::line(namespace.name()))
        ))?;
    } else {
        let text = table(&found.reached).render(app.paint, app.width());
        app.print(&text)?;
    }
    cut(found.cut, app)
}

fn table(reached: &[Reached]) -> Table {
    let mut table = Table::new(&[">steps", "entity", "kind", "~by"]);
    for found in reached {
        let entity = &found.entity;
        table.row(vec![
            found.distance.to_string(),
            called(entity),
            entity
                .kind
                .as_deref()
                .map(|kind| visible::line(kind).into_owned())
                .unwrap_or_default(),
            visible::line(&found.triple.to_string()).into_owned(),
        ]);
    }
    table
}

/// Prints the shortest ways between two entities, or between any that are called so.
pub(crate) fn paths(args: &PathsArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.note_as_of(args.way.as_of)?;
    let namespace = app.plain_namespace()?;
    let (from, to) = (known(&namespace, &args.from)?, known(&namespace, &args.to)?);
    let found = namespace.graph().paths(
        from,
        to,
        &args.way.walk(args.depth),
        usize::from(args.limit),
    )?;
    if app.json {
        return app.answer_json(&found);
    }
    let (from, to) = (visible::line(&args.from), visible::line(&args.to));
    if found.paths.is_empty() {
        return app.note(&match found.cut.map(limit) {
            Some(limit) => {
                text!(
                    "graph-no-way-limit",
                    from = format!("{from:?}"),
                    to = format!("{to:?}"),
                    limit
                )
            }
            None => {
                let steps = text!("common-steps", count = u64::from(args.depth));
                text!(
                    "graph-no-way",
                    steps,
                    from = format!("{from:?}"),
                    to = format!("{to:?}")
                )
            }
        });
    }
    if found.paths.iter().all(Vec::is_empty) {
        return match several(&namespace, &args.from)?.or(several(&namespace, &args.to)?) {
            Some(several) => app.note(&text!("graph-ways-between", several)),
            None => app.note(&text!(
                "graph-one-entity",
                from = format!("{from:?}"),
                to = format!("{to:?}")
            )),
        };
    }
    for (number, path) in found.paths.iter().enumerate() {
        if number > 0 {
            app.say("")?;
        }
        for triple in path {
            app.say(&visible::line(&triple.to_string()))?;
        }
    }
    cut(found.cut, app)
}

/// Which entities have a name, where there are several.
fn several(namespace: &Namespace, name: &str) -> Result<Option<String>, Failure> {
    let EntityRef::Name(name) = entity(name) else {
        return Ok(None);
    };
    let numbers: Vec<String> = namespace
        .graph()
        .entities(&name)?
        .iter()
        .map(|entity| format!("#{}", entity.id.0))
        .collect();
    let told = || {
        text!(
            "graph-several",
            count = numbers.len(),
            name = format!("{:?}", visible::line(&name)),
            numbers = numbers.join(", ")
        )
    };
    Ok((numbers.len() > 1).then(told))
}

fn cut(cut: Option<Cut>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let Some(cut) = cut else { return Ok(()) };
    app.note(&text!("graph-more", cut = limit(cut)))
}

/// The flag of a limit.
fn limit(cut: Cut) -> String {
    serde_json::to_value(cut)
        .ok()
        .and_then(|cut| cut.as_str().map(str::to_owned))
        .unwrap_or_default()
}
