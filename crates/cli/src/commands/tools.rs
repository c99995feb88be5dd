use annals::llm::tools::{Call, Toolset, schemas};
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::visible;

/// What `annals tools` takes.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  annals tools graph > tools.json
  annals tools agent
  annals tools graph --check create_memory '{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"吃饭\"}'
  annals tools call -n me create_memory '{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"吃饭\"}'

The schemas have the form that APIs with function calling take: a list \"tools\" whose
elements have the type \"function\"."
)]
pub(crate) struct Args {
    /// The profile whose tools are meant
    #[arg(required = true)]
    profile: Option<Profile>,
    /// Reads a call instead: the name of the tool and its arguments
    #[arg(long, num_args = 2, value_names = ["TOOL", "ARGUMENTS"])]
    check: Option<Vec<String>>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Does a call in a namespace and prints what the model is answered
    Call(CallArgs),
}

/// What `annals tools call` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals tools call -n me create_memory '{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"吃饭\"}'
  annals tools call -n me search_memories '{\"query\":\"我为什么今天不开心？\"}'

The tools are those of the namespace's profile. The answer is a JSON object; what is wrong
with a call stands in it, with \"success\": false.")]
struct CallArgs {
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

/// Prints the schemas, what a call means, or what it answers.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if let Some(Command::Call(call)) = &args.command {
        return answer(call, app);
    }
    let set = match args.profile {
        Some(Profile::Graph) | None => Toolset::Graph,
        Some(Profile::Agent) => Toolset::Agent,
        Some(Profile::Markdown) => Toolset::Markdown,
    };
    let Some([tool, arguments]) = args.check.as_deref() else { return app.say(&schemas(set)) };
    let read = Call::read(tool, arguments).map_err(|bad| Failure::invalid(bad.to_string()))?;
    if app.json {
        return app.answer_json(&json!({ "tool": tool, "notes": read.notes }));
    }
    app.say(&format!("{:#?}", read.call))?;
    for note in &read.notes {
        app.note(note)?;
    }
    Ok(())
}

fn answer(call: &CallArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?;
    let memory = app.open(Access::Create)?;
    if !memory.namespaces()?.iter().any(|known| known.name == name) {
        memory.create_namespace(name, &call.profile)?;
    }
    let reply = memory.namespace(name)?.call_tool(&call.tool, &call.arguments)?;
    // Vectors of what was stored are made before the program ends.
    memory.wait_idle()?;
    app.say(&visible::json(reply.as_json()))
}
