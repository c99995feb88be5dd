//! A disk in memory that fails when it is told to, for tests of engines and of the layers above.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use redb::StorageBackend;

/// A disk in memory that knows what was synced, and can fail.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// The content that a reader sees.
    bytes: Vec<u8>,
    /// The content that is on the disk for certain.
    synced: Vec<u8>,
    /// Writes since the last sync, which may be on the disk or not.
    pending: Vec<Pending>,
    /// Writes, length changes and syncs so far.
    operations: u64,
    failure: Option<Failure>,
    /// Reads so far, and the one that fails.
    reads: u64,
    failing_read: Option<u64>,
    /// Whether all reads fail.
    reads_fail: bool,
}

#[derive(Debug)]
enum Pending {
    Write(usize, Vec<u8>),
    Length(usize),
}

#[derive(Debug, Clone, Copy)]
struct Failure {
    /// The operation that fails, and all later ones unless `once`.
    at: u64,
    once: bool,
    /// Whether half of what is written by the failing operation arrives.
    torn: bool,
    kind: io::ErrorKind,
}

/// Which of the writes after the last sync are on the disk after a crash.
#[derive(Debug, Clone, Copy)]
pub enum Survivors {
    /// None of them.
    None,
    /// All of them.
    All,
    /// Some, and one of them only in part; a seed.
    Some(u64),
}

impl Tape {
    pub(crate) fn backend(&self) -> Box<dyn StorageBackend> {
        Box::new(self.clone())
    }

    /// Writes, length changes and syncs so far.
    pub fn operations(&self) -> u64 {
        self.state.lock().operations
    }

    /// From operation `at` on everything fails.
    pub fn cut_at(&self, at: u64) {
        self.state.lock().failure = Some(Failure {
            at,
            once: false,
            torn: false,
            kind: io::ErrorKind::Other,
        });
    }

    /// As [`cut_at`](Self::cut_at), and half of the write that fails is on the disk.
    pub fn tear_at(&self, at: u64) {
        self.state.lock().failure = Some(Failure {
            at,
            once: false,
            torn: true,
            kind: io::ErrorKind::Other,
        });
    }

    /// Operation `at` fails; the ones after it succeed again.
    pub fn fail_once(&self, at: u64, kind: io::ErrorKind) {
        self.state.lock().failure = Some(Failure {
            at,
            once: true,
            torn: false,
            kind,
        });
    }

    /// Reads so far.
    pub fn reads(&self) -> u64 {
        self.state.lock().reads
    }

    /// Read `at` fails; the ones after it succeed again.
    pub fn fail_read(&self, at: u64) {
        self.state.lock().failing_read = Some(at);
    }

    /// From now on every read fails.
    pub fn break_reads(&self) {
        self.state.lock().reads_fail = true;
    }

    /// Reads succeed again.
    pub fn mend_reads(&self) {
        self.state.lock().reads_fail = false;
    }

    /// From now on no write finds space.
    pub fn fill(&self) {
        let mut state = self.state.lock();
        state.failure = Some(Failure {
            at: state.operations,
            once: false,
            torn: false,
            kind: io::ErrorKind::StorageFull,
        });
    }

    /// There is space again.
    pub fn free(&self) {
        self.state.lock().failure = None;
    }

    /// The content that a reader sees.
    pub fn bytes(&self) -> Vec<u8> {
        self.state.lock().bytes.clone()
    }

    /// Changes a byte behind the back of everybody.
    pub fn damage(&self, at: usize) {
        if let Some(byte) = self.state.lock().bytes.get_mut(at) {
            *byte ^= 0x40;
        }
    }

    /// The disk after a crash.
    pub fn after_crash(&self, survivors: Survivors) -> Self {
        let state = self.state.lock();
        let mut bytes = state.synced.clone();
        let mut seed = match survivors {
            Survivors::Some(seed) => seed | 1,
            _ => 0,
        };
        for pending in &state.pending {
            match pending {
                Pending::Length(length) => bytes.resize(*length, 0),
                Pending::Write(offset, data) => {
                    seed ^= seed << 13;
                    seed ^= seed >> 7;
                    seed ^= seed << 17;
                    let kept = match survivors {
                        Survivors::None => 0,
                        Survivors::All => data.len(),
                        Survivors::Some(_) if seed % 8 == 7 => data.len() / 2,
                        Survivors::Some(_) => data.len() * usize::from(seed % 2 == 0),
                    };
                    let end = (offset + kept).min(bytes.len());
                    if let (Some(into), Some(kept)) =
                        (bytes.get_mut(*offset..end), data.get(..end - offset))
                    {
                        into.copy_from_slice(kept);
                    }
                }
            }
        }
        let state = State {
            synced: bytes.clone(),
            bytes,
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }
}

fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

fn put(bytes: &mut [u8], offset: usize, data: &[u8]) -> io::Result<()> {
    let into = bytes
        .get_mut(offset..offset.saturating_add(data.len()))
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    into.copy_from_slice(data);
    Ok(())
}

impl State {
    fn operate(&mut self) -> io::Result<()> {
        let number = self.operations;
        self.operations += 1;
        match self.failure {
            Some(Failure { at, once, kind, .. }) if number == at || (number > at && !once) => {
                Err(kind.into())
            }
            _ => Ok(()),
        }
    }
}

impl StorageBackend for Tape {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state.lock().bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state.lock();
        state.reads += 1;
        if state.reads_fail || state.failing_read == Some(state.reads - 1) {
            return Err(io::ErrorKind::Other.into());
        }
        let offset = place(offset);
        let found = state
            .bytes
            .get(offset..offset + out.len())
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state.lock();
        state.operate()?;
        state.bytes.resize(place(len), 0);
        state.pending.push(Pending::Length(place(len)));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        state.operate()?;
        for pending in std::mem::take(&mut state.pending) {
            match pending {
                Pending::Length(length) => state.synced.resize(length, 0),
                Pending::Write(offset, data) => put(&mut state.synced, offset, &data)?,
            }
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state.lock();
        let (mut data, offset) = (data, place(offset));
        let done = state.operate();
        if done.is_err() {
            let torn = state
                .failure
                .is_some_and(|failure| failure.torn && failure.at + 1 == state.operations);
            if !torn {
                return done;
            }
            data = data.get(..data.len() / 2).unwrap_or_default();
        }
        put(&mut state.bytes, offset, data)?;
        state.pending.push(Pending::Write(offset, data.to_vec()));
        done
    }
}
