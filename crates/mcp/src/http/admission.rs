//! Which requests are served: those with the token, whole in time, and within the number of
//! sessions.

use std::sync::Arc;

use annals_connections::Proof;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;

use super::Limits;

pub(super) struct Admission {
    pub(super) token: Option<String>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) limits: Limits,
}

/// The part of a message that tells whether a session begins with it.
#[derive(Deserialize)]
struct Outline {
    method: Option<String>,
}

/// Lets a request pass that brings the token, where one is asked for, and then its body.
pub(super) async fn admit(
    State(admission): State<Arc<Admission>>,
    request: Request,
    next: Next,
) -> Response {
    if let Some(wanted) = &admission.token
        && !brings(&request, wanted)
    {
        let wanted = [(header::WWW_AUTHENTICATE, "Bearer")];
        let why = "this server asks for a token: Authorization: Bearer TOKEN\n";
        return (StatusCode::UNAUTHORIZED, wanted, why).into_response();
    }
    if let Some(proof) = request.extensions().get::<Proof>() {
        proof.cancel();
    }
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let limits = &admission.limits;
    let (head, body) = request.into_parts();
    let body = match tokio::time::timeout(limits.body, to_bytes(body, limits.body_bytes)).await {
        Ok(Ok(body)) => body,
        Ok(Err(error)) if is_too_long(&error) => {
            let why = format!("a request has at most {} bytes\n", limits.body_bytes);
            return (StatusCode::PAYLOAD_TOO_LARGE, why).into_response();
        }
        Ok(Err(error)) => {
            return (
                StatusCode::BAD_REQUEST,
                format!("the request broke off: {error}\n"),
            )
                .into_response();
        }
        Err(_) => {
            let why = format!(
                "the request was not whole after {} s\n",
                limits.body.as_secs_f64()
            );
            return (
                StatusCode::REQUEST_TIMEOUT,
                [(header::CONNECTION, "close")],
                why,
            )
                .into_response();
        }
    };
    let begins = serde_json::from_slice::<Outline>(&body)
        .is_ok_and(|it| it.method.as_deref() == Some("initialize"));
    if begins && admission.sessions.sessions.read().await.len() >= limits.sessions {
        let why = format!(
            "this server has {} sessions already; end one, or try again when one has been idle for five minutes\n",
            limits.sessions
        );
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    next.run(Request::from_parts(head, Body::from(body))).await
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.is::<http_body_util::LengthLimitError>() {
            return true;
        }
        cause = inner.source();
    }
    false
}

fn brings(request: &Request, wanted: &str) -> bool {
    let given = request
        .headers()
        .get(header::AUTHORIZATION)
        .map(|value| value.as_bytes());
    let given = given.and_then(|value| value.split_at_checked(7));
    given.is_some_and(|(scheme, token)| {
        scheme.eq_ignore_ascii_case(b"Bearer ") && same(token, wanted.as_bytes())
    })
}

/// Compares in a time that tells nothing of where they differ.
fn same(given: &[u8], wanted: &[u8]) -> bool {
    let differing = given
        .iter()
        .zip(wanted)
        .fold(0_u8, |differing, (a, b)| differing | (a ^ b));
    given.len() == wanted.len() && differing == 0
}
