//! Who calls, and the namespace that a route is about: it is had only with the right that the route
//! needs.

use std::marker::PhantomData;
use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{InvalidValue, MemoryId, NamespaceName, Wording};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::{Grant, Right};
use crate::app::App;
use crate::dto::HoldsTexts;
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
        let problem = Problem::new(Kind::NoRight, format!("the right {right} is needed"));
        Err(problem.worded(Wording::new("right", &[("right", &right)])))
    }

    /// Whether an import of this caller takes over all that an export holds: lines beside memories
    /// and the graph delete, can be taken back, or say how a namespace lives.
    pub(crate) fn restores_exports(&self) -> bool {
        self.grant.allows(Right::Admin) && self.grant.allows(Right::Delete)
    }

    /// An answer as this caller may see it: without texts of memories where they may not read.
    pub(crate) fn shown<T: HoldsTexts>(&self, answer: T) -> T {
        if self.grant.allows(Right::Read) {
            answer
        } else {
            answer.without_texts()
        }
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

/// Fails for a name that ends in `*` where no namespace has it yet: a token for that name would
/// reach all that begin so.
pub(crate) async fn may_begin(
    app: &App,
    space: &Namespace,
    (kind, field): (Kind, &str),
) -> Result<(), Problem> {
    if !space.name().ends_with('*') {
        return Ok(());
    }
    let there = space.clone();
    if app.run(move || Ok(there.admin().exists()?)).await? {
        return Ok(());
    }
    Err(ends_in_star(kind, field))
}

/// Why no namespace gets a name that ends in `*`.
pub(crate) fn ends_in_star(kind: Kind, field: impl Into<String>) -> Problem {
    let why = "no namespace gets a name that ends in `*`: in tokens that stands for all names that \
               begin so";
    Problem::new(kind, why)
        .worded(Wording::new("star", &[]))
        .at(field)
}

/// A part of the path that is not allowed.
fn unfit(error: &InvalidValue) -> Problem {
    Problem::new(Kind::BadPath, error.to_string()).worded(error.wording())
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
        let name = NamespaceName::new(name).map_err(|error| unfit(&error).at("ns"))?;
        let space = app.memory.namespace(name.as_str())?;
        may_begin(app, &space, (Kind::BadPath, "ns")).await?;
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
        let id = text.parse::<MemoryId>();
        id.map(Self).map_err(|error| unfit(&error).at("id"))
    }
}
