//! The first page of a file, and what a file may be before it is opened.
//!
//! ```text
//! bytes 0 .. 8       "annals", 0x1A, 0x0A
//! bytes 8 .. 12      u32 layout, 2
//! bytes 12 .. 16     u32 where the pages of redb begin: the end of the log
//! bytes 16 .. 24     u64 generation of the log before the pages name one, a random number
//! bytes 24 .. 28     CRC-32C of the bytes before
//! up to byte 4096    zeros
//! ```
//!
//! All numbers are big-endian.

use std::io;

use redb::StorageBackend;

use super::btree::{self, Header};
use super::failure::Context;
use crate::StorageError;

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"annals\x1A\x0A";

/// The layout that this program writes and reads.
const LAYOUT: u32 = 2;

/// Where the log begins.
pub(super) const LOG_START: u64 = 4096;

/// Where the pages of redb begin, and the log ends.
pub(super) const PAGES_START: u64 = 1 << 20;

/// Bytes of the head that say something.
const HEAD: usize = 28;

/// The first bytes of what redb writes.
const REDB_MAGIC: &[u8; 9] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// The newest layout of redb that this program reads.
const REDB_LAYOUT: u8 = 3;

/// The pages of an unfinished new file are not more.
const UNFINISHED: u64 = 2 << 20;

fn head(generation: u64) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.extend(LAYOUT.to_be_bytes());
    head.extend(u32::try_from(PAGES_START).unwrap_or(u32::MAX).to_be_bytes());
    head.extend(generation.to_be_bytes());
    head.extend(crc32c::crc32c(&head).to_be_bytes());
    head
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A database.
    Database,
    /// It is empty, or holds no more than what a crash leaves of creating one.
    Nothing,
}

/// Looks at a file before redb does, for a clear answer. Writes nothing.
pub(super) fn examine(
    disk: &dyn StorageBackend,
    context: Context<'_>,
) -> Result<FileKind, StorageError> {
    let io = |error| context.io(error);
    let length = disk.len().map_err(io)?;
    let found = read(disk, 0, HEAD, length).map_err(io)?;
    if found.get(..MAGIC.len()) != Some(MAGIC) {
        if length <= PAGES_START + UNFINISHED && blank(disk, 0, length).map_err(io)? {
            return Ok(FileKind::Nothing);
        }
        return Err(context.not_a_database("it does not begin as one"));
    }
    let layout = found
        .get(8..12)
        .and_then(|b| b.try_into().ok())
        .map_or(0, u32::from_be_bytes);
    if layout > LAYOUT && layout <= LAYOUT + 1000 {
        return Err(context.too_new(layout, LAYOUT));
    }
    if (1..LAYOUT).contains(&layout) {
        return Err(context.too_old(layout, LAYOUT));
    }
    if found != head(generation_of(&found)) {
        return Err(StorageError::corruption(
            context.what(),
            format!("the head of the file is {found:02x?}"),
        ));
    }
    examine_pages(disk, length, context)
}

