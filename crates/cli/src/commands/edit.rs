use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use annals::blocking::Namespace;
use annals::graph::MemoryEdge;
use annals::{Body, Kind, Label, MemoryId, NewMemory, Said};
use serde_json::json;

use crate::about::About;
use crate::app::{Access, App};
use crate::expiry::over;
use crate::failure::{Exit, Failure, of_system};
use crate::oddities::kind_of_profile;
use crate::texts::text;
use crate::{lookup, source, utf8};

/// Arguments of `annals edit`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals edit 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals edit 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e \\
    --text \"I moved to Hamburg.\" --valid-from 2026-03-01
  annals edit 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --untag draft --clear valid-until

Without a flag, and on a terminal, the text opens in $VISUAL or $EDITOR.")]
pub(crate) struct Args {
    /// The memory
    id: MemoryId,
    /// The new text; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    text: Option<OsString>,
    /// Read the new text from this file
    #[arg(long, value_name = "PATH", conflicts_with = "text")]
    file: Option<PathBuf>,
    #[command(flatten)]
    about: About,
    /// Take this tag off
    #[arg(long, value_name = "TAG")]
    untag: Vec<String>,
    /// Take this free field out
    #[arg(long, value_name = "KEY")]
    unset_meta: Vec<String>,
    /// Empty this field; may be given several times
    #[arg(long, value_name = "FIELD")]
    clear: Vec<Field>,
    /// Store it under a new id that supersedes this one
    #[arg(long)]
    supersede: bool,
}

/// A field that can be emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Field {
    At,
    ValidFrom,
    ValidUntil,
    ExpiresAt,
    Source,
    Verified,
    Tags,
    Meta,
}

impl Args {
    /// Whether only the id was given.
    fn says_nothing(&self) -> bool {
        let lists = [&self.untag, &self.unset_meta];
        self.about == About::default()
            && lists.iter().all(|list| list.is_empty())
            && self.clear.is_empty()
    }
}

/// Stores a new revision.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    // Read before the database is opened: an editor may stay open for long, and the file is locked
    // meanwhile.
    let given = match (&args.text, &args.file) {
        (None, None) => None,
        (text, file) => Some(source::text(text.as_ref(), file.as_ref(), app.world)?),
    };
    let namespace = app.plain_namespace_of(&[args.id])?;
    let before = lookup::memory(&namespace, args.id)?;
    let mut body = before.body.clone();
    change(args, &mut body)?;
    if let Some(kind) = &args.about.kind {
        body.kind = kind_of_profile(kind, &namespace)?;
    }
    drop(namespace);
    if let Some(text) = given {
        body.text = text;
    } else if args.says_nothing() {
        body.text = ask_editor(&body.text, app)?;
    }
    if body.text != before.body.text && args.about.source.is_none() {
        // The new text is not from that source.
        body.source = None;
    }
    if body == before.body {
        app.note(&text!("memory-edit-none"))?;
        return answer(args.id, app);
    }
    // Traits that were not edited stay, an importance that has decayed among them.
    let said = Said {
        importance: body.importance != before.body.importance,
        ..Said::ALL
    };
    let memory = NewMemory::from_body(body)?
        .saying(said)
        .with_status(before.status);
    let namespace = app.namespace(Access::Existing)?;
    let said = namespace.graph().subgraph(args.id)?.edges;
    let id = if args.supersede {
        namespace.lifecycle().supersede(args.id, memory)?
    } else {
        namespace.update(args.id, memory)?
    };
    let asleep = asleep(&namespace, &said)?;
    drop(namespace);
    answer(id, app)?;
    if let Some(note) = args.about.expires_at.and_then(|at| over(at, app)) {
        app.note(&note)?;
    }
    if asleep.is_empty() {
        return Ok(());
    }
    let count = text!(
        "common-triples",
        count = u64::try_from(asleep.len()).unwrap_or(u64::MAX)
    );
    app.note(&text!(
        "memory-edit-asleep",
        count,
        asleep = asleep.join(", ")
    ))
}

/// The numbers of those triples that no memory says any more.
fn asleep(namespace: &Namespace, said: &[MemoryEdge]) -> Result<Vec<String>, Failure> {
    let mut numbers = Vec::new();
    for edge in said {
        match namespace.graph().explain_triple(edge.triple) {
            Ok(told) if told.triple.visible => {}
            Ok(_) => numbers.push(edge.triple.0.to_string()),
            Err(gone) if gone.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(numbers)
}

fn answer(id: MemoryId, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        app.answer_json(&json!({ "id": id }))
    } else {
        app.say(&id.to_string())
    }
}

fn change(args: &Args, body: &mut Body) -> Result<(), Failure> {
    for field in &args.clear {
        match field {
            Field::At => body.event_time = None,
            Field::ValidFrom => body.valid_from = None,
            Field::ValidUntil => body.valid_until = None,
            Field::ExpiresAt => body.expires_at = None,
            Field::Source => body.source = None,
            Field::Verified => body.verified = false,
            Field::Tags => body.tags.clear(),
            Field::Meta => body.metadata.clear(),
        }
    }
    for tag in &args.untag {
        let tag = Label::new("tag", tag.as_str())?;
        if !body.tags.contains(&tag) {
            return Err(Failure::invalid(text!(
                "memory-edit-no-tag",
                tag = format!("{:?}", tag.as_str())
            )));
        }
        body.tags.retain(|each| *each != tag);
    }
    for key in &args.unset_meta {
        if body.metadata.remove(key).is_none() {
            return Err(Failure::invalid(text!(
                "memory-edit-no-field",
                key = format!("{key:?}")
            )));
        }
    }
    if let Some(layer) = args.about.layer {
        body.layer = layer;
    }
    if let Some(kind) = &args.about.kind {
        body.kind = Kind::new(kind.as_str())?;
    }
    args.about.apply(body)?;
    body.tags.sort();
    body.tags.dedup();
    Ok(())
}

/// Lets a person change the text.
fn ask_editor(text: &str, app: &App<'_, '_>) -> Result<String, Failure> {
    if !app.world.terminal.input || !app.world.terminal.output {
        return Err(Failure::usage(text!("memory-edit-nothing")));
    }
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| app.world.var(name))
        .ok_or_else(|| {
            Failure::usage(text!("memory-edit-no-editor")).advice(text!("memory-edit-set-editor"))
        })?;
    let failed = |cause: std::io::Error| {
        Failure::new(
            Exit::Failed,
            text!(
                "memory-edit-cannot",
                editor = format!("{editor:?}"),
                cause = of_system(&cause)
            ),
        )
    };
    let file = tempfile::Builder::new()
        .prefix("annals-")
        .suffix(".txt")
        .tempfile()
        .map_err(failed)?;
    std::fs::write(file.path(), text).map_err(failed)?;
    // An editor may be given with arguments, as in `code --wait`.
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(editor));
    let status = command
        .args(words)
        .arg(file.path())
        .status()
        .map_err(failed)?;
    if !status.success() {
        return Err(Failure::new(
            Exit::Failed,
            text!("memory-edit-ended", editor = format!("{editor:?}"), status),
        ));
    }
    let edited = std::fs::read(file.path()).map_err(failed)?;
    let edited = utf8::text(edited, &text!("memory-edit-text"), None)?;
    // Editors add a line break at the end.
    Ok(edited
        .strip_suffix('\n')
        .filter(|_| !text.ends_with('\n'))
        .map(str::to_owned)
        .unwrap_or(edited))
}
