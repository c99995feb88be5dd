//! Files of other programs, one or many: each is told by what stands in it.

use std::path::PathBuf;

use annals::blocking::Namespace;
use annals::{
    BadLine, FileFormat, FileKind, ImportFile, ImportOptions, ImportReport, OnBad, ReadOptions,
    ReadSummary,
};
use serde_json::json;

use super::conversations::Told;
use super::format::Format;
use super::lines::leave_out;
use super::{Args, Imported, not_stored};
use crate::app::{Access, App};
use crate::failure::{Failure, cause};
use crate::progress::Progress;
use crate::target::Target;
use crate::texts::{Language, found, help, language, term, text};
use crate::visible;

/// Files that are named where some were left out.
const NAMED: usize = 5;

/// A file with its format.
pub(super) type Known = (ImportFile, FileFormat);

/// The files of which the format is known, and the names of all others.
#[derive(Default)]
struct Sorted {
    known: Vec<Known>,
    others: Vec<PathBuf>,
}

/// Imports files, or says what they would bring.
pub(super) fn records(
    args: &Args,
    files: Vec<ImportFile>,
    dry: bool,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    if args.resume || args.from_line.is_some() || args.conversation.is_some() || args.all {
        return Err(Failure::usage(text!("transfer-record-flags")));
    }
    let options = args.read_options(&app.settings.zone);
    let Sorted { known, others } = sorted(args, files, &options)?;
    note_others(&others, app)?;
    if dry {
        return foreseen(args, &known, &options, app);
    }
    let in_use = args
        .files
        .iter()
        .fold(app.in_use(), |in_use, file| in_use.and_input(file));
    let skipped = args
        .skip_bad
        .as_deref()
        .map(|path| Target::begin(path, args.force, in_use))
        .transpose()?;
    let namespace = app.namespace(Access::Create)?;
    let progress = Progress::new(app, text!("common-importing"), 0);
    let mut all = All::new(args, app);
    for one in &known {
        let taken = all.take(&namespace, one, &options, &progress);
        taken.map_err(|error| all.stopped(args, &one.0, error))?;
    }
    drop(progress);
    leave_out(&all.summary.bad, skipped, app)?;
    all.note_left_out(app)?;
    Ok(all.imported(known.len()))
}

/// Names files that are passed over.
pub(super) fn note_others(others: &[PathBuf], app: &mut App<'_, '_>) -> Result<(), Failure> {
    if others.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = others
        .iter()
        .take(NAMED)
        .map(|path| path.display().to_string())
        .collect();
    let more = if others.len() > NAMED { "..." } else { "" };
    app.note(&text!(
        "transfer-other-files",
        count = others.len(),
        names = names.join(&text!("common-comma")),
        more
    ))
}

/// The format of a file: the named one, or what stands in it tells.
pub(super) fn format_of(
    args: &Args,
    file: &ImportFile,
    options: &ReadOptions,
) -> Result<Result<FileFormat, annals::Error>, Failure> {
    match args.format {
        Some(Format::Of(format)) => Ok(Ok(format)),
        Some(Format::LastChat) => Err(Failure::usage(text!("transfer-record-flags"))),
        None => Ok(FileFormat::of(file, options)),
    }
}

/// Tells the formats of files. One that is named itself must be of a known format; in a folder or
/// an archive others are passed over, and so are words beside an export of a program.
fn sorted(args: &Args, files: Vec<ImportFile>, options: &ReadOptions) -> Result<Sorted, Failure> {
    let mut sorted = Sorted::default();
    for file in files {
        match format_of(args, &file, options)? {
            Ok(format) => sorted.known.push((file, format)),
            Err(error) if file.root().is_some() && error.is_invalid() => {
                sorted.others.push(file.path().to_owned());
            }
            Err(error) => return Err(failed(args, &file, error)),
        }
    }
    if args.format.is_none() {
        let (kept, left) = annals::without_attachments(sorted.known);
        sorted.known = kept;
        sorted
            .others
            .extend(left.into_iter().map(|(file, _)| file.path().to_owned()));
    }
    match sorted.known.first() {
        Some(_) => Ok(sorted),
        None if sorted.others.is_empty() => {
            let path = args.file().display();
            Err(Failure::invalid(text!("transfer-nothing-there", path))
                .advice(text!("common-check-path"))
                .at(args.file(), None))
        }
        None => {
            let names: Vec<String> = sorted
                .others
                .iter()
                .take(NAMED)
                .map(|path| path.display().to_string())
                .collect();
            Err(
                Failure::invalid(text!("transfer-nothing-known", names = names.join(", ")))
                    .advice(text!("transfer-formats"))
                    .at(args.file(), None),
            )
        }
    }
}

