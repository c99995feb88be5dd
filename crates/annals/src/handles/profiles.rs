//! Profiles of a file.

use std::ops::ControlFlow;

use annals_records::namespace as directory;
use tracing::instrument;

use crate::handles::Memory;
use crate::{Error, ProfileInfo, profiles};
use annals_engine::Refusal;
use annals_engine::compiled::PROFILES;

handles! {
    /// The profiles that namespaces of a file can have.
    pub struct Profiles;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// assert!(memory.profiles().list()?.iter().any(|profile| profile.name == "agent"));
        /// let text = memory.profiles().text("agent")?;
        /// memory.profiles().store("own", &text)?;
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// assert!(memory.profiles().text("agent").await?.contains("[recall]"));
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Profiles {
    pub(super) memory: Memory,
}

calls! {
    for Profiles;

    calls {
        /// The profiles that namespaces of this file can have, and how many have each.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn list() -> Vec<ProfileInfo>;

        /// The text of a profile: TOML, as it was stored or as it comes along.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
        fn text(name: text) -> String;

        /// Stores a profile of one's own in the file. Namespaces that have it already go on under
        /// it from now on. Answers what is odd about it, though allowed.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) naming line and key, or
        /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) for the name of a profile that comes
        /// along; nothing is stored then.
        fn store(name: text, text: text) -> Vec<String>;

        /// The files of messages, in which models and people are spoken to: `en`, `zh`,
        /// `en/companion`, and whether each was added to this file or comes along.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn message_files() -> Vec<(String, bool)>;

        /// The text of a file of messages, in the Fluent format.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
        fn messages(name: text) -> String;

        /// Adds a file of messages: of a language, `de`, or of a language and a design,
        /// `de/companion`. It replaces one of the same name. Messages that it lacks are said in
        /// English.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) naming the line or the message;
        /// nothing is stored then.
        fn store_messages(name: text, text: text) -> ();

        /// Takes away a file of messages that was added; one that comes along takes its place
        /// again.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when none of that name was added.
        fn delete_messages(name: text) -> ();
    }
}

impl Profiles {
    pub(crate) fn list(&self) -> Result<Vec<ProfileInfo>, Error> {
        let snapshot = self.memory.engine.snapshot()?;
        let mut names: Vec<(String, bool)> = vec![(profiles::DEFAULT.to_owned(), true)];
        names.extend(profiles::builtin_names().map(|name| (name.to_owned(), true)));
        PROFILES.scan(&snapshot, PROFILES.all(), |name, _| {
            names.push((name.to_owned(), false));
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
        let used = directory::list(&snapshot)?;
        let info = |(name, builtin): (String, bool)| {
            let namespaces = used
                .iter()
                .filter(|(namespace, _)| namespace.profile == name)
                .count();
            ProfileInfo {
                namespaces: u64::try_from(namespaces).unwrap_or(u64::MAX),
                name,
                builtin,
            }
        };
        Ok(names.into_iter().map(info).collect())
    }

    pub(crate) fn text(&self, name: &str) -> Result<String, Error> {
        if name == profiles::DEFAULT {
            return profiles::render(self.memory.engine.profiles.given());
        }
        annals_engine::compiled::text(&self.memory.engine.snapshot()?, name)
    }

    pub(crate) fn message_files(&self) -> Result<Vec<(String, bool)>, Error> {
        self.memory.engine.message_files()
    }

    pub(crate) fn messages(&self, name: &str) -> Result<String, Error> {
        self.memory.engine.message_file(name)
    }

    #[instrument(level = "debug", skip(self, text))]
    pub(crate) fn store_messages(&self, name: &str, text: &str) -> Result<(), Error> {
        self.memory.engine.store_messages(name, text)
    }

    pub(crate) fn delete_messages(&self, name: &str) -> Result<(), Error> {
        self.memory.engine.delete_messages(name)
    }

    #[instrument(level = "debug", skip(self, text))]
    pub(crate) fn store(&self, name: &str, text: &str) -> Result<Vec<String>, Error> {
        if name == profiles::DEFAULT || profiles::builtin(name).is_some() {
            return Err(Refusal::BuiltinProfile {
                name: name.to_owned(),
            }
            .into());
        }
        let profile = profiles::parse(text)?;
        let odd = profiles::warnings(&profile)
            .into_iter()
            .chain(profiles::without_effect(text));
        let warnings = odd.map(|odd| odd.to_string()).collect();
        let engine = &self.memory.engine;
        let profile = engine.profiles.make(name, profile)?;
        engine.replace_profile(&profile, text)?;
        engine.scheduler.ask();
        Ok(warnings)
    }
}
