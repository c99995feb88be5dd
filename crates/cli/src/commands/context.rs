use annals::{ContextPart, ContextRequest, MemoryId, Timestamp};
use serde::Serialize;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::moment::time;
use crate::settings::Scope;
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
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    prepared: String,
    /// The moment for which it is made [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,
    /// Note what was given for the page, and count the memories that recall brought as injected,
    /// where the profile counts that
    #[arg(long)]
    count: bool,
}

/// Prints the context.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.counts_tokens = true;
    let memory = app.open(Access::Existing)?;
    let names = match app.settings.scope {
        Scope::Project => app.settings.namespaces.clone(),
        _ => vec![app.namespace_name()?.to_owned()],
    };
    let request = ContextRequest {
        message: args.message.clone(),
        earlier: args.earlier.clone(),
        session: args.session.clone(),
        prepared: args.prepared.clone(),
        at: args.at,
        peek: !args.count,
        agent: Some("annals context".to_owned()),
        ..ContextRequest::default()
    };
    let mut contexts = Vec::with_capacity(names.len());
    for name in &names {
        contexts.push(app.asked(&memory, name)?.context(request.clone())?);
    }
    let without_vectors = contexts
        .iter()
        .find_map(|context| context.without_vectors.as_deref());
    app.note_by_words(without_vectors)?;
    let texts: Vec<&str> = contexts
        .iter()
        .map(|context| context.text.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    let text = texts.join("\n\n");
    if app.json {
        let parts = contexts
            .iter()
            .flat_map(|context| &context.parts)
            .map(|part: &ContextPart| PartView {
                name: &part.name,
                text: &part.text,
                ids: &part.ids,
            });
        return app.answer_json(&View {
            text: &text,
            parts: parts.collect(),
            ids: contexts
                .iter()
                .flat_map(|context| &context.ids)
                .copied()
                .collect(),
            tokens: contexts.iter().map(|context| context.tokens).sum(),
            left_out: contexts.iter().map(|context| context.left_out).sum(),
            without_vectors,
        });
    }
    if text.is_empty() {
        return app.note(&text!("recall-context-none"));
    }
    app.print(&format!("{}\n", visible::block(&text)))
}

#[derive(Serialize)]
struct View<'a> {
    text: &'a str,
    parts: Vec<PartView<'a>>,
    ids: Vec<MemoryId>,
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
