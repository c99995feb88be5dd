use std::io::BufRead;

use annals::{
    Conversation, Conversations, FileKind, ImportFile, ImportOptions, ImportReport,
    TranscriptFormat,
};
use serde_json::json;

use super::{Args, Imported, not_stored, records};
use crate::app::{Access, App};
use crate::conversation::{note_left_out, note_unknown, parse};
use crate::failure::{Failure, cause};
use crate::progress::Progress;
use crate::texts::text;

/// The form of messages.
const MESSAGES: &str = "[{\"role\": \"user\", \"content\": \"...\"}], {\"messages\": [...]}";

/// Imports a document of conversations, or messages.
pub(super) fn conversations(
    args: &Args,
    kind: FileKind,
    file: &ImportFile,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    if args.resume || args.from_line.is_some() || args.skip_bad.is_some() {
        return Err(Failure::usage(text!("transfer-line-flags")));
    }
    let messages = matches!(kind, FileKind::Messages | FileKind::Transcript(_));
    let input = &mut *file
        .open()
        .map_err(|error| records::failed(args, file, error))?;
    let session = args.session.clone().unwrap_or_else(|| file.session_name());
    let dataset = match kind {
        FileKind::Messages => talks(args, &all(args, input)?, &session)?,
        FileKind::Transcript(format) => transcript(args, format, input, &session)?,
        _ => parse(&all(args, input)?, args.file())?,
    };
    note_unknown(&dataset, app)?;
    note_left_out(&dataset, app)?;
    let chosen = chosen(args, &dataset, messages)?;
    if args.all {
        chosen
            .iter()
            .try_for_each(|conversation| is_free(args, &conversation.id))?;
    }
    // Everything is checked before anything is stored.
    let mut total = 0;
    for conversation in &chosen {
        total += conversation.memories()?.len();
    }
    let memory = app.open(Access::Create)?;
    let progress = Progress::new(
        app,
        text!("common-importing"),
        u64::try_from(total).unwrap_or(0),
    );
    let options = ImportOptions {
        bring_back: args.bring_back,
        run: Some(app.world.clock.now()),
        ..ImportOptions::default()
    };
    let (mut each, mut all) = (Vec::new(), ImportReport::default());
    for conversation in chosen {
        let name = if args.all {
            conversation.id.as_str()
        } else {
            app.namespace_name()?
        };
        let mut before = 0;
        let namespace = memory.namespace(name)?;
        let report =
            namespace
                .transfer()
                .import_conversation(conversation, &options, &mut |report| {
                    progress.add(report.lines_done - before);
                    before = report.lines_done;
                })?;
        each.push(json!({
            "namespace": name, "conversation": conversation.id, "stored": report.stored,
            "already_there": report.already_there, "deleted": report.deleted,
            "differing": report.differing,
        }));
        all.merge(report);
    }
    drop(progress);
    let conversations = text!("common-conversations", count = each.len());
    let mut text = text!(
        "transfer-stored-turns",
        turns = text!("common-turns", count = all.stored),
        conversations
    );
    text.push_str(&not_stored(&all));
    let left_out: serde_json::Map<_, _> = dataset
        .left_out()
        .map(|(what, count)| (what.to_owned(), count.into()))
        .collect();
    Ok(Imported {
        stored: all.stored,
        text,
        json: json!({ "conversations": each, "passed_over": left_out }),
    })
}

/// Refuses a conversation that names the memory of a user or a project: whoever wrote a file does
/// not choose what agents are told.
fn is_free(args: &Args, id: &str) -> Result<(), Failure> {
    if id != annals_mcp::USER_NAMESPACE && !id.starts_with(annals_mcp::PROJECT_PREFIX) {
        return Ok(());
    }
    let id = crate::visible::line(id);
    Err(Failure::invalid(text!(
        "transfer-not-chosen",
        file = args.file().display(),
        id = &*id
    ))
    .advice(text!("transfer-choose", id = &*id))
    .at(args.file(), None))
}

fn all(args: &Args, input: &mut dyn BufRead) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    input
        .read_to_end(&mut bytes)
        .map_err(|cause| Failure::file(&text!("common-read"), args.file(), &cause))?;
    Ok(bytes)
}

/// The transcript of a coding agent.
fn transcript(
    args: &Args,
    format: TranscriptFormat,
    input: &mut dyn BufRead,
    session: &str,
) -> Result<Conversations, Failure> {
    Conversations::of_transcript(format, input, session).map_err(|error| {
        let (name, error) = (format.name(), Told(error));
        Failure::invalid(text!(
            "transfer-no-transcript",
            file = args.file().display(),
            name,
            error
        ))
        .advice(text!("transfer-name-format"))
        .at(args.file(), error.0.import_line())
    })
}

/// An error in the language of the run, where it can be said in that.
pub(super) struct Told(pub(super) annals::Error);

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.wording().as_ref().and_then(cause) {
            Some(cause) => f.write_str(&cause),
            None => self.0.fmt(f),
        }
    }
}

/// Messages as a session, or several, named after the file unless it was said.
fn talks(args: &Args, bytes: &[u8], session: &str) -> Result<Conversations, Failure> {
    Conversations::of_messages(bytes, session).map_err(|error| {
        let (line, error) = (error.import_line(), Told(error));
        Failure::invalid(text!(
            "transfer-no-messages",
            file = args.file().display(),
            error
        ))
        .advice(text!("transfer-messages-form", form = MESSAGES))
        .at(args.file(), line)
    })
}

/// The conversations of a document that are imported.
fn chosen<'d>(
    args: &Args,
    dataset: &'d Conversations,
    messages: bool,
) -> Result<Vec<&'d Conversation>, Failure> {
    let chosen: Vec<_> = match &args.conversation {
        Some(id) => dataset
            .conversations
            .iter()
            .filter(|conversation| conversation.id == *id)
            .collect(),
        None => dataset.conversations.iter().collect(),
    };
    if chosen.is_empty() || (chosen.len() > 1 && !args.all && !messages) {
        let names: Vec<_> = dataset
            .conversations
            .iter()
            .take(20)
            .map(|each| each.id.as_str())
            .collect();
        return Err(Failure::invalid(text!(
            "transfer-several",
            file = args.file().display(),
            count = dataset.conversations.len(),
            names = names.join(", ")
        ))
        .advice(text!("transfer-choose-or-all"))
        .at(args.file(), None));
    }
    Ok(chosen)
}
