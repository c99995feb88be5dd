//! The shapes of mem0's server and of its client: fields that are not known are passed over, as it
//! does.

use annals::{MemoryId, Metadata, Timestamp};
use serde::{Deserialize, Serialize};

use super::HoldsTexts;
use crate::problem::{Kind, Problem};

/// Whose memories: a user, an agent, an app or a run, or several of them at once.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Owner {
    pub(crate) user_id: Option<String>,
    pub(crate) agent_id: Option<String>,
    pub(crate) app_id: Option<String>,
    pub(crate) run_id: Option<String>,
}

/// What is said, as one text or as messages.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Said {
    Text(String),
    Messages(Vec<Message>),
}

/// A message of a conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) content: String,
    pub(crate) name: Option<String>,
}

/// What is to be stored.
#[derive(Debug, Deserialize)]
pub(crate) struct NewMemories {
    pub(crate) messages: Said,
    #[serde(flatten)]
    pub(crate) owner: Owner,
    #[serde(default)]
    pub(crate) metadata: Option<Metadata>,
    /// Whether a model finds what is worth keeping; without one messages are kept as they are.
    pub(crate) infer: Option<bool>,
    /// The last day on which it is known, or a moment. A known memory that is said again keeps its
    /// own.
    pub(crate) expiration_date: Option<String>,
}

/// Conditions: ids of owners, or `AND` of such.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conditions {
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    #[serde(rename = "AND", default)]
    all: Vec<Self>,
}

impl Owner {
    /// With what conditions say of the owner. Conditions that no memory can meet at once are
    /// refused: whichever of them were passed over, others would be shown than were asked for.
    pub(crate) fn within(self, conditions: Option<Conditions>) -> Result<Self, Problem> {
        let Some(conditions) = conditions else {
            return Ok(self);
        };
        let Conditions {
            user_id,
            agent_id,
            app_id,
            run_id,
            all,
        } = conditions;
        let mut owner = Self {
            user_id: one_id("user_id", self.user_id, user_id)?,
            agent_id: one_id("agent_id", self.agent_id, agent_id)?,
            app_id: one_id("app_id", self.app_id, app_id)?,
            run_id: one_id("run_id", self.run_id, run_id)?,
        };
        for conditions in all {
            owner = owner.within(Some(conditions))?;
        }
        Ok(owner)
    }
}

/// The id of two conditions on the same field.
fn one_id(
    field: &str,
    known: Option<String>,
    more: Option<String>,
) -> Result<Option<String>, Problem> {
    if let (Some(known), Some(more)) = (&known, &more)
        && known.trim() != more.trim()
    {
        let why =
            format!("no memory has the {field} {known:?} and {more:?} at once: name one of them");
        return Err(Problem::new(Kind::BadValue, why).at(format!("/filters/{field}")));
    }
    Ok(known.or(more))
}

/// A question.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) query: String,
    #[serde(flatten)]
    pub(crate) owner: Owner,
    pub(crate) filters: Option<Conditions>,
    pub(crate) top_k: Option<u32>,
    pub(crate) limit: Option<u32>,
    pub(crate) threshold: Option<f32>,
}

/// The parameters of a list. They are texts, so that the owner is no part of its own here.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListParams {
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    pub(crate) top_k: Option<usize>,
    pub(crate) limit: Option<usize>,
}

impl ListParams {
    pub(crate) fn owner(&self) -> Owner {
        let Self {
            user_id,
            agent_id,
            app_id,
            run_id,
            ..
        } = self;
        Owner {
            user_id: user_id.clone(),
            agent_id: agent_id.clone(),
            app_id: app_id.clone(),
            run_id: run_id.clone(),
        }
    }
}

/// Whose memories are deleted. Unlike elsewhere a parameter that is not known is refused: passed
/// over, a misspelt one would widen what goes.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteAllParams {
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    /// The client sends along what the ping told it; there is one organisation here.
    #[serde(rename = "org_id")]
    _org_id: Option<String>,
    /// The same for the project.
    #[serde(rename = "project_id")]
    _project_id: Option<String>,
}

impl DeleteAllParams {
    pub(crate) fn into_owner(self) -> Owner {
        let Self {
            user_id,
            agent_id,
            app_id,
            run_id,
            ..
        } = self;
        Owner {
            user_id,
            agent_id,
            app_id,
            run_id,
        }
    }
}

/// The body of a list of the client.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListBody {
    #[serde(flatten)]
    pub(crate) owner: Owner,
    pub(crate) filters: Option<Conditions>,
}

/// The page of a list of the client.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct PageParams {
    pub(crate) page: Option<usize>,
    pub(crate) page_size: Option<usize>,
}

/// What becomes of a memory.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    #[serde(alias = "data", alias = "memory")]
    pub(crate) text: Option<String>,
    pub(crate) metadata: Option<Metadata>,
}

/// A memory.
#[derive(Debug, Serialize)]
pub(crate) struct Item {
    pub(crate) id: MemoryId,
    pub(crate) memory: String,
    pub(crate) metadata: Metadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f32>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(flatten)]
    pub(crate) owner: ShownOwner,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actor_id: Option<String>,
}

impl HoldsTexts for Item {
    fn without_texts(self) -> Self {
        Self {
            memory: String::new(),
            metadata: Metadata::default(),
            role: None,
            actor_id: None,
            ..self
        }
    }
}

/// Whose memory it is.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ShownOwner {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) app_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<String>,
}

/// Memories, the newest or the best first.
#[derive(Debug, Serialize)]
pub(crate) struct Items {
    pub(crate) results: Vec<Item>,
}

/// A page of memories of the client.
#[derive(Debug, Serialize)]
pub(crate) struct ItemPage {
    pub(crate) count: u64,
    pub(crate) next: Option<String>,
    pub(crate) previous: Option<String>,
    pub(crate) results: Vec<Item>,
}

/// What became of what was said.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) id: MemoryId,
    pub(crate) memory: String,
    /// `ADD`, `UPDATE`, or `NONE` where it was known.
    pub(crate) event: &'static str,
}

impl HoldsTexts for Outcome {
    fn without_texts(mut self) -> Self {
        self.memory.clear();
        self
    }
}

/// All of it.
#[derive(Debug, Serialize)]
pub(crate) struct Outcomes {
    pub(crate) results: Vec<Outcome>,
}

/// A change in the history of a memory.
#[derive(Debug, Serialize)]
pub(crate) struct HistoryRow {
    pub(crate) id: String,
    pub(crate) memory_id: MemoryId,
    pub(crate) old_memory: Option<String>,
    pub(crate) new_memory: String,
    pub(crate) event: &'static str,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) is_deleted: bool,
}

/// Words that say what was done.
#[derive(Debug, Serialize)]
pub(crate) struct Done {
    pub(crate) message: &'static str,
}

/// What the client asks first.
#[derive(Debug, Serialize)]
pub(crate) struct Pong {
    pub(crate) status: &'static str,
    pub(crate) user_email: Option<String>,
    pub(crate) org_id: &'static str,
    pub(crate) project_id: &'static str,
}
