use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::{BackendError, StorageBackend};

use super::head::PAGES_START;

/// The part of a file that redb sees: its pages, behind head and log. The length of the whole file is known without asking the
/// system.
#[derive(Debug)]
pub(super) struct Pages {
    disk: Arc<dyn StorageBackend>,
    length: Arc<AtomicU64>,
}

impl Pages {
    pub(super) fn new(disk: Arc<dyn StorageBackend>, length: Arc<AtomicU64>) -> io::Result<Self> {
        length.store(disk.len()?, Ordering::Relaxed);
        Ok(Self { disk, length })
    }
}

impl StorageBackend for Pages {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.len()?.saturating_sub(PAGES_START))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset + PAGES_START, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.set_len(len + PAGES_START)?;
        self.length.store(len + PAGES_START, Ordering::Relaxed);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk.write(offset + PAGES_START, data)
    }

    fn close(&self) -> io::Result<()> {
        self.disk.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.query_lock_range(start, end)
    }
}
