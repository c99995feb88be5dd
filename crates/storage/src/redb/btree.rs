//! The pages of redb as they stand in a file, layout 3: enough of them to check each against the
//! page above it, and to read what is left of a damaged one.
//!
//! ```text
//! header    "redb" and 5 bytes, u8 flags (1: slot 1 counts, 2: not closed), 2 bytes, u32 bytes of a
//!           page, u32 pages of a region's header, u32 pages of a region; from byte 64 on two slots
//! slot      u8 layout, u8 has tables, u8 has system tables, 5 bytes, root of tables, root of system
//!           tables, 32 bytes, u64 transaction, 16 bytes, XXH3-128 of the 112 bytes before
//! root      u64 page, u128 checksum, u64 entries
//! page      u8 1 (leaf) or 2 (branch), 1 byte, u16 entries or keys
//! leaf      u32 end of each key, u32 end of each value (neither where all are alike), keys, values
//! branch    4 bytes, u128 checksum of each child, u64 page of each child, u32 end of each key, keys
//! table     u8 3, u64 entries, u8 has root, root, u8 has width and u32 width of keys, the same of values
//! ```
//!
//! All numbers are little-endian. A checksum is XXH3-128 over a page up to the end of its last
//! entry. The number of a page: 20 bits place in its region, 20 bits region, 5 highest bits order.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

/// Bytes of the smallest page.
pub(super) const PAGE: usize = 4096;

/// Bytes of the header that say something.
pub(super) const HEADER: usize = 320;

/// The longest way from a root to a leaf that is followed.
pub(super) const DEEPEST: usize = 128;

/// What stands in the place of a checksum that is not computed yet.
pub(super) const DEFERRED: u128 = 999;

const LEAF: u8 = 1;
const BRANCH: u8 = 2;
const TABLE: u8 = 3;
const ROOT: usize = 32;
const SLOT: usize = 128;

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    array(bytes, at).map(|found| usize::from(u16::from_le_bytes(found)))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    array(bytes, at).and_then(|found| usize::try_from(u32::from_le_bytes(found)).ok())
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_le_bytes)
}

fn u128_at(bytes: &[u8], at: usize) -> Option<u128> {
    array(bytes, at).map(u128::from_le_bytes)
}

/// A page and the checksum that the place which names it has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) page: u64,
    pub(super) checksum: u128,
}

impl Child {
    fn at(bytes: &[u8], at: usize) -> Option<Self> {
        Some(Self {
            page: u64_at(bytes, at)?,
            checksum: u128_at(bytes, at + 8)?,
        })
    }
}

/// The bytes of each key and value of a tree in which all of them have as many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Widths {
    key: Option<usize>,
    value: Option<usize>,
}

/// Where pages are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Geometry {
    header: u64,
    region: u64,
}

impl Geometry {
    /// Where a page begins, counted from the first of all, and how many bytes it has.
    pub(super) fn place(self, page: u64) -> Option<(u64, usize)> {
        let order = u32::try_from(page >> 59).ok()?;
        let (index, region) = (
            page & (0xF_FFFF_u64.checked_shr(order)?),
            (page >> 20) & 0xF_FFFF,
        );
        let bytes = (PAGE as u64).checked_shl(order)?;
        let first = (PAGE as u64)
            .checked_add(region.checked_mul(self.region)?)?
            .checked_add(self.header)?;
        Some((
            first.checked_add(index.checked_mul(bytes)?)?,
            usize::try_from(bytes).ok()?,
        ))
    }
}

/// One of the two states that a header names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) tables: Option<Child>,
    pub(super) system: Option<Child>,
    pub(super) transaction: u64,
    /// Whether its checksum is right.
    pub(super) is_whole: bool,
}

impl Slot {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (covered, checksum) = bytes.get(..SLOT)?.split_last_chunk::<16>()?;
        let root = |flag: usize, at| match bytes.get(flag) {
            Some(0) | None => None,
            Some(_) => Child::at(bytes, at),
        };
        Some(Self {
            tables: root(1, 8),
            system: root(2, 8 + ROOT),
            transaction: u64_at(bytes, 8 + 3 * ROOT)?,
            is_whole: xxh3_128(covered) == u128::from_le_bytes(*checksum),
        })
    }
}

/// The first bytes of redb's pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) geometry: Geometry,
    /// Whether the file was closed as it should be.
    pub(super) is_closed: bool,
    pub(super) counts: Slot,
    pub(super) other: Slot,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let flags = *bytes.get(9)?;
        let pages = |at| Some(u64::try_from(u32_at(bytes, at)?).ok()? * PAGE as u64);
        let header = pages(16)?;
        let geometry = Geometry {
            header,
            region: header + pages(20)?,
        };
        let (first, second) = (
            Slot::read(bytes.get(64..)?)?,
            Slot::read(bytes.get(64 + SLOT..)?)?,
        );
        let (counts, other) = if flags & 1 == 0 {
            (first, second)
        } else {
            (second, first)
        };
        Some(Self {
            geometry,
            is_closed: flags & 2 == 0,
            counts,
            other,
        })
    }

    /// Whether the state that does not count is the newer one.
    pub(super) fn has_newer(self) -> bool {
        self.counts.is_whole
            && self.other.is_whole
            && self.other.transaction > self.counts.transaction
    }
}

