//! The graph of entities, triples and links.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::told;

/// The graph of entities, triples and links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphSettings {
    /// When a new mention becomes an entity that has the same name and kind already.
    pub unify: Unify,
    /// Kinds whose entities are unified when they are inserted, whatever `unify` says.
    pub unify_on_insert_kinds: Vec<String>,
    /// Whether an updated memory's old text goes on supporting what it said in as-of queries
    /// (true), or what the new text does not say any more is gone for good.
    pub update_keeps_history: bool,
    /// Kinds that nearly every memory shares, such as the person who speaks: they are no context,
    /// and no bridge between memories.
    pub common_kinds: Vec<String>,
    /// The predicate between topic and object of a memory that names none.
    pub core_predicate: String,
    /// How links between memories are named, and what each name means.
    pub relations: Vec<RelationRule>,
    /// When two entities are one.
    pub merge: MergeSettings,
    /// How far the graph is followed.
    pub expand: GraphExpandSettings,
    /// How relations between memories are discovered.
    pub discovery: DiscoverySettings,
    /// When a description names one memory.
    pub resolve: ResolveSettings,
    /// Pairs of words that cannot both hold: as predicates between the same ends, or as what
    /// memories of one subject say of one thing.
    pub opposites: Vec<[String; 2]>,
    /// Types of memories that hold from then on, whatever time they name: an opinion. Memories of
    /// other types contradict each other only where they do not speak of different times.
    pub lasting_types: Vec<String>,
    /// Predicates that lead to one object at a time.
    pub single_valued: Vec<String>,
}

/// When a mention with a known name becomes the known entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Unify {
    /// As soon as it is mentioned.
    #[default]
    Insert,
    /// When memories are consolidated.
    Consolidation,
    /// Not by its name.
    Never,
}

/// The meaning of a link between memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RelationClass {
    /// One is a cause of the other.
    Causality,
    /// One speaks of the other, or both of the same.
    Reference,
    /// One takes the place of the other.
    Succession,
    /// They cannot both be true.
    Conflict,
}

/// One name of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationRule {
    /// The name.
    pub name: String,
    /// Its meaning.
    pub class: RelationClass,
    /// The name that this one stands for, when it is only another way to say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_of: Option<String>,
    /// The name that says the same from the other end: the link is stored under that one, with its
    /// ends swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverse_of: Option<String>,
}

impl RelationRule {
    fn new(name: &str, class: RelationClass) -> Self {
        Self {
            name: name.to_owned(),
            class,
            alias_of: None,
            inverse_of: None,
        }
    }
}

/// When two entities are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MergeSettings {
    /// Similarity, 0 to 1, above which two entities are merged without a look at their context.
    pub direct_above: f64,
    /// Similarity, 0 to 1, above which two entities are merged when their context matches.
    pub context_above: f64,
    /// Whether the second tier asks for a matching context.
    pub context_required: bool,
    /// Mean similarity of the neighbours, 0 to 1, from which a context matches.
    pub context_similarity: f64,
    /// Whether entities of different kinds may be merged in the first tier.
    pub across_kinds: bool,
    /// Whether entities whose names hold different figures may be merged by similarity.
    pub ignore_figures: bool,
    /// Whether entities of one kind are one when their names differ only in how they are written:
    /// in case, width, accents, spaces, hyphens, or in [`synonyms`](Self::synonyms) and
    /// [`fillers`](Self::fillers).
    pub by_form: bool,
    /// Words that mean the same, in groups.
    pub synonyms: Vec<Vec<String>>,
    /// Words that say nothing of what a name means, as they are written: articles before a name,
    /// and signs between two parts of a Chinese one.
    pub fillers: Vec<String>,
    /// The similarity, 0 to 1, from which on an embedder is taken to see no difference between two
    /// names, because it knows the words of neither: then it says nothing. `None` trusts it
    /// always.
    pub blind_above: Option<f64>,
    /// Whether names that differ in one of several words, as "black tea" and "green tea", or by
    /// words that one has besides, as "shoes" and "running shoes", may be merged for their
    /// context.
    pub one_word_apart: bool,
    /// Similar entities that are looked at for each entity.
    pub candidates: u32,
    /// Kinds whose entities may be merged by similarity; all when empty.
    pub kinds: Vec<String>,
    /// Neighbours of an entity that make up its context, the first ones by number.
    pub context_neighbours: u32,
    /// Names of entities that are embedded at once.
    pub embed_batch: u32,
    /// Whether `context_above` follows, kind by kind, from which merges were taken back.
    pub adaptive: bool,
    /// The share of merges, 0 to 1, that may be taken back.
    pub adaptive_error: f64,
    /// The least threshold that can follow.
    pub adaptive_least: f64,
    /// The greatest threshold that can follow.
    pub adaptive_most: f64,
    /// Days after which it is found anew.
    pub adaptive_days: f64,
}

