//! Triples: what is held true, since when, and by which words.

use annals::blocking::Namespace;
use annals::graph::{Evidence, ExplainedTriple, Triple, TripleId, TripleQuery, View};
use annals::{MemoryId, Timestamp};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::page_size;
use crate::app::App;
use crate::auth::{Read, Space};
use crate::dto::IdText;
use crate::extract::{Json, Query, path_value};
use crate::problem::{Kind, Problem};

/// Which triples.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TripleParams {
    /// What they speak of: a name.
    subject: Option<String>,
    /// What they say.
    predicate: Option<String>,
    /// What they lead to: a name.
    object: Option<String>,
    /// Those that hold at this moment.
    #[param(value_type = Option<String>, format = DateTime)]
    valid_at: Option<Timestamp>,
    /// Those that were known at this moment.
    #[param(value_type = Option<String>, format = DateTime)]
    as_of: Option<Timestamp>,
    /// The most triples of a page; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// Go on where a page ended: its `next`.
    after: Option<String>,
}

/// A page of triples.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Triples {
    /// In the order of their finding.
    triples: Vec<TripleView>,
    /// Where the next page begins: the parameter `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// How many there are on all pages, where nothing is asked for in particular.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u32>,
}

/// A triple, and what supports it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Fact)]
pub(crate) struct TripleView {
    /// Its number.
    id: u32,
    /// What it speaks of.
    subject: String,
    /// What it says.
    predicate: String,
    /// What it leads to.
    object: String,
    /// Whether it says that it is not so.
    negated: bool,
    /// Under which condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    /// Since when it is known.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// When it begins to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_from: Option<Timestamp>,
    /// When it ceases to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_until: Option<Timestamp>,
    /// How sure it is, 0 to 1.
    confidence: f32,
    /// How many memories say so.
    evidence: usize,
}

fn explain(space: &Namespace, triple: &Triple) -> Result<TripleView, Problem> {
    Ok(view(&space.graph().explain_triple(triple.id)?))
}

pub(super) fn view(known: &ExplainedTriple) -> TripleView {
    let triple = &known.triple;
    TripleView {
        id: triple.id.0,
        subject: triple.subject.clone(),
        predicate: triple.predicate.clone(),
        object: triple.object.clone(),
        negated: triple.negated,
        condition: triple.condition.clone(),
        since: known.since,
        valid_from: known.valid_from,
        valid_until: known.valid_until,
        confidence: known.confidence,
        evidence: known.evidence.len(),
    }
}

/// What is held true, page by page.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/triples", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), TripleParams),
    responses((status = 200, body = Triples))
)]
pub(crate) async fn list(
    space: Space<Read>,
    Query(params): Query<TripleParams>,
) -> Result<Json<Triples>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let is_plain =
        params.subject.is_none() && params.predicate.is_none() && params.object.is_none();
    let counted = is_plain && params.valid_at.is_none() && params.as_of.is_none();
    let query = TripleQuery {
        subject: params.subject.map(Into::into),
        predicate: params.predicate,
        object: params.object.map(Into::into),
        view: View {
            as_of: params.as_of,
            valid_at: params.valid_at,
            ..View::NOW
        },
        after: params.after,
        limit,
        ..TripleQuery::default()
    };
    let page = space.run(move |space| {
        let page = space.graph().triples(&query)?;
        let triples = page
            .triples
            .iter()
            .map(|triple| explain(space, triple))
            .collect::<Result<_, _>>()?;
        let total = if counted {
            Some(space.graph().stats()?.visible_triples)
        } else {
            None
        };
        Ok(Triples {
            triples,
            next: page.next,
            total,
        })
    });
    Ok(Json(page.await?))
}

/// A triple with the memories that say it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SupportedTriple {
    /// The triple.
    triple: TripleView,
    /// Who says so, in the order of storing.
    evidence: Vec<EvidenceView>,
}

/// A memory that says it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Evidence)]
pub(crate) struct EvidenceView {
    /// The memory.
    #[schema(value_type = IdText)]
    memory: MemoryId,
    /// Its text.
    text: String,
    /// Since when it says so.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Whether it counts now: it is neither hidden nor out of force.
    supports: bool,
}

/// The number of a triple.
pub(crate) struct Number(u32);

impl FromRequestParts<std::sync::Arc<App>> for Number {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &std::sync::Arc<App>,
    ) -> Result<Self, Problem> {
        let text = path_value(parts, app, "number").await?;
        text.parse()
            .map(Self)
            .map_err(|_| Problem::new(Kind::BadPath, "a triple has a number").at("number"))
    }
}

fn said(space: &Namespace, evidence: &Evidence) -> Result<EvidenceView, Problem> {
    let memory = space.get(evidence.memory)?;
    Ok(EvidenceView {
        memory: evidence.memory,
        text: memory.map(|memory| memory.body.text).unwrap_or_default(),
        at: evidence.since,
        supports: evidence.supports,
    })
}

/// A triple with the words that say it.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/triples/{number}", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u32, Path, description = "The number of the triple"),
    ),
    responses((status = 200, body = SupportedTriple))
)]
pub(crate) async fn show(
    space: Space<Read>,
    Number(number): Number,
) -> Result<Json<SupportedTriple>, Problem> {
    let found = space.run(move |space| {
        let known = space.graph().explain_triple(TripleId(number))?;
        let evidence = known
            .evidence
            .iter()
            .map(|evidence| said(space, evidence))
            .collect::<Result<_, _>>()?;
        Ok(SupportedTriple {
            triple: view(&known),
            evidence,
        })
    });
    Ok(Json(found.await?))
}
