use std::path::Path;

use annals_clients::{
    Client, Command, Error, Folders, HooksOff, Plan, Planner, Scope, Standing, Status, hooks_off,
    is_found, status,
};
use annals_hooks::Hooks;
use serde_json::{Value, json};

use crate::app::App;
use crate::clients::{Chosen, carry_out, folders, take_broken, tell_broken, with_broken};
use crate::failure::{Exit, Failure};
use crate::table::Table;
use crate::texts::{found, text};
use crate::{program, visible};

/// Arguments of `annals install`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals install                                  # which clients are here, and which have annals
  annals install claude-code --hooks
  annals install --all --dry-run                  # shows the changes as a diff
  annals install cursor --project                 # server and hooks, in this repository alone
  annals install codex --db ~/work.annals

The server `annals mcp` is added to the configuration of the client; what else stands there
stays as it is written, and is copied to NAME.annals-backup before. Hooks give a session what
is remembered and keep what was said: --hooks adds them for the user, --project for one project;
they act where `annals hook enable` was run. Without --db clients find the database as this
program does.")]
pub(crate) struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Add the hooks, too
    #[arg(long)]
    hooks: bool,
}

/// Installs into the clients, or lists them.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let folders = folders(app.world);
    let scope = args.chosen.scope()?;
    if args.hooks && scope != Scope::User {
        return Err(Failure::usage(text!("install-project-has-hooks")));
    }
    let program = program::path(app.world)?;
    let database = app
        .keeps
        .then(|| std::path::absolute(&app.settings.db))
        .transpose();
    let database = database.map_err(|cause| {
        Failure::file(&text!("install-find-database"), &app.settings.db, &cause)
    })?;
    let command =
        Command::new(&program, database.as_deref()).map_err(|error| Failure::from(&error))?;
    if args.chosen.clients.is_empty() && !args.chosen.all {
        if args.hooks || args.chosen.dry_run {
            return Err(Failure::usage(text!("install-no-client-named"))
                .advice(text!("install-name-client")));
        }
        return list(&folders, &scope, &command, app);
    }
    let (mut clients, skipped) = meant(args, &folders, &scope);
    if clients.is_empty() {
        return Err(Failure::new(Exit::NotFound, text!("install-none-here"))
            .advice(text!("install-none-here-advice")));
    }
    let hooks = |client: Client| match scope {
        Scope::Project(_) => client.has_hooks(),
        Scope::User => args.hooks && (client.has_hooks() || !args.chosen.all),
    };
    let install = |clients: &[Client]| -> Result<Plan, Error> {
        let mut planner = Planner::new(&folders);
        clients
            .iter()
            .try_for_each(|client| planner.install(*client, &scope, &command, hooks(*client)))?;
        Ok(planner.finish())
    };
    let broken = if args.chosen.all {
        take_broken(&mut clients, &install)
    } else {
        Vec::new()
    };
    let plan = || install(&clients);
    let with_hooks: Vec<Client> = clients
        .iter()
        .copied()
        .filter(|client| hooks(*client))
        .collect();
    let answer = Answer {
        next: clients
            .iter()
            .map(|client| (*client, next_step(*client, hooks(*client))))
            .collect(),
        skipped,
        notes: notes(&program, &scope, !with_hooks.is_empty(), app),
        off: switched_off(&with_hooks, &folders, &scope),
    };
    carry_out(
        &plan,
        args.chosen.dry_run,
        with_broken(answer.json(&program), &broken),
        app,
    )?;
    answer.tell(args.chosen.dry_run, app)?;
    tell_broken(&broken, app)
}

/// The user's next step; in the words of the crate of clients where there are no others.
fn next_step(client: Client, hooks: bool) -> String {
    let id = |hooks: &str| format!("install-step-{}{hooks}", client.name());
    let told = hooks
        .then(|| found(&id("-hooks"), &[]))
        .flatten()
        .or_else(|| found(&id(""), &[]));
    told.unwrap_or_else(|| client.next_step(hooks).to_owned())
}

/// The text beside the changes.
struct Answer {
    skipped: Vec<(Client, String)>,
    next: Vec<(Client, String)>,
    notes: Vec<String>,
    off: Vec<(Client, HooksOff)>,
}

impl Answer {
    fn json(&self, program: &Path) -> Value {
        let each = |key: &str, told: &[(Client, String)]| -> Value {
            told.iter()
                .map(|(client, text)| json!({ "client": client.name(), key: text }))
                .collect()
        };
        json!({
            "program": program.to_string_lossy(),
            "skipped": each("reason", &self.skipped),
            "next": each("step", &self.next),
            "notes": self.notes,
            "hooks_off": self.off.iter().map(|(client, off)| {
                off_in_json(*client, off)
            }).collect::<Value>(),
        })
    }

    fn tell(&self, dry_run: bool, app: &mut App<'_, '_>) -> Result<(), Failure> {
        for (client, why) in &self.skipped {
            app.note(&text!("install-skipped", title = client.title(), why))?;
        }
        for (client, step) in self.next.iter().filter(|_| !dry_run) {
            app.note(&text!("install-next", title = client.title(), step))?;
        }
        self.notes.iter().try_for_each(|note| app.note(note))?;
        self.off
            .iter()
            .try_for_each(|(client, off)| app.note(&off_text(*client, off)))
    }
}

