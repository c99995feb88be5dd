//! Files that mirror memories.

use std::path::{Path, PathBuf};
use std::time::Duration;

use annals::blocking::Namespace;
use annals::{SyncReport, Watch};

use crate::app::{Access, App};
use crate::failure::{Exit, Failure, of_system};
use crate::sync_report::{failed, tell};
use crate::texts::text;
use crate::visible;

/// Arguments of `annals sync`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals sync notes -n user:42
  annals sync notes -n user:42 --watch

A file that is not there is made, and is annals' own: each run writes it whole. In a file that
a person began, annals keeps one section between two marks, and leaves the rest alone.
Only regular files are read. A link that leads out of the folder is let alone until
--follow was said once: the folder may be a clone of a repository of somebody else. A
link in the place of the folder itself is refused without --follow.

With --watch it goes on until it is stopped, and looks once a second whether a file was
edited or the database written to. In between it does not hold the database, so that
other programs can use it; while one does, it waits. It may be stopped, or killed, at
any time.")]
pub(crate) struct Args {
    /// The folder of the files [default: $ANNALS_MIRRORS, or the one that the profile names]
    folder: Option<PathBuf>,
    /// Make the folder, if it is not there
    #[arg(long)]
    create: bool,
    /// Follow links that lead out of the folder
    #[arg(long)]
    follow: bool,
    /// Go on, whenever one side changes
    #[arg(long)]
    watch: bool,
    /// How often to look, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 1.0,
        requires = "watch"
    )]
    every: f64,
}

/// Brings files and memories into step.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let every = Duration::try_from_secs_f64(args.every)
        .ok()
        .filter(|every| !every.is_zero());
    let every = every.ok_or_else(|| Failure::usage(text!("transfer-every")))?;
    app.keeps_file = args.watch;
    let namespace = app.namespace(Access::Existing)?;
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => home(&namespace, app)?,
    };
    if let (Some(named), false) = (&args.folder, args.follow) {
        refuse_link(named)?;
    }
    if args.create {
        annals_private::make_folder(&folder).map_err(|cause| {
            let shown = folder.display().to_string();
            let (folder, cause) = (visible::line(&shown), of_system(&cause));
            Failure::new(
                Exit::Failed,
                text!("transfer-cannot-make-folder", folder, cause),
            )
        })?;
    }
    is_there(&folder)?;
    let report = sync(&namespace, &folder, args.follow)?;
    let watch = args
        .watch
        .then(|| namespace.files().watch(&folder))
        .transpose()?;
    drop(namespace);
    tell(&report, app)?;
    note_passed_over(&report, &folder, app)?;
    match watch {
        None => failed(&report).map_or(Ok(()), Err),
        Some(watch) => keep_in_step(watch, (&folder, args.follow), every, app),
    }
}

/// The folder that the settings name, or a profile that came along with the program. Any other
/// profile may be somebody else's, and lead to whatever files of this user.
fn home(namespace: &Namespace, app: &App<'_, '_>) -> Result<PathBuf, Failure> {
    let home = namespace
        .files()
        .home()?
        .ok_or_else(|| Failure::usage(text!("transfer-no-folder-set")))?;
    let named = namespace.admin().settings()?.mirrors.home;
    let mut known = annals::profiles::builtin_names().filter_map(annals::profiles::builtin);
    let came_along = known
        .any(|text| annals::profiles::parse(text).is_ok_and(|known| known.mirrors.home == named));
    if app.settings.mirrors.is_some() || came_along {
        return Ok(home);
    }
    let shown = home.display().to_string();
    let shown = visible::line(&shown);
    Err(
        Failure::usage(text!("transfer-folder-of-profile", folder = shown))
            .advice(text!("transfer-name-that-folder", folder = shown)),
    )
}

