//! The common parts of `annals install` and `annals uninstall`.

use std::path::{Path, PathBuf};

use annals::language::privacy::Filter;
use annals_clients::{Action, Change, Client, Error, Folders, Plan, Scope, System};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::visible;
use crate::world::World;

/// Which clients are meant, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct Chosen {
    /// The clients
    #[arg(value_name = "CLIENT", value_parser = names())]
    pub(crate) clients: Vec<Client>,
    /// Every client that is on this machine
    #[arg(long, conflicts_with = "clients")]
    pub(crate) all: bool,
    /// Only in this project: the folder of its repository, or DIR
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    project: Option<Option<PathBuf>>,
    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn names() -> impl TypedValueParser<Value = Client> {
    let known = |name: String| Client::of_name(&name).ok_or_else(|| text!("install-no-client"));
    PossibleValuesParser::new(Client::ALL.map(Client::name)).try_map(known)
}

impl Chosen {
    /// Whose configuration is meant.
    pub(crate) fn scope(&self) -> Result<Scope, Failure> {
        let Some(project) = &self.project else {
            return Ok(Scope::User);
        };
        let absolute = |path: &Path| {
            std::path::absolute(path)
                .map_err(|cause| Failure::file(&text!("install-find-project"), path, &cause))
        };
        match project {
            Some(folder) if !folder.is_dir() => Err(Failure::new(
                Exit::NotFound,
                text!("install-no-folder", folder = folder.display()),
            )
            .advice(text!("install-name-folder"))),
            Some(folder) => Ok(Scope::Project(absolute(folder)?)),
            None => {
                let here = absolute(Path::new("."))?;
                let repository = here.ancestors().find(|folder| folder.join(".git").exists());
                Ok(Scope::Project(repository.unwrap_or(&here).to_owned()))
            }
        }
    }
}

/// The folders below which clients keep their files.
pub(crate) fn folders(world: &World<'_>) -> Folders {
    Folders::of_environment(System::current(), |name| world.var_os(name).cloned())
}

/// Carries a plan out, unless it is only to be shown, and tells what became of each file. `more` is
/// added to the answer in JSON.
pub(crate) fn carry_out(
    plan: &dyn Fn() -> Result<Plan, Error>,
    dry_run: bool,
    more: Value,
    app: &mut App<'_, '_>,
) -> Result<Vec<Change>, Failure> {
    let made = if dry_run {
        plan().map(|plan| plan.changes().to_vec())
    } else {
        applied(plan)
    };
    let changes = made.map_err(|error| Failure::from(&error))?;
    if app.json {
        let files: Vec<Value> = changes
            .iter()
            .map(|change| in_json(change, dry_run))
            .collect();
        let mut answer = json!({ "dry_run": dry_run, "files": files });
        if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
            answer.extend(more);
        }
        app.answer_json(&answer)?;
        return Ok(changes);
    }
    for change in &changes {
        let diff = diff_of(change);
        if dry_run && !diff.is_empty() {
            app.print(&visible::block(&diff))?;
        } else {
            let line = told(change);
            app.say(&line)?;
        }
    }
    if dry_run {
        app.note(&text!("install-nothing-written"))?;
    }
    Ok(changes)
}

/// Takes those out whose files cannot be changed, with the reason: the others are planned without
/// them.
pub(crate) fn take_broken(
    clients: &mut Vec<Client>,
    plan: &dyn Fn(&[Client]) -> Result<Plan, Error>,
) -> Vec<(Client, Error)> {
    let mut broken = Vec::new();
    clients.retain(|client| match plan(&[*client]) {
        Ok(_) => true,
        Err(error) => {
            broken.push((*client, error));
            false
        }
    });
    broken
}

/// An answer in JSON with the clients whose files cannot be changed.
pub(crate) fn with_broken(mut answer: Value, broken: &[(Client, Error)]) -> Value {
    let each = |(client, error): &(Client, Error)| {
        let error = error.to_string();
        json!({ "client": client.name(), "error": error })
    };
    if let Value::Object(answer) = &mut answer {
        answer.insert("failed".to_owned(), broken.iter().map(each).collect());
    }
    answer
}

/// Names each client whose files cannot be changed; the error of the last is that of the command.
pub(crate) fn tell_broken(
    broken: &[(Client, Error)],
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let Some(((_, last), others)) = broken.split_last() else {
        return Ok(());
    };
    for (client, error) in others {
        let error = error.to_string();
        app.note(&text!(
            "install-skipped",
            title = client.title(),
            why = visible::line(&error)
        ))?;
    }
    Err(last.into())
}

/// How often a plan is made anew because another process wrote a file meanwhile.
const ATTEMPTS: usize = 50;

/// Carries a plan out, made anew where a file was changed since; answers what became of each file.
fn applied(plan: &dyn Fn() -> Result<Plan, Error>) -> Result<Vec<Change>, Error> {
    let mut before: Vec<Change> = Vec::new();
    for attempt in 1.. {
        let plan = plan()?;
        match plan.apply() {
            Err(Error::Changed { .. }) if attempt < ATTEMPTS => {
                before.extend_from_slice(plan.changes())
            }
            done => {
                done?;
                let was = |change: &Change| {
                    let same = |before: &&Change| before.path() == change.path();
                    before
                        .iter()
                        .rev()
                        .find(same)
                        .filter(|_| change.action() == Action::Unchanged)
                        .cloned()
                };
                return Ok(plan
                    .changes()
                    .iter()
                    .map(|change| was(change).unwrap_or_else(|| change.clone()))
                    .collect());
            }
        }
    }
    Ok(before)
}

/// The difference, in which keys and tokens of neighbouring entries are marks: it is shown, and may
/// be passed on.
fn diff_of(change: &Change) -> String {
    Filter::secrets().redact_all(&change.diff()).into_owned()
}

const fn word(action: Action) -> &'static str {
    match action {
        Action::Created => "created",
        Action::Changed => "changed",
        Action::Deleted => "deleted",
        _ => "unchanged",
    }
}

fn told(change: &Change) -> String {
    let titles: Vec<&str> = change
        .clients()
        .iter()
        .map(|client| client.title())
        .collect();
    let path = change.path().display().to_string();
    let copy = change
        .backup()
        .and_then(|copy| Some(copy.file_name()?.to_string_lossy().into_owned()));
    let copy = copy
        .map(|name| text!("install-backup", name = visible::line(&name)))
        .unwrap_or_default();
    let done = match change.action() {
        Action::Created => text!("install-created"),
        Action::Changed => text!("install-changed"),
        Action::Deleted => text!("install-deleted"),
        _ => text!("install-unchanged"),
    };
    format!(
        "{}: {done} {}{copy}",
        titles.join(", "),
        visible::line(&path)
    )
}

fn in_json(change: &Change, dry_run: bool) -> Value {
    let clients: Vec<&str> = change
        .clients()
        .iter()
        .map(|client| client.name())
        .collect();
    let (path, action) = (change.path().to_string_lossy(), word(change.action()));
    let mut file = json!({ "path": path, "clients": clients, "action": action });
    if let Value::Object(file) = &mut file {
        if let Some(copy) = change.backup() {
            file.insert("backup".to_owned(), json!(copy.to_string_lossy()));
        }
        if dry_run {
            file.insert("diff".to_owned(), json!(diff_of(change)));
        }
    }
    file
}
