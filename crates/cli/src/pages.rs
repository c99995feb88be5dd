//! Pages of help in Chinese. The English ones are those of clap, made of what stands beside the
//! arguments.

use clap::{Arg, Command, CommandFactory};
use unicode_width::UnicodeWidthStr;

use crate::commands::{Cli, without_idle_options};
use crate::paint::Paint;
use crate::texts::{help, text};
use crate::wrap;

/// The widest name of an argument that has its help beside it.
const WIDEST_NAME: usize = 28;

/// The message with the help of arguments that several commands have.
const SHARED: &str = "help-shared";

/// The page of a command, such as `annals graph add`.
pub(crate) fn page(path: &str, paint: Paint, width: usize) -> String {
    let name = path.split_whitespace().nth(1).unwrap_or_default();
    let mut program = without_idle_options(Cli::command(), name);
    program.build();
    let mut command = &program;
    for name in path.split_whitespace().skip(1) {
        command = command.find_subcommand(name).unwrap_or(command);
    }
    if path.split_whitespace().nth(1).is_none() {
        return help("help", Some("page")).unwrap_or_default() + "\n";
    }
    let id = id_of(path);
    let mut out = format!("{}\n\n", help(&id, None).unwrap_or_default());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    out.push_str(&format!(
        "{}{usage}\n",
        paint.bold(&text!("usage-heading-usage"))
    ));
    for section in sections(command, &id) {
        out.push_str(&format!("\n{}\n", paint.bold(&section.heading)));
        section.push(&mut out, paint, width);
    }
    if let Some(after) = help(&id, Some("after_help")) {
        out.push('\n');
        for line in after.lines() {
            // Examples are pasted, and stay in one piece.
            let width = (!line.starts_with(' ')).then_some(width);
            out.push_str(&wrap::lines(line, width).join("\n"));
            out.push('\n');
        }
    }
    out
}

/// The command with Chinese descriptions, for completions.
pub(crate) fn described(command: Command, path: &str) -> Command {
    let id = id_of(path);
    let about = help(&id, None);
    let command = match about {
        Some(about) => command.about(about),
        None => command,
    };
    let command = command.mut_args(|arg| match of_argument(&id, &arg) {
        Some(help) => arg.help(help),
        None => arg,
    });
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        described(below, &path)
    })
}

/// The message with the help of a command.
fn id_of(path: &str) -> String {
    let names: Vec<&str> = path.split_whitespace().skip(1).collect();
    if names.is_empty() {
        "help".to_owned()
    } else {
        format!("help-{}", names.join("-"))
    }
}

fn of_argument(id: &str, arg: &Arg) -> Option<String> {
    let name = arg.get_id().as_str();
    help(id, Some(name)).or_else(|| help(SHARED, Some(name)))
}

/// A heading with the names below it and their help.
struct Section {
    heading: String,
    rows: Vec<(String, String)>,
}

impl Section {
    fn push(&self, out: &mut String, paint: Paint, width: usize) {
        let fitting = self
            .rows
            .iter()
            .map(|(name, _)| name.width())
            .filter(|wide| *wide <= WIDEST_NAME);
        let column = fitting.max().unwrap_or(WIDEST_NAME) + 2;
        for (name, help) in &self.rows {
            let mut start = format!("  {}", paint.bold(name));
            if name.width() + 2 > column {
                out.push_str(&format!("{start}\n"));
                start = " ".repeat(column + 2);
            } else {
                start.push_str(&" ".repeat(column - name.width()));
            }
            for line in wrap::lines(help, Some(width.saturating_sub(column + 2))) {
                out.push_str(format!("{start}{line}").trim_end());
                out.push('\n');
                start = " ".repeat(column + 2);
            }
        }
    }
}

/// Commands, arguments, options, then the options under headings of their own, in the order of
/// clap.
fn sections(command: &Command, id: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let commands: Vec<(String, String)> = command
        .get_subcommands()
        .map(|below| {
            let about = help(&format!("{id}-{}", below.get_name()), None);
            (below.get_name().to_owned(), about.unwrap_or_default())
        })
        .collect();
    if !commands.is_empty() {
        sections.push(Section {
            heading: text!("usage-heading-commands"),
            rows: commands,
        });
    }
    let mut put = |heading: String, row| match sections
        .iter_mut()
        .find(|section| section.heading == heading)
    {
        Some(section) => section.rows.push(row),
        None => sections.push(Section {
            heading,
            rows: vec![row],
        }),
    };
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    for arg in shown().filter(|arg| arg.is_positional()) {
        put(
            text!("usage-heading-arguments"),
            (arg.to_string(), row(id, arg)),
        );
    }
    let own = |arg: &&Arg| arg.get_help_heading().is_none();
    for arg in shown().filter(|arg| !arg.is_positional()).filter(own) {
        put(text!("usage-heading-options"), (name(arg), row(id, arg)));
    }
    for arg in shown().filter(|arg| !arg.is_positional()) {
        if let Some(heading) = arg.get_help_heading() {
            put(heading_of(heading), (name(arg), row(id, arg)));
        }
    }
    sections
}

