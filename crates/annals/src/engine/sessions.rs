//! What ends with a session.

use annals_types::{Memory, MemoryId, NamespaceId, NamespaceName, Row, Value};

use super::{Change, Engine};
use crate::Error;
use crate::maintain::SessionEnd;

/// The free field in which a memory names its session.
const SESSION: &str = "session";

impl Engine {
    /// Deletes the memories that go with a session, and runs the jobs that its end sets off.
    pub(crate) fn end_session(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        session: &str,
    ) -> Result<SessionEnd, Error> {
        let mut going = Vec::new();
        for memory in self.bound(ns)? {
            if self.belongs(ns, &memory, session)? {
                going.push(memory.id);
            }
        }
        let now = self.now();
        let mut deleted: Vec<MemoryId> = Vec::new();
        if !going.is_empty() {
            deleted = self.write(name, false, |txn, ns| {
                let rulebook = self.rulebooks.of(&*txn, ns)?;
                // Some may have gone since they were looked for.
                let there = annals_records::find_rows(&*txn, ns, &going)?;
                let there = going.iter().zip(there).filter(|(_, row)| row.is_some()).map(|(id, _)| *id);
                let there: Vec<MemoryId> = there.collect();
                if there.is_empty() {
                    return Ok((Vec::new(), Change::default()));
                }
                let (removal, change) = self.erase_in(txn, ns, &rulebook, now, &there)?;
                Ok((removal.ids, change))
            })?;
        }
        let rulebook = self.rulebooks.of(&self.snapshot()?, ns)?;
        let jobs = self.run_event(&rulebook, (ns, name.clone()), "session_end")?;
        Ok(SessionEnd { session: session.to_owned(), deleted, jobs })
    }

    /// The memories that go with a session, whichever it is.
    fn bound(&self, ns: NamespaceId) -> Result<Vec<Memory>, Error> {
        let view = self.view(ns)?;
        let current = |row: &Row| view.worth.is_session_bound(*row) && view.columns.current_status(*row).is_some();
        let rows: Vec<Row> = view.worth.rows().filter(current).collect();
        let found = annals_records::memories(&self.snapshot()?, ns, &rows, Some(&view.columns))?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Whether a memory belongs to a session: the one that it names, or that it was derived from. One of no session goes with any.
    fn belongs(&self, ns: NamespaceId, memory: &Memory, session: &str) -> Result<bool, Error> {
        if let Some(Value::Text(named)) = memory.body.metadata.get(SESSION) {
            return Ok(named == session);
        }
        let snapshot = self.snapshot()?;
        let rows = annals_records::find_rows(&snapshot, ns, &memory.body.provenance)?;
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        let sources = annals_records::memories(&snapshot, ns, &rows, None)?;
        let turns = sources.into_iter().flatten().filter_map(|source| source.body.turn);
        let sessions: Vec<String> = turns.map(|turn| turn.session.as_str().to_owned()).collect();
        Ok(sessions.is_empty() || sessions.iter().any(|own| own == session))
    }
}
