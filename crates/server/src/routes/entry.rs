//! How browsers come in, and what a caller may do.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::Right;
use crate::app::App;
use crate::auth::{Caller, Holder};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// Parameters of a link.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LoginParams {
    /// The code of the link that the server printed.
    code: String,
}

/// The page, which asks whoever has no session for a link or a token, and why it is shown.
const SIGN_IN: &str = "/?reason=used-link";

/// Opens the session of a browser with a link that works once, and goes on to the page. A browser
/// whose link works no more goes on to the page without a session, with `?reason=used-link`.
#[utoipa::path(
    get, path = "/login", tag = "session", params(LoginParams),
    responses(
        (status = 303, description = "Goes on to the page, with the cookie of a session where the link worked"),
        (status = 204, description = "To HEAD, which leaves the link as it is")
    )
)]
pub(crate) async fn login(
    State(app): State<Arc<App>>,
    method: Method,
    headers: HeaderMap,
    Query(params): Query<LoginParams>,
) -> Result<Response, Problem> {
    if method == Method::HEAD {
        // Programs look at links that are sent around, before the person opens them.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let failed = |error: crate::ServeError| {
        tracing::error!(%error, "no session can be opened");
        Problem::of(Kind::Storage)
    };
    // The file of the tokens may be waited for.
    let store = Arc::clone(&app);
    let taken = app.run(move || {
        let taken = store.tokens.take_link(&params.code, store.now());
        taken.map_err(failed)
    });
    if !taken.await? {
        if takes_pages(&headers) {
            return Ok((StatusCode::SEE_OTHER, [(header::LOCATION, SIGN_IN)]).into_response());
        }
        return Err(Problem::of(Kind::BadLink));
    }
    let session = app.sessions.open().map_err(failed)?;
    let headers = [
        (header::SET_COOKIE, app.cookie(session.reveal())),
        (header::LOCATION, "/".to_owned()),
    ];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Whether a client shows pages, as a browser does that opens an address.
fn takes_pages(headers: &HeaderMap) -> bool {
    let accepted = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(','));
    let mut types = accepted.map(|range| range.split(';').next().unwrap_or_default().trim());
    types.any(|one| one.eq_ignore_ascii_case("text/html"))
}

/// Ends the session of the browser.
#[utoipa::path(
    post, path = "/v1/logout", tag = "session", security(("session" = [])),
    responses((status = 204, description = "The session is over"))
)]
pub(crate) async fn logout(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Arc<Caller>>,
) -> Response {
    if let Holder::Browser(session) = &caller.holder {
        app.sessions.close(session);
    }
    (
        StatusCode::NO_CONTENT,
        [(header::SET_COOKIE, app.cookie(""))],
    )
        .into_response()
}

/// What the caller may do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WhoAmI {
    /// The kinds of calls.
    rights: Vec<Right>,
    /// The namespaces: names, and with `*` at the end beginnings of names.
    namespaces: Vec<String>,
}

/// What the token or the session lets its holder do.
#[utoipa::path(
    get, path = "/v1/whoami", tag = "session", security(("token" = []), ("session" = [])),
    responses((status = 200, body = WhoAmI))
)]
pub(crate) async fn whoami(Extension(caller): Extension<Arc<Caller>>) -> Json<WhoAmI> {
    let grant = &caller.grant;
    Json(WhoAmI {
        rights: grant.rights.iter().copied().collect(),
        namespaces: grant.namespaces.iter().map(ToString::to_string).collect(),
    })
}
