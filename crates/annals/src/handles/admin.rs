//! What a namespace is.

use std::collections::{BTreeMap, HashMap};

use annals_records::{LabelClass, namespace as directory};
use annals_types::Kind;
use annals_types::profile::{InjectSettings, PartSource, Profile};
use tracing::instrument;

use crate::handles::Namespace;
use crate::handles::context::redacted;
use crate::stats::by_layer;
use crate::{Error, Event, NamespaceStats, OpenStats, SyncReport, profiles};
use annals_engine::View;
use annals_engine::jobs::tasks::TaskKind;

handles! {
    /// What a namespace is: its profile, sizes, events and soundness.
    pub struct Admin;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.admin().set_profile("agent")?;
        /// assert_eq!(user.admin().profile()?, "agent");
        /// assert!(user.admin().validate()?.is_empty());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// user.admin().set_profile("agent").await?;
        /// assert_eq!(user.admin().profile().await?, "agent");
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Admin {
    pub(super) space: Namespace,
}

calls! {
    for Admin;

    handles {
        /// The tables of [extensions](crate::extension).
        fn tables() -> Tables;
    }

    calls {
        /// The least score with which recall brings a memory into a prompt: what the profile says
        /// for recall and for prompts, under the embedder whose vectors are searched. A
        /// [`context`](crate::Namespace::context) leaves out what scores less; 0 where no part of
        /// it comes from recall.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn floor() -> f32;

        /// A text as it may be shown to a model: what the profile keeps back is masked, also where
        /// it was stored before the profile said so.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn redacted(text: own(String)) -> String;

        /// At most `limit` entries of the event log from number `from` on.
        ///
        /// # Errors
        /// When they cannot be read.
        fn events(from: own(u64), limit: own(usize)) -> Vec<Event>;

        /// Sizes and counts.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) while the namespace does not exist.
        fn stats() -> NamespaceStats;

        /// Whether it is there. One that is not comes into being with its first memory; until then
        /// whoever reads it finds nothing.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn exists() -> bool;

        /// What does not fit together in the indexes of this namespace; empty when all is well.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn validate() -> Vec<String>;

        /// The name of its profile.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn profile() -> String;

        /// The settings of its profile.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn settings() -> Profile;

        /// Gives it another profile; its memories go on under it with the score that they have now.
        /// A namespace that does not exist is made. Mirrored files that the profile does not make
        /// go, and are answered; what a person wrote into them since they were written is taken
        /// over where the profile has such a file from which edits come back, and kept beside them
        /// otherwise.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such profile;
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when it refuses the kind of a memory.
        fn set_profile(profile: text) -> SyncReport;

        /// The language of its prompts, headings and labels: a tag such as `en`, or `auto`, that of
        /// what is said.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn language() -> String;

        /// Gives it a language of its own, or, with nothing, that of its profile again. Stored
        /// texts stay as they are. A namespace that does not exist is made.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a language that has no messages,
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for what is no language.
        fn set_language(language: own(Option<String>)) -> ();
    }
}

impl Admin {
    pub(crate) fn language(&self) -> Result<String, Error> {
        let profile = self.space.compiled_profile()?;
        Ok(profile
            .language
            .clone()
            .unwrap_or_else(|| profile.settings.language.code.clone()))
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn set_language(&self, language: Option<String>) -> Result<(), Error> {
        self.space
            .engine
            .speak(self.space.entry()?, language.as_deref())
            .map(drop)
    }

    pub(crate) fn redacted(&self, text: String) -> Result<String, Error> {
        Ok(redacted(
            text,
            self.space.compiled_profile()?.screen().as_ref(),
        ))
    }

    pub(crate) fn floor(&self) -> Result<f32, Error> {
        let profile = self.space.compiled_profile()?;
        let InjectSettings { parts, .. } = &profile.settings.inject;
        if parts
            .iter()
            .all(|part| part.off || part.source != PartSource::Recalled)
        {
            return Ok(0.0);
        }
        let embedder = match self.space.id()? {
            Some(id) => self.space.engine.view(id)?.embedder.fingerprint(),
            None => self.space.engine.fingerprint.clone(),
        };
        let recalled = profile.settings.recall.least_score(&embedder);
        Ok(profile.settings.inject.least_score(&embedder).max(recalled))
    }

    pub(crate) fn events(&self, from: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let found = annals_records::events(&self.space.engine.snapshot()?, namespace, from, limit)?;
        Ok(found.into_iter().map(Event::from).collect())
    }

    pub(crate) fn stats(&self) -> Result<NamespaceStats, Error> {
        let missing = || annals_records::RecordError::NoNamespace {
            name: self.space.name.clone(),
        };
        let id = self.space.id()?.ok_or_else(missing)?;
        let record = annals_records::namespace::by_number(&self.space.engine.snapshot()?, id)?
            .ok_or_else(missing)?;
        let view = self.space.engine.view(id)?;
        let columns = &view.columns;
        let snapshot = self.space.engine.snapshot()?;
        let head = annals_records::Head::read(&snapshot, id)?;
        let tasks = annals_lifecycle::task::tasks(&snapshot, id, 0, usize::MAX)?;
        let of = |kind: TaskKind| -> Result<u64, Error> {
            let lane = kind.lane(&snapshot, &view.profile)?;
            Ok(
                u64::try_from(tasks.iter().filter(|task| Some(task.lane) == lane).count())
                    .unwrap_or(u64::MAX),
            )
        };
        let jobs = super::jobs::jobs_of(&snapshot, &view.profile, self.space.engine.now())?;
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let queued = HashMap::from([(id, number(tasks.len()))]);
        let stats = NamespaceStats::of(&snapshot, &[(record, head)], &queued)?
            .pop()
            .ok_or_else(missing)?;
        Ok(NamespaceStats {
            open: Some(OpenStats {
                by_layer: by_layer(|layer| columns.count(None, Some(layer))),
                by_kind: by_kind(&view),
                by_class: by_class(&view),
                sessions: number(columns.label_count(LabelClass::Session)),
                vectors: number(view.vectors.len()),
                foreign_vectors: view
                    .foreign
                    .as_ref()
                    .map(|fingerprint| fingerprint.0.clone()),
                graph_rows: view.vectors.graph().map_or(0, |graph| number(graph.len())),
                segments: number(view.text.segments().0),
                unfolded: number(view.text.unfolded()),
                memory_bytes: view.memory_bytes(),
                uncompared: of(TaskKind::Compare)?,
                uninterpreted: of(TaskKind::Interpret)?,
                jobs,
            }),
            ..stats
        })
    }

    pub(crate) fn exists(&self) -> Result<bool, Error> {
        Ok(self.space.id()?.is_some())
    }

    pub(crate) fn validate(&self) -> Result<Vec<String>, Error> {
        match self.space.id()? {
            Some(id) => self.space.engine.validate_namespace(id),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn profile(&self) -> Result<String, Error> {
        let found = directory::find(&self.space.engine.snapshot()?, &self.space.name)?;
        Ok(found.map_or_else(
            || profiles::DEFAULT.to_owned(),
            |namespace| namespace.profile,
        ))
    }

    pub(crate) fn settings(&self) -> Result<Profile, Error> {
        Ok(self.space.compiled_profile()?.settings.clone())
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn set_profile(&self, profile: &str) -> Result<SyncReport, Error> {
        let id = self.space.engine.adopt(self.space.entry()?, profile)?;
        self.space.engine.scheduler.ask();
        Ok(self
            .space
            .engine
            .mirrors()
            .tidy_mirrors(&self.space.name, id))
    }
}

/// How many memories there are of each kind; those that the profile lists are named even without
/// any.
fn by_kind(view: &View) -> BTreeMap<String, u64> {
    let columns = &view.columns;
    let listed = view
        .profile
        .settings
        .taxonomy
        .kinds
        .iter()
        .map(|kind| kind.id.as_str());
    let used = columns.labels(LabelClass::Kind).map(|(_, name)| name);
    let listed: Vec<&str> = listed.collect();
    let counted = |name: &str| {
        Some((
            name.to_owned(),
            u64::from(columns.count_kind(&Kind::new(name).ok()?)),
        ))
    };
    let all = listed.iter().copied().chain(used).filter_map(counted);
    all.filter(|(name, count)| *count > 0 || listed.contains(&name.as_str()))
        .collect()
}

/// How many memories there are of each class that the profile names.
fn by_class(view: &View) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = view
        .profile
        .policy
        .classes()
        .map(|name| (name.to_owned(), 0))
        .collect();
    for row in view
        .worth
        .rows()
        .filter(|row| view.columns.current_status(*row).is_some())
    {
        if let Some(count) = view
            .worth
            .class(row)
            .and_then(|class| counts.get_mut(class))
        {
            *count += 1;
        }
    }
    counts
}
