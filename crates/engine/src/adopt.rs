//! Namespaces go on under another profile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_lifecycle::{Placed, State};
use annals_records::namespace as directory;
use annals_storage::Transaction;
use annals_types::{Memory, NamespaceId, NamespaceName, NewMemory, Row};

use crate::compiled::{CompiledProfile, PROFILES};
use crate::jobs::tasks::TaskKind;
use crate::names::Entry;
use crate::reviews::withdraw_all;
use crate::{Change, Engine, WriteCx, life};
use crate::{Error, Refusal};

impl Engine {
    /// Puts a namespace under a profile, whatever it had before; answers its number. One that does
    /// not exist is made.
    pub fn adopt(&self, entry: Entry<'_>, profile: &str) -> Result<NamespaceId, Error> {
        self.write_or_make(entry, |cx| {
            let compiled = self.profiles.named(&*cx.txn, profile)?;
            let found = directory::set_profile(cx.txn, cx.ns, profile)?;
            adopt_in(cx, &compiled)?;
            let compiled = self.profiles.for_record(compiled, &found);
            cx.give_profile(found, compiled);
            Ok(cx.ns)
        })
    }

    /// Gives a namespace a language of its own, or that of its profile again. One that does not
    /// exist is made.
    pub fn speak(&self, entry: Entry<'_>, language: Option<&str>) -> Result<NamespaceId, Error> {
        if let Some(code) = language {
            self.known_language(code)?;
        }
        self.write_or_make(entry, |cx| {
            let found = directory::set_language(cx.txn, cx.ns, language)?;
            let compiled = self.profiles.of_record(&*cx.txn, &found)?;
            cx.give_profile(found, compiled);
            Ok(cx.ns)
        })
    }

    /// Makes a namespace with a profile.
    pub fn create_namespace(
        &self,
        name: &NamespaceName,
        profile: &str,
    ) -> Result<NamespaceId, Error> {
        let now = self.now();
        let create = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let compiled = self.profiles.named(&*txn, profile)?;
            let found = directory::create(txn, name, profile, now)?;
            compiled.schedule(txn, now)?;
            let (id, name) = (found.id, name.clone());
            let (names, profiles) = (Arc::clone(&self.names), Arc::clone(&self.profiles));
            let then = move |_| {
                names.learn(name, id);
                profiles.learn(&found, compiled);
            };
            Ok((id, then))
        };
        let (id, _) = self.store.write_then(create)?;
        self.scheduler.ask();
        Ok(id)
    }

    /// Stores the text of a profile, and puts the namespaces that have it under the new text: all
    /// in one transaction, because states and profile must fit together.
    pub fn replace_profile(&self, profile: &Arc<CompiledProfile>, text: &str) -> Result<(), Error> {
        let now = self.now();
        let name = profile.name.as_ref();
        let replace = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let users = directory::list(&*txn)?
                .into_iter()
                .map(|(namespace, _)| namespace);
            let mut adopted = Vec::new();
            for namespace in users.filter(|namespace| namespace.profile == name) {
                adopted.push((namespace.id, self.profiles.of_record(&*txn, &namespace)?));
            }
            PROFILES.put(txn, name, &text.to_owned())?;
            let mut changes = Vec::with_capacity(adopted.len());
            for (ns, old) in adopted {
                let found = directory::set_profile(txn, ns, name)?;
                let mut cx = WriteCx::new(txn, ns, now, &old, &self.extensions);
                adopt_in(&mut cx, profile)?;
                let change = Arc::new(cx.finish()?.0);
                let compiled = self.profiles.for_record(Arc::clone(profile), &found);
                changes.push((found.id, (found, compiled), change));
            }
            let (spaces, profiles) = (Arc::clone(&self.spaces), Arc::clone(&self.profiles));
            let then = move |commit| {
                for (id, found, change) in changes {
                    profiles.learn(&found.0, found.1);
                    spaces.apply(id, commit, change);
                }
            };
            Ok(((), then))
        };
        self.store.write_then(replace)?;
        Ok(())
    }
}

