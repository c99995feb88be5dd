//! Measurements that need a large graph, or many namespaces, each a sub-command of `report`.

mod calls;
mod deletion;
mod jobs;
mod share;
mod star;
mod subgraphs;
pub mod times;

pub use calls::calls;
pub use deletion::deletion;
pub use jobs::jobs;
pub use share::share;
pub use star::star;
pub use subgraphs::{subgraphs, subgraphs_opened};
pub use times::{times, times_opened};

/// What a measurement answers; it prints its figures.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;
