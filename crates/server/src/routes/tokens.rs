//! Tokens, for whoever may do everything with them.

use std::collections::BTreeSet;
use std::sync::Arc;

use annals::Timestamp;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Admin, Limited};
use crate::extract::{Json, path_value};
use crate::problem::{Kind, Problem};
use crate::{Grant, NewToken, Right, Scope, ServeError, TokenInfo};

/// The id that the path names.
pub(crate) struct TokenId(String);

impl FromRequestParts<Arc<App>> for TokenId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        path_value(parts, app, "token").await.map(Self)
    }
}

/// A token, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenView {
    /// The name by which it is revoked.
    id: String,
    /// What it is for.
    name: String,
    /// The namespaces: names, and with `*` at the end beginnings of names.
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

impl From<TokenInfo> for TokenView {
    fn from(info: TokenInfo) -> Self {
        Self {
            id: info.id,
            name: info.name,
            namespaces: info
                .grant
                .namespaces
                .iter()
                .map(ToString::to_string)
                .collect(),
            rights: info.grant.rights.into_iter().collect(),
            created_at: info.created_at,
            expires_at: info.expires_at,
        }
    }
}

/// Tokens.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tokens {
    /// The oldest first.
    tokens: Vec<TokenView>,
}

/// A token to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewToken)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTokenBody {
    /// What it is for.
    name: String,
    /// The namespaces: names, and with `*` at the end beginnings of names.
    namespaces: Vec<String>,
    /// What it allows.
    rights: BTreeSet<Right>,
    /// When it ends; with the token that makes it at the latest.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

/// A token that was made: the only time that it is shown.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeToken {
    /// The secret.
    secret: String,
    /// The token.
    token: TokenView,
}

fn refused(error: ServeError) -> Problem {
    match error {
        ServeError::BadToken(why) => Problem::new(Kind::BadValue, why),
        other => {
            tracing::error!(error = %other, "the tokens cannot be read or changed");
            Problem::of(Kind::Storage)
        }
    }
}

/// The tokens of the database, without their secrets. The caller reaches all namespaces.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "tokens", security(("token" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, body = Tokens))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
) -> Result<Json<Tokens>, Problem> {
    access.caller.reach_all()?;
    let listed = Arc::clone(&app);
    let tokens = app
        .run(move || listed.tokens.list().map_err(refused))
        .await?;
    Ok(Json(Tokens {
        tokens: tokens.into_iter().map(TokenView::from).collect(),
    }))
}

/// Makes a token with rights that the caller has. It ends no later than the token that makes it.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "tokens", security(("token" = ["admin"]), ("session" = ["admin"])),
    request_body = NewTokenBody, responses((status = 201, body = MadeToken))
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
    Json(body): Json<NewTokenBody>,
) -> Result<Response, Problem> {
    access.caller.reach_all()?;
    for right in &body.rights {
        access.caller.need(*right)?;
    }
    let scopes = body.namespaces.iter().map(|name| name.parse::<Scope>());
    let namespaces = scopes
        .collect::<Result<_, _>>()
        .map_err(|error| refused(error).at("/namespaces"))?;
    let grant = Grant {
        namespaces,
        rights: body.rights,
    };
    let mut new = NewToken {
        name: body.name,
        grant,
        expires_at: body.expires_at,
    };
    let (store, caller) = (Arc::clone(&app), access.caller);
    let made = app.run(move || {
        let end = store.end_of(&caller).map_err(refused)?;
        // Nobody stays longer by a token that they make themselves.
        new.expires_at = match (new.expires_at, end) {
            (Some(wanted), Some(end)) => Some(wanted.min(end)),
            (wanted, end) => wanted.or(end),
        };
        store.tokens.create(new, store.now()).map_err(refused)
    });
    let (info, secret) = made.await?;
    Ok((
        StatusCode::CREATED,
        Json(MadeToken {
            secret,
            token: info.into(),
        }),
    )
        .into_response())
}

/// Revokes a token.
#[utoipa::path(
    delete, path = "/v1/tokens/{token}", tag = "tokens", security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("token" = String, Path, description = "The id of the token")),
    responses((status = 204, description = "It lets nobody in any more"))
)]
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
    TokenId(id): TokenId,
) -> Result<StatusCode, Problem> {
    access.caller.reach_all()?;
    let store = Arc::clone(&app);
    let revoked = app
        .run(move || store.tokens.revoke(&id).map_err(refused))
        .await?;
    if revoked {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::new(Kind::NotFound, "there is no such token"))
    }
}
