use std::path::Path;

use annals::storage::{Engine, FileOptions, copy, expect_database};
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::store;
use crate::texts::text;

/// Arguments of `annals db move`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db move ~/.local/share/annals/agent.annals postgres://annals@db.example.org/memories
  annals db move postgres://annals@db.example.org/memories back.annals

Both ends are files, or addresses of PostgreSQL. Everything of all namespaces is copied and then
compared, value by value. TO is to be empty; a copy that was cut off goes on where it was. FROM
stays as it is, can be read meanwhile, and is not to be written to any more afterwards.")]
pub(crate) struct Args {
    /// The file or the address to copy from
    from: String,
    /// The file or the address to copy to
    to: String,
}

/// Copies a database to another place.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let from = open(&args.from, true, app)?;
    // Before the target is made.
    expect_database(&*from).map_err(annals::Error::from)?;
    let to = open(&args.to, false, app)?;
    let values = from.stats(annals::storage::Depth::Counts).map_err(annals::Error::from)?;
    let values = values.keyspaces.iter().map(|keyspace| keyspace.entries).sum();
    let progress = Progress::new(app, text!("db-moving"), values);
    let copied = copy(&*from, &*to, &mut |done| progress.set(done)).map_err(annals::Error::from)?;
    drop(progress);
    if app.json {
        return app.answer_json(&json!({ "values": copied.values, "resumed": copied.resumed }));
    }
    let values = text!("common-values", count = copied.values);
    app.say(&text!("db-moved", values, place = to.place()))?;
    app.note(&text!("db-moved-from", place = from.place()))
}

fn open(place: &str, reads: bool, app: &App<'_, '_>) -> Result<Box<dyn Engine>, Failure> {
    if store::is_address(place) {
        return store::connect(place, app.wait());
    }
    let options = FileOptions::default().read_only(reads).wait(app.wait());
    store::file(Path::new(place), &options)
}
