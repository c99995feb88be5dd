use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::texts::text;

/// Makes every vector anew.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?.to_owned();
    let memory = app.open(Access::Existing)?;
    let embedder = memory.embedder();
    let progress = Progress::new(app, text!("common-embedding"), 1);
    let report = app.asked(&memory, &name)?.transfer().reembed(&mut |step| {
        progress.set_total(step.total);
        progress.set(step.done);
    })?;
    drop(progress);
    if app.json {
        return app
            .answer_json(&json!({ "namespace": name, "embedder": embedder, "report": report }));
    }
    app.say(&text!(
        "db-reembedded",
        texts = text!("common-texts", count = report.embedded),
        embedder,
        already = report.already
    ))
}
