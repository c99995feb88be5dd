//! Which entities a text names, looked up by name without a walk over entities.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_language::names::{Candidate, Limits, Span, candidates};
use annals_storage::table::scan_rows;
use annals_storage::{KeyRange, Reads};
use annals_types::NamespaceId;

use crate::label::LabelClass;
use crate::name::MAX_NAME_BYTES;
use crate::tables::{LABELS, NAMES};
use crate::{EntityId, GraphError, LabelId};

/// The question of a recognition.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Recognise<'a> {
    /// A text that may name entities.
    pub text: &'a str,
    /// The most different names that are looked up, those that come first.
    pub names: usize,
    /// The most entities of one name; a name that more of them have names none.
    pub holders: usize,
    /// Kinds of entities, as texts.
    pub kinds: &'a [String],
    /// Relations of links, as texts.
    pub relations: &'a [String],
}

/// A name in a text, and the entities that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The name as it is compared, see [`normalise`](annals_language::names::normalise).
    pub name: String,
    /// Entities of that name or alias, as they were born.
    pub entities: Vec<EntityId>,
}

/// The result of a recognition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recognised {
    /// The longest names in the text that are names of entities, none within another, in the order
    /// of the text.
    pub mentions: Vec<Mention>,
    /// The numbers of the kinds that are in use.
    pub kinds: BTreeSet<LabelId>,
    /// The relations that are in use, by number.
    pub relations: BTreeMap<LabelId, String>,
}

/// Finds entities, kinds and relations by what they are called. One round of reads, none where
/// nothing is looked up.
///
/// # Errors
/// When they cannot be read.
pub fn recognise(
    reads: &dyn Reads,
    ns: NamespaceId,
    wanted: Recognise<'_>,
) -> Result<Recognised, GraphError> {
    let names = candidates(
        wanted.text,
        Limits {
            names: wanted.names,
            bytes: MAX_NAME_BYTES,
        },
    );
    let labels: Vec<(LabelClass, &String)> = wanted
        .kinds
        .iter()
        .map(|kind| (LabelClass::Kind, kind))
        .chain(
            wanted
                .relations
                .iter()
                .map(|relation| (LabelClass::Relation, relation)),
        )
        .collect();
    let mut ranges: Vec<KeyRange> = names
        .iter()
        .map(|found| NAMES.within((ns, found.name.as_str())).into())
        .collect();
    ranges.extend(
        labels
            .iter()
            .map(|(class, text)| KeyRange::from(LABELS.within((ns, *class, text.as_str())))),
    );
    let mut holders: Vec<Vec<EntityId>> = vec![Vec::new(); names.len()];
    let mut found = Recognised::default();
    scan_rows(reads, &ranges, |range, row| {
        if let Some(holders) = holders.get_mut(range) {
            let Some(((.., holder), ())) = NAMES.read(&row)? else {
                return Err(row.unknown().into());
            };
            holders.push(holder);
            return Ok(if holders.len() > wanted.holders {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            });
        }
        // The label itself comes before all that it begins.
        if let Some((_, text)) = range
            .checked_sub(names.len())
            .and_then(|label| labels.get(label))
            && let Some(((_, class, label), number)) = LABELS.read(&row)?
            && label == text.as_str()
        {
            match class {
                LabelClass::Kind => drop(found.kinds.insert(number)),
                _ => drop(found.relations.insert(number, (*text).clone())),
            }
        }
        Ok::<_, GraphError>(ControlFlow::Break(()))
    })?;
    let known = names
        .into_iter()
        .zip(holders)
        .filter(|(_, holders)| !holders.is_empty());
    found.mentions = longest(
        known
            .filter(|(_, holders)| holders.len() <= wanted.holders)
            .collect(),
    );
    Ok(found)
}

/// Of names that overlap the longest, then the first.
fn longest(mut known: Vec<(Candidate, Vec<EntityId>)>) -> Vec<Mention> {
    known.sort_by_key(|(found, _)| std::cmp::Reverse(found.name.len()));
    let mut taken: Vec<Span> = Vec::new();
    let mut mentions: Vec<(usize, Mention)> = Vec::new();
    for (Candidate { name, spans }, entities) in known {
        let free = |span: &&Span| !taken.iter().any(|taken| taken.overlaps(**span));
        let Some(span) = spans.iter().find(free).copied() else {
            continue;
        };
        taken.extend(spans);
        mentions.push((span.first, Mention { name, entities }));
    }
    mentions.sort_by_key(|(first, _)| *first);
    mentions.into_iter().map(|(_, mention)| mention).collect()
}
