use annals::llm::tools::{Call, Toolset, schemas};
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;

/// What `annals tools` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals tools graph > tools.json
  annals tools agent
  annals tools graph --check create_memory '{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"吃饭\"}'

The schemas have the form that APIs with function calling take: a list \"tools\" whose
elements have the type \"function\".")]
pub(crate) struct Args {
    /// The profile whose tools are meant
    profile: Profile,
    /// Reads a call instead: the name of the tool and its arguments
    #[arg(long, num_args = 2, value_names = ["TOOL", "ARGUMENTS"])]
    check: Option<Vec<String>>,
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
    let set = match args.profile {
        Profile::Graph => Toolset::Graph,
        Profile::Agent => Toolset::Agent,
        Profile::Markdown => Toolset::Markdown,
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
