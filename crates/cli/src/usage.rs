//! Answers and complaints of the parser of arguments.

use std::ffi::OsString;
use std::num::IntErrorKind;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::commands::Cli;
use crate::failure::{Failure, cause};
use crate::paint::Paint;
use crate::texts::{Language, language, text};
use crate::world::World;
use crate::{WIDEST, pages, suggestion};

/// Help and version are answers, and a group without a command prints its help; everything else
/// that clap says is an error of usage.
pub(crate) fn explain(
    args: &[OsString],
    error: &clap::Error,
    (json, no_color): (bool, bool),
    world: &mut World<'_>,
) -> Result<(), Failure> {
    let text = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let paint = Paint::choose(world, world.terminal.output, no_color);
            if language() == Language::Chinese && error.kind() != ErrorKind::DisplayVersion {
                let width = world.terminal.width.unwrap_or(WIDEST).min(WIDEST);
                let page = pages::page(&parent(&text.to_string()), paint, width);
                return Ok(world.output.write_all(page.as_bytes())?);
            }
            let shown = if paint == Paint::PLAIN {
                text.to_string()
            } else {
                text.ansi().to_string()
            };
            return Ok(world.output.write_all(shown.as_bytes())?);
        }
        ErrorKind::InvalidSubcommand => return Err(unknown_command(error)),
        ErrorKind::MissingSubcommand => {
            let parent = parent(&text.to_string());
            return Err(
                Failure::usage(text!("usage-takes-a-command", parent)).advice(lists(&parent))
            );
        }
        _ => {}
    }
    // The words of a parser of numbers are those of programmers.
    let several = several_words(args, error);
    if (language() == Language::Chinese
        || error.kind() == ErrorKind::ValueValidation
        || several.is_some())
        && let Some(complaint) = complaint(error)
    {
        let see = text!("usage-see-help", parent = command_of(args));
        return Err(Failure::usage(complaint).advice(several.unwrap_or(see)));
    }
    let text = without_tip(&text.to_string());
    let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    if json {
        // The indented lines below the first, such as the missing arguments, belong to it.
        let named = message
            .lines()
            .skip(1)
            .take_while(|line| line.starts_with("  ") && !line.trim().is_empty());
        let first = message.lines().next().unwrap_or(message).to_owned();
        let whole = named.fold(first, |text, line| text + " " + line.trim());
        return Err(Failure::usage(whole).advice(text!("usage-see-help", parent = "annals")));
    }
    Err(Failure::usage(message))
}

/// A text of clap without its tip to pass what looks like an option as a value: whoever mistypes an
/// option means none.
fn without_tip(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_tip = |line: &&str| line.trim_start().starts_with("tip: to pass '");
    let Some(at) = lines.iter().position(is_tip) else {
        return text.to_owned();
    };
    let behind = lines.iter().skip(at + 1);
    let behind = behind.skip_while(|line| line.trim().is_empty());
    let kept = lines.iter().take(at).chain(behind).copied();
    kept.collect::<Vec<_>>().join("\n")
}

/// A word that is no command, and the commands that may be meant.
fn unknown_command(error: &clap::Error) -> Failure {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    let parent = parent(&error.render().to_string());
    let mut meant = suggestion::meant(&Cli::command(), word);
    // Below a group, a name that several other commands have tells nothing.
    if parent.contains(' ') && meant.len() > 1 {
        meant.retain(|path| path.starts_with(&format!("{parent} ")));
    }
    if let (true, Some(ContextValue::Strings(alike))) = (
        meant.is_empty(),
        error.get(ContextKind::SuggestedSubcommand),
    ) {
        // The most alike comes last.
        let near = alike
            .iter()
            .rev()
            .filter(|name| suggestion::is_near(word, name));
        meant = near.map(|name| format!("{parent} {name}")).collect();
    }
    Failure::usage(text!("usage-no-command", parent, word)).advice(match meant.is_empty() {
        true => lists(&parent),
        false => suggestion::listed(&meant),
    })
}

/// Where the commands of a group are listed.
fn lists(parent: &str) -> String {
    text!("usage-lists-commands", parent)
}

/// The command that `args` lead to.
fn command_of(args: &[OsString]) -> String {
    let program = Cli::command();
    let (mut command, mut path) = (&program, program.get_name().to_owned());
    for name in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        if let Some(below) = command.find_subcommand(name) {
            command = below;
            path = format!("{path} {}", below.get_name());
        }
    }
    path
}

/// The command whose usage stands in a text of clap, such as `annals graph`.
fn parent(text: &str) -> String {
    let usage = text
        .lines()
        .find_map(|line| line.strip_prefix("Usage: "))
        .unwrap_or("annals");
    let words: Vec<&str> = usage
        .split_whitespace()
        .take_while(|word| !word.starts_with(['[', '<', '-']))
        .collect();
    words.join(" ")
}

