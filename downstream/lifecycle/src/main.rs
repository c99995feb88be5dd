//! Uses the decay functions alone, without any storage.

use annals_lifecycle::{Action, LifecycleError, Passes, Policy, State};
use annals_types::Timestamp;
use annals_types::profile::{ClassDecay, Metric, Profile, RuleAction, RuleSettings, Signal};

fn main() -> Result<(), LifecycleError> {
    let mut profile = Profile::default();
    profile.decay.classes.insert("note".to_owned(), ClassDecay { factor: Some(0.99), ..ClassDecay::default() });
    profile.rules.push(RuleSettings {
        name: "fade".to_owned(),
        metric: Metric::Score,
        value: 0.2,
        action: RuleAction::Archive,
        ..RuleSettings::default()
    });
    let (policy, passes) = (Policy::new(&profile)?, Passes::default());

    let born = Timestamp::from_millis(1_767_225_600_000);
    let mut note = State::new("note", 0.8, born);
    let worth = policy.retention(&note.anchor(&policy), &passes, born.plus_millis(30 * 86_400_000));
    assert!((worth - 0.8 * 0.99_f64.powi(30)).abs() < 1e-9);
    assert_eq!(policy.reinforce(&mut note, &passes, Signal::Used, None, born).after, 0.8);

    let fades = policy.next_due(&note, &passes, born).expect("it fades some day");
    assert!(policy.fire(&mut note, &passes, fades.plus_millis(-2)).is_empty());
    let fired = policy.fire(&mut note, &passes, fades.plus_millis(2));
    assert!(matches!(fired.as_slice(), [only] if matches!(only.action, Action::SetStatus(_))));
    Ok(())
}
