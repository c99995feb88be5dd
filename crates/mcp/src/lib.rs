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

mod error;
mod http;
mod lines;
mod params;
mod parent;
mod project;
mod prompts;
mod reach;
mod reply;
mod resources;
mod roots;
mod server;
mod shown;
mod stdio;
mod store;
mod tools;
mod words;

pub use error::ServeError;
pub use http::{DEFAULT_ADDRESS, Http, Limits, Listener};
pub use project::{PROJECT_PREFIX, ProjectNames, USER_NAMESPACE, git_root, project_namespace};
pub use reach::{Access, Reach};
pub use server::Server;
pub use stdio::{serve_io, serve_stdio};
