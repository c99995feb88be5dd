//! Questions, filters and answers.

use std::collections::BTreeMap;

use annals::profile::{RecallMode, Weights};
use annals::{
    Answer, Channel, Explanation, Feature, Filter, Hit, InvalidValue, Kind, Label, Layer,
    ListQuery, MemoryId, Mismatch, Query, Status, TimeRange, Timestamp, UnitScore, WhyNot,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::memory::IntervalView;
use super::{ChannelWord, FeatureWord, IdText, LayerWord, MemoryView, ModeWord, StatusWord};

/// Which memories: those that pass every condition. An empty list is no condition.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = Filter)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct FilterBody {
    /// Of one of these layers.
    #[schema(value_type = Vec<LayerWord>)]
    layers: Vec<Layer>,
    /// Of one of these kinds.
    kinds: Vec<String>,
    /// With one of these statuses; active without any.
    #[schema(value_type = Vec<StatusWord>)]
    statuses: Vec<Status>,
    /// Said in one of these conversations.
    sessions: Vec<String>,
    /// Said by one of these speakers.
    speakers: Vec<String>,
    /// With all of these tags.
    tags: Vec<String>,
    /// Happened at or after.
    #[schema(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// Happened before.
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// True at this moment.
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_at: Option<Timestamp>,
}

fn labels(field: &'static str, texts: Vec<String>) -> Result<Vec<Label>, InvalidValue> {
    texts
        .into_iter()
        .map(|text| Label::new(field, text))
        .collect()
}

impl TryFrom<FilterBody> for Filter {
    type Error = InvalidValue;

    fn try_from(body: FilterBody) -> Result<Self, InvalidValue> {
        Ok(Self {
            layers: body.layers,
            kinds: body
                .kinds
                .into_iter()
                .map(Kind::new)
                .collect::<Result<_, _>>()?,
            statuses: body.statuses,
            sessions: labels("sessions", body.sessions)?,
            speakers: labels("speakers", body.speakers)?,
            tags: labels("tags", body.tags)?,
            time: TimeRange::new(body.since, body.until)?,
            valid_at: body.valid_at,
        })
    }
}

/// The parameters of a list. Those that may come several times mean one of their values; tags mean
/// all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListParams {
    /// The layer.
    #[param(value_type = Vec<LayerWord>)]
    layer: Vec<Layer>,
    /// The kind.
    kind: Vec<String>,
    /// The status; active without any.
    #[param(value_type = Vec<StatusWord>)]
    status: Vec<Status>,
    /// The conversation.
    session: Vec<String>,
    /// The speaker.
    speaker: Vec<String>,
    /// The tag.
    tag: Vec<String>,
    /// Happened at or after.
    #[param(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// Happened before.
    #[param(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// True at this moment.
    #[param(value_type = Option<String>, format = DateTime)]
    valid_at: Option<Timestamp>,
    /// The class of the profile.
    class: Vec<String>,
    /// Only memories that lost one of their sources and were not derived again.
    stale: bool,
    /// Also what has expired, and what another memory took the place of.
    past: bool,
    /// The most memories of a page; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    pub(crate) limit: Option<usize>,
    /// Go on where a page ended: its `next`.
    after: Option<String>,
    /// `newest` first, or `oldest`.
    #[param(inline)]
    order: Order,
}

/// The order of storing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
}

/// The memories of a page where nothing is said.
const PAGE: usize = 50;

impl TryFrom<ListParams> for ListQuery {
    type Error = InvalidValue;

    fn try_from(params: ListParams) -> Result<Self, InvalidValue> {
        let filter = FilterBody {
            layers: params.layer,
            kinds: params.kind,
            statuses: params.status,
            sessions: params.session,
            speakers: params.speaker,
            tags: params.tag,
            since: params.since,
            until: params.until,
            valid_at: params.valid_at,
        };
        Ok(Self {
            filter: filter.try_into()?,
            classes: params.class,
            stale: params.stale,
            past: params.past,
            limit: params.limit.unwrap_or(PAGE),
            after: params.after,
            newest_first: params.order == Order::Newest,
        })
    }
}

