use annals_storage::table::Value;
use annals_types::{Commit, MemoryId, Row, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::wire::{Broken, Put, Take};

/// A status that a row got, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    /// The commit.
    pub commit: Commit,
    /// The moment.
    pub time: Timestamp,
    /// The status from then on.
    pub status: Status,
}

/// How a row stopped being the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    /// The commit.
    pub commit: Commit,
    /// The moment.
    pub time: Timestamp,
    /// The row that replaced it, unless that one was erased.
    pub successor: Option<Row>,
    /// The id of the memory that replaced it, when it is another one and was not erased.
    pub successor_id: Option<MemoryId>,
}

/// The life of a row after its birth; rows without one are still what they were born as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Every status it had, the one it was born with first. Never empty.
    pub changes: Vec<StatusChange>,
    /// Present once a newer row has replaced it.
    pub death: Option<Death>,
}

impl History {
    /// The history of a row that is as it was born.
    #[must_use]
    pub fn born(commit: Commit, time: Timestamp, status: Status) -> Self {
        Self {
            changes: vec![StatusChange {
                commit,
                time,
                status,
            }],
            death: None,
        }
    }

    /// The status now.
    #[must_use]
    pub fn status(&self) -> Status {
        self.changes
            .last()
            .map_or(Status::Active, |change| change.status)
    }

    /// The status at `moment`; the first one before its birth.
    #[must_use]
    pub fn status_at(&self, moment: Timestamp) -> Status {
        let last = self
            .changes
            .iter()
            .rev()
            .find(|change| change.time <= moment);
        last.or(self.changes.first())
            .map_or(Status::Active, |change| change.status)
    }

    /// Whether a newer row had replaced it by `moment`.
    #[must_use]
    pub fn dead_at(&self, moment: Timestamp) -> bool {
        self.death.is_some_and(|death| death.time <= moment)
    }
}

impl Value for History {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.length(view.changes.len());
        for change in &view.changes {
            put.varint(change.commit.0);
            put.zigzag(change.time.as_millis());
            put.byte(change.status.to_byte());
        }
        match &view.death {
            None => put.byte(0),
            Some(death) => {
                put.byte(
                    1 | u8::from(death.successor.is_some()) << 1
                        | u8::from(death.successor_id.is_some()) << 2,
                );
                put.varint(death.commit.0);
                put.zigzag(death.time.as_millis());
                if let Some(row) = death.successor {
                    put.varint(u64::from(row.0));
                }
                if let Some(id) = death.successor_id {
                    put.raw(id.as_bytes());
                }
            }
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let count = take.count(3)?;
        let mut changes = Vec::with_capacity(count);
        for _ in 0..count {
            changes.push(StatusChange {
                commit: Commit(take.varint()?),
                time: Timestamp::from_millis(take.zigzag()?),
                status: Status::from_byte(take.byte()?).ok_or(Broken("a status is unknown"))?,
            });
        }
        if changes.is_empty() {
            return Err(Broken("a history is empty"));
        }
        let death = match take.byte()? {
            0 => None,
            bits @ 1..8 if bits & 1 == 1 => Some(Death {
                commit: Commit(take.varint()?),
                time: Timestamp::from_millis(take.zigzag()?),
                successor: if bits & 2 == 0 {
                    None
                } else {
                    Some(Row(take.varint32()?))
                },
                successor_id: if bits & 4 == 0 {
                    None
                } else {
                    Some(MemoryId::from_bytes(take.array()?))
                },
            }),
            _ => return Err(Broken("a death has an unknown form")),
        };
        take.end()?;
        Ok(Self { changes, death })
    }
}
