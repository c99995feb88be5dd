//! How much a memory matters, changed by hand.

use annals_types::{MemoryId, NamespaceId};

use crate::{Adjustment, Error};
use crate::{Engine, changed, life};

impl Engine {
    /// Changes how much a memory matters; answers its score before and after.
    pub fn adjust(
        &self,
        ns: NamespaceId,
        id: MemoryId,
        by: Adjustment,
    ) -> Result<(f64, f64), Error> {
        let given = [by.importance.unwrap_or_default(), by.add];
        if !given.iter().all(|number| number.is_finite()) {
            return Err(Error::bad_input("an importance must be a number"));
        }
        self.write_kept(ns, |cx| {
            let before = changed::worth(cx, &[id])?;
            cx.profile.terms_to_live(cx.txn)?;
            let scores = life::adjusted(cx, id, &by)?;
            let written = annals_records::adjusted(cx.txn, ns, cx.now, &[id])?;
            changed::note_worth(cx, before)?;
            cx.add_records(written.delta);
            Ok(scores)
        })
    }
}
