//! `recall`: short hits within a budget of tokens.

use std::collections::{BTreeMap, BTreeSet};

use annals::blocking::Namespace;
use annals::language::Zone;
use annals::llm::window::estimate;
use annals::profile::Signal;
use annals::{
    Clock as _, Filter, Hit, InjectedMemory, Injection, Kind, Label, MemoryId, Query, SystemClock,
    TimeRange, Timestamp,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::arguments::{Call, given};
use crate::reply::{Refusal, Reply};
use crate::shown;

/// The least, the usual and the most hits.
pub(super) const LIMIT: (u32, u32, u32) = (1, 8, 50);
/// The least, the usual and the largest budget, in tokens.
pub(super) const BUDGET: (u32, u32, u32) = (100, 800, 8000);
/// The most characters of a text in a hit.
const SHORT: usize = 280;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    limit: Option<i64>,
    budget: Option<i64>,
    #[serde(default)]
    tags: Vec<String>,
    kind: Option<String>,
    since: Option<String>,
    until: Option<String>,
    scope: Option<String>,
}

impl Arguments {
    /// What a memory has to be like.
    fn filter(&self) -> Result<Filter, Refusal> {
        let mut filter = Filter::default();
        for tag in &self.tags {
            filter.tags.push(Label::new("tag", tag.as_str())?);
        }
        if let Some(kind) = given(self.kind.as_deref()) {
            filter.kinds.push(Kind::new(kind)?);
        }
        let moment = |text: &str| text.parse::<Timestamp>();
        let since = given(self.since.as_deref()).map(moment).transpose()?;
        let until = given(self.until.as_deref()).map(moment).transpose()?;
        filter.time = TimeRange::new(since, until)?;
        Ok(filter)
    }
}

/// A namespace, with its settings that all its hits need.
struct Place {
    space: Namespace,
    floor: f32,
    zone: Zone,
    counts: bool,
    /// The kinds that its profile lists; any where there are none.
    kinds: Vec<String>,
}

/// Refuses a kind that no memory can have in any of the namespaces.
fn known_kind(
    call: &Call<'_>,
    kind: Option<&str>,
    names: &[&str],
    places: &BTreeMap<String, Place>,
) -> Result<(), Refusal> {
    let Some(kind) = given(kind) else {
        return Ok(());
    };
    let asked: Vec<&Place> = names.iter().filter_map(|name| places.get(*name)).collect();
    if asked
        .iter()
        .any(|place| place.kinds.is_empty() || place.kinds.iter().any(|known| known == kind))
    {
        return Ok(());
    }
    let known: BTreeSet<&str> = asked
        .iter()
        .flat_map(|place| &place.kinds)
        .map(String::as_str)
        .collect();
    let known: Vec<String> = known
        .into_iter()
        .map(|kind| shown::line(kind, 40).0)
        .collect();
    Err(call.bad(&call.text("mcp-kinds", &[("kinds", &known.join(", "))])))
}

