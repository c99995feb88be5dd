//! What goes wrong, as RFC 9457 says it: `application/problem+json`.

use std::time::Duration;

use annals::{Error, ErrorKind, InvalidValue, Missing, Wording};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::texts::Language;

/// The media type of problems.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $status:ident, $name:literal;)+) => {
        /// A kind of problem: its status, and the name by which programs tell it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kind { $($(#[$doc])* $kind,)+ }

        impl Kind {
            /// All of them.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$kind,)+];

            /// Its name.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            const fn status(self) -> StatusCode {
                match self { $(Self::$kind => StatusCode::$status,)+ }
            }
        }
    };
}

kinds! {
    BadJson = BAD_REQUEST, "bad-json";
    /// A field of a body lacks, or is of another type.
    BadField = BAD_REQUEST, "bad-field";
    UnknownField = BAD_REQUEST, "unknown-field";
    BadValue = BAD_REQUEST, "bad-value";
    BadQuery = BAD_REQUEST, "bad-query";
    BadForm = BAD_REQUEST, "bad-form";
    BadPath = BAD_REQUEST, "bad-path";
    BadHeader = BAD_REQUEST, "bad-header";
    BrokenOff = BAD_REQUEST, "broken-off";
    NoToken = UNAUTHORIZED, "no-token";
    BadToken = UNAUTHORIZED, "bad-token";
    BadLink = UNAUTHORIZED, "bad-link";
    NoRight = FORBIDDEN, "no-right";
    OtherNamespace = FORBIDDEN, "other-namespace";
    OtherHost = FORBIDDEN, "other-host";
    OtherOrigin = FORBIDDEN, "other-origin";
    NoRoute = NOT_FOUND, "no-route";
    NoMemory = NOT_FOUND, "no-memory";
    NoNamespace = NOT_FOUND, "no-namespace";
    /// No language model is configured.
    NoModel = NOT_FOUND, "no-model";
    NotFound = NOT_FOUND, "not-found";
    BadMethod = METHOD_NOT_ALLOWED, "bad-method";
    Conflict = CONFLICT, "conflict";
    Changed = PRECONDITION_FAILED, "changed";
    TooLarge = PAYLOAD_TOO_LARGE, "too-large";
    NotJson = UNSUPPORTED_MEDIA_TYPE, "not-json";
    Encoded = UNSUPPORTED_MEDIA_TYPE, "encoded";
    KeyReused = UNPROCESSABLE_ENTITY, "key-reused";
    TooSlow = REQUEST_TIMEOUT, "too-slow";
    Internal = INTERNAL_SERVER_ERROR, "internal";
    Damaged = INTERNAL_SERVER_ERROR, "damaged";
    Storage = INTERNAL_SERVER_ERROR, "storage";
    Full = INSUFFICIENT_STORAGE, "full";
    ReadOnly = SERVICE_UNAVAILABLE, "read-only";
    Embedder = BAD_GATEWAY, "embedder";
    /// The language model does not answer.
    Model = BAD_GATEWAY, "model";
    /// Turns were kept, and the language model could not look through them.
    NotExtracted = BAD_GATEWAY, "not-extracted";
    Busy = SERVICE_UNAVAILABLE, "busy";
    Crowded = SERVICE_UNAVAILABLE, "connections";
    Locked = SERVICE_UNAVAILABLE, "locked";
    TakesLong = SERVICE_UNAVAILABLE, "takes-long";
    Ending = SERVICE_UNAVAILABLE, "ending";
}

/// Something that went wrong. `code` is for programs, `title`, `detail` and `action` are for
/// people, in the language of `Accept-Language`.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// The kind of problem as a URI: `urn:annals:problem:` and its code.
    #[serde(rename = "type")]
    uri: String,
    /// The kind of problem in a few words.
    title: String,
    /// The status of the answer.
    status: u16,
    /// The kind of problem.
    code: &'static str,
    /// What was wrong with this request.
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    /// What to do about it.
    action: String,
    /// The fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldProblem>,
}

/// A field that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct FieldProblem {
    /// The field: a JSON pointer into the body, or the name of a parameter.
    pub(crate) field: String,
    /// What is wrong with it.
    pub(crate) detail: String,
}

/// A problem on its way to the client.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    kind: Kind,
    detail: String,
    /// What the detail says, apart from its words.
    wording: Option<Wording>,
    fields: Vec<FieldProblem>,
    retry_after: Option<Duration>,
}

impl Problem {
    pub(crate) const fn of(kind: Kind) -> Self {
        Self {
            kind,
            detail: String::new(),
            wording: None,
            fields: Vec::new(),
            retry_after: None,
        }
    }

