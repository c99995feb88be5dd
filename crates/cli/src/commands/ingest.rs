use annals::Mode;
use annals::blocking::Namespace;
use annals::profile::AnswerForm;
use serde_json::json;

use crate::app::{Access, App};
use crate::backlog::{other_failures, tell_left, windows_left};
use crate::failure::{Exit, Failure};
use crate::import::{self, Imported};
use crate::learnt::{Learnt, told_besides};
use crate::llm;
use crate::lookup::prepared;
use crate::texts::text;

/// Arguments of `annals ingest`.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(after_help = "\
Examples:
  annals ingest chat.ndjson --llm http://localhost:11434/v1#qwen2.5
  annals ingest chat.json --conversation monday --profile agent -n user:42
  ANNALS_LLM=replay:answers.ndjson annals ingest chat.ndjson

The turns are stored at once; then a language model looks through them for what is
worth keeping, by the settings of the profile, and through what waits from before. What
the model cannot be asked now waits: `annals queue list` shows it, `annals jobs run` and the
next `annals ingest` try again. Ends with 1 when something could not be looked through.

Without --llm, $ANNALS_LLM_EXTRACT is asked, or else llm_extract of the config file, or
else $ANNALS_LLM, or else [llm] of the config file. Without a model nothing is extracted:
`annals import` keeps a conversation as it is, to be found and quoted. `annals db usage`
shows what a model was asked and what it cost.")]
pub(crate) struct Args {
    #[command(flatten)]
    import: import::Args,
    /// URL#MODEL, anthropic#MODEL, or replay:FILE [default: $ANNALS_LLM_EXTRACT or $ANNALS_LLM]
    #[arg(long, value_name = "MODEL")]
    llm: Option<String>,
    /// The profile of a namespace that does not exist yet [default: studio]
    #[arg(long)]
    profile: Option<String>,
}

/// Stores the conversation and looks through it.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.counts_tokens = true;
    app.llm.clone_from(&args.llm);
    app.reader.clone_from(&args.llm);
    if app.reader()?.is_none() {
        return Err(Failure::new(Exit::Usage, text!("chat-ingest-no-model"))
            .advice(text!("chat-ingest-name-model")));
    }
    app.needs_model = true;
    args.import.check_for_one()?;
    llm::spare_input(args.import.file(), app.world)?;
    let since = app.world.clock.now();
    let imported = stored(args, app)?;
    if !app.json {
        app.say(&imported.text)?;
    }
    let namespace = app.namespace(Access::Existing)?;
    namespace.queue().extract_all()?;
    // Failed work is tried again: the model may answer now.
    namespace.queue().retry_waiting()?;
    let counts = namespace.queue().work_off()?;
    let learnt = Learnt::since(&namespace, since)?;
    let count = |word: &str| counts.get(word).copied().unwrap_or(0);
    let (asked, failed) = (count("extracted"), count("failed"));
    let (waiting, given_up) = windows_left(&namespace)?;
    if app.json {
        app.answer_json(&json!({
            "imported": imported.json, "windows": asked, "failed": failed, "waiting": waiting,
            "given_up": given_up, "found": learnt.found, "ended": learnt.ended,
            "deleted": learnt.deleted,
            "changed": learnt.changed, "work": counts
        }))?;
        return unread(&namespace, failed);
    }
    if asked + waiting + given_up == 0 && imported.stored > 0 {
        app.note(&unlooked(namespace.admin().settings()?.extract.answer))?;
    }
    app.say(&text!(
        "chat-ingest-found",
        found = text!("common-memories", count = learnt.found.len()),
        asked = text!("common-windows", count = asked)
    ))?;
    learnt.tell(app)?;
    tell_left((waiting, given_up), app)?;
    if let Some(other) = other_failures(&counts) {
        app.note(&other)?;
    }
    told_besides(&namespace, &learnt, since, app)?;
    unread(&namespace, failed)
}

/// Imports the conversation; a namespace that was made for one that cannot be stored goes again.
fn stored(args: &Args, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    let name = app.namespace_name()?;
    let new = app
        .open_any()?
        .namespaces()?
        .iter()
        .all(|known| known.name != name);
    drop(prepared(args.profile.as_deref(), "studio", app)?);
    let imported = import::stored(&args.import, false, app);
    if new && imported.is_err() {
        unmade(app)?;
    }
    imported
}

/// Fails where windows could not be looked through. The stored turns stay, and the windows are
/// tried again.
fn unread(namespace: &Namespace, failed: u64) -> Result<(), Failure> {
    if failed == 0 {
        return Ok(());
    }
    let tasks = namespace.queue().list(usize::MAX)?;
    let why = tasks
        .iter()
        .find(|task| task.kind == "extract" && !task.last_error.is_empty());
    let count = text!("common-windows-were", count = failed);
    let told = match why {
        Some(task) => text!("chat-ingest-not-looked-why", count, why = task.last_error),
        None => text!("chat-ingest-not-looked", count),
    };
    Err(Failure::new(Exit::Failed, told).advice(text!("chat-ingest-stored")))
}

/// Why a conversation was not looked through, and what to do instead.
fn unlooked(answer: AnswerForm) -> String {
    match answer {
        AnswerForm::Tools => {
            text!("chat-ingest-tools")
        }
        _ => text!("chat-ingest-nothing"),
    }
}

/// Takes the namespace away again that was made for what could not be stored.
fn unmade(app: &App<'_, '_>) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Existing)?;
    let name = app.namespace_name()?;
    if memory
        .namespaces()?
        .iter()
        .any(|known| known.name == name && known.memories == 0)
    {
        memory.delete_namespace(name, Mode::Commit)?;
    }
    Ok(())
}
