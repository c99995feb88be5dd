//! Entities that are or should be one.

use annals::blocking::Namespace;
use annals::graph::{EntityId, Merge, MergeCandidate, MergeId, UndoneMerge};
use serde_json::json;

use crate::app::{Access, App};
use crate::entity::{called, one};
use crate::failure::Failure;
use crate::range::within;
use crate::table::Table;
use crate::texts::{term, text};
use crate::{card, visible};

/// Arguments of `annals graph merges`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph merges
  annals graph merges Ada
  annals graph merges --all")]
pub(crate) struct Args {
    /// Only those by which this entity is what it is: a name, or #NUMBER
    entity: Option<String>,
    /// Also those that were taken back: no job makes them again
    #[arg(long, conflicts_with = "entity")]
    all: bool,
}

/// Arguments of `annals graph duplicates`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph duplicates
  annals graph merge --found")]
pub(crate) struct DuplicatesArgs {
    /// The most entities that are compared with each other
    #[arg(
        long, value_name = "NUMBER", default_value_t = 1000,
        value_parser = within::<u16>(1..=10_000)
    )]
    limit: u16,
    /// Go on behind the entity of this number
    #[arg(long, value_name = "NUMBER")]
    after: Option<u32>,
}

/// Arguments of `annals graph merge`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph merge \"#7\" \"#2\" --reason \"the same person\"
  annals graph merge --found

Merging rewrites nothing: `annals graph unmerge` brings back what was, and no job merges
the two again.")]
pub(crate) struct MergeArgs {
    /// The entity that becomes the other: a name, or #NUMBER
    #[arg(required_unless_present = "found", conflicts_with = "found")]
    source: Option<String>,
    /// The entity that it becomes
    #[arg(required_unless_present = "found")]
    target: Option<String>,
    /// Why: "by hand", or for which it was found
    #[arg(long)]
    reason: Option<String>,
    /// All that `duplicates` finds
    #[arg(long)]
    found: bool,
}

/// Arguments of `annals graph unmerge`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph unmerge 0")]
pub(crate) struct UnmergeArgs {
    /// The number of the merge
    #[arg(value_name = "NUMBER")]
    merge: u32,
}

/// Prints the merges that stand.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let (merges, undone) = match &args.entity {
        Some(which) => (
            namespace
                .graph()
                .merges()
                .history(one(&namespace, which)?.id)?,
            Vec::new(),
        ),
        None if args.all => (
            namespace.graph().merges().list()?,
            namespace.graph().merges().undone()?,
        ),
        None => (namespace.graph().merges().list()?, Vec::new()),
    };
    list(&namespace, (&merges, &undone), app)
}

