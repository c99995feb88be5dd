//! Kinds of background work, and how they stand in the queue.

use annals_lifecycle::task::{self, Task, TaskState};
use annals_lifecycle::{Lane, open_lane};
use annals_storage::Reads;
use annals_types::{Label, MemoryId, NamespaceId, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::compiled::CompiledProfile;
use crate::{Kept, WriteCx};

/// Kinds of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskKind {
    /// A session may have been idle for long: then it is to be looked through. Comes before what it
    /// begins.
    Idle,
    /// A memory lost one of its sources and is to be derived again.
    Derive,
    /// A conversation is to be looked through up to a turn.
    Extract,
    /// A judge failed when a memory arrived: it is to be compared with the others.
    Compare,
    /// It is to be found out what a memory says.
    Interpret,
    /// A memory that was let go by a verdict is to be deleted, unless it was brought back.
    Delete,
}

impl TaskKind {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Idle,
        Self::Derive,
        Self::Extract,
        Self::Compare,
        Self::Interpret,
        Self::Delete,
    ];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Derive => "derive",
            Self::Extract => "extract",
            Self::Compare => "compare",
            Self::Interpret => "interpret",
            Self::Delete => "let_go",
        }
    }

    /// The name of the count of failures; the bare word is for conversations, which are most of
    /// the work.
    pub(crate) const fn failure(self) -> &'static str {
        match self {
            Self::Extract => "failed",
            Self::Idle => "idle failed",
            Self::Derive => "derive failed",
            Self::Compare => "compare failed",
            Self::Interpret => "interpret failed",
            Self::Delete => "let_go failed",
        }
    }

    /// Whether it is no work, but a look at the clock.
    pub const fn is_a_look(self) -> bool {
        matches!(self, Self::Idle)
    }

    /// The name of its lane: one that no profile has by chance.
    fn lane_name(self, profile: &CompiledProfile) -> Result<Label, Error> {
        let profile: &str = profile.name.as_ref();
        let end = profile.floor_char_boundary(Label::MAX_BYTES - 32);
        let profile = profile.get(..end).unwrap_or(profile).trim_end();
        Ok(Label::new(
            "lane",
            format!("⟨{}⟩ {profile}", self.as_str()),
        )?)
    }

    /// The lane in which it waits for a profile; `None` before the first of it.
    pub fn lane(self, reads: &dyn Reads, profile: &CompiledProfile) -> Result<Option<Lane>, Error> {
        Ok(annals_lifecycle::find_lane(
            reads,
            &self.lane_name(profile)?,
        )?)
    }

    /// Which kind of work waits in a lane.
    pub fn of(
        reads: &dyn Reads,
        profile: &CompiledProfile,
        lane: Lane,
    ) -> Result<Option<Self>, Error> {
        for kind in Self::ALL {
            if kind.lane(reads, profile)? == Some(lane) {
                return Ok(Some(*kind));
            }
        }
        Ok(None)
    }

    /// The tasks of a namespace about single memories, for another file to go on with.
    pub fn carried(
        reads: &dyn Reads,
        ns: NamespaceId,
        profile: &CompiledProfile,
    ) -> Result<Vec<Carried>, Error> {
        let mut found = Vec::new();
        for task in task::tasks(reads, ns, 0, usize::MAX)? {
            let Some(kind) = Self::of(reads, profile, task.lane)?.filter(|kind| kind.travels())
            else {
                continue;
            };
            let next = match task.state {
                TaskState::Waiting(until) => until,
                _ => task.queued_at,
            };
            let (kind, queued_at, payload) = (
                kind.as_str().to_owned(),
                task.queued_at,
                task.payload.clone(),
            );
            found.extend(subject(&task).map(|about| Carried {
                kind,
                about,
                payload,
                queued_at,
                next,
            }));
        }
        Ok(found)
    }

    /// Lets what waited in another file wait here.
    pub fn restore(cx: &mut WriteCx<'_, '_>, carried: &Carried) -> Result<Kept, Error> {
        let kind = Self::ALL
            .iter()
            .find(|kind| kind.as_str() == carried.kind)
            .filter(|kind| kind.travels());
        let here = annals_records::find_rows(&*cx.txn, cx.ns, &[carried.about])?
            .iter()
            .all(Option::is_some);
        let Some(kind) = kind.filter(|_| here) else {
            return Ok(Kept::LeftOut);
        };
        let lane = open_lane(cx.txn, &kind.lane_name(cx.profile)?)?;
        let (queued_at, next) = (carried.queued_at, carried.next);
        Ok(
            match task::enqueue(
                cx.txn,
                cx.ns,
                lane,
                carried.about.as_bytes(),
                &carried.payload,
                queued_at,
                next,
            )? {
                task::Queued::New(_) => Kept::New(()),
                task::Queued::Already(_) => Kept::There,
            },
        )
    }

    /// Whether it is about a memory that is exported with all that the task needs: the record of
    /// turns that were looked through is not exported.
    const fn travels(self) -> bool {
        matches!(
            self,
            Self::Derive | Self::Compare | Self::Interpret | Self::Delete
        )
    }

    /// Moves the waiting tasks of a namespace under another profile.
    pub(crate) fn move_all(cx: &mut WriteCx<'_, '_>, new: &CompiledProfile) -> Result<(), Error> {
        for task in task::tasks(&*cx.txn, cx.ns, 0, usize::MAX)? {
            let Some(kind) = Self::of(&*cx.txn, cx.profile, task.lane)? else {
                continue;
            };
            task::discard(cx.txn, cx.ns, task.number)?;
            let lane = open_lane(cx.txn, &kind.lane_name(new)?)?;
            // Tasks that wait for a moment go on waiting for it.
            let next = match (kind, task.state) {
                (Self::Delete | Self::Idle, TaskState::Waiting(until)) => until,
                _ => cx.now,
            };
            task::enqueue(
                cx.txn,
                cx.ns,
                lane,
                &task.key,
                &task.payload,
                task.queued_at,
                next,
            )?;
        }
        Ok(())
    }

    /// Lets something be done about a memory, once.
    pub fn queue(self, cx: &mut WriteCx<'_, '_>, id: MemoryId) -> Result<(), Error> {
        self.queue_with(cx, id, &[]).map(drop)
    }

    /// The same with more to say; answers whether it was not queued before.
    pub fn queue_with(
        self,
        cx: &mut WriteCx<'_, '_>,
        id: MemoryId,
        payload: &[u8],
    ) -> Result<bool, Error> {
        let lane = open_lane(cx.txn, &self.lane_name(cx.profile)?)?;
        let queued = task::enqueue(cx.txn, cx.ns, lane, id.as_bytes(), payload, cx.now, cx.now)?;
        Ok(matches!(queued, task::Queued::New(_)))
    }

    /// Lets something be done about a memory from a later moment on.
    pub(crate) fn queue_at(
        self,
        cx: &mut WriteCx<'_, '_>,
        id: MemoryId,
        from: Timestamp,
    ) -> Result<(), Error> {
        self.queue_key(cx, id.as_bytes(), from)
    }

    /// Lets a memory be deleted from a moment on that was forgotten because of its age, while the
    /// clock was ahead of what the namespace has seen.
    pub(crate) fn queue_held(
        self,
        cx: &mut WriteCx<'_, '_>,
        (id, before): (MemoryId, Status),
        from: Timestamp,
    ) -> Result<(), Error> {
        let lane = open_lane(cx.txn, &self.lane_name(cx.profile)?)?;
        let status = [before.to_byte()];
        Ok(task::enqueue(cx.txn, cx.ns, lane, id.as_bytes(), &status, cx.now, from).map(drop)?)
    }

    /// The same for what is no memory, by a key of its own.
    pub fn queue_key(
        self,
        cx: &mut WriteCx<'_, '_>,
        key: &[u8],
        from: Timestamp,
    ) -> Result<(), Error> {
        let lane = open_lane(cx.txn, &self.lane_name(cx.profile)?)?;
        Ok(task::enqueue(cx.txn, cx.ns, lane, key, &[], cx.now, from).map(drop)?)
    }

    /// Takes back what was to be done about some memories.
    pub(crate) fn withdraw(self, cx: &mut WriteCx<'_, '_>, ids: &[MemoryId]) -> Result<(), Error> {
        ids.iter()
            .try_for_each(|id| self.withdraw_key(cx, id.as_bytes()))
    }

    /// The same for what is no memory.
    pub fn withdraw_key(self, cx: &mut WriteCx<'_, '_>, key: &[u8]) -> Result<(), Error> {
        let Some(lane) = self.lane(&*cx.txn, cx.profile)? else {
            return Ok(());
        };
        if let Some(task) = task::find(&*cx.txn, cx.ns, lane, key)? {
            task::discard(cx.txn, cx.ns, task.number)?;
        }
        Ok(())
    }
}

/// A piece of work about a memory, as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// The word for it.
    kind: String,
    about: MemoryId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    payload: Vec<u8>,
    queued_at: Timestamp,
    /// When it may be begun.
    next: Timestamp,
}

/// The status of a memory before it was forgotten because of its age, while the clock was ahead.
pub(crate) fn held_status(task: &Task) -> Option<Status> {
    match task.payload.as_slice() {
        [status] => Status::ALL
            .iter()
            .find(|known| known.to_byte() == *status)
            .copied(),
        _ => None,
    }
}

/// The memory that a piece of work is about.
pub fn subject(task: &Task) -> Option<MemoryId> {
    <[u8; 16]>::try_from(task.key.as_slice())
        .ok()
        .map(MemoryId::from_bytes)
}