/// `-k, --top-k <NUMBER>`.
fn name(arg: &Arg) -> String {
    match arg.get_short() {
        Some(short) => format!("-{short}, {arg}"),
        None => format!("    {arg}"),
    }
}

/// The heading of a group of options.
fn heading_of(heading: &str) -> String {
    let part = heading.to_lowercase().replace(' ', "_");
    help("help-headings", Some(&part)).unwrap_or_default()
}

/// The help of an argument, with its default and the values that it takes.
fn row(id: &str, arg: &Arg) -> String {
    let mut out = of_argument(id, arg).unwrap_or_default();
    if !arg.get_action().takes_values() {
        return out;
    }
    let defaults: Vec<_> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy())
        .collect();
    if !defaults.is_empty() && !arg.is_hide_default_value_set() {
        out.push_str(&text!("usage-default", value = defaults.join(", ")));
    }
    let values = arg.get_possible_values();
    let described: Vec<_> = values
        .iter()
        .filter(|value| value.get_help().is_some())
        .collect();
    if !described.is_empty() {
        let name = arg.get_id().as_str();
        for value in described {
            let help = help("help-values", Some(&format!("{name}_{}", value.get_name())))
                .unwrap_or_default();
            out.push_str(&format!("\n- {}: {help}", value.get_name()));
        }
    } else if !values.is_empty() && !arg.is_hide_possible_values_set() {
        let values: Vec<&str> = values
            .iter()
            .map(clap::builder::PossibleValue::get_name)
            .collect();
        out.push_str(&text!("usage-values", values = values.join(", ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::texts::{HELP, Language, speaking};

    /// Every place where a Chinese text belongs, with the English one: the message, and its part.
    fn walk(command: &Command, path: &str, out: &mut Vec<(String, Option<String>, String)>) {
        let id = id_of(path);
        let text = |text: Option<&clap::builder::StyledStr>| {
            text.map(ToString::to_string).unwrap_or_default()
        };
        out.push((id.clone(), None, text(command.get_about())));
        for arg in command.get_arguments() {
            out.push((
                id.clone(),
                Some(arg.get_id().to_string()),
                text(arg.get_help()),
            ));
            for value in arg
                .get_possible_values()
                .iter()
                .filter(|_| arg.get_action().takes_values())
            {
                if let Some(help) = value.get_help() {
                    let part = format!("{}_{}", arg.get_id(), value.get_name());
                    out.push(("help-values".to_owned(), Some(part), help.to_string()));
                }
            }
            if let Some(heading) = arg.get_help_heading() {
                let part = heading.to_lowercase().replace(' ', "_");
                out.push(("help-headings".to_owned(), Some(part), heading.to_owned()));
            }
        }
        if let Some(after) = command.get_after_help() {
            out.push((id, Some("after_help".to_owned()), after.to_string()));
        }
        for below in command.get_subcommands() {
            walk(below, &format!("{path} {}", below.get_name()), out);
        }
    }

    fn all() -> Vec<(String, Option<String>, String)> {
        let (mut program, mut out) = (Cli::command(), Vec::new());
        program.build();
        walk(&program, "annals", &mut out);
        out
    }

    #[test]
    fn every_command_and_argument_has_chinese_help_and_no_other_thing_has() {
        let mut left: BTreeSet<String> = HELP.places().unwrap().into_keys().collect();
        let mut shared: BTreeMap<String, String> = BTreeMap::new();
        let mut missing = Vec::new();
        for (id, part, english) in all() {
            let key = part
                .as_ref()
                .map_or(id.clone(), |part| format!("{id}.{part}"));
            left.remove(&id);
            left.remove(&key);
            if help(&id, part.as_deref()).is_some() {
                continue;
            }
            let part = part.unwrap_or_default();
            if help(SHARED, Some(&part)).is_none() {
                missing.push(key);
                continue;
            }
            left.remove(&format!("{SHARED}.{part}"));
            // The help of `--help` says on some pages that there is more.
            let same = shared
                .entry(part.clone())
                .or_insert_with(|| english.clone());
            assert!(
                part == "help" || *same == english,
                "{key} shares a text: {english:?}, {same:?}"
            );
        }
        left.retain(|key| !["help.page", SHARED].contains(&key.as_str()));
        assert!(
            missing.is_empty() && left.is_empty(),
            "missing {missing:?}, superfluous {left:?}"
        );
    }

    #[test]
    fn chinese_help_is_chinese_and_names_what_the_english_names() {
        let named = |text: &str, marks: &str| -> BTreeSet<String> {
            let words = text
                .split(|c: char| !c.is_ascii() || c.is_whitespace() || "\"'`(),;:.[]".contains(c));
            words
                .filter(|word| marks.chars().any(|mark| word.starts_with(mark)))
                .map(str::to_owned)
                .collect()
        };
        // On some pages the English help of `--help` says that there is more.
        for (id, part, english) in all()
            .into_iter()
            .filter(|(_, part, _)| part.as_deref() != Some("help"))
        {
            let chinese = help(&id, part.as_deref())
                .or_else(|| help(SHARED, part.as_deref()))
                .unwrap();
            let shown: String = chinese
                .lines()
                .filter(|line| !line.starts_with("  "))
                .collect();
            assert!(
                !shown.is_ascii() || shown.trim().is_empty(),
                "{id} {part:?}: {chinese}"
            );
            assert_eq!(
                named(&english, "-$#"),
                named(&chinese, "-$#"),
                "{id} {part:?}: {chinese}"
            );
            if part.as_deref() == Some("after_help") {
                // What people say and what they call things is said in the language of the page.
                let shape = |(at, word): (usize, &str)| {
                    if at < 2 || word.starts_with('-') {
                        word.to_owned()
                    } else {
                        String::new()
                    }
                };
                let examples = |text: &str| -> Vec<String> {
                    let code = |line: &str| {
                        line.split(" # ")
                            .next()
                            .unwrap_or_default()
                            .trim_end()
                            .to_owned()
                    };
                    let code = text
                        .lines()
                        .filter(|line| line.starts_with("  annals "))
                        .map(code);
                    let unquoted =
                        |line: String| line.split('"').step_by(2).collect::<Vec<_>>().join("…");
                    code.map(unquoted)
                        .map(|line| {
                            line.split_whitespace()
                                .enumerate()
                                .map(shape)
                                .collect::<Vec<_>>()
                                .join(" ")
                        })
                        .collect()
                };
                assert_eq!(examples(&english), examples(&chinese), "{id}");
                let said = chinese.lines().filter(|line| line.starts_with("  annals "));
                for quoted in said.flat_map(|line| line.split('"').skip(1).step_by(2)) {
                    let sentence = quoted.contains(' ') && quoted.chars().any(char::is_alphabetic);
                    assert!(
                        !(sentence && quoted.is_ascii()),
                        "{id}: {quoted:?} is English"
                    );
                }
            }
        }
    }

    /// What the English help says, and the Chinese one once left out.
    #[test]
    fn chinese_help_says_what_is_noted_for_the_page_and_which_links_are_refused() {
        let count = help("help-context", Some("count")).unwrap();
        assert!(
            count.contains("网页") && count.contains("已注入"),
            "{count}"
        );
        let sync = help("help-sync", Some("after_help")).unwrap();
        assert!(
            sync.contains("文件夹本身是一个链接，不带 --follow 就会被拒绝"),
            "{sync}"
        );
    }

    #[test]
    fn pages_fit_and_that_of_the_program_names_every_command_and_option() {
        speaking(Language::Chinese, || {
            let program = page("annals", Paint::PLAIN, 100);
            assert!(
                program.lines().count() <= 35 && program.lines().all(|line| line.width() <= 80),
                "{program}"
            );
            let words: Vec<&str> = program
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
                .collect();
            let command = Cli::command();
            for name in command.get_subcommands().map(Command::get_name) {
                assert!(
                    words.contains(&name),
                    "{name} is not in the help of the program"
                );
                let page = page(&format!("annals {name}"), Paint::PLAIN, 100);
                assert!(page.contains(&format!("用法：annals {name}")), "{page}");
                assert!(page.lines().all(|line| line.width() <= 100), "{page}");
            }
            for option in command.get_arguments().filter_map(Arg::get_long) {
                assert!(
                    words.contains(&format!("--{option}").as_str()),
                    "--{option} is not in the help"
                );
            }
        });
    }
}
