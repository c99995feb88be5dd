use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals::Mode;
use annals_hooks::Hooks;
use annals_mcp::ProjectNames;
use serde_json::json;

use crate::app::{Access, App, existing};
use crate::clones::Clones;
use crate::counted::Counted;
use crate::failure::Failure;
use crate::table::Table;
use crate::texts::text;
use crate::{card, sync_report, visible};

/// Arguments of `annals namespace`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals namespace list
  annals namespace create user:42 --profile companion
  annals namespace rename user:42 user:43
  annals namespace delete user:43 --yes

A namespace comes into being with its first memory, under the default profile.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists the namespaces of the file
    List,
    /// Makes a namespace
    Create {
        /// The name
        name: String,
        /// Its profile; `annals profile list` shows them
        #[arg(long, default_value = annals::profiles::DEFAULT)]
        profile: String,
    },
    /// Gives a namespace another profile; its memories go on with the score that they have,
    /// mirrored files that the profile does not make go
    UseProfile {
        /// The namespace
        name: String,
        /// The profile; `annals profile list` shows them
        profile: String,
    },
    /// Counts what one namespace holds
    Stats {
        /// The namespace
        name: String,
    },
    /// Gives a namespace another name; mirrored files under the old one go
    Rename {
        /// The name now
        from: String,
        /// The name to be
        to: String,
    },
    /// Gives the repository of the working directory the memory of the project that its
    /// `.git/config` names: a clone at a new place has a memory of its own until then
    Adopt,
    /// Deletes a namespace with every byte of it and the files that mirror it; shows what would go
    /// until --yes is given
    Delete {
        /// The namespace
        name: String,
        /// Delete it, instead of showing what would be deleted
        #[arg(long)]
        yes: bool,
    },
}

impl Args {
    /// Whether the action gives the working directory the memory of another folder.
    pub(crate) const fn adopts(&self) -> bool {
        matches!(self.action, Action::Adopt)
    }
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::List => list(app),
        Action::Create { name, profile } => create(name, profile, app),
        Action::UseProfile { name, profile } => use_profile(name, profile, app),
        Action::Stats { name } => stats(name, app),
        Action::Rename { from, to } => rename(from, to, app),
        Action::Adopt => adopt(app),
        Action::Delete { name, yes } => delete(name, *yes, app),
    }
}