/// Prints how similar entities must be, and what the profile learnt.
pub(crate) fn thresholds(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let (found, merge) = (
        namespace.graph().merges().thresholds()?,
        namespace.admin().settings()?.graph.merge,
    );
    drop(namespace);
    if app.json {
        let profile = json!({
            "direct_above": merge.direct_above, "context_above": merge.context_above,
            "context_required": merge.context_required, "adaptive": merge.adaptive,
        });
        return app.answer_json(&json!({ "thresholds": found, "profile": profile }));
    }
    app.say(&text!(
        "graph-above-direct",
        direct_above = format!("{:.3}", merge.direct_above)
    ))?;
    let context = if merge.context_required {
        text!("graph-if-context")
    } else {
        String::new()
    };
    app.say(&text!(
        "graph-above-context",
        context_above = format!("{:.3}", merge.context_above),
        context
    ))?;
    if found.is_empty() {
        return app.note(&match merge.adaptive {
            true => text!("graph-none-learnt"),
            false => text!("graph-learns-none"),
        });
    }
    let mut table = Table::new(&["~kind", ">learnt: above"]);
    for (kind, above) in &found {
        table.row(vec![
            visible::line(kind).into_owned(),
            format!("{above:.3}"),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

fn list(
    namespace: &Namespace,
    (merges, undone): (&[Merge], &[UndoneMerge]),
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    if app.json {
        return app.answer_json(&json!({ "merges": merges, "undone": undone }));
    }
    if merges.is_empty() && undone.is_empty() {
        return app.note(&text!("graph-no-merges"));
    }
    let mut table = Table::new(&[">merge", "entity", "became", "when", ">similarity", "~why"]);
    let standing = merges.iter().map(|merge| (merge, None));
    let taken_back = undone
        .iter()
        .map(|undone| (&undone.merge, Some(undone.undone_at)));
    for (merge, undone_at) in standing.chain(taken_back) {
        let back = undone_at.map_or_else(String::new, |at| {
            text!("graph-taken-back", at = card::minute(at))
        });
        table.row(vec![
            merge.id.0.to_string(),
            named(namespace, merge.source)?,
            named(namespace, merge.target)?,
            card::minute(merge.time),
            merge
                .similarity
                .map(|similarity| format!("{similarity:.3}"))
                .unwrap_or_default(),
            format!("{}{back}", visible::line(&term("reason", &merge.reason))),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

/// Number and name of the entity of a number.
fn named(namespace: &Namespace, id: EntityId) -> Result<String, Failure> {
    let found = namespace
        .graph()
        .list_entities(id.0.checked_sub(1).map(EntityId), 1)?;
    Ok(found
        .iter()
        .find(|entity| entity.id == id)
        .map_or_else(|| format!("#{}", id.0), called))
}

/// Prints one page of entities that should be one.
pub(crate) fn duplicates(args: &DuplicatesArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.namespace(Access::Existing)?;
    let found = namespace
        .graph()
        .merges()
        .candidates(args.after.map(EntityId), usize::from(args.limit))?;
    if app.json {
        return app.answer_json(&found);
    }
    if found.candidates.is_empty() {
        app.note(&text!("graph-none-alike", checked = found.checked))?;
    } else {
        let text = table(&found.candidates).render(app.paint, app.width());
        app.print(&text)?;
        app.note(&text!("graph-merge-found"))?;
    }
    match found.next {
        Some(next) => app.note(&text!("graph-next-page-number", next = next.0)),
        None => Ok(()),
    }
}

fn table(candidates: &[MergeCandidate]) -> Table {
    let mut table = Table::new(&["entity", "would become", ">similarity", "because of"]);
    for found in candidates {
        let tier = serde_json::to_value(found.tier)
            .ok()
            .and_then(|tier| tier.as_str().map(str::to_owned));
        let similarity = format!("{:.3}", found.similarity);
        table.row(vec![
            called(&found.source),
            called(&found.target),
            similarity,
            tier.unwrap_or_default(),
        ]);
    }
    table
}

/// Merges two entities, or all that are found.
pub(crate) fn merge(args: &MergeArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let (Some(source), Some(target)) = (&args.source, &args.target) else {
        return merge_found(args.reason.as_deref(), app);
    };
    let namespace = app.plain_namespace()?;
    let (source, target) = (one(&namespace, source)?.id, one(&namespace, target)?.id);
    let merge = namespace.graph().merges().merge(
        source,
        target,
        args.reason.as_deref().unwrap_or("by hand"),
    )?;
    told(&namespace, &[merge], app)
}

fn merge_found(reason: Option<&str>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.namespace(Access::Existing)?;
    let (mut done, mut after) = (Vec::new(), None);
    loop {
        let found = namespace.graph().merges().candidates(after, 1000)?;
        for found in &found.candidates {
            done.push(match reason {
                Some(reason) => {
                    namespace
                        .graph()
                        .merges()
                        .merge(found.source.id, found.target.id, reason)?
                }
                None => namespace.graph().merges().accept(found)?,
            });
        }
        after = found.next;
        if after.is_none() {
            return told(&namespace, &done, app);
        }
    }
}

fn told(namespace: &Namespace, done: &[Merge], app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        return app.answer_json(&json!({ "merges": done }));
    }
    if done.is_empty() {
        return app.note(&text!("graph-nothing-to-merge"));
    }
    for merge in done {
        let (source, target) = (
            named(namespace, merge.source)?,
            named(namespace, merge.target)?,
        );
        app.say(&text!("graph-became", source, target, id = merge.id.0))?;
    }
    Ok(())
}

/// Takes a merge back.
pub(crate) fn unmerge(args: &UnmergeArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let undone = namespace.graph().merges().undo(MergeId(args.merge))?;
    if app.json {
        return app.answer_json(&json!({ "merge": undone.merge, "staying": undone.staying }));
    }
    let source = named(&namespace, undone.merge.source)?;
    app.say(&text!("graph-stands-again", source))?;
    if undone.staying.is_empty() {
        return Ok(());
    }
    let count = text!("common-triples", count = undone.staying.len());
    let numbers: Vec<String> = undone.staying.iter().map(|id| id.0.to_string()).collect();
    app.note(&text!(
        "graph-staying",
        count,
        target = named(&namespace, undone.merge.target)?,
        numbers = numbers.join(", ")
    ))
}
