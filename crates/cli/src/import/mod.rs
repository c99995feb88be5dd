//! Memories and conversations out of files.

mod agents;
mod conversations;
mod format;
mod lines;
mod records;
mod resume;
mod undo;
mod watch;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use annals::{DateOrder, FileKind, ImportFile, ImportFormat, ImportReport, ReadOptions};
use serde_json::json;

use self::conversations::conversations;
use self::format::Format;
use self::lines::lines;
use crate::app::{Access, App};
use crate::failure::Failure;
use crate::source;
use crate::texts::text;

pub(crate) use self::agents::of_agents;
pub(crate) use self::undo::undone;
pub(crate) use self::watch::watched;

/// Which files are imported, and how.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Files, folders and archives (zip, gzip, zstd); `-` reads standard input
    #[arg(value_name = "PATH")]
    files: Vec<PathBuf>,
    /// The format of the files [default: found out]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Go on where the import of this file stopped
    #[arg(long, conflicts_with = "from_line")]
    resume: bool,
    /// Begin at this line
    #[arg(long, value_name = "LINE", value_parser = clap::value_parser!(u64).range(1..))]
    from_line: Option<u64>,
    /// Leave out what cannot be stored, and write it to this file
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
    /// What a conversation is called where its file says nothing itself [default: the name of the
    /// file]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Store again what was deleted since it was brought
    #[arg(long)]
    bring_back: bool,
    /// The zone of times that are written without one, such as Europe/Berlin or +02:00 [default:
    /// that of this system]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    /// The order of dates in numbers [default: decided over the whole file]
    #[arg(long, value_name = "ORDER")]
    date_order: Option<Order>,
    /// Of tables and JSON objects: which column is the text, time, speaker, role, session, tags or
    /// id; may be given several times
    #[arg(long, value_name = "WHAT=NAME", value_parser = column)]
    column: Vec<(String, String)>,
}

/// The order of a date in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    /// Day, month, year
    Dmy,
    /// Month, day, year
    Mdy,
    /// Year, month, day
    Ymd,
}

fn column(text: &str) -> Result<(String, String), String> {
    let parts = text
        .split_once('=')
        .filter(|(what, name)| !what.is_empty() && !name.is_empty());
    parts
        .map(|(what, name)| (what.to_owned(), name.to_owned()))
        .ok_or_else(|| text!("transfer-column-form"))
}

