//! Walks the pages of a file past redb, from the roots down, each held against the page above it. A
//! damaged page does not end the walk: what it still leads to is read, and what it does not is
//! told.

use std::collections::HashSet;
use std::ops::ControlFlow;

use redb::StorageBackend;

use super::btree::{
    Child, DEEPEST, Definition, Geometry, HEADER, Header, Leaf, Node, PAGE, Slot, Widths,
};
use super::file;
use super::head::PAGES_START;
use crate::{Keyspace, Lost, StorageError, seal};

/// The longest page in which a single flipped bit is looked for: each bit costs a checksum.
const LONGEST_MENDED: usize = 4 * PAGE;

/// Something that the walk met.
pub(super) enum Found<'a> {
    /// A value whose seal is whole.
    Value {
        keyspace: &'a str,
        key: &'a [u8],
        value: &'a [u8],
    },
    /// The generation of the log that is in force.
    Generation(u64),
    /// A page in which one bit was put right, which its checksum proves.
    Mended,
    /// Something that cannot be read.
    Lost(Lost),
}

pub(super) type Visit<'a> = dyn FnMut(Found<'_>) -> Result<(), StorageError> + 'a;

/// A walk through the pages of a disk.
pub(super) struct Survey<'a> {
    disk: &'a dyn StorageBackend,
    /// Whether single flipped bits are put right.
    mends: bool,
    visit: &'a mut Visit<'a>,
    met: Met,
}

/// What a walk has met so far.
#[derive(Default)]
struct Met {
    /// The pages: a file that leads to one of them again is damaged.
    pages: HashSet<u64>,
    values: u64,
    lost: u64,
}

/// The keys that a page may hold.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    after: &'a [u8],
    up_to: Option<&'a [u8]>,
}

impl Bounds<'_> {
    const ALL: Self = Self {
        after: &[],
        up_to: None,
    };
}

/// A page that was read.
struct Page {
    bytes: Vec<u8>,
    is_whole: bool,
}

/// A place in a tree: the page, whether the page that leads there is whole, and how deep it is.
#[derive(Clone, Copy)]
struct Place {
    child: Child,
    is_certain: bool,
    depth: usize,
}

impl Place {
    fn below(self, child: Child, above: &Page) -> Self {
        Self {
            child,
            is_certain: above.is_whole,
            depth: self.depth + 1,
        }
    }
}

impl<'a> Survey<'a> {
    /// A walk that only looks.
    pub(super) fn of(disk: &'a dyn StorageBackend, visit: &'a mut Visit<'a>) -> Self {
        Self {
            disk,
            mends: false,
            visit,
            met: Met::default(),
        }
    }

    /// Puts single flipped bits right on the way.
    pub(super) fn mending(self) -> Self {
        Self {
            mends: true,
            ..self
        }
    }

    /// Walks all tables. `usual` is where pages are if the file does not say.
    pub(super) fn walk(&mut self, usual: Option<Geometry>) -> Result<(), StorageError> {
        let mut bytes = vec![0; HEADER];
        let read = self.disk.read(PAGES_START, &mut bytes);
        let header = read.ok().and_then(|()| Header::read(&bytes));
        let Some(mut header) = header else {
            return self.lose(nothing("the first of its pages cannot be read"));
        };
        if let Some(usual) = usual {
            header.geometry = usual;
        }
        let Some(root) = self.root(header)? else {
            return Ok(());
        };
        self.tables(
            header.geometry,
            Place {
                child: root,
                is_certain: true,
                depth: 0,
            },
        )
    }

    /// The root of the last state.
    fn root(&mut self, header: Header) -> Result<Option<Child>, StorageError> {
        let certain = |slot: Slot| slot.is_whole && !(header.is_closed && header.has_newer());
        if certain(header.counts) {
            return Ok(header.counts.tables);
        }
        if header.counts.is_whole {
            // The byte that names the state that counts is damaged.
            return Ok(header.other.tables);
        }
        // The root proves what the slot can no longer say of itself.
        if let Some(root) = header.counts.tables
            && self
                .page(header.geometry, root, Widths::default())?
                .is_ok_and(|page| page.is_whole)
        {
            return Ok(Some(root));
        }
        let state = "the last state cannot be found; the one before it is read";
        self.lose(nothing(if header.other.is_whole {
            state
        } else {
            "neither of its states can be found"
        }))?;
        Ok(header.other.tables.filter(|_| header.other.is_whole))
    }

