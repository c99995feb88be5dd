//! Help of the program as a whole.

/// The text of `annals --help`: every command in at most 35 lines of 80 columns.
pub(crate) const PROGRAM: &str = "\
{about}

{usage-heading} {usage}

Every day:
  demo              Shows what annals does, on a sample conversation
  remember (add)    Stores a memory
  recall (search)   Answers a question with the memories that fit
  context           Prints what of the memory belongs in a prompt
  list (ls), show   Lists memories; shows one with all that is known about it
  edit, undo        Changes a memory; takes the last change back
  forget, restore   Hides memories; brings them back
  archive, used     Puts memories aside; reports that they were of use
  delete (rm)       Deletes memories for good, after showing what would go
  chat, ingest      Talks, or reads a conversation, and remembers what is said
  import, export    Reads and writes memories as JSON lines
  sync              Brings files such as MEMORY.md and memories into step
  mcp, serve        Serves agents over MCP; serves memories over HTTP
  doctor            Checks the database, the embedder and the settings
  install           Puts annals into coding agents; `uninstall` takes it out

Groups of commands:
  namespace         Makes, lists, measures, renames and deletes namespaces
  profile, language How memories fade; the languages of prompts
  session           Lists and ends sessions; what is being worked on
  graph             Triples, entities and links between memories
  review            Memories that wait for a verdict, and what was decided
  queue, jobs       Background work that waits; jobs that are due
  model, db         Embedders, tools of models; counts, costs and checks
  hook, token       Hooks of coding agents; tokens of the HTTP server
  eval, completions Measures on labelled data; completions of a shell

Everywhere: --db FILE, -n/--namespace NAME, --global, --embedder WHICH, --json,
--config FILE, --wait SECONDS, --no-color, -q/--quiet, -h/--help, -V/--version.
`annals COMMAND --help` explains them; settings: `annals doctor --help`.
";

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};
    use unicode_width::UnicodeWidthStr;

    use crate::commands::Cli;

    /// A line that is broken to fit cannot be pasted, and leaves one of a few words behind.
    fn fits(command: &Command) {
        for line in command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default()
            .lines()
        {
            assert!(
                line.width() <= crate::WIDEST,
                "{}: {line}",
                command.get_name()
            );
        }
        command.get_subcommands().for_each(fits);
    }

    #[test]
    fn examples_and_notes_are_printed_as_they_are_written() {
        fits(&Cli::command());
    }

    #[test]
    fn help_of_the_program_is_short_and_names_every_command_and_option() {
        let help = Cli::command().render_help().to_string();
        assert!(help.lines().count() <= 35, "{} lines", help.lines().count());
        assert!(help.lines().all(|line| line.width() <= 80), "{help}");
        let words: Vec<&str> = help
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .collect();
        for command in Cli::command().get_subcommands() {
            for name in std::iter::once(command.get_name()).chain(command.get_visible_aliases()) {
                assert!(
                    words.contains(&name),
                    "{name} is not in the help of the program"
                );
            }
        }
        for option in Cli::command()
            .get_arguments()
            .filter_map(clap::Arg::get_long)
        {
            assert!(
                words.contains(&format!("--{option}").as_str()),
                "--{option} is not in the help of the program"
            );
        }
    }

    /// The help of a command names the other words for it.
    #[test]
    fn aliases_stand_in_the_help_of_their_command() {
        let mut aliases = 0;
        for command in Cli::command().get_subcommands_mut() {
            let names: Vec<String> = command.get_visible_aliases().map(str::to_owned).collect();
            let help = command.render_help().to_string();
            aliases += names.len();
            assert!(
                names
                    .iter()
                    .all(|name| help.contains(&format!("`annals {name}`"))),
                "{names:?}: {help}"
            );
        }
        assert!(aliases > 0);
    }
}
