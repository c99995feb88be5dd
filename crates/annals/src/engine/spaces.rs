//! Which namespaces are open, and how they stay in step with what is durable.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_types::{Commit, NamespaceId};
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;

use super::view::{Change, View};
use crate::Error;

/// The open namespaces, least recently used ones closed above a budget.
pub(crate) struct Spaces {
    slots: Mutex<HashMap<NamespaceId, Arc<Slot>>>,
    budget: u64,
    ticks: AtomicU64,
}

/// Changes with their commits, in order.
type Waiting = Vec<(Commit, Arc<Change>)>;

/// One namespace: its published view, or changes waiting for it to be loaded.
struct Slot {
    view: ArcSwapOption<View>,
    /// Held while loading, so that it happens once.
    loading: Mutex<()>,
    /// Changes committed while loading; `None` once loaded.
    waiting: Mutex<Option<Waiting>>,
    used: AtomicU64,
}

impl Slot {
    fn new() -> Self {
        Self {
            view: ArcSwapOption::empty(),
            loading: Mutex::new(()),
            waiting: Mutex::new(Some(Vec::new())),
            used: AtomicU64::new(0),
        }
    }
}

impl Spaces {
    pub(crate) fn new(budget: u64) -> Self {
        Self { slots: Mutex::default(), budget, ticks: AtomicU64::new(0) }
    }

    /// The view of a namespace; loaded first when it is not open. `load` answers a view and the commit that it reflects.
    pub(crate) fn open(
        &self,
        namespace: NamespaceId,
        load: impl FnOnce() -> Result<(View, Commit), Error>,
    ) -> Result<Arc<View>, Error> {
        let slot = Arc::clone(self.slots.lock().entry(namespace).or_insert_with(|| Arc::new(Slot::new())));
        slot.used.store(self.ticks.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        if let Some(view) = slot.view.load_full() {
            return Ok(view);
        }
        let _once = slot.loading.lock();
        if let Some(view) = slot.view.load_full() {
            return Ok(view);
        }
        match self.load(&slot, load) {
            Ok(view) => {
                self.shrink(namespace);
                Ok(view)
            }
            Err(error) => {
                self.slots.lock().remove(&namespace);
                Err(error)
            }
        }
    }

    fn load(&self, slot: &Slot, load: impl FnOnce() -> Result<(View, Commit), Error>) -> Result<Arc<View>, Error> {
        let (mut view, commit) = load()?;
        let mut waiting = slot.waiting.lock();
        for (at, change) in waiting.take().unwrap_or_default() {
            if at > commit {
                view.apply(&change)?;
            }
        }
        let view = Arc::new(view);
        slot.view.store(Some(Arc::clone(&view)));
        Ok(view)
    }

    /// The view of a namespace if it is open.
    pub(crate) fn current(&self, namespace: NamespaceId) -> Option<Arc<View>> {
        let slot = self.slots.lock().get(&namespace).map(Arc::clone)?;
        slot.view.load_full()
    }

    /// Takes over what a commit changed, where the namespace is open. Called in the order of commits, one at a time.
    pub(crate) fn apply(&self, namespace: NamespaceId, commit: Commit, change: Arc<Change>) {
        let Some(slot) = self.slots.lock().get(&namespace).map(Arc::clone) else { return };
        if change.reload {
            return self.close(namespace);
        }
        if let Some(waiting) = slot.waiting.lock().as_mut() {
            return waiting.push((commit, change));
        }
        let Some(current) = slot.view.load_full() else { return };
        let mut next = View::clone(&current);
        match next.apply(&change) {
            Ok(()) => slot.view.store(Some(Arc::new(next))),
            Err(error) => {
                // What is durable is right; only its copy in memory is not, so it is made anew from the file.
                tracing::warn!(namespace = namespace.0, %error, "the namespace is loaded again");
                self.close(namespace);
            }
        }
    }

    /// Closes a namespace; its next use loads it again.
    pub(crate) fn close(&self, namespace: NamespaceId) {
        self.slots.lock().remove(&namespace);
    }

    /// Bytes of all open namespaces.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let slots: Vec<_> = self.slots.lock().values().map(Arc::clone).collect();
        slots.iter().filter_map(|slot| slot.view.load_full()).map(|view| view.memory_bytes()).sum()
    }

    /// Closes what was used least recently until the budget holds, except `keep`.
    fn shrink(&self, keep: NamespaceId) {
        let mut slots = self.slots.lock();
        let mut open: Vec<(u64, NamespaceId, u64)> = slots
            .iter()
            .filter_map(|(id, slot)| {
                Some((slot.used.load(Ordering::Relaxed), *id, slot.view.load_full()?.memory_bytes()))
            })
            .collect();
        let mut total: u64 = open.iter().map(|(_, _, bytes)| bytes).sum();
        open.sort_unstable();
        for (_, id, bytes) in open {
            if total <= self.budget {
                break;
            }
            if id != keep {
                slots.remove(&id);
                total -= bytes;
            }
        }
    }
}
