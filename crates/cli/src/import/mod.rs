//! Memories and conversations out of files.

mod format;
mod resume;

use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use annals::{BadLine, Conversations, ImportFormat, ImportOptions, ImportReport, OnBad};
use serde_json::json;

use self::format::{Format, detect};
use crate::app::{Access, App};
use crate::card;
use crate::conversation::{note_left_out, note_unknown, parse};
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::source;
use crate::target::Target;
use crate::visible;

/// Which file is imported, and how.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The file; `-` reads standard input
    file: PathBuf,
    /// What the file holds [default: found out]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Go on where the import of this file stopped
    #[arg(long, conflicts_with = "from_line")]
    resume: bool,
    /// Begin at this line
    #[arg(long, value_name = "LINE", value_parser = clap::value_parser!(u64).range(1..))]
    from_line: Option<u64>,
    /// Leave out lines that cannot be stored, and write them to this file
    #[arg(long, value_name = "FILE")]
    skip_bad: Option<PathBuf>,
    /// Replace the file of --skip-bad if it exists
    #[arg(long)]
    force: bool,
    /// Of a file of conversations: only the one with this id
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    conversation: Option<String>,
    /// Of a file of conversations: every one, each into a namespace of its own, named by its id
    #[arg(long)]
    all: bool,
    /// Of a file of messages: what their session is called where it says nothing itself [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Of turns, conversations and messages: store again what was deleted since it was brought
    #[arg(long)]
    bring_back: bool,
}

impl Args {
    /// The file that is read.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Whether there is a file, for one namespace: what is asked before one is made.
    pub(crate) fn check_for_one(&self) -> Result<(), Failure> {
        if self.all {
            let several = Failure::usage("--all stores in several namespaces, and one is looked through");
            return Err(several.advice("choose one with --conversation ID"));
        }
        if self.file == Path::new("-") { Ok(()) } else { source::check(&self.file) }
    }
}

/// What came of an import, for people and for programs.
pub(crate) struct Imported {
    /// Memories that were not there before.
    pub(crate) stored: u64,
    pub(crate) text: String,
    pub(crate) json: serde_json::Value,
}

/// Imports.
pub(crate) fn stored(args: &Args, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    if args.file == Path::new("-") {
        // The database and the progress need the world while the lines are read.
        let mut bytes = Vec::new();
        app.world.input.read_to_end(&mut bytes).map_err(|cause| Failure::file("read", &args.file, &cause))?;
        return import(args, Box::new(std::io::Cursor::new(bytes)), app);
    }
    let file = source::open(&args.file)?;
    import(args, Box::new(std::io::BufReader::with_capacity(HEAD_BYTES, file)), app)
}

/// Enough of a file to tell what it holds.
const HEAD_BYTES: usize = 1 << 16;

fn import(args: &Args, mut input: Box<dyn BufRead>, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    let format = match args.format {
        Some(format) => format,
        None if args.file.file_name().is_some_and(|name| name == LAST_CHAT) => Format::LastChat,
        None => {
            let head = input.fill_buf().map_err(|cause| Failure::file("read", &args.file, &cause))?;
            detect(head)
        }
    };
    if args.session.is_some() && format != Format::Messages {
        let held =
            if format == Format::Export { "this file is an export" } else { "the sessions of this file have names" };
        return Err(Failure::usage(format!("--session is for files of messages; {held}")));
    }
    if args.bring_back && matches!(format, Format::Export | Format::LastChat) {
        return Err(Failure::usage(
            "--bring-back is for turns, conversations and messages; an export brings back everything",
        ));
    }
    match format {
        Format::Export => lines(args, ImportFormat::Export, input.as_mut(), app),
        Format::Turns => lines(args, ImportFormat::Turns, input.as_mut(), app),
        Format::Conversation | Format::Messages => conversations(args, format, input.as_mut(), app),
        Format::LastChat => last_chat(args, input.as_mut(), app),
    }
}

/// What programs of the companion design call the file of their one summary.
const LAST_CHAT: &str = "last_chat.json";
/// The most that is read of it.
const LAST_CHAT_BYTES: u64 = 1 << 20;

fn last_chat(args: &Args, input: &mut dyn BufRead, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::Read::take(input, LAST_CHAT_BYTES), &mut bytes);
    read.map_err(|cause| Failure::file("read", &args.file, &cause))?;
    let written = std::fs::metadata(&args.file).and_then(|data| data.modified()).ok();
    let since = written.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let millis = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    let at = millis.map_or_else(|| app.world.clock.now(), annals::Timestamp::from_millis);
    let namespace = app.namespace(Access::Create)?;
    let (id, new) =
        namespace.import_last_chat(&bytes, at).map_err(|error| Failure::from(error).at(&args.file, None))?;
    app.note_masked(&namespace.take_masked())?;
    let json = json!({ "id": id, "stored": u32::from(new) });
    let text =
        if new { format!("stored 1 episode\n{id}") } else { "stored 0 episodes; it was there already".to_owned() };
    Ok(Imported { stored: u64::from(new), text, json })
}

