//! A disk whose changes stay in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use parking_lot::RwLock;
use redb::StorageBackend;

/// Bytes of one block in memory.
const BLOCK: usize = 4096;

/// A disk with changes laid over it that never reach it. It opens a file that may not be written,
/// or cannot be because no space is left: whatever opening repairs, it repairs here.
#[derive(Debug)]
pub(super) struct Overlay {
    disk: Arc<dyn StorageBackend>,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    length: u64,
    /// Up to here the disk counts where no block stands over it.
    disk_length: u64,
    blocks: BTreeMap<u64, Box<[u8]>>,
}

impl Overlay {
    pub(super) fn new(disk: Arc<dyn StorageBackend>) -> io::Result<Self> {
        let length = disk.len()?;
        let state = RwLock::new(State {
            length,
            disk_length: length,
            blocks: BTreeMap::new(),
        });
        Ok(Self { disk, state })
    }

    /// Reads from the disk what is there of a range; the rest is zeros.
    fn read_disk(&self, state: &State, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = usize::try_from(state.disk_length.saturating_sub(offset))
            .unwrap_or(usize::MAX)
            .min(out.len());
        let (head, rest) = out.split_at_mut(there);
        rest.fill(0);
        if head.is_empty() {
            Ok(())
        } else {
            self.disk.read(offset, head)
        }
    }
}

/// The parts of a range, block by block: the number of the block, where the part begins in it, and
/// its length.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let (mut at, mut left) = (offset, length);
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let begin = usize::try_from(at % BLOCK as u64).unwrap_or(0);
        let part = left.min(BLOCK - begin);
        let number = at / BLOCK as u64;
        at += part as u64;
        left -= part;
        Some((number, begin, part))
    })
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state.read().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state.read();
        let end = offset + out.len() as u64;
        if end > state.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (first, behind) = (offset / BLOCK as u64, end.div_ceil(BLOCK as u64));
        if state.blocks.range(first..behind).next().is_none() {
            return self.read_disk(&state, offset, out);
        }
        let mut rest = out;
        for (number, begin, length) in parts(offset, rest.len()) {
            let (part, after) = rest.split_at_mut(length);
            match state
                .blocks
                .get(&number)
                .and_then(|block| block.get(begin..begin + length))
            {
                Some(bytes) => part.copy_from_slice(bytes),
                None => self.read_disk(&state, number * BLOCK as u64 + begin as u64, part)?,
            }
            rest = after;
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut state = self.state.write();
        if length < state.length {
            state.blocks.split_off(&length.div_ceil(BLOCK as u64));
            let begin = usize::try_from(length % BLOCK as u64).unwrap_or(0);
            if let Some(cut) = state
                .blocks
                .get_mut(&(length / BLOCK as u64))
                .and_then(|block| block.get_mut(begin..))
            {
                cut.fill(0);
            }
            state.disk_length = state.disk_length.min(length);
        }
        state.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state.write();
        state.length = state.length.max(offset + data.len() as u64);
        let mut rest = data;
        for (number, begin, length) in parts(offset, data.len()) {
            let (part, after) = rest.split_at(length);
            if !state.blocks.contains_key(&number) {
                let mut block = vec![0; BLOCK].into_boxed_slice();
                self.read_disk(&state, number * BLOCK as u64, &mut block)?;
                state.blocks.insert(number, block);
            }
            if let Some(bytes) = state
                .blocks
                .get_mut(&number)
                .and_then(|block| block.get_mut(begin..begin + length))
            {
                bytes.copy_from_slice(part);
            }
            rest = after;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Write(u64, u8, usize),
        Length(u64),
        Read(u64, usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..40_000_u64, any::<u8>(), 1..9000_usize)
                .prop_map(|(at, byte, length)| Step::Write(at, byte, length)),
            (0..50_000_u64).prop_map(Step::Length),
            (0..50_000_u64, 1..9000_usize).prop_map(|(at, length)| Step::Read(at, length)),
        ]
    }

    proptest! {
        /// An overlay is read like a disk that was written, and the disk below stays as it was.
        #[test]
        fn an_overlay_is_a_disk(steps in proptest::collection::vec(step(), 1..40)) {
            let below: Vec<u8> = (0..30_000_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
            let disk = Arc::new(redb::backends::InMemoryBackend::new());
            disk.set_len(below.len() as u64).unwrap();
            disk.write(0, &below).unwrap();
            let overlay = Overlay::new(Arc::clone(&disk) as Arc<dyn StorageBackend>).unwrap();
            let mut model = below.clone();
            for step in steps {
                match step {
                    Step::Write(at, byte, length) => {
                        let (at, data) = (at as usize, vec![byte; length]);
                        model.resize(model.len().max(at + length), 0);
                        model[at..at + length].copy_from_slice(&data);
                        overlay.write(at as u64, &data).unwrap();
                    }
                    Step::Length(length) => {
                        model.resize(length as usize, 0);
                        overlay.set_len(length).unwrap();
                    }
                    Step::Read(at, length) => {
                        let mut out = vec![1; length];
                        let read = overlay.read(at, &mut out);
                        match model.get(at as usize..at as usize + length) {
                            Some(bytes) => prop_assert_eq!(out, bytes),
                            None => prop_assert!(read.is_err()),
                        }
                    }
                }
                prop_assert_eq!(overlay.len().unwrap(), model.len() as u64);
            }
            let mut out = vec![0; below.len()];
            disk.read(0, &mut out).unwrap();
            prop_assert_eq!(out, below);
        }
    }
}
