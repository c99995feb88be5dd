//! The columns of every row that recall and lists need, in memory.

mod apply;
pub(crate) mod block;
mod chunk;
mod fold;
mod load;
mod session;
mod slot;
mod table;
mod time;

use std::sync::Arc;

use annals_types::{Commit, Interval, Kind, Layer, NamespaceId, Row, Status};

use crate::{History, LabelClass, LabelId};

pub use fold::{Folded, drop_columns, fold_columns};
pub use slot::Feature;

pub(crate) use fold::erase_from_blocks;
pub(crate) use slot::{Facts, LIVED, PRESENT, REPLACED, Slot, TIMED, Validity};

use chunk::{Chunks, Part, RowChunk, split};
use session::Span;
use table::Table;

/// The feature columns of a namespace: about 56 bytes a row, plus labels and what only some rows
/// have.
///
/// A clone is a consistent snapshot and costs a few reference counts. The writer changes its own
/// copy with [`apply`](Self::apply), which copies only the chunks of 1024 rows that change.
#[derive(Debug, Clone)]
pub struct Columns {
    namespace: NamespaceId,
    commit: Commit,
    /// Rows given away so far, whether they still exist or not.
    len: u32,
    rows: Chunks<RowChunk>,
    labels: [Table<str>; 5],
    tag_sets: Table<[LabelId]>,
    sessions: Chunks<Part<Span>>,
    counts: Counts,
    kinds: Chunks<Part<u32>>,
    /// Whether storing times never fall from row to row.
    ordered: bool,
    last_stored_at: i64,
    blocks_damaged: bool,
}

/// Current memories by status and layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    cells: [[u32; 8]; 8],
    replaced: u32,
}

impl Counts {
    /// The count that a slot belongs to.
    fn of(&mut self, slot: &Slot) -> Option<&mut u32> {
        if slot.has(REPLACED) {
            return Some(&mut self.replaced);
        }
        self.cells
            .get_mut(usize::from(slot.status))?
            .get_mut(usize::from(slot.layer))
    }
}

impl Columns {
    /// The columns of a namespace without memories.
    #[must_use]
    pub fn empty(namespace: NamespaceId) -> Self {
        Self {
            namespace,
            commit: Commit::ZERO,
            len: 0,
            rows: Chunks::default(),
            labels: Default::default(),
            tag_sets: Table::default(),
            sessions: Chunks::default(),
            counts: Counts::default(),
            kinds: Chunks::default(),
            ordered: true,
            last_stored_at: i64::MIN,
            blocks_damaged: false,
        }
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> NamespaceId {
        self.namespace
    }

    /// The last commit they reflect.
    #[must_use]
    pub fn commit(&self) -> Commit {
        self.commit
    }

    /// How many rows were ever given away: every row is below this number.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether no row was ever given away.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether stored blocks were damaged and the rows were read instead: drop and fold them again.
    #[must_use]
    pub fn blocks_damaged(&self) -> bool {
        self.blocks_damaged
    }

    pub(crate) fn slot(&self, row: Row) -> Option<&Slot> {
        let (chunk, at) = split(row.0);
        self.rows
            .get(chunk)?
            .slots
            .get(at)
            .filter(|slot| slot.has(PRESENT))
    }

    pub(crate) fn validity(&self, row: Row) -> Option<Validity> {
        let (chunk, at) = split(row.0);
        self.rows.get(chunk)?.validity(at)
    }

    /// Whether storing times rise with rows, so that the order of rows is that of time.
    pub(crate) fn ordered(&self) -> bool {
        self.ordered
    }

    /// The facts about a row; `None` when it was erased or never existed.
    #[must_use]
    pub fn get(&self, row: Row) -> Option<Feature> {
        let slot = self.slot(row)?;
        let validity = if slot.has(TIMED) {
            self.validity(row)
        } else {
            None
        };
        Some(Feature::of(row, slot, validity))
    }

    /// The times that the text of a row names.
    pub fn named_times(&self, row: Row) -> impl Iterator<Item = Interval> + '_ {
        let (chunk, at) = split(row.0);
        let times = self
            .rows
            .get(chunk)
            .map_or(&[][..], |chunk| chunk.named_times(at));
        times.iter().map(|(_, time)| *time)
    }

