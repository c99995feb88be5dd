//! Where an import of lines goes on: the database keeps how far each came, by the path of its file.

use std::path::Path;

use annals::blocking::Namespace;

use crate::failure::{Exit, Failure};
use crate::texts::text;

/// The name of the import of a file: its whole path, the same from every folder.
pub(crate) fn source(file: &Path) -> String {
    file.canonicalize()
        .unwrap_or_else(|_| file.to_owned())
        .to_string_lossy()
        .into_owned()
}

/// The lines that the import of this file into this namespace has done.
pub(crate) fn lines_done(file: &Path, namespace: &Namespace) -> Result<u64, Failure> {
    let unfinished = namespace.transfer().unfinished()?;
    let source = source(file);
    if let Some(position) = unfinished.iter().find(|position| position.source == source) {
        return Ok(position.lines_done);
    }
    let why = match unfinished.first() {
        Some(other) => text!(
            "transfer-resume-other",
            name = format!("{:?}", namespace.name()),
            source = other.source
        ),
        None => text!(
            "transfer-resume-none",
            name = format!("{:?}", namespace.name())
        ),
    };
    Err(Failure::new(Exit::NotFound, why).advice(text!("transfer-from-line")))
}
