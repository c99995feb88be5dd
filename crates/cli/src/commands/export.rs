use std::path::{Path, PathBuf};

use annals::blocking::Namespace;
use annals::{ExportForm, ExportReport};
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::settings::Scope;
use crate::target::Target;
use crate::texts::text;
use crate::visible::{self, Lines};

/// Arguments of `annals export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals export backup.ndjson
  annals export -n user:42 | gzip > user.ndjson.gz
  annals export --text memories.txt
  annals export notes --form notes
  annals export - --form messages

The other forms hold what is in use, without histories and triples; each can be imported again.
docs/import.md says what each keeps.")]
pub(crate) struct Args {
    /// The file; standard output when it is left out or `-`
    #[arg(default_value = "-")]
    file: PathBuf,
    /// For people to read, a memory a line: id, kind, score, text (ESC as `\u{1b}`). Cannot be
    /// imported again
    #[arg(long)]
    text: bool,
    /// In a form of another program
    #[arg(long, value_name = "FORM", conflicts_with = "text")]
    form: Option<Form>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// The forms of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// JSON lines: memories with a text, then turns with their sessions
    Lines,
    /// A table with a header
    Csv,
    /// The answer of get_all of mem0, without turns
    Mem0,
    /// Lines of {"id", "messages"} in the form of OpenAI, a session each, without other memories
    Messages,
    /// The file of the reference memory server, without turns
    KnowledgeGraph,
    /// A folder of Markdown notes: a file for each memory, and one for each session
    Notes,
}

impl Form {
    /// The form, where it is one file.
    const fn of_file(self) -> Option<ExportForm> {
        Some(match self {
            Self::Lines => ExportForm::Lines,
            Self::Csv => ExportForm::Csv,
            Self::Mem0 => ExportForm::Mem0,
            Self::Messages => ExportForm::Messages,
            Self::KnowledgeGraph => ExportForm::KnowledgeGraph,
            Self::Notes => return None,
        })
    }

    /// What it leaves out.
    fn leaves(self) -> String {
        match self {
            Self::Mem0 | Self::KnowledgeGraph => text!("transfer-form-no-turns"),
            Self::Messages => text!("transfer-form-turns-only"),
            Self::Lines | Self::Csv | Self::Notes => text!("transfer-form-in-use"),
        }
    }
}

/// Writes the namespace in the form of another program.
fn in_form(form: Form, args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let transfer = namespace.transfer();
    let is_output = args.file == Path::new("-");
    let report = match form.of_file() {
        Some(form) if is_output => {
            let written = match app.world.terminal.output {
                true => transfer.export_as(form, &mut Lines::of_text(app.world.output)),
                false => transfer.export_as(form, app.world.output),
            };
            let report = written.map_err(Failure::of_output)?;
            return tell_beside(args.form, &report, &namespace, app);
        }
        Some(form) => {
            let mut target = Target::begin(&args.file, args.force, app.in_use())?;
            let report = transfer.export_as(form, target.writer())?;
            target.finish()?;
            report
        }
        None if is_output => return Err(Failure::usage(text!("transfer-notes-folder"))),
        None => {
            let used =
                std::fs::read_dir(&args.file).is_ok_and(|mut entries| entries.next().is_some());
            if used && !args.force {
                let failure =
                    Failure::invalid(text!("transfer-folder-used", folder = args.file.display()));
                return Err(failure
                    .advice(text!("transfer-folder-force"))
                    .at(&args.file, None));
            }
            transfer.export_notes(&args.file)?
        }
    };
    if app.json {
        return app.answer_json(
            &json!({ "file": args.file, "memories": report.memories, "bytes": report.bytes }),
        );
    }
    let count = text!("common-memories", count = report.memories);
    app.say(&text!(
        "transfer-exported",
        count,
        file = args.file.display()
    ))?;
    tell_beside(Some(form), &report, &namespace, app)
}

/// Says what of the namespace the form leaves out, and what else there is to export.
fn tell_beside(
    form: Option<Form>,
    report: &ExportReport,
    namespace: &Namespace,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    if let Some(form) = form.filter(|_| app.notes())
        && namespace.admin().exists()?
    {
        let all = namespace.admin().stats()?.memories;
        let left = all.saturating_sub(report.memories);
        if left > 0 {
            let count = text!("common-memories", count = left);
            let why = form.leaves();
            app.note(&text!("transfer-form-leaves", count, why))?;
        }
    }
    match app.settings.scope {
        Scope::Project => {
            let name = visible::line(namespace.name()).into_owned();
            app.note(&text!("transfer-export-only", name))
        }
        _ => Ok(()),
    }
}

/// Writes the namespace; a file appears only when it is complete.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if let Some(form) = args.form {
        return in_form(form, args, app);
    }
    let namespace = app.plain_namespace()?;
    let total = if namespace.admin().exists()? {
        namespace.admin().stats()?.memories
    } else {
        0
    };
    let progress = Progress::new(app, text!("common-exporting"), total);
    let mut shown = |done: u64| progress.set(done);
    if args.file == Path::new("-") {
        if args.text {
            let written = match app.world.terminal.output {
                true => namespace
                    .transfer()
                    .export_text(&mut Lines::of_text(app.world.output)),
                false => namespace
                    .transfer()
                    .export_text(&mut Lines::of_columns(app.world.output)),
            };
            let report = written.map_err(Failure::of_output)?;
            return tell_beside(None, &report, &namespace, app);
        }
        let written = match app.world.terminal.output {
            true => namespace
                .transfer()
                .export(&mut Lines::of_json(app.world.output), &mut shown),
            false => namespace.transfer().export(app.world.output, &mut shown),
        };
        let report = written.map_err(Failure::of_output)?;
        drop(progress);
        return tell_beside(None, &report, &namespace, app);
    }
    let mut target = Target::begin(&args.file, args.force, app.in_use())?;
    let report = match args.text {
        true => namespace
            .transfer()
            .export_text(&mut Lines::of_columns(target.writer()))?,
        false => namespace.transfer().export(target.writer(), &mut shown)?,
    };
    target.finish()?;
    drop(progress);
    if app.json {
        // Text in which something would act on a terminal is longer in the file.
        let bytes = std::fs::metadata(&args.file).map_or(report.bytes, |file| file.len());
        return app.answer_json(&json!({
            "file": args.file,
            "memories": report.memories,
            "graph_lines": report.graph_lines,
            "judged_lines": report.judged_lines,
            "bytes": bytes,
        }));
    }
    let count = text!("common-memories", count = report.memories);
    app.say(&text!(
        "transfer-exported",
        count,
        file = args.file.display()
    ))?;
    tell_beside(None, &report, &namespace, app)
}