pub(super) fn run(call: &Call<'_>, arguments: JsonObject) -> Result<Reply, Refusal> {
    let arguments: Arguments = call.read(arguments)?;
    let limit = call.within("limit", arguments.limit, LIMIT)?;
    let budget = call.within("budget", arguments.budget, BUDGET)?;
    let filter = arguments.filter()?;
    let places = places(call)?;
    let names: Vec<&str> = match given(arguments.scope.as_deref()) {
        Some(scope) => vec![call.namespace_of(scope)?],
        None => call.store.reach.names().collect(),
    };
    known_kind(call, arguments.kind.as_deref(), &names, &places)?;
    let query = Query {
        filter,
        ..Query::new(arguments.query).top_k(limit)
    };
    let mut answer = call.store.memory.answer_across(&names, query)?;
    // A score as chance gives it says nothing: such a hit comes before no model.
    answer.hits.retain(|hit| {
        places
            .get(&hit.namespace)
            .is_none_or(|place| hit.score >= place.floor)
    });
    let shown = fitting(call, &answer.hits, (limit, budget), &places);
    for place in places.values().filter(|place| place.counts) {
        let ids: Vec<MemoryId> = shown
            .hits
            .iter()
            .filter(|hit| hit.namespace == place.space.name())
            .map(|hit| hit.id)
            .collect();
        if !ids.is_empty() {
            place.space.lifecycle().signal(&ids, Signal::Returned)?;
        }
    }
    let left_out = answer.hits.len() - shown.hits.len();
    if call.store.writes() {
        note_hits(&answer.hits, &shown.hits, &places);
    }
    let mut text = match shown.lines.is_empty() {
        true => call.text("mcp-hits-none", &[]),
        false => format!("{}\n{}", call.text("mcp-hits", &[]), shown.lines.join("\n")),
    };
    let answered: Value =
        serde_json::from_str(&format!("{:.3}", answer.answered.probability)).unwrap_or_default();
    let mut data = json!({ "hits": shown.data, "left_out": left_out, "answered": answered });
    let reason = answer
        .without_vectors
        .as_deref()
        .map(|reason| shown::line(reason, 200).0);
    let unlikely = !shown.hits.is_empty() && !answer.answered.is_likely();
    let notes = [
        unlikely.then(|| call.text("mcp-hits-unlikely", &[])),
        shown
            .shortened
            .then(|| call.text("mcp-hits-shortened", &[])),
        (left_out > 0).then(|| call.text("mcp-hits-more", &[("count", &left_out.to_string())])),
        reason.map(|reason| call.text("mcp-by-words", &[("reason", &reason)])),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    for note in &notes {
        text.push('\n');
        text.push_str(note);
    }
    if let (false, Value::Object(data)) = (notes.is_empty(), &mut data) {
        data.insert("notes".to_owned(), json!(notes));
    }
    Ok(Reply::new(text, data))
}

/// Notes which hits went before the model, for whoever looks into what an agent was told.
fn note_hits(found: &[Hit], shown: &[&Hit], places: &BTreeMap<String, Place>) {
    for place in places.values() {
        let is_own = |hit: &Hit| hit.namespace == place.space.name();
        let own = shown.iter().filter(|hit| is_own(hit));
        let memories: Vec<InjectedMemory> = own.map(|hit| hit.injected("recall")).collect();
        let left_out = found.iter().filter(|hit| is_own(hit)).count() - memories.len();
        if memories.is_empty() {
            continue;
        }
        let noted = place.space.lifecycle().note_injection(Injection {
            at: SystemClock.now(),
            agent: Some("mcp".to_owned()),
            session: None,
            tokens: None,
            left_out: u64::try_from(left_out).unwrap_or(u64::MAX),
            memories,
        });
        // A full disk keeps no agent from its memory.
        if let Err(error) = noted {
            tracing::warn!(%error, "what recall answered is not noted");
        }
    }
}

fn places(call: &Call<'_>) -> Result<BTreeMap<String, Place>, Refusal> {
    let mut places = BTreeMap::new();
    for space in call.store.spaces()? {
        let settings = space.admin().settings()?;
        let place = Place {
            floor: space.admin().floor()?,
            zone: Zone::named(&settings.time.zone)?,
            counts: call.store.writes() && settings.reinforce.signal == Signal::Returned,
            kinds: settings
                .taxonomy
                .kinds
                .iter()
                .map(|kind| kind.id.clone())
                .collect(),
            space,
        };
        places.insert(place.space.name().to_owned(), place);
    }
    Ok(places)
}

/// The hits that are shown.
#[derive(Default)]
struct Shown<'a> {
    hits: Vec<&'a Hit>,
    lines: Vec<String>,
    data: Vec<Value>,
    shortened: bool,
}

/// As many hits as there is room for, at least one.
fn fitting<'a>(
    call: &Call<'_>,
    hits: &'a [Hit],
    (limit, budget): (u32, u32),
    places: &BTreeMap<String, Place>,
) -> Shown<'a> {
    let mut shown = Shown::default();
    let mut left = usize::try_from(budget).unwrap_or(usize::MAX);
    for hit in hits
        .iter()
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
    {
        let body = &hit.memory.body;
        let moment = body.event_time.unwrap_or(hit.memory.stored_at);
        let date = places
            .get(&hit.namespace)
            .map_or_else(String::new, |place| place.zone.date(moment));
        let (text, cut) = shown::line(&hit.text, SHORT);
        let (scope, kind) = (
            call.store.reach.scope_of(&hit.namespace),
            shown::line(body.kind.as_str(), 40).0,
        );
        let score = format!("{:.3}", hit.score);
        let about: String = [Some(kind.as_str()), scope]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        let line = format!("- {} | {score} | {date} | {about} | {text}", hit.id);
        let cost = estimate(&line) + 1;
        if cost > left && !shown.hits.is_empty() {
            break;
        }
        left = left.saturating_sub(cost);
        let rounded: Value = serde_json::from_str(&score).unwrap_or_default();
        let mut entry =
            json!({ "id": hit.id, "score": rounded, "date": date, "kind": kind, "text": text });
        if let Value::Object(entry) = &mut entry {
            entry.extend(scope.map(|scope| ("scope".to_owned(), scope.into())));
            entry.extend(
                hit.newer
                    .map(|newer| ("newer".to_owned(), newer.to_string().into())),
            );
        }
        shown.shortened |= cut;
        shown.hits.push(hit);
        shown.lines.push(line);
        shown.data.push(entry);
    }
    shown
}
