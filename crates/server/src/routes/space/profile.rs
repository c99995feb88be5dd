//! The profile and the language of a namespace.

use std::sync::Arc;

use annals::profile::Wording;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Admin, Limited, Read, Space};
use crate::extract::Json;
use crate::problem::Problem;

/// By which rules a namespace lives, as far as people see them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NamespaceProfile)]
pub(crate) struct ProfileView {
    /// The name of the profile.
    profile: String,
    /// The kinds of memories, in its order.
    kinds: Vec<KindView>,
    /// The greatest score of a memory.
    max_score: f64,
    /// Whether replies show which memories they used.
    show_references: bool,
}

/// A kind of memories.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProfileKind)]
pub(crate) struct KindView {
    /// The word in calls.
    id: String,
    /// Its name, where the profile has a fixed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Its sign before the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<String>,
    /// The class that its memories begin in.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
}

/// The profile of a namespace.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/profile", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = ProfileView))
)]
pub(crate) async fn show(space: Space<Read>) -> Result<Json<ProfileView>, Problem> {
    let view = space.run(|space| {
        let admin = space.admin();
        let (profile, settings) = (admin.profile()?, admin.settings()?);
        let kinds = settings.taxonomy.kinds.into_iter().map(|kind| KindView {
            id: kind.id,
            label: match kind.label {
                Some(Wording::Text(text)) => Some(text),
                _ => None,
            },
            icon: kind.icon,
            class: kind.class,
        });
        Ok(ProfileView {
            profile,
            kinds: kinds.collect(),
            max_score: settings.score.max,
            show_references: settings.surface.show_references,
        })
    });
    Ok(Json(view.await?))
}

/// Another profile for a namespace.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChosenProfile {
    /// Its name.
    profile: String,
}

/// Gives a namespace another profile. Its memories go on under it with the score that they have now.
#[utoipa::path(
    put, path = "/v1/namespaces/{ns}/profile", tag = "namespaces",
    security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = ChosenProfile, responses((status = 200, body = ChosenProfileAnswer))
)]
pub(crate) async fn set(
    space: Space<Admin>,
    Json(chosen): Json<ChosenProfile>,
) -> Result<Json<ChosenProfileAnswer>, Problem> {
    let set = space.run(move |space| {
        space.admin().set_profile(&chosen.profile)?;
        Ok(ChosenProfileAnswer { profile: space.admin().profile()? })
    });
    Ok(Json(set.await?))
}

/// The profile that a namespace has now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChosenProfileAnswer {
    /// Its name.
    profile: String,
}

/// The profiles that a namespace can have.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Profiles {
    /// By name.
    profiles: Vec<ProfileEntry>,
}

/// A profile.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProfileEntry {
    /// Its name.
    name: String,
    /// Whether it comes with annals; otherwise it is stored in the file.
    builtin: bool,
}

/// The profiles that come with annals, and those of the file.
#[utoipa::path(
    get, path = "/v1/profiles", tag = "namespaces", security(("token" = ["read"]), ("session" = ["read"])),
    responses((status = 200, body = Profiles))
)]
pub(crate) async fn list(State(app): State<Arc<App>>, _access: Limited<Read>) -> Result<Json<Profiles>, Problem> {
    let memory = app.memory.clone();
    let all = app.run(move || Ok(memory.profiles().list()?)).await?;
    let entry = |one: annals::ProfileInfo| ProfileEntry { name: one.name, builtin: one.builtin };
    Ok(Json(Profiles { profiles: all.into_iter().map(entry).collect() }))
}

/// The language of a namespace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SpokenLanguage {
    /// A tag such as `en`, or `auto`, that of what is said.
    language: String,
}

/// The language of its prompts, headings and labels.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/language", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = SpokenLanguage))
)]
pub(crate) async fn language(space: Space<Read>) -> Result<Json<SpokenLanguage>, Problem> {
    let language = space.run(|space| Ok(space.admin().language()?)).await?;
    Ok(Json(SpokenLanguage { language }))
}

/// A language for a namespace.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChosenLanguage {
    /// A tag such as `en`; that of the profile without one.
    language: Option<String>,
}

/// Gives a namespace a language of its own, or that of its profile again. Stored texts stay as they are.
#[utoipa::path(
    put, path = "/v1/namespaces/{ns}/language", tag = "namespaces",
    security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = ChosenLanguage, responses((status = 200, body = SpokenLanguage))
)]
pub(crate) async fn set_language(
    space: Space<Admin>,
    Json(chosen): Json<ChosenLanguage>,
) -> Result<Json<SpokenLanguage>, Problem> {
    let set = space.run(move |space| {
        space.admin().set_language(chosen.language)?;
        Ok(space.admin().language()?)
    });
    Ok(Json(SpokenLanguage { language: set.await? }))
}
