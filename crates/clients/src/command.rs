use std::path::Path;

use crate::target::Servers;
use crate::value::Value;
use crate::{Error, hook};

/// The name of the entry of annals in every client.
pub(crate) const NAME: &str = "annals";

/// The program that clients start, and the database that it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub(crate) program: String,
    pub(crate) database: Option<String>,
}

impl Command {
    /// A program by its absolute path, with the database that every call of it names. Without one
    /// the program finds its database itself.
    ///
    /// # Errors
    ///
    /// [`Error::NotUnicode`] for a path that a configuration cannot hold, [`Error::Name`] for a
    /// program whose name does not begin with `annals`.
    pub fn new(program: &Path, database: Option<&Path>) -> Result<Self, Error> {
        let text = |path: &Path| {
            let text = path.to_str().ok_or_else(|| Error::NotUnicode {
                path: path.to_owned(),
            })?;
            // The long form of a path on Windows, which some programs do not take.
            Ok(text
                .strip_prefix(r"\\?\")
                .filter(|rest| !rest.starts_with("UNC"))
                .unwrap_or(text)
                .to_owned())
        };
        let program = text(program)?;
        if !hook::is_annals(&program) {
            return Err(Error::Name { program });
        }
        Ok(Self {
            program,
            database: database.map(text).transpose()?,
        })
    }

    fn with_database(&self, mut args: Vec<String>) -> Vec<String> {
        if let Some(database) = &self.database {
            args.extend(["--db".to_owned(), database.clone()]);
        }
        args
    }

    pub(crate) fn server_args(&self) -> Vec<String> {
        self.with_database(vec!["mcp".to_owned()])
    }

    pub(crate) fn hook_args(&self, host: &str, event: &str) -> Vec<String> {
        self.with_database(["hook", host, event].map(str::to_owned).to_vec())
    }

    /// The entry of a server.
    pub(crate) fn server(&self, servers: Servers) -> Value {
        let mut members = Vec::new();
        if let Some(kind) = servers.kind {
            members.push(("type".to_owned(), Value::text(kind)));
        }
        members.push(("command".to_owned(), Value::text(&self.program)));
        members.push(("args".to_owned(), Value::texts(&self.server_args())));
        if servers.tools {
            members.push(("tools".to_owned(), Value::List(vec![Value::text("*")])));
        }
        Value::Object(members)
    }
}

/// Whether an entry of a server starts annals, by itself or through another program such as `uvx`.
pub(crate) fn starts_annals(entry: &Value) -> bool {
    let command = entry.get("command").and_then(Value::as_text);
    let args = entry.get("args").map(Value::elements).unwrap_or_default();
    command
        .into_iter()
        .chain(args.iter().filter_map(Value::as_text))
        .any(hook::is_annals)
}
