#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

mod answered;
mod candidates;
mod error;
mod explain;
mod feature;
mod features;
mod found;
mod fusion;
mod intent;
mod meaning;
mod nearby;
mod newer;
mod nodes;
mod plan;
mod prototypes;
mod query;
mod rank;
mod speakers;
mod standing;
mod times;

pub use answered::{Answered, Signals};
pub use error::RecallError;
pub use explain::{Channel, Explanation, GraphTrace, Nearness, Part, Route, WhyNot};
pub use feature::Feature;
pub use found::Found;
pub use intent::{QueryPlan, Trigger};
pub use nodes::Nodes;
pub use plan::{Embedded, query_texts, query_vector, sentences};
pub use prototypes::Prototypes;
pub use query::{MAX_TOP_K, Query};
pub use rank::{Ranked, Ranking, Sources, rank};
pub use speakers::{NamedSpeakers, Speakers};
pub use standing::{is_standing_instruction, standing_direction};
pub use times::{Meant, Times};
