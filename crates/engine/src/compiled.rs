//! The profile of each namespace, made ready for use once.

use std::collections::HashMap;
use std::sync::Arc;

use annals_language::privacy::Filter;
use annals_lifecycle::{Lane, Passes, Policy, Regime};
use annals_messages::{Catalogue, Localizer};
use annals_records::Namespace;
use annals_storage::table::Text;
use annals_storage::{Reads, Table, Transaction};
use annals_types::profile::{EpisodeTrigger, Profile, TimeSettings};
use annals_types::{Label, Layer, NamespaceId, Redactor, Status, Timestamp};
use parking_lot::RwLock;

use crate::{Error, Refusal, profiles};

/// The text of a profile of the user's own, by its name.
pub const PROFILES: Table<Text, String> = Table::new("annals.profiles");

/// The lane of a policy under which nothing waits.
const NO_LANE: Lane = Lane(0);

/// A profile under its name, with what is made of it.
#[non_exhaustive]
pub struct CompiledProfile {
    /// Its name.
    pub name: Label,
    /// Its settings.
    pub settings: Profile,
    pub policy: Arc<Policy>,
    /// The filter of its privacy settings.
    pub filter: Filter,
    /// The language of a namespace that has one of its own.
    pub language: Option<String>,
    /// The words of prompts and headings.
    pub localizer: Localizer,
}

impl CompiledProfile {
    fn new(name: &str, profile: Profile, with: &Around) -> Result<Arc<Self>, Error> {
        let policy = Arc::new(Policy::new(&profile)?);
        let filter = Filter::new(profile.privacy.clone())?.with_redactor(with.redactor.clone());
        let localizer = Localizer::new(Arc::clone(&with.catalogue), profile.language.clone());
        let name = Label::new("profile", name)?;
        Ok(Arc::new(Self {
            name,
            settings: profile,
            policy,
            filter,
            language: None,
            localizer,
        }))
    }

    /// The same profile for a namespace that has a language of its own.
    fn in_language(self: Arc<Self>, language: Option<&str>, with: &Around) -> Arc<Self> {
        let Some(language) = language else {
            return self;
        };
        let mut spoken = self.settings.language.clone();
        language.clone_into(&mut spoken.code);
        Arc::new(Self {
            name: self.name.clone(),
            settings: self.settings.clone(),
            policy: Arc::clone(&self.policy),
            filter: self.filter.clone(),
            language: Some(language.to_owned()),
            localizer: Localizer::new(Arc::clone(&with.catalogue), spoken),
        })
    }

