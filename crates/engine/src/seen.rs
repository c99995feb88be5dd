//! The time that a namespace has seen. A clock that is ahead makes everything old at once, and what
//! is deleted because of it is gone for good. So a step of time that no use of the namespace was
//! in between of, and that is longer than the profile expects, deletes nothing until a person says
//! that the clock is right.

use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, Table, Transaction};
use annals_types::{NamespaceId, NamespaceName, Timestamp};
use serde::{Deserialize, Serialize};

use crate::compiled::CompiledProfile;
use crate::{Engine, Error};

/// Up to when, and up to which event, the time of a namespace was found to go on as it should.
pub(crate) const SEEN: Table<NamespaceId, SeenTime> = Table::new("annals.seen");

/// Milliseconds of a day.
pub(crate) const DAY: i64 = 86_400_000;

/// The time that was seen: a moment, and the number of the first event that was not looked at;
/// eight bytes each, big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeenTime {
    pub(crate) until: Timestamp,
    pub(crate) next_event: u64,
}

impl Value for SeenTime {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.raw(&view.until.as_millis().to_be_bytes());
        put.raw(&view.next_event.to_be_bytes());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let until = Timestamp::from_millis(i64::from_be_bytes(take.array()?));
        let next_event = u64::from_be_bytes(take.array()?);
        take.end()?;
        Ok(Self { until, next_event })
    }
}

/// A step of time without any use of a namespace, longer than its profile expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClockJump {
    /// The namespace.
    pub namespace: String,
    /// The last moment before it.
    pub from: Timestamp,
    /// The first moment after it.
    pub to: Timestamp,
}

/// The moments at which a namespace was used: position 0 is the last one that was found right,
/// then come its events, and now.
struct Moments<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    first: u64,
    most: i64,
}

impl Moments<'_> {
    /// The first step that is too long, between two positions. What lies between moments that are
    /// near each other is not looked at.
    fn jump(
        &self,
        (low, from): (u64, Timestamp),
        (high, to): (u64, Timestamp),
    ) -> Result<Option<(Timestamp, Timestamp)>, Error> {
        if to.millis_since(from) <= self.most {
            return Ok(None);
        }
        let middle = low + (high - low) / 2;
        if middle == low {
            return Ok(Some((from, to)));
        }
        let number = self.first.saturating_add(middle - 1);
        let event = annals_records::events(self.reads, self.ns, number, 1)?.pop();
        let at = event.map_or(from, |event| event.time);
        match self.jump((low, from), (middle, at))? {
            None => self.jump((middle, at), (high, to)),
            found => Ok(found),
        }
    }
}

/// The step of time of a namespace that nobody has said to be right; `None` where there is none.
fn jump(
    reads: &dyn Reads,
    ns: NamespaceId,
    profile: &CompiledProfile,
    now: Timestamp,
) -> Result<Option<(Timestamp, Timestamp)>, Error> {
    let most = i64::from(profile.settings.maintenance.clock_jump_days).saturating_mul(DAY);
    let head = annals_records::next_event(reads, ns)?;
    let seen = match SEEN.get(reads, ns)? {
        Some(seen) => seen,
        // What was never looked at begins with its first event.
        None => match annals_records::events(reads, ns, 0, 1)?.pop() {
            Some(event) => SeenTime {
                until: event.time,
                next_event: 1,
            },
            None => return Ok(None),
        },
    };
    if most == 0 {
        return Ok(None);
    }
    let moments = Moments {
        reads,
        ns,
        first: seen.next_event,
        most,
    };
    let events = head.saturating_sub(seen.next_event);
    moments.jump((0, seen.until), (events.saturating_add(1), now))
}

/// Whether the clock is ahead of what a namespace has seen: then nothing is deleted for its age.
pub fn is_ahead(
    reads: &dyn Reads,
    ns: NamespaceId,
    profile: &CompiledProfile,
    now: Timestamp,
) -> Result<bool, Error> {
    Ok(jump(reads, ns, profile, now)?.is_some())
}

/// Takes note that the time of a namespace is right up to now.
fn note(txn: &mut Transaction<'_>, ns: NamespaceId, now: Timestamp) -> Result<(), Error> {
    let next_event = annals_records::next_event(&*txn, ns)?;
    Ok(SEEN.put(
        txn,
        ns,
        &SeenTime {
            until: now,
            next_event,
        },
    )?)
}

impl Engine {
    /// Whether the clock is ahead of what one of some namespaces has seen. Where it is not, that is
    /// noted.
    pub(crate) fn is_clock_ahead(
        &self,
        profile: &CompiledProfile,
        spaces: &[(NamespaceId, NamespaceName)],
        now: Timestamp,
    ) -> Result<bool, Error> {
        let snapshot = self.snapshot()?;
        let mut right = Vec::new();
        for (ns, name) in spaces {
            match jump(&snapshot, *ns, profile, now)? {
                None => right.push(*ns),
                Some((from, to)) => {
                    tracing::warn!(namespace = name.as_str(), %from, %to, "the clock is ahead: nothing is deleted");
                }
            }
        }
        self.store.write(|txn| -> Result<(), Error> {
            for ns in &right {
                let there = annals_records::namespace::by_number(&*txn, *ns)?;
                if there.is_some_and(|found| !found.doomed) {
                    note(txn, *ns, now)?;
                }
            }
            Ok(())
        })?;
        Ok(right.len() < spaces.len())
    }

    /// The namespaces of which the clock is ahead.
    pub fn clock_jumps(&self) -> Result<Vec<ClockJump>, Error> {
        let (snapshot, now) = (self.snapshot()?, self.now());
        let mut found = Vec::new();
        for (profile, spaces) in self.profiles_in_use(&snapshot)? {
            for (ns, name) in spaces {
                let jump = jump(&snapshot, ns, &profile, now)?;
                found.extend(jump.map(|(from, to)| ClockJump {
                    namespace: name.as_str().to_owned(),
                    from,
                    to,
                }));
            }
        }
        Ok(found)
    }

    /// A person says that the clock is right; answers the steps of time that nobody had said so of.
    pub fn trust_clock(&self) -> Result<Vec<ClockJump>, Error> {
        let (jumps, now) = (self.clock_jumps()?, self.now());
        if jumps.is_empty() {
            return Ok(jumps);
        }
        let snapshot = self.snapshot()?;
        let spaces = self
            .profiles_in_use(&snapshot)?
            .into_iter()
            .flat_map(|(_, spaces)| spaces);
        let of = |name: &NamespaceName| jumps.iter().any(|jump| jump.namespace == name.as_str());
        let trusted: Vec<NamespaceId> = spaces
            .filter(|(_, name)| of(name))
            .map(|(ns, _)| ns)
            .collect();
        self.store.write(|txn| -> Result<(), Error> {
            trusted.iter().try_for_each(|ns| note(txn, *ns, now))
        })?;
        Ok(jumps)
    }
}
