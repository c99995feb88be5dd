//! The user whose memories a route of the studio design is about: nobody reaches those of another
//! one.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::caller::Needs;
use super::{Caller, Space};
use crate::app::App;
use crate::problem::{Kind, Problem};

/// The header by which a caller who reaches several users names one.
const HEADER: &str = "x-user-id";

/// The namespace of the user, for a caller who has the right.
pub(crate) struct User<R>(pub(crate) Space<R>);

impl<R: Needs> FromRequestParts<Arc<App>> for User<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let caller = Caller::of(parts)?;
        caller.need(R::RIGHT)?;
        let name = match parts.headers.get(HEADER) {
            Some(value) => {
                let user = value
                    .to_str()
                    .ok()
                    .and_then(|text| text.parse::<u64>().ok());
                let bad = || {
                    Problem::new(Kind::BadHeader, "X-User-Id is the number of a user")
                        .at("X-User-Id")
                };
                format!("user:{}", user.ok_or_else(bad)?)
            }
            None => caller.grant.only_namespace().ok_or_else(|| {
                Problem::new(
                    Kind::BadHeader,
                    "the token reaches several users; X-User-Id names one",
                )
                .at("X-User-Id")
            })?,
        };
        caller.reach(&name)?;
        let space = app.memory.namespace(&name)?;
        Ok(Self(Space {
            app: Arc::clone(app),
            caller,
            space,
            right: PhantomData,
        }))
    }
}
