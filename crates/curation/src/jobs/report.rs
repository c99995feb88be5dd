//! A report on the quality of memories.

use annals_lifecycle::job;
use annals_records::LabelClass;
use annals_types::profile::{Comparison, JobStep, Metric, RuleAction, RuleSettings};
use annals_types::{Kind, Status};

use crate::Curator;
use annals_engine::Error;
use annals_engine::View;
use annals_engine::compiled::CompiledProfile;
use annals_engine::jobs::batch::Batch;
use annals_engine::jobs::progress;
use annals_engine::jobs::{Counts, Run, StepResult, add, number};

/// The most namespaces whose memories are told one by one.
const TOLD: usize = 100;

/// Counts that are reported even when they are zero.
const NAMES: [&str; 5] = ["memories", "kept", "active", "weak", "forgotten"];

/// From which retention on memories count as active, and below which as weak, by the rules of a
/// profile.
struct Marks {
    active_above: Option<f64>,
    weak_below: Option<f64>,
}

impl Marks {
    fn of(profile: &CompiledProfile) -> Self {
        let worth = |rule: &&RuleSettings| matches!(rule.metric, Metric::Retention | Metric::Score);
        let rules = || profile.settings.rules.iter().filter(worth);
        let active =
            rules().find(|rule| rule.action == RuleAction::Mark && rule.op == Comparison::Above);
        let falling = rules()
            .filter(|rule| rule.op == Comparison::Below)
            .map(|rule| rule.value);
        Self {
            active_above: active.map(|rule| rule.value),
            weak_below: falling.reduce(f64::max),
        }
    }
}

impl Curator<'_> {
    /// Counts the memories of a profile by what they are worth, with what the run found.
    pub(crate) fn report(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        let marks = Marks::of(run.profile);
        let mut counts = Counts::new();
        let mut told = 0;
        for (ns, name) in run.spaces {
            if !self.is_there(*ns)? {
                continue;
            }
            let own = count(&*self.view(*ns)?, run, &marks);
            let most = u64::from(run.profile.settings.maintenance.most_kept);
            let kept = own.get("kept").copied().unwrap_or(0);
            *counts
                .entry("namespaces above the target".to_owned())
                .or_insert(0) += u64::from(most > 0 && kept > most);
            if told < TOLD {
                told += 1;
                counts.insert(
                    format!("in {}", name.as_str()),
                    own.get("memories").copied().unwrap_or(0),
                );
            }
            add(&mut counts, own);
        }
        let total = counts.get("memories").copied().unwrap_or(0).max(1);
        let forgotten = counts.get("forgotten").copied().unwrap_or(0);
        counts.insert(
            "forgotten per thousand".to_owned(),
            forgotten.saturating_mul(1000) / total,
        );
        counts.insert("duplicates".to_owned(), 0);
        let contradictions = self.found_before(run, JobStep::Conflicts, "contradictions")?;
        counts.insert("contradictions".to_owned(), contradictions);
        let duplicates = self.in_batches(run, JobStep::Report, |run, batch| {
            self.count_duplicates(run, batch)
        })?;
        Ok(StepResult::Done(counts).then(duplicates))
    }

    /// The count that an earlier step of the run noted under a name.
    fn found_before(&self, run: &Run<'_>, step: JobStep, name: &str) -> Result<u64, Error> {
        let snapshot = self.snapshot()?;
        let records = job::records(&snapshot, run.profile.lane(&snapshot)?)?;
        let running = records
            .get(&run.job.name)
            .and_then(|record| record.running.as_ref());
        let made = running.and_then(|running| running.steps.iter().find(|made| made.step == step));
        Ok(made
            .and_then(|made| made.counts.get(name))
            .copied()
            .unwrap_or(0))
    }
}

fn count(view: &View, run: &Run<'_>, marks: &Marks) -> Counts {
    let mut counts = Counts::new();
    let mut one = |name: &str| *counts.entry(name.to_owned()).or_insert(0) += 1;
    for name in NAMES {
        // Told also when there is none.
        one(name);
    }
    for row in view.columns.rows() {
        let Some(facts) = view
            .columns
            .get(row)
            .filter(|facts| !facts.replaced && run.profile.ages(facts.layer))
        else {
            continue;
        };
        one("memories");
        if facts.status != Status::Forgotten {
            one("kept");
        }
        let kind = view
            .columns
            .label(LabelClass::Kind, facts.kind)
            .map(Kind::new);
        if let Some(Ok(kind)) = kind {
            one(&format!("of kind {}", kind.as_str()));
        }
        let worth = view.worth.retention(row, run.at);
        let over = |limit: Option<f64>| {
            limit
                .zip(worth)
                .is_some_and(|(limit, worth)| worth > limit + 1e-9)
        };
        let below = |limit: Option<f64>| {
            limit
                .zip(worth)
                .is_some_and(|(limit, worth)| worth < limit - 1e-9)
        };
        match facts.status {
            Status::Forgotten => one("forgotten"),
            Status::Active | Status::Staged if over(marks.active_above) => one("active"),
            Status::Active | Status::Staged if below(marks.weak_below) => one("weak"),
            _ => {}
        }
    }
    for name in NAMES {
        counts
            .entry(name.to_owned())
            .and_modify(|count| *count -= 1);
    }
    counts
}

impl Curator<'_> {
    /// Counts the memories of a batch that say what an older one says.
    fn count_duplicates(&self, run: &Run<'_>, batch: &Batch<'_>) -> Result<Counts, Error> {
        let snapshot = self.snapshot()?;
        let mut duplicates = 0;
        for row in batch.rows {
            duplicates += usize::from(self.is_double(run, batch, &snapshot, *row)?);
        }
        self.write_under(batch.ns, run.profile, run.at, |cx| {
            progress::note(cx.txn, cx.ns, JobStep::Report, batch.last())?;
            Ok(())
        })?;
        Ok([("duplicates".to_owned(), number(duplicates))].into())
    }
}
