//! Attachments that have expired.

use annals_types::{MemoryId, NamespaceId, Row};

use crate::Engine;
use crate::Error;
use crate::jobs::rules::HELD;
use crate::jobs::{Counts, LEFT, PutOff, Run, StepResult, add, number};

impl Engine {
    /// Deletes the memories with attachments that have expired, whether or not they have a life of
    /// their own. The attached files do not belong to this engine, and stay.
    pub(crate) fn delete_attachments(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        let (mut counts, mut put_off) = (Counts::new(), None);
        let ahead = self.is_clock_ahead(run.profile, run.spaces, run.at)?;
        for (ns, name) in run.spaces {
            if !self.is_there(*ns)? {
                continue;
            }
            let rows = self.expired_attachments(run, *ns)?;
            if ahead {
                add(
                    &mut counts,
                    Some((HELD.to_owned(), number(rows.len())))
                        .into_iter()
                        .collect(),
                );
                continue;
            }
            for rows in rows.chunks(run.batch().max(1)) {
                if self.worker.is_stopping() {
                    return Ok(StepResult::Interrupted);
                }
                match self.delete_rows(run, *ns, rows) {
                    Err(error) if error.is_gone() => break,
                    Err(error) if error.has_left() => {
                        *counts.entry(LEFT.to_owned()).or_insert(0) += 1;
                        put_off = put_off.or(Some(PutOff::by_profile(name)));
                        break;
                    }
                    deleted => add(&mut counts, deleted?),
                }
            }
        }
        Ok(StepResult::of(counts, put_off))
    }

    fn expired_attachments(&self, run: &Run<'_>, ns: NamespaceId) -> Result<Vec<Row>, Error> {
        let view = self.view(ns)?;
        let expired = |row: &Row| {
            let facts = view.columns.get(*row).filter(|facts| !facts.replaced);
            facts
                .and_then(|facts| facts.expires_at)
                .is_some_and(|expires| expires < run.at)
        };
        let rows: Vec<Row> = view.columns.rows().filter(expired).collect();
        let memories = annals_records::memories(&self.snapshot()?, ns, &rows, Some(&view.columns))?;
        let attached = rows.into_iter().zip(memories).filter(|(_, memory)| {
            let turn = memory.as_ref().and_then(|memory| memory.body.turn.as_ref());
            turn.is_some_and(|turn| !turn.attachments.is_empty())
        });
        Ok(attached.map(|(row, _)| row).collect())
    }

    fn delete_rows(&self, run: &Run<'_>, ns: NamespaceId, rows: &[Row]) -> Result<Counts, Error> {
        let deleted = self.write_under(ns, run.profile, run.at, |cx| {
            let ids = annals_records::ids_of(&*cx.txn, ns, rows)?;
            let ids: Vec<MemoryId> = ids.into_iter().flatten().collect();
            if ids.is_empty() {
                return Ok(0);
            }
            let removal = self.erase_in(cx, &ids)?;
            Ok(removal.memories.len())
        })?;
        Ok([("deleted".to_owned(), number(deleted))].into())
    }
}
