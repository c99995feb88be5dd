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

mod change;
mod class;
pub mod conflict;
mod curve;
pub mod dedup;
mod delta;
mod error;
pub mod job;
mod lane;
mod pass;
mod passes;
mod plan;
mod policy;
mod purge;
mod reinforce;
pub mod review;
mod rules;
mod saved;
pub mod schedule;
mod state;
mod tables;
pub mod task;
mod validate;
mod worth;
mod zone;

use annals_storage::wire;

pub use change::{
    Regime, adopt, carry, change, erase, register, reinforce, restore, set_status, states,
    walk_states,
};
pub use class::{Birth, Placed};
pub use curve::Anchor;
pub use delta::{Delta, Written};
pub use error::LifecycleError;
pub use lane::{Lane, find_lane, lanes, open_lane, passes};
pub use pass::{Pass, make_pass};
pub use passes::Passes;
pub use plan::{Plan, PlanItem, confirm, next_due, plan};
pub use policy::{ClassId, Policy};
pub use purge::purge;
pub use reinforce::{Counted, Reinforced};
pub use rules::{Action, Fired};
pub use saved::{SavedMark, SavedState, take_over};
pub use state::{Limits, State};
pub use tables::TABLES;
pub use validate::{Difference, Validation, validate};
pub use worth::Worth;
pub use zone::Zone;