/// A question.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = Search)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchBody {
    /// The question, or the message that is to be answered.
    #[schema(min_length = 1, example = "when is Ada's birthday?")]
    query: String,
    /// Recent messages before it, oldest first.
    #[serde(default)]
    context: Vec<String>,
    /// Which memories may answer.
    #[serde(default)]
    filter: FilterBody,
    /// The most hits; as the profile says without it.
    #[schema(minimum = 1, maximum = 500)]
    pub(crate) top_k: Option<u32>,
    /// The least score of a hit, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    min_score: Option<f32>,
    /// How much likeness to better hits counts against a hit, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    diversity: Option<f32>,
    /// Answer from what was stored at this moment.
    #[schema(value_type = Option<String>, format = DateTime)]
    as_of: Option<Timestamp>,
    /// The moment of the question, from which "yesterday" counts; now without it.
    #[schema(value_type = Option<String>, format = DateTime)]
    asked_at: Option<Timestamp>,
    /// Whether the graph is followed.
    #[schema(value_type = Option<ModeWord>)]
    mode: Option<RecallMode>,
    /// Steps over the graph; 0 for none.
    expand_depth: Option<u32>,
    /// Relations of links that are followed, and nothing else.
    relations: Option<Vec<String>>,
    /// Whether the hits are put into a prompt: nothing then where probably nothing answers, else
    /// only the nearest.
    #[serde(default)]
    for_prompt: bool,
    /// A memory whose absence is to be explained.
    #[schema(value_type = Option<IdText>)]
    why_not: Option<MemoryId>,
    /// Weights to try in place of the profile's, 0 to 1; a feature that is not named has 0. Those
    /// of relevance are scaled to sum to 1.
    #[schema(value_type = Option<BTreeMap<String, f32>>)]
    weights: Option<BTreeMap<Feature, f32>>,
}

/// The weights that are named, and no others.
fn weights(named: &BTreeMap<Feature, f32>) -> Weights {
    let mut weights = Weights::default();
    for feature in Feature::ALL {
        *feature.weight_mut(&mut weights) = named.get(&feature).copied().unwrap_or(0.0);
    }
    weights
}

impl TryFrom<SearchBody> for Query {
    type Error = InvalidValue;

    fn try_from(body: SearchBody) -> Result<Self, InvalidValue> {
        let score =
            |field, value: Option<f32>| value.map(|value| UnitScore::new(field, value)).transpose();
        let query = Self {
            context: body.context,
            filter: body.filter.try_into()?,
            top_k: body.top_k,
            min_score: score("min_score", body.min_score)?,
            diversity: score("diversity", body.diversity)?,
            as_of: body.as_of,
            asked_at: body.asked_at,
            mode: body.mode,
            expand_depth: body.expand_depth,
            relations: body.relations,
            for_prompt: body.for_prompt,
            why_not: body.why_not,
            weights: body.weights.as_ref().map(weights),
            ..Self::new(body.query)
        };
        query.check()?;
        Ok(query)
    }
}

/// The answer to a question.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchAnswer {
    /// Best first, or the latest first where `by_time` says so.
    hits: Vec<HitView>,
    /// Whether anything answers the question at all.
    answered: AnsweredView,
    /// How many memories were looked at closely.
    candidates: usize,
    /// Whether the hits are in the order of time.
    by_time: bool,
    /// Why the memory of `why_not` is not among the hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<WhyNotView>,
    /// Why the question was answered by words only, when it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_vectors: Option<String>,
}

/// Whether the memory answers a question.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Answered)]
pub(crate) struct AnsweredView {
    /// Whether it probably does.
    likely: bool,
    /// The probability, 0 to 1.
    probability: f32,
    /// The least probability with which anything comes into a prompt.
    least: f32,
}

/// A memory that answers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Hit)]
pub(crate) struct HitView {
    /// How well it answers, 0 to 1.
    score: f32,
    /// The memory.
    memory: MemoryView,
    /// A newer memory of the same thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<IdText>)]
    newer: Option<MemoryId>,
    /// Where the score comes from.
    reasons: Reasons,
}

/// Where a score comes from.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reasons {
    /// The score, 0 to 1: the sum of the contributions.
    score: f32,
    /// Every feature.
    parts: Vec<ReasonPart>,
    /// What it gained by being put before another memory of the same thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead_of: Option<f32>,
    /// The words of the question that the memory holds.
    matched: Vec<String>,
    /// How it became a candidate.
    #[schema(value_type = Vec<ChannelWord>)]
    found_by: Vec<Channel>,
    /// The time that its text names, where that is what fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    named_time: Option<IntervalView>,
    /// Steps over the graph, where the graph has to do with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    graph_distance: Option<u32>,
}

/// The contribution of a feature.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReasonPart {
    /// The feature.
    #[schema(value_type = FeatureWord)]
    feature: Feature,
    /// Its value, 0 to 1; absent where it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f32>,
    /// Its part of the score.
    contribution: f32,
}

/// Why a memory is not among the hits.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WhyNot)]
pub(crate) struct WhyNotView {
    /// The reason.
    reason: WhyNotReason,
    /// The first condition of the filter that it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<Condition>,
    /// Its place among all candidates, or among the hits, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    /// The least score.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_score: Option<f32>,
    /// The score of the last hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_hit: Option<f32>,
    /// Its score, and where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Reasons>,
}