impl Default for MergeSettings {
    fn default() -> Self {
        Self {
            direct_above: 0.95,
            context_above: 0.85,
            context_required: true,
            context_similarity: 0.6,
            across_kinds: false,
            ignore_figures: false,
            by_form: false,
            synonyms: Vec::new(),
            fillers: Vec::new(),
            blind_above: None,
            one_word_apart: true,
            candidates: 5,
            kinds: Vec::new(),
            context_neighbours: 32,
            embed_batch: 50,
            adaptive: false,
            adaptive_error: 0.1,
            adaptive_least: 0.8,
            adaptive_most: 0.97,
            adaptive_days: 7.0,
        }
    }
}

/// How far the graph is followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphExpandSettings {
    /// Greatest depth in steps.
    pub max_depth: u32,
    /// Degree above which an entity is no bridge between memories.
    pub max_degree: u32,
    /// Most entities or memories that one expansion reaches.
    pub node_budget: u32,
    /// Most edges that one expansion looks at.
    pub edge_budget: u32,
    /// Most time that one expansion takes, in milliseconds; 0 for no limit.
    pub time_budget_ms: u32,
}

impl Default for GraphExpandSettings {
    fn default() -> Self {
        Self {
            max_depth: 2,
            max_degree: 100,
            node_budget: 1000,
            edge_budget: 20_000,
            time_budget_ms: 0,
        }
    }
}

/// When a description names one memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResolveSettings {
    /// How like its description the memory must be, 0 to 1.
    pub min_score: f64,
    /// By how much it must be more like it than any other; of those that are equally like it the
    /// newest is meant.
    pub margin: f64,
    /// Memories that are named when none is meant for sure.
    pub candidates: u32,
}

impl Default for ResolveSettings {
    fn default() -> Self {
        Self {
            min_score: 0.6,
            margin: 0.05,
            candidates: 3,
        }
    }
}

/// How relations between memories are discovered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoverySettings {
    /// Whether it is done.
    pub enabled: bool,
    /// Greatest distance in seconds of two memories that are near in time.
    pub within_seconds: u32,
    /// Similarity, 0 to 1, from which a judge is asked about memories near in time that share no
    /// node; 0 asks about all.
    pub min_similarity: f64,
    /// Whether the judge is asked for the direction, or only whether the earlier one is the cause.
    pub ask_direction: bool,
    /// The relation of a cause that a judge found.
    pub cause: String,
    /// Its weight, 0 to 1.
    pub cause_weight: f32,
    /// Its confidence, 0 to 1.
    pub cause_confidence: f32,
    /// The relation of memories that share a node.
    pub shared: String,
    /// Its weight, 0 to 1.
    pub shared_weight: f32,
    /// The relation of memories that contradict each other, where a profile marks them.
    pub conflict: String,
}

impl Default for DiscoverySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            within_seconds: 3600,
            min_similarity: 0.3,
            ask_direction: true,
            cause: "推测因果".to_owned(),
            cause_weight: 0.5,
            cause_confidence: 0.7,
            shared: "相关".to_owned(),
            shared_weight: 0.4,
            conflict: "冲突".to_owned(),
        }
    }
}

impl Default for GraphSettings {
    fn default() -> Self {
        Self {
            discovery: DiscoverySettings::default(),
            resolve: ResolveSettings::default(),
            opposites: opposites(),
            lasting_types: ["观点", "关系"].map(str::to_owned).into(),
            single_valued: Vec::new(),
            unify: Unify::Insert,
            unify_on_insert_kinds: vec!["主体".to_owned()],
            update_keeps_history: true,
            common_kinds: vec!["主体".to_owned()],
            core_predicate: "是".to_owned(),
            relations: relations(),
            merge: MergeSettings::default(),
            expand: GraphExpandSettings::default(),
        }
    }
}

/// The names that links have unless a profile says otherwise: English words, and those of the tools
/// in Chinese.
fn relations() -> Vec<RelationRule> {
    use RelationClass::{Causality, Conflict, Reference, Succession};
    let rule = RelationRule::new;
    let alias = |name, of: &str, class| RelationRule {
        alias_of: Some(of.to_owned()),
        ..rule(name, class)
    };
    let inverse = |name, of: &str, class| RelationRule {
        inverse_of: Some(of.to_owned()),
        ..rule(name, class)
    };
    vec![
        rule("causes", Causality),
        inverse("caused_by", "causes", Causality),
        rule("references", Reference),
        rule("based_on", Reference),
        rule("related", Reference),
        rule("supersedes", Succession),
        rule("contradicts", Conflict),
        rule("因为", Causality),
        rule("所以", Causality),
        rule("导致", Causality),
        rule("推测因果", Causality),
        rule("引用", Reference),
        rule("基于", Reference),
        rule("相关", Reference),
        alias("关于", "相关", Reference),
        rule("冲突", Conflict),
    ]
}

fn opposites() -> Vec<[String; 2]> {
    [
        ["喜欢", "讨厌"],
        ["喜欢", "反感"],
        ["爱", "恨"],
        ["好喝", "难喝"],
        ["好吃", "难吃"],
        ["好看", "难看"],
        ["支持", "反对"],
        ["同意", "反对"],
        ["likes", "hates"],
        ["likes", "dislikes"],
        ["like", "hate"],
        ["like", "dislike"],
        ["loves", "hates"],
        ["love", "hate"],
        ["supports", "opposes"],
    ]
    .map(|pair| pair.map(str::to_owned))
    .into()
}

