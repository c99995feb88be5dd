//! One list of (row, count), in blocks of 128.
//!
//! ```text
//! list  = number of postings (varint), [table, when there are more than 128], blocks
//! table = for each block: last row, end of its bytes (u32 LE each), greatest count, least length (u16 LE each)
//! block of 128 = bits of a row gap, bits of a count,
//!                packed strictly rising rows, packed counts - 1 (128-lane bit packing)
//! shorter block = for each posting: (gap - 1) x 2 + (count > 1) as varint, then count - 2 as varint where count > 1
//! ```
//! Rows are relative to the first row of the segment.

use bitpacking::{BitPacker as _, BitPacker4x};

use crate::bytes::{Reader, put_varint};
use crate::error::Damage;

/// Postings in a full block.
pub(crate) const BLOCK: usize = BitPacker4x::BLOCK_LEN;

/// Bytes of one entry of a block table.
pub(crate) const TABLE_ENTRY: usize = 12;

/// A row relative to its segment and how often the term occurs in it (text and reply together).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) row: u32,
    pub(crate) count: u32,
}

/// The facts about a block that are known without decoding it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockInfo {
    /// Number of postings, 1 to 128.
    pub(crate) postings: usize,
    /// The last row of the block before it in the list.
    pub(crate) before: Option<u32>,
    /// Its last row; `None` where the list has one block only.
    pub(crate) last: Option<u32>,
    /// An upper bound of its counts.
    pub(crate) most: u32,
    /// A lower bound of the lengths of its rows.
    pub(crate) shortest: u32,
    /// Where its bytes are, relative to the list.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// An encoded block with its table entry.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) last: u32,
    pub(crate) most: u16,
    pub(crate) shortest: u16,
    pub(crate) postings: usize,
    pub(crate) bytes: Vec<u8>,
}

/// Encodes one block of at most 128 postings. `before`: the last row of the block before it in the
/// same list.
pub(crate) fn encode_block(
    postings: &[Posting],
    before: Option<u32>,
    length: impl Fn(u32) -> u16,
) -> Block {
    let last = postings.last().map_or(0, |p| p.row);
    let most = postings
        .iter()
        .map(|p| u16::try_from(p.count).unwrap_or(u16::MAX))
        .max()
        .unwrap_or(0);
    let shortest = postings.iter().map(|p| length(p.row)).min().unwrap_or(0);
    let mut bytes = Vec::new();
    match <&[Posting; BLOCK]>::try_from(postings) {
        Ok(full) => pack(full, before, &mut bytes),
        Err(_) => {
            let mut next = before.map_or(0, |b| b + 1);
            for Posting { row, count } in postings {
                let gap = u64::from(row - next);
                put_varint(&mut bytes, gap << 1 | u64::from(*count > 1));
                if *count > 1 {
                    put_varint(&mut bytes, u64::from(count - 2));
                }
                next = row + 1;
            }
        }
    }
    Block {
        last,
        most,
        shortest,
        postings: postings.len(),
        bytes,
    }
}

fn pack(postings: &[Posting; BLOCK], before: Option<u32>, out: &mut Vec<u8>) {
    let packer = BitPacker4x::new();
    let rows = postings.map(|p| p.row);
    let counts = postings.map(|p| p.count - 1);
    let row_bits = packer.num_bits_strictly_sorted(before, &rows);
    let count_bits = packer.num_bits(&counts);
    let mut packed = [0_u8; BLOCK * 4];
    out.extend([row_bits, count_bits]);
    let size = packer.compress_strictly_sorted(before, &rows, &mut packed, row_bits);
    out.extend(packed.iter().take(size));
    let size = packer.compress(&counts, &mut packed, count_bits);
    out.extend(packed.iter().take(size));
}

/// Rows and counts of one block, decoded.
#[derive(Debug, Clone)]
pub(crate) struct Decoded {
    pub(crate) rows: [u32; BLOCK],
    pub(crate) counts: [u32; BLOCK],
    pub(crate) len: usize,
}

