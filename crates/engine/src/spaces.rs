//! Which namespaces are open, and how they stay in step with what is durable.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_types::{Commit, NamespaceId};
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;

use crate::Error;
use crate::view::{Changes, View};

/// The open namespaces, least recently used ones closed above a budget.
pub struct Spaces {
    slots: Mutex<HashMap<NamespaceId, Arc<Slot>>>,
    /// Those with changes that are not published yet.
    changed: Mutex<Vec<Arc<Slot>>>,
    budget: u64,
    ticks: AtomicU64,
}

/// One namespace: its published view, and what is to become the next one.
struct Slot {
    view: ArcSwapOption<View>,
    /// Held while loading, so that it happens once.
    loading: Mutex<()>,
    state: Mutex<State>,
    used: AtomicU64,
}

enum State {
    /// Changes committed while loading, in order.
    Loading(Vec<(Commit, Arc<Changes>)>),
    /// Loaded at a commit; with changes that are not published yet, the view to be published.
    Open {
        since: Commit,
        next: Option<Box<View>>,
    },
}

impl Slot {
    fn new() -> Self {
        Self {
            view: ArcSwapOption::empty(),
            loading: Mutex::new(()),
            state: Mutex::new(State::Loading(Vec::new())),
            used: AtomicU64::new(0),
        }
    }

    /// Takes a change over; answers whether it is the first since the last publication.
    fn apply(&self, commit: Commit, change: Arc<Changes>) -> Result<bool, Error> {
        let mut state = self.state.lock();
        let (since, next) = match &mut *state {
            State::Loading(waiting) => {
                waiting.push((commit, change));
                return Ok(false);
            }
            State::Open { since, next } => (*since, next),
        };
        // A commit that was durable when the view was loaded is in it, though its notice comes
        // later.
        if commit <= since {
            return Ok(false);
        }
        let first = next.is_none();
        let mut view = match next.take() {
            Some(view) => view,
            None => match self.view.load_full() {
                Some(view) => Box::new(View::clone(&view)),
                None => return Ok(false),
            },
        };
        view.apply(&change)?;
        if change.nodes {
            view.nodes.changed(commit);
        }
        *next = Some(view);
        Ok(first)
    }

    fn publish(&self) {
        if let State::Open { next, .. } = &mut *self.state.lock()
            && let Some(view) = next.take()
        {
            self.view.store(Some(Arc::from(view)));
        }
    }
}

impl Spaces {
    pub(crate) fn new(budget: u64) -> Self {
        Self {
            slots: Mutex::default(),
            changed: Mutex::default(),
            budget,
            ticks: AtomicU64::new(0),
        }
    }

    /// The view of a namespace; loaded first when it is not open. `load` answers a view and the
    /// commit that it reflects.
    pub(crate) fn open(
        &self,
        namespace: NamespaceId,
        load: impl FnOnce() -> Result<(View, Commit), Error>,
    ) -> Result<Arc<View>, Error> {
        let slot = Arc::clone(
            self.slots
                .lock()
                .entry(namespace)
                .or_insert_with(|| Arc::new(Slot::new())),
        );
        slot.used.store(
            self.ticks.fetch_add(1, Ordering::Relaxed),
            Ordering::Relaxed,
        );
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

    fn load(
        &self,
        slot: &Slot,
        load: impl FnOnce() -> Result<(View, Commit), Error>,
    ) -> Result<Arc<View>, Error> {
        let (mut view, commit) = load()?;
        view.nodes.changed(commit);
        let mut state = slot.state.lock();
        if let State::Loading(waiting) = &mut *state {
            for (at, change) in waiting.drain(..) {
                if at > commit {
                    view.apply(&change)?;
                    view.nodes.changed(at);
                }
            }
        }
        let view = Arc::new(view);
        slot.view.store(Some(Arc::clone(&view)));
        *state = State::Open {
            since: commit,
            next: None,
        };
        Ok(view)
    }

    /// The view of a namespace if it is open.
    pub(crate) fn current(&self, namespace: NamespaceId) -> Option<Arc<View>> {
        let slot = self.slots.lock().get(&namespace).map(Arc::clone)?;
        slot.view.load_full()
    }

    /// Takes over the changes of a commit, where the namespace is open; seen by others after
    /// [`publish`](Self::publish). Called in the order of commits, one at a time.
    pub(crate) fn apply(&self, namespace: NamespaceId, commit: Commit, change: Arc<Changes>) {
        let Some(slot) = self.slots.lock().get(&namespace).map(Arc::clone) else {
            return;
        };
        if change.reloads() {
            return self.close(namespace);
        }
        match slot.apply(commit, change) {
            Ok(true) => self.changed.lock().push(slot),
            Ok(false) => {}
            Err(error) => {
                // The durable state is right; only its copy in memory is not, so it is made anew
                // from the file.
                tracing::warn!(namespace = namespace.0, %error, "the namespace is loaded again");
                self.close(namespace);
            }
        }
    }

    /// Shows the changes that were taken over. Once for all commits of a group: the first change
    /// of a view copies the parts that it touches.
    pub(crate) fn publish(&self) {
        self.changed
            .lock()
            .drain(..)
            .for_each(|slot| slot.publish());
    }

    /// Closes a namespace; its next use loads it again.
    pub fn close(&self, namespace: NamespaceId) {
        self.slots.lock().remove(&namespace);
    }

    /// Closes all namespaces: another writer has committed, and nothing in memory is known to be
    /// right.
    pub(crate) fn close_all(&self) {
        self.slots.lock().clear();
        self.changed.lock().clear();
    }

    /// Bytes of all open namespaces.
    pub fn memory_bytes(&self) -> u64 {
        let slots: Vec<_> = self.slots.lock().values().map(Arc::clone).collect();
        slots
            .iter()
            .filter_map(|slot| slot.view.load_full())
            .map(|view| view.memory_bytes())
            .sum()
    }

    /// Closes what was used least recently until the budget holds, except `keep`.
    fn shrink(&self, keep: NamespaceId) {
        let mut slots = self.slots.lock();
        let mut open: Vec<(u64, NamespaceId, u64)> = slots
            .iter()
            .filter_map(|(id, slot)| {
                Some((
                    slot.used.load(Ordering::Relaxed),
                    *id,
                    slot.view.load_full()?.memory_bytes(),
                ))
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
