//! Thresholds learned from merges that were taken back: how similar entities of a kind must be for
//! a merge to last.

use std::collections::BTreeMap;

use annals_graph::{EntityId, Merge, MergeId};
use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, Table, Transaction};
use annals_types::profile::{GraphSettings, MergeSettings};
use annals_types::{NamespaceId, Timestamp};

use crate::Error;

/// The lesson from each merge that was taken back.
pub(crate) const LESSONS: Table<(NamespaceId, MergeId), Lesson> = Table::new("annals.lessons");
/// How far above a merge that was taken back the next threshold lies.
const STEP: f64 = 0.005;
const DAY_MILLIS: f64 = 86_400_000.0;

/// A merge by similarity, and whether it was taken back.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    kind: String,
    similarity: f64,
    undone: bool,
}

/// Takes note of a merge that was taken back, if similarity was its reason.
pub fn note(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    merge: &Merge,
    now: Timestamp,
) -> Result<(), Error> {
    let Some(similarity) = merge.similarity else {
        return Ok(());
    };
    let kind = kinds(&*txn, ns, &[merge.source])?
        .remove(&merge.source)
        .unwrap_or_default();
    Ok(LESSONS.put(
        txn,
        (ns, merge.id),
        &Lesson {
            at: now,
            similarity,
            kind,
        },
    )?)
}

/// A merge by similarity that was taken back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lesson {
    /// When it was taken back.
    pub(crate) at: Timestamp,
    pub(crate) similarity: f64,
    /// The kind of the entities.
    pub(crate) kind: String,
}

impl Value for Lesson {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.raw(&view.at.as_millis().to_be_bytes());
        put.raw(&view.similarity.to_be_bytes());
        put.raw(view.kind.as_bytes());
    }

    fn decode(version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let at = Timestamp::from_millis(i64::from_be_bytes(take.array()?));
        let similarity = f64::from_be_bytes(take.array()?);
        Ok(Self {
            at,
            similarity,
            kind: String::decode(version, take.rest())?,
        })
    }
}

/// The kinds of entities that have one.
fn kinds(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[EntityId],
) -> Result<BTreeMap<EntityId, String>, Error> {
    let found = annals_graph::entities(reads, ns, ids)?
        .into_iter()
        .flatten();
    Ok(found
        .filter_map(|entity| Some((entity.id, entity.kind?)))
        .collect())
}

/// The outcomes of merges by similarity until a moment.
fn outcomes(reads: &dyn Reads, ns: NamespaceId, until: Timestamp) -> Result<Vec<Outcome>, Error> {
    let lessons = LESSONS
        .rows(reads, LESSONS.within(ns), usize::MAX)?
        .into_iter()
        .map(|(_, lesson)| lesson);
    let mut found: Vec<Outcome> = lessons
        .filter(|lesson| lesson.at <= until)
        .map(
            |Lesson {
                 similarity, kind, ..
             }| Outcome {
                kind,
                similarity,
                undone: true,
            },
        )
        .collect();
    let standing: Vec<Merge> = annals_graph::merges(reads, ns)?
        .into_iter()
        .filter(|merge| merge.time <= until)
        .collect();
    let mut kinds = kinds(
        reads,
        ns,
        &standing
            .iter()
            .map(|merge| merge.source)
            .collect::<Vec<_>>(),
    )?;
    for merge in standing {
        let kind = kinds.remove(&merge.source).unwrap_or_default();
        found.extend(merge.similarity.map(|similarity| Outcome {
            kind,
            similarity,
            undone: false,
        }));
    }
    Ok(found)
}

/// The last moment at which thresholds were found, a whole number of periods after the beginning of
/// time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "milliseconds are far below 2^52"
)]
fn calibrated(settings: &MergeSettings, now: Timestamp) -> Timestamp {
    let period = settings.adaptive_days * DAY_MILLIS;
    Timestamp::from_millis(((now.as_millis() as f64 / period).floor() * period) as i64)
}

