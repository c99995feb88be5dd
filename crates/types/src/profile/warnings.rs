//! Settings that are allowed in a profile but hardly meant.

use super::{BadProfile, Metric, Profile, ReinforceForm, RuleSettings};

impl Profile {
    /// Settings that are allowed but hardly meant: a review whose `keep` leads to the next review
    /// at once, or that nothing can reach; a job that nothing starts; a limit that no use stays
    /// below.
    #[must_use]
    pub fn warnings(&self) -> Vec<BadProfile> {
        let mut found: Vec<BadProfile> = self
            .rules
            .iter()
            .filter_map(|rule| self.kept_in_vain(rule))
            .collect();
        found.extend(
            self.rules
                .iter()
                .filter_map(|rule| self.never_reached(rule)),
        );
        found.extend(self.gain_above_its_limit());
        found.extend(self.jobs.iter().filter(|job| !job.starts()).map(|job| {
            let reason =
                "it has neither interval_hours, daily_at, at_start nor on_events, and runs only when it is told to";
            BadProfile::new(format!("jobs.{}", job.name), reason.to_owned())
        }));
        found
    }

    /// A memory that a review keeps comes to the next review at once.
    fn kept_in_vain(&self, rule: &RuleSettings) -> Option<BadProfile> {
        let (reset, value) = (self.review.keep_reset?, rule.value);
        let slowest = self
            .decay
            .classes
            .values()
            .map(|class| class.ln_rate().exp())
            .fold(1.0, f64::min);
        let reason = if rule.reviews_decay() && (reset <= value || reset * slowest < value) {
            format!(
                "what a review keeps falls below {value} of rule {:?} with the next step",
                rule.name
            )
        } else if rule.reviews_promotion() && reset >= value {
            format!(
                "what a review keeps has {value} of rule {:?} at once, though nobody used it",
                rule.name
            )
        } else {
            return None;
        };
        Some(BadProfile::new("review.keep_reset", reason))
    }

    /// A protected memory is never looked at, so that a review of it never comes.
    fn never_reached(&self, rule: &RuleSettings) -> Option<BadProfile> {
        self.decay
            .protect_score
            .filter(|protected| *protected <= rule.value)?;
        let (name, value) = (&rule.name, rule.value);
        let reason = if rule.reviews_decay() {
            format!("what rule {name:?} is to review below {value} is protected before")
        } else if rule.reviews_promotion() {
            format!("what rule {name:?} is to review from {value} on is protected before")
        } else {
            return None;
        };
        Some(BadProfile::new("decay.protect_score", reason))
    }

    /// No use ever counts as much as it is said to.
    fn gain_above_its_limit(&self) -> Option<BadProfile> {
        let (set, cap) = (&self.reinforce, self.reinforce.cap_per_day?);
        (set.form == ReinforceForm::Add && cap < set.amount).then(|| {
            let reason = format!(
                "{cap} a day is less than the {} that a single use adds",
                set.amount
            );
            BadProfile::new("reinforce.cap_per_day", reason)
        })
    }
}

impl RuleSettings {
    /// Whether it asks about what has come to be worth much.
    fn reviews_promotion(&self) -> bool {
        self.reviews()
            && !self.reviews_decay()
            && matches!(self.metric, Metric::Score | Metric::Retention)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Comparison, Edge, ReinforceSettings, ReviewKind, RuleAction};
    use super::*;

    fn review(value: f64, review: ReviewKind) -> RuleSettings {
        let (op, edge) = match review {
            ReviewKind::Decay => (Comparison::Below, Edge::Falling),
            ReviewKind::Promote => (Comparison::AtLeast, Edge::Rising),
        };
        let (name, metric, action) = (format!("{review:?}"), Metric::Score, RuleAction::Review);
        RuleSettings {
            name,
            metric,
            op,
            edge,
            value,
            review,
            action,
            ..Default::default()
        }
    }

    /// The keys that are warned of in a profile that is allowed.
    fn keys(change: &dyn Fn(&mut Profile)) -> Vec<String> {
        let mut profile = Profile::default();
        profile.score.max = 5.0;
        profile.rules = vec![
            review(0.5, ReviewKind::Decay),
            review(2.5, ReviewKind::Promote),
        ];
        profile.decay.protect_score = Some(3.0);
        profile.review.keep_reset = Some(1.0);
        change(&mut profile);
        assert_eq!(profile.check(), Ok(()));
        profile
            .warnings()
            .into_iter()
            .map(|bad| bad.key.into_owned())
            .collect()
    }

    #[test]
    fn what_is_hardly_meant_is_warned_of() {
        // part: C-71
        assert_eq!(keys(&|_| ()), Vec::<String>::new());
        assert_eq!(
            keys(&|p| p.review.keep_reset = Some(0.5)),
            ["review.keep_reset"]
        );
        assert_eq!(
            keys(&|p| p.review.keep_reset = Some(2.6)),
            ["review.keep_reset"]
        );
        assert_eq!(keys(&|p| p.rules[1].value = 3.5), ["decay.protect_score"]);
        let add = |amount, cap| {
            move |p: &mut Profile| {
                p.reinforce = ReinforceSettings {
                    form: ReinforceForm::Add,
                    amount,
                    cap_per_day: Some(cap),
                    ..Default::default()
                };
            }
        };
        assert_eq!(keys(&add(0.3, 0.1)), ["reinforce.cap_per_day"]);
        assert_eq!(keys(&add(0.3, 0.3)), Vec::<String>::new());
    }
}
