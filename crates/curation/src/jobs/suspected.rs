//! Suspected contradictions are put before a judge, once there is one, or a person.

use annals_lifecycle::conflict::Rival;
use annals_records::RecordError;
use annals_storage::Reads;
use annals_types::profile::{ConflictStrategy, JobSettings};
use annals_types::{Cancel, Memory, MemoryId, NamespaceId, Row};

use crate::Curator;
use crate::jobs::NOT_UNDERSTOOD;
use crate::jobs::conflicts::Case;
use annals_engine::jobs::batch::Batch;
use annals_engine::jobs::{Counts, Run};
use annals_engine::pair_answer::PairAnswer;
use annals_engine::resolve::{Settling, claim, in_use};
use annals_engine::suspicions::{self, Pair, Suspected};
use annals_engine::{DecisionQuestion, Error, Refusal, Suspicion};

/// Two memories that may contradict each other, as they are now, in the order of their storing.
struct Suspects {
    newer: (Row, Memory),
    older: (Row, Memory),
}

impl Suspects {
    /// `None` where one of them takes no part in answers any more.
    fn read(
        reads: &dyn Reads,
        ns: NamespaceId,
        (newer, older): Pair,
    ) -> Result<Option<Self>, Error> {
        let get = |id: MemoryId| -> Result<Option<(Row, Memory)>, Error> {
            Ok(annals_records::get(reads, ns, id, None)?.filter(|(_, memory)| in_use(memory)))
        };
        Ok(get(newer)?
            .zip(get(older)?)
            .map(|(newer, older)| Self { newer, older }))
    }

    /// Both in the order in which a person speaks of them and a contradiction is settled: the
    /// newer one is true from later on, whatever was stored first.
    fn by_time(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<(&Memory, &Memory), Error> {
        let since = |(row, memory): &(Row, Memory)| {
            Ok::<_, Error>(claim(reads, ns, *row, memory)?.valid_from)
        };
        let turned = since(&self.newer)? < since(&self.older)?;
        let (newer, older) = (&self.newer.1, &self.older.1);
        Ok(if turned {
            (older, newer)
        } else {
            (newer, older)
        })
    }
}

impl Curator<'_> {
    /// The pairs of memories about which nobody has decided, the most similar first.
    pub fn suspicions(&self, ns: NamespaceId, limit: usize) -> Result<Vec<Suspicion>, Error> {
        let snapshot = self.snapshot()?;
        let mut pairs = suspicions::list(&snapshot, ns)?;
        pairs.sort_by(|(a, one), (b, other)| {
            other.similarity.total_cmp(&one.similarity).then(a.cmp(b))
        });
        let mut told = Vec::new();
        for (pair, Suspected { similarity, at, .. }) in pairs {
            if told.len() == limit {
                break;
            }
            let Some(suspects) = Suspects::read(&snapshot, ns, pair)? else {
                continue;
            };
            let (newer, older) = suspects.by_time(&snapshot, ns)?;
            told.push(Suspicion {
                newer: newer.id,
                newer_text: newer.body.text.clone(),
                older: older.id,
                older_text: older.body.text.clone(),
                similarity,
                at,
            });
        }
        Ok(told)
    }

    /// Carries out a person's verdict about two memories: they contradict each other, and the
    /// profile decides the consequence, or they do not.
    pub fn settle_suspicion(
        &self,
        ns: NamespaceId,
        (newer, older): Pair,
        contradicts: bool,
    ) -> Result<(), Error> {
        let snapshot = self.snapshot()?;
        let missing = || Refusal::NoSuspicion { newer, older };
        let mut pair = (newer, older);
        let mut suspected = suspicions::get(&snapshot, ns, pair)?;
        if suspected.is_none() {
            pair = (older, newer);
            suspected = suspicions::get(&snapshot, ns, pair)?;
        }
        let here = annals_records::find_rows(&snapshot, ns, &[newer, older])?;
        if let Some((id, _)) = [newer, older]
            .into_iter()
            .zip(here)
            .find(|(_, row)| row.is_none())
        {
            return Err(RecordError::NotFound { id }.into());
        }
        let suspects = Suspects::read(&snapshot, ns, pair)?.ok_or_else(missing)?;
        let profile = self.profiles.of(&snapshot, ns)?;
        let (job, cancel) = (JobSettings::default(), Cancel::default());
        let run = Run {
            profile: &profile,
            spaces: &[],
            job: &job,
            at: self.now(),
            cancel: &cancel,
        };
        let suspected = suspected.ok_or_else(missing)?;
        if suspects.by_time(&snapshot, ns)?.0.id != newer {
            return Err(missing().into());
        }
        let heard = PairAnswer::of_person(
            DecisionQuestion::Contradicts,
            (newer, older, suspects.older.0),
            contradicts,
        );
        let heard = heard.ending(pair, suspected);
        let case = self.heard_case(&run, &snapshot, ns, suspects, heard)?;
        self.write(ns, |cx| {
            if !suspicions::settle(cx.txn, ns, pair)? {
                return Err(missing().into());
            }
            let mut settling = Settling::default();
            self.settle_case(cx, &mut settling, &case)?;
            Ok(())
        })
    }

