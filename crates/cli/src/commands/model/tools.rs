use std::sync::Arc;

use annals::blocking::Memory;
use annals::llm::provider::Tool;
use annals::llm::tools::{Call, Toolset, schemas, tools};
use annals::messages::{Catalogue, FALLBACK, Localizer, Messages};
use annals::profile::OfferMode;
use annals::{Missing, Mode, NamespaceStats, ToolReply};
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals model tools`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals model tools graph > tools.json
  annals model tools agent
  annals model tools graph --check create_memory \\
    '{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"吃饭\"}'

The schemas have the form that APIs with function calling take: a list \"tools\" whose
elements have the type \"function\".")]
pub(crate) struct Args {
    /// The profile whose tools are meant
    profile: Profile,
    /// The language of the descriptions
    #[arg(long, default_value = FALLBACK, value_name = "LANGUAGE")]
    language: String,
    /// Reads a call instead: the name of the tool and its arguments
    #[arg(long, num_args = 2, value_names = ["TOOL", "ARGUMENTS"])]
    check: Option<Vec<String>>,
}

/// Arguments of `annals model call`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals model call -n me create_memory \\
    '{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"吃饭\"}'
  annals model call -n me search_memories '{\"query\":\"我为什么今天不开心？\"}'

The tools are those of the namespace's profile. The answer is a JSON object; what is wrong
with a call stands in it, with \"success\": false, and the program ends with exit code 4.
A call that cannot be done makes no namespace.")]
pub(crate) struct CallArgs {
    /// The name of the tool
    tool: String,
    /// Its arguments, a JSON object
    #[arg(default_value = "{}")]
    arguments: String,
    /// The profile of a namespace that does not exist yet
    #[arg(long, default_value = "graph")]
    profile: String,
}

/// Profiles whose models call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Profile {
    /// create_memory, link_memories, search_memories, update_memory_importance
    Graph,
    /// search_memory, search_conversation_traces
    Agent,
    /// recall_memory
    Markdown,
}

/// Prints the schemas, or what a call means.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let set = args.profile.toolset();
    let messages = Catalogue::shared().messages(args.profile.design(), &args.language);
    let Some([tool, arguments]) = args.check.as_deref() else {
        return app.say(&schemas(set, &messages));
    };
    known(tool, &tools(set, &messages))?;
    let read =
        Call::read(tool, arguments, &messages).map_err(|bad| Failure::invalid(bad.to_string()))?;
    let arguments = json!(read.call);
    if app.json {
        return app
            .answer_json(&json!({ "tool": tool, "arguments": arguments, "notes": read.notes }));
    }
    app.say(tool)?;
    for (name, value) in arguments
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
    {
        app.say(&visible::json(&format!("  {name}: {value}")))?;
    }
    for note in &read.notes {
        app.note(note)?;
    }
    Ok(())
}

impl Profile {
    /// The design whose messages describe them.
    const fn design(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Agent => "agent",
            Self::Markdown => "markdown",
        }
    }

    const fn toolset(self) -> Toolset {
        match self {
            Self::Graph => Toolset::Graph,
            Self::Agent => Toolset::Agent,
            Self::Markdown => Toolset::Markdown,
        }
    }
}

/// Whether a tool is among those of a profile.
fn known(tool: &str, tools: &[Tool]) -> Result<(), Failure> {
    if tools.iter().any(|known| known.name == tool) {
        return Ok(());
    }
    let names: Vec<&str> = tools.iter().map(|known| known.name.as_str()).collect();
    let unknown = Failure::invalid(text!("model-no-tool", tool = format!("{tool:?}")));
    Err(if names.is_empty() {
        unknown
    } else {
        unknown.advice(text!("model-tools-are", names = names.join(", ")))
    })
}

/// Does a call, and prints its answer.
pub(crate) fn call(call: &CallArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?.to_owned();
    let name = name.as_str();
    let memory = if app.has_database()? {
        Some(app.open(Access::Existing)?)
    } else {
        None
    };
    let spaces = memory.as_ref().map_or(Ok(Vec::new()), Memory::namespaces)?;
    if !spaces.iter().any(|known| known.name == name) {
        // Nothing is made for a call that cannot be done.
        let (tools, messages) = offered(&call.profile, memory.as_ref())?;
        known(&call.tool, &tools)?;
        let read = Call::read(&call.tool, &call.arguments, &messages)
            .map_err(|bad| Failure::invalid(bad.to_string()))?;
        // Only a memory makes a namespace.
        match &memory {
            _ if matches!(read.call, Call::CreateMemory(_)) => {}
            Some(memory) => drop(app.asked(memory, name)?),
            None => drop(app.open(Access::Existing)?),
        }
    }
    let memory = memory.map_or_else(|| app.open(Access::Create), Ok)?;
    let reply = told(&memory, name, call, &spaces)?;
    // A call that stored nothing needs no namespace.
    let empty = |known: &NamespaceStats| known.name == name && known.memories == 0;
    if spaces.iter().all(|known| known.name != name) && memory.namespaces()?.iter().any(empty) {
        memory.delete_namespace(name, Mode::Commit)?;
    }
    app.say(&visible::json(reply.as_json()))?;
    if reply.is_success() {
        Ok(())
    } else {
        Err(Failure::invalid(text!("model-not-done")))
    }
}

/// The reply of the call.
fn told(
    memory: &Memory,
    name: &str,
    call: &CallArgs,
    spaces: &[NamespaceStats],
) -> Result<ToolReply, Failure> {
    let namespace = match spaces.iter().any(|known| known.name == name) {
        true => memory.namespace(name)?,
        false => memory.create_namespace(name, &call.profile)?,
    };
    let reply = namespace.tools().call(&call.tool, &call.arguments)?;
    // Vectors of what was stored are made before the program ends.
    memory.wait_idle()?;
    Ok(reply)
}

/// The tools of a profile that comes along or is stored in the file, and the messages in which it
/// tells of them.
fn offered(profile: &str, memory: Option<&Memory>) -> Result<(Vec<Tool>, Arc<Messages>), Failure> {
    let text = match (annals::profiles::builtin(profile), memory) {
        (Some(text), _) => text.to_owned(),
        (None, Some(memory)) => memory.profiles().text(profile)?,
        (None, None) if profile == annals::profiles::DEFAULT => String::new(),
        (None, None) => {
            return Err(Failure::missing(
                Missing::Profile,
                text!("model-no-profile", profile = format!("{profile:?}")),
            ));
        }
    };
    let profile = annals::profiles::parse(&text)?;
    let offers = profile.recall.mode == OfferMode::Tools && profile.surface.enabled;
    let messages = Localizer::new(Catalogue::shared(), profile.language.clone()).of([]);
    let offered = profile
        .recall
        .toolset
        .filter(|_| offers)
        .map(|set| tools(set, &messages));
    Ok((offered.unwrap_or_default(), messages))
}