fn sync(namespace: &Namespace, folder: &Path, follow: bool) -> Result<SyncReport, Failure> {
    let files = namespace.files();
    let mut report = if follow {
        files.sync_following(folder)?
    } else {
        files.sync(folder)?
    };
    // A process that owns the database tells whole paths: the folder is told as it was named.
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for file in &mut report.files {
        for path in std::iter::once(&mut file.path).chain(&mut file.kept_in) {
            if let Ok(rest) = path.strip_prefix(&whole) {
                *path = folder.join(rest);
            }
        }
    }
    Ok(report)
}

/// Says which files of a person are not read, because the profile keeps the file of that name
/// further below.
fn note_passed_over(
    report: &SyncReport,
    folder: &Path,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    for file in &report.files {
        let Some(own) = file.path.file_name().map(|name| folder.join(name)) else {
            continue;
        };
        if own.is_file() && report.files.iter().all(|file| file.path != own) {
            let [own, path] =
                [&own, &file.path].map(|path| visible::line(&path.to_string_lossy()).into_owned());
            app.note(&text!("transfer-passed-over", own, path))?;
        }
    }
    Ok(())
}

/// An error where there is no folder for the files: it may be spelt otherwise, or on a disk that is
/// away.
fn is_there(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let shown = folder.display().to_string();
    let missing = Failure::new(
        Exit::NotFound,
        text!("install-no-folder", folder = visible::line(&shown)),
    );
    Err(missing.advice(text!("transfer-create")))
}

/// Refuses a folder to which a link leads that whoever made a repository or an archive could have
/// put there: it would have files of this user read and written.
fn refuse_link(folder: &Path) -> Result<(), Failure> {
    let cannot_tell =
        |cause: std::io::Error| Failure::file(&text!("transfer-read-folder"), folder, &cause);
    let whole = std::path::absolute(folder).map_err(cannot_tell)?;
    let here = std::env::current_dir().ok();
    let mut path = PathBuf::new();
    for part in whole.components() {
        path.push(part);
        match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => {}
            Ok(_) => continue,
            // What is missing is made, or named by the caller as missing.
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(cannot_tell(cause)),
        }
        let target = path.canonicalize().map_err(cannot_tell)?;
        let holder = path
            .parent()
            .unwrap_or(&path)
            .canonicalize()
            .map_err(cannot_tell)?;
        let root = annals_mcp::git_root(&holder)
            .or_else(|| here.clone().filter(|here| holder.starts_with(here)));
        let leads_out = match &root {
            Some(root) => !target.starts_with(root),
            None => path == whole,
        };
        if leads_out {
            let [link, target] =
                [&path, &target].map(|path| visible::line(&path.to_string_lossy()).into_owned());
            let refused = Failure::usage(text!("transfer-folder-is-link", link, target));
            return Err(refused.advice(text!("transfer-name-real-folder")));
        }
    }
    Ok(())
}

/// The longest pause after failures.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Looks again and again, until the program is stopped or nothing reads its output.
fn keep_in_step(
    mut watch: Watch,
    (folder, follow): (&Path, bool),
    every: Duration,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let (mut last, mut pause) = (None, every);
    loop {
        if watch.is_due() {
            let namespace = app.namespace(Access::Existing);
            let synced = namespace.and_then(|namespace| {
                is_there(folder)?;
                sync(&namespace, folder, follow)
            });
            let done = synced.and_then(|report| {
                if report.edits() + report.written() + report.removed() > 0 {
                    tell(&report, app)?;
                }
                watch.synced(&report);
                failed(&report).map_or(Ok(()), Err)
            });
            match done {
                Ok(()) => (last, pause) = (None, every),
                // Another process holds the database: its turn.
                Err(busy) if busy.exit == Exit::Locked => {}
                // A failure is reported once, and tried again ever more seldom.
                Err(gone) if gone.silent => return Err(gone),
                Err(failure) => {
                    if last.as_ref() != Some(&failure.message) {
                        app.note(&failure.message)?;
                    }
                    last = Some(failure.message);
                    pause = pause.saturating_mul(2).min(every.max(MAX_PAUSE));
                }
            }
        }
        std::thread::sleep(pause);
    }
}