/// A reason why a memory is not among the hits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WhyNotReason {
    /// It is among them.
    Returned,
    /// There is no such memory in the namespace.
    Missing,
    /// It does not pass the filter.
    Filtered,
    /// Nothing brought it up.
    NoCandidate,
    /// Its score is too low.
    BelowMinimum,
    /// Others were better.
    Outranked,
    /// It is too much like a better hit.
    TooAlike,
    /// Something else, which a newer version of annals knows.
    Other,
}

/// A condition that a memory can fail.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Condition {
    /// It was stored after the moment asked for, or deleted.
    Stored,
    /// A newer text or memory has taken its place.
    Replaced,
    /// The status.
    Status,
    /// The layer.
    Layer,
    /// The kind.
    Kind,
    /// The session.
    Session,
    /// The speaker.
    Speaker,
    /// A tag.
    Tag,
    /// The time.
    Time,
    /// It is not true at the moment asked for.
    ValidAt,
    /// It had expired.
    Expired,
    /// Something else, which a newer version of annals knows.
    Other,
}

const fn condition(mismatch: &Mismatch) -> Condition {
    match mismatch {
        Mismatch::Missing | Mismatch::NotYetStored { .. } => Condition::Stored,
        Mismatch::Replaced { .. } => Condition::Replaced,
        Mismatch::Status { .. } => Condition::Status,
        Mismatch::Layer { .. } => Condition::Layer,
        Mismatch::Kind => Condition::Kind,
        Mismatch::Session => Condition::Session,
        Mismatch::Speaker => Condition::Speaker,
        Mismatch::Tag => Condition::Tag,
        Mismatch::Time { .. } => Condition::Time,
        Mismatch::NotValid => Condition::ValidAt,
        Mismatch::Expired { .. } => Condition::Expired,
        _ => Condition::Other,
    }
}

impl From<Explanation> for Reasons {
    fn from(explanation: Explanation) -> Self {
        let part = |part: annals::Part| ReasonPart {
            feature: part.feature,
            value: part.value,
            contribution: part.contribution,
        };
        Self {
            score: explanation.score,
            parts: explanation.parts.into_iter().map(part).collect(),
            ahead_of: explanation.ahead_of,
            matched: explanation.matched,
            found_by: explanation.found_by,
            named_time: explanation.named_time.map(IntervalView::from),
            graph_distance: explanation.graph.map(|near| near.distance),
        }
    }
}

impl WhyNotView {
    const fn plain(reason: WhyNotReason) -> Self {
        Self {
            reason,
            condition: None,
            rank: None,
            min_score: None,
            last_hit: None,
            reasons: None,
        }
    }
}

impl From<WhyNot> for WhyNotView {
    fn from(why: WhyNot) -> Self {
        match why {
            WhyNot::Returned { rank } => Self {
                rank: Some(rank),
                ..Self::plain(WhyNotReason::Returned)
            },
            WhyNot::Missing => Self::plain(WhyNotReason::Missing),
            WhyNot::Filtered { mismatch } => Self {
                condition: Some(condition(&mismatch)),
                ..Self::plain(WhyNotReason::Filtered)
            },
            WhyNot::NoCandidate {
                explanation,
                last_hit,
            } => Self {
                last_hit,
                reasons: Some(explanation.into()),
                ..Self::plain(WhyNotReason::NoCandidate)
            },
            WhyNot::BelowMinimum {
                explanation,
                min_score,
            } => Self {
                min_score: Some(min_score),
                reasons: Some(explanation.into()),
                ..Self::plain(WhyNotReason::BelowMinimum)
            },
            WhyNot::Outranked { explanation, rank } => Self {
                rank: Some(rank),
                reasons: Some(explanation.into()),
                ..Self::plain(WhyNotReason::Outranked)
            },
            WhyNot::TooAlike { explanation, rank } => Self {
                rank: Some(rank),
                reasons: Some(explanation.into()),
                ..Self::plain(WhyNotReason::TooAlike)
            },
            _ => Self::plain(WhyNotReason::Other),
        }
    }
}

impl From<Hit> for HitView {
    fn from(hit: Hit) -> Self {
        Self {
            score: hit.score,
            memory: hit.memory.into(),
            newer: hit.newer,
            reasons: hit.explanation.into(),
        }
    }
}

impl From<Answer> for SearchAnswer {
    fn from(answer: Answer) -> Self {
        let answered = AnsweredView {
            likely: answer.answered.is_likely(),
            probability: answer.answered.probability,
            least: answer.answered.least,
        };
        Self {
            hits: answer.hits.into_iter().map(HitView::from).collect(),
            answered,
            candidates: answer.candidates,
            by_time: answer.by_time,
            why_not: answer.why_not.map(WhyNotView::from),
            without_vectors: answer.without_vectors,
        }
    }
}
