//! Whether what is new is something that is known already: decisions, without storage.

use annals_types::Row;
use annals_types::profile::{DedupSettings, MaybeCheck};

/// Something known that resembles what is new.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Its row.
    pub row: Row,
    /// How much it resembles what is new, 0 to 1.
    pub similarity: f64,
    /// Whether the texts have the same words.
    pub same_text: bool,
    /// Whether both are of one kind.
    pub same_kind: bool,
    /// Whether both speak of the same subject and relation.
    pub same_triple_key: bool,
    /// Whether they say different things however alike they are.
    pub contrast: bool,
}

/// The decision on a new memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dedup {
    /// It is something new.
    New,
    /// It is this.
    Same(Row),
    /// A judge has to say whether it is this; if not, it is something new.
    Ask(Row),
}

/// Decides by the most similar candidates, at most as many as the settings say. Equal similarities
/// are decided in favour of the older row. A candidate that names other figures is never the same
/// by its likeness, unless the settings ignore them; where a judge decides on what is less alike,
/// it is asked about that, too.
#[must_use]
pub fn dedup(settings: &DedupSettings, candidates: &[Candidate]) -> Dedup {
    let allowed = |candidate: &&Candidate| !settings.same_kind || candidate.same_kind;
    let mut nearest: Vec<&Candidate> = candidates.iter().collect();
    nearest.sort_by(|a, b| {
        b.similarity
            .total_cmp(&a.similarity)
            .then(a.row.cmp(&b.row))
    });
    if settings.exact_text
        && let Some(same) = nearest
            .iter()
            .copied()
            .filter(allowed)
            .find(|candidate| candidate.same_text)
    {
        return Dedup::Same(same.row);
    }
    if settings.candidates > 0 {
        nearest.truncate(usize::try_from(settings.candidates).unwrap_or(usize::MAX));
    }
    let over = |similarity: f64, limit: Option<f64>| limit.is_some_and(|limit| similarity >= limit);
    let apart = |candidate: &Candidate| candidate.contrast && !settings.ignore_contrast;
    let sure = |candidate: &Candidate| over(candidate.similarity, settings.sure_above);
    // A sure candidate comes before a more similar one about which a judge would have to be asked.
    if let Some(same) = nearest
        .iter()
        .copied()
        .filter(allowed)
        .find(|candidate| sure(candidate) && !apart(candidate))
    {
        return Dedup::Same(same.row);
    }
    for candidate in nearest.into_iter().filter(allowed) {
        let (apart, sure) = (apart(candidate), sure(candidate));
        if !sure && !over(candidate.similarity, settings.maybe_above) {
            return Dedup::New;
        }
        if apart && settings.maybe_check != MaybeCheck::Judge {
            continue;
        }
        let passes = match settings.maybe_check {
            MaybeCheck::None => false,
            MaybeCheck::TripleKey => candidate.same_triple_key,
            MaybeCheck::Judge => return Dedup::Ask(candidate.row),
        };
        if passes {
            return Dedup::Same(candidate.row);
        }
    }
    Dedup::New
}
