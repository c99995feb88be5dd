//! Opening a namespace, and bringing derived data up to date in the background.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_lifecycle::Worth;
use annals_records::Columns;
use annals_storage::{Keyspace, Reads, Snapshot, Transaction};
use annals_text::Forward;
use annals_text::store::Plan;
use annals_types::profile::TextSettings;
use annals_types::{Commit, Embedder, Fingerprint, NamespaceId, NamespaceName, Row};
use annals_vector::Shape;
use annals_vector::store::{Space, Spaces};
use parking_lot::Mutex;

use crate::Error;
use crate::{Change, Changes, Engine, View};

/// Where memories are, for messages.
const ROWS: Keyspace = Keyspace::new("records.rows");
/// The number of a space that no namespace has: one without vectors.
pub(crate) const NO_SPACE: u32 = u32::MAX;
/// Blocks of columns that one transaction writes.
const COLUMN_BLOCKS: usize = 8;
/// Blocks that are left as rows before they are folded: a fold rewrites nothing, but costs a
/// commit.
const COLUMN_SLACK: u32 = 4;
/// How many keys of a deleted namespace go in one transaction.
const PURGE_KEYS: usize = 20_000;
/// How many rows are analysed again in one transaction.
const REANALYSE_ROWS: usize = 1000;

/// Below so many rows a namespace is loaded by one thread: starting another would take longer than
/// what it saves.
const LOADED_ALONE: u32 = 10_000;

/// From how many rows on the columns of a namespace are folded again.
#[derive(Default)]
pub(crate) struct ColumnsDue(Mutex<HashMap<NamespaceId, u32>>);

impl ColumnsDue {
    fn of(&self, namespace: NamespaceId, block: u32) -> u32 {
        self.0
            .lock()
            .get(&namespace)
            .copied()
            .unwrap_or(block.max(1))
    }

    fn set(&self, namespace: NamespaceId, rows: u32) {
        self.0.lock().insert(namespace, rows);
    }

    /// A namespace is gone.
    fn forget(&self, namespace: NamespaceId) {
        self.0.lock().remove(&namespace);
    }
}

/// Whether a namespace was not deleted, in a transaction that derives something of it.
fn is_there(
    reads: &dyn Reads,
    namespace: NamespaceId,
) -> Result<bool, annals_records::RecordError> {
    Ok(annals_records::namespace::by_number(reads, namespace)?.is_some_and(|found| !found.doomed))
}

/// Whether vectors of a namespace that was not deleted are still kept in a space.
fn is_space(
    reads: &dyn Reads,
    namespace: NamespaceId,
    space: Space,
) -> Result<bool, annals_vector::VectorError> {
    let caller = |error| annals_vector::VectorError::Caller {
        source: Box::new(error),
    };
    let kept = Spaces::read(reads, namespace)?
        .all()
        .iter()
        .any(|info| info.space(namespace) == space);
    Ok(kept && is_there(reads, namespace).map_err(caller)?)
}

/// Goes on where something cannot be dropped because it is damaged.
fn unless_damaged(dropped: Result<(), Error>) -> Result<(), Error> {
    dropped.or_else(|error| {
        if !error.is_corrupt() {
            return Err(error);
        }
        tracing::warn!(%error, "damaged indexes stay in the file; they are not used");
        Ok(())
    })
}

fn text_settings(text: &TextSettings) -> annals_text::Settings {
    let of = |rows: u32| usize::try_from(rows).unwrap_or(usize::MAX);
    annals_text::Settings {
        fold_after: of(text.fold_above_rows),
        merge_factor: of(text.merge_factor),
        chunk_bytes: of(text.chunk_bytes),
        ..annals_text::Settings::default()
    }
}

/// An embedder, the vectors of it that are searched, and the embedder of those that should be and
/// cannot.
type Searched = (Arc<dyn Embedder>, Space, Option<Fingerprint>);

impl Engine {
    /// The current view of a namespace.
    pub fn view(&self, namespace: NamespaceId) -> Result<Arc<View>, Error> {
        self.spaces.open(namespace, || self.load(namespace))
    }

