//! The memories that speak of the same subject and relation: those that name both, as the free
//! fields `subject` and `predicate`.

use std::ops::ControlFlow;

use annals_storage::table::{ClosedText, Mark};
use annals_storage::{Reads, Table, Transaction};
use annals_types::{Body, Memory, NamespaceId, Row, Value};

use crate::{Error, noted};

/// The current rows that speak of a subject and a predicate.
pub(crate) const CLAIMS: Table<(NamespaceId, ClosedText, ClosedText, Row), Mark> =
    Table::new("annals.claims");
/// The longest subject and predicate together that are kept, in bytes.
const LONGEST: usize = 4096;

/// A subject and a predicate.
pub(crate) type Claim = (String, String);

/// Subject and relation of a memory as they are compared; `None` for one that does not name both.
pub fn key_of(body: &Body) -> Option<Claim> {
    let word = |name: &str| match body.metadata.get(name) {
        Some(Value::Text(text)) => {
            Some(annals_language::names::normalise(text)).filter(|text| !text.is_empty())
        }
        _ => None,
    };
    let (subject, predicate) = (word("subject")?, word("predicate")?);
    let length = subject.len() + predicate.len() + 2;
    (length <= LONGEST && !subject.contains('\0') && !predicate.contains('\0'))
        .then_some((subject, predicate))
}

/// Enters a current row.
pub(crate) fn put(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    body: &Body,
) -> Result<(), Error> {
    if let Some((subject, predicate)) = key_of(body) {
        CLAIMS.put(txn, (ns, &subject, &predicate, row), &())?;
    }
    Ok(())
}

/// Removes a row that is history or about to be erased.
pub(crate) fn remove(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    body: &Body,
) -> Result<(), Error> {
    if let Some((subject, predicate)) = key_of(body) {
        CLAIMS.delete(txn, (ns, &subject, &predicate, row))?;
    }
    Ok(())
}

/// The current rows that speak of a subject and relation, rising.
pub(crate) fn rows(
    reads: &dyn Reads,
    ns: NamespaceId,
    (subject, predicate): &Claim,
) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    CLAIMS.scan(
        reads,
        CLAIMS.within((ns, subject.as_str(), predicate.as_str())),
        |(.., row), ()| {
            rows.push(row);
            Ok::<_, Error>(ControlFlow::Continue(()))
        },
    )?;
    Ok(rows)
}

/// Names rows that do not fit the memories.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut noted: Vec<(Row, Claim)> = Vec::new();
    CLAIMS.scan(
        reads,
        CLAIMS.within(ns),
        |(_, subject, predicate, row), ()| {
            noted.push((row, (subject.to_owned(), predicate.to_owned())));
            Ok::<_, Error>(ControlFlow::Continue(()))
        },
    )?;
    let fits = |memory: &Memory, claim: &Claim| {
        memory.superseded_by.is_none() && key_of(&memory.body).is_some_and(|own| own == *claim)
    };
    let strays = noted::strays(reads, ns, &noted, fits)?;
    Ok(strays
        .iter()
        .map(|row| format!("claims: row {} does not speak of what is noted", row.0))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_types::NewMemory;

    #[test]
    fn subject_and_relation_are_compared_without_case_and_width() {
        let body = |subject: &str, predicate: &str| {
            let built = NewMemory::builder("x")
                .metadata("subject", subject)
                .metadata("predicate", predicate)
                .build();
            built.unwrap().into_body()
        };
        assert_eq!(
            key_of(&body("Ada", "lives in")),
            Some(("ada".to_owned(), "lives in".to_owned()))
        );
        assert_eq!(
            key_of(&body("Ａda", "Lives In")),
            key_of(&body("ada", "lives in"))
        );
        assert_eq!(key_of(&body("Ada", " ")), None);
        assert_eq!(key_of(&NewMemory::try_from("x").unwrap().into_body()), None);
    }
}
