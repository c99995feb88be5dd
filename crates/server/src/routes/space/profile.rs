//! Profiles, and the kinds of memories that one has.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals::Feature;
use annals::profile::Wording;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Limited, Read, Space};
use crate::extract::Json;
use crate::problem::Problem;

/// By which rules a namespace lives, as far as people see them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Kinds)]
pub(crate) struct ProfileView {
    /// The name of the profile.
    profile: String,
    /// The kinds of memories, in its order.
    kinds: Vec<KindView>,
    /// The greatest score of a memory.
    max_score: f64,
    /// Whether replies show which memories they used.
    show_references: bool,
    /// The weights of the features of recall, those of relevance and the priors.
    #[schema(value_type = BTreeMap<String, f32>)]
    weights: BTreeMap<Feature, f32>,
    /// Tokens that a prompt gets at most; 0 is no limit.
    max_tokens: u32,
    /// Whether the server has a language model to talk with.
    has_model: bool,
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

/// The kinds of memories of a namespace, with their signs.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/kinds", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = ProfileView))
)]
pub(crate) async fn kinds(space: Space<Read>) -> Result<Json<ProfileView>, Problem> {
    let has_model = space.app.memory.model().is_some();
    let view = space.run(move |space| {
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
            weights: Feature::ALL
                .map(|one| (one, one.weight(&settings.recall.weights)))
                .into(),
            max_tokens: settings.inject.max_tokens,
            has_model,
        })
    });
    Ok(Json(view.await?))
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
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    _access: Limited<Read>,
) -> Result<Json<Profiles>, Problem> {
    let memory = app.memory.clone();
    let all = app.run(move || Ok(memory.profiles().list()?)).await?;
    let entry = |one: annals::ProfileInfo| ProfileEntry {
        name: one.name,
        builtin: one.builtin,
    };
    Ok(Json(Profiles {
        profiles: all.into_iter().map(entry).collect(),
    }))
}
