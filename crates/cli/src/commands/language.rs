use std::path::{Path, PathBuf};

use serde_json::json;

use crate::app::{Access, App, existing};
use crate::failure::Failure;
use crate::table::Table;
use crate::texts::text;
use crate::{source, utf8, visible};

/// Arguments of `annals language`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals language use user:42 zh
  annals language show en > de.ftl
  annals language store de de.ftl
  annals language use user:42 de

In a language are the prompts for models, the headings of contexts and files, and the
descriptions of tools. `auto`, which is how a namespace begins, follows what is said.
Memories stay in the language in which they were said. A file of messages is in the
Fluent format; messages that it lacks are said in English. The
language of the program is another thing: ANNALS_LANG, or interface_language in the config file.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists the files of messages
    List,
    /// Prints a file of messages, to be copied and translated
    Show {
        /// A language, or a language and a design: en, zh/companion
        name: String,
    },
    /// Adds a file of messages to the database, or replaces one
    Store {
        /// A language, or a language and a design: de, de/companion
        name: String,
        /// A file in the Fluent format; `-` for standard input
        file: PathBuf,
    },
    /// Takes away a file of messages that was added
    Delete {
        /// Its name
        name: String,
    },
    /// Gives a namespace a language, or shows the one that it has
    Use {
        /// The namespace
        namespace: String,
        /// auto, en, zh, or one that was added
        language: Option<String>,
    },
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::List => list(app),
        Action::Show { name } => show(name, app),
        Action::Store { name, file } => store(name, file, app),
        Action::Delete { name } => delete(name, app),
        Action::Use {
            namespace,
            language,
        } => use_language(namespace, language.as_deref(), app),
    }
}

fn list(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let files = app.open_any()?.profiles().message_files()?;
    if app.json {
        let files = files
            .iter()
            .map(|(name, added)| json!({ "name": name, "builtin": !added }));
        return app.answer_json(&json!({ "messages": files.collect::<Vec<_>>() }));
    }
    let mut table = Table::new(&["~name", "from"]);
    for (name, added) in &files {
        let from = if *added {
            &text!("language-from-file")
        } else {
            "annals"
        };
        table.row(vec![visible::line(name).into_owned(), from.to_owned()]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

fn show(name: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = app.open_any()?.profiles().messages(name)?;
    if app.json {
        return app.answer_json(&json!({ "name": name, "text": text }));
    }
    app.print(&visible::block(&text))
}

fn store(name: &str, file: &Path, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = utf8::text(
        source::all(file, app.world)?,
        &text!("language-the-messages"),
        Some(file),
    )?;
    app.open_plain(Access::Create)?
        .profiles()
        .store_messages(name, &text)?;
    if app.json {
        return app.answer_json(&json!({ "name": name }));
    }
    app.say(&text!(
        "language-stored",
        name = format!("{:?}", visible::line(name))
    ))
}

fn delete(name: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.open_plain(Access::Existing)?
        .profiles()
        .delete_messages(name)?;
    if app.json {
        return app.answer_json(&json!({ "name": name }));
    }
    app.say(&text!(
        "language-deleted",
        name = format!("{:?}", visible::line(name))
    ))
}

/// Whether a word looks like the tag of a language, such as `fr` or `zh-Hans`.
fn is_language(word: &str) -> bool {
    let code = word.split('-').next().unwrap_or_default();
    word == "auto"
        || (matches!(code.len(), 2 | 3) && code.bytes().all(|byte| byte.is_ascii_lowercase()))
}

fn use_language(
    namespace: &str,
    language: Option<&str>,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Existing)?;
    if language.is_none()
        && is_language(namespace)
        && !memory.namespace(namespace)?.admin().exists()?
    {
        let name = format!("{:?}", visible::line(namespace));
        return Err(
            Failure::usage(text!("language-namespace-first", name)).advice(text!(
                "language-namespace-first-advice",
                language = visible::line(namespace)
            )),
        );
    }
    let admin = existing(&memory, namespace)?.admin();
    if let Some(language) = language {
        admin.set_language(Some(language.to_owned()))?;
    }
    let now = admin.language()?;
    if app.json {
        return app.answer_json(&json!({ "name": namespace, "language": now }));
    }
    app.say(&text!(
        "language-is",
        namespace = format!("{:?}", visible::line(namespace)),
        now = format!("{:?}", visible::line(&now))
    ))
}
