//! The rules of [`Store`] where another writer commits to the same engine, and answers are lost.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use annals_types::Commit;

use crate::{
    Batch, Depth, Engine, EngineSnapshot, EngineStats, Keyspace, Reads, StorageError, Store,
};

const A: Keyspace = Keyspace::new("conformance.a");

pub(super) const CHECKS: &[fn(Box<dyn Engine>)] = &[
    what_another_writer_refuses_is_run_again,
    writers_of_two_stores_lose_nothing,
    a_lost_answer_is_found_out,
    a_lost_answer_is_found_out_under_the_commit_of_another_writer,
    what_was_refused_and_not_answered_is_not_taken_for_kept,
    a_writer_that_is_gone_is_forgotten,
];

/// An accident of one commit.
type Accident = Box<dyn FnOnce(&dyn Engine, &Batch) -> Result<(), StorageError> + Send>;

/// One of several handles of an engine, with accidents that happen to its next commits.
#[derive(Clone)]
struct Joint {
    inner: Arc<dyn Engine>,
    accidents: Arc<Mutex<Vec<Accident>>>,
}

impl Joint {
    fn new(inner: Box<dyn Engine>) -> Self {
        Self {
            inner: Arc::from(inner),
            accidents: Arc::default(),
        }
    }

    /// Another handle, to which nothing happens.
    fn other(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            accidents: Arc::default(),
        }
    }

    fn store(&self) -> Store {
        Store::with_engine(Box::new(self.clone())).unwrap()
    }

    fn next(
        &self,
        accident: impl FnOnce(&dyn Engine, &Batch) -> Result<(), StorageError> + Send + 'static,
    ) {
        self.accidents.lock().unwrap().push(Box::new(accident));
    }
}

impl Engine for Joint {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        self.inner.snapshot()
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let accident = self.accidents.lock().unwrap().pop();
        match accident {
            Some(accident) => accident(&*self.inner, batch),
            None => self.inner.apply(batch),
        }
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        self.inner.stats(depth)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        self.inner.compact()
    }

    fn is_settled(&self) -> bool {
        self.inner.is_settled()
    }
}

/// Adds one to the number under a key.
fn count(store: &Store, key: &[u8]) -> Result<Commit, StorageError> {
    let job = |tx: &mut crate::Transaction<'_>| {
        let number = number(tx, key);
        tx.put(A, key, 1, &(number + 1).to_be_bytes())
    };
    Ok(store.write::<_, StorageError>(job)?.1)
}

fn number(reads: &dyn Reads, key: &[u8]) -> u64 {
    let stored = reads.get(A, key).unwrap();
    stored.map_or(0, |stored| {
        u64::from_be_bytes(stored.body.try_into().unwrap())
    })
}

fn counted(store: &Store, key: &[u8]) -> u64 {
    number(&store.snapshot().unwrap(), key)
}

/// Takes the lost answers of an engine that gives commits up by itself as they come.
fn applied(engine: &dyn Engine, batch: &Batch) -> Result<(), StorageError> {
    for _ in 0..8 {
        match engine.apply(batch) {
            Err(StorageError::Aborted { .. }) => {}
            result => return result,
        }
    }
    Err(StorageError::Aborted { attempts: 8 })
}

fn lost() -> StorageError {
    StorageError::io("commit", std::io::ErrorKind::ConnectionReset.into())
}

/// The numbers of commits alone cannot tell: what the other committed has the very number that this
/// one was to have.
fn what_another_writer_refuses_is_run_again(engine: Box<dyn Engine>) {
    let joint = Joint::new(engine);
    let (one, two) = (joint.store(), joint.other().store());
    let overtaken = Arc::new(AtomicU64::new(0));
    let noted = Arc::clone(&overtaken);
    one.when_overtaken(move |commit| noted.store(commit.0, Ordering::SeqCst));
    count(&one, b"one").unwrap();
    count(&two, b"two").unwrap();
    assert_eq!(overtaken.load(Ordering::SeqCst), 0);
    count(&one, b"one").unwrap();
    assert_eq!((counted(&one, b"one"), counted(&one, b"two")), (2, 1));
    assert_eq!((counted(&two, b"one"), counted(&two, b"two")), (2, 1));
    assert_eq!(
        (one.commit(), overtaken.load(Ordering::SeqCst)),
        (Commit(3), 2)
    );
    assert!(one.validate().unwrap().is_sound());
}

