//! The Model Context Protocol: tools of models, for the namespaces that a token reaches.

use std::sync::Arc;

use annals_mcp::{Access, Reach};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;

use crate::Right;
use crate::app::App;
use crate::auth::{Caller, Limited, Read, may_begin};
use crate::extract::{Query, read};
use crate::problem::{Kind, Problem};

/// The memories that a client works with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpParams {
    /// The namespace; the one of the token where it is bound to one.
    namespace: Option<String>,
    /// The namespace of the user beside that of a project: both are recalled together.
    user: Option<String>,
}

/// A message of a client, with its answer. Each is admitted by itself: there are no sessions that
/// another caller could take over.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Read>,
    Query(params): Query<McpParams>,
    request: Request,
) -> Result<Response, Problem> {
    let Some(server) = &app.mcp else {
        return Err(Problem::of(Kind::NoRoute));
    };
    let reach = reach(&app, &caller, params).await?;
    let access = if caller.need(Right::Write).is_ok() {
        Access::Write
    } else {
        Access::Read
    };
    let server = server.limited_to(reach, access);
    let (head, body) = request.into_parts();
    let body = read(body, &app).await?;
    let answered = server.answer(
        Request::from_parts(head, Body::from(body)),
        app.ending.child_token(),
    );
    let most = app.limits.call;
    tokio::time::timeout(most, answered).await.map_err(|_| {
        Problem::new(
            Kind::TakesLong,
            format!("it was not done after {} s", most.as_secs_f64()),
        )
    })
}

/// What is reached, within what the caller reaches.
async fn reach(app: &App, caller: &Caller, params: McpParams) -> Result<Reach, Problem> {
    let refused = |field: &str| {
        let field = field.to_owned();
        move |error: annals::InvalidValue| Problem::new(Kind::BadQuery, error.to_string()).at(field)
    };
    let namespace = params.namespace.or_else(|| caller.grant.only_namespace()).ok_or_else(|| {
        let why = "the token reaches several namespaces: name one in the address, /mcp?namespace=NAME";
        Problem::new(Kind::BadQuery, why).at("namespace")
    })?;
    caller.reach(&namespace)?;
    let reach = match &params.user {
        Some(user) => {
            caller.reach(user)?;
            Reach::project(&namespace, user).map_err(refused("user"))?
        }
        None => Reach::one(&namespace).map_err(refused("namespace"))?,
    };
    for (name, field) in [
        (Some(&namespace), "namespace"),
        (params.user.as_ref(), "user"),
    ] {
        if let Some(name) = name {
            may_begin(app, &app.memory.namespace(name)?, (Kind::BadQuery, field)).await?;
        }
    }
    Ok(reach)
}