/// The clients that leave out all hooks, with the switch that says so.
fn switched_off(clients: &[Client], folders: &Folders, scope: &Scope) -> Vec<(Client, HooksOff)> {
    clients
        .iter()
        .filter_map(|client| Some((*client, hooks_off(*client, folders, scope)?)))
        .collect()
}

fn off_text(client: Client, off: &HooksOff) -> String {
    let path = off.path.display().to_string();
    text!(
        "install-hooks-off",
        title = client.title(),
        key = off.key,
        path = visible::line(&path)
    )
}

fn off_in_json(client: Client, off: &HooksOff) -> Value {
    json!({ "client": client.name(), "path": off.path.to_string_lossy(), "key": off.key })
}

/// The clients that are meant, and those that are passed over, with the reason.
fn meant(args: &Args, folders: &Folders, scope: &Scope) -> (Vec<Client>, Vec<(Client, String)>) {
    if !args.chosen.all {
        return (args.chosen.clients.clone(), Vec::new());
    }
    let (mut clients, mut skipped) = (Vec::new(), Vec::new());
    for client in Client::ALL {
        if !is_found(client, folders) {
            skipped.push((client, text!("install-not-here")));
        } else if *scope != Scope::User && !client.has_projects() {
            skipped.push((client, text!("install-no-projects")));
        } else {
            clients.push(client);
        }
    }
    (clients, skipped)
}

/// Advice for the user beside the changes.
fn notes(program: &Path, scope: &Scope, hooks: bool, app: &App<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    // A list that cannot be read is told of where it is needed.
    if let (true, Ok(enabled)) = (hooks, Hooks::beside(&app.settings.db).projects()) {
        let roots = enabled
            .iter()
            .map(|project| visible::line(&project.root.to_string_lossy()).into_owned());
        let roots: Vec<String> = roots.collect();
        notes.push(if roots.is_empty() {
            text!("install-hooks-enable")
        } else {
            let roots = roots.join(&text!("common-comma"));
            text!("install-hooks-act", roots)
        });
    }
    if program::is_fleeting(program) {
        let path = program.display().to_string();
        notes.push(text!("install-cache", path = visible::line(&path)));
    }
    if !app.keeps && app.world.var_os("ANNALS_DB").is_some() {
        notes.push(text!("install-not-from-shell"));
    }
    if *scope != Scope::User {
        notes.push(text!("install-keep-out"));
    }
    notes
}

fn list(
    folders: &Folders,
    scope: &Scope,
    command: &Command,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let clients = Client::ALL
        .into_iter()
        .filter(|client| *scope == Scope::User || client.has_projects());
    let all: Vec<Status> = clients
        .map(|client| status(client, folders, scope, command))
        .collect();
    let hooked = |status: &&Status| status.hooks.is_some_and(|hooks| hooks != Standing::Absent);
    let hooked: Vec<Client> = all
        .iter()
        .filter(hooked)
        .map(|status| status.client)
        .collect();
    let off = switched_off(&hooked, folders, scope);
    if app.json {
        let clients = all.iter().map(in_json).collect::<Value>();
        let off = off
            .iter()
            .map(|(client, off)| off_in_json(*client, off))
            .collect::<Value>();
        return app.answer_json(&json!({ "clients": clients, "hooks_off": off }));
    }
    let mut table = Table::new(&["client", "here", "annals", "hooks", "~file"]);
    for status in &all {
        let file = status
            .files
            .first()
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        table.row(vec![
            status.client.name().to_owned(),
            if status.found {
                text!("install-yes")
            } else {
                text!("install-no")
            },
            if status.problem.is_some() {
                "?".to_owned()
            } else {
                word(status.server)
            },
            status.hooks.map_or_else(String::new, word),
            visible::line(&file).into_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)?;
    for status in &all {
        if let Some(problem) = &status.problem {
            let problem = problem.to_string();
            app.note(&format!(
                "{}: {}",
                status.client.title(),
                visible::line(&problem)
            ))?;
        }
    }
    off.iter()
        .try_for_each(|(client, off)| app.note(&off_text(*client, off)))?;
    app.note(&text!("install-hint"))
}

fn word(standing: Standing) -> String {
    match standing {
        Standing::Current => text!("install-yes"),
        Standing::Outdated => text!("install-outdated"),
        Standing::Foreign => text!("install-foreign"),
        _ => text!("install-no"),
    }
}

fn in_json(status: &Status) -> Value {
    let key = |standing| match standing {
        Standing::Current => "current",
        Standing::Outdated => "outdated",
        Standing::Foreign => "foreign",
        _ => "absent",
    };
    json!({
        "name": status.client.name(),
        "title": status.client.title(),
        "found": status.found,
        "server": key(status.server),
        "hooks": status.hooks.map(key),
        "files": status.files.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "problem": status.problem.as_ref().map(ToString::to_string),
    })
}
