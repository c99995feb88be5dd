//! The tools of a server: those of the design of its namespace, or seven of its own.

mod arguments;
mod change;
mod context;
mod design;
mod get;
mod list;
mod recall;
mod remember;
mod schema;

use annals::messages::{Messages, term};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use serde_json::{Value, json};

use self::arguments::Call;
use crate::reply::{Refusal, Reply};
use crate::store::Store;
use crate::words;

pub(crate) use design::{OwnTools, instruction, own_tools};
pub(crate) use list::list;

/// There is no tool of that name; these there are.
pub(crate) struct Unknown(pub(crate) Vec<String>);

/// Calls a tool. An argument that is wrong is told in the result, for the model to read.
pub(crate) fn call(
    store: &Store,
    name: &str,
    arguments: JsonObject,
) -> Result<CallToolResult, Unknown> {
    let offered = match list(store) {
        Ok(tools) => tools,
        Err(refusal) => return Ok(refusal.result(&words::builtin(&store.language))),
    };
    let Some(tool) = offered.iter().find(|tool| tool.name == name) else {
        return Err(Unknown(
            offered
                .into_iter()
                .map(|tool| tool.name.into_owned())
                .collect(),
        ));
    };
    let said: Vec<&str> = SAID
        .iter()
        .filter_map(|field| arguments.get(*field)?.as_str())
        .collect();
    let messages = match store.messages(&said) {
        Ok(messages) => messages,
        Err(error) => return Ok(Refusal::from(error).result(&words::builtin(&store.language))),
    };
    let work = || {
        store
            .admit(&messages)
            .and_then(|()| match design::has_own(store)? {
                true => design::call(store, name, arguments),
                false => own(store, tool, arguments, &messages).map(CallToolResult::from),
            })
    };
    let (done, masked) = annals::masked_during(work);
    let mut result = done.unwrap_or_else(|refusal| refusal.result(&messages));
    if !masked.is_empty() {
        let kinds: Vec<&str> = masked.iter().map(String::as_str).collect();
        let named = kinds.iter().map(|kind| {
            term(messages.language(), "secret", kind).unwrap_or_else(|| (*kind).to_owned())
        });
        let named = named.collect::<Vec<_>>().join(", ");
        result.content.push(ContentBlock::text(
            messages.text("mcp-masked", &[("kinds", (&named).into())]),
        ));
        if let Some(Value::Object(data)) = &mut result.structured_content {
            data.insert("masked".to_owned(), json!(kinds));
        }
    }
    Ok(result)
}

/// The work of a tool.
type Run = fn(&Call<'_>, JsonObject) -> Result<Reply, Refusal>;

/// The seven tools, in the order of their list.
const OWN: [(&str, Run); 7] = [
    ("recall", recall::run),
    ("get", get::run),
    ("remember", remember::run),
    ("update", change::update),
    ("forget", change::forget),
    ("link", change::link),
    ("context", context::run),
];

/// The arguments in the words of a conversation: answers are in their language.
const SAID: [&str; 3] = ["query", "text", "message"];

fn own(
    store: &Store,
    tool: &Tool,
    mut arguments: JsonObject,
    messages: &Messages,
) -> Result<Reply, Refusal> {
    let call = Call {
        store,
        messages,
        tool: &tool.name,
    };
    call.fit(&tool.input_schema, &mut arguments)?;
    match OWN.iter().find(|(own, _)| *own == tool.name) {
        Some((_, run)) => run(&call, arguments),
        None => Err(call.bad("there is no such tool")),
    }
}
