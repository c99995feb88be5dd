use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use super::OnnxSettings;
use super::session::Model;
use super::tokens::Tokens;
use crate::embed::folder::{Cause, ModelError, ModelFolder};

/// A model of at most this size is loaded once per thread; a larger one once, and its threads share
/// each batch.
const SMALL_MODEL_BYTES: u64 = 200 << 20;

/// The loaded copies of one model. Only the first is loaded from the start, the others when there
/// is work for them.
pub(super) struct Copies {
    folder: ModelFolder,
    settings: OnnxSettings,
    threads_each: usize,
    slots: Vec<Mutex<Option<Model>>>,
}

/// The result of a batch.
type BatchResult = Result<Vec<Vec<f32>>, Cause>;

impl Copies {
    pub(super) fn open(
        folder: &ModelFolder,
        settings: &OnnxSettings,
    ) -> Result<(Self, Model), ModelError> {
        let threads = settings.threads.max(1);
        let small = folder.bytes()? <= SMALL_MODEL_BYTES;
        let count = settings
            .copies
            .unwrap_or(if small { threads } else { 1 })
            .clamp(1, threads);
        let copies = Self {
            folder: folder.clone(),
            settings: settings.clone(),
            threads_each: threads / count,
            slots: (0..count).map(|_| Mutex::new(None)).collect(),
        };
        let first = copies.load()?;
        Ok((copies, first))
    }

    /// Hands over the copy that `open` gave.
    pub(super) fn keep(&mut self, model: Model) {
        if let Some(slot) = self.slots.first_mut() {
            *slot.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(model);
        }
    }

    fn load(&self) -> Result<Model, ModelError> {
        Model::open(&self.folder, &self.settings, self.threads_each)
    }

    /// Runs every batch, several at a time, and gives the answers in the order of the batches.
    pub(super) fn run(&self, batches: &[Vec<&Tokens>]) -> BatchResult {
        let workers = self.slots.len().min(batches.len());
        if workers <= 1 {
            let mut vectors = Vec::new();
            for batch in batches {
                vectors.extend(self.run_one(None, batch)?);
            }
            return Ok(vectors);
        }
        let next = AtomicUsize::new(0);
        let work = |worker: usize| {
            let mut done: Vec<(usize, BatchResult)> = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = batches.get(number) else {
                    return done;
                };
                let answer = self.run_one(Some(worker), batch);
                if answer.is_err() {
                    // The whole call fails: no further batch needs to start.
                    next.store(batches.len(), Ordering::Relaxed);
                }
                done.push((number, answer));
            }
        };
        let mut done = thread::scope(|scope| {
            let work = &work;
            let others: Vec<_> = (1..workers)
                .map(|worker| scope.spawn(move || work(worker)))
                .collect();
            let mut done = work(0);
            for other in others {
                match other.join() {
                    Ok(more) => done.extend(more),
                    Err(_) => done.push((0, Err("a thread that ran the model panicked".into()))),
                }
            }
            done
        });
        done.sort_by_key(|(number, _)| *number);
        let mut vectors = Vec::new();
        for (_, answer) in done {
            vectors.extend(answer?);
        }
        Ok(vectors)
    }

    fn run_one(&self, worker: Option<usize>, batch: &[&Tokens]) -> BatchResult {
        let mut slot = self.slot(worker).ok_or("no copy of the model")?;
        if let Some(model) = slot.as_mut() {
            return model.run(batch);
        }
        slot.insert(self.load()?).run(batch)
    }

    /// A worker has a slot of its own; anyone else takes a loaded copy that is free, or waits for
    /// the first.
    fn slot(&self, worker: Option<usize>) -> Option<MutexGuard<'_, Option<Model>>> {
        if worker.is_none() {
            for slot in &self.slots {
                // After a panic of another caller nothing is left half done in a session.
                let free = match slot.try_lock() {
                    Ok(guard) => guard,
                    Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                    Err(TryLockError::WouldBlock) => continue,
                };
                if free.is_some() {
                    return Some(free);
                }
            }
        }
        Some(
            self.slots
                .get(worker.unwrap_or(0))?
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}
