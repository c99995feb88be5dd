//! The messages in which a client is spoken to.

use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::messages::{Catalogue, Messages};
use annals::profile::AUTO;
use annals::{Error, ListQuery};

/// The design whose files hold the messages: `en/mcp`, `zh/mcp`.
const DESIGN: &str = "mcp";

/// Memories whose language is looked at, where a namespace follows what is said.
const NEWEST: usize = 8;

/// The messages for a namespace: in its language, or, where that is `auto`, in the language of some
/// texts, else of its newest memories, else in the language of the server.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn messages(
    memory: &Memory,
    space: &Namespace,
    texts: &[&str],
    otherwise: &str,
) -> Result<Arc<Messages>, Error> {
    let catalogue = catalogue(memory)?;
    let language = space.admin().language()?;
    if language != AUTO {
        return Ok(catalogue.messages(DESIGN, &language));
    }
    if let Some(spoken) = catalogue.spoken(texts.iter().copied()) {
        return Ok(catalogue.messages(DESIGN, &spoken));
    }
    let newest = space.list(&ListQuery {
        limit: NEWEST,
        newest_first: true,
        ..ListQuery::default()
    })?;
    let spoken = catalogue.spoken(
        newest
            .memories
            .iter()
            .map(|memory| memory.body.text.as_str()),
    );
    Ok(catalogue.messages(DESIGN, spoken.as_deref().unwrap_or(otherwise)))
}

/// The messages that come along, for what is said before anything could be read.
pub(crate) fn builtin(language: &str) -> Arc<Messages> {
    Catalogue::shared().messages(DESIGN, language)
}

/// The files that come along, and those that were added to the database.
fn catalogue(memory: &Memory) -> Result<Arc<Catalogue>, Error> {
    let files = memory.profiles().message_files()?;
    let mut added = files
        .into_iter()
        .filter(|(_, added)| *added)
        .map(|(name, _)| name)
        .peekable();
    if added.peek().is_none() {
        return Ok(Catalogue::shared());
    }
    let catalogue = Catalogue::builtin();
    for name in added {
        // One that a newer program stored may say more than this one knows: it is passed over.
        drop(catalogue.add(&name, &memory.profiles().messages(&name)?));
    }
    Ok(Arc::new(catalogue))
}
