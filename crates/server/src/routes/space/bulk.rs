//! Many memories at once.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{BulkReceipt, Filter, MemoryId, Mode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::{Space, Write};
use crate::dto::{FilterBody, HoldsTexts, IdText, Receipt};
use crate::extract::Json;
use crate::problem::{Kind, Problem};
use crate::routes::memories::found;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BulkAction {
    /// Hide them.
    Forget,
    /// Put them aside.
    Archive,
    /// Bring them back.
    Restore,
    /// Delete them for good, with what was derived from them alone.
    Delete,
}

/// What is done to which memories: those of the ids, or those that pass the filter.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkBody {
    /// What is done.
    action: BulkAction,
    /// These memories.
    #[schema(value_type = Option<Vec<IdText>>)]
    ids: Option<Vec<MemoryId>>,
    /// All that pass this filter; only for what is forgotten or deleted.
    filter: Option<FilterBody>,
    /// Change nothing, only tell what would be done; only for what is deleted, or forgotten by a
    /// filter.
    #[serde(default)]
    dry_run: bool,
}

/// What was done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BulkDone {
    /// How many memories were asked for, or pass the filter.
    asked: usize,
    /// What goes, where memories are deleted or forgotten by a filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<Receipt>,
}

impl HoldsTexts for BulkDone {
    fn without_texts(self) -> Self {
        Self {
            receipt: self.receipt.map(Receipt::without_texts),
            ..self
        }
    }
}

impl From<annals::Receipt> for BulkDone {
    fn from(receipt: annals::Receipt) -> Self {
        Self {
            asked: receipt.asked,
            receipt: Some(receipt.into()),
        }
    }
}

fn by_ids(
    space: &Namespace,
    action: BulkAction,
    ids: &[MemoryId],
    mode: Mode,
) -> Result<BulkDone, Problem> {
    let bulk = space.bulk();
    if action == BulkAction::Delete {
        return Ok(bulk.delete(ids, mode)?.into());
    }
    for id in ids {
        found(space, *id)?;
    }
    if mode == Mode::Commit {
        match action {
            BulkAction::Forget => bulk.forget(ids)?,
            BulkAction::Archive => bulk.archive(ids)?,
            BulkAction::Restore | BulkAction::Delete => bulk.restore(ids)?,
        }
    }
    Ok(BulkDone {
        asked: ids.len(),
        receipt: None,
    })
}

fn by_filter(
    space: &Namespace,
    action: BulkAction,
    filter: &Filter,
    mode: Mode,
) -> Result<BulkDone, Problem> {
    let bulk = space.bulk();
    match action {
        BulkAction::Forget => Ok(bulk.forget_where(filter, mode)?.into()),
        BulkAction::Delete => Ok(bulk.delete_where(filter, mode)?.into()),
        BulkAction::Archive | BulkAction::Restore => Err(Problem::new(
            Kind::BadValue,
            "only `forget` and `delete` take a filter",
        )
        .at("/filter")),
    }
}

/// Hides, puts aside, brings back or deletes many memories in one transaction: all of them or none.
/// Deleting needs the right `delete` as well.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/bulk", tag = "memories",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = BulkBody, responses((status = 200, body = BulkDone))
)]
pub(crate) async fn bulk(
    space: Space<Write>,
    Json(body): Json<BulkBody>,
) -> Result<Json<BulkDone>, Problem> {
    if body.action == BulkAction::Delete {
        space.caller.need(crate::Right::Delete)?;
    }
    let mode = if body.dry_run {
        Mode::DryRun
    } else {
        Mode::Commit
    };
    let (action, caller) = (body.action, Arc::clone(&space.caller));
    let done = match (body.ids, body.filter) {
        (Some(ids), None) => {
            space
                .run(move |space| by_ids(space, action, &ids, mode))
                .await?
        }
        (None, Some(filter)) => {
            let filter = Filter::try_from(filter)?;
            space
                .run(move |space| by_filter(space, action, &filter, mode))
                .await?
        }
        _ => {
            return Err(
                Problem::new(Kind::BadValue, "either `ids` or `filter` is given").at("/ids"),
            );
        }
    };
    Ok(Json(caller.shown(done)))
}

/// Ids as somebody writes them down.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListedBody {
    /// Ids with commas, spaces or line breaks between them.
    list: String,
    /// Change nothing, only tell what would go.
    #[serde(default)]
    dry_run: bool,
}

/// What became of the ids of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedDone {
    /// What goes.
    receipt: Receipt,
    /// What is kept, since the profile protects it.
    #[schema(value_type = Vec<IdText>)]
    skipped: Vec<MemoryId>,
    /// What is the id of no memory.
    unknown: Vec<String>,
}

/// Deletes the memories of a list of ids. What the profile protects, such as core memories, is
/// skipped and told.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/bulk/delete-listed", tag = "memories",
    security(("token" = ["delete"]), ("session" = ["delete"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = ListedBody, responses((status = 200, body = ListedDone))
)]
pub(crate) async fn delete_listed(
    space: Space<crate::auth::Delete>,
    Json(body): Json<ListedBody>,
) -> Result<Json<ListedDone>, Problem> {
    let mode = if body.dry_run {
        Mode::DryRun
    } else {
        Mode::Commit
    };
    let caller = Arc::clone(&space.caller);
    let done: BulkReceipt = space
        .run(move |space| Ok(space.bulk().delete_listed(&body.list, mode)?))
        .await?;
    Ok(Json(ListedDone {
        receipt: caller.shown(done.receipt.into()),
        skipped: done.skipped,
        unknown: done.unknown,
    }))
}
