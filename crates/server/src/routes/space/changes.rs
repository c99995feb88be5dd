//! What changed of what is held true.

use std::collections::BTreeMap;

use annals::Timestamp;
use annals::blocking::Namespace;
use annals::graph::{Triple, TripleId, TripleQuery, View};
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

/// The triples that a view shows, and whether that is all of them.
fn known(space: &Namespace, view: View) -> Result<(BTreeMap<TripleId, Triple>, bool), Problem> {
    let mut query = TripleQuery { view, limit: BATCH, ..TripleQuery::default() };
    let mut found = BTreeMap::new();
    loop {
        let page = space.graph().triples(&query)?;
        found.extend(page.triples.into_iter().map(|triple| (triple.id, triple)));
        match page.next {
            Some(next) if found.len() < MOST => query.after = Some(next),
            next => return Ok((found, next.is_none())),
        }
    }
}

fn changes(space: &Namespace, since: Timestamp, now: Timestamp) -> Result<(Vec<FactChange>, bool), Problem> {
    let (mut before, all_before) = known(space, View { as_of: Some(since), ..View::NOW })?;
    let (present, all_now) = known(space, View::NOW)?;
    let mut found = Vec::new();
    for id in present.keys() {
        let was_known = before.remove(id).is_some();
        let fact = view(&space.graph().explain_triple(*id)?);
        let ended = fact.valid_until.filter(|until| (since..=now).contains(until));
        if let Some(at) = ended {
            found.push(FactChange { change: Change::Ended, at: Some(at), fact });
        } else if !was_known {
            found.push(FactChange { change: Change::New, at: Some(fact.since), fact });
        }
    }
    // Where not all of the present ones were read, one that is missing may be among the others.
    if all_now {
        for id in before.into_keys() {
            let fact = view(&space.graph().explain_triple(id)?);
            let (change, at) = match fact.valid_until {
                Some(until) => (Change::Ended, Some(until)),
                None => (Change::Gone, None),
            };
            found.push(FactChange { change, at, fact });
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.at));
    Ok((found, all_before && all_now))
}

/// What is held true now and was not at a moment, and what ceased to be.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/triples/changes", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), ChangeParams),
    responses((status = 200, body = FactChanges))
)]
pub(crate) async fn list(space: Space<Read>, Query(params): Query<ChangeParams>) -> Result<Json<FactChanges>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let now = space.app.now();
    let page = space.run(move |space| {
        let (found, all) = changes(space, params.since, now)?;
        let page = slice(found, params.after.as_deref(), limit)?;
        Ok(FactChanges { changes: page.items, next: page.next, total: page.total, all })
    });
    Ok(Json(page.await?))
}