fn writers_of_two_stores_lose_nothing(engine: Box<dyn Engine>) {
    let joint = Joint::new(engine);
    let stores = [joint.store(), joint.other().store()];
    let done: Vec<AtomicU64> = (0..2).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for (store, done) in stores.iter().zip(&done) {
            for _ in 0..2 {
                scope.spawn(move || {
                    for _ in 0..25 {
                        // Giving up after many attempts is an answer; only a lie is none.
                        match count(store, b"both") {
                            Ok(_) => done.fetch_add(1, Ordering::SeqCst),
                            Err(StorageError::Aborted { .. }) => 0,
                            Err(error) => panic!("{error}"),
                        };
                    }
                });
            }
        }
    });
    let done: u64 = done.iter().map(|n| n.load(Ordering::SeqCst)).sum();
    assert!(done > 0);
    for store in stores {
        assert_eq!(counted(&store, b"both"), done);
    }
}

fn a_lost_answer_is_found_out(engine: Box<dyn Engine>) {
    let joint = Joint::new(engine);
    let store = joint.store();
    count(&store, b"k").unwrap();
    joint.next(|engine, batch| applied(engine, batch).and(Err(lost())));
    assert_eq!(count(&store, b"k").unwrap(), Commit(2));
    joint.next(|engine, batch| {
        applied(engine, batch).and(Err(StorageError::Aborted { attempts: 1 }))
    });
    assert_eq!(count(&store, b"k").unwrap(), Commit(3));
    joint.next(|_, _| Err(StorageError::Aborted { attempts: 1 }));
    assert_eq!(count(&store, b"k").unwrap(), Commit(4));
    assert_eq!(counted(&store, b"k"), 4);
}

fn a_lost_answer_is_found_out_under_the_commit_of_another_writer(engine: Box<dyn Engine>) {
    let joint = Joint::new(engine);
    let store = joint.store();
    let overtaken = Arc::new(AtomicU64::new(0));
    let noted = Arc::clone(&overtaken);
    store.when_overtaken(move |commit| noted.store(commit.0, Ordering::SeqCst));
    let other = joint.other().store();
    count(&store, b"k").unwrap();
    joint.next(move |engine, batch| {
        applied(engine, batch)?;
        count(&other, b"other")?;
        Err(lost())
    });
    assert_eq!(count(&store, b"k").unwrap(), Commit(2));
    assert_eq!((counted(&store, b"k"), counted(&store, b"other")), (2, 1));
    assert_eq!(
        (store.commit(), overtaken.load(Ordering::SeqCst)),
        (Commit(3), 3)
    );
    assert_eq!(count(&store, b"k").unwrap(), Commit(4));
}

fn what_was_refused_and_not_answered_is_not_taken_for_kept(engine: Box<dyn Engine>) {
    let joint = Joint::new(engine);
    let store = joint.store();
    let other = joint.other().store();
    count(&store, b"k").unwrap();
    joint.next(move |_, _| {
        count(&other, b"other")?;
        Err(lost())
    });
    // It is run again on top of what the other committed.
    assert_eq!(count(&store, b"k").unwrap(), Commit(3));
    assert_eq!((counted(&store, b"k"), counted(&store, b"other")), (2, 1));
    joint.next(|_, _| Err(lost()));
    assert!(matches!(count(&store, b"k"), Err(StorageError::Io { .. })));
    assert_eq!(counted(&store, b"k"), 2);
}

/// The records of a store about itself do not grow with the number of times that it is opened.
fn a_writer_that_is_gone_is_forgotten(engine: Box<dyn Engine>) {
    if !engine.exclusive() {
        return;
    }
    let inner: Arc<dyn Engine> = Arc::from(engine);
    let mut values = Vec::new();
    for _ in 0..4 {
        let store = Store::with_engine(Box::new(Alone(Arc::clone(&inner)))).unwrap();
        count(&store, b"k").unwrap();
        values.push(store.validate().unwrap().values);
    }
    assert_eq!(values, [4, 4, 4, 4]);
}

/// The only handle of an engine.
struct Alone(Arc<dyn Engine>);

impl Engine for Alone {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        self.0.snapshot()
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        self.0.apply(batch)
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        self.0.stats(depth)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        self.0.compact()
    }

    fn exclusive(&self) -> bool {
        self.0.exclusive()
    }
}
