use annals_types::profile::{InitialScore, Profile, TripleSource, UnknownKind};

/// The words of a profile that candidates may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The kinds; any when there are none.
    pub kinds: Vec<String>,
    /// The kind of a candidate whose kind is missing or unknown; without one such candidates are
    /// left out.
    pub default_kind: Option<String>,
    /// Whether unknown kinds are kept as they are.
    pub keep_kinds: bool,
    /// The words for importance, if it is said in words.
    pub levels: Vec<String>,
    /// The word that is taken for an unknown one.
    pub default_level: Option<String>,
    /// The bounds of importance, if it is said as a number.
    pub importance: (f64, f64),
    /// The words for how long something is kept; none when it is not asked for.
    pub durations: Vec<String>,
    /// Whether it is asked what candidates say in three parts.
    pub triples: bool,
    /// The field of the kind: `type` or `category`.
    pub kind_field: String,
    /// Whether memories are shown, which candidates may repeat or contradict.
    pub known: bool,
}

impl Form {
    /// The form of a profile.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let (taxonomy, score) = (&profile.taxonomy, &profile.score);
        let mut levels: Vec<(&String, f64)> = match score.initial {
            InitialScore::Level => score
                .by_level
                .iter()
                .map(|(word, value)| (word, *value))
                .collect(),
            _ => Vec::new(),
        };
        levels.sort_by(|a, b| b.1.total_cmp(&a.1));
        let default = levels
            .iter()
            .find(|(_, value)| (value - score.fallback).abs() < 1e-9);
        Self {
            kinds: taxonomy.kinds.iter().map(|kind| kind.id.clone()).collect(),
            default_kind: taxonomy.default_kind.clone(),
            keep_kinds: taxonomy.unknown_kind == UnknownKind::Keep || taxonomy.kinds.is_empty(),
            default_level: default.map(|(word, _)| (*word).clone()),
            levels: levels.iter().map(|(word, _)| (*word).clone()).collect(),
            importance: (score.min, score.max.min(1.0).max(score.min)),
            durations: taxonomy
                .durations
                .iter()
                .map(|duration| duration.id.clone())
                .collect(),
            triples: profile.extract.triples == TripleSource::Answer,
            kind_field: profile.extract.kind_field.clone(),
            known: true,
        }
    }
}
