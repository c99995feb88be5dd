use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::table::scan_rows;
use annals_storage::{KeyRange, Reads};
use annals_types::{Interval, NamespaceId, Row};

use super::Columns;
use super::block::Block;
use super::chunk::{CHUNK, Chunks, Part, RowChunk, split};
use super::session::{Span, link_all};
use super::slot::{Facts, PRESENT, REPLACED, Slot};
use super::table::Table;
use crate::record::RowRecord;
use crate::tables::{COLUMNS, LABELS, ROWS, STATES};
use crate::wire::Broken;
use crate::{Head, History, LabelClass, RecordError};

impl Columns {
    /// Reads the columns of a namespace: stored blocks, then the rows that no block covers, then
    /// what rows lived through.
    ///
    /// Damaged blocks are derived data: they are left aside, the rows are read instead, and
    /// [`blocks_damaged`](Self::blocks_damaged) tells it.
    ///
    /// # Errors
    /// When something that is not derived cannot be read.
    pub fn load(reads: &dyn Reads, ns: NamespaceId) -> Result<Self, RecordError> {
        match Loading::run(reads, ns, true) {
            Err(error) if error.is_corruption() => {
                let mut columns = Loading::run(reads, ns, false)?;
                columns.blocks_damaged = true;
                Ok(columns)
            }
            other => other,
        }
    }
}

/// Columns that are not shared yet, so that nothing needs to be counted or copied while they grow.
struct Loading {
    columns: Columns,
    chunks: Vec<RowChunk>,
    labels: [Vec<(u32, Arc<str>)>; 5],
    /// Row ranges that no block covered.
    gaps: Vec<(u32, u32)>,
    lives: Vec<(Row, Arc<History>)>,
}

impl Loading {
    fn run(reads: &dyn Reads, ns: NamespaceId, blocks: bool) -> Result<Columns, RecordError> {
        let head = Head::read(reads, ns)?;
        let mut columns = Columns::empty(ns);
        columns.len = head.next_row;
        columns.commit = reads.commit();
        let mut loading = Self {
            columns,
            chunks: Vec::new(),
            labels: Default::default(),
            gaps: Vec::new(),
            lives: Vec::new(),
        };
        loading.make_room(head.next_row);
        loading.first_walk(reads, ns, blocks)?;
        loading.read_gaps(reads, ns)?;
        loading.finish(&head)
    }

    fn make_room(&mut self, rows: u32) {
        let mut left = rows as usize;
        while left > 0 {
            let slots = vec![Slot::ABSENT; left.min(CHUNK)];
            left -= slots.len();
            self.chunks.push(RowChunk {
                slots,
                ..RowChunk::default()
            });
        }
    }

    /// Labels, blocks and lives in one round of reads.
    fn first_walk(
        &mut self,
        reads: &dyn Reads,
        ns: NamespaceId,
        blocks: bool,
    ) -> Result<(), RecordError> {
        let mut ranges: Vec<KeyRange> = LabelClass::ALL
            .iter()
            .map(|class| LABELS.within((ns, *class)).into())
            .collect();
        ranges.push(STATES.within(ns).into());
        if blocks {
            ranges.push(COLUMNS.within(ns).into());
        }
        let mut covered = 0;
        scan_rows(reads, &ranges, |_, row| {
            if let Some(((_, class, text), number)) = LABELS.read(&row)? {
                if let Some(labels) = self.labels.get_mut(class.index()) {
                    labels.push((number.0, Arc::from(text)));
                }
            } else if let Some(((_, row), life)) = STATES.read(&row)? {
                self.lives.push((row, Arc::new(life)));
            } else if let Some((key, block)) = COLUMNS.read(&row)? {
                let first = key.1.0;
                let end = self
                    .block(first, block)
                    .map_err(|broken| COLUMNS.damaged(key, broken.0))?;
                if first < covered {
                    return Err(COLUMNS.damaged(key, "two column blocks overlap").into());
                }
                if first > covered {
                    self.gaps.push((covered, first));
                }
                covered = end;
            } else {
                return Err(row.unknown().into());
            }
            Ok::<_, RecordError>(ControlFlow::Continue(()))
        })?;
        if covered < self.columns.len {
            self.gaps.push((covered, self.columns.len));
        }
        Ok(())
    }

    /// Takes the slots of a block over; answers the first row after it.
    fn block(&mut self, first: u32, block: Block) -> Result<u32, Broken> {
        let beyond = Broken("a column block holds rows that do not exist");
        let end = u32::try_from(block.slots.len())
            .ok()
            .and_then(|count| first.checked_add(count))
            .ok_or(beyond)?;
        if end > self.columns.len {
            return Err(beyond);
        }
        let mut sets = vec![0];
        sets.extend(
            block
                .tag_sets
                .iter()
                .map(|tags| self.columns.tag_set_number(tags)),
        );
        let tagged = block.tag_sets.iter().any(|tags| !tags.is_empty());
        let mut slots = block.slots.as_slice();
        let mut row = first;
        while !slots.is_empty() {
            let (chunk, at) = split(row);
            let Some(room) = self
                .chunks
                .get_mut(chunk)
                .and_then(|chunk| chunk.slots.get_mut(at..))
            else {
                break;
            };
            let count = room.len().min(slots.len());
            let (now, later) = slots.split_at(count);
            for (to, from) in room.iter_mut().zip(now) {
                *to = *from;
                if tagged {
                    to.tag_set = sets.get(from.tag_set as usize).copied().unwrap_or(0);
                }
            }
            slots = later;
            row += u32::try_from(count).unwrap_or(0);
        }
        for (at, validity) in block.validity {
            self.set_validity(first.saturating_add(at), validity);
        }
        for (at, time) in block.named_times {
            self.name_times(first.saturating_add(at), &[time]);
        }
        Ok(end)
    }

