//! How much a memory matters, changed by hand.

use annals_types::{MemoryId, NamespaceName};

use super::revise::Place;
use super::{Change, Engine, changed, life};
use crate::{Adjustment, Error};

impl Engine {
    /// Changes how much a memory matters; answers its score before and after.
    pub(crate) fn adjust(&self, name: &NamespaceName, id: MemoryId, by: Adjustment) -> Result<(f64, f64), Error> {
        let given = [by.importance.unwrap_or_default(), by.add];
        if !given.iter().all(|number| number.is_finite()) {
            return Err(Error::bad_input("an importance must be a number"));
        }
        let now = self.now();
        self.write(name, false, |txn, ns| {
            let rulebook = self.rulebooks.of(&*txn, ns)?;
            let at = Place { ns, now, rulebook: &rulebook };
            let before = changed::worth(txn, at, &[id])?;
            let terms = rulebook.terms_to_live(txn)?;
            let (scores, life) = life::adjusted(txn, ns, (&rulebook, &terms.regime()), now, (id, &by))?;
            let written = annals_records::adjusted(txn, ns, now, &[id])?;
            changed::note_worth(txn, at, before)?;
            Ok((scores, Change { records: Some(written.delta), life, ..Change::default() }))
        })
    }
}