/// A complaint of the parser, in the language of the run; `None` for those that only clap has words
/// for.
fn complaint(error: &clap::Error) -> Option<String> {
    let arg = context(error, ContextKind::InvalidArg);
    let value = context(error, ContextKind::InvalidValue);
    let mut lines = vec![match error.kind() {
        ErrorKind::UnknownArgument => text!("usage-unknown", arg),
        ErrorKind::InvalidValue if value.is_empty() => text!("usage-no-value", arg),
        ErrorKind::InvalidValue => text!("usage-bad-value", arg, value),
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(error)
                .map(reason)
                .unwrap_or_default();
            text!("usage-refused-value", arg, value, reason)
        }
        ErrorKind::TooManyValues => text!("usage-too-many-values", arg, value),
        ErrorKind::TooFewValues => {
            text!(
                "usage-too-few-values",
                arg,
                least = context(error, ContextKind::MinValues)
            )
        }
        ErrorKind::WrongNumberOfValues => {
            text!(
                "usage-number-of-values",
                arg,
                expected = context(error, ContextKind::ExpectedNumValues)
            )
        }
        ErrorKind::ArgumentConflict => {
            text!(
                "usage-conflict",
                arg,
                other = context(error, ContextKind::PriorArg)
            )
        }
        ErrorKind::MissingRequiredArgument => text!("usage-missing", args = arg),
        ErrorKind::NoEquals => text!("usage-no-equals", arg),
        ErrorKind::InvalidUtf8 => text!("usage-not-unicode"),
        _ => return None,
    }];
    let (known, alike) = (context(error, ContextKind::ValidValue), alike(error));
    if !known.is_empty() {
        lines.push(text!("usage-known-values", values = known));
    }
    if !alike.is_empty() {
        lines.push(text!("usage-alike", alike));
    }
    let usage = context(error, ContextKind::Usage);
    if let Some(usage) = usage.trim_end().strip_prefix("Usage: ") {
        lines.push(text!("usage-usage", usage));
    }
    Some(lines.join("\n  "))
}

/// What to do where a text of several words stands without quotes, so that its second word is taken
/// for an argument too many.
fn several_words(args: &[OsString], error: &clap::Error) -> Option<String> {
    let second = context(error, ContextKind::InvalidArg);
    if error.kind() != ErrorKind::UnknownArgument || second.starts_with('-') {
        return None;
    }
    let at = args.iter().position(|arg| *arg == *second)?;
    let first = args.get(at.checked_sub(1)?)?.to_str()?;
    // What stands before it is a text, and no command or option.
    if first.starts_with('-') || command_of(args).split(' ').any(|name| name == first) {
        return None;
    }
    let rest = args
        .iter()
        .skip(at)
        .filter_map(|arg| arg.to_str())
        .take_while(|word| !word.starts_with('-'));
    let words: Vec<&str> = std::iter::once(first).chain(rest).collect();
    Some(text!("usage-quote", words = words.join(" ")))
}

/// Why a value was refused, in words of the reader.
fn reason(source: &(dyn std::error::Error + 'static)) -> String {
    if let Some(annals::InvalidValue::BadId { value }) = source.downcast_ref()
        && is_beginning_of_id(value)
    {
        return text!("usage-whole-id");
    }
    if let Some(value) = source.downcast_ref::<annals::InvalidValue>() {
        return cause(&value.wording()).unwrap_or_else(|| value.to_string());
    }
    if let Some(number) = source.downcast_ref::<std::num::ParseIntError>() {
        return match number.kind() {
            IntErrorKind::PosOverflow => text!("usage-too-large"),
            IntErrorKind::NegOverflow => text!("usage-too-small"),
            IntErrorKind::Zero => text!("usage-at-least-one"),
            _ => text!("usage-whole-number"),
        };
    }
    if source.is::<std::num::ParseFloatError>() {
        return text!("usage-number");
    }
    source.to_string()
}

/// Whether a word may be the beginning of an id, as other programs take it.
fn is_beginning_of_id(word: &str) -> bool {
    (4..36).contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// What clap knows of an error under a name; empty where it knows nothing.
fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        Some(ContextValue::StyledStr(text)) => text.to_string(),
        Some(ContextValue::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Arguments or values that may be meant.
fn alike(error: &clap::Error) -> String {
    let arg = context(error, ContextKind::SuggestedArg);
    if arg.is_empty() {
        context(error, ContextKind::SuggestedValue)
    } else {
        arg
    }
}