    fn set_validity(&mut self, row: u32, validity: super::Validity) {
        let (chunk, at) = split(row);
        if let (Some(chunk), Ok(at)) = (self.chunks.get_mut(chunk), u16::try_from(at)) {
            Arc::make_mut(chunk.validity.get_or_insert_default()).insert(at, validity);
        }
    }

    fn name_times(&mut self, row: u32, times: &[Interval]) {
        let (chunk, at) = split(row);
        if let (Some(chunk), Ok(at)) = (self.chunks.get_mut(chunk), u16::try_from(at)) {
            chunk.name_times(at, times);
        }
    }

    fn read_gaps(&mut self, reads: &dyn Reads, ns: NamespaceId) -> Result<(), RecordError> {
        let gaps = std::mem::take(&mut self.gaps);
        let ranges: Vec<KeyRange> = gaps
            .iter()
            .map(|(from, to)| {
                ROWS.within(ns)
                    .from((ns, Row(*from)))
                    .until((ns, Row(*to)))
                    .into()
            })
            .collect();
        ROWS.scan_many(reads, &ranges, |_, (_, row), record| {
            self.row(row.0, &record);
            Ok(ControlFlow::Continue(()))
        })
    }

    fn row(&mut self, row: u32, record: &RowRecord<'_>) {
        let facts = Facts::of(record);
        let tag_set = self.columns.tag_set_number(&facts.tags);
        let (chunk, at) = split(row);
        if let Some(slot) = self
            .chunks
            .get_mut(chunk)
            .and_then(|chunk| chunk.slots.get_mut(at))
        {
            *slot = Slot {
                tag_set,
                ..facts.slot
            };
        }
        if let Some(validity) = facts.validity {
            self.set_validity(row, validity);
        }
        self.name_times(row, &facts.named_times);
    }

    fn finish(mut self, head: &Head) -> Result<Columns, RecordError> {
        for (row, history) in std::mem::take(&mut self.lives) {
            self.live(row, history);
        }
        let [sessions, _, kinds, ..] = head.labels;
        let mut spans = vec![Span::default(); sessions as usize + 1];
        link_all(&mut self.chunks, &mut spans);
        let Self {
            mut columns,
            mut chunks,
            labels,
            ..
        } = self;
        columns.labels = labels.map(Table::of);
        for chunk in &mut chunks {
            let present = chunk
                .slots
                .iter()
                .filter(|slot| slot.has(PRESENT))
                .map(Slot::time);
            chunk.times = present.fold(None, |times: Option<(i64, i64)>, time| {
                Some(times.map_or((time, time), |(first, last)| {
                    (first.min(time), last.max(time))
                }))
            });
        }
        let mut by_kind = vec![0_u32; kinds as usize + 1];
        for slot in chunks
            .iter()
            .flat_map(|chunk| &chunk.slots)
            .filter(|slot| slot.has(PRESENT))
        {
            columns.note_time(slot.stored_at);
            if let Some(count) = by_kind
                .get_mut(slot.kind as usize)
                .filter(|_| !slot.has(REPLACED))
            {
                *count += 1;
            }
            if let Some(count) = columns.counts.of(slot) {
                *count += 1;
            }
        }
        columns.rows = Chunks::of(chunks);
        columns.sessions = plain(&spans);
        columns.kinds = plain(&by_kind);
        Ok(columns)
    }

    fn live(&mut self, row: Row, history: Arc<History>) {
        let (chunk, at) = split(row.0);
        let Some(chunk) = self.chunks.get_mut(chunk) else {
            return;
        };
        let Some(slot) = chunk.slots.get_mut(at).filter(|slot| slot.has(PRESENT)) else {
            return;
        };
        slot.status = history.status().to_byte();
        slot.flags |= super::LIVED
            | if history.death.is_some() {
                super::REPLACED
            } else {
                0
            };
        if let Ok(at) = u16::try_from(at) {
            Arc::make_mut(chunk.lives.get_or_insert_default()).insert(at, history);
        }
    }
}

/// An array in chunks; none for what never held anything.
fn plain<T: Clone>(entries: &[T]) -> Chunks<Part<T>> {
    if entries.len() < 2 {
        return Chunks::default();
    }
    Chunks::of(
        entries
            .chunks(CHUNK)
            .map(|part| Part(part.to_vec()))
            .collect(),
    )
}
