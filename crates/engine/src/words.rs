//! The words in which a namespace is spoken about.

use std::ops::ControlFlow;
use std::sync::Arc;

use annals_messages::{Catalogue, Messages, builtin_names, builtin_text};
use annals_storage::table::{Text, scan_rows};
use annals_storage::{Reads, Table, Transaction};
use annals_types::profile::{AUTO, check_language};
use annals_types::{NamespaceId, Row};

use crate::compiled::CompiledProfile;
use crate::{Engine, Error, Refusal};

/// The files of messages that were added, by their names.
pub const MESSAGES: Table<Text, String> = Table::new("annals.messages");

/// How many of the newest memories tell the language of a namespace.
const NEWEST: usize = 20;

impl Engine {
    /// The messages for a namespace: in its language, or, where that is `auto`, in that of some
    /// texts; where these tell nothing, in that of its newest memories.
    pub fn messages<'a>(
        &self,
        profile: &CompiledProfile,
        ns: Option<NamespaceId>,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<Arc<Messages>, Error> {
        let localizer = &profile.localizer;
        if !localizer.is_auto() {
            return Ok(localizer.of([]));
        }
        if let Some(messages) = localizer.spoken(texts) {
            return Ok(messages);
        }
        let newest = ns
            .map(|ns| self.newest_texts(ns))
            .transpose()?
            .unwrap_or_default();
        Ok(localizer.of(newest.iter().map(String::as_str)))
    }

    fn newest_texts(&self, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let view = self.view(ns)?;
        let rows: Vec<Row> = view.columns.rows().rev().take(NEWEST).collect();
        let found = annals_records::memories(&self.snapshot()?, ns, &rows, Some(&view.columns))?;
        Ok(found
            .into_iter()
            .flatten()
            .map(|memory| memory.body.text)
            .collect())
    }

    /// Checks that a language is `auto` or has messages.
    pub(crate) fn known_language(&self, code: &str) -> Result<(), Error> {
        check_language("language", code)?;
        let catalogue = self.profiles.catalogue();
        if code == AUTO || catalogue.has(code) {
            return Ok(());
        }
        let known = format!("{AUTO}, {}", catalogue.languages().join(", "));
        Err(Refusal::NoLanguage {
            code: code.to_owned(),
            known,
        }
        .into())
    }

    /// The names of the files of messages, and whether each was added to this file.
    pub fn message_files(&self) -> Result<Vec<(String, bool)>, Error> {
        let added = names(&self.snapshot()?)?;
        let mut names: Vec<(String, bool)> =
            added.iter().map(|name| (name.clone(), true)).collect();
        let own = builtin_names().filter(|name| !added.iter().any(|known| known == name));
        names.extend(own.map(|name| (name.to_owned(), false)));
        names.sort();
        Ok(names)
    }

    /// The text of a file of messages.
    pub fn message_file(&self, name: &str) -> Result<String, Error> {
        let stored = MESSAGES.get(&self.snapshot()?, name)?;
        stored
            .or_else(|| builtin_text(name).map(str::to_owned))
            .ok_or_else(|| no_file(name))
    }

    /// Adds a file of messages, or replaces one.
    pub fn store_messages(&self, name: &str, text: &str) -> Result<(), Error> {
        annals_messages::check(name, text)
            .map_err(|bad| Error::bad_input_worded(bad.to_string(), Some(bad.wording())))?;
        let catalogue = Arc::clone(self.profiles.catalogue());
        let (name, text) = (name.to_owned(), text.to_owned());
        self.store
            .write_then(|txn: &mut Transaction<'_>| -> Result<_, Error> {
                MESSAGES.put(txn, name.as_str(), &text)?;
                let (catalogue, name, text) = (Arc::clone(&catalogue), name.clone(), text.clone());
                let then = move |_| {
                    // It was checked above.
                    let _checked = catalogue.add(&name, &text);
                };
                Ok(((), then))
            })?;
        Ok(())
    }

    /// Takes away a file that was added. One that comes along takes its place again.
    pub fn delete_messages(&self, name: &str) -> Result<(), Error> {
        let catalogue = Arc::clone(self.profiles.catalogue());
        let name = name.to_owned();
        self.store
            .write_then(|txn: &mut Transaction<'_>| -> Result<_, Error> {
                if !MESSAGES.contains(txn, name.as_str())? {
                    return Err(no_file(&name));
                }
                MESSAGES.delete(txn, name.as_str())?;
                let (catalogue, name) = (Arc::clone(&catalogue), name.clone());
                Ok(((), move |_| catalogue.remove(&name)))
            })?;
        Ok(())
    }
}

fn no_file(name: &str) -> Error {
    Refusal::NoMessages {
        name: name.to_owned(),
    }
    .into()
}

/// Adds the files that a database holds to the messages that come along. One that cannot be read is
/// left out: the messages that come along stand in for it.
pub(crate) fn load(reads: &dyn Reads, catalogue: &Catalogue) -> Result<(), Error> {
    for name in names(reads)? {
        let text = match MESSAGES.get(reads, name.as_str()).map_err(Error::from) {
            Err(error) if error.is_unreadable() => continue,
            text => text?,
        };
        if let Some(Err(bad)) = text.map(|text| catalogue.add(&name, &text)) {
            tracing::warn!(name, %bad, "messages are left out");
        }
    }
    Ok(())
}

/// The names of the files that a database holds.
fn names(reads: &dyn Reads) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    scan_rows(
        reads,
        &[MESSAGES.all().into()],
        |_, row| -> Result<_, Error> {
            names.extend(MESSAGES.parse(row.key).map(ToOwned::to_owned));
            Ok(ControlFlow::Continue(()))
        },
    )?;
    Ok(names)
}

/// The files of messages that cannot be used.
pub(crate) fn validate(reads: &dyn Reads) -> Result<Vec<String>, Error> {
    let mut broken = Vec::new();
    for name in names(reads)? {
        match MESSAGES.get(reads, name.as_str()).map_err(Error::from) {
            // The loop over all tables tells of it.
            Err(error) if error.is_unreadable() => {}
            text => {
                broken.extend(text?.and_then(|text| annals_messages::check(&name, &text).err()))
            }
        }
    }
    Ok(broken
        .into_iter()
        .map(|bad| format!("{MESSAGES}: {bad}"))
        .collect())
}
