//! Memories of other files.

use std::sync::Arc;

use annals_lifecycle::{SavedState, State};
use annals_records::{Chronicle, Imported};
use annals_types::{Body, NewMemory, Row, Status, Timestamp};

use crate::Error;
use crate::extension::Stored;
use crate::names::Entry;
use crate::timed::named_times;
use crate::{Change, Engine, WriteCx, life};

/// A memory of another file, and what that file knew of its life.
#[derive(Clone)]
pub struct ExportedMemory {
    pub chronicle: Chronicle,
    pub life: Option<SavedState>,
}

impl Engine {
    /// Makes a namespace that does not exist with the profile that an export names, and the last
    /// pass of its job where none is known.
    pub fn begin_import(
        &self,
        entry: Entry<'_>,
        profile: &str,
        last_pass: Option<Timestamp>,
    ) -> Result<(), Error> {
        if entry.id.is_some() {
            return Ok(());
        }
        let ns = self.create_namespace(entry.name, profile)?;
        let Some(last_pass) = last_pass else {
            return Ok(());
        };
        self.write(ns, |cx| {
            let terms = cx.profile.terms_to_live(cx.txn)?;
            if terms.passes.is_empty() {
                let lane = terms.lane;
                annals_lifecycle::make_pass(cx.txn, lane, &cx.profile.policy, last_pass)?;
                let passes = Some(Arc::new(annals_lifecycle::passes(&*cx.txn, lane)?));
                cx.add(Change {
                    passes,
                    ..Change::default()
                });
            }
            Ok(())
        })
    }

    /// Stores memories as another file had them, with vectors and forward lists of every revision,
    /// and lets them live on. Answers which ones existed, and the answer of `also`, which is told
    /// that too.
    pub fn import_memories<T: Send>(
        &self,
        entry: Entry<'_>,
        exported: &[&ExportedMemory],
        also: impl Fn(&mut WriteCx<'_, '_>, &[bool]) -> Result<T, Error> + Sync,
    ) -> Result<(Vec<bool>, T), Error> {
        let chronicles: Vec<Chronicle> = exported
            .iter()
            .map(|exported| exported.chronicle.clone())
            .collect();
        let bodies: Vec<&Body> = chronicles
            .iter()
            .flat_map(|c| c.revisions.iter().map(|version| &version.memory))
            .collect();
        let codes = self.codes(&bodies)?;
        let forwards: Vec<_> = bodies
            .iter()
            .map(|body| Arc::new(super::embed::forward(body)))
            .collect();
        self.write_or_make(entry, |cx| {
            let (ns, now, profile) = (cx.ns, cx.now, cx.profile);
            let written = annals_records::import(
                cx.txn,
                ns,
                now,
                &chronicles,
                &named_times(&profile.settings)?,
            )?;
            let space = self.own_space(cx.txn, ns)?;
            let mut change = Change {
                records: Some(written.delta),
                space: Some(space),
                ..Change::default()
            };
            let mut parts = codes.iter().zip(&forwards);
            for (imported, chronicle) in written.outcome.iter().zip(&chronicles) {
                let own = parts.by_ref().take(chronicle.revisions.len());
                let rows = imported.rows.iter().zip(own);
                for (row, (code, forward)) in rows.filter(|_| !imported.already) {
                    annals_text::store::put(cx.txn, ns, *row, forward)?;
                    space.put(cx.txn, *row, code)?;
                    change.forwards.push((*row, Arc::clone(forward)));
                    change.codes.push((*row, code.clone()));
                }
            }
            cx.add(change);
            live_on(cx, exported, &written.outcome)?;
            let arrived = written
                .outcome
                .iter()
                .zip(&chronicles)
                .filter(|(imported, _)| !imported.already);
            let stored: Vec<Stored<'_>> = arrived
                .filter_map(|(imported, chronicle)| stored(chronicle, imported))
                .collect();
            cx.extensions.appended(cx, &stored)?;
            let already: Vec<bool> = written
                .outcome
                .iter()
                .map(|imported| imported.already)
                .collect();
            let answer = also(cx, &already)?;
            Ok((already, answer))
        })
    }
}

/// The last text of a memory that arrived.
fn stored<'a>(chronicle: &'a Chronicle, imported: &Imported) -> Option<Stored<'a>> {
    let (version, row) = chronicle.revisions.last().zip(imported.rows.last())?;
    let status = version
        .statuses
        .last()
        .map_or(Status::Active, |since| since.status);
    Some(Stored {
        id: chronicle.id,
        row: *row,
        body: &version.memory,
        status,
        imported: true,
    })
}

/// The lives of memories that arrived: as they were where this profile knows their class or gives
/// them no life, else from the beginning.
fn live_on(
    cx: &mut WriteCx<'_, '_>,
    exported: &[&ExportedMemory],
    imported: &[Imported],
) -> Result<(), Error> {
    let (ns, now, profile) = (cx.ns, cx.now, cx.profile);
    let terms = profile.terms_to_live(cx.txn)?;
    let mut lived: Vec<(Row, State)> = Vec::new();
    let mut born: Vec<(Row, State)> = Vec::new();
    for (exported, imported) in exported
        .iter()
        .zip(imported)
        .filter(|(_, imported)| !imported.already)
    {
        let Some((version, row)) = exported
            .chronicle
            .revisions
            .last()
            .zip(imported.rows.last())
        else {
            continue;
        };
        let status = version
            .statuses
            .last()
            .map_or(Status::Active, |since| since.status);
        let known =
            |class: &str| class.is_empty() || profile.policy.classes().any(|known| known == class);
        // Where the profile gives no life, the one that it brings stays, as in a namespace that
        // goes under such a profile.
        let governed = profile.governs(version.memory.layer);
        match exported
            .life
            .clone()
            .filter(|life| !governed || known(&life.class))
        {
            Some(life) => lived.push((*row, life.state(status))),
            // A memory that was replaced begins no life; one that it got by being used stays its
            // own.
            None if version.replaced_at.is_some() => {}
            None => {
                let memory = NewMemory::from_body(version.memory.clone())?;
                let placed = life::place(profile, &memory, version.stored_at)?;
                born.extend(placed.map(|placed| (*row, placed.state(version.stored_at, status))));
            }
        }
    }
    if !lived.is_empty() {
        let lived = annals_lifecycle::take_over(cx.txn, ns, &terms.regime(), now, lived)?;
        cx.add_life([lived]);
    }
    if !born.is_empty() {
        let born = annals_lifecycle::register(cx.txn, ns, &terms.regime(), now, born)?;
        cx.add_life([born]);
    }
    Ok(())
}
