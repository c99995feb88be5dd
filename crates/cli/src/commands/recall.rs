use std::collections::{BTreeMap, BTreeSet, HashMap};

use annals::blocking::Memory;
use annals::profile::RecallMode;
use annals::{Answer, Explanation, GraphTrace, Hit, MemoryId, Query, Timestamp, UnitScore, WhyNot};
use serde::Serialize;

use crate::app::{Access, App, Record};
use crate::card;
use crate::explain::{self, View};
use crate::failure::Failure;
use crate::moment::time;
use crate::range::within;
use crate::selection::Selection;
use crate::texts::{language, text};

/// Arguments of `annals recall`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals recall \"where do I live now?\"
  annals recall \"what did we decide?\" --context \"About the database.\" --since 2026-01-01
  annals recall \"why did I move?\" --mode deep --explain
  annals recall \"which editor?\" --explain --why-not 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals recall \"birthday\" -n user:42 -n team --top-k 3 --json

`annals search` is the same command.")]
pub(crate) struct Args {
    /// The question, or the message that is to be answered
    question: String,
    /// The most hits [default: 10]
    #[arg(long, short = 'k', value_name = "NUMBER", allow_negative_numbers = true,
        value_parser = within::<u32>(1..=10_000))]
    top_k: Option<u32>,
    /// The least score of a hit, 0 to 1 [default: 0]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    min_score: Option<f32>,
    /// How much likeness to better hits counts against a hit, 0 to 1 [default: 0]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    diversity: Option<f32>,
    /// A message before the question, oldest first; may be given several times
    #[arg(long, value_name = "TEXT")]
    context: Vec<String>,
    /// Answer from what was stored at this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    as_of: Option<Timestamp>,
    /// The moment of the question, from which "yesterday" counts [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    asked_at: Option<Timestamp>,
    /// Whether triples and links are followed: fast, deep or auto [default: the profile's]
    #[arg(long, value_name = "MODE")]
    mode: Option<RecallMode>,
    /// Steps over triples and links; 0 for none
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true,
        value_parser = within::<u32>(0..=u32::MAX.into()))]
    expand_depth: Option<u32>,
    /// Follow links of this relation only; may be given several times
    #[arg(long, value_name = "NAME")]
    relation: Vec<String>,
    /// Say where each score comes from
    #[arg(long)]
    explain: bool,
    /// Say why this memory is not among the hits
    #[arg(long, value_name = "ID")]
    why_not: Option<MemoryId>,
    #[command(flatten)]
    selection: Selection,
}

/// Asks one namespace or several.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mut query = query(args)?;
    app.note_as_of(query.as_of)?;
    let memory = app.open(Access::Existing)?;
    let names = app.settings.namespaces.clone();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for name in &names {
        app.asked(&memory, name)?;
    }
    check_relations(&args.relation, &names, &memory)?;
    let several = names.len() > 1;
    let floors = floors(&names, &memory)?;
    // Hits below the floor come into no prompt, and are shown to a person with a mark.
    query
        .min_score
        .get_or_insert(UnitScore::new("min-score", 0.0)?);
    let mut answer = if several {
        if args.why_not.is_some() {
            return Err(Failure::usage(text!("recall-why-not-one-namespace")));
        }
        memory.answer_across(&names, query)?
    } else {
        memory.namespace(app.namespace_name()?)?.answer(query)?
    };
    if app.json {
        for name in &names {
            let here = answer
                .hits
                .iter_mut()
                .filter(|hit| hit.namespace == *name)
                .map(|hit| &mut hit.memory);
            card::age(&memory.namespace(name)?, here)?;
        }
        return app.answer_json(&view_of(&answer, args.explain, &floors));
    }
    let newer = newer(&answer.hits, &memory)?;
    let explained = if args.explain { answer.hits.len() } else { 0 };
    let view = View {
        paint: app.paint,
        width: app.width(),
        explained,
        namespaces: several,
        floors: &floors,
        newer: &newer,
    };
    app.note_by_words(answer.without_vectors.as_deref())?;
    if let Some(graph) = &answer.graph {
        graph.notes.iter().try_for_each(|note| app.note(note))?;
        if args.explain {
            app.note(&explain::graph(graph))?;
        }
    }
    if answer.hits.is_empty() {
        let asked = names
            .iter()
            .map(|name| memory.namespace(name))
            .collect::<Result<Vec<_>, _>>()?;
        app.note_missing_kinds(args.selection.kinds(), &asked)?;
        app.note(&nothing(args))?;
    }
    if !answer.hits.is_empty() && !answer.answered.is_likely() {
        let (probability, least) = (answer.answered.probability, answer.answered.least);
        let shown = |digits: usize| [probability, least].map(|share| format!("{share:.digits$}"));
        // One that falls short by little is not shown as reaching it.
        let differ = |digits: &usize| {
            let [probability, least] = shown(*digits);
            probability != least
        };
        let [probability, least] = shown((2..MOST_DIGITS).find(differ).unwrap_or(MOST_DIGITS));
        app.note(&text!("recall-unlikely", probability, least))?;
    }
    app.print(&explain::hits(&answer.hits, view))?;
    if !answer.hits.is_empty() {
        app.note_utc()?;
    }
    if let Some(note) = below(&answer, &floors) {
        app.note(&note)?;
    }
    match &answer.why_not {
        Some(reason) => app.print(&explain::why_not(reason, app.paint)),
        None => Ok(()),
    }
}

