#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::print_stderr,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )
)]

mod about;
mod address;
mod app;
mod backlog;
mod card;
mod clients;
mod clones;
mod commands;
mod config;
mod conversation;
mod counted;
mod embedder;
mod ending;
mod entity;
mod eval;
mod expiry;
mod explain;
mod failure;
mod folders;
mod held;
mod help;
mod import;
mod interface;
mod job_report;
mod learnt;
mod limit;
mod llm;
mod lookup;
mod mcp_server;
mod measure;
mod moment;
mod noise;
mod notes;
mod oddities;
mod pages;
mod paint;
mod paths;
mod port;
mod program;
mod progress;
mod project;
mod range;
mod receipt;
mod selection;
mod settings;
mod share;
mod shared;
mod source;
mod store;
mod suggestion;
mod sync_report;
mod table;
mod target;
mod texts;
mod token;
mod usage;
mod utf8;
mod validation;
mod visible;
mod world;
mod wrap;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};

use crate::app::App;
use crate::commands::{Cli, Command, is_without_namespace, without_idle_options};
use crate::failure::{Exit, Failure};
use crate::held::{Held, Line, Stream};
use crate::paint::Paint;
use crate::texts::{Language, speaking, text};
pub use crate::world::{Terminal, World};

const WIDEST: usize = 100;

/// Runs the program with `args`, the first of which is its name, and returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, world: &mut World<'_>) -> u8 {
    let args = asking_for_help(args.into_iter().collect());
    // Which form errors take must be known before the arguments are understood.
    let json = args
        .iter()
        .skip(1)
        .take_while(|arg| *arg != "--")
        .any(|arg| arg == "--json");
    speaking(interface::choose(&args, json, world), || {
        told(&args, json, world)
    })
}

/// Runs it, and says why it failed, if it did.
fn told(args: &[OsString], json: bool, world: &mut World<'_>) -> u8 {
    let no_color = args.iter().any(|arg| arg == "--no-color");
    let done = match parse(args, world) {
        Ok((cli, command)) => obey(cli, &command, world),
        Err(error) => usage::explain(args, &error, (json, no_color), world),
    };
    let failure = match done.and_then(|()| Ok(world.output.flush()?)) {
        Ok(()) => return 0,
        Err(failure) if failure.silent => return 0,
        Err(failure) => failure,
    };
    let told = if json {
        writeln!(
            world.errors,
            "{}",
            visible::json(&failure.json().to_string())
        )
    } else {
        let paint = Paint::choose(world, world.terminal.errors, no_color);
        world.errors.write_all(failure.text(paint).as_bytes())
    };
    // When not even standard error can be written the exit code is all that is left.
    drop(told);
    if failure.exit == Exit::Usage && may_be_event(args) {
        // Hosts take the code 2 of a hook for an order to stop.
        return Exit::Failed as u8;
    }
    failure.exit as u8
}

/// Whether a host may have started the command: at an event, and not to manage hooks.
fn may_be_event(args: &[OsString]) -> bool {
    let managed = ["enable", "disable", "status", "temporary"];
    args.get(1).is_some_and(|word| word == "hook")
        && args
            .get(2)
            .is_none_or(|word| managed.iter().all(|known| word != known))
}

/// `annals help graph` is `annals graph --help`.
fn asking_for_help(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_none_or(|word| word != "help") {
        return args;
    }
    // The help of help is that of the program.
    while args.get(1).is_some_and(|word| word == "help") {
        args.remove(1);
    }
    args.push("--help".into());
    args
}

/// Help fits the terminal, and is never wider than a page.
fn parse(args: &[OsString], world: &World<'_>) -> Result<(Cli, String), clap::Error> {
    let width = world.terminal.width.unwrap_or(WIDEST).min(WIDEST);
    let first = args.get(1).and_then(|arg| arg.to_str()).unwrap_or_default();
    let program = without_idle_options(Cli::command().term_width(width), first);
    let matches = program.try_get_matches_from(args)?;
    let command = matches.subcommand_name().unwrap_or_default().to_owned();
    Ok((Cli::from_arg_matches(&matches)?, command))
}

fn obey(cli: Cli, command: &str, world: &mut World<'_>) -> Result<(), Failure> {
    // Hosts and logs are told the same in every language.
    if speaking(Language::English, || cli.command.serves(&cli.shared, world)) {
        return Ok(());
    }
    if is_without_namespace(command) && !cli.shared.namespace.is_empty() {
        return Err(Failure::usage(text!("common-takes-no-namespace", command)));
    }
    if cli.command.chooses_namespaces() && !cli.shared.namespace.is_empty() {
        return Err(Failure::usage(text!("transfer-agents-namespace")));
    }
    if !cli.command.only_reads() {
        let mut app = match begin(&cli, world) {
            Err(failure) if cli.command.serves_client() && failure.exit != Exit::Usage => {
                return Command::serve_without_settings(&failure);
            }
            app => app?,
        };
        let noted = note_surroundings(&cli, &mut app);
        let (done, masked) = annals::masked_during(|| cli.command.run(&mut app));
        app.note_masked(&masked)?;
        app.note_made_private()?;
        return done.and(noted);
    }
    let held = Held::new();
    let (mut output, mut errors) = (
        Line {
            held: &held,
            stream: Stream::Output,
        },
        Line {
            held: &held,
            stream: Stream::Errors,
        },
    );
    let mut inner = world.with_streams(&mut output, &mut errors);
    let mut app = begin(&cli, &mut inner)?;
    app.reads_only = true;
    let noted = note_surroundings(&cli, &mut app);
    let done = cli.command.run(&mut app).and_then(|()| app.whole());
    app.note_made_private()?;
    held.into_inner().tell(world.output, world.errors)?;
    done.and(noted)
}

/// The app of a command; an error where the command must know which project the working directory
/// is, and the list of known folders cannot be read.
fn begin<'r, 'w>(cli: &Cli, world: &'r mut World<'w>) -> Result<App<'r, 'w>, Failure> {
    let mut app = App::new(&cli.shared, world)?;
    if !cli.command.goes_on_without_place()
        && let Some(failure) = app.settings.place_failure.take()
    {
        return Err(failure);
    }
    Ok(app)
}

/// Says what is odd about the surroundings of a command before it runs: one that serves or talks
/// would say it only at its end. A note that cannot be written stops no command.
fn note_surroundings(cli: &Cli, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.note_zone()?;
    // `doctor` has it among its findings.
    if !matches!(cli.command, Command::Doctor(_)) {
        app.note_place_failure()?;
    }
    if cli.command.adopts() {
        Ok(())
    } else {
        app.note_apart()
    }
}
