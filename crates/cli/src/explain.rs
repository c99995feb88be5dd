//! Hits and reasons as a person reads them.

use std::collections::BTreeMap;

use annals::{Explanation, GraphTrace, Hit, Nearness, Route, Trigger, WhyNot};

use crate::paint::Paint;
use crate::{card, visible};

const INDENT: &str = "     ";
const BAR_WIDTH: f32 = 40.0;

/// How hits are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) paint: Paint,
    pub(crate) width: Option<usize>,
    /// The first so many hits say where their score comes from.
    pub(crate) explained: usize,
    /// Whether each hit names its namespace.
    pub(crate) namespaces: bool,
    /// The least score with which a hit comes into a prompt, for each namespace; a hit that scores
    /// less says so.
    pub(crate) floors: &'a BTreeMap<String, f32>,
}

/// Whether a hit scores less than it takes to come into a prompt.
pub(crate) fn is_below(hit: &Hit, floors: &BTreeMap<String, f32>) -> bool {
    floors.get(&hit.namespace).is_some_and(|floor| hit.score < *floor)
}

pub(crate) fn hits(hits: &[Hit], view: View<'_>) -> String {
    let mut out = String::new();
    for (number, hit) in hits.iter().enumerate() {
        push_hit(&mut out, number + 1, hit, view);
    }
    out
}

fn push_hit(out: &mut String, rank: usize, hit: &Hit, view: View<'_>) {
    let paint = view.paint;
    let mut head = vec![
        format!("{rank:>3}"),
        paint.score(&format!("{:.3}", hit.score)),
        paint.dim(&card::minute(card::moment(&hit.memory))),
        paint.name(&card::who(&hit.memory)),
    ];
    if view.namespaces {
        head.push(paint.bold(&format!("[{}]", visible::line(&hit.namespace))));
    }
    if is_below(hit, view.floors) {
        head.push(paint.dim("below the floor"));
    }
    head.extend(card::marks(&hit.memory).iter().map(|mark| paint.dim(mark)));
    let explained = rank <= view.explained;
    if explained {
        head.push(paint.dim(&hit.id.to_string()));
    }
    out.push_str(&head.join("  "));
    out.push('\n');
    card::push_text(out, &hit.text, INDENT, INDENT, view.width);
    card::push_reply(out, &hit.memory, paint, INDENT, view.width);
    if explained {
        push_reasons(out, &hit.explanation, paint);
    }
}

/// One line per feature that applies, with a bar as long as its contribution, then words and
/// channels.
pub(crate) fn push_reasons(out: &mut String, explanation: &Explanation, paint: Paint) {
    for part in &explanation.parts {
        let Some(value) = part.value.filter(|_| part.contribution.abs() >= 0.0005) else { continue };
        let bar = bar(part.contribution);
        let bar = if part.contribution < 0.0 { paint.warning(&bar) } else { paint.good(&bar) };
        let name = paint.dim(&format!("{:<11}", part.feature.as_str()));
        out.push_str(format!("{INDENT}  {name} {value:>5.2}  {:+.3}  {bar}", part.contribution).trim_end());
        out.push('\n');
    }
    let mut facts = Vec::new();
    if !explanation.matched.is_empty() {
        let words: Vec<_> = explanation.matched.iter().map(|word| visible::line(word).into_owned()).collect();
        facts.push(format!("words: {}", words.join(", ")));
    }
    if !explanation.found_by.is_empty() {
        let channels: Vec<_> = explanation.found_by.iter().map(word_of).collect();
        facts.push(format!("found by: {}", channels.join(", ")));
    }
    facts.extend(explanation.named_time.map(|time| format!("the text names {}", card::stretch(&time))));
    facts.extend(explanation.graph.as_ref().map(near));
    if !facts.is_empty() {
        out.push_str(&format!("{INDENT}  {}\n", paint.dim(&facts.join(" | "))));
    }
}

