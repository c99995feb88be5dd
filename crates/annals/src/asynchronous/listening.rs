//! What models and people want of the memory: tools, plans, wishes, and lists for those who look at it.

use std::collections::BTreeMap;

use annals_extraction::provider::Tool;
use annals_recall::QueryPlan;
use annals_types::MemoryId;

use super::Namespace;
use crate::{AgentMemory, Answer, Error, HandledCommand, MemoryCard, ToolReply, ToolSetting};

impl Namespace {
    calls! {
        /// The tools that the model of a conversation gets.
        tools() -> Vec<Tool>;
        /// What it is told about them.
        tool_instruction() -> Option<String>;
        /// Does what waits for a person's yes.
        confirm(handled: HandledCommand) -> HandledCommand;
    }

    lending! {
        /// Does what a model wants with a call of one of its tools.
        call_tool(tool: String, arguments: String) -> ToolReply;
        /// The same with more to know of the conversation.
        call_tool_in(tool: String, arguments: String, setting: ToolSetting) -> ToolReply;
        /// Heeds a message that begins with a wish: "remember that …", "忘掉那个".
        handle_command(session: String, message: String) -> HandledCommand;
        /// How a question is to be searched for.
        plan_query(question: String, context: BTreeMap<String, String>) -> QueryPlan;
        /// Plans a question and answers it.
        retrieve(question: String, context: BTreeMap<String, String>, mode: String) -> Answer;
        /// Memories under the names of the agent design.
        agent_memories(ids: Vec<MemoryId>) -> Vec<Option<AgentMemory>>;
        /// Memories as a list shows them to the user.
        cards(ids: Vec<MemoryId>) -> Vec<MemoryCard>;
    }
}
