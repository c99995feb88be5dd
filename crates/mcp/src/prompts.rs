//! Prompts that a person can choose in a client.

use annals::messages::Messages;
use annals::{Filter, Layer, ListQuery, Query};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use crate::reply::Refusal;
use crate::shown;
use crate::store::Store;
use crate::tools::{self, OwnTools};

/// The most memories in a prompt.
const MOST: usize = 30;
/// The most characters of a memory in it.
const LONGEST: usize = 400;
/// The most characters of what a person gives.
const LONGEST_ARGUMENT: usize = 4000;

/// A prompt that is offered.
struct Offer {
    name: &'static str,
    /// The message that describes it.
    message: &'static str,
    /// The name of its argument, and whether that must be given.
    argument: Option<(&'static str, bool)>,
}

const PROMPTS: [Offer; 3] = [
    Offer {
        name: "recall-context",
        message: "mcp-prompt-recall",
        argument: Some(("question", true)),
    },
    Offer {
        name: "review",
        message: "mcp-prompt-review",
        argument: Some(("topic", false)),
    },
    Offer {
        name: "keep",
        message: "mcp-prompt-keep",
        argument: None,
    },
];

pub(crate) fn list(store: &Store) -> Result<Vec<Prompt>, Refusal> {
    let messages = store.messages(&[])?;
    let prompt = |Offer {
                      name,
                      message,
                      argument,
                  }: Offer| {
        let argument = argument.map(|(name, required)| {
            let mut argument = PromptArgument::new(name).with_required(required);
            argument.description = messages.part(message, name, &[]);
            vec![argument]
        });
        Prompt::new(name, Some(messages.text(message, &[])), argument)
    };
    // Where no tool stores anything, nothing can be kept.
    let stores = store.writes() && tools::own_tools(store)?.is_none_or(|own| own.store.is_some());
    Ok(PROMPTS
        .into_iter()
        .filter(|offer| stores || offer.name != "keep")
        .map(prompt)
        .collect())
}

/// The text of a prompt, with the memories that it is about.
pub(crate) fn get(
    store: &Store,
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult, Refusal> {
    let given = |name: &str| {
        let text = arguments
            .get(name)
            .and_then(|value| value.as_str())
            .unwrap_or_default();
        shown::part(text, 0, LONGEST_ARGUMENT).0
    };
    let (question, topic) = (given("question"), given("topic"));
    let messages = store.messages(&[&question, &topic])?;
    store.admit(&messages)?;
    let own = tools::own_tools(store)?;
    let none = |messages: &Messages| {
        Refusal::message(
            messages,
            "mcp-prompt-none",
            &[("name", &shown::line(name, 80).0)],
        )
    };
    let text = match name {
        "recall-context" if question.trim().is_empty() => {
            let args = [("name", name), ("argument", "question")];
            return Err(Refusal::message(&messages, "mcp-prompt-needs", &args));
        }
        "recall-context" => {
            let memories = fitting(store, &messages, &question)?;
            let question = shown::block(&question);
            let args = [
                ("memories", (&memories).into()),
                ("question", (&question).into()),
            ];
            messages.text("mcp-prompt-recall-text", &args)
        }
        "review" => {
            let memories = if topic.trim().is_empty() {
                newest(store, &messages)?
            } else {
                fitting(store, &messages, &topic)?
            };
            let id = if own.is_some() {
                "mcp-prompt-review-own-text"
            } else {
                "mcp-prompt-review-text"
            };
            messages.text(id, &[("memories", (&memories).into())])
        }
        "keep" => match own {
            None => messages.text("mcp-prompt-keep-text", &[]),
            Some(OwnTools {
                search: Some(search),
                store: Some(store),
            }) => messages.text(
                "mcp-prompt-keep-own-text",
                &[("search", (&search).into()), ("store", (&store).into())],
            ),
            Some(_) => return Err(none(&messages)),
        },
        _ => return Err(none(&messages)),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(
        Role::User,
        text,
    )]))
}

/// The memories that a question brings, a line each with its id.
fn fitting(store: &Store, messages: &Messages, question: &str) -> Result<String, Refusal> {
    let names: Vec<&str> = store.reach.names().collect();
    let mut hits = store
        .memory
        .answer_across(
            &names,
            Query {
                for_prompt: true,
                ..Query::new(question).top_k(12)
            },
        )?
        .hits;
    let mut floors = Vec::new();
    for space in store.spaces()? {
        floors.push((space.name().to_owned(), space.admin().floor()?));
    }
    hits.retain(|hit| {
        floors
            .iter()
            .all(|(name, floor)| *name != hit.namespace || hit.score >= *floor)
    });
    Ok(lines(
        messages,
        hits.iter().map(|hit| (hit.id, hit.text.as_str())),
    ))
}

/// The newest memories, a line each with its id.
fn newest(store: &Store, messages: &Messages) -> Result<String, Refusal> {
    let mut memories = Vec::new();
    for space in store.spaces()? {
        let layers = vec![Layer::Semantic, Layer::Episodic, Layer::Core, Layer::System];
        let filter = Filter {
            layers,
            ..Filter::default()
        };
        memories.extend(
            space
                .list(&ListQuery {
                    filter,
                    limit: MOST,
                    newest_first: true,
                    ..ListQuery::default()
                })?
                .memories,
        );
    }
    memories.sort_by_key(|memory| std::cmp::Reverse(memory.stored_at));
    memories.truncate(MOST);
    Ok(lines(
        messages,
        memories
            .iter()
            .map(|memory| (memory.id, memory.body.text.as_str())),
    ))
}

fn lines<'a>(
    messages: &Messages,
    memories: impl Iterator<Item = (annals::MemoryId, &'a str)>,
) -> String {
    let lines: Vec<String> = memories
        .map(|(id, text)| format!("- {id} | {}", shown::line(text, LONGEST).0))
        .collect();
    if lines.is_empty() {
        messages.text("empty-list", &[])
    } else {
        lines.join("\n")
    }
}