/// The least threshold, from the profile's on, above which few enough of these merges were taken
/// back.
fn threshold(settings: &MergeSettings, outcomes: &[&Outcome]) -> f64 {
    let start = settings
        .context_above
        .clamp(settings.adaptive_least, settings.adaptive_most);
    let undone = outcomes
        .iter()
        .filter(|outcome| outcome.undone && outcome.similarity > start);
    let mut steps: Vec<f64> = undone
        .map(|outcome| (outcome.similarity + STEP).min(settings.adaptive_most))
        .collect();
    steps.push(start);
    steps.sort_unstable_by(f64::total_cmp);
    let bearable = |above: &f64| {
        let (mut wrong, mut all) = (0.0, 0.0);
        for outcome in outcomes
            .iter()
            .filter(|outcome| outcome.similarity > *above)
        {
            wrong += f64::from(u8::from(outcome.undone));
            all += 1.0;
        }
        wrong <= settings.adaptive_error * all
    };
    steps
        .into_iter()
        .find(bearable)
        .unwrap_or(settings.adaptive_most)
}

/// The thresholds of the kinds of merged entities, found anew at the end of each period; none
/// where the profile does not adapt.
pub fn thresholds(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &MergeSettings,
    now: Timestamp,
) -> Result<BTreeMap<String, f64>, Error> {
    if !settings.adaptive {
        return Ok(BTreeMap::new());
    }
    let outcomes = outcomes(reads, ns, calibrated(settings, now))?;
    let mut by_kind: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in &outcomes {
        by_kind.entry(&outcome.kind).or_default().push(outcome);
    }
    Ok(by_kind
        .into_iter()
        .map(|(kind, outcomes)| (kind.to_owned(), threshold(settings, &outcomes)))
        .collect())
}

/// Entities in groups of one kind, each with the settings that hold for it.
pub fn tuned(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &GraphSettings,
    ids: &[EntityId],
    now: Timestamp,
) -> Result<Vec<(GraphSettings, Vec<EntityId>)>, Error> {
    tuned_by(
        reads,
        ns,
        settings,
        ids,
        &thresholds(reads, ns, &settings.merge, now)?,
    )
}

/// The same by thresholds that were found before.
pub fn tuned_by(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &GraphSettings,
    ids: &[EntityId],
    thresholds: &BTreeMap<String, f64>,
) -> Result<Vec<(GraphSettings, Vec<EntityId>)>, Error> {
    if thresholds.is_empty() {
        return Ok(vec![(settings.clone(), ids.to_vec())]);
    }
    let kinds = kinds(reads, ns, ids)?;
    let mut groups: BTreeMap<Option<&str>, Vec<EntityId>> = BTreeMap::new();
    for id in ids {
        let kind = kinds
            .get(id)
            .map(String::as_str)
            .filter(|kind| thresholds.contains_key(*kind));
        groups.entry(kind).or_default().push(*id);
    }
    let own = |(kind, ids): (Option<&str>, Vec<EntityId>)| {
        let mut settings = settings.clone();
        if let Some(above) = kind.and_then(|kind| thresholds.get(kind)) {
            settings.merge.context_above = *above;
            settings.merge.direct_above = settings.merge.direct_above.max(*above);
        }
        (settings, ids)
    };
    Ok(groups.into_iter().map(own).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(similarity: f64, undone: bool) -> Outcome {
        Outcome {
            kind: "主题".to_owned(),
            similarity,
            undone,
        }
    }

    #[test]
    fn a_threshold_rises_until_one_in_ten_is_wrong() {
        let settings = MergeSettings {
            adaptive: true,
            ..MergeSettings::default()
        };
        let found =
            |outcomes: &[Outcome]| threshold(&settings, &outcomes.iter().collect::<Vec<_>>());
        assert_eq!(found(&[]), 0.85);
        let right: Vec<Outcome> = (0..9).map(|_| outcome(0.9, false)).collect();
        assert_eq!(
            found(&[right.as_slice(), &[outcome(0.87, true)]].concat()),
            0.85
        );
        assert!(
            (found(
                &[
                    right.as_slice(),
                    &[outcome(0.87, true), outcome(0.86, true)]
                ]
                .concat()
            ) - 0.865)
                .abs()
                < 1e-9
        );
        // Not beyond the limits of the profile.
        let wrong: Vec<Outcome> = (0..50)
            .map(|n| outcome(0.86 + f64::from(n) / 400.0, true))
            .collect();
        assert_eq!(found(&wrong), 0.97);
    }
}
