//! Where else than in a file of this machine memories are kept.

use std::path::Path;

use annals::storage::{Engine, FileOptions, RedbEngine};

use crate::failure::Failure;

/// Whether words are the address of a server, and not the name of a file.
pub(crate) fn is_address(words: &str) -> bool {
    ["postgres://", "postgresql://"].into_iter().any(|scheme| words.starts_with(scheme))
}

/// The engine at an address.
#[cfg(feature = "postgres")]
pub(crate) fn connect(address: &str, wait: std::time::Duration) -> Result<Box<dyn Engine>, Failure> {
    use annals::storage::{ConnectOptions, PostgresEngine};
    let options = ConnectOptions::default().wait(wait);
    let engine = PostgresEngine::connect(address, &options).map_err(annals::Error::from)?;
    Ok(Box::new(engine))
}

/// The engine at an address.
#[cfg(not(feature = "postgres"))]
pub(crate) fn connect(_: &str, _: std::time::Duration) -> Result<Box<dyn Engine>, Failure> {
    use crate::failure::Exit;
    use crate::texts::text;
    let failure = Failure::new(Exit::Invalid, text!("db-no-postgres"));
    Err(failure.advice(text!("db-no-postgres-advice")))
}

/// The engine over a file, which is only read or, where it is missing, made.
pub(crate) fn file(path: &Path, options: &FileOptions) -> Result<Box<dyn Engine>, Failure> {
    let engine = RedbEngine::open(path, options).map_err(annals::Error::from);
    let engine = engine.map_err(|error| Failure::from(error).at(path, None))?;
    Ok(Box::new(engine))
}
