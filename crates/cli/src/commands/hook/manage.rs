use std::path::Path;

use annals::blocking::Namespace;
use annals::profile::AnswerForm;
use annals_hooks::Hooks;
use serde_json::json;

use crate::app::{Access, App};
use crate::clones::Clones;
use crate::failure::{Exit, Failure};
use crate::project::Project;
use crate::texts::{in_words, text};
use crate::visible;

/// Failures that are shown.
const FAILURES: usize = 5;

/// Lets hooks act in a project, whose memories live under a profile where one is named.
pub(super) fn enable(
    folder: Option<&Path>,
    profile: Option<&str>,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let (hooks, project) = at_hand(folder, app)?;
    let place = Clones::of(&app.settings.db).note(&project.folder)?;
    let (base, namespace) = (project.base().to_owned(), place.name);
    if let Some(profile) = profile {
        live_under(&namespace, profile, app)?;
    }
    let new = hooks.enable(&base, &namespace, app.world.clock.now())?;
    if app.json {
        return app.answer_json(&json!({
            "enabled": true, "new": new, "root": base, "namespace": namespace,
            "profile": profile,
        }));
    }
    let path = visible::line(&base.to_string_lossy()).into_owned();
    app.say(&match new {
        true => text!(
            "hook-enabled",
            path = path,
            namespace = visible::line(&namespace)
        ),
        false => text!(
            "hook-enabled-already",
            path = path,
            namespace = visible::line(&namespace)
        ),
    })?;
    if project.root.is_none() {
        app.note(&text!("hook-no-repository", path))?;
    }
    match profile {
        Some(profile) => app.note(&text!("hook-profile", profile = visible::line(profile))),
        None if app.reader()?.is_some() && !extracts(&namespace, app)? => {
            app.note(&text!("hook-propose-coding"))
        }
        None => Ok(()),
    }
}

/// Puts a namespace under a profile; makes it where there is none.
fn live_under(namespace: &str, profile: &str, app: &App<'_, '_>) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Create)?;
    if !memory
        .namespaces()?
        .iter()
        .any(|known| known.name == namespace)
    {
        memory.create_namespace(namespace, profile)?;
        return Ok(());
    }
    let admin = memory.namespace(namespace)?.admin();
    if admin.profile()? != profile {
        admin.set_profile(profile)?;
    }
    Ok(())
}

/// Whether a model looks through what is said in a namespace.
fn extracts(namespace: &str, app: &App<'_, '_>) -> Result<bool, Failure> {
    if !app.has_database()? {
        return Ok(false);
    }
    let settings = app
        .open_plain(Access::Existing)?
        .namespace(namespace)?
        .admin()
        .settings()?;
    Ok(settings.extract.answer != AnswerForm::None)
}

/// Lets hooks act in a project no longer.
pub(super) fn disable(folder: Option<&Path>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let (hooks, project) = at_hand(folder, app)?;
    let base = project.base().to_owned();
    let was = hooks.disable(&base)?;
    if app.json {
        return app.answer_json(&json!({ "enabled": false, "was": was, "root": base }));
    }
    let path = visible::line(&base.to_string_lossy()).into_owned();
    app.say(&match was {
        true => text!("hook-disabled", path),
        false => text!("hook-disabled-already", path),
    })
}

/// Shows whether hooks act in a project, where else, and the last failures.
pub(super) fn status(folder: Option<&Path>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let (hooks, project) = at_hand(folder, app)?;
    let enabled = hooks.project(&project.folder, project.root.as_deref())?;
    let projects = hooks.projects()?;
    let failures = hooks.failures(FAILURES)?;
    let temporary = match &enabled {
        Some(enabled) if app.settings.db.exists() => app
            .open_plain(Access::Existing)?
            .namespace(&enabled.namespace)?
            .sessions()
            .temporary()?,
        _ => Vec::new(),
    };
    if app.json {
        return app.answer_json(&json!({
            "enabled": enabled.is_some(), "root": project.base(), "project": enabled,
            "projects": projects, "failures": failures, "temporary": temporary,
        }));
    }
    let path = |path: &Path| visible::line(&path.to_string_lossy()).into_owned();
    let mut text = match &enabled {
        Some(enabled) => {
            text!(
                "hook-acts",
                root = path(&enabled.root),
                namespace = visible::line(&enabled.namespace)
            ) + "\n"
        }
        None => text!("hook-acts-not", base = path(project.base())) + "\n",
    };
    for session in &temporary {
        text.push_str(&(text!("hook-is-temporary", session = visible::line(session)) + "\n"));
    }
    for other in projects
        .iter()
        .filter(|other| Some(*other) != enabled.as_ref())
    {
        text.push_str(
            &(text!(
                "hook-acts-also",
                root = path(&other.root),
                namespace = visible::line(&other.namespace)
            ) + "\n"),
        );
    }
    for failure in &failures {
        let told = format!(
            "{} {} {}: {}",
            failure.at,
            failure.host,
            failure.event,
            in_words(failure.message.clone())
        );
        text.push_str(&(text!("hook-failed", told = visible::line(&told)) + "\n"));
    }
    app.print(&text)
}

/// Makes a session of a project temporary, or no longer.
pub(super) fn temporary(
    on: bool,
    session: Option<&str>,
    folder: Option<&Path>,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let (hooks, project) = at_hand(folder, app)?;
    let enabled = hooks.project(&project.folder, project.root.as_deref())?;
    let namespace = match enabled {
        Some(enabled) => enabled.namespace,
        None => project.place(&Clones::of(&app.settings.db))?.name,
    };
    let space = app.open_plain(Access::Create)?.namespace(&namespace)?;
    let session = match session {
        Some(session) => session.to_owned(),
        None if !on => the_temporary(&space)?,
        None => hooks.latest_session(&namespace)?.ok_or_else(|| {
            Failure::new(Exit::NotFound, text!("hook-no-session"))
                .advice(text!("hook-name-session"))
        })?,
    };
    if !on && !space.session(&session).is_temporary()? {
        let (session, namespace) = (visible::line(&session), visible::line(&namespace));
        return Err(Failure::new(
            Exit::NotFound,
            text!("hook-was-not-temporary", session, namespace),
        ));
    }
    space.session(&session).set_temporary(on)?;
    drop(space);
    if app.json {
        return app
            .answer_json(&json!({ "session": session, "namespace": namespace, "temporary": on }));
    }
    let (session, namespace) = (visible::line(&session), visible::line(&namespace));
    app.say(&match on {
        true => text!("hook-temporary", session, namespace),
        false => text!("hook-not-temporary", session, namespace),
    })
}

/// The one session of a project that is temporary.
fn the_temporary(space: &Namespace) -> Result<String, Failure> {
    let mut temporary = space.sessions().temporary()?;
    match (temporary.pop(), temporary.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(Failure::new(Exit::NotFound, text!("hook-none-temporary"))),
        (Some(last), false) => {
            temporary.push(last);
            let names: Vec<_> = temporary.iter().map(|name| visible::line(name)).collect();
            Err(Failure::usage(text!(
                "hook-several-temporary",
                names = names.join(", ")
            )))
        }
    }
}

fn at_hand(folder: Option<&Path>, app: &App<'_, '_>) -> Result<(Hooks, Project), Failure> {
    let folder = folder.unwrap_or(Path::new("."));
    let project = Project::of(folder)
        .map_err(|cause| Failure::file(&text!("hook-find-project"), folder, &cause))?;
    Ok((Hooks::beside(&app.settings.db), project))
}
