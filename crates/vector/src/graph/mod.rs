//! The frozen graph: built once, searched by many threads, never inserted into.

mod beam;
mod build;
mod entry;
mod inherit;
mod links;
mod nodes;
mod prune;
mod twins;
mod visited;
mod walk;

use std::cell::RefCell;
use std::sync::Arc;

use annals_types::{Commit, Row};

pub use build::{Progress, Recipe};
pub(crate) use twins::hash;

use crate::block::{Block, Seek, capacity};
use crate::code::Shape;
use crate::error::VectorError;
use crate::tail::scan;
use crate::top::Top;
use build::{Builder, linked, repair, return_edges, shuffle};
use entry::Entries;
use links::{Draft, Frozen};
use nodes::Nodes;
use twins::Twins;
use walk::{Links as _, Scratch, Way};

/// A navigable graph over the rows that were there at one commit. Rows removed since are zeroed in
/// place.
#[derive(Debug, Clone)]
pub struct Graph {
    commit: Commit,
    nodes: Nodes,
    links: Frozen,
    entries: Arc<Entries>,
    twins: Arc<Twins>,
    live: usize,
    removed: usize,
    /// How many removals the index had seen that it was built from.
    removals: u64,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Graph {
    /// Builds over the rows of some blocks, on the graph that was there before where that helps.
    pub(crate) fn build(
        shape: Shape,
        blocks: Vec<Arc<Block>>,
        commit: Commit,
        recipe: Recipe,
        old: Option<&Self>,
        progress: &mut Progress<'_>,
    ) -> Result<Self, VectorError> {
        let nodes = Nodes::new(shape, capacity(shape, recipe.degree), blocks);
        if nodes.len() > i32::MAX.unsigned_abs() {
            return Err(VectorError::TooManyRows {
                rows: nodes.len() as usize,
            });
        }
        let twins = Twins::find(&nodes);
        let leaders = twins.leaders(nodes.len());
        let mut draft = Draft::new(nodes.split(), recipe.degree, nodes.len());
        let (mut order, mut new) = (Vec::new(), linked(&nodes, &leaders));
        if let Some(old) = old.filter(|old| inherit::usable(old, recipe, &nodes)) {
            let inherited = inherit::inherit(old, &nodes, &leaders, recipe, &mut draft);
            (order, new) = new
                .into_iter()
                .partition(|n| inherited.get(*n as usize) == Some(&true));
        }
        shuffle(&mut order, recipe.seed);
        shuffle(&mut new, recipe.seed);
        let done = order.len();
        order.append(&mut new);
        let mut builder = Builder {
            nodes: &nodes,
            twins: &twins,
            recipe,
            draft,
            order,
            done,
        };
        builder.run(progress)?;
        return_edges(&mut builder);
        let entries = Entries::spread(&nodes, &twins);
        repair(&mut builder, &entries);
        let links = builder.draft.freeze();
        let live = nodes.blocks().iter().map(|b| b.live()).sum();
        Ok(Self {
            commit,
            nodes,
            links,
            entries: Arc::new(entries),
            twins: Arc::new(twins),
            live,
            removed: 0,
            removals: 0,
        })
    }

    /// From the parts that were stored.
    pub(crate) fn assemble(
        shape: Shape,
        capacity: usize,
        degree: usize,
        commit: Commit,
        blocks: Vec<Arc<Block>>,
        links: Vec<Arc<[u32]>>,
        twins: Vec<(u32, u32)>,
    ) -> Self {
        let nodes = Nodes::new(shape, capacity, blocks);
        let links = Frozen::new(nodes.split(), degree, links);
        let twins = Twins::from_pairs(twins);
        let entries = Entries::spread(&nodes, &twins);
        let live = nodes.blocks().iter().map(|b| b.live()).sum();
        let removed = (nodes.len() as usize).saturating_sub(live);
        Self {
            commit,
            nodes,
            links,
            entries: Arc::new(entries),
            twins: Arc::new(twins),
            live,
            removed,
            removals: 0,
        }
    }

    pub(crate) fn link_blocks(&self) -> &[Arc<[u32]>] {
        self.links.blocks()
    }

    pub(crate) const fn degree(&self) -> usize {
        self.links.degree()
    }

    pub(crate) fn twins(&self) -> &[(u32, u32)] {
        self.twins.pairs()
    }

    /// Walks the graph; living rows that pass the filter enter `top`.
    pub(crate) fn search(
        &self,
        seek: &Seek<'_>,
        width: usize,
        filter: &impl Fn(Row) -> bool,
        top: &mut Top,
    ) {
        let way = Way {
            nodes: &self.nodes,
            links: &self.links,
            entries: &self.entries,
            twins: &self.twins,
        };
        // Taken out, not borrowed: a filter may search, too.
        let mut scratch = SCRATCH.take();
        let seen = |node, score| self.report(node, score, filter, top);
        way.walk(seek, width, &mut scratch, seen, |_, _| ());
        SCRATCH.set(scratch);
    }

    fn report(&self, node: u32, score: f32, filter: &impl Fn(Row) -> bool, top: &mut Top) {
        let Some(row) = self.nodes.row(node) else {
            return;
        };
        if !top.admits(score, row) {
            return;
        }
        for one in std::iter::once(node).chain(self.twins.followers(node)) {
            if let Some(row) = self.nodes.row(one).filter(|_| self.nodes.scale(one) > 0.0)
                && top.admits(score, row)
                && filter(Row(row))
            {
                top.push(score, row);
            }
        }
    }

    pub(crate) fn scan(
        &self,
        seek: &Seek<'_>,
        few: bool,
        filter: &impl Fn(Row) -> bool,
        top: &mut Top,
    ) {
        scan(self.nodes.blocks(), seek, few, filter, top);
    }

    pub(crate) fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Zeroes a row; answers whether it was there.
    pub(crate) fn erase(&mut self, row: Row) -> bool {
        let Some(node) = self.nodes.find(row).filter(|n| self.nodes.erase(*n)) else {
            return false;
        };
        if self.entries.contains(node) {
            Arc::make_mut(&mut self.entries).erase(node);
        }
        self.live -= 1;
        self.removed += 1;
        true
    }

    pub(crate) fn with_removals(self, removals: u64) -> Self {
        Self { removals, ..self }
    }

    pub(crate) const fn removals(&self) -> u64 {
        self.removals
    }

    /// The rows that can be found through it, in rising order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> {
        (0..self.nodes.len())
            .filter(|n| self.nodes.scale(*n) > 0.0)
            .filter_map(|n| self.nodes.row(n))
            .map(Row)
    }

    /// The commit whose rows it holds.
    #[must_use]
    pub const fn commit(&self) -> Commit {
        self.commit
    }

    /// Rows that can be found through it.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.live
    }

    /// Whether no row can be found through it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    pub(crate) const fn removed(&self) -> usize {
        self.removed
    }

    /// Neighbours of a linked row on average.
    #[must_use]
    pub fn mean_degree(&self) -> f64 {
        let (mut nodes, mut edges) = (0_u32, 0_u32);
        for list in (0..self.nodes.len())
            .map(|n| links::present(self.links.of(n)))
            .filter(|l| !l.is_empty())
        {
            nodes += 1;
            edges += u32::try_from(list.len()).unwrap_or(0);
        }
        f64::from(edges) / f64::from(nodes.max(1))
    }

    /// Memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.links.bytes() + self.entries.bytes() + self.twins.bytes()
    }
}
