//! Building on the graph that is there: its lists are carried over, and only new nodes are
//! inserted.

use crate::graph::Graph;
use crate::graph::build::Recipe;
use crate::graph::links::{Draft, present};
use crate::graph::nodes::Nodes;
use crate::graph::prune::prune;
use crate::graph::walk::{Links, NONE};

/// Whether enough of a graph is alive, and of the same form, to build on it.
pub(crate) fn usable(old: &Graph, recipe: Recipe, nodes: &Nodes) -> bool {
    old.links.degree() == recipe.degree
        && old.nodes.shape == nodes.shape
        && old.removed() <= old.len() / 4
}

/// Old node numbers to the new nodes that stand for them.
struct Map<'a> {
    old: &'a Graph,
    /// The new number of each old node; [`NONE`] where the row is removed.
    numbers: Vec<u32>,
    /// The leader of each new node.
    leaders: &'a [u32],
}

impl<'a> Map<'a> {
    /// Both sides are in rising order of rows: one pass over each.
    fn new(old: &'a Graph, nodes: &Nodes, leaders: &'a [u32]) -> Self {
        let mut next = 0;
        let number = |at: u32| {
            let row = old.nodes.row(at).filter(|_| old.nodes.scale(at) > 0.0)?;
            while nodes.row(next).is_some_and(|other| other < row) {
                next += 1;
            }
            (nodes.row(next) == Some(row)).then_some(next)
        };
        let mut number = number;
        let numbers = (0..old.nodes.len())
            .map(|at| number(at).unwrap_or(NONE))
            .collect();
        Self {
            old,
            numbers,
            leaders,
        }
    }

    /// The new node that stands for an old one: itself, or what it now follows, or a twin where it
    /// is removed.
    fn get(&self, old: u32) -> Option<u32> {
        let number = |at: u32| {
            self.numbers
                .get(at as usize)
                .copied()
                .filter(|n| *n != NONE)
        };
        let living = number(old).or_else(|| self.old.twins.followers(old).find_map(number))?;
        self.leaders.get(living as usize).copied()
    }
}

/// Carries the lists of a graph over to new node numbers; answers which nodes have one now. The
/// neighbours of removed nodes take their places (the repair of Singh et al., FreshDiskANN, 2021).
pub(crate) fn inherit(
    old: &Graph,
    nodes: &Nodes,
    leaders: &[u32],
    recipe: Recipe,
    draft: &mut Draft,
) -> Vec<bool> {
    let map = Map::new(old, nodes, leaders);
    let mut inherited = vec![false; nodes.len() as usize];
    let (mut list, mut scored) = (Vec::new(), Vec::new());
    for at in 0..old.nodes.len() {
        let before = present(old.links.of(at));
        let Some(node) = map.get(at).filter(|_| !before.is_empty()) else {
            continue;
        };
        list.clear();
        let mut gaps = false;
        for link in before {
            match map.get(*link) {
                Some(next) => list.push(next),
                None => {
                    gaps = true;
                    list.extend(
                        present(old.links.of(*link))
                            .iter()
                            .filter_map(|far| map.get(*far)),
                    );
                }
            }
        }
        list.sort_unstable();
        list.dedup();
        list.retain(|next| *next != node);
        if gaps || list.len() > recipe.degree {
            let seek = nodes.seek(node);
            scored.clear();
            scored.extend(list.iter().map(|next| (nodes.score(&seek, *next), *next)));
            prune(nodes, &mut scored, recipe.degree, recipe.slack, &mut list);
        }
        draft.set(node, &list);
        if let Some(mark) = inherited.get_mut(node as usize) {
            *mark = true;
        }
    }
    inherited
}