    /// Asks the judge about waiting suspicions, where the profile wants that; an answer that
    /// cannot be understood leaves the pair to a person.
    pub(crate) fn judge_suspicions(&self, run: &Run<'_>) -> Result<Counts, Error> {
        let settings = &run.profile.settings.conflict;
        let off = matches!(
            settings.strategy,
            ConflictStrategy::None | ConflictStrategy::Commands
        );
        let mut counts = Counts::new();
        if off || !settings.ask_judge || !self.advisers.has_judge() {
            return Ok(counts);
        }
        for (ns, _) in run.spaces {
            let own = self.spoken_in(&self.snapshot()?, *ns, run.profile);
            match own.and_then(|own| self.judge_suspicions_of(&run.spoken(&own), *ns, &mut counts))
            {
                Err(error) if error.has_left() => {}
                judged => judged?,
            }
        }
        Ok(counts)
    }

    fn judge_suspicions_of(
        &self,
        run: &Run<'_>,
        ns: NamespaceId,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        let snapshot = self.snapshot()?;
        let waiting = suspicions::list(&snapshot, ns)?
            .into_iter()
            .filter(|(_, found)| !found.unclear);
        for (pair, suspected) in waiting.take(run.limit()) {
            let Some(suspects) = Suspects::read(&snapshot, ns, pair)? else {
                continue;
            };
            let (row, other) = (suspects.newer.0, suspects.older.0);
            let batch = Batch {
                ns,
                view: self.view(ns)?,
                rows: &[row],
            };
            let heard = self.judged(run, &batch, &snapshot, (row, other))?;
            let heard = heard.map(|heard| heard.ending(pair, suspected));
            *counts
                .entry(
                    if heard.is_some() {
                        "judged"
                    } else {
                        NOT_UNDERSTOOD
                    }
                    .to_owned(),
                )
                .or_insert(0) += 1;
            let case = heard
                .map(|heard| self.heard_case(run, &snapshot, ns, suspects, heard))
                .transpose()?;
            self.write_under(ns, run.profile, run.at, |cx| {
                let mut settling = Settling::default();
                match &case {
                    // The pair was settled meanwhile, or one of the two was deleted.
                    _ if !suspicions::settle(cx.txn, ns, pair)? => {}
                    None => suspicions::put(
                        cx.txn,
                        ns,
                        pair,
                        Suspected {
                            unclear: true,
                            ..suspected
                        },
                    )?,
                    Some(case) => {
                        self.settle_case(cx, &mut settling, case)?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The settlement of two memories that somebody has decided about.
    fn heard_case(
        &self,
        run: &Run<'_>,
        reads: &dyn Reads,
        ns: NamespaceId,
        suspects: Suspects,
        heard: PairAnswer,
    ) -> Result<Case, Error> {
        let Suspects {
            newer: (row, memory),
            older: (other, older),
        } = suspects;
        let (mut rivals, mut prepared) = (Vec::new(), None);
        if heard.says_so() {
            let claim = claim(reads, ns, other, &older)?;
            rivals.push(Rival {
                claim,
                same_kind: true,
                same_triple_key: false,
                similarity: 0.0,
                judged: Some(true),
            });
            prepared = self.prepared_to_take_over(run, memory)?;
        }
        Ok(Case {
            row,
            rivals,
            heard: vec![heard],
            prepared,
            suspected: Vec::new(),
        })
    }
}
