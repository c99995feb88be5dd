//! The memories that can stand in a file, with what they are worth.

use annals_types::{Layer, Memory, Row, Status, Timestamp};

use crate::Target;
use annals_engine::Error;
use annals_engine::View;

/// A memory with what it is worth, as files show it.
pub(super) struct FileMemory {
    pub(super) memory: Memory,
    pub(super) score: f64,
    pub(super) class: String,
    pub(super) hits: u32,
    pub(super) activated: Timestamp,
    pub(super) created: Timestamp,
    pub(super) expires: Option<Timestamp>,
}

impl Target<'_> {
    /// The memories that can stand in a file, with what they are worth now.
    pub(super) fn held(&self) -> Result<Vec<FileMemory>, Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.engine.snapshot()?;
        let shown = |row: &Row| {
            matches!(
                view.columns.current_status(*row),
                Some(Status::Active | Status::Archived)
            )
        };
        let rows: Vec<Row> = view.worth.rows().filter(shown).collect();
        let memories = annals_records::memories(&snapshot, self.ns, &rows, Some(&view.columns))?;
        let pairs = rows
            .into_iter()
            .zip(memories)
            .filter_map(|(row, memory)| Some((row, memory?)));
        let pairs = pairs.filter(|(_, memory)| self.profile.governs(memory.body.layer));
        Ok(pairs
            .filter_map(|(row, memory)| self.hold(&view, row, memory))
            .collect())
    }

    fn hold(&self, view: &View, row: Row, memory: Memory) -> Option<FileMemory> {
        let anchor = view.worth.anchor(row)?;
        Some(FileMemory {
            score: view.worth.score(row, self.now)?,
            class: view.worth.class(row)?.to_owned(),
            hits: view.worth.uses(row).0,
            activated: anchor.accessed,
            created: anchor.created,
            expires: view.worth.expires_at(row),
            memory,
        })
    }
}

/// Whether a memory is an episode or a turn, and so in no file of memories.
pub(super) const fn is_said(layer: Layer) -> bool {
    matches!(layer, Layer::Turn | Layer::Working | Layer::Episodic)
}