impl GraphSettings {
    /// The names that links may have, out of those in the writing of a language where there are
    /// such.
    #[must_use]
    pub fn relation_names(&self, language: &str) -> Vec<&str> {
        let names = self
            .relations
            .iter()
            .filter(|rule| rule.alias_of.is_none())
            .map(|rule| rule.name.as_str());
        let (plain, others): (Vec<&str>, Vec<&str>) = names.partition(|name| name.is_ascii());
        let (preferred, rest) = if language == "zh" {
            (others, plain)
        } else {
            (plain, others)
        };
        if preferred.is_empty() {
            rest
        } else {
            preferred
        }
    }

    /// Checks what the types of the fields cannot say.
    ///
    /// # Errors
    /// [`BadProfile`], naming the first key that is not allowed.
    pub fn check(&self) -> Result<(), BadProfile> {
        let bad = |key: &'static str, reason: String| Err(BadProfile::new(key, reason));
        let merge = &self.merge;
        let shares = [
            ("graph.merge.direct_above", merge.direct_above),
            ("graph.merge.context_above", merge.context_above),
            ("graph.merge.context_similarity", merge.context_similarity),
            ("graph.merge.blind_above", merge.blind_above.unwrap_or(1.0)),
            ("graph.merge.adaptive_error", merge.adaptive_error),
            ("graph.merge.adaptive_least", merge.adaptive_least),
            ("graph.merge.adaptive_most", merge.adaptive_most),
            (
                "graph.discovery.min_similarity",
                self.discovery.min_similarity,
            ),
            (
                "graph.discovery.cause_weight",
                self.discovery.cause_weight.into(),
            ),
            (
                "graph.discovery.cause_confidence",
                self.discovery.cause_confidence.into(),
            ),
            (
                "graph.discovery.shared_weight",
                self.discovery.shared_weight.into(),
            ),
            ("graph.resolve.min_score", self.resolve.min_score),
            ("graph.resolve.margin", self.resolve.margin),
        ];
        for (key, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return bad(key, format!("{} is not between 0 and 1", told(value)));
            }
        }
        let empty = |word: &String| !word.chars().any(char::is_alphanumeric);
        if let Some(group) = merge.synonyms.iter().find(|group| group.iter().any(empty)) {
            return bad(
                "graph.merge.synonyms",
                format!("{group:?} holds a word without a letter or digit"),
            );
        }
        if let Some(word) = merge.fillers.iter().find(|word| empty(word)) {
            return bad(
                "graph.merge.fillers",
                format!("{word:?} holds no letter and no digit"),
            );
        }
        if merge.context_above > merge.direct_above {
            let reason = format!(
                "{} is above direct_above {}",
                merge.context_above, merge.direct_above
            );
            return bad("graph.merge.context_above", reason);
        }
        if merge.adaptive_least > merge.adaptive_most {
            let reason = format!(
                "{} is above adaptive_most {}",
                merge.adaptive_least, merge.adaptive_most
            );
            return bad("graph.merge.adaptive_least", reason);
        }
        if !(merge.adaptive_days.is_finite() && merge.adaptive_days >= 1.0) {
            return bad(
                "graph.merge.adaptive_days",
                format!("{} is not a day or more", merge.adaptive_days),
            );
        }
        if self.core_predicate.trim().is_empty() {
            return bad(
                "graph.core_predicate",
                "it is empty; name a predicate".to_owned(),
            );
        }
        self.check_relations()
    }

    fn check_relations(&self) -> Result<(), BadProfile> {
        let bad = |reason| Err(BadProfile::new("graph.relations", reason));
        for name in [
            &self.discovery.cause,
            &self.discovery.shared,
            &self.discovery.conflict,
        ] {
            if !self.relations.iter().any(|rule| rule.name == *name) {
                return bad(format!(
                    "{name:?}, which discovery makes, is not among them"
                ));
            }
        }
        for (place, rule) in self.relations.iter().enumerate() {
            if rule.name.trim().is_empty()
                || self
                    .relations
                    .iter()
                    .take(place)
                    .any(|other| other.name == rule.name)
            {
                return bad(format!("{:?} is empty or named twice", rule.name));
            }
            for other in rule.alias_of.iter().chain(&rule.inverse_of) {
                let target = self.relations.iter().find(|target| target.name == *other);
                if target
                    .is_none_or(|target| target.alias_of.is_some() || target.inverse_of.is_some())
                {
                    return bad(format!(
                        "{:?} stands for {other:?}, which is no name of its own",
                        rule.name
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_allowed_and_contradictions_named() {
        assert_eq!(GraphSettings::default().check(), Ok(()));
        let mut settings = GraphSettings::default();
        settings.merge.context_above = 0.97;
        assert_eq!(
            settings.check().unwrap_err().key,
            "graph.merge.context_above"
        );
        let mut settings = GraphSettings::default();
        settings.relations[1].inverse_of = Some("关于".to_owned());
        assert_eq!(settings.check().unwrap_err().key, "graph.relations");
    }
}
