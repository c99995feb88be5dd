//! What every request meets first: whom it names, where it comes from, and who sends it.

use std::sync::Arc;

use annals_connections::Proof;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Caller, Holder};
use crate::app::App;
use crate::hosts;
use crate::problem::{Kind, Problem};

/// Paths that tell nothing of any memory, and need no token.
const OPEN: [&str; 4] = ["/healthz", "/readyz", "/openapi.json", "/login"];

/// Lets a request pass that names this server, comes from no foreign page, and brings a token or a
/// session.
pub(crate) async fn guard(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    match admitted(&app, &request) {
        Ok(caller) => {
            if let Some(caller) = caller {
                if let Some(proof) = request.extensions().get::<Proof>() {
                    proof.cancel();
                }
                request.extensions_mut().insert(Arc::new(caller));
            }
            let mut response = next.run(request).await;
            harden(response.headers_mut());
            response
        }
        Err(problem) => {
            let mut response = problem.into_response();
            harden(response.headers_mut());
            response
        }
    }
}

fn admitted(app: &App, request: &Request) -> Result<Option<Caller>, Problem> {
    let headers = request.headers();
    let host = host(request)?;
    if !app.hosts.allows(&host) {
        return Err(Problem::new(
            Kind::OtherHost,
            format!("the request names the host {host:?}"),
        ));
    }
    let origin = single(headers, &header::ORIGIN)?;
    if let Some(origin) = origin
        && !app.hosts.allows_origin(origin, &host)
    {
        return Err(Problem::new(
            Kind::OtherOrigin,
            format!("the request comes from {origin:?}"),
        ));
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Problem::of(Kind::Encoded));
    }
    let path = request.uri().path();
    if OPEN.contains(&path) || app.is_page(path) {
        return Ok(None);
    }
    let token = match bearer(headers, app.mem0)? {
        Some(token) => Some(token),
        None if app.mem0 => single(headers, &header::HeaderName::from_static("x-api-key"))?,
        None => None,
    };
    if let Some(token) = token {
        let found = app.tokens.find(token, app.now()).map_err(|error| {
            tracing::error!(%error, "the tokens cannot be read");
            Problem::of(Kind::Storage)
        })?;
        let info = found.ok_or_else(|| Problem::of(Kind::BadToken))?;
        return Ok(Some(Caller {
            grant: info.grant.clone(),
            holder: Holder::Token(info.id),
        }));
    }
    let session = app
        .session_of(headers)
        .filter(|session| app.sessions.is_open(session));
    let Some(session) = session else {
        return Err(Problem::of(Kind::NoToken));
    };
    from_own_page(request, origin, &host)?;
    Ok(Some(Caller {
        grant: super::Grant::everything(),
        holder: Holder::Browser(session.to_owned()),
    }))
}

/// A cookie is sent by the browser, not by the page: only a page of this very server may use it.
/// Pages of another port of this machine are of the same site, and their requests bring the cookie
/// along.
fn from_own_page(request: &Request, origin: Option<&str>, host: &str) -> Result<(), Problem> {
    let refused = |why: &str| Err(Problem::new(Kind::OtherOrigin, why));
    if let Some(origin) = origin {
        return if hosts::is_same(origin, host) {
            Ok(())
        } else {
            refused("the session is for the page of this server")
        };
    }
    let site = single(
        request.headers(),
        &header::HeaderName::from_static("sec-fetch-site"),
    )?;
    match site {
        Some("same-origin") => Ok(()),
        // Typed into the address bar.
        Some("none") if request.method().is_safe() => Ok(()),
        Some(_) => refused("the request was begun by another page"),
        None if matches!(*request.method(), Method::GET | Method::HEAD) => Ok(()),
        None => refused("a request that writes with a session names its origin"),
    }
}

/// The host that a request names, once.
fn host(request: &Request) -> Result<String, Problem> {
    if let Some(authority) = request.uri().authority() {
        return Ok(authority.as_str().to_owned());
    }
    let host = single(request.headers(), &header::HOST)?;
    host.map(str::to_owned)
        .ok_or_else(|| Problem::new(Kind::BadHeader, "Host is missing").at("Host"))
}

/// The value of a header that comes once at most.
fn single<'a>(
    headers: &'a HeaderMap,
    name: &header::HeaderName,
) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    let bad = |why: &str| Problem::new(Kind::BadHeader, format!("{name} {why}")).at(name.as_str());
    if second.is_some() {
        return Err(bad("comes more than once"));
    }
    first
        .map(|value| value.to_str().map_err(|_| bad("is no plain text")))
        .transpose()
}

/// The token that a request brings. Clients of mem0 call the scheme `Token`.
fn bearer(headers: &HeaderMap, is_mem0: bool) -> Result<Option<&str>, Problem> {
    let Some(value) = single(headers, &header::AUTHORIZATION)? else {
        return Ok(None);
    };
    match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        Some((scheme, token)) if is_mem0 && scheme.eq_ignore_ascii_case("token") => {
            Ok(Some(token.trim()))
        }
        _ => Err(Problem::new(
            Kind::BadToken,
            "Authorization has the form: Bearer TOKEN",
        )),
    }
}

/// What holds for every answer: it is kept by no cache, shown in no frame, and taken for nothing
/// but what it says.
fn harden(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let defaults = [
        (header::CACHE_CONTROL, "no-store"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
    ];
    for (name, value) in defaults {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
}
