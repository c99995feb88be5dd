use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::table::Table;
use crate::texts::text;
use crate::{card, visible};

/// Lists the sessions of the namespace.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let mut sessions = namespace.sessions().list()?;
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last));
    if app.json {
        return app.answer_json(&json!({ "sessions": sessions }));
    }
    if sessions.is_empty() {
        let name = format!("{:?}", visible::line(namespace.name()));
        return app.note(&text!("session-none", name));
    }
    drop(namespace);
    let mut table = Table::new(&["~session", ">turns", "first", "last"]);
    for session in &sessions {
        table.row(vec![
            visible::line(&session.name).into_owned(),
            session.turns.to_string(),
            session.first.map_or_else(|| "-".to_owned(), card::minute),
            session.last.map_or_else(|| "-".to_owned(), card::minute),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)?;
    app.note_utc()
}