    /// Whether another profile says the same under the same name, in whatever language.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || (self.name == other.name && self.settings == other.settings)
    }

    /// Whether memories of a layer have a life of their own under this profile.
    pub fn governs(&self, layer: Layer) -> bool {
        !self.policy.is_neutral() && self.ages(layer)
    }

    /// Whether memories of a layer can have a life of their own. Episodes of a kind that the
    /// profile does not list have none.
    pub fn ages(&self, layer: Layer) -> bool {
        let (episodes, kinds) = (&self.settings.episodes, &self.settings.taxonomy.kinds);
        let listed = kinds.is_empty() || kinds.iter().any(|kind| kind.id == episodes.kind);
        has_life(layer)
            && (layer != Layer::Episodic || episodes.trigger == EpisodeTrigger::Never || listed)
    }

    /// How many of the nearest memories may contradict one; where the profile does not say, as many
    /// as by default.
    pub fn nearest(&self) -> usize {
        let default = annals_types::profile::ConflictSettings::default().candidates;
        let wanted = Some(self.settings.conflict.candidates)
            .filter(|wanted| *wanted > 0)
            .unwrap_or(default);
        usize::try_from(wanted).unwrap_or(usize::MAX)
    }

    /// How many of the nearest memories may say what one says.
    pub fn nearest_twins(&self) -> usize {
        match self.settings.dedup.candidates {
            0 => self.nearest(),
            some => usize::try_from(some).unwrap_or(usize::MAX),
        }
    }

    /// The classes that deleting a list passes over.
    pub fn kept_in_bulk(&self) -> impl Iterator<Item = &str> {
        let classes = self.settings.taxonomy.classes.iter();
        classes
            .filter(|class| class.kept_in_bulk)
            .map(|class| class.id.as_str())
    }

    /// The least score of a memory of a kind that is brought back.
    pub(crate) fn restored(&self, kind: &str) -> f64 {
        let score = &self.settings.score;
        score.restored_share * score.by_kind.get(kind).unwrap_or(&score.fallback)
    }

    /// The same for a write that may begin the life of memories: the lane is there afterwards.
    pub(crate) fn terms_to_live(&self, txn: &mut Transaction<'_>) -> Result<Terms<'_>, Error> {
        if !self.policy.is_neutral() {
            annals_lifecycle::open_lane(txn, &self.name)?;
        }
        self.terms(txn)
    }

    /// Begins to count the time until its jobs are due, where that has not begun.
    pub fn schedule(&self, txn: &mut Transaction<'_>, now: Timestamp) -> Result<(), Error> {
        if !self.settings.jobs.is_empty() {
            let lane = annals_lifecycle::open_lane(txn, &self.name)?;
            annals_lifecycle::job::schedule_jobs(txn, lane, &self.settings.jobs, now)?;
        }
        Ok(())
    }

    /// The lane of its jobs.
    pub fn lane(&self, reads: &dyn Reads) -> Result<Lane, Error> {
        Ok(annals_lifecycle::find_lane(reads, &self.name)?.unwrap_or(NO_LANE))
    }

    /// The lane in which memories of this profile wait, and the passes of its decaying job.
    pub fn terms(&self, reads: &dyn Reads) -> Result<Terms<'_>, Error> {
        if self.policy.is_neutral() {
            return Ok(Terms {
                policy: &self.policy,
                lane: NO_LANE,
                passes: Passes::default(),
            });
        }
        let lane = annals_lifecycle::find_lane(reads, &self.name)?;
        let passes = lane
            .map(|lane| annals_lifecycle::passes(reads, lane))
            .transpose()?
            .unwrap_or_default();
        Ok(Terms {
            policy: &self.policy,
            lane: lane.unwrap_or(NO_LANE),
            passes,
        })
    }
}

/// A profile as it stands in one state of the file.
pub struct Terms<'a> {
    policy: &'a Policy,
    pub lane: Lane,
    pub passes: Passes,
}

impl Terms<'_> {
    /// Counts a pass as if it were made at a moment; answers whether one may be made then.
    pub(crate) fn add_pass(&mut self, at: Timestamp) -> bool {
        self.policy.pass_allowed(self.passes.last(), at) && self.passes.record(at)
    }

    pub fn regime(&self) -> Regime<'_> {
        Regime {
            policy: self.policy,
            passes: &self.passes,
            lane: self.lane,
        }
    }
}

/// The profiles of a file.
pub struct CompiledProfiles {
    default: Arc<CompiledProfile>,
    /// The default profile as it was given.
    given: Profile,
    /// The zone of profiles that name none.
    zone: String,
    around: Around,
    /// By namespace, with the version of its profile that each was made of. Changed in the order of
    /// commits.
    known: RwLock<HashMap<NamespaceId, (u32, Arc<CompiledProfile>)>>,
    /// By name, with the text that was read: a job asks for them each time.
    parsed: RwLock<HashMap<String, (String, Arc<CompiledProfile>)>>,
}

/// The redactor and the messages that profiles are made ready with.
struct Around {
    /// It finds secrets in place of the built-in table.
    redactor: Option<Arc<dyn Redactor>>,
    /// The messages of all languages.
    catalogue: Arc<Catalogue>,
}

impl CompiledProfiles {
    /// `default` is the profile of namespaces that were given none, `zone` that of profiles that
    /// name none.
    pub(crate) fn new(
        given: Profile,
        zone: &str,
        redactor: Option<Arc<dyn Redactor>>,
    ) -> Result<Self, Error> {
        annals_language::Zone::named(zone)?;
        let around = Around {
            redactor,
            catalogue: Arc::new(Catalogue::builtin()),
        };
        Ok(Self {
            default: CompiledProfile::new(profiles::DEFAULT, placed(given.clone(), zone), &around)?,
            given,
            zone: zone.to_owned(),
            around,
            known: RwLock::default(),
            parsed: RwLock::default(),
        })
    }

