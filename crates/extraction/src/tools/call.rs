use std::collections::BTreeMap;

use annals_messages::Messages;
use serde::Serialize;

use super::arguments::{Arguments, BadCall};

const TYPES: [&str; 4] = ["事件", "事实", "关系", "观点"];
const RELATIONS: [&str; 6] = ["因为", "所以", "导致", "引用", "基于", "相关"];
/// 关于 stands in the prompts of the design, but not among the relations of its tool.
const RELATION_WORDS: [(&str, &str); 1] = [("关于", "相关")];
const KINDS: [&str; 5] = ["FACT", "PREFERENCE", "SKILL", "ERROR", "RULE"];
/// How deep a search may be expanded.
const MAX_DEPTH: u32 = 2;

/// `create_memory`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CreateMemory {
    /// The subject.
    pub subject: String,
    /// One of 事件, 事实, 关系, 观点.
    pub memory_type: String,
    /// Its topic.
    pub topic: String,
    /// The object, if any.
    pub object: Option<String>,
    /// The relation from topic to object, when one other than the default is meant.
    pub relation: Option<String>,
    /// Time, place, reason and others.
    pub attributes: BTreeMap<String, String>,
    /// 0 to 1; 0.5 unless it was said.
    pub importance: f64,
}

/// `link_memories`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkMemories {
    /// Describes the cause or basis.
    pub source: String,
    /// Describes the effect or what is based on it.
    pub target: String,
    /// One of 因为, 所以, 导致, 引用, 基于, 相关.
    pub relation: String,
    /// 0 to 1; 0.6 unless it was said.
    pub importance: f64,
}

/// `search_memories`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchMemories {
    /// The words to search for.
    pub query: String,
    /// The types to look among; all when empty.
    pub memory_types: Vec<String>,
    /// From when on, as it was written.
    pub start: Option<String>,
    /// Until when, as it was written.
    pub end: Option<String>,
    /// 1 to 100; 10 unless it was said.
    pub max_results: u32,
    /// How far to expand, 0 to 2, if it was said: 0 then switches expansion off.
    pub expand_depth: Option<u32>,
}

/// `update_memory_importance`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetImportance {
    /// The id of the memory or its description.
    pub memory: String,
    /// The field in which it was given.
    #[serde(skip)]
    pub field: &'static str,
    /// 0 to 1.
    pub importance: f64,
}

/// `search_memory`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchMemory {
    /// The words to search for.
    pub query: String,
    /// The kinds to look among; all when empty.
    pub types: Vec<String>,
    /// 1 to 100; 10 unless it was said.
    pub limit: u32,
}

/// `search_conversation_traces`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchTraces {
    /// A word of the conversation or of a tool call.
    pub keyword: String,
    /// The session to look in; all without it.
    pub session: Option<String>,
    /// 1 to 100; 5 unless it was said.
    pub limit: u32,
    /// Characters of each record; 4,000 unless it was said.
    pub max_chars: u32,
}

/// `recall_memory`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecallMemory {
    /// The words to search for.
    pub query: String,
    /// 1 to 100; 5 unless it was said.
    pub limit: u32,
    /// Whether memories that are not archived are looked among, too.
    pub include_active: bool,
}

/// A call that can be done.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
#[serde(untagged)]
pub enum Call {
    /// `create_memory`.
    CreateMemory(CreateMemory),
    /// `link_memories`.
    LinkMemories(LinkMemories),
    /// `search_memories`.
    SearchMemories(SearchMemories),
    /// `update_memory_importance`.
    SetImportance(SetImportance),
    /// `search_memory`.
    SearchMemory(SearchMemory),
    /// `search_conversation_traces`.
    SearchTraces(SearchTraces),
    /// `recall_memory`.
    RecallMemory(RecallMemory),
}

/// A call as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The call.
    pub call: Call,
    /// Notes on values that were taken otherwise than they were written, and on arguments that the
    /// tool does not have.
    pub notes: Vec<String>,
}

