//! Clients over streamable HTTP.

mod admission;
mod limits;
mod single;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use annals_connections::{Farewell, serve};
use axum::{Router, middleware};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::admission::{Admission, admit};
pub use self::limits::Limits;
use crate::stdio::told_to_end;
use crate::{ServeError, Server};

/// The address where nothing else is said: only programs of this machine reach it.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 19_876);

/// The path of the server.
const PATH: &str = "/mcp";

/// The settings of a server over HTTP.
#[derive(Debug, Clone)]
#[must_use = "settings do nothing until they are served"]
pub struct Http {
    address: SocketAddr,
    hosts: Vec<String>,
    access: Access,
    limits: Limits,
}

/// Who is served.
#[derive(Clone)]
enum Access {
    /// It was not said.
    Unsaid,
    /// Whoever brings this token.
    Token(String),
    /// Every program and every user of this machine.
    Everybody,
}

/// The token is no word for logs.
impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unsaid => "Unsaid",
            Self::Token(_) => "Token",
            Self::Everybody => "Everybody",
        })
    }
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
            access: Access::Unsaid,
            limits: Limits::default(),
        }
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
        let token = token.into();
        self.access = if token.is_empty() {
            Access::Unsaid
        } else {
            Access::Token(token)
        };
        self
    }

    /// Answers every request that comes from this machine, of whatever user.
    pub fn without_token(mut self) -> Self {
        self.access = Access::Everybody;
        self
    }

    /// Sets how much of the server its clients may take.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes the address. It needs a [token](Self::token), or the word that there is
    /// [none](Self::without_token): every user of a machine reaches its own addresses. One that
    /// other machines reach always needs a token.
    ///
    /// # Errors
    /// [`ServeError`] when it cannot be taken, or a token is missing.
    pub fn listen(self) -> Result<Listener, ServeError> {
        let address = self.address;
        match self.access {
            Access::Token(_) => {}
            Access::Everybody if address.ip().is_loopback() => {}
            Access::Unsaid if address.ip().is_loopback() => {
                return Err(ServeError::NoLocalToken { address });
            }
            Access::Unsaid | Access::Everybody => return Err(ServeError::NoToken { address }),
        }
        let refused = |source| ServeError::Listen { address, source };
        let socket = std::net::TcpListener::bind(address).map_err(refused)?;
        socket.set_nonblocking(true).map_err(refused)?;
        let address = socket.local_addr().map_err(refused)?;
        Ok(Listener {
            http: Self { address, ..self },
            socket,
        })
    }
}

/// A server that has its address.
#[derive(Debug)]
pub struct Listener {
    http: Http,
    socket: std::net::TcpListener,
}

impl Listener {
    /// The address that it has.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.http.address
    }

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
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Runtime)?;
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
            .with_cancellation_token(ending.child_token())
            .with_max_request_body_bytes(http.limits.body_bytes);
        let sessions = Arc::new(LocalSessionManager::default());
        let service =
            StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&sessions), config);
        let limits = http.limits;
        let token = match http.access {
            Access::Token(token) => Some(token),
            Access::Unsaid | Access::Everybody => None,
        };
        let connections = limits.of_connections(token.is_some());
        let admission = Arc::new(Admission {
            token,
            sessions,
            limits,
        });
        let router = Router::new()
            .route_service(PATH, service)
            .layer(middleware::from_fn_with_state(admission, admit));
        let socket = TcpListener::from_std(socket).map_err(ServeError::Ended)?;
        let ended = async {
            end.await;
            ending.cancel();
        };
        let farewell = Farewell {
            content_type: "text/plain; charset=utf-8",
            body: |why| format!("{why}; try again later\n"),
        };
        tokio::join!(
            serve(socket, router, connections, farewell, ending.clone()),
            ended
        );
        Ok(())
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
