//! A namespace goes on under another profile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_lifecycle::{Birth, State};
use annals_records::namespace as directory;
use annals_storage::Transaction;
use annals_types::{Memory, NamespaceId, NamespaceName, NewMemory, Row};

use super::rulebooks::Rulebook;
use super::{Change, Engine, life};
use crate::Error;

impl Engine {
    /// Puts a namespace under a rulebook, whatever it had before.
    pub(crate) fn adopt(&self, name: &NamespaceName, create: bool, rulebook: &Rulebook) -> Result<(), Error> {
        let now = self.now();
        self.write(name, create, |txn, ns| {
            let old = self.rulebooks.of(&*txn, ns)?;
            directory::set_profile(txn, name, rulebook.name.as_ref())?;
            let new_terms = rulebook.terms_to_live(txn)?;
            let old_terms = old.terms(txn)?;
            let memories = current(txn, ns)?;
            let class = |row: Row| -> Option<String> {
                let memory = memories.get(&row)?;
                let birth = Birth { kind: memory.body.kind.as_str().to_owned(), ..Birth::default() };
                Some(rulebook.policy.place(&birth, now).ok()?.class)
            };
            let both = (&old_terms.regime(), &new_terms.regime());
            let every = (Row(0), usize::MAX);
            let mut named = |row: Row, state: &State| class(row).unwrap_or_else(|| state.class.clone());
            let adopted = annals_lifecycle::adopt(txn, ns, both, now, every, &mut named)?;
            let known: BTreeSet<Row> = adopted.delta.rows().collect();
            let mut births = Vec::new();
            for (row, memory) in memories.iter().filter(|(row, _)| !known.contains(*row)) {
                let new = NewMemory::from_body(memory.body.clone())?.with_status(memory.status);
                if let Some(placed) = life::place(rulebook, &new, memory.stored_at)? {
                    births.push((*row, placed.state(memory.stored_at, memory.status)));
                }
            }
            let born = annals_lifecycle::register(txn, ns, &new_terms.regime(), now, births)?;
            Ok(((), Change { life: vec![adopted.delta, born], reload: true, ..Change::default() }))
        })
    }
}

/// The rows that are current, with their memories.
fn current(txn: &Transaction<'_>, ns: NamespaceId) -> Result<BTreeMap<Row, Memory>, Error> {
    let mut rows = Vec::new();
    annals_records::walk(txn, ns, 0..u32::MAX, &mut |row, _| {
        rows.push(row);
        ControlFlow::Continue(())
    })?;
    let mut found = BTreeMap::new();
    for part in rows.chunks(1000) {
        for (row, memory) in part.iter().zip(annals_records::memories(txn, ns, part, None)?) {
            found.extend(memory.map(|memory| (*row, memory)));
        }
    }
    let ids: Vec<_> = found.values().map(|memory| memory.id).collect();
    let current = annals_records::find_rows(txn, ns, &ids)?;
    let rows: BTreeSet<Row> = current.into_iter().flatten().collect();
    found.retain(|row, memory| rows.contains(row) && memory.superseded_by.is_none());
    Ok(found)
}