    fn tables(&mut self, geometry: Geometry, place: Place) -> Result<(), StorageError> {
        let page = match self.certain_page(geometry, place, Widths::default())? {
            Ok(page) => page,
            Err(reason) => return self.lose(nothing(reason)),
        };
        match Node::read(&page.bytes, Widths::default()) {
            Some(Node::Branch(branch)) => {
                self.tell(&page, "", Bounds::ALL)?;
                branch
                    .children()
                    .try_for_each(|child| self.tables(geometry, place.below(child, &page)))
            }
            Some(Node::Leaf(leaf)) => {
                self.tell(&page, "", Bounds::ALL)?;
                for entry in leaf.entries() {
                    let table =
                        entry.and_then(|(name, value)| Some((name, Definition::read(value)?)));
                    let Some((name, definition)) = table else {
                        self.lose(nothing("a table cannot be found"))?;
                        continue;
                    };
                    let name = String::from_utf8_lossy(name).into_owned();
                    let (values, lost) = (self.met.values, self.met.lost);
                    if let Some(child) = definition.root {
                        let place = place.below(child, &page);
                        self.rows(geometry, &name, definition.widths, place, Bounds::ALL)?;
                    }
                    let (found, counted) = (self.met.values - values, definition.entries);
                    if found != counted && lost == self.met.lost {
                        let reason =
                            format!("{found} values are found where {counted} are counted");
                        self.lose(between(&name, Bounds::ALL, &reason))?;
                    }
                }
                Ok(())
            }
            None => self.lose(nothing("a page of the list of tables is no page")),
        }
    }

    fn rows(
        &mut self,
        geometry: Geometry,
        keyspace: &str,
        widths: Widths,
        place: Place,
        bounds: Bounds<'_>,
    ) -> Result<(), StorageError> {
        let page = match self.certain_page(geometry, place, widths)? {
            Ok(page) => page,
            Err(reason) => return self.lose(between(keyspace, bounds, reason)),
        };
        match Node::read(&page.bytes, widths) {
            Some(Node::Branch(branch)) => {
                self.tell(&page, keyspace, bounds)?;
                let mut after = bounds.after;
                for (at, child) in branch.children().enumerate() {
                    let up_to = branch.key(at).or(bounds.up_to);
                    self.rows(
                        geometry,
                        keyspace,
                        widths,
                        place.below(child, &page),
                        Bounds { after, up_to },
                    )?;
                    after = up_to.unwrap_or(after);
                }
                Ok(())
            }
            Some(Node::Leaf(leaf)) => match self.values(keyspace, leaf, page.is_whole, bounds)? {
                true => Ok(()),
                false => self.tell(&page, keyspace, bounds),
            },
            None => self.lose(between(keyspace, bounds, "a page is no page")),
        }
    }

    /// Takes the values of a page; answers whether some of them are told to be lost.
    fn values(
        &mut self,
        keyspace: &str,
        leaf: Leaf<'_>,
        is_whole: bool,
        bounds: Bounds<'_>,
    ) -> Result<bool, StorageError> {
        let (mut unclear, mut told) = (false, false);
        for entry in leaf.entries() {
            let Some((key, value)) = entry else {
                unclear = true;
                continue;
            };
            if file::is_own(keyspace) {
                self.met.values += 1;
                if let Some(generation) = value.first_chunk().filter(|_| is_whole) {
                    (self.visit)(Found::Generation(u64::from_le_bytes(*generation)))?;
                }
            } else if seal::open(Keyspace::interned(keyspace), key, value).is_ok() {
                self.met.values += 1;
                (self.visit)(Found::Value {
                    keyspace,
                    key,
                    value,
                })?;
            } else if key > bounds.after && bounds.up_to.is_none_or(|up_to| key <= up_to) {
                told = true;
                self.lose(one(
                    keyspace,
                    key,
                    "the value under this key is not what was written",
                ))?;
            } else {
                unclear = true;
            }
        }
        if unclear {
            self.lose(between(keyspace, bounds, "keys of a page cannot be read"))?;
        }
        Ok(unclear || told)
    }

