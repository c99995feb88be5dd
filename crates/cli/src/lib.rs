#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )
)]

mod about;
mod app;
mod backlog;
mod card;
mod clients;
mod commands;
mod config;
mod conversation;
mod counted;
mod embedder;
mod entity;
mod eval;
mod expiry;
mod explain;
mod failure;
mod folders;
mod held;
mod help;
mod import;
mod job_report;
mod learnt;
mod limit;
mod llm;
mod lookup;
mod measure;
mod noise;
mod paint;
mod program;
mod progress;
mod project;
mod receipt;
mod selection;
mod settings;
mod share;
mod shared;
mod source;
mod suggestion;
mod sync_report;
mod table;
mod target;
mod utf8;
mod validation;
mod visible;
mod world;
mod wrap;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};

use crate::app::App;
use crate::commands::Cli;
use crate::failure::{Exit, Failure};
use crate::held::{Held, Line, Stream};
use crate::paint::Paint;
pub use crate::world::{Terminal, World};

const WIDEST: usize = 100;

/// Runs the program with `args`, the first of which is its name, and returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, world: &mut World<'_>) -> u8 {
    let args = asking_for_help(args.into_iter().collect());
    // Which form errors take must be known before the arguments are understood.
    let json = args.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let no_color = args.iter().any(|arg| arg == "--no-color");
    let done = match parse(&args, world) {
        Ok(cli) => obey(cli, world),
        Err(error) => explain_usage(&error, json, no_color, world),
    };
    let failure = match done.and_then(|()| Ok(world.output.flush()?)) {
        Ok(()) => return 0,
        Err(failure) if failure.silent => return 0,
        Err(failure) => failure,
    };
    let told = if json {
        writeln!(world.errors, "{}", visible::json(&failure.json().to_string()))
    } else {
        let paint = Paint::choose(world, world.terminal.errors, no_color);
        world.errors.write_all(failure.text(paint).as_bytes())
    };
    // When not even standard error can be written the exit code is all that is left.
    drop(told);
    if failure.exit == Exit::Usage && args.get(1).is_some_and(|word| word == "hook") {
        // Hosts take the code 2 of a hook for an order to stop.
        return Exit::Failed as u8;
    }
    failure.exit as u8
}

/// `annals help graph` is `annals graph --help`.
fn asking_for_help(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_some_and(|word| word == "help") {
        args.remove(1);
        args.push("--help".into());
    }
    args
}

/// Help fits the terminal, and is never wider than a page.
fn parse(args: &[OsString], world: &World<'_>) -> Result<Cli, clap::Error> {
    let width = world.terminal.width.unwrap_or(WIDEST).min(WIDEST);
    Cli::from_arg_matches(&Cli::command().term_width(width).try_get_matches_from(args)?)
}

fn obey(cli: Cli, world: &mut World<'_>) -> Result<(), Failure> {
    if cli.command.serves(&cli.shared, world) {
        return Ok(());
    }
    if !cli.command.only_reads() {
        return cli.command.run(&mut App::new(&cli.shared, world)?);
    }
    let held = Held::new();
    let (mut output, mut errors) =
        (Line { held: &held, stream: Stream::Output }, Line { held: &held, stream: Stream::Errors });
    let mut inner = world.with_streams(&mut output, &mut errors);
    let mut app = App::new(&cli.shared, &mut inner)?;
    app.reads_only = true;
    let done = cli.command.run(&mut app);
    held.into_inner().tell(world.output, world.errors)?;
    done
}

/// Help and version are answers, and a group without a command prints its help; everything else
/// that clap says is an error of usage.
fn explain_usage(error: &clap::Error, json: bool, no_color: bool, world: &mut World<'_>) -> Result<(), Failure> {
    let text = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let paint = Paint::choose(world, world.terminal.output, no_color);
            let shown = if paint == Paint::PLAIN { text.to_string() } else { text.ansi().to_string() };
            return Ok(world.output.write_all(shown.as_bytes())?);
        }
        ErrorKind::InvalidSubcommand => return Err(unknown_command(error)),
        ErrorKind::MissingSubcommand => {
            let parent = parent(&text.to_string());
            return Err(Failure::usage(format!("`{parent}` takes a command")).advice(lists(&parent)));
        }
        _ => {}
    }
    let text = text.to_string();
    let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    if json {
        // The indented lines below the first, such as the missing arguments, belong to it.
        let named = message.lines().skip(1).take_while(|line| line.starts_with("  ") && !line.trim().is_empty());
        let first = message.lines().next().unwrap_or(message).to_owned();
        let whole = named.fold(first, |text, line| text + " " + line.trim());
        return Err(Failure::usage(whole).advice("see `annals --help`"));
    }
    Err(Failure::usage(message))
}

/// A word that is no command, and the commands that may be meant.
fn unknown_command(error: &clap::Error) -> Failure {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    let parent = parent(&error.render().to_string());
    let mut meant = suggestion::meant(&Cli::command(), word);
    if let (true, Some(ContextValue::Strings(alike))) = (meant.is_empty(), error.get(ContextKind::SuggestedSubcommand))
    {
        // The most alike comes last.
        meant = alike.iter().rev().map(|name| format!("{parent} {name}")).collect();
    }
    Failure::usage(format!("there is no command `{parent} {word}`")).advice(match meant.is_empty() {
        true => lists(&parent),
        false => suggestion::listed(&meant),
    })
}

/// Where the commands of a group are listed.
fn lists(parent: &str) -> String {
    format!("`{parent} --help` lists the commands")
}

/// The command whose usage stands in a text of clap, such as `annals graph`.
fn parent(text: &str) -> String {
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or("annals");
    let words: Vec<&str> = usage.split_whitespace().take_while(|word| !word.starts_with(['[', '<'])).collect();
    words.join(" ")
}
