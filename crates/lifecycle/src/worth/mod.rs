//! The worth of every row of a namespace, in memory.

mod chunk;

use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::Reads;
use annals_types::{NamespaceId, Row, Status, Timestamp};

use crate::delta::Delta;
use crate::{Anchor, ClassId, LifecycleError, Passes, Policy, State, walk_states};

use chunk::{Chunks, NEVER, PRESENT, SESSION_BOUND, Slot};

/// Retention, uses and expiry of all rows of a namespace: 56 bytes a row.
///
/// A clone is a consistent snapshot and costs a few reference counts. The writer changes its own
/// copy with [`apply`](Self::apply), which copies only the chunks of 1024 rows that change.
#[derive(Debug, Clone)]
pub struct Worth {
    namespace: NamespaceId,
    policy: Arc<Policy>,
    passes: Arc<Passes>,
    rows: Chunks,
}

impl Worth {
    /// That of a namespace without memories.
    #[must_use]
    pub fn empty(namespace: NamespaceId, policy: Arc<Policy>, passes: Arc<Passes>) -> Self {
        Self {
            namespace,
            policy,
            passes,
            rows: Chunks::default(),
        }
    }

    /// Reads the states of a namespace.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn load(
        reads: &dyn Reads,
        namespace: NamespaceId,
        policy: Arc<Policy>,
        passes: Arc<Passes>,
    ) -> Result<Self, LifecycleError> {
        let mut worth = Self::empty(namespace, policy, passes);
        walk_states(reads, namespace, Row(0), &mut |row, state| {
            worth.set(row, Some(&state));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(worth)
    }

    /// Takes over what a write changed. Changes of other namespaces are passed over.
    pub fn apply(&mut self, delta: &Delta) {
        if delta.namespace != self.namespace {
            return;
        }
        for (row, state) in &delta.changes {
            self.set(*row, state.as_ref());
        }
    }

    /// Takes over the passes after the decaying job made one.
    pub fn set_passes(&mut self, passes: Arc<Passes>) {
        self.passes = passes;
    }

    fn set(&mut self, row: Row, state: Option<&State>) {
        let slot = state.map_or(Slot::ABSENT, |state| Slot::of(state, &self.policy));
        self.rows.set(row.0, slot);
    }

    fn slot(&self, row: Row) -> Option<&Slot> {
        self.rows
            .get(row.0)
            .filter(|slot| slot.flags & PRESENT != 0)
    }

    /// The retention of a row at a moment; `None` for one without state.
    #[must_use]
    pub fn retention(&self, row: Row, moment: Timestamp) -> Option<f64> {
        Some(
            self.policy
                .retention(&self.anchor(row)?, &self.passes, moment),
        )
    }

    /// Its score at a moment, without the access bonus.
    #[must_use]
    pub fn score(&self, row: Row, moment: Timestamp) -> Option<f64> {
        Some(self.policy.score(&self.anchor(row)?, &self.passes, moment))
    }

    /// How much it matters: the score that is stored, decayed where scores decay in place.
    #[must_use]
    pub fn importance(&self, row: Row, moment: Timestamp) -> Option<f64> {
        Some(
            self.policy
                .importance(&self.anchor(row)?, &self.passes, moment),
        )
    }

    /// The inputs of its retention.
    #[must_use]
    pub fn anchor(&self, row: Row) -> Option<Anchor> {
        self.slot(row).map(|slot| slot.anchor(&self.policy))
    }

    /// How often it was used, and how often it was injected or returned.
    #[must_use]
    pub fn uses(&self, row: Row) -> (u32, u32) {
        self.slot(row)
            .map_or((0, 0), |slot| (slot.used, slot.returned))
    }

    /// When it expires, if it does.
    #[must_use]
    pub fn expires_at(&self, row: Row) -> Option<Timestamp> {
        let expires = self.slot(row)?.expires;
        (expires != NEVER).then(|| Timestamp::from_millis(expires))
    }

    /// Whether its own date has passed.
    #[must_use]
    pub fn is_expired(&self, row: Row, moment: Timestamp) -> bool {
        self.slot(row)
            .is_some_and(|slot| slot.expires != NEVER && slot.expires < moment.as_millis())
    }

    /// Whether it goes with its session.
    #[must_use]
    pub fn is_session_bound(&self, row: Row) -> bool {
        self.slot(row)
            .is_some_and(|slot| slot.flags & SESSION_BOUND != 0)
    }

    /// The name of its class; empty for one that the profile does not know.
    #[must_use]
    pub fn class(&self, row: Row) -> Option<&str> {
        self.slot(row)
            .map(|slot| self.policy.class(ClassId(slot.class)).name.as_str())
    }

    /// The status that the last job or change left it with.
    #[must_use]
    pub fn status(&self, row: Row) -> Option<Status> {
        self.slot(row)
            .and_then(|slot| Status::from_byte(slot.status))
    }

    /// The rows that have a state, in rising order.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        (0..self.rows.len())
            .map(Row)
            .filter(|row| self.slot(*row).is_some())
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> NamespaceId {
        self.namespace
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.rows.bytes()
    }

    pub(crate) fn agrees(&self, row: Row, state: &State) -> bool {
        self.slot(row) == Some(&Slot::of(state, &self.policy))
    }
}
