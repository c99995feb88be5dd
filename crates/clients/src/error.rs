use std::io;
use std::path::PathBuf;

/// Why a configuration was not changed. Nothing was written when one of these is returned, but for
/// [`Error::Write`], which leaves the file that it names as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A file or its folder could not be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A file holds something that cannot be changed safely.
    #[error("{}{}: {problem}", .path.display(), place(.problem))]
    Refused {
        /// The file.
        path: PathBuf,
        /// The obstacle.
        #[source]
        problem: Problem,
    },
    /// The client changed its file between reading and writing.
    #[error("{} was changed by another program in the same moment", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Other processes hold a file, one after the other or one of them for long.
    #[error("{} is held by another process of annals", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A file of a project is a link to one outside of it.
    #[error("{} leads to {}, outside of the project", .path.display(), .to.display())]
    LeadsOut {
        /// The file in the project.
        path: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
    /// The folder under which a client keeps its configuration is not known.
    #[error("{variable} is not set, so the configuration of {client} cannot be found")]
    NoFolder {
        /// The environment variable that names the folder.
        variable: &'static str,
        /// The title of the client.
        client: &'static str,
    },
    /// The client reads no configuration from a project.
    #[error("{client} has no configuration of its own in a project")]
    NoProject {
        /// The title of the client.
        client: &'static str,
    },
    /// The client has no hooks that annals could use.
    #[error("{client} has no hooks that annals can use")]
    NoHooks {
        /// The title of the client.
        client: &'static str,
    },
    /// A path cannot be written into a text file.
    #[error("the path {path:?} is not valid Unicode")]
    NotUnicode {
        /// The path.
        path: PathBuf,
    },
    /// The program has another name, so its entries could not be told from those of others.
    #[error("the program {program:?} is not called annals")]
    Name {
        /// The path of the program.
        program: String,
    },
    /// The shell of a hook would change this text, however it is quoted.
    #[error("{text:?} cannot be put into a command line because of the character {character:?}")]
    Unquotable {
        /// The word of the command line.
        text: String,
        /// The character in it.
        character: char,
    },
}

/// The obstacle to changing a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is no JSON with comments, or no TOML.
    #[error("{reason}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// The fault at that place.
        reason: String,
    },
    /// The file is no UTF-8 text.
    #[error("it is not UTF-8 text")]
    NotText {
        /// The line of the first byte that is wrong, from 1.
        line: usize,
    },
    /// The file is larger than any configuration.
    #[error("it has {size} bytes, which is more than a configuration has")]
    TooLarge {
        /// Its size.
        size: u64,
    },
    /// A key, or the file, holds a value of another kind.
    #[error("{} is not {expected}", named(key))]
    Shape {
        /// The key, with those above it; empty for the whole file.
        key: String,
        /// The form that it must have.
        expected: &'static str,
    },
    /// A key stands twice: clients differ in which of them counts.
    #[error("`{key}` stands there twice")]
    Twice {
        /// The key, with those above it.
        key: String,
    },
    /// An entry has the name of annals and starts another program.
    #[error("`{key}` starts another program")]
    Taken {
        /// The key, with those above it.
        key: String,
    },
    /// The entry of a project says more than annals writes, such as an environment: whoever wrote
    /// the project would decide how annals runs.
    #[error("`{key}` also sets {members}, which annals did not write")]
    Foreign {
        /// The key, with those above it.
        key: String,
        /// The names of what it sets.
        members: String,
    },
    /// The change would have touched other entries.
    #[error("the entry cannot be changed without touching others")]
    Entangled,
}

/// The key of a problem, or the file.
fn named(key: &str) -> String {
    if key.is_empty() {
        "the file".to_owned()
    } else {
        format!("`{key}`")
    }
}

/// The place of a problem, as editors write it behind the name of a file.
fn place(problem: &Problem) -> String {
    match problem {
        Problem::Syntax { line, column, .. } => format!(":{line}:{column}"),
        Problem::NotText { line } => format!(":{line}"),
        _ => String::new(),
    }
}

impl Error {
    /// The way out for the user.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Read { .. } | Self::Write { .. } => "check the rights of the file and its folder",
            Self::Refused { problem, .. } => problem.advice(),
            Self::Changed { .. } => "close the client, or try again",
            Self::Busy { .. } => "try again; if it stays so, end the process that holds it",
            Self::LeadsOut { .. } => {
                "the project may be somebody else's; put a file in the place of the link"
            }
            Self::NoFolder { .. } => "set it",
            Self::NoProject { .. } => "leave out --project",
            Self::NoHooks { .. } => "leave out --hooks",
            Self::NotUnicode { .. } => "put annals and its database into folders with other names",
            Self::Name { .. } => {
                "call it annals, or something that begins with it: clients are told to start it by name"
            }
            Self::Unquotable { .. } => {
                "put annals and its database into folders without that character"
            }
        }
    }

    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::Read { path, .. }
            | Self::Write { path, .. }
            | Self::Changed { path }
            | Self::Busy { path }
            | Self::LeadsOut { path, .. }
            | Self::Refused { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The line that it is about, from 1.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        match self {
            Self::Refused {
                problem: Problem::Syntax { line, .. } | Problem::NotText { line },
                ..
            } => Some(*line),
            _ => None,
        }
    }
}

impl Problem {
    const fn advice(&self) -> &'static str {
        match self {
            Self::Syntax { .. }
            | Self::NotText { .. }
            | Self::Twice { .. }
            | Self::Shape { .. } => "correct the file; it was left as it is",
            Self::TooLarge { .. } => "check the file; it was left as it is",
            Self::Taken { .. } => "rename or remove that entry; it was left as it is",
            Self::Foreign { .. } => {
                "take that out of the entry, and put it back afterwards if you wrote it; the file was left as it is"
            }
            Self::Entangled => {
                "write the entry by hand (the README shows it); the file was left as it is"
            }
        }
    }
}
