use serde_json::json;

use crate::app::{Access, App, asked};
use crate::card;
use crate::counted::{Counted, push};
use crate::failure::{Exit, Failure};

/// Counts the namespace and the file.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?.to_owned();
    // Vectors are counted for the chosen embedder; when it cannot be had, everything else is
    // counted all the same.
    let memory = match app.open(Access::Existing) {
        Err(failure) if failure.exit == Exit::Embedder => app.open_plain(Access::Existing)?,
        opened => opened?,
    };
    let namespace = Counted::of(&asked(&memory, &name)?)?;
    let file = memory.stats()?;
    if app.json {
        return app.answer_json(&json!({ "namespace": namespace.json(), "file": file }));
    }
    let mut text = namespace.text(app);
    let mut row = |name: &str, value: String| push(&mut text, name, &value, app);
    row("", String::new());
    row("file", app.settings.db.display().to_string());
    row("size", card::bytes(file.file_bytes));
    row("namespaces", file.namespaces.to_string());
    row("memories", file.memories.to_string());
    row("embedder", format!("{}, {} numbers a vector", file.embedder, file.dims));
    app.print(&text)
}
