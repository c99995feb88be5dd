use annals_clients::{Client, Error, Plan, Planner, Scope};
use serde_json::json;

use crate::app::App;
use crate::clients::{Chosen, carry_out, folders, take_broken, tell_broken, with_broken};
use crate::failure::Failure;
use crate::texts::text;

/// Arguments of `annals uninstall`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals uninstall claude-code
  annals uninstall claude-code --hooks            # the server stays
  annals uninstall --all --dry-run
  annals uninstall cursor --project

What `annals install` added is taken out, whichever program and database it names. A file in
which nothing else has changed since is again what it was before. Memories are not touched.")]
pub(crate) struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Take out the hooks only
    #[arg(long)]
    hooks: bool,
}

/// Takes annals out of the clients.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let folders = folders(app.world);
    let scope = args.chosen.scope()?;
    if args.chosen.clients.is_empty() && !args.chosen.all {
        return Err(Failure::usage(text!("install-no-client-named"))
            .advice(text!("install-name-client-list")));
    }
    let within = |client: &Client| scope == Scope::User || client.has_projects();
    let mut clients: Vec<Client> = match args.chosen.all {
        true => Client::ALL.into_iter().filter(within).collect(),
        false => args.chosen.clients.clone(),
    };
    let uninstall = |clients: &[Client]| -> Result<Plan, Error> {
        let mut planner = Planner::new(&folders);
        clients
            .iter()
            .try_for_each(|client| planner.uninstall(*client, &scope, args.hooks))?;
        Ok(planner.finish())
    };
    let broken = if args.chosen.all {
        take_broken(&mut clients, &uninstall)
    } else {
        Vec::new()
    };
    let plan = || uninstall(&clients);
    let changes = carry_out(
        &plan,
        args.chosen.dry_run,
        with_broken(json!({}), &broken),
        app,
    )?;
    if changes.is_empty() {
        app.note(&text!("install-nothing-there"))?;
    } else if !args.chosen.dry_run {
        app.note(&text!("install-start-again"))?;
    }
    tell_broken(&broken, app)
}
