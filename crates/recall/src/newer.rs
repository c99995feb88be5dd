//! Which of several memories of one thing comes first.

use annals_types::Row;

use crate::Feature;
use crate::plan::{Embedded, Plan};
use crate::rank::{Scored, Sources};

/// The places after the first at which another memory of the same thing is looked for.
const LOOKED_AT: usize = 7;

/// The share of the best score that the other memory has at least.
const NEAR: f32 = 0.5;

/// How much better than the memory whose place it takes the other one is made.
const AHEAD: f32 = 1e-4;

/// What says more than a question or a nod.
const TELLS: f32 = 0.5;

/// Puts the newest of the memories of one thing first, or the older one where the question asks how
/// it was before. `scored` is sorted, best first.
///
/// Two memories are of one thing where they are as near each other as a question and its answer:
/// their cosine reaches the high end of the embedder's range. No list of words of change decides.
pub(crate) fn put_newest_first(scored: &mut Vec<Scored>, sources: &Sources<'_>, plan: &Plan, embedded: &Embedded) {
    // One step leads back to how it was before; twice, because what was replaced may have been
    // replaced again.
    for _ in 0..if plan.earlier { 1 } else { 2 } {
        let Some(other) = of_one_thing(scored, sources, plan, embedded) else { return };
        let mut other = scored.remove(other);
        if let Some(first) = scored.first_mut() {
            other.ahead_of = Some(first.score - other.score + AHEAD);
            other.score = (first.score + AHEAD).min(1.0);
            if plan.earlier {
                other.newer = Some(first.row);
            } else {
                first.newer = Some(other.row);
            }
        }
        scored.insert(0, other);
    }
}

/// The place of the memory that is most like the first one, and newer, or older where that is asked for.
fn of_one_thing(scored: &[Scored], sources: &Sources<'_>, plan: &Plan, embedded: &Embedded) -> Option<usize> {
    let first = scored.first()?;
    let known = sources.columns.get(first.row)?;
    if first.value(Feature::Tells) < TELLS {
        return None;
    }
    let mut best: Option<(f32, usize)> = None;
    for (at, other) in scored.iter().enumerate().skip(1).take(LOOKED_AT) {
        let Some(facts) = sources.columns.get(other.row) else { continue };
        let (then, now) = (known.time(), facts.time());
        let fits = if plan.earlier { now < then } else { now > then };
        if !fits || other.score < first.score * NEAR || other.value(Feature::Tells) < TELLS {
            continue;
        }
        let Some(cosine) = sources.vectors.between(first.row, other.row) else { continue };
        let place = embedded.calibration.range(known.script, facts.script).place(cosine);
        if place >= 1.0 && best.is_none_or(|(most, _)| place > most) {
            best = Some((place, at));
        }
    }
    best.map(|(_, at)| at)
}

/// The hits that belong into a prompt: those near the best that say something, each thing once.
/// `near_best` is the least share of the best score.
pub(crate) fn worth_telling(scored: &[Scored], sources: &Sources<'_>, embedded: Option<&Embedded>, near_best: f32) -> Vec<Scored> {
    let telling = || scored.iter().filter(|s| s.value(Feature::Tells) >= TELLS);
    let best = telling().map(|s| s.score).fold(0.0, f32::max);
    let mut chosen: Vec<Scored> = Vec::new();
    for candidate in telling().filter(|s| s.score >= best * near_best) {
        if !chosen.iter().any(|known| repeats(known.row, candidate.row, sources, embedded)) {
            chosen.push(*candidate);
        }
    }
    chosen
}

/// The turns within which somebody else's words are an echo.
const ECHO_TURNS: u32 = 2;

/// How alike two memories are that say the same, as a share of the way from unrelated to equal.
const SAME: f32 = 0.97;

/// Whether a memory says again what a better one says: the same words, or the echo of another speaker beside it.
fn repeats(known: Row, candidate: Row, sources: &Sources<'_>, embedded: Option<&Embedded>) -> bool {
    let (Some(embedded), Some(cosine)) = (embedded, sources.vectors.between(known, candidate)) else { return false };
    let (Some(a), Some(b)) = (sources.columns.get(known), sources.columns.get(candidate)) else { return false };
    let range = embedded.calibration.range(a.script, b.script);
    let beside = a.session.is_some() && a.session == b.session && a.position.abs_diff(b.position) <= ECHO_TURNS;
    let echoes = beside && (a.speaker, a.role) != (b.speaker, b.role) && range.place(cosine) >= 1.0;
    echoes || range.sameness(cosine) >= SAME
}
