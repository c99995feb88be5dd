//! The names of rows of the graph in an export: `ID/REVISION`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use annals_graph::DumpLine;
use annals_storage::{Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Row};

use annals_engine::Error;
use annals_engine::support;

/// The names of rows, each read once. A row without a memory is damage, which `validate` reports;
/// its name is its number.
pub struct Names<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    known: RefCell<BTreeMap<Row, RowName>>,
    /// The first read that failed. The callbacks of the graph answer a name and no error.
    failed: RefCell<Option<Error>>,
}

/// The memory of a row, its first row and the number of the revision.
#[derive(Debug, Clone, Copy)]
struct RowName {
    memory: Option<MemoryId>,
    first: Row,
    revision: u32,
}

impl<'a> Names<'a> {
    pub fn new(reads: &'a dyn Reads, ns: NamespaceId) -> Self {
        Self {
            reads,
            ns,
            known: RefCell::default(),
            failed: RefCell::default(),
        }
    }

    /// `ID/REVISION`, the name of a row in an export that can be imported.
    pub(super) fn of(&self, row: Row) -> String {
        let known = self.known(row);
        known.memory.map_or_else(
            || format!("row {}", row.0),
            |id| format!("{id}/{}", known.revision),
        )
    }

    /// The id of the row's memory.
    pub fn memory_of(&self, row: Row) -> String {
        self.known(row)
            .memory
            .map_or_else(|| format!("row {}", row.0), |id| id.to_string())
    }

    /// By memories in the order of their storing, then by revisions: an import keeps both.
    pub(super) fn order(&self, row: Row) -> (u32, u32) {
        let known = self.known(row);
        (known.first.0, known.revision)
    }

    /// Ends an export, whose names are wrong when a read failed.
    pub fn finish(self) -> Result<(), Error> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }

    fn known(&self, row: Row) -> RowName {
        if let Some(known) = self.known.borrow().get(&row) {
            return *known;
        }
        let unknown = RowName {
            memory: None,
            first: row,
            revision: 1,
        };
        match self.read(row) {
            Ok(revisions) => {
                let mut known = self.known.borrow_mut();
                known.extend(revisions);
                *known.entry(row).or_insert(unknown)
            }
            Err(error) => {
                self.failed.borrow_mut().get_or_insert(error);
                unknown
            }
        }
    }

    /// All revisions of the memory that a row belongs to.
    fn read(&self, row: Row) -> Result<Vec<(Row, RowName)>, Error> {
        let Some(id) = annals_records::ids_of(self.reads, self.ns, &[row])?
            .into_iter()
            .flatten()
            .next()
        else {
            return Ok(Vec::new());
        };
        let rows: Vec<Row> = annals_records::rows_of(self.reads, self.ns, &[id])?
            .into_iter()
            .flatten()
            .collect();
        let first = rows.first().copied().unwrap_or(row);
        Ok((1..)
            .zip(rows)
            .map(|(revision, row)| {
                (
                    row,
                    RowName {
                        memory: Some(id),
                        first,
                        revision,
                    },
                )
            })
            .collect())
    }
}

/// The rows that lines name.
pub(super) fn find(
    txn: &Transaction<'_>,
    ns: NamespaceId,
    lines: &[DumpLine],
) -> Result<BTreeMap<String, Row>, Error> {
    let mut wanted: BTreeMap<MemoryId, Vec<(usize, String)>> = BTreeMap::new();
    for name in lines.iter().flat_map(DumpLine::memories) {
        let parsed = name
            .split_once('/')
            .and_then(|(id, number)| Some((id.parse().ok()?, number.parse::<usize>().ok()?)));
        if let Some((id, number)) = parsed {
            wanted
                .entry(id)
                .or_default()
                .push((number, name.to_owned()));
        }
    }
    let ids: Vec<MemoryId> = wanted.keys().copied().collect();
    let mut found = BTreeMap::new();
    for (names, rows) in wanted
        .into_values()
        .zip(annals_records::rows_of(txn, ns, &ids)?)
    {
        for (number, name) in names {
            let row = number.checked_sub(1).and_then(|at| rows.get(at));
            found.extend(row.map(|row| (name, *row)));
        }
    }
    Ok(found)
}

/// Refuses lines that let a memory speak which is hidden or was replaced.
pub(super) fn check(
    txn: &Transaction<'_>,
    ns: NamespaceId,
    lines: &[DumpLine],
    rows: &BTreeMap<String, Row>,
) -> Result<(), Error> {
    let speaking = lines.iter().filter_map(|line| match line {
        DumpLine::Memory { memory, states, .. }
            if states.last().is_some_and(|last| last.state.supports()) =>
        {
            Some((memory, *rows.get(memory)?))
        }
        _ => None,
    });
    let speaking: Vec<(&String, Row)> = speaking.collect();
    let only: Vec<Row> = speaking.iter().map(|(_, row)| *row).collect();
    let memories = annals_records::memories(txn, ns, &only, None)?;
    let ids: Vec<MemoryId> = memories.iter().flatten().map(|memory| memory.id).collect();
    let current: BTreeMap<MemoryId, Row> = ids
        .iter()
        .copied()
        .zip(annals_records::find_rows(txn, ns, &ids)?)
        .filter_map(|(id, row)| Some((id, row?)))
        .collect();
    for ((name, row), memory) in speaking.into_iter().zip(memories) {
        let speaks = memory.is_some_and(|memory| {
            let alive = current.get(&memory.id) == Some(&row) && memory.superseded_by.is_none();
            alive && support(memory.status).supports()
        });
        if !speaks {
            return Err(Error::bad_input(format!(
                "memory {name} is hidden or was replaced here, but the line lets it speak; \
                 import the memories of the same export first"
            )));
        }
    }
    Ok(())
}
