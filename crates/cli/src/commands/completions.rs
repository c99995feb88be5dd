use clap_complete::Shell;

use crate::app::App;
use crate::failure::Failure;
use crate::pages;
use crate::texts::{Language, language};

/// Arguments of `annals completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals completions bash > ~/.local/share/bash-completion/completions/annals
  annals completions fish > ~/.config/fish/completions/annals.fish")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the completions of `program`.
pub(crate) fn run(
    args: &Args,
    mut program: clap::Command,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    // Generated into memory first: the generator panics when its writer fails.
    if language() == Language::Chinese {
        program = pages::described(program, "annals");
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "annals", &mut script);
    Ok(app.world.output.write_all(&script)?)
}