fn list(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespaces = app.open_plain(Access::Existing)?.namespaces()?;
    if app.json {
        return app.answer_json(&json!({ "namespaces": namespaces }));
    }
    if namespaces.is_empty() {
        return app.note(&text!("namespace-none"));
    }
    let mut table = Table::new(&["~name", "profile", ">memories", ">text", "created"]);
    for namespace in &namespaces {
        table.row(vec![
            visible::line(&namespace.name).into_owned(),
            visible::line(&namespace.profile).into_owned(),
            namespace.memories.to_string(),
            card::bytes(namespace.text_bytes),
            card::minute(namespace.created_at),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

fn create(name: &str, profile: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.open_plain(Access::Create)?
        .create_namespace(name, profile)?;
    if app.json {
        return app.answer_json(&json!({ "name": name, "profile": profile }));
    }
    app.say(&text!(
        "namespace-made",
        name = format!("{:?}", visible::line(name)),
        profile = format!("{:?}", visible::line(profile))
    ))
}

fn use_profile(name: &str, profile: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Existing)?;
    let report = existing(&memory, name)?.admin().set_profile(profile)?;
    if app.json {
        return app
            .answer_json(&json!({ "name": name, "profile": profile, "files": report.files }));
    }
    app.say(&text!(
        "namespace-goes-on",
        name = format!("{:?}", visible::line(name)),
        profile = format!("{:?}", visible::line(profile))
    ))?;
    sync_report::tell_removed(&report, app)
}

fn adopt(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let folder = app.world.folder.clone();
    let repository = folder.filter(|folder| annals_mcp::git_root(folder).is_some());
    let folder = repository.ok_or_else(|| Failure::usage(text!("namespace-no-repository")))?;
    let clones = Clones::of(&app.settings.db);
    let before = clones.place(&folder)?;
    let name = clones.adopt(&folder)?;
    let name = name.ok_or_else(|| Failure::usage(text!("namespace-no-address")))?;
    let hooks_moved = take_hooks_along(&folder, &name, app)?;
    if app.json {
        let kept_apart = before.apart.map(|_| before.name);
        let answer = json!({ "name": name, "kept_apart": kept_apart, "hooks_moved": hooks_moved });
        return app.answer_json(&answer);
    }
    app.say(&text!("namespace-adopted", name = visible::line(&name)))?;
    if hooks_moved {
        app.note(&text!("namespace-hooks-moved"))?;
    }
    let was_used = || -> Result<bool, Failure> {
        if !app.has_database()? {
            return Ok(false);
        }
        let namespaces = app.open_plain(Access::Existing)?.namespaces()?;
        Ok(namespaces.iter().any(|known| known.name == before.name))
    };
    match before.apart {
        Some(_) if was_used()? => app.note(&text!(
            "namespace-kept-apart",
            name = visible::line(&before.name)
        )),
        _ => Ok(()),
    }
}

/// Moves the hooks of a repository to its new namespace; answers whether it had any to move.
/// Sessions that are temporary stay so: hooks would keep what is said in them from now on.
fn take_hooks_along(folder: &Path, name: &str, app: &App<'_, '_>) -> Result<bool, Failure> {
    let hooks = Hooks::beside(&app.settings.db);
    let repository = ProjectNames::of(folder).folder;
    let mut enabled = hooks.projects()?;
    // Each worktree of a clone may be enabled by itself; all share the memory of the clone.
    enabled.retain(|project| {
        project.namespace != name && ProjectNames::of(&project.root).folder == repository
    });
    for project in &enabled {
        keep_temporary(&project.namespace, name, app)?;
        hooks.enable(&project.root, name, project.since)?;
    }
    Ok(!enabled.is_empty())
}

/// Makes the sessions temporary in a namespace which are so in another one.
fn keep_temporary(from: &str, to: &str, app: &App<'_, '_>) -> Result<(), Failure> {
    if !app.has_database()? {
        return Ok(());
    }
    let memory = app.open_plain(Access::Existing)?;
    let new = memory.namespace(to)?;
    for session in memory.namespace(from)?.sessions().temporary()? {
        new.session(session).set_temporary(true)?;
    }
    Ok(())
}

fn stats(name: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let counted = Counted::of(&app.asked(&app.open_plain(Access::Existing)?, name)?)?;
    if app.json {
        return app.answer_json(&counted.json());
    }
    let text = counted.text(app);
    app.print(&text)
}

fn rename(from: &str, to: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let report = app
        .open_plain(Access::Existing)?
        .rename_namespace(from, to)?;
    if app.json {
        return app.answer_json(&json!({ "from": from, "to": to, "files": report.files }));
    }
    app.say(&text!(
        "namespace-renamed",
        from = format!("{:?}", visible::line(from)),
        to = format!("{:?}", visible::line(to))
    ))?;
    sync_report::tell_removed(&report, app)
}

fn delete(name: &str, yes: bool, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mode = if yes { Mode::Commit } else { Mode::DryRun };
    let memory = app.open_plain(Access::Existing)?;
    existing(&memory, name)?;
    let receipt = memory.delete_namespace(name, mode)?;
    drop(memory);
    if app.json {
        return app.answer_json(&receipt);
    }
    let mut count = text!("common-memories", count = receipt.memories);
    if !receipt.files.is_empty() {
        let files = u64::try_from(receipt.files.len()).unwrap_or(u64::MAX);
        count = text!(
            "namespace-and-files",
            count,
            files = text!("common-mirrored-files", count = files)
        );
    }
    let name = visible::line(name);
    app.say(&match yes {
        true => text!("namespace-deleted", name = format!("{name:?}"), count),
        false => text!("namespace-would-delete", name = format!("{name:?}"), count),
    })?;
    for path in &receipt.kept {
        let path = path.display().to_string();
        app.note(&text!("namespace-kept-in", path = visible::line(&path)))?;
    }
    for (folder, files) in folders(&receipt.missing) {
        let folder = visible::line(&folder);
        app.note(&text!("namespace-files-not-found", count = files, folder))?;
    }
    Ok(())
}

/// How many files are, or were, in which folder.
fn folders(files: &[PathBuf]) -> BTreeMap<String, usize> {
    let mut folders = BTreeMap::new();
    for folder in files.iter().filter_map(|path| path.parent()) {
        *folders.entry(folder.display().to_string()).or_default() += 1;
    }
    folders
}
