//! The part of a comparison that a judge left open.

use annals_types::MemoryId;

use crate::Error;
use crate::WriteCx;
use crate::jobs::tasks::TaskKind;

/// The questions about a new memory that a judge left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Open {
    /// Nothing.
    #[default]
    Nothing,
    /// Whether it says the same as another one, and so also which memories it contradicts.
    Same,
    /// Which memories it contradicts.
    Contradicts,
}

impl Open {
    /// The payload of the task.
    pub const SAME: &'static [u8] = &[1];

    /// Lets the memory be compared later.
    pub(crate) fn queue(self, cx: &mut WriteCx<'_, '_>, id: MemoryId) -> Result<(), Error> {
        let payload = match self {
            Self::Nothing => return Ok(()),
            Self::Same => Self::SAME,
            Self::Contradicts => &[],
        };
        TaskKind::Compare.queue_with(cx, id, payload).map(drop)
    }
}
