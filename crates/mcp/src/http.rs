//! Clients over streamable HTTP.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::stdio::told_to_end;
use crate::{ServeError, Server};

/// The address where nothing else is said: only programs of this machine reach it.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 19_876);

/// The path of the server.
const PATH: &str = "/mcp";

/// How long requests that are under way may take once the server is told to end.
const GRACE: Duration = Duration::from_secs(3);

/// The settings of a server over HTTP.
#[derive(Debug, Clone)]
#[must_use = "settings do nothing until they are served"]
pub struct Http {
    address: SocketAddr,
    hosts: Vec<String>,
    token: Option<String>,
}

impl Default for Http {
    fn default() -> Self {
        Self::at(DEFAULT_ADDRESS)
    }
}

impl Http {
    /// A server at an address.
    pub fn at(address: SocketAddr) -> Self {
        Self { address, hosts: Vec::new(), token: None }
    }

    /// Answers requests to this host name as well, such as `memory.example.org`. Without any, only
    /// names of this machine and the address itself are answered, so that no page of the web
    /// reaches the server by a name that it made lead here.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into());
        self
    }

    /// Answers only requests that bring this token: `Authorization: Bearer TOKEN`.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into()).filter(|token| !token.is_empty());
        self
    }

    /// Takes the address. An address that other machines reach needs a [token](Self::token).
    ///
    /// # Errors
    /// [`ServeError`] when it cannot be taken, or a token is missing.
    pub fn listen(self) -> Result<Listener, ServeError> {
        let address = self.address;
        if !address.ip().is_loopback() && self.token.is_none() {
            return Err(ServeError::NoToken { address });
        }
        let refused = |source| ServeError::Listen { address, source };
        let socket = std::net::TcpListener::bind(address).map_err(refused)?;
        socket.set_nonblocking(true).map_err(refused)?;
        let address = socket.local_addr().map_err(refused)?;
        Ok(Listener { http: Self { address, ..self }, socket })
    }
}

/// A server that has its address.
#[derive(Debug)]
pub struct Listener {
    http: Http,
    socket: std::net::TcpListener,
}

impl Listener {
    /// The address that clients are given.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.http.address)
    }

    /// Serves clients until this process is told to end.
    ///
    /// # Errors
    /// [`ServeError`] when connections can no longer be accepted.
    pub fn serve(self, server: Server) -> Result<(), ServeError> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::Runtime)?;
        let served = runtime.block_on(self.serve_until(server, told_to_end()));
        runtime.shutdown_background();
        served
    }

    /// Serves clients until `end` is over; streams that are open are closed then.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub async fn serve_until(
        self,
        server: Server,
        end: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let Self { http, socket } = self;
        let ending = CancellationToken::new();
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(http.allowed_hosts())
            // Pages of the web send an origin, programs do not.
            .enforce_origin_validation()
            .with_cancellation_token(ending.child_token());
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
        let token: Arc<Option<String>> = Arc::new(http.token);
        let router = Router::new().route_service(PATH, service).layer(middleware::from_fn_with_state(token, admitted));
        let socket = TcpListener::from_std(socket).map_err(ServeError::Ended)?;
        let late = {
            let ending = ending.clone();
            async move {
                ending.cancelled().await;
                tokio::time::sleep(GRACE).await;
            }
        };
        let ended = async move {
            end.await;
            ending.cancel();
        };
        tokio::select! {
            served = axum::serve(socket, router).with_graceful_shutdown(ended).into_future() => {
                served.map_err(ServeError::Ended)
            }
            // A client that never finishes its request keeps nobody waiting.
            () = late => Ok(()),
        }
    }
}

impl Http {
    fn allowed_hosts(&self) -> Vec<String> {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        if !self.address.ip().is_unspecified() {
            hosts.push(self.address.ip().to_string());
        }
        hosts.extend(self.hosts.iter().cloned());
        hosts
    }
}

/// Lets a request pass that brings the token, where one is asked for.
async fn admitted(State(token): State<Arc<Option<String>>>, request: Request, next: Next) -> Response {
    let Some(wanted) = token.as_deref() else { return next.run(request).await };
    let given = request.headers().get(header::AUTHORIZATION).map(|value| value.as_bytes());
    let given = given.and_then(|value| value.split_at_checked(7));
    let fits =
        given.is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case(b"Bearer ") && same(token, wanted.as_bytes()));
    if fits {
        return next.run(request).await;
    }
    let wanted = [(header::WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, wanted, "this server asks for a token: Authorization: Bearer TOKEN\n").into_response()
}

/// Compares in a time that tells nothing of where they differ.
fn same(given: &[u8], wanted: &[u8]) -> bool {
    let differing = given.iter().zip(wanted).fold(0_u8, |differing, (a, b)| differing | (a ^ b));
    given.len() == wanted.len() && differing == 0
}
