use serde_json::json;

use crate::app::{Access, App, asked};
use crate::card;
use crate::failure::Failure;
use crate::progress::Progress;

/// Makes every vector anew.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?.to_owned();
    let memory = app.open(Access::Existing)?;
    let embedder = memory.embedder();
    let progress = Progress::new(app, "embedding", 1);
    let report = asked(&memory, &name)?.transfer().reembed(&mut |step| {
        progress.set_total(step.total);
        progress.set(step.done);
    })?;
    drop(progress);
    if app.json {
        return app.answer_json(&json!({ "namespace": name, "embedder": embedder, "report": report }));
    }
    app.say(&format!(
        "embedded {} with {embedder}; {} had been done before",
        card::counted(report.embedded, "text", "texts"),
        report.already
    ))
}
