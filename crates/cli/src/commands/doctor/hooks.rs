//! Hooks of coding agents: where they act, and what failed last.

use annals_hooks::Hooks;
use serde_json::json;

use super::{Finding, State};
use crate::app::App;
use crate::texts::{in_words, text};

/// Failures that are shown.
const FAILURES: usize = 5;

/// Nothing where no hook was ever enabled.
pub(super) fn hooks(app: &App<'_, '_>) -> Option<Finding> {
    let hooks = Hooks::beside(&app.settings.db);
    if !hooks.exist() {
        return None;
    }
    let found = hooks
        .projects()
        .and_then(|projects| Ok((projects, hooks.failures(FAILURES)?)));
    let (projects, failures) = match found {
        Ok(found) => found,
        Err(error) => {
            return Some(Finding {
                name: "hooks",
                state: State::Open,
                says: in_words(error.to_string()),
                advice: None,
                facts: json!({}),
            });
        }
    };
    let mut says = text!(
        "doctor-hooks-act",
        projects = text!("common-projects", count = projects.len())
    );
    for failure in &failures {
        let told = format!(
            "{} {} {}: {}",
            failure.at,
            failure.host,
            failure.event,
            in_words(failure.message.clone())
        );
        says.push('\n');
        says.push_str(&text!("doctor-hooks-failed", told));
    }
    Some(Finding {
        name: "hooks",
        state: if failures.is_empty() {
            State::Well
        } else {
            State::Open
        },
        says,
        advice: None,
        facts: json!({ "projects": projects, "failures": failures }),
    })
}
