//! Hits and reasons as a person reads them.

use std::collections::{BTreeMap, HashMap};

use annals::{Explanation, GraphTrace, Hit, MemoryId, Nearness, Route, Trigger, WhyNot};

use crate::failure::cause;
use crate::paint::Paint;
use crate::texts::{term, text};
use crate::{card, visible, wrap};

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
    /// How memories begin that are newer than a hit.
    pub(crate) newer: &'a HashMap<MemoryId, String>,
}

/// The most characters of a memory by which it is named.
const BEGINNING: usize = 32;

/// How a memory begins.
pub(crate) fn beginning(text: &str) -> String {
    let line = visible::line(text);
    let cut = line.char_indices().nth(BEGINNING);
    match cut {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default().trim_end()),
        None => line.into_owned(),
    }
}

/// Whether a hit scores less than it takes to come into a prompt.
pub(crate) fn is_below(hit: &Hit, floors: &BTreeMap<String, f32>) -> bool {
    floors
        .get(&hit.namespace)
        .is_some_and(|floor| hit.score < *floor)
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
        head.push(paint.dim(&text!("recall-below-floor")));
    }
    let explained = rank <= view.explained;
    if let Some(newer) = hit.newer {
        // Where no ids are shown, one more would name nothing.
        let mark = match view.newer.get(&newer).filter(|_| !explained) {
            Some(begins) => text!("recall-newer-text", begins),
            None => text!("recall-newer", newer = newer.to_string()),
        };
        head.push(paint.dim(&mark));
    }
    head.extend(card::marks(&hit.memory).iter().map(|mark| paint.dim(mark)));
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
        let Some(value) = part.value.filter(|_| part.contribution.abs() >= 0.0005) else {
            continue;
        };
        let bar = bar(part.contribution);
        let bar = if part.contribution < 0.0 {
            paint.warning(&bar)
        } else {
            paint.good(&bar)
        };
        let name = paint.dim(&wrap::pad(&term("feature", part.feature.as_str()), 11));
        out.push_str(
            format!(
                "{INDENT}  {name} {value:>5.2}  {:+.3}  {bar}",
                part.contribution
            )
            .trim_end(),
        );
        out.push('\n');
    }
    let mut facts = Vec::new();
    if !explanation.matched.is_empty() {
        let words: Vec<_> = explanation
            .matched
            .iter()
            .map(|word| visible::line(word).into_owned())
            .collect();
        facts.push(text!(
            "recall-words",
            words = words.join(&text!("common-comma"))
        ));
    }
    if !explanation.found_by.is_empty() {
        let channels: Vec<_> = explanation
            .found_by
            .iter()
            .map(|channel| term("channel", &word_of(channel)))
            .collect();
        facts.push(text!(
            "recall-found-by",
            channels = channels.join(&text!("common-comma"))
        ));
    }
    facts.extend(
        explanation
            .named_time
            .map(|time| text!("recall-names-time", time = card::stretch(&time))),
    );
    facts.extend(explanation.graph.as_ref().map(near));
    if !facts.is_empty() {
        out.push_str(&format!("{INDENT}  {}\n", paint.dim(&facts.join(" | "))));
    }
}

/// How near a memory is in the graph.
fn near(nearness: &Nearness) -> String {
    let by = match &nearness.by {
        Some(Route::Entity { name }) => text!("recall-by-entity", name = visible::line(name)),
        Some(Route::Link {
            relation, outgoing, ..
        }) => {
            let relation = visible::line(relation);
            if *outgoing {
                text!("recall-near-link-to", relation)
            } else {
                text!("recall-near-link-from", relation)
            }
        }
        _ => String::new(),
    };
    match nearness.distance {
        0 => text!("recall-near-0", by),
        1 => text!("recall-near-1", by),
        steps => text!("recall-near-steps", steps, by),
    }
}

/// The part of the graph in an answer, in a sentence.
pub(crate) fn graph(trace: &GraphTrace) -> String {
    let mut parts = vec![text!("recall-graph-mode", mode = trace.mode)];
    if !trace.entities.is_empty() {
        let names: Vec<_> = trace
            .entities
            .iter()
            .map(|name| visible::line(name).into_owned())
            .collect();
        parts.push(text!("recall-graph-named", names = names.join(", ")));
    }
    if !trace.passed.is_empty() {
        let names: Vec<_> = trace
            .passed
            .iter()
            .map(|name| visible::line(name).into_owned())
            .collect();
        parts.push(text!("recall-graph-passed", names = names.join(", ")));
    }
    let steps = match trace.depth {
        0 if trace.trigger.is_some() => text!("recall-graph-no-start"),
        0 => text!("recall-graph-not-followed"),
        1 => text!("recall-graph-followed-1"),
        steps => text!("recall-graph-followed", steps),
    };
    parts.push(match &trace.trigger {
        Some(Trigger::CauseWord { word } | Trigger::RelationWord { word }) => {
            text!(
                "recall-graph-because-word",
                steps,
                word = format!("{word:?}")
            )
        }
        Some(Trigger::LowSimilarity { best }) => {
            text!(
                "recall-graph-because-likeness",
                steps,
                best = format!("{best:.2}")
            )
        }
        _ => steps,
    });
    if let Some(relations) = &trace.relations {
        parts.push(text!("recall-graph-by", relations = relations.join(", ")));
    }
    if trace.cut.is_some() {
        parts.push(text!("recall-graph-cut"));
    }
    parts.join("; ")
}

fn bar(contribution: f32) -> String {
    let filled = (contribution.abs() * BAR_WIDTH).round();
    (0_u8..40)
        .take_while(|step| f32::from(*step) < filled)
        .map(|_| '#')
        .collect()
}

/// The word that a value has in JSON.
fn word_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Why a memory was not returned, in sentences.
pub(crate) fn why_not(reason: &WhyNot, paint: Paint) -> String {
    let (sentence, explanation) = match reason {
        WhyNot::Returned { rank } => (text!("recall-why-returned", rank), None),
        WhyNot::Missing => (text!("recall-why-missing"), None),
        WhyNot::Filtered { mismatch } => {
            let mismatch = cause(&mismatch.wording()).unwrap_or_else(|| mismatch.to_string());
            (text!("recall-why-filtered", mismatch), None)
        }
        WhyNot::NoCandidate {
            explanation,
            last_hit,
        } => {
            let against = last_hit.map_or(String::new(), |score| {
                text!("recall-why-against", score = format!("{score:.3}"))
            });
            (
                text!(
                    "recall-why-no-candidate",
                    score = format!("{:.3}", explanation.score),
                    against
                ),
                Some(explanation),
            )
        }
        WhyNot::BelowMinimum {
            explanation,
            min_score,
        } => (
            text!(
                "recall-why-below",
                score = format!("{:.3}", explanation.score),
                min_score = format!("{min_score:.3}")
            ),
            Some(explanation),
        ),
        WhyNot::Outranked { explanation, rank } => (
            text!(
                "recall-why-outranked",
                score = format!("{:.3}", explanation.score),
                rank
            ),
            Some(explanation),
        ),
        WhyNot::TooAlike { explanation, rank } => (
            text!(
                "recall-why-alike",
                score = format!("{:.3}", explanation.score),
                rank
            ),
            Some(explanation),
        ),
        _ => (text!("recall-why-other"), None),
    };
    let mut out = format!("{sentence}\n");
    if let Some(explanation) = explanation {
        push_reasons(&mut out, explanation, paint);
    }
    out
}