impl Args {
    /// The first path that is read.
    pub(crate) fn file(&self) -> &Path {
        self.files.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Whether no file is named.
    pub(crate) const fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether there is a file, for one namespace: what is asked before one is made.
    pub(crate) fn check_for_one(&self) -> Result<(), Failure> {
        if self.all {
            let several = Failure::usage(text!("transfer-all-several"));
            return Err(several.advice(text!("transfer-choose-conversation")));
        }
        if self.files.is_empty() {
            return Err(Failure::usage(text!("transfer-no-file")));
        }
        let named = self.files.iter().filter(|file| *file != Path::new("-"));
        named.into_iter().try_for_each(|file| source::check(file))
    }

    /// Whether conversations of a file are chosen, for which all of it is read at once.
    const fn chooses(&self) -> bool {
        self.conversation.is_some() || self.all
    }

    /// The format of the lines, where it was said that there are such.
    fn lines(&self) -> Option<ImportFormat> {
        match self.format {
            Some(Format::Of(format)) if format.kind() == FileKind::Export => {
                Some(ImportFormat::Export)
            }
            Some(Format::Of(format)) if format.kind() == FileKind::Turns => {
                Some(ImportFormat::Turns)
            }
            _ => None,
        }
    }

    /// How files are read.
    fn read_options(&self, zone: &str) -> ReadOptions {
        let order = self.date_order.map(|order| match order {
            Order::Dmy => DateOrder::DayMonthYear,
            Order::Mdy => DateOrder::MonthDayYear,
            Order::Ymd => DateOrder::YearMonthDay,
        });
        ReadOptions {
            session: self.session.clone(),
            zone: Some(self.zone.clone().unwrap_or_else(|| zone.to_owned())),
            date_order: order,
            columns: self.column.iter().cloned().collect::<BTreeMap<_, _>>(),
            skip_bad: self.skip_bad.is_some(),
        }
    }

    /// The files of all paths; those of standard input where it is named.
    fn inputs(&self, app: &mut App<'_, '_>) -> Result<Vec<ImportFile>, Failure> {
        let mut found = Vec::new();
        for path in &self.files {
            let files = if path == Path::new("-") {
                // The database and the progress need the world while the lines are read.
                let mut bytes = Vec::new();
                let read = app.world.input.read_to_end(&mut bytes);
                read.map_err(|cause| Failure::file(&text!("common-read"), path, &cause))?;
                ImportFile::of_bytes("-", bytes)
            } else {
                std::fs::metadata(path)
                    .map_err(|cause| Failure::file(&text!("common-read"), path, &cause))?;
                ImportFile::all_of(path)
            };
            found.extend(files.map_err(|error| Failure::from(error).at(path, None))?);
        }
        Ok(found)
    }
}

/// The outcome of an import, for people and for programs.
pub(crate) struct Imported {
    /// Memories that were not there before.
    pub(crate) stored: u64,
    pub(crate) text: String,
    pub(crate) json: serde_json::Value,
}

/// Imports; says only what would be imported where it is `dry`.
pub(crate) fn stored(args: &Args, dry: bool, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    if args.is_empty() {
        return Err(Failure::usage(text!("transfer-no-file")));
    }
    let in_use = args
        .files
        .iter()
        .fold(app.in_use(), |in_use, file| in_use.and_input(file));
    args.skip_bad
        .iter()
        .try_for_each(|path| in_use.spare(path))?;
    if let ([path], Some(format)) = (args.files.as_slice(), args.lines().filter(|_| !dry))
        && is_pipe(path)
    {
        return lines(
            args,
            format,
            &mut std::io::BufReader::new(source::open(path)?),
            app,
        );
    }
    let files = args.inputs(app)?;
    match files.as_slice() {
        [file] if file.root().is_none() && !dry => one(args, file, app),
        _ => records::records(args, files, dry, app),
    }
}

/// Whether a path is that of a pipe, which can be read once only.
fn is_pipe(path: &Path) -> bool {
    path != Path::new("-")
        && std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// Imports a file that is named itself.
fn one(args: &Args, file: &ImportFile, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    let unreadable = |error: annals::Error| records::failed(args, file, error);
    let format = match args.format {
        Some(format) => format,
        None if args
            .file()
            .file_name()
            .is_some_and(|name| name == LAST_CHAT) =>
        {
            Format::LastChat
        }
        None => {
            let options = args.read_options(&app.settings.zone);
            Format::Of(annals::FileFormat::of(file, &options).map_err(unreadable)?)
        }
    };
    let Format::Of(known) = format else {
        if args.bring_back {
            return Err(Failure::usage(text!("transfer-bring-back")));
        }
        return last_chat(args, &mut *file.open().map_err(unreadable)?, app);
    };
    let kind = known.kind();
    let has_name = matches!(
        kind,
        FileKind::Export | FileKind::Turns | FileKind::Conversations
    );
    if args.session.is_some() && has_name {
        let is_export = kind == FileKind::Export;
        let held = if is_export {
            &text!("transfer-is-export")
        } else {
            &text!("transfer-has-sessions")
        };
        return Err(Failure::usage(text!("transfer-session", held)));
    }
    if args.bring_back && kind == FileKind::Export {
        return Err(Failure::usage(text!("transfer-bring-back")));
    }
    let input = || file.open().map_err(unreadable);
    match kind {
        FileKind::Export => lines(args, ImportFormat::Export, &mut *input()?, app),
        FileKind::Turns => lines(args, ImportFormat::Turns, &mut *input()?, app),
        FileKind::Conversations | FileKind::Transcript(_) if args.skip_bad.is_none() => {
            conversations(args, kind, file, app)
        }
        FileKind::Messages
            if args.skip_bad.is_none()
                && (args.chooses() || !file.is_long().map_err(unreadable)?) =>
        {
            conversations(args, kind, file, app)
        }
        _ => records::records(args, vec![file.clone()], false, app),
    }
}

/// The file in which programs of the companion design keep their one summary.
const LAST_CHAT: &str = "last_chat.json";
/// The most that is read of it.
const LAST_CHAT_BYTES: u64 = 1 << 20;

fn last_chat(
    args: &Args,
    input: &mut dyn BufRead,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    let path = args.file();
    let mut bytes = Vec::new();
    let read =
        std::io::Read::read_to_end(&mut std::io::Read::take(input, LAST_CHAT_BYTES), &mut bytes);
    read.map_err(|cause| Failure::file(&text!("common-read"), path, &cause))?;
    let written = std::fs::metadata(path)
        .and_then(|data| data.modified())
        .ok();
    let since = written.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let millis = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    let at = millis.map_or_else(|| app.world.clock.now(), annals::Timestamp::from_millis);
    let namespace = app.namespace(Access::Create)?;
    let (id, new) = namespace
        .transfer()
        .import_last_chat(&bytes, at)
        .map_err(|error| Failure::from(error).at(path, None))?;
    let json = json!({ "id": id, "stored": u32::from(new) });
    let text = if new {
        text!("transfer-episode", id)
    } else {
        text!("transfer-no-episode")
    };
    Ok(Imported {
        stored: u64::from(new),
        text,
        json,
    })
}

/// How many turns were not stored, or in spite of others, and why.
fn not_stored(report: &ImportReport) -> String {
    let told = [
        (
            report.already_there,
            text!("transfer-already-there", count = report.already_there),
        ),
        (
            report.deleted,
            text!("transfer-deleted-since", count = report.deleted),
        ),
        (
            report.differing,
            text!("transfer-differing", count = report.differing),
        ),
    ];
    told.into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(_, text)| text)
        .collect()
}