fn query(args: &Args) -> Result<Query, Failure> {
    let unit =
        |field, value: Option<f32>| value.map(|value| UnitScore::new(field, value)).transpose();
    let query = Query {
        context: args.context.clone(),
        filter: args.selection.filter()?,
        top_k: args.top_k,
        min_score: unit("min-score", args.min_score)?,
        diversity: unit("diversity", args.diversity)?,
        as_of: args.as_of,
        asked_at: args.asked_at,
        why_not: args.why_not,
        mode: args.mode,
        expand_depth: args.expand_depth,
        relations: (!args.relation.is_empty()).then(|| args.relation.clone()),
        ..Query::new(args.question.as_str())
    };
    query.check()?;
    Ok(query)
}

/// Refuses a relation that links have in none of the namespaces.
fn check_relations(relations: &[String], names: &[&str], memory: &Memory) -> Result<(), Failure> {
    let (mut known, mut shown) = (BTreeSet::new(), BTreeSet::new());
    for name in names.iter().filter(|_| !relations.is_empty()) {
        let settings = memory.namespace(name)?.admin().settings()?;
        known.extend(
            settings
                .graph
                .relations
                .iter()
                .map(|rule| rule.name.clone()),
        );
        shown.extend(
            settings
                .graph
                .relation_names(language().tag())
                .into_iter()
                .map(str::to_owned),
        );
    }
    let Some(unknown) = relations.iter().find(|relation| !known.contains(*relation)) else {
        return Ok(());
    };
    let known = shown.into_iter().collect::<Vec<_>>().join(", ");
    Err(Failure::usage(text!(
        "recall-no-relation",
        relation = format!("{unknown:?}"),
        known
    )))
}

/// The most digits of a probability.
const MOST_DIGITS: usize = 6;

/// How the memories begin that are newer than a hit.
fn newer(hits: &[Hit], memory: &Memory) -> Result<HashMap<MemoryId, String>, Failure> {
    let mut begin = HashMap::new();
    for hit in hits {
        let Some(id) = hit.newer else {
            continue;
        };
        let found = memory.namespace(hit.namespace.as_str())?.get(id)?;
        begin.extend(found.map(|found| (id, explain::beginning(&found.body.text))));
    }
    Ok(begin)
}

/// Why there is no hit.
fn nothing(args: &Args) -> String {
    match args.min_score.filter(|least| *least > 0.0) {
        Some(least) => {
            text!("recall-none-scores", least = format!("{least:.3}"))
        }
        None => text!("recall-none"),
    }
}

/// The least score with which a hit comes into a prompt, for each namespace.
fn floors(names: &[&str], memory: &Memory) -> Result<BTreeMap<String, f32>, Failure> {
    names
        .iter()
        .map(|name| Ok(((*name).to_owned(), memory.namespace(name)?.admin().floor()?)))
        .collect()
}

/// How many hits are below the floor of their namespace.
fn below(answer: &Answer, floors: &BTreeMap<String, f32>) -> Option<String> {
    let below: Vec<f32> = answer
        .hits
        .iter()
        .filter(|hit| explain::is_below(hit, floors))
        .filter_map(|hit| floors.get(&hit.namespace).copied())
        .collect();
    let most = below.iter().copied().reduce(f32::max)?;
    let count = below.len();
    Some(text!("recall-below", count, most = format!("{most:.3}")))
}

/// The answer in JSON. Built without `json!`, which would turn 0.9 into 0.8999999761581421.
#[derive(Serialize)]
struct AnswerView<'a> {
    hits: Vec<HitView<'a>>,
    /// The probability that anything answers, 0 to 1.
    answered: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<&'a WhyNot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    without_vectors: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<&'a GraphTrace>,
}

#[derive(Serialize)]
struct HitView<'a> {
    namespace: &'a str,
    id: MemoryId,
    score: f32,
    text: &'a str,
    memory: &'a Record,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    below_floor: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    newer: Option<MemoryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
}

fn view_of<'a>(
    answer: &'a Answer,
    explain: bool,
    floors: &BTreeMap<String, f32>,
) -> AnswerView<'a> {
    let hits = answer.hits.iter().map(|hit| HitView {
        namespace: &hit.namespace,
        id: hit.id,
        score: hit.score,
        text: &hit.text,
        memory: &hit.memory,
        below_floor: explain::is_below(hit, floors),
        newer: hit.newer,
        explanation: explain.then_some(&hit.explanation),
    });
    AnswerView {
        hits: hits.collect(),
        answered: answer.answered.probability,
        why_not: answer.why_not.as_ref(),
        without_vectors: answer.without_vectors.as_deref(),
        graph: answer.graph.as_ref().filter(|_| explain),
    }
}
