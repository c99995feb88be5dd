//! The operations of the companion's store, by their names.

use annals::blocking::Namespace;
use annals::{
    Adjustment, ListQuery, MemoryId, Mode, NewMemory, Query as Question, StoredMemory, Value,
};

use super::memories::found;
use crate::auth::{Delete, Read, Space, Write};
use crate::dto::{
    AddKnowledge, DeleteKnowledge, KnowledgeId, KnowledgeRecord, KnowledgeRecords, NewImportance,
    Receipt, SearchKnowledge, UpdateImportance, UpdateText,
};
use crate::extract::{Json, Sent};
use crate::problem::{Kind, Problem};
use crate::requests::Once;

/// The results where nothing is said.
const RESULTS: u32 = 3;

/// The memories that are read at once.
const BATCH: usize = 500;

/// The fields of the metadata that a memory has by itself.
const CATEGORY: &str = "category";
const IMPORTANCE: &str = "importance";

/// Stores what is known, and answers its id.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/knowledge/add", tag = "knowledge",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = AddKnowledge, responses((status = 200, body = KnowledgeId))
)]
pub(crate) async fn add(
    space: Space<Write>,
    once: Once,
    Sent { value, digest }: Sent<AddKnowledge>,
) -> Result<Json<KnowledgeId>, Problem> {
    let AddKnowledge { text, mut metadata } = value;
    let mut memory = NewMemory::builder(text);
    let bad = |field: &str| {
        let why = format!("{field} is of another type");
        Problem::new(Kind::BadValue, why).at(format!("/metadata/{field}"))
    };
    match metadata.remove(CATEGORY) {
        Some(Value::Text(kind)) => memory = memory.kind(kind),
        Some(_) => return Err(bad(CATEGORY)),
        None => {}
    }
    match metadata.remove(IMPORTANCE) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a share needs no more digits"
        )]
        Some(Value::Float(number)) => memory = memory.importance(number as f32),
        Some(Value::Int(number)) if (0..=1).contains(&number) => {
            memory = memory.importance(if number == 1 { 1.0 } else { 0.0 });
        }
        Some(_) => return Err(bad(IMPORTANCE)),
        None => {}
    }
    let memory = metadata
        .into_iter()
        .fold(memory, |memory, (key, value)| memory.metadata(key, value));
    let memory = memory.build()?;
    let id = space
        .write(&once, &digest, move |space, _| Ok(space.remember(memory)?))
        .await?;
    Ok(Json(KnowledgeId { id }))
}

/// What answers a question best.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/knowledge/search", tag = "knowledge",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = SearchKnowledge, responses((status = 200, body = KnowledgeRecords))
)]
pub(crate) async fn search(
    space: Space<Read>,
    Json(body): Json<SearchKnowledge>,
) -> Result<Json<KnowledgeRecords>, Problem> {
    let (wanted, most) = (
        body.n_results.unwrap_or(RESULTS),
        u32::try_from(space.app.limits.page).unwrap_or(u32::MAX),
    );
    if wanted == 0 || wanted > most {
        return Err(
            Problem::new(Kind::BadValue, format!("an answer has 1 to {most} results"))
                .at("/n_results"),
        );
    }
    let question = Question::new(body.query).top_k(wanted);
    question.check()?;
    let found = space.run(move |space| {
        let hits = space.recall(question)?;
        let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
        let mut results = records(space, hits.into_iter().map(|hit| hit.memory).collect())?;
        for (record, score) in results.iter_mut().zip(scores) {
            record.score = Some(score);
        }
        Ok(results)
    });
    Ok(Json(KnowledgeRecords {
        results: found.await?,
    }))
}

/// Deletes what is known for good.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/knowledge/delete", tag = "knowledge",
    security(("token" = ["delete"]), ("session" = ["delete"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = DeleteKnowledge, responses((status = 200, body = Receipt))
)]
pub(crate) async fn delete(
    space: Space<Delete>,
    once: Once,
    Sent { value, digest }: Sent<DeleteKnowledge>,
) -> Result<Json<Receipt>, Problem> {
    let caller = std::sync::Arc::clone(&space.caller);
    let receipt = space
        .write(&once, &digest, move |space, _| {
            Ok(space.delete(value.id, Mode::Commit)?)
        })
        .await?;
    Ok(Json(caller.shown(receipt.into())))
}

/// Gives a memory another text; its id stays.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/knowledge/update_text", tag = "knowledge",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = UpdateText, responses((status = 200, body = KnowledgeId))
)]
pub(crate) async fn update_text(
    space: Space<Write>,
    Json(body): Json<UpdateText>,
) -> Result<Json<KnowledgeId>, Problem> {
    let app = std::sync::Arc::clone(&space.app);
    let id = space.run(move |space| {
        let _alone = app.edits.lock(body.id);
        let before = found(space, body.id)?;
        let mut new = before.body;
        new.text = body.text;
        // What else is known of it stays, and so does an importance that has decayed.
        let said = annals::Said {
            importance: false,
            ..annals::Said::ALL
        };
        Ok(space.update(
            body.id,
            NewMemory::from_body(new)?
                .saying(said)
                .with_status(before.status),
        )?)
    });
    Ok(Json(KnowledgeId { id: id.await? }))
}

/// Changes how much a memory matters.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/knowledge/update_importance", tag = "knowledge",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = UpdateImportance, responses((status = 200, body = NewImportance))
)]
pub(crate) async fn update_importance(
    space: Space<Write>,
    once: Once,
    Sent { value, digest }: Sent<UpdateImportance>,
) -> Result<Json<NewImportance>, Problem> {
    let adjusted = space.write(&once, &digest, move |space, _| {
        Ok(space
            .lifecycle()
            .adjust(value.id, Adjustment::by(value.delta))?)
    });
    let (before, importance) = adjusted.await?;
    Ok(Json(NewImportance { before, importance }))
}

/// Everything that is known, the newest first.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/knowledge/get_all", tag = "knowledge",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = KnowledgeRecords))
)]
pub(crate) async fn get_all(space: Space<Read>) -> Result<Json<KnowledgeRecords>, Problem> {
    let all = space.run(|space| {
        let (mut results, mut query) = (
            Vec::new(),
            ListQuery {
                limit: BATCH,
                ..ListQuery::default()
            },
        );
        loop {
            let page = space.list(&query)?;
            results.extend(records(space, page.memories)?);
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(results),
            }
        }
    });
    Ok(Json(KnowledgeRecords {
        results: all.await?,
    }))
}

fn records(
    space: &Namespace,
    memories: Vec<StoredMemory>,
) -> Result<Vec<KnowledgeRecord>, Problem> {
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    let standings = space.lifecycle().standings(&ids)?;
    let record = |(memory, standing): (StoredMemory, Option<annals::Standing>)| KnowledgeRecord {
        id: memory.id,
        importance: standing
            .map_or_else(|| memory.body.importance.exact(), |standing| standing.score),
        text: memory.body.text,
        category: memory.body.kind.as_str().to_owned(),
        score: None,
        metadata: memory.body.metadata,
    };
    Ok(memories.into_iter().zip(standings).map(record).collect())
}
