//! Which of several memories of one thing comes first.

use std::collections::BTreeSet;

use annals_text::{Forward, Term, TextError};
use annals_types::{Row, Script};

use crate::features::Valuer;
use crate::plan::{Embedded, Plan};
use crate::rank::{Scored, Sources};
use crate::{Feature, RecallError};

/// The places after the first at which another memory of the same thing is looked for.
const LOOKED_AT: usize = 7;

/// What another memory of the same thing has to be like.
struct Nearness {
    /// The share of the first one's score that it has.
    score: f32,
    /// Its likeness in meaning to the question.
    own: f32,
    /// The share of the first one's words of the question that it holds.
    coverage: f32,
    /// Its place, as seen from the first one, in the embedder's range.
    place: f32,
    /// How far apart they are, in milliseconds; in one conversation, unless the question asks how it
    /// is now or was before, a week at least: there a talk goes on, and replaces nothing.
    apart: i64,
    /// The most terms of either: a long message is not of one thing.
    terms: u16,
}

const WEEK: i64 = 7 * 24 * 3_600_000;

/// Where the question asks how it is now or was before, and in a prompt, where the other stands
/// beside it.
const ASKED: Nearness = Nearness {
    score: 0.5,
    own: 0.5,
    coverage: 0.0,
    place: 0.63,
    apart: 1,
    terms: 24,
};

/// Where the question says nothing of it. Measured on eight sets: recall@1 of updates 0.42, without
/// it 0.25.
const UNASKED: Nearness = Nearness {
    score: 0.6,
    own: 0.65,
    coverage: 0.0,
    place: 0.63,
    apart: 1,
    terms: 12,
};

/// Longer ones of which the score says as good as nothing.
const EVEN: Nearness = Nearness {
    score: 0.98,
    own: 0.4,
    coverage: 1.0,
    place: 1.0,
    apart: WEEK,
    terms: 60,
};

/// Terms of Chinese, characters and pairs of them, that say as much as an English one.
const HAN_TERMS: u16 = 4;

/// How much better than the memory whose place it takes the other one is made.
const AHEAD: f32 = 1e-4;