/// A page of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Node<'a> {
    Leaf(Leaf<'a>),
    Branch(Branch<'a>),
}

impl<'a> Node<'a> {
    /// The page, as far as it can be told what it is.
    pub(super) fn read(page: &'a [u8], widths: Widths) -> Option<Self> {
        let entries = u16_at(page, 2).filter(|entries| *entries > 0)?;
        match *page.first()? {
            LEAF => Some(Self::Leaf(Leaf {
                page,
                entries,
                widths,
            })),
            BRANCH => Some(Self::Branch(Branch {
                page,
                keys: entries,
                width: widths.key,
            })),
            _ => None,
        }
    }

    /// The checksum of a page; `None` where it does not even say how long it is.
    pub(super) fn checksum(page: &[u8], widths: Widths) -> Option<u128> {
        let end = match Node::read(page, widths)? {
            Node::Leaf(leaf) => leaf.value_end(leaf.entries - 1)?,
            Node::Branch(branch) => branch.key_end(branch.keys - 1)?,
        };
        page.get(..end).map(xxh3_128)
    }
}

/// A page of keys with their values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf<'a> {
    page: &'a [u8],
    entries: usize,
    widths: Widths,
}

impl<'a> Leaf<'a> {
    fn keys_begin(self) -> usize {
        let listed =
            usize::from(self.widths.key.is_none()) + usize::from(self.widths.value.is_none());
        4 + 4 * self.entries * listed
    }

    fn key_end(self, at: usize) -> Option<usize> {
        match self.widths.key {
            Some(width) => self.keys_begin().checked_add(width.checked_mul(at + 1)?),
            None => u32_at(self.page, 4 + 4 * at),
        }
    }

    fn value_end(self, at: usize) -> Option<usize> {
        match self.widths.value {
            Some(width) => self
                .key_end(self.entries - 1)?
                .checked_add(width.checked_mul(at + 1)?),
            None => u32_at(
                self.page,
                4 + 4 * at
                    + if self.widths.key.is_none() {
                        4 * self.entries
                    } else {
                        0
                    },
            ),
        }
    }

    /// The entries in their order, each as far as it can be told where it is.
    pub(super) fn entries(self) -> impl Iterator<Item = Option<(&'a [u8], &'a [u8])>> {
        (0..self.entries).map(move |at| {
            let before = at.checked_sub(1);
            let key_begin =
                before.map_or(Some(self.keys_begin()), |before| self.key_end(before))?;
            let last_key = self.key_end(self.entries - 1);
            let value_begin = before.map_or(last_key, |before| self.value_end(before))?;
            Some((
                slice(self.page, key_begin..self.key_end(at)?)?,
                slice(self.page, value_begin..self.value_end(at)?)?,
            ))
        })
    }
}

fn slice(bytes: &[u8], range: Range<usize>) -> Option<&[u8]> {
    bytes.get(range)
}

/// A page that leads to others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch<'a> {
    page: &'a [u8],
    keys: usize,
    width: Option<usize>,
}

impl<'a> Branch<'a> {
    fn children_end(self) -> usize {
        8 + (self.keys + 1) * 24
    }

    fn key_end(self, at: usize) -> Option<usize> {
        match self.width {
            Some(width) => self.children_end().checked_add(width.checked_mul(at + 1)?),
            None => u32_at(self.page, self.children_end() + 4 * at),
        }
    }

    /// The key that no key of a child exceeds, and every key of the next one does.
    pub(super) fn key(self, at: usize) -> Option<&'a [u8]> {
        let begin = match (at.checked_sub(1), self.width) {
            (Some(before), _) => self.key_end(before)?,
            (None, Some(_)) => self.children_end(),
            (None, None) => self.children_end() + 4 * self.keys,
        };
        if at < self.keys {
            slice(self.page, begin..self.key_end(at)?)
        } else {
            None
        }
    }

    /// The children in their order, as far as they can be told.
    pub(super) fn children(self) -> impl Iterator<Item = Child> {
        let pages = 8 + 16 * (self.keys + 1);
        (0..=self.keys).map_while(move |at| {
            Some(Child {
                page: u64_at(self.page, pages + 8 * at)?,
                checksum: u128_at(self.page, 8 + 16 * at)?,
            })
        })
    }
}

/// What the tree of tables has of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    /// `None` for a table without entries.
    pub(super) root: Option<Child>,
    pub(super) entries: u64,
    pub(super) widths: Widths,
}

