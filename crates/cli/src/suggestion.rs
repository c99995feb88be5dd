//! Commands that a person may mean by a word that is none.

use clap::Command;

use crate::texts::text;

/// The most commands that are suggested.
const MOST: usize = 4;

/// The commands of `program` that `word` may mean: those of that name wherever they stand, and
/// those with an option of that name; else those whose name and description hold every part of the
/// word.
pub(crate) fn meant(program: &Command, word: &str) -> Vec<String> {
    let mut commands = Vec::new();
    collect(program, program.get_name(), &mut commands);
    let named =
        |(path, command): &(String, &Command)| (command.get_name() == word).then(|| path.clone());
    let option = |(path, command): &(String, &Command)| {
        let own = command
            .get_arguments()
            .any(|arg| arg.get_long() == Some(word) && !arg.is_global_set());
        own.then(|| format!("{path} --{word}"))
    };
    let described = |(path, command): &(String, &Command)| {
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        let known: Vec<String> = parts(path).chain(parts(&about)).collect();
        parts(word)
            .all(|part| known.contains(&part))
            .then(|| path.clone())
    };
    let named: Vec<String> = commands
        .iter()
        .filter_map(named)
        .chain(commands.iter().filter_map(option))
        .collect();
    let mut found = if named.is_empty() {
        commands.iter().filter_map(described).collect()
    } else {
        named
    };
    found.truncate(MOST);
    found
}

/// Whether a word may be a name that was mistyped.
pub(crate) fn is_near(word: &str, name: &str) -> bool {
    strsim::jaro(word, name) > 0.8
}

/// Every command below one that does something itself, each with its path.
fn collect<'c>(command: &'c Command, path: &str, commands: &mut Vec<(String, &'c Command)>) {
    for below in command.get_subcommands() {
        let path = format!("{path} {}", below.get_name());
        if below.has_subcommands() {
            collect(below, &path, commands);
        } else {
            commands.push((path, below));
        }
    }
}

/// The words of a text, in lower case and without the s of a plural.
fn parts(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned())
}

/// Some suggestions in one line.
pub(crate) fn listed(commands: &[String]) -> String {
    let quoted: Vec<String> = commands
        .iter()
        .map(|command| format!("`{command}`"))
        .collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => {
            text!("common-or", before = before.join(", "), last)
        }
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::meant;
    use crate::commands::Cli;

    #[test]
    fn a_command_is_found_wherever_it_stands() {
        let program = Cli::command();
        let meant = |word| meant(&program, word);
        assert_eq!(meant("compact"), ["annals db compact"]);
        assert_eq!(
            meant("stats"),
            [
                "annals namespace stats",
                "annals graph stats",
                "annals db stats"
            ]
        );
        assert!(meant("explain").contains(&"annals show --explain".to_owned()));
        assert_eq!(meant("end-session"), ["annals session end"]);
        assert_eq!(meant("maintain"), ["annals jobs run"]);
        assert!(meant("frobnicate").is_empty());
    }

    #[test]
    fn a_mistyped_name_is_near_and_another_word_is_not() {
        for (word, name) in [
            ("recal", "recall"),
            ("lsit", "list"),
            ("rmember", "remember"),
            ("fogret", "forget"),
        ] {
            assert!(super::is_near(word, name), "{word}");
        }
        assert!(!super::is_near("foo", "hook") && !super::is_near("save", "serve-all"));
    }

    #[test]
    fn a_word_of_two_parts_is_found_by_both() {
        let program = Cli::command();
        for (word, path) in [
            ("add-triple", "annals graph add"),
            ("delete-triple", "annals graph delete"),
            ("explain-triple", "annals graph explain"),
        ] {
            assert_eq!(
                meant(&program, word).first().map(String::as_str),
                Some(path),
                "{word}"
            );
        }
    }
}
