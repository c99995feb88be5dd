//! Calls that one design alone needs.

mod agent;
mod markdown;
mod studio;

use std::collections::BTreeMap;

use annals_extraction::context::Part;
use annals_recall::QueryPlan;
use annals_types::{MemoryId, NewTurn, Scratchpad};

use crate::graph::GraphRecord;
use crate::handles::Namespace;
use crate::{AgentMemory, Answer, MemoryCard, Merged, TurnBefore, UserMemory};

handles! {
    /// Calls that one of the designs alone needs which annals was built for.
    pub struct Designs;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let pad = user.designs().agent().focus("write the report")?;
        /// assert_eq!(pad.current_focus, "write the report");
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let pad = user.designs().agent().focus("write the report").await?;
        /// assert_eq!(pad.current_focus, "write the report");
        /// # Ok(()) }) }
        /// ```
    }

    /// An agent with a scratchpad, which says when its turns begin and end.
    pub struct AgentDesign;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.create_namespace("user:42", "agent")?;
        /// let agent = user.designs().agent();
        /// agent.on_turn_start("monday", "write the report")?;
        /// assert!(agent.scratchpad_markdown()?.contains("write the report"));
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.create_namespace("user:42", "agent").await?;
        /// let agent = user.designs().agent();
        /// agent.on_turn_start("monday", "write the report").await?;
        /// assert!(agent.scratchpad_markdown().await?.contains("write the report"));
        /// # Ok(()) }) }
        /// ```
    }

    /// A memory that is merged in at the end of each session and kept as Markdown.
    pub struct MarkdownDesign;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.")?;
        /// assert!(user.designs().markdown().prompt_memories(5)?.contains("Momo"));
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.").await?;
        /// assert!(user.designs().markdown().prompt_memories(5).await?.contains("Momo"));
        /// # Ok(()) }) }
        /// ```
    }

    /// Memories as the studio shows them to a user.
    pub struct StudioDesign;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let id = user.remember("My cat is called Momo.")?;
        /// let cards = user.designs().studio().cards(&[id])?;
        /// assert_eq!(cards[0].content, "My cat is called Momo.");
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let id = user.remember("My cat is called Momo.").await?;
        /// let cards = user.designs().studio().cards([id]).await?;
        /// assert_eq!(cards[0].content, "My cat is called Momo.");
        /// # Ok(()) }) }
        /// ```
    }

    /// Memories as records of nodes and edges, and questions that are planned before they are
    /// searched.
    pub struct GraphDesign;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.create_namespace("user:42", "graph")?;
        /// let context = std::collections::BTreeMap::new();
        /// let plan = user.designs().graph().plan_query("What is my cat called?", &context)?;
        /// assert!(!plan.semantic_query.is_empty());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.create_namespace("user:42", "graph").await?;
        /// let context = std::collections::BTreeMap::new();
        /// let plan = user.designs().graph().plan_query("What is my cat called?", context).await?;
        /// assert!(!plan.semantic_query.is_empty());
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Designs {
    pub(in crate::handles) space: Namespace,
}

#[derive(Debug, Clone)]
pub(crate) struct AgentDesign {
    pub(in crate::handles) space: Namespace,
}

#[derive(Debug, Clone)]
pub(crate) struct MarkdownDesign {
    pub(in crate::handles) space: Namespace,
}

#[derive(Debug, Clone)]
pub(crate) struct StudioDesign {
    pub(in crate::handles) space: Namespace,
}

#[derive(Debug, Clone)]
pub(crate) struct GraphDesign {
    pub(in crate::handles) space: Namespace,
}

calls! {
    for Designs;

    handles {
        /// The calls of the agent design.
        fn agent() -> AgentDesign;

        /// The calls of the Markdown design.
        fn markdown() -> MarkdownDesign;

        /// The calls of the studio design.
        fn studio() -> StudioDesign;

        /// The calls of the graph design.
        fn graph() -> GraphDesign;
    }
}

