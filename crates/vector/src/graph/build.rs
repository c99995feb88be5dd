//! Building a graph: nodes are inserted in batches, each batch in parallel against the graph as it
//! was before.
//!
//! The result depends on the seed alone, not on threads or timing (the batched insertion of Manohar
//! et al., ParlayANN: Scalable and Deterministic Parallel Graph-Based Approximate Nearest Neighbor
//! Search Algorithms, 2024). There are no locks on lists: the search phase only reads, the phase
//! that writes gives each block of lists to one thread.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use crate::error::VectorError;
use crate::graph::entry::Entries;
use crate::graph::links::{Draft, present, write};
use crate::graph::nodes::Nodes;
use crate::graph::prune::prune;
use crate::graph::twins::Twins;
use crate::graph::walk::{Links, Scratch, Way};
use crate::rotate::splitmix;

/// How a graph is built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// The most neighbours of a node.
    pub degree: usize,
    /// The beam of the walk that finds a new node's neighbours.
    pub width: usize,
    /// How much nearer (in squared distance) a neighbour must be to make another one superfluous; 1
    /// or more.
    pub slack: f32,
    /// Threads.
    pub threads: usize,
    /// Decides the order of insertion.
    pub seed: u64,
}

impl Recipe {
    /// The length that a full list is cut down to: some places stay free, so that not every
    /// further neighbour means to choose again.
    const fn refill(&self) -> usize {
        self.degree - self.degree / 16
    }
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            degree: 56,
            width: 224,
            slack: 1.2,
            threads: 2,
            seed: 0x616E_6E61,
        }
    }
}

/// Hears how many of how many nodes are inserted, some hundred times; [`ControlFlow::Break`]
/// cancels.
pub type Progress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// Entry points for a number of nodes: one in 256.
pub(crate) const fn entry_count(nodes: usize) -> usize {
    let count = nodes / 256;
    if count < 16 {
        16
    } else if count > 4096 {
        4096
    } else {
        count
    }
}

/// A batch is at most this share of the nodes that are in the graph: nodes of one batch do not see
/// each other.
const BATCH_SHARE: usize = 50;
/// Nodes between two calls of the progress function.
const STEP: usize = 4096;

pub(crate) struct Builder<'a> {
    pub(crate) nodes: &'a Nodes,
    pub(crate) twins: &'a Twins,
    pub(crate) recipe: Recipe,
    pub(crate) draft: Draft,
    /// Nodes in the order of insertion.
    pub(crate) order: Vec<u32>,
    /// How many of them are in the graph.
    pub(crate) done: usize,
}

type Lists = Vec<(u32, Vec<u32>)>;

