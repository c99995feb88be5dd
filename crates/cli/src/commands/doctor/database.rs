//! The database: its indexes, its vectors and its background work.

use std::path::Path;

use annals::ClockJump;
use serde_json::json;

use super::{Finding, State};
use crate::app::{Access, App};
use crate::backlog::troubles;
use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::validation::{self, Validation};
use crate::visible;

/// The file itself, with every index of it checked.
pub(super) fn database(app: &App<'_, '_>) -> Finding {
    let path = app.settings.db.clone();
    let found = match app.has_database() {
        Ok(false) => match app.obstacle() {
            Some(obstacle) => Err(obstacle),
            None => {
                return Finding {
                    name: "database",
                    state: State::Open,
                    says: text!("doctor-none-yet", path = path.display()),
                    advice: Some(text!("doctor-none-yet-advice")),
                    facts: json!({ "path": path }),
                };
            }
        },
        Ok(true) => check(app, &path),
        Err(failure) => Err(failure),
    };
    match found {
        Ok(finding) => finding,
        Err(failure) => Finding {
            name: "database",
            state: State::Ill(failure.exit),
            says: text!("common-of", what = path.display(), said = failure.message),
            advice: failure.advice,
            facts: json!({ "path": path }),
        },
    }
}

/// The process that owns the database for others; nothing where there is none.
pub(super) fn owner(app: &App<'_, '_>) -> Option<Finding> {
    let memory = app
        .settings
        .db
        .exists()
        .then(|| app.open_plain(Access::Existing).ok())??;
    let owner = memory.owner().ok()??;
    let keeps = if owner.own.is_empty() {
        String::new()
    } else {
        text!("doctor-owner-own", own = owner.own.join(", "))
    };
    Some(Finding {
        name: "owner",
        state: State::Well,
        says: text!(
            "doctor-owner",
            pid = owner.pid,
            version = owner.version,
            keeps
        ),
        advice: None,
        facts: json!({
            "pid": owner.pid, "host": owner.host, "version": owner.version, "own": owner.own,
        }),
    })
}

/// Namespaces whose vectors belong to another embedder; nothing where there are none, or where the
/// database could not be opened, which is told already.
pub(super) fn vectors(app: &App<'_, '_>) -> Option<Finding> {
    if !app.settings.db.exists() {
        return None;
    }
    let foreign = foreign(app).unwrap_or_default();
    let says: Vec<String> = foreign
        .iter()
        .map(|(name, embedder)| text!("doctor-by-words-only", name, embedder))
        .collect();
    let commands: Vec<String> = foreign
        .iter()
        .map(|(name, _)| format!("`annals db reembed -n {name}`"))
        .collect();
    let advice = text!(
        "doctor-reembed",
        commands = commands.join(&text!("doctor-and"))
    );
    let facts = json!({ "foreign": foreign });
    (!says.is_empty()).then(|| Finding {
        name: "vectors",
        state: State::Open,
        says: says.join("\n"),
        advice: Some(advice),
        facts,
    })
}

/// Names of namespaces whose vectors belong to another embedder, each with that embedder.
fn foreign(app: &App<'_, '_>) -> Result<Vec<(String, String)>, Failure> {
    let memory = app.open_plain(Access::Existing)?;
    let mut found = Vec::new();
    for known in memory.namespaces()? {
        let open = memory.namespace(known.name.as_str())?.admin().stats()?.open;
        found.extend(
            open.and_then(|open| open.foreign_vectors)
                .map(|embedder| (known.name, embedder)),
        );
    }
    Ok(found)
}

/// Background work that failed; nothing where there is none, or where the database could not be
/// opened, which is told already.
pub(super) fn queue(app: &App<'_, '_>) -> Option<Finding> {
    if !app.settings.db.exists() {
        return None;
    }
    let troubles = app
        .open_plain(Access::Existing)
        .and_then(|memory| troubles(&memory));
    let says = troubles.ok().flatten()?;
    let advice = text!("doctor-queue-advice");
    let facts = json!({ "queue": says });
    Some(Finding {
        name: "queue",
        state: State::Open,
        says,
        advice: Some(advice),
        facts,
    })
}

/// Steps of time that nobody has said to be right; nothing where there are none, or where the
/// database could not be opened, which is told already.
pub(super) fn clock(app: &App<'_, '_>) -> Option<Finding> {
    if !app.settings.db.exists() {
        return None;
    }
    let jumps = app
        .open_plain(Access::Existing)
        .ok()?
        .jobs()
        .clock_jumps()
        .ok()?;
    if jumps.is_empty() {
        return None;
    }
    let told = |jump: &ClockJump| {
        text!(
            "jobs-clock-ahead",
            namespace = visible::line(&jump.namespace),
            from = jump.from,
            to = jump.to
        )
    };
    let says: Vec<String> = jumps.iter().map(told).collect();
    let facts = json!({ "jumps": jumps });
    Some(Finding {
        name: "clock",
        state: State::Open,
        says: says.join("\n"),
        advice: None,
        facts,
    })
}

fn check(app: &App<'_, '_>, path: &Path) -> Result<Finding, Failure> {
    let found = Validation::of(app)?;
    let facts = json!({
        "path": path, "stats": found.stats, "values": found.values, "problems": found.problems,
    });
    if found.problems.is_empty() {
        let says = text!("common-of", what = path.display(), said = found.summary());
        return Ok(Finding {
            name: "database",
            state: State::Well,
            says,
            advice: None,
            facts,
        });
    }
    let shown: Vec<&str> = found.problems.iter().take(20).map(String::as_str).collect();
    Ok(Finding {
        name: "database",
        state: State::Ill(Exit::Damaged),
        says: format!(
            "{}: {}\n{}",
            path.display(),
            text!("common-problems", count = found.problems.len()),
            shown.join("\n")
        ),
        advice: Some(validation::advice()),
        facts,
    })
}
