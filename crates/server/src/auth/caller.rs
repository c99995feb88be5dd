//! Who calls, and the namespace that a route is about: it is had only with the right that the route
//! needs.

use std::marker::PhantomData;
use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{MemoryId, NamespaceName};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::{Grant, Right};
use crate::app::App;
use crate::extract;
use crate::problem::{Kind, Problem};

/// Who calls, and what they may do.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) grant: Grant,
    pub(crate) holder: Holder,
}

/// How somebody is known.
#[derive(Debug, Clone)]
pub(crate) enum Holder {
    /// By a token of this id.
    Token(String),
    /// By a session of a browser.
    Browser(String),
}

impl Caller {
    /// Fails without a right.
    pub(crate) fn need(&self, right: Right) -> Result<(), Problem> {
        if self.grant.allows(right) {
            return Ok(());
        }
        Err(Problem::new(
            Kind::NoRight,
            format!("the right {right} is needed"),
        ))
    }

    /// Fails where a namespace is out of reach, whether or not it exists.
    pub(crate) fn reach(&self, namespace: &str) -> Result<(), Problem> {
        if self.grant.reaches(namespace) {
            Ok(())
        } else {
            Err(Problem::of(Kind::OtherNamespace))
        }
    }

    /// Fails where anything is out of reach.
    pub(crate) fn reach_all(&self) -> Result<(), Problem> {
        if self.grant.is_whole() {
            return Ok(());
        }
        Err(Problem::new(
            Kind::OtherNamespace,
            "a token for all namespaces (*) is needed",
        ))
    }

    /// A name of the caller for idempotency keys: nobody meets the keys of another one.
    pub(crate) fn name(&self) -> &str {
        match &self.holder {
            Holder::Token(id) => id,
            Holder::Browser(session) => session,
        }
    }

    pub(crate) fn of(parts: &Parts) -> Result<Arc<Self>, Problem> {
        parts
            .extensions
            .get::<Arc<Self>>()
            .cloned()
            .ok_or_else(|| Problem::of(Kind::NoToken))
    }
}

/// A right as a type, so that a route says in its arguments which one it needs.
pub(crate) trait Needs: Send + Sync + 'static {
    const RIGHT: Right;
}

macro_rules! needs {
    ($($name:ident),+) => {
        $(
            #[derive(Debug)]
            pub(crate) struct $name;

            impl Needs for $name {
                const RIGHT: Right = Right::$name;
            }
        )+
    };
}

needs! { Read, Write, Delete, Admin }

/// The namespace of the path, for a caller who has the right.
pub(crate) struct Space<R> {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Arc<Caller>,
    pub(crate) space: Namespace,
    pub(super) right: PhantomData<R>,
}

impl<R: Needs> FromRequestParts<Arc<App>> for Space<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let caller = Caller::of(parts)?;
        caller.need(R::RIGHT)?;
        let name = extract::path_value(parts, app, "ns").await?;
        caller.reach(&name)?;
        let name = NamespaceName::new(name)
            .map_err(|error| Problem::new(Kind::BadPath, error.to_string()).at("ns"))?;
        let space = app.memory.namespace(name.as_str())?;
        Ok(Self {
            app: Arc::clone(app),
            caller,
            space,
            right: PhantomData,
        })
    }
}

impl<R> Space<R> {
    /// Does something with the namespace on a thread that may block.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&Namespace) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let Self { app, space, .. } = self;
        app.run(move || work(&space)).await
    }
}

/// A caller who has a right, for a route about no single namespace.
pub(crate) struct Limited<R> {
    pub(crate) caller: Arc<Caller>,
    right: PhantomData<R>,
}

impl<R: Needs> FromRequestParts<Arc<App>> for Limited<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let caller = Caller::of(parts)?;
        caller.need(R::RIGHT)?;
        Ok(Self {
            caller,
            right: PhantomData,
        })
    }
}

/// The memory that the path names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id(pub(crate) MemoryId);

impl FromRequestParts<Arc<App>> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let text = extract::path_value(parts, app, "id").await?;
        let id = text
            .parse()
            .map_err(|error| Problem::new(Kind::BadPath, format!("{error}")).at("id"))?;
        Ok(Self(id))
    }
}
