use annals::blocking::Namespace;
use annals::graph::{Assertion, ClaimEdit, EntityRef, Term, Triple, TripleId, TripleQuery, View};
use annals::{Importance, MemoryId, Timestamp, UnitScore};
use serde_json::json;

use crate::about::field;
use crate::app::App;
use crate::entity::{entity, known, only};
use crate::failure::Failure;
use crate::lookup::forgotten;
use crate::moment::time;
use crate::range::within;
use crate::table::Table;
use crate::texts::text;
use crate::wrap;
use crate::{card, visible};

/// Arguments of `annals graph triples`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph triples --subject Ada
  annals graph triples --predicate likes --all
  annals graph triples --object Berlin --as-of 2026-01-01

An entity is named by its name or, as `annals graph entities` shows it, by #NUMBER.")]
pub(crate) struct Args {
    /// Only what is said of this entity
    #[arg(long, value_name = "ENTITY")]
    subject: Option<String>,
    /// Only what is said with these words
    #[arg(long, value_name = "WORDS")]
    predicate: Option<String>,
    /// Only what leads to this entity
    #[arg(long, value_name = "ENTITY")]
    object: Option<String>,
    /// As it was known at this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    as_of: Option<Timestamp>,
    /// Also what only forgotten memories say
    #[arg(long)]
    all: bool,
    /// The most triples of one page
    #[arg(long, value_name = "NUMBER", default_value_t = 50,
        value_parser = within::<u16>(1..=10_000))]
    limit: u16,
    /// Go on with this page, which the page before named
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
}

/// Arguments of `annals graph explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph triples --subject Ada
  annals graph explain 3")]
pub(crate) struct ExplainArgs {
    /// The number of the triple
    #[arg(value_name = "NUMBER")]
    id: u32,
}

/// Arguments of `annals graph add`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e Ada \"lives in\" Berlin
  annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e Ada likes coffee \\
    --when \"it rains\"
  annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e Ada \"works at\" Acme \\
    --valid-until 2026-03-01

Said again of the same memory, what is given changes and the rest stays as it is.")]
pub(crate) struct AddArgs {
    /// The memory that says it
    memory: MemoryId,
    /// The entity that it speaks of: a name, or #NUMBER
    subject: String,
    /// The predicate
    predicate: String,
    /// The entity that it leads to: a name, or #NUMBER
    object: String,
    /// It is not so
    #[arg(long)]
    not: bool,
    /// When it is so
    #[arg(long, value_name = "CONDITION")]
    when: Option<String>,
    /// How much, or how often
    #[arg(long, value_name = "WORDS")]
    degree: Option<String>,
    /// How much it matters, 0 to 1000; 0.5 of a new one
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    importance: Option<f32>,
    /// How sure it is, 0 to 1; 1 of a new one
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    confidence: Option<f32>,
    /// From when on it is true
    #[arg(long, value_name = "TIME", value_parser = time)]
    valid_from: Option<Timestamp>,
    /// Until when it is true, that moment excluded
    #[arg(long, value_name = "TIME", value_parser = time)]
    valid_until: Option<Timestamp>,
    /// A free field; VALUE is read as JSON where it is JSON
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
}

impl AddArgs {
    /// The traits that the memory gives the triple.
    fn edit(&self) -> Result<ClaimEdit, Failure> {
        Ok(ClaimEdit {
            importance: self
                .importance
                .map(|value| Importance::new("importance", value))
                .transpose()?,
            confidence: self
                .confidence
                .map(|value| UnitScore::new("confidence", value))
                .transpose()?,
            degree: self.degree.clone(),
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            metadata: self
                .meta
                .iter()
                .map(|pair| field(pair))
                .collect::<Result<_, _>>()?,
            ..ClaimEdit::default()
        })
    }
}

/// Prints one page.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.note_as_of(args.as_of)?;
    let namespace = app.plain_namespace()?;
    let mut view = args.as_of.map_or(View::NOW, View::as_of);
    if args.all {
        view = view.with_dormant();
    }
    let query = TripleQuery {
        subject: args
            .subject
            .as_deref()
            .map(|which| known(&namespace, which))
            .transpose()?,
        predicate: args.predicate.clone(),
        object: args
            .object
            .as_deref()
            .map(|which| known(&namespace, which))
            .transpose()?,
        view,
        after: args.after.clone(),
        limit: usize::from(args.limit),
        ..TripleQuery::default()
    };
    let page = namespace.graph().triples(&query)?;
    if app.json {
        return app.answer_json(&page);
    }
    if page.triples.is_empty() {
        return app.note(&text!(
            "graph-no-triples",
            name = format!("{:?}", visible::line(namespace.name()))
        ));
    }
    let text = table(&page.triples).render(app.paint, app.width());
    app.print(&text)?;
    match page.next {
        Some(next) => app.note(&text!("graph-next-page-number", next)),
        None => Ok(()),
    }
}