impl Builder<'_> {
    /// Inserts all nodes that are not in the graph yet.
    pub(crate) fn run(&mut self, progress: &mut Progress<'_>) -> Result<(), VectorError> {
        let total = self.order.len();
        if self.done == 0 && total > 0 {
            self.done = 1;
        }
        let mut entries = self.entries();
        while self.done < total {
            let end = (self.done
                + (self.done / BATCH_SHARE)
                    .max(1)
                    .min(total / BATCH_SHARE + 1))
            .min(total);
            if entries.nodes().len() < entry_count(self.done).min(1024) {
                entries = self.entries();
            }
            let mut lists = Vec::with_capacity(end - self.done);
            let batch = self.order.get(self.done..end).unwrap_or(&[]);
            for step in batch.chunks(STEP) {
                if progress(self.done + lists.len(), total).is_break() {
                    return Err(VectorError::Cancelled);
                }
                lists.extend(self.search(step, &entries)?);
            }
            self.link(lists)?;
            self.done = end;
        }
        match progress(total, total) {
            ControlFlow::Break(()) => Err(VectorError::Cancelled),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    fn entries(&self) -> Entries {
        let count = entry_count(self.done).min(1024).min(self.done);
        Entries::new(self.order.get(..count).unwrap_or(&[]), self.nodes)
    }

    pub(crate) fn way<'b>(&'b self, entries: &'b Entries) -> Way<'b, Draft> {
        Way {
            nodes: self.nodes,
            links: &self.draft,
            entries,
            twins: self.twins,
        }
    }

    /// Finds the neighbours of some new nodes.
    fn search(&self, batch: &[u32], entries: &Entries) -> Result<Lists, VectorError> {
        let pieces = Mutex::new(batch.chunks(32));
        let parts = self.parallel(batch.len(), || {
            let (mut scratch, mut lists) = (Scratch::default(), Vec::new());
            let (mut found, mut kept) = (Vec::new(), Vec::new());
            loop {
                let next = pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(piece) = next else { return lists };
                for node in piece {
                    found.clear();
                    let seek = self.nodes.seek(*node);
                    let expanded = |n, score| found.push((score, n));
                    self.way(entries).walk(
                        &seek,
                        self.recipe.width,
                        &mut scratch,
                        |_, _| (),
                        expanded,
                    );
                    prune(
                        self.nodes,
                        &mut found,
                        self.recipe.degree,
                        self.recipe.slack,
                        &mut kept,
                    );
                    lists.push((*node, kept.clone()));
                }
            }
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Writes the lists of new nodes and the edges back to them.
    fn link(&mut self, lists: Lists) -> Result<(), VectorError> {
        let mut back: Vec<(u32, u32)> = Vec::new();
        for (node, list) in lists {
            self.draft.set(node, &list);
            back.extend(list.into_iter().map(|target| (target, node)));
        }
        back.sort_unstable();
        // Taken out while threads change it; they look at the nodes only.
        let empty = Draft::new(self.draft.split(), self.draft.degree(), 0);
        let mut draft = std::mem::replace(&mut self.draft, empty);
        let result = self.link_back(&mut draft, &back);
        self.draft = draft;
        result
    }

    fn link_back(&self, draft: &mut Draft, back: &[(u32, u32)]) -> Result<(), VectorError> {
        let split = draft.split();
        let mut jobs = Vec::new();
        let mut blocks = draft.blocks_mut().iter_mut().enumerate();
        for edges in back.chunk_by(|a, b| split.of(a.0).0 == split.of(b.0).0) {
            let home = edges.first().map(|e| split.of(e.0).0);
            if let Some((_, block)) = blocks.find(|(at, _)| Some(*at) == home) {
                jobs.push((block, edges));
            }
        }
        let jobs = Mutex::new(jobs);
        self.parallel(back.len(), || {
            let mut room = Room::default();
            loop {
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let Some((block, edges)) = job else { return };
                for edges in edges.chunk_by(|a, b| a.0 == b.0) {
                    self.add(block, edges, &mut room);
                }
            }
        })?;
        Ok(())
    }

    /// Adds edges of one target to its list, pruning when it overflows.
    fn add(&self, block: &mut [u32], edges: &[(u32, u32)], room: &mut Room) {
        let Some((target, _)) = edges.first() else {
            return;
        };
        let degree = self.recipe.degree;
        let (_, at) = self.draft.split().of(*target);
        let Some(places) = block.get_mut(at * degree..(at + 1) * degree) else {
            return;
        };
        room.list.clear();
        room.list.extend_from_slice(present(places));
        for (_, source) in edges {
            if !room.list.contains(source) {
                room.list.push(*source);
            }
        }
        if room.list.len() > degree {
            let seek = self.nodes.seek(*target);
            room.list.iter().for_each(|n| self.nodes.prefetch(*n));
            room.scored.clear();
            room.scored
                .extend(room.list.iter().map(|n| (self.nodes.score(&seek, *n), *n)));
            prune(
                self.nodes,
                &mut room.scored,
                self.recipe.refill(),
                self.recipe.slack,
                &mut room.list,
            );
        }
        write(places, &room.list);
    }

    /// Runs the same work on all threads, or on this one alone when there is little.
    fn parallel<T: Send>(
        &self,
        items: usize,
        work: impl Fn() -> T + Sync,
    ) -> Result<Vec<T>, VectorError> {
        let threads = self.recipe.threads.clamp(1, items.div_ceil(64).max(1));
        if threads == 1 {
            return Ok(vec![work()]);
        }
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
            let mine = work();
            let mut all = vec![mine];
            for other in others {
                all.push(other.join().map_err(|_| VectorError::BuilderPanicked)?);
            }
            Ok(all)
        })
    }
}

#[derive(Default)]
struct Room {
    list: Vec<u32>,
    scored: Vec<(f32, u32)>,
}

/// Puts numbers into an order that depends on the seed alone (Fisher and Yates).
pub(crate) fn shuffle(numbers: &mut [u32], seed: u64) {
    let mut state = seed;
    for last in (1..numbers.len()).rev() {
        let bound = last as u64 + 1;
        let pick = usize::try_from(splitmix(&mut state) % bound).unwrap_or(0);
        numbers.swap(last, pick);
    }
}

/// All nodes that a graph links: the leaders among the living.
pub(crate) fn linked(nodes: &Nodes, leaders: &[u32]) -> Vec<u32> {
    (0..nodes.len())
        .zip(leaders)
        .filter(|(n, leader)| n == *leader && nodes.scale(*n) > 0.0)
        .map(|(n, _)| n)
        .collect()
}

/// Gives the free places of each list to nodes in whose list it stands itself, those first to
/// which fewest lists lead: insertion and pruning leave some nodes with hardly a way to them.
pub(crate) fn return_edges(builder: &mut Builder<'_>) {
    let mut leading = vec![0_u32; builder.nodes.len() as usize];
    let mut back: Vec<(u32, u32)> = Vec::new();
    for node in &builder.order {
        for next in present(builder.draft.of(*node)) {
            back.push((*next, *node));
            if let Some(count) = leading.get_mut(*next as usize) {
                *count += 1;
            }
        }
    }
    back.sort_unstable_by_key(|(target, source)| {
        (*target, leading.get(*source as usize).copied(), *source)
    });
    let (degree, mut list) = (builder.recipe.degree, Vec::new());
    for edges in back.chunk_by(|a, b| a.0 == b.0) {
        let Some((target, _)) = edges.first() else {
            continue;
        };
        list.clear();
        list.extend_from_slice(present(builder.draft.of(*target)));
        for (_, source) in edges {
            if list.len() < degree && !list.contains(source) {
                list.push(*source);
            }
        }
        builder.draft.set(*target, &list);
    }
}

/// Makes every linked node reachable from the entries: a node that no walk can find is linked from
/// one near it.
pub(crate) fn repair(builder: &mut Builder<'_>, entries: &Entries) {
    let mut reached = vec![false; builder.nodes.len() as usize];
    let mut queue: Vec<u32> = entries.nodes().to_vec();
    spread(&builder.draft, &mut queue, &mut reached);
    let mut scratch = Scratch::default();
    let lost: Vec<u32> = builder
        .order
        .iter()
        .copied()
        .filter(|n| !is(&reached, *n))
        .collect();
    for node in lost {
        if is(&reached, node) {
            continue;
        }
        let mut near = Vec::new();
        let seek = builder.nodes.seek(node);
        builder.way(entries).walk(
            &seek,
            builder.recipe.width,
            &mut scratch,
            |_, _| (),
            |n, s| near.push((s, n)),
        );
        near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let degree = builder.recipe.degree;
        let roomy = near
            .iter()
            .find(|(_, n)| present(builder.draft.of(*n)).len() < degree)
            .or_else(|| near.first());
        if let Some((_, host)) = roomy.copied() {
            let mut list = present(builder.draft.of(host)).to_vec();
            list.truncate(degree - 1);
            list.push(node);
            builder.draft.set(host, &list);
        }
        queue.push(node);
        spread(&builder.draft, &mut queue, &mut reached);
    }
}

fn is(marks: &[bool], node: u32) -> bool {
    marks.get(node as usize).copied().unwrap_or(false)
}

fn spread(draft: &Draft, queue: &mut Vec<u32>, reached: &mut [bool]) {
    while let Some(node) = queue.pop() {
        match reached.get_mut(node as usize) {
            Some(mark) if !*mark => *mark = true,
            _ => continue,
        }
        queue.extend(present(draft.of(node)).iter().filter(|n| !is(reached, **n)));
    }
}
