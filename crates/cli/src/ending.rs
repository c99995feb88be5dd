//! The end of a process that serves others, once it is told to end.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::failure::Exit;
use crate::texts::text;

/// How long calls under way may take once the process is told to end. What they have stored is on
/// disk.
const PATIENCE: Duration = Duration::from_secs(4);

/// Calls `stop` when the process is told to end (an interrupt, and on Unix SIGTERM), and ends it a
/// while later whatever it does then; at once when it is told so twice.
///
/// # Errors
///
/// When the system does not let it hear signals, or something in this process hears them already.
pub(crate) fn end_when_told(stop: impl Fn() + Send + 'static) -> Result<(), ctrlc::Error> {
    let (told, cut_off) = (AtomicBool::new(false), text!("serve-cut-off"));
    ctrlc::set_handler(move || {
        if told.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Failed as i32);
        }
        stop();
        end_in(PATIENCE, cut_off.clone());
    })
}

/// Ends the process after a while, whatever it does then.
fn end_in(patience: Duration, cut_off: String) {
    std::thread::spawn(move || {
        std::thread::sleep(patience);
        // When not even standard error can be written the exit code is all that is left.
        drop(writeln!(std::io::stderr(), "{cut_off}"));
        std::process::exit(Exit::Failed as i32);
    });
}
