use std::collections::BTreeMap;

use annals::blocking::{Memory, Namespace};
use annals::profile::AnswerForm;
use annals::{Decision, DecisionQuestion, Filter, Layer, ListQuery, Mode, QueueState, StoredMemory, Timestamp};
use serde_json::json;

use super::import;
use crate::app::{Access, App};
use crate::card;
use crate::failure::{Exit, Failure};
use crate::llm;
use crate::visible;

/// What `annals ingest` takes.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(after_help = "\
Examples:
  annals ingest chat.ndjson --llm http://localhost:11434/v1#qwen2.5
  annals ingest chat.json --conversation monday --profile agent -n user:42
  ANNALS_LLM=replay:answers.ndjson annals ingest chat.ndjson

The turns are stored at once; then a language model looks through them for what is
worth keeping, by the settings of the profile, and through what waits from before. What
the model cannot be asked now waits: `annals queue` shows it, `annals maintain` and the
next `annals ingest` try again. Ends with 1 when something could not be looked through.

Without --llm, $ANNALS_LLM_EXTRACT is asked, or else llm_extract of the config file, or
else $ANNALS_LLM, or else [llm] of the config file. Without a model nothing is extracted:
`annals import` keeps a conversation as it is, to be found and quoted. `annals usage`
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
        return Err(Failure::new(Exit::Usage, "no language model is named, and without one nothing is extracted").advice(
            "name one with --llm or $ANNALS_LLM, for example http://localhost:11434/v1#qwen2.5, or keep the conversation as it is with `annals import`",
        ));
    }
    app.needs_model = true;
    args.import.check_for_one()?;
    llm::spare_input(args.import.file(), app.world)?;
    let since = app.world.clock.now();
    let name = app.namespace_name()?;
    let new = app.open_any()?.namespaces()?.iter().all(|known| known.name != name);
    let (memory, namespace) = prepared(args.profile.as_deref(), "studio", app)?;
    drop((memory, namespace));
    let imported = match import::stored(&args.import, app) {
        Ok(imported) => imported,
        Err(failure) => {
            if new {
                unmade(app)?;
            }
            return Err(failure);
        }
    };
    if !app.json {
        app.say(&imported.text)?;
    }
    let namespace = app.namespace(Access::Existing)?;
    namespace.extract_all()?;
    // What failed before is asked for again: somebody who could not be reached then may be there now.
    namespace.retry_waiting()?;
    let counts = namespace.work_off()?;
    app.note_masked(&namespace.take_masked())?;
    let learnt = Learnt::since(&namespace, since)?;
    let count = |word: &str| counts.get(word).copied().unwrap_or(0);
    let (asked, failed) = (count("extracted"), count("failed"));
    let (waiting, given_up) = windows_left(&namespace)?;
    if app.json {
        app.answer_json(&json!({
            "imported": imported.json, "windows": asked, "failed": failed, "waiting": waiting,
            "given_up": given_up, "found": learnt.found, "ended": learnt.ended, "deleted": learnt.deleted,
            "changed": learnt.changed, "work": counts
        }))?;
        return unread(&namespace, failed);
    }
    if asked + waiting + given_up == 0 && imported.stored > 0 {
        app.note(unlooked(namespace.settings()?.extract.answer))?;
    }
    app.say(&format!(
        "found {} in {}",
        card::counted(number(learnt.found.len()), "memory", "memories"),
        card::counted(asked, "window", "windows")
    ))?;
    learnt.tell(app)?;
    tell_left((waiting, given_up), app)?;
    if let Some(other) = other_failures(&counts) {
        app.note(&other)?;
    }
    told_besides(&namespace, &learnt, since, app)?;
    unread(&namespace, failed)
}

/// Fails where windows were to be looked through and could not be. What was stored stays, and what waits is tried again.
fn unread(namespace: &Namespace, failed: u64) -> Result<(), Failure> {
    if failed == 0 {
        return Ok(());
    }
    let tasks = namespace.queue(usize::MAX)?;
    let why = tasks.iter().find(|task| task.kind == "extract" && !task.last_error.is_empty());
    let why = why.map_or_else(String::new, |task| format!(": {}", task.last_error));
    let count = card::counted(failed, "window was", "windows were");
    Err(Failure::new(Exit::Failed, format!("{count} not looked through{why}"))
        .advice("the turns are stored; `annals queue` shows what waits, the next `annals ingest` tries again"))
}

