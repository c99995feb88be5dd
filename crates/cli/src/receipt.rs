//! The receipt of a deletion or its dry run, as a person reads it.

use annals::blocking::Namespace;
use annals::graph::Triple;
use annals::{Receipt, ReceiptEntry};

use crate::app::App;
use crate::failure::Failure;
use crate::table::Table;
use crate::texts::{term, text};
use crate::{card, visible};

/// So many of each sort are told of what goes along; `--json` tells all.
const SHOWN: usize = 20;

/// The memories of a receipt as a table, and the next step after a dry run. Deleted memories show
/// no text.
pub(crate) fn text(
    receipt: &Receipt,
    done: &str,
    namespace: &Namespace,
    app: &App<'_, '_>,
) -> Result<String, Failure> {
    let mut columns = vec!["id", "stored", "status", ">texts"];
    columns.extend(receipt.dry_run.then_some("~begins"));
    let mut table = Table::new(&columns);
    for entry in &receipt.memories {
        table.row(vec![
            entry.id.to_string(),
            card::minute(entry.stored_at),
            term("status", standing(entry, receipt.dry_run, namespace)?),
            entry.revisions.to_string(),
            visible::line(&entry.text_start).into_owned(),
        ]);
    }
    if receipt.memories.is_empty() {
        return Ok(text!("common-receipt-none") + "\n");
    }
    let count = text!("common-memories", count = receipt.memories.len());
    let mut text = table.render(app.paint, app.width());
    text.push_str(&match receipt.dry_run {
        true => text!("common-receipt-would", count, done) + "\n",
        false => text!("common-receipt-done", done, count) + "\n",
    });
    let more = receipt.memories.len().saturating_sub(receipt.asked);
    if receipt.asked > 0 && more > 0 {
        let more = text!("common-memories", count = more);
        text.push_str(&(text!("common-receipt-derived", more) + "\n"));
    }
    let parts = [
        along(receipt),
        asleep(receipt),
        stale(receipt),
        shortened(receipt),
        revived(receipt),
        twins(receipt),
    ];
    for (head, lines) in parts.into_iter().flatten() {
        text.push_str(&format!("{head}\n"));
        // After the deletion, counts are enough.
        if receipt.dry_run {
            text.push_str(&first(&lines));
        }
    }
    Ok(text)
}

/// The status of a memory, or that another one has taken its place. What was deleted cannot be
/// asked any more.
fn standing(
    entry: &ReceiptEntry,
    dry_run: bool,
    namespace: &Namespace,
) -> Result<&'static str, Failure> {
    let memory = if dry_run {
        namespace.get(entry.id)?
    } else {
        None
    };
    Ok(match memory.and_then(|memory| memory.superseded_by) {
        Some(_) => "superseded",
        None => entry.status.as_str(),
    })
}

/// A sentence, and the lines that belong to it.
type Part = (String, Vec<String>);

fn along(receipt: &Receipt) -> Option<Part> {
    let counts = [
        (
            receipt.triples,
            text!("common-triples", count = receipt.triples),
        ),
        (
            receipt.entities,
            text!("common-entities", count = receipt.entities),
        ),
        (receipt.links, text!("common-links", count = receipt.links)),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(_, told)| told).collect();
    let links = receipt.gone_links.iter();
    let links = links.map(|(from, relation, to)| {
        text!(
            "common-receipt-link",
            from,
            relation = visible::line(relation),
            to
        )
    });
    let words = receipt.words.as_ref();
    let entity = |(id, name): &(annals::graph::EntityId, String)| {
        text!(
            "common-receipt-entity",
            id = id.0,
            name = visible::line(name)
        )
    };
    let entities = words
        .into_iter()
        .flat_map(|words| words.gone_entities.iter().map(entity));
    let lines = triples(words.map(|words| &words.gone_triples))
        .chain(entities)
        .chain(links)
        .collect();
    (!counts.is_empty()).then(|| {
        (
            text!(
                "common-receipt-along",
                counts = counts.join(&text!("common-comma"))
            ),
            lines,
        )
    })
}

fn asleep(receipt: &Receipt) -> Option<Part> {
    let count = text!("common-triples", count = receipt.sleeping_triples);
    let lines = triples(receipt.words.as_ref().map(|words| &words.asleep_triples)).collect();
    let head = text!("common-receipt-asleep", count);
    (receipt.sleeping_triples > 0).then_some((head, lines))
}

fn stale(receipt: &Receipt) -> Option<Part> {
    let count = text!("common-memories", count = receipt.stale.len());
    let mut head = text!("common-receipt-stale", count);
    if !receipt.dry_run {
        head.push_str(&text!("common-receipt-see-stale"));
    }
    (!receipt.stale.is_empty()).then(|| {
        (
            head,
            receipt.stale.iter().map(ToString::to_string).collect(),
        )
    })
}

fn shortened(receipt: &Receipt) -> Option<Part> {
    let count = text!("common-memories", count = receipt.shortened.len());
    let head = text!("common-receipt-shortened", count);
    (!receipt.shortened.is_empty()).then(|| {
        (
            head,
            receipt.shortened.iter().map(ToString::to_string).collect(),
        )
    })
}

fn revived(receipt: &Receipt) -> Option<Part> {
    let count = text!("common-memories", count = receipt.revived.len());
    let head = text!("common-receipt-revived", count);
    (!receipt.revived.is_empty()).then(|| {
        (
            head,
            receipt.revived.iter().map(ToString::to_string).collect(),
        )
    })
}

fn twins(receipt: &Receipt) -> Option<Part> {
    let count = text!("common-memories", count = receipt.twins.len());
    let head = text!("common-receipt-twins", count);
    (!receipt.twins.is_empty()).then(|| {
        (
            head,
            receipt.twins.iter().map(ToString::to_string).collect(),
        )
    })
}

fn triples(triples: Option<&Vec<Triple>>) -> impl Iterator<Item = String> + '_ {
    let line = |triple: &Triple| {
        text!(
            "common-receipt-triple",
            id = triple.id.0,
            triple = visible::line(&triple.to_string())
        )
    };
    triples.into_iter().flatten().map(line)
}

/// The first of some lines, and how many more there are.
fn first(lines: &[String]) -> String {
    let mut text: String = lines
        .iter()
        .take(SHOWN)
        .map(|line| format!("  {line}\n"))
        .collect();
    let more = lines.len().saturating_sub(SHOWN);
    if more > 0 {
        text.push_str(&(text!("common-receipt-more", more) + "\n"));
    }
    text
}
