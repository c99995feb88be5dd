//! The end of the process that started this one.

use std::time::Duration;

/// How often it is looked at.
#[cfg(any(unix, windows))]
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

#[cfg(windows)]
pub(crate) async fn died() {
    // A parent that has ended before, or that may not be watched, is not waited for.
    let Some(parent) = windows::find() else {
        return std::future::pending().await;
    };
    while windows::is_running(&parent) {
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(windows)]
mod windows {
    use winsafe::guard::CloseHandleGuard;
    use winsafe::{HPROCESS, HPROCESSLIST, co};

    /// The process that started this one. Its number is its own as long as it is open here.
    pub(super) fn find() -> Option<CloseHandleGuard<HPROCESS>> {
        let mut processes =
            HPROCESSLIST::CreateToolhelp32Snapshot(co::TH32CS::SNAPPROCESS, None).ok()?;
        let me = std::process::id();
        let mut numbers = processes.iter_processes().map_while(Result::ok);
        let number = numbers
            .find(|process| process.th32ProcessID == me)?
            .th32ParentProcessID;
        let access = co::PROCESS::SYNCHRONIZE | co::PROCESS::QUERY_LIMITED_INFORMATION;
        let parent = HPROCESS::OpenProcess(access, false, number).ok()?;
        // The number of a parent that has ended may belong to a younger process by now.
        let began = |process: &HPROCESS| {
            let (began, ..) = process.GetProcessTimes().ok()?;
            Some((began.dwHighDateTime, began.dwLowDateTime))
        };
        (began(&parent)? <= began(&HPROCESS::GetCurrentProcess())?).then_some(parent)
    }

    pub(super) fn is_running(process: &HPROCESS) -> bool {
        process
            .WaitForSingleObject(Some(0))
            .is_ok_and(|ended| ended == co::WAIT::TIMEOUT)
    }
}

/// On other systems the pipe closes with the parent.
#[cfg(not(any(unix, windows)))]
pub(crate) async fn died() {
    std::future::pending::<Duration>().await;
}
