//! What all routes share.

use std::sync::Arc;
use std::time::Duration;

use annals::Timestamp;
use annals::blocking::Memory;
use annals::storage::carry_out;
use axum::http::{HeaderMap, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::ServeError;
use crate::auth::{Caller, Digest, Holder, Sessions, Space, TokenStore};
use crate::events::Subscribers;
use crate::hosts::Hosts;
use crate::limits::Limits;
use crate::locks::EditLocks;
use crate::metrics::Metrics;
use crate::problem::{Kind, Problem};
use crate::requests::{Known, Once, Requests};

/// The wait that a client is told when too much is under way.
const RETRY: Duration = Duration::from_secs(1);

pub(crate) struct App {
    pub(crate) memory: Memory,
    pub(crate) tokens: TokenStore,
    pub(crate) sessions: Sessions,
    pub(crate) hosts: Hosts,
    pub(crate) limits: Limits,
    pub(crate) edits: EditLocks,
    pub(crate) ending: CancellationToken,
    pub(crate) subscribers: Subscribers,
    pub(crate) metrics: Metrics,
    /// The server of the Model Context Protocol, where there is one.
    pub(crate) mcp: Option<annals_mcp::Server>,
    /// Whether clients of mem0 are served.
    pub(crate) mem0: bool,
    requests: Requests,
    running: Arc<Semaphore>,
    streaming: Arc<Semaphore>,
    /// The name of the cookie: cookies know no ports, so it has the port in it.
    cookie: String,
}

impl App {
    pub(crate) fn new(
        memory: Memory,
        tokens: TokenStore,
        hosts: Hosts,
        limits: Limits,
        (mcp, mem0): (Option<annals_mcp::Server>, bool),
        port: u16,
    ) -> Self {
        Self {
            memory,
            tokens,
            sessions: Sessions::default(),
            hosts,
            edits: EditLocks::new(),
            ending: CancellationToken::new(),
            subscribers: Subscribers::default(),
            metrics: Metrics::default(),
            mcp,
            mem0,
            requests: Requests::default(),
            running: Arc::new(Semaphore::new(limits.calls)),
            streaming: Arc::new(Semaphore::new(limits.streams)),
            cookie: format!("annals-{port}"),
            limits,
        }
    }

    /// The moment by the clock of the system: tokens end by it, whatever clock memories have.
    pub(crate) fn now(&self) -> Timestamp {
        annals::Clock::now(&annals::SystemClock)
    }

    /// Whether a path is a page or a part of one, which holds no memory.
    pub(crate) fn is_page(&self, path: &str) -> bool {
        crate::page::is_page(path)
    }

    /// Does something with the memory on a thread that may block, within the limits.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        if self.ending.is_cancelled() {
            return Err(Problem::of(Kind::Ending));
        }
        let turn =
            tokio::time::timeout(self.limits.queue, Arc::clone(&self.running).acquire_owned())
                .await;
        let Ok(turn) = turn else {
            let why = format!(
                "{} calls are under way, which is the limit",
                self.limits.calls
            );
            return Err(Problem::new(Kind::Busy, why).after(RETRY));
        };
        let turn = turn.map_err(|_| Problem::of(Kind::Ending))?;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        match tokio::time::timeout(self.limits.call, done).await {
            Ok(Ok(answer)) => answer,
            // A call that panicked has poisoned the handle; the next one says why.
            Ok(Err(_)) => Err(Problem::of(Kind::Internal)),
            Err(_) => {
                let why = format!("it was not done after {} s", self.limits.call.as_secs_f64());
                Err(Problem::new(Kind::TakesLong, why))
            }
        }
    }

    /// The turn of an import or an export: they take long, and others wait for them no longer than
    /// for a call.
    pub(crate) fn begin_stream(&self) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.streaming)
            .try_acquire_owned()
            .map_err(|_| {
                let why = format!(
                    "{} imports and exports are under way, which is the limit",
                    self.limits.streams
                );
                Problem::new(Kind::Busy, why).after(RETRY)
            })
    }

    /// Whether a caller who was let in would be let in now.
    pub(crate) fn still_admits(&self, caller: &Caller) -> bool {
        match &caller.holder {
            Holder::Token(id) => self.tokens.is_alive(id, self.now()).unwrap_or(false),
            Holder::Browser(session) => self.sessions.is_open(session),
        }
    }

    /// When the token of a caller ends, where it does. A session of a browser has every right of the
    /// person at the machine: what they make does not end with it. [`ServeError::BadToken`] where the
    /// token was revoked meanwhile.
    pub(crate) fn end_of(&self, caller: &Caller) -> Result<Option<Timestamp>, ServeError> {
        match &caller.holder {
            Holder::Token(id) => {
                let all = self.tokens.list()?;
                let own = all.into_iter().find(|info| info.id == *id);
                let over = || ServeError::BadToken("the token works no more".to_owned());
                Ok(own.ok_or_else(over)?.expires_at)
            }
            Holder::Browser(_) => Ok(None),
        }
    }

    /// The session that a cookie names.
    pub(crate) fn session_of<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let cookies = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut pairs = cookies
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs
            .find(|(name, _)| *name == self.cookie)
            .map(|(_, value)| value)
    }

    /// The header that sets the cookie of a session, or with an empty one takes it away.
    pub(crate) fn cookie(&self, session: &str) -> String {
        let life = if session.is_empty() {
            "; Max-Age=0"
        } else {
            ""
        };
        format!(
            "{}={session}; Path=/; HttpOnly; SameSite=Strict{life}",
            self.cookie
        )
    }
}

/// How often a request was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It is to be carried out now. Its writes give their answer again where they were made
    /// already.
    First,
    /// It was carried out, and its answer is still to be given.
    Again,
}

impl<R> Space<R> {
    /// Carries out a write that may be sent again: `work` is told whether it was carried out
    /// before.
    pub(crate) async fn write<T: Send + 'static>(
        self,
        once: &Once,
        body: &Digest,
        work: impl FnOnce(&annals::blocking::Namespace, Turn) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let Self { app, space, .. } = self;
        let known = app.requests.begin(once, body, app.now())?;
        let done = app
            .run(move || run_once(known.as_ref(), |turn| work(&space, turn)))
            .await?;
        if let Some(known) = &known {
            app.requests.finish(known);
        }
        Ok(done)
    }
}

fn run_once<T>(known: Option<&Known>, work: impl FnOnce(Turn) -> T) -> T {
    match known {
        Some(known) if known.done => carry_out(known.request, || work(Turn::Again)),
        Some(known) => carry_out(known.request, || work(Turn::First)),
        None => work(Turn::First),
    }
}