fn lines(
    args: &Args,
    format: ImportFormat,
    input: &mut dyn BufRead,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    if args.conversation.is_some() || args.all {
        return Err(Failure::usage("--conversation and --all are for files of conversations; this one holds lines"));
    }
    let in_use = app.in_use().and_input(&args.file);
    let skipped = args.skip_bad.as_deref().map(|path| Target::begin(path, args.force, in_use)).transpose()?;
    let namespace = app.namespace(if args.resume { Access::Existing } else { Access::Create })?;
    let skip_lines = match args.from_line {
        Some(line) => line - 1,
        None if args.resume => resume::lines_done(&args.file, &namespace)?,
        None => 0,
    };
    let on_bad = if skipped.is_some() { OnBad::Collect } else { OnBad::Stop };
    let source = Some(resume::source(&args.file));
    let bring_back = args.bring_back;
    let options = ImportOptions { format, skip_lines, source, on_bad, bring_back, ..ImportOptions::default() };
    let progress = Progress::new(app, "importing", 0);
    let (mut done, mut refused) = (skip_lines, Vec::new());
    let imported = namespace.import(input, &options, &mut |report: &ImportReport| {
        done = report.lines_done;
        refused.extend(report.bad.iter().skip(refused.len()).cloned());
        progress.set(done);
    });
    drop(progress);
    app.note_masked(&namespace.take_masked())?;
    let report = match imported {
        Ok(report) => report,
        Err(error) => {
            let position = resume::lines_done(&args.file, &namespace).ok();
            let done = error.import_line().map_or_else(|| position.unwrap_or(done), |line| line - 1);
            // What goes on later does not come to these lines again. That they cannot be written is not the reason of the stop.
            refused.retain(|bad| bad.line <= position.unwrap_or(done));
            if let Err(second) = leave_out(&refused, skipped, app) {
                app.note(&second.message)?;
            }
            return Err(stopped(error, done, position.is_some(), args));
        }
    };
    leave_out(&report.bad, skipped, app)?;
    Ok(counted(&report))
}

/// Writes the refused lines to their file, which appears only when there are some, and says what is wrong with each.
fn leave_out(refused: &[BadLine], skipped: Option<Target>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let Some(mut target) = skipped.filter(|_| !refused.is_empty()) else { return Ok(()) };
    for bad in refused {
        let written = target.writer().write_all(&bad.bytes).and_then(|()| target.writer().write_all(b"\n"));
        written.map_err(|cause| Failure::new(Exit::Failed, format!("cannot write the refused lines: {cause}")))?;
        app.note(&format!("line {} was left out: {}", bad.line, visible::line(&bad.reason)))?;
    }
    target.finish()
}

/// Names the file and the line, and how to go on.
fn stopped(error: annals::Error, done: u64, resumable: bool, args: &Args) -> Failure {
    let line = error.import_line();
    let mut failure = Failure::from(error).at(&args.file, line);
    failure.message = format!("{}: {}", args.file.display(), failure.message);
    let next = done + 1;
    let stored = match done {
        0 => "nothing is stored".to_owned(),
        1 => "line 1 is stored".to_owned(),
        _ => format!("lines 1 to {done} are stored"),
    };
    let again = match done {
        0 => "import again".to_owned(),
        _ if resumable => "go on with --resume".to_owned(),
        _ => format!("go on with --from-line {next}"),
    };
    failure.advice(match line {
        Some(_) => format!("{stored}; correct line {next} and {again}, or leave it out with --skip-bad FILE"),
        None => format!("{stored}; {again}"),
    })
}

fn counted(report: &ImportReport) -> Imported {
    let bad: Vec<_> = report.bad.iter().map(|bad| json!({ "line": bad.line, "reason": bad.reason })).collect();
    let json = json!({
        "lines": report.lines_done, "stored": report.stored, "already_there": report.already_there,
        "deleted": report.deleted, "differing": report.differing, "graph_stored": report.graph_stored,
        "graph_already_there": report.graph_already_there, "judged_stored": report.judged_stored, "left_out": report.left_out,
        "bad": bad,
    });
    let mut text = format!("stored {}", card::counted(report.stored, "memory", "memories"));
    if report.graph_stored > 0 {
        text.push_str(&format!(
            " and {}",
            card::counted(report.graph_stored, "part of the graph", "parts of the graph")
        ));
    }
    if report.judged_stored > 0 {
        text.push_str(&format!(
            " and {}",
            card::counted(report.judged_stored, "decision or wait", "decisions and waits")
        ));
    }
    text.push_str(&not_stored(report));
    if report.left_out > 0 {
        let left_out = card::counted(report.left_out, "decision or wait", "decisions and waits");
        text.push_str(&format!(", {left_out} left out: not all that they name is here"));
    }
    if !report.bad.is_empty() {
        let bad = u64::try_from(report.bad.len()).unwrap_or(u64::MAX);
        text.push_str(&format!(", {} left out", card::counted(bad, "line", "lines")));
    }
    Imported { stored: report.stored, text, json }
}

