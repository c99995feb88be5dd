//! Running other programs, and where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a chore answers: nothing, or a sentence for the person who ran it.
pub type Done = Result<(), String>;

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// The build folder that cargo uses.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The evaluation sets, specifications and models that may lie beside the checkout.
pub fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("ANNALS_SHARED").map(PathBuf::from);
    let beside = root().parent().map(|parent| parent.join("shared"));
    named.or(beside).filter(|dir| dir.join("eval").is_dir())
}

/// A cargo command in the workspace.
pub fn cargo<const N: usize>(args: [&str; N]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Runs a command with its output on the terminal.
pub fn run(command: &mut Command) -> Done {
    let shown = describe(command);
    let status = command
        .status()
        .map_err(|e| format!("cannot start `{shown}`: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{shown}` failed ({status})"))
    }
}

/// Runs a command and returns what it printed.
pub fn capture(command: &mut Command) -> Result<String, String> {
    let shown = describe(command);
    let output = command
        .output()
        .map_err(|e| format!("cannot start `{shown}`: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{shown}` failed ({}): {said}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("`{shown}` printed no text: {e}"))
}

/// Whether a program can be started.
pub fn has(program: &str, arg: &str) -> bool {
    Command::new(program)
        .arg(arg)
        .output()
        .is_ok_and(|o| o.status.success())
}

fn describe(command: &Command) -> String {
    let args: Vec<_> = command
        .get_args()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    format!(
        "{} {}",
        command.get_program().to_string_lossy(),
        args.join(" ")
    )
}
