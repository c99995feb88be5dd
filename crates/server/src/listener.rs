//! The server: its settings, its address, and its life.

use std::net::SocketAddr;
use std::sync::Arc;

use annals::blocking::Memory;
use annals_connections::Farewell;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::app::App;
use crate::auth::{TokenStore, guard};
use crate::hosts::Hosts;
use crate::limits::Limits;
use crate::metrics::measure;
use crate::problem::{Kind, MEDIA_TYPE, Problem, in_language};
use crate::{DEFAULT_ADDRESS, ServeError, routes};

/// The settings of a server.
#[derive(Debug, Clone)]
#[must_use = "settings do nothing until they are served"]
pub struct Http {
    address: SocketAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
    limits: Limits,
    mcp: Option<annals_mcp::Server>,
    mem0: bool,
}

impl Default for Http {
    fn default() -> Self {
        Self::at(DEFAULT_ADDRESS)
    }
}

impl Http {
    /// A server at an address.
    pub fn at(address: SocketAddr) -> Self {
        Self {
            address,
            hosts: Vec::new(),
            origins: Vec::new(),
            limits: Limits::default(),
            mcp: None,
            mem0: false,
        }
    }

    /// Answers requests to this host name as well, such as `memory.example.org`. Without any, only
    /// names of this machine and the address itself are answered, so that no page of the web
    /// reaches the server by a name that it made lead here.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into());
        self
    }

    /// Lets pages of this origin, such as `https://app.example.org`, read answers with a token of
    /// their own.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Sets how much of the server its clients may take.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Serves clients of the Model Context Protocol at `/mcp`, which reach what their token
    /// reaches. The reach of the given server counts for nothing.
    pub fn mcp(mut self, server: annals_mcp::Server) -> Self {
        self.mcp = Some(server);
        self
    }

    /// Serves the routes of mem0's server as well: `/memories`, `/search`, and those that its
    /// Python client calls. Keys of its clients are tokens, and a user `42` has the namespace
    /// `user:42`.
    pub fn like_mem0(mut self) -> Self {
        self.mem0 = true;
        self
    }

    /// Takes the address, for the memories of a database and the tokens that let clients in.
    ///
    /// # Errors
    /// [`ServeError::Listen`] when it cannot be taken.
    pub fn listen(self, memory: Memory, tokens: TokenStore) -> Result<Listener, ServeError> {
        let address = self.address;
        let refused = |source| ServeError::Listen { address, source };
        let socket = std::net::TcpListener::bind(address).map_err(refused)?;
        socket.set_nonblocking(true).map_err(refused)?;
        let address = socket.local_addr().map_err(refused)?;
        let hosts = Hosts::new(address, &self.hosts, &self.origins);
        let app = App::new(
            memory,
            tokens,
            hosts,
            self.limits,
            (self.mcp, self.mem0),
            address.port(),
        );
        Ok(Listener {
            app: Arc::new(app),
            address,
            socket,
        })
    }
}

/// A server that has its address.
pub struct Listener {
    app: Arc<App>,
    address: SocketAddr,
    socket: std::net::TcpListener,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Listener {
    /// The address that it has.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that clients are given.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A link that lets one browser in, once, within ten minutes.
    ///
    /// # Errors
    /// As [`TokenStore::make_link`].
    pub fn link(&self) -> Result<String, ServeError> {
        Ok(format!(
            "{}/login?code={}",
            self.url(),
            self.app.tokens.make_link(self.app.now())?
        ))
    }

    /// What ends the server: requests under way are answered, and it returns.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.app.ending.clone())
    }

    /// Serves clients until it is [stopped](Self::stopper). What was acknowledged is on disk.
    ///
    /// # Errors
    /// [`ServeError`] when no threads can be started, or the address is lost.
    pub fn serve(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(ServeError::Runtime)?;
        let Self {
            app,
            address,
            socket,
        } = self;
        let served = runtime.block_on(async {
            let socket = TcpListener::from_std(socket)
                .map_err(|source| ServeError::Listen { address, source })?;
            let (limits, ending) = (app.limits.of_connections(), app.ending.clone());
            let farewell = Farewell {
                content_type: MEDIA_TYPE,
                body: |why| Problem::new(Kind::Crowded, why).text(),
            };
            annals_connections::serve(socket, router(app), limits, farewell, ending).await;
            Ok(())
        });
        // Calls that have begun are finished: their threads are waited for.
        drop(runtime);
        served
    }
}

/// Ends a server.
#[derive(Debug, Clone)]
pub struct Stopper(CancellationToken);

impl Stopper {
    /// Ends it.
    pub fn stop(&self) {
        self.0.cancel();
    }
}

/// All routes behind what every request meets.
pub(crate) fn router(app: Arc<App>) -> Router {
    let cors = cors(&app.hosts.origins);
    let guarded = middleware::from_fn_with_state(Arc::clone(&app), guard);
    let measured = middleware::from_fn_with_state(Arc::clone(&app), measure);
    let (mut router, _) = routes::all().split_for_parts();
    if app.mem0 {
        router = router.merge(routes::like_mem0());
    }
    let router = router
        .fallback(routes::nothing)
        .method_not_allowed_fallback(routes::no_method)
        .with_state(app);
    let router = router
        .layer(guarded)
        .layer(measured)
        .layer(middleware::from_fn(in_language))
        .layer(CompressionLayer::new());
    match cors {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

/// The answers to pages of other origins; none where none was named.
fn cors(origins: &[String]) -> Option<CorsLayer> {
    let named: Vec<HeaderValue> = origins
        .iter()
        .filter_map(|origin| origin.parse().ok())
        .collect();
    if named.is_empty() {
        return None;
    }
    let own = |name| HeaderName::from_static(name);
    let headers = [
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        header::IF_MATCH,
        own("idempotency-key"),
    ];
    let methods = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ];
    let exposed = [header::ETAG, header::LOCATION, header::RETRY_AFTER];
    let layer = CorsLayer::new().allow_origin(AllowOrigin::list(named));
    Some(
        layer
            .allow_methods(methods)
            .allow_headers(headers)
            .expose_headers(exposed),
    )
}
