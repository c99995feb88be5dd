//! How much a memory matters, changed by hand.

use annals_types::{MemoryId, NamespaceId};

use super::{Change, Engine, changed, life};
use crate::{Adjustment, Error};

impl Engine {
    /// Changes how much a memory matters; answers its score before and after.
    pub(crate) fn adjust(&self, ns: NamespaceId, id: MemoryId, by: Adjustment) -> Result<(f64, f64), Error> {
        let given = [by.importance.unwrap_or_default(), by.add];
        if !given.iter().all(|number| number.is_finite()) {
            return Err(Error::bad_input("an importance must be a number"));
        }
        self.write(ns, |txn, at| {
            let before = changed::worth(txn, at, &[id])?;
            let terms = at.rulebook.terms_to_live(txn)?;
            let (scores, life) = life::adjusted(txn, ns, (at.rulebook, &terms.regime()), at.now, (id, &by))?;
            let written = annals_records::adjusted(txn, ns, at.now, &[id])?;
            changed::note_worth(txn, at, before)?;
            Ok((scores, Change { records: Some(written.delta), life, ..Change::default() }))
        })
    }
}
