//! A namespace under one profile, with its job run by hand.

use std::sync::Arc;

use annals_lifecycle::Lane;
use annals_lifecycle::{
    Action, Birth, LifecycleError, Passes, Plan, Policy, Regime, Reinforced, State, Worth, change,
    confirm, make_pass, open_lane, passes, plan, register, reinforce, states, validate,
};
use annals_storage::{Store, Transaction};
use annals_types::profile::Profile;
use annals_types::{Label, NamespaceId, Row, Status, Timestamp};

pub struct Town {
    pub store: Store,
    pub ns: NamespaceId,
    pub lane: Lane,
    pub policy: Arc<Policy>,
    pub passes: Arc<Passes>,
    pub worth: Worth,
    next: u32,
}

impl Town {
    pub fn new(profile: &Profile) -> Self {
        Self::over(Store::in_memory(), profile)
    }

    pub fn over(store: Store, profile: &Profile) -> Self {
        let policy = Arc::new(Policy::new(profile).unwrap());
        let name = Label::new("lane", "profile").unwrap();
        let (lane, _) = store.write(|txn| open_lane(txn, &name)).unwrap();
        let passes = Arc::new(passes(&store.snapshot().unwrap(), lane).unwrap());
        let ns = NamespaceId(7);
        let worth = Worth::load(
            &store.snapshot().unwrap(),
            ns,
            Arc::clone(&policy),
            Arc::clone(&passes),
        )
        .unwrap();
        let next = worth.rows().last().map_or(0, |row| row.0 + 1);
        Self {
            store,
            ns,
            lane,
            policy,
            passes,
            worth,
            next,
        }
    }

    pub fn regime(&self) -> Regime<'_> {
        Regime {
            policy: &self.policy,
            passes: &self.passes,
            lane: self.lane,
        }
    }

    pub fn born(&mut self, birth: &Birth, now: Timestamp) -> Row {
        let state = self
            .policy
            .place(birth, now)
            .unwrap()
            .state(now, Status::Active);
        self.put(state, now)
    }

    /// A memory of a kind with a score.
    pub fn fact(&mut self, kind: &str, score: f64, now: Timestamp) -> Row {
        let birth = Birth {
            kind: kind.into(),
            score: Some(score),
            ..Birth::default()
        };
        self.born(&birth, now)
    }

    pub fn put(&mut self, state: State, now: Timestamp) -> Row {
        let row = Row(self.next);
        self.next += 1;
        let (policy, passes) = (Arc::clone(&self.policy), Arc::clone(&self.passes));
        let regime = Regime {
            policy: &policy,
            passes: &passes,
            lane: self.lane,
        };
        let (ns, worth) = (self.ns, &mut self.worth);
        let write = self
            .store
            .write(|txn| register(txn, ns, &regime, now, vec![(row, state.clone())]))
            .inspect(|(delta, _)| worth.apply(delta));
        write.unwrap();
        row
    }

    /// A row that nothing has.
    pub fn next_row(&mut self) -> Row {
        self.next += 1;
        Row(self.next - 1)
    }

    pub fn used(&mut self, row: Row, session: Option<u32>, now: Timestamp) -> Reinforced {
        let (policy, passes) = (Arc::clone(&self.policy), Arc::clone(&self.passes));
        let regime = Regime {
            policy: &policy,
            passes: &passes,
            lane: self.lane,
        };
        let (ns, signal, worth) = (self.ns, self.signal(), &mut self.worth);
        let write = self
            .store
            .write(|txn| reinforce(txn, ns, &regime, now, signal, &[(row, session)]))
            .inspect(|(done, _)| worth.apply(&done.delta));
        write.unwrap().0.outcome[0]
    }

    fn signal(&self) -> annals_types::profile::Signal {
        self.policy.signal()
    }

    pub fn change(
        &mut self,
        row: Row,
        now: Timestamp,
        with: impl Fn(&Regime<'_>, &mut State) + Send + Sync,
    ) {
        let (policy, passes) = (Arc::clone(&self.policy), Arc::clone(&self.passes));
        let regime = Regime {
            policy: &policy,
            passes: &passes,
            lane: self.lane,
        };
        let (ns, worth) = (self.ns, &mut self.worth);
        let write = self
            .store
            .write(|txn| {
                change(txn, ns, &regime, now, &[row], |_, state| {
                    with(&regime, state)
                })
            })
            .inspect(|(done, _)| worth.apply(&done.delta));
        write.unwrap();
    }

    /// Makes a pass, unless it is too early.
    pub fn pass(&mut self, now: Timestamp) {
        let (policy, lane) = (Arc::clone(&self.policy), self.lane);
        self.store
            .write(|txn| make_pass(txn, lane, &policy, now))
            .unwrap();
        let passes = Arc::new(passes(&self.store.snapshot().unwrap(), lane).unwrap());
        self.passes = Arc::clone(&passes);
        self.worth.set_passes(passes);
    }

    /// Runs the job: a pass, then what is due. Answers what fired, by row.
    pub fn job(&mut self, now: Timestamp) -> Vec<(Row, String, Action)> {
        self.pass(now);
        let (policy, passes, lane) = (
            Arc::clone(&self.policy),
            Arc::clone(&self.passes),
            self.lane,
        );
        let regime = Regime {
            policy: &policy,
            passes: &passes,
            lane,
        };
        let mut all = Vec::new();
        loop {
            let worth = &mut self.worth;
            let job = |txn: &mut annals_storage::Transaction<'_>| -> Result<_, LifecycleError> {
                let plan = plan(&*txn, &regime, now, 3)?;
                let deltas = confirm(txn, &regime, &plan)?;
                Ok((plan, deltas))
            };
            let (plan, deltas) = self.store.write(job).unwrap().0;
            deltas.iter().for_each(|delta| worth.apply(delta));
            for item in &plan.items {
                all.extend(
                    item.fired
                        .iter()
                        .map(|fired| (item.row, fired.rule.clone(), fired.action.clone())),
                );
            }
            if !plan.more {
                break;
            }
        }
        all
    }

    /// The names of the rules that fire.
    pub fn rules(&mut self, now: Timestamp) -> Vec<String> {
        self.job(now).into_iter().map(|(_, rule, _)| rule).collect()
    }

    pub fn state(&self, row: Row) -> Option<State> {
        states(&self.store.snapshot().unwrap(), self.ns, &[row])
            .unwrap()
            .pop()
            .unwrap()
    }

    pub fn score(&self, row: Row, now: Timestamp) -> f64 {
        self.worth.score(row, now).unwrap()
    }

    pub fn retention(&self, row: Row, now: Timestamp) -> f64 {
        self.worth.retention(row, now).unwrap()
    }

    pub fn check(&self, now: Timestamp) {
        let snapshot = self.store.snapshot().unwrap();
        let report = validate(&snapshot, self.ns, &self.regime(), Some(&self.worth), now).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
    }

    /// Opens the store anew.
    pub fn reopen(self, profile: &Profile) -> Self {
        Self::over(self.store, profile)
    }
}
