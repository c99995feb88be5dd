//! Which memories speak of the same subject and relation: those that name both, as the free fields `subject` and `predicate`.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{Body, NamespaceId, Row, Value};

use crate::Error;

/// Namespace, subject, byte 0, predicate, byte 0, row -> nothing.
pub(crate) const CLAIMS: Keyspace = Keyspace::new("annals.claims").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;
/// The longest subject and predicate together that are kept, in bytes.
const LONGEST: usize = 4096;

/// Subject and relation of a memory as they are compared; `None` for one that does not name both.
pub(crate) fn key_of(body: &Body) -> Option<Vec<u8>> {
    let word = |name: &str| match body.metadata.get(name) {
        Some(Value::Text(text)) => Some(annals_graph::normalise(text)).filter(|text| !text.is_empty()),
        _ => None,
    };
    let (subject, predicate) = (word("subject")?, word("predicate")?);
    let mut key = subject.into_bytes();
    key.push(0);
    key.extend_from_slice(predicate.as_bytes());
    key.push(0);
    (key.len() <= LONGEST && key.iter().filter(|byte| **byte == 0).count() == 2).then_some(key)
}

fn place(ns: NamespaceId, key: &[u8]) -> Vec<u8> {
    let mut place = ns.prefix().to_vec();
    place.extend_from_slice(key);
    place
}

fn entry(ns: NamespaceId, key: &[u8], row: Row) -> Vec<u8> {
    let mut place = place(ns, key);
    place.extend_from_slice(&row.0.to_be_bytes());
    place
}

/// Takes note of what a row speaks of.
pub(crate) fn put(txn: &mut Transaction<'_>, ns: NamespaceId, row: Row, body: &Body) -> Result<(), Error> {
    if let Some(key) = key_of(body) {
        txn.put(CLAIMS, &entry(ns, &key, row), VERSION, &[])?;
    }
    Ok(())
}

/// Drops what is noted of a row that is history or gone.
pub(crate) fn drop(txn: &mut Transaction<'_>, ns: NamespaceId, row: Row, body: &Body) -> Result<(), Error> {
    if let Some(key) = key_of(body) {
        txn.delete(CLAIMS, &entry(ns, &key, row))?;
    }
    Ok(())
}

/// The same for rows that are about to go.
pub(crate) fn drop_all(txn: &mut Transaction<'_>, ns: NamespaceId, rows: &[Row]) -> Result<(), Error> {
    if rows.is_empty() || !any(&*txn, ns)? {
        return Ok(());
    }
    let memories = annals_records::memories(&*txn, ns, rows, None)?;
    for (row, memory) in rows.iter().zip(memories) {
        if let Some(memory) = memory {
            drop(txn, ns, *row, &memory.body)?;
        }
    }
    Ok(())
}

fn any(reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
    let mut any = false;
    reads.scan(&[KeyRange::prefix(CLAIMS, &ns.prefix())], &mut |_, _, _, _| {
        any = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(any)
}

/// The current rows that speak of a subject and relation, rising.
pub(crate) fn rows(reads: &dyn Reads, ns: NamespaceId, key: &[u8]) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    reads.scan(&[KeyRange::prefix(CLAIMS, &place(ns, key))], &mut |_, key, _, _| {
        rows.extend(row_of(key));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

fn row_of(key: &[u8]) -> Option<Row> {
    key.last_chunk::<4>().map(|bytes| Row(u32::from_be_bytes(*bytes)))
}

/// What does not fit the memories.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut noted: Vec<(Row, Vec<u8>)> = Vec::new();
    reads.scan(&[KeyRange::prefix(CLAIMS, &ns.prefix())], &mut |_, key, _, _| {
        noted.extend(row_of(key).map(|row| (row, key.to_vec())));
        Ok(ControlFlow::Continue(()))
    })?;
    let mut problems = Vec::new();
    for part in noted.chunks(1000) {
        let rows: Vec<Row> = part.iter().map(|(row, _)| *row).collect();
        let memories = annals_records::memories(reads, ns, &rows, None)?;
        let current = annals_records::ids_of(reads, ns, &rows)?;
        let ids: Vec<_> = current.iter().flatten().copied().collect();
        let newest = annals_records::find_rows(reads, ns, &ids)?;
        for ((row, key), memory) in part.iter().zip(memories) {
            let fits = memory.is_some_and(|memory| {
                let own = key_of(&memory.body).is_some_and(|own| entry(ns, &own, *row) == *key);
                own && memory.superseded_by.is_none() && newest.contains(&Some(*row))
            });
            if !fits {
                problems.push(format!("claims: row {} does not speak of what is noted", row.0));
            }
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_types::NewMemory;

    #[test]
    fn subject_and_relation_are_compared_without_case_and_width() {
        let body = |subject: &str, predicate: &str| {
            let built = NewMemory::builder("x").metadata("subject", subject).metadata("predicate", predicate).build();
            built.unwrap().into_body()
        };
        assert_eq!(key_of(&body("Ada", "lives in")), Some(b"ada\0lives in\0".to_vec()));
        assert_eq!(key_of(&body("Ａda", "Lives In")), key_of(&body("ada", "lives in")));
        assert_eq!(key_of(&body("Ada", " ")), None);
        assert_eq!(key_of(&NewMemory::try_from("x").unwrap().into_body()), None);
        assert_eq!(entry(NamespaceId(1), b"a\0b\0", Row(2)), b"\0\0\0\x01a\0b\0\0\0\0\x02");
    }
}
