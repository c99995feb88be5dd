//! Memories and conversations out of files.

mod conversations;
mod format;
mod lines;
mod resume;

use std::io::{BufRead, Read as _};
use std::path::{Path, PathBuf};

use annals::{ImportFormat, ImportReport};
use serde_json::json;

use self::conversations::conversations;
use self::format::{Format, detect};
use self::lines::lines;
use crate::app::{Access, App};
use crate::failure::Failure;
use crate::source;
use crate::texts::text;

/// Which file is imported, and how.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The file; `-` reads standard input
    file: PathBuf,
    /// The format of the file [default: found out]
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
    /// Of messages and transcripts: what their session is called where the file says nothing itself
    /// [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Of turns, conversations, messages and transcripts: store again what was deleted since it was
    /// brought
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
            let several = Failure::usage(text!("transfer-all-several"));
            return Err(several.advice(text!("transfer-choose-conversation")));
        }
        if self.file == Path::new("-") { Ok(()) } else { source::check(&self.file) }
    }
}

/// The outcome of an import, for people and for programs.
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
        app.world
            .input
            .read_to_end(&mut bytes)
            .map_err(|cause| Failure::file(&text!("common-read"), &args.file, &cause))?;
        return import(args, Box::new(std::io::Cursor::new(bytes)), app);
    }
    let file = source::open(&args.file)?;
    import(args, Box::new(std::io::BufReader::with_capacity(HEAD_BYTES, file)), app)
}

/// Enough of a file to tell what it holds.
const HEAD_BYTES: usize = 1 << 16;
/// A line that holds pictures may be this long.
const MOST_HEAD_BYTES: u64 = 1 << 25;

fn import(args: &Args, mut input: Box<dyn BufRead>, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    let format = match args.format {
        Some(format) => format,
        None if args.file.file_name().is_some_and(|name| name == LAST_CHAT) => Format::LastChat,
        None => {
            let head = head(&mut *input).map_err(|cause| Failure::file(&text!("common-read"), &args.file, &cause))?;
            let format = detect(&head);
            input = Box::new(std::io::Cursor::new(head).chain(input));
            format
        }
    };
    if args.session.is_some() && !matches!(format, Format::Messages | Format::Transcript(_)) {
        let held =
            if format == Format::Export { &text!("transfer-is-export") } else { &text!("transfer-has-sessions") };
        return Err(Failure::usage(text!("transfer-session", held)));
    }
    if args.bring_back && matches!(format, Format::Export | Format::LastChat) {
        return Err(Failure::usage(text!("transfer-bring-back")));
    }
    match format {
        Format::Export => lines(args, ImportFormat::Export, input.as_mut(), app),
        Format::Turns => lines(args, ImportFormat::Turns, input.as_mut(), app),
        Format::Conversation | Format::Messages | Format::Transcript(_) => {
            conversations(args, format, input.as_mut(), app)
        }
        Format::LastChat => last_chat(args, input.as_mut(), app),
    }
}

/// The beginning of a file: whole lines, as far as there are so long ones.
fn head(input: &mut dyn BufRead) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut rest = std::io::Read::take(input, MOST_HEAD_BYTES);
    while head.len() < HEAD_BYTES && rest.read_until(b'\n', &mut head)? > 0 {}
    Ok(head)
}

/// The file in which programs of the companion design keep their one summary.
const LAST_CHAT: &str = "last_chat.json";
/// The most that is read of it.
const LAST_CHAT_BYTES: u64 = 1 << 20;

fn last_chat(args: &Args, input: &mut dyn BufRead, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::Read::take(input, LAST_CHAT_BYTES), &mut bytes);
    read.map_err(|cause| Failure::file(&text!("common-read"), &args.file, &cause))?;
    let written = std::fs::metadata(&args.file).and_then(|data| data.modified()).ok();
    let since = written.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let millis = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    let at = millis.map_or_else(|| app.world.clock.now(), annals::Timestamp::from_millis);
    let namespace = app.namespace(Access::Create)?;
    let (id, new) =
        namespace.transfer().import_last_chat(&bytes, at).map_err(|error| Failure::from(error).at(&args.file, None))?;
    let json = json!({ "id": id, "stored": u32::from(new) });
    let text = if new { text!("transfer-episode", id) } else { text!("transfer-no-episode") };
    Ok(Imported { stored: u64::from(new), text, json })
}

/// How many turns were not stored, or in spite of others, and why.
fn not_stored(report: &ImportReport) -> String {
    let told = [
        (report.already_there, text!("transfer-already-there", count = report.already_there)),
        (report.deleted, text!("transfer-deleted-since", count = report.deleted)),
        (report.differing, text!("transfer-differing", count = report.differing)),
    ];
    told.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect()
}