    /// The life of a row after its birth; `None` while it is as it was born.
    #[must_use]
    pub fn history(&self, row: Row) -> Option<&History> {
        let (chunk, at) = split(row.0);
        self.rows.get(chunk)?.life(at).map(AsRef::as_ref)
    }

    /// The status of a row that is there and was not replaced.
    #[must_use]
    pub fn current_status(&self, row: Row) -> Option<Status> {
        self.slot(row)
            .filter(|slot| !slot.has(REPLACED))
            .and_then(|slot| Status::from_byte(slot.status))
    }

    /// The rows that exist, history included, in rising order.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = Row> + '_ {
        (0..self.len)
            .map(Row)
            .filter(|row| self.slot(*row).is_some())
    }

    /// The text of a label.
    #[must_use]
    pub fn label(&self, class: LabelClass, number: LabelId) -> Option<&str> {
        self.table(class)?.value(number.0).map(AsRef::as_ref)
    }

    pub(crate) fn shared_label(&self, class: LabelClass, number: LabelId) -> Option<Arc<str>> {
        self.table(class)?.value(number.0).map(Arc::clone)
    }

    /// The number of a label; `None` when the namespace never saw it.
    #[must_use]
    pub fn label_id(&self, class: LabelClass, text: &str) -> Option<LabelId> {
        self.table(class)?.number(text).map(LabelId)
    }

    /// All labels of a class with their numbers.
    pub fn labels(&self, class: LabelClass) -> impl Iterator<Item = (LabelId, &str)> + '_ {
        let table = self.table(class);
        table.into_iter().flat_map(|table| {
            table
                .iter()
                .map(|(number, text)| (LabelId(number), text.as_ref()))
        })
    }

    /// How many labels of a class there are.
    #[must_use]
    pub fn label_count(&self, class: LabelClass) -> usize {
        self.table(class).map_or(0, Table::len)
    }

    fn table(&self, class: LabelClass) -> Option<&Table<str>> {
        self.labels.get(class.index())
    }

    /// The tags of a row.
    #[must_use]
    pub fn tags(&self, row: Row) -> &[LabelId] {
        self.slot(row)
            .map_or(&[], |slot| self.tag_set(slot.tag_set))
    }

    pub(crate) fn tag_set(&self, number: u32) -> &[LabelId] {
        self.tag_sets.value(number).map_or(&[], AsRef::as_ref)
    }

    /// Current memories of a status and a layer; `None` stands for all of them.
    #[must_use]
    pub fn count(&self, status: Option<Status>, layer: Option<Layer>) -> u32 {
        let chosen =
            |wanted: Option<u8>, at: usize| wanted.is_none_or(|byte| usize::from(byte) == at);
        let rows = self.counts.cells.iter().enumerate();
        rows.filter(|(at, _)| chosen(status.map(Status::to_byte), *at))
            .flat_map(|(_, cells)| cells.iter().enumerate())
            .filter(|(at, _)| chosen(layer.map(Layer::to_byte), *at))
            .map(|(_, count)| count)
            .sum()
    }

    /// Current memories of a kind, whatever their status.
    #[must_use]
    pub fn count_kind(&self, kind: &Kind) -> u32 {
        let number = self.label_id(LabelClass::Kind, kind.as_str());
        number
            .and_then(|number| self.kinds.entry(number.0).copied())
            .unwrap_or(0)
    }

    /// Rows kept as history.
    #[must_use]
    pub fn count_replaced(&self) -> u32 {
        self.counts.replaced
    }

    /// About how many bytes of memory they take.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let rows: usize = self.rows.iter().map(RowChunk::bytes).sum();
        let labels: usize = self.labels.iter().map(|table| table.bytes(str::len)).sum();
        let tags = self.tag_sets.bytes(size_of_val);
        size_of::<Self>() + rows + labels + tags + self.sessions.bytes() + self.kinds.bytes()
    }
}
