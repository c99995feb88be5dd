//! Questions to the graph, over any state of the file. Their cost grows with the rows that they
//! touch, not with the size of the graph.

pub(crate) mod fan;
pub(crate) mod held;
mod memories;
mod neighbours;
mod paths;
mod pattern;
mod recognise;
mod speakers;
mod spread;
mod walk;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use annals_types::profile::GraphExpandSettings;
use annals_types::{Clock, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::Qualifier;
use crate::{EntityId, GraphError, LabelId, TripleId};

use held::held;
pub(crate) use held::{Witnesses, evidence};
pub use memories::{Bridge, MemoryExpansion, MemoryNode, MemoryWalk, expand_memories};
pub use neighbours::{Neighbour, neighbours};
pub use paths::{Path, PathStep, Paths, paths};
pub use pattern::{Page, Pattern, pattern};
pub use recognise::{Mention, Recognise, Recognised, recognise};
pub use speakers::speakers;
pub use spread::{Contact, Spread, Surroundings, Tie, spread};
pub use walk::{Expansion, Reached, Walk, expand};

/// Which triples a question sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[must_use]
pub struct View {
    /// The storing time at which it asks; now when `None`. Memories deleted since are not seen.
    pub as_of: Option<Timestamp>,
    /// Only what holds at this time by what its supporters say.
    pub valid_at: Option<Timestamp>,
    /// Whether triples are seen that no memory supports at that time.
    pub dormant: bool,
}

impl View {
    /// The view of what is visible now.
    pub const NOW: Self = Self {
        as_of: None,
        valid_at: None,
        dormant: false,
    };

    /// The view of what was visible at a storing time.
    pub const fn as_of(moment: Timestamp) -> Self {
        Self {
            as_of: Some(moment),
            ..Self::NOW
        }
    }

    /// Only what holds at a time.
    pub const fn valid_at(mut self, moment: Timestamp) -> Self {
        self.valid_at = Some(moment);
        self
    }

    /// Also what sleeps.
    pub const fn with_dormant(mut self) -> Self {
        self.dormant = true;
        self
    }

    /// Whether index rows alone can answer.
    const fn by_flags(&self) -> bool {
        self.as_of.is_none() && self.valid_at.is_none()
    }
}

/// A triple as a question finds it: the ends after all merges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triple {
    /// Its number.
    pub id: TripleId,
    /// Other triples that merges made say the same, visible in the same way.
    pub same: Vec<TripleId>,
    /// Its subject.
    pub subject: EntityId,
    /// The number of its predicate.
    pub predicate: LabelId,
    /// Its object.
    pub object: EntityId,
    /// Whether it says that it is not so.
    pub negated: bool,
    /// The number of the condition under which it holds.
    pub condition: Option<LabelId>,
    /// Whether the view sees it supported; false only where dormant triples were asked for.
    pub visible: bool,
}

impl Triple {
    /// Its number, then those of the triples that say the same.
    pub fn ids(&self) -> impl Iterator<Item = TripleId> + '_ {
        std::iter::once(self.id).chain(self.same.iter().copied())
    }

    pub(crate) fn new(
        id: TripleId,
        ends: (EntityId, EntityId),
        predicate: LabelId,
        qualifier: Qualifier,
        visible: bool,
    ) -> Self {
        Self {
            id,
            same: Vec::new(),
            subject: ends.0,
            predicate,
            object: ends.1,
            negated: qualifier.negated(),
            condition: qualifier.condition(),
            visible,
        }
    }
}

/// Which way edges are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Direction {
    /// From subject to object.
    Out,
    /// From object to subject.
    In,
    /// Both ways.
    #[default]
    Both,
}

/// How much a walk may look at. The results found until then are returned, in the same order each
/// time but for the limit of time.
#[derive(Clone, Copy)]
#[must_use]
pub struct Budget<'a> {
    /// Most nodes reached.
    pub nodes: usize,
    /// Most edges looked at.
    pub edges: usize,
    /// Most time taken, by a clock.
    pub time: Option<(Duration, &'a dyn Clock)>,
}

impl<'a> Budget<'a> {
    /// The budget that some settings allow, time being taken from `clock`.
    pub fn of(settings: &GraphExpandSettings, clock: &'a dyn Clock) -> Self {
        let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let limit = Duration::from_millis(settings.time_budget_ms.into());
        Self {
            nodes: number(settings.node_budget),
            edges: number(settings.edge_budget),
            time: (!limit.is_zero()).then_some((limit, clock)),
        }
    }

    /// So many nodes and edges, without a limit of time.
    pub const fn new(nodes: usize, edges: usize) -> Self {
        Self {
            nodes,
            edges,
            time: None,
        }
    }
}

impl Default for Budget<'_> {
    /// 1,000 nodes, 20,000 edges, no limit of time.
    fn default() -> Self {
        Self::new(1000, 20_000)
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time.map(|(limit, _)| limit);
        f.debug_struct("Budget")
            .field("nodes", &self.nodes)
            .field("edges", &self.edges)
            .field("time", &time)
            .finish()
    }
}

/// Which limit ended a walk before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Cut {
    /// The nodes were used up.
    Nodes,
    /// The edges were used up.
    Edges,
    /// The time was used up.
    Time,
}

/// The rest of a budget.
struct Meter<'a> {
    nodes: usize,
    edges: usize,
    deadline: Option<(Timestamp, &'a dyn Clock)>,
    cut: Option<Cut>,
}

impl<'a> Meter<'a> {
    fn start(budget: &Budget<'a>) -> Self {
        let deadline = budget.time.map(|(limit, clock)| {
            let millis = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
            (clock.now().plus_millis(millis), clock)
        });
        Self {
            nodes: budget.nodes,
            edges: budget.edges,
            deadline,
            cut: None,
        }
    }

    /// Whether the time is up.
    fn late(&mut self) -> bool {
        if let Some((deadline, clock)) = self.deadline
            && clock.now() > deadline
        {
            self.cut.get_or_insert(Cut::Time);
        }
        self.cut.is_some()
    }

    fn edge(&mut self) -> bool {
        Self::take(&mut self.edges, &mut self.cut, Cut::Edges)
    }

    fn node(&mut self) -> bool {
        Self::take(&mut self.nodes, &mut self.cut, Cut::Nodes)
    }

    fn take(left: &mut usize, cut: &mut Option<Cut>, reason: Cut) -> bool {
        match left.checked_sub(1) {
            Some(less) => {
                *left = less;
                true
            }
            None => {
                cut.get_or_insert(reason);
                false
            }
        }
    }
}

/// Where a page ended. Valid for the same question over any later state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cursor(pub(crate) Vec<u8>);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

impl FromStr for Cursor {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        let digit = |digit: &u8| {
            char::from(*digit)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs
            .iter()
            .map(|[high, low]| Some(digit(high)? << 4 | digit(low)?))
            .collect();
        bytes
            .filter(|bytes| rest.is_empty() && bytes.len() <= 64)
            .map(Self)
            .ok_or(GraphError::BadCursor)
    }
}

impl TryFrom<String> for Cursor {
    type Error = GraphError;

    fn try_from(text: String) -> Result<Self, GraphError> {
        text.parse()
    }
}