calls! {
    for AgentDesign;

    calls {
        /// Memories under the names of the agent design, in the order asked; `None` for one that
        /// does not exist.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn memories(ids: slice(MemoryId)) -> Vec<Option<AgentMemory>>;

        /// A conversation was shortened: the turns that went are stored unless the session has
        /// them, and what was not looked through is queued, one piece for the session. Answers how
        /// many turns were new. It waits for no model.
        ///
        /// # Errors
        /// As [`remember`](crate::Namespace::remember), or when the name of the session is not
        /// allowed.
        fn on_context_compressed(session: text, turns: own(Vec<NewTurn>)) -> usize;

        /// The parts that the profile puts before a model whatever the message, in their order.
        ///
        /// # Errors
        /// As [`context`](crate::Namespace::context).
        fn build_prompt_parts() -> Vec<Part>;

        /// What is being worked on, and what was before.
        ///
        /// # Errors
        /// When it cannot be read.
        fn scratchpad() -> Scratchpad;

        /// The scratchpad as Markdown, with minutes in the profile's zone; empty when there is
        /// nothing on it.
        ///
        /// # Errors
        /// When it cannot be read.
        fn scratchpad_markdown() -> String;

        /// Takes a description of what is being done now. When it means another task than the
        /// current one, as the profile's `scratchpad` settings tell them apart, that one becomes
        /// the latest of the completed ones. An empty description changes nothing.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a description that the profile's
        /// privacy settings refuse; when the file cannot be read or written.
        fn focus(task: text) -> Scratchpad;

        /// Says which projects go on beside the current task, each once; blank names count as none.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name that the profile's privacy
        /// settings refuse; when the file cannot be written.
        fn set_projects(projects: slice(String)) -> Scratchpad;

        /// A turn begins: takes the description of what is being done, for the session and for the
        /// scratchpad, before a prompt is made.
        ///
        /// # Errors
        /// As [`focus`](Self::focus).
        fn on_turn_start(session: text, task: text) -> Scratchpad;

        /// A turn came to nothing, because the model failed or the person took the question back:
        /// the task of the conversation and the scratchpad are again what they were before
        /// [`on_turn_start`](Self::on_turn_start).
        ///
        /// # Errors
        /// When the file cannot be written, or the name of the session is not allowed.
        fn on_turn_cancelled(session: text, before: lend(TurnBefore)) -> ();

        /// What a conversation works on, to be put back if its next turn comes to nothing.
        ///
        /// # Errors
        /// When it cannot be read, or the name of the session is not allowed.
        fn turn_before(session: text) -> TurnBefore;

        /// A turn is over: it is stored as it was, with tool calls and what they returned.
        ///
        /// # Errors
        /// As [`remember`](crate::Namespace::remember).
        fn on_turn_end(turn: own(NewTurn)) -> MemoryId;
    }
}

calls! {
    for MarkdownDesign;

    calls {
        /// Merges a session in: stores the messages that the session does not have yet, takes over
        /// what a person wrote into the mirrored files, lets the messages be looked through now,
        /// and runs the profile's jobs for the end of sessions, which let memories fade and write
        /// the files.
        ///
        /// `messages` may be the whole history, its last part, or only what is new: the messages
        /// with which the session's turns end are recognised by role, text and answer as the
        /// privacy filter leaves them, whatever was changed or deleted of them since; where most of
        /// a part was deleted, it counts as new. What was looked through is not looked through
        /// again. When the model fails, memories fade and files are written all the same, and the
        /// next end of the session tries again. Only the jobs of several ends take turns.
        ///
        /// # Errors
        /// When a message or the name of the session is not allowed, or the file or a mirrored file
        /// cannot be read or written. A mirrored file that cannot be read costs no message:
        /// everything else is done before the error is told.
        fn process_session_end(messages: own(Vec<NewTurn>), session: text) -> Merged;

        /// What a prompt gets of the memories, the highest scores first: a `- ` line each, without
        /// a heading. Which memories these are says the first part of the profile's `inject` that
        /// shows memories by their score; without one, all are shown. Nothing does while the
        /// profile has memory switched off (`surface.enabled`).
        ///
        /// # Errors
        /// When the file cannot be read.
        fn prompt_memories(top_k: own(u32)) -> String;
    }
}

calls! {
    for StudioDesign;

    calls {
        /// Memories under the names of the studio design, in the order asked; `None` for one that
        /// does not exist.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn memories(ids: slice(MemoryId)) -> Vec<Option<UserMemory>>;

        /// Memories as a list shows them to the user, in the order asked; those that do not exist
        /// are left out.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn cards(ids: slice(MemoryId)) -> Vec<MemoryCard>;
    }
}

calls! {
    for GraphDesign;

    calls {
        /// A memory as a record of its nodes and edges, with its links, what it is worth now, and
        /// the nodes that became one of its nodes.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn record(id: own(MemoryId)) -> GraphRecord;

        /// How a question is to be searched for. Where the profile wants a model to plan and there
        /// is one, it is asked, with what is known of the conversation, by name; without it, or
        /// when it answers what is no plan, the words of the profile decide.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn plan_query(question: text, context: lend(BTreeMap<String, String>)) -> QueryPlan;

        /// Plans a question and answers it: `context` is what is known of the conversation, by
        /// name, `mode` is `auto`, `fast` or `deep` and says whether the graph is followed; with
        /// `auto` the plan decides.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for another mode; or as
        /// [`answer`](crate::Namespace::answer).
        fn retrieve(question: text, context: lend(BTreeMap<String, String>), mode: text) -> Answer;
    }
}

impl Designs {
    pub(crate) fn agent(&self) -> AgentDesign {
        AgentDesign {
            space: self.space.clone(),
        }
    }

    pub(crate) fn markdown(&self) -> MarkdownDesign {
        MarkdownDesign {
            space: self.space.clone(),
        }
    }

    pub(crate) fn studio(&self) -> StudioDesign {
        StudioDesign {
            space: self.space.clone(),
        }
    }

    pub(crate) fn graph(&self) -> GraphDesign {
        GraphDesign {
            space: self.space.clone(),
        }
    }
}
