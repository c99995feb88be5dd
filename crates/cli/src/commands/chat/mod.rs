mod incognito;
mod talk;
mod wishes;

use std::io::Read;

use annals::blocking::Namespace;
use annals::language;
use serde_json::json;

use crate::app::App;
use crate::backlog::{other_failures, tell_left, windows_left};
use crate::failure::{Exit, Failure};
use crate::learnt::{Learnt, told_besides};
use crate::lookup::prepared;
use crate::texts::text;
use crate::visible;
use talk::Talk;

/// Arguments of `annals chat`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals chat --llm http://localhost:11434/v1#qwen2.5
  ANNALS_LLM=anthropic#claude-haiku-4-5 ANNALS_LLM_KEY=... annals chat -n user:42
  annals chat --llm replay:answers.ndjson < questions.txt

A small assistant: each line is a message; an empty line, /quit or the end of the input
ends the conversation. Its memories stay in the database. A message that the model
does not answer is not kept: say it again.

\"Remember that ...\", \"remember this\" (记住…, 记住这个) is done at once and without the model;
so is \"forget that ...\" (忘掉…, 忘掉那个), once you say yes to what would be forgotten. All that
is told is remembered, up to a question; where it is more than a clause, the model answers, too.

With --incognito nothing is remembered, looked up, counted or written: the database is not even
opened. The model is sent what you say as it is, since no profile says what to mask.

At its end the session is ended as by `annals session end`. Under a profile with a
scratchpad, such as agent, each message is the task that is being worked on;
`annals session scratchpad` shows it.

$ANNALS_LLM_EXTRACT, or llm_extract in the config file, may name another model that looks
through the conversation; `annals db usage` shows what was asked and what it cost.")]
pub(crate) struct Args {
    /// URL#MODEL, anthropic#MODEL, or replay:FILE [default: $ANNALS_LLM, or llm of the config file]
    #[arg(long, value_name = "MODEL")]
    llm: Option<String>,
    /// The profile of a namespace that does not exist yet [default: companion]
    #[arg(long)]
    profile: Option<String>,
    /// The name of the conversation [default: chat and the time]
    #[arg(long)]
    session: Option<String>,
    /// Without any memory: nothing of the conversation is kept, and nothing is recalled
    #[arg(long, conflicts_with_all = ["profile", "session"])]
    incognito: bool,
}

/// Talks until the input ends.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    (app.counts_tokens, app.needs_model) = (true, true);
    app.llm.clone_from(&args.llm);
    let named = app.model()?.ok_or_else(unnamed)?;
    if args.incognito {
        return incognito::run(&*named.choice.open(app.world)?, app);
    }
    // Working memory stays in its process.
    app.keeps_file = true;
    let (memory, namespace) = prepared(args.profile.as_deref(), "companion", app)?;
    let model = memory.model().ok_or_else(unnamed)?;
    if namespace.admin().settings()?.extract.triggers.is_empty()
        && namespace.tools().list()?.is_empty()
    {
        let profile = namespace.admin().profile()?;
        app.note(&text!(
            "chat-looks-nothing",
            profile = format!("{profile:?}")
        ))?;
    }
    tell_left(windows_left(&namespace)?, app)?;
    let started = app.world.clock.now();
    let session = args
        .session
        .clone()
        .unwrap_or_else(|| format!("chat {started}"));
    let mut talk = Talk::begin(&namespace, &*model, &session)?;
    let (mut answered, mut last) = (false, None);
    while let Some(text) = asked_line(app)? {
        match heard(&mut talk, &text, app)? {
            Some(failure) => last = Some(failure),
            None => answered = true,
        }
    }
    ended(&talk, &session, app)?;
    match last {
        Some(failure) if !answered => Err(unanswered(failure, app)),
        _ => Ok(()),
    }
}

/// No language model is named for a command that asks one.
fn unnamed() -> Failure {
    Failure::new(Exit::Usage, text!("chat-no-model")).advice(text!("chat-name-model"))
}

/// The failure of a conversation without an answer. Each message has its reason beside it already,
/// unless notes are off.
fn unanswered(mut last: Failure, app: &App<'_, '_>) -> Failure {
    if app.notes() {
        last.message = text!("chat-none-answered");
    }
    last
}

/// Does what a message asks outright, and lets the model answer the rest; answers why nothing came
/// of it, if nothing did.
fn heard(
    talk: &mut Talk<'_>,
    text: &str,
    app: &mut App<'_, '_>,
) -> Result<Option<Failure>, Failure> {
    let (heard, masked) = annals::masked_during(|| answered(talk, text, app));
    app.note_masked(&masked)?;
    heard
}

fn answered(
    talk: &mut Talk<'_>,
    text: &str,
    app: &mut App<'_, '_>,
) -> Result<Option<Failure>, Failure> {
    let handled = wishes::handle(talk, text, app)?;
    // "Remember that I'm vegan. What's for dinner?" asks for something besides.
    let rest = if handled {
        language::besides(text)
    } else {
        Some(text)
    };
    let failed = rest
        .map(|rest| answer(talk, rest, app))
        .transpose()?
        .flatten();
    Ok(failed.filter(|_| !handled))
}

