use annals::{ContextPart, ContextRequest, MemoryId, Timestamp};
use serde::Serialize;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals context`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals context \"which editor do I like?\" -n user:42
  annals context -n agent:dev > prompt.txt
  annals context \"and the tests?\" --earlier \"I refactored the parser.\" --count --json")]
pub(crate) struct Args {
    /// The message that is to be answered; without one only what does not depend on it is shown
    message: Option<String>,
    /// A message before it, oldest first; may be given several times
    #[arg(long, value_name = "TEXT")]
    earlier: Vec<String>,
    /// The session of the conversation: its turns that say what these messages say are not recalled
    /// as well
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Text made ready for this turn, such as results of tools in the last one
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    prepared: String,
    /// The moment for which it is made [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<Timestamp>,
    /// Count the memories that recall brought as injected, where the profile counts that
    #[arg(long)]
    count: bool,
}

/// Prints the context.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.counts_tokens = true;
    let memory = app.open(Access::Existing)?;
    let namespace = app.asked(&memory, app.namespace_name()?)?;
    let request = ContextRequest {
        message: args.message.clone(),
        earlier: args.earlier.clone(),
        session: args.session.clone(),
        prepared: args.prepared.clone(),
        at: args.at,
        peek: !args.count,
        ..ContextRequest::default()
    };
    let context = namespace.context(request)?;
    app.note_by_words(context.without_vectors.as_deref())?;
    if app.json {
        let parts = context.parts.iter().map(|part: &ContextPart| PartView {
            name: &part.name,
            text: &part.text,
            ids: &part.ids,
        });
        return app.answer_json(&View {
            text: &context.text,
            parts: parts.collect(),
            ids: &context.ids,
            tokens: context.tokens,
            left_out: context.left_out,
            without_vectors: context.without_vectors.as_deref(),
        });
    }
    if context.text.is_empty() {
        return app.note(&text!("recall-context-none"));
    }
    app.print(&format!("{}\n", visible::block(&context.text)))
}

#[derive(Serialize)]
struct View<'a> {
    text: &'a str,
    parts: Vec<PartView<'a>>,
    ids: &'a [MemoryId],
    tokens: usize,
    left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    without_vectors: Option<&'a str>,
}

#[derive(Serialize)]
struct PartView<'a> {
    name: &'a str,
    text: &'a str,
    ids: &'a [MemoryId],
}
