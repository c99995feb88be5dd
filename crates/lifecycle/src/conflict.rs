//! Settlement of contradictions between memories: decisions, without storage.

use annals_types::profile::{ConflictSettings, ConflictStrategy};
use annals_types::{Row, Timestamp};

/// A memory as far as contradictions go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// Its row.
    pub row: Row,
    /// From when on it is true.
    pub valid_from: Timestamp,
    /// Until when it is true; `None` still is.
    pub valid_until: Option<Timestamp>,
}

/// An older memory that what is new may contradict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// The memory.
    pub claim: Claim,
    /// Whether both are of one kind.
    pub same_kind: bool,
    /// Whether both speak of the same subject and relation.
    pub same_triple_key: bool,
    /// How much both resemble each other, 0 to 1.
    pub similarity: f64,
    /// The judge's answer whether the new one contradicts it; `None` when it was not asked.
    pub judged: Option<bool>,
}

/// Something to do about a contradiction.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Settlement {
    /// The memory is true only until the moment.
    Close {
        /// The memory.
        row: Row,
        /// The moment.
        until: Timestamp,
    },
    /// The newer memory supersedes the older.
    Supersede {
        /// The newer.
        newer: Row,
        /// The older.
        older: Row,
    },
    /// The older memory gets the text of the newer, which goes.
    Replace {
        /// The older, which stays.
        row: Row,
        /// The newer.
        by: Row,
    },
    /// The score of the memory is multiplied.
    Penalize {
        /// The memory.
        row: Row,
        /// By what.
        factor: f64,
    },
    /// The two are linked as contradicting each other.
    Link {
        /// The newer.
        newer: Row,
        /// The older.
        older: Row,
    },
}

/// Whether a judge has to be asked about a rival before [`resolve`] can decide.
#[must_use]
pub fn needs_judge(settings: &ConflictSettings, rival: &Rival) -> bool {
    settings.ask_judge
        && rival.judged.is_none()
        && rival.same_kind
        && !rival.same_triple_key
        && rival.similarity >= settings.min_similarity
}

/// The settlements for a new memory and those that it contradicts: of one kind, and of the same
/// subject and relation or judged so. Time decides which is the newer: a memory that arrives late
/// but is true from an earlier moment on is the older one.
#[must_use]
pub fn resolve(settings: &ConflictSettings, new: &Claim, rivals: &[Rival]) -> Vec<Settlement> {
    let mut settled = Vec::new();
    let contradicts =
        |rival: &&Rival| rival.same_kind && rival.judged.unwrap_or(rival.same_triple_key);
    for rival in rivals.iter().filter(contradicts) {
        let late = new.valid_from < rival.claim.valid_from;
        let (newer, older) = if late {
            (rival.claim, *new)
        } else {
            (*new, rival.claim)
        };
        match settings.strategy {
            ConflictStrategy::None | ConflictStrategy::Commands => {}
            ConflictStrategy::CloseInterval => settled.extend(
                close(newer, older)
                    .into_iter()
                    .chain([supersede(newer, older)]),
            ),
            ConflictStrategy::UpdateInPlace => settled.push(Settlement::Replace {
                row: rival.claim.row,
                by: new.row,
            }),
            ConflictStrategy::Penalty => settled.push(Settlement::Penalize {
                row: older.row,
                factor: settings.penalty,
            }),
            ConflictStrategy::Mark => {
                settled.extend(close(newer, older));
                settled.push(Settlement::Link {
                    newer: newer.row,
                    older: older.row,
                });
            }
        }
    }
    earliest(settled)
}

fn supersede(newer: Claim, older: Claim) -> Settlement {
    Settlement::Supersede {
        newer: newer.row,
        older: older.row,
    }
}

/// Ends the older memory where the newer begins, unless it ended before.
fn close(newer: Claim, older: Claim) -> Option<Settlement> {
    let open = older
        .valid_until
        .is_none_or(|until| until > newer.valid_from);
    open.then_some(Settlement::Close {
        row: older.row,
        until: newer.valid_from,
    })
}

/// Of several ends of one memory the earliest counts.
fn earliest(settled: Vec<Settlement>) -> Vec<Settlement> {
    let mut kept: Vec<Settlement> = Vec::with_capacity(settled.len());
    for one in settled {
        let Settlement::Close { row, until } = one else {
            kept.push(one);
            continue;
        };
        let same = kept
            .iter_mut()
            .find(|other| matches!(other, Settlement::Close { row: closed, .. } if *closed == row));
        match same {
            Some(Settlement::Close { until: first, .. }) => *first = (*first).min(until),
            _ => kept.push(one),
        }
    }
    kept
}
