//! What each page of redb must be. redb keeps a tree of checksums over its pages and looks at it
//! only where a file was not closed; here every page that is read is held against it. So a bit that
//! flipped in a branch or a key is an error, and never a memory that is not found.

use std::collections::HashMap;

use parking_lot::Mutex;
use xxhash_rust::xxh3::xxh3_64;

use super::btree::{Child, DEFERRED, Definition, Geometry, HEADER, Header, Node, PAGE, Widths};

/// The pages of which it is known what they must be: those whose parent was read, and those that
/// were written. A parent is read before its children, so every page is known once it is read.
#[derive(Debug, Default)]
pub(super) struct Checksums {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    geometry: Option<Geometry>,
    /// By the place of the page, in smallest pages.
    pages: HashMap<u32, Expected>,
    /// The trees of which pages were met, by their number in `Expected`.
    trees: Vec<Tree>,
}

/// Half of a checksum is kept: a tenth of a percent of the file in all.
#[derive(Debug, Clone, Copy)]
struct Expected {
    sum: u32,
    order: u8,
    from: From,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// The page above it, in a tree with this number.
    Tree(u16),
    /// This process: the sum is one over the whole page.
    Written,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    /// Values of the table are tables.
    Tables,
    Rows(Widths),
}

impl Tree {
    fn widths(self) -> Widths {
        match self {
            Self::Tables => Widths::default(),
            Self::Rows(widths) => widths,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a part of the checksum is what is kept"
)]
fn part_of(checksum: u128) -> u32 {
    checksum as u32
}

fn written(page: &[u8]) -> u32 {
    part_of(xxh3_64(page).into())
}

fn number(offset: u64) -> Option<u32> {
    u32::try_from(offset / PAGE as u64)
        .ok()
        .filter(|number| *number > 0)
}

fn order(bytes: usize) -> Option<u8> {
    let pages = bytes / PAGE;
    (pages.is_power_of_two() && bytes.is_multiple_of(PAGE))
        .then(|| u8::try_from(pages.trailing_zeros()).ok())?
}

impl State {
    fn expect(&mut self, child: Child, tree: Tree) {
        if child.checksum == DEFERRED {
            return;
        }
        let number_of = |tree| self.trees.iter().position(|known| *known == tree);
        let at = number_of(tree).unwrap_or_else(|| {
            self.trees.push(tree);
            self.trees.len() - 1
        });
        let place = self
            .geometry
            .and_then(|geometry| geometry.place(child.page));
        if let Some((offset, bytes)) = place
            && let (Some(number), Some(order), Ok(at)) =
                (number(offset), order(bytes), u16::try_from(at))
        {
            let from = From::Tree(at);
            self.pages.insert(
                number,
                Expected {
                    sum: part_of(child.checksum),
                    order,
                    from,
                },
            );
        }
    }
}

impl Checksums {
    /// Takes the roots from a header.
    pub(super) fn begin(&self, header: &[u8]) {
        let Some(header) = header.get(..HEADER).and_then(Header::read) else {
            return;
        };
        let mut state = self.state.lock();
        state.geometry = Some(header.geometry);
        for slot in [header.other, header.counts]
            .into_iter()
            .filter(|slot| slot.is_whole)
        {
            slot.tables
                .into_iter()
                .chain(slot.system)
                .for_each(|root| state.expect(root, Tree::Tables));
        }
    }

    /// Whether a page that was read is what it must be. Takes from it what its children must be.
    pub(super) fn check(&self, offset: u64, page: &[u8]) -> bool {
        // Looked up behind the read: whoever writes a page tells it before.
        let state = self.state.lock();
        let expected = number(offset).and_then(|number| state.pages.get(&number).copied());
        let Some(expected) = expected.filter(|expected| order(page.len()) == Some(expected.order))
        else {
            return true;
        };
        let From::Tree(at) = expected.from else {
            drop(state);
            return written(page) == expected.sum;
        };
        let Some(tree) = state.trees.get(usize::from(at)).copied() else {
            return true;
        };
        drop(state);
        if Node::checksum(page, tree.widths()).map(part_of) != Some(expected.sum) {
            return false;
        }
        match Node::read(page, tree.widths()) {
            Some(Node::Branch(branch)) => {
                let mut state = self.state.lock();
                branch
                    .children()
                    .for_each(|child| state.expect(child, tree));
            }
            Some(Node::Leaf(leaf)) if tree == Tree::Tables => {
                let mut state = self.state.lock();
                for definition in leaf
                    .entries()
                    .flatten()
                    .filter_map(|(_, value)| Definition::read(value))
                {
                    definition
                        .root
                        .into_iter()
                        .for_each(|root| state.expect(root, Tree::Rows(definition.widths)));
                }
            }
            Some(Node::Leaf(_)) | None => {}
        }
        true
    }

    /// A page is about to be written.
    pub(super) fn write(&self, offset: u64, page: &[u8]) {
        let Some(number) = number(offset) else { return };
        let mut state = self.state.lock();
        match order(page.len()) {
            Some(order) => state.pages.insert(
                number,
                Expected {
                    sum: written(page),
                    order,
                    from: From::Written,
                },
            ),
            None => state.pages.remove(&number),
        };
    }

    /// The pages end here.
    pub(super) fn cut(&self, length: u64) {
        self.state
            .lock()
            .pages
            .retain(|number, _| u64::from(*number) * (PAGE as u64) < length);
    }
}