impl Decoded {
    pub(crate) const fn new() -> Self {
        Self {
            rows: [0; BLOCK],
            counts: [0; BLOCK],
            len: 0,
        }
    }

    pub(crate) fn rows(&self) -> &[u32] {
        self.rows.get(..self.len).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Posting> {
        self.rows
            .iter()
            .zip(&self.counts)
            .take(self.len)
            .map(|(row, count)| Posting {
                row: *row,
                count: *count,
            })
    }

    /// Decodes `bytes`, a block of `postings` postings.
    pub(crate) fn fill(
        &mut self,
        bytes: &[u8],
        postings: usize,
        before: Option<u32>,
    ) -> Result<(), Damage> {
        self.len = 0;
        if postings == BLOCK {
            self.unpack(bytes, before)?
        } else {
            self.read(bytes, postings, before)?
        }
        self.len = postings;
        Ok(())
    }

    fn unpack(&mut self, bytes: &[u8], before: Option<u32>) -> Result<(), Damage> {
        let (&[row_bits, count_bits], packed) = bytes.split_first_chunk().ok_or(Damage::Short)?;
        if row_bits > 32 || count_bits > 32 {
            return Err(Damage::Range);
        }
        let split = BitPacker4x::compressed_block_size(row_bits);
        let (rows, counts) = packed.split_at_checked(split).ok_or(Damage::Short)?;
        if counts.len() != BitPacker4x::compressed_block_size(count_bits) {
            return Err(Damage::Short);
        }
        let packer = BitPacker4x::new();
        packer.decompress_strictly_sorted(before, rows, &mut self.rows, row_bits);
        if count_bits == 0 {
            self.counts = [1; BLOCK];
        } else {
            packer.decompress(counts, &mut self.counts, count_bits);
            self.counts
                .iter_mut()
                .for_each(|c| *c = c.saturating_add(1));
        }
        Ok(())
    }

    fn read(&mut self, bytes: &[u8], postings: usize, before: Option<u32>) -> Result<(), Damage> {
        let mut reader = Reader::new(bytes);
        let mut next = before.map_or(Some(0), |b| b.checked_add(1));
        for (row, count) in self.rows.iter_mut().zip(&mut self.counts).take(postings) {
            let packed = reader.varint()?;
            let gap = u32::try_from(packed >> 1).map_err(|_| Damage::Range)?;
            *row = next.and_then(|n| n.checked_add(gap)).ok_or(Damage::Range)?;
            *count = if packed & 1 == 0 {
                1
            } else {
                reader.varint_u32()?.checked_add(2).ok_or(Damage::Range)?
            };
            next = row.checked_add(1);
        }
        reader.finish()
    }
}

/// The blocks of an encoded list.
pub(crate) fn blocks(
    list: &[u8],
) -> Result<impl Iterator<Item = Result<BlockInfo, Damage>>, Damage> {
    let mut reader = Reader::new(list);
    let total = usize::try_from(reader.varint()?).map_err(|_| Damage::Range)?;
    let head = list.len() - reader.rest().len();
    let count = total.div_ceil(BLOCK);
    let table = if count > 1 {
        reader.take(count.checked_mul(TABLE_ENTRY).ok_or(Damage::Range)?)?
    } else {
        &[]
    };
    let base = head + table.len();
    let alone = (count == 1).then_some(BlockInfo {
        postings: total,
        before: None,
        last: None,
        most: u32::MAX,
        shortest: 0,
        start: base,
        end: list.len(),
    });
    let (mut before, mut start, mut left) = (None, base, total);
    let tabled = table.chunks_exact(TABLE_ENTRY).map(move |entry| {
        let mut entry = Reader::new(entry);
        let (last, end) = (entry.u32()?, base + entry.u32()? as usize);
        let (most, shortest) = (u32::from(entry.u16()?), u32::from(entry.u16()?));
        let most = if most == u32::from(u16::MAX) {
            u32::MAX
        } else {
            most
        };
        let info = BlockInfo {
            postings: left.min(BLOCK),
            before,
            last: Some(last),
            most,
            shortest,
            start,
            end,
        };
        if before.is_some_and(|b| b >= last) || end < start || end > list.len() {
            return Err(Damage::Order);
        }
        (before, start, left) = (Some(last), end, left.saturating_sub(BLOCK));
        Ok(info)
    });
    Ok(alone.map(Ok).into_iter().chain(tabled))
}

/// The number of postings of an encoded list.
pub(crate) fn total(list: &[u8]) -> Result<u64, Damage> {
    Reader::new(list).varint()
}

/// All postings of an encoded list.
pub(crate) fn decode(list: &[u8], out: &mut Vec<Posting>) -> Result<(), Damage> {
    let mut decoded = Decoded::new();
    for block in blocks(list)? {
        let block = block?;
        let bytes = list.get(block.start..block.end).ok_or(Damage::Short)?;
        decoded.fill(bytes, block.postings, block.before)?;
        out.extend(decoded.iter());
    }
    Ok(())
}

/// Puts encoded blocks together to a list.
pub(crate) fn assemble(blocks: &[Block], out: &mut Vec<u8>) {
    put_varint(out, blocks.iter().map(|b| b.postings as u64).sum());
    if blocks.len() > 1 {
        let mut end = 0_u32;
        for block in blocks {
            end = end.saturating_add(u32::try_from(block.bytes.len()).unwrap_or(u32::MAX));
            out.extend(block.last.to_le_bytes());
            out.extend(end.to_le_bytes());
            out.extend(block.most.to_le_bytes());
            out.extend(block.shortest.to_le_bytes());
        }
    }
    for block in blocks {
        out.extend(&block.bytes);
    }
}

/// Encodes a whole list.
pub(crate) fn encode(postings: &[Posting], length: impl Fn(u32) -> u16, out: &mut Vec<u8>) {
    let mut before = None;
    let mut blocks = Vec::with_capacity(postings.len().div_ceil(BLOCK));
    for chunk in postings.chunks(BLOCK) {
        let block = encode_block(chunk, before, &length);
        before = Some(block.last);
        blocks.push(block);
    }
    assemble(&blocks, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(n: u32, gap: u32) -> Vec<Posting> {
        (0..n)
            .map(|i| Posting {
                row: i * gap + i % gap,
                count: 1 + u32::from(i % 7 == 3) * (i % 5),
            })
            .collect()
    }

    #[test]
    fn lists_survive_at_every_size() {
        for n in [1, 2, 127, 128, 129, 256, 300, 1000] {
            for gap in [1, 2, 1000] {
                let (postings, mut bytes, mut back) = (sample(n, gap), Vec::new(), Vec::new());
                encode(
                    &postings,
                    |row| u16::try_from(row % 50 + 3).unwrap(),
                    &mut bytes,
                );
                decode(&bytes, &mut back).unwrap();
                assert_eq!(back, postings);
                assert_eq!(total(&bytes).unwrap(), u64::from(n));
                for end in 0..bytes.len() {
                    assert!(
                        decode(&bytes[..end], &mut Vec::new()).is_err(),
                        "{n} {gap} {end}"
                    );
                }
            }
        }
    }

    #[test]
    fn block_tables_bound_their_blocks() {
        let (postings, mut bytes) = (sample(1000, 3), Vec::new());
        encode(
            &postings,
            |row| u16::try_from(row % 50 + 3).unwrap(),
            &mut bytes,
        );
        for (block, chunk) in blocks(&bytes).unwrap().zip(postings.chunks(BLOCK)) {
            let block = block.unwrap();
            assert_eq!(block.last, Some(chunk.last().unwrap().row));
            assert_eq!(block.most, chunk.iter().map(|p| p.count).max().unwrap());
            assert_eq!(
                block.shortest,
                chunk.iter().map(|p| p.row % 50 + 3).min().unwrap()
            );
        }
    }

    #[test]
    fn the_stored_form_is_frozen() {
        let postings = [(0, 1), (1, 2), (5, 70_000)].map(|(row, count)| Posting { row, count });
        let mut bytes = Vec::new();
        encode(&postings, |_| 9, &mut bytes);
        assert_eq!(bytes, [3, 0, 1, 0, 7, 0xEE, 0xA2, 4]);
        let mut long = Vec::new();
        encode(&sample(256, 1), |_| 9, &mut long);
        assert_eq!(
            xxhash_rust::xxh3::xxh3_64(&long),
            16_413_959_171_386_329_535
        );
    }

    #[test]
    fn tables_and_packed_blocks_are_frozen() {
        // 256 rows, each second one: gaps of 1 need one bit, counts of 1 none but for one of 3 in
        // the second block.
        let postings: Vec<Posting> = (0..256)
            .map(|n| Posting {
                row: 2 * n + 1,
                count: 1 + 2 * u32::from(n == 133),
            })
            .collect();
        let mut bytes = Vec::new();
        encode(&postings, |row| if row == 301 { 4 } else { 7 }, &mut bytes);
        let mut golden = vec![0x80, 2];
        golden.extend([255, 0, 0, 0, 18, 0, 0, 0, 1, 0, 7, 0]);
        golden.extend([255, 1, 0, 0, 68, 0, 0, 0, 3, 0, 4, 0]);
        golden.extend([1, 0].iter().chain(&[255; 16]));
        golden.extend([1, 2].iter().chain(&[255; 16]));
        // The count of number 5 of the block, 2: lane 1, place 1, bits 2 and 3 of the second word.
        golden.extend([0, 0, 0, 0, 8, 0, 0, 0].iter().chain(&[0; 24]));
        assert_eq!(bytes, golden);
    }

    /// A number of a packed block, read as docs/format.md says.
    fn packed(bytes: &[u8], bits: usize, number: usize) -> u32 {
        let (place, lane) = (number / 4, number % 4);
        (0..bits).fold(0, |value, bit| {
            let at = place * bits + bit;
            let word = &bytes[at / 32 * 16 + lane * 4..][..4];
            let word = u32::from_le_bytes(word.try_into().unwrap());
            value | (word >> (at % 32) & 1) << bit
        })
    }

    /// A list of whole blocks, read as docs/format.md says.
    fn by_the_book(list: &[u8]) -> Vec<Posting> {
        let count = usize::from(list[0] & 127) + (usize::from(list[1]) << 7);
        let blocks = count / BLOCK;
        let (table, lists) = list[2..].split_at(blocks * 12);
        let (mut postings, mut start, mut next) = (Vec::new(), 0, 0);
        for entry in table.chunks(12) {
            let end = u32::from_le_bytes(entry[4..8].try_into().unwrap()) as usize;
            let (head, body) = lists[start..end].split_at(2);
            let (r, c) = (usize::from(head[0]), usize::from(head[1]));
            let (gaps, counts) = body.split_at(16 * r);
            for number in 0..BLOCK {
                let row = next + packed(gaps, r, number);
                postings.push(Posting {
                    row,
                    count: packed(counts, c, number) + 1,
                });
                next = row + 1;
            }
            start = end;
        }
        postings
    }

    #[test]
    fn packed_blocks_are_as_written_down() {
        for (gap, most) in [(1, 1), (2, 9), (700, 2), (1_000_000, 70_000)] {
            let mut row = 0;
            let postings: Vec<Posting> = (0..4 * 128_u32)
                .map(|n| {
                    row += 1 + n.wrapping_mul(2_654_435_761) % gap;
                    Posting {
                        row,
                        count: 1 + n.wrapping_mul(40_503) % most,
                    }
                })
                .collect();
            let mut bytes = Vec::new();
            encode(&postings, |_| 9, &mut bytes);
            assert_eq!(by_the_book(&bytes), postings, "{gap} {most}");
        }
    }
}
