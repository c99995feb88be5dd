use std::time::Duration;

use serde_json::json;

use crate::app::{Access, App};
use crate::ending;
use crate::failure::{Exit, Failure};
use crate::texts::text;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Commands, editors and agents that use the same database go through one process, which answers them
at once: it keeps the embedder and the indexes in memory, and runs the jobs that are due. They start
one by themselves where there is none; $ANNALS_SHARE or `share` in the config file says whether
(auto), not (join: the first process is the owner while it runs), or that they take turns (off).

Examples:
  annals serve
  annals serve --idle 600 --db team.annals")]
pub(crate) struct Args {
    /// End when nobody has called or been connected for so long
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u64>,
}

pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.owns = true;
    app.counts_tokens = true;
    let options = app.options()?.scheduler(true);
    let memory = app.open_with(options, Access::Create)?;
    let Some(owner) = memory.owner()? else {
        return Err(Failure::usage(text!("serve-not-shared")));
    };
    let here = owner.pid == std::process::id();
    let path = app.settings.db.display().to_string();
    if app.json {
        app.answer_json(&json!({ "db": path, "pid": owner.pid, "here": here }))?;
    } else if here {
        app.say(&text!("serve-owning", path, pid = owner.pid))?;
    } else {
        app.say(&text!("serve-owned", pid = owner.pid, path))?;
    }
    if here {
        let served = memory.clone();
        ending::end_when_told(move || served.stop_serving())
            .map_err(|error| Failure::new(Exit::Failed, text!("serve-no-signals", error = error.to_string())))?;
        memory.wait_unused(args.idle.map_or(Duration::MAX, Duration::from_secs));
    }
    Ok(())
}
