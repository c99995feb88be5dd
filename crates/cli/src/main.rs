//! The program `annals`. Everything it does is in the library `annals_cli`, so that tests can run
//! it in one process.

use std::io::{self, IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use annals::language::Zone;
use annals_cli::{Terminal, World, run};

/// The text of the last panic.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Damaged files can make the storage engine panic; annals catches that and answers with an error,
/// so nothing is printed unless a panic reaches the end of the program.
fn main() -> ExitCode {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(|panic| {
            if let Ok(mut last) = PANIC.lock() {
                *last = Some(panic.to_string());
            }
        }));
    }
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let said = PANIC
            .lock()
            .ok()
            .and_then(|mut last| last.take())
            .unwrap_or_default();
        let written = writeln!(
            io::stderr(),
            "error: this is a mistake in annals: {said}\n  \
             try: again with RUST_BACKTRACE=1, and report what it prints"
        );
        // When not even standard error can be written the exit code is all that is left.
        drop(written);
        ExitCode::FAILURE
    })
}

fn program() -> ExitCode {
    // Old Windows consoles show escape sequences only when asked to.
    let _enabled = anstyle_query::windows::enable_ansi_colors();
    let mut input = io::stdin();
    // Nothing is held back: what a pipe or a person has read is what was done.
    let mut out = io::LineWriter::new(io::stdout());
    let mut err = io::stderr();
    let mut world = World::new(&mut input, &mut out, &mut err);
    world.env = std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value)))
        .collect();
    world.zone = Zone::system();
    world.folder = std::env::current_dir().ok();
    world.shares = true;
    world.terminal = Terminal {
        input: io::stdin().is_terminal(),
        output: io::stdout().is_terminal(),
        errors: io::stderr().is_terminal(),
        width: terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
    };
    ExitCode::from(run(std::env::args_os(), &mut world))
}