    fn load(&self, namespace: NamespaceId) -> Result<(View, Commit), Error> {
        let snapshot = self.snapshot()?;
        let profile = self.profiles.of_record(
            &snapshot,
            &annals_records::namespace::there(&snapshot, namespace)?,
        )?;
        let (embedder, space, foreign) = self.searched_space(&snapshot, namespace)?;
        let shape = Shape::new(embedder.dims())?;
        let settings = text_settings(&profile.settings.text);
        let head = annals_records::Head::read(&snapshot, namespace)?;
        let indexes = || -> Result<_, Error> {
            let text =
                annals_text::store::open(&snapshot, namespace, settings, Arc::clone(&self.chunks))?;
            Ok((
                text,
                space.load(&snapshot, shape, profile.settings.vector.clone())?,
            ))
        };
        let facts = || -> Result<_, Error> {
            let columns = Columns::load(&snapshot, namespace)?;
            let passes = Arc::new(profile.terms(&snapshot)?.passes);
            Ok((
                columns,
                Worth::load(&snapshot, namespace, Arc::clone(&profile.policy), passes)?,
            ))
        };
        let ((text, loaded), (columns, worth)) = if head.next_row < LOADED_ALONE {
            (indexes()?, facts()?)
        } else {
            std::thread::scope(|scope| {
                let facts = scope.spawn(facts);
                let indexes = indexes();
                let panicked = |_| {
                    Err(Error::internal(
                        "the thread that loads columns panicked".to_owned(),
                    ))
                };
                Ok::<_, Error>((indexes?, facts.join().unwrap_or_else(panicked)?))
            })?
        };
        let (found, counted) = (columns.count(None, None), head.total());
        if found != counted {
            let reason = format!("the namespace counts {counted} memories, and {found} are found");
            return Err(Error::damaged(ROWS, reason));
        }
        if !text.stale.is_empty() {
            self.reanalyse(namespace, &text.stale)?;
            return self.load(namespace);
        }
        // What is derived is not needed: where its pages are damaged it cannot even be dropped.
        if text.lost {
            unless_damaged(self.drop_text(namespace))?;
        }
        if columns.blocks_damaged() {
            unless_damaged(self.drop_columns(namespace))?;
        }
        if let Some(reason) = &loaded.rebuild {
            tracing::warn!(namespace = namespace.0, %reason, "the vector graph is built again");
            unless_damaged(
                self.derive(namespace, |txn| Ok(space.drop_graph(txn)?))
                    .map(drop),
            )?;
        }
        // Those that wait for theirs, or have one of another embedder alone, are told apart in the
        // background.
        let lacks = foreign.is_none()
            && space.number() != NO_SPACE
            && columns.rows().nth(loaded.index.len()).is_some();
        if lacks {
            self.lacking.lock().insert(namespace);
        }
        let mut view = View::new(
            columns,
            text.index,
            loaded.index,
            embedder,
            space,
            worth,
            profile,
        );
        view.foreign = foreign;
        if lacks
            || self.is_due(Some(&view), &Changes::default())
            || super::late::any(&snapshot, namespace)?
        {
            self.worker.wake(namespace);
        }
        Ok((view, snapshot.commit()))
    }

    /// Writes derived data of a namespace; `None`, with nothing written, where it was deleted: its
    /// keys may be gone already, and no later step would remove new ones.
    fn derive<T: Send>(
        &self,
        namespace: NamespaceId,
        mut job: impl FnMut(&mut Transaction<'_>) -> Result<T, Error> + Send,
    ) -> Result<Option<T>, Error> {
        let run = |txn: &mut Transaction<'_>| match is_there(&*txn, namespace)? {
            true => job(txn).map(Some),
            false => Ok(None),
        };
        Ok(self.store.write_derived(run)?.0)
    }

    /// Drops the inverted lists of a namespace, which are damaged or outdated; they are derived
    /// again.
    fn drop_text(&self, namespace: NamespaceId) -> Result<(), Error> {
        tracing::warn!(
            namespace = namespace.0,
            "the inverted lists are derived again"
        );
        self.derive(namespace, |txn| {
            Ok(annals_text::store::drop_derived(txn, namespace)?)
        })?;
        Ok(())
    }

    /// After an error about derived text data: drops them, so that the next attempt works from
    /// primary data.
    pub(crate) fn heal(&self, namespace: NamespaceId) -> Result<(), Error> {
        self.drop_text(namespace)?;
        self.spaces.close(namespace);
        Ok(())
    }

