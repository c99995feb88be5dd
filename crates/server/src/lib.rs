#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )
)]

mod app;
mod auth;
mod dto;
mod error;
mod events;
mod extract;
mod hosts;
mod limits;
mod listener;
mod locks;
mod metrics;
mod openapi;
mod page;
mod problem;
mod requests;
mod routes;
mod texts;

pub use auth::{Grant, NewToken, Right, Scope, TokenInfo, TokenStore};
pub use error::ServeError;
pub use limits::Limits;
pub use listener::{Http, Listener, Stopper};
pub use openapi::document;

/// The address where nothing else is said: only programs of this machine reach it.
pub const DEFAULT_ADDRESS: std::net::SocketAddr =
    std::net::SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 19_876);