/// Puts the newest of the memories of one thing first, or the older one where the question asks how
/// it was before. `scored` is sorted, best first.
///
/// Two memories are of one thing where both are like the question and like each other, and neither
/// is long. No list of words of change decides.
pub(crate) fn put_newest_first(
    scored: &mut Vec<Scored>,
    sources: &Sources<'_>,
    plan: &Plan,
    valuer: &Valuer<'_>,
    embedded: &Embedded,
) -> Result<(), RecallError> {
    let nearness = [if plan.asks_state() { &ASKED } else { &UNASKED }, &EVEN];
    // One step leads back to how it was before; twice, because what was replaced may have been
    // replaced again.
    for _ in 0..if plan.earlier { 1 } else { 2 } {
        let Some(other) = of_one_thing(scored, sources, plan, valuer, embedded, &nearness)? else {
            break;
        };
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
    Ok(())
}

/// The place of the memory that is most like the first one, and newer, or older where that is asked
/// for.
fn of_one_thing(
    scored: &[Scored],
    sources: &Sources<'_>,
    plan: &Plan,
    valuer: &Valuer<'_>,
    embedded: &Embedded,
    nearness: &[&Nearness],
) -> Result<Option<usize>, RecallError> {
    let first = scored.first().filter(|first| first.tells());
    let known = first.and_then(|first| sources.columns.get(first.row));
    let (Some(first), Some(known)) = (first, known) else {
        return Ok(None);
    };
    let terms = |s: &Scored, script| match script {
        Script::Han => valuer.length(s.row) / HAN_TERMS,
        _ => valuer.length(s.row),
    };
    let mut near: Vec<Near> = Vec::new();
    for (at, other) in scored
        .iter()
        .enumerate()
        .skip(1)
        .take(LOOKED_AT)
        .filter(|(_, other)| other.tells())
    {
        let Some(facts) = sources.columns.get(other.row) else {
            continue;
        };
        let apart = match plan.earlier {
            true => known.time().millis_since(facts.time()),
            false => facts.time().millis_since(known.time()),
        };
        let Some(cosine) = sources.vectors.between(first.row, other.row) else {
            continue;
        };
        let place = embedded
            .calibration
            .range(known.script, facts.script)
            .place(cosine);
        let longer = terms(first, known.script).max(terms(other, facts.script));
        let goes_on = known.session.is_some() && known.session == facts.session;
        let least = if goes_on && !plan.asks_state() {
            WEEK
        } else {
            1
        };
        let is_near = |near: &&Nearness| {
            apart >= near.apart.max(least)
                && longer <= near.terms
                && place >= near.place
                && other.score >= first.score * near.score
                && other.value(Feature::Own) >= near.own
                && valuer.coverage(other.row) >= valuer.coverage(first.row) * near.coverage
        };
        if nearness.iter().any(is_near) {
            near.push(Near {
                place,
                at,
                row: other.row,
                is_close: apart < WEEK,
            });
        }
    }
    near.sort_by(|a, b| b.place.total_cmp(&a.place));
    // Of two things that are alike a prompt gets both, with their days, in either order.
    if plan.for_prompt {
        return Ok(near.first().map(|other| other.at));
    }
    let mut contents: Option<Contents> = None;
    for other in &near {
        let kept = valuer.kept(first.row, other.row);
        let is_sure = kept >= 1.0 - LACKED || !other.is_close && kept <= OWN_WORDS;
        if !is_sure && contents.is_none() {
            contents = Some(Contents::read(first.row, &near, sources, valuer)?);
        }
        if is_sure
            || contents
                .as_ref()
                .is_some_and(|contents| contents.is_of_the_same(other))
        {
            return Ok(Some(other.at));
        }
    }
    Ok(None)
}

/// A memory that is like the first one in meaning.
struct Near {
    /// Its place, as seen from the first one, in the embedder's range.
    place: f32,
    /// Its place among those that are scored.
    at: usize,
    row: Row,
    /// Whether less than a week lies between them.
    is_close: bool,
}

/// What another memory may lack of what the question asks and the first one holds, as a share, to be
/// of the same thing.
const LACKED: f32 = 0.15;

/// As much of it or less says that the other one is told in words of its own ("I moved to Lyon" for
/// "I live in Nice"): meaning alone decides.
const OWN_WORDS: f32 = 0.3;

/// What memories say beside what the question asks, which tells whether another one is of the thing
/// that the first one is of, and not of a thing like it: "my mother's birthday" is no newer "my
/// brother's birthday", though both are alike in meaning.
///
/// It is where it says all that the question asks and the first one says ([`LACKED`]), or repeats what
/// the first one says beside that, as its old value ("I left Siemens"). Otherwise, where a week lies
/// between them, also where it is told in words of its own ([`OWN_WORDS`]), or brings nothing more
/// than the first one does: another name would be more.
///
/// On 24 pairs of a fact and its correction and 16 of two things alike, in two languages, the wrong
/// one stood first of 8 and 2 a minute apart and of 7 and 2 half a year apart; by meaning alone of 23
/// and 1 (corrections within a week were no corrections), and of 5 and 13. MRR of memdaily-dev, whose
/// facts are all of the same days, is 0.936 for 0.953.
struct Contents {
    first: BTreeSet<Term>,
    others: Vec<(Row, BTreeSet<Term>)>,
}

impl Contents {
    /// Reads the terms of the first memory and of those near it in one round.
    fn read(
        first: Row,
        near: &[Near],
        sources: &Sources<'_>,
        valuer: &Valuer<'_>,
    ) -> Result<Self, RecallError> {
        let rows: Vec<Row> = std::iter::once(first)
            .chain(near.iter().map(|other| other.row))
            .collect();
        let namespace = sources.text.namespace();
        let forwards = match annals_text::store::forwards(sources.reads, namespace, &rows) {
            // Nothing but the order depends on it here: a check of the file tells of it.
            Err(TextError::DamagedForward { .. }) => Vec::new(),
            read => read?,
        };
        // Single characters are alike by chance.
        let says = |forward: Forward| -> BTreeSet<Term> {
            let own = forward
                .entries()
                .iter()
                .filter(|(_, counts)| counts.text > 0);
            own.map(|(term, _)| *term)
                .filter(|term| *term != Term::TIME && !matches!(term.characters(), Some((_, None))))
                .filter(|term| !valuer.asks_for(*term))
                .collect()
        };
        let mut found = rows.into_iter().zip(forwards);
        let first = found.next().and_then(|(_, forward)| forward);
        Ok(Self {
            first: first.map_or_else(BTreeSet::new, says),
            others: found
                .filter_map(|(row, forward)| Some((row, says(forward?))))
                .collect(),
        })
    }

    fn is_of_the_same(&self, other: &Near) -> bool {
        let found = self.others.iter().find(|(row, _)| *row == other.row);
        found.is_some_and(|(_, others)| {
            let repeats = !self.first.is_disjoint(others);
            repeats || !other.is_close && others.len() <= self.first.len()
        })
    }
}

/// The hits that belong into a prompt: those near the best that say something, each thing once.
/// `near_best` is the least share of the best score.
pub(crate) fn worth_telling(
    scored: &[Scored],
    sources: &Sources<'_>,
    embedded: Option<&Embedded>,
    near_best: f32,
) -> Vec<Scored> {
    let telling = || {
        scored
            .iter()
            .filter(|s| s.value(Feature::Tells) >= TOLD_BESIDE)
    };
    let best = telling().map(|s| s.score).fold(0.0, f32::max);
    let mut chosen: Vec<Scored> = Vec::new();
    for candidate in telling().filter(|s| s.score >= best * near_best) {
        if !chosen
            .iter()
            .any(|known| repeats(known.row, candidate.row, sources, embedded))
        {
            chosen.push(*candidate);
        }
    }
    chosen
}

/// What a question without a reply has to tell beside what it asks ("I am allergic to nuts, which
/// bread may I eat?") to stand in a prompt: 2.5 times the length of a short one.
const TOLD_BESIDE: f32 = 0.975;

/// The turns within which somebody else's words are an echo.
const ECHO_TURNS: u32 = 2;

/// How alike two memories are that say the same, as a share of the way from unrelated to equal.
const SAME: f32 = 0.97;

/// Whether a memory says again what a better one says: the same words, or the echo of another
/// speaker beside it.
fn repeats(known: Row, candidate: Row, sources: &Sources<'_>, embedded: Option<&Embedded>) -> bool {
    let (Some(embedded), Some(cosine)) = (embedded, sources.vectors.between(known, candidate))
    else {
        return false;
    };
    let (Some(a), Some(b)) = (sources.columns.get(known), sources.columns.get(candidate)) else {
        return false;
    };
    let range = embedded.calibration.range(a.script, b.script);
    let beside = a.session.is_some()
        && a.session == b.session
        && a.position.abs_diff(b.position) <= ECHO_TURNS;
    let echoes = beside && (a.speaker, a.role) != (b.speaker, b.role) && range.place(cosine) >= 1.0;
    echoes || range.sameness(cosine) >= SAME
}
