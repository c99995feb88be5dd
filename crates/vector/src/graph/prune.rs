//! Which of many candidates become neighbours.

use crate::graph::nodes::Nodes;

/// Keeps at most `degree` of the candidates.
///
/// First the nearest that lie in different directions: a candidate is passed over when it is
/// nearer to one already kept than to the node itself. Places that are left go to those passed
/// over, the nearest first, unless one kept is more than `slack` times nearer. This is the robust
/// prune of Subramanya et al., DiskANN (2019), over squared Euclidean distances of unit vectors
/// (2 - 2 cos), in the two rounds of its implementation: with the second alone, near ones fill the
/// list and leave no far one.
pub(crate) fn prune(
    nodes: &Nodes,
    candidates: &mut Vec<(f32, u32)>,
    degree: usize,
    slack: f32,
    kept: &mut Vec<u32>,
) {
    candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    candidates.dedup_by_key(|c| c.1);
    kept.clear();
    for slack in [1.0, slack] {
        candidates.retain(|(score, node)| {
            if kept.len() == degree {
                return false;
            }
            let seek = nodes.seek(*node);
            let keep = kept
                .iter()
                .all(|k| slack * (1.0 - nodes.score(&seek, *k)) > 1.0 - score);
            if keep {
                kept.push(*node);
            }
            !keep
        });
    }
}
