#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

mod assert;
mod assertion;
mod carry;
mod clash;
mod delete;
mod derive;
mod discover;
mod edit;
mod effects;
mod embedding;
mod entity;
mod erase;
mod error;
mod explain;
mod export;
#[cfg(test)]
mod golden;
mod id;
mod label;
mod ledger;
mod lend;
mod link;
mod merge;
mod metadata;
mod name;
mod number;
mod prune;
mod query;
mod record;
mod rewrite;
mod roster;
mod settle;
mod stance;
mod stats;
mod status;
mod subgraph;
mod support;
mod tables;
mod transfer;
mod validate;
mod wording;

pub use assert::{Asserted, assert_evidence};
pub use assertion::{Assertion, Claim, ClaimEdit, EdgeRole};
pub use carry::{Carried, Yield, carry};
pub use clash::{Clash, ClashReason, clashes};
pub use delete::delete_triples;
pub use derive::{Derivation, derivations, derive};
pub use discover::{Shared, near_in_time, related_pairs, shared_entities, unlinked};
pub use edit::{EntityEdit, delete_entity, edit_entity};
pub use effects::Effects;
pub use embedding::{
    Embedding, MAX_DIMS, each_embedding, embeddings, embeddings_added, embeddings_changed,
    entities_removed, set_embedding,
};
pub use entity::{
    Entity, MAX_ALIASES, NewEntity, Scope, Term, add_entity, entities, find_entities,
    list_entities, survivors,
};
pub use erase::{ErasePlan, Erasure, Family, Provenance, erase, plan_erase};
pub use error::GraphError;
pub use explain::{Evidence, Explained, Statement, degrees, explain, statements, triples};
pub use export::{Export, Format, export, triple_lines};
pub use id::{EntityId, LabelId, MergeId, TripleId};
pub use label::{LabelClass, label_numbers, label_texts};
pub use lend::{lend, withdraw};
pub use link::{Link, LinkView, Linked, NewLink, Relation, link, links, relation, unlink};
pub use merge::{
    Embedded, Merge, MergeSearch, Proposal, Proposals, Similarity, Tier, Undone, merge,
    merge_history, merges, reserve_merge, undo_merge,
};
pub use metadata::MAX_METADATA_BYTES;
pub use name::MAX_NAME_BYTES;
pub use prune::prune_labels;
pub use query::{
    Bridge, Budget, Contact, Cursor, Cut, Direction, Expansion, MemoryExpansion, MemoryNode,
    MemoryWalk, Mention, Neighbour, Page, Path, PathStep, Paths, Pattern, Reached, Recognise,
    Recognised, Spread, Surroundings, Tie, Triple, View, Walk, expand, expand_memories, neighbours,
    paths, pattern, recognise, speakers, spread,
};
pub use record::StateChange;
pub use roster::{introduce, states};
pub use stance::TIME_ATTRIBUTES;
pub use stats::{GraphStats, stats};
pub use status::{StatusChanged, plan_status, status_changed};
pub use subgraph::{MemoryEdge, NewSubgraph, NodeKind, Said, Subgraph, said, subgraph};
pub use support::{Support, Supporter};
pub use tables::{TABLES, unowned};
pub use transfer::{
    DumpLine, DumpedTriple, Naming, Sink, TripleLine, TripleMetadata, dump, import_triple, restore,
    sweep,
};
pub use validate::{Difference, Validation, validate};
pub use wording::Wording;
