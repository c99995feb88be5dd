//! Where else than in a file of this machine memories are kept.

use std::path::Path;
use std::time::Duration;

use annals::storage::{Engine, FileOptions, RedbEngine};

use crate::failure::Failure;
use crate::texts::text;
use crate::visible;
use crate::world::World;

/// Whether words are the address of a server, and not the name of a file.
pub(crate) fn is_address(words: &str) -> bool {
    ["postgres://", "postgresql://"]
        .into_iter()
        .any(|scheme| words.starts_with(scheme))
}

/// An address that may stand in a variable, as `env:NAME`, which other users of the machine do not
/// see.
pub(crate) fn resolve(words: &str, world: &World<'_>) -> Result<String, Failure> {
    let Some(name) = words.strip_prefix("env:") else {
        return Ok(words.to_owned());
    };
    let held = world.var(name).map(str::to_owned);
    held.ok_or_else(|| Failure::usage(text!("db-no-variable", name = visible::line(name))))
}

/// How an engine over PostgreSQL is opened.
pub(crate) enum Opening {
    /// Only to be read, beside its owner.
    Read,
    /// As its owner, after at most so long.
    Own(
        #[cfg_attr(
            not(feature = "postgres"),
            expect(dead_code, reason = "nothing is opened")
        )]
        Duration,
    ),
}

/// The engine at an address.
#[cfg(feature = "postgres")]
pub(crate) fn connect(address: &str, opening: &Opening) -> Result<Box<dyn Engine>, Failure> {
    use annals::storage::{ConnectOptions, PostgresEngine};
    let engine = match opening {
        Opening::Read => PostgresEngine::read(address),
        Opening::Own(wait) => {
            PostgresEngine::connect(address, &ConnectOptions::default().wait(*wait))
        }
    };
    Ok(Box::new(engine.map_err(annals::Error::from)?))
}

/// The engine at an address.
#[cfg(not(feature = "postgres"))]
pub(crate) fn connect(_: &str, opening: &Opening) -> Result<Box<dyn Engine>, Failure> {
    use crate::failure::Exit;
    match opening {
        Opening::Read | Opening::Own(_) => {}
    }
    let failure = Failure::new(Exit::Invalid, text!("db-no-postgres"));
    Err(failure.advice(text!("db-no-postgres-advice")))
}

/// The engine over a file, which is only read or, where it is missing, made.
pub(crate) fn file(path: &Path, options: &FileOptions) -> Result<Box<dyn Engine>, Failure> {
    let engine = RedbEngine::open(path, options).map_err(annals::Error::from);
    let engine = engine.map_err(|error| Failure::from(error).at(path, None))?;
    Ok(Box::new(engine))
}