/// What files would bring.
fn foreseen(
    args: &Args,
    known: &[Known],
    options: &ReadOptions,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    let mut text = String::new();
    let mut each = Vec::new();
    // What cannot be read is told, and is no reason to stop telling.
    let options = ReadOptions {
        skip_bad: true,
        ..options.clone()
    };
    let mut shown: Vec<(FileFormat, usize, ReadSummary)> = Vec::new();
    for (file, format) in known {
        let read = match format.kind() {
            FileKind::Export => Ok(ReadSummary::default()),
            _ => format.read(file, &options, &mut |_| Ok(())),
        };
        let summary = read.map_err(|error| failed(args, file, error))?;
        each.push(json!({
            "file": file.path(), "format": format.name(), "sessions": summary.sessions(),
            "turns": summary.turns,
            "memories": summary.memories, "left_out": left_out(&summary), "bad": summary.bad.len(),
        }));
        match shown.iter_mut().find(|(known, ..)| known == format) {
            Some((_, count, all)) => {
                *count += 1;
                all.add(summary);
            }
            None => shown.push((*format, 1, summary)),
        }
    }
    for (format, count, summary) in &shown {
        text.push_str(&described(*format, *count, summary));
    }
    text.push_str(&text!("transfer-dry"));
    for (_, _, summary) in &shown {
        for bad in summary.bad.iter().take(NAMED) {
            app.note(&text!(
                "transfer-line-bad",
                line = bad.line,
                reason = reason(bad)
            ))?;
        }
    }
    Ok(Imported {
        stored: 0,
        text,
        json: json!({ "files": each }),
    })
}

fn described(format: FileFormat, count: usize, summary: &ReadSummary) -> String {
    let mut text = text!(
        "transfer-foreseen",
        format = format.name(),
        files = text!("common-files", count),
        about = about(format)
    );
    text.push('\n');
    if format.kind() == FileKind::Export {
        return text;
    }
    if summary.turns > 0 {
        let turns = text!("common-turns", count = summary.turns);
        text.push_str(&text!(
            "transfer-foreseen-turns",
            turns,
            sessions = summary.sessions()
        ));
        text.push('\n');
        let mut speakers: Vec<_> = summary.speakers.iter().collect();
        speakers.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let speakers: Vec<String> = speakers
            .into_iter()
            .take(NAMED)
            .map(|(name, count)| format!("{} {count}", visible::line(&term("role", name))))
            .collect();
        text.push_str(&text!(
            "transfer-foreseen-speakers",
            speakers = speakers.join(&text!("common-comma"))
        ));
        text.push('\n');
    }
    if summary.memories > 0 {
        let memories = text!("common-memories", count = summary.memories);
        text.push_str(&text!("transfer-foreseen-memories", memories));
        text.push('\n');
    }
    if let Some((first, last)) = summary.span {
        text.push_str(&text!("transfer-foreseen-span", first, last));
        text.push('\n');
    }
    let told = left_out_words(summary);
    if !told.is_empty() {
        text.push_str(&text!("transfer-foreseen-left", told));
        text.push('\n');
    }
    text
}

/// What a format is, in the language of the run.
fn about(format: FileFormat) -> String {
    let told = match language() {
        Language::English => None,
        Language::Chinese => help("help-values", Some(&format!("format_{}", format.name()))),
    };
    told.unwrap_or_else(|| format.about().to_owned())
}

fn left_out(summary: &ReadSummary) -> serde_json::Map<String, serde_json::Value> {
    summary
        .left_out
        .iter()
        .map(|(what, count)| ((*what).to_owned(), (*count).into()))
        .collect()
}

/// What became nothing, in the language of the run.
fn left_out_words(summary: &ReadSummary) -> String {
    let word = |what: &str| {
        found(&format!("transfer-left-{}", what.replace(' ', "-")), &[])
            .unwrap_or_else(|| what.to_owned())
    };
    let told: Vec<String> = summary
        .left_out
        .iter()
        .map(|(what, count)| text!("transfer-left-count", what = word(what), count))
        .collect();
    told.join(&text!("common-comma"))
}

