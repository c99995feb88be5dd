use std::path::{Path, PathBuf};

use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::target::Target;
use crate::texts::text;
use crate::visible::Lines;

/// Arguments of `annals export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals export backup.ndjson
  annals export -n user:42 | gzip > user.ndjson.gz
  annals export --text memories.txt")]
pub(crate) struct Args {
    /// The file; standard output when it is left out or `-`
    #[arg(default_value = "-")]
    file: PathBuf,
    /// For people to read, a memory a line: id, kind, score, text (ESC as `\u{1b}`). Cannot be
    /// imported again
    #[arg(long)]
    text: bool,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// Writes the namespace; a file appears only when it is complete.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let total = if namespace.admin().exists()? { namespace.admin().stats()?.memories } else { 0 };
    let progress = Progress::new(app, text!("common-exporting"), total);
    let mut shown = |done: u64| progress.set(done);
    if args.file == Path::new("-") {
        if args.text {
            let written = match app.world.terminal.output {
                true => namespace.transfer().export_text(&mut Lines::of_text(app.world.output)),
                false => namespace.transfer().export_text(&mut Lines::of_columns(app.world.output)),
            };
            return written.map(drop).map_err(Failure::of_output);
        }
        let written = match app.world.terminal.output {
            true => namespace.transfer().export(&mut Lines::of_json(app.world.output), &mut shown),
            false => namespace.transfer().export(app.world.output, &mut shown),
        };
        return written.map(drop).map_err(Failure::of_output);
    }
    let mut target = Target::begin(&args.file, args.force, app.in_use())?;
    let report = match args.text {
        true => namespace.transfer().export_text(&mut Lines::of_columns(target.writer()))?,
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
    app.say(&text!("transfer-exported", count, file = args.file.display()))
}
