use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::app::{Access, App};
use crate::failure::{Failure, cause};
use crate::table::Table;
use crate::texts::{Language, language, text};
use crate::{source, utf8, visible};

/// Arguments of `annals profile`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals profile list
  annals profile show companion > mine.toml
  annals profile store mine mine.toml
  annals namespace create user:42 --profile mine

A profile says which kinds of memories there are, how they fade, what strengthens
them, and what is done to them when `annals jobs run` runs.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists the profiles that namespaces of this file can have
    List,
    /// Prints the text of a profile, to be copied and changed
    Show {
        /// The profile
        name: String,
    },
    /// Stores a profile of your own in the file; namespaces that have it go on under it
    Store {
        /// The name that it gets
        name: String,
        /// A file in TOML; `-` for standard input
        file: PathBuf,
    },
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::List => list(app),
        Action::Show { name } => show(name, app),
        Action::Store { name, file } => store(name, file, app),
    }
}

fn list(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let profiles = app.open_any()?.profiles().list()?;
    if app.json {
        return app.answer_json(&json!({ "profiles": profiles }));
    }
    let mut table = Table::new(&["~name", "from", ">namespaces"]);
    for profile in &profiles {
        let from = if profile.builtin {
            "annals"
        } else {
            &text!("profile-from-file")
        };
        let name = visible::line(&profile.name).into_owned();
        table.row(vec![name, from.to_owned(), profile.namespaces.to_string()]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

/// Prints a profile; a built-in one needs no database.
fn show(name: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = match annals::profiles::builtin(name) {
        Some(text) => text.to_owned(),
        None if name == annals::profiles::DEFAULT => {
            annals::profiles::render(&app.settings.profile)?
        }
        None => app.open_plain(Access::Existing)?.profiles().text(name)?,
    };
    if app.json {
        return app.answer_json(&json!({ "name": name, "text": text }));
    }
    app.print(&visible::block(&in_language(&text)))
}

/// English comments of the profiles that come along, and Chinese ones, a tab between them.
const COMMENTS: &str = include_str!("../../data/zh/profile-comments.tsv");

/// A profile with its comments in the language of the run: those that come along, and ids of
/// requirements.
fn in_language(text: &str) -> Cow<'_, str> {
    if language() == Language::English {
        return text.into();
    }
    let known: HashMap<&str, &str> = COMMENTS
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let comment = |comment: &str| match known.get(comment) {
        Some(other) => Some((*other).to_owned()),
        None => comment
            .strip_suffix(", proposed")
            .map(|ids| format!("{ids}，建议值")),
    };
    let mut lines = String::with_capacity(text.len());
    for line in text.lines() {
        let parts = line
            .split_once('#')
            .and_then(|(value, said)| Some((value, comment(said.trim())?)));
        match parts {
            Some((value, said)) => lines.push_str(&format!("{value}# {said}")),
            None => lines.push_str(line),
        }
        lines.push('\n');
    }
    lines.into()
}

fn store(name: &str, file: &Path, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = utf8::text(
        source::all(file, app.world)?,
        &text!("profile-the-profile"),
        Some(file),
    )?;
    // The place in the file is named before the database is touched.
    annals::profiles::parse(&text).map_err(|error| {
        let english = error.to_string();
        let message = error
            .wording()
            .as_ref()
            .and_then(cause)
            .unwrap_or_else(|| english.clone());
        Failure::invalid(text!("profile-in-file", path = file.display(), message))
            .at(file, line_of(&english))
            .advice(text!("profile-correct"))
    })?;
    let memory = app.open_plain(Access::Create)?;
    let warnings = memory.profiles().store(name, &text)?;
    let namespaces = memory
        .profiles()
        .list()?
        .iter()
        .find(|known| known.name == name)
        .map_or(0, |known| known.namespaces);
    if app.json {
        return app
            .answer_json(&json!({ "name": name, "warnings": warnings, "namespaces": namespaces }));
    }
    for warning in &warnings {
        let text = format!(
            "{} {}",
            app.paint.warning(&text!("profile-odd")),
            visible::line(warning)
        );
        app.note(&text)?;
    }
    let name = visible::line(name).into_owned();
    app.say(&match namespaces {
        0 => text!("profile-stored", name = format!("{name:?}")),
        count => text!("profile-stored-used", name = format!("{name:?}"), count),
    })
}

/// The line that an error about a profile begins with.
fn line_of(message: &str) -> Option<u64> {
    message
        .strip_prefix("line ")?
        .split(':')
        .next()?
        .parse()
        .ok()
}
