use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use redb::{BackendError, StorageBackend};

use super::btree::HEADER;
use super::checksums::Checksums;
use super::failure::DamagedPage;
use super::head::PAGES_START;

/// The part of a file that redb sees: its pages, behind head and log. The length of the whole file
/// is known without asking the system. The file is locked already, so redb is given every lock
/// that it asks for.
#[derive(Debug)]
pub(super) struct Pages {
    disk: Arc<dyn StorageBackend>,
    gauge: Gauge,
    fence: Fence,
    checksums: Checksums,
}

/// The sizes of a file beside its pages.
#[derive(Debug, Clone, Default)]
pub(super) struct Gauge {
    /// Bytes of the whole file.
    pub(super) length: Arc<AtomicU64>,
    /// Reads that failed so far.
    pub(super) failed_reads: Arc<AtomicU64>,
}

/// Once it is closed, an old instance of redb that is not gone yet neither reads nor writes pages
/// that a newer one may have changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Fence(Arc<AtomicBool>);

impl Fence {
    pub(super) fn close(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn pass(&self) -> io::Result<()> {
        if self.0.load(Ordering::SeqCst) {
            Err(io::Error::other("the file was opened again"))
        } else {
            Ok(())
        }
    }
}

impl Pages {
    pub(super) fn new(
        disk: Arc<dyn StorageBackend>,
        gauge: Gauge,
        fence: Fence,
    ) -> io::Result<Self> {
        let length = disk.len()?;
        gauge.length.store(length, Ordering::Relaxed);
        let checksums = Checksums::default();
        if length >= PAGES_START + HEADER as u64 {
            let mut header = [0; HEADER];
            disk.read(PAGES_START, &mut header)?;
            checksums.begin(&header);
        }
        Ok(Self {
            disk,
            gauge,
            fence,
            checksums,
        })
    }

    fn read_page(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset + PAGES_START, out).inspect_err(|_| {
            self.gauge.failed_reads.fetch_add(1, Ordering::SeqCst);
        })
    }
}

impl StorageBackend for Pages {
    fn len(&self) -> io::Result<u64> {
        self.fence.pass()?;
        Ok(self.disk.len()?.saturating_sub(PAGES_START))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.fence.pass()?;
        self.read_page(offset, out)?;
        if self.checksums.check(offset, out) {
            return Ok(());
        }
        // What was read wrongly once may be right on the disk.
        self.read_page(offset, out)?;
        if self.checksums.check(offset, out) {
            Ok(())
        } else {
            Err(DamagedPage::at(offset + PAGES_START))
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.fence.pass()?;
        self.disk.set_len(len + PAGES_START)?;
        self.gauge
            .length
            .store(len + PAGES_START, Ordering::Relaxed);
        self.checksums.cut(len);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.fence.pass()?;
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.fence.pass()?;
        self.checksums.write(offset, data);
        self.disk.write(offset + PAGES_START, data)
    }

    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn try_lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(false)
    }
}
