//! Requests: calls of other processes, each of which is carried out once.
//!
//! A client sends a request again when the process that carried it out ended before it answered.
//! So each write of a request leaves a mark in the same transaction, with the answer of that write
//! where it has one. A write that finds its own mark changes nothing: it gives the answer again,
//! or fails with [`StorageError::Repeated`](crate::StorageError::Repeated).

use std::cell::Cell;

use crate::format;

/// The name of a request; names that were made later sort later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId([u8; 16]);

impl RequestId {
    /// A name that nobody else has.
    #[must_use]
    pub fn random() -> Self {
        Self(uuid::Uuid::now_v7().into_bytes())
    }

    /// The name with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes of the name.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

thread_local! {
    /// The request that this thread carries out, and how many writes it has made.
    static CURRENT: Cell<Option<(RequestId, u16)>> = const { Cell::new(None) };
}

/// Sets what a thread carries out as it was before.
struct Restore(Option<(RequestId, u16)>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Carries out a request on this thread: each write of `work` leaves its mark, for a day.
pub fn carry_out<T>(id: RequestId, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.replace(Some((id, 0))));
    work()
}

/// Runs `work` as no part of the request that this thread carries out: for writes that may be
/// repeated.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.replace(None));
    work()
}

/// A name for the next call that this thread makes as part of its request, and that another process
/// may carry out: the same when the request is carried out again. None outside of requests.
#[must_use]
pub fn next_call() -> Option<RequestId> {
    let (id, number) = CURRENT.get()?;
    CURRENT.set(Some((id, number.saturating_add(1))));
    let [begin @ .., high, low] = id.0;
    let [number_high, number_low] = number.to_be_bytes();
    let mut bytes = [0; 16];
    for (place, byte) in bytes.iter_mut().zip(
        begin
            .into_iter()
            .chain([high ^ number_high, low ^ number_low]),
    ) {
        *place = byte;
    }
    Some(RequestId(bytes))
}

/// Whether this thread carries out a request.
#[must_use]
pub fn is_request() -> bool {
    CURRENT.get().is_some()
}

/// The key of the mark of the next write on this thread; none outside of requests.
pub(crate) fn next_key() -> Option<Vec<u8>> {
    let (id, number) = CURRENT.get()?;
    CURRENT.set(Some((id, number.saturating_add(1))));
    Some(format::request_key(id.to_bytes(), number))
}

/// The key of the mark of the next write on this thread, which stays the next one.
pub(crate) fn peek_key() -> Option<Vec<u8>> {
    let (id, number) = CURRENT.get()?;
    Some(format::request_key(id.to_bytes(), number))
}

#[cfg(test)]
mod tests {
    use annals_types::Commit;

    use super::{RequestId, carry_out};
    use crate::{Keyspace, Reads, StorageError, Store};

    const NOTES: Keyspace = Keyspace::new("test.requests");

    fn count(store: &Store, key: &[u8]) -> Result<(u8, Commit), StorageError> {
        store.write(|txn| {
            if let Some(answer) = txn.answered() {
                return Ok(answer[0]);
            }
            let before = txn.get(NOTES, key)?.map_or(0, |value| value.body[0]);
            txn.put(NOTES, key, 1, &[before + 1])?;
            txn.answer(vec![before + 1]);
            Ok(before + 1)
        })
    }

    #[test]
    fn a_repeated_write_gives_its_answer_again_and_changes_nothing() {
        let store = Store::in_memory();
        let id = RequestId::random();
        let twice = || {
            carry_out(id, || {
                (
                    count(&store, b"a").unwrap().0,
                    count(&store, b"a").unwrap().0,
                )
            })
        };
        assert_eq!(twice(), (1, 2));
        let commit = store.commit();
        assert_eq!(twice(), (1, 2));
        assert_eq!(store.commit(), commit);
        assert_eq!(
            carry_out(RequestId::random(), || count(&store, b"a").unwrap().0),
            3
        );
        assert_eq!(count(&store, b"a").unwrap().0, 4);
    }

    #[test]
    fn a_repeated_write_without_an_answer_is_refused_and_changes_nothing() {
        let store = Store::in_memory();
        let id = RequestId::random();
        let put = || carry_out(id, || store.write(|txn| txn.put(NOTES, b"b", 1, b"x")));
        put().unwrap();
        let commit = store.commit();
        let error = put().unwrap_err();
        assert!(matches!(error, StorageError::Repeated), "{error}");
        assert_eq!(store.commit(), commit);
    }

    #[test]
    fn what_a_repeated_write_does_not_find_any_more_is_no_failure_of_its_own() {
        let store = Store::in_memory();
        store.write(|txn| txn.put(NOTES, b"e", 1, b"x")).unwrap();
        let id = RequestId::random();
        let delete = || {
            store.write(|txn| match txn.delete(NOTES, b"e")? {
                true => Ok(()),
                false => Err(StorageError::misuse("there is no such note")),
            })
        };
        carry_out(id, delete).unwrap();
        let error = carry_out(id, delete).unwrap_err();
        assert!(matches!(error, StorageError::Repeated), "{error}");
        let error = carry_out(RequestId::random(), delete).unwrap_err();
        assert!(matches!(error, StorageError::Misuse { .. }), "{error}");
    }

    #[test]
    fn the_answer_of_a_repeated_write_is_known_before_it() {
        let store = Store::in_memory();
        let id = RequestId::random();
        let before = || {
            let before = store.answered().unwrap();
            count(&store, b"f").unwrap();
            before
        };
        assert_eq!(carry_out(id, before), None);
        assert_eq!(carry_out(id, before), Some(vec![1]));
        assert_eq!(carry_out(RequestId::random(), before), None);
        assert_eq!(store.answered().unwrap(), None);
    }

    #[test]
    fn a_write_that_failed_leaves_no_mark() {
        let store = Store::in_memory();
        let id = RequestId::random();
        let fail = || {
            store.write(|txn| {
                txn.put(NOTES, b"c", 1, b"x")?;
                Err::<(), _>(StorageError::misuse("on purpose"))
            })
        };
        carry_out(id, fail).unwrap_err();
        carry_out(id, || store.write(|txn| txn.put(NOTES, b"c", 1, b"y"))).unwrap();
    }

    #[test]
    fn calls_of_a_request_have_names_that_come_again() {
        let id = RequestId::random();
        let calls = || {
            carry_out(id, || {
                [super::next_call().unwrap(), super::next_call().unwrap()]
            })
        };
        let [one, two] = calls();
        assert!(one != two && calls() == [one, two]);
        assert_eq!(super::next_call(), None);
    }

    #[test]
    fn marks_go_after_a_day() {
        let store = Store::in_memory();
        let old = RequestId::from_bytes([0; 16]);
        let key = crate::format::request_key(old.to_bytes(), 0);
        let long_ago =
            crate::format::request_record(&key, annals_types::Timestamp::from_millis(0), &[]);
        let leave = |txn: &mut crate::Transaction<'_>| -> Result<(), StorageError> {
            txn.put_meta(&key, long_ago.clone());
            Ok(())
        };
        store.write(leave).unwrap();
        let put = |id| carry_out(id, || store.write(|txn| txn.put(NOTES, b"d", 1, b"x")));
        assert!(matches!(put(old).unwrap_err(), StorageError::Repeated));
        put(RequestId::random()).unwrap();
        put(old).unwrap();
    }
}
