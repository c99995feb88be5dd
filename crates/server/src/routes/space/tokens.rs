//! Who may call the server.

use std::collections::BTreeSet;
use std::sync::Arc;

use annals::Timestamp;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Admin, Limited};
use crate::extract::{Json, path_value};
use crate::problem::{Kind, Problem};
use crate::{Grant, NewToken, Right, Scope, ServeError, TokenInfo};

/// The tokens of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tokens {
    /// In the order of their making.
    tokens: Vec<TokenView>,
}

/// A token, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenView {
    /// Its id.
    id: String,
    /// What it is for.
    name: String,
    /// The namespaces that it reaches.
    namespaces: Vec<String>,
    /// What it allows.
    rights: Vec<Right>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

fn view(token: TokenInfo) -> TokenView {
    TokenView {
        id: token.id,
        name: token.name,
        namespaces: token.grant.namespaces.iter().map(ToString::to_string).collect(),
        rights: token.grant.rights.into_iter().collect(),
        created_at: token.created_at,
        expires_at: token.expires_at,
    }
}

fn failed(error: &ServeError) -> Problem {
    tracing::error!(%error, "the tokens cannot be read or written");
    Problem::of(Kind::Storage)
}

/// The tokens, without their secrets. Only who reaches all namespaces sees them.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "server", security(("token" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, body = Tokens))
)]
pub(crate) async fn list(State(app): State<Arc<App>>, access: Limited<Admin>) -> Result<Json<Tokens>, Problem> {
    access.caller.reach_all()?;
    let store = Arc::clone(&app);
    let all = app.run(move || store.tokens.list().map_err(|error| failed(&error))).await?;
    Ok(Json(Tokens { tokens: all.into_iter().map(view).collect() }))
}

/// A token to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewToken)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTokenBody {
    /// What it is for.
    #[schema(min_length = 1)]
    name: String,
    /// The namespaces: names, and with `*` at the end beginnings of names.
    namespaces: Vec<String>,
    /// What it allows.
    rights: BTreeSet<Right>,
    /// When it ends; never without it.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

/// A token that was made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeToken {
    /// Its id, by which it is revoked.
    id: String,
    /// The token itself. It is told once.
    token: String,
}

/// Makes a token, and tells it once.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "server", security(("token" = ["admin"]), ("session" = ["admin"])),
    request_body = NewTokenBody, responses((status = 201, body = MadeToken))
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
    Json(body): Json<NewTokenBody>,
) -> Result<(StatusCode, Json<MadeToken>), Problem> {
    access.caller.reach_all()?;
    // Nobody gives away what he does not have.
    for right in &body.rights {
        access.caller.need(*right)?;
    }
    let scope = |name: &String| name.parse::<Scope>();
    let namespaces: Result<BTreeSet<Scope>, ServeError> = body.namespaces.iter().map(scope).collect();
    let bad = |error: ServeError| Problem::new(Kind::BadValue, error.to_string());
    let namespaces = namespaces.map_err(|error| bad(error).at("/namespaces"))?;
    let grant = Grant { namespaces, rights: body.rights };
    let new = NewToken { name: body.name, grant, expires_at: body.expires_at };
    let (store, now) = (Arc::clone(&app), app.now());
    let made = app.run(move || {
        store.tokens.create(new, now).map_err(|error| match error {
            ServeError::BadToken(_) => bad(error),
            other => failed(&other),
        })
    });
    let (info, token) = made.await?;
    Ok((StatusCode::CREATED, Json(MadeToken { id: info.id, token })))
}

/// The id of a token.
pub(crate) struct TokenId(String);

impl FromRequestParts<Arc<App>> for TokenId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        path_value(parts, app, "id").await.map(Self)
    }
}

/// Revokes a token: it lets nobody in from now on.
#[utoipa::path(
    delete, path = "/v1/tokens/{id}", tag = "server", security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("id" = String, Path, description = "The id of the token")),
    responses((status = 204, description = "It is revoked"))
)]
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
    TokenId(id): TokenId,
) -> Result<StatusCode, Problem> {
    access.caller.reach_all()?;
    let store = Arc::clone(&app);
    let was_there = app.run(move || store.tokens.revoke(&id).map_err(|error| failed(&error))).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Problem::new(Kind::NotFound, "there is no such token")) }
}
