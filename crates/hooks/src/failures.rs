//! The last failures, for `annals doctor`: a hook itself stays silent.

use std::io::Write;
use std::path::PathBuf;

use annals::Timestamp;
use serde::{Deserialize, Serialize};

use crate::session::{hold, replace};
use crate::{HookError, Hooks};

/// The log is cut when it has more bytes.
const MOST_BYTES: u64 = 64 << 10;
/// Failures that stay then.
const KEPT: usize = 50;
/// The longest message, in bytes.
const MESSAGE_BYTES: usize = 500;

/// An event that was not served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotedFailure {
    /// When.
    pub at: Timestamp,
    /// The host, as it was named.
    pub host: String,
    /// The event, as it was named.
    pub event: String,
    /// The reason.
    pub message: String,
}

impl Hooks {
    /// Notes a failure.
    ///
    /// # Errors
    /// [`HookError::File`] and [`HookError::Settings`] when the log cannot be written: then nobody
    /// hears of the failure.
    pub fn note_failure(
        &self,
        at: Timestamp,
        host: &str,
        event: &str,
        message: &str,
    ) -> Result<(), HookError> {
        let short = |text: &str| {
            text.get(..text.floor_char_boundary(MESSAGE_BYTES))
                .unwrap_or_default()
                .to_owned()
        };
        let noted = NotedFailure {
            at,
            host: short(host),
            event: short(event),
            message: short(message),
        };
        let path = self.log();
        let line =
            serde_json::to_string(&noted).map_err(|error| HookError::Input(error.to_string()))?;
        // A line that is added while another hook shortens the log would be added to the old one.
        let _held = hold(&path)?;
        if std::fs::metadata(&path).is_ok_and(|data| data.len() > MOST_BYTES) {
            let last = self.failures(KEPT)?;
            let lines: Vec<String> = last
                .iter()
                .filter_map(|noted| serde_json::to_string(noted).ok())
                .collect();
            replace(&path, (lines.join("\n") + "\n").as_bytes())?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options
            .open(&path)
            .map_err(HookError::file("write", &path))?;
        file.write_all((line + "\n").as_bytes())
            .map_err(HookError::file("write", &path))
    }

    /// The last failures, at most so many, the latest last. Lines that cannot be read are passed
    /// over: a hook may have ended within one.
    ///
    /// # Errors
    /// [`HookError::File`] when the log cannot be read.
    pub fn failures(&self, most: usize) -> Result<Vec<NotedFailure>, HookError> {
        let path = self.log();
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(HookError::file("read", &path))?,
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        let mut all: Vec<NotedFailure> = lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        all.drain(..all.len().saturating_sub(most));
        Ok(all)
    }

    fn log(&self) -> PathBuf {
        self.folder.join("failures.jsonl")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_keeps_the_last_failures_and_does_not_grow() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = Hooks::beside(&folder.path().join("a.annals"));
        assert!(hooks.failures(5).unwrap().is_empty() && !hooks.exist());
        for n in 0..1_000 {
            hooks
                .note_failure(
                    Timestamp::from_millis(n),
                    "codex",
                    "Stop",
                    &format!("{n} {}", "é".repeat(400)),
                )
                .unwrap();
        }
        let last = hooks.failures(3).unwrap();
        let told: Vec<i64> = last.iter().map(|noted| noted.at.as_millis()).collect();
        assert_eq!(told, [997, 998, 999]);
        assert!(last[0].message.len() <= MESSAGE_BYTES);
        assert!(std::fs::metadata(hooks.log()).unwrap().len() < 2 * MOST_BYTES);
        std::fs::write(hooks.log(), b"{\"at\": oops\n").unwrap();
        assert!(hooks.failures(3).unwrap().is_empty());
    }
}
