//! What changed of what is held true.

use std::collections::BTreeSet;

use annals::Timestamp;
use annals::blocking::Namespace;
use annals::graph::{ExplainedTriple, Support, Triple, TripleId, TripleQuery, View};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::facts::{TripleView, view};
use super::{page_size, slice};
use crate::auth::{Read, Space};
use crate::extract::{Json, Query};
use crate::problem::Problem;

/// The triples that are looked at, at most: no index tells which of them are new.
const MOST: usize = 20_000;
/// The triples that are read at once.
const BATCH: usize = 500;

/// Since when.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChangeParams {
    /// What was known at this moment is compared with what is known now.
    #[param(value_type = String, format = DateTime)]
    since: Timestamp,
    /// The most changes of a page; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// Go on where a page ended: its `next`.
    after: Option<String>,
}

/// A page of changes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FactChanges {
    /// The last one first.
    changes: Vec<FactChange>,
    /// Where the next page begins: the parameter `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// How many there are on all pages.
    total: usize,
    /// Whether all triples were looked at: the first 20,000 are.
    all: bool,
}

/// A change of what is held true.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FactChange {
    /// What happened to it.
    change: Change,
    /// When; absent for one that nothing says any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
    /// The triple.
    fact: TripleView,
}

/// What happened to a triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ChangeWord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    /// Known since then.
    New,
    /// Holds no more, since then.
    Ended,
    /// Nothing says it any more.
    Gone,
}

/// The triples that hold in a view.
struct HeldTriples {
    triples: Vec<Triple>,
    /// The numbers of all of them, those among them that say the same as another one: which of
    /// these stands for the others differs from view to view.
    numbers: BTreeSet<TripleId>,
    /// Whether that is all of them.
    all: bool,
}

impl HeldTriples {
    fn read(space: &Namespace, view: View) -> Result<Self, Problem> {
        let mut query = TripleQuery {
            view,
            limit: BATCH,
            ..TripleQuery::default()
        };
        let (mut triples, mut numbers) = (Vec::new(), BTreeSet::new());
        loop {
            let page = space.graph().triples(&query)?;
            numbers.extend(page.triples.iter().flat_map(numbers_of));
            triples.extend(page.triples);
            match page.next {
                Some(next) if triples.len() < MOST => query.after = Some(next),
                next => {
                    return Ok(Self {
                        triples,
                        numbers,
                        all: next.is_none(),
                    });
                }
            }
        }
    }

    /// Those of which nothing is among the others.
    fn missing_from(&self, others: &Self) -> impl Iterator<Item = &Triple> {
        self.triples.iter().filter(move |triple| {
            numbers_of(triple).all(|number| !others.numbers.contains(&number))
        })
    }
}

fn numbers_of(triple: &Triple) -> impl Iterator<Item = TripleId> {
    std::iter::once(triple.id).chain(triple.same.iter().copied())
}

/// The changes of what holds, and whether all of it was looked at. What was learnt and ended within
/// the time is none of them: it held neither then nor now.
fn changes(
    space: &Namespace,
    since: Timestamp,
    now: Timestamp,
) -> Result<(Vec<FactChange>, bool), Problem> {
    let before = HeldTriples::read(space, View::as_of(since).valid_at(since))?;
    let present = HeldTriples::read(space, View::NOW.valid_at(now))?;
    let mut found = Vec::new();
    for triple in present.missing_from(&before) {
        let known = space.graph().explain_triple(triple.id)?;
        let began = known
            .valid_from
            .map_or(known.since, |from| from.max(known.since));
        // One that was known long before holds again, and nothing notes since when.
        let at = Some(began).filter(|began| *began > since);
        // Where not all of the earlier ones were read, it may be among the others.
        if at.is_some() || before.all {
            found.push(FactChange {
                change: Change::New,
                at,
                fact: view(&known),
            });
        }
    }
    // The same for those that are there now.
    if present.all {
        for triple in before.missing_from(&present) {
            let known = space.graph().explain_triple(triple.id)?;
            let at = ended_at(space, &known, now)?;
            let change = if at.is_some() {
                Change::Ended
            } else {
                Change::Gone
            };
            found.push(FactChange {
                change,
                at,
                fact: view(&known),
            });
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.at));
    Ok((found, before.all && present.all))
}

/// When a triple ceased to hold by what those say of its end, or of their own, who say it; none
/// where one of them names no end, and where only earlier texts said it.
fn ended_at(
    space: &Namespace,
    known: &ExplainedTriple,
    now: Timestamp,
) -> Result<Option<Timestamp>, Problem> {
    let mut last: Option<Timestamp> = None;
    for said in known
        .evidence
        .iter()
        .filter(|said| said.state != Support::Superseded)
    {
        let end = match said.claim.valid_until {
            Some(end) => Some(end),
            None => space
                .get(said.memory)?
                .and_then(|memory| memory.body.valid_until),
        };
        let Some(end) = end.filter(|end| *end <= now) else {
            return Ok(None);
        };
        last = last.max(Some(end));
    }
    Ok(last)
}

/// What is held true now and was not at a moment, and what ceased to be.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/triples/changes", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), ChangeParams),
    responses((status = 200, body = FactChanges))
)]
pub(crate) async fn list(
    space: Space<Read>,
    Query(params): Query<ChangeParams>,
) -> Result<Json<FactChanges>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let now = space.app.now();
    let page = space.run(move |space| {
        let (found, all) = changes(space, params.since, now)?;
        let page = slice(found, params.after.as_deref(), limit)?;
        Ok(FactChanges {
            changes: page.items,
            next: page.next,
            total: page.total,
            all,
        })
    });
    Ok(Json(page.await?))
}
