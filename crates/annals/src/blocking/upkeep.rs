//! Profiles, and what they want done as time passes.

use std::ops::ControlFlow;

use annals_records::namespace as directory;
use annals_types::NamespaceName;
use annals_types::profile::Profile;
use tracing::instrument;

use super::{Memory, Namespace};
use crate::engine::compiled::PROFILES;
use crate::{Error, JobReport, Mode, ProfileInfo, SyncReport, profiles};

impl Memory {
    /// The profiles that namespaces of this file can have, and how many have each.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn profiles(&self) -> Result<Vec<ProfileInfo>, Error> {
        let snapshot = self.engine.snapshot()?;
        let mut names: Vec<(String, bool)> = vec![(profiles::DEFAULT.to_owned(), true)];
        names.extend(profiles::builtin_names().map(|name| (name.to_owned(), true)));
        PROFILES.scan(&snapshot, PROFILES.all(), |name, _| {
            names.push((name.to_owned(), false));
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
        let used = directory::list(&snapshot)?;
        let info = |(name, builtin): (String, bool)| {
            let namespaces = used.iter().filter(|(namespace, _)| namespace.profile == name).count();
            ProfileInfo { namespaces: u64::try_from(namespaces).unwrap_or(u64::MAX), name, builtin }
        };
        Ok(names.into_iter().map(info).collect())
    }

    /// The text of a profile: TOML, as it was stored or as it comes along.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub fn profile_text(&self, name: &str) -> Result<String, Error> {
        if name == profiles::DEFAULT {
            return profiles::render(self.engine.profiles.given());
        }
        crate::engine::compiled::text(&self.engine.snapshot()?, name)
    }

    /// Stores a profile of one's own in the file. Namespaces that have it already go on under it from now on. Answers what is odd about
    /// it, though allowed.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) naming line and key, or [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) for the
    /// name of a profile that comes along; nothing is stored then.
    #[instrument(level = "debug", skip(self, text))]
    pub fn store_profile(&self, name: &str, text: &str) -> Result<Vec<String>, Error> {
        if name == profiles::DEFAULT || profiles::builtin(name).is_some() {
            return Err(Error::name_taken(format!(
                "profile {name:?} comes with annals and cannot be replaced; choose another name"
            )));
        }
        let profile = profiles::parse(text)?;
        let odd = profiles::warnings(&profile).into_iter().chain(profiles::without_effect(text));
        let warnings = odd.map(|odd| odd.to_string()).collect();
        let engine = &self.engine;
        let profile = engine.profiles.make(name, profile)?;
        engine.replace_profile(&profile, text)?;
        engine.scheduler.ask();
        Ok(warnings)
    }

    /// Makes a namespace with a profile.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when it exists; [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no
    /// such profile.
    pub fn create_namespace(&self, name: &str, profile: &str) -> Result<Namespace, Error> {
        self.engine.create_namespace(&NamespaceName::new(name)?, profile)?;
        self.namespace(name)
    }

    /// Runs the jobs of all profiles that are due, or all jobs when `force` says so; a dry run tells what rules would do now. Runs of one
    /// profile do not overlap: while another thread runs its jobs this waits for their end.
    ///
    /// # Errors
    /// When the file cannot be read or written; [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when a judge or another helper of a run
    /// calls it. A step that fails is in its report.
    #[instrument(level = "debug", skip(self))]
    pub fn maintain(&self, force: bool, mode: Mode) -> Result<Vec<JobReport>, Error> {
        self.engine.upkeep((force, false), mode)
    }
}

impl Namespace {
    /// The name of its profile.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn profile(&self) -> Result<String, Error> {
        let found = directory::find(&self.engine.snapshot()?, &self.name)?;
        Ok(found.map_or_else(|| profiles::DEFAULT.to_owned(), |namespace| namespace.profile))
    }

    /// The settings of its profile.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn settings(&self) -> Result<Profile, Error> {
        Ok(self.compiled_profile()?.settings.clone())
    }

    /// Gives it another profile; its memories go on under it with the score that they have now. A namespace that does not exist is
    /// made. Mirrored files that the profile does not make go, and are answered; what a person wrote into them since they were written is taken
    /// over where the profile has such a file from which edits come back, and kept beside them otherwise.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such profile; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when
    /// it refuses the kind of a memory.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn set_profile(&self, profile: &str) -> Result<SyncReport, Error> {
        let id = self.engine.adopt(self.entry()?, profile)?;
        self.engine.scheduler.ask();
        Ok(self.engine.tidy_mirrors(&self.name, id))
    }
}
