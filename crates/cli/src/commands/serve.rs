use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::app::{Access, App};
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
    /// End when nobody has called for so long
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u64>,
}

/// How long calls under way may take once the process is told to end. What they have stored is on disk.
const PATIENCE: Duration = Duration::from_secs(4);

/// Ends the process after a while, whatever it does then.
fn end_in(patience: Duration, cut_off: String) {
    std::thread::spawn(move || {
        std::thread::sleep(patience);
        // When not even standard error can be written the exit code is all that is left.
        drop(writeln!(std::io::stderr(), "{cut_off}"));
        std::process::exit(Exit::Failed as i32);
    });
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
        let (served, told) = (memory.clone(), AtomicBool::new(false));
        let cut_off = text!("serve-cut-off");
        let handler = move || match told.swap(true, Ordering::Relaxed) {
            false => {
                served.stop_serving();
                end_in(PATIENCE, cut_off.clone());
            }
            // Calls under way are not waited for when it is told so twice.
            true => std::process::exit(Exit::Failed as i32),
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Failure::new(Exit::Failed, text!("serve-no-signals", error = error.to_string())))?;
        memory.wait_unused(args.idle.map_or(Duration::MAX, Duration::from_secs));
    }
    Ok(())
}