/// All that was brought so far.
struct All {
    options: ImportOptions,
    report: ImportReport,
    summary: ReadSummary,
    formats: Vec<&'static str>,
}

impl All {
    fn new(args: &Args, app: &App<'_, '_>) -> Self {
        let on_bad = if args.skip_bad.is_some() {
            OnBad::Collect
        } else {
            OnBad::Stop
        };
        let run = Some(app.world.clock.now());
        let options = ImportOptions {
            bring_back: args.bring_back,
            on_bad,
            run,
            ..ImportOptions::default()
        };
        Self {
            options,
            report: ImportReport::default(),
            summary: ReadSummary::default(),
            formats: Vec::new(),
        }
    }

    /// Brings what a file holds.
    fn take(
        &mut self,
        namespace: &Namespace,
        (file, format): &Known,
        read: &ReadOptions,
        progress: &Progress,
    ) -> Result<(), annals::Error> {
        if !self.formats.contains(&format.name()) {
            self.formats.push(format.name());
        }
        let report = &mut self.report;
        let summary = namespace.transfer().import_file(
            (file, *format),
            read,
            &self.options,
            &mut |part| {
                progress.add(part.lines_done);
                report.merge(part);
            },
        )?;
        self.summary.add(summary);
        self.summary.bad.append(&mut self.report.bad);
        Ok(())
    }

    /// The failure of a file, with what was stored before it.
    fn stopped(&self, args: &Args, file: &ImportFile, error: annals::Error) -> Failure {
        let stored = text!("common-memories", count = self.report.stored);
        let failure = failed(args, file, error);
        if self.report.stored == 0 {
            failure
        } else {
            failure.advice(text!("transfer-stopped", stored))
        }
    }

    fn note_left_out(&self, app: &mut App<'_, '_>) -> Result<(), Failure> {
        let told = left_out_words(&self.summary);
        if told.is_empty() {
            Ok(())
        } else {
            app.note(&text!("common-not-stored", told))
        }
    }

    fn imported(self, files: usize) -> Imported {
        let Self {
            report,
            summary,
            formats,
            options,
        } = self;
        let mut text = text!(
            "transfer-stored-records",
            memories = text!("common-memories", count = report.stored),
            files = text!("common-files", count = files),
            formats = formats.join(&text!("common-comma"))
        );
        if report.graph_stored > 0 {
            let parts = text!("common-parts-of-graph", count = report.graph_stored);
            text.push_str(&text!("transfer-and-parts", parts));
        }
        text.push_str(&not_stored(&report));
        let bad = summary.bad.len();
        if bad > 0 {
            let bad = u64::try_from(bad).unwrap_or(u64::MAX);
            text.push_str(&text!("transfer-records-left-out", count = bad));
        }
        let json = json!({
            "stored": report.stored, "already_there": report.already_there,
            "deleted": report.deleted,
            "differing": report.differing, "graph_stored": report.graph_stored, "files": files,
            "formats": formats,
            "sessions": summary.sessions(), "turns": summary.turns, "memories": summary.memories,
            "passed_over": left_out(&summary), "bad": bad, "run": options.run,
        });
        Imported {
            stored: report.stored,
            text,
            json,
        }
    }
}

/// Why a record was refused, in the language of the run.
pub(super) fn reason(bad: &BadLine) -> String {
    let reason = bad
        .wording
        .as_ref()
        .and_then(cause)
        .unwrap_or_else(|| bad.reason.clone());
    visible::line(&reason).into_owned()
}

/// Names the file, and the line where there is one.
pub(super) fn failed(args: &Args, file: &ImportFile, error: annals::Error) -> Failure {
    let line = error.import_line();
    if error.is_invalid() {
        let told = Told(error);
        let failure = Failure::invalid(text!(
            "transfer-not-read",
            file = file.path().display(),
            error = told
        ));
        let advice = if args.format.is_some() && file.root().is_some() {
            text!("transfer-leave-format")
        } else if line.is_some() && args.skip_bad.is_none() {
            text!("transfer-skip-record")
        } else {
            text!("transfer-formats")
        };
        return failure.advice(advice).at(file.path(), line);
    }
    Failure::from(error).at(file.path(), line)
}
