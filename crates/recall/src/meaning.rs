//! The meaning of a question, and the memories that speak of entities with a similar meaning.

use std::collections::BTreeMap;

use annals_graph::{EntityId, speakers};
use annals_records::Matcher;
use annals_types::Row;
use annals_types::profile::{Profile, RecallMode};

use crate::features::likeness;
use crate::found::raise;
use crate::plan::Embedded;
use crate::rank::Sources;
use crate::{Query, RecallError};

/// The meaning of a question.
#[derive(Clone, Copy)]
pub(crate) struct Meaning<'a> {
    /// The question as a vector.
    pub(crate) embedded: Option<&'a Embedded>,
    /// Memories that speak of the entities nearest to it, with the likeness of the nearest of
    /// theirs.
    pub(crate) akin: &'a BTreeMap<Row, f32>,
}

/// The memories that speak of the entities nearest to a question, as many entities as the profile
/// says. A memory has the likeness of the best of them. Nothing is read for a profile that wants
/// none, nor in mode fast.
pub(crate) fn akin(
    sources: &Sources<'_>,
    query: &Query,
    embedded: Option<&Embedded>,
    matcher: &Matcher<'_>,
    profile: &Profile,
) -> Result<BTreeMap<Row, f32>, RecallError> {
    let mut akin = BTreeMap::new();
    let (settings, number) = (&profile.recall, |wanted: u32| {
        usize::try_from(wanted).unwrap_or(usize::MAX)
    });
    let wanted = query.mode.unwrap_or(settings.expand.mode) != RecallMode::Fast
        && settings.node_candidates > 0;
    let (Some(nodes), Some(embedded)) = (sources.nodes.filter(|_| wanted), embedded) else {
        return Ok(akin);
    };
    let nearest = nodes.nearest_to(&embedded.query, number(settings.node_candidates));
    let ids: Vec<EntityId> = nearest.iter().map(|(id, _)| *id).collect();
    let namespace = sources.columns.namespace();
    let spoken = speakers(
        sources.reads,
        namespace,
        &ids,
        query.as_of,
        number(settings.expand.edges),
    )?;
    for ((_, cosine), rows) in nearest.iter().zip(spoken) {
        // Names say little of their script, and the question names them in its own.
        let likeness = likeness(*cosine, embedded.script, embedded, settings);
        rows.into_iter()
            .filter(|row| matcher.matches(*row))
            .for_each(|row| raise(&mut akin, row, likeness));
    }
    Ok(akin)
}