impl Call {
    /// Reads a call: the name of the tool and its arguments as the model wrote them. Numbers in
    /// quotes are numbers, words are accepted as the messages show them, in English and in Chinese,
    /// as are `source` and `target` for the long names of `link_memories`. Errors are told in the
    /// language of the messages.
    ///
    /// # Errors
    /// [`BadCall`], naming the argument and what is allowed.
    pub fn read(tool: &str, arguments: &str, messages: &Messages) -> Result<Read, BadCall> {
        let mut given = Arguments::read(tool, arguments, messages)?;
        let call = match tool {
            "create_memory" => Self::CreateMemory(create(&mut given)?),
            "link_memories" => Self::LinkMemories(link(&mut given)?),
            "search_memories" => Self::SearchMemories(search(&mut given)?),
            "update_memory_importance" => Self::SetImportance(importance(&mut given)?),
            "search_memory" => Self::SearchMemory(SearchMemory {
                query: given.text(&["query"])?,
                types: given.words("types", &KINDS, &[])?,
                limit: given.count("limit", (1, 100))?.unwrap_or(10),
            }),
            "search_conversation_traces" => Self::SearchTraces(SearchTraces {
                keyword: given.text(&["keyword"])?,
                session: given.optional(&["session_id"])?,
                limit: given.count("limit", (1, 100))?.unwrap_or(5),
                max_chars: given.count("max_chars", (1, 100_000))?.unwrap_or(4000),
            }),
            "recall_memory" => Self::RecallMemory(RecallMemory {
                query: given.text(&["query"])?,
                limit: given.count("limit", (1, 100))?.unwrap_or(5),
                include_active: given.flag("include_active")?.unwrap_or(true),
            }),
            _ => return Err(BadCall::new(tool, messages.text("call-no-tool", &[]))),
        };
        Ok(Read {
            call,
            notes: given.into_notes(tool),
        })
    }

    /// Whether what it finds is shown word for word: code and paths, in which nothing may be broken
    /// up.
    #[must_use]
    pub const fn is_verbatim(&self) -> bool {
        matches!(self, Self::SearchTraces(_))
    }
}

fn create(given: &mut Arguments<'_>) -> Result<CreateMemory, BadCall> {
    Ok(CreateMemory {
        subject: given.text(&["subject"])?,
        memory_type: given.word("memory_type", &TYPES, (&[], false))?,
        topic: given.text(&["topic"])?,
        object: given.optional(&["object"])?,
        relation: given.optional(&["relation"])?,
        attributes: given.map("attributes")?,
        importance: given.share("importance")?.unwrap_or(0.5),
    })
}

fn link(given: &mut Arguments<'_>) -> Result<LinkMemories, BadCall> {
    Ok(LinkMemories {
        source: given.text(&["source_memory_description", "source"])?,
        target: given.text(&["target_memory_description", "target"])?,
        relation: given.word("relation_type", &RELATIONS, (&RELATION_WORDS, true))?,
        importance: given.share("importance")?.unwrap_or(0.6),
    })
}

fn search(given: &mut Arguments<'_>) -> Result<SearchMemories, BadCall> {
    let range = given.inner("time_range")?;
    let bound = |name| {
        range
            .as_ref()
            .map_or(Ok(None), |range| range.optional(&[name]))
    };
    Ok(SearchMemories {
        query: given.text(&["query"])?,
        memory_types: given.words("memory_types", &TYPES, &[])?,
        start: bound("start")?,
        end: bound("end")?,
        max_results: given.count("max_results", (1, 100))?.unwrap_or(10),
        expand_depth: given.count("expand_depth", (0, MAX_DEPTH))?,
    })
}

fn importance(given: &mut Arguments<'_>) -> Result<SetImportance, BadCall> {
    let (field, memory) = given.named_text(&["memory_description", "memory_id"])?;
    let importance = given.share("importance")?;
    let importance = importance.ok_or_else(|| given.missing("importance"))?;
    Ok(SetImportance {
        memory,
        field,
        importance,
    })
}
