use annals::blocking::Namespace;
use annals::{Filter, Label, ListQuery, Status};
use serde_json::json;

use crate::app::App;
use crate::backlog::{tell_left, windows_left};
use crate::failure::{Exit, Failure};
use crate::job_report::told;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals session end`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals session end 2026-03-07-morning

Memories that live as long as their session go, and the jobs run that the profile
wants run at its end. Turns that were not looked through are queued for that where
the profile wants it; `annals jobs run` works it off.")]
pub(crate) struct Args {
    /// The session
    session: String,
}

/// Refuses the name of a session of which nothing is known: it may be mistyped.
fn is_known(session: &str, namespace: &Namespace) -> Result<(), Failure> {
    let filter = Filter {
        sessions: vec![Label::new("session", session)?],
        statuses: Status::ALL.to_vec(),
        ..Filter::default()
    };
    let query = ListQuery {
        filter,
        past: true,
        limit: 1,
        ..ListQuery::default()
    };
    if namespace.list(&query)?.total > 0 || namespace.session(session).is_temporary()? {
        return Ok(());
    }
    let (session, name) = (visible::line(session), visible::line(namespace.name()));
    Err(
        Failure::new(Exit::NotFound, text!("session-unknown", session, name))
            .advice(text!("session-unknown-advice")),
    )
}

/// Ends a session.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.counts_tokens = true;
    let namespace = app.namespace(crate::app::Access::Existing)?;
    is_known(&args.session, &namespace)?;
    let end = namespace.session(&args.session).end()?;
    if app.json {
        return app.answer_json(&json!(end));
    }
    let session = visible::line(&end.session);
    let mut text = match end.deleted.len() {
        0 => text!("session-ended", session),
        count => {
            let memories = text!("common-memories", count);
            text!("session-ended-deleted", session, memories)
        }
    } + "\n";
    if let Some(episode) = end.episode {
        text.push_str(&(text!("session-became", episode) + "\n"));
    }
    if let Some(why) = &end.put_off {
        text.push_str(&(text!("session-later", why = visible::line(why)) + "\n"));
    }
    for report in &end.jobs {
        text.push_str(&told(report, false, app));
    }
    app.print(&text)?;
    tell_left(windows_left(&namespace)?, app)
}