/// Lets the model answer a message, and keeps both; answers why it did not, if it did not.
fn answer(
    talk: &mut Talk<'_>,
    text: &str,
    app: &mut App<'_, '_>,
) -> Result<Option<Failure>, Failure> {
    let before = match talk.turns_to(text) {
        Ok(before) => before,
        Err(failure) => {
            app.note(&text!(
                "chat-not-focused",
                message = visible::line(&failure.message)
            ))?;
            None
        }
    };
    let answer = match talk.answer(text) {
        Ok(answer) => answer,
        Err(failure) => {
            before.map_or(Ok(()), |before| talk.turns_back(&before))?;
            app.note(&text!(
                "chat-not-answered-kept",
                message = visible::line(&failure.message)
            ))?;
            return Ok(Some(failure));
        }
    };
    shown(&answer.text, app)?;
    told_cut(answer.cut, app)?;
    let since = app.world.clock.now();
    match talk.keep(text, answer) {
        Ok(round) => held(talk.hold(round), app)?,
        Err(failure) => app.note(&text!(
            "chat-not-kept",
            message = visible::line(&failure.message)
        ))?,
    }
    learn(talk.namespace, since, app)?;
    Ok(None)
}

/// Ends the conversation, and says what came of it.
fn ended(talk: &Talk<'_>, session: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let since = app.world.clock.now();
    held(talk.over(), app)?;
    learn(talk.namespace, since, app)?;
    let end = match talk.end() {
        Ok(Some(end)) => end,
        Ok(None) => return Ok(()),
        Err(failure) => {
            return app.note(&text!(
                "chat-end-not-noted",
                message = visible::line(&failure.message)
            ));
        }
    };
    told_later(end.put_off, app)?;
    let failed = end
        .jobs
        .iter()
        .flat_map(|job| &job.steps)
        .filter_map(|step| step.error.as_deref());
    for error in failed {
        app.note(&text!("chat-end-not-done", error = visible::line(error)))?;
    }
    app.note(&text!("chat-kept", session = visible::line(session)))
}

/// Tells of a stored message that could not be taken to what is at hand, or of older ones that wait
/// to be summed up.
fn held(held: Result<Option<String>, Failure>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match held {
        Ok(put_off) => told_later(put_off, app),
        Err(failure) => app.note(&text!(
            "chat-kept-not-at-hand",
            message = visible::line(&failure.message)
        )),
    }
}

/// Says what a message is answered; with --json as a document of its own.
fn shown(text: &str, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        return app.answer_json(&json!({ "answer": text }));
    }
    app.say(&visible::block(text))
}

/// Says that an answer has no end.
fn told_cut(cut: Option<u32>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let Some(tokens) = cut else { return Ok(()) };
    app.note(&text!("chat-cut-off", tokens))
}

/// Says that older messages wait to be summed up.
fn told_later(put_off: Option<String>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let Some(why) = put_off else { return Ok(()) };
    app.note(&text!("chat-not-summed", why = visible::line(&why)))
}

/// Looks through what is queued, and says what was learnt.
fn learn(
    namespace: &Namespace,
    since: annals::Timestamp,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let counts = match namespace.queue().work_off() {
        Ok(counts) => counts,
        Err(error) => {
            let why = Failure::from(error).message;
            return app.note(&text!("chat-not-looked", why = visible::line(&why)));
        }
    };
    if counts.get("failed").is_some_and(|failed| *failed > 0) {
        let why = namespace
            .queue()
            .list(usize::MAX)?
            .into_iter()
            .rfind(|task| task.kind == "extract" && !task.last_error.is_empty());
        let why = why.map_or_else(|| text!("chat-see-queue"), |task| task.last_error);
        app.note(&text!("chat-not-looked-yet", why = visible::line(&why)))?;
    }
    let learnt = Learnt::since(namespace, since)?;
    told_besides(namespace, &learnt, since, app)?;
    if let Some(other) = other_failures(&counts) {
        app.note(&other)?;
    }
    if counts.get("extracted").is_some_and(|done| *done > 0) && !app.json {
        learnt.tell(app)?;
    }
    Ok(())
}

/// The next message, for which a person at a terminal is asked; `None` at the end of the
/// conversation.
fn asked_line(app: &mut App<'_, '_>) -> Result<Option<String>, Failure> {
    if app.world.terminal.input && app.world.terminal.output {
        app.print("> ")?;
        app.world.output.flush()?;
    }
    let line = next_line(app.world.input)?;
    let text = line.as_deref().map(str::trim).unwrap_or_default();
    Ok((!text.is_empty() && !["/quit", "/exit"].contains(&text)).then(|| text.to_owned()))
}

/// The next line of the input; `None` at its end.
fn next_line(input: &mut dyn Read) -> Result<Option<String>, Failure> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    loop {
        match input.read(&mut byte) {
            Ok(0) if bytes.is_empty() => return Ok(None),
            Ok(0) => break,
            Ok(_) if byte == *b"\n" => break,
            Ok(_) => bytes.extend(byte),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::from(error)),
        }
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