/// How near a memory is in the graph.
fn near(nearness: &Nearness) -> String {
    let by = match &nearness.by {
        Some(Route::Entity { name }) => format!(" by {}", visible::line(name)),
        Some(Route::Link { relation, outgoing, .. }) => {
            format!(" by a link {} ({})", if *outgoing { "to it" } else { "from it" }, visible::line(relation))
        }
        _ => String::new(),
    };
    match nearness.distance {
        0 => format!("graph: named or found{by}"),
        1 => format!("graph: 1 step{by}"),
        steps => format!("graph: {steps} steps{by}"),
    }
}

/// The part of the graph in an answer, in a sentence.
pub(crate) fn graph(trace: &GraphTrace) -> String {
    let mut parts = vec![format!("graph: mode {}", trace.mode)];
    if !trace.entities.is_empty() {
        let names: Vec<_> = trace.entities.iter().map(|name| visible::line(name).into_owned()).collect();
        parts.push(format!("named {}", names.join(", ")));
    }
    if !trace.passed.is_empty() {
        let names: Vec<_> = trace.passed.iter().map(|name| visible::line(name).into_owned()).collect();
        parts.push(format!("passed over {}, of which too much speaks", names.join(", ")));
    }
    let steps = match trace.depth {
        0 if trace.trigger.is_some() => "not followed: nothing to begin from".to_owned(),
        0 => "not followed".to_owned(),
        1 => "followed for 1 step".to_owned(),
        steps => format!("followed for {steps} steps"),
    };
    parts.push(match &trace.trigger {
        Some(Trigger::CauseWord { word } | Trigger::RelationWord { word }) => format!("{steps}, because of {word:?}"),
        Some(Trigger::LowSimilarity { best }) => format!("{steps}, because the best likeness is {best:.2}"),
        _ => steps,
    });
    if let Some(relations) = &trace.relations {
        parts.push(format!("by {}", relations.join(", ")));
    }
    if trace.cut.is_some() {
        parts.push("ended early by a limit".to_owned());
    }
    parts.join("; ")
}

fn bar(contribution: f32) -> String {
    let filled = (contribution.abs() * BAR_WIDTH).round();
    (0_u8..40).take_while(|step| f32::from(*step) < filled).map(|_| '#').collect()
}

/// The word that a value has in JSON.
fn word_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Why a memory was not returned, in sentences.
pub(crate) fn why_not(reason: &WhyNot, paint: Paint) -> String {
    let (sentence, explanation) = match reason {
        WhyNot::Returned { rank } => (format!("It was returned, in place {rank}."), None),
        WhyNot::Missing => ("There is no memory with that id in the namespace.".to_owned(), None),
        WhyNot::Filtered { mismatch } => (format!("It does not pass the filter: {mismatch}."), None),
        WhyNot::NoCandidate { explanation, last_hit } => {
            let against = last_hit.map_or(String::new(), |score| format!(" against {score:.3} of the last hit"));
            (
                format!(
                    "Neither words nor meaning brought it up; it would have scored {:.3}{against}.",
                    explanation.score
                ),
                Some(explanation),
            )
        }
        WhyNot::BelowMinimum { explanation, min_score } => (
            format!("Its score of {:.3} is below the minimum of {min_score:.3}.", explanation.score),
            Some(explanation),
        ),
        WhyNot::Outranked { explanation, rank } => {
            (format!("Others were better: with {:.3} it came in place {rank}.", explanation.score), Some(explanation))
        }
        WhyNot::TooAlike { explanation, rank } => (
            format!("It is too much like a better hit; with {:.3} it came in place {rank}.", explanation.score),
            Some(explanation),
        ),
        _ => ("It was left out for a reason that this program has no words for.".to_owned(), None),
    };
    let mut out = format!("{sentence}\n");
    if let Some(explanation) = explanation {
        push_reasons(&mut out, explanation, paint);
    }
    out
}
