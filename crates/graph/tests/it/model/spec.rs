use annals_graph::Support;
use proptest::prelude::*;

/// An end of a triple: by name, or by the number of an entity that was ever there.
#[derive(Debug, Clone)]
pub(crate) enum End {
    Name(u8),
    Known(u8),
}

#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) subject: End,
    pub(crate) predicate: u8,
    pub(crate) object: End,
    pub(crate) negated: bool,
    pub(crate) condition: Option<u8>,
}

#[derive(Debug, Clone)]
pub(crate) enum Op {
    Assert {
        rows: Vec<u8>,
        said: Vec<Said>,
    },
    Status {
        rows: Vec<u8>,
        state: Support,
    },
    Erase {
        rows: Vec<u8>,
    },
    Carry {
        old: u8,
        new: u8,
        said: Option<Vec<Said>>,
    },
    DeleteTriple {
        which: u8,
    },
    Link {
        from: u8,
        relation: u8,
        to: u8,
    },
    Unlink {
        which: u8,
    },
    Derive {
        derived: u8,
        sources: Vec<u8>,
    },
    Merge {
        source: u8,
        target: u8,
    },
    Undo {
        which: u8,
    },
    Keep {
        name: u8,
    },
    DeleteEntity {
        which: u8,
    },
    Rename {
        which: u8,
        name: u8,
    },
    Prune,
    Tick,
    Reopen,
}

const NAMES: u8 = 7;
const ROWS: u8 = 9;

fn end() -> impl Strategy<Value = End> {
    prop_oneof![5 => (0..NAMES).prop_map(End::Name), 1 => (0..30_u8).prop_map(End::Known)]
}

fn said() -> impl Strategy<Value = Vec<Said>> {
    let one = (
        end(),
        0..3_u8,
        end(),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.2, 0..2_u8),
    )
        .prop_map(|(subject, predicate, object, negated, condition)| Said {
            subject,
            predicate,
            object,
            negated,
            condition,
        });
    prop::collection::vec(one, 0..5)
}

fn rows() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0..ROWS, 1..4)
}

fn state() -> impl Strategy<Value = Support> {
    prop_oneof![
        3 => Just(Support::Active),
        1 => Just(Support::Archived),
        3 => Just(Support::Forgotten),
        1 => Just(Support::StagedOut),
        1 => Just(Support::Expired),
    ]
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (rows(), said()).prop_map(|(rows, said)| Op::Assert { rows, said }),
        4 => (rows(), state()).prop_map(|(rows, state)| Op::Status { rows, state }),
        3 => rows().prop_map(|rows| Op::Erase { rows }),
        3 => (0..ROWS, 0..ROWS, prop::option::of(said())).prop_map(|(old, new, said)| Op::Carry { old, new, said }),
        1 => any::<u8>().prop_map(|which| Op::DeleteTriple { which }),
        3 => (0..ROWS, 0..4_u8, 0..ROWS).prop_map(|(from, relation, to)| Op::Link { from, relation, to }),
        1 => any::<u8>().prop_map(|which| Op::Unlink { which }),
        2 => (0..ROWS, rows()).prop_map(|(derived, sources)| Op::Derive { derived, sources }),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(source, target)| Op::Merge { source, target }),
        2 => any::<u8>().prop_map(|which| Op::Undo { which }),
        1 => (0..NAMES).prop_map(|name| Op::Keep { name }),
        1 => any::<u8>().prop_map(|which| Op::DeleteEntity { which }),
        1 => (any::<u8>(), 0..NAMES).prop_map(|(which, name)| Op::Rename { which, name }),
        1 => Just(Op::Prune),
        2 => Just(Op::Tick),
        1 => Just(Op::Reopen),
    ]
}
