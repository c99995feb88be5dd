//! How a graph is searched under a filter: along its edges, or row by row when few rows pass.

use annals_types::Row;

use crate::graph::Graph;

/// How a graph is searched under a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Along its edges with a beam.
    Walk(usize),
    /// Every row, comparing first: nearly all pass.
    Scan,
    /// Every row, asking the filter first.
    Pick,
}

/// Rows whose filter result tells how many pass.
const SAMPLE: u32 = 128;

impl Plan {
    /// Asks the filter about a sample of the rows and compares what the ways would cost.
    pub(crate) fn choose(graph: &Graph, width: usize, filter: &impl Fn(Row) -> bool) -> Self {
        let nodes = graph.nodes();
        let step = (nodes.len() / SAMPLE).max(1);
        let asked = (0..nodes.len())
            .step_by(step as usize)
            .filter_map(|n| nodes.row(n));
        let (passed, asked) = asked.fold((0_usize, 0_usize), |(yes, all), row| {
            (yes + usize::from(filter(Row(row))), all + 1)
        });
        if passed == 0 {
            return Self::Pick;
        }
        // A beam of so many holds `width` rows that pass.
        let wide = width * asked / passed;
        let rows = nodes.len() as usize;
        // Measured in nanoseconds: a beam place costs 900 at 100,000 rows and 2,400 at a million,
        // asking the filter and stepping over a row 3, comparing one 8.
        let (walk, pick, scan) = (wide * 1500, rows * 3 + rows * passed / asked * 25, rows * 8);
        if walk <= pick.min(scan) {
            Self::Walk(wide)
        } else if pick <= scan {
            Self::Pick
        } else {
            Self::Scan
        }
    }
}
