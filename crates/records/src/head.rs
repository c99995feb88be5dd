use annals_storage::Reads;
use annals_storage::table::Value;
use annals_types::{NamespaceId, Status};
use serde::{Deserialize, Serialize};

use crate::tables::HEADS;
use crate::wire::{Broken, Put, Take};
use crate::{LabelClass, LabelId, RecordError};

/// Counters and totals of a namespace, kept exact by every write.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    /// The row that the next memory gets.
    pub next_row: u32,
    /// The sequence number that the next event gets.
    pub next_event: u64,
    /// How many numbers each label class has given away, in the order of [`LabelClass::ALL`].
    pub labels: [u32; 5],
    /// Current memories by status, in the order of [`Status::ALL`].
    pub memories: [u32; 4],
    /// Rows that were replaced by newer ones and are kept as history.
    pub replaced: u32,
    /// Bytes of text and replies in all rows, history included.
    pub text_bytes: u64,
}

impl Head {
    /// The head of a namespace; all zero for one that was never written to.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(reads: &dyn Reads, ns: NamespaceId) -> Result<Self, RecordError> {
        Ok(HEADS.get(reads, ns)?.unwrap_or_default())
    }

    /// Current memories of a status.
    #[must_use]
    pub fn count(&self, status: Status) -> u32 {
        self.memories
            .get(usize::from(status.to_byte()))
            .copied()
            .unwrap_or(0)
    }

    /// All current memories.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.memories.iter().sum()
    }

    pub(crate) fn count_mut(&mut self, status: Status) -> Option<&mut u32> {
        self.memories.get_mut(usize::from(status.to_byte()))
    }

    pub(crate) fn next_label(&mut self, class: LabelClass) -> Option<LabelId> {
        let given = self.labels.get_mut(class.index())?;
        *given = given.checked_add(1)?;
        Some(LabelId(*given))
    }
}

impl Value for Head {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.varint(u64::from(view.next_row));
        put.varint(view.next_event);
        for number in view.labels.iter().chain(&view.memories) {
            put.varint(u64::from(*number));
        }
        put.varint(u64::from(view.replaced));
        put.varint(view.text_bytes);
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let mut head = Self {
            next_row: take.varint32()?,
            next_event: take.varint()?,
            ..Self::default()
        };
        for number in head.labels.iter_mut().chain(&mut head.memories) {
            *number = take.varint32()?;
        }
        head.replaced = take.varint32()?;
        head.text_bytes = take.varint()?;
        take.end()?;
        Ok(head)
    }
}