    /// Drops everything of a namespace that is derived from the rest: what a salvage left of it may
    /// not fit together.
    pub fn drop_derived(&self, namespace: NamespaceId) -> Result<(), Error> {
        self.drop_text(namespace)?;
        self.drop_columns(namespace)?;
        for info in Spaces::read(&self.snapshot()?, namespace)?.all() {
            self.derive(namespace, |txn| {
                Ok(info.space(namespace).drop_graph(txn)?)
            })?;
        }
        self.spaces.close(namespace);
        Ok(())
    }

    /// Makes the directory of namespaces whole again; answers the namespaces whose names were lost.
    pub fn mend_directory(&self) -> Result<Vec<NamespaceName>, Error> {
        let now = self.now();
        let mend = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            Ok(annals_records::mend_directory(
                txn,
                crate::profiles::DEFAULT,
                now,
            )?)
        };
        Ok(self.store.write(mend)?.0)
    }

    fn drop_columns(&self, namespace: NamespaceId) -> Result<(), Error> {
        tracing::warn!(
            namespace = namespace.0,
            "the column blocks are folded again"
        );
        self.derive(namespace, |txn| {
            Ok(annals_records::drop_columns(txn, namespace, usize::MAX)?)
        })?;
        self.columns_due.set(namespace, 0);
        Ok(())
    }

    /// Removes the names of sessions, speakers, kinds, tags and sources that no row of any
    /// namespace uses any more.
    pub fn prune_labels(&self) -> Result<(), Error> {
        for (namespace, _) in annals_records::namespace::list(&self.snapshot()?)? {
            let pruned = self.view(namespace.id).and_then(|view| {
                self.write(namespace.id, |cx| {
                    let written =
                        annals_records::prune_labels(cx.txn, cx.ns, cx.now, &view.columns)?;
                    cx.add_records(written.delta);
                    Ok(())
                })
            });
            pruned.or_else(|error| if error.is_gone() { Ok(()) } else { Err(error) })?;
        }
        Ok(())
    }

    /// The vectors that recall searches: the active ones while their embedder is available.
    /// Otherwise those of this memory's embedder, of which there may be few, and the embedder of
    /// the active ones.
    fn searched_space(&self, reads: &Snapshot, namespace: NamespaceId) -> Result<Searched, Error> {
        let spaces = Spaces::read(reads, namespace)?;
        let known = |fingerprint: &Fingerprint| {
            self.embedders
                .iter()
                .find(|e| e.fingerprint() == *fingerprint)
        };
        if let Some(active) = spaces.active()
            && let Some(embedder) = known(&active.fingerprint)
        {
            return Ok((Arc::clone(embedder), active.space(namespace), None));
        }
        let own = spaces
            .of(&self.fingerprint)
            .map_or(NO_SPACE, |info| info.number);
        let foreign = spaces.active().map(|active| active.fingerprint.clone());
        Ok((
            Arc::clone(&self.embedder),
            Space::new(namespace, own),
            foreign,
        ))
    }

    /// Writes the forward lists of rows that another version of the analyser left behind, as far
    /// as the rows still exist by then.
    fn reanalyse(&self, namespace: NamespaceId, rows: &[Row]) -> Result<(), Error> {
        for part in rows.chunks(REANALYSE_ROWS) {
            let snapshot = self.snapshot()?;
            let memories = annals_records::memories(&snapshot, namespace, part, None)?;
            let lists: Vec<_> = part
                .iter()
                .zip(&memories)
                .filter_map(|(row, memory)| {
                    Some((*row, super::embed::forward(&memory.as_ref()?.body)))
                })
                .collect();
            let orphans: Vec<Row> = part
                .iter()
                .zip(&memories)
                .filter(|(_, memory)| memory.is_none())
                .map(|(row, _)| *row)
                .collect();
            self.write_lists(namespace, &lists, &orphans)?;
        }
        Ok(())
    }

    fn write_lists(
        &self,
        namespace: NamespaceId,
        lists: &[(Row, Forward)],
        orphans: &[Row],
    ) -> Result<(), Error> {
        let rows: Vec<Row> = lists.iter().map(|(row, _)| *row).collect();
        self.derive(namespace, |txn| {
            // A list without a memory has nothing to be made from: it goes.
            annals_text::store::remove(txn, namespace, orphans)?;
            let ids = annals_records::ids_of(&*txn, namespace, &rows)?;
            for ((row, forward), _) in lists.iter().zip(ids).filter(|(_, id)| id.is_some()) {
                annals_text::store::put(txn, namespace, *row, forward)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Whether there may be something to fold or build in a namespace after a change.
    pub(crate) fn is_due(&self, view: Option<&View>, changes: &Changes) -> bool {
        match view {
            Some(view) => {
                let unfolded = u32::try_from(view.text.unfolded()).unwrap_or(u32::MAX);
                let profile = &view.profile.settings;
                unfolded > profile.text.fold_above_rows
                    || view.vectors.wants_build()
                    || view.columns.len()
                        >= self
                            .columns_due
                            .of(view.namespace, profile.records.column_block_rows)
            }
            // A namespace that is only written to is opened for it once in so many rows.
            None => {
                let every = self.profiles.default().settings.text.fold_above_rows.max(1);
                let (first, last) = (changes.stored().min(), changes.stored().last());
                first
                    .zip(last)
                    .is_some_and(|(first, last)| first.0 / every != (last.0 + 1) / every)
            }
        }
    }

    /// Folds, merges and builds what a namespace has due. Runs on the background thread.
    pub(crate) fn maintain(&self, namespace: NamespaceId) -> Result<(), Error> {
        if !self.is_there(namespace)? {
            return Ok(());
        }
        match self.maintain_open(namespace) {
            Err(error) if error.is_gone() => Ok(()),
            done => done,
        }
    }

    fn maintain_open(&self, namespace: NamespaceId) -> Result<(), Error> {
        let (_, failed) = self.carry_out_orders(Some(namespace))?;
        self.clear_vectors(namespace)?;
        let view = self.view(namespace)?;
        if self.lacking.lock().remove(&namespace) {
            self.note_lacking(namespace, &view.columns.rows().collect::<Vec<Row>>())?;
        }
        // An embedder that is away keeps nothing else from being done.
        let embedded = if self.worker.rests(namespace) {
            Ok(())
        } else {
            self.embed_late(namespace)
        };
        let view = self.view(namespace)?;
        self.fold_columns(namespace, &view)?;
        self.fold_text(namespace)?;
        self.build_graph(namespace)?;
        failed.map_or(embedded, Err)
    }

    fn fold_columns(&self, namespace: NamespaceId, view: &View) -> Result<(), Error> {
        let block = view.profile.settings.records.column_block_rows.max(1);
        if view.columns.len() < self.columns_due.of(namespace, block) {
            return Ok(());
        }
        loop {
            let fold = |txn: &mut Transaction<'_>| -> Result<_, Error> {
                Ok(match is_there(&*txn, namespace)? {
                    true => Some(annals_records::fold_columns(
                        txn,
                        namespace,
                        block,
                        COLUMN_BLOCKS,
                    )?),
                    false => None,
                })
            };
            let Some(folded) = self.store.write(fold)?.0 else {
                return Ok(());
            };
            self.columns_due.set(
                namespace,
                folded
                    .covered
                    .0
                    .saturating_add(block.saturating_mul(COLUMN_SLACK)),
            );
            if folded.left < block || folded.blocks == 0 || self.worker.is_stopping() {
                return Ok(());
            }
        }
    }

    fn fold_text(&self, namespace: NamespaceId) -> Result<(), Error> {
        while let Some(view) = self.spaces.current(namespace) {
            if self.worker.is_stopping() {
                return Ok(());
            }
            let snapshot = self.snapshot()?;
            let plan = match annals_text::store::plan(&view.text, &snapshot) {
                Ok(Some(plan)) => plan,
                Ok(None) => return Ok(()),
                Err(annals_text::TextError::Outdated) => continue,
                Err(error) => return Err(error.into()),
            };
            self.publish_text(namespace, &plan)?;
        }
        Ok(())
    }

    fn publish_text(&self, namespace: NamespaceId, plan: &Plan) -> Result<(), Error> {
        let publish = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let text = match is_there(&*txn, namespace)? {
                true => annals_text::store::publish(txn, plan)?,
                false => None,
            };
            let change = Arc::new(Changes::from(Change {
                text,
                ..Change::default()
            }));
            let spaces = Arc::clone(&self.spaces);
            Ok(((), move |commit| spaces.apply(namespace, commit, change)))
        };
        self.store.write_then(publish)?;
        Ok(())
    }

    fn build_graph(&self, namespace: NamespaceId) -> Result<(), Error> {
        let Some(view) = self.spaces.current(namespace) else {
            return Ok(());
        };
        if !view.vectors.wants_build() {
            return Ok(());
        }
        let space = view.space;
        let there = Arc::new(move |reads: &dyn Reads| is_space(reads, namespace, space));
        let build = match space.begin_build(&self.store, there) {
            Err(annals_vector::VectorError::BuildReplaced) => return Ok(()),
            begun => begun?,
        };
        let Some(view) = self.spaces.current(namespace) else {
            return Ok(());
        };
        let go_on = &mut |_, _| {
            if self.worker.is_stopping() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let graph = match view.vectors.build(build.commit(), go_on) {
            Err(annals_vector::VectorError::Cancelled) => return Ok(()),
            built => built?,
        };
        let graph = Arc::new(graph);
        let change = Arc::new(Changes::from(Change {
            graph: Some(Arc::clone(&graph)),
            ..Change::default()
        }));
        let spaces = Arc::clone(&self.spaces);
        let applied = move |commit| spaces.apply(namespace, commit, change);
        match Space::publish(build, &self.store, &graph, applied) {
            // The rows that it was built for were replaced meanwhile.
            Err(annals_vector::VectorError::BuildReplaced) => Ok(()),
            published => Ok(published.map(drop)?),
        }
    }

    /// Goes on with the deletion of namespaces that a crash interrupted.
    pub(crate) fn resume_deletions(&self) -> Result<(), Error> {
        let snapshot = self.store.snapshot()?;
        for namespace in annals_records::namespace::doomed(&snapshot)? {
            for service in self.extensions.services() {
                if let Err(error) = service.namespace_gone(self, namespace) {
                    tracing::warn!(namespace = namespace.0, %error, "files of a deleted namespace are left");
                }
            }
            // An extension that cannot purge must not keep the file from being opened.
            if let Err(error) = self.purge(namespace) {
                if error.is_unreadable() || error.is_io() {
                    return Err(error);
                }
                tracing::warn!(namespace = namespace.0, %error, "bytes of a deleted namespace are left");
            }
        }
        Ok(())
    }

    /// Removes every key of a deleted namespace; answers how many.
    pub fn purge(&self, namespace: NamespaceId) -> Result<u64, Error> {
        let tables = self.tables();
        self.admission_locks.forget(&namespace);
        self.import_locks.forget(&namespace);
        self.profiles.forget_namespace(namespace);
        self.columns_due.forget(namespace);
        // Rows of indexes by time go first: their keys do not begin with the namespace.
        while !self
            .store
            .write(|txn| annals_lifecycle::purge(txn, namespace, PURGE_KEYS))?
            .0
        {}
        while !self
            .store
            .write(|txn| super::ends::purge(txn, namespace, PURGE_KEYS))?
            .0
        {}
        for extension in self.extensions.all() {
            let (mut done, mut commit) = self
                .store
                .write(|txn| extension.purge(txn, namespace, PURGE_KEYS))?;
            while !done {
                let before = commit;
                (done, commit) = self
                    .store
                    .write(|txn| extension.purge(txn, namespace, PURGE_KEYS))?;
                if commit == before && !done {
                    let name = extension.name();
                    return Err(Error::internal(format!(
                        "the extension {name:?} removes nothing, and says that it has not ended"
                    )));
                }
            }
        }
        let mut removed = 0;
        loop {
            let step = |txn: &mut annals_storage::Transaction<'_>| -> Result<_, Error> {
                Ok(annals_records::namespace::purge_step(
                    txn, namespace, &tables, PURGE_KEYS,
                )?)
            };
            let (step, _) = self.store.write(step)?;
            removed += u64::try_from(step.removed).unwrap_or(u64::MAX);
            if step.done {
                return Ok(removed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_storage::KeyRange;
    use annals_storage::table::{Scope, keyspaces};
    use annals_types::NewMemory;
    use annals_types::profile::Profile;

    use super::*;
    use crate::config::Config;
    use crate::testing::Testbed;

    /// A namespace with some memories, under a profile by which everything is derived at once.
    fn filled() -> (Testbed, NamespaceId) {
        let mut profile = Profile::default();
        (
            profile.text.fold_above_rows,
            profile.records.column_block_rows,
        ) = (0, 2);
        (
            profile.vector.exact_up_to_rows,
            profile.vector.tail_up_to_rows,
        ) = (0, 0);
        let bed = Testbed::new(Config {
            profile,
            ..Config::default()
        });
        let texts =
            ["one", "two", "three", "four", "five"].map(|text| NewMemory::try_from(text).unwrap());
        bed.remember(texts.into());
        let ns = bed.ns();
        (bed, ns)
    }

    /// Values whose keys begin with a namespace, beside what is known of the namespace itself.
    fn left(bed: &Testbed, ns: NamespaceId) -> usize {
        let snapshot = bed.engine.snapshot().unwrap();
        let all = keyspaces(&bed.engine.tables(), Scope::Namespace);
        let ranges: Vec<KeyRange> = all
            .into_iter()
            .map(|keyspace| KeyRange::prefix(keyspace, &ns.prefix()))
            .collect();
        let mut count = 0;
        let scanned = snapshot.scan(&ranges, &mut |_, _, _, _| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        });
        scanned.unwrap();
        count
    }

    #[test]
    fn nothing_is_derived_for_a_namespace_that_went() {
        let (bed, ns) = filled();
        let engine = &bed.engine;
        let view = engine.view(ns).unwrap();
        let fresh = annals_text::store::open(
            &engine.snapshot().unwrap(),
            ns,
            annals_text::Settings {
                fold_after: 0,
                ..annals_text::Settings::default()
            },
            Arc::clone(&engine.chunks),
        );
        let plan =
            annals_text::store::plan(&fresh.unwrap().index, &engine.snapshot().unwrap()).unwrap();
        let lists = vec![(
            Row(0),
            crate::embed::forward(&NewMemory::try_from("one").unwrap().into_body()),
        )];
        bed.delete();
        assert_eq!(left(&bed, ns), 0);
        plan.iter()
            .for_each(|plan| engine.publish_text(ns, plan).unwrap());
        engine.write_lists(ns, &lists, &[]).unwrap();
        engine.fold_columns(ns, &view).unwrap();
        engine.heal(ns).unwrap();
        engine.maintain(ns).unwrap();
        assert!(!is_space(&engine.snapshot().unwrap(), ns, view.space).unwrap());
        assert_eq!(left(&bed, ns), 0);
        assert!(engine.view(ns).is_err_and(|error| error.is_gone()));
    }

    #[test]
    fn columns_are_not_folded_while_a_namespace_is_being_deleted() {
        let (bed, ns) = filled();
        let engine = &bed.engine;
        let view = engine.view(ns).unwrap();
        engine.worker.wait_idle().unwrap();
        engine
            .store
            .write(|txn| annals_records::drop_columns(txn, ns, usize::MAX))
            .unwrap();
        engine.columns_due.set(ns, 0);
        // Its bytes are still there.
        engine
            .store
            .write(|txn| annals_records::namespace::delete(txn, ns))
            .unwrap();
        let before = left(&bed, ns);
        engine.fold_columns(ns, &view).unwrap();
        assert_eq!(left(&bed, ns), before);
    }

    #[test]
    fn a_row_that_went_gets_no_list_again() {
        let (bed, ns) = filled();
        let engine = &bed.engine;
        let body = NewMemory::try_from("one").unwrap().into_body();
        let row = Row(0);
        let id = annals_records::ids_of(&engine.snapshot().unwrap(), ns, &[row])
            .unwrap()
            .pop()
            .flatten()
            .unwrap();
        engine.erase(ns, &[id], |_| ()).unwrap();
        engine
            .write_lists(ns, &[(row, crate::embed::forward(&body))], &[])
            .unwrap();
        let lists = annals_text::store::forwards(&engine.snapshot().unwrap(), ns, &[row]).unwrap();
        assert_eq!(lists, [None]);
        assert_eq!(engine.validate_namespace(ns).unwrap(), [""; 0]);
    }

    #[test]
    fn a_space_whose_vectors_went_gets_no_graph() {
        let (bed, ns) = filled();
        let engine = &bed.engine;
        let view = engine.view(ns).unwrap();
        engine.worker.wait_idle().unwrap();
        assert!(is_space(&engine.snapshot().unwrap(), ns, view.space).unwrap());
        assert!(!is_space(&engine.snapshot().unwrap(), ns, Space::new(ns, 9)).unwrap());
    }
}
