#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::print_stderr,
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod file;
mod folder;
mod refusal;
mod rights;
#[cfg(all(test, unix))]
mod tests;
mod user;

pub use file::{OpenOwn, open_named, open_regular, read};
pub use folder::{check_own_folder, make_folder, make_own_folder};
pub use refusal::{Refusal, foreign};
pub use rights::{close_folder, close_to_others, is_open_to_others, is_own};
#[cfg(unix)]
pub use user::{is_trusted, own_user, user_name};
