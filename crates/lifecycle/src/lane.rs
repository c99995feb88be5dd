use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::table::{MultiGet, Value};
use annals_storage::{Reads, Transaction};
use annals_types::Label;

use crate::tables::{LANES, PASSES};
use crate::wire::{Broken, Put};
use crate::{LifecycleError, Passes};

/// The number of a name under which things wait in order of time: a profile whose jobs look after
/// memories, or a queue of tasks.
///
/// Each lane has its own part of the due index, so that a job reads nothing that waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

impl Value for Lane {
    type View<'a> = Self;

    fn encode(lane: &Self, put: &mut Put) {
        u32::encode(&lane.0, put);
    }

    fn decode(version: u8, body: &[u8]) -> Result<Self, Broken> {
        u32::decode(version, body).map(Self)
    }
}

/// The lane of a name, if it has one.
///
/// # Errors
/// When it cannot be read.
pub fn find_lane(reads: &dyn Reads, name: &Label) -> Result<Option<Lane>, LifecycleError> {
    Ok(LANES.get(reads, name.as_str())?)
}

/// The lane of a name; it gets one when it has none.
///
/// # Errors
/// When it cannot be read or written.
pub fn open_lane(txn: &mut Transaction<'_>, name: &Label) -> Result<Lane, LifecycleError> {
    let mut asked = MultiGet::default();
    let (known, next) = (asked.add(&LANES, name.as_str()), asked.add(&LANES, ""));
    let found = asked.read(txn)?;
    if let Some(lane) = found.get(&known)? {
        return Ok(lane);
    }
    let lane = found.get(&next)?.unwrap_or(Lane(1));
    LANES.put(txn, name.as_str(), &lane)?;
    LANES.put(txn, "", &Lane(lane.0.saturating_add(1)))?;
    Ok(lane)
}

/// All lanes with their names.
///
/// # Errors
/// When they cannot be read.
pub fn lanes(reads: &dyn Reads) -> Result<BTreeMap<String, Lane>, LifecycleError> {
    let mut found = BTreeMap::new();
    LANES.scan(reads, LANES.all(), |name, lane| {
        if !name.is_empty() {
            found.insert(name.to_owned(), lane);
        }
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The passes of a lane's decaying job.
///
/// # Errors
/// When they cannot be read.
pub fn passes(reads: &dyn Reads, lane: Lane) -> Result<Passes, LifecycleError> {
    Ok(PASSES.get(reads, lane)?.unwrap_or_default())
}