/// Why a conversation was not looked through, and what to do instead.
const fn unlooked(answer: AnswerForm) -> &'static str {
    match answer {
        AnswerForm::Tools => {
            "under this profile a model makes memories itself, with tools while it talks: use `annals chat` or `annals tools`, or ingest this into a namespace under another profile, such as studio"
        }
        _ => "the profile has nothing of this looked through; [extract] of `annals profile show` says when it has",
    }
}

/// How many windows of conversations wait to be looked through, and how many were given up.
pub(super) fn windows_left(namespace: &Namespace) -> Result<(u64, u64), Failure> {
    let windows = namespace.queue(usize::MAX)?.into_iter().filter(|task| task.kind == "extract");
    let (given_up, waiting): (Vec<_>, Vec<_>) = windows.partition(|task| task.state == QueueState::Dead);
    Ok((number(waiting.len()), number(given_up.len())))
}

/// Says how many they are.
pub(super) fn tell_left((waiting, given_up): (u64, u64), app: &mut App<'_, '_>) -> Result<(), Failure> {
    if waiting > 0 {
        let count = card::counted(waiting, "window", "windows");
        app.note(&format!("{count} not looked through yet; see `annals queue`"))?;
    }
    if given_up > 0 {
        let count = card::counted(given_up, "window", "windows");
        app.note(&format!("{count} given up: `annals queue` says why, `annals queue retry --all` tries again"))?;
    }
    Ok(())
}

/// What came of looking through conversations.
pub(super) struct Learnt {
    /// Memories that are new or say something new.
    found: Vec<StoredMemory>,
    /// Memories that are true no longer.
    ended: Vec<StoredMemory>,
    /// How many memories that were known went, and how many were changed otherwise.
    deleted: u64,
    changed: u64,
}

impl Learnt {
    /// What was learnt since a moment.
    pub(super) fn since(namespace: &Namespace, since: Timestamp) -> Result<Self, Failure> {
        let decisions = namespace.decisions(None, DECISIONS)?;
        let of_it = decisions.iter().take_while(|decision| decision.at >= since);
        let said = of_it.filter(|decision| decision.question == DecisionQuestion::StillTrue && decision.by != PERSON);
        let (deleted, others): (Vec<_>, Vec<_>) = said.partition(|decision| decision.answer == "delete");
        let contradicted = |memory: &StoredMemory| {
            let said = |decision: &&Decision| decision.memories.first() == Some(&memory.id);
            memory.body.valid_until.is_some()
                && others.iter().any(|decision| decision.answer == "contradict" && said(decision))
        };
        let (ended, found): (Vec<_>, Vec<_>) = found_since(namespace, since)?.into_iter().partition(contradicted);
        let ends = |decision: &&&Decision| ended.iter().any(|memory| decision.memories.first() == Some(&memory.id));
        let changed = number(others.iter().filter(|decision| !ends(decision)).count());
        Ok(Self { found, ended, deleted: number(deleted.len()), changed })
    }

    /// A line for each memory that was found, and for each that ended.
    pub(super) fn tell(&self, app: &mut App<'_, '_>) -> Result<(), Failure> {
        for memory in &self.found {
            tell(memory, app)?;
        }
        if !self.ended.is_empty() {
            app.say(&format!("ended {}", card::counted(number(self.ended.len()), "memory", "memories")))?;
        }
        self.ended.iter().try_for_each(|memory| tell(memory, app))
    }
}

/// So many decisions are looked at for what was done.
const DECISIONS: usize = 10_000;
/// How a person is named in decisions.
const PERSON: &str = "a person";

