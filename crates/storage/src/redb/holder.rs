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
    locked_by(&locks, device(file.dev()), file.ino()).or_else(|| opened_by(file))
}

#[cfg(not(target_os = "linux"))]
fn process(_: &Metadata) -> Option<u32> {
    None
}

/// The two numbers of a device.
#[cfg(any(target_os = "linux", test))]
const fn device(number: u64) -> (u64, u64) {
    let major = ((number >> 32) & 0xffff_f000) | ((number >> 8) & 0xfff);
    let minor = ((number >> 12) & 0xffff_ff00) | (number & 0xff);
    (major, minor)
}

/// The process in a table of locks (man 5 proc_locks): `1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678
/// 0 EOF`. A lock of an open file description has no process (-1), and a process outside this
/// container is 0.
#[cfg(any(target_os = "linux", test))]
fn locked_by(locks: &str, (major, minor): (u64, u64), inode: u64) -> Option<u32> {
    let file = format!("{major:02x}:{minor:02x}:{inode}");
    locks.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(4);
        let pid = fields.next()?.parse::<u32>().ok().filter(|&pid| pid > 0)?;
        (fields.next()? == file).then_some(pid)
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
    Some(one_line(&name)).filter(|name| !name.is_empty())
}

/// A name of a program, which it may choose itself, without what moves the cursor.
fn one_line(name: &str) -> String {
    name.trim().replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_locks_names_the_process() {
        let table = "1: OFDLCK ADVISORY  WRITE -1 fd:01:77 0 EOF\n2: FLOCK  ADVISORY  WRITE 4321 fd:01:77 0 EOF\n\
                     3: POSIX  ADVISORY  WRITE 9 fd:01:78 0 EOF\n4: -> FLOCK ADVISORY WRITE 5 fd:01:79 0 EOF\n";
        let disk = device(0xfd01);
        assert_eq!(locked_by(table, disk, 77), Some(4321));
        assert_eq!(locked_by(table, disk, 78), Some(9));
        assert_eq!(locked_by(table, disk, 80), None);
        assert_eq!(locked_by("nonsense", disk, 1), None);
        assert_eq!(
            locked_by(table, device(0xfd02), 77),
            None,
            "the same number on another disk"
        );
        assert_eq!(device(0x0000_1000_0230_0105), (0x1001, 0x2305));
    }

    #[test]
    fn a_program_names_itself_in_one_line() {
        assert_eq!(one_line("cat\n"), "cat");
        assert_eq!(one_line("a\nerror: \u{1b}[2K"), "a error:  [2K");
    }
}
