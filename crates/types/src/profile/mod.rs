//! Profiles: every number that shapes behaviour, as data with a name and a unit.

mod check;
mod condense;
mod decay;
mod dedup;
mod episodes;
mod expand;
mod extract;
mod graph;
mod inject;
mod jobs;
mod language;
mod maintenance;
mod mirrors;
mod privacy;
mod recall;
mod records;
mod reinforce;
mod review;
mod rules;
mod score;
mod scratchpad;
mod surface;
mod taxonomy;
mod text;
mod vector;
mod warnings;
mod weights;
mod window;

use serde::{Deserialize, Serialize};

pub use check::BadProfile;
pub use condense::CondenseSettings;
pub use decay::{
    ClassDecay, DayKind, DecayClock, DecayPersist, DecaySettings, DecayUnit, GraceMode,
};
pub use dedup::{
    ConflictSettings, ConflictStrategy, DedupMoment, DedupSettings, DedupUnit, MaybeCheck,
};
pub use episodes::{EpisodeSettings, EpisodeTrigger};
pub use expand::{ExpandSettings, RecallMode};
pub use extract::{AnswerForm, ExtractSettings, ExtractTrigger, OverLimit, ShownBy, TripleSource};
pub use graph::{
    DiscoverySettings, GraphExpandSettings, GraphSettings, MergeSettings, RelationClass,
    RelationRule, ResolveSettings, Unify,
};
pub use inject::{InjectPlace, InjectSettings, PartSettings, PartSource};
pub use jobs::{DayPrecision, JobSettings, JobStep, SESSION_END, TimeSettings, time_of_day};
pub use language::{AUTO, LanguageSettings, Wording, check_language};
pub use maintenance::MaintenanceSettings;
pub use mirrors::{MirrorDirection, MirrorFile, MirrorFormat, MirrorSection, MirrorSettings};
pub use privacy::{PrivacyAction, PrivacyRule, PrivacySettings};
pub use recall::{
    Fusion, ImportanceSource, OfferMode, Planner, RecallSettings, RecencySource, Similarity,
    TextScale, TieKey, Toolset,
};
pub use records::RecordSettings;
pub use reinforce::{ReinforceForm, ReinforceSettings, Signal};
pub use review::{QueueSettings, ReviewSettings};
pub use rules::{Comparison, Edge, Metric, ReviewKind, RuleAction, RuleSettings};
pub use score::{InitialScore, ScoreSettings};
pub use scratchpad::ScratchpadSettings;
pub use surface::SurfaceSettings;
pub use taxonomy::{
    ClassSettings, DurationSettings, KindSettings, ScoreClass, SourceSettings, TaxonomySettings,
    UnknownKind,
};
pub use text::TextSettings;
pub use vector::VectorSettings;
pub use weights::Weights;
pub use window::{Overflow, WindowSettings};

/// All settings of one namespace. The default keeps every memory as it is: nothing decays, and no
/// rule acts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The language of prompts, headings and labels.
    pub language: LanguageSettings,
    /// Identity and limits of memories.
    pub records: RecordSettings,
    /// Full text.
    pub text: TextSettings,
    /// Vector index.
    pub vector: VectorSettings,
    /// Candidates, weights and limits of recall.
    pub recall: RecallSettings,
    /// Entities, triples and links.
    pub graph: GraphSettings,
    /// The messages of a running conversation.
    pub window: WindowSettings,
    /// Zone of days and hours.
    pub time: TimeSettings,
    /// Kinds, classes and durations.
    pub taxonomy: TaxonomySettings,
    /// The scale of scores and first values.
    pub score: ScoreSettings,
    /// How scores fall.
    pub decay: DecaySettings,
    /// Rules at thresholds.
    pub rules: Vec<RuleSettings>,
    /// The effect of use.
    pub reinforce: ReinforceSettings,
    /// Extraction from conversations.
    pub extract: ExtractSettings,
    /// Reviews.
    pub review: ReviewSettings,
    /// Background work.
    pub queue: QueueSettings,
    /// Detection of duplicates.
    pub dedup: DedupSettings,
    /// Treatment of contradicted memories.
    pub conflict: ConflictSettings,
    /// Memories that are put before a model.
    pub inject: InjectSettings,
    /// Condensing of tool results.
    pub condense: CondenseSettings,
    /// The scratchpad: the current task and the last ones.
    pub scratchpad: ScratchpadSettings,
    /// Episodes of conversations that have ended.
    pub episodes: EpisodeSettings,
    /// Masking and refusal of secrets and personal data.
    pub privacy: PrivacySettings,
    /// Files that mirror memories.
    pub mirrors: MirrorSettings,
    /// Switches of the user interface.
    pub surface: SurfaceSettings,
    /// Whether rules act, and what reports warn of.
    pub maintenance: MaintenanceSettings,
    /// Jobs.
    pub jobs: Vec<JobSettings>,
}

