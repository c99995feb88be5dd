//! Calls that one source design alone needs: [`Namespace::designs`](crate::Namespace::designs)
//! leads to them.

pub use crate::handles::asynchronous::{
    AgentDesign, Designs, GraphDesign, MarkdownDesign, StudioDesign,
};

/// The same as plain blocking calls.
pub mod blocking {
    pub use crate::handles::blocking::{
        AgentDesign, Designs, GraphDesign, MarkdownDesign, StudioDesign,
    };
}