impl Definition {
    /// A table whose values are no trees of their own.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.first() != Some(&TABLE) {
            return None;
        }
        let flag = |at: usize| bytes.get(at).map(|flag| *flag != 0);
        let width = |at: usize| {
            Some(if flag(at)? {
                Some(u32_at(bytes, at + 1)?)
            } else {
                None
            })
        };
        let root = if flag(9)? {
            Some(Child::at(bytes, 10)?)
        } else {
            None
        };
        let at = 10 + ROOT;
        Some(Self {
            root,
            entries: u64_at(bytes, 1)?,
            widths: Widths {
                key: width(at)?,
                value: width(at + 5)?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pages() -> impl Strategy<Value = Vec<u8>> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..700);
        let page = (1_u8..3, 0_u16..40, bytes()).prop_map(|(kind, entries, rest)| {
            let mut page = vec![kind, 0];
            page.extend(entries.to_le_bytes());
            page.extend(rest);
            page
        });
        prop_oneof![3 => page, 1 => bytes()]
    }

    proptest! {
        #[test]
        fn fuzz_any_bytes_are_a_page_or_none(
            page in pages(),
            key in prop::option::of(0_usize..70_000),
            value in prop::option::of(0_usize..70_000),
            number in any::<u64>(),
        ) {
            let widths = Widths { key, value };
            let _sum = Node::checksum(&page, widths);
            match Node::read(&page, widths) {
                Some(Node::Leaf(leaf)) => {
                    for (key, value) in leaf.entries().flatten() {
                        prop_assert!(key.len() + value.len() <= 2 * page.len());
                    }
                }
                Some(Node::Branch(branch)) => {
                    prop_assert!(branch.children().count() <= page.len());
                    let _keys: Vec<_> = (0..50).map(|at| branch.key(at)).collect();
                }
                None => {}
            }
            let _table = Definition::read(&page);
            if let Some(header) = Header::read(&page) {
                let _newer = header.has_newer();
                let _place = header.geometry.place(number);
            }
        }
    }

    /// A file that redb wrote is read as redb reads it.
    #[test]
    fn pages_of_redb_are_what_their_parents_say() {
        use redb::{Builder, StorageBackend as _, TableDefinition};
        #[derive(Debug, Clone)]
        struct Disk(std::sync::Arc<redb::backends::InMemoryBackend>);
        impl redb::StorageBackend for Disk {
            fn len(&self) -> std::io::Result<u64> {
                self.0.len()
            }
            fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
                self.0.read(offset, out)
            }
            fn set_len(&self, len: u64) -> std::io::Result<()> {
                self.0.set_len(len)
            }
            fn sync_data(&self) -> std::io::Result<()> {
                self.0.sync_data()
            }
            fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
                self.0.write(offset, data)
            }
        }
        let disk = Disk(std::sync::Arc::new(redb::backends::InMemoryBackend::new()));
        let database = Builder::new().create_with_backend(disk.clone()).unwrap();
        let transaction = database.begin_write().unwrap();
        let rows: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
        {
            let mut table = transaction.open_table(rows).unwrap();
            for n in 0..20_000_u32 {
                table
                    .insert(
                        n.to_be_bytes().as_slice(),
                        vec![7; n as usize % 90].as_slice(),
                    )
                    .unwrap();
            }
        }
        transaction.commit().unwrap();
        drop(database);
        let read = |offset: u64, length: usize| {
            let mut bytes = vec![0; length];
            disk.read(offset, &mut bytes).unwrap();
            bytes
        };
        let header = Header::read(&read(0, HEADER)).unwrap();
        assert!(header.is_closed && header.counts.is_whole && !header.has_newer());
        let page = |child: Child, widths| {
            let (offset, length) = header.geometry.place(child.page).unwrap();
            let page = read(offset, length);
            assert_eq!(Node::checksum(&page, widths), Some(child.checksum));
            page
        };
        let tables = page(header.counts.tables.unwrap(), Widths::default());
        let Some(Node::Leaf(leaf)) = Node::read(&tables, Widths::default()) else {
            panic!("{tables:?}")
        };
        let (name, definition) = leaf.entries().next().unwrap().unwrap();
        assert_eq!(name, b"rows");
        let definition = Definition::read(definition).unwrap();
        let (mut next, mut keys) = (vec![definition.root.unwrap()], 0_u32);
        while let Some(child) = next.pop() {
            let page = page(child, definition.widths);
            match Node::read(&page, definition.widths).unwrap() {
                Node::Branch(branch) => {
                    let children: Vec<Child> = branch.children().collect();
                    next.extend(children.into_iter().rev());
                }
                Node::Leaf(leaf) => {
                    for entry in leaf.entries() {
                        let (key, value) = entry.unwrap();
                        assert_eq!(
                            (key, value.len()),
                            (keys.to_be_bytes().as_slice(), keys as usize % 90)
                        );
                        keys += 1;
                    }
                }
            }
        }
        assert_eq!(keys, 20_000);
    }
}