    pub(crate) fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
            ..Self::of(kind)
        }
    }

    /// Says the detail apart from its words, so that it can be told in another language.
    pub(crate) fn worded(mut self, wording: impl Into<Option<Wording>>) -> Self {
        self.wording = wording.into();
        self
    }

    /// Names the field that is wrong: a JSON pointer, or the name of a parameter.
    pub(crate) fn at(mut self, field: impl Into<String>) -> Self {
        self.fields.push(FieldProblem {
            field: field.into(),
            detail: self.detail.clone(),
        });
        self
    }

    pub(crate) const fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Whether the same may go well a moment later.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self.kind, Kind::Busy | Kind::Locked | Kind::TakesLong)
    }

    #[cfg(test)]
    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    fn body(&self, language: Language) -> ProblemBody {
        let (title, action) = language.problem(self.kind.name());
        let told = self.wording.as_ref();
        let told = told.and_then(|wording| language.detail(wording));
        let mut errors = self.fields.clone();
        if let Some(told) = &told {
            for field in errors.iter_mut().filter(|one| one.detail == self.detail) {
                field.detail.clone_from(told);
            }
        }
        ProblemBody {
            uri: format!("urn:annals:problem:{}", self.kind.name()),
            title,
            status: self.kind.status().as_u16(),
            code: self.kind.name(),
            detail: told.unwrap_or_else(|| self.detail.clone()),
            action,
            errors,
        }
    }

    /// As JSON, in English: for a client whose request was not read.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(&self.body(Language::English)).unwrap_or_default()
    }

    fn answer(&self, language: Language) -> Response {
        let text = serde_json::to_string(&self.body(language)).unwrap_or_default();
        let mut response = Response::new(Body::from(text));
        *response.status_mut() = self.kind.status();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        headers.insert(
            header::CONTENT_LANGUAGE,
            HeaderValue::from_static(language.tag()),
        );
        if self.kind.status() == StatusCode::UNAUTHORIZED {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"annals\""),
            );
        }
        if let Some(wait) = self.retry_after {
            headers.insert(
                header::RETRY_AFTER,
                HeaderValue::from(wait.as_secs().max(1)),
            );
        }
        if matches!(self.kind, Kind::TooSlow | Kind::TooLarge | Kind::BrokenOff) {
            // The rest of the body is not read.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.answer(Language::English);
        response.extensions_mut().insert(self);
        response
    }
}

/// Answers problems in the language of the client.
pub(crate) async fn in_language(request: Request, next: Next) -> Response {
    let wanted = request
        .headers()
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok());
    let language = Language::preferred(wanted);
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Problem>() {
        Some(problem) if language != Language::English => problem.answer(language),
        _ => response,
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::NotFound => match error.missing() {
                Some(Missing::Memory) => Kind::NoMemory,
                Some(Missing::Namespace) => Kind::NoNamespace,
                _ => Kind::NotFound,
            },
            ErrorKind::Invalid => Kind::BadValue,
            ErrorKind::Conflict => Kind::Conflict,
            ErrorKind::Locked => Kind::Locked,
            ErrorKind::Full => Kind::Full,
            ErrorKind::ReadOnly => Kind::ReadOnly,
            ErrorKind::Embedder => Kind::Embedder,
            ErrorKind::Corrupt | ErrorKind::NotADatabase => Kind::Damaged,
            ErrorKind::Io => Kind::Storage,
            _ => Kind::Internal,
        };
        if kind.status().is_server_error() {
            // It may name paths: whoever runs the server reads them there.
            tracing::error!(error = error.logged(), "a call failed");
            return Self::of(kind);
        }
        Self::new(kind, error.to_string()).worded(error.wording())
    }
}

impl From<InvalidValue> for Problem {
    fn from(error: InvalidValue) -> Self {
        let field = field_of(&error);
        let problem = Self::new(Kind::BadValue, error.to_string()).worded(error.wording());
        match field {
            Some(field) => problem.at(format!("/{field}")),
            None => problem,
        }
    }
}

/// The field of a body that a refused value belongs to.
fn field_of(error: &InvalidValue) -> Option<&'static str> {
    let field = match error {
        InvalidValue::Empty { field }
        | InvalidValue::TooLong { field, .. }
        | InvalidValue::TooMany { field, .. }
        | InvalidValue::BadLabel { field, .. }
        | InvalidValue::Unknown { field, .. }
        | InvalidValue::OutOfRange { field, .. }
        | InvalidValue::Backwards { field, .. } => *field,
        InvalidValue::TooDeep { .. } => "metadata",
        _ => return None,
    };
    Some(match field {
        "tag" => "tags",
        "metadata key" => "metadata",
        "validity" => "valid_until",
        other => other,
    })
}