    /// A page that is what the page above it says, or at least the one that a whole page names.
    fn certain_page(
        &mut self,
        geometry: Geometry,
        place: Place,
        widths: Widths,
    ) -> Result<Result<Page, &'static str>, StorageError> {
        if place.depth > DEEPEST {
            return Ok(Err("pages lead to each other without end"));
        }
        if !self.met.pages.insert(place.child.page) {
            return Ok(Err("pages lead to one that was met before"));
        }
        let page = match self.page(geometry, place.child, widths)? {
            Ok(page) if page.is_whole || place.is_certain => page,
            Ok(_) => {
                return Ok(Err(
                    "a damaged page leads to a page that is not the one meant",
                ));
            }
            Err(reason) => return Ok(Err(reason)),
        };
        Ok(Ok(page))
    }

    /// Tells of a damaged page through which nothing is lost for certain.
    fn tell(
        &mut self,
        page: &Page,
        keyspace: &str,
        bounds: Bounds<'_>,
    ) -> Result<(), StorageError> {
        match page.is_whole || self.mends {
            true => Ok(()),
            false => self.lose(between(
                keyspace,
                bounds,
                "a page is not what its checksum says",
            )),
        }
    }

    fn page(
        &mut self,
        geometry: Geometry,
        child: Child,
        widths: Widths,
    ) -> Result<Result<Page, &'static str>, StorageError> {
        let outside = "a page would be outside of the file";
        let Some((offset, length)) = geometry.place(child.page) else {
            return Ok(Err(outside));
        };
        let end = offset
            .saturating_add(PAGES_START)
            .saturating_add(length as u64);
        if self.disk.len().is_ok_and(|there| end > there) {
            return Ok(Err(outside));
        }
        let mut bytes = vec![0; length];
        if self.disk.read(offset + PAGES_START, &mut bytes).is_err() {
            return Ok(Err("the disk does not give a page"));
        }
        let is_right = |bytes: &[u8]| Node::checksum(bytes, widths) == Some(child.checksum);
        if is_right(&bytes) {
            return Ok(Ok(Page {
                bytes,
                is_whole: true,
            }));
        }
        let is_whole =
            self.mends && length <= LONGEST_MENDED && mend(&mut bytes, is_right).is_some();
        if is_whole {
            (self.visit)(Found::Mended)?;
        }
        Ok(Ok(Page { bytes, is_whole }))
    }

    fn lose(&mut self, lost: Lost) -> Result<(), StorageError> {
        self.met.lost += 1;
        (self.visit)(Found::Lost(lost))
    }
}

/// Looks for the one bit without which some bytes are not right, and turns it. Answers its number.
pub(super) fn mend(bytes: &mut [u8], is_right: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let turn = |bytes: &mut [u8], bit: usize| {
        if let Some(byte) = bytes.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
    };
    let found = (0..bytes.len() * 8).try_for_each(|bit| {
        turn(bytes, bit);
        if is_right(bytes) {
            return ControlFlow::Break(bit);
        }
        turn(bytes, bit);
        ControlFlow::Continue(())
    });
    found.break_value()
}

fn nothing(reason: impl Into<String>) -> Lost {
    Lost {
        keyspace: String::new(),
        after: Vec::new(),
        up_to: None,
        reason: reason.into(),
    }
}

fn between(keyspace: &str, bounds: Bounds<'_>, reason: &str) -> Lost {
    let (after, up_to) = (bounds.after.to_vec(), bounds.up_to.map(<[u8]>::to_vec));
    Lost {
        keyspace: keyspace.to_owned(),
        after,
        up_to,
        reason: reason.to_owned(),
    }
}

fn one(keyspace: &str, key: &[u8], reason: &str) -> Lost {
    Lost {
        keyspace: keyspace.to_owned(),
        after: key.to_vec(),
        up_to: Some(key.to_vec()),
        reason: reason.to_owned(),
    }
}
