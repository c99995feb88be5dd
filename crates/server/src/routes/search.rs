//! Questions.

use annals::Query;

use crate::auth::{Read, Space};
use crate::dto::{SearchAnswer, SearchBody};
use crate::extract::Json;
use crate::problem::{Kind, Problem};

/// The memories that answer a question best, each with the reasons of its score; whether anything
/// answers at all; and why a memory is not among the hits.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/memories/search", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = SearchBody,
    responses((status = 200, body = SearchAnswer))
)]
pub(crate) async fn search(
    space: Space<Read>,
    Json(body): Json<SearchBody>,
) -> Result<Json<SearchAnswer>, Problem> {
    let most = u32::try_from(space.app.limits.page).unwrap_or(u32::MAX);
    if body.top_k.is_some_and(|top_k| top_k == 0 || top_k > most) {
        return Err(
            Problem::new(Kind::BadValue, format!("an answer has 1 to {most} hits")).at("/top_k"),
        );
    }
    let query = Query::try_from(body)?;
    let answer = space.run(move |space| Ok(space.answer(query)?)).await?;
    Ok(Json(answer.into()))
}
