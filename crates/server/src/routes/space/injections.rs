//! What was put into which prompt, of which agent, and why.

use annals::blocking::Namespace;
use annals::{InjectedMemory, Injection, MemoryId, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{page_size, slice};
use crate::auth::{Read, Space};
use crate::dto::IdText;
use crate::extract::{Json, Query};
use crate::problem::Problem;

/// Which prompts.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct InjectionParams {
    /// Only prompts in which this memory stood.
    #[param(value_type = Option<IdText>)]
    memory: Option<MemoryId>,
    /// Only prompts of this agent.
    agent: Option<String>,
    /// The most prompts of a page; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// Go on where a page ended: its `next`.
    after: Option<String>,
}

/// A page of prompts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Injections {
    /// The last one first.
    injections: Vec<InjectionView>,
    /// The agents of all prompts that are kept, by name.
    agents: Vec<String>,
    /// Where the next page begins: the parameter `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// How many there are on all pages; the last 200 prompts are kept.
    total: usize,
}

/// What was put into one prompt.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Injection)]
pub(crate) struct InjectionView {
    /// When.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// The program that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// About how many tokens it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// Memories that had no room.
    left_out: u64,
    /// The memories, in their order; those that were deleted since are missing.
    memories: Vec<InjectedView>,
}

/// A memory that stood in a prompt.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InjectedMemory)]
pub(crate) struct InjectedView {
    /// The memory.
    #[schema(value_type = IdText)]
    id: MemoryId,
    /// The text of the memory now.
    text: String,
    /// The part of the prompt, as the profile names it.
    part: String,
    /// How well it answered, 0 to 1; in parts that always stand there its worth.
    score: f64,
    /// What gave it most of its score; empty in parts that always stand there.
    reasons: Vec<InjectionReason>,
}

/// A feature that made a memory answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InjectionReason {
    /// The feature.
    feature: String,
    /// The part of the score that it makes.
    contribution: f64,
}

/// `None` for a memory that was deleted between the two reads.
fn injected(space: &Namespace, memory: InjectedMemory) -> Result<Option<InjectedView>, Problem> {
    let reason = |one: annals::InjectionReason| InjectionReason {
        feature: one.feature,
        contribution: one.contribution,
    };
    let Some(found) = space.get(memory.id)? else {
        return Ok(None);
    };
    Ok(Some(InjectedView {
        id: memory.id,
        text: space.admin().redacted(found.body.text)?,
        part: memory.part,
        score: memory.score,
        reasons: memory.reasons.into_iter().map(reason).collect(),
    }))
}

fn view(space: &Namespace, injection: Injection) -> Result<InjectionView, Problem> {
    let memories = injection
        .memories
        .into_iter()
        .filter_map(|memory| injected(space, memory).transpose());
    Ok(InjectionView {
        at: injection.at,
        agent: injection.agent,
        session: injection.session,
        tokens: injection.tokens,
        left_out: injection.left_out,
        memories: memories.collect::<Result<_, _>>()?,
    })
}

/// What was put into the last prompts, and why: by hooks, `context`, the chat and MCP.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/injections", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), InjectionParams),
    responses((status = 200, body = Injections))
)]
pub(crate) async fn list(
    space: Space<Read>,
    Query(params): Query<InjectionParams>,
) -> Result<Json<Injections>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let page = space.run(move |space| {
        let mut found = space.lifecycle().injections(params.memory, usize::MAX)?;
        let mut agents: Vec<String> = found.iter().filter_map(|one| one.agent.clone()).collect();
        agents.sort();
        agents.dedup();
        if let Some(agent) = &params.agent {
            found.retain(|one| one.agent.as_ref() == Some(agent));
        }
        let page = slice(found, params.after.as_deref(), limit)?;
        let injections = page.items.into_iter().map(|one| view(space, one));
        let injections = injections.collect::<Result<_, _>>()?;
        Ok(Injections {
            injections,
            agents,
            next: page.next,
            total: page.total,
        })
    });
    Ok(Json(page.await?))
}
