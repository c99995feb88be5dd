//! Prompts for models. The texts are data: files of the crate, with places for what changes.

mod template;
#[cfg(test)]
mod tests;
mod transcript;

pub use template::Template;
pub(crate) use template::fill;
pub(crate) use transcript::listed;
pub use transcript::{Line, lines, render};

macro_rules! prompts {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)+) => {
        $($(#[$doc])* #[must_use] pub const fn $name() -> Template {
            Template::new(include_str!(concat!("../../data/prompts/", $file, ".txt")))
        })+
    };
}

prompts! {
    /// Tells the monitor what to do. Places: `user`, `assistant`.
    monitor = "monitor";
    /// The input of the monitor. Places: `conversation`, `memories`.
    monitor_input = "monitor_input";
    /// Asks for candidates with a number for importance. Places: `kinds`, `min`, `max`, `triples`.
    extract_plain = "extract_plain";
    /// Asks for triples of candidates as well: lines for the prompts above.
    extract_triples = "extract_triples";
    /// Says when subject and predicate are written: a line for those of the prompts above that do
    /// not ask for them anyway.
    extract_subject = "extract_subject";
    /// Asks for candidates with durations. Places: `kinds`, `durations`, `min`, `max`, `triples`.
    extract_durations = "extract_durations";
    /// Asks for candidates with a word for importance. Places: `kinds`, `levels`, `triples`.
    extract_levels = "extract_levels";
    /// The input of the search for candidates. Places: `date`, `conversation`, `memories`.
    extract_input = "extract_input";
    /// Asks for what helps in the next turn. Places: `conversation`, `tool_results`, `user`, `assistant`.
    condense = "condense";
    /// Asks for a summary.
    summarize = "summarize";
    /// Asks for what a session leaves behind.
    episode = "episode";
    /// Asks whether a memory becomes core. Places: `user`, `assistant`.
    review_promote = "review_promote";
    /// Asks whether a memory goes. Places: `user`, `assistant`.
    review_decay = "review_decay";
    /// The input of a review. Places: `memory`, `related`, `round`.
    review_input = "review_input";
    /// Asks whether one memory is the cause of the other, yes or no. Places: `first`, `second`.
    causality = "causality";
    /// Asks which memory is the cause of the other. Places: `first`, `second`.
    causality_direction = "causality_direction";
    /// Asks whether two memories say the same. Places: `first`, `second`.
    same = "same";
    /// Asks how a question is to be searched for. Places: `date`, `kinds`, `max_depth`.
    plan_query = "plan_query";
    /// The input of a plan of searches. Places: `context`, `question`.
    plan_input = "plan_input";
    /// Tells the model of a conversation how it builds a memory graph with tools. Places: `today`,
    /// `yesterday`, as dates.
    graph_tools = "graph_tools";
    /// Conversations with the calls that they lead to. Places: `today`, `yesterday`, as dates.
    graph_examples = "graph_examples";
    /// Asks for what a memory says, in three parts each. Places: `user`.
    triples = "triples";
    /// The input of an interpretation as triples. Places: `memory`.
    triples_input = "triples_input";
    /// Asks whether the first memory contradicts the second. Places: `first`, `second`.
    contradicts = "contradicts";
    /// Asks once more for a verdict that could not be read. Places: `problem`, `choices`.
    repair = "repair";
}