    pub fn default(&self) -> &Arc<CompiledProfile> {
        &self.default
    }

    /// A profile made ready for use in this file.
    pub fn make(&self, name: &str, profile: Profile) -> Result<Arc<CompiledProfile>, Error> {
        CompiledProfile::new(name, placed(profile, &self.zone), &self.around)
    }

    /// The messages of the languages that there are.
    pub const fn catalogue(&self) -> &Arc<Catalogue> {
        &self.around.catalogue
    }

    /// The default profile as it was given, in the zone of nobody yet.
    pub const fn given(&self) -> &Profile {
        &self.given
    }

    /// The profile of a name: the default, one stored in the file, or one that comes along.
    pub(crate) fn named(
        &self,
        reads: &dyn Reads,
        name: &str,
    ) -> Result<Arc<CompiledProfile>, Error> {
        if name == profiles::DEFAULT {
            return Ok(Arc::clone(&self.default));
        }
        let text = text(reads, name)?;
        if let Some((_, known)) = self
            .parsed
            .read()
            .get(name)
            .filter(|(known, _)| *known == text)
        {
            return Ok(Arc::clone(known));
        }
        let profile = self.make(name, profiles::parse(&text)?)?;
        self.parsed
            .write()
            .insert(name.to_owned(), (text, Arc::clone(&profile)));
        Ok(profile)
    }

    /// Whether a profile is what the profile of its name says in a state of the file.
    pub(crate) fn is_current(
        &self,
        reads: &dyn Reads,
        profile: &CompiledProfile,
    ) -> Result<bool, Error> {
        Ok(profile.is(&*self.named(reads, profile.name.as_str())?))
    }

    /// The profile of a namespace in a state of the file; the default for one that does not exist.
    pub fn of(
        &self,
        reads: &dyn Reads,
        namespace: NamespaceId,
    ) -> Result<Arc<CompiledProfile>, Error> {
        match annals_records::namespace::by_number(reads, namespace)? {
            Some(found) => self.of_record(reads, &found),
            None => Ok(Arc::clone(&self.default)),
        }
    }

    /// The same of a namespace whose record was read in that state: a cached profile counts only
    /// if it has the version that stands there.
    pub(crate) fn of_record(
        &self,
        reads: &dyn Reads,
        found: &Namespace,
    ) -> Result<Arc<CompiledProfile>, Error> {
        if let Some((version, known)) = self.known.read().get(&found.id)
            && *version == found.profile_version
        {
            return Ok(Arc::clone(known));
        }
        Ok(self.for_record(self.named(reads, &found.profile)?, found))
    }

    /// A profile in the language of a namespace.
    pub(crate) fn for_record(
        &self,
        profile: Arc<CompiledProfile>,
        found: &Namespace,
    ) -> Arc<CompiledProfile> {
        profile.in_language(found.language.as_deref(), &self.around)
    }

    /// Whether the profile of a namespace is known for the version of the profile that its record
    /// has.
    pub(crate) fn knows(&self, found: &Namespace) -> bool {
        self.known
            .read()
            .get(&found.id)
            .is_some_and(|(version, _)| *version == found.profile_version)
    }

    /// The profile of a namespace that is in use.
    pub(crate) fn cached(&self, namespace: NamespaceId) -> Option<Arc<CompiledProfile>> {
        self.known
            .read()
            .get(&namespace)
            .map(|(_, known)| Arc::clone(known))
    }

    /// Forgets which namespace has which profile: another writer may have changed it.
    pub(crate) fn forget(&self) {
        self.known.write().clear();
    }

    /// Takes note of the profile that a namespace has from a commit on.
    pub(crate) fn learn(&self, found: &Namespace, profile: Arc<CompiledProfile>) {
        self.known
            .write()
            .insert(found.id, (found.profile_version, profile));
    }

    /// A namespace is gone.
    pub(crate) fn forget_namespace(&self, namespace: NamespaceId) {
        self.known.write().remove(&namespace);
    }
}