fn conversations(
    args: &Args,
    format: Format,
    input: &mut dyn BufRead,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    if args.resume || args.from_line.is_some() || args.skip_bad.is_some() {
        return Err(Failure::usage(
            "--resume, --from-line and --skip-bad are for files of lines; a conversation is one document",
        ));
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|cause| Failure::file("read", &args.file, &cause))?;
    let messages = format == Format::Messages;
    let dataset = if messages { talks(args, &bytes)? } else { parse(&bytes, &args.file)? };
    note_unknown(&dataset, app)?;
    note_left_out(&dataset, app)?;
    let chosen: Vec<_> = match &args.conversation {
        Some(id) => dataset.conversations.iter().filter(|conversation| conversation.id == *id).collect(),
        None => dataset.conversations.iter().collect(),
    };
    if chosen.is_empty() || (chosen.len() > 1 && !args.all && !messages) {
        let names: Vec<_> = dataset.conversations.iter().take(20).map(|each| each.id.as_str()).collect();
        return Err(Failure::invalid(format!(
            "{} holds {} conversations: {}",
            args.file.display(),
            dataset.conversations.len(),
            names.join(", ")
        ))
        .advice("choose one with --conversation ID, or import each into its own namespace with --all")
        .at(&args.file, None));
    }
    // Everything is checked before anything is stored.
    let mut total = 0;
    for conversation in &chosen {
        total += conversation.memories()?.len();
    }
    let memory = app.open(Access::Create)?;
    let progress = Progress::new(app, "importing", u64::try_from(total).unwrap_or(0));
    let options = ImportOptions { bring_back: args.bring_back, ..ImportOptions::default() };
    let (mut each, mut all, mut masked) = (Vec::new(), ImportReport::default(), BTreeSet::new());
    for conversation in chosen {
        let name = if args.all { conversation.id.as_str() } else { app.namespace_name()? };
        let mut before = 0;
        let namespace = memory.namespace(name)?;
        let report = namespace.import_conversation(conversation, &options, &mut |report| {
            progress.add(report.lines_done - before);
            before = report.lines_done;
        })?;
        masked.extend(namespace.take_masked());
        each.push(json!({
            "namespace": name, "conversation": conversation.id, "stored": report.stored, "already_there": report.already_there,
            "deleted": report.deleted, "differing": report.differing,
        }));
        all.stored += report.stored;
        all.already_there += report.already_there;
        all.deleted += report.deleted;
        all.differing += report.differing;
    }
    drop(progress);
    app.note_masked(&masked.into_iter().collect::<Vec<_>>())?;
    let conversations = card::many(each.len(), "conversation", "conversations");
    let mut text = format!("stored {} of {conversations}", card::counted(all.stored, "turn", "turns"));
    text.push_str(&not_stored(&all));
    let left_out: serde_json::Map<_, _> =
        dataset.left_out().map(|(what, count)| (what.to_owned(), count.into())).collect();
    Ok(Imported { stored: all.stored, text, json: json!({ "conversations": each, "passed_over": left_out }) })
}

/// Messages as a session, or several, named after the file unless it was said.
fn talks(args: &Args, bytes: &[u8]) -> Result<Conversations, Failure> {
    let named = args.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = args.session.clone().or(named.filter(|_| args.file != Path::new("-")));
    let name = name.unwrap_or_else(|| "messages".to_owned());
    Conversations::of_messages(bytes, &name).map_err(|error| {
        let line = error.import_line();
        Failure::invalid(format!("{} holds no messages: {error}", args.file.display()))
            .advice(
                "the form is [{\"role\": \"user\", \"content\": \"...\"}], {\"messages\": [...]}, or lines of either",
            )
            .at(&args.file, line)
    })
}

/// How many turns were not stored, or in spite of others, and why.
fn not_stored(report: &ImportReport) -> String {
    let mut text = match report.already_there {
        0 => String::new(),
        1 => ", 1 was there already".to_owned(),
        count => format!(", {count} were there already"),
    };
    match report.deleted {
        0 => {}
        1 => text.push_str(", 1 was deleted since and stays away (see --bring-back)"),
        count => text.push_str(&format!(", {count} were deleted since and stay away (see --bring-back)")),
    }
    match report.differing {
        0 => {}
        1 => text.push_str("; 1 of them differs from what its session has in its place, and comes last"),
        count => {
            text.push_str(&format!(
                "; {count} of them differ from what their session has in their place, and come last"
            ));
        }
    }
    text
}
