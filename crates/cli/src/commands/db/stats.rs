use serde_json::json;

use crate::app::{Access, App};
use crate::card;
use crate::counted::{Counted, push};
use crate::failure::{Exit, Failure};
use crate::texts::text;

/// Counts the namespace and the file.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?.to_owned();
    // Vectors are counted for the chosen embedder; when it cannot be had, everything else is
    // counted all the same.
    let memory = match app.open(Access::Existing) {
        Err(failure) if failure.exit == Exit::Embedder => app.open_plain(Access::Existing)?,
        opened => opened?,
    };
    let namespace = Counted::of(&app.asked(&memory, &name)?)?;
    let file = memory.stats()?;
    if app.json {
        return app.answer_json(&json!({ "namespace": namespace.json(), "file": file }));
    }
    let mut text = namespace.text(app);
    let mut row = |name: &str, value: String| push(&mut text, name, &value, app);
    row("", String::new());
    row(&text!("db-file"), app.settings.db.display().to_string());
    row(&text!("db-size"), card::bytes(file.file_bytes));
    row(&text!("db-namespaces"), file.namespaces.to_string());
    row(&text!("db-memories"), file.memories.to_string());
    row(
        &text!("db-embedder"),
        text!("db-dims", embedder = file.embedder, dims = file.dims),
    );
    app.print(&text)
}
