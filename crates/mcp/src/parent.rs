//! The end of the process that started this one.

use std::time::Duration;

/// How often it is looked at.
#[cfg(unix)]
const PAUSE: Duration = Duration::from_secs(2);

/// Ends when the parent process has ended. A client that was killed does not always close the pipe
/// to this process: another child of it may hold its end open.
#[cfg(unix)]
pub(crate) async fn died() {
    let first = std::os::unix::process::parent_id();
    while std::os::unix::process::parent_id() == first {
        tokio::time::sleep(PAUSE).await;
    }
}

/// On other systems the pipe closes with the parent.
#[cfg(not(unix))]
pub(crate) async fn died() {
    std::future::pending::<Duration>().await;
}
