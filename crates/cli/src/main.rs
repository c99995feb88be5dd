//! The program `annals`. Everything it does is in the library `annals_cli`, so that tests can run it in one process.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use annals_cli::{Terminal, World, run};

fn main() -> ExitCode {
    // Old Windows consoles show escape sequences only when asked to.
    let _enabled = anstyle_query::windows::enable_ansi_colors();
    let mut input = io::stdin();
    // Nothing is held back: what a pipe or a person has read is what was done.
    let mut out = io::LineWriter::new(io::stdout());
    let mut err = io::stderr();
    let mut world = World::new(&mut input, &mut out, &mut err);
    world.env = std::env::vars_os().filter_map(|(key, value)| Some((key.into_string().ok()?, value))).collect();
    world.terminal = Terminal {
        input: io::stdin().is_terminal(),
        output: io::stdout().is_terminal(),
        errors: io::stderr().is_terminal(),
        width: terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
    };
    ExitCode::from(run(std::env::args_os(), &mut world))
}