/// A line per triple.
fn table(triples: &[Triple]) -> Table {
    // A column of its own only where something has one.
    let degrees = triples.iter().any(|triple| triple.degree.is_some());
    let head = [
        ">id",
        "subject",
        "predicate",
        "object",
        "when",
        "degree",
        "~",
    ];
    let head: Vec<&str> = head
        .into_iter()
        .filter(|name| degrees || *name != "degree")
        .collect();
    let mut table = Table::new(&head);
    let words = |text: &str| visible::line(text).into_owned();
    for triple in triples {
        let mut row = vec![
            triple.id.0.to_string(),
            words(&triple.subject),
            words(&triple.wording().predicate()),
            words(&triple.object),
            triple.condition.as_deref().map(words).unwrap_or_default(),
        ];
        row.extend(degrees.then(|| triple.degree.as_deref().map(words).unwrap_or_default()));
        row.push(if triple.visible {
            String::new()
        } else {
            text!("graph-asleep")
        });
        table.row(row);
    }
    table
}

/// Prints a triple with who says so.
pub(crate) fn explain(args: &ExplainArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let told = namespace.graph().explain_triple(TripleId(args.id))?;
    if app.json {
        return app.answer_json(&told);
    }
    let triple = &told.triple;
    let mut out = format!("{}\n", app.paint.bold(&visible::line(&triple.to_string())));
    let mut fact = |name: &str, value: &str| {
        out.push_str(&format!(
            "  {} {}\n",
            app.paint.dim(&wrap::pad(name, 13)),
            visible::line(value)
        ));
    };
    let status = if triple.visible {
        text!("graph-visible")
    } else {
        text!("graph-asleep")
    };
    fact(&text!("graph-status"), &status);
    fact(&text!("graph-since"), &card::minute(told.since));
    fact(&text!("common-importance"), &told.importance.to_string());
    fact(&text!("common-confidence"), &told.confidence.to_string());
    for (name, time) in [
        (text!("graph-valid-from"), told.valid_from),
        (text!("graph-valid-until"), told.valid_until),
    ] {
        time.iter()
            .for_each(|time| fact(&name, &card::minute(*time)));
    }
    let mut table = Table::new(&["memory", "since", "status", ">importance", ">confidence"]);
    for said in &told.evidence {
        table.row(vec![
            said.memory.to_string(),
            card::minute(said.since),
            crate::texts::term("status", &said.state.to_string()),
            said.claim.importance.get().to_string(),
            said.claim.confidence.get().to_string(),
        ]);
    }
    out.push_str(&table.render(app.paint, app.width()));
    app.print(&out)
}

/// An end of a triple: the only entity that bears a name, or a new one where none does.
fn term(namespace: &Namespace, text: &str) -> Result<Term, Failure> {
    let name = match entity(text) {
        EntityRef::Id(id) => return Ok(id.into()),
        EntityRef::Name(name) => name,
    };
    Ok(only(namespace, &name)?.map_or_else(|| name.into(), |entity| entity.id.into()))
}

/// Stores what a memory says.
pub(crate) fn add(args: &AddArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let (subject, object) = (
        term(&namespace, &args.subject)?,
        term(&namespace, &args.object)?,
    );
    let said = Assertion::new(subject, args.predicate.as_str(), object);
    let mut said = said.edit(args.edit()?);
    if args.not {
        said = said.negated();
    }
    if let Some(condition) = &args.when {
        said = said.condition(condition);
    }
    let done = namespace.graph().add_triples(args.memory, &[said])?;
    if app.json {
        return app.answer_json(
            &json!({ "triples": done.triples, "ends": done.ends, "new": done.effects.new_triples }),
        );
    }
    for id in &done.triples {
        // Other programs read the number alone.
        app.say(&if app.world.terminal.output {
            text!("graph-added", id = id.0)
        } else {
            id.0.to_string()
        })?;
    }
    match forgotten(&namespace, &[args.memory])? {
        Some(id) => app.note(&text!("graph-said-sleeps", id)),
        None => Ok(()),
    }
}
