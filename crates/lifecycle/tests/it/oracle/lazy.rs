use annals_lifecycle::{Action, Passes, Policy, State};
use annals_types::profile::Profile;
use annals_types::{Status, Timestamp};

use super::history::Event;

/// A memory under the library: closed forms, and looked at only when it is due.
pub(super) struct Lazy {
    policy: Policy,
    passes: Passes,
    state: State,
    due: Option<Timestamp>,
    deleted: bool,
    waits: bool,
}

impl Lazy {
    pub(super) fn new(profile: &Profile, class: &str, value: f64, born: Timestamp) -> Self {
        let policy = Policy::new(profile).unwrap();
        let mut state = State::new(class, value, born);
        if class == "todo" {
            state.expires_at = Some(born.plus_millis(20 * 86_400_000));
        }
        let passes = Passes::default();
        let due = policy.next_due(&state, &passes, born);
        Self {
            policy,
            passes,
            state,
            due,
            deleted: false,
            waits: false,
        }
    }

    pub(super) fn event(&mut self, event: &Event, now: Timestamp) {
        let (policy, passes, waits) = (&self.policy, &self.passes, &mut self.waits);
        policy.change(&mut self.state, passes, now, |state| match event {
            Event::Use(session) => {
                policy.reinforce(state, passes, policy.signal(), Some(*session), now);
            }
            Event::Penalty => policy.penalize(state, passes, 0.5, now),
            Event::Set(score) => {
                policy.set_score(state, passes, *score, now);
            }
            Event::Keep if *waits => {
                policy.set_score(state, passes, 0.5, now);
                *waits = false;
            }
            Event::Restore => (state.status, state.status_since) = (Status::Active, now),
            _ => {}
        });
        let next = policy.next_due(&self.state, passes, now);
        self.due = self.due.into_iter().chain(next).min();
    }

    pub(super) fn job(&mut self, now: Timestamp) -> Vec<String> {
        if self.policy.pass_allowed(self.passes.last(), now) {
            self.passes.record(now);
        }
        if self.due.is_none_or(|due| due > now) {
            return Vec::new();
        }
        let fired = self.policy.fire(&mut self.state, &self.passes, now);
        self.deleted = fired.iter().any(|fired| fired.action == Action::Delete);
        let decay = |fired: &annals_lifecycle::Fired| fired.rule == "decay-review";
        self.waits |= fired.iter().any(decay);
        let next = self.policy.next_due(&self.state, &self.passes, now);
        self.due = next.map(|next| next.max(now.plus_millis(1)));
        fired.into_iter().map(|fired| fired.rule).collect()
    }

    pub(super) fn worth(&self, now: Timestamp) -> f64 {
        self.policy
            .retention(&self.state.anchor(&self.policy), &self.passes, now)
    }

    pub(super) fn gone(&self) -> bool {
        self.deleted
    }
}
