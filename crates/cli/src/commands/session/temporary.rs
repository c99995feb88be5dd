use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals session temporary`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals session temporary 2026-03-07-morning on
  annals session temporary 2026-03-07-morning off
  annals session temporary 2026-03-07-morning

While a session is temporary its turns are not stored, no memory is put before a model in
it, and nothing counts as used. What was said meanwhile stays out later, too.")]
pub(crate) struct Args {
    /// The session
    session: String,
    /// Whether it is temporary from now on; shows it where it is left away
    #[arg(value_parser = ["on", "off"])]
    state: Option<String>,
}

/// Makes a session temporary, or no longer, or shows whether it is.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = match &args.state {
        Some(_) => app
            .open_plain(Access::Create)?
            .namespace(app.namespace_name()?)?,
        None => app.plain_namespace()?,
    };
    let session = namespace.session(&args.session);
    if let Some(state) = &args.state {
        session.set_temporary(state == "on")?;
    }
    let temporary = session.is_temporary()?;
    if app.json {
        return app.answer_json(&json!({ "session": args.session, "temporary": temporary }));
    }
    let name = visible::line(&args.session).into_owned();
    app.say(&if temporary {
        text!("session-temporary", name)
    } else {
        text!("session-not-temporary", name)
    })
}