/// A profile with the zone of whoever opens the file, where it leaves that open.
fn placed(mut profile: Profile, zone: &str) -> Profile {
    if profile.time.zone == TimeSettings::LOCAL {
        zone.clone_into(&mut profile.time.zone);
    }
    profile
}

/// The text of a profile that is not the default.
pub fn text(reads: &dyn Reads, name: &str) -> Result<String, Error> {
    if let Some(builtin) = profiles::builtin(name) {
        return Ok(builtin.to_owned());
    }
    let unknown = || {
        let names: Vec<&str> = std::iter::once(profiles::DEFAULT)
            .chain(profiles::builtin_names())
            .collect();
        Refusal::NoProfile {
            name: name.to_owned(),
            known: names.join(", "),
        }
    };
    Ok(PROFILES.get(reads, name)?.ok_or_else(unknown)?)
}

/// Whether memories of a layer can have a life of their own: what was said has not.
const fn has_life(layer: Layer) -> bool {
    !matches!(layer, Layer::Turn | Layer::Working)
}

/// How a status counts as support of what a memory says.
pub fn support(status: Status) -> annals_graph::Support {
    match status {
        Status::Archived => annals_graph::Support::Archived,
        Status::Forgotten => annals_graph::Support::Forgotten,
        _ => annals_graph::Support::Active,
    }
}

#[cfg(test)]
mod tests {
    use annals_records::namespace;
    use annals_types::NewMemory;

    use super::*;
    use crate::config::Config;
    use crate::testing::Testbed;

    #[test]
    fn the_profile_of_a_write_is_that_of_its_transaction() {
        let bed = Testbed::under("studio");
        bed.remember(vec![
            NewMemory::builder("known").kind("fact").build().unwrap(),
        ]);
        let (engine, ns) = (&bed.engine, bed.ns());
        let names = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let before = engine.profiles.of(&*txn, ns)?;
            // As a change of the profile that is not durable yet when the next write of its group
            // runs.
            let found = namespace::set_profile(txn, ns, "agent")?;
            let after = engine.profiles.of_record(&*txn, &found)?;
            assert!(!engine.profiles.knows(&found));
            Ok([before, after, engine.profiles.of(&*txn, ns)?]
                .map(|profile| profile.name.as_str().to_owned()))
        };
        assert_eq!(
            engine.store.write(names).unwrap().0,
            ["studio", "agent", "agent"]
        );
        assert_eq!(
            engine.profiles.cached(ns).unwrap().name.as_str(),
            "studio",
            "the cache still knows the old one"
        );
        let told = engine
            .write(ns, |cx| Ok(cx.profile.name.as_str().to_owned()))
            .unwrap();
        assert_eq!(
            (
                told.as_str(),
                engine.profiles.cached(ns).unwrap().name.as_str()
            ),
            ("agent", "agent")
        );
    }

    #[test]
    fn another_text_of_a_profile_is_another_version() {
        let bed = Testbed::new(Config::default());
        let text = profiles::builtin("studio").unwrap();
        let store = |text: &str| {
            let profile = bed
                .engine
                .profiles
                .make("own", profiles::parse(text).unwrap())
                .unwrap();
            bed.engine.replace_profile(&profile, text).unwrap();
        };
        store(text);
        bed.create("own");
        let (engine, ns) = (&bed.engine, bed.ns());
        let version = || {
            namespace::there(&engine.snapshot().unwrap(), ns)
                .unwrap()
                .profile_version
        };
        let before = (version(), engine.profiles.cached(ns).unwrap());
        store(&text.replacen("sure_above = 0.92", "sure_above = 0.93", 1));
        assert_eq!(version(), before.0 + 1);
        assert!(!before.1.is(&engine.profiles.cached(ns).unwrap()));
        let old = engine
            .write_under(ns, &before.1, engine.now(), |_| Ok(()))
            .unwrap_err();
        assert!(old.has_left() && !old.is_gone(), "{old}");
        let now = engine.profiles.cached(ns).unwrap();
        engine
            .write_under(ns, &now, engine.now(), |_| Ok(()))
            .unwrap();
    }
}
