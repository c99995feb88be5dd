//! Tools that a model calls: what they do with the memories of a namespace, and what they answer.

mod create;
mod find;
mod importance;
mod instruction;
mod link;
mod plan;
mod resolve;
mod search;
mod trace_files;
mod traces;

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_extraction::context::unmarked;
use annals_extraction::provider::Tool;
use annals_extraction::tools::{BadCall, Call, Read, Toolset, tools};
use annals_language::Zone;
use annals_language::time::Said;
use annals_messages::Messages;
use annals_types::MemoryId;
use annals_types::profile::{OfferMode, Signal};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{Error, ErrorKind, ToolReply, ToolSetting};
use annals_engine::compiled::CompiledProfile;

handles! {
    /// Tools that the model of a conversation calls.
    pub struct Tools;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.create_namespace("user:42", "agent")?;
        /// let tools = user.tools().list()?;
        /// let arguments = r#"{"query":"cat","top_k":3}"#;
        /// let reply = user.tools().call(&tools[0].name, arguments)?;
        /// assert!(reply.as_json().starts_with('{'));
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.create_namespace("user:42", "agent").await?;
        /// let tools = user.tools().list().await?;
        /// let reply = user.tools().call(tools[0].name.as_str(), r#"{"query":"cat"}"#).await?;
        /// assert!(reply.as_json().starts_with('{'));
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Tools {
    pub(in crate::handles) space: Namespace,
}

calls! {
    for Tools;

    calls {
        /// What the model of a conversation is told about its [`list`](Self::list), with examples
        /// whose dates count from today; `None` where the profile offers none, or its
        /// [`context`](crate::Namespace::context) says it.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn instruction() -> Option<String>;

        /// The tools that the model of a conversation gets under the profile of this namespace;
        /// none where memories stand in its prompt, or where memory is switched off
        /// (`surface.enabled`).
        ///
        /// # Errors
        /// When the file cannot be read.
        fn list() -> Vec<Tool>;

        /// Does what a model wants with a call of one of these [`list`](Self::list): the name of
        /// the tool, and its arguments as the model wrote them, a JSON object. Whatever is wrong
        /// with a call is an answer for the model, not an error.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn call(tool: text, arguments: text) -> ToolReply;
        example {
            /// ```
            /// # let memory = annals::blocking::Memory::options().in_memory()?;
            /// let space = memory.create_namespace("user:42", "graph")?;
            /// let reply = space.tools().call("create_memory", r#"{"subject":"我","memory_type":"事件","topic":"吃饭","object":"白米饭"}"#)?;
            /// assert!(reply.is_success());
            /// let reply = space.tools().call("create_memory", r#"{"subject":"我"}"#)?;
            /// assert!(reply.as_json().contains(r#""success":false"#));
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// The same with more to know of the conversation.
        ///
        /// # Errors
        /// As [`call`](Self::call).
        fn call_in(tool: text, arguments: text, setting: lend(ToolSetting)) -> ToolReply;
    }
}

/// A call on its way.
struct Invocation<'a> {
    space: &'a Namespace,
    profile: Arc<CompiledProfile>,
    /// The name of the tool.
    tool: &'a str,
    /// When the conversation calls, and where: phrases such as "yesterday" count from it.
    said: Said,
    /// What is known of the conversation.
    context: &'a BTreeMap<String, String>,
    /// The name of the conversation.
    conversation: Option<&'a str>,
    /// What was taken otherwise than it was written.
    notes: Vec<String>,
    /// The words of answers.
    messages: Arc<Messages>,
}

impl Tools {
    pub(crate) fn list(&self) -> Result<Vec<Tool>, Error> {
        self.offered(&*self.space.messages([])?)
    }

    /// The tools that are offered here, described by messages.
    fn offered(&self, messages: &Messages) -> Result<Vec<Tool>, Error> {
        Ok(self
            .toolset()?
            .map(|set| tools(set, messages))
            .unwrap_or_default())
    }

    fn toolset(&self) -> Result<Option<Toolset>, Error> {
        let profile = &self.space.compiled_profile()?.settings;
        Ok(profile
            .recall
            .toolset
            .filter(|_| profile.recall.mode == OfferMode::Tools && profile.surface.enabled))
    }

    pub(crate) fn call(&self, tool: &str, arguments: &str) -> Result<ToolReply, Error> {
        self.call_in(tool, arguments, &ToolSetting::default())
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn call_in(
        &self,
        tool: &str,
        arguments: &str,
        setting: &ToolSetting,
    ) -> Result<ToolReply, Error> {
        // The arguments are JSON: their names would count as English.
        let messages = self.space.messages([])?;
        let (reply, verbatim) = match self.read(tool, arguments, &messages)? {
            Ok(read) => {
                let verbatim = read.call.is_verbatim();
                (self.reply(tool, read, setting, messages)?, verbatim)
            }
            Err(bad) => (ToolReply::bad(&bad), false),
        };
        // What may have been stored before the profile kept it back, or stands in files of others,
        // goes to no model, nor do marks that it obeys.
        let profile = self.space.compiled_profile()?;
        let screen = profile.screen();
        let reply = reply.rewritten(&mut |text| {
            let kept = screen.as_ref().and_then(|screen| screen.instead(text));
            match verbatim {
                true => kept,
                false => {
                    Some(unmarked(kept.as_deref().unwrap_or(text))).filter(|shown| shown != text)
                }
            }
        });
        self.space.engine.counts.tool_call(reply.is_success());
        Ok(reply)
    }

    /// Reads a call of one of the tools that are offered here.
    fn read(
        &self,
        tool: &str,
        arguments: &str,
        messages: &Messages,
    ) -> Result<Result<Read, BadCall>, Error> {
        let offered = self.offered(messages)?;
        if !offered.iter().any(|known| known.name == tool) {
            let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
            let known = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            let message = messages.text("call-no-tool-here", &[("known", (&known).into())]);
            let field = tool.chars().take(60).collect();
            return Ok(Err(BadCall { field, message }));
        }
        Ok(Call::read(tool, arguments, messages))
    }

    fn reply(
        &self,
        tool: &str,
        read: Read,
        setting: &ToolSetting,
        messages: Arc<Messages>,
    ) -> Result<ToolReply, Error> {
        let profile = self.space.compiled_profile()?;
        let at = setting.at.unwrap_or_else(|| self.space.engine.now());
        let said = Said::at(at, Zone::named(&profile.settings.time.zone)?);
        let (context, conversation) = (&setting.context, setting.conversation.as_deref());
        let invocation = Invocation {
            space: &self.space,
            profile,
            tool,
            said,
            context,
            conversation,
            notes: read.notes,
            messages,
        };
        invocation
            .run(read.call)
            .or_else(|error| refused(tool, error))
    }
}

/// What the model did wrong is told to it; what it has no part in is an error.
fn refused(tool: &str, error: Error) -> Result<ToolReply, Error> {
    match error.kind() {
        ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict => {
            Ok(ToolReply::bad(&BadCall {
                field: tool.to_owned(),
                message: error.to_string(),
            }))
        }
        _ => Err(error),
    }
}

impl Invocation<'_> {
    fn run(self, call: Call) -> Result<ToolReply, Error> {
        match call {
            Call::CreateMemory(call) => self.create(&call),
            Call::LinkMemories(call) => self.link(&call),
            Call::SearchMemories(call) => self.search(&call),
            Call::SetImportance(call) => self.set_importance(&call),
            Call::SearchMemory(call) => self.find(&call),
            Call::SearchTraces(call) => self.traces(&call),
            Call::RecallMemory(call) => self.recall(&call),
            _ => Ok(self.bad(self.tool, "call-no-tool")),
        }
    }

    /// An answer that says by a message what is wrong with an argument.
    fn bad(&self, field: &str, message: &str) -> ToolReply {
        ToolReply::bad(&BadCall {
            field: field.to_owned(),
            message: self.messages.text(message, &[]),
        })
    }

    /// Counts memories as returned, where the profile counts that.
    fn returned(&self, ids: &[MemoryId]) -> Result<(), Error> {
        if ids.is_empty() || self.profile.settings.reinforce.signal != Signal::Returned {
            return Ok(());
        }
        self.space
            .lifecycle()
            .signal(ids, Signal::Returned)
            .map(drop)
    }
}

/// A share from 0 to 1 as it is shown: with four decimals.
fn shown(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}
