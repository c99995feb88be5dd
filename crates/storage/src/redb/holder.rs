//! The process that has a file open.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::Holder;

/// How many handles of this process have each file open, to tell a second handle of our own from
/// another process on every system.
static OPEN_HERE: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// Keeps a file in the list of those that this process has open.
#[derive(Debug)]
pub(super) struct Claim(PathBuf);

impl Claim {
    pub(super) fn new(path: &Path) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        *OPEN_HERE.lock().entry(path.clone()).or_default() += 1;
        Self(path)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut open = OPEN_HERE.lock();
        let left = open
            .get(&self.0)
            .map_or(0, |handles| handles.saturating_sub(1));
        if left == 0 {
            open.remove(&self.0);
        } else {
            open.insert(self.0.clone(), left);
        }
    }
}

/// Finds out who has a file locked.
pub(super) fn find(path: &Path) -> Holder {
    let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if OPEN_HERE.lock().contains_key(&canonical) {
        return Holder::ThisProcess;
    }
    match std::fs::metadata(path).ok().and_then(|meta| process(&meta)) {
        Some(pid) if pid == std::process::id() => Holder::ThisProcess,
        Some(pid) => Holder::Process {
            pid,
            program: program(pid),
        },
        None => Holder::Unknown,
    }
}

#[cfg(target_os = "linux")]
fn process(file: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    locked_by(&locks, file.ino()).or_else(|| opened_by(file))
}

#[cfg(not(target_os = "linux"))]
fn process(_: &Metadata) -> Option<u32> {
    None
}

/// The process in a table of locks (man 5 proc_locks): `1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678
/// 0 EOF`. A lock of an open file description has no process (-1), and a process outside this
/// container is 0.
#[cfg(any(target_os = "linux", test))]
fn locked_by(locks: &str, inode: u64) -> Option<u32> {
    locks.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(4);
        let pid = fields.next()?.parse::<u32>().ok().filter(|&pid| pid > 0)?;
        let found = fields.next()?.rsplit(':').next()?.parse::<u64>().ok()?;
        (found == inode).then_some(pid)
    })
}

/// Looks for a process that has the file open; only those of the same user can be seen.
#[cfg(target_os = "linux")]
fn opened_by(file: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    let me = std::process::id();
    std::fs::read_dir("/proc")
        .ok()?
        .flatten()
        .find_map(|entry| {
            let pid = entry
                .file_name()
                .to_str()?
                .parse::<u32>()
                .ok()
                .filter(|&pid| pid != me)?;
            let mut files = std::fs::read_dir(entry.path().join("fd")).ok()?.flatten();
            files
                .any(|fd| {
                    std::fs::metadata(fd.path())
                        .is_ok_and(|open| open.ino() == file.ino() && open.dev() == file.dev())
                })
                .then_some(pid)
        })
}

fn program(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_locks_names_the_process() {
        let table = "1: OFDLCK ADVISORY  WRITE -1 fd:01:77 0 EOF\n2: FLOCK  ADVISORY  WRITE 4321 fd:01:77 0 EOF\n\
                     3: POSIX  ADVISORY  WRITE 9 fd:01:78 0 EOF\n4: -> FLOCK ADVISORY WRITE 5 fd:01:79 0 EOF\n";
        assert_eq!(locked_by(table, 77), Some(4321));
        assert_eq!(locked_by(table, 78), Some(9));
        assert_eq!(locked_by(table, 80), None);
        assert_eq!(locked_by("nonsense", 1), None);
    }
}
