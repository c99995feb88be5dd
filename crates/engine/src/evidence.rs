//! Triples that a memory has because a decision made two memories one, and their return when that
//! is taken back.

use std::collections::BTreeSet;

use annals_graph::{Asserted, Assertion, Supporter, TripleId};
use annals_storage::{Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Row};

use crate::Error;
use crate::effect::Effect;
use crate::graph::known;
use crate::jobs::tasks::TaskKind;
use crate::{WriteCx, decisions};

/// The triples that a row says.
pub fn said_by(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<BTreeSet<TripleId>, Error> {
    Ok(annals_graph::said(reads, ns, row)?
        .into_iter()
        .map(|said| said.triple)
        .collect())
}

/// That a memory says what another one says, which it said in part before.
pub fn taken_over(
    (id, before): (MemoryId, &BTreeSet<TripleId>),
    (of, said): (MemoryId, impl IntoIterator<Item = TripleId>),
) -> Effect {
    let said: BTreeSet<TripleId> = said.into_iter().collect();
    let (shared, brought) = said.into_iter().partition(|triple| before.contains(triple));
    Effect::Said {
        id,
        of,
        brought,
        shared,
    }
}

/// Stores the triples of a memory that arrived under an id and may be found under another one.
/// Where a decision says that both are one, the triples that it brought are noted with that
/// decision.
pub fn assert_arrived(
    cx: &mut WriteCx<'_, '_>,
    (arrived, id): (MemoryId, MemoryId),
    said: &[Assertion],
) -> Result<Asserted, Error> {
    let rows = known(cx.txn, cx.ns, cx.now, &[id])?;
    if !said.is_empty() {
        // The caller stated the triples: no model has to find them.
        TaskKind::Interpret.withdraw(cx, &[id])?;
    }
    let mut before = BTreeSet::new();
    for row in &rows {
        before.extend(said_by(&*cx.txn, cx.ns, *row)?);
    }
    let supporters: Vec<Supporter> = rows.into_iter().map(Into::into).collect();
    let asserted = annals_graph::assert_evidence(cx.txn, cx.scope(), &supporters, said)?;
    if arrived != id {
        note(
            cx.txn,
            cx.ns,
            taken_over((id, &before), (arrived, asserted.triples.iter().copied())),
        )?;
    }
    Ok(asserted)
}

/// Keeps what an arrival brought with the decision that did not let it be a memory of its own, if
/// there is one.
fn note(txn: &mut Transaction<'_>, ns: NamespaceId, said: Effect) -> Result<(), Error> {
    let Effect::Said { id: into, of, .. } = &said else {
        return Ok(());
    };
    let absorbs = |effect: &Effect| matches!(effect, Effect::Absorbed { id, .. } if id == of);
    let says = |effect: &Effect| matches!(effect, Effect::Said { of: other, .. } if other == of);
    for (number, mut decided) in decisions::list(&*txn, ns, Some(*into), usize::MAX)? {
        let Some(place) = decided.effects.iter().position(absorbs) else {
            // A telling that nobody judged is not kept itself.
            let Some(empty) = decided.effects.iter_mut().find(|effect| says(effect)) else {
                continue;
            };
            *empty = said;
            return decided.put(txn, ns, number);
        };
        decided.effects.insert(place, said.clone());
        if let Some(empty) = decided
            .effects
            .iter()
            .position(says)
            .filter(|earlier| *earlier < place)
        {
            decided.effects.remove(empty);
        }
        return decided.put(txn, ns, number);
    }
    Ok(())
}

/// Gives back the triples that a memory took over when a decision made it one with another: the
/// other one has them again, where it exists, and the first keeps only those that it had before or
/// was told since.
pub(crate) fn give_back(
    cx: &mut WriteCx<'_, '_>,
    number: u64,
    (id, of): (MemoryId, MemoryId),
    (brought, shared): (&[TripleId], &[TripleId]),
) -> Result<(), Error> {
    let rows = annals_records::rows_of(&*cx.txn, cx.ns, &[id])?
        .pop()
        .unwrap_or_default();
    if annals_records::find_rows(&*cx.txn, cx.ns, &[of])?
        .iter()
        .all(Option::is_some)
    {
        let all = [brought, shared].concat();
        for heir in known(cx.txn, cx.ns, cx.now, &[of])? {
            // An earlier text may be the last one that said it.
            for row in rows.iter().rev() {
                annals_graph::lend(cx.txn, cx.scope(), (*row, heir), &all)?;
            }
        }
    }
    let Some(row) = annals_records::find_rows(&*cx.txn, cx.ns, &[id])?
        .pop()
        .flatten()
    else {
        return Ok(());
    };
    let kept = said_by_others(cx.txn, cx.ns, number, id, brought)?;
    let gone: Vec<TripleId> = brought
        .iter()
        .copied()
        .filter(|triple| !kept.contains(triple))
        .collect();
    annals_graph::withdraw(cx.txn, cx.ns, row, &gone)?;
    Ok(())
}

/// Those of some triples that other decisions found a memory to say as well. Such a one has brought
/// them from now on.
fn said_by_others(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
    id: MemoryId,
    triples: &[TripleId],
) -> Result<BTreeSet<TripleId>, Error> {
    let mut kept = BTreeSet::new();
    for (other, mut decided) in decisions::list(&*txn, ns, Some(id), usize::MAX)? {
        if other == number || decided.undone_at.is_some() {
            continue;
        }
        let mut moved = false;
        for effect in &mut decided.effects {
            if let Effect::Said {
                id: by,
                brought,
                shared,
                ..
            } = effect
                && *by == id
            {
                let takes =
                    |triple: &mut TripleId| triples.contains(triple) && kept.insert(*triple);
                let before = brought.len();
                brought.extend(shared.extract_if(.., takes));
                moved |= brought.len() > before;
            }
        }
        if moved {
            decided.put(txn, ns, other)?;
        }
    }
    Ok(kept)
}