fn examine_pages(
    disk: &dyn StorageBackend,
    length: u64,
    context: Context<'_>,
) -> Result<FileKind, StorageError> {
    let io = |error| context.io(error);
    if length < PAGES_START && length != HEAD as u64 {
        return Err(StorageError::corruption(
            context.what(),
            format!("only {length} bytes are left of it"),
        ));
    }
    let pages = length.saturating_sub(PAGES_START);
    let found = read(disk, PAGES_START, btree::HEADER, length).map_err(io)?;
    if !found.starts_with(REDB_MAGIC) {
        // redb writes its magic number last, and the log is used afterwards: without both the file
        // never held anything.
        let logged = !blank(disk, LOG_START, length.min(PAGES_START)).map_err(io)?;
        let sized = found
            .get(12..16)
            .is_some_and(|size| size == 4096_u32.to_le_bytes());
        let header =
            found.iter().all(|&byte| byte == 0) || sized && found.get(..9) == Some(&[0; 9]);
        let rest = PAGES_START + btree::HEADER as u64;
        if !logged && pages <= UNFINISHED && header && blank(disk, rest, length).map_err(io)? {
            return Ok(FileKind::Nothing);
        }
        return Err(StorageError::corruption(
            context.what(),
            "the first of its pages is damaged",
        ));
    }
    let newest = [found.get(64), found.get(192)]
        .into_iter()
        .flatten()
        .copied()
        .max()
        .unwrap_or(0);
    // A larger number is damage, and redb says so.
    if newest > REDB_LAYOUT && newest <= REDB_LAYOUT + 16 {
        return Err(context.too_new(newest.into(), REDB_LAYOUT.into()));
    }
    if Header::read(&found).is_some_and(|header| header.is_closed && header.has_newer()) {
        return Err(StorageError::corruption(
            context.what(),
            "its first page names the state before the last one",
        ));
    }
    Ok(FileKind::Database)
}

/// Whether a file was one of this program, however damaged it is.
pub(super) fn resembles(disk: &dyn StorageBackend) -> io::Result<bool> {
    let length = disk.len()?;
    let like = |found: &[u8], magic: &[u8]| {
        found.iter().zip(magic).filter(|(a, b)| a == b).count() + 2 >= magic.len()
    };
    let (head, pages) = (
        read(disk, 0, MAGIC.len(), length)?,
        read(disk, PAGES_START, REDB_MAGIC.len(), length)?,
    );
    Ok(length > PAGES_START && (like(&head, MAGIC) || like(&pages, REDB_MAGIC)))
}

/// Whether a crash may have come between a commit and the byte that makes it count. Such a file is
/// written once before it is closed, so that a closed one never looks like this.
pub(super) fn has_newer(disk: &dyn StorageBackend) -> io::Result<bool> {
    let found = read(disk, PAGES_START, btree::HEADER, disk.len()?)?;
    Ok(Header::read(&found).is_some_and(Header::has_newer))
}

/// Makes an empty file: the head, and no pages.
pub(super) fn begin(disk: &dyn StorageBackend) -> io::Result<()> {
    disk.set_len(PAGES_START)?;
    disk.write(0, &head(super::log::new_generation()))?;
    disk.sync_data()
}

/// The generation of the log of a file whose pages name none yet.
pub(super) fn generation(disk: &dyn StorageBackend) -> io::Result<u64> {
    let mut head = vec![0; HEAD];
    disk.read(0, &mut head)?;
    Ok(generation_of(&head))
}

fn generation_of(head: &[u8]) -> u64 {
    head.get(16..24)
        .and_then(|b| b.try_into().ok())
        .map_or(0, u64::from_be_bytes)
}

fn read(disk: &dyn StorageBackend, at: u64, bytes: usize, length: u64) -> io::Result<Vec<u8>> {
    let there = usize::try_from(length.saturating_sub(at)).unwrap_or(usize::MAX);
    let mut found = vec![0; bytes.min(there)];
    disk.read(at, &mut found)?;
    Ok(found)
}

/// Whether nothing but zeros is in the file from `at` up to `end`.
fn blank(disk: &dyn StorageBackend, at: u64, end: u64) -> io::Result<bool> {
    let rest = read(disk, at, usize::MAX, end)?;
    Ok(rest.iter().all(|&byte| byte == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of layout 2; they must never change.
    #[test]
    fn golden_bytes_of_the_head() {
        let golden = b"annals\x1A\x0A\0\0\0\x02\0\x10\0\0\x01\x02\x03\x04\x05\x06\x07\x08";
        let head = head(0x0102_0304_0506_0708);
        assert_eq!(head[..24], golden[..]);
        assert_eq!(head[24..], crc32c::crc32c(golden).to_be_bytes());
        assert_eq!(
            (head.len(), generation_of(&head)),
            (HEAD, 0x0102_0304_0506_0708)
        );
    }
}
