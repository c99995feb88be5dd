use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::Label;

use crate::keyspaces::{LANES, PASSES};
use crate::value::{self, Value};
use crate::wire::{Broken, Put, Take};
use crate::{LifecycleError, Passes, key};

/// The number of a name under which things wait in order of time: a profile whose jobs look after memories, or a queue of tasks.
///
/// Each lane has its own part of the due index, so that a job reads nothing that waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

impl Value for u32 {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(2);
        put.varint(u64::from(*self));
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let number = take.varint32()?;
        take.end()?;
        Ok(number)
    }
}

/// The lane of a name, if it has one.
///
/// # Errors
/// When it cannot be read.
pub fn find_lane(reads: &dyn Reads, name: &Label) -> Result<Option<Lane>, LifecycleError> {
    Ok(value::get::<u32>(reads, LANES, name.as_ref().as_bytes())?.map(Lane))
}

/// The lane of a name; it gets one when it has none.
///
/// # Errors
/// When it cannot be read or written.
pub fn open_lane(txn: &mut Transaction<'_>, name: &Label) -> Result<Lane, LifecycleError> {
    let name = name.as_ref().as_bytes();
    let found = txn.multi_get(&[(LANES, name), (LANES, b"")])?;
    let [known, next] = found.as_slice() else {
        return Err(LifecycleError::damaged(LANES, name, Broken("it is lost")));
    };
    if let Some(lane) = value::opened::<u32>(LANES, name, known.as_ref())? {
        return Ok(Lane(lane));
    }
    let lane = value::opened::<u32>(LANES, b"", next.as_ref())?.unwrap_or(1);
    value::put(txn, LANES, name, &lane)?;
    value::put(txn, LANES, b"", &lane.saturating_add(1))?;
    Ok(Lane(lane))
}

/// All lanes with their names.
///
/// # Errors
/// When they cannot be read.
pub fn lanes(reads: &dyn Reads) -> Result<BTreeMap<String, Lane>, LifecycleError> {
    let mut found = BTreeMap::new();
    value::scan(reads, &[KeyRange::prefix(LANES, b"")], &mut |_, key, version, body| {
        let lane: u32 = value::decode(LANES, key, version, body)?;
        if !key.is_empty() {
            let name = String::from_utf8(key.to_vec());
            found.insert(
                name.map_err(|_| LifecycleError::damaged(LANES, key, Broken("a name is not UTF-8")))?,
                Lane(lane),
            );
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The passes of a lane's decaying job.
///
/// # Errors
/// When they cannot be read.
pub fn passes(reads: &dyn Reads, lane: Lane) -> Result<Passes, LifecycleError> {
    Ok(value::get(reads, PASSES, &key::lane(lane))?.unwrap_or_default())
}
