//! `annals mcp --http` as a process, for as long as this value lives.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// The token that clients bring.
const TOKEN: &str = "the-token-of-this-test";

/// A running server.
pub struct Server {
    process: Child,
    pub url: String,
    /// Stays open: a program whose notes nobody takes any more ends.
    _errors: Option<BufReader<ChildStderr>>,
}

impl Server {
    pub fn start(annals: &Path, db: &Path, namespace: &str) -> Result<Self, String> {
        let mut command = Command::new(annals);
        command.arg("--db").arg(db).args([
            "--namespace",
            namespace,
            "mcp",
            "--http",
            "127.0.0.1:0",
        ]);
        command.env("ANNALS_MCP_TOKEN", TOKEN);
        let mut process = command
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot start {}: {e}", annals.display()))?;
        let mut line = String::new();
        let mut errors = process.stderr.take().map(BufReader::new);
        if let Some(errors) = &mut errors {
            errors
                .read_line(&mut line)
                .map_err(|e| format!("cannot read what annals says: {e}"))?;
        }
        let url = line
            .trim()
            .strip_prefix("serving ")
            .unwrap_or_default()
            .to_owned();
        let server = Self {
            process,
            url,
            _errors: errors,
        };
        if server.url.is_empty() {
            Err(format!("annals mcp --http did not begin: {line}"))
        } else {
            Ok(server)
        }
    }
}

impl Server {
    /// The headers of a client.
    pub fn headers() -> serde_json::Value {
        serde_json::json!({ "Authorization": format!("Bearer {TOKEN}") })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
