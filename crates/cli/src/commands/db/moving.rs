use std::path::Path;

use annals::storage::{Engine, FileOptions, copy, expect_database};
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::store::{self, Opening};
use crate::texts::text;

/// Arguments of `annals db move`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db move ~/.local/share/annals/agent.annals postgres://annals@db.example.org/memories
  annals db move env:ANNALS_STORE back.annals

Both ends are files, or addresses of PostgreSQL; env:NAME is the address that a variable holds.
Everything of all namespaces is copied and then compared, value by value. TO is to be empty; a
copy that was cut off goes on where it was. FROM stays as it is and can be read meanwhile; where
it is written to meanwhile the copy fails.")]
pub(crate) struct Args {
    /// The file or the address to copy from
    from: String,
    /// The file or the address to copy to
    to: String,
}

/// Copies a database to another place.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let (from, to) = (
        store::resolve(&args.from, app.world)?,
        store::resolve(&args.to, app.world)?,
    );
    let from = source(&from, app)?;
    // Before the target is made.
    expect_database(&*from).map_err(annals::Error::from)?;
    let to = target(&to, app)?;
    let progress = Progress::new(app, text!("db-moving"), 0);
    let copied = copy(&*from, &*to, &mut |done| progress.set(done)).map_err(annals::Error::from)?;
    drop(progress);
    if app.json {
        return app.answer_json(&json!({ "values": copied.values, "resumed": copied.resumed }));
    }
    let values = text!("common-values", count = copied.values);
    app.say(&text!("db-moved", values, place = to.place()))?;
    app.note(&text!("db-moved-from", place = from.place()))
}

fn source(place: &str, app: &mut App<'_, '_>) -> Result<Box<dyn Engine>, Failure> {
    if store::is_address(place) {
        return store::connect(place, &Opening::Read);
    }
    let path = Path::new(place);
    if path.exists() {
        // The process that owns it for others gives it up. A damaged one has no owner.
        path.clone_into(&mut app.settings.db);
        app.keeps_file = true;
        drop(app.open_plain(Access::Existing));
    }
    store::file(path, &options(app).read_only(true))
}

fn target(place: &str, app: &App<'_, '_>) -> Result<Box<dyn Engine>, Failure> {
    if store::is_address(place) {
        return store::connect(place, &Opening::Own(app.wait()));
    }
    store::file(Path::new(place), &options(app))
}

fn options(app: &App<'_, '_>) -> FileOptions {
    FileOptions::default()
        .wait(app.wait())
        .foreign(app.settings.allow_foreign)
}
