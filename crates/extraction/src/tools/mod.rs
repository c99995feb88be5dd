//! Tools that a model calls: their schemas for any API with function calling, and the reading of
//! calls.

mod arguments;
mod call;
mod catalogue;
#[cfg(test)]
mod tests;
mod words;

pub use annals_types::profile::Toolset;
pub use arguments::BadCall;
pub use call::{
    Call, CreateMemory, LinkMemories, Read, RecallMemory, SearchMemories, SearchMemory,
    SearchTraces, SetImportance,
};
pub use catalogue::{schemas, tools};
pub use words::shown_word;
