//! Every table of a file: what validation, the purge of a namespace and counting loop over.

use annals_storage::AnyTable;
use annals_storage::table::Opaque;

use super::jobs::progress;
use super::rulebooks::PROFILES;
use super::{
    claims, decisions, ends, late, lessons, nodes, parted, proposals, remarks, revise, spending, stale, suspicions,
    talks,
};
use crate::mirror::{record, retracted};
use crate::transfer;

/// The tables whose rows belong to namespaces, and those of the layers.
pub(crate) fn of_namespaces() -> Vec<&'static dyn AnyTable> {
    let layers = [
        annals_records::TABLES,
        annals_text::store::TABLES,
        annals_vector::store::TABLES,
        annals_lifecycle::TABLES,
        annals_graph::TABLES,
        OWN,
    ];
    layers.concat()
}

/// All tables.
pub(crate) fn all() -> Vec<&'static dyn AnyTable> {
    [&of_namespaces(), GLOBAL].concat()
}

const OWN: &[&dyn AnyTable] = &[
    &Opaque(claims::CLAIMS),
    &Opaque(decisions::DECIDED),
    &Opaque(decisions::KNOWN),
    &Opaque(nodes::NODE_SPACES),
    &Opaque(progress::PROGRESS),
    &Opaque(late::UNEMBEDDED),
    &Opaque(lessons::LESSONS),
    &Opaque(parted::PARTED),
    &Opaque(proposals::PROPOSALS),
    &Opaque(remarks::REMARKS),
    &Opaque(revise::MADE),
    &Opaque(stale::STALE),
    &Opaque(suspicions::SUSPICIONS),
    &Opaque(talks::OPEN_TURNS),
    &Opaque(talks::TALKS),
    &Opaque(record::FILES),
    &Opaque(retracted::RETRACTED),
    &Opaque(transfer::IMPORTS),
    &Opaque(transfer::brought::BROUGHT),
];

/// Tables of which a purge takes rows out in ways of their own.
const GLOBAL: &[&dyn AnyTable] =
    &[&Opaque(PROFILES), &Opaque(spending::SPENDING), &Opaque(ends::ENDS), &Opaque(record::OWNERS)];