/// Says what was done to memories that were known and what of a model's answers was left out since a moment, and what waits for a person.
pub(super) fn told_besides(
    namespace: &Namespace,
    learnt: &Learnt,
    since: Timestamp,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let (deleted, changed, ended) = (learnt.deleted, learnt.changed, number(learnt.ended.len()));
    if deleted + changed + ended > 0 {
        let undo = if changed + ended > 0 { ", and `annals decisions undo` to take it back" } else { "" };
        app.note(&format!(
            "of what was known: {deleted} deleted, {changed} changed, {ended} ended; see `annals decisions`{undo}"
        ))?;
    }
    for remark in namespace.remarks(REMARKS)?.iter().filter(|remark| remark.at >= since) {
        for why in &remark.left_out {
            app.note(&format!("left out of what the model answered: {}", visible::line(why)))?;
        }
    }
    let waiting = namespace.proposal_count()?;
    if waiting > 0 {
        let count = card::counted(waiting, "proposal waits", "proposals wait");
        app.note(&format!("{count} for you: `annals review proposals`"))?;
    }
    Ok(())
}

/// So many answers are looked at for what was left out of them.
const REMARKS: usize = 100;

/// What failed beside the looking through of conversations.
pub(super) fn other_failures(counts: &BTreeMap<String, u64>) -> Option<String> {
    let failed = |(word, count): (&String, &u64)| Some(format!("{} {count}", word.strip_suffix(" failed")?));
    let failed: Vec<String> = counts.iter().filter(|(_, count)| **count > 0).filter_map(failed).collect();
    let told = || format!("tried again later: {}; see `annals queue`", failed.join(", "));
    (!failed.is_empty()).then(told)
}

/// Nobody says which language model is to be asked.
pub(super) fn unnamed() -> Failure {
    Failure::new(Exit::Usage, "this command asks a language model, and none is named")
        .advice("name one with --llm or $ANNALS_LLM, for example http://localhost:11434/v1#qwen2.5")
}

/// The namespace, made under a profile when it is not there. One that is there must have the profile that was asked for.
pub(super) fn prepared(
    asked: Option<&str>,
    default: &str,
    app: &mut App<'_, '_>,
) -> Result<(Memory, Namespace), Failure> {
    let name = app.namespace_name()?.to_owned();
    let memory = app.open(Access::Create)?;
    let known = memory.namespaces()?.iter().any(|known| known.name == name);
    if !known {
        memory.create_namespace(name.as_str(), asked.unwrap_or(default))?;
    }
    let namespace = memory.namespace(name.as_str())?;
    let profile = namespace.profile()?;
    match asked.filter(|asked| *asked != profile) {
        Some(asked) => Err(Failure::invalid(format!(
            "the namespace {name:?} has the profile {profile:?}, not {asked:?}"
        ))
        .advice(format!(
            "name another namespace with -n, or change this one with `annals namespace use-profile {name} {asked}`"
        ))),
        None => Ok((memory, namespace)),
    }
}

/// Takes the namespace away again that was made for what could not be stored.
fn unmade(app: &App<'_, '_>) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Existing)?;
    let name = app.namespace_name()?;
    if memory.namespaces()?.iter().any(|known| known.name == name && known.memories == 0) {
        memory.delete_namespace(name, Mode::Commit)?;
    }
    Ok(())
}

/// What was remembered since a moment that nobody said as it is, oldest first.
fn found_since(namespace: &Namespace, since: Timestamp) -> Result<Vec<StoredMemory>, Failure> {
    let layers = Layer::ALL.iter().copied().filter(|layer| *layer != Layer::Turn).collect();
    let mut query = ListQuery { filter: Filter { layers, ..Filter::default() }, limit: 200, ..ListQuery::default() };
    let mut found: Vec<StoredMemory> = Vec::new();
    loop {
        let page = namespace.list(&query)?;
        let before = found.len();
        found.extend(page.memories.into_iter().filter(|memory| memory.stored_at >= since));
        // The newest come first: behind a page without any there are none.
        query.after = page.next.filter(|_| found.len() > before);
        if query.after.is_none() {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

/// One line for a memory.
fn tell(memory: &StoredMemory, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = visible::line(&memory.body.text).into_owned();
    app.say(&format!("  {}: {text}", visible::line(memory.body.kind.as_str())))
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
