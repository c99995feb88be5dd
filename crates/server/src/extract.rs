//! What a request brings: values of the path, of the query and of the body, each refused by its
//! name.

use std::fmt::Display;
use std::sync::Arc;

use annals::Wording;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

use crate::app::App;
use crate::auth::Digest;
use crate::problem::{Kind, Problem};

/// The JSON of a request or of an answer.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

/// The JSON of a request that may be sent twice: with the hash of its bytes.
#[derive(Debug)]
pub(crate) struct Sent<T> {
    pub(crate) value: T,
    pub(crate) digest: Digest,
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let is_json = request
            .headers()
            .get(header::CONTENT_TYPE)
            .is_some_and(is_json);
        if !is_json {
            return Err(Problem::of(Kind::NotJson));
        }
        let bytes = read(request.into_body(), app).await?;
        Ok(Self {
            value: parse(&bytes)?,
            digest: Digest::of_bytes(&bytes),
        })
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        Ok(Self(Sent::from_request(request, app).await?.value))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(text) => (
                [(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("application/json"),
                )],
                text,
            )
                .into_response(),
            Err(error) => {
                tracing::error!(%error, "an answer cannot be written as JSON");
                Problem::of(Kind::Internal).into_response()
            }
        }
    }
}

/// The parameters behind the question mark.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<App>> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let text = parts.uri.query().unwrap_or_default();
        let pairs = serde_html_form::Deserializer::from_bytes(text.as_bytes());
        let value = serde_path_to_error::deserialize(pairs).map_err(|error| {
            let name = names(error.path()).into_iter().next();
            let said = error.inner().to_string();
            let problem = Problem::new(Kind::BadQuery, said.as_str()).worded(of_field(&said));
            match name {
                Some(name) => problem.at(name),
                None => problem,
            }
        })?;
        Ok(Self(value))
    }
}

/// A part of the path, without its percent encoding.
pub(crate) async fn path_value(
    parts: &mut Parts,
    app: &Arc<App>,
    name: &str,
) -> Result<String, Problem> {
    let values = RawPathParams::from_request_parts(parts, app).await;
    let values = values.map_err(|error| Problem::new(Kind::BadPath, error.to_string()))?;
    let found = values
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned());
    found.ok_or_else(|| Problem::of(Kind::NoRoute))
}

fn is_json(value: &HeaderValue) -> bool {
    let text = value.to_str().unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// Reads a body whole, in time and within its limit.
pub(crate) async fn read(body: Body, app: &App) -> Result<Bytes, Problem> {
    let limits = &app.limits;
    match tokio::time::timeout(limits.body, to_bytes(body, limits.body_bytes)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_too_long(&error) => Err(Problem::new(
            Kind::TooLarge,
            format!("a body has at most {} bytes", limits.body_bytes),
        )),
        Ok(Err(_)) => Err(Problem::of(Kind::BrokenOff)),
        Err(_) => {
            let seconds = limits.body.as_secs_f64();
            Err(Problem::new(
                Kind::TooSlow,
                format!("the body was not whole after {seconds} s"),
            ))
        }
    }
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

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut text = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let pointer = pointer(error.path());
        let problem = refused(error.inner());
        // Where the text is no JSON the field is not at fault: the detail names the place.
        if pointer.is_empty() || !error.inner().is_data() {
            problem
        } else {
            problem.at(pointer)
        }
    })?;
    text.end().map_err(|error| refused(&error))?;
    Ok(value)
}

/// What is wrong with a body: it is no JSON, or it has other fields than those that are wanted.
fn refused(error: &serde_json::Error) -> Problem {
    let said = error.to_string();
    let place = |name: &str| {
        let (line, column) = (error.line(), error.column());
        Wording::new(name, &[("line", &line), ("column", &column)])
    };
    match error.classify() {
        Category::Eof => {
            let why = format!("the JSON ends in the middle: {said}");
            Problem::new(Kind::BadJson, why).worded(place("json-ends"))
        }
        Category::Syntax | Category::Io => {
            Problem::new(Kind::BadJson, said).worded(place("json-syntax"))
        }
        Category::Data => {
            let kind = if said.starts_with(UNKNOWN) {
                Kind::UnknownField
            } else {
                Kind::BadField
            };
            let wording = of_field(&said);
            Problem::new(kind, said).worded(wording)
        }
    }
}

/// How serde begins to say that a field is not known, or lacks.
const UNKNOWN: &str = "unknown field `";
const MISSING: &str = "missing field `";

/// What serde says of a field, apart from its words.
fn of_field(said: &str) -> Option<Wording> {
    if let Some(rest) = said.strip_prefix(MISSING) {
        let (field, _) = rest.split_once('`')?;
        return Some(Wording::new("json-missing", &[("field", &field)]));
    }
    let (field, rest) = said.strip_prefix(UNKNOWN)?.split_once('`')?;
    let known = rest.strip_prefix(", expected ")?;
    let known = known.strip_prefix("one of ").unwrap_or(known);
    let known = known.split(" at line ").next().unwrap_or(known);
    let known = known.replace(" or ", ", ").replace('`', "");
    let places: [(&str, &dyn Display); 2] = [("field", &field), ("known", &known)];
    Some(Wording::new("json-unknown", &places))
}

/// The path of a value as a JSON pointer (RFC 6901).
fn pointer(path: &Path) -> String {
    names(path)
        .iter()
        .map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1")))
        .collect()
}

fn names(path: &Path) -> Vec<String> {
    let name = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { variant } => Some(variant.clone()),
        Segment::Unknown => None,
    };
    path.iter().filter_map(name).collect()
}
