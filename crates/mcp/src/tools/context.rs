//! `context`: what of the memory belongs in a prompt.

use annals::ContextRequest;
use rmcp::model::JsonObject;
use serde_json::json;

use super::arguments::Call;
use crate::reply::{Refusal, Reply};
use crate::{resources, shown};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    message: Option<String>,
}

pub(super) fn run(call: &Call<'_>, arguments: JsonObject) -> Result<Reply, Refusal> {
    let arguments: Arguments = call.read(arguments)?;
    let lasting_alone = arguments.message.is_none();
    let request = ContextRequest {
        message: arguments.message,
        agent: Some("mcp".to_owned()),
        ..ContextRequest::default()
    };
    let request = if call.store.writes() {
        request
    } else {
        request.peek()
    };
    let (mut texts, mut ids, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for space in call.store.spaces()? {
        let context = space.context(request.clone())?;
        if !context.text.is_empty() {
            texts.push(shown::block(&context.text));
        } else if lasting_alone {
            // A profile may have no part for them: they are what the attachment of that name holds.
            texts.extend(Some(resources::lasting(&space)?).filter(|text| !text.is_empty()));
        }
        ids.extend(context.ids);
        notes.extend(
            context
                .without_vectors
                .map(|reason| shown::line(&reason, 200).0),
        );
    }
    let text = shown::part(&texts.join("\n\n"), 0, shown::MOST).0;
    let data = json!({ "text": text, "ids": ids });
    let mut shown = if text.is_empty() {
        call.text("mcp-context-none", &[])
    } else {
        text
    };
    if let Some(reason) = notes.first() {
        shown = format!(
            "{shown}\n{}",
            call.text("mcp-by-words", &[("reason", reason)])
        );
    }
    Ok(Reply::new(shown, data))
}
