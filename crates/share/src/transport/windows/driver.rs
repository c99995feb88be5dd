//! The thread that hears from Windows which reads and writes of pipes are done.

use std::future::pending;
use std::io;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle};

static DRIVER: Mutex<Option<Handle>> = Mutex::new(None);

/// The driver of this process. The first call starts its thread, which stays until the process
/// ends.
pub(super) fn driver() -> io::Result<Handle> {
    let mut driver = DRIVER.lock();
    if let Some(handle) = &*driver {
        return Ok(handle.clone());
    }
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    let handle = runtime.handle().clone();
    let thread = std::thread::Builder::new().name("annals-pipes".to_owned());
    thread.spawn(move || runtime.block_on(pending::<()>()))?;
    Ok(driver.insert(handle).clone())
}