impl Profile {
    /// Checks what the types of the fields cannot say.
    ///
    /// # Errors
    /// [`BadProfile`], naming the first key that is not allowed.
    pub fn check(&self) -> Result<(), BadProfile> {
        self.language.check()?;
        self.text.check()?;
        self.recall.check()?;
        self.graph.check()?;
        self.window.check()?;
        self.check_causes()?;
        self.time.check()?;
        self.taxonomy.check()?;
        let classes = self.taxonomy.class_names();
        self.score.check(&self.taxonomy)?;
        self.decay.check(&classes)?;
        self.reinforce.check()?;
        self.extract.check()?;
        self.review.check(&classes, &self.score)?;
        rules::check(&self.rules, &classes, &self.score, &self.review)?;
        self.queue.check()?;
        self.dedup.check()?;
        self.conflict.check()?;
        self.inject.check(&classes)?;
        self.scratchpad.check()?;
        self.mirrors.check()?;
        self.surface.check()?;
        jobs::check(&self.jobs)
    }

    /// Relations that recall takes for causes must be known to the graph.
    fn check_causes(&self) -> Result<(), BadProfile> {
        let known = |name: &&String| self.graph.relations.iter().any(|rule| rule.name == **name);
        match self
            .recall
            .expand
            .cause_relations
            .iter()
            .find(|name| !known(name))
        {
            Some(name) => {
                let reason = format!("{name:?} is not among graph.relations");
                Err(BadProfile::new("recall.expand.cause_relations", reason))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_profile_is_allowed() {
        assert_eq!(Profile::default().check(), Ok(()));
    }

    #[test]
    fn a_profile_that_contradicts_itself_is_named() {
        let mut profile = Profile::default();
        profile.recall.weights.dense += 0.01;
        assert_eq!(profile.check().unwrap_err().key, "recall.weights");
        let mut profile = Profile::default();
        profile.text.b = f32::NAN;
        assert_eq!(profile.check().unwrap_err().key, "text.b");
    }

    #[test]
    fn a_job_comes_to_rest_and_a_review_is_reached() {
        let job = |hours| JobSettings {
            name: "often".to_owned(),
            interval_hours: Some(hours),
            steps: vec![JobStep::Rules],
            ..JobSettings::default()
        };
        let mut profile = Profile {
            jobs: vec![job(0.0)],
            ..Profile::default()
        };
        assert_eq!(
            profile.check().unwrap_err().key,
            "jobs.often.interval_hours"
        );
        profile.jobs = vec![job(0.5)];
        assert_eq!(profile.check(), Ok(()));
        let review = RuleSettings {
            name: "look".to_owned(),
            metric: Metric::Score,
            op: Comparison::Below,
            value: 0.2,
            action: RuleAction::Review,
            ..RuleSettings::default()
        };
        profile.rules = vec![review];
        assert_eq!(profile.warnings(), []);
        profile.decay.protect_score = Some(0.1);
        assert_eq!(profile.warnings()[0].key, "decay.protect_score");
        profile.rules.clear();
        profile.jobs = vec![JobSettings {
            interval_hours: None,
            ..job(0.5)
        }];
        assert_eq!(
            (profile.check(), profile.warnings()[0].key.as_ref()),
            (Ok(()), "jobs.often")
        );
    }

    #[test]
    fn no_path_of_a_profile_leaves_its_folder() {
        let key = |change: &dyn Fn(&mut Profile)| {
            let mut profile = Profile::default();
            change(&mut profile);
            profile.check().err().map(|error| error.key.into_owned())
        };
        for path in ["/etc/passwd", "../x", ".", "C:\\x"] {
            let file = MirrorFile {
                path: path.into(),
                ..Default::default()
            };
            assert_eq!(
                key(&|p| p.mirrors.files = vec![file.clone()]).as_deref(),
                Some("mirrors.files.0.path")
            );
            assert_eq!(
                key(&|p| p.mirrors.earlier = Some(path.into())).as_deref(),
                Some("mirrors.earlier")
            );
            assert_eq!(
                key(&|p| p.recall.trace_folders = vec![path.into()]).as_deref(),
                Some("recall.trace_folders")
            );
            let of_part = key(&|p| p.inject.parts[0].file = Some(path.into()));
            assert_eq!(of_part.as_deref(), Some("inject.parts.recalled.file"));
        }
        assert_eq!(
            key(&|p| p.inject.parts[0].file = Some("identity/USER.md".into())),
            None
        );
    }

    #[test]
    fn lifecycle_settings_that_contradict_themselves_are_named() {
        // part: X-08; what contradicts itself in the settings of the lifecycle
        // part: C-71
        let key = |change: &dyn Fn(&mut Profile)| {
            let mut profile = Profile {
                score: ScoreSettings {
                    max: 3.0,
                    ..Default::default()
                },
                ..Default::default()
            };
            profile.decay.classes.insert(
                "fact".into(),
                ClassDecay {
                    factor: Some(0.85),
                    ..Default::default()
                },
            );
            let rule = |name: &str, value, action| RuleSettings {
                name: name.into(),
                value,
                action,
                metric: Metric::Score,
                ..Default::default()
            };
            profile.rules = vec![
                rule("low", 0.2, RuleAction::Review),
                rule("gone", 0.1, RuleAction::Delete),
            ];
            profile.review.keep_reset = Some(0.5);
            assert_eq!(profile.check(), Ok(()));
            assert_eq!(profile.warnings(), []);
            change(&mut profile);
            profile.check().err().map(|error| error.key.into_owned())
        };
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(
            key(&|p| p.recall.weights.dense += 1e-5),
            of("recall.weights")
        );
        assert_eq!(
            key(&|p| p.review.keep_reset = Some(0.1)),
            of("review.keep_reset")
        );
        assert_eq!(key(&|p| p.rules[1].value = 0.3), of("rules.gone.value"));
        assert_eq!(key(&|p| p.rules[1].name = "low".into()), of("rules.1.name"));
        assert_eq!(
            key(&|p| p.rules[0].op = Comparison::AtLeast),
            of("rules.low.op")
        );
        let rate = |factor| {
            move |p: &mut Profile| p.decay.classes.get_mut("fact").unwrap().factor = factor
        };
        assert_eq!(key(&rate(Some(1.1))), of("decay.classes.fact.factor"));
        assert_eq!(key(&rate(Some(0.0))), of("decay.classes.fact.factor"));
        assert_eq!(key(&rate(None)), of("decay.classes.fact.factor"));
        assert_eq!(
            key(&|p| p.decay.unit = DecayUnit::Pass),
            of("decay.persist")
        );
        assert_eq!(key(&|p| p.score.fallback = 7.0), of("score.fallback"));
        assert_eq!(
            key(&|p| p.dedup.maybe_above = Some(1.5)),
            of("dedup.maybe_above")
        );
        let of_nodes =
            |p: &mut Profile| (p.dedup.unit, p.dedup.sure_above) = (DedupUnit::Node, Some(0.9));
        assert_eq!(key(&of_nodes), of("dedup.sure_above"));
        assert_eq!(
            key(&|p| p.time.zone = "Mars/Olympus".into()),
            of("time.zone")
        );
        assert_eq!(
            key(&|p| p.taxonomy.kinds = vec![KindSettings::default()]),
            of("taxonomy.kinds.0.id")
        );
        let job = JobSettings {
            name: "nightly".into(),
            daily_at: Some("3:00".into()),
            ..Default::default()
        };
        assert_eq!(
            key(&move |p| p.jobs = vec![job.clone()]),
            of("jobs.nightly.daily_at")
        );
        let at = |event: &str| JobSettings {
            name: "end".into(),
            on_events: vec![event.to_owned()],
            steps: vec![JobStep::Rules],
            ..Default::default()
        };
        assert_eq!(key(&|p| p.jobs = vec![at("session_end")]), None);
        assert_eq!(
            key(&|p| p.jobs = vec![at("full_moon")]),
            of("jobs.end.on_events")
        );
        assert_eq!(
            key(&|p| p.jobs = vec![at("session_end"), at("session_end")]),
            of("jobs.1.name")
        );
        assert_eq!(
            key(&|p| p.recall.weights.recency = -0.2),
            of("recall.weights.recency")
        );
        assert_eq!(
            key(&|p| p.review.keep_reset = Some(5000.0)),
            of("review.keep_reset")
        );
        assert_eq!(
            key(&|p| p.review.promoted_class = Some("kore".into())),
            of("review.promoted_class")
        );
        let core = |p: &mut Profile| {
            p.taxonomy.kinds = ["core", "fact"]
                .map(|id| KindSettings {
                    id: id.into(),
                    ..Default::default()
                })
                .to_vec();
            p.review.promoted_class = Some("core".into());
        };
        assert_eq!(key(&core), None);
        let misspelt = move |p: &mut Profile| {
            core(p);
            p.score.by_kind.insert("kore".into(), 1.0);
        };
        assert_eq!(key(&misspelt), of("score.by_kind.kore"));
    }
}
