//! The profile and the language of a namespace.

use crate::auth::{Admin, Read, Space};
use crate::dto::{LanguageName, ProfileName};
use crate::extract::Json;
use crate::problem::Problem;

/// The name of the profile.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/profile", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = ProfileName))
)]
pub(crate) async fn profile(space: Space<Read>) -> Result<Json<ProfileName>, Problem> {
    let profile = space.run(|space| Ok(space.admin().profile()?)).await?;
    Ok(Json(ProfileName { profile }))
}

/// Gives the namespace another profile; its memories go on under it with the score that they have
/// now.
#[utoipa::path(
    put, path = "/v1/namespaces/{ns}/profile", tag = "namespaces",
    security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = ProfileName, responses((status = 200, body = ProfileName))
)]
pub(crate) async fn set_profile(
    space: Space<Admin>,
    Json(body): Json<ProfileName>,
) -> Result<Json<ProfileName>, Problem> {
    let profile = space.run(move |space| {
        space.admin().set_profile(&body.profile)?;
        Ok(space.admin().profile()?)
    });
    Ok(Json(ProfileName {
        profile: profile.await?,
    }))
}

/// The language of prompts, headings and labels.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/language", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = LanguageName))
)]
pub(crate) async fn language(space: Space<Read>) -> Result<Json<LanguageName>, Problem> {
    let language = space.run(|space| Ok(space.admin().language()?)).await?;
    Ok(Json(LanguageName {
        language: Some(language),
    }))
}

/// Gives the namespace a language of its own, or with `null` that of its profile again.
#[utoipa::path(
    put, path = "/v1/namespaces/{ns}/language", tag = "namespaces",
    security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = LanguageName, responses((status = 200, body = LanguageName))
)]
pub(crate) async fn set_language(
    space: Space<Admin>,
    Json(body): Json<LanguageName>,
) -> Result<Json<LanguageName>, Problem> {
    let language = space.run(move |space| {
        space.admin().set_language(body.language)?;
        Ok(space.admin().language()?)
    });
    Ok(Json(LanguageName {
        language: Some(language.await?),
    }))
}