/// Lets the memories of a namespace go on under another profile with the score that they have now.
fn adopt_in(cx: &mut WriteCx<'_, '_>, new: &CompiledProfile) -> Result<(), Error> {
    let (ns, now) = (cx.ns, cx.now);
    new.schedule(cx.txn, now)?;
    super::jobs::progress::forget(cx.txn, ns)?;
    cx.extensions.profile_changed(cx, new)?;
    TaskKind::move_all(cx, new)?;
    let new_terms = new.terms_to_live(cx.txn)?;
    let old_terms = cx.terms()?;
    // The new profile decides which memories still are to be reviewed.
    withdraw_all(cx.txn, ns, old_terms.lane)?;
    let memories = current(cx.txn, ns)?;
    refuse_strangers(cx.txn, ns, new, memories.values())?;
    let mut placed: BTreeMap<Row, Placed> = BTreeMap::new();
    for (row, memory) in &memories {
        let memory_again = NewMemory::from_body(memory.body.clone())?;
        placed.extend(
            life::place(new, &memory_again, memory.stored_at)?.map(|placed| (*row, placed)),
        );
    }
    let (old, new) = (old_terms.regime(), new_terms.regime());
    let mut class = |row: Row, state: &State| {
        placed
            .get(&row)
            .map_or_else(|| state.class.clone(), |placed| placed.class.clone())
    };
    let adopted = annals_lifecycle::adopt(
        cx.txn,
        ns,
        &old,
        &new,
        now,
        (Row(0), usize::MAX),
        &mut class,
    )?;
    let known: BTreeSet<Row> = adopted.delta.rows().collect();
    let births = placed
        .iter()
        .filter(|(row, _)| !known.contains(*row))
        .filter_map(|(row, placed)| {
            let memory = memories.get(row)?;
            Some((*row, placed.state(memory.stored_at, memory.status)))
        });
    let born = annals_lifecycle::register(cx.txn, ns, &new_terms.regime(), now, births.collect())?;
    cx.add(Change {
        life: vec![adopted.delta, born],
        reload: true,
        ..Change::default()
    });
    Ok(())
}

/// Refuses a profile that does not know the kinds of memories there are, and says how many stand in
/// its way.
fn refuse_strangers<'m>(
    txn: &Transaction<'_>,
    ns: NamespaceId,
    profile: &CompiledProfile,
    memories: impl Iterator<Item = &'m Memory>,
) -> Result<(), Error> {
    let mut strangers: BTreeMap<&str, u64> = BTreeMap::new();
    for body in memories
        .map(|memory| &memory.body)
        .filter(|body| profile.governs(body.layer))
    {
        if profile.policy.kind(body.kind.as_str()).is_err() {
            *strangers.entry(body.kind.as_str()).or_default() += 1;
        }
    }
    if strangers.is_empty() {
        return Ok(());
    }
    let name = directory::by_number(txn, ns)?
        .map(|found| found.name.as_str().to_owned())
        .unwrap_or_default();
    let kinds: Vec<String> = strangers
        .iter()
        .map(|(kind, count)| format!("{kind:?} ({count})"))
        .collect();
    Err(Refusal::UnknownKinds {
        profile: profile.name.to_string(),
        namespace: name,
        kinds: kinds.join(", "),
        allowed: profile.policy.kinds().to_string(),
    }
    .into())
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
        for (row, memory) in part
            .iter()
            .zip(annals_records::memories(txn, ns, part, None)?)
        {
            found.extend(memory.map(|memory| (*row, memory)));
        }
    }
    let ids: Vec<_> = found.values().map(|memory| memory.id).collect();
    let current = annals_records::find_rows(txn, ns, &ids)?;
    let rows: BTreeSet<Row> = current.into_iter().flatten().collect();
    found.retain(|row, memory| rows.contains(row) && memory.superseded_by.is_none());
    Ok(found)
}
